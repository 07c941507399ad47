/* SPDX-License-Identifier: MIT */
/*
 * Which failure is reported when there are many: that of the first refused element in the order of the plan, whatever the
 * number of threads and however they happen to run. ctest label: threads
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zt_engine.h"

#define COUNT 4096
#define REFUSED 13 /* by the codec of these tests */

static const char *const chains[] = {
    "[" ZT_ROW("picky", 13) "," ZT_BYTES "]",
    ZT_SHARD(16, "[" ZT_ROW("picky", 13) "," ZT_BYTES "]"),
    ZT_SHARD(64, ZT_SHARD(8, "[" ZT_ROW("picky", 13) "," ZT_BYTES "]")),
};
static const char *const plain_chains[] = {
    "[" ZT_BYTES "]",
    ZT_SHARD(16, "[" ZT_BYTES "]"),
    ZT_SHARD(64, ZT_SHARD(8, "[" ZT_BYTES "]")),
};

static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Values with refused ones from some place on; returns the first of them. */
static int64_t make_values(int32_t *values, unsigned *random) {
    const int64_t first = next(random) % (COUNT - 1);
    for (int64_t k = 0; k < COUNT; k++)
        values[k] = (int32_t)(100 + k);
    values[first] = REFUSED;
    for (int i = 0; i < 40; i++)
        values[first + next(random) % (unsigned)(COUNT - first)] = REFUSED;
    return first;
}

static void expect_named(const zl_error *err, zl_status status, int64_t element) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "element (%lld): ", (long long)element);
    assert_int_not_equal(status, ZL_OK);
    if (!strstr(err->message, wanted)) fail_msg("expected %s: %s", wanted, err->message);
}

static void the_first_refused_element_is_named_by_writes(void **state) {
    (void)state;
    static int32_t values[COUNT];
    unsigned random = 1;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    for (size_t chain = 0; chain < ZL_COUNT_OF(chains); chain++) {
        for (int64_t chunk = 256; chunk <= COUNT; chunk *= 4) {
            zt_engine_line(&engine, COUNT, chunk, "0", chains[chain]);
            for (int round = 0; round < 12; round++) {
                const int64_t first = make_values(values, &random);
                for (int32_t threads = 1; threads <= 4; threads++) {
                    const zl_status status = zt_engine_try_write(engine.array, 0, COUNT, values, threads, &engine.err);
                    expect_named(&engine.err, status, first);
                }
            }
        }
    }
    zt_engine_end(&engine);
}

/* Lets threads overtake each other. */
static void delay(spy_store *spy, spy_moment moment, const char *key) {
    (void)key;
    if (moment != SPY_AFTER_GET) return;
    atomic_uint *calls = spy->user;
    if (atomic_fetch_add(calls, 1) % 3 == 0) usleep(1000);
}

/* Stores the values, then opens the same objects with another chain. */
static void store_values(zt_engine *engine, int64_t count, int64_t chunk, const char *plain, const int32_t *values,
                         const char *chain) {
    zt_engine_line(engine, count, chunk, "0", plain);
    zt_engine_write(engine, 0, count, values);
    const char *document = zt_engine_document(1, &count, &chunk, "\"int32\"", "0", chain);
    spy_store_put(&engine->spy, "a/zarr.json", document, strlen(document));
    zl_array_close(engine->array);
    zt_assert_ok(zl_array_open(&engine->array, engine->store, "a", &engine->err), &engine->err);
}

static void expect_named_by_reads(zt_engine *engine, int64_t count, int32_t *got, int64_t element) {
    for (int32_t threads = 1; threads <= 4; threads++) {
        zl_read_options options = ZL_READ_OPTIONS_INIT;
        options.threads = threads;
        const zl_status status = zt_engine_try_read(engine->array, 0, count, got, &options, &engine->err);
        expect_named(&engine->err, status, element);
    }
}

static void the_first_refused_element_is_named_by_reads(void **state) {
    (void)state;
    static int32_t values[COUNT], got[COUNT];
    unsigned random = 2;
    atomic_uint calls = 0;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    engine.spy.user = &calls;
    for (size_t chain = 0; chain < ZL_COUNT_OF(chains); chain++) {
        for (int64_t chunk = 256; chunk <= COUNT; chunk *= 4) {
            for (int round = 0; round < 6; round++) {
                const int64_t first = make_values(values, &random);
                store_values(&engine, COUNT, chunk, plain_chains[chain], values, chains[chain]);
                expect_named_by_reads(&engine, COUNT, got, first);
            }
        }
    }
    zt_engine_end(&engine);
}

/* Shards that are too large to be read whole: threads share the groups of their inner chunks. */
static void groups_of_inner_chunks_keep_their_order(void **state) {
    (void)state;
    enum { INNER = 16384, SHARD = 32 * INNER, LARGE = 3 * SHARD };
    static const char plain[] = ZT_SHARD(16384, "[" ZT_BYTES "]");
    static const char picky[] = ZT_SHARD(16384, "[" ZT_ROW("picky", 13) "," ZT_BYTES "]");
    int32_t *values = calloc(LARGE, sizeof *values);
    assert_non_null(values);
    unsigned random = 4;
    atomic_uint calls = 0;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    engine.spy.user = &calls;
    engine.spy.hook = delay;
    for (int round = 0; round < 8; round++) {
        memset(values, 1, LARGE * sizeof *values);
        const int64_t first = next(&random) % (LARGE - 8 * INNER);
        for (int64_t at = first; at < LARGE; at += INNER)
            values[at] = REFUSED;
        store_values(&engine, LARGE, SHARD, plain, values, picky);
        expect_named_by_reads(&engine, LARGE, values, first);
    }
    zt_engine_end(&engine);
    free(values);
}

/* With room for one chunk at a time jobs queue for memory; those in front of the failure keep their place. */
static void memory_does_not_decide(void **state) {
    (void)state;
    static int32_t values[COUNT];
    unsigned random = 3;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4, .memory_limit = 4096});
    zt_engine_line(&engine, COUNT, 256, "0", chains[0]);
    for (int round = 0; round < 50; round++) {
        const int64_t first = make_values(values, &random);
        const zl_status status = zt_engine_try_write(engine.array, 0, COUNT, values, 4, &engine.err);
        expect_named(&engine.err, status, first);
    }
    zt_engine_end(&engine);
}

int main(void) {
    zt_watchdog(120);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_refused_element_is_named_by_writes),
        cmocka_unit_test(the_first_refused_element_is_named_by_reads),
        cmocka_unit_test(groups_of_inner_chunks_keep_their_order),
        cmocka_unit_test(memory_does_not_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
