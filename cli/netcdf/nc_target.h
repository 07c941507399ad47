/* SPDX-License-Identifier: MIT */
/* A NetCDF file that is being made: what is defined in it, and what had to stay out. */
#ifndef ZARRLITE_CLI_NC_TARGET_H
#define ZARRLITE_CLI_NC_TARGET_H

#include "export.h"
#include "json_out.h"
#include "nc_type.h"

typedef struct nc_new_variable {
    char *path; /* of the array, in the store */
    char *name; /* for people */
    int group;  /* ids */
    int id;
    const nc_type_facts *type;
    zl_dtype_id read_as; /* the type elements are converted to; ZL_DTYPE_NONE: their own, which has the same bytes */
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    uint64_t size; /* bytes of its elements in the file */
} nc_new_variable;

/* Start from zero bytes. */
typedef struct nc_target {
    const cli *run;
    const cli_export_options *given;
    zl_store *store;
    int file;
    bool is_open;
    bool is_netcdf4;
    int64_t *extents; /* of dimensions, by id: libnetcdf counts unlimited ones as 0 until they are written */
    int extent_count;
    nc_new_variable *variables;
    size_t variable_count;
    cli_json skipped; /* a JSON list under construction */
    size_t skipped_count;
} nc_target;

/* The library's number of a file format: "netcdf4", ... or as `import` records it ("netCDF-4", ...); 0 for others. */
int nc_format_named(const char *name);

/* Creates the file in one of the library's formats. */
zl_status nc_target_create(nc_target *target, const char *path, int format, zl_error *err);
/* Ends definitions, so that data can be written. */
zl_status nc_target_end_definitions(nc_target *target, zl_error *err);
/* Closes the file. */
zl_status nc_target_close(nc_target *target, zl_error *err);
void nc_target_clear(nc_target *target);

/* Why the library refused a definition, in words that help. Static text. */
const char *nc_target_reason(int nc);
/* Warns of and records a part of the store that the file cannot hold. */
void nc_target_skip(nc_target *target, const char *name, const char *reason);

/* Defines a dimension of `group`; an extent of 0 makes it unlimited, since NetCDF knows no other empty dimensions. */
int nc_target_define_dimension(nc_target *target, int group, const char *name, int64_t extent, bool is_unlimited, int *id);
/* The dimension of that name (NULL: nameless) and extent as variables of `group` see it. Where there is none it is defined
 * in the group, under a name with the extent behind it when the name stands for another one there. */
int nc_target_find_dimension(nc_target *target, int group, const char *name, int64_t extent, int *id);

#endif
