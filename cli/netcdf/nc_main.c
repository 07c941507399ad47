/* SPDX-License-Identifier: MIT */
/* The helper's entry. argv[0] is the command, since zarrlite starts it so. */
#include "nc_commands.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    static const cli_command *const commands[] = {&nc_command_import, &nc_command_compare, &nc_command_export};
    for (size_t i = 0; argc >= 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[0], commands[i]->name) == 0) return cli_run(commands[i], argc, argv);
    }
    fputs("zarrlite-netcdf is started by 'zarrlite import', 'zarrlite export' and 'zarrlite compare'\n", stderr);
    return CLI_USAGE;
}
