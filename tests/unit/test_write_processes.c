/* SPDX-License-Identifier: MIT */
/*
 * Several writers of one object in a folder who know nothing of each other: processes, and contexts of one process. Each
 * has elements of its own, writes them again and again, and finds them as it left them. ctest label: threads
 */
#include <stdatomic.h>

#include "base/thread.h"
#include "zt_process.h"

enum { WRITERS = 4, PARTS = 3, PART = 16, LENGTH = WRITERS * PARTS * PART, ROUNDS = 12 };

#define ARRAY_WITH(codecs)                                                                                          \
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[192],\"data_type\":\"uint32\",\"chunk_grid\":{\"name\":" \
    "\"regular\",\"configuration\":{\"chunk_shape\":[192]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"   \
    "\"codecs\":[" codecs "]}"
#define BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
static const char plain_array[] = ARRAY_WITH(BYTES);
static const char sharded_array[] =
    ARRAY_WITH("{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[16],\"codecs\":[" BYTES
               "],\"index_codecs\":[" BYTES ",\"crc32c\"]}}");

/* ---- one writer */

typedef struct desk {
    zl_context *context;
    zl_store *store;
    zl_array *array;
} desk;

static zl_status open_desk(desk *at, const char *path, zl_error *err) {
    const zl_context_options options = {.size = sizeof options, .threads = 1};
    *at = (desk){0};
    ZL_TRY(zl_context_new(&at->context, &options, err));
    ZL_TRY(zl_store_open_file(&at->store, at->context, path, NULL, err));
    return zl_array_open(&at->array, at->store, "", err);
}

static void close_desk(desk *at) {
    zl_array_close(at->array);
    (void)zl_store_close(at->store, NULL);
    zl_context_free(at->context);
}

/* What is written in a round; the last one has no zeros, which take chunks away. */
static uint32_t value_of(int64_t index, int round) {
    return round % 3 == 1 ? 0 : (uint32_t)(index * 100 + round);
}

static zl_status write_part(const desk *at, int64_t part, int round, zl_error *err) {
    const int64_t start = part * PART, shape = PART;
    const zl_region region = {1, &start, &shape, NULL};
    uint32_t values[PART];
    for (int64_t i = 0; i < PART; i++)
        values[i] = value_of(start + i, round);
    return zl_array_write(at->array, &region, (zl_const_view){values, NULL, NULL}, NULL, err);
}

static zl_status check_part(const desk *at, int64_t part, int round, zl_error *err) {
    const int64_t start = part * PART, shape = PART;
    const zl_region region = {1, &start, &shape, NULL};
    uint32_t values[PART];
    ZL_TRY(zl_array_read(at->array, &region, (zl_view){values, NULL, NULL}, NULL, err));
    for (int64_t i = 0; i < PART; i++) {
        if (values[i] == value_of(start + i, round)) continue;
        return zl_fail(err, ZL_ERR_INTERNAL, "round %d: element %d is %u", round, (int)(start + i), (unsigned)values[i]);
    }
    return ZL_OK;
}

static zl_status write_rounds(const desk *at, int number, zl_error *err) {
    for (int round = 0; round < ROUNDS; round++) {
        for (int64_t k = 0; k < PARTS; k++)
            ZL_TRY(write_part(at, k * WRITERS + number, round, err));
        for (int64_t k = 0; k < PARTS; k++)
            ZL_TRY(check_part(at, k * WRITERS + number, round, err));
    }
    return ZL_OK;
}

static bool write_mine(int number, void *path) {
    desk at;
    zl_error err;
    zl_status status = open_desk(&at, path, &err);
    if (status == ZL_OK) status = write_rounds(&at, number, &err);
    close_desk(&at);
    return zt_process_ok(status, "writer", &err);
}

/* ---- attributes: documents that all change */

enum { ATTRIBUTES = 10 };

static const char *attribute_name(char name[32], int number, int k) {
    (void)snprintf(name, 32, "%d of %d", k, number);
    return name;
}

static bool set_attributes(int number, void *path) {
    desk at;
    zl_error err;
    char name[32];
    zl_status status = open_desk(&at, path, &err);
    for (int k = 0; status == ZL_OK && k < ATTRIBUTES; k++)
        status = zl_attributes_set_i64(zl_array_attributes(at.array), attribute_name(name, number, k), k, &err);
    close_desk(&at);
    return zt_process_ok(status, "attributes", &err);
}

/* ---- all of them */

static void begin(char path[ZT_PATH_MAX], const char *metadata) {
    char file[ZT_PATH_MAX + 16];
    zt_temp_make(path);
    (void)snprintf(file, sizeof file, "%s/zarr.json", path);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_true(fputs(metadata, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void end(char path[ZT_PATH_MAX]) {
    desk at;
    zl_error err;
    zt_assert_ok(open_desk(&at, path, &err), &err);
    for (int64_t part = 0; part < LENGTH / PART; part++)
        zt_assert_ok(check_part(&at, part, ROUNDS - 1, &err), &err);
    close_desk(&at);
    zt_temp_remove(path);
}

static void test_processes(void **state) {
    char path[ZT_PATH_MAX];
    begin(path, *state);
    zt_run_processes(WRITERS, write_mine, path);
    end(path);
}

static void test_attributes(void **state) {
    char path[ZT_PATH_MAX], name[32];
    desk at;
    zl_error err;
    begin(path, *state);
    zt_run_processes(WRITERS, set_attributes, path);
    zt_assert_ok(open_desk(&at, path, &err), &err);
    for (int number = 0; number < WRITERS; number++) {
        for (int k = 0; k < ATTRIBUTES; k++) {
            int64_t value = -1;
            zt_assert_ok(
                zl_attributes_get_i64(zl_array_attributes(at.array), attribute_name(name, number, k), &value, &err), &err);
            assert_int_equal(value, k);
        }
    }
    close_desk(&at);
    zt_temp_remove(path);
}

typedef struct crew {
    char path[ZT_PATH_MAX];
    atomic_int number, failures;
} crew;

static void *write_in_thread(void *user) {
    crew *all = user;
    if (!write_mine(atomic_fetch_add(&all->number, 1), all->path)) atomic_fetch_add(&all->failures, 1);
    return NULL;
}

static void test_contexts(void **state) {
    crew all = {.number = 0};
    zl_thread threads[WRITERS];
    zl_error err;
    begin(all.path, *state);
    for (int i = 0; i < WRITERS; i++)
        zt_assert_ok(zl_thread_start(&threads[i], write_in_thread, &all, &err), &err);
    for (int i = 0; i < WRITERS; i++)
        zl_thread_join(threads[i]);
    assert_int_equal(atomic_load(&all.failures), 0);
    end(all.path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"processes, a chunk", test_processes, NULL, NULL, (void *)(uintptr_t)plain_array},
        {"processes, a shard", test_processes, NULL, NULL, (void *)(uintptr_t)sharded_array},
        {"processes, attributes", test_attributes, NULL, NULL, (void *)(uintptr_t)plain_array},
        {"contexts, a chunk", test_contexts, NULL, NULL, (void *)(uintptr_t)plain_array},
        {"contexts, a shard", test_contexts, NULL, NULL, (void *)(uintptr_t)sharded_array},
    };
    return cmocka_run_group_tests_name("write.processes", tests, NULL, NULL);
}
