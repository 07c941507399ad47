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

#define CLI_EXPORT_USAGE "[OPTIONS] SRC[/PATH] FILE.nc|FILE.npy"
extern const cli_option cli_export_option_table[];
extern const char cli_export_details[];

#endif
