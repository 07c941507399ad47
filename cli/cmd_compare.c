/* SPDX-License-Identifier: MIT */
/* zarrlite compare: does a store hold what its NetCDF source holds? The helper does the work. */
#include "cli.h"
#include "compare.h"
#include "helper.h"
#include "output.h"

#include <errno.h>
#include <string.h>

static int run_compare(cli *run, const cli_args *args, const void *values) {
    (void)values;
    const char *source = args->positional[0];
    switch (cli_source_sniff(source)) {
    case CLI_SOURCE_UNREADABLE: return cli_fail_text(run, NULL, "cannot read %s: %s", source, strerror(errno));
    case CLI_SOURCE_NETCDF: return cli_exec_netcdf(run);
    default: return cli_fail_text(run, NULL, "%s is not NetCDF", source);
    }
}

const cli_command cli_command_compare = CLI_COMPARE_COMMAND(run_compare);
