/* SPDX-License-Identifier: MIT */
/* Fill values of every type: JSON -> element -> JSON -> the same element. */
#include "dtype/base64.h"
#include "dtype/dtype.h"
#include "zt.h"
#include "zt_codec.h"

#define MAX_SIZE 64

/* A data type with a name alone, or one with a configuration. */
static zl_status parse_type(zt_codec *env, const char *type, const zl_dtype **out) {
    char quoted[160];
    snprintf(quoted, sizeof quoted, "\"%s\"", type);
    const zl_json *value;
    ZL_TRY(zt_codec_json(env, type[0] == '{' ? type : quoted, &value));
    return zl_dtype_parse(value, &env->env, out, &env->err);
}

/* `fill` NULL: the default. */
static zl_status parse_fill(zt_codec *env, const zl_dtype *dtype, const char *fill, void *element) {
    const zl_json *value = NULL;
    if (fill != NULL) ZL_TRY(zt_codec_json(env, fill, &value));
    return dtype->cls->parse_fill(dtype, value, &env->env, element, &env->err);
}

static zl_status emit_fill(zt_codec *env, const zl_dtype *dtype, const void *element, char *text, size_t cap) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, &env->allocator, 0);
    dtype->cls->emit_fill(dtype, element, &writer);
    const zl_status status = zl_json_writer_finish(&writer, &env->err);
    if (status == ZL_OK) snprintf(text, cap, "%s", (const char *)writer.sink.data);
    zl_json_writer_clear(&writer);
    return status;
}

/* An element's bytes in hexadecimal; numbers with their highest byte last, as in a little-endian file. */
static void hex_of(const zl_dtype *dtype, const void *element, char *hex) {
    uint8_t bytes[MAX_SIZE];
    size_t size = dtype->size;
    const void *from = element;
    zl_slot slot;
    if (dtype->variable) {
        memcpy(&slot, element, sizeof slot);
        from = slot.data;
        size = (size_t)slot.size;
    }
    assert_true(size <= sizeof bytes);
    memcpy(bytes, from, size);
    if (!dtype->variable) zl_dtype_fix(dtype, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, bytes, 1);
    hex[0] = '\0';
    for (size_t i = 0; i < size; i++) {
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    }
}

typedef struct valid_case {
    const char *type;
    const char *fill; /* NULL: the default */
    const char *hex;
    const char *emitted; /* NULL: `fill` */
} valid_case;

#define TIME "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":10}}"
#define FIXED(name, length) "{\"name\":\"" name "\",\"configuration\":{\"length_bytes\":" length "}}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"data_type\":" type "}"
#define XY FIELD("x", "\"float32\"") "," FIELD("y", "\"int16\"")
#define STRUCT(fields) "{\"name\":\"struct\",\"configuration\":{\"fields\":[" fields "]}}"
#define STRUCTURED "{\"name\":\"structured\",\"configuration\":{\"fields\":[[\"x\",\"float32\"],[\"y\",\"int16\"]]}}"

static const valid_case valid_cases[] = {
    {"bool", "false", "00", NULL},
    {"bool", "true", "01", NULL},
    {"bool", NULL, "00", "false"},
    {"int8", "-128", "80", NULL},
    {"int8", "127", "7f", NULL},
    {"int16", "-2", "feff", NULL},
    {"int32", "-2147483648", "00000080", NULL},
    {"int64", "9007199254740993", "0100000000002000", NULL},
    {"int64", "-9223372036854775808", "0000000000000080", NULL},
    {"uint8", "255", "ff", NULL},
    {"uint16", "65535", "ffff", NULL},
    {"uint32", "4294967295", "ffffffff", NULL},
    {"uint64", "18446744073709551615", "ffffffffffffffff", NULL},
    {"uint64", NULL, "0000000000000000", "0"},
    {"int2", "-2", "fe", NULL},
    {"int4", "-8", "f8", NULL},
    {"int4", "7", "07", NULL},
    {"uint2", "3", "03", NULL},
    {"uint4", "15", "0f", NULL},

    {"float16", "0", "0000", "0.0"},
    {"float16", "-0.0", "0080", NULL},
    {"float16", "1.5", "003e", NULL},
    {"float16", "0.1", "662e", NULL},
    {"float16", "65504", "ff7b", "65504.0"},
    {"float16", "6e-8", "0100", "6e-08"},
    {"float16", "\"NaN\"", "007e", NULL},
    {"float16", "\"Infinity\"", "007c", NULL},
    {"float16", "\"+Infinity\"", "007c", "\"Infinity\""},
    {"float16", "\"-Infinity\"", "00fc", NULL},
    {"float16", "\"0x7e01\"", "017e", NULL},
    {"float16", "\"0x7c01\"", "017c", NULL},
    {"float16", "\"0xfe00\"", "00fe", NULL},
    {"float16", "\"0xfc00\"", "00fc", "\"-Infinity\""},
    {"float16", "\"0x3c00\"", "003c", "1.0"},
    {"float32", "\"0x7fc00000\"", "0000c07f", "\"NaN\""},
    {"float32", "\"0x7FC00001\"", "0100c07f", "\"0x7fc00001\""},
    {"float32", "\"0xffc00000\"", "0000c0ff", NULL},
    {"float32", "\"0x80000000\"", "00000080", "-0.0"},
    {"float32", "1.401298464324817e-45", "01000000", "1e-45"},
    {"float32", "0.1", "cdcccc3d", NULL},
    {"float32", "3.4028235e+38", "ffff7f7f", NULL},
    {"float32", NULL, "00000000", "0.0"},
    {"float64", "0.1", "9a9999999999b93f", NULL},
    {"float64", "5e-324", "0100000000000000", NULL},
    {"float64", "1.7976931348623157e+308", "ffffffffffffef7f", NULL},
    {"float64", "\"0x7ff8000000000001\"", "010000000000f87f", NULL},
    {"float64", "\"NaN\"", "000000000000f87f", NULL},
    {"bfloat16", "\"NaN\"", "c07f", NULL},
    {"bfloat16", "\"0x7fc1\"", "c17f", NULL},
    {"bfloat16", "0.1", "cd3d", NULL},
    {"bfloat16", "3.3895314e38", "7f7f", "3.39e+38"},
    {"float8_e4m3", "\"NaN\"", "7c", NULL},
    {"float8_e3m4", "\"NaN\"", "78", NULL},
    {"float8_e5m2", "\"NaN\"", "7e", NULL},
    {"float8_e5m2", "\"0x7f\"", "7f", NULL},
    {"float8_e5m2", "57344", "7b", "57344.0"},
    {"float8_e4m3fn", "448", "7e", "448.0"},
    {"float8_e4m3fn", "\"NaN\"", "7f", NULL},
    {"float8_e4m3fn", "\"0xff\"", "ff", NULL},
    {"float8_e4m3fnuz", "\"NaN\"", "80", NULL},
    {"float8_e4m3fnuz", "-0.0", "00", "0.0"},
    {"float8_e4m3b11fnuz", "\"0x80\"", "80", "\"NaN\""},
    {"float8_e5m2fnuz", "-1", "c0", "-1.0"},
    {"float8_e8m0fnu", "\"NaN\"", "ff", NULL},
    {"float8_e8m0fnu", "128", "86", "128.0"},
    {"float8_e8m0fnu", "1.5", "80", "2.0"},
    {"float8_e8m0fnu", NULL, "00", "5.877471754111438e-39"},
    {"float4_e2m1fn", "\"0xf\"", "0f", "-6.0"},
    {"float4_e2m1fn", "\"0x0f\"", "0f", "-6.0"},
    {"float4_e2m1fn", "0.5", "01", NULL},
    {"float6_e2m3fn", "-7.5", "3f", NULL},
    {"float6_e3m2fn", "\"0x1f\"", "1f", "28.0"},

    {"complex64", "[1, -2]", "0000803f000000c0", "[1.0,-2.0]"},
    {"complex64", "[\"NaN\",\"-Infinity\"]", "0000c07f000080ff", NULL},
    {"complex64", NULL, "0000000000000000", "[0.0,0.0]"},
    {"complex_float32", "[-0.0,0.0]", "0000008000000000", NULL},
    {"complex128", "[\"0x7ff8000000000002\",0.1]", "020000000000f87f9a9999999999b93f", NULL},
    {"complex_bfloat16", "[1.0,\"NaN\"]", "803fc07f", NULL},
    {"complex_float4_e2m1fn", "[\"0x00\",\"0x01\"]", "0001", "[0.0,0.5]"},

    {"r8", "[255]", "ff", NULL},
    {"r24", "[1,2,255]", "0102ff", NULL},
    {"r24", NULL, "000000", "[0,0,0]"},

    {"string", "\"\"", "", NULL},
    {"string", "\"fill\\u0000\xc3\xa9\"", "66696c6c00c3a9", NULL},
    {"string", NULL, "", "\"\""},
    {"bytes", "\"AQL/\"", "0102ff", NULL},
    {"bytes", "[1, 2, 255]", "0102ff", "\"AQL/\""},
    {"bytes", "[]", "", "\"\""},
    {"bytes", "\"\"", "", NULL},
    {"bytes", NULL, "", "\"\""},
    {"variable_length_bytes", "\"AQ==\"", "01", NULL},

    {TIME, "-5", "fbffffffffffffff", NULL},
    {TIME, "\"NaT\"", "0000000000000080", NULL},
    {TIME, "-9223372036854775808", "0000000000000080", "\"NaT\""},
    {TIME, "9223372036854775807", "ffffffffffffff7f", NULL},
    {TIME, NULL, "0000000000000000", "0"},

    {FIXED("fixed_length_utf32", "12"), "\"ab\"", "610000006200000000000000", NULL},
    {FIXED("fixed_length_utf32", "12"), "\"\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80\"", "e9000000e565000000f60100", NULL},
    {FIXED("fixed_length_utf32", "8"), "\"\\u0000b\"", "0000000062000000", NULL},
    {FIXED("fixed_length_utf32", "4"), NULL, "00000000", "\"\""},
    {FIXED("null_terminated_bytes", "5"), "\"YQ==\"", "6100000000", NULL},
    {FIXED("null_terminated_bytes", "1"), "\"YQ==\"", "61", NULL},
    {FIXED("null_terminated_bytes", "4"), "\"WAAAAA==\"", "58000000", "\"WA==\""},
    {FIXED("null_terminated_bytes", "4"), "\"\"", "00000000", NULL},
    {FIXED("raw_bytes", "5"), "\"AQIDBAU=\"", "0102030405", NULL},
    {FIXED("raw_bytes", "2"), NULL, "0000", "\"AAA=\""},

    {STRUCT(XY), "{\"x\":1.0,\"y\":-2}", "0000803ffeff", NULL},
    {STRUCT(XY), "{\"y\":-2,\"x\":1}", "0000803ffeff", "{\"x\":1.0,\"y\":-2}"},
    {STRUCT(XY), NULL, "000000000000", "{\"x\":0.0,\"y\":0}"},
    {STRUCT(FIELD("a", "\"uint8\"") "," FIELD("p", STRUCT(XY))), "{\"a\":7,\"p\":{\"x\":1.0,\"y\":2}}", "070000803f0200",
     NULL},
    {STRUCT(FIELD("a", "\"uint8\"") "," FIELD("t", TIME)), "{\"a\":7,\"t\":\"NaT\"}", "070000000000000080", NULL},
    {STRUCTURED, "\"AQIDBAUG\"", "010203040506", "{\"x\":1.5399896e-36,\"y\":1541}"},
    {STRUCTURED, "{\"x\":1.0,\"y\":-2}", "0000803ffeff", NULL},
};

static void check_valid(const valid_case *c, int32_t zarr_format) {
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    env.env.zarr_format = zarr_format;
    const zl_dtype *dtype;
    zt_assert_ok(parse_type(&env, c->type, &dtype), &env.err);
    uint8_t element[MAX_SIZE + 1], again[MAX_SIZE + 1]; /* used at an odd address */
    memset(element, 0xa5, sizeof element);
    zt_assert_ok(parse_fill(&env, dtype, c->fill, element + 1), &env.err);
    assert_int_equal(element[1 + dtype->size], 0xa5);
    char hex[2 * MAX_SIZE + 1], text[256];
    hex_of(dtype, element + 1, hex);
    assert_string_equal(hex, c->hex);
    zt_assert_ok(emit_fill(&env, dtype, element + 1, text, sizeof text), &env.err);
    assert_string_equal(text, c->emitted != NULL ? c->emitted : c->fill);
    zt_assert_ok(parse_fill(&env, dtype, text, again + 1), &env.err);
    assert_true(zl_dtype_same(dtype, element + 1, again + 1));
    zt_codec_close(&env);
}

static void test_valid_fills(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(valid_cases); i++)
        check_valid(&valid_cases[i], 3);
}

typedef struct invalid_case {
    const char *type;
    const char *fill;
    const char *message;
} invalid_case;

static const invalid_case invalid_cases[] = {
    {"bool", "0", ""},
    {"bool", "1", ""},
    {"bool", "\"true\"", ""},
    {"bool", "null", ""},
    {"uint8", "256", "256 is outside 0..255, the range of uint8"},
    {"uint8", "-1", ""},
    {"uint8", "1.0", ""},
    {"uint8", "1e1", ""},
    {"uint8", "true", ""},
    {"uint8", "\"1\"", ""},
    {"uint8", "null", ""},
    {"int8", "-129", "-129 is outside -128..127"},
    {"int8", "128", ""},
    {"int16", "32768", ""},
    {"int32", "2147483648", ""},
    {"int64", "9223372036854775808", ""},
    {"uint64", "18446744073709551616", ""},
    {"int2", "2", "-2..1"},
    {"int4", "-9", ""},
    {"uint2", "4", ""},
    {"uint4", "16", ""},
    {"float16", "65520", "65520 is outside the range of float16"},
    {"float32", "3.4028236e38", "outside the range"},
    {"float64", "1e309", "outside the range"},
    {"float32", "\"0x7fc0\"", "8 hexadecimal digits"},
    {"float32", "\"0x7fc000000\"", "8 hexadecimal digits"},
    {"float32", "\"0x7fc0000g\"", "8 hexadecimal digits"},
    {"float32", "\"0x7fc0\\u000000\"", ""},
    {"float32", "\"7fc00000\"", "is not a value of float32"},
    {"float32", "\"0X7fc00000\"", ""},
    {"float32", "\"nan\"", ""},
    {"float32", "\"1.0\"", ""},
    {"float32", "true", ""},
    {"float32", "null", ""},
    {"float32", "[1.0]", "a number or a string"},
    {"float4_e2m1fn", "\"NaN\"", ""},
    {"float4_e2m1fn", "\"Infinity\"", ""},
    {"float4_e2m1fn", "7", "outside the range"},
    {"float4_e2m1fn", "\"0x1f\"", ""},
    {"float4_e2m1fn", "\"0x\"", ""},
    {"float6_e2m3fn", "\"0x40\"", ""},
    {"float6_e2m3fn", "\"0x1\"", ""},
    {"float8_e4m3fnuz", "\"Infinity\"", ""},
    {"float8_e4m3fn", "\"-Infinity\"", ""},
    {"float8_e8m0fnu", "0", "outside the range"},
    {"float8_e8m0fnu", "-1", "outside the range"},
    {"float8_e8m0fnu", "1e-39", "outside the range"},
    {"complex64", "[1]", "array of two"},
    {"complex64", "[1,2,3]", "array of two"},
    {"complex64", "1", "array of two"},
    {"complex64", "[1,\"x\"]", "/1"},
    {"r16", "[1]", "array of 2 integers"},
    {"r16", "[1,2,3]", ""},
    {"r16", "[1,256]", "256 is not a byte"},
    {"r16", "[1,-1]", ""},
    {"r16", "[1,2.0]", ""},
    {"r16", "\"AAA=\"", ""},
    {"string", "0", "is a string"},
    {"string", "null", ""},
    {"bytes", "\"AQL\"", "base64"},
    {"bytes", "\"AQ=/\"", "base64"},
    {"bytes", "\"A===\"", "base64"},
    {"bytes", "\"====\"", "base64"},
    {"bytes", "\"AR==\"", "base64"},
    {"bytes", "\"AQ-_\"", "base64"},
    {"bytes", "[256]", ""},
    {"bytes", "null", ""},
    {TIME, "1.0", ""},
    {TIME, "1e3", ""},
    {TIME, "9223372036854775808", ""},
    {TIME, "-9223372036854775809", ""},
    {TIME, "\"nat\"", ""},
    {TIME, "\"5\"", ""},
    {FIXED("fixed_length_utf32", "8"), "\"abc\"", "more than 2 code points"},
    {FIXED("fixed_length_utf32", "8"), "1", ""},
    {FIXED("null_terminated_bytes", "1"), "\"AAA=\"", "2 bytes for elements of 1"},
    {FIXED("raw_bytes", "2"), "\"AA==\"", "1 bytes for elements of 2"},
    {FIXED("raw_bytes", "2"), "[1,2]", "base64"},
    {STRUCT(XY), "{\"x\":1.0}", "field \"y\" has no fill value"},
    {STRUCT(XY), "{\"x\":1.0,\"y\":1,\"z\":1}", "there is no field \"z\""},
    {STRUCT(XY), "{\"x\":1.0,\"y\\u0000\":1}", "there is no field"},
    {STRUCT(XY), "{\"x\":1.0,\"y\":1,\"x\":1}", "twice"},
    {STRUCT(XY), "{\"x\":1.0,\"y\":1.0}", "/y"},
    {STRUCT(XY), "\"AAAAAAAA\"", "an object"},
    {STRUCT(XY), "0", "an object"},
    {STRUCTURED, "\"AAAAAAA=\"", "5 bytes for elements of 6"},
    {STRUCTURED, "0", "an object"},
};

static void check_invalid(const invalid_case *c, int32_t zarr_format) {
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    env.env.zarr_format = zarr_format;
    const zl_dtype *dtype;
    zt_assert_ok(parse_type(&env, c->type, &dtype), &env.err);
    uint8_t element[MAX_SIZE];
    zt_assert_fails(parse_fill(&env, dtype, c->fill, element), &env.err, ZL_ERR_METADATA, c->message);
    zt_codec_close(&env);
}

static void test_invalid_fills(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(invalid_cases); i++)
        check_invalid(&invalid_cases[i], 3);
}

/* Writers of Zarr v2 are less strict. */
static void test_v2_fills(void **state) {
    (void)state;
    static const valid_case valid[] = {
        {"uint8", "0.0", "00", "0"},
        {"int16", "-2e0", "feff", "-2"},
        {"uint64", "1e19", "0000e8890423c78a", "10000000000000000000"},
        {TIME, "5.0", "0500000000000000", "5"},
        {"string", "0", "", "\"\""},
    };
    static const invalid_case invalid[] = {{"uint8", "0.5", ""},   {"uint8", "-1.0", ""}, {"uint8", "256.0", ""},
                                           {"uint64", "1e20", ""}, {"int64", "1e19", ""}, {"string", "1", ""}};
    for (size_t i = 0; i < ZL_COUNT_OF(valid); i++)
        check_valid(&valid[i], 2);
    for (size_t i = 0; i < ZL_COUNT_OF(invalid); i++)
        check_invalid(&invalid[i], 2);
}

/* Base64 of structured is in the byte order of the bytes codec, which whoever knows that codec applies. */
static void test_packed_fill_of_big_endian_arrays(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_dtype *dtype;
    const zl_json *value;
    zt_assert_ok(parse_type(&env, STRUCTURED, &dtype), &env.err);
    zt_assert_ok(zt_codec_json(&env, "\"P4AAAP/+\"", &value), &env.err);
    assert_true(zl_dtype_fill_follows_codec(dtype, value));
    assert_false(zl_dtype_fill_follows_codec(dtype, NULL));
    uint8_t element[6];
    char hex[2 * MAX_SIZE + 1];
    zt_assert_ok(dtype->cls->parse_fill(dtype, value, &env.env, element, &env.err), &env.err);
    zl_dtype_fix(dtype, true, element, 1);
    hex_of(dtype, element, hex);
    assert_string_equal(hex, "0000803ffeff");
    zt_assert_ok(zt_codec_json(&env, "{\"x\":0,\"y\":0}", &value), &env.err);
    assert_false(zl_dtype_fill_follows_codec(dtype, value));
    zt_codec_close(&env);
}

/* Elements that hold what their type does not know are shown all the same. */
static void test_emit_of_strange_elements(void **state) {
    (void)state;
    zt_codec env;
    char text[64];
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_dtype *dtype;
    zt_assert_ok(parse_type(&env, FIXED("fixed_length_utf32", "12"), &dtype), &env.err);
    const uint32_t points[3] = {0xd800, 0x110000, 0x10ffff};
    zt_assert_ok(emit_fill(&env, dtype, points, text, sizeof text), &env.err);
    assert_string_equal(text, "\"\xef\xbf\xbd\xef\xbf\xbd\xf4\x8f\xbf\xbf\"");
    zt_assert_ok(emit_fill(&env, zl_dtype_builtin(ZL_DTYPE_BOOL), "\x02", text, sizeof text), &env.err);
    assert_string_equal(text, "true");
    zt_assert_ok(emit_fill(&env, zl_dtype_builtin(ZL_DTYPE_INT4), "\x0f", text, sizeof text), &env.err);
    assert_string_equal(text, "-1");
    const zl_slot none = {NULL, 0};
    zt_assert_ok(emit_fill(&env, zl_dtype_builtin(ZL_DTYPE_STRING), &none, text, sizeof text), &env.err);
    assert_string_equal(text, "\"\"");
    zt_codec_close(&env);
}

static void test_base64(void **state) {
    (void)state;
    zt_random random = zt_random_seed(64);
    for (size_t size = 0; size < 40; size++) {
        uint8_t bytes[40], back[40];
        char text[60];
        zt_random_fill(&random, bytes, size);
        const size_t length = zl_base64_encoded_size(size);
        zl_base64_encode(bytes, size, text);
        size_t decoded = SIZE_MAX;
        assert_true(zl_base64_decoded_size(text, length, &decoded));
        assert_int_equal(decoded, size);
        assert_true(zl_base64_decode(text, length, back));
        assert_memory_equal(bytes, back, size);
    }
}

static zl_status fill_all(const zl_allocator *allocator, void *arg) {
    const valid_case *c = arg;
    zt_codec env;
    zl_status status = zt_codec_init(&env, allocator);
    const zl_dtype *dtype = NULL;
    uint8_t element[MAX_SIZE];
    char text[256];
    if (status == ZL_OK) status = parse_type(&env, c->type, &dtype);
    if (status == ZL_OK) status = parse_fill(&env, dtype, c->fill, element);
    if (status == ZL_OK) status = emit_fill(&env, dtype, element, text, sizeof text);
    zt_codec_close(&env);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(valid_cases); i++) {
        valid_case c = valid_cases[i];
        zt_run_out_of_memory(fill_all, &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_fills),
        cmocka_unit_test(test_invalid_fills),
        cmocka_unit_test(test_v2_fills),
        cmocka_unit_test(test_packed_fill_of_big_endian_arrays),
        cmocka_unit_test(test_emit_of_strange_elements),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
