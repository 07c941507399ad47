/* SPDX-License-Identifier: MIT */
/*
 * Regions of chunks whose codec names the bytes of a box (zfp of a fixed rate): the same elements as in a whole read, and
 * no more bytes than there is reason for.
 */
#include "fault_store.h"
#include "zt.h"

#include "store/store.h"

#if ZL_HAVE_ZFP

#define EXTENT 64
#define COUNT (EXTENT * EXTENT * EXTENT)
#define ZFP_EXPERT                                                                                                        \
    "{\"name\":\"zfp\",\"configuration\":{\"mode\":\"expert\",\"minbits\":999,\"maxbits\":999,\"maxprec\":64,\"minexp\":" \
    "-1075}}"
#define RATE16 "{\"name\":\"zfp\",\"configuration\":{\"mode\":\"fixed_rate\",\"rate\":16}}"

/* A store in memory that counts the bytes it gives. */
typedef struct counting_store {
    fault_store fault;
    zl_status (*get)(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call);
    uint64_t bytes;
    size_t requests, most_requests;
} counting_store;

static zl_status counting_get(void *self, const char *key, zl_request *requests, size_t count,
                              const zl_condition *condition, zl_object_info *info, const zl_store_call *call) {
    counting_store *counting = self;
    const zl_status status = counting->get(self, key, requests, count, condition, info, call);
    counting->requests += count;
    if (count > counting->most_requests) counting->most_requests = count;
    for (size_t i = 0; status == ZL_OK && i < count; i++)
        counting->bytes += requests[i].bytes.size;
    return status;
}

typedef struct fixture {
    counting_store counting;
    zl_context *context;
    zl_store *store;
    zl_array *array;
    zl_error err;
    float *whole;
} fixture;

static void open_fixture(fixture *f, const char *codecs, uint32_t without_caps) {
    *f = (fixture){0};
    void *self;
    char json[1024];
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    zt_assert_ok(zl_context_new(&f->context, &options, &f->err), &f->err);
    zt_assert_ok(zl_store_memory_new(&self, &zl_default_allocator, &f->err), &f->err);
    fault_store_init(&f->counting.fault, &zl_store_memory, self);
    f->counting.get = f->counting.fault.cls.get;
    f->counting.fault.cls.get = counting_get;
    f->counting.fault.cls.caps &= ~without_caps;
    zt_assert_ok(zl_store_new(&f->store, f->context, &f->counting.fault.cls, &f->counting, &f->err), &f->err);
    const int size = snprintf(json, sizeof json,
                              "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[64,64,64],\"data_type\":\"float32\","
                              "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[64,64,64]}},"
                              "\"chunk_key_encoding\":\"default\",\"fill_value\":0,\"codecs\":%s}",
                              codecs);
    zt_assert_ok(zl_array_create_from_metadata(&f->array, f->store, "", ZL_CREATE_NEW, json, (size_t)size, &f->err),
                 &f->err);
    f->whole = malloc(COUNT * sizeof(float));
    assert_non_null(f->whole);
    for (size_t i = 0; i < COUNT; i++)
        f->whole[i] = (float)(i % EXTENT * 3 + i / EXTENT % EXTENT * 2 + i / (EXTENT * EXTENT)) / 7;
    const int64_t start[3] = {0}, shape[3] = {EXTENT, EXTENT, EXTENT};
    const zl_region all = {.rank = 3, .start = start, .shape = shape};
    zt_assert_ok(zl_array_write(f->array, &all, (zl_const_view){.data = f->whole}, NULL, &f->err), &f->err);
    zt_assert_ok(zl_array_read(f->array, &all, (zl_view){.data = f->whole}, NULL, &f->err), &f->err);
}

static void close_fixture(fixture *f) {
    zl_array_close(f->array);
    zt_assert_ok(zl_store_close(f->store, &f->err), &f->err);
    zl_context_free(f->context);
    free(f->whole);
}

/* Reads a region and compares it with the whole; the bytes that the store gave. */
static uint64_t check_region(fixture *f, const int64_t *start, const int64_t *shape, bool skip_checksums) {
    float *part = malloc((size_t)(shape[0] * shape[1] * shape[2]) * sizeof(float));
    assert_non_null(part);
    const zl_region region = {.rank = 3, .start = start, .shape = shape};
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.skip_checksums = skip_checksums;
    f->counting.bytes = f->counting.requests = f->counting.most_requests = 0;
    zt_assert_ok(zl_array_read(f->array, &region, (zl_view){.data = part}, &options, &f->err), &f->err);
    const float *found = part;
    for (int64_t z = 0; z < shape[0]; z++) {
        for (int64_t y = 0; y < shape[1]; y++) {
            const float *expected = f->whole + ((start[0] + z) * EXTENT + start[1] + y) * EXTENT + start[2];
            assert_memory_equal(found, expected, (size_t)shape[2] * sizeof(float));
            found += shape[2];
        }
    }
    free(part);
    return f->counting.bytes;
}

#define STORED (COUNT * 2) /* bytes of the chunk */

static void test_bytes(void **state) {
    (void)state;
    const int64_t start[3] = {8, 16, 24}, shape[3] = {8, 8, 8}, cover[3] = {60, 60, 60}, zero[3] = {0};
    for (int lends = 0; lends < 2; lends++) {
        fixture f;
        open_fixture(&f, "[" RATE16 "]", lends ? 0 : ZL_STORE_LEND);
        /* Two planes of blocks, which are too far apart to be joined: in each 2 rows of 16 blocks of 128 bytes, less what
         * is in front of the first block and behind the last. */
        assert_int_equal(check_region(&f, start, shape, false), 2 * (16 + 2) * 128);
        assert_int_equal(f.counting.requests, 1 + 1);
        /* Most of the chunk: one request for all. */
        assert_int_equal(check_region(&f, zero, cover, false), STORED);
        assert_int_equal(f.counting.requests, 1);
        close_fixture(&f);
    }
}

static void test_without_ranges(void **state) {
    (void)state;
    const int64_t start[3] = {8, 16, 24}, shape[3] = {8, 8, 8}, zero[3] = {0}, all[3] = {EXTENT, EXTENT, EXTENT};
    static const struct {
        const char *codecs;
        uint32_t without_caps;
    } rows[] = {
        {"[" RATE16 "]", ZL_STORE_RANGE},
        {"[" RATE16 ",\"crc32c\"]", 0},
        {"[{\"name\":\"zfp\",\"configuration\":{\"mode\":\"fixed_precision\",\"precision\":12}}]", 0},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(rows); i++) {
        fixture f;
        open_fixture(&f, rows[i].codecs, rows[i].without_caps);
        assert_int_equal(check_region(&f, start, shape, false), check_region(&f, zero, all, false));
        assert_int_equal(f.counting.requests, 1);
        close_fixture(&f);
    }
}

static const char *const chains[] = {
    "[" RATE16 "]",
    "[" RATE16 ",\"crc32c\"]",
    "[{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}}," RATE16 "]",
    "[{\"name\":\"scale_offset\",\"configuration\":{\"offset\":3.0,\"scale\":2.0}}," RATE16 ",\"crc32c\"]",
    "[{\"name\":\"zfp\",\"configuration\":{\"mode\":\"fixed_rate\",\"rate\":2.7}}]",
    "[" ZFP_EXPERT "]",
};

static void test_regions(void **state) {
    (void)state;
    zt_random random = zt_random_seed(7);
    for (size_t chain = 0; chain < ZL_COUNT_OF(chains); chain++) {
        fixture f;
        open_fixture(&f, chains[chain], chain % 2 ? ZL_STORE_LEND : 0);
        for (int i = 0; i < 60; i++) {
            int64_t start[3], shape[3];
            for (int axis = 0; axis < 3; axis++) {
                start[axis] = zt_random_between(&random, 0, EXTENT - 1);
                shape[axis] = zt_random_between(&random, 1, zl_min_i64(EXTENT - start[axis], i % 4 ? 20 : EXTENT));
            }
            check_region(&f, start, shape, true);
        }
        close_fixture(&f);
    }
}

/* Objects of another size than the rate makes, and a store that gives less than it was asked for. */
static void test_damage(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, "[" RATE16 "]", 0);
    const int64_t start[3] = {0, 0, 0}, shape[3] = {4, 4, 4};
    const zl_region region = {.rank = 3, .start = start, .shape = shape};
    float part[64];
    fault_store_arm(&f.counting.fault, FAULT_GET, 1, FAULT_TRUNCATE, ZL_OK);
    zt_assert_fails(zl_array_read(f.array, &region, (zl_view){.data = part}, NULL, &f.err), &f.err, ZL_ERR_IO,
                    "the store gave 64 bytes of 128");
    fault_store_arm(&f.counting.fault, FAULT_ANY, 0, FAULT_FAIL, ZL_OK);
    uint8_t *object = calloc(1, STORED * 2);
    assert_non_null(object);
    zt_assert_ok(zl_store_set_all(f.store, "c/0/0/0", object, STORED * 2, &f.err), &f.err);
    zt_assert_fails(zl_array_read(f.array, &region, (zl_view){.data = part}, NULL, &f.err), &f.err, ZL_ERR_CORRUPT,
                    "zfp: 1048576 bytes are stored, the blocks of the chunk take 524288");
    zt_assert_ok(zl_store_set_all(f.store, "c/0/0/0", object, 10, &f.err), &f.err);
    zt_assert_fails(zl_array_read(f.array, &region, (zl_view){.data = part}, NULL, &f.err), &f.err, ZL_ERR_CORRUPT,
                    "chunk c/0/0/0");
    free(object);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_without_ranges),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0; /* libzfp is not there */
}
#endif
