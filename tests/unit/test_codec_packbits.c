/* SPDX-License-Identifier: MIT */
/* packbits: known bytes, round trips of every data type and box, and chunks of the wrong size. */
#include "zt_codec.h"

#define PACKBITS(configuration) "{\"name\":\"packbits\",\"configuration\":{" configuration "}}"

/* ---- known bytes */

static const struct known {
    const char *json;
    const char *data_type;
    int64_t count;
    uint8_t elements[16]; /* little-endian */
    uint8_t stored[16];
    size_t size;
    uint8_t decoded[16]; /* where not all bits are stored; [0] == 0xee: as `elements` */
} known[] = {
    {"\"packbits\"", "\"bool\"", 10, {1, 0, 1, 1, 0, 0, 0, 1, 1, 0}, {0x8d, 0x01}, 2, {0xee}},
    {PACKBITS("\"padding_encoding\":\"first_byte\""), "\"bool\"", 3, {1, 1, 0}, {5, 0x03}, 2, {0xee}},
    {PACKBITS("\"padding_encoding\":\"last_byte\""), "\"bool\"", 3, {1, 1, 0}, {0x03, 5}, 2, {0xee}},
    {PACKBITS("\"padding_encoding\":\"end_byte\""), "\"bool\"", 3, {1, 1, 0}, {0x03, 5}, 2, {0xee}},
    {"\"packbits\"", "\"uint2\"", 5, {0, 1, 2, 3, 1}, {0xe4, 0x01}, 2, {0xee}},
    {"\"packbits\"", "\"int2\"", 4, {0, 1, 0xfe, 0xff}, {0xe4}, 1, {0xee}},
    {"\"packbits\"", "\"int4\"", 3, {7, 0xf8, 0xff}, {0x87, 0x0f}, 2, {0xee}},
    {"\"packbits\"", "\"float6_e2m3fn\"", 4, {0x3f, 0, 0x21, 0x2a}, {0x3f, 0x10, 0xaa}, 3, {0xee}},
    {"\"packbits\"", "\"complex_float4_e2m1fn\"", 2, {1, 2, 3, 4}, {0x21, 0x43}, 2, {0xee}},
    {"\"packbits\"", "\"uint16\"", 2, {0x34, 0x12, 0xcd, 0xab}, {0x34, 0x12, 0xcd, 0xab}, 4, {0xee}},
    {"\"packbits\"", "\"int64\"", 1, {1, 2, 3, 4, 5, 6, 7, 0x88}, {1, 2, 3, 4, 5, 6, 7, 0x88}, 8, {0xee}},
    /* Bits 1 to 5: 5 bits each. */
    {PACKBITS("\"first_bit\":1,\"last_bit\":5"), "\"uint8\"", 3, {0xff, 0x02, 0x55}, {0x3f, 0x28}, 2, {0x3e, 0x02, 0x14}},
    {PACKBITS("\"start_bit\":1,\"end_bit\":5"), "\"int8\"", 3, {0xff, 0x02, 0x15}, {0x3f, 0x28}, 2, {0xfe, 0x02, 0x14}},
    /* Signed numbers are extended through all their bytes. */
    {PACKBITS("\"last_bit\":2"), "\"int32\"", 2, {0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0}, {0x1f}, 1, {0xee}},
    {PACKBITS("\"first_bit\":3,\"last_bit\":null"), "\"int16\"", 1, {0xff, 0x87}, {0xff, 0x10}, 2, {0xf8, 0x87}},
    {PACKBITS("\"last_bit\":2"),
     "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":1}}",
     1,
     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
     {0x07},
     1,
     {0xee}},
};

static void test_known(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(known); i++) {
        const struct known *it = &known[i];
        zt_codec codec;
        zt_assert_ok(zt_codec_begin(&codec, it->json, it->data_type, NULL, 1, &it->count), &codec.err);
        _Alignas(8) uint8_t elements[16];
        memcpy(elements, it->elements, sizeof elements);
        zl_box box = zt_codec_box(&codec.shape, codec.in.dtype->size, elements);
        zl_sink out;
        zt_assert_ok(zt_codec_encode(&codec, &box, &out), &codec.err);
        assert_int_equal(out.size, it->size);
        assert_int_equal(codec.cls->ab->bound(codec.bound), it->size);
        assert_memory_equal(out.data, it->stored, it->size);
        memset(elements, 0xaa, sizeof elements);
        zt_assert_ok(zt_codec_decode(&codec, out.data, out.size, &box), &codec.err);
        const uint8_t *expected = it->decoded[0] == 0xee ? it->elements : it->decoded;
        assert_memory_equal(elements, expected, (size_t)it->count * codec.in.dtype->size);
        zl_sink_free(&out);
        zt_codec_close(&codec);
    }
}

/* ---- every type, every box */

static const char *const data_types[] = {
    "bool",        "int2",  "uint2",  "int4",    "uint4",    "float4_e2m1fn",   "float6_e3m2fn",         "int8",  "float16",
    "float8_e4m3", "int16", "uint32", "float64", "bfloat16", "complex_float32", "complex_float6_e2m3fn", "uint64"};

/* Random elements as they may stand in memory. */
static void fill(zt_random *random, const zl_dtype *dtype, void *elements, size_t count) {
    zt_random_fill(random, elements, count * dtype->size);
    zl_dtype_fix(dtype, false, elements, count);
}

static void check_boxes(zt_codec *codec, const uint8_t *chunk, zl_span stored) {
    const size_t size = codec->in.dtype->size;
    uint8_t back[60 * 16];
    for (int64_t a = 0; a < 3; a++) {
        for (int64_t b = 0; b < 4; b++) {
            for (int64_t c = 0; c < 5; c++) {
                const zl_shape shape = {3, {3 - a, 4 - b, 5 - c}};
                zl_box box = zt_codec_box(&shape, size, back);
                box.start[0] = a, box.start[1] = b, box.start[2] = c;
                zt_assert_ok(zt_codec_decode(codec, stored.data, stored.size, &box), &codec->err);
                const uint8_t *found = back;
                for (int64_t i = a; i < 3; i++) {
                    for (int64_t j = b; j < 4; j++) {
                        const size_t row = (size_t)(5 - c) * size;
                        assert_memory_equal(found, chunk + (size_t)((i * 4 + j) * 5 + c) * size, row);
                        found += row;
                    }
                }
            }
        }
    }
}

static void test_types(void **state) {
    (void)state;
    zt_random random = zt_random_seed(1);
    for (size_t i = 0; i < ZL_COUNT_OF(data_types); i++) {
        zt_codec codec;
        char data_type[64];
        snprintf(data_type, sizeof data_type, "\"%s\"", data_types[i]);
        const int64_t dim[] = {3, 4, 5};
        const char *json = i % 2 ? "\"packbits\"" : PACKBITS("\"padding_encoding\":\"first_byte\"");
        zt_assert_ok(zt_codec_begin(&codec, json, data_type, NULL, 3, dim), &codec.err);
        _Alignas(16) uint8_t chunk[60 * 16];
        fill(&random, codec.in.dtype, chunk, 60);
        const zl_box box = zt_codec_box(&codec.shape, codec.in.dtype->size, chunk);
        zl_sink out;
        zt_assert_ok(zt_codec_encode(&codec, &box, &out), &codec.err);
        uint8_t *exact = malloc(out.size);
        assert_non_null(exact);
        memcpy(exact, out.data, out.size);
        check_boxes(&codec, chunk, (zl_span){exact, out.size});
        const bool whole_bytes = i % 2 == 0 && codec.in.dtype->units->bits % 8 == 0; /* zarrs leaves the first byte out */
        for (size_t size = 0; size < out.size - whole_bytes; size++) {
            zt_assert_fails(zt_codec_decode(&codec, exact, size, &box), &codec.err, ZL_ERR_CORRUPT, "packbits");
        }
        free(exact);
        zl_sink_free(&out);
        zt_codec_close(&codec);
    }
}

static void test_damage(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {3};
    zt_assert_ok(zt_codec_begin(&codec, PACKBITS("\"padding_encoding\":\"last_byte\""), "\"bool\"", NULL, 1, dim),
                 &codec.err);
    uint8_t elements[3];
    const zl_box box = zt_codec_box(&codec.shape, 1, elements);
    const uint8_t wrong[] = {3, 4}, more[] = {3, 5, 0};
    zt_assert_fails(zt_codec_decode(&codec, wrong, 2, &box), &codec.err, ZL_ERR_CORRUPT,
                    "tells of 4 padding bits, it has 5");
    zt_assert_fails(zt_codec_decode(&codec, more, 3, &box), &codec.err, ZL_ERR_CORRUPT, "a chunk of 3 bytes must have 2");
    zt_codec_close(&codec);
}

/* The byte for the padding may be missing where there never is any. */
static void test_without_padding_byte(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {3};
    const uint8_t packed[] = {7, 8, 9}, first[] = {0, 7, 8, 9};
    uint8_t elements[3];
    const char *json = PACKBITS("\"padding_encoding\":\"first_byte\"");
    zt_assert_ok(zt_codec_begin(&codec, json, "\"uint8\"", NULL, 1, dim), &codec.err);
    const zl_box box = zt_codec_box(&codec.shape, 1, elements);
    zt_assert_ok(zt_codec_decode(&codec, packed, 3, &box), &codec.err);
    assert_memory_equal(elements, packed, 3);
    memset(elements, 0, sizeof elements);
    zt_assert_ok(zt_codec_decode(&codec, first, 4, &box), &codec.err);
    assert_memory_equal(elements, packed, 3);
    zt_codec_close(&codec);
    json = PACKBITS("\"padding_encoding\":\"first_byte\",\"last_bit\":3");
    zt_assert_ok(zt_codec_begin(&codec, json, "\"uint8\"", NULL, 1, dim), &codec.err);
    zt_assert_fails(zt_codec_decode(&codec, packed, 2, &box), &codec.err, ZL_ERR_CORRUPT, "must have 3");
    zt_codec_close(&codec);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type, *text;
    } cases[] = {
        {"\"packbits\"", "\"string\"", "packbits: elements of data type \"string\" are not numbers"},
        {"\"packbits\"", "\"r16\"", "r16"},
        {PACKBITS("\"last_bit\":8"), "\"int8\"", "bits 0 to 8 of the 8"},
        {PACKBITS("\"first_bit\":3,\"last_bit\":2"), "\"int8\"", "bits 3 to 2"},
        {PACKBITS("\"first_bit\":-1"), "\"int8\"", "/configuration/first_bit: no number has a bit -1"},
        {PACKBITS("\"first_bit\":1,\"start_bit\":1"), "\"int8\"", "both given"},
        {PACKBITS("\"padding_encoding\":\"middle\""), "\"int8\"", "/configuration/padding_encoding"},
        {PACKBITS("\"bits\":1"), "\"int8\"", "bits"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, cases[i].data_type, 0, NULL, ZL_ERR_METADATA, cases[i].text);
    }
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_codec codec;
    const int64_t dim[] = {3};
    uint8_t elements[3] = {0};
    zl_sink out = {0};
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, "\"packbits\"", "\"int8\"", NULL, 1, dim);
    const zl_box box = zt_codec_box(&codec.shape, 1, elements);
    if (status == ZL_OK) status = zt_codec_encode(&codec, &box, &out);
    zl_sink_free(&out);
    zt_codec_close(&codec);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_padding_byte),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
