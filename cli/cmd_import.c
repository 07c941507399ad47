/* SPDX-License-Identifier: MIT */
/* zarrlite import: a NetCDF or .npy file becomes a store. */
#include "cli.h"
#include "helper.h"
#include "import.h"
#include "import_npy.h"
#include "output.h"

#include <errno.h>
#include <string.h>

static int run_import(cli *run, const cli_args *args, const void *values) {
    const cli_import_options *given = values;
    const char *source = args->positional[0];
    int status = cli_import_check(run, given);
    if (status) return status;
    switch (cli_source_sniff(source)) {
    case CLI_SOURCE_UNREADABLE: return cli_fail_text(run, NULL, "cannot read %s: %s", source, strerror(errno));
    case CLI_SOURCE_UNKNOWN:
        return cli_fail_text(run, "raw numbers: 'zarrlite create' an array, then 'zarrlite put' the file",
                             "%s is neither NetCDF nor .npy", source);
    case CLI_SOURCE_NETCDF: return cli_exec_netcdf(run);
    case CLI_SOURCE_NPY: break;
    }
    status = cli_start(run, given->threads);
    return status ? status : cli_import_npy(run, given, source, args->positional[1]);
}

const cli_command cli_command_import = CLI_IMPORT_COMMAND(run_import);
