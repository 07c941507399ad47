/* SPDX-License-Identifier: MIT */
/* zarrlite export: a store becomes a NetCDF file, or an array a .npy file. */
#include "cli.h"
#include "dump.h"
#include "export.h"
#include "helper.h"
#include "output.h"
#include "store_path.h"

#include <string.h>
#include <unistd.h>

static bool has_suffix(const char *path, const char *const *suffixes) {
    const char *dot = strrchr(path, '.');
    bool found = false;
    for (; dot && *suffixes && !found; suffixes++)
        found = strcmp(dot, *suffixes) == 0;
    return found;
}

static int export_npy(cli *run, const char *path, const char *file, const cli_export_options *given) {
    const cli_dump dump = {.output = file, .format = CLI_FORMAT_NPY};
    cli_place place = {0};
    zl_array *array = NULL;
    if (given->deflate || given->format) return cli_usage(run, "--deflate and --format are for NetCDF");
    if (!given->overwrite && access(file, F_OK) == 0) {
        return cli_fail_text(run, "--overwrite replaces what is there", "%s is there already", file);
    }
    int status = cli_start(run, given->threads);
    if (!status) status = cli_open_array(run, &place, &array, path, CLI_READ);
    if (!status) status = cli_dump_array(run, array, path, &dump);
    zl_array_close(array);
    return cli_place_close(run, &place, status);
}

static int run_export(cli *run, const cli_args *args, const void *values) {
    static const char *const netcdf[] = {".nc", ".nc4", ".cdf", NULL}, *const npy[] = {".npy", NULL};
    const char *file = args->positional[1];
    if (has_suffix(file, npy)) return export_npy(run, args->positional[0], file, values);
    if (has_suffix(file, netcdf)) return cli_exec_netcdf(run);
    return cli_usage(run, "'%s': the name of the file ends with .nc or .npy", file);
}

const cli_command cli_command_export = CLI_EXPORT_COMMAND(run_export);
