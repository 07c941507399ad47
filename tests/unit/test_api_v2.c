/* SPDX-License-Identifier: MIT */
/* Zarr v2 through the api: new groups and arrays, data in and out, attributes in their own document. */
#include "zt_api.h"

static zl_array_options options_2x3(zl_dtype_id dtype) {
    static const int64_t shape[] = {2, 3}, chunk[] = {2, 2};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.zarr_format = 2;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.dtype = dtype;
    return options;
}

static void check_refused(zt_api *api, const zl_array_options *options, zl_status status, const char *words) {
    zl_array *array = NULL;
    zt_assert_fails(zl_array_create(&array, api->store, "a", options, &api->err), &api->err, status, words);
    zt_api_check_empty(api);
}

/* ---- creating */

static void creates_an_array(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    static const char *const names[] = {"y", "x"};
    zl_array_options options = options_2x3(ZL_DTYPE_INT16);
    options.codecs_json =
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\",\"configuration\":"
        "{\"endian\":\"big\"}}]";
    options.fill_value_json = "-1";
    options.dimension_names = names;
    options.attributes_json = "{\"k\":1.50}";
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api.store, "g/a", &options, &api.err), &api.err);
    assert_int_equal(zl_array_zarr_format(array), 2);
    assert_string_equal(zl_array_dimension_name(array, 1), "x");
    zt_api_check_text(&api, ".zgroup", "{\n  \"zarr_format\": 2\n}");
    zt_api_check_text(&api, "g/.zgroup", "{\n  \"zarr_format\": 2\n}");
    zt_api_check_part(&api, "g/a/.zarray", "\"dtype\": \">i2\"");
    zt_api_check_part(&api, "g/a/.zarray", "\"order\": \"F\"");
    zt_api_check_part(&api, "g/a/.zarray", "\"fill_value\": -1");
    zt_api_check_part(&api, "g/a/.zarray", "\"compressor\": null");
    zt_api_check_part(&api, "g/a/.zattrs", "\"k\": 1.50");
    zt_api_check_part(&api, "g/a/.zattrs", "\"_ARRAY_DIMENSIONS\"");

    const int16_t elements[] = {1, 2, 3, 4, 5, 6};
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){elements, NULL, NULL}, NULL, &api.err), &api.err);
    zl_bytes bytes;
    zt_assert_ok(zl_store_get_all(api.store, "g/a/0.1", 100, &bytes, NULL, &api.err), &api.err);
    assert_int_equal(bytes.size, 8);
    assert_memory_equal(bytes.data, "\0\3\0\6\xff\xff\xff\xff", 8);
    zl_bytes_release(&bytes);
    zl_array_close(array);

    zt_assert_ok(zl_array_open(&array, api.store, "g/a", &api.err), &api.err);
    int16_t back[6] = {0};
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){back, NULL, NULL}, NULL, &api.err), &api.err);
    assert_memory_equal(back, elements, sizeof back);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void writes_every_type(void **state) {
    (void)state;
    static const struct {
        const char *dtype_json, *fill_json, *dtype, *fill;
    } cases[] = {
        {"\"bool\"", "true", "\"dtype\": \"|b1\"", "\"fill_value\": true"},
        {"\"uint8\"", "7", "\"dtype\": \"|u1\"", "\"fill_value\": 7"},
        {"\"float32\"", "\"NaN\"", "\"dtype\": \"<f4\"", "\"fill_value\": \"NaN\""},
        {"\"complex64\"", "[1, 2]", "\"dtype\": \"<c8\"", "1.0,"},
        {"\"string\"", "\"x\"", "\"dtype\": \"|O\"", "\"fill_value\": \"x\""},
        {"\"bytes\"", "\"AQID\"", "\"id\": \"vlen-bytes\"", "\"fill_value\": \"AQID\""},
        {"\"r16\"", "[1,2]", "\"dtype\": \"|V2\"", "\"fill_value\": \"AQI=\""},
        {"{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":8}}", "\"x\"", "\"dtype\": \"<U2\"",
         "\"fill_value\": \"x\""},
        {"{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":3}}", "\"AQ==\"", "\"dtype\": \"|S3\"",
         "\"fill_value\": \"AQ==\""},
        {"{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":10}}", "\"NaT\"",
         "\"dtype\": \"<m8[10us]\"", "\"fill_value\": -9223372036854775808"},
        {"{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"a\",\"data_type\":\"int16\"},{\"name\":\"b\","
         "\"data_type\":\"uint8\"}]}}",
         "{\"a\":513,\"b\":3}", "\"<i2\"", "\"fill_value\": \"AQID\""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        zl_array_options options = options_2x3(ZL_DTYPE_NONE);
        options.dtype_json = cases[i].dtype_json;
        options.fill_value_json = cases[i].fill_json;
        zl_array *array;
        zt_assert_ok(zl_array_create(&array, api.store, "", &options, &api.err), &api.err);
        zt_api_check_part(&api, ".zarray", cases[i].dtype);
        zt_api_check_part(&api, ".zarray", cases[i].fill);
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

static void writes_codecs(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = options_2x3(ZL_DTYPE_INT32);
    options.codecs_json = "[{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":4}},{\"name\":\"crc32c\"}]";
    options.chunk_key_encoding_json = "{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}}";
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api.store, "a", &options, &api.err), &api.err);
    zt_api_check_part(&api, "a/.zarray", "\"filters\": [\n    {\n      \"id\": \"shuffle\",\n      \"elementsize\": 4\n");
    zt_api_check_part(&api, "a/.zarray", "\"compressor\": {\n    \"id\": \"crc32c\",\n    \"location\": \"end\"\n");
    zt_api_check_part(&api, "a/.zarray", "\"dimension_separator\": \"/\"");
    assert_false(zt_api_has(&api, "a/.zattrs"));
    zl_array_close(array);
    if (zl_codec_available("zstd") == ZL_AVAILABLE) {
        options.codecs_json = "[{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":false}}]";
        zt_assert_ok(zl_array_create(&array, api.store, "b", &options, &api.err), &api.err);
        zt_api_check_part(&api, "b/.zarray", "\"compressor\": {\n    \"id\": \"zstd\",\n    \"level\": 1\n  }");
        zl_array_close(array);
    }
    zt_api_end(&api, &memory);
}

static void refuses_what_v2_has_not(void **state) {
    (void)state;
    static const int64_t shard[] = {2, 2};
    static const char *const names[] = {"y", NULL};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array_options options = options_2x3(ZL_DTYPE_INT32);
    options.shard_shape = shard;
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "Zarr v2 has no shards");
    options = options_2x3(ZL_DTYPE_INT32);
    options.codecs_json = "[{\"name\":\"packbits\"}]";
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "codecs_json: /0: codec \"packbits\" does not exist in Zarr v2");
    options.codecs_json = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0,1]}}]";
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "the reversed order");
    options = options_2x3(ZL_DTYPE_INT4);
    check_refused(&api, &options, ZL_ERR_UNSUPPORTED, "data type \"int4\" does not exist in Zarr v2");
    options = options_2x3(ZL_DTYPE_INT32);
    options.dimension_names = names;
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "dimension_names[1]");
    options = options_2x3(ZL_DTYPE_INT32);
    options.chunk_key_encoding_json = "\"default\"";
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "chunk_key_encoding_json: ");
    options = options_2x3(ZL_DTYPE_INT32);
    options.chunk_grid_json = "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[1,1]}}";
    check_refused(&api, &options, ZL_ERR_INVALID_ARGUMENT, "chunk_grid_json: ");
    zt_api_end(&api, &memory);
}

static void keeps_versions_apart(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "three/zarr.json", ZT_GROUP);
    zt_api_put(&api, "two/.zgroup", "{}");
    zl_array_options options = options_2x3(ZL_DTYPE_INT32);
    zl_array *array;
    zt_assert_fails(zl_array_create(&array, api.store, "three/a", &options, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT,
                    "the group at three has Zarr format 3");
    options.zarr_format = 3;
    zt_assert_fails(zl_array_create(&array, api.store, "two/a", &options, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT,
                    "the group at two has Zarr format 2");
    options.zarr_format = 2;
    zt_assert_ok(zl_array_create(&array, api.store, "two/a", &options, &api.err), &api.err);
    zl_array_close(array);
    zt_assert_fails(zl_array_create(&array, api.store, "two/a", &options, &api.err), &api.err, ZL_ERR_EXISTS, "an array");
    bool has_v2;
    zt_assert_ok(zl_node_has_v2(api.store, "two/a", &has_v2, &api.err), &api.err);
    assert_true(has_v2);
    zt_assert_ok(zl_node_has_v2(api.store, "three", &has_v2, &api.err), &api.err);
    assert_false(has_v2);
    zt_api_put(&api, "three/.zgroup", "{}");
    zt_assert_ok(zl_node_has_v2(api.store, "three", &has_v2, &api.err), &api.err);
    assert_true(has_v2);
    zt_api_end(&api, &memory);
}

/* ---- attributes */

static void changes_attributes_alone(void **state) {
    (void)state;
    static const char document[] = "{\"shape\":[1],\"chunks\":[1],\"dtype\":\"<i4\",\"mine\":[1.0]}";
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "a/.zarray", document);
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api.store, "a", &api.err), &api.err);
    zl_attributes *attributes = zl_array_attributes(array);
    assert_int_equal(zl_attributes_count(attributes), 0);
    zt_assert_ok(zl_attributes_set_json(attributes, "k", "[1.50]", &api.err), &api.err);
    zt_api_check_text(&api, "a/.zarray", document);
    zt_api_check_text(&api, "a/.zattrs", "{\n  \"k\": [1.50]\n}");
    assert_int_equal(zl_attributes_count(attributes), 1);
    zt_api_put(&api, "a/.zattrs", "{\"other\":NaN,\"k\":1}");
    zt_assert_ok(zl_attributes_set_json(attributes, "k", "2", &api.err), &api.err);
    zt_api_check_text(&api, "a/.zattrs", "{\n  \"other\": NaN,\n  \"k\": 2\n}");
    zt_assert_ok(zl_attributes_delete(attributes, "other", &api.err), &api.err);
    zt_assert_fails(zl_attributes_delete(attributes, "other", &api.err), &api.err, ZL_ERR_NOT_FOUND, "no attribute");
    zt_assert_ok(zl_attributes_set_json(attributes, NULL, "{}", &api.err), &api.err);
    zt_api_check_text(&api, "a/.zattrs", "{}");
    zl_buffer buffer;
    zt_assert_ok(zl_array_metadata_json(array, &buffer, &api.err), &api.err);
    assert_string_equal(buffer.data, document);
    zl_buffer_free(&buffer);
    zl_array_close(array);
    zt_assert_ok(zl_node_delete(api.store, "a", &api.err), &api.err);
    zt_api_check_empty(&api);
    zt_api_end(&api, &memory);
}

static void groups_have_attributes(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_group_options options = ZL_GROUP_OPTIONS_INIT;
    options.zarr_format = 2;
    options.attributes_json = "{\"a\":1}";
    zl_group *group;
    zt_assert_ok(zl_group_create(&group, api.store, "g", &options, &api.err), &api.err);
    zt_assert_ok(zl_attributes_set_json(zl_group_attributes(group), "b", "2", &api.err), &api.err);
    zl_group_close(group);
    zt_api_check_text(&api, "g/.zattrs", "{\n  \"a\": 1,\n  \"b\": 2\n}");
    zt_assert_ok(zl_group_open(&group, api.store, "g", &api.err), &api.err);
    assert_int_equal(zl_attributes_count(zl_group_attributes(group)), 2);
    zl_group_close(group);
    /* What was left beside a new node is not its own. */
    zt_api_put(&api, "h/.zattrs", "{\"old\":1}");
    options.attributes_json = NULL;
    zt_assert_ok(zl_group_create(&group, api.store, "h", &options, &api.err), &api.err);
    zl_group_close(group);
    assert_false(zt_api_has(&api, "h/.zattrs"));
    zt_api_end(&api, &memory);
}

/* ---- memory */

static zl_status use_everything(const zl_allocator *allocator, void *arg) {
    (void)arg;
    static const char *const names[] = {"y", "x"};
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_array_options options = options_2x3(ZL_DTYPE_INT32);
    options.dimension_names = names;
    zl_array *array = NULL;
    zl_status status = zl_array_create(&array, api.store, "g/a", &options, &api.err);
    if (status == ZL_OK) status = zl_attributes_set_json(zl_array_attributes(array), "k", "1", &api.err);
    zl_array_close(array);
    array = NULL;
    if (status == ZL_OK) status = zl_array_open(&array, api.store, "g/a", &api.err);
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(use_everything, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creates_an_array),       cmocka_unit_test(writes_every_type),
        cmocka_unit_test(writes_codecs),          cmocka_unit_test(refuses_what_v2_has_not),
        cmocka_unit_test(keeps_versions_apart),   cmocka_unit_test(changes_attributes_alone),
        cmocka_unit_test(groups_have_attributes), cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
