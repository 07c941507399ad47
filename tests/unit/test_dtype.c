/* SPDX-License-Identifier: MIT */
/* Finding and parsing data types, what they say of themselves, and putting raw elements right. */
#include "dtype/dtype.h"
#include "dtype/family.h"
#include "zt.h"
#include "zt_codec.h"

/* A type as JSON, or just its name. */
static zl_status parse_type(zt_codec *env, const char *type, const zl_dtype **out) {
    char quoted[64];
    const bool is_json = type[0] == '{' || type[0] == '"' || type[0] == '[';
    if (!is_json) snprintf(quoted, sizeof quoted, "\"%s\"", type);
    const zl_json *value;
    ZL_TRY(zt_codec_json(env, is_json ? type : quoted, &value));
    return zl_dtype_parse(value, &env->env, out, &env->err);
}

static void check_emits(const zl_dtype *dtype, const char *text) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zl_dtype_emit(dtype, &writer);
    zl_error err = {0};
    zt_assert_ok(zl_json_writer_finish(&writer, &err), &err);
    assert_string_equal((const char *)writer.sink.data, text);
    zl_json_writer_clear(&writer);
}

typedef struct valid_case {
    const char *type;
    const char *name;
    uint32_t size;
    uint32_t plain_width;
    const char *emitted; /* NULL: the name as a string */
} valid_case;

#define TIME(unit, scale) \
    "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":" unit ",\"scale_factor\":" scale "}}"
#define FIXED(name, length) "{\"name\":\"" name "\",\"configuration\":{\"length_bytes\":" length "}}"
#define STRUCT(fields) "{\"name\":\"struct\",\"configuration\":{\"fields\":[" fields "]}}"
#define STRUCTURED(fields) "{\"name\":\"structured\",\"configuration\":{\"fields\":[" fields "]}}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"data_type\":" type "}"
#define XY FIELD("x", "\"float32\"") "," FIELD("y", "\"float32\"")

static const valid_case valid_cases[] = {
    {"bool", "bool", 1, 0, NULL},
    {"int8", "int8", 1, 1, NULL},
    {"{\"name\":\"int16\"}", "int16", 2, 2, NULL},
    {"{\"name\":\"int32\",\"configuration\":{}}", "int32", 4, 4, NULL},
    {"{\"name\":\"int64\",\"must_understand\":false}", "int64", 8, 8, NULL},
    {"uint2", "uint2", 1, 0, NULL},
    {"int4", "int4", 1, 0, NULL},
    {"float16", "float16", 2, 2, NULL},
    {"float64", "float64", 8, 8, NULL},
    {"bfloat16", "bfloat16", 2, 2, NULL},
    {"float6_e3m2fn", "float6_e3m2fn", 1, 0, NULL},
    {"float8_e8m0fnu", "float8_e8m0fnu", 1, 1, NULL},
    {"float8_e4m3fn", "float8_e4m3fn", 1, 1, NULL},
    {"complex64", "complex64", 8, 4, NULL},
    {"complex_float32", "complex64", 8, 4, NULL},
    {"complex_float64", "complex128", 16, 8, NULL},
    {"complex_float16", "complex_float16", 4, 2, NULL},
    {"complex_bfloat16", "complex_bfloat16", 4, 2, NULL},
    {"complex_float4_e2m1fn", "complex_float4_e2m1fn", 2, 0, NULL},
    {"complex_float6_e2m3fn", "complex_float6_e2m3fn", 2, 0, NULL},
    {"complex_float6_e3m2fn", "complex_float6_e3m2fn", 2, 0, NULL},
    {"complex_float8_e3m4", "complex_float8_e3m4", 2, 1, NULL},
    {"complex_float8_e4m3", "complex_float8_e4m3", 2, 1, NULL},
    {"complex_float8_e4m3b11fnuz", "complex_float8_e4m3b11fnuz", 2, 1, NULL},
    {"complex_float8_e4m3fnuz", "complex_float8_e4m3fnuz", 2, 1, NULL},
    {"complex_float8_e5m2", "complex_float8_e5m2", 2, 1, NULL},
    {"complex_float8_e5m2fnuz", "complex_float8_e5m2fnuz", 2, 1, NULL},
    {"complex_float8_e8m0fnu", "complex_float8_e8m0fnu", 2, 1, NULL},
    {"r8", "r8", 1, 1, NULL},
    {"r24", "r24", 3, 1, NULL},
    {"r8388608", "r8388608", 1048576, 1, NULL},
    {"string", "string", sizeof(zl_slot), 0, NULL},
    {"bytes", "bytes", sizeof(zl_slot), 0, NULL},
    {"variable_length_bytes", "bytes", sizeof(zl_slot), 0, NULL},
    {TIME("\"s\"", "1"), "numpy.timedelta64", 8, 8, TIME("\"s\"", "1")},
    {TIME("\"\xce\xbcs\"", "10"), "numpy.timedelta64", 8, 8, TIME("\"us\"", "10")},
    {TIME("\"\xc2\xb5s\"", "1.0"), "numpy.timedelta64", 8, 8, TIME("\"us\"", "1")},
    {TIME("\"generic\"", "2147483647"), "numpy.timedelta64", 8, 8, TIME("\"generic\"", "2147483647")},
    {FIXED("fixed_length_utf32", "12"), "fixed_length_utf32", 12, 4, FIXED("fixed_length_utf32", "12")},
    {FIXED("null_terminated_bytes", "5"), "null_terminated_bytes", 5, 1, FIXED("null_terminated_bytes", "5")},
    {FIXED("raw_bytes", "3"), "raw_bytes", 3, 1, FIXED("raw_bytes", "3")},
    {STRUCT(XY), "struct", 8, 4, STRUCT(XY)},
    {STRUCTURED("[\"x\",\"float32\"],[\"y\",\"float32\"]"), "structured", 8, 4, STRUCT(XY)},
    {STRUCTURED(XY), "structured", 8, 4, STRUCT(XY)},
    {STRUCT(FIELD("a", "\"int8\"") "," FIELD("p", STRUCT(XY))), "struct", 9, 0,
     STRUCT(FIELD("a", "\"int8\"") "," FIELD("p", STRUCT(XY)))},
    {STRUCT(FIELD("t", TIME("\"ms\"", "25")) "," FIELD("s", FIXED("fixed_length_utf32", "8"))), "struct", 16, 0,
     STRUCT(FIELD("t", TIME("\"ms\"", "25")) "," FIELD("s", FIXED("fixed_length_utf32", "8")))},
};

static void test_valid_types(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(valid_cases); i++) {
        const valid_case *c = &valid_cases[i];
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        const zl_dtype *dtype = NULL;
        zt_assert_ok(parse_type(&env, c->type, &dtype), &env.err);
        assert_string_equal(zl_dtype_name(dtype), c->name);
        assert_int_equal(zl_dtype_size(dtype), c->size);
        assert_int_equal(zl_dtype_plain_width(dtype), c->plain_width);
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", c->name);
        check_emits(dtype, c->emitted != NULL ? c->emitted : quoted);
        zt_codec_close(&env);
    }
}

typedef struct invalid_case {
    const char *type;
    zl_status status;
    const char *message;
} invalid_case;

static const invalid_case invalid_cases[] = {
    {"int128", ZL_ERR_UNSUPPORTED, "data type \"int128\" is not known"},
    {"", ZL_ERR_UNSUPPORTED, "is not known"},
    {"{\"name\":\"int128\",\"must_understand\":false}", ZL_ERR_UNSUPPORTED, "data type \"int128\" is not known"},
    {"Int8", ZL_ERR_UNSUPPORTED, "is not known"},
    {"complex_float8_e4m3fn", ZL_ERR_UNSUPPORTED, "is not known"},
    {"{\"name\":\"int8\",\"configuration\":{\"endian\":\"little\"}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"float32\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"complex64\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"bool\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"string\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"bytes\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"{\"name\":\"r8\",\"configuration\":{\"a\":1}}", ZL_ERR_METADATA, "no configuration is allowed"},
    {"[]", ZL_ERR_METADATA, ""},
    {"{\"configuration\":{}}", ZL_ERR_METADATA, "name"},
    {"r0", ZL_ERR_METADATA, "multiple of 8"},
    {"r12", ZL_ERR_METADATA, "multiple of 8"},
    {"r08", ZL_ERR_METADATA, "multiple of 8"},
    {"r", ZL_ERR_UNSUPPORTED, "is not known"},
    {"r8x", ZL_ERR_UNSUPPORTED, "is not known"},
    {"r8388616", ZL_ERR_LIMIT, "1048577"},
    {"r99999999999999999999999999999999", ZL_ERR_LIMIT, "limit"},
    {"numpy.timedelta64", ZL_ERR_METADATA, "unit"},
    {"{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"s\"}}", ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"S\"", "1"), ZL_ERR_METADATA, "unit"},
    {TIME("null", "1"), ZL_ERR_METADATA, "unit"},
    {TIME("\"s\"", "0"), ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"s\"", "-1"), ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"s\"", "1.5"), ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"s\"", "2147483648"), ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"s\"", "\"1\""), ZL_ERR_METADATA, "scale_factor"},
    {TIME("\"s\"", "1,\"extra\":1"), ZL_ERR_METADATA, "extra"},
    {"fixed_length_utf32", ZL_ERR_METADATA, "length_bytes"},
    {FIXED("fixed_length_utf32", "0"), ZL_ERR_METADATA, "length_bytes"},
    {FIXED("fixed_length_utf32", "6"), ZL_ERR_METADATA, "multiple of 4"},
    {FIXED("fixed_length_utf32", "-4"), ZL_ERR_METADATA, "length_bytes"},
    {FIXED("fixed_length_utf32", "18446744073709551612"), ZL_ERR_LIMIT, "limit"},
    {FIXED("raw_bytes", "0"), ZL_ERR_METADATA, "length_bytes"},
    {FIXED("null_terminated_bytes", "1048577"), ZL_ERR_LIMIT, "limit"},
    {"struct", ZL_ERR_METADATA, "fields"},
    {STRUCT(""), ZL_ERR_METADATA, "at least one"},
    {"{\"name\":\"struct\",\"configuration\":{\"fields\":{}}}", ZL_ERR_METADATA, "fields"},
    {STRUCT(XY "," FIELD("x", "\"int8\"")), ZL_ERR_METADATA, "two fields have the name \"x\""},
    {STRUCT(FIELD("", "\"int8\"")), ZL_ERR_METADATA, "name"},
    {STRUCT(FIELD("a\\u0000b", "\"int8\"")), ZL_ERR_METADATA, "name"},
    {STRUCT(FIELD("s", "\"string\"")), ZL_ERR_METADATA, "no fixed size"},
    {STRUCT(FIELD("s", "\"int128\"")), ZL_ERR_UNSUPPORTED, "/configuration/fields/0/data_type"},
    {STRUCT("[\"x\",\"float32\"]"), ZL_ERR_METADATA, "a field is an object"},
    {STRUCT("{\"name\":\"x\",\"data_type\":\"int8\",\"offset\":0}"), ZL_ERR_METADATA, "offset"},
    {STRUCT("{\"name\":\"x\"}"), ZL_ERR_METADATA, "data_type"},
    {STRUCTURED("[\"x\"]"), ZL_ERR_METADATA, "a field is an object"},
    {STRUCT(FIELD("a", "\"r8388608\"") "," FIELD("b", "\"int8\"")), ZL_ERR_LIMIT, "1048577"},
};

static void test_invalid_types(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(invalid_cases); i++) {
        const invalid_case *c = &invalid_cases[i];
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        const zl_dtype *dtype = NULL;
        zt_assert_fails(parse_type(&env, c->type, &dtype), &env.err, c->status, c->message);
        assert_null(dtype);
        zt_codec_close(&env);
    }
}

static void test_builtin(void **state) {
    (void)state;
    assert_null(zl_dtype_builtin(ZL_DTYPE_NONE));
    assert_null(zl_dtype_builtin(ZL_DTYPE_COUNT));
    for (int id = ZL_DTYPE_NONE + 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        assert_non_null(dtype);
        assert_int_equal(zl_dtype_get_id(dtype), id);
        assert_int_equal(zl_dtype_is_variable(dtype), id == ZL_DTYPE_STRING || id == ZL_DTYPE_BYTES);
        assert_null(zl_dtype_time_unit(dtype));
        assert_int_equal(zl_dtype_time_scale(dtype), 0);
        assert_int_equal(zl_dtype_field_count(dtype), 0);
        assert_null(zl_dtype_field(dtype, 0));
    }
    assert_string_equal(zl_dtype_name(zl_dtype_builtin(ZL_DTYPE_COMPLEX128)), "complex128");
}

static void test_parameters(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_dtype *dtype;
    zt_assert_ok(parse_type(&env, TIME("\"\xce\xbcs\"", "25"), &dtype), &env.err);
    assert_int_equal(zl_dtype_get_id(dtype), ZL_DTYPE_NONE);
    assert_string_equal(zl_dtype_time_unit(dtype), "us");
    assert_int_equal(zl_dtype_time_scale(dtype), 25);
    zt_assert_ok(parse_type(&env, STRUCT(FIELD("a", "\"int16\"") "," FIELD("p", STRUCT(XY))), &dtype), &env.err);
    assert_int_equal(zl_dtype_field_count(dtype), 2);
    const zl_field *field = zl_dtype_field(dtype, 1);
    assert_string_equal(field->name, "p");
    assert_int_equal(field->offset, 2);
    assert_int_equal(zl_dtype_field_count(field->dtype), 2);
    assert_int_equal(zl_dtype_field(field->dtype, 1)->offset, 4);
    assert_null(zl_dtype_field(dtype, 2));
    zt_codec_close(&env);
}

/* ---- classes of a context */

static zl_status mine_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                            zl_error *err) {
    (void)configuration, (void)env;
    if (strcmp(name, "int8") == 0) return zl_fail(err, ZL_ERR_UNSUPPORTED, "mine, not yours");
    static const zl_dtype_class cls = {.name = "mine"};
    static const zl_dtype dtype = {.cls = &cls, .name = "mine", .size = 2};
    *out = &dtype;
    return ZL_OK;
}

static void test_registry_goes_first(void **state) {
    (void)state;
    static const char *const aliases[] = {"int8", "my.type", NULL};
    static const zl_dtype_class mine = {.size = sizeof mine, .name = "mine", .aliases = aliases, .parse = mine_parse};
    const zl_dtype_class *classes[] = {&mine};
    const zl_registry registry = {.dtypes = classes, .dtype_count = 1};
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    env.env.registry = &registry;
    const zl_dtype *dtype = NULL;
    zt_assert_ok(parse_type(&env, "my.type", &dtype), &env.err);
    assert_string_equal(dtype->name, "mine");
    zt_assert_fails(parse_type(&env, "int8", &dtype), &env.err, ZL_ERR_UNSUPPORTED, "data type \"int8\": mine, not yours");
    zt_assert_ok(parse_type(&env, "int16", &dtype), &env.err);
    zt_codec_close(&env);
}

/* ---- raw elements */

static void check_fix(const char *type, bool swap, const void *before, const void *after, size_t count) {
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_dtype *dtype;
    zt_assert_ok(parse_type(&env, type, &dtype), &env.err);
    uint8_t elements[256];
    const size_t size = count * dtype->size;
    assert_true(size < sizeof elements);
    memcpy(elements + 1, before, size); /* at an odd address */
    zl_dtype_fix(dtype, swap, elements + 1, count);
    assert_memory_equal(elements + 1, after, size);
    assert_int_equal(zl_dtype_needs_fix(dtype, swap), memcmp(before, after, size) != 0);
    zt_codec_close(&env);
}

static void test_fix(void **state) {
    (void)state;
    check_fix("bool", false, "\x00\x01\x02\xff", "\x00\x01\x01\x01", 4);
    check_fix("bool", true, "\x00\x01\x02\xff", "\x00\x01\x01\x01", 4);
    check_fix("uint8", true, "\x01\x02", "\x01\x02", 2);
    check_fix("int16", false, "\x01\x02\x03\x04", "\x01\x02\x03\x04", 2);
    check_fix("int16", true, "\x01\x02\x03\x04", "\x02\x01\x04\x03", 2);
    check_fix("float32", true, "\x01\x02\x03\x04", "\x04\x03\x02\x01", 1);
    check_fix("complex64", true, "\x01\x02\x03\x04\x05\x06\x07\x08", "\x04\x03\x02\x01\x08\x07\x06\x05", 1);
    check_fix("int64", true, "\x01\x02\x03\x04\x05\x06\x07\x08", "\x08\x07\x06\x05\x04\x03\x02\x01", 1);
    check_fix("r24", true, "\x01\x02\x03", "\x01\x02\x03", 1);
    check_fix("int4", false, "\x07\x08\xf7\x7f", "\x07\xf8\x07\xff", 4);
    check_fix("int2", false, "\x01\x02\xfd", "\x01\xfe\x01", 3);
    check_fix("uint4", false, "\x0f\xff\xf0", "\x0f\x0f\x00", 3);
    check_fix("uint2", false, "\x03\xff\xfc", "\x03\x03\x00", 3);
    check_fix("float4_e2m1fn", false, "\xf7\x0f", "\x07\x0f", 2);
    check_fix("complex_float6_e3m2fn", false, "\xff\x3f\x40\x80", "\x3f\x3f\x00\x00", 2);
    check_fix(FIXED("fixed_length_utf32", "8"), true, "\x41\0\0\0\x42\0\0\0", "\0\0\0\x41\0\0\0\x42", 1);
#define MIXED \
    STRUCT(FIELD("a", "\"int16\"") "," FIELD("b", "\"bool\"") "," FIELD("c", "\"int4\"") "," FIELD("d", "\"int32\""))
    check_fix(MIXED, true, "\x01\x02\x05\x0f\x01\x02\x03\x04\x03\x04\x00\x07\x05\x06\x07\x08",
              "\x02\x01\x01\xff\x04\x03\x02\x01\x04\x03\x00\x07\x08\x07\x06\x05", 2);
    check_fix(MIXED, false, "\x01\x02\x05\x0f\x01\x02\x03\x04\x03\x04\x00\x07\x05\x06\x07\x08",
              "\x01\x02\x01\xff\x01\x02\x03\x04\x03\x04\x00\x07\x05\x06\x07\x08", 2);
}

/* Rules hold for units of any width, which only types from outside have. */
static void test_fix_wide_units(void **state) {
    (void)state;
    const zl_unit units[] = {{.offset = 0, .count = 1, .width = 2, .rule = ZL_UNIT_SIGN_EXTEND, .bits = 12},
                             {.offset = 2, .count = 1, .width = 4, .rule = ZL_UNIT_ZERO_EXTEND, .bits = 24}};
    const zl_dtype dtype = {.name = "wide", .size = 6, .align = 1, .unit_count = 2, .units = units};
    uint8_t element[6];
    zl_store_unit(element, 2, 0x7800);
    zl_store_unit(element + 2, 4, 0xff123456);
    zl_dtype_fix(&dtype, false, element, 1);
    assert_int_equal(zl_load_unit(element, 2), 0xf800);
    assert_int_equal(zl_load_unit(element + 2, 4), 0x123456);
    assert_int_equal(zl_dtype_plain_width(&dtype), 0);
}

static void test_same(void **state) {
    (void)state;
    const zl_dtype *f64 = zl_dtype_builtin(ZL_DTYPE_FLOAT64);
    const double zero = 0.0, negative = -0.0;
    assert_true(zl_dtype_same(f64, &zero, &zero));
    assert_false(zl_dtype_same(f64, &zero, &negative));
    const zl_dtype *string = zl_dtype_builtin(ZL_DTYPE_STRING);
    const zl_slot a = {"abc", 3}, b = {"abcd", 3}, c = {"abd", 3}, d = {"abc", 2}, none = {NULL, 0}, empty = {"", 0};
    assert_true(zl_dtype_same(string, &a, &b));
    assert_false(zl_dtype_same(string, &a, &c));
    assert_false(zl_dtype_same(string, &a, &d));
    assert_true(zl_dtype_same(string, &none, &empty));
}

static zl_status parse_all(const zl_allocator *allocator, void *arg) {
    (void)arg;
    static const char *const types[] = {STRUCT(FIELD("t", TIME("\"ms\"", "25")) "," FIELD("p", STRUCT(XY))), "r24"};
    zt_codec env;
    zl_status status = zt_codec_init(&env, allocator);
    for (size_t i = 0; status == ZL_OK && i < ZL_COUNT_OF(types); i++) {
        const zl_dtype *dtype;
        status = parse_type(&env, types[i], &dtype);
    }
    zt_codec_close(&env);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(parse_all, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_types),
        cmocka_unit_test(test_invalid_types),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_registry_goes_first),
        cmocka_unit_test(test_fix),
        cmocka_unit_test(test_fix_wide_units),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
