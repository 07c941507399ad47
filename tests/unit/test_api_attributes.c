/* SPDX-License-Identifier: MIT */
/* Attributes: reading, changing, and what a change leaves alone. */
#include "zt_api.h"

#include <math.h>

#include "fault_store.h"
#include "json/json.h"

/* Everything but the attributes is what others may have written and must come back out. */
#define BEHIND                                                                                                           \
    ",\"data_type\":{\"name\":\"uint8\"},\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[4]}}," \
    "\"chunk_key_encoding\":\"v2\",\"fill_value\":0,\"codecs\":[\"bytes\"],\"shape\":[4],\"node_type\":\"array\","       \
    "\"mine\":{\"must_understand\":false,\"n\":1.50e1},\"zarr_format\":3}"
#define DOCUMENT(attributes) "{\"attributes\":" attributes BEHIND

static void check(const zl_attributes *attributes, const char *name, const char *expected) {
    zl_error err = {0};
    zl_buffer buffer;
    zt_assert_ok(zl_attributes_get_json(attributes, name, &buffer, &err), &err);
    assert_string_equal(buffer.data, expected);
    zl_buffer_free(&buffer);
}

/* What is stored, without white space that a change may put anywhere. */
static void check_stored(zt_api *api, const char *key, const char *expected) {
    zl_bytes bytes;
    zl_json_doc *doc;
    zl_json_writer writer;
    const zl_json_options options = {.allow_nan = true};
    zt_assert_ok(zl_store_get_all(api->store, key, UINT64_MAX, &bytes, NULL, &api->err), &api->err);
    zt_assert_ok(zl_json_parse(&doc, (const char *)bytes.data, bytes.size, &options, &zl_default_allocator, &api->err),
                 &api->err);
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zl_json_write_value(&writer, zl_json_root(doc));
    zt_assert_ok(zl_json_writer_finish(&writer, &api->err), &api->err);
    assert_string_equal((const char *)writer.sink.data, expected);
    zl_json_writer_clear(&writer);
    zl_json_doc_free(doc);
    zl_bytes_release(&bytes);
}

static zl_array *open_array(zt_api *api, const char *document) {
    zl_array *array;
    zt_api_put(api, "a/zarr.json", document);
    zt_assert_ok(zl_array_open(&array, api->store, "a", &api->err), &api->err);
    return array;
}

static void reads(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array =
        open_array(&api, DOCUMENT("{ \"b\" : [ 1, 2.50 ], \"a\":NaN, \"b\": {}, \"\":12345678901234567890123}"));
    zl_attributes *attributes = zl_array_attributes(array);
    assert_int_equal(zl_attributes_count(attributes), 4);
    assert_string_equal(zl_attributes_name(attributes, 0), "b");
    assert_string_equal(zl_attributes_name(attributes, 3), "");
    assert_null(zl_attributes_name(attributes, 4));
    check(attributes, "a", "NaN");
    check(attributes, "b", "{}");
    check(attributes, "", "12345678901234567890123");
    check(attributes, NULL, "{\"b\":[1,2.50],\"a\":NaN,\"b\":{},\"\":12345678901234567890123}");
    zl_buffer buffer;
    zt_assert_fails(zl_attributes_get_json(attributes, "c", &buffer, &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "a: no attribute \"c\"");
    zl_array_close(array);

    array = open_array(&api, ZT_ARRAY);
    attributes = zl_array_attributes(array);
    assert_int_equal(zl_attributes_count(attributes), 0);
    assert_null(zl_attributes_name(attributes, 0));
    check(attributes, NULL, "{}");
    zt_assert_fails(zl_attributes_get_json(attributes, "c", &buffer, &api.err), &api.err, ZL_ERR_NOT_FOUND, "no attribute");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void changes_one_and_nothing_else(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_array(&api, DOCUMENT("{\"b\":1.0,\"nan\":-Infinity,\"b\\u0000\":2,\"b\":3}"));
    zl_attributes *attributes = zl_array_attributes(array);
    zt_assert_ok(zl_attributes_set_json(attributes, "b", " [1e400] ", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", DOCUMENT("{\"b\":[1e400],\"nan\":-Infinity,\"b\\u0000\":2}"));
    check(attributes, "b", "[1e400]");
    zt_assert_ok(zl_attributes_set_json(attributes, "c\"", "null", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", DOCUMENT("{\"b\":[1e400],\"nan\":-Infinity,\"b\\u0000\":2,\"c\\\"\":null}"));
    zt_assert_ok(zl_attributes_delete(attributes, "b", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", DOCUMENT("{\"nan\":-Infinity,\"b\\u0000\":2,\"c\\\"\":null}"));
    zt_assert_fails(zl_attributes_delete(attributes, "b", &api.err), &api.err, ZL_ERR_NOT_FOUND, "a: no attribute \"b\"");
    zt_assert_ok(zl_attributes_set_json(attributes, NULL, "{\"x\":1}", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", DOCUMENT("{\"x\":1}"));
    assert_int_equal(zl_attributes_count(attributes), 1);

    zl_buffer buffer;
    zt_assert_ok(zl_array_metadata_json(array, &buffer, &api.err), &api.err);
    zt_api_check_text(&api, "a/zarr.json", buffer.data);
    zl_buffer_free(&buffer);
    assert_int_equal(zl_array_element_count(array), 4);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void adds_the_first(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_array(&api, ZT_ARRAY);
    zt_assert_fails(zl_attributes_delete(zl_array_attributes(array), "x", &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "no attribute");
    zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "x", "1", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"x\":1}"));
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* An implicit group becomes an explicit one by its first attribute. */
static void gives_implicit_groups_metadata(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zl_group *group;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "g/a/zarr.json", ZT_ARRAY);
    zt_assert_ok(zl_group_open(&group, api.store, "g", &api.err), &api.err);
    check(zl_group_attributes(group), NULL, "{}");
    zt_assert_ok(zl_attributes_set_json(zl_group_attributes(group), "x", "1", &api.err), &api.err);
    check_stored(&api, "g/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"x\":1}}");
    check(zl_group_attributes(group), "x", "1");
    zl_group_close(group);
    zt_api_end(&api, &memory);
}

static void refuses_bad_values(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *json;
        const char *words;
    } cases[] = {
        {"x", "", "x: line 1"},
        {"x", "NaN", "x: line 1"},
        {"x", "{\"a\":1,\"a\":2}", "x: "},
        {"x", "1 2", "x: line 1, column 3"},
        {"x", NULL, "NULL"},
        {"\xff", "1", "UTF-8"},
        {NULL, "7", "attributes: must be an object"},
    };
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_array(&api, ZT_ARRAY);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_fails(zl_attributes_set_json(zl_array_attributes(array), cases[i].name, cases[i].json, &api.err),
                        &api.err, ZL_ERR_INVALID_ARGUMENT, cases[i].words);
    }
    zt_assert_fails(zl_attributes_delete(zl_array_attributes(array), NULL, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT,
                    "NULL");
    zt_api_check_text(&api, "a/zarr.json", ZT_ARRAY);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- other writers */

static void sees_what_others_stored(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_array(&api, ZT_ARRAY);
    zt_api_put(&api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"theirs\":1}"));
    zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "ours", "2", &api.err), &api.err);
    check_stored(&api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"theirs\":1,\"ours\":2}"));
    check(zl_array_attributes(array), "theirs", "1");

    zt_api_put(&api, "a/zarr.json", "{");
    zt_assert_fails(zl_attributes_set_json(zl_array_attributes(array), "ours", "3", &api.err), &api.err, ZL_ERR_METADATA,
                    "a/zarr.json: line 1");
    zt_api_check_text(&api, "a/zarr.json", "{");
    zt_assert_ok(zl_node_delete(api.store, "a", &api.err), &api.err);
    zt_assert_fails(zl_attributes_set_json(zl_array_attributes(array), "ours", "3", &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "a/zarr.json: the metadata was removed");
    check(zl_array_attributes(array), "ours", "2");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void tries_again_after_a_conflict(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_array *array = open_array(&it.api, ZT_ARRAY);
    fault_store_arm(&it.fault, FAULT_SET, 1, FAULT_FAIL, ZL_ERR_CONFLICT);
    zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "x", "1", &it.api.err), &it.api.err);
    assert_int_equal(it.fault.calls, 2);
    check_stored(&it.api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"x\":1}"));
    zl_array_close(array);
    zt_api_close(&it.api);
}

/* The handle goes on showing what is stored. */
static void shows_no_change_that_failed(void **state) {
    (void)state;
    for (uint32_t nth = 1; nth <= 2; nth++) {
        zt_fault_api it;
        zt_fault_api_begin(&it, NULL);
        zl_array *array = open_array(&it.api, ZT_ARRAY_WITH(",\"attributes\":{\"x\":1}"));
        fault_store_arm(&it.fault, FAULT_GET | FAULT_SET, nth, FAULT_FAIL, ZL_ERR_IO);
        zt_assert_fails(zl_attributes_set_json(zl_array_attributes(array), "x", "2", &it.api.err), NULL, ZL_ERR_IO, NULL);
        check(zl_array_attributes(array), "x", "1");
        check_stored(&it.api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"x\":1}"));
        zl_array_close(array);
        zt_api_close(&it.api);
    }
}

/* ---- values of C */

static void converts_values(void **state) {
    (void)state;
    static const int64_t integers[] = {INT64_MIN, 0, INT64_MAX};
    static const double numbers[] = {0.1, -0.0, 1e300};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_array *array = open_array(&api, ZT_ARRAY_WITH(",\"attributes\":{\"nan\":NaN,\"minus\":-Infinity,\"text\":\"NaN\"}"));
    zl_attributes *a = zl_array_attributes(array);
    bool flag = false;
    int64_t integer, few[2];
    double number, several[3];
    size_t count;
    zl_buffer text;
    zt_assert_ok(zl_attributes_set_bool(a, "b", true, err), err);
    zt_assert_ok(zl_attributes_get_bool(a, "b", &flag, err), err);
    assert_true(flag);
    zt_assert_ok(zl_attributes_set_i64(a, "i", INT64_MIN, err), err);
    zt_assert_ok(zl_attributes_get_i64(a, "i", &integer, err), err);
    assert_true(integer == INT64_MIN);
    zt_assert_ok(zl_attributes_set_double(a, "d", 0.1, err), err);
    check(a, "d", "0.1");
    zt_assert_ok(zl_attributes_get_double(a, "d", &number, err), err);
    assert_true(number == 0.1);
    zt_assert_ok(zl_attributes_get_double(a, "i", &number, err), err);
    assert_true(number == -0x1p63);
    zt_assert_ok(zl_attributes_set_text(a, "s", "gr\xc3\xbc\xc3\x9f \"dich\"\n", err), err);
    zt_assert_ok(zl_attributes_get_text(a, "s", &text, err), err);
    assert_string_equal(text.data, "gr\xc3\xbc\xc3\x9f \"dich\"\n");
    zl_buffer_free(&text);

    zt_assert_ok(zl_attributes_set_i64s(a, "is", integers, 3, err), err);
    zt_assert_ok(zl_attributes_get_i64s(a, "is", few, 2, &count, err), err);
    assert_int_equal(count, 3);
    assert_memory_equal(few, integers, sizeof few);
    zt_assert_ok(zl_attributes_get_i64s(a, "i", NULL, 0, &count, err), err);
    assert_int_equal(count, 1);
    zt_assert_ok(zl_attributes_set_doubles(a, "ds", numbers, 3, err), err);
    zt_assert_ok(zl_attributes_get_doubles(a, "ds", several, 3, &count, err), err);
    assert_memory_equal(several, numbers, sizeof numbers);
    zt_assert_ok(zl_attributes_set_doubles(a, "ds", NULL, 0, err), err);
    check(a, "ds", "[]");

    zt_assert_ok(zl_attributes_get_double(a, "nan", &number, err), err);
    assert_true(isnan(number));
    zt_assert_ok(zl_attributes_get_double(a, "text", &number, err), err);
    assert_true(isnan(number));
    zt_assert_ok(zl_attributes_get_double(a, "minus", &number, err), err);
    assert_true(number == -(double)INFINITY);
    zt_assert_ok(zl_attributes_set_double(a, "d", (double)INFINITY, err), err);
    check(a, "d", "\"Infinity\"");

    zt_assert_fails(zl_attributes_get_i64(a, "ds", &integer, err), err, ZL_ERR_METADATA, "/attributes/ds");
    zt_assert_fails(zl_attributes_get_bool(a, "i", &flag, err), err, ZL_ERR_METADATA, "/attributes/i");
    zt_assert_fails(zl_attributes_get_text(a, "i", &text, err), err, ZL_ERR_METADATA, "must be a string");
    zt_assert_fails(zl_attributes_get_double(a, "s", &number, err), err, ZL_ERR_METADATA, "/attributes/s");
    zt_assert_fails(zl_attributes_get_i64(a, "x", &integer, err), err, ZL_ERR_NOT_FOUND, "no attribute");
    zt_assert_fails(zl_attributes_get_i64(a, NULL, &integer, err), err, ZL_ERR_INVALID_ARGUMENT, "name is NULL");
    zt_assert_fails(zl_attributes_set_i64(a, NULL, 1, err), err, ZL_ERR_INVALID_ARGUMENT, "name is NULL");
    zt_assert_fails(zl_attributes_set_text(a, "x", NULL, err), err, ZL_ERR_INVALID_ARGUMENT, "value is NULL");
    zt_assert_fails(zl_attributes_set_text(a, "x", "\xff", err), err, ZL_ERR_INVALID_ARGUMENT, "UTF-8");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- out of memory */

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    zl_array *array = NULL;
    zl_buffer buffer = {0};
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = zt_api_try_put(&api, "a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"x\":NaN}"));
    if (status == ZL_OK) status = zl_array_open(&array, api.store, "a", &api.err);
    if (status == ZL_OK) status = zl_attributes_set_json(zl_array_attributes(array), "y", "[1,{}]", &api.err);
    if (status == ZL_OK) status = zl_attributes_get_json(zl_array_attributes(array), "y", &buffer, &api.err);
    if (status == ZL_OK) status = zl_attributes_delete(zl_array_attributes(array), "x", &api.err);
    if (status == ZL_OK) status = zl_attributes_set_text(zl_array_attributes(array), "z", "text", &api.err);
    zl_buffer_free(&buffer);
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(changes_one_and_nothing_else),
        cmocka_unit_test(adds_the_first),
        cmocka_unit_test(gives_implicit_groups_metadata),
        cmocka_unit_test(refuses_bad_values),
        cmocka_unit_test(sees_what_others_stored),
        cmocka_unit_test(tries_again_after_a_conflict),
        cmocka_unit_test(shows_no_change_that_failed),
        cmocka_unit_test(converts_values),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_attributes", tests, NULL, NULL);
}
