/* SPDX-License-Identifier: MIT */
/* Messages on stderr, and small pieces of text for people. Numbers never depend on the locale. */
#ifndef ZARRLITE_CLI_OUTPUT_H
#define ZARRLITE_CLI_OUTPUT_H

#include "cli.h"

#if defined(__GNUC__)
#define CLI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define CLI_PRINTF(format_index, first)
#endif

/* "zarrlite: COMMAND: SUBJECT: message" and a hint that fits the status. `subject` may be NULL. Returns CLI_FAILED. */
int cli_fail(const cli *run, const char *subject, const zl_error *err);
/* The same for failures that the tool finds itself. `hint` may be NULL. */
int cli_fail_text(const cli *run, const char *hint, const char *format, ...) CLI_PRINTF(3, 4);
/* Wrong use: points to the command's help. Returns CLI_USAGE. */
int cli_usage(const cli *run, const char *format, ...) CLI_PRINTF(2, 3);
void cli_warn(const cli *run, const char *format, ...) CLI_PRINTF(2, 3);

/* Fills `err` and returns `status`: for callbacks that fail in the library's manner. */
zl_status cli_error(zl_error *err, zl_status status, const char *format, ...) CLI_PRINTF(3, 4);

/* Flushes and closes stdout. False, with a message, when something was not written. */
bool cli_finish_stdout(const cli *run);

typedef struct cli_text {
    char data[48];
} cli_text;

/* "1.5 MiB", "0 B". */
cli_text cli_size_text(uint64_t size);
/* "12.3x" raw to stored, "-" where nothing is stored. */
cli_text cli_ratio_text(uint64_t raw, uint64_t stored);
/* "10x90x180"; "scalar" for rank 0, "-" for NULL. Free with free(). */
char *cli_shape_text(int32_t rank, const int64_t *shape);

/* May box drawing and arrows be printed: is the terminal's character set UTF-8? */
bool cli_is_utf8(void);

#endif
