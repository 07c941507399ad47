/* SPDX-License-Identifier: MIT */
/* The JSON writer: text, layout, misuse, copies of parsed values. */
#include "zt.h"
#include "json/json.h"

/* Ends the writer and compares its text. */
static void assert_text(zl_json_writer *writer, const char *expected) {
    zl_error err;
    zt_assert_ok(zl_json_writer_finish(writer, &err), &err);
    assert_int_equal(writer->sink.size, strlen(expected));
    assert_string_equal((const char *)writer->sink.data, expected);
    zt_assert_ok(zl_json_writer_finish(writer, &err), &err); /* once more changes nothing */
    assert_string_equal((const char *)writer->sink.data, expected);
    zl_json_writer_clear(writer);
}

static void write_sample(zl_json_writer *w) {
    zl_json_write_object(w);
    zl_json_write_key(w, "shape");
    zl_json_write_array(w);
    zl_json_write_u64(w, UINT64_MAX);
    zl_json_write_i64(w, INT64_MIN);
    zl_json_write_double(w, 1);
    zl_json_write_end(w);
    zl_json_write_key(w, "empty");
    zl_json_write_array(w);
    zl_json_write_end(w);
    zl_json_write_key(w, "codecs");
    zl_json_write_array(w);
    zl_json_write_object(w);
    zl_json_write_key(w, "name");
    zl_json_write_text(w, "by,te]s");
    zl_json_write_key(w, "configuration");
    zl_json_write_object(w);
    zl_json_write_end(w);
    zl_json_write_end(w);
    zl_json_write_text(w, "crc32c");
    zl_json_write_end(w);
    zl_json_write_key(w, "fill_value");
    zl_json_write_null(w);
    zl_json_write_key(w, "flags");
    zl_json_write_array(w);
    zl_json_write_bool(w, true);
    zl_json_write_bool(w, false);
    zl_json_write_number(w, "1.50E+2", 7);
    zl_json_write_end(w);
    zl_json_write_end(w);
}

static void test_compact(void **state) {
    (void)state;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    write_sample(&writer);
    assert_text(&writer, "{\"shape\":[18446744073709551615,-9223372036854775808,1.0],\"empty\":[],"
                         "\"codecs\":[{\"name\":\"by,te]s\",\"configuration\":{}},\"crc32c\"],"
                         "\"fill_value\":null,\"flags\":[true,false,1.50E+2]}");
}

static void test_indented(void **state) {
    (void)state;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 2);
    write_sample(&writer);
    assert_text(&writer, "{\n"
                         "  \"shape\": [18446744073709551615, -9223372036854775808, 1.0],\n"
                         "  \"empty\": [],\n"
                         "  \"codecs\": [\n"
                         "    {\n"
                         "      \"name\": \"by,te]s\",\n"
                         "      \"configuration\": {}\n"
                         "    },\n"
                         "    \"crc32c\"\n"
                         "  ],\n"
                         "  \"fill_value\": null,\n"
                         "  \"flags\": [true, false, 1.50E+2]\n"
                         "}");
}

static void test_long_arrays_and_scalars(void **state) {
    (void)state;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 9);
    zl_json_write_array(&writer);
    zl_json_write_array(&writer);
    zl_json_write_text(&writer, "a text of forty bytes, to fill a line___");
    zl_json_write_text(&writer, "a text of forty bytes, to fill a line___");
    zl_json_write_end(&writer);
    zl_json_write_end(&writer);
    assert_text(&writer, "[\n"
                         "         [\n"
                         "                  \"a text of forty bytes, to fill a line___\",\n"
                         "                  \"a text of forty bytes, to fill a line___\"\n"
                         "         ]\n"
                         "]");
    zl_json_writer_init(&writer, &zl_default_allocator, 4);
    zl_json_write_text(&writer, "alone");
    assert_text(&writer, "\"alone\"");
}

static void test_strings(void **state) {
    (void)state;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zl_json_write_string(&writer, "\0\x01\b\f\n\r\t\x1f \"\\/\x7f\xc3\xa9", 15);
    assert_text(&writer, "\"\\u0000\\u0001\\b\\f\\n\\r\\t\\u001f \\\"\\\\/\x7f\xc3\xa9\"");
}

/* ---- misuse: the first failure sticks */

static void end_twice(zl_json_writer *w) {
    zl_json_write_array(w);
    zl_json_write_end(w);
    zl_json_write_end(w);
}
static void value_for_key(zl_json_writer *w) {
    zl_json_write_object(w);
    zl_json_write_null(w);
}
static void key_behind_key(zl_json_writer *w) {
    zl_json_write_object(w);
    zl_json_write_key(w, "a");
    zl_json_write_key(w, "b");
}
static void key_in_array(zl_json_writer *w) {
    zl_json_write_array(w);
    zl_json_write_key(w, "a");
}
static void key_alone(zl_json_writer *w) {
    zl_json_write_key(w, "a");
}
static void key_then_end(zl_json_writer *w) {
    zl_json_write_object(w);
    zl_json_write_key(w, "a");
    zl_json_write_end(w);
}
static void two_documents(zl_json_writer *w) {
    zl_json_write_null(w);
    zl_json_write_null(w);
}
static void nothing(zl_json_writer *w) {
    (void)w;
}
static void open_end(zl_json_writer *w) {
    zl_json_write_array(w);
}
static void bad_utf8(zl_json_writer *w) {
    zl_json_write_text(w, "\xff");
}
static void bad_utf8_key(zl_json_writer *w) {
    zl_json_write_object(w);
    zl_json_write_key(w, "\xff");
}
static void bad_number(zl_json_writer *w) {
    zl_json_write_number(w, "01", 2);
}
static void no_number(zl_json_writer *w) {
    zl_json_write_number(w, "", 0);
}
static void infinite(zl_json_writer *w) {
    zl_json_write_double(w, 1e308 * 10);
}
static void too_deep(zl_json_writer *w) {
    for (int i = 0; i < 1000; i++) {
        zl_json_write_array(w);
    }
    for (int i = 0; i < 1000; i++) {
        zl_json_write_end(w);
    }
}

static void test_misuse(void **state) {
    (void)state;
    static const struct {
        void (*write)(zl_json_writer *);
        zl_status status;
        const char *message;
    } cases[] = {
        {end_twice, ZL_ERR_INVALID_ARGUMENT, "JSON writer: an end without a beginning"},
        {value_for_key, ZL_ERR_INVALID_ARGUMENT, "a value where a key belongs"},
        {key_behind_key, ZL_ERR_INVALID_ARGUMENT, "a key behind a key"},
        {key_in_array, ZL_ERR_INVALID_ARGUMENT, "a key outside of an object"},
        {key_alone, ZL_ERR_INVALID_ARGUMENT, "a key outside of an object"},
        {key_then_end, ZL_ERR_INVALID_ARGUMENT, "a key without a value"},
        {two_documents, ZL_ERR_INVALID_ARGUMENT, "a second document"},
        {nothing, ZL_ERR_INVALID_ARGUMENT, "an incomplete document"},
        {open_end, ZL_ERR_INVALID_ARGUMENT, "an incomplete document"},
        {bad_utf8, ZL_ERR_INVALID_ARGUMENT, "a string is not UTF-8"},
        {bad_utf8_key, ZL_ERR_INVALID_ARGUMENT, "a string is not UTF-8"},
        {bad_number, ZL_ERR_INVALID_ARGUMENT, "a malformed number"},
        {no_number, ZL_ERR_INVALID_ARGUMENT, "a malformed number"},
        {infinite, ZL_ERR_INVALID_ARGUMENT, "a number that is not finite"},
        {too_deep, ZL_ERR_LIMIT, "nested too deep"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_json_writer writer;
        zl_error err;
        zl_json_writer_init(&writer, &zl_default_allocator, 2);
        cases[i].write(&writer);
        zt_assert_fails(zl_json_writer_finish(&writer, &err), &err, cases[i].status, cases[i].message);
        assert_int_equal(zl_json_writer_finish(&writer, NULL), cases[i].status);
        zl_json_writer_clear(&writer);
    }
}

/* ---- copies */

static void test_values_are_copied_exactly(void **state) {
    (void)state;
    static const char text[] =
        "{\"n\":[1.00,-0,1E400,123456789012345678901234567890,NaN,-Infinity],"
        "\"s\":\"\\u00e9\\ud83d\\ude00\xc3\xa9\\/\",\"e\":{},\"f\":[[],[{}]],\"z\":{\"a\":null,\"b\":true}}";
    zl_error err;
    zl_json_doc *doc;
    const zl_json_options options = {.allow_nan = true};
    zt_assert_ok(zl_json_parse(&doc, text, sizeof text - 1, &options, &zl_default_allocator, &err), &err);
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zl_json_write_value(&writer, zl_json_root(doc));
    assert_text(&writer, text);
    zl_json_writer_init(&writer, &zl_default_allocator, 0); /* a part, inside of something else; its key is not copied */
    zl_json_write_array(&writer);
    zl_json_write_value(&writer, zl_json_member(zl_json_root(doc), "f"));
    zl_json_write_value(&writer, zl_json_member(zl_json_root(doc), "s"));
    zl_json_write_end(&writer);
    assert_text(&writer, "[[[],[{}]],\"\\u00e9\\ud83d\\ude00\xc3\xa9\\/\"]");
    zl_json_doc_free(doc);
}

static void test_keys_may_hold_nul(void **state) {
    (void)state;
    static const char text[] = "{\"a\\u0000b\":1}";
    zl_error err;
    zl_json_doc *doc;
    zt_assert_ok(zl_json_parse(&doc, text, sizeof text - 1, NULL, &zl_default_allocator, &err), &err);
    const zl_json *member = zl_json_first(zl_json_root(doc));
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zl_json_write_object(&writer);
    zl_json_write_key_of(&writer, member);
    zl_json_write_value(&writer, member);
    zl_json_write_end(&writer);
    assert_text(&writer, text);
    zl_json_doc_free(doc);
}

/* ---- memory */

static zl_status write_scenario(const zl_allocator *allocator, void *arg) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, allocator, *(const int32_t *)arg);
    zl_json_write_array(&writer);
    for (int i = 0; i < 20; i++) {
        write_sample(&writer);
    }
    zl_json_write_end(&writer);
    const zl_status status = zl_json_writer_finish(&writer, NULL);
    zl_json_writer_clear(&writer);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (int32_t indent = 0; indent < 3; indent += 2) {
        zt_run_out_of_memory(write_scenario, &indent);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_indented),
        cmocka_unit_test(test_long_arrays_and_scalars),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_values_are_copied_exactly),
        cmocka_unit_test(test_keys_may_hold_nul),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("json write", tests, NULL, NULL);
}
