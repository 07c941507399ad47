/* SPDX-License-Identifier: MIT */
/* Casts as users meet them: zl_cast, the metadata of the codec cast_value, and views of another data type. */
#include <fenv.h>
#include <math.h>

#include "zt_api.h"
#include "zt_codec.h"

#define TIME "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}"

static const zl_dtype *type(zl_dtype_id id) {
    return zl_dtype_builtin(id);
}

/* ---- zl_cast */

static void test_strides(void **state) {
    (void)state;
    static const float src[2][3] = {{1.5f, 2.5f, -3.5f}, {4, 5, 250}};
    const int64_t shape[] = {2, 3}, down[] = {-(int64_t)sizeof src[0], sizeof(float)};
    const int64_t fortran[] = {sizeof(int16_t), 2 * sizeof(int16_t)};
    int16_t dst[3][2];
    zl_error err = {0};
    zt_assert_ok(zl_cast((zl_view){dst, fortran, type(ZL_DTYPE_INT16)},
                         (zl_const_view){src[1], down, type(ZL_DTYPE_FLOAT32)}, 2, shape, NULL, &err),
                 &err);
    const int16_t expected[3][2] = {{4, 2}, {5, 2}, {250, -4}};
    assert_memory_equal(dst, expected, sizeof dst);
    /* Not aligned, one element for all, no dimension, nothing. */
    char bytes[32] = {0};
    const int64_t packed[] = {0, 3}, many[] = {2, 2}, none[] = {3, 0};
    const zl_const_view one = {src, (const int64_t[]){0, 0}, type(ZL_DTYPE_FLOAT32)};
    zt_assert_ok(zl_cast((zl_view){bytes + 1, packed, type(ZL_DTYPE_INT16)}, one, 2, many, NULL, &err), &err);
    assert_int_equal(bytes[1], 2);
    assert_int_equal(bytes[4], 2);
    zt_assert_ok(zl_cast((zl_view){bytes, NULL, type(ZL_DTYPE_INT8)}, one, 0, NULL, NULL, &err), &err);
    assert_int_equal(bytes[0], 2);
    zt_assert_ok(zl_cast((zl_view){NULL, NULL, type(ZL_DTYPE_INT8)}, one, 2, none, NULL, &err), &err);
}

static void test_rules(void **state) {
    (void)state;
    static const struct {
        zl_rounding rounding;
        zl_out_of_range range;
        int expected[5];
    } cases[] = {
        {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_CLAMP, {2, -2, 4, 127, -128}},
        {ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_CLAMP, {2, -2, 3, 127, -128}},
        {ZL_ROUND_TOWARDS_POSITIVE, ZL_RANGE_CLAMP, {3, -2, 4, 127, -128}},
        {ZL_ROUND_TOWARDS_NEGATIVE, ZL_RANGE_CLAMP, {2, -3, 3, 127, -128}},
        {ZL_ROUND_NEAREST_AWAY, ZL_RANGE_CLAMP, {3, -3, 4, 127, -128}},
        {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_WRAP, {2, -2, 4, -128, 126}},
    };
    static const double src[] = {2.5, -2.5, 3.5, 128.4, -130};
    const int64_t shape = 5;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_cast_options options = ZL_CAST_OPTIONS_INIT;
        options.rounding = cases[i].rounding;
        options.out_of_range = cases[i].range;
        int8_t dst[5];
        zl_error err = {0};
        fesetround(modes[i % 3]); /* the caller's mode neither matters nor changes */
        const zl_status status = zl_cast((zl_view){dst, NULL, type(ZL_DTYPE_INT8)},
                                         (zl_const_view){src, NULL, type(ZL_DTYPE_FLOAT64)}, 1, &shape, &options, &err);
        assert_int_equal(fegetround(), modes[i % 3]);
        fesetround(FE_TONEAREST);
        zt_assert_ok(status, &err);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(dst[k], cases[i].expected[k]);
        }
    }
}

static zl_status try_cast(const zl_dtype *to, const zl_dtype *from, const double *src, int64_t count,
                          const zl_cast_options *options, zl_error *err) {
    char dst[8 * 3000];
    assert_true(count <= 3000);
    return zl_cast((zl_view){dst, NULL, to}, (zl_const_view){src, NULL, from}, 1, &count, options, err);
}

/* The first one in C order, wherever it stands. */
static void test_positions(void **state) {
    (void)state;
    static double src[3000];
    static const int places[] = {0, 1, 63, 64, 511, 512, 1023, 1024, 2999};
    zl_error err;
    for (size_t i = 0; i < ZL_COUNT_OF(places); i++) {
        char text[40];
        src[places[i]] = 300;
        src[2999] = 301;
        snprintf(text, sizeof text, "element (%d): %s", places[i], places[i] == 2999 ? "301" : "300");
        zt_assert_fails(try_cast(type(ZL_DTYPE_UINT8), type(ZL_DTYPE_FLOAT64), src, 3000, NULL, &err), &err,
                        ZL_ERR_INVALID_ARGUMENT, text);
        src[places[i]] = src[2999] = 0;
    }
    src[7] = 300;
    const int64_t shape[] = {2, 3, 2};
    uint8_t dst[12];
    zt_assert_fails(zl_cast((zl_view){dst, NULL, type(ZL_DTYPE_UINT8)}, (zl_const_view){src, NULL, type(ZL_DTYPE_FLOAT64)},
                            3, shape, NULL, &err),
                    &err, ZL_ERR_INVALID_ARGUMENT,
                    "element (1, 0, 1): 300.0 is outside the range of data type \"uint8\", 0 to 255");
}

static void test_cast_refused(void **state) {
    (void)state;
    static const struct {
        zl_dtype_id from, to;
        double value;
        zl_cast_options options;
        const char *text;
    } cases[] = {
        {ZL_DTYPE_NONE, ZL_DTYPE_INT8, 0, ZL_CAST_OPTIONS_INIT, "a data type is NULL"},
        {ZL_DTYPE_BOOL, ZL_DTYPE_INT8, 0, ZL_CAST_OPTIONS_INIT, "no cast for data type \"bool\""},
        {ZL_DTYPE_INT8, ZL_DTYPE_COMPLEX64, 0, ZL_CAST_OPTIONS_INIT, "\"complex64\""},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT32, 0, {sizeof(zl_cast_options), 0, ZL_RANGE_WRAP, NULL}, "wrap"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, 0, {sizeof(zl_cast_options), (zl_rounding)5, 0, NULL}, "options.rounding is 5"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, 0, {sizeof(zl_cast_options), 0, (zl_out_of_range)-1, NULL}, "out_of_range is -1"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, 0, {sizeof(zl_cast_options), 0, 0, "[[1,2"}, "map_json"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, 0, {sizeof(zl_cast_options), 0, 0, "[[1,2],[3]]"}, "/1: must be a pair"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, 0, {sizeof(zl_cast_options), 0, 0, "[[1,200]]"}, "/0/1: 200 is outside"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT8, (double)NAN, ZL_CAST_OPTIONS_INIT, "data type \"int8\" has no NaN"},
        {ZL_DTYPE_FLOAT64,
         ZL_DTYPE_INT8,
         (double)INFINITY,
         {sizeof(zl_cast_options), 0, ZL_RANGE_CLAMP, NULL},
         "data type \"int8\" has no Infinity"},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT16, 65520, ZL_CAST_OPTIONS_INIT,
         "65520.0 is outside the range of data type \"float16\""},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT8_E8M0FNU, -1, ZL_CAST_OPTIONS_INIT, "-1.0 is outside"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_error err = {0};
        zt_assert_fails(try_cast(type(cases[i].to), type(cases[i].from), &cases[i].value, 1, &cases[i].options, &err), &err,
                        ZL_ERR_INVALID_ARGUMENT, cases[i].text);
    }
}

static void test_cast_json(void **state) {
    (void)state;
    static const struct {
        zl_dtype_id from, to;
        const char *value, *map, *expected;
        zl_cast_outcome outcome;
    } cases[] = {
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, "7.0", NULL, "7", ZL_CAST_EXACT},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, "2.5", NULL, "2", ZL_CAST_ROUNDED},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, "1e9", NULL, "32767", ZL_CAST_CLAMPED},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, "\"NaN\"", "[[\"NaN\",-1],[\"NaN\",-2]]", "-1", ZL_CAST_MAPPED},
        {ZL_DTYPE_INT16, ZL_DTYPE_FLOAT64, "-1", "[[-1,\"NaN\"]]", "\"NaN\"", ZL_CAST_MAPPED},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT16, "1e9", NULL, "\"Infinity\"", ZL_CAST_CLAMPED},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, "\"-Infinity\"", NULL, NULL, ZL_CAST_NO_INFINITY},
        {ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT4_E2M1FN, "\"NaN\"", NULL, NULL, ZL_CAST_NO_NAN},
    };
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_cast_options options = ZL_CAST_OPTIONS_INIT;
        options.out_of_range = ZL_RANGE_CLAMP;
        options.map_json = cases[i].map;
        zl_buffer out = {0};
        zl_cast_outcome outcome = ZL_CAST_EXACT;
        const zl_status status = zl_cast_json(api.context, type(cases[i].from), type(cases[i].to), cases[i].value, &options,
                                              &out, &outcome, &api.err);
        assert_int_equal(outcome, cases[i].outcome);
        if (cases[i].expected) {
            zt_assert_ok(status, &api.err);
            assert_string_equal(out.data, cases[i].expected);
            zl_buffer_free(&out);
        } else {
            assert_int_equal(status, ZL_ERR_INVALID_ARGUMENT);
        }
    }
    zl_buffer out = {0};
    zt_assert_fails(zl_cast_json(api.context, type(ZL_DTYPE_INT8), type(ZL_DTYPE_INT16), "300", NULL, &out, NULL, &api.err),
                    &api.err, ZL_ERR_INVALID_ARGUMENT, "300 is outside");
    zt_assert_fails(zl_cast_json(api.context, type(ZL_DTYPE_INT8), type(ZL_DTYPE_INT16), "x", NULL, &out, NULL, &api.err),
                    &api.err, ZL_ERR_INVALID_ARGUMENT, "value");
    zt_api_end(&api, &memory);
}

/* ---- metadata of cast_value */

#define CAST(members) "{\"name\":\"cast_value\",\"configuration\":{" members "}}"

static zl_status open_codec(zt_codec *codec, const zl_allocator *allocator, const char *json, const char *data_type,
                            const char *fill) {
    ZL_TRY(zt_codec_init(codec, allocator));
    return zt_codec_open(codec, json, data_type, fill, 0, NULL);
}

static void test_metadata_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type, *fill, *text;
    } cases[] = {
        {"\"cast_value\"", "\"int8\"", "0", "data_type"},
        {CAST("\"rounding\":\"nearest-even\""), "\"int8\"", "0", "data_type"},
        {CAST("\"data_type\":\"int8\",\"x\":1"), "\"int8\"", "0", "x"},
        {CAST("\"data_type\":\"int8\",\"rounding\":\"up\""), "\"int8\"", "0", "/configuration/rounding"},
        {CAST("\"data_type\":\"int8\",\"out_of_range\":\"error\""), "\"int8\"", "0", "/configuration/out_of_range"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":[]"), "\"int8\"", "0", "/configuration/scalar_map: must be an object"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":{\"x\":[]}"), "\"int8\"", "0", "x"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":{\"encode\":{}}"), "\"int8\"", "0", "must be an array"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":{\"encode\":[[1,2,3]]}"), "\"int8\"", "0",
         "/encode/0: must be a pair"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":{\"encode\":[[1.5,2]]}"), "\"int8\"", "0", "/encode/0/0"},
        {CAST("\"data_type\":\"int8\",\"scalar_map\":{\"decode\":[[1,300]]}"), "\"int8\"", "0",
         "/decode/0/1: 300 is outside"},
        {CAST("\"data_type\":\"bool\""), "\"int8\"", "0", "no cast for data type \"bool\""},
        {CAST("\"data_type\":\"int8\""), "\"complex64\"", "[0,0]", "no cast for data type \"complex64\""},
        {CAST("\"data_type\":\"float32\",\"out_of_range\":\"wrap\""), "\"int8\"", "0", "needs an integer data type"},
        {CAST("\"data_type\":" TIME ",\"out_of_range\":\"wrap\""), "\"int64\"", "0", "needs an integer data type"},
        /* Fill values that do not survive. */
        {CAST("\"data_type\":\"int16\""), "\"float64\"", "0.75",
         "fill value 0.75 does not survive the cast: it becomes 1 and comes back as 1.0; the nearest fill value that does "
         "is "
         "1.0"},
        {CAST("\"data_type\":\"int16\""), "\"float64\"", "\"NaN\"",
         "fill value NaN does not survive the cast: data type "
         "\"int16\" has no NaN, and scalar_map.encode has no entry for it"},
        {CAST("\"data_type\":\"int8\""), "\"float64\"", "1e6",
         "the nearest fill value that does is 127.0: 1000000.0 is outside"},
        {CAST("\"data_type\":\"int8\",\"out_of_range\":\"wrap\""), "\"int16\"", "200",
         "it becomes -56 and comes back as -56; the nearest fill value that does is 127"},
        {CAST("\"data_type\":\"int16\",\"scalar_map\":{\"encode\":[[\"NaN\",-1]]}"), "\"float64\"", "\"NaN\"",
         "it becomes -1 and comes back as -1.0"},
        {CAST("\"data_type\":\"float32\""), "\"int64\"", "9223372036854775807",
         "it becomes 9.223372e+18, which cannot be cast back"},
        {CAST("\"data_type\":\"int64\""), TIME, "\"NaT\"", "data type \"int64\" has no NaT"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_memory memory;
        const zl_allocator allocator = zt_allocator(&memory, 0);
        zt_codec codec;
        zt_assert_fails(open_codec(&codec, &allocator, cases[i].json, cases[i].data_type, cases[i].fill), &codec.err,
                        ZL_ERR_METADATA, cases[i].text);
        zt_codec_close(&codec);
        zt_assert_no_leak(&memory);
    }
}

#define PACKED                                                                                               \
    CAST("\"data_type\":\"int16\",\"out_of_range\":\"clamp\",\"scalar_map\":{\"encode\":[[\"NaN\",-32768]]," \
         "\"decode\":[[-32768,\"NaN\"]]}")

static void test_fill_survives(void **state) {
    (void)state;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zt_codec codec;
    zt_assert_ok(open_codec(&codec, &allocator, PACKED, "\"float32\"", "\"0x7fc00001\""), &codec.err);
    int16_t fill;
    memcpy(&fill, codec.out.fill, sizeof fill);
    assert_int_equal(fill, -32768);
    const float nan = (float)NAN;
    const zl_aa_ops *aa = codec.cls->aa;
    zt_assert_fails(aa->refuse(codec.bound, true, &(float){(float)INFINITY}, &codec.err), &codec.err,
                    ZL_ERR_INVALID_ARGUMENT,
                    "cast_value: data type \"int16\" has no Infinity, and scalar_map.encode has no entry for it");
    float src[3] = {1.5f, nan, 1e9f}, back[3];
    int16_t dst[3];
    assert_int_equal(aa->encode_row(codec.bound, dst, src, 3), 3);
    assert_int_equal(dst[0], 2);
    assert_int_equal(dst[1], -32768);
    assert_int_equal(dst[2], 32767);
    assert_int_equal(aa->decode_row(codec.bound, back, dst, 3), 3);
    assert_true(isnan(back[1]));
    zt_codec_close(&codec);
    zt_assert_no_leak(&memory);
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    zt_codec codec;
    const zl_status status = open_codec(&codec, allocator, arg, "\"float32\"", "\"NaN\"");
    zt_codec_close(&codec);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static char packed[] = PACKED;
    zt_run_out_of_memory(scenario, packed);
}

/* ---- views */

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"

static zl_array *create(zt_api *api, zl_dtype_id dtype, const char *fill, const char *codecs, bool sharded) {
    static const int64_t shape[] = {7, 9}, chunk[] = {2, 3}, shard[] = {4, 6};
    zl_array *array;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.shard_shape = sharded ? shard : NULL;
    options.dtype = dtype;
    options.fill_value_json = fill;
    options.codecs_json = codecs;
    zt_assert_ok(zl_array_create(&array, api->store, "a", &options, &api->err), &api->err);
    return array;
}

static void check_views(zt_api *api, const char *codecs, bool sharded) {
    zl_array *array = create(api, ZL_DTYPE_INT16, "-1", codecs, sharded);
    double values[7][9], found[7][9];
    int16_t plain[7][9];
    for (int i = 0; i < 63; i++) {
        values[i / 9][i % 9] = i + 0.25;
    }
    /* Only the upper part is written: the rest is fill. */
    const int64_t start[] = {0, 0}, size[] = {5, 9};
    const zl_region upper = {2, start, size, NULL};
    zt_assert_ok(zl_array_write(array, &upper, (zl_const_view){values, NULL, type(ZL_DTYPE_FLOAT64)}, NULL, &api->err),
                 &api->err);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){plain, NULL, NULL}, NULL, &api->err), &api->err);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){found, NULL, type(ZL_DTYPE_FLOAT64)}, NULL, &api->err), &api->err);
    for (int i = 0; i < 63; i++) {
        const int expected = i < 45 ? i : -1;
        assert_int_equal(plain[i / 9][i % 9], expected);
        assert_true(found[i / 9][i % 9] == expected);
    }
    /* A part, transposed, with a step; and what does not fit. */
    float part[2][2];
    const int64_t from[] = {1, 2}, few[] = {2, 2}, step[] = {2, 3}, turned[] = {sizeof(float), 2 * sizeof(float)};
    const zl_region some = {2, from, few, step};
    zt_assert_ok(zl_array_read(array, &some, (zl_view){part, turned, type(ZL_DTYPE_FLOAT32)}, NULL, &api->err), &api->err);
    assert_true(part[0][0] == 11 && part[1][0] == 14 && part[0][1] == 29 && part[1][1] == 32);
    uint8_t bytes[7][9];
    zt_assert_ok(zl_array_read(array, &upper, (zl_view){bytes, NULL, type(ZL_DTYPE_UINT8)}, NULL, &api->err), &api->err);
    assert_int_equal(bytes[4][8], 44);
    zt_assert_fails(zl_array_read(array, NULL, (zl_view){bytes, NULL, type(ZL_DTYPE_UINT8)}, NULL, &api->err), &api->err,
                    ZL_ERR_INVALID_ARGUMENT, "-1 is outside the range of data type \"uint8\"");
    values[1][4] = 1e5;
    zt_assert_fails(zl_array_write(array, &upper, (zl_const_view){values, NULL, type(ZL_DTYPE_FLOAT64)}, NULL, &api->err),
                    &api->err, ZL_ERR_INVALID_ARGUMENT, "100000.0 is outside the range of data type \"int16\"");
    zl_array_close(array);
}

static void test_views(void **state) {
    (void)state;
    static const char *const chains[] = {
        "[" LITTLE "]",
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":"
        "\"big\"}}]",
        "[" CAST("\"data_type\":\"int32\"") ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\"]",
    };
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        check_views(&api, chains[i], false);
        check_views(&api, chains[i], true);
        zt_api_end(&api, &memory);
    }
}

static void test_views_refused(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, ZL_DTYPE_COMPLEX64, NULL, NULL, false);
    double values[63][2] = {{0}};
    zt_assert_fails(zl_array_read(array, NULL, (zl_view){values, NULL, type(ZL_DTYPE_FLOAT32)}, NULL, &api.err), &api.err,
                    ZL_ERR_INVALID_ARGUMENT, "no cast between \"complex64\" and \"float32\"");
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){values, NULL, type(ZL_DTYPE_COMPLEX64)}, NULL, &api.err), &api.err);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* What is omitted: chunks whose encoded elements are the encoded fill value. */
static void test_omitted(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create(&api, ZL_DTYPE_FLOAT32, "\"NaN\"", "[" PACKED "," LITTLE "]", false);
    float values[7][9], found[7][9];
    for (int i = 0; i < 63; i++) {
        values[i / 9][i % 9] = (float)NAN;
    }
    values[0][0] = -40000; /* is clamped to what stands for NaN */
    values[0][3] = 0.25f;
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &api.err), &api.err);
    zl_stored_info info;
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, 1);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){found, NULL, NULL}, NULL, &api.err), &api.err);
    assert_true(isnan(found[0][0]) && found[0][3] == 0);
    zl_array_close(array);
    /* Bits count: the cast gives NaN back, but not this one. */
    array = create(&api, ZL_DTYPE_FLOAT32, "\"0x7fc00001\"", "[" PACKED "," LITTLE "]", false);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, info.grid_count);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),       cmocka_unit_test(test_rules),         cmocka_unit_test(test_positions),
        cmocka_unit_test(test_cast_refused),  cmocka_unit_test(test_cast_json),     cmocka_unit_test(test_metadata_refused),
        cmocka_unit_test(test_fill_survives), cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_views),
        cmocka_unit_test(test_views_refused), cmocka_unit_test(test_omitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
