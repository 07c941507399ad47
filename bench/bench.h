/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark programs share: clock, memory, and the rule by which a job is repeated. bench/peer_turns.py has the
 * same rule. A failure ends the program.
 */
#ifndef ZL_BENCH_H
#define ZL_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <zarrlite/zarrlite.h>

static inline void check(zl_status status, const zl_error *err) {
    if (status == ZL_OK) return;
    fprintf(stderr, "bench: %s\n", err->message);
    exit(1);
}

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory for a large result, in huge pages where the system has them, as NumPy asks for them too. */
static inline void *large(size_t size) {
    void *memory = NULL;
    if (posix_memalign(&memory, 1 << 21, size) != 0) exit(1);
#ifdef MADV_HUGEPAGE
    madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

/* The most memory this program had, in MiB. What getrusage tells includes the program that started this one. */
static inline long peak_mib(void) {
    struct rusage usage;
    long kib = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && kib == 0 && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0) kib = strtol(line + 6, NULL, 10);
    if (status) fclose(status);
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0) kib = usage.ru_maxrss;
    return kib / 1024;
}

/* A context of as many threads as ZL_BENCH_THREADS says. */
static inline zl_context *new_context(void) {
    zl_error err = {0};
    zl_context *context = NULL;
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    if (getenv("ZL_BENCH_THREADS")) options.threads = atoi(getenv("ZL_BENCH_THREADS"));
    check(zl_context_new(&context, &options, &err), &err);
    return context;
}

/* Turns of one job go on until they took `limit` seconds together. A first one below half a second only warms up. */
typedef struct turns {
    double limit, total, times[64];
    size_t count;
    bool warm;
} turns;

static inline bool turns_wanted(const turns *t) {
    return t->count == 0 || (t->total < t->limit && t->count < sizeof t->times / sizeof t->times[0]);
}

static inline void turns_add(turns *t, double seconds) {
    const bool counts = t->warm || seconds >= 0.5;
    t->warm = true;
    if (!counts) return;
    t->times[t->count++] = seconds;
    t->total += seconds;
}

static inline int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static inline double turns_median(turns *t) {
    qsort(t->times, t->count, sizeof t->times[0], compare_times);
    return t->times[t->count / 2];
}

#endif
