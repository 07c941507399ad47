/* SPDX-License-Identifier: MIT */
/*
 * The rules of docs/internals/writing.md that one thread can show, each by a test of its name that fails without it.
 */
#include "fault_store.h"
#include "zt_engine.h"

#define DELTA_BYTES "[\"test.delta\"," ZT_BYTES "]"

static void create_float(zt_engine *engine, const char *fill) {
    static const int64_t four = 4;
    zt_engine_create(engine, zt_engine_document(1, &four, &four, "\"float32\"", fill, "[" ZT_BYTES "]"));
}

/* Writes four elements with these bits; is there a chunk then, with the same bits? */
static bool stores_bits(zt_engine *engine, uint32_t bits) {
    const uint32_t all[4] = {bits, bits, bits, bits};
    uint32_t got[4];
    zt_assert_ok(zl_array_write(engine->array, NULL, (zl_const_view){all, NULL, NULL}, NULL, &engine->err), &engine->err);
    zt_assert_ok(zl_array_read(engine->array, NULL, (zl_view){got, NULL, NULL}, NULL, &engine->err), &engine->err);
    assert_memory_equal(got, all, sizeof got);
    return spy_store_has(&engine->spy, "a/c/0");
}

static void rule_bits(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    create_float(&engine, "0.0");
    assert_false(stores_bits(&engine, 0));
    assert_true(stores_bits(&engine, 0x80000000)); /* -0.0 == 0.0, and is another element */
    assert_false(stores_bits(&engine, 0));
    create_float(&engine, "\"0x7fc00001\"");
    assert_false(stores_bits(&engine, 0x7fc00001)); /* NaN != NaN, and is the same element */
    assert_true(stores_bits(&engine, 0x7fc00002));
    zt_engine_end(&engine);
}

static void rule_bits_of_texts(void **state) {
    (void)state;
    static const int64_t two = 2;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_create(&engine, zt_engine_document(1, &two, &two, "\"string\"", "\"ab\"", "[\"vlen-utf8\"]"));
    char first[] = "ab", second[] = "ab"; /* other slots, the same texts */
    const zl_slot texts[2] = {{.data = first, .size = 2}, {.data = second, .size = 2}};
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){texts, NULL, NULL}, NULL, &engine.err), &engine.err);
    assert_false(spy_store_has(&engine.spy, "a/c/0"));
    second[1] = 'c';
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){texts, NULL, NULL}, NULL, &engine.err), &engine.err);
    assert_true(spy_store_has(&engine.spy, "a/c/0"));
    zt_engine_end(&engine);
}

static void rule_closed(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    /* 3 is encoded as 1 and comes back as 4: a chunk of fill values is not the same as no chunk. */
    zt_engine_line(&engine, 4, 4, "3", "[" ZT_ROW("third", 0) "," ZT_BYTES "]");
    zt_engine_expect_equal(&engine, 0, 4, 3);
    zt_engine_write_all_equal(&engine, 0, 4, 3);
    assert_true(spy_store_has(&engine.spy, "a/c/0"));
    zt_engine_expect_equal(&engine, 0, 4, 4);
    /* 1 is encoded as 0 and comes back; so does 2, as 1. */
    zt_engine_line(&engine, 4, 4, "1", "[" ZT_ROW("third", 0) "," ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 4, 2);
    assert_false(spy_store_has(&engine.spy, "a/c/0"));
    zt_engine_expect_equal(&engine, 0, 4, 1);
    /* Inner chunks and shards decide by their own rows. */
    zt_engine_line(&engine, 4, 4, "3", ZT_SHARD(2, "[" ZT_ROW("third", 0) "," ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 0, 2, 3);
    assert_true(spy_store_has(&engine.spy, "a/c/0"));
    zt_engine_expect(&engine, 0, 4, (const int32_t[]){4, 4, 3, 3});
    zt_engine_end(&engine);
}

static void rule_barrier_keeps(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    /* All differences are the fill value, the elements are not. */
    static const int32_t steps[] = {7, 14, 21, 28};
    zt_engine_line(&engine, 4, 4, "7", DELTA_BYTES);
    zt_engine_write(&engine, 0, 4, steps);
    zt_engine_expect(&engine, 0, 4, steps);
    assert_true(spy_store_has(&engine.spy, "a/c/0"));
    /* All elements are the fill value, the differences are not. */
    zt_engine_write_all_equal(&engine, 0, 4, 7);
    assert_false(spy_store_has(&engine.spy, "a/c/0"));
    /* An inner chunk that starts with the fill value cannot be absent from a sequence of bytes. */
    zt_engine_line(&engine, 8, 8, "7", "[\"test.delta\"," ZT_BYTES ",\"crc32c\"]");
    zt_engine_write_all_equal(&engine, 0, 1, 8);
    zt_engine_expect(&engine, 0, 8, (const int32_t[]){8, 7, 7, 7, 7, 7, 7, 7});
    zt_engine_end(&engine);
}

static void rule_end_level(void **state) {
    (void)state;
    static const int32_t values[] = {10, 11, 12, 13, 14, 15, 16, 17};
    static const char *const chains[] = {
        "[" ZT_ROW("drift", 0) "," ZT_BYTES "]", "[" ZT_ROW("drift", 0) ",\"test.delta\"," ZT_BYTES "]",
        "[" ZT_ROW("drift", 0) "," ZT_BYTES ",\"crc32c\"]", ZT_SHARD(8, "[" ZT_ROW("drift", 0) "," ZT_BYTES "]")};
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        int32_t before[8], after[8];
        zt_engine_line(&engine, 8, 8, "0", chains[i]);
        zt_engine_write(&engine, 0, 8, values);
        zt_engine_read(&engine, 0, 8, before);
        for (int n = 0; n < 5; n++)
            zt_engine_write_all_equal(&engine, 3, 2, 100);
        zt_engine_read(&engine, 0, 8, after);
        for (int k = 0; k < 8; k++)
            assert_int_equal(after[k], k == 3 || k == 4 ? 99 : before[k]);
    }
    zt_engine_end(&engine);
}

/* An element that nobody writes is not encoded again, so it cannot be refused. */
static void rule_end_level_refuses_nothing(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    zt_engine_write(&engine, 0, 4, (const int32_t[]){1, 2, 3, 4});
    size_t size;
    uint8_t *stored = spy_store_copy(&engine.spy, "a/c/0", &size);
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_ROW("picky", 3) "," ZT_BYTES "]");
    spy_store_put(&engine.spy, "a/c/0", stored, size);
    free(stored);
    zt_engine_write_all_equal(&engine, 0, 1, 9);
    zt_engine_expect(&engine, 0, 2, (const int32_t[]){9, 2});
    int32_t one;
    zt_assert_fails(zt_engine_try_read(engine.array, 2, 1, &one, NULL, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                    "chunk a/c/0: element (2): test.picky refuses 3");
    zt_assert_fails(zt_engine_try_write(engine.array, 1, 1, (const int32_t[]){3}, 0, &engine.err), &engine.err,
                    ZL_ERR_INVALID_ARGUMENT, "chunk a/c/0: element (1): test.picky refuses 3");
    zt_engine_end(&engine);
}

/* What another process, which grows the array, has put beyond the edge this one knows. */
static void grow_and_back(zt_engine *engine, int64_t shape, const char *codecs) {
    zt_engine_line(engine, 8, 8, "0", codecs);
    zt_engine_write(engine, 0, 8, (const int32_t[]){1, 2, 3, 4, 5, 6, 7, 8});
    static const int64_t eight = 8;
    const char *small = zt_engine_document(1, &shape, &eight, "\"int32\"", "0", codecs);
    zl_array_close(engine->array);
    engine->array = NULL;
    spy_store_put(&engine->spy, "a/zarr.json", small, strlen(small));
    zt_assert_ok(zl_array_open(&engine->array, engine->store, "a", &engine->err), &engine->err);
}

static void expect_grown(zt_engine *engine, const char *codecs, const int32_t *values) {
    static const int64_t eight = 8;
    const char *large = zt_engine_document(1, &eight, &eight, "\"int32\"", "0", codecs);
    zl_array_close(engine->array);
    engine->array = NULL;
    spy_store_put(&engine->spy, "a/zarr.json", large, strlen(large));
    zt_assert_ok(zl_array_open(&engine->array, engine->store, "a", &engine->err), &engine->err);
    zt_engine_expect(engine, 0, 8, values);
}

static const char *const plain_and_sharded[] = {"[" ZT_BYTES "]", ZT_SHARD(4, "[" ZT_BYTES "]"),
                                                ZT_SHARD(2, "[" ZT_BYTES ",\"crc32c\"]")};

static void rule_edge(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    for (size_t i = 0; i < ZL_COUNT_OF(plain_and_sharded); i++) {
        const char *codecs = plain_and_sharded[i];
        grow_and_back(&engine, 5, codecs);
        zt_engine_write_all_equal(&engine, 1, 3, 9);
        expect_grown(&engine, codecs, (const int32_t[]){1, 9, 9, 9, 5, 6, 7, 8});
    }
    zt_engine_end(&engine);
}

static void rule_foreign_edge(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = ZT_MEMORY_CAPS | ZL_STORE_SHARED});
    for (size_t i = 0; i < ZL_COUNT_OF(plain_and_sharded); i++) {
        const char *codecs = plain_and_sharded[i];
        grow_and_back(&engine, 5, codecs);
        zt_engine_write_all_equal(&engine, 0, 5, 9); /* all that this process knows of */
        expect_grown(&engine, codecs, (const int32_t[]){9, 9, 9, 9, 9, 6, 7, 8});
    }
    /* A chunk without padding is covered all the same, and is not read. */
    zt_engine_line(&engine, 8, 8, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 8, 1);
    assert_int_equal(engine.spy.gets + engine.spy.infos, 0);
    zt_engine_end(&engine);
}

/* In a store of one process a chunk that is covered up to the edge is not read. */
static void covered_chunks_are_not_read(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 5, 4, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 5, 1);
    assert_int_equal(engine.spy.gets + engine.spy.infos, 0);
    assert_int_equal(engine.spy.sets, 2);
    zt_engine_end(&engine);
}

/* An edge chunk that is damaged keeps nobody from replacing all of it that counts. */
static void a_covering_write_repairs(void **state) {
    (void)state;
    static const char torn[] = "torn";
    static const int32_t threads[] = {1, 3};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = ZT_MEMORY_CAPS | ZL_STORE_SHARED, .threads = 3});
    for (size_t i = 0; i < ZL_COUNT_OF(plain_and_sharded) * ZL_COUNT_OF(threads); i++) {
        zt_engine_line(&engine, 5, 8, "0", plain_and_sharded[i / ZL_COUNT_OF(threads)]);
        spy_store_put(&engine.spy, "a/c/0", torn, sizeof torn);
        static const int32_t values[] = {1, 2, 3, 4, 5};
        const int32_t n = threads[i % ZL_COUNT_OF(threads)];
        zt_assert_fails(zt_engine_try_write(engine.array, 0, 4, values, n, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                        "chunk a/c/0: ");
        zt_assert_ok(zt_engine_try_write(engine.array, 0, 5, values, n, &engine.err), &engine.err);
        zt_engine_expect(&engine, 0, 5, values);
    }
    zt_engine_end(&engine);
}

/* The same where only the inner chunk at the edge is damaged. */
static void a_covering_write_repairs_inner_chunks(void **state) {
    (void)state;
    static const int32_t values[] = {1, 2, 3, 4, 5};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = ZT_MEMORY_CAPS | ZL_STORE_SHARED, .threads = 3});
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        zt_engine_line(&engine, 5, 8, "0", ZT_SHARD(2, "[" ZT_BYTES ",\"crc32c\"]"));
        zt_engine_write(&engine, 0, 5, values);
        size_t size;
        uint8_t *stored = spy_store_copy(&engine.spy, "a/c/0", &size);
        stored[2 * 12] ^= 1; /* the third inner chunk: each has 8 bytes and a checksum */
        spy_store_put(&engine.spy, "a/c/0", stored, size);
        free(stored);
        zt_assert_fails(zt_engine_try_write(engine.array, 4, 1, values, threads, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                        "chunk a/c/0: inner chunk 2: ");
        zt_assert_ok(zt_engine_try_write(engine.array, 0, 5, values, threads, &engine.err), &engine.err);
        zt_engine_expect(&engine, 0, 5, values);
    }
    zt_engine_end(&engine);
}

#define CAS (ZT_MEMORY_CAPS | ZL_STORE_CONDITIONAL)

/* Another writer, just before this one's erase or set. */
static void overtake(spy_store *spy, spy_moment moment, const char *key) {
    if (moment != SPY_BEFORE_SET && moment != SPY_BEFORE_ERASE) return;
    spy->hook = NULL;
    spy_store_put(spy, key, spy->user, 4 * sizeof(int32_t));
}

static void rule_cas_erase(void **state) {
    (void)state;
    int32_t others[] = {0, 0, 0, 7};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = CAS});
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 1, 5);
    engine.spy.user = others;
    engine.spy.hook = overtake;
    zt_engine_write_all_equal(&engine, 0, 1, 0); /* only fill values are left, but for what the other has written */
    zt_engine_expect(&engine, 0, 4, others);
    zt_engine_write_all_equal(&engine, 3, 1, 0);
    assert_true(spy_store_has(&engine.spy, "a/c/0")); /* stored as fill values */
    zt_engine_write_all_equal(&engine, 0, 4, 0);
    assert_false(spy_store_has(&engine.spy, "a/c/0")); /* covered: nothing of the others would be kept anyway */
    /* A shard keeps its index. */
    zt_engine_line(&engine, 4, 4, "0", ZT_SHARD(2, "[" ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 0, 1, 5);
    zt_engine_write_all_equal(&engine, 0, 1, 0);
    size_t size;
    free(spy_store_copy(&engine.spy, "a/c/0", &size));
    assert_int_equal(size, 2 * 16 + 4);
    zt_engine_end(&engine);
}

static void erase_under_condition(void **state) {
    (void)state;
    int32_t others[] = {0, 0, 0, 7};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = CAS | ZL_STORE_CONDITIONAL_ERASE});
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 1, 5);
    engine.spy.user = others;
    engine.spy.hook = overtake;
    zt_engine_write_all_equal(&engine, 0, 1, 0);
    zt_engine_expect(&engine, 0, 4, others);
    zt_engine_write_all_equal(&engine, 3, 1, 0);
    assert_false(spy_store_has(&engine.spy, "a/c/0"));
    zt_engine_end(&engine);
}

static void set_under_condition(void **state) {
    (void)state;
    int32_t others[] = {1, 2, 3, 4};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = CAS});
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    engine.spy.user = others;
    engine.spy.hook = overtake; /* "absent" is a generation of its own */
    zt_engine_write_all_equal(&engine, 0, 1, 9);
    zt_engine_expect(&engine, 0, 4, (const int32_t[]){9, 2, 3, 4});
    assert_int_equal(engine.spy.sets, 2);
    zt_engine_end(&engine);
}

/* Others change the object each time; somebody has to give up. */
static void always_overtake(spy_store *spy, spy_moment moment, const char *key) {
    int32_t *elements = spy->user;
    if (moment != SPY_BEFORE_SET) return;
    elements[3]++;
    spy_store_put(spy, key, elements, 4 * sizeof *elements);
}

static void conflicts_end(void **state) {
    (void)state;
    int32_t others[] = {1, 2, 3, 4};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = CAS});
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    engine.spy.user = others;
    engine.spy.hook = always_overtake;
    zt_assert_fails(zt_engine_try_write(engine.array, 0, 1, others, 0, &engine.err), &engine.err, ZL_ERR_CONFLICT,
                    "chunk a/c/0: changed by other writers");
    engine.spy.hook = NULL;
    zt_engine_expect(&engine, 0, 4, others);
    zt_engine_end(&engine);
}

/* A repair must not undo that of another writer. */
static void repairs_are_conditional(void **state) {
    (void)state;
    int32_t others[] = {1, 2, 3, 4};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.caps = CAS | ZL_STORE_SHARED});
    zt_engine_line(&engine, 3, 4, "0", "[" ZT_BYTES "]");
    spy_store_put(&engine.spy, "a/c/0", "torn", 4);
    engine.spy.user = others;
    engine.spy.hook = overtake;
    zt_engine_write_all_equal(&engine, 0, 3, 9);
    size_t size;
    uint8_t *stored = spy_store_copy(&engine.spy, "a/c/0", &size);
    assert_memory_equal(stored, ((const int32_t[]){9, 9, 9, 4}), size);
    free(stored);
    zt_engine_end(&engine);
}

static void rule_drain(void **state) {
    (void)state;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zl_error err = {0};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = &allocator;
    options.threads = 1;
    zl_context *context;
    zl_store *store;
    zl_array *array;
    void *inner;
    fault_store fault;
    zt_assert_ok(zl_context_new(&context, &options, &err), &err);
    zt_assert_ok(zl_store_memory_new(&inner, &allocator, &err), &err);
    fault_store_init(&fault, &zl_store_memory, inner);
    zt_assert_ok(zl_store_new(&store, context, &fault.cls, &fault, &err), &err);
    static const int64_t shape = 20, chunk = 2;
    const char *document = zt_engine_document(1, &shape, &chunk, "\"int32\"", "0", "[" ZT_BYTES "]");
    zt_assert_ok(zl_array_create_from_metadata(&array, store, "a", ZL_CREATE_NEW, document, strlen(document), &err), &err);
    const int32_t ones[20] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    fault_store_arm(&fault, FAULT_SET | FAULT_ERASE, 4, FAULT_FAIL, ZL_ERR_IO);
    zt_assert_fails(zt_engine_try_write(array, 0, 20, ones, 0, &err), &err, ZL_ERR_IO,
                    "chunk a/c/3: injected failure: set");
    assert_int_equal(fault.calls, 4); /* none after the one that failed */
    zl_array_close(array);
    zt_assert_ok(zl_store_close(store, &err), &err);
    zl_context_free(context);
    zt_assert_no_leak(&memory);
}

/* A shard with a part that failed is not stored with a hole. */
static void rule_drain_of_parts(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    int32_t values[64];
    for (int k = 0; k < 64; k++)
        values[k] = k;
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        zt_engine_line(&engine, 64, 64, "-1", ZT_SHARD(2, "[" ZT_ROW("picky", 41) "," ZT_BYTES "]"));
        zt_assert_fails(zt_engine_try_write(engine.array, 0, 64, values, threads, &engine.err), &engine.err,
                        ZL_ERR_INVALID_ARGUMENT, "chunk a/c/0: inner chunk 20: element (41): test.picky refuses 41");
        assert_int_equal(engine.spy.sets, 0);
        assert_false(spy_store_has(&engine.spy, "a/c/0"));
    }
    zt_engine_end(&engine);
}

static void keep_fill(void **state) {
    (void)state;
    static const char *const chains[] = {"[" ZT_BYTES "]", DELTA_BYTES, ZT_SHARD(2, "[" ZT_BYTES "]")};
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.keep_fill = true;
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        zt_engine_line(&engine, 4, 4, "6", chains[i]);
        const int32_t six = 6;
        const int64_t stride = 0;
        const zl_const_view view = {&six, &stride, NULL};
        zt_assert_ok(zl_array_write(engine.array, NULL, view, &options, &engine.err), &engine.err);
        size_t size;
        free(spy_store_copy(&engine.spy, "a/c/0", &size));
        assert_int_equal(size, i < 2 ? 16 : 16 + 36);
        zt_engine_write_all_equal(&engine, 0, 4, 6);
        assert_false(spy_store_has(&engine.spy, "a/c/0"));
    }
    zt_engine_end(&engine);
}

/* A missing inner chunk that nobody touches stays missing, also where writing its fill value would change it. */
static void untouched_parts_stay_missing(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 6, 6, "3", ZT_SHARD(2, "[" ZT_ROW("third", 0) "," ZT_BYTES "]"));
    zt_engine_write_all_equal(&engine, 0, 1, 30);
    zt_engine_write_all_equal(&engine, 4, 2, 60);
    zt_engine_expect(&engine, 0, 6, (const int32_t[]){31, 4, 3, 3, 61, 61});
    size_t size;
    free(spy_store_copy(&engine.spy, "a/c/0", &size));
    assert_int_equal(size, 2 * 8 + 3 * 16 + 4);
    zt_engine_end(&engine);
}

/* Parts that share bytes would be stored once each: the object would grow with every write. */
static void overlapping_parts_are_refused(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 6, 6, "0",
                   "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2],\"codecs\":[" ZT_BYTES
                   "],\"index_codecs\":[" ZT_BYTES "]}}]");
    const uint64_t shard[1 + 6] = {0x0000000200000001, 0, 8, 0, 8, UINT64_MAX, UINT64_MAX};
    uint64_t crowded[1 + 6];
    memcpy(crowded, shard, sizeof shard);
    crowded[3] = 0;
    crowded[4] = 56; /* all of the object */
    spy_store_put(&engine.spy, "a/c/0", shard, sizeof shard);
    zt_engine_expect(&engine, 0, 6, (const int32_t[]){1, 2, 1, 2, 0, 0});
    zt_engine_write_all_equal(&engine, 4, 1, 9);
    zt_engine_expect(&engine, 0, 6, (const int32_t[]){1, 2, 1, 2, 9, 0});
    spy_store_put(&engine.spy, "a/c/0", crowded, sizeof crowded);
    zt_assert_fails(zt_engine_try_write(engine.array, 4, 1, (const int32_t[]){9}, 0, &engine.err), &engine.err,
                    ZL_ERR_CORRUPT, "chunk a/c/0: sharding_indexed: inner chunks overlap");
    zt_engine_end(&engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_bits),
        cmocka_unit_test(rule_bits_of_texts),
        cmocka_unit_test(rule_closed),
        cmocka_unit_test(rule_barrier_keeps),
        cmocka_unit_test(rule_end_level),
        cmocka_unit_test(rule_end_level_refuses_nothing),
        cmocka_unit_test(rule_edge),
        cmocka_unit_test(rule_foreign_edge),
        cmocka_unit_test(covered_chunks_are_not_read),
        cmocka_unit_test(a_covering_write_repairs),
        cmocka_unit_test(a_covering_write_repairs_inner_chunks),
        cmocka_unit_test(rule_cas_erase),
        cmocka_unit_test(erase_under_condition),
        cmocka_unit_test(set_under_condition),
        cmocka_unit_test(conflicts_end),
        cmocka_unit_test(repairs_are_conditional),
        cmocka_unit_test(rule_drain),
        cmocka_unit_test(rule_drain_of_parts),
        cmocka_unit_test(keep_fill),
        cmocka_unit_test(untouched_parts_stay_missing),
        cmocka_unit_test(overlapping_parts_are_refused),
    };
    return cmocka_run_group_tests_name("engine: rules of writing", tests, NULL, NULL);
}
