/* SPDX-License-Identifier: MIT */
/* numcodecs.astype, delta, fixedscaleoffset and quantize: results are those of numcodecs 0.16. Elements are written as JSON
 * fill values. */
#include "zt_codec.h"

#define CODEC(name, configuration) "{\"name\":\"numcodecs." name "\",\"configuration\":{" configuration "}}"
#define COUNT 5

typedef struct map_case {
    const char *json, *data_type, *encoded_type;
    const char *decoded[COUNT], *encoded[COUNT];
    const char *back[COUNT]; /* NULL: what it was */
} map_case;

static const map_case cases[] = {
    /* numbers as others */
    {CODEC("astype", "\"encode_dtype\":\"<f4\",\"decode_dtype\":\"<f8\""),
     "float64",
     "float32",
     {"0.1", "-0.0", "1e300", "1.5", "-2.0"},
     {"0.1", "-0.0", "\"Infinity\"", "1.5", "-2.0"},
     {"0.10000000149011612", "-0.0", "\"Infinity\"", "1.5", "-2.0"}},
    {CODEC("astype", "\"encode_dtype\":\"|i1\""),
     "float32",
     "int8",
     {"1.9", "-1.9", "127.9", "-128.0", "-0.0"},
     {"1", "-1", "127", "-128", "0"},
     {"1.0", "-1.0", "127.0", "-128.0", "0.0"}},
    {CODEC("astype", "\"encode_dtype\":\"int64\",\"decode_dtype\":null"),
     "int8",
     "int64",
     {"1", "-1", "127", "-128", "0"},
     {"1", "-1", "127", "-128", "0"},
     {NULL}},

    /* differences */
    {CODEC("delta", "\"dtype\":\"i2\",\"astype\":\"i1\""),
     "int16",
     "int8",
     {"100", "102", "101", "100", "-27"},
     {"100", "2", "-1", "-1", "-127"},
     {NULL}},
    {CODEC("delta", "\"dtype\":\"|u1\""),
     "uint8",
     "uint8",
     {"0", "255", "0", "1", "200"},
     {"0", "255", "1", "1", "199"},
     {NULL}},
    {"\"numcodecs.delta\"", "int64", "int64", {"-5", "5", "5", "0", "1"}, {"-5", "10", "0", "-5", "1"}, {NULL}},
    {CODEC("delta", "\"dtype\":\"<u2\",\"astype\":\"|i1\""),
     "uint16",
     "int8",
     {"100", "99", "0", "65535", "1"},
     {"100", "-1", "-99", "-1", "2"},
     {NULL}},
    {CODEC("delta", "\"dtype\":\"<f4\""),
     "float32",
     "float32",
     {"-0.0", "0.1", "16777216.0", "1.0", "\"Infinity\""},
     {"-0.0", "0.1", "16777216.0", "-16777215.0", "\"Infinity\""},
     {"-0.0", "0.1", "16777216.0", "1.0", "\"Infinity\""}},
    {CODEC("delta", "\"dtype\":\"<f2\""),
     "float16",
     "float16",
     {"0.1", "2048.0", "1.0", "65504.0", "-65504.0"},
     {"0.1", "2048.0", "-2047.0", "65504.0", "\"-Infinity\""},
     {"0.1", "2048.0", "1.0", "65504.0", "\"-Infinity\""}},
    {CODEC("delta", "\"dtype\":\"<f8\",\"astype\":\"<f4\""),
     "float64",
     "float32",
     {"1.0", "1.5", "2.1", "0.0", "-0.0"},
     {"1.0", "0.5", "0.6", "-2.1", "-0.0"},
     {"1.0", "1.5", "2.1000000238418579", "1.1920928955078125e-07", "1.1920928955078125e-07"}},
    {CODEC("delta", "\"dtype\":\"<i2\",\"astype\":\"<f4\""),
     "int16",
     "float32",
     {"-5", "5", "5", "0", "32767"},
     {"-5.0", "10.0", "0.0", "-5.0", "32767.0"},
     {NULL}},

    /* scale and offset */
    {CODEC("fixedscaleoffset", "\"offset\":1000,\"scale\":10,\"dtype\":\"<f8\",\"astype\":\"|u1\""),
     "float64",
     "uint8",
     {"1000.0", "1000.05", "1000.15", "1000.56", "1025.5"},
     {"0", "0", "1", "6", "255"},
     {"1000.0", "1000.0", "1000.1", "1000.6", "1025.5"}},
    {CODEC("fixedscaleoffset", "\"offset\":5,\"scale\":0.5"),
     "float32",
     "float32",
     {"5.0", "6.0", "8.0", "-1.0", "\"NaN\""},
     {"0.0", "0.0", "2.0", "-3.0", "\"NaN\""},
     {"5.0", "5.0", "9.0", "-1.0", "\"NaN\""}},
    {CODEC("fixedscaleoffset", "\"offset\":-3,\"scale\":2,\"astype\":\"<i2\""),
     "uint8",
     "int16",
     {"0", "1", "2", "3", "250"},
     {"6", "8", "10", "12", "506"},
     {NULL}},
    {CODEC("fixedscaleoffset", "\"offset\":100,\"scale\":1,\"astype\":\"|i1\""),
     "uint8",
     "int8",
     {"0", "99", "100", "101", "227"},
     {"-100", "-1", "0", "1", "127"},
     {NULL}},
    {CODEC("fixedscaleoffset", "\"offset\":0.5,\"scale\":2,\"astype\":\"<i4\""),
     "int16",
     "int32",
     {"0", "1", "-1", "2", "3"},
     {"-1", "1", "-3", "3", "5"},
     {NULL}},
    {CODEC("fixedscaleoffset", "\"offset\":1,\"scale\":0.1,\"astype\":\"<i2\""),
     "float16",
     "int16",
     {"1.0", "11.0", "2049.0", "-9.0", "7.0"},
     {"0", "1", "205", "-1", "1"},
     {"1.0", "11.0", "2052.0", "-9.0", "11.0"}},

    /* digits */
    {CODEC("quantize", "\"digits\":1,\"dtype\":\"<f8\""),
     "float64",
     "float64",
     {"0.1111", "0.2222", "0.3333", "0.5555", "1.0"},
     {"0.125", "0.25", "0.3125", "0.5625", "1.0"},
     {"0.125", "0.25", "0.3125", "0.5625", "1.0"}},
    {CODEC("quantize", "\"digits\":3,\"dtype\":\"float32\",\"astype\":\"<f2\""),
     "float32",
     "float16",
     {"0.1111", "-0.0", "\"-Infinity\"", "\"NaN\"", "1.0"},
     {"0.1113", "-0.0", "\"-Infinity\"", "\"NaN\"", "1.0"},
     {"0.111328125", "-0.0", "\"-Infinity\"", "\"NaN\"", "1.0"}},
    {CODEC("quantize", "\"digits\":-1"),
     "float32",
     "float32",
     {"3.0", "12.0", "17.0", "20.0", "-5.0"},
     {"0.0", "16.0", "16.0", "16.0", "-8.0"},
     {"0.0", "16.0", "16.0", "16.0", "-8.0"}},
    {CODEC("quantize", "\"digits\":0"),
     "float16",
     "float16",
     {"0.5", "1.5", "2.25", "-2.75", "1000.5"},
     {"0.0", "2.0", "2.0", "-3.0", "1000.0"},
     {"0.0", "2.0", "2.0", "-3.0", "1000.0"}},
};

/* `allocator` NULL: see zt_codec_init. */
static zl_status open_with(zt_codec *codec, const zl_allocator *allocator, const char *json, const char *data_type,
                           const char *fill) {
    static const int64_t count = COUNT;
    char type[32];
    snprintf(type, sizeof type, "\"%s\"", data_type);
    ZL_TRY(zt_codec_init(codec, allocator));
    return zt_codec_open(codec, json, type, fill, 1, &count);
}

static zl_status open_codec(zt_codec *codec, const char *json, const char *data_type, const char *fill) {
    return open_with(codec, NULL, json, data_type, fill);
}

static void read_elements(zt_codec *codec, const zl_dtype *dtype, const char *const *texts, void *out) {
    for (size_t i = 0; i < COUNT; i++) {
        zl_json_doc *doc;
        zt_assert_ok(zl_json_parse(&doc, texts[i], strlen(texts[i]), NULL, &codec->allocator, &codec->err), &codec->err);
        zt_assert_ok(
            dtype->cls->parse_fill(dtype, zl_json_root(doc), &codec->env, (char *)out + i * dtype->size, &codec->err),
            &codec->err);
        zl_json_doc_free(doc);
    }
}

static zl_status run(zt_codec *codec, bool encoding, const void *src, void *dst) {
    const zl_aa_ops *aa = codec->cls->aa;
    if (aa->decode) return (encoding ? aa->encode : aa->decode)(codec->bound, src, dst, &codec->call);
    const size_t done = (encoding ? aa->encode_row : aa->decode_row)(codec->bound, dst, src, COUNT);
    if (done == COUNT) return ZL_OK;
    const size_t size = encoding ? codec->in.dtype->size : codec->out.dtype->size;
    return aa->refuse(codec->bound, encoding, (const char *)src + done * size, &codec->err);
}

static void maps_like_numpy(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        const map_case *it = &cases[i];
        zt_codec codec;
        _Alignas(16) uint8_t decoded[COUNT * 8], encoded[COUNT * 8], got[COUNT * 8];
        zt_assert_ok(open_codec(&codec, it->json, it->data_type, it->decoded[0]), &codec.err);
        assert_string_equal(codec.out.dtype->name, it->encoded_type);
        read_elements(&codec, codec.in.dtype, it->decoded, decoded);
        read_elements(&codec, codec.out.dtype, it->encoded, encoded);
        assert_memory_equal(codec.out.fill, encoded, codec.out.dtype->size);
        zt_assert_ok(run(&codec, true, decoded, got), &codec.err);
        assert_memory_equal(got, encoded, COUNT * codec.out.dtype->size);
        if (it->back[0]) read_elements(&codec, codec.in.dtype, it->back, decoded);
        zt_assert_ok(run(&codec, false, encoded, got), &codec.err);
        assert_memory_equal(got, decoded, COUNT * codec.in.dtype->size);
        zt_codec_close(&codec);
    }
}

/* What would be lost is not written, and what no number stands for is not read. */
static void refuses_elements(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type;
        bool encoding;
        const char *elements[COUNT];
        const char *text;
    } refused[] = {
        {CODEC("astype", "\"encode_dtype\":\"|i1\""), "int32", true, {"1", "2", "128", "3", "4"}, "128 gives no number"},
        {CODEC("astype", "\"encode_dtype\":\"|i1\""),
         "float32",
         true,
         {"1.0", "2.0", "\"NaN\"", "3.0", "4.0"},
         "NaN gives"},
        {CODEC("astype", "\"encode_dtype\":\"<f4\""),
         "int8",
         false,
         {"1.0", "2.0", "3.0", "\"Infinity\"", "4.0"},
         "\"int8\""},
        {CODEC("delta", "\"astype\":\"|i1\""), "int16", true, {"1", "2", "1", "129", "130"}, "at element 3 of the chunk"},
        {CODEC("delta", "\"astype\":\"|u1\""), "uint16", true, {"1", "2", "1", "129", "130"}, "at element 2 of the chunk"},
        {CODEC("delta", "\"astype\":\"<i2\""), "float32", true, {"1.0", "2.0", "9e9", "1.0", "1.0"}, "at element 2"},
        {CODEC("delta", "\"astype\":\"<f4\""), "int16", false, {"1.0", "2.0", "\"NaN\"", "1.0", "1.0"}, "at element 2"},
        {CODEC("fixedscaleoffset", "\"offset\":0,\"scale\":10,\"astype\":\"|u1\""),
         "float64",
         true,
         {"1.0", "25.5", "25.6", "1.0", "1.0"},
         "25.6 gives no number of data type \"uint8\""},
        {CODEC("fixedscaleoffset", "\"offset\":5,\"scale\":1"), "uint8", true, {"5", "6", "7", "4", "1"}, "4 gives"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(refused); i++) {
        zt_codec codec;
        const bool encoding = refused[i].encoding;
        _Alignas(16) uint8_t src[COUNT * 8], dst[COUNT * 8];
        zt_assert_ok(open_codec(&codec, refused[i].json, refused[i].data_type, NULL), &codec.err);
        read_elements(&codec, encoding ? codec.in.dtype : codec.out.dtype, refused[i].elements, src);
        zt_assert_fails(run(&codec, encoding, src, dst), &codec.err, encoding ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT,
                        refused[i].text);
        zt_codec_close(&codec);
    }
}

/* A fill value without a counterpart is 0 behind the codec: where elements are missing, nobody looks there. */
static void takes_zero_for_a_fill_value_without_counterpart(void **state) {
    (void)state;
    zt_codec codec;
    static const uint8_t zero = 0;
    zt_assert_ok(open_codec(&codec, CODEC("astype", "\"encode_dtype\":\"|u1\""), "float32", "\"NaN\""), &codec.err);
    assert_memory_equal(codec.out.fill, &zero, 1);
    zt_codec_close(&codec);
}

/* More than one block of what is computed at a time. */
static void goes_on_from_block_to_block(void **state) {
    (void)state;
    enum { MANY = 1000 };
    static const int64_t many = MANY;
    static uint8_t values[MANY], back[MANY];
    static float differences[MANY];
    for (size_t i = 0; i < MANY; i++) {
        values[i] = (uint8_t)(i * i);
    }
    zt_codec codec;
    zt_assert_ok(zt_codec_begin(&codec, CODEC("delta", "\"astype\":\"<f4\""), "\"uint8\"", NULL, 1, &many), &codec.err);
    zt_assert_ok(codec.cls->aa->encode(codec.bound, values, differences, &codec.call), &codec.err);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(differences[i] == (float)(uint8_t)(values[i] - values[i - 1]));
    }
    zt_assert_ok(codec.cls->aa->decode(codec.bound, differences, back, &codec.call), &codec.err);
    assert_memory_equal(back, values, MANY);
    zt_codec_close(&codec);
}

static void refuses_configurations(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type;
        zl_status status;
        const char *text;
    } refused[] = {
        {"\"numcodecs.astype\"", "int8", ZL_ERR_METADATA, "encode_dtype"},
        {CODEC("astype", "\"encode_dtype\":\"<q4\""), "int8", ZL_ERR_METADATA, "/configuration/encode_dtype"},
        {CODEC("astype", "\"encode_dtype\":7"), "int8", ZL_ERR_METADATA, "must be the type string"},
        {CODEC("astype", "\"encode_dtype\":\"<c8\""), "int8", ZL_ERR_METADATA, "\"complex64\" are no numbers"},
        {CODEC("astype", "\"encode_dtype\":\"<U8\""), "int8", ZL_ERR_UNSUPPORTED, "\"<U8\" is not supported"},
        {CODEC("astype", "\"encode_dtype\":\"<M8[s]\""), "int8", ZL_ERR_UNSUPPORTED, "\"<M8[s]\""},
        {CODEC("delta", "\"dtype\":\"<i4\""), "int8", ZL_ERR_METADATA, "\"<i4\", but elements here are \"int8\""},
        {CODEC("delta", "\"dtype\":\"<u1\""), "int8", ZL_ERR_METADATA, "but elements here"},
        {CODEC("delta", ""), "bfloat16", ZL_ERR_METADATA, "\"bfloat16\" are no numbers"},
        {CODEC("delta", ""), "int4", ZL_ERR_METADATA, "\"int4\" are no numbers"},
        {CODEC("delta", ""), "bool", ZL_ERR_METADATA, "\"bool\" are no numbers"},
        {CODEC("delta", "\"order\":1"), "int8", ZL_ERR_METADATA, "order"},
        {CODEC("fixedscaleoffset", "\"offset\":1"), "int8", ZL_ERR_METADATA, "scale"},
        {CODEC("fixedscaleoffset", "\"offset\":1,\"scale\":0"), "int8", ZL_ERR_METADATA, "scale must not be 0"},
        {"\"numcodecs.quantize\"", "float32", ZL_ERR_METADATA, "digits"},
        {CODEC("quantize", "\"digits\":301"), "float32", ZL_ERR_METADATA, "301 is not within -300 to 300"},
        {CODEC("quantize", "\"digits\":5"), "float16", ZL_ERR_METADATA, "5 digits behind the point"},
        {CODEC("quantize", "\"digits\":-60"), "float32", ZL_ERR_METADATA, "-60 digits behind the point"},
        {CODEC("quantize", "\"digits\":1"), "int32", ZL_ERR_METADATA, "floating-point numbers, not \"int32\""},
        {CODEC("quantize", "\"digits\":1,\"astype\":\"<i4\""), "float32", ZL_ERR_METADATA, "and \"int32\""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(refused); i++) {
        zt_codec codec;
        zt_assert_fails(open_codec(&codec, refused[i].json, refused[i].data_type, NULL), &codec.err, refused[i].status,
                        refused[i].text);
        zt_codec_close(&codec);
    }
}

/* Times are integers here, and may be called either. */
static void takes_times_for_integers(void **state) {
    (void)state;
    static const char *const types[] = {"<i8", "<M8[us]"};
    static const int64_t count = COUNT, times[COUNT] = {INT64_MIN, 1, 3, 2, 0};
    for (size_t i = 0; i < ZL_COUNT_OF(types); i++) {
        zt_codec codec;
        char json[100];
        int64_t encoded[COUNT], back[COUNT];
        snprintf(json, sizeof json, CODEC("delta", "\"dtype\":\"%s\",\"astype\":\"%s\""), types[i], types[i]);
        zt_assert_ok(
            zt_codec_begin(&codec, json,
                           "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":1}}", NULL,
                           1, &count),
            &codec.err);
        zt_assert_ok(run(&codec, true, times, encoded), &codec.err);
        assert_true(encoded[0] == INT64_MIN && encoded[1] == INT64_MIN + 1 && encoded[2] == 2);
        zt_assert_ok(run(&codec, false, encoded, back), &codec.err);
        assert_memory_equal(back, times, sizeof times);
        zt_codec_close(&codec);
    }
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    const map_case *it = arg;
    zt_codec codec;
    const zl_status status = open_with(&codec, allocator, it->json, it->data_type, NULL);
    zt_codec_close(&codec);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        map_case it = cases[i];
        zt_run_out_of_memory(scenario, &it);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_like_numpy),
        cmocka_unit_test(refuses_elements),
        cmocka_unit_test(takes_zero_for_a_fill_value_without_counterpart),
        cmocka_unit_test(goes_on_from_block_to_block),
        cmocka_unit_test(refuses_configurations),
        cmocka_unit_test(takes_times_for_integers),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
