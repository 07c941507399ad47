/* SPDX-License-Identifier: MIT */
/* zarrlite get: elements of an array to a file or to standard output. */
#include "cli.h"
#include "dump.h"
#include "output.h"
#include "store_path.h"

#include <string.h>
#include <unistd.h>

typedef struct get_options {
    const char *region;
    const char *field;
    const char *output;
    const char *format;
    int threads;
} get_options;

static const cli_option options[] = {
    {"region", 0, CLI_TEXT, offsetof(get_options, region), "REGION", "part to read, such as 0:5,:,-1 or ...,::10"},
    {"field", 0, CLI_TEXT, offsetof(get_options, field), "NAME", "one field of a structure, such as id or position.x"},
    {"output", 'o', CLI_TEXT, offsetof(get_options, output), "FILE", "write to FILE instead of standard output ('-')"},
    {"format", 0, CLI_TEXT, offsetof(get_options, format), "FORMAT", "raw, npy, json, text or lines"},
    {"threads", 0, CLI_COUNT, offsetof(get_options, threads), "N", "threads that decode [one per CPU]"},
    CLI_OPTIONS_END,
};

/* By the file's name, else text for a terminal and raw for everything else. */
static cli_dump_format default_format(const char *output) {
    const char *dot = output ? strrchr(output, '.') : NULL;
    if (dot && strcmp(dot, ".npy") == 0) return CLI_FORMAT_NPY;
    if (dot && strcmp(dot, ".json") == 0) return CLI_FORMAT_JSON;
    if (dot && strcmp(dot, ".txt") == 0) return CLI_FORMAT_TEXT;
    return !output && isatty(STDOUT_FILENO) ? CLI_FORMAT_TEXT : CLI_FORMAT_RAW;
}

static int get(const cli *run, zl_array *array, const char *path, const get_options *given) {
    const cli_dump dump = {given->region, given->field, given->output,
                           given->format ? cli_dump_format_named(given->format) : default_format(given->output)};
    if (dump.format != CLI_FORMAT_UNKNOWN) return cli_dump_array(run, array, path, &dump);
    return cli_usage(run, "format '%s' is none of raw, npy, json, text, lines", given->format);
}

static int run_get(cli *run, const cli_args *args, const void *values) {
    const get_options *given = values;
    cli_place place = {0};
    zl_array *array = NULL;
    int status = cli_start(run, given->threads);
    if (!status) status = cli_open_array(run, &place, &array, args->positional[0], CLI_READ);
    if (!status) status = get(run, array, args->positional[0], given);
    zl_array_close(array);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_get = {
    .name = "get",
    .summary = "Read elements of an array",
    .usage = "[OPTIONS] STORE[/PATH]",
    .details =
        "A region has one part for each axis: start:stop[:step] as in Python, or one index, which drops the axis.\n"
        "Negative numbers count from the end, ':' is a whole axis, '...' is all axes between, missing ones are whole.\n"
        "\n"
        "raw    C order, little-endian; one byte for each element of less than a byte; elements of variable length as\n"
        "       a 32-bit byte count and their bytes\n"
        "npy    a NumPy file\n"
        "json   nested lists; elements as fill values are written in metadata\n"
        "text   one row a line, a blank line between planes; times as dates or with their unit\n"
        "lines  one element a line, as in json\n"
        "\n"
        "Without --format the name of the output file decides (.npy, .json, .txt); else it is text on a terminal and\n"
        "raw elsewhere.",
    .options = options,
    .options_size = sizeof(get_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_get,
};
