/* SPDX-License-Identifier: MIT */
/* zarr-conformance-cli --array_path=PATH: the program that the community's conformance tests call of each implementation.
 * https://github.com/Bisaloo/zarr-conformance-tests
 * Prints every element in C order, one a line, as its JSON fill value encoding. */
#include "cli.h"
#include "dump.h"
#include "output.h"
#include "store_path.h"

typedef struct conformance_options {
    const char *array_path;
} conformance_options;

static const cli_option options[] = {
    {"array_path", 0, CLI_TEXT, offsetof(conformance_options, array_path), "PATH", "the array to read"},
    CLI_OPTIONS_END,
};

static int print_elements(cli *run, const cli_args *args, const void *values) {
    (void)args;
    const char *path = ((const conformance_options *)values)->array_path;
    const cli_dump dump = {.format = CLI_FORMAT_LINES};
    cli_place place = {0};
    zl_array *array = NULL;
    if (!path) return cli_usage(run, "--array_path is missing");
    int status = cli_start(run, 0);
    if (!status) status = cli_open_array(run, &place, &array, path, CLI_READ);
    if (!status) status = cli_dump_array(run, array, path, &dump);
    zl_array_close(array);
    return cli_place_close(run, &place, status);
}

static const cli_command command = {
    .name = "zarr-conformance-cli",
    .summary = "Print every element of an array in C order, one JSON value a line",
    .usage = "--array_path=PATH",
    .options = options,
    .options_size = sizeof(conformance_options),
    .run = print_elements,
    .is_program = true,
};

int main(int argc, char **argv) {
    return cli_run(&command, argc, argv);
}
