/* SPDX-License-Identifier: MIT */
/* The members of a group, collected. */
#ifndef ZARRLITE_CLI_NODE_LIST_H
#define ZARRLITE_CLI_NODE_LIST_H

#include "cli.h"

typedef struct cli_node {
    char *path; /* from the store's root */
    zl_node_kind kind;
    int32_t zarr_format;
} cli_node;

typedef struct cli_node_list {
    cli_node *items;
    size_t count;
    size_t cap;
} cli_node_list;

/* Fills an empty list with the members of the group at `path`, in byte order. */
zl_status cli_node_list_fill(cli_node_list *list, zl_store *store, const char *path, bool recursive, zl_error *err);
/* Puts a node in front of all others. */
void cli_node_list_prepend(cli_node_list *list, const char *path, zl_node_kind kind);
void cli_node_list_clear(cli_node_list *list);

/* The last name of a path. */
const char *cli_node_name(const char *path);
/* "array" or "group". */
const char *cli_node_kind_text(zl_node_kind kind);

#endif
