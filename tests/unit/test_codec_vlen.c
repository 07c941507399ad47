/* SPDX-License-Identifier: MIT */
/* vlen-utf8 and vlen-bytes: elements in and out, and every way in which a chunk can be damaged. */
#include "zt_codec.h"

static zl_slot slot(const char *text) {
    return (zl_slot){text, strlen(text)};
}

/* 2 x 3 texts. */
static const char stored[] = "\x06\0\0\0"
                             "\x01\0\0\0a"
                             "\0\0\0\0"
                             "\x02\0\0\0bb"
                             "\x03\0\0\0\xe2\x82\xac"
                             "\x04\0\0\0dddd"
                             "\x05\0\0\0eeeee";
static const char *const texts[] = {"a", "", "bb", "\xe2\x82\xac", "dddd", "eeeee"};

static void test_encode(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {2, 3};
    zt_assert_ok(zt_codec_begin(&codec, "\"vlen-utf8\"", "\"string\"", NULL, 2, dim), &codec.err);
    zl_slot slots[6];
    /* Backwards along both axes. */
    for (int i = 0; i < 6; i++) {
        slots[5 - i] = slot(texts[i]);
    }
    zl_box box = zt_codec_box(&codec.shape, sizeof(zl_slot), &slots[5]);
    box.stride[0] = -box.stride[0];
    box.stride[1] = -box.stride[1];
    zl_sink out;
    zt_assert_ok(zt_codec_encode(&codec, &box, &out), &codec.err);
    assert_int_equal(out.size, sizeof stored - 1);
    assert_memory_equal(out.data, stored, out.size);
    assert_true(codec.cls->ab->bound(codec.bound) == UINT64_MAX);
    zl_sink_free(&out);

    slots[5] = slot("\xff");
    zt_assert_fails(zt_codec_encode(&codec, &box, &out), &codec.err, ZL_ERR_INVALID_ARGUMENT,
                    "element 0 of the chunk is not UTF-8");
    slots[5].size = (uint64_t)UINT32_MAX + 1;
    zt_assert_fails(zt_codec_encode(&codec, &box, &out), &codec.err, ZL_ERR_INVALID_ARGUMENT, "4294967296 bytes");
    zt_codec_close(&codec);
}

static void test_decode(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {2, 3};
    zt_assert_ok(zt_codec_begin(&codec, "\"vlen-utf8\"", "\"string\"", NULL, 2, dim), &codec.err);
    /* All boxes of the chunk. */
    for (int64_t code = 0; code < 2 * 3 * 3 * 4; code++) {
        const int64_t start[] = {code % 2, code / 2 % 3}, count[] = {code / 6 % 3, code / 18};
        if (start[0] + count[0] > 2 || start[1] + count[1] > 3) continue;
        zl_slot slots[6] = {{0}};
        zl_box box = zt_codec_box(&(zl_shape){2, {count[0], count[1]}}, sizeof(zl_slot), slots);
        memcpy(box.start, start, sizeof start);
        zt_assert_ok(zt_codec_decode(&codec, stored, sizeof stored - 1, &box), &codec.err);
        for (int64_t i = 0; i < count[0] * count[1]; i++) {
            zt_check_slot(&slots[i], texts[(start[0] + i / count[1]) * 3 + start[1] + i % count[1]]);
        }
    }
    zt_codec_close(&codec);
}

static void test_scalar_and_bytes(void **state) {
    (void)state;
    zt_codec codec;
    zt_assert_ok(zt_codec_begin(&codec, "{\"name\":\"vlen-bytes\",\"configuration\":{}}", "\"bytes\"", NULL, 0, NULL),
                 &codec.err);
    static const uint8_t chunk[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0};
    zl_slot found = {0};
    zl_box box = zt_codec_box(&codec.shape, sizeof found, &found);
    zt_assert_ok(zt_codec_decode(&codec, chunk, sizeof chunk, &box), &codec.err);
    assert_int_equal(found.size, 2);
    assert_memory_equal(found.data, chunk + 8, 2);
    zl_sink out;
    zt_assert_ok(zt_codec_encode(&codec, &box, &out), &codec.err);
    assert_int_equal(out.size, sizeof chunk);
    assert_memory_equal(out.data, chunk, sizeof chunk);
    zl_sink_free(&out);
    zt_codec_close(&codec);
}

static zl_status decode_all(zt_codec *codec, const void *data, size_t size) {
    zl_slot slots[6];
    uint8_t *copy = malloc(size ? size : 1); /* a sanitizer sees what is read behind it */
    assert_non_null(copy);
    memcpy(copy, data, size);
    const zl_box box = zt_codec_box(&codec->shape, sizeof(zl_slot), slots);
    const zl_status status = zt_codec_decode(codec, copy, size, &box);
    free(copy);
    return status;
}

static void test_damage(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {6};
    zt_assert_ok(zt_codec_begin(&codec, "\"vlen-utf8\"", "\"string\"", NULL, 1, dim), &codec.err);
    for (size_t size = 0; size < sizeof stored - 1; size++) {
        zt_assert_fails(decode_all(&codec, stored, size), &codec.err, ZL_ERR_CORRUPT, "vlen-utf8");
    }
    zt_assert_fails(decode_all(&codec, stored, sizeof stored), &codec.err, ZL_ERR_CORRUPT,
                    "1 bytes behind the last element");
    char bad[sizeof stored];
    memcpy(bad, stored, sizeof bad);
    bad[0] = 7;
    zt_assert_fails(decode_all(&codec, bad, sizeof bad - 1), &codec.err, ZL_ERR_CORRUPT,
                    "tell of 7 elements, the chunk has 6");
    memcpy(bad, stored, sizeof bad);
    bad[3] = (char)0x80; /* 2^31 + 6 elements */
    zt_assert_fails(decode_all(&codec, bad, sizeof bad - 1), &codec.err, ZL_ERR_CORRUPT, "2147483654 elements");
    memcpy(bad, stored, sizeof bad);
    memset(bad + 9, 0xff, 4);
    zt_assert_fails(decode_all(&codec, bad, sizeof bad - 1), &codec.err, ZL_ERR_CORRUPT, "element 1 has 4294967295 bytes");
    memcpy(bad, stored, sizeof bad);
    bad[8] = (char)0xc3;
    zt_assert_fails(decode_all(&codec, bad, sizeof bad - 1), &codec.err, ZL_ERR_CORRUPT, "element 0 is not UTF-8");
    zt_random random = zt_random_seed(7);
    for (int round = 0; round < 3000; round++) {
        memcpy(bad, stored, sizeof bad);
        bad[zt_random_below(&random, sizeof bad - 1)] ^= (char)(1 + zt_random_below(&random, 255));
        const zl_status status = decode_all(&codec, bad, sizeof bad - 1);
        assert_true(status == ZL_OK || status == ZL_ERR_CORRUPT);
    }
    zt_codec_close(&codec);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type;
        int32_t rank;
        zl_status status;
        const char *text;
    } cases[] = {
        {"\"vlen-utf8\"", "\"bytes\"", 0, ZL_ERR_METADATA, "vlen-utf8: stores data type \"string\" alone, not \"bytes\""},
        {"\"vlen-bytes\"", "\"int8\"", 0, ZL_ERR_METADATA, "int8"},
        {"\"bytes\"", "\"string\"", 0, ZL_ERR_METADATA, "vlen-utf8"},
        {"\"vlen-utf8\"", "\"string\"", 2, ZL_ERR_LIMIT, "4294967295 elements"},
        {"{\"name\":\"vlen-utf8\",\"configuration\":{\"x\":1}}", "\"string\"", 0, ZL_ERR_METADATA, "x"},
    };
    static const int64_t dim[] = {65536, 65536};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, cases[i].data_type, cases[i].rank, dim, cases[i].status, cases[i].text);
    }
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_codec codec;
    const int64_t dim[] = {6};
    zl_slot slots[6];
    zl_sink out = {0};
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, "\"vlen-utf8\"", "\"string\"", NULL, 1, dim);
    const zl_box box = zt_codec_box(&codec.shape, sizeof(zl_slot), slots);
    if (status == ZL_OK) status = zt_codec_decode(&codec, stored, sizeof stored - 1, &box);
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
        cmocka_unit_test(test_encode), cmocka_unit_test(test_decode),  cmocka_unit_test(test_scalar_and_bytes),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_refused), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
