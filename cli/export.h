/* SPDX-License-Identifier: MIT */
/* Options of `zarrlite export`, which the tool and its helper share. */
#ifndef ZARRLITE_CLI_EXPORT_H
#define ZARRLITE_CLI_EXPORT_H

#include "cli.h"

typedef struct cli_export_options {
    int deflate;
    const char *format;
    bool overwrite;
    int threads;
    bool quiet;
    bool json;
} cli_export_options;

/* Everything about the command but its function, which differs between the tool and its helper. */
extern const cli_option cli_export_option_table[];
extern const char cli_export_details[];
#define CLI_EXPORT_COMMAND(function)                                                                         \
    {                                                                                                        \
        .name = "export", .summary = "Make a NetCDF or .npy file from a store",                              \
        .usage = "[OPTIONS] SRC[/PATH] FILE.nc|FILE.npy", .details = cli_export_details,                     \
        .options = cli_export_option_table, .options_size = sizeof(cli_export_options), .positional_min = 2, \
        .positional_max = 2, .run = (function),                                                              \
    }

#endif
