/* SPDX-License-Identifier: MIT */
/* Codecs of arrays of objects: categorize, json2, msgpack2. */
#include "zt_codec.h"

/* ---- categorize */

#define COLOURS \
    "{\"name\":\"numcodecs.categorize\",\"configuration\":{\"labels\":[\"red\",\"blue\"],\"dtype\":\"|O\",\"astype\":"

static void numbers_stand_for_labels(void **state) {
    (void)state;
    const int64_t dim[] = {4};
    static const struct {
        const char *astype;
        const char *stored;
        size_t size;
    } cases[] = {{"\"|u1\"}}", "\2\0\1\7", 4}, {"\"<u2\"}}", "\2\0\0\0\1\0\7\0", 8}, {"\">i2\"}}", "\0\2\0\0\0\1\0\7", 8}};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[200];
        zt_codec codec;
        (void)snprintf(json, sizeof json, COLOURS "%s", cases[i].astype);
        zt_assert_ok(zt_codec_begin(&codec, json, "\"string\"", NULL, 1, dim), &codec.err);
        zl_slot slots[4];
        const zl_box box = zt_codec_box(&codec.shape, sizeof(zl_slot), slots);
        zt_assert_ok(zt_codec_decode(&codec, cases[i].stored, cases[i].size, &box), &codec.err);
        zt_check_slot(&slots[0], "blue");
        zt_check_slot(&slots[1], "");
        zt_check_slot(&slots[2], "red");
        zt_check_slot(&slots[3], "");
        zl_sink out;
        zt_assert_ok(zt_codec_encode(&codec, &box, &out), &codec.err);
        assert_int_equal(out.size, cases[i].size);
        assert_memory_equal(out.data, cases[i].stored, cases[i].size * 3 / 4);
        zl_sink_free(&out);
        slots[3] = (zl_slot){.data = "green", .size = 5};
        zt_assert_fails(zt_codec_encode(&codec, &box, &out), &codec.err, ZL_ERR_INVALID_ARGUMENT,
                        "element 3 of the chunk is none of the 2 labels");
        zt_assert_fails(zt_codec_decode(&codec, cases[i].stored, 3, &box), &codec.err, ZL_ERR_CORRUPT, "3 bytes");
        zt_codec_close(&codec);
    }
}

static void labels_fill_fixed_text(void **state) {
    (void)state;
    const int64_t dim[] = {2};
    zt_codec codec;
    zt_assert_ok(zt_codec_begin(&codec, COLOURS "\"|u1\"}}",
                                "{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":5}}", NULL, 1,
                                dim),
                 &codec.err);
    char text[10];
    const zl_box box = zt_codec_box(&codec.shape, 5, text);
    zt_assert_ok(zt_codec_decode(&codec, "\2\1", 2, &box), &codec.err);
    assert_memory_equal(text, "blue\0red\0\0", 10);
    zt_codec_close(&codec);
    zt_assert_codec_refused(COLOURS "\"|u1\"}}",
                            "{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":3}}", 1, dim,
                            ZL_ERR_METADATA, "4 bytes for elements of 3");
    zt_assert_codec_refused(COLOURS "\"<f4\"}}", "\"string\"", 1, dim, ZL_ERR_METADATA, "integer type");
    zt_assert_codec_refused(COLOURS "\"|u1\"}}", "\"int8\"", 1, dim, ZL_ERR_METADATA, "stores text");
}

/* ---- documents */

static zl_status decode(zt_codec *codec, const void *stored, size_t size, zl_slot *slots) {
    const zl_box box = zt_codec_box(&codec->shape, sizeof(zl_slot), slots);
    return zt_codec_decode(codec, stored, size, &box);
}

static void reads_json(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {2, 2};
    zl_slot slots[4];
    zt_assert_ok(zt_codec_begin(&codec, "\"numcodecs.json2\"", "\"string\"", NULL, 2, dim), &codec.err);
    static const char stored[] = "[[\"a\\u00e9\", {\"k\": [1, NaN]}],[null,1.50],\"|O\",[2,2]]";
    zt_assert_ok(decode(&codec, stored, sizeof stored - 1, slots), &codec.err);
    zt_check_slot(&slots[0], "a\xc3\xa9");
    zt_check_slot(&slots[1], "{\"k\": [1, NaN]}");
    zt_check_slot(&slots[2], "null");
    zt_check_slot(&slots[3], "1.50");
    static const char *const damaged[] = {"",
                                          "[",
                                          "{}",
                                          "[1,2,\"|O\",[2,2]]",
                                          "[[1,2],[3],\"|O\",[2,2]]",
                                          "[[1,2],[3,4],\"|O\"]",
                                          "[[1,2],[3,4],\"|O\",[2,2]]x"};
    for (size_t i = 0; i < ZL_COUNT_OF(damaged); i++) {
        zt_assert_fails(decode(&codec, damaged[i], strlen(damaged[i]), slots), &codec.err, ZL_ERR_CORRUPT, "json2");
    }
    zl_sink out;
    const zl_box box = zt_codec_box(&codec.shape, sizeof(zl_slot), slots);
    zt_assert_fails(zt_codec_encode(&codec, &box, &out), &codec.err, ZL_ERR_UNSUPPORTED, "can be read, not written");
    zt_codec_close(&codec);
}

static void reads_msgpack(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {9};
    zl_slot slots[9];
    zt_assert_ok(zt_codec_begin(&codec, "\"numcodecs.msgpack2\"", "\"string\"", NULL, 1, dim), &codec.err);
    static const char stored[] = "\x9b"
                                 "\xa1x\xd9\x02yz\xc0\xc3"
                                 "\xd1\xff\x00"
                                 "\xcb\x3f\xf8\0\0\0\0\0\0"
                                 "\x81\xa1k\x92\x01\xff"
                                 "\xc4\x03\x01\x02\x03"
                                 "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"
                                 "\xa2|O\x91\x09";
    static const char *const texts[] = {
        "x", "yz", "null", "true", "-256", "1.5", "{\"k\":[1,-1]}", "AQID", "18446744073709551615"};
    const size_t size = sizeof stored - 1;
    zt_assert_ok(decode(&codec, stored, size, slots), &codec.err);
    for (size_t i = 0; i < ZL_COUNT_OF(texts); i++) {
        zt_check_slot(&slots[i], texts[i]);
    }
    for (size_t cut = 0; cut < size; cut++) {
        zt_assert_fails(decode(&codec, stored, cut, slots), &codec.err, ZL_ERR_CORRUPT, "msgpack2");
    }
    static const char behind[] = "\x90x", lies[] = "\xdd\xff\xff\xff\xff", extension[] = "\xd4\x01\x02",
                      nan[] = "\xca\x7f\xc0\0\0";
    zt_assert_fails(decode(&codec, behind, 2, slots), &codec.err, ZL_ERR_CORRUPT, "behind the document");
    zt_assert_fails(decode(&codec, lies, 5, slots), &codec.err, ZL_ERR_CORRUPT, "the chunk ends");
    zt_assert_fails(decode(&codec, extension, 3, slots), &codec.err, ZL_ERR_UNSUPPORTED, "extension types");
    zt_assert_fails(decode(&codec, nan, 5, slots), &codec.err, ZL_ERR_UNSUPPORTED, "NaN");
    char deep[600];
    memset(deep, '\x91', sizeof deep);
    zt_assert_fails(decode(&codec, deep, sizeof deep, slots), &codec.err, ZL_ERR_LIMIT, "512");
    zt_codec_close(&codec);
}

/* ---- memory */

static zl_status round_trip(const zl_allocator *allocator, void *arg) {
    const char *const *given = arg; /* codec, stored bytes */
    const int64_t dim[] = {2};
    zt_codec codec;
    zl_slot slots[2];
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, given[0], "\"string\"", NULL, 1, dim);
    if (status == ZL_OK) status = decode(&codec, given[1], strlen(given[1]), slots);
    zt_codec_close(&codec);
    return status;
}

static void runs_out_of_memory(void **state) {
    (void)state;
    static const char *const cases[][2] = {{COLOURS "\"|u1\"}}", "\1\2"},
                                           {"\"numcodecs.json2\"", "[\"a\",[1],\"|O\",[2]]"},
                                           {"\"numcodecs.msgpack2\"", "\x94\xa1x\xc4\x01y\xa2|O\x91\x02"}};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_run_out_of_memory(round_trip, (void *)cases[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_for_labels),
        cmocka_unit_test(labels_fill_fixed_text),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(reads_msgpack),
        cmocka_unit_test(runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
