/* SPDX-License-Identifier: MIT */
/* Blocks of a NetCDF variable, and the metadata that its array has. */
#ifndef ZARRLITE_CLI_NC_SOURCE_H
#define ZARRLITE_CLI_NC_SOURCE_H

#include "json_out.h"
#include "nc_tree.h"
#include "pump.h"

/* Start with `.variable` set and the rest zero. */
typedef struct nc_source {
    const nc_variable *variable;
    char **strings[2]; /* of the block in each slot, owned by libnetcdf */
    size_t string_count[2];
} nc_source;

/* A cli_source function; `user` is an nc_source. */
zl_status nc_source_fetch(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer,
                          zl_const_view *out, zl_error *err);
void nc_source_clear(nc_source *source);

/* Called for each attribute that is left out. */
typedef void (*nc_skip_fn)(void *user, const char *attribute, const char *reason);

/* JSON objects with the attributes of a variable or a group, and behind them the record of what Zarr has no words for. */
zl_status nc_variable_attributes(cli_json *out, const nc_variable *variable, nc_skip_fn skip, void *user, zl_error *err);
zl_status nc_group_attributes(cli_json *out, const nc_group *group, nc_skip_fn skip, void *user, zl_error *err);
/* The members of a group's record that are not about attributes: "format" (root only), "dimensions", "unlimited",
 * "variables" and "groups" (their order). */
zl_status nc_group_record(cli_json *out, const nc_group *group, zl_error *err);
/* JSON fill value of a variable; the text stays NULL where it has no `_FillValue`. */
zl_status nc_variable_fill(cli_json *out, const nc_variable *variable, zl_error *err);

/* Number of attributes of a variable, or of a group with NC_GLOBAL. */
zl_status nc_attribute_count(int *out, int group, int variable, zl_error *err);

#endif
