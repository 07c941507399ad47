/* SPDX-License-Identifier: MIT */
/* A progress bar with rate and time left, on a terminal only. */
#ifndef ZARRLITE_CLI_PROGRESS_H
#define ZARRLITE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress {
    bool active;
    bool utf8;
    const char *label; /* borrowed; may change between updates */
    uint64_t total;    /* bytes */
    double started;
    double printed; /* time of the last line */
} cli_progress;

/* Seconds of a clock that never jumps. */
double cli_now(void);

/* `wanted` false (--quiet), or stderr that is no terminal, makes everything below do nothing. */
void cli_progress_start(cli_progress *progress, const char *label, uint64_t total, bool wanted);
/* Draws at most ten times a second. */
void cli_progress_update(cli_progress *progress, uint64_t done);
/* Removes the bar, so that messages and tables stand alone. */
void cli_progress_clear(cli_progress *progress);

#endif
