/* SPDX-License-Identifier: MIT */
/* The tests that every writable store passes. */
#ifndef STORE_SUITE_H
#define STORE_SUITE_H

#include "store/store.h"
#include "zt.h"

typedef struct store_fixture store_fixture;
struct store_fixture {
    const char *name;
    const zl_store_class *cls;
    /* Makes an empty store. */
    zl_status (*open)(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err);
    /* After the store was closed, or could not be opened; may be NULL. */
    void (*discard)(const store_fixture *fixture);
    void *user;
};

/* Runs them as a group; the number of failures. */
int store_suite_run(const store_fixture *fixture);

/* An opened store with all that calls need; also for the tests that one store has alone. */
typedef struct store_bench {
    const store_fixture *fixture;
    const zl_store_class *cls;
    void *self;
    zt_memory memory;
    zl_allocator allocator;
    zl_error err;
    zl_store_call call;
} store_bench;
void store_bench_open(store_bench *bench, const store_fixture *fixture);
/* Checks that nothing leaked. */
void store_bench_close(store_bench *bench);

/* An object of that text, and a check that it is one. */
void store_bench_set(store_bench *bench, const char *key, const char *text);
void store_bench_expect(store_bench *bench, const char *key, const char *text);
/* The names below a prefix in order, each with a space behind it, "/" behind prefixes: "a b/ ". NOT_FOUND gives "". */
#define STORE_NAMES_MAX 1024
void store_bench_names(store_bench *bench, const char *prefix, char names[STORE_NAMES_MAX]);

/* A store handle as the context makes it, for the functions of store.h. Lives in *out. */
zl_store *store_bench_handle(store_bench *bench, zl_store *out);

#endif
