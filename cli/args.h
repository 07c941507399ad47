/* SPDX-License-Identifier: MIT */
/* Command-line options, described by a table that is also the help. */
#ifndef ZARRLITE_CLI_ARGS_H
#define ZARRLITE_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_option_kind {
    CLI_FLAG, /* bool */
    CLI_TEXT, /* const char *, the last one given */
    CLI_LIST, /* cli_list, every one given */
    CLI_COUNT /* int >= 1 */
} cli_option_kind;

typedef struct cli_option {
    const char *name; /* without dashes */
    char letter;      /* short form, or 0 */
    cli_option_kind kind;
    size_t offset;     /* of the member that takes the value */
    const char *value; /* placeholder in the help, NULL for flags */
    const char *help;
} cli_option;

#define CLI_OPTIONS_END \
    { NULL, 0, CLI_FLAG, 0, NULL, NULL }

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

typedef struct cli_args {
    char **positional; /* a part of argv, reordered */
    int count;
} cli_args;

typedef struct cli_args_error {
    char message[256];
} cli_args_error;

typedef enum cli_args_result { CLI_ARGS_OK, CLI_ARGS_HELP, CLI_ARGS_BAD } cli_args_result;

/* Reads argv[1..argc-1] into `values` (zeroed) and `args`. Options may stand anywhere; "--" ends them; "-" is no option. */
cli_args_result cli_args_parse(const cli_option *options, int argc, char **argv, void *values, cli_args *args,
                               cli_args_error *error);
/* Frees the lists in `values`. */
void cli_args_free(const cli_option *options, void *values);
/* Prints one line for each option to stdout. */
void cli_args_print(const cli_option *options);

#endif
