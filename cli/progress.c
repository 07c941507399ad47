/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include "output.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_CELLS 24

double cli_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cli_progress_start(cli_progress *progress, const char *label, uint64_t total, bool wanted) {
    const bool active = wanted && isatty(STDERR_FILENO);
    *progress = (cli_progress){active, active && cli_is_utf8(), label, total, cli_now(), 0};
}

static void print_bar(const cli_progress *progress, double part) {
    const int filled = (int)(part * BAR_CELLS);
    for (int i = 0; i < BAR_CELLS; i++) {
        const char *full = progress->utf8 ? "\xe2\x96\x88" : "#";  /* U+2588 full block */
        const char *empty = progress->utf8 ? "\xe2\x96\x91" : "."; /* U+2591 light shade */
        fputs(i < filled ? full : empty, stderr);
    }
}

static void print_time_left(double seconds) {
    const long left = (long)(seconds + 0.5);
    if (left >= 3600) {
        fprintf(stderr, "%ldh%02ldm left", left / 3600, left / 60 % 60);
    } else {
        fprintf(stderr, "%ld:%02ld left", left / 60, left % 60);
    }
}

void cli_progress_update(cli_progress *progress, uint64_t done) {
    if (!progress->active) return;
    const double now = cli_now();
    if (now - progress->printed < 0.1) return;
    progress->printed = now;
    const double seconds = now - progress->started;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    const double part = progress->total ? (double)done / (double)progress->total : 0;
    fputs("\r\x1b[K", stderr);
    print_bar(progress, part > 1 ? 1 : part);
    fprintf(stderr, " %3d%%  %s of %s", (int)(part * 100), cli_size_text(done).data, cli_size_text(progress->total).data);
    fprintf(stderr, "  %s/s  ", cli_size_text((uint64_t)rate).data);
    if (rate > 0 && done <= progress->total) print_time_left((double)(progress->total - done) / rate);
    fprintf(stderr, "  %.24s", progress->label);
    fflush(stderr);
}

void cli_progress_clear(cli_progress *progress) {
    if (progress->active && progress->printed > 0) fputs("\r\x1b[K", stderr);
    progress->active = false;
}
