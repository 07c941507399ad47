/* SPDX-License-Identifier: MIT */
/* What every subcommand of the tool shares: its description, the state of one run, and exit statuses. */
#ifndef ZARRLITE_CLI_CLI_H
#define ZARRLITE_CLI_CLI_H

#include "args.h"
#include "zarrlite/zarrlite.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The most dimensions the library handles. */
#define CLI_MAX_RANK 32

/* Working memory for the blocks in which large arrays are streamed. */
#define CLI_BLOCK_SIZE (UINT64_C(128) << 20)

/* State of one run. */
typedef struct cli {
    const char *command; /* "import": stands in messages */
    bool is_program;     /* which is an executable of its own */
    char *const *argv;   /* the command's name and its arguments, as they were given; ends with NULL */
    zl_context *context; /* NULL until cli_start */
    zl_cancel *cancel;   /* cancelled by the first Ctrl-C */
} cli;

/* One subcommand. `options` ends with a row without a name; their values land in a zeroed struct of `options_size` bytes
 * that `run` gets as its last argument. */
typedef struct cli_command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *usage;   /* what follows the name on the usage line; further lines are further forms */
    const char *details; /* paragraphs of help, or NULL */
    const cli_option *options;
    size_t options_size;
    int positional_min;
    int positional_max;
    int (*run)(cli *run, const cli_args *args, const void *options);
    bool is_program; /* an executable of its own, not a command of zarrlite */
} cli_command;

/* Parses the arguments behind the command's name (argv[0] is the name), runs the command, ends the run and checks that
 * everything printed was written. Returns an exit status. Answers --help. */
int cli_run(const cli_command *command, int argc, char **argv);

/* Prints the help of a command. */
void cli_print_help(const cli_command *command);

/* Makes the context of the run [0 threads: one per CPU] and catches Ctrl-C. */
int cli_start(cli *run, int threads);
/* The same with a bound for the library's working memory, in bytes. */
int cli_start_bounded(cli *run, int threads, uint64_t memory_limit);

/* True after the first Ctrl-C; the second one ends the process. */
bool cli_interrupted(void);

#endif
