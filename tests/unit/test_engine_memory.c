/* SPDX-License-Identifier: MIT */
/* Reads and writes that run out of memory at every point, and how much memory they take. ctest label: threads */
#include "zt_engine.h"

/* ---- running out of memory */

#define COUNT 24 /* elements, in three chunks of 8 */
#define CHUNK 8

typedef struct scenario {
    bool texts;
    const char *codecs;
    int32_t threads;
} scenario;

/* Numbers as elements of the array: themselves, or as texts. */
static zl_status put(zt_engine *engine, const scenario *s, int64_t start, int64_t count, int32_t first) {
    int32_t numbers[COUNT];
    char texts[COUNT][16];
    zl_slot slots[COUNT];
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = first + (int32_t)i;
        const int size = snprintf(texts[i], sizeof texts[i], "%d", (int)numbers[i]);
        slots[i] = (zl_slot){.data = texts[i], .size = (uint64_t)size};
    }
    const zl_region region = {1, &start, &count, NULL};
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.threads = s->threads;
    const zl_const_view view = {s->texts ? (const void *)slots : numbers, NULL, NULL};
    return zl_array_write(engine->array, &region, view, &options, &engine->err);
}

static zl_status get(zt_engine *engine, const scenario *s, int32_t *numbers) {
    zl_slot slots[COUNT];
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.threads = s->threads;
    if (s->texts) ZL_TRY(zl_result_new(&options.result, engine->context, &engine->err));
    const zl_view view = {s->texts ? (void *)slots : numbers, NULL, NULL};
    const zl_status status = zl_array_read(engine->array, NULL, view, &options, &engine->err);
    for (int i = 0; status == ZL_OK && s->texts && i < COUNT; i++) {
        char text[16] = "";
        assert_in_range(slots[i].size, 0, sizeof text - 1);
        if (slots[i].size > 0) memcpy(text, slots[i].data, (size_t)slots[i].size);
        numbers[i] = atoi(text);
    }
    zl_result_free(options.result);
    return status;
}

/* What element `at` is before anything is written, after the first write, after the second. */
static int32_t expected(int write, int64_t at) {
    if (write == 2 && at >= 3) return 500 + (int32_t)at;
    return write == 0 ? 0 : 100 + (int32_t)at;
}

/* Each chunk is as it was before a write or as it is after it. */
static void check_chunks(zt_engine *engine, const scenario *s, int before, int after) {
    int32_t numbers[COUNT];
    zt_assert_ok(get(engine, s, numbers), &engine->err);
    for (int64_t chunk = 0; chunk < COUNT; chunk += CHUNK) {
        const int write = numbers[chunk + CHUNK - 1] == expected(before, chunk + CHUNK - 1) ? before : after;
        for (int64_t at = chunk; at < chunk + CHUNK; at++)
            assert_int_equal(numbers[at], expected(write, at));
    }
}

static zl_status try_all(zt_engine *engine, const scenario *s, size_t fail_at) {
    static const int64_t count = COUNT, chunk = CHUNK;
    ZL_TRY(zt_engine_try_begin(engine, &(zt_engine_options){.threads = s->threads, .fail_at = fail_at}));
    ZL_TRY(zt_engine_try_create(engine, zt_engine_document(1, &count, &chunk, s->texts ? "\"string\"" : "\"int32\"",
                                                           s->texts ? "\"0\"" : "0", s->codecs)));
    int32_t numbers[COUNT];
    int write = 1;
    zl_status status = put(engine, s, 0, COUNT, 100);
    if (status == ZL_OK) {
        write = 2;
        status = put(engine, s, 3, COUNT - 3, 503);
    }
    if (status != ZL_OK)
        check_chunks(engine, s, write - 1, write); /* from now on there is memory */
    else
        status = get(engine, s, numbers);
    return status;
}

static void run_out_of_memory(const scenario *s) {
    bool fails = true;
    for (size_t fail_at = 1; fails; fail_at++) {
        zt_engine engine;
        const zl_status status = try_all(&engine, s, fail_at);
        fails = engine.memory.count >= fail_at;
        /* A worker that gets no memory leaves the work to the others. */
        const bool may_pass = !fails || s->threads > 1;
        if (status != ZL_ERR_NO_MEMORY && !(status == ZL_OK && may_pass))
            fail_msg("allocation %zu failing gave %s: %s", fail_at, zl_status_name(status), engine.err.message);
        if (engine.spy.inner == NULL && engine.store == NULL) {
            zl_context_free(engine.context);
            zt_assert_no_leak(&engine.memory);
        } else {
            zt_engine_end(&engine);
        }
    }
}

#define STREAM "," ZT_GZIP

static void out_of_memory(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    static const char *const codecs[] = {
        "[" ZT_BYTES STREAM "]",
        "[" ZT_ROW("widen", 0) ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\"]",
        "[\"test.delta\"," ZT_BYTES "]",
        ZT_SHARD(2, "[" ZT_BYTES STREAM "]"),
        ZT_SHARD(4, ZT_SHARD(2, "[" ZT_ROW("add", 4) "," ZT_BYTES "]")),
    };
    for (size_t i = 0; i < ZL_COUNT_OF(codecs); i++)
        run_out_of_memory(&(scenario){false, codecs[i], 1});
}

static void out_of_memory_with_texts(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    run_out_of_memory(&(scenario){true, "[\"vlen-utf8\"" STREAM "]", 1});
    run_out_of_memory(&(scenario){true, ZT_SHARD(4, "[\"vlen-utf8\"]"), 1});
}

static void out_of_memory_with_threads(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    zt_watchdog(100);
    run_out_of_memory(&(scenario){false, "[" ZT_BYTES STREAM "]", 3});
    run_out_of_memory(&(scenario){false, ZT_SHARD(2, "[" ZT_BYTES STREAM "]"), 3});
    run_out_of_memory(&(scenario){true, ZT_SHARD(2, "[\"vlen-utf8\"]"), 3});
    zt_watchdog(0);
}

/* ---- how much */

#define MIB ((size_t)1024 * 1024)
#define INNER ((int64_t)MIB / 4) /* elements of an inner chunk: 1 MiB */

/* Elements that a compressor makes a third of. */
static int32_t *make_values(int64_t count) {
    int32_t *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    zt_random random = zt_random_seed(3);
    for (int64_t i = 0; i < count; i++)
        values[i] = (int32_t)(zt_random_next(&random) & 0x3ff);
    return values;
}

typedef struct usage {
    size_t write, read; /* most bytes taken at once */
} usage;

static void begin_measure(zt_engine *engine, const zt_engine_options *options, int64_t count, int64_t chunk,
                          const char *codecs) {
    zt_engine_begin(engine, options);
    engine->spy.cls.caps &= ~ZL_STORE_LEND; /* stored bytes count too; the store's own do not */
    zt_engine_line(engine, count, chunk, "0", codecs);
}

/* Writes in one context, reads in another, that has no memory left from the write. */
static usage measure(int64_t count, int64_t chunk, const char *codecs, int32_t threads, uint64_t memory_limit) {
    const zt_engine_options options = {.threads = threads, .memory_limit = memory_limit};
    zt_engine writing, reading;
    usage result;
    int32_t *values = make_values(count), *got = make_values(count);
    memset(got, 0, (size_t)count * sizeof *got);
    begin_measure(&writing, &options, count, chunk, codecs);
    begin_measure(&reading, &options, count, chunk, codecs);
    zt_engine_write(&writing, 0, count, values);
    for (int64_t i = 0; i < count / chunk; i++) {
        char key[32];
        size_t size;
        snprintf(key, sizeof key, "a/c/%d", (int)i);
        uint8_t *stored = spy_store_copy(&writing.spy, key, &size);
        spy_store_put(&reading.spy, key, stored, size);
        free(stored);
    }
    zt_engine_read(&reading, 0, count, got);
    assert_memory_equal(got, values, (size_t)count * sizeof *got);
    result = (usage){writing.memory.peak, reading.memory.peak};
    free(values);
    free(got);
    zt_engine_end(&writing);
    zt_engine_end(&reading);
    return result;
}

#define INNER_SIZE (INNER * sizeof(int32_t))
#define CHUNK_CODECS "[" ZT_BYTES STREAM "]"
#define SHARD_CODECS ZT_SHARD(262144, CHUNK_CODECS)

/* Each thread holds the stored bytes of what it decodes, and twice the decoded ones at most. */
static void reads_are_bounded(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    for (int32_t threads = 1; threads <= 4; threads++) {
        const size_t most = (size_t)threads * 3 * INNER_SIZE + MIB;
        assert_in_range(measure(16 * INNER, INNER, CHUNK_CODECS, threads, 0).read, 1, most);
        assert_in_range(measure(32 * INNER, 16 * INNER, SHARD_CODECS, threads, 0).read, 1, most);
    }
}

static void the_limit_holds(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    const size_t limit = 4 * INNER_SIZE;
    const usage chunks = measure(16 * INNER, INNER, CHUNK_CODECS, 4, limit);
    assert_in_range(chunks.read, 1, limit + MIB);
    assert_in_range(chunks.write, 1, limit + MIB);
    /* A shard that is written needs room for all of its encoded inner chunks, which it gets, but for no second lane. */
    const usage shards = measure(32 * INNER, 8 * INNER, SHARD_CODECS, 4, limit);
    assert_in_range(shards.read, 1, limit + MIB);
    assert_in_range(shards.write, 1, 10 * INNER_SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(out_of_memory_with_texts),
        cmocka_unit_test(out_of_memory_with_threads),
        cmocka_unit_test(reads_are_bounded),
        cmocka_unit_test(the_limit_holds),
    };
    return cmocka_run_group_tests_name("engine: memory", tests, NULL, NULL);
}
