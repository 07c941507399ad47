/* SPDX-License-Identifier: MIT */
#ifndef ZARRLITE_CLI_NC_DEFINE_H
#define ZARRLITE_CLI_NC_DEFINE_H

#include "nc_target.h"

/* The format that `import` recorded for the group at `path`, or 0. */
zl_status nc_recorded_format(zl_store *store, const char *path, int *out, zl_error *err);

/* Defines in the file everything the group at `path` holds, with attributes: groups become groups, arrays variables, in the
 * recorded order where there is one, else by name. */
zl_status nc_define_group(nc_target *target, const char *path, zl_error *err);
/* Defines one array as the file's only variable. */
zl_status nc_define_single(nc_target *target, const char *path, const char *name, zl_error *err);

#endif
