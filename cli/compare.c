/* SPDX-License-Identifier: MIT */
#include "compare.h"

const cli_option cli_compare_option_table[] = {
    {"var", 0, CLI_LIST, offsetof(cli_compare_options, variables), "NAME",
     "compare this variable only (group/name); repeat for more"},
    {"threads", 0, CLI_COUNT, offsetof(cli_compare_options, threads), "N", "threads that decode [one per CPU]"},
    {"quiet", 'q', CLI_FLAG, offsetof(cli_compare_options, quiet), NULL, "print differences only"},
    {"json", 0, CLI_FLAG, offsetof(cli_compare_options, json), NULL, "print the result as a JSON object"},
    CLI_OPTIONS_END,
};

const char cli_compare_details[] =
    "Reads a NetCDF file and the store that was made from it, and compares every value, type, shape, dimension name and\n"
    "attribute, with its NetCDF type, bit for bit. Exit status 1 when anything differs; each difference is named.";
