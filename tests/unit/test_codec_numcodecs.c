/* SPDX-License-Identifier: MIT */
/* Names of numcodecs: checksums by their known values, shuffle, and configurations. Their compressors are in
 * test_codec_stream.c. */
#include "zt_codec.h"

#define CODEC(name, configuration) "{\"name\":\"numcodecs." name "\",\"configuration\":{" configuration "}}"

static zl_status open_codec(zt_codec *codec, const char *json) {
    return zt_codec_begin(codec, json, "\"int16\"", NULL, 0, NULL);
}

/* ---- checksums */

#define LINCOLN "Four score and seven years ago"

static const struct checksum_case {
    const char *json, *content;
    bool at_end;
    uint8_t sum[4]; /* as it is stored */
} checksum_cases[] = {
    {CODEC("adler32", ""), "Wikipedia", false, {0x98, 0x03, 0xe6, 0x11}},
    {CODEC("adler32", "\"location\":\"end\""), "Wikipedia", true, {0x98, 0x03, 0xe6, 0x11}},
    {CODEC("adler32", ""), "", false, {1, 0, 0, 0}},
    {CODEC("crc32", ""), "123456789", false, {0x26, 0x39, 0xf4, 0xcb}},
    {CODEC("crc32", "\"location\":\"end\""), "123456789", true, {0x26, 0x39, 0xf4, 0xcb}},
    {CODEC("crc32c", ""), "123456789", true, {0x83, 0x92, 0x06, 0xe3}},
    {CODEC("crc32c", "\"location\":\"start\""), "123456789", false, {0x83, 0x92, 0x06, 0xe3}},
    /* Words 6162 6364: sums c4c6 and 6162 + c4c6 = 12628, folded 2629. */
    {"{\"name\":\"numcodecs.fletcher32\"}", "abcd", true, {0xc6, 0xc4, 0x29, 0x26}},
    /* And 6500: sums 129c6 and 2629 + 129c6 = 14fef, folded 29c7 and 4ff0. */
    {CODEC("fletcher32", ""), "abcde", true, {0xc7, 0x29, 0xf0, 0x4f}},
    {CODEC("jenkins_lookup3", ""), "", true, {0xef, 0xbe, 0xad, 0xde}},
    {CODEC("jenkins_lookup3", "\"initval\":0,\"prefix\":null"), LINCOLN, true, {0x51, 0x05, 0x77, 0x17}},
    {CODEC("jenkins_lookup3", "\"initval\":1"), LINCOLN, true, {0x61, 0x81, 0x62, 0xcd}},
    {CODEC("jenkins_lookup3", "\"initval\":7"), "123456789012", true, {0xac, 0x68, 0x72, 0xa4}},
};

static void check_checksum(const struct checksum_case *it) {
    zt_codec codec;
    zt_assert_ok(open_codec(&codec, it->json), &codec.err);
    const zl_bb_ops *bb = codec.cls->bb;
    uint32_t head, tail;
    bb->extent(codec.bound, &head, &tail);
    assert_int_equal(head, it->at_end ? 0 : 4);
    assert_int_equal(tail, it->at_end ? 4 : 0);
    const size_t size = strlen(it->content);
    uint8_t frame[64];
    memcpy(frame + head, it->content, size);
    uint8_t *sum = frame + (it->at_end ? size : 0);
    /* In one span and in two. */
    for (size_t n = 1; n <= 2; n++) {
        const size_t first = n == 1 ? size : size / 3;
        const zl_span spans[] = {{frame + head, first}, {frame + head + first, size - first}};
        memset(sum, 0, 4);
        zt_assert_ok(bb->seal(codec.bound, spans, n, frame, frame + head + size, &codec.call), &codec.err);
        assert_memory_equal(sum, it->sum, 4);
    }
    const zl_span whole = {frame, size + 4};
    zt_assert_ok(bb->check(codec.bound, whole, &codec.call), &codec.err);
    for (size_t i = 0; i < whole.size; i++) {
        frame[i] ^= 0x10;
        zt_assert_fails(bb->check(codec.bound, whole, &codec.call), &codec.err, ZL_ERR_CORRUPT, "have checksum");
        frame[i] ^= 0x10;
    }
    zt_assert_fails(bb->check(codec.bound, (zl_span){frame, 3}, &codec.call), &codec.err, ZL_ERR_CORRUPT, "3 bytes");
    zt_codec_close(&codec);
}

static void test_checksums(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(checksum_cases); i++) {
        check_checksum(&checksum_cases[i]);
    }
}

/* Sums that are reduced now and then must not overflow before. */
static void test_long_sums(void **state) {
    (void)state;
    static const struct {
        const char *json;
        uint8_t sum[4];
    } cases[] = {
        /* a = 1 + 255 n, b = n + 255 n (n + 1) / 2, modulo 65521, for n = 2^20 */
        {CODEC("adler32", "\"location\":\"end\""), {0x11, 0xef, 0x88, 0x8e}},
        /* every word is 65535, which is 0 to the sums but stays what it is */
        {CODEC("fletcher32", ""), {0xff, 0xff, 0xff, 0xff}},
    };
    const size_t size = (size_t)1 << 20;
    uint8_t *data = malloc(size);
    assert_non_null(data);
    memset(data, 0xff, size);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        uint8_t sum[4];
        const zl_span span = {data, size};
        zt_assert_ok(open_codec(&codec, cases[i].json), &codec.err);
        zt_assert_ok(codec.cls->bb->seal(codec.bound, &span, 1, NULL, sum, &codec.call), &codec.err);
        assert_memory_equal(sum, cases[i].sum, 4);
        zt_codec_close(&codec);
    }
    free(data);
}

/* ---- shuffle */

static void test_shuffle(void **state) {
    (void)state;
    zt_codec codec;
    zt_assert_ok(open_codec(&codec, CODEC("shuffle", "\"elementsize\":3")), &codec.err);
    const zl_bb_ops *bb = codec.cls->bb;
    const zl_span src = {(const uint8_t *)"a1xb2yc3zd4w", 12};
    zl_sink out = {.max = 100, .allocator = &codec.allocator};
    zt_assert_ok(bb->encode(codec.bound, src, &out, &codec.call), &codec.err);
    assert_int_equal(out.size, 12);
    assert_memory_equal(out.data, "abcd1234xyzw", 12);
    assert_int_equal(bb->bound(codec.bound, 12), 12);
    uint8_t back[12];
    zl_sink fixed = {.data = back, .cap = 12, .max = 12, .fixed = true};
    zt_assert_ok(bb->decode(codec.bound, (zl_span){out.data, 12}, &fixed, &codec.call), &codec.err);
    assert_memory_equal(back, src.data, 12);
    fixed.size = 0;
    zt_assert_fails(bb->decode(codec.bound, (zl_span){out.data, 9}, &fixed, &codec.call), &codec.err, ZL_ERR_CORRUPT,
                    "shuffle: 9 bytes are stored, the chunk needs 12");
    zt_assert_fails(bb->decode(codec.bound, (zl_span){out.data, 11}, &fixed, &codec.call), &codec.err, ZL_ERR_CORRUPT,
                    "not whole elements of 3");
    zl_sink_free(&out);
    out.max = 11;
    zt_assert_fails(bb->decode(codec.bound, src, &out, &codec.call), &codec.err, ZL_ERR_CORRUPT, "may hold 11");
    zt_assert_fails(bb->encode(codec.bound, (zl_span){src.data, 10}, &out, &codec.call), &codec.err,
                    ZL_ERR_INVALID_ARGUMENT, "10 bytes");
    zl_sink_free(&out);
    zt_codec_close(&codec);
}

/* ---- packbits */

static void test_packbits(void **state) {
    (void)state;
    static const struct {
        int64_t count;
        const uint8_t bools[12];
        size_t size;
        const uint8_t packed[3];
    } cases[] = {
        {8, {1, 0, 0, 1, 0, 0, 0, 1}, 2, {0, 0x91}},
        {11, {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1}, 3, {5, 0x40, 0xa0}},
        {1, {2}, 2, {7, 0x80}}, /* whatever is not 0 is true */
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        zt_assert_ok(zt_codec_begin(&codec, "\"numcodecs.packbits\"", "\"bool\"", NULL, 1, &cases[i].count), &codec.err);
        const zl_aa_ops *aa = codec.cls->aa;
        uint8_t packed[4], bools[12];
        assert_int_equal(codec.inner.rank, 1);
        assert_int_equal(codec.inner.dim[0], cases[i].size);
        assert_int_equal(codec.out.dtype->id, ZL_DTYPE_UINT8);
        zt_assert_ok(aa->encode(codec.bound, cases[i].bools, packed, &codec.call), &codec.err);
        assert_memory_equal(packed, cases[i].packed, cases[i].size);
        zt_assert_ok(aa->decode(codec.bound, packed, bools, &codec.call), &codec.err);
        for (int64_t k = 0; k < cases[i].count; k++) {
            assert_int_equal(bools[k], cases[i].bools[k] != 0);
        }
        packed[0]++;
        zt_assert_fails(aa->decode(codec.bound, packed, bools, &codec.call), &codec.err, ZL_ERR_CORRUPT, "padding bits");
        zt_codec_close(&codec);
    }
}

/* ---- configurations */

static void test_defaults(void **state) {
    (void)state;
    static const char *const names[] = {
#if ZL_HAVE_LIBDEFLATE
        "gzip",
        "zlib",
#endif
#if ZL_HAVE_ZSTD
        "zstd",
#endif
#if ZL_HAVE_BLOSC
        "blosc",
#endif
#if ZL_HAVE_LZ4
        "lz4",
#endif
#if ZL_HAVE_BZ2
        "bz2",
#endif
#if ZL_HAVE_LZMA
        "lzma",
#endif
        "shuffle",
        "adler32",
        "crc32",
        "crc32c",
        "fletcher32",
        "jenkins_lookup3",
    };
    for (size_t i = 0; i < ZL_COUNT_OF(names); i++) {
        zt_codec codec;
        char json[64];
        snprintf(json, sizeof json, "\"numcodecs.%s\"", names[i]);
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        zl_json_writer writer;
        zl_json_writer_init(&writer, &codec.allocator, 0);
        codec.cls->emit(codec.self, &writer);
        zt_assert_ok(zl_json_writer_finish(&writer, &codec.err), &codec.err);
        zl_json_writer_clear(&writer);
        zt_codec_close(&codec);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *text;
    } cases[] = {
        {CODEC("shuffle", "\"elementsize\":0"), ZL_ERR_METADATA, "elementsize 0"},
        {CODEC("crc32", "\"location\":\"middle\""), ZL_ERR_METADATA, "/configuration/location"},
        {CODEC("fletcher32", "\"location\":\"end\""), ZL_ERR_METADATA, "location"},
        {CODEC("jenkins_lookup3", "\"initval\":4294967296"), ZL_ERR_METADATA, "/configuration/initval"},
        {CODEC("jenkins_lookup3", "\"prefix\":[1]"), ZL_ERR_UNSUPPORTED, "/configuration/prefix"},
        {CODEC("packbits", "\"a\":1"), ZL_ERR_METADATA, "/configuration"},
        {CODEC("packbits", ""), ZL_ERR_METADATA, "elements are bool, not \"int16\""},
        {CODEC("pcodec", ""), ZL_ERR_UNSUPPORTED, "needs a well-kept C library"},
#if ZL_HAVE_LIBDEFLATE
        {CODEC("zlib", "\"level\":10"), ZL_ERR_METADATA, "level 10 is not within -1 to 9"},
#endif
#if ZL_HAVE_BZ2
        {CODEC("bz2", "\"level\":0"), ZL_ERR_METADATA, "level 0 is not within 1 to 9"},
#endif
#if ZL_HAVE_BLOSC
        {CODEC("blosc", "\"shuffle\":3"), ZL_ERR_METADATA, "shuffle 3 is not within -1 to 2"},
        {CODEC("blosc", "\"shuffle\":\"shuffle\""), ZL_ERR_METADATA, "/configuration/shuffle"},
#endif
#if ZL_HAVE_LZMA
        {CODEC("lzma", "\"format\":4"), ZL_ERR_METADATA, "format 4"},
        {CODEC("lzma", "\"preset\":10"), ZL_ERR_METADATA, "preset 10"},
        {CODEC("lzma", "\"format\":3"), ZL_ERR_METADATA, "need filters"},
        {CODEC("lzma", "\"filters\":[]"), ZL_ERR_METADATA, "filters"},
        {CODEC("lzma", "\"filters\":[{\"id\":99}]"), ZL_ERR_UNSUPPORTED, "filter 99"},
        {CODEC("lzma", "\"filters\":[{\"id\":33,\"lc\":9}]"), ZL_ERR_METADATA, "/configuration/filters/0/lc"},
        {CODEC("lzma", "\"format\":3,\"filters\":[{\"id\":3}]"), ZL_ERR_LIMIT, "cannot be used together"},
        {CODEC("lzma", "\"format\":3,\"filters\":[{\"id\":33,\"dict_size\":268435456}]"), ZL_ERR_LIMIT, "256 MiB"},
#endif
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, "\"int16\"", 0, NULL, cases[i].status, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksums), cmocka_unit_test(test_long_sums), cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_packbits),  cmocka_unit_test(test_defaults),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
