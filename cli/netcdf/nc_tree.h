/* SPDX-License-Identifier: MIT */
/* What a NetCDF file holds: its groups and variables as flat lists, parents first. */
#ifndef ZARRLITE_CLI_NC_TREE_H
#define ZARRLITE_CLI_NC_TREE_H

#include "nc_type.h"

typedef struct nc_group {
    int id;
    char *path;  /* "" for the root */
    bool wanted; /* it, or something in it, was asked for */
} nc_group;

typedef struct nc_variable {
    int group; /* id */
    int id;
    char *path;
    char *reason; /* why it cannot be imported, or NULL */
    const nc_type_facts *type;
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    char *dimensions[CLI_MAX_RANK];
    bool chunked;
    int64_t chunk[CLI_MAX_RANK];
    bool wanted;
} nc_variable;

/* Start from zero bytes. */
typedef struct nc_tree {
    int file;
    bool is_open;
    nc_group *groups;
    size_t group_count;
    nc_variable *variables;
    size_t variable_count;
} nc_tree;

/* Fills `err` from a status of libnetcdf. */
zl_status nc_fail(zl_error *err, int nc_status, const char *what);

zl_status nc_tree_open(nc_tree *tree, const char *path, zl_error *err);
/* Marks what `names` ask for (everything when there are none); names what is not there. */
zl_status nc_tree_select(nc_tree *tree, const cli_list *names, zl_error *err);
/* Bytes of the elements of everything that is wanted and possible, as arrays of the library have them. */
uint64_t nc_tree_size(const nc_tree *tree);
void nc_tree_close(nc_tree *tree);

#endif
