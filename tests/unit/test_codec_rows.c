/* SPDX-License-Identifier: MIT */
/* Codecs that map element by element: bitround and scale_offset. Cases are written as JSON fill values. */
#include "zt_codec.h"

#define TIME "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}"

static zl_status open_codec(zt_codec *codec, const char *json, const char *data_type, const char *fill) {
    return zt_codec_begin(codec, json, data_type, fill, 0, NULL);
}

static void read_element(zt_codec *codec, const char *json, void *out) {
    zl_json_doc *doc;
    zt_assert_ok(zl_json_parse(&doc, json, strlen(json), NULL, &codec->allocator, &codec->err), &codec->err);
    const zl_dtype *dtype = codec->in.dtype;
    zt_assert_ok(dtype->cls->parse_fill(dtype, zl_json_root(doc), &codec->env, out, &codec->err), &codec->err);
    zl_json_doc_free(doc);
}

typedef struct row_case {
    const char *json, *data_type;
    const char *from;
    const char *to; /* NULL: refused */
} row_case;

/* Runs one element between two others. */
static void check_row(const row_case *it, bool encoding) {
    zt_codec codec;
    /* Where nothing is refused the fill value is the element itself, decoded. */
    const char *fill = !it->to ? "0" : encoding ? it->from : it->to;
    zt_assert_ok(open_codec(&codec, it->json, it->data_type, fill), &codec.err);
    const zl_aa_ops *aa = codec.cls->aa;
    const size_t size = codec.in.dtype->size;
    _Alignas(16) uint8_t src[3 * 16] = {0}, dst[3 * 16], expected[16];
    read_element(&codec, it->from, src + size);
    /* The neighbours are what the fill value becomes, or would be. */
    for (size_t i = 0; i < 3; i += 2) {
        memcpy(src + i * size, encoding ? codec.in.fill : codec.out.fill, size);
    }
    memset(dst, 0xaa, sizeof dst);
    const size_t done = (encoding ? aa->encode_row : aa->decode_row)(codec.bound, dst, src, 3);
    if (it->to) {
        read_element(&codec, it->to, expected);
        assert_int_equal(done, 3);
        assert_memory_equal(dst + size, expected, size);
        for (size_t i = 3 * size; i < sizeof dst; i++) {
            assert_int_equal(dst[i], 0xaa);
        }
    } else {
        assert_int_equal(done, 1);
        zt_assert_fails(aa->refuse(codec.bound, encoding, src + size, &codec.err), &codec.err,
                        encoding ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT, it->data_type + 1);
    }
    zt_codec_close(&codec);
}

/* ---- bitround */

#define KEEP(bits) "{\"name\":\"bitround\",\"configuration\":{\"keepbits\":" #bits "}}"

static const row_case bitround_cases[] = {
    {KEEP(1), "\"float32\"", "1.25", "1.0"}, /* ties to even */
    {KEEP(1), "\"float32\"", "1.75", "2.0"}, /* a carry into the exponent */
    {KEEP(1), "\"float32\"", "-1.75", "-2.0"},
    {KEEP(1), "\"float32\"", "1.26", "1.5"},
    {KEEP(23), "\"float32\"", "1.2345678", "1.2345678"},
    {KEEP(99), "\"float32\"", "1.2345678", "1.2345678"},
    {KEEP(1), "\"float32\"", "3.4e38", "\"Infinity\""},
    {KEEP(1), "\"float32\"", "\"0x7fffffff\"", "\"0x7fffffff\""}, /* NaN keeps its payload */
    {KEEP(1), "\"float32\"", "\"-Infinity\"", "\"-Infinity\""},
    {KEEP(1), "\"float32\"", "-0.0", "-0.0"},
    {KEEP(3), "\"float64\"", "3.14159", "3.25"},
    {KEEP(3), "\"float16\"", "3.14159", "3.25"},
    {KEEP(2), "\"bfloat16\"", "3.14159", "3.0"},
    {KEEP(1), "\"complex64\"", "[1.25,1.75]", "[1.0,2.0]"},
    {KEEP(1), "\"complex128\"", "[\"NaN\",1.26]", "[\"NaN\",1.5]"},
    {KEEP(3), "\"uint8\"", "255", "224"}, /* 256 does not fit */
    {KEEP(3), "\"uint8\"", "17", "16"},
    {KEEP(3), "\"uint8\"", "18", "16"}, /* a tie */
    {KEEP(3), "\"uint8\"", "22", "24"}, /* a tie */
    {KEEP(3), "\"uint8\"", "7", "7"},
    {KEEP(1), "\"uint8\"", "0", "0"},
    {KEEP(1), "\"int8\"", "98", "64"}, /* 128 does not fit */
    {KEEP(1), "\"int8\"", "-98", "-128"},
    {KEEP(1), "\"int8\"", "-128", "-128"},
    {KEEP(1), "\"int8\"", "-1", "-1"},
    {KEEP(2), "\"int16\"", "1000", "1024"},
    {KEEP(2), "\"int32\"", "-1000", "-1024"},
    {KEEP(1), "\"int64\"", "-9223372036854775807", "-9223372036854775808"},
    {KEEP(1), "\"uint64\"", "18446744073709551615", "9223372036854775808"},
    {KEEP(64), "\"uint64\"", "18446744073709551615", "18446744073709551615"},
    {KEEP(1), TIME, "-9223372036854775807", "-4611686018427387904"}, /* not "NaT" */
    {KEEP(1), TIME, "\"NaT\"", "\"NaT\""},
    {KEEP(1), "\"int4\"", "-7", "-8"},
    {KEEP(1), "\"int4\"", "7", "4"},
    {"{\"name\":\"numcodecs.bitround\",\"configuration\":{\"keepbits\":1}}", "\"float32\"", "1.75", "2.0"},
};

static void test_bitround(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(bitround_cases); i++) {
        check_row(&bitround_cases[i], true);
        row_case same = bitround_cases[i];
        same.to = same.from;
        check_row(&same, false);
    }
}

/* Against the definition, for all numbers of two small types. */
static void test_bitround_small(void **state) {
    (void)state;
    for (unsigned keep = 1; keep < 9; keep++) {
        char json[80];
        snprintf(json, sizeof json, "{\"name\":\"bitround\",\"configuration\":{\"keepbits\":%u}}", keep);
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json, "\"uint8\"", NULL), &codec.err);
        for (unsigned value = 0; value < 256; value++) {
            const uint8_t from = (uint8_t)value;
            uint8_t to;
            assert_int_equal(codec.cls->aa->encode_row(codec.bound, &to, &from, 1), 1);
            /* The nearest number of `keep` bits: none is nearer, and of two the one with the even last kept bit. */
            unsigned best = 0;
            for (unsigned other = 0; other < 256; other++) {
                unsigned odd = other;
                while (odd && odd % 2 == 0) {
                    odd /= 2;
                }
                if (odd >> keep) continue;
                const int difference = abs((int)other - (int)value) - abs((int)best - (int)value);
                if (difference < 0 || (difference == 0 && __builtin_ctz(other | 256) > __builtin_ctz(best | 256)))
                    best = other;
            }
            assert_int_equal(to, best);
        }
        zt_codec_close(&codec);
    }
}

/* ---- scale_offset */

#define SO(configuration) "{\"name\":\"scale_offset\",\"configuration\":{" configuration "}}"

static const row_case encode_cases[] = {
    {SO("\"offset\":5,\"scale\":0.5"), "\"float32\"", "8", "1.5"},
    {SO("\"offset\":5,\"scale\":0.1"), "\"float32\"", "\"0x7fc00001\"", "\"0x7fc00001\""},
    {SO("\"scale\":4"), "\"float32\"", "1e38", NULL},
    {SO("\"scale\":4"), "\"float32\"", "\"Infinity\"", "\"Infinity\""},
    {SO("\"offset\":-1.7e308"), "\"float64\"", "1.7e308", NULL},
    {SO("\"offset\":-1.7e308,\"scale\":0.1"), "\"float64\"", "1.7e308", NULL}, /* too large on the way */
    {SO("\"scale\":1.0"), "\"float32\"", "-0.0", "-0.0"},
    {"\"scale_offset\"", "\"float32\"", "\"0x7f800001\"", "\"0x7f800001\""}, /* a signalling NaN */
    {SO("\"scale\":2"), "\"float16\"", "40000", NULL},
    {SO("\"offset\":-1"), "\"float16\"", "2048", "2048"}, /* 2049 is a tie */
    {SO("\"offset\":-7,\"scale\":5"), "\"int32\"", "3", "50"},
    {SO("\"offset\":-7,\"scale\":5"), "\"int32\"", "2147483647", NULL},
    {SO("\"offset\":100"), "\"int8\"", "-100", NULL},
    {SO("\"scale\":2"), "\"uint8\"", "128", NULL},
    {SO("\"offset\":100,\"scale\":2"), "\"uint8\"", "227", "254"},
    {SO("\"scale\":-1"), "\"int64\"", "-9223372036854775808", NULL},
    {SO("\"scale\":3"), "\"uint64\"", "6148914691236517205", "18446744073709551615"},
    {SO("\"scale\":3"), "\"uint64\"", "6148914691236517206", NULL},
    {SO("\"offset\":-1"), "\"int4\"", "7", NULL},
    {SO("\"offset\":-1"), "\"int4\"", "6", "7"},
    {SO("\"scale\":3"), "\"uint2\"", "1", "3"},
    {SO("\"offset\":1"), TIME, "11", "10"},
    {SO("\"scale\":2"), "\"float4_e2m1fn\"", "2", "4.0"},
    {SO("\"scale\":2"), "\"float4_e2m1fn\"", "4", NULL}, /* 8 is more than 6 */
    {SO("\"scale\":2"), "\"float8_e8m0fnu\"", "1", "2.0"},
    {SO("\"offset\":2"), "\"float8_e8m0fnu\"", "4", "2.0"},
    {SO("\"scale\":0.25"), "\"bfloat16\"", "3", "0.75"},
};

static const row_case decode_cases[] = {
    {SO("\"offset\":5,\"scale\":0.5"), "\"float32\"", "1.5", "8"},
    {SO("\"scale\":0.25"), "\"float32\"", "1e38", NULL},
    {SO("\"scale\":3"), "\"float32\"", "1", "0.33333334"},
    {SO("\"scale\":3"), "\"float32\"", "-0.0", "-0.0"},
    {SO("\"offset\":0.0"), "\"float32\"", "-0.0", "0.0"}, /* -0 + 0 */
    {SO("\"offset\":-7,\"scale\":5"), "\"int32\"", "50", "3"},
    {SO("\"offset\":-7,\"scale\":5"), "\"int32\"", "51", NULL}, /* inexact */
    {SO("\"offset\":100"), "\"int8\"", "56", NULL},
    {SO("\"scale\":-1"), "\"int64\"", "-9223372036854775808", NULL},
    {SO("\"scale\":-1"), "\"int8\"", "-128", NULL},
    {SO("\"scale\":-2"), "\"int64\"", "-6", "3"},
    {SO("\"scale\":18446744073709551615"), "\"uint64\"", "18446744073709551615", "1"},
    {SO("\"scale\":2"), "\"float8_e8m0fnu\"", "2", "1.0"},
    {SO("\"scale\":3"), "\"float16\"", "1", "\"0x3555\""},
};

static void test_scale_offset(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(encode_cases); i++) {
        check_row(&encode_cases[i], true);
    }
    for (size_t i = 0; i < ZL_COUNT_OF(decode_cases); i++) {
        check_row(&decode_cases[i], false);
    }
}

/* The next codec sees the encoded fill value. */
static void test_fill(void **state) {
    (void)state;
    zt_codec codec;
    zt_assert_ok(open_codec(&codec, SO("\"offset\":1000,\"scale\":3"), "\"uint16\"", "1007"), &codec.err);
    uint16_t fill;
    memcpy(&fill, codec.out.fill, sizeof fill);
    assert_int_equal(fill, 21);
    zt_codec_close(&codec);
    zt_assert_fails(
        open_codec(&codec, SO("\"offset\":1000"), "\"uint16\"", "999"), &codec.err, ZL_ERR_METADATA,
        "fill value: scale_offset: (x - offset) * scale for element 999 gives no number of data type \"uint16\"");
    zt_codec_close(&codec);
    zt_assert_ok(open_codec(&codec, KEEP(1), "\"float32\"", "1.75"), &codec.err);
    float rounded;
    memcpy(&rounded, codec.out.fill, sizeof rounded);
    assert_true(rounded == 1.75f);
    zt_codec_close(&codec);
}

/* ---- both */

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type, *text;
    } cases[] = {
        {KEEP(0), "\"float32\"", "/configuration/keepbits: keepbits must be at least 1, not 0"},
        {"\"bitround\"", "\"float32\"", "keepbits"},
        {"{\"name\":\"bitround\",\"configuration\":{\"keepbits\":1,\"x\":1}}", "\"float32\"", "x"},
        {KEEP(1), "\"bool\"", "not defined for data type \"bool\""},
        {KEEP(1), "\"string\"", "not defined for data type \"string\""},
        {KEEP(1), "\"float8_e4m3fnuz\"", "float8_e4m3fnuz"},
        {SO("\"scale\":0"), "\"int8\"", "scale must not be 0"},
        {SO("\"scale\":-0.0"), "\"float32\"", "scale must not be 0"},
        {SO("\"scale\":\"NaN\""), "\"float32\"", "must be finite"},
        {SO("\"offset\":300"), "\"uint8\"", "/configuration/offset"},
        {SO("\"offset\":1.5"), "\"int32\"", "/configuration/offset"},
        {SO("\"offsets\":1"), "\"int32\"", "offsets"},
        {SO("\"offset\":1"), "\"bool\"", "not defined for data type \"bool\""},
        {SO("\"offset\":[1,0]"), "\"complex64\"", "not defined for data type \"complex64\""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, cases[i].data_type, 0, NULL, ZL_ERR_METADATA, cases[i].text);
    }
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    zt_codec codec;
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, arg, "\"float32\"", NULL, 0, NULL);
    zt_codec_close(&codec);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static char bitround[] = KEEP(3), scale_offset[] = SO("\"offset\":1,\"scale\":2");
    zt_run_out_of_memory(scenario, bitround);
    zt_run_out_of_memory(scenario, scale_offset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bitround), cmocka_unit_test(test_bitround_small), cmocka_unit_test(test_scale_offset),
        cmocka_unit_test(test_fill),     cmocka_unit_test(test_refused),        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
