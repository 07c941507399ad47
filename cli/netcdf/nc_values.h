/* SPDX-License-Identifier: MIT */
#ifndef ZARRLITE_CLI_NC_VALUES_H
#define ZARRLITE_CLI_NC_VALUES_H

#include "nc_report.h"
#include "progress.h"

/* Compares all elements of a variable with those of an array of the same type and shape, block by block; one difference
 * names the first element that differs and how many do. A failure to read either is the status. */
zl_status nc_values_compare(nc_report *report, const cli *run, const nc_variable *variable, const zl_array *array,
                            cli_progress *progress, zl_error *err);

#endif
