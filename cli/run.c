/* SPDX-License-Identifier: MIT */
/* Runs one command: arguments, context, Ctrl-C, and the end. All executables use it. */
#include "cli.h"

#include "memory.h"
#include "output.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* A signal handler can only reach objects of static duration. */
static volatile sig_atomic_t interrupted;
static zl_cancel *cancelled_by_signal;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
    if (cancelled_by_signal) zl_cancel_now(cancelled_by_signal);
}

bool cli_interrupted(void) {
    return interrupted != 0;
}

static void on_warning(void *user, const char *message) {
    cli_warn(user, "%s", message);
}

int cli_start(cli *run, int threads) {
    return cli_start_bounded(run, threads, 0);
}

int cli_start_bounded(cli *run, int threads, uint64_t memory_limit) {
    zl_error err = {0};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    options.memory_limit = memory_limit;
#if defined(__GLIBC__)
    if (memory_limit) mallopt(M_MMAP_THRESHOLD, 1 << 20); /* otherwise it keeps blocks of up to 32 MiB that were freed */
#endif
    options.on_warning = on_warning;
    options.warning_user = run;
    if (zl_context_new(&run->context, &options, &err) || zl_cancel_new(&run->cancel, run->context, &err)) {
        return cli_fail(run, NULL, &err);
    }
    cancelled_by_signal = run->cancel;
    struct sigaction action = {0};
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second Ctrl-C ends the process at once */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    return CLI_OK;
}

static void stop(cli *run) {
    signal(SIGINT, SIG_DFL);
    cancelled_by_signal = NULL;
    if (run->cancel) zl_cancel_free(run->cancel);
    zl_context_free(run->context);
}

void cli_print_help(const cli_command *command) {
    const char *line = command->usage;
    for (const char *lead = "Usage:"; *line; lead = "      ") {
        const size_t size = strcspn(line, "\n");
        printf("%s %s%s %.*s\n", lead, command->is_program ? "" : "zarrlite ", command->name, (int)size, line);
        line += size + (line[size] == '\n');
    }
    printf("\n%s.\n", command->summary);
    if (command->details) printf("\n%s\n", command->details);
    printf("\nOptions:\n");
    cli_args_print(command->options);
}

static int parse_and_run(cli *run, const cli_command *command, int argc, char **argv, void *options) {
    cli_args args;
    cli_args_error error;
    switch (cli_args_parse(command->options, argc, argv, options, &args, &error)) {
    case CLI_ARGS_HELP: cli_print_help(command); return CLI_OK;
    case CLI_ARGS_BAD: return cli_usage(run, "%s", error.message);
    case CLI_ARGS_OK: break;
    }
    if (args.count < command->positional_min) return cli_usage(run, "an argument is missing: %s", command->usage);
    if (args.count > command->positional_max) {
        return cli_usage(run, "one argument too many: '%s'", args.positional[command->positional_max]);
    }
    return command->run(run, &args, options);
}

int cli_run(const cli_command *command, int argc, char **argv) {
    cli run = {.command = command->name, .is_program = command->is_program, .argv = argv};
    void *options = cli_calloc(1, command->options_size);
    char **reordered = cli_calloc((size_t)argc + 1, sizeof *reordered);
    memcpy(reordered, argv, (size_t)argc * sizeof *reordered);
    int status = parse_and_run(&run, command, argc, reordered, options);
    cli_args_free(command->options, options);
    free(options);
    free(reordered);
    stop(&run);
    if (!cli_finish_stdout(&run) && status == CLI_OK) status = CLI_FAILED;
    if (interrupted && status != CLI_OK) raise(SIGINT); /* end as the shell expects of an interrupted program */
    return status;
}
