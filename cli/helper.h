/* SPDX-License-Identifier: MIT */
/* The helper program zarrlite-netcdf. Loading libnetcdf takes longer than everything else a command does at its
 * start, so only the commands that need it pay for it. */
#ifndef ZARRLITE_CLI_HELPER_H
#define ZARRLITE_CLI_HELPER_H

#include "cli.h"

/* What a source file is, by its first bytes. */
typedef enum cli_source_kind {
    CLI_SOURCE_UNREADABLE,
    CLI_SOURCE_UNKNOWN,
    CLI_SOURCE_NPY,
    CLI_SOURCE_NETCDF
} cli_source_kind;
/* CLI_SOURCE_UNREADABLE leaves errno. */
cli_source_kind cli_source_sniff(const char *path);

/* Replaces this process by the helper, with the arguments this process got. Returns only when that fails, with a message:
 * an exit status. */
int cli_exec_netcdf(const cli *run);

#endif
