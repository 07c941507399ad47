/* SPDX-License-Identifier: MIT */
/* The helper's entry. argv[0] is the command, since zarrlite starts it so. */
#include "nc_commands.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc >= 1 && strcmp(argv[0], "import") == 0) return cli_run(&nc_command_import, argc, argv);
    if (argc >= 1 && strcmp(argv[0], "compare") == 0) return cli_run(&nc_command_compare, argc, argv);
    fputs("zarrlite-import-netcdf is started by 'zarrlite import' and 'zarrlite compare'\n", stderr);
    return CLI_USAGE;
}
