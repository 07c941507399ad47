/* SPDX-License-Identifier: MIT */
/* Options of `zarrlite compare`, which the tool and its helper share. */
#ifndef ZARRLITE_CLI_COMPARE_H
#define ZARRLITE_CLI_COMPARE_H

#include "cli.h"

typedef struct cli_compare_options {
    cli_list variables;
    int threads;
    bool quiet;
    bool json;
} cli_compare_options;

/* Everything about the command but its function, which differs between the tool and its helper. */
extern const cli_option cli_compare_option_table[];
extern const char cli_compare_details[];
#define CLI_COMPARE_COMMAND(function)                                                                                  \
    {                                                                                                                  \
        .name = "compare", .summary = "Compare a store with its NetCDF source, bit for bit",                           \
        .usage = "[OPTIONS] SOURCE STORE[/PATH]", .details = cli_compare_details, .options = cli_compare_option_table, \
        .options_size = sizeof(cli_compare_options), .positional_min = 2, .positional_max = 2, .run = (function),      \
    }

#endif
