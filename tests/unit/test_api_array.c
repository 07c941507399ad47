/* SPDX-License-Identifier: MIT */
/* Creating and opening arrays and groups, and what arrays say of themselves. Reads and writes have tests of their own. */
#include "zt_api.h"

#include "fault_store.h"

static const int64_t shape[] = {10, 20}, chunk_shape[] = {5, 10}, shard_shape[] = {10, 20};

static zl_array_options small_array(void) {
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk_shape;
    options.dtype = ZL_DTYPE_FLOAT32;
    options.codecs_json = "[]";
    return options;
}

static void create(zt_api *api, const char *path, zl_create_mode mode) {
    zl_array *array;
    zl_array_options options = small_array();
    options.mode = mode;
    zt_assert_ok(zl_array_create(&array, api->store, path, &options, &api->err), &api->err);
    zl_array_close(array);
}

static void check_refused(zt_api *api, const char *path, const zl_array_options *options, zl_status status,
                          const char *words) {
    zl_array *array = NULL;
    zt_assert_fails(zl_array_create(&array, api->store, path, options, &api->err), &api->err, status, words);
    assert_null(array);
}

/* ---- one array */

static void check_text(zl_status status, zl_buffer *buffer, zl_error *err, const char *expected) {
    zt_assert_ok(status, err);
    assert_string_equal(buffer->data, expected);
    assert_int_equal(buffer->size, strlen(expected));
    zl_buffer_free(buffer);
}

static void tells_what_it_is(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "x"};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = small_array();
    options.dimension_names = names;
    options.fill_value_json = "1.5";
    options.attributes_json = "{\"a\":[1,2]}";
    zl_array *created, *array;
    zt_assert_ok(zl_array_create(&created, api.store, "g/a", &options, &api.err), &api.err);
    zl_array_close(created);
    zt_assert_ok(zl_array_open(&array, api.store, "g/a", &api.err), &api.err);

    assert_string_equal(zl_array_path(array), "g/a");
    assert_int_equal(zl_array_zarr_format(array), 3);
    assert_int_equal(zl_array_rank(array), 2);
    assert_memory_equal(zl_array_shape(array), shape, sizeof shape);
    assert_memory_equal(zl_array_chunk_shape(array), chunk_shape, sizeof chunk_shape);
    assert_null(zl_array_inner_chunk_shape(array));
    assert_ptr_equal(zl_array_dtype(array), zl_dtype_builtin(ZL_DTYPE_FLOAT32));
    assert_null(zl_array_dimension_name(array, 0));
    assert_string_equal(zl_array_dimension_name(array, 1), "x");
    assert_null(zl_array_dimension_name(array, 2));
    assert_null(zl_array_dimension_name(array, -1));
    assert_int_equal(zl_array_element_count(array), 200);
    assert_int_equal(zl_array_decoded_size(array), 800);

    zl_buffer buffer;
    check_text(zl_array_element_json(array, zl_array_fill_value(array), &buffer, &api.err), &buffer, &api.err, "1.5");
    char unaligned[5] = {0};
    const float value = -2;
    memcpy(unaligned + 1, &value, sizeof value);
    check_text(zl_array_element_json(array, unaligned + 1, &buffer, &api.err), &buffer, &api.err, "-2.0");
    check_text(zl_attributes_get_json(zl_array_attributes(array), "a", &buffer, &api.err), &buffer, &api.err, "[1,2]");
    zt_assert_ok(zl_array_metadata_json(array, &buffer, &api.err), &api.err);
    zt_api_check_text(&api, "g/a/zarr.json", buffer.data);
    zl_buffer_free(&buffer);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* A grid of several shapes: of the chunks, or with a chunk shape of the shards. */
static void takes_a_chunk_grid(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = small_array();
    options.chunk_grid_json =
        "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[5,[10,1]],"
        "10]}}";
    zl_array *array;
    int64_t counts[2];
    zt_assert_ok(zl_array_create(&array, api.store, "shards", &options, &api.err), &api.err);
    assert_null(zl_array_chunk_shape(array));
    assert_memory_equal(zl_array_inner_chunk_shape(array), chunk_shape, sizeof chunk_shape);
    zl_array_grid_shape(array, counts);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 2);
    int64_t start[2], extents[2], most[2];
    const int64_t first[] = {0, 0}, last[] = {1, 1}, beyond[] = {1, 2};
    zt_assert_ok(zl_array_chunk_region(array, first, start, extents, &api.err), &api.err);
    assert_true(start[0] == 0 && start[1] == 0 && extents[0] == 5 && extents[1] == 10);
    zt_assert_ok(zl_array_chunk_region(array, last, start, extents, &api.err), &api.err);
    assert_true(start[0] == 5 && start[1] == 10 && extents[0] == shape[0] - 5 && extents[1] == shape[1] - 10);
    zt_assert_fails(zl_array_chunk_region(array, beyond, start, extents, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT,
                    "coords[1] is 2");
    zl_array_largest_chunk_shape(array, most);
    assert_true(most[0] == 10 && most[1] == 10);
    zl_array_close(array);
    options.chunk_shape = NULL;
    zt_assert_ok(zl_array_create(&array, api.store, "chunks", &options, &api.err), &api.err);
    assert_null(zl_array_inner_chunk_shape(array));
    zl_array_close(array);
    options.chunk_shape = shape; /* does not divide the shards */
    check_refused(&api, "odd", &options, ZL_ERR_METADATA, "do not divide the shard of 5");
    options.chunk_shape = NULL;
    options.chunk_grid_json =
        "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[5,4],10]}}";
    check_refused(&api, "short", &options, ZL_ERR_METADATA, "sum up to 9");
    zt_api_end(&api, &memory);
}

static void knows_inner_chunks(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = small_array();
    options.shard_shape = shard_shape;
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api.store, NULL, &options, &api.err), &api.err);
    assert_memory_equal(zl_array_chunk_shape(array), shard_shape, sizeof shard_shape);
    assert_memory_equal(zl_array_inner_chunk_shape(array), chunk_shape, sizeof chunk_shape);
    assert_true(zt_api_has(&api, "zarr.json"));
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void has_one_element_without_dimensions(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.dtype = ZL_DTYPE_INT16;
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api.store, "scalar", &options, &api.err), &api.err);
    assert_int_equal(zl_array_rank(array), 0);
    assert_int_equal(zl_array_element_count(array), 1);
    assert_int_equal(zl_array_decoded_size(array), 2);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void counts_stored_chunks(void **state) {
    (void)state;
    static const char *const objects[] = {"a/c/0/0", "a/c/1/1",       "a/c/2/0",  "a/c/00/0",
                                          "a/c/0",   "a/c/0/0/0/0/0", "a/readme", "b/c/0/0"};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    create(&api, "a", ZL_CREATE_NEW);
    for (size_t i = 0; i < ZL_COUNT_OF(objects); i++) {
        zt_api_put(&api, objects[i], "12345");
    }
    zl_array *array;
    zl_stored_info info;
    zt_assert_ok(zl_array_open(&array, api.store, "a", &api.err), &api.err);
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, 2);
    assert_int_equal(info.grid_count, 4);
    assert_int_equal(info.size, 10);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- opening */

static void opens_only_arrays(void **state) {
    (void)state;
    static const struct {
        const char *path;
        zl_status status;
        const char *words;
    } cases[] = {
        {"g", ZL_ERR_NOT_FOUND, "g: a group, not an array"},
        {"x", ZL_ERR_NOT_FOUND, "x: no array here"},
        {NULL, ZL_ERR_NOT_FOUND, "/: no array here"},
        {"v2", ZL_ERR_METADATA, "v2/.zarray: the member \"shape\" is missing"},
        {"broken", ZL_ERR_METADATA, "broken/zarr.json: line 1"},
        {"g/lzma9", ZL_ERR_UNSUPPORTED, "g/lzma9/zarr.json: /codecs/0"},
        {"endian", ZL_ERR_METADATA, "endian/zarr.json: "},
        {"../secret", ZL_ERR_INVALID_ARGUMENT, "path \"../secret\": "},
    };
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "g/zarr.json", ZT_GROUP);
    zt_api_put(&api, "v2/.zarray", "{}");
    zt_api_put(&api, "broken/zarr.json", "{");
    zt_api_put(&api, "g/lzma9/zarr.json",
               "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":"
               "\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"
               "\"codecs\":[\"lzma9\"]}");
    zt_api_put(&api, "endian/zarr.json",
               "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4],\"data_type\":\"uint16\",\"chunk_grid\":{\"name\":"
               "\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"
               "\"codecs\":[\"bytes\"]}");
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_array *array = NULL;
        zt_assert_fails(zl_array_open(&array, api.store, cases[i].path, &api.err), &api.err, cases[i].status,
                        cases[i].words);
        assert_null(array);
    }
    zt_api_end(&api, &memory);
}

/* ---- creating */

static void creates_groups_above(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    create(&api, "a/b/c", ZL_CREATE_NEW);
    zt_api_check_part(&api, "zarr.json", "\"group\"");
    zt_api_check_part(&api, "a/zarr.json", "\"group\"");
    zt_api_check_part(&api, "a/b/zarr.json", "\"group\"");
    zt_api_check_part(&api, "a/b/c/zarr.json", "\"array\"");

    zt_api_put(&api, "a/zarr.json", ZT_GROUP);
    create(&api, "a/d", ZL_CREATE_NEW);
    zt_api_check_text(&api, "a/zarr.json", ZT_GROUP);
    zt_api_end(&api, &memory);
}

static void keeps_what_is_there(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    const zl_array_options options = small_array();
    zt_api_put(&api, "zarr.json", ZT_GROUP);
    zt_api_put(&api, "a/zarr.json", ZT_ARRAY);
    zt_api_put(&api, "g/zarr.json", ZT_GROUP);
    zt_api_put(&api, "implicit/x/zarr.json", ZT_GROUP);
    zt_api_put(&api, "broken/zarr.json", "{");
    zt_api_put(&api, "v2/.zarray", "{}");
    check_refused(&api, "a", &options, ZL_ERR_EXISTS, "a: there is an array already");
    check_refused(&api, "g", &options, ZL_ERR_EXISTS, "g: there is a group already");
    check_refused(&api, NULL, &options, ZL_ERR_EXISTS, "/: there is a group already");
    check_refused(&api, "implicit", &options, ZL_ERR_EXISTS, "implicit: there is a group");
    check_refused(&api, "broken", &options, ZL_ERR_EXISTS, "broken: there is metadata already");
    check_refused(&api, "v2", &options, ZL_ERR_EXISTS, "v2: there is an array already");
    check_refused(&api, "a/b/c", &options, ZL_ERR_INVALID_ARGUMENT, "there is an array at a");
    check_refused(&api, "v2/b", &options, ZL_ERR_INVALID_ARGUMENT, "there is an array at v2");
    zt_api_check_text(&api, "a/zarr.json", ZT_ARRAY);
    zt_api_check_text(&api, "broken/zarr.json", "{");
    assert_false(zt_api_has(&api, "a/b/zarr.json"));
    zt_api_end(&api, &memory);
}

static void replaces_what_is_there(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "g/zarr.json", ZT_GROUP);
    zt_api_put(&api, "g/x/zarr.json", ZT_GROUP);
    zt_api_put(&api, "g/.zgroup", "{}");
    zt_api_put(&api, "g2/zarr.json", ZT_GROUP);
    create(&api, "g", ZL_CREATE_REPLACE);
    zt_api_check_part(&api, "g/zarr.json", "\"array\"");
    assert_false(zt_api_has(&api, "g/x/zarr.json"));
    assert_false(zt_api_has(&api, "g/.zgroup"));
    assert_true(zt_api_has(&api, "g2/zarr.json"));
    zt_api_end(&api, &memory);
}

/* Nothing is stored before everything is known to be right. */
static void stores_nothing_invalid(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = small_array();
    options.codecs_json = "[\"bytes\"]";
    check_refused(&api, "a/b", &options, ZL_ERR_METADATA, "endian");
    options.codecs_json = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0,0]}}]";
    check_refused(&api, "a/b", &options, ZL_ERR_METADATA, "occurs twice");
    options = small_array();
    options.mode = ZL_CREATE_OPEN;
    check_refused(&api, "a/b", &options, ZL_ERR_INVALID_ARGUMENT, "mode is 2");
    options = small_array();
    options.zarr_format = 4;
    check_refused(&api, "a/b", &options, ZL_ERR_INVALID_ARGUMENT, "zarr_format is 4");
    options = small_array();
    check_refused(&api, "a/../b", &options, ZL_ERR_INVALID_ARGUMENT, "consists of periods");
    options.size = 0;
    check_refused(&api, "a/b", &options, ZL_ERR_INVALID_ARGUMENT, "zl_array_options: size is 0");
    check_refused(&api, "a/b", NULL, ZL_ERR_INVALID_ARGUMENT, "dtype");
    zt_api_check_empty(&api);
    zt_api_end(&api, &memory);
}

static void stores_a_document_as_given(void **state) {
    (void)state;
    static const char text[] = ZT_ARRAY_WITH(" ,\n \"attributes\" : {\"n\":1e999}");
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = NULL;
    zt_assert_ok(zl_array_create_from_metadata(&array, api.store, "a", ZL_CREATE_NEW, text, sizeof text - 1, &api.err),
                 &api.err);
    zt_api_check_text(&api, "a/zarr.json", text);
    zl_array_close(array);
    array = NULL;
    zt_assert_fails(
        zl_array_create_from_metadata(&array, api.store, "b", ZL_CREATE_NEW, ZT_GROUP, strlen(ZT_GROUP), &api.err),
        &api.err, ZL_ERR_NOT_FOUND, "b: a group, not an array");
    assert_null(array);
    assert_false(zt_api_has(&api, "b/zarr.json"));
    zt_api_end(&api, &memory);
}

/* ---- groups */

static void creates_and_opens_groups(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_group *group = NULL;
    zl_buffer buffer;
    zl_group_options options = ZL_GROUP_OPTIONS_INIT;
    options.attributes_json = "{\"a\":1}";
    zt_assert_ok(zl_group_create(&group, api.store, "a/b", &options, &api.err), &api.err);
    assert_string_equal(zl_group_path(group), "a/b");
    check_text(zl_attributes_get_json(zl_group_attributes(group), NULL, &buffer, &api.err), &buffer, &api.err, "{\"a\":1}");
    zl_group_close(group);
    group = NULL;

    zt_assert_fails(zl_group_create(&group, api.store, "a/b", &options, &api.err), &api.err, ZL_ERR_EXISTS, "a/b: ");
    options.mode = ZL_CREATE_OPEN;
    options.attributes_json = "{\"other\":2}";
    zt_assert_ok(zl_group_create(&group, api.store, "a/b", &options, &api.err), &api.err);
    assert_string_equal(zl_attributes_name(zl_group_attributes(group), 0), "a");
    zl_group_close(group);
    zt_assert_ok(zl_group_create(&group, api.store, "new", &options, &api.err), &api.err);
    assert_string_equal(zl_attributes_name(zl_group_attributes(group), 0), "other");
    zl_group_close(group);
    options.mode = ZL_CREATE_REPLACE;
    zt_assert_ok(zl_group_create(&group, api.store, "a", &options, &api.err), &api.err);
    assert_false(zt_api_has(&api, "a/b/zarr.json"));
    zl_group_close(group);
    zt_assert_ok(zl_group_open(&group, api.store, "/", &api.err), &api.err);
    assert_string_equal(zl_group_path(group), "");
    assert_int_equal(zl_attributes_count(zl_group_attributes(group)), 0);
    zl_group_close(group);
    zl_group_close(NULL);
    zl_array_close(NULL);
    zt_api_end(&api, &memory);
}

static void opens_only_groups(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "a/zarr.json", ZT_ARRAY);
    zt_api_put(&api, "i/j/zarr.json", ZT_ARRAY);
    zt_api_put(&api, "v2/.zgroup", "{}");
    zl_group *group = NULL;
    zt_assert_fails(zl_group_open(&group, api.store, "a", &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "a: an array, not a group");
    zt_assert_fails(zl_group_open(&group, api.store, "x", &api.err), &api.err, ZL_ERR_NOT_FOUND, "x: no group here");
    zt_assert_ok(zl_group_open(&group, api.store, "v2", &api.err), &api.err);
    zl_group_close(group);
    group = NULL;
    zl_group_options options = ZL_GROUP_OPTIONS_INIT;
    options.mode = ZL_CREATE_OPEN;
    zt_assert_fails(zl_group_create(&group, api.store, "a", &options, &api.err), &api.err, ZL_ERR_EXISTS,
                    "an array already");
    assert_null(group);
    zt_assert_ok(zl_group_open(&group, api.store, "i", &api.err), &api.err);
    zl_group_close(group);
    assert_false(zt_api_has(&api, "i/zarr.json"));
    options.mode = ZL_CREATE_NEW;
    zt_assert_ok(zl_group_create(&group, api.store, "i", &options, &api.err), &api.err);
    assert_true(zt_api_has(&api, "i/zarr.json"));
    assert_true(zt_api_has(&api, "i/j/zarr.json"));
    zl_group_close(group);
    zt_api_end(&api, &memory);
}

/* ---- failures */

/* Every call to the store fails once; each time nothing is left, until the array is there. */
static void leaves_nothing_after_a_failure(void **state) {
    (void)state;
    for (uint32_t nth = 1;; nth++) {
        zt_fault_api it;
        zt_fault_api_begin(&it, NULL);
        fault_store_arm(&it.fault, FAULT_ANY, nth, FAULT_FAIL, ZL_ERR_IO);
        zl_array *array = NULL;
        const zl_array_options options = small_array();
        const zl_status status = zl_array_create(&array, it.api.store, "a/b/c", &options, &it.api.err);
        fault_store_arm(&it.fault, FAULT_ANY, 0, FAULT_FAIL, ZL_ERR_IO);
        if (status != ZL_OK) {
            assert_int_equal(status, ZL_ERR_IO);
            zt_api_check_empty(&it.api);
        }
        zl_array_close(array);
        zt_api_close(&it.api);
        if (status == ZL_OK) {
            assert_true(nth > 4);
            return;
        }
    }
}

static void refuses_stores_that_cannot_be_written(void **state) {
    (void)state;
    zt_fault_api it;
    zl_error *err = &it.api.err;
    zl_array *array = NULL;
    zl_group *group = NULL;
    const zl_array_options options = small_array();
    zt_fault_api_begin(&it, NULL);
    it.fault.cls.caps &= ~ZL_STORE_WRITE;
    zl_store *store = it.api.store;
    zt_assert_fails(zl_array_create(&array, store, "a", &options, err), err, ZL_ERR_READ_ONLY, "cannot be written");
    zt_assert_fails(zl_group_create(&group, store, "a", NULL, err), err, ZL_ERR_READ_ONLY, "cannot be written");
    zt_assert_fails(zl_node_delete(store, "a", err), err, ZL_ERR_READ_ONLY, "cannot be written");
    zt_api_close(&it.api);
}

static zl_status use_array(zt_api *api) {
    zl_array *array = NULL, *again = NULL;
    zl_stored_info info;
    zl_buffer buffer = {0};
    zl_array_options options = small_array();
    options.shard_shape = shard_shape;
    options.attributes_json = "{\"a\":1}";
    options.fill_value_json = "0.5";
    zl_status status = zl_array_create(&array, api->store, "a/b", &options, &api->err);
    if (status == ZL_OK) status = zt_api_try_put(api, "a/b/c/0/0", "x");
    if (status == ZL_OK) status = zl_array_open(&again, api->store, "a/b", &api->err);
    if (status == ZL_OK) status = zl_array_stored_info(again, &info, &api->err);
    if (status == ZL_OK) status = zl_array_element_json(again, zl_array_fill_value(again), &buffer, &api->err);
    zl_buffer_free(&buffer);
    if (status == ZL_OK) status = zl_array_metadata_json(again, &buffer, &api->err);
    zl_buffer_free(&buffer);
    zl_array_close(again);
    zl_array_close(array);
    return status;
}

static zl_status use_group(zt_api *api) {
    zl_group *group = NULL, *again = NULL;
    zl_group_options options = ZL_GROUP_OPTIONS_INIT;
    options.attributes_json = "{\"a\":1}";
    zl_status status = zl_group_create(&group, api->store, "g/h", &options, &api->err);
    if (status == ZL_OK) status = zl_group_open(&again, api->store, "g/h", &api->err);
    zl_group_close(again);
    zl_group_close(group);
    return status;
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = use_array(&api);
    if (status == ZL_OK) status = use_group(&api);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_it_is),
        cmocka_unit_test(knows_inner_chunks),
        cmocka_unit_test(has_one_element_without_dimensions),
        cmocka_unit_test(counts_stored_chunks),
        cmocka_unit_test(opens_only_arrays),
        cmocka_unit_test(takes_a_chunk_grid),
        cmocka_unit_test(creates_groups_above),
        cmocka_unit_test(keeps_what_is_there),
        cmocka_unit_test(replaces_what_is_there),
        cmocka_unit_test(stores_nothing_invalid),
        cmocka_unit_test(stores_a_document_as_given),
        cmocka_unit_test(creates_and_opens_groups),
        cmocka_unit_test(opens_only_groups),
        cmocka_unit_test(leaves_nothing_after_a_failure),
        cmocka_unit_test(refuses_stores_that_cannot_be_written),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_array", tests, NULL, NULL);
}
