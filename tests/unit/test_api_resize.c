/* SPDX-License-Identifier: MIT */
/* Arrays that grow and shrink: against a model, when the store fails at any step, and when memory is short. */
#include "zt_api.h"

/* ---- a model: all elements that the array has */

#define SIDE_MAX 16
#define FILL 7

typedef struct model {
    int64_t shape[2];
    int16_t at[SIDE_MAX][SIDE_MAX];
} model;

static void model_resize(model *self, const int64_t *shape) {
    for (int64_t i = 0; i < SIDE_MAX; i++) {
        for (int64_t k = 0; k < SIDE_MAX; k++) {
            const bool kept = i < self->shape[0] && k < self->shape[1] && i < shape[0] && k < shape[1];
            if (!kept) self->at[i][k] = FILL;
        }
    }
    memcpy(self->shape, shape, sizeof self->shape);
}

static void check_equals(const zl_array *array, const model *expected, zl_error *err) {
    int16_t got[SIDE_MAX * SIDE_MAX];
    assert_memory_equal(zl_array_shape(array), expected->shape, sizeof expected->shape);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){.data = got}, NULL, err), err);
    const int16_t *element = got;
    for (int64_t i = 0; i < expected->shape[0]; i++) {
        for (int64_t k = 0; k < expected->shape[1]; k++) {
            assert_int_equal(*element, expected->at[i][k]);
            element++;
        }
    }
}

static void write_random(zl_array *array, model *self, zt_random *random, zl_error *err) {
    int64_t start[2], count[2];
    int16_t values[SIDE_MAX * SIDE_MAX];
    for (int i = 0; i < 2; i++) {
        if (self->shape[i] == 0) return;
        start[i] = (int64_t)zt_random_below(random, (uint64_t)self->shape[i]);
        count[i] = zt_random_between(random, 1, self->shape[i] - start[i]);
    }
    int16_t *element = values;
    for (int64_t i = start[0]; i < start[0] + count[0]; i++) {
        for (int64_t k = start[1]; k < start[1] + count[1]; k++) {
            *element = (int16_t)zt_random_between(random, 0, 1000);
            self->at[i][k] = *element++;
        }
    }
    const zl_region region = {2, start, count, NULL};
    zt_assert_ok(zl_array_write(array, &region, (zl_const_view){.data = values}, NULL, err), err);
}

static const int64_t small_shape[] = {10, 12}, chunk_shape[] = {4, 5}, shard_shape[] = {8, 5};

static zl_array *create(zt_api *api, const zl_array_options *changes) {
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    if (changes != NULL) options = *changes;
    options.rank = 2;
    options.shape = small_shape;
    options.chunk_shape = chunk_shape;
    options.dtype = ZL_DTYPE_INT16;
    options.fill_value_json = "7";
    if (options.codecs_json == NULL) options.codecs_json = "[]";
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api->store, "a", &options, &api->err), &api->err);
    return array;
}

static zl_status resize(zl_array *array, int64_t rows, int64_t columns, zl_error *err) {
    const int64_t shape[] = {rows, columns};
    return zl_array_resize(array, shape, NULL, err);
}

/* ---- against the model */

static void resizes_like_the_model(void **state) {
    (void)state;
    static const zl_array_options kinds[] = {
        {.size = sizeof kinds[0]},
        {.size = sizeof kinds[0], .shard_shape = shard_shape},
        {.size = sizeof kinds[0], .codecs_json = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}]"},
        {.size = sizeof kinds[0], .shard_shape = shard_shape, .codecs_json = "[\"crc32c\"]"},
        {.size = sizeof kinds[0], .zarr_format = 2},
    };
    for (size_t kind = 0; kind < ZL_COUNT_OF(kinds); kind++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        zt_random random = zt_random_seed(kind);
        zl_array *array = create(&api, &kinds[kind]);
        model expected = {{0, 0}, {{0}}};
        model_resize(&expected, small_shape);
        for (int step = 0; step < 60; step++) {
            const int64_t shape[] = {zt_random_between(&random, 0, SIDE_MAX), zt_random_between(&random, 0, SIDE_MAX)};
            write_random(array, &expected, &random, &api.err);
            zt_assert_ok(zl_array_resize(array, shape, NULL, &api.err), &api.err);
            model_resize(&expected, shape);
            check_equals(array, &expected, &api.err);
        }
        zl_array *again;
        zt_assert_ok(zl_array_open(&again, api.store, "a", &api.err), &api.err);
        check_equals(again, &expected, &api.err);
        zl_array_close(again);
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

/* Chunks outside go, those across are stored only as long as they hold something. */
static void leaves_nothing_outside(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, NULL);
    const int16_t one = 1;
    static const int64_t no_strides[] = {0, 0};
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){&one, no_strides, NULL}, NULL, &api.err), &api.err);
    assert_true(zt_api_has(&api, "a/c/2/2"));
    zt_assert_ok(resize(array, 8, 6, &api.err), &api.err);
    assert_true(zt_api_has(&api, "a/c/1/1"));
    assert_false(zt_api_has(&api, "a/c/2/0"));
    assert_false(zt_api_has(&api, "a/c/0/2"));
    zt_assert_ok(resize(array, 0, 6, &api.err), &api.err);
    zl_stored_info info;
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, 0);
    assert_int_equal(info.grid_count, 0);
    zt_api_check_part(&api, "a/zarr.json", "\"shape\": [0, 6]");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void keeps_chunks_when_asked_to(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, NULL);
    model expected = {{0, 0}, {{0}}};
    model_resize(&expected, small_shape);
    zt_random random = zt_random_seed(1);
    write_random(array, &expected, &random, &api.err);
    static const int64_t less[] = {3, 3};
    const zl_resize_options options = {.size = sizeof options, .keep_chunks = true};
    zt_assert_ok(zl_array_resize(array, less, &options, &api.err), &api.err);
    zt_assert_ok(zl_array_resize(array, small_shape, NULL, &api.err), &api.err);
    check_equals(array, &expected, &api.err);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* Far more chunks than objects: those that are stored are listed, and requests follow their number. */
static void shrinks_sparse_arrays(void **state) {
    (void)state;
    static const int64_t many[] = {INT64_C(1) << 40, 1000}, few[] = {INT64_C(1) << 39, 998}, chunk[] = {1, 10};
    static const int64_t one[] = {1, 1};
    static const int64_t places[][2] = {{5, 990}, {5, 999}, {INT64_C(1) << 39, 3}, {(INT64_C(1) << 40) - 1, 999}, {7, 3}};
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = many;
    options.chunk_shape = chunk;
    options.dtype = ZL_DTYPE_UINT8;
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, it.api.store, "a", &options, err), err);
    for (size_t i = 0; i < ZL_COUNT_OF(places); i++) {
        const zl_region region = {2, places[i], one, NULL};
        zt_assert_ok(zl_array_write(array, &region, (zl_const_view){.data = "x"}, NULL, err), err);
    }
    fault_store_arm(&it.fault, FAULT_ANY, 0, FAULT_FAIL, ZL_ERR_IO);
    zt_assert_ok(zl_array_resize(array, few, NULL, err), err);
    assert_true(it.fault.calls < 40);
    zl_stored_info info;
    zt_assert_ok(zl_array_stored_info(array, &info, err), err);
    assert_int_equal(info.chunk_count, 2);
    zt_assert_ok(zl_array_resize(array, many, NULL, err), err);
    static const char expected[] = "x\0\0\0x";
    for (size_t i = 0; i < ZL_COUNT_OF(places); i++) {
        char got;
        const zl_region region = {2, places[i], one, NULL};
        zt_assert_ok(zl_array_read(array, &region, (zl_view){.data = &got}, NULL, err), err);
        assert_int_equal(got, expected[i]);
    }
    zl_array_close(array);
    zt_api_close(&it.api);
}

/* ---- grids with an end */

static zl_array *open_rectilinear(zt_api *api) {
    static const char document[] =
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[7],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":"
        "\"rectilinear\",\"configuration\":{\"chunk_shapes\":[[2,3,5]],\"kind\":\"inline\"}},\"chunk_key_encoding\":"
        "\"default\",\"fill_value\":0,\"codecs\":[\"bytes\"]}";
    zl_array *array;
    zt_api_put(api, "r/zarr.json", document);
    zt_assert_ok(zl_array_open(&array, api->store, "r", &api->err), &api->err);
    return array;
}

/* The text of chunk_shapes in what is stored, without white space. */
static void check_edges(zt_api *api, const char *expected) {
    zl_array *array;
    zl_buffer buffer;
    char text[64];
    size_t size = 0;
    zt_assert_ok(zl_array_open(&array, api->store, "r", &api->err), &api->err);
    zt_assert_ok(zl_array_metadata_json(array, &buffer, &api->err), &api->err);
    const char *at = strstr(buffer.data, "chunk_shapes");
    assert_non_null(at);
    for (at += strlen("chunk_shapes\":"); *at != '"' && size + 1 < sizeof text; at++) {
        if (strchr(" \n", *at) == NULL) text[size++] = *at;
    }
    text[size] = '\0';
    assert_string_equal(text, expected);
    zl_buffer_free(&buffer);
    zl_array_close(array);
}

/* Growing beyond the listed edges can be refused; within them it never is. */
static void keeps_the_grid_where_asked(void **state) {
    (void)state;
    static const int64_t ten = 10, eleven = 11, four = 4, huge = INT64_MAX;
    zl_resize_options options = ZL_RESIZE_OPTIONS_INIT;
    options.grid_growth = ZL_GRID_GROWTH_REFUSED;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_rectilinear(&api);
    zt_assert_fails(zl_array_resize(array, &eleven, &options, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "sum up to 10");
    zt_assert_fails(zl_array_resize(array, &huge, &options, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "sum up to 10");
    zt_assert_ok(zl_array_append(array, 0, 3, (zl_const_view){.data = "123"}, NULL, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_resize(array, &four, &options, &api.err), &api.err);
    zt_assert_ok(zl_array_resize(array, &ten, &options, &api.err), &api.err);
    assert_false(zt_api_has(&api, "r/c/2"));
    check_edges(&api, "[[2,3,5]],");
    options.grid_growth = (zl_grid_growth)2;
    zt_assert_fails(zl_array_resize(array, &ten, &options, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "grid_growth");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void check_bytes(zl_array *array, const char *expected, zl_error *err) {
    char got[32] = "";
    assert_int_equal(zl_array_shape(array)[0], strlen(expected));
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){.data = got}, NULL, err), err);
    assert_string_equal(got, expected);
}

/* The last edge is repeated: for this handle, for others that knew the array before, and in what is stored. */
static void grows_the_grid(void **state) {
    (void)state;
    static const int64_t twelve = 12, four = 4;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_rectilinear(&api), *other, *fresh;
    zt_assert_ok(zl_array_open(&other, api.store, "r", &api.err), &api.err);
    zt_assert_ok(zl_array_resize(array, &four, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){.data = "abcd"}, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_append(array, 0, 7, (zl_const_view){.data = "efghijk"}, NULL, NULL, &api.err), &api.err);
    check_edges(&api, "[[2,3,[5,2]]],");
    zt_assert_ok(zl_array_refresh(other, &api.err), &api.err);
    zt_assert_ok(zl_array_append(other, 0, 5, (zl_const_view){.data = "lmnop"}, NULL, NULL, &api.err), &api.err);
    check_edges(&api, "[[2,3,[5,3]]],");
    check_bytes(other, "abcdefghijklmnop", &api.err);
    zt_api_check_text(&api, "r/c/3", "klmno");
    assert_true(zt_api_has(&api, "r/c/4"));
    zt_assert_ok(zl_array_resize(array, &twelve, NULL, &api.err), &api.err);
    check_edges(&api, "[[2,3,[5,3]]],");
    assert_false(zt_api_has(&api, "r/c/4"));
    check_bytes(array, "abcdefghijkl", &api.err);
    zt_assert_ok(zl_array_open(&fresh, api.store, "r", &api.err), &api.err);
    check_bytes(fresh, "abcdefghijkl", &api.err);
    zl_array_close(fresh);
    zl_array_close(other);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* Who let the grid grow in another way has made another array of it. */
static void notices_other_edges(void **state) {
    (void)state;
    static const int64_t twenty = 20;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_rectilinear(&api), *other;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = 1;
    options.shape = &twenty;
    options.dtype = ZL_DTYPE_UINT8;
    options.codecs_json = "[\"bytes\"]";
    options.chunk_grid_json = "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\","
                              "\"chunk_shapes\":[[2,3,5,[4,3]]]}}";
    zt_assert_ok(zl_array_create(&other, api.store, "r", &options, &api.err), &api.err);
    zt_assert_fails(zl_array_append(array, 0, 1, (zl_const_view){.data = "1"}, NULL, NULL, &api.err), &api.err,
                    ZL_ERR_CONFLICT, "taken");
    zt_assert_fails(zl_array_refresh(array, &api.err), &api.err, ZL_ERR_CONFLICT, "taken");
    zl_array_close(other);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void refuses_bad_shapes(void **state) {
    (void)state;
    static const int64_t huge[] = {INT64_MAX, 3};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, NULL);
    const int16_t value = 1;
    const zl_const_view view = {.data = &value};
    zt_assert_fails(resize(array, 3, -1, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "shape[1] is -1");
    zt_assert_fails(zl_array_resize(array, huge, NULL, &api.err), &api.err, ZL_ERR_LIMIT, "2^63-1");
    zt_assert_fails(zl_array_append(array, 2, 1, view, NULL, NULL, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "axis");
    zt_assert_fails(zl_array_append(array, 0, 0, view, NULL, NULL, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "count");
    zt_assert_fails(zl_array_append(array, 0, INT64_MAX, view, NULL, NULL, &api.err), &api.err, ZL_ERR_LIMIT, "2^63-1");
    assert_memory_equal(zl_array_shape(array), small_shape, sizeof small_shape);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- several handles */

static void handles_learn_by_refresh(void **state) {
    (void)state;
    static const int64_t last[] = {9, 11}, one[] = {1, 1};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, NULL), *other;
    zl_buffer buffer;
    zt_assert_ok(zl_array_open(&other, api.store, "a", &api.err), &api.err);
    zt_assert_ok(resize(array, 6, 12, &api.err), &api.err);
    zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "x", "1", &api.err), &api.err);

    assert_memory_equal(zl_array_shape(other), small_shape, sizeof small_shape);
    const int16_t value = 1;
    const zl_region region = {2, last, one, NULL};
    zt_assert_fails(zl_array_write(other, &region, (zl_const_view){.data = &value}, NULL, &api.err), &api.err,
                    ZL_ERR_CONFLICT, "a/c/2/2: the array was shrunk along axis 0 to 6");
    int16_t rows[2 * 12] = {0};
    zt_assert_fails(zl_array_append(other, 1, 2, (zl_const_view){.data = rows}, NULL, NULL, &api.err), &api.err,
                    ZL_ERR_CONFLICT, "axis 0 has 6 elements now");
    zt_assert_ok(zl_array_refresh(other, &api.err), &api.err);
    int64_t shape[2];
    zl_array_get_shape(other, shape);
    assert_int_equal(shape[0], 6);
    assert_int_equal(zl_array_element_count(other), 72);
    zt_assert_ok(zl_attributes_get_json(zl_array_attributes(other), "x", &buffer, &api.err), &api.err);
    zl_buffer_free(&buffer);
    int64_t start = 0;
    zt_assert_ok(zl_array_append(other, 1, 2, (zl_const_view){.data = rows}, NULL, &start, &api.err), &api.err);
    assert_int_equal(start, 12);

    zl_array_close(array);
    array = NULL;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.codecs_json = "[\"crc32c\"]";
    array = create(&api, &options);
    zt_assert_fails(zl_array_refresh(other, &api.err), &api.err, ZL_ERR_CONFLICT, "another array");
    zt_assert_ok(zl_node_delete(api.store, "a", &api.err), &api.err);
    zt_assert_fails(zl_array_refresh(other, &api.err), &api.err, ZL_ERR_NOT_FOUND, "a: no array here");
    zt_assert_fails(resize(other, 1, 1, &api.err), &api.err, ZL_ERR_NOT_FOUND, "a: no array here");
    zl_array_close(other);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* The text is what is stored, and nothing else in it has changed. */
static void rewrites_only_the_shape(void **state) {
    (void)state;
    static const int64_t three = 3;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "a/zarr.json",
               ZT_ARRAY_WITH(",\"attributes\":{\"n\":1.50,\"nan\":NaN},\"x\":{\"must_understand\":false}"));
    zl_array *array;
    zl_buffer buffer;
    zt_assert_ok(zl_array_open(&array, api.store, "a", &api.err), &api.err);
    const char *name = zl_attributes_name(zl_array_attributes(array), 0);
    zt_assert_ok(zl_array_resize(array, &three, NULL, &api.err), &api.err);
    assert_string_equal(name, "n"); /* what was lent stays */
    zt_assert_ok(zl_array_metadata_json(array, &buffer, &api.err), &api.err);
    zt_api_check_text(&api, "a/zarr.json", buffer.data);
    zl_buffer_free(&buffer);
    zt_api_check_part(&api, "a/zarr.json", "\"n\": 1.50");
    zt_api_check_part(&api, "a/zarr.json", "\"nan\": NaN");
    zt_api_check_part(&api, "a/zarr.json", "\"must_understand\": false");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- appending */

static void appends_along_any_axis(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, NULL);
    model expected = {{0, 0}, {{0}}};
    model_resize(&expected, small_shape);
    zt_random random = zt_random_seed(2);
    for (int step = 0; step < 8; step++) {
        const int32_t axis = step % 2;
        const int64_t count = 1 + (axis == 0 && step % 3 == 0);
        int16_t values[SIDE_MAX * 2];
        int64_t shape[2], start;
        memcpy(shape, expected.shape, sizeof shape);
        const int64_t base = shape[axis];
        shape[axis] += count;
        write_random(array, &expected, &random, &api.err);
        model_resize(&expected, shape);
        int16_t *element = values;
        for (int64_t i = axis == 0 ? base : 0; i < shape[0]; i++) {
            for (int64_t k = axis == 1 ? base : 0; k < shape[1]; k++) {
                *element = (int16_t)zt_random_between(&random, 0, 1000);
                expected.at[i][k] = *element++;
            }
        }
        const zl_const_view view = {.data = values};
        zt_assert_ok(zl_array_append(array, axis, count, view, NULL, &start, &api.err), &api.err);
        assert_int_equal(start, base);
        check_equals(array, &expected, &api.err);
    }
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- when the store fails: what is there afterwards is the old or the new array */

static zl_array *begin_with_ones(zt_fault_api *it) {
    static const int64_t no_strides[] = {0, 0};
    zt_fault_api_begin(it, NULL);
    zl_array *array = create(&it->api, NULL);
    const int16_t one = 1;
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){&one, no_strides, NULL}, NULL, &it->api.err), &it->api.err);
    return array;
}

/* Opens the array anew and checks all elements below `rows` and `columns`. The others are `other` or `or_else`. */
static int64_t check_survivor(zt_fault_api *it, int64_t rows, int64_t columns, int16_t other, int16_t or_else) {
    zl_error *err = &it->api.err;
    zl_array *array;
    fault_store_arm(&it->fault, FAULT_ANY, 0, FAULT_FAIL, ZL_ERR_IO);
    zt_assert_ok(zl_array_open(&array, it->api.store, "a", err), err);
    const int64_t *shape = zl_array_shape(array);
    int16_t *got = malloc((size_t)zl_array_decoded_size(array) + 1);
    assert_non_null(got);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){.data = got}, NULL, err), err);
    for (int64_t i = 0; i < shape[0]; i++) {
        for (int64_t k = 0; k < shape[1]; k++) {
            const int16_t value = got[i * shape[1] + k];
            const bool kept = i < rows && k < columns;
            assert_true(kept ? value == 1 : value == other || value == or_else);
        }
    }
    free(got);
    const int64_t found = shape[0];
    zl_array_close(array);
    return found;
}

static void shrinking_may_fail_anywhere(void **state) {
    (void)state;
    bool done = false;
    for (uint32_t nth = 1; !done; nth++) {
        zt_fault_api it;
        zl_array *array = begin_with_ones(&it);
        fault_store_arm(&it.fault, FAULT_ANY, nth, FAULT_FAIL, ZL_ERR_IO);
        const zl_status status = resize(array, 6, 7, &it.api.err);
        done = status == ZL_OK;
        assert_true(done || status == ZL_ERR_IO);
        const int64_t rows = check_survivor(&it, 6, 7, 1, FILL);
        assert_int_equal(zl_array_shape(array)[0], rows); /* stored even so, where copies of it could not be looked for */
        assert_true(rows == 6 || (rows == 10 && !done));
        /* Again, and then larger: nothing old comes back. */
        zt_assert_ok(resize(array, 6, 7, &it.api.err), &it.api.err);
        zt_assert_ok(resize(array, 20, 20, &it.api.err), &it.api.err);
        assert_int_equal(check_survivor(&it, 6, 7, FILL, FILL), 20);
        zl_array_close(array);
        zt_api_close(&it.api);
    }
}

static void appending_may_fail_anywhere(void **state) {
    (void)state;
    static const int64_t no_strides[] = {0, 0};
    static const fault_kind kinds[] = {FAULT_FAIL, FAULT_FAIL_LATE};
    for (size_t k = 0; k < ZL_COUNT_OF(kinds); k++) {
        bool done = false;
        for (uint32_t nth = 1; !done; nth++) {
            zt_fault_api it;
            zl_array *array = begin_with_ones(&it);
            const int16_t two = 2;
            const zl_const_view view = {&two, no_strides, NULL};
            fault_store_arm(&it.fault, FAULT_ANY, nth, kinds[k], ZL_ERR_IO);
            const zl_status status = zl_array_append(array, 0, 7, view, NULL, NULL, &it.api.err);
            done = status == ZL_OK && it.fault.calls < nth;
            const int64_t rows = check_survivor(&it, 10, 12, 2, FILL);
            if (status == ZL_OK) assert_int_equal(rows, 17);
            if (rows == 17) assert_int_equal(check_survivor(&it, 10, 12, 2, 2), 17);
            if (kinds[k] == FAULT_FAIL && rows == 10) {
                assert_int_equal(zl_array_shape(array)[0], 10);
                /* The failed one has left nothing, and its range is free. */
                zt_assert_ok(resize(array, 17, 12, &it.api.err), &it.api.err);
                assert_int_equal(check_survivor(&it, 10, 12, FILL, FILL), 17);
                zt_assert_ok(resize(array, 10, 12, &it.api.err), &it.api.err);
            }
            int64_t start;
            zt_assert_ok(zl_array_append(array, 0, 7, view, NULL, &start, &it.api.err), &it.api.err);
            assert_int_equal(start, rows);
            zl_array_close(array);
            zt_api_close(&it.api);
        }
    }
}

/* Somebody else has grown the array since the append chose its range: neither writer's shape is lost. */
static void notices_other_writers(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "a/zarr.json", ZT_ARRAY);
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api.store, "a", &api.err), &api.err);
    /* As another process does: the handle hears of it when it appends, not before. */
    static const char grown[] = "[6]";
    char document[sizeof ZT_ARRAY];
    memcpy(document, ZT_ARRAY, sizeof document);
    memcpy(strstr(document, "[4]"), grown, 3);
    zt_api_put(&api, "a/zarr.json", document);
    int64_t start;
    zt_assert_ok(zl_array_append(array, 0, 2, (zl_const_view){.data = "xy"}, NULL, &start, &api.err), &api.err);
    assert_int_equal(start, 6);
    assert_int_equal(zl_array_shape(array)[0], 8);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- out of memory */

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    static const int64_t shape[] = {3, 3}, count[] = {3, 1};
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = small_shape;
    options.chunk_shape = chunk_shape;
    options.dtype = ZL_DTYPE_INT16;
    options.codecs_json = "[]";
    zl_array *array;
    zl_status status = zl_array_create(&array, api.store, "a", &options, &api.err);
    if (status == ZL_OK) {
        static const int64_t no_strides[] = {0, 0};
        static const int16_t one = 1;
        const zl_const_view view = {&one, no_strides, NULL};
        status = zl_array_write(array, NULL, view, NULL, &api.err);
        if (status == ZL_OK) status = zl_array_resize(array, shape, NULL, &api.err);
        if (status == ZL_OK) status = zl_array_append(array, 1, count[1], view, NULL, NULL, &api.err);
        if (status == ZL_OK) status = zl_array_refresh(array, &api.err);
        zl_array_close(array);
    }
    zt_api_close(&api);
    return status;
}

static zl_status rectilinear_scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    static const int64_t six = 6, twelve = 12;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_resize_options refused = ZL_RESIZE_OPTIONS_INIT;
    refused.grid_growth = ZL_GRID_GROWTH_REFUSED;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 1;
    options.shape = &six;
    options.chunk_grid_json = "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[2,4]]}}";
    options.dtype = ZL_DTYPE_UINT8;
    options.codecs_json = "[]";
    zl_array *array;
    zl_status status = zl_array_create(&array, api.store, "a", &options, &api.err);
    if (status == ZL_OK) {
        status = zl_array_resize(array, &six, &refused, &api.err);
        if (status == ZL_OK) status = zl_array_resize(array, &twelve, NULL, &api.err);
        if (status == ZL_OK) status = zl_array_refresh(array, &api.err);
        zl_array_close(array);
    }
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
    zt_run_out_of_memory(rectilinear_scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resizes_like_the_model),      cmocka_unit_test(leaves_nothing_outside),
        cmocka_unit_test(keeps_chunks_when_asked_to),  cmocka_unit_test(shrinks_sparse_arrays),
        cmocka_unit_test(keeps_the_grid_where_asked),  cmocka_unit_test(grows_the_grid),
        cmocka_unit_test(notices_other_edges),         cmocka_unit_test(refuses_bad_shapes),
        cmocka_unit_test(handles_learn_by_refresh),    cmocka_unit_test(rewrites_only_the_shape),
        cmocka_unit_test(appends_along_any_axis),      cmocka_unit_test(shrinking_may_fail_anywhere),
        cmocka_unit_test(appending_may_fail_anywhere), cmocka_unit_test(notices_other_writers),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_resize", tests, NULL, NULL);
}
