/* SPDX-License-Identifier: MIT */
/* Several threads append to one array, while others write, read, resize and refresh. (ctest label: threads) */
#include "zt_api.h"

#include <pthread.h>

#define THREADS 4
#define APPENDS 25
#define WIDTH 3

typedef struct range {
    int64_t start, count;
    int32_t value;
} range;

typedef struct appender {
    pthread_t thread;
    zl_array *array;
    int32_t number;
    range ranges[APPENDS]; /* count 0: failed */
    bool may_fail;
    zl_error err;
} appender;

static void *append_all(void *user) {
    appender *self = user;
    for (int32_t i = 0; i < APPENDS; i++) {
        static const int64_t no_strides[] = {0, 0};
        range *got = &self->ranges[i];
        *got = (range){0, 1 + (self->number + i) % 7, 1 + self->number * APPENDS + i};
        const zl_const_view view = {&got->value, no_strides, NULL};
        const zl_status status = zl_array_append(self->array, 0, got->count, view, NULL, &got->start, &self->err);
        if (status == ZL_OK) continue;
        got->count = 0;
        if (!self->may_fail) break;
    }
    return NULL;
}

static zl_array *create(zt_api *api, const int64_t *shard_shape) {
    static const int64_t shape[] = {0, WIDTH}, chunk_shape[] = {4, 2};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk_shape;
    options.shard_shape = shard_shape;
    options.dtype = ZL_DTYPE_INT32;
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api->store, "a", &options, &api->err), &api->err);
    return array;
}

static void start_all(appender *all, zl_array *const *arrays, bool may_fail) {
    for (int32_t i = 0; i < THREADS; i++) {
        all[i] = (appender){.array = arrays[i], .number = i, .may_fail = may_fail};
        assert_int_equal(pthread_create(&all[i].thread, NULL, append_all, &all[i]), 0);
    }
}

static void join_all(appender *all) {
    for (int32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
}

/* Each range that was given out holds the elements of its thread; no two overlap. Elements of no range may be anything. */
static void check_ranges(zt_api *api, const appender *all, bool without_gaps) {
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api->store, "a", &api->err), &api->err);
    const int64_t rows = zl_array_shape(array)[0];
    int32_t *got = malloc((size_t)zl_array_decoded_size(array) + 1);
    assert_non_null(got);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){.data = got}, NULL, &api->err), &api->err);
    int64_t sum = 0;
    for (int32_t t = 0; t < THREADS; t++) {
        for (int32_t i = 0; i < APPENDS; i++) {
            const range *r = &all[t].ranges[i];
            sum += r->count;
            assert_true(r->start + r->count <= rows);
            for (int64_t k = r->start * WIDTH; k < (r->start + r->count) * WIDTH; k++)
                assert_int_equal(got[k], r->value);
        }
    }
    if (without_gaps) assert_int_equal(rows, sum);
    free(got);
    zl_array_close(array);
}

static void append_together(bool many_handles, const int64_t *shard_shape) {
    appender all[THREADS];
    zl_array *arrays[THREADS];
    zt_memory memory;
    zt_fault_api it;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zt_fault_api_begin(&it, &allocator);
    zl_error *err = &it.api.err;
    arrays[0] = create(&it.api, shard_shape);
    for (int32_t i = 1; i < THREADS; i++) {
        arrays[i] = arrays[0];
        if (many_handles) zt_assert_ok(zl_array_open(&arrays[i], it.api.store, "a", err), err);
    }
    start_all(all, arrays, false);
    join_all(all);
    for (int32_t i = 0; i < THREADS; i++)
        zt_assert_ok(all[i].err.status, &all[i].err);
    check_ranges(&it.api, all, true);
    for (int32_t i = many_handles ? 1 : THREADS; i < THREADS; i++)
        zl_array_close(arrays[i]);
    zl_array_close(arrays[0]);
    zt_api_close(&it.api);
    zt_assert_no_leak(&memory);
}

static void threads_append_through_one_handle(void **state) {
    (void)state;
    append_together(false, NULL);
}

static void threads_append_through_many_handles(void **state) {
    (void)state;
    append_together(true, NULL);
}

static void threads_append_to_shards(void **state) {
    (void)state;
    static const int64_t shard_shape[] = {16, 4};
    append_together(true, shard_shape);
}

/* ---- what others do meanwhile */

typedef struct bystander {
    pthread_t thread;
    zl_array *array;
    atomic_bool stop;
    zl_error err;
} bystander;

static void *read_on(void *user) {
    bystander *self = user;
    int32_t row[WIDTH];
    while (!atomic_load(&self->stop) && self->err.status == ZL_OK) {
        int64_t shape[2];
        zl_array_get_shape(self->array, shape);
        const int64_t start[] = {shape[0] - 1, 0}, count[] = {1, WIDTH};
        const zl_region region = {2, start, count, NULL};
        if (shape[0] > 0 && zl_array_read(self->array, &region, (zl_view){.data = row}, NULL, &self->err) != ZL_OK) break;
        /* What is part of the array is written. */
        if (shape[0] > 0 && row[0] == 0) {
            (void)zl_fail(&self->err, ZL_ERR_INTERNAL, "row %lld is not there yet", (long long)shape[0] - 1);
        }
        if (zl_array_refresh(self->array, &self->err) != ZL_OK) break;
    }
    return NULL;
}

static void readers_see_whole_ranges(void **state) {
    (void)state;
    appender all[THREADS];
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zl_array *array = create(&it.api, NULL), *other;
    zt_assert_ok(zl_array_open(&other, it.api.store, "a", err), err);
    bystander reader = {.array = other};
    assert_int_equal(pthread_create(&reader.thread, NULL, read_on, &reader), 0);
    zl_array *arrays[THREADS] = {array, array, array, array};
    start_all(all, arrays, false);
    join_all(all);
    atomic_store(&reader.stop, true);
    assert_int_equal(pthread_join(reader.thread, NULL), 0);
    zt_assert_ok(reader.err.status, &reader.err);
    check_ranges(&it.api, all, true);
    zl_array_close(other);
    zl_array_close(array);
    zt_api_close(&it.api);
}

static void *set_first_row(void *user) {
    bystander *self = user;
    for (int32_t value = 1; !atomic_load(&self->stop) && self->err.status == ZL_OK; value++) {
        static const int64_t start[] = {0, 0}, count[] = {3, WIDTH}, no_strides[] = {0, 0};
        const zl_region region = {2, start, count, NULL};
        const zl_const_view view = {&value, no_strides, NULL};
        if (zl_array_write(self->array, &region, view, NULL, &self->err) != ZL_OK) break;
    }
    return NULL;
}

/* The first chunk is covered up to the shape that the handle of the writer knows, and has others' elements behind it. */
static void writers_of_the_last_chunk_keep_what_is_appended(void **state) {
    (void)state;
    appender all[THREADS];
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    for (int round = 0; round < 10; round++) {
        static const int64_t three[] = {3, WIDTH};
        zl_array *array = create(&it.api, NULL), *other;
        zt_assert_ok(zl_array_resize(array, three, NULL, err), err);
        zt_assert_ok(zl_array_open(&other, it.api.store, "a", err), err);
        bystander writer = {.array = other};
        assert_int_equal(pthread_create(&writer.thread, NULL, set_first_row, &writer), 0);
        zl_array *arrays[THREADS] = {array, array, array, array};
        start_all(all, arrays, false);
        join_all(all);
        atomic_store(&writer.stop, true);
        assert_int_equal(pthread_join(writer.thread, NULL), 0);
        zt_assert_ok(writer.err.status, &writer.err);
        check_ranges(&it.api, all, false);
        zl_array_close(other);
        zl_array_close(array);
        zt_assert_ok(zl_node_delete(it.api.store, "a", err), err);
    }
    zt_api_close(&it.api);
}

/* Ranges of appends that fail are given back, or have unspecified elements; those of others are whole. */
static void failures_hurt_nobody_else(void **state) {
    (void)state;
    for (uint32_t nth = 1; nth < 60; nth += 7) {
        appender all[THREADS];
        zt_fault_api it;
        zt_fault_api_begin(&it, NULL);
        zl_array *array = create(&it.api, NULL);
        fault_store_arm(&it.fault, FAULT_ANY, nth, FAULT_FAIL, ZL_ERR_IO);
        zl_array *arrays[THREADS] = {array, array, array, array};
        start_all(all, arrays, true);
        join_all(all);
        check_ranges(&it.api, all, false);
        zl_array_close(array);
        zt_api_close(&it.api);
    }
}

static void *resize_on(void *user) {
    bystander *self = user;
    for (int64_t rows = 5; !atomic_load(&self->stop) && self->err.status == ZL_OK; rows = (rows + 3) % 17) {
        const int64_t shape[] = {rows, WIDTH};
        if (zl_array_resize(self->array, shape, NULL, &self->err) != ZL_OK) break;
    }
    return NULL;
}

/* Nothing hangs, and nothing old comes back. */
static void resizing_and_appending_take_turns(void **state) {
    (void)state;
    static const int64_t none[] = {0, WIDTH}, some[] = {64, WIDTH};
    appender all[THREADS];
    int32_t got[64 * WIDTH];
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zl_array *array = create(&it.api, NULL), *other;
    zt_assert_ok(zl_array_open(&other, it.api.store, "a", err), err);
    bystander resizer = {.array = other};
    assert_int_equal(pthread_create(&resizer.thread, NULL, resize_on, &resizer), 0);
    zl_array *arrays[THREADS] = {array, array, array, array};
    start_all(all, arrays, false);
    join_all(all);
    atomic_store(&resizer.stop, true);
    assert_int_equal(pthread_join(resizer.thread, NULL), 0);
    zt_assert_ok(resizer.err.status, &resizer.err);
    for (int32_t i = 0; i < THREADS; i++)
        zt_assert_ok(all[i].err.status, &all[i].err);
    zt_assert_ok(zl_array_resize(array, none, NULL, err), err);
    zl_stored_info info;
    zt_assert_ok(zl_array_stored_info(array, &info, err), err);
    assert_int_equal(info.chunk_count, 0);
    zt_assert_ok(zl_array_resize(array, some, NULL, err), err);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){.data = got}, NULL, err), err);
    for (size_t i = 0; i < ZL_COUNT_OF(got); i++)
        assert_int_equal(got[i], 0);
    zl_array_close(other);
    zl_array_close(array);
    zt_api_close(&it.api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_append_through_one_handle),
        cmocka_unit_test(threads_append_through_many_handles),
        cmocka_unit_test(threads_append_to_shards),
        cmocka_unit_test(readers_see_whole_ranges),
        cmocka_unit_test(writers_of_the_last_chunk_keep_what_is_appended),
        cmocka_unit_test(failures_hurt_nobody_else),
        cmocka_unit_test(resizing_and_appending_take_turns),
    };
    return cmocka_run_group_tests_name("api_append", tests, NULL, NULL);
}
