/* SPDX-License-Identifier: MIT */
/*
 * What every unit test uses: cmocka, an allocator that counts and fails, checks that print a zl_error, folders that go
 * away, and random numbers that repeat.
 */
#ifndef ZT_H
#define ZT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

/* ---- checks of a zl_status; `err` is the zl_error * that was passed to `call` */

/* Succeeds, or prints the error and fails the test. */
#define zt_assert_ok(call, err) zt_check_status((call), ZL_OK, NULL, (err), #call, __FILE__, __LINE__)
/* Fails with exactly that status. `text` is part of the message in *err; NULL: *err is not looked at. */
#define zt_assert_fails(call, err, expected, text) \
    zt_check_status((call), (expected), (text), (err), #call, __FILE__, __LINE__)
void zt_check_status(zl_status status, zl_status expected, const char *text, const zl_error *err, const char *what,
                     const char *file, int line);

/* ---- memory */

/* Blocks have their size checked when they are freed or resized, move on every resize, and start with no zero byte.
 * A wrong size, alignment or pointer aborts: callers may be on any thread. Any number of threads may use one. */
typedef struct zt_memory {
    size_t count;   /* allocations and resizes so far, the failed one too */
    size_t fail_at; /* number of the one that fails; 0 = none */
    size_t blocks;  /* live now */
    size_t size;    /* bytes live now */
    size_t peak;    /* most bytes live at once */
} zt_memory;
/* Counts from zero in `memory` and fails number `fail_at`. */
zl_allocator zt_allocator(zt_memory *memory, size_t fail_at);
#define zt_assert_no_leak(memory) zt_check_leak((memory), __FILE__, __LINE__)
void zt_check_leak(const zt_memory *memory, const char *file, int line);

/* Runs a scenario with allocation 1, 2, 3, ... failing until a run needs fewer. Each run frees all it took; those whose
 * allocation failed return ZL_ERR_NO_MEMORY, the last one ZL_OK. */
typedef zl_status (*zt_scenario_fn)(const zl_allocator *allocator, void *arg);
#define zt_run_out_of_memory(scenario, arg) zt_check_out_of_memory((scenario), (arg), #scenario, __FILE__, __LINE__)
void zt_check_out_of_memory(zt_scenario_fn scenario, void *arg, const char *what, const char *file, int line);

/* ---- folders */

#define ZT_PATH_MAX 256
/* Makes an empty folder of this test's own and writes its path. */
void zt_temp_make(char path[ZT_PATH_MAX]);
/* Removes it with everything in it. */
void zt_temp_remove(const char *path);

/* ---- random numbers: one seed, one sequence, on every machine */

typedef struct zt_random {
    uint64_t state;
} zt_random;
zt_random zt_random_seed(uint64_t seed);
uint64_t zt_random_next(zt_random *random);
/* 0 .. n-1; n > 0. */
uint64_t zt_random_below(zt_random *random, uint64_t n);
/* low .. high, both included. */
int64_t zt_random_between(zt_random *random, int64_t low, int64_t high);
void zt_random_fill(zt_random *random, void *out, size_t size);

#endif
