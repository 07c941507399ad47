/* SPDX-License-Identifier: MIT */
/* Elements of an array to a file or to standard output, block by block in C order. */
#ifndef ZARRLITE_CLI_DUMP_H
#define ZARRLITE_CLI_DUMP_H

#include "cli.h"

typedef enum cli_dump_format {
    CLI_FORMAT_RAW,
    CLI_FORMAT_NPY,
    CLI_FORMAT_JSON,
    CLI_FORMAT_TEXT,
    CLI_FORMAT_LINES, /* one element a line, in JSON */
    CLI_FORMAT_UNKNOWN
} cli_dump_format;

cli_dump_format cli_dump_format_named(const char *name);

typedef struct cli_dump {
    const char *region; /* as cli_region_parse reads it; NULL: everything */
    const char *field;  /* of a structure; NULL: whole elements */
    const char *output; /* a file, which is removed again when writing fails; NULL or "-": standard output */
    cli_dump_format format;
} cli_dump;

/* Writes the elements; `path` is the array's name in messages. An exit status. */
int cli_dump_array(const cli *run, zl_array *array, const char *path, const cli_dump *dump);

#endif
