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

#define CLI_COMPARE_USAGE "[OPTIONS] SOURCE STORE[/PATH]"
extern const cli_option cli_compare_option_table[];
extern const char cli_compare_details[];

#endif
