/* SPDX-License-Identifier: MIT */
/* Shards written piece by piece: what is stored, what is refused, and that nobody sees half of one. ctest label: threads */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zt_engine.h"

#define ROWS 20
#define COLUMNS 24
#define COUNT (ROWS * COLUMNS)

static const char *document(const char *codecs, const char *fill) {
    static const int64_t shape[] = {ROWS, COLUMNS}, chunk[] = {16, 16};
    return zt_engine_document(2, shape, chunk, "\"int32\"", fill, codecs);
}

#define SHARD_2D(before, codecs, more)                                                                      \
    "[" before "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[4,8],\"codecs\":" codecs \
    ",\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"]" more "}}]"
#define FLIPPED SHARD_2D("{\"name\":\"test.flip\",\"configuration\":{}},", "[" ZT_BYTES "]", "")

static void make_values(int32_t *values) {
    for (int k = 0; k < COUNT; k++)
        values[k] = k * 7 + 1;
}

/* Rows `from` to `to` of columns `left` to `right`. */
static zl_status write_piece(zl_shard_writer *writer, const int32_t *values, int64_t from, int64_t to, int64_t left,
                             int64_t right, int32_t threads, zl_error *err) {
    const int64_t start[] = {from, left}, shape[] = {to - from, right - left};
    const int64_t strides[] = {COLUMNS * sizeof *values, sizeof *values};
    const zl_region region = {2, start, shape, NULL};
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.threads = threads;
    return zl_shard_writer_write(writer, &region, (zl_const_view){values + from * COLUMNS + left, strides, NULL}, &options,
                                 err);
}

static void expect_all(zt_engine *engine, const int32_t *values) {
    int32_t got[COUNT];
    zt_assert_ok(zl_array_read(engine->array, NULL, (zl_view){got, NULL, NULL}, NULL, &engine->err), &engine->err);
    assert_memory_equal(got, values, sizeof got);
}

/* All shards in two pieces each, the lower one first. */
static zl_status write_all(zt_engine *engine, const int32_t *values, int32_t threads) {
    for (int64_t y = 0; y < ROWS; y += 16) {
        for (int64_t x = 0; x < COLUMNS; x += 16) {
            const int64_t coords[] = {y / 16, x / 16}, bottom = zl_min_i64(y + 16, ROWS),
                          right = zl_min_i64(x + 16, COLUMNS);
            const int64_t middle = zl_min_i64(y + 8, bottom);
            zl_shard_writer *writer;
            ZL_TRY(zl_shard_writer_new(&writer, engine->array, coords, &engine->err));
            zl_status status = ZL_OK;
            if (middle < bottom) status = write_piece(writer, values, middle, bottom, x, right, threads, &engine->err);
            if (status == ZL_OK) status = write_piece(writer, values, y, middle, x, right, threads, &engine->err);
            if (status == ZL_OK) status = zl_shard_writer_commit(writer, &engine->err);
            zl_shard_writer_free(writer);
            ZL_TRY(status);
        }
    }
    return ZL_OK;
}

static void pieces_become_a_shard(void **state) {
    (void)state;
    static const char *const chains[] = {SHARD_2D("", "[" ZT_BYTES "]", ""), FLIPPED,
                                         SHARD_2D("", "[" ZT_ROW("add", 5) "," ZT_BYTES ",\"crc32c\"]", "")};
    int32_t values[COUNT];
    make_values(values);
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        uint8_t *first = NULL;
        size_t first_size = 0;
        for (int32_t threads = 1; threads <= 4; threads++) {
            zt_engine_create(&engine, document(chains[i], "0"));
            zt_assert_ok(write_all(&engine, values, threads), &engine.err);
            expect_all(&engine, values);
            size_t size;
            uint8_t *stored = spy_store_copy(&engine.spy, "a/c/0/0", &size);
            if (threads > 1) {
                assert_int_equal(size, first_size);
                assert_memory_equal(stored, first, size);
                free(stored);
            } else {
                first = stored;
                first_size = size;
            }
        }
        free(first);
    }
    zt_engine_end(&engine);
}

static void what_is_not_written_is_the_fill_value(void **state) {
    (void)state;
    int32_t values[COUNT], fill[COUNT];
    const int64_t coords[] = {0, 0};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_create(&engine, document(SHARD_2D("", "[" ZT_BYTES "]", ""), "9"));
    make_values(values);
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &engine.err), &engine.err);
    for (int k = 0; k < COUNT; k++)
        fill[k] = k / COLUMNS < 16 && k % COLUMNS < 16 ? 9 : values[k];
    zl_shard_writer *writer;
    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    zt_assert_ok(write_piece(writer, fill, 4, 8, 8, 16, 0, &engine.err), &engine.err);
    expect_all(&engine, values); /* nobody sees it yet */
    zt_assert_ok(zl_shard_writer_commit(writer, &engine.err), &engine.err);
    assert_false(spy_store_has(&engine.spy, "a/c/0/0")); /* nothing but fill values */
    expect_all(&engine, fill);
    zt_assert_fails(zl_shard_writer_commit(writer, &engine.err), &engine.err, ZL_ERR_INVALID_ARGUMENT, "already");
    zl_shard_writer_free(writer);

    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    zt_assert_ok(write_piece(writer, values, 4, 8, 8, 16, 0, &engine.err), &engine.err);
    zt_assert_ok(zl_shard_writer_commit(writer, &engine.err), &engine.err);
    zl_shard_writer_free(writer);
    for (int k = 0; k < COUNT; k++)
        if (k / COLUMNS >= 4 && k / COLUMNS < 8 && k % COLUMNS >= 8 && k % COLUMNS < 16) fill[k] = values[k];
    expect_all(&engine, fill);

    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    zt_assert_ok(write_piece(writer, values, 0, 4, 0, 8, 0, &engine.err), &engine.err);
    zl_shard_writer_free(writer); /* forgotten */
    expect_all(&engine, fill);
    zt_engine_end(&engine);
}

static void pieces_are_checked(void **state) {
    (void)state;
    int32_t values[COUNT];
    const int64_t coords[] = {0, 1}, outside[] = {2, 0};
    zt_engine engine;
    make_values(values);
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_create(&engine, document(SHARD_2D("", "[" ZT_ROW("picky", 13) "," ZT_BYTES "]", ""), "0"));
    zl_error *err = &engine.err;
    zl_shard_writer *writer;
    zt_assert_fails(zl_shard_writer_new(&writer, engine.array, outside, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "coords[0] is 2");
    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, err), err);
    zt_assert_fails(write_piece(writer, values, 0, 4, 8, 16, 0, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "chunk a/c/0/1: elements 8 to 16 along axis 1 are not whole inner chunks of 8 in it");
    zt_assert_fails(write_piece(writer, values, 0, 3, 16, 24, 0, err), err, ZL_ERR_INVALID_ARGUMENT, "elements 0 to 3");
    zt_assert_fails(write_piece(writer, values, 12, 20, 16, 24, 0, err), err, ZL_ERR_INVALID_ARGUMENT, "elements 12 to 20");
    zt_assert_ok(write_piece(writer, values, 0, 8, 16, 24, 0, err), err);
    zt_assert_fails(write_piece(writer, values, 4, 12, 16, 24, 0, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "inner chunk 2 was written already");
    values[9 * COLUMNS + 20] = 13;
    zt_assert_fails(write_piece(writer, values, 8, 16, 16, 24, 0, err), err, ZL_ERR_INVALID_ARGUMENT, "element (9, 20)");
    zt_assert_fails(write_piece(writer, values, 8, 16, 16, 24, 0, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "could not be written");
    zt_assert_fails(zl_shard_writer_commit(writer, err), err, ZL_ERR_INVALID_ARGUMENT, "could not be written");
    zl_shard_writer_free(writer);
    assert_false(spy_store_has(&engine.spy, "a/c/0/1"));
    zt_engine_end(&engine);
}

static void some_chains_are_not_for_pieces(void **state) {
    (void)state;
    static const struct {
        const char *codecs, *reason;
    } cases[] = {
        {"[" ZT_BYTES "]", "not shards"},
        {"[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[4,8],\"codecs\":[" ZT_BYTES
         "],\"index_codecs\":[" ZT_BYTES "]}},\"crc32c\"]",
         "around its shards"},
        {SHARD_2D("", "[" ZT_BYTES "]", ",\"index_location\":\"start\""), "comes first"},
    };
    const int64_t coords[] = {0, 0};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){0});
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_shard_writer *writer;
        zt_engine_create(&engine, document(cases[i].codecs, "0"));
        zt_assert_fails(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err, ZL_ERR_UNSUPPORTED,
                        cases[i].reason);
    }
    zl_shard_writer *writer;
    zt_engine_create(&engine, document(SHARD_2D("", "[" ZT_BYTES "]", ""), "0"));
    engine.spy.cls.put_begin = NULL;
    zt_assert_fails(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err, ZL_ERR_UNSUPPORTED,
                    "no objects in pieces");
    zt_engine_end(&engine);
}

static void a_resize_in_between_is_noticed(void **state) {
    (void)state;
    int32_t values[COUNT];
    const int64_t coords[] = {1, 0}, shape[] = {ROWS + 4, COLUMNS};
    zt_engine engine;
    make_values(values);
    zt_engine_begin(&engine, &(zt_engine_options){0});
    zt_engine_create(&engine, document(SHARD_2D("", "[" ZT_BYTES "]", ""), "0"));
    zl_shard_writer *writer;
    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    zt_assert_ok(write_piece(writer, values, 16, 20, 0, 16, 0, &engine.err), &engine.err);
    zt_assert_ok(zl_array_resize(engine.array, shape, NULL, &engine.err), &engine.err);
    zt_assert_fails(zl_shard_writer_commit(writer, &engine.err), &engine.err, ZL_ERR_CONFLICT, "resized along axis 0");
    zl_shard_writer_free(writer);
    zt_engine_end(&engine);
}

static bool note_stored(void *user, const zl_progress *progress) {
    *(uint64_t *)user = progress->stored_bytes;
    return true;
}

/* Memory is bounded by the piece, not by the shard. */
static void memory_is_that_of_a_piece(void **state) {
    (void)state;
    enum { INNER = 4096, LARGE = 256 * INNER, PIECE = 8 * INNER };
    const int64_t coords[] = {0};
    int32_t *values = calloc(PIECE, sizeof *values);
    assert_non_null(values);
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2, .memory_limit = 1 << 20});
    zt_engine_line(&engine, LARGE, LARGE, "0", ZT_SHARD(4096, "[" ZT_BYTES "]"));
    zl_shard_writer *writer;
    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    const size_t before = engine.memory.peak;
    uint64_t stored = 0;
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.on_progress = note_stored;
    options.progress_user = &stored;
    for (int64_t at = 0; at < LARGE; at += PIECE) {
        const int64_t count = PIECE;
        const zl_region region = {1, &at, &count, NULL};
        for (int k = 0; k < PIECE; k++)
            values[k] = (int32_t)at + k + 1;
        zt_assert_ok(zl_shard_writer_write(writer, &region, (zl_const_view){values, NULL, NULL}, &options, &engine.err),
                     &engine.err);
        assert_int_equal(stored, PIECE * sizeof *values);
    }
    assert_true(engine.memory.peak - before < 1 << 20); /* the store's own memory is not counted */
    zt_assert_ok(zl_shard_writer_commit(writer, &engine.err), &engine.err);
    zl_shard_writer_free(writer);
    const int64_t last = LARGE - 1, one = 1;
    int32_t got;
    zt_assert_ok(zt_engine_try_read(engine.array, last, one, &got, NULL, &engine.err), &engine.err);
    assert_int_equal(got, LARGE);
    zt_engine_end(&engine);
    free(values);
}

/* So is the work: what is looked at has a place in memory. */
static void a_piece_costs_nothing_for_the_rest_of_the_shard(void **state) {
    (void)state;
    enum { COUNT_1D = 1 << 18, PIECE = 16 };
    const int64_t coords[] = {0}, count = PIECE;
    int32_t values[PIECE];
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_line(&engine, COUNT_1D, COUNT_1D, "0", ZT_SHARD(1, "[" ZT_BYTES "]"));
    zl_shard_writer *writer;
    zt_assert_ok(zl_shard_writer_new(&writer, engine.array, coords, &engine.err), &engine.err);
    const size_t before = engine.memory.size;
    engine.memory.peak = before;
    for (int64_t at = 0; at < COUNT_1D; at += COUNT_1D / 4) {
        const zl_region region = {1, &at, &count, NULL};
        for (int k = 0; k < PIECE; k++)
            values[k] = (int32_t)at + k + 1;
        zt_assert_ok(zl_shard_writer_write(writer, &region, (zl_const_view){values, NULL, NULL}, NULL, &engine.err),
                     &engine.err);
    }
    assert_true(engine.memory.peak - before < COUNT_1D); /* not a byte for each inner chunk */
    zt_assert_ok(zl_shard_writer_commit(writer, &engine.err), &engine.err);
    zl_shard_writer_free(writer);
    zt_engine_expect_equal(&engine, COUNT_1D / 4 - 1, 1, 0);
    zt_engine_expect_equal(&engine, 3 * COUNT_1D / 4 + 2, 1, 3 * COUNT_1D / 4 + 3);
    zt_engine_end(&engine);
}

static zl_status everything(size_t fail_at, zl_error *err) {
    int32_t values[COUNT];
    zt_engine engine;
    make_values(values);
    zl_status status = zt_engine_try_begin(&engine, &(zt_engine_options){.threads = 1, .fail_at = fail_at});
    if (status == ZL_OK) status = zt_engine_try_create(&engine, document(SHARD_2D("", "[" ZT_BYTES "]", ""), "0"));
    if (status == ZL_OK) status = write_all(&engine, values, 1);
    *err = engine.err;
    zt_engine_end(&engine);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    zl_error err = {0};
    size_t fail_at = 1;
    while (everything(fail_at, &err) != ZL_OK) {
        assert_int_equal(err.status, ZL_ERR_NO_MEMORY);
        fail_at++;
    }
    assert_true(fail_at > 20);
}

int main(void) {
    zt_watchdog(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_become_a_shard),
        cmocka_unit_test(what_is_not_written_is_the_fill_value),
        cmocka_unit_test(pieces_are_checked),
        cmocka_unit_test(some_chains_are_not_for_pieces),
        cmocka_unit_test(a_resize_in_between_is_noticed),
        cmocka_unit_test(memory_is_that_of_a_piece),
        cmocka_unit_test(a_piece_costs_nothing_for_the_rest_of_the_shard),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
