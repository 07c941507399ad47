/* SPDX-License-Identifier: MIT */
/* Arrays as variables of a NetCDF file. */
#ifndef ZARRLITE_CLI_NC_VARIABLE_H
#define ZARRLITE_CLI_NC_VARIABLE_H

#include "nc_target.h"
#include "progress.h"

/* Defines a variable for an array; `type_name` is the recorded NetCDF type, or NULL. Returns why that is not possible, or
 * NULL; static text. */
const char *nc_variable_define(nc_target *target, int group, const char *name, const zl_array *array, const char *type_name,
                               nc_new_variable *out);
/* Attributes by which readers of NetCDF know what a type stands for that NetCDF lacks, where the array has no such ones. */
void nc_variable_add_conventions(const nc_new_variable *variable, const zl_array *array);

/* Writes all elements. */
zl_status nc_variable_write(const nc_target *target, const nc_new_variable *variable, cli_progress *progress,
                            uint64_t *done, zl_error *err);

#endif
