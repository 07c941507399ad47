/* SPDX-License-Identifier: MIT */
/* Memory for the tool itself. When there is none left, nothing sensible can be printed or cleaned up: these end the process
 * with a message and exit status 1. (The library never does that; its failures come back as errors.) */
#ifndef ZARRLITE_CLI_MEMORY_H
#define ZARRLITE_CLI_MEMORY_H

#include <stddef.h>

void *cli_malloc(size_t size); /* size 0 gives a valid pointer */
void *cli_calloc(size_t count, size_t size);
void *cli_realloc(void *old, size_t size);
/* A copy of `size` bytes with a NUL byte behind them. */
char *cli_copy(const char *text, size_t size);
/* Formatted text. Free with free(). */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
char *
cli_format(const char *format, ...);

#endif
