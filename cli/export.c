/* SPDX-License-Identifier: MIT */
#include "export.h"

const cli_option cli_export_option_table[] = {
    {"deflate", 0, CLI_COUNT, offsetof(cli_export_options, deflate), "LEVEL",
     "compress the file's variables, 1 (fast) to 9 (small)"},
    {"format", 0, CLI_TEXT, offsetof(cli_export_options, format), "KIND",
     "netcdf4, netcdf4-classic, classic, 64bit-offset or cdf5\n[the imported file's, else netcdf4]"},
    {"overwrite", 0, CLI_FLAG, offsetof(cli_export_options, overwrite), NULL, "replace FILE"},
    {"threads", 0, CLI_COUNT, offsetof(cli_export_options, threads), "N", "threads that decode [one per CPU]"},
    {"quiet", 'q', CLI_FLAG, offsetof(cli_export_options, quiet), NULL, "no progress bar, no table"},
    {"json", 0, CLI_FLAG, offsetof(cli_export_options, json), NULL, "print the summary as a JSON object"},
    CLI_OPTIONS_END,
};

const char cli_export_details[] =
    "FILE.nc gets a whole hierarchy: groups, variables, dimensions, attributes. What 'zarrlite import' read from NetCDF\n"
    "gets its types back, bit for bit. FILE.npy gets one array, without attributes.";
