/* SPDX-License-Identifier: MIT */
/* What a read asks of the store, how it meets writers, and what it says of damage. */
#include "zt_engine.h"

/* ---- requests */

#define KIB 1024

/* A chunk of 64 KiB in rows of 256 int32. */
static void create_square(zt_engine *engine, const char *codecs) {
    static const int64_t shape[] = {64, 256};
    zt_engine_create(engine, zt_engine_document(2, shape, shape, "\"int32\"", "0", codecs));
    int32_t *values = malloc(64 * KIB);
    assert_non_null(values);
    for (int32_t i = 0; i < 64 * 256; i++)
        values[i] = i;
    zt_assert_ok(zl_array_write(engine->array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &engine->err),
                 &engine->err);
    free(values);
    spy_store_reset(&engine->spy);
}

/* Reads a box of it, and checks the elements. */
static zl_status try_square(zt_engine *engine, const int64_t *start, const int64_t *shape, bool skip_checksums) {
    static int32_t got[64 * 256];
    const zl_region region = {2, start, shape, NULL};
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.skip_checksums = skip_checksums;
    ZL_TRY(zl_array_read(engine->array, &region, (zl_view){got, NULL, NULL}, &options, &engine->err));
    for (int64_t y = 0; y < shape[0]; y++) {
        for (int64_t x = 0; x < shape[1]; x++)
            assert_int_equal(got[y * shape[1] + x], (start[0] + y) * 256 + start[1] + x);
    }
    return ZL_OK;
}

static void check_fetched(zt_engine *engine, int64_t y, int64_t x, int64_t height, int64_t width, unsigned bytes) {
    const int64_t start[] = {y, x}, shape[] = {height, width};
    spy_store_reset(&engine->spy);
    zt_assert_ok(try_square(engine, start, shape, false), &engine->err);
    assert_int_equal(engine->spy.bytes, bytes);
    assert_int_equal(engine->spy.gets, 1);
}

static void raw_elements_are_fetched_alone(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_square(&engine, "[" ZT_BYTES "]");
    check_fetched(&engine, 0, 0, 64, 256, 64 * KIB);
    check_fetched(&engine, 10, 0, 20, 256, 20 * KIB); /* one run */
    check_fetched(&engine, 63, 255, 1, 1, 4);
    check_fetched(&engine, 7, 16, 1, 4, 16);
    check_fetched(&engine, 7, 16, 2, 4, KIB + 16); /* from the first wanted element to the last */
    create_square(&engine, "[" ZT_ROW("add", 5) ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]");
    check_fetched(&engine, 10, 3, 20, 50, 19 * KIB + 200);
    engine.spy.cls.caps &= ~ZL_STORE_RANGE;
    check_fetched(&engine, 7, 16, 1, 4, 64 * KIB);
    zt_engine_end(&engine);
}

static void checksums_need_all_bytes(void **state) {
    (void)state;
    static const int64_t start[] = {20, 0}, shape[] = {2, 256};
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_square(&engine, "[" ZT_BYTES ",\"crc32c\"]");
    check_fetched(&engine, 20, 0, 2, 256, 64 * KIB + 4);
    size_t size;
    uint8_t *stored = spy_store_copy(&engine.spy, "a/c/0/0", &size);
    stored[5] ^= 1; /* not among what is wanted */
    spy_store_put(&engine.spy, "a/c/0/0", stored, size);
    free(stored);
    zt_assert_fails(try_square(&engine, start, shape, false), &engine.err, ZL_ERR_CORRUPT, "chunk a/c/0/0: crc32c: ");
    spy_store_reset(&engine.spy);
    zt_assert_ok(try_square(&engine, start, shape, true), &engine.err);
    assert_int_equal(engine.spy.bytes, 2 * KIB);
    zt_engine_end(&engine);
}

#define SHARD_COUNT 64

/* A shard of 64 inner chunks of 4 KiB, too large to be read whole for a few of them. */
static void create_shard(zt_engine *engine, const char *inner_codecs) {
    char codecs[1024];
    snprintf(codecs, sizeof codecs,
             "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1024],\"codecs\":%s,\"index_codecs\":"
             "[" ZT_BYTES ",\"crc32c\"]}}]",
             inner_codecs);
    zt_engine_line(engine, SHARD_COUNT * 1024, SHARD_COUNT * 1024, "-1", codecs);
    int32_t *values = malloc(SHARD_COUNT * 4 * KIB);
    assert_non_null(values);
    for (int32_t i = 0; i < SHARD_COUNT * 1024; i++)
        values[i] = i;
    zt_engine_write(engine, 0, SHARD_COUNT * 1024, values);
    free(values);
    spy_store_reset(&engine->spy);
}

static void expect_count(zt_engine *engine, int64_t start, int64_t count) {
    int32_t *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (int32_t)(start + i);
    zt_engine_expect(engine, start, count, values);
    free(values);
}

static void an_index_is_read_once(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_shard(&engine, "[" ZT_BYTES "]");
    expect_count(&engine, 5 * 1024 + 1, 3);
    assert_int_equal(engine.spy.gets, 2);
    assert_int_equal(engine.spy.bytes, SHARD_COUNT * 16 + 4 + 4 * KIB);
    spy_store_reset(&engine.spy);
    expect_count(&engine, 9 * 1024 + 1, 3);
    assert_int_equal(engine.spy.gets, 1);
    assert_int_equal(engine.spy.bytes, 4 * KIB);
    assert_int_equal(engine.spy.infos, 0);
    zt_engine_end(&engine);
}

static void neighbours_are_fetched_together(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_shard(&engine, "[" ZT_BYTES ",\"crc32c\"]");
    expect_count(&engine, 5 * 1024 + 1000, 3 * 1024); /* four inner chunks */
    assert_int_equal(engine.spy.gets, 2);
    assert_int_equal(engine.spy.bytes, SHARD_COUNT * 16 + 4 + 4 * (4 * KIB + 4));
    /* So are those with little between them: every second one here. */
    static const int64_t start = 0, count = 5, step = 2048;
    int32_t values[5];
    spy_store_reset(&engine.spy);
    const zl_region region = {1, &start, &count, &step};
    zt_assert_ok(zl_array_read(engine.array, &region, (zl_view){values, NULL, NULL}, NULL, &engine.err), &engine.err);
    for (int i = 0; i < 5; i++)
        assert_int_equal(values[i], i * 2048);
    assert_int_equal(engine.spy.gets, 1);
    assert_int_equal(engine.spy.bytes, 9 * (4 * KIB + 4));
    zt_engine_end(&engine);
}

/* Who reads nearly all of a small shard gets it in one request. */
static void small_shards_are_read_whole(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_shard(&engine, "[" ZT_BYTES "]");
    expect_count(&engine, 1024, (SHARD_COUNT - 1) * 1024);
    assert_int_equal(engine.spy.gets, 1);
    zt_engine_end(&engine);
}

static void missing_chunks_are_filled(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 100, 10, "7", "[" ZT_BYTES "]");
    zt_engine_expect_equal(&engine, 5, 90, 7);
    assert_int_equal(engine.spy.bytes, 0);
    zt_engine_end(&engine);
}

static void shards_may_have_other_axes(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(
        &engine, 100, 40, "0",
        "[\"test.lift\",{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,10],\"codecs\":[" ZT_BYTES
        "],\"index_codecs\":[" ZT_BYTES "]}}]");
    zt_engine_write_all_equal(&engine, 5, 60, 3);
    zt_engine_expect_equal(&engine, 5, 60, 3);
    zt_engine_expect_equal(&engine, 65, 35, 0);
    assert_null(zl_array_inner_chunk_shape(engine.array));
    zt_engine_line(&engine, 100, 40, "0", ZT_SHARD(10, "[\"test.lift\"," ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 5, 60, 3);
    zt_engine_expect_equal(&engine, 5, 60, 3);
    assert_int_equal(zl_array_inner_chunk_shape(engine.array)[0], 10);
    zt_engine_end(&engine);
}

/* ---- writers in between */

/* Inner chunks that an index does not have may have come since the index was read. */
static void missing_parts_are_asked_for(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 64, 64, "0", ZT_SHARD(2, "[" ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 0, 2, 5);
    zt_engine_expect_equal(&engine, 10, 2, 0); /* the index is known now */
    zl_array *other;
    zt_assert_ok(zl_array_open(&other, engine.store, "a", &engine.err), &engine.err);
    zt_assert_ok(zt_engine_try_write(other, 10, 2, (const int32_t[]){8, 8}, 0, &engine.err), &engine.err);
    zl_array_close(other);
    zt_engine_expect_equal(&engine, 10, 2, 8);
    zt_engine_expect_equal(&engine, 0, 2, 5);
    zt_engine_write_all_equal(&engine, 0, 64, 0); /* and none at all */
    zt_engine_expect_equal(&engine, 10, 2, 0);
    zt_engine_expect_equal(&engine, 0, 2, 0);
    zt_engine_end(&engine);
}

/* Puts another version of the shard in place after the next reads of it. */
typedef struct swap {
    uint8_t *version[2];
    size_t size[2];
    int left; /* how often */
    int now;
} swap;

static void swap_after_get(spy_store *spy, spy_moment moment, const char *key) {
    swap *versions = spy->user;
    if (moment != SPY_AFTER_GET || versions->left == 0) return;
    versions->left--;
    versions->now ^= 1;
    spy_store_put(spy, key, versions->version[versions->now], versions->size[versions->now]);
}

/* Two versions of a shard, whose inner chunks lie at other places: all elements are 1000 + k, or 2000 + k. */
static void make_versions(zt_engine *engine, swap *versions) {
    int32_t values[256];
    memset(versions, 0, sizeof *versions);
    zt_engine_line(engine, 256, 256, "0", ZT_SHARD(16, "[" ZT_BYTES "," ZT_GZIP "]"));
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 256; k++)
            values[k] = (v + 1) * 1000 + (v == 0 || k < 100 ? 0 : k * 77777);
        zt_engine_write(engine, 0, 256, values);
        versions->version[v] = spy_store_copy(&engine->spy, "a/c/0", &versions->size[v]);
    }
    versions->now = 1;
    assert_true(versions->size[0] != versions->size[1]);
    zl_array_close(engine->array); /* nothing is cached */
    zt_assert_ok(zl_array_open(&engine->array, engine->store, "a", &engine->err), &engine->err);
}

static void read_while_it_changes(int swaps, uint64_t memory_limit, zl_status expected) {
    zt_engine engine;
    swap versions;
    int32_t got[100];
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2, .memory_limit = memory_limit});
    make_versions(&engine, &versions);
    versions.left = swaps;
    engine.spy.user = &versions;
    engine.spy.hook = swap_after_get;
    const zl_status status = zt_engine_try_read(engine.array, 0, 100, got, NULL, &engine.err);
    engine.spy.hook = NULL;
    assert_int_equal(status, expected);
    if (status == ZL_OK) {
        for (int k = 1; k < 100; k++)
            assert_int_equal(got[k], got[0]);
        assert_true(got[0] == 1000 || got[0] == 2000);
    } else {
        assert_non_null(strstr(engine.err.message, "chunk a/c/0: the shard changed"));
    }
    free(versions.version[0]);
    free(versions.version[1]);
    zt_engine_end(&engine);
}

static void rule_generation(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    for (int swaps = 0; swaps <= 4; swaps++)
        read_while_it_changes(swaps, 0, ZL_OK);
    read_while_it_changes(INT32_MAX, 0, ZL_OK);           /* in the end the shard is read whole, */
    read_while_it_changes(INT32_MAX, 1, ZL_ERR_CONFLICT); /* if there is memory for that */
}

/* A shard that goes away while it is read is a missing one. */
static void erase_after_get(spy_store *spy, spy_moment moment, const char *key) {
    if (moment != SPY_AFTER_GET) return;
    spy->hook = NULL;
    const zl_store_call call = {.size = sizeof call, .allocator = &spy->allocator};
    assert_int_equal(zl_store_memory.erase(spy->inner, key, NULL, &call), ZL_OK);
}

static void a_shard_may_vanish(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 64, 64, "3", ZT_SHARD(2, "[" ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 0, 64, 5);
    engine.spy.hook = erase_after_get;
    zt_engine_expect_equal(&engine, 7, 2, 3);
    zt_engine_end(&engine);
}

/* The object becomes larger between the question how large it is and the get. */
typedef struct growth {
    uint8_t *bytes;
    size_t size;
} growth;

static void grow_after_info(spy_store *spy, spy_moment moment, const char *key) {
    const growth *larger = spy->user;
    if (moment != SPY_AFTER_INFO) return;
    spy->hook = NULL;
    spy_store_put(spy, key, larger->bytes, larger->size);
}

static void rule_ticket_asks(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    zt_engine engine;
    growth larger;
    int32_t values[64];
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 64, 64, "0", "[" ZT_BYTES "," ZT_GZIP "]");
    for (int k = 0; k < 64; k++)
        values[k] = (int32_t)((uint32_t)k * 123456789u);
    zt_engine_write(&engine, 0, 64, values);
    larger.bytes = spy_store_copy(&engine.spy, "a/c/0", &larger.size);
    zt_engine_write_all_equal(&engine, 0, 64, 1);
    engine.spy.user = &larger;
    engine.spy.hook = grow_after_info;
    spy_store_reset(&engine.spy);
    zt_engine_write_all_equal(&engine, 3, 1, -5);
    assert_int_equal(engine.spy.infos, 2);
    values[3] = -5;
    zt_engine_expect(&engine, 0, 64, values);
    free(larger.bytes);
    zt_engine_end(&engine);
}

/* The same for a read of texts, whose encoded size has no bound. */
static void rule_ticket_asks_of_reads(void **state) {
    (void)state;
    static const int64_t four = 4;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    engine.spy.cls.caps &= ~ZL_STORE_LEND; /* bytes are fetched into the job's memory */
    zt_engine_create(&engine, zt_engine_document(1, &four, &four, "\"string\"", "\"\"", "[\"vlen-utf8\"]"));
    const zl_slot long_texts[4] = {{.data = "elephant", .size = 8}, {.data = "hippopotamus", .size = 12}, {0}, {0}};
    const zl_slot short_texts[4] = {{.data = "ant", .size = 3}, {0}, {0}, {0}};
    growth larger;
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){long_texts, NULL, NULL}, NULL, &engine.err),
                 &engine.err);
    larger.bytes = spy_store_copy(&engine.spy, "a/c/0", &larger.size);
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){short_texts, NULL, NULL}, NULL, &engine.err),
                 &engine.err);
    engine.spy.user = &larger;
    engine.spy.hook = grow_after_info;
    zl_slot got[4];
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    zt_assert_ok(zl_result_new(&options.result, engine.context, &engine.err), &engine.err);
    zt_assert_ok(zl_array_read(engine.array, NULL, (zl_view){got, NULL, NULL}, &options, &engine.err), &engine.err);
    assert_int_equal(got[1].size, 12);
    assert_memory_equal(got[1].data, "hippopotamus", 12);
    zl_result_free(options.result);
    free(larger.bytes);
    zt_engine_end(&engine);
}

/* ---- damage */

static void damage(zt_engine *engine, const char *key) {
    size_t size;
    uint8_t *stored = spy_store_copy(&engine->spy, key, &size);
    stored[0] ^= 1;
    spy_store_put(&engine->spy, key, stored, size);
    free(stored);
}

static void the_first_damaged_chunk_is_reported(void **state) {
    (void)state;
    int32_t got[100];
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 100, 10, "0", "[" ZT_BYTES ",\"crc32c\"]");
    zt_engine_write_all_equal(&engine, 0, 100, 4);
    damage(&engine, "a/c/7");
    damage(&engine, "a/c/4");
    zt_assert_fails(zt_engine_try_read(engine.array, 0, 100, got, NULL, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                    "chunk a/c/4: crc32c: ");
    zt_engine_expect_equal(&engine, 50, 20, 4);
    zt_engine_end(&engine);
}

static void sizes_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *codecs;
        size_t size;
        const char *message;
    } cases[] = {
        {"[" ZT_BYTES "]", 39, "the chunk needs 40"},
        {"[" ZT_BYTES "]", 41, "the chunk needs 40"},
        {"[" ZT_BYTES ",\"crc32c\"]", 3, ""},
        {"[" ZT_BYTES ",\"crc32c\"]", 45, "the chunk needs 44"},
        {ZT_SHARD(2, "[" ZT_BYTES "]"), 83, "the shard has 83 bytes, its index alone takes 84"},
        {ZT_SHARD(10, "[" ZT_BYTES "]"), 3, ""},
    };
    static const char zeros[100];
    int32_t got[10];
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_engine_line(&engine, 10, 10, "0", cases[i].codecs);
        spy_store_put(&engine.spy, "a/c/0", zeros, cases[i].size);
        zt_assert_fails(zt_engine_try_read(engine.array, 0, 10, got, NULL, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                        cases[i].message);
        zt_assert_fails(zt_engine_try_read(engine.array, 3, 2, got, NULL, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                        "chunk a/c/0: ");
        assert_non_null(strstr(engine.err.message, cases[i].message));
    }
    zt_engine_end(&engine);
}

static void cancel_before_get(spy_store *spy, spy_moment moment, const char *key) {
    (void)key;
    if (moment == SPY_BEFORE_GET) zl_cancel_now(spy->user);
}

static void a_cancelled_read_says_so(void **state) {
    (void)state;
    int32_t got[100];
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 100, 10, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 100, 4);
    zl_cancel *cancel;
    zt_assert_ok(zl_cancel_new(&cancel, engine.context, &engine.err), &engine.err);
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.cancel = cancel;
    engine.spy.user = cancel;
    engine.spy.hook = cancel_before_get;
    spy_store_reset(&engine.spy);
    zt_assert_fails(zt_engine_try_read(engine.array, 0, 100, got, &options, &engine.err), &engine.err, ZL_ERR_CANCELLED,
                    "cancelled");
    assert_int_equal(engine.spy.gets, 1);
    zl_cancel_reset(cancel);
    engine.spy.hook = NULL;
    zt_assert_ok(zt_engine_try_read(engine.array, 0, 100, got, &options, &engine.err), &engine.err);
    zl_cancel_free(cancel);
    zt_engine_end(&engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_elements_are_fetched_alone),
        cmocka_unit_test(checksums_need_all_bytes),
        cmocka_unit_test(an_index_is_read_once),
        cmocka_unit_test(neighbours_are_fetched_together),
        cmocka_unit_test(small_shards_are_read_whole),
        cmocka_unit_test(missing_chunks_are_filled),
        cmocka_unit_test(shards_may_have_other_axes),
        cmocka_unit_test(missing_parts_are_asked_for),
        cmocka_unit_test(rule_generation),
        cmocka_unit_test(a_shard_may_vanish),
        cmocka_unit_test(rule_ticket_asks),
        cmocka_unit_test(rule_ticket_asks_of_reads),
        cmocka_unit_test(the_first_damaged_chunk_is_reported),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(a_cancelled_read_says_so),
    };
    return cmocka_run_group_tests_name("engine: reading", tests, NULL, NULL);
}
