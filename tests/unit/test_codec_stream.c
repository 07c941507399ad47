/* SPDX-License-Identifier: MIT */
/* Every compressor: round trips, and whatever damaged, lying or greedy streams can be thought of. */
#include "zt_codec.h"

static const char *const all_codecs[] = {
#if ZL_HAVE_LIBDEFLATE
    "{\"name\":\"gzip\",\"configuration\":{\"level\":0}}",
    "{\"name\":\"gzip\",\"configuration\":{\"level\":6}}",
#endif
#if ZL_HAVE_ZSTD
    "{\"name\":\"zstd\",\"configuration\":{\"level\":3}}",
    "{\"name\":\"zstd\",\"configuration\":{\"level\":-5,\"checksum\":true}}",
#endif
#if ZL_HAVE_BLOSC
    "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\",\"typesize\":4,"
    "\"blocksize\":0}}",
    "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"zstd\",\"clevel\":3,\"shuffle\":\"bitshuffle\",\"typesize\":2,"
    "\"blocksize\":4096}}",
    "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"blosclz\",\"clevel\":0,\"shuffle\":\"noshuffle\",\"blocksize\":0}}",
#endif
#if ZL_HAVE_LIBDEFLATE
    "{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":1}}",
#endif
#if ZL_HAVE_LZ4
    "{\"name\":\"numcodecs.lz4\",\"configuration\":{\"acceleration\":1}}",
#endif
#if ZL_HAVE_BZ2
    "{\"name\":\"numcodecs.bz2\",\"configuration\":{\"level\":1}}",
#endif
#if ZL_HAVE_LZMA
    "{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":1,\"check\":-1,\"preset\":0,\"filters\":null}}",
    "{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":2,\"preset\":0}}",
    "{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":3,\"filters\":[{\"id\":3,\"dist\":4},{\"id\":33,\"preset\":"
    "0}]}}",
#endif
#if ZL_HAVE_BLOSC
    "{\"name\":\"numcodecs.blosc\",\"configuration\":{\"cname\":\"zlib\",\"clevel\":1,\"shuffle\":-1,\"blocksize\":0}}",
#endif
    NULL};

#define EACH_CODEC(json) for (const char *const *each = all_codecs, *json = *each; json != NULL; json = *++each)

static zl_status open_codec(zt_codec *codec, const char *json) {
    return zt_codec_begin(codec, json, "\"int16\"", NULL, 0, NULL);
}

/* The name that messages use. */
static const char *short_name(const zt_codec *codec) {
    const char *dot = strrchr(codec->cls->name, '.');
    return dot ? dot + 1 : codec->cls->name;
}

static zl_sink growable(const zt_codec *codec, size_t max) {
    return (zl_sink){.max = max, .allocator = &codec->allocator};
}

static zl_sink fixed(uint8_t *data, size_t cap) {
    return (zl_sink){.data = data, .cap = cap, .max = cap, .fixed = true};
}

static zl_status encode(zt_codec *codec, zl_span src, zl_sink *out) {
    return codec->cls->bb->encode(codec->bound, src, out, &codec->call);
}

static zl_status decode(zt_codec *codec, zl_span src, zl_sink *out) {
    return codec->cls->bb->decode(codec->bound, src, out, &codec->call);
}

/* Bytes that compress by about half. */
static void fill(uint8_t *data, size_t size, uint64_t seed) {
    zt_random random = zt_random_seed(seed);
    for (size_t i = 0; i < size; i++) {
        data[i] = zt_random_below(&random, 3) == 0 ? (uint8_t)zt_random_next(&random) : (uint8_t)(i / 100);
    }
}

static void round_trip(zt_codec *codec, const uint8_t *data, size_t size) {
    zl_sink first = growable(codec, SIZE_MAX / 4);
    zl_sink again = growable(codec, SIZE_MAX / 4);
    zt_assert_ok(encode(codec, (zl_span){data, size}, &first), &codec->err);
    zt_assert_ok(encode(codec, (zl_span){data, size}, &again), &codec->err);
    assert_int_equal(first.size, again.size);
    assert_memory_equal(first.data, again.data, first.size);
    assert_true(first.size <= codec->cls->bb->bound(codec->bound, size));

    uint8_t *back = malloc(size + 1);
    assert_non_null(back);
    zl_sink exact = fixed(back, size);
    zt_assert_ok(decode(codec, (zl_span){first.data, first.size}, &exact), &codec->err);
    assert_int_equal(exact.size, size);
    if (size > 0) assert_memory_equal(back, data, size);
    zl_sink free_size = growable(codec, size + 1);
    zt_assert_ok(decode(codec, (zl_span){first.data, first.size}, &free_size), &codec->err);
    assert_int_equal(free_size.size, size);
    if (size > 0) assert_memory_equal(free_size.data, data, size);

    zl_sink large = fixed(back, size + 1);
    zt_assert_fails(decode(codec, (zl_span){first.data, first.size}, &large), &codec->err, ZL_ERR_CORRUPT,
                    short_name(codec));
    if (size > 0) {
        zl_sink small = fixed(back, size - 1);
        zt_assert_fails(decode(codec, (zl_span){first.data, first.size}, &small), &codec->err, ZL_ERR_CORRUPT,
                        short_name(codec));
        zl_sink low = growable(codec, size - 1);
        zt_assert_fails(decode(codec, (zl_span){first.data, first.size}, &low), &codec->err, ZL_ERR_CORRUPT,
                        short_name(codec));
        zl_sink_free(&low);
    }
    free(back);
    zl_sink_free(&free_size);
    zl_sink_free(&again);
    zl_sink_free(&first);
}

static void test_round_trips(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 255, 4096, 70001, 300000};
    uint8_t *data = malloc(300000);
    assert_non_null(data);
    fill(data, 300000, 1);
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        for (size_t i = 0; i < ZL_COUNT_OF(sizes); i++) {
            round_trip(&codec, data, sizes[i]);
        }
        assert_int_equal(codec.cls->bb->bound(codec.bound, UINT64_MAX), UINT64_MAX);
        zt_codec_close(&codec);
    }
    free(data);
}

/* A stream that ends early is never taken for a whole one. */
static void test_truncations(void **state) {
    (void)state;
    uint8_t data[1200], back[1200];
    fill(data, sizeof data, 2);
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        zl_sink whole = growable(&codec, SIZE_MAX / 4);
        zt_assert_ok(encode(&codec, (zl_span){data, sizeof data}, &whole), &codec.err);
        for (size_t size = 0; size < whole.size; size++) {
            uint8_t *cut = malloc(size ? size : 1); /* exactly so large that a sanitizer sees what is read behind it */
            assert_non_null(cut);
            memcpy(cut, whole.data, size);
            zl_sink exact = fixed(back, sizeof back);
            zt_assert_fails(decode(&codec, (zl_span){cut, size}, &exact), &codec.err, ZL_ERR_CORRUPT, short_name(&codec));
            zl_sink free_size = growable(&codec, 2 * sizeof data);
            zt_assert_fails(decode(&codec, (zl_span){cut, size}, &free_size), &codec.err, ZL_ERR_CORRUPT,
                            short_name(&codec));
            zl_sink_free(&free_size);
            free(cut);
        }
        zl_sink_free(&whole);
        zt_codec_close(&codec);
    }
}

/* Damaged streams fail or give the right number of bytes; they never do anything else. */
static void test_mutations(void **state) {
    (void)state;
    uint8_t data[700];
    fill(data, sizeof data, 3);
    zt_random random = zt_random_seed(4);
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        zl_sink whole = growable(&codec, SIZE_MAX / 4);
        zt_assert_ok(encode(&codec, (zl_span){data, sizeof data}, &whole), &codec.err);
        uint8_t *bad = malloc(whole.size);
        uint8_t *back = malloc(sizeof data);
        assert_true(bad && back);
        for (int round = 0; round < 1000; round++) {
            memcpy(bad, whole.data, whole.size);
            for (uint64_t left = 1 + zt_random_below(&random, 3); left > 0; left--) {
                /* Most of what can go wrong is in the header. */
                const size_t reach = zt_random_below(&random, 2) && whole.size > 24 ? 24 : whole.size;
                bad[zt_random_below(&random, reach)] ^= (uint8_t)(1 + zt_random_below(&random, 255));
            }
            zl_sink exact = fixed(back, sizeof data);
            if (decode(&codec, (zl_span){bad, whole.size}, &exact) == ZL_OK) assert_int_equal(exact.size, sizeof data);
            zl_sink free_size = growable(&codec, 1 << 16);
            if (decode(&codec, (zl_span){bad, whole.size}, &free_size) == ZL_OK) assert_true(free_size.size <= 1 << 16);
            zl_sink_free(&free_size);
        }
        free(back);
        free(bad);
        zl_sink_free(&whole);
        zt_codec_close(&codec);
    }
}

/* Much content in few bytes stops at the size it may have, and takes no memory for the rest. */
static void test_bombs(void **state) {
    (void)state;
    const size_t size = (size_t)8 << 20;
    uint8_t *zeros = calloc(1, size);
    assert_non_null(zeros);
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        zl_sink bomb = growable(&codec, SIZE_MAX / 4);
        zt_assert_ok(encode(&codec, (zl_span){zeros, size}, &bomb), &codec.err);
        uint8_t back[4];
        zl_sink exact = fixed(back, sizeof back);
        zt_assert_fails(decode(&codec, (zl_span){bomb.data, bomb.size}, &exact), &codec.err, ZL_ERR_CORRUPT,
                        short_name(&codec));
        const size_t before = codec.memory.size;
        codec.memory.peak = before;
        zl_sink free_size = growable(&codec, 1 << 20);
        zt_assert_fails(decode(&codec, (zl_span){bomb.data, bomb.size}, &free_size), &codec.err, ZL_ERR_CORRUPT,
                        short_name(&codec));
        assert_true(codec.memory.peak - before <= (size_t)2 << 20);
        zl_sink_free(&free_size);
        zl_sink_free(&bomb);
        zt_codec_close(&codec);
    }
    free(zeros);
}

static void test_trailing_garbage(void **state) {
    (void)state;
    uint8_t data[100], back[100];
    fill(data, sizeof data, 5);
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        static const char garbage[][9] = {"\0", "x", "garbage!", "\0\0\0\0\0\0\0"};
        for (size_t i = 0; i < ZL_COUNT_OF(garbage); i++) {
            zl_sink stream = growable(&codec, SIZE_MAX / 4);
            zt_assert_ok(encode(&codec, (zl_span){data, sizeof data}, &stream), &codec.err);
            zt_assert_ok(zl_sink_append(&stream, garbage[i], i == 0 ? 1 : i == 3 ? 7 : strlen(garbage[i]), NULL), NULL);
            zl_sink exact = fixed(back, sizeof back);
            zt_assert_fails(decode(&codec, (zl_span){stream.data, stream.size}, &exact), &codec.err, ZL_ERR_CORRUPT,
                            short_name(&codec));
            zl_sink free_size = growable(&codec, 1 << 16);
            zt_assert_fails(decode(&codec, (zl_span){stream.data, stream.size}, &free_size), &codec.err, ZL_ERR_CORRUPT,
                            short_name(&codec));
            zl_sink_free(&free_size);
            zl_sink_free(&stream);
        }
        zt_codec_close(&codec);
    }
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    uint8_t data[40000];
    fill(data, sizeof data, 6);
    zt_codec codec;
    zl_sink stream = {0}, back = {0};
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, arg, "\"int16\"", NULL, 0, NULL);
    if (status == ZL_OK) {
        stream = back = growable(&codec, 1 << 20);
        status = encode(&codec, (zl_span){data, sizeof data}, &stream);
    }
    if (status == ZL_OK) status = decode(&codec, (zl_span){stream.data, stream.size}, &back);
    if (status == ZL_OK) assert_int_equal(back.size, sizeof data);
    zl_sink_free(&stream);
    zl_sink_free(&back);
    zt_codec_close(&codec);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    EACH_CODEC(json) {
        zt_run_out_of_memory(scenario, (void *)(uintptr_t)json);
    }
}

/* ---- streams of several parts, and streams that no encoder here makes */

typedef struct stream_case {
    const char *json;
    const char *content; /* NULL: the stream is to be refused */
    zl_status status;    /* then, with unknown size */
    const char *text;
    size_t size;
    uint8_t stream[96];
} stream_case;

#define GZIP "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"
#define ZSTD "{\"name\":\"zstd\",\"configuration\":{\"level\":1}}"
#define GZIP_A 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 1, 0, 0xfe, 0xff, 'a', 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0
#define ZSTD_MAGIC 0x28, 0xb5, 0x2f, 0xfd
/* No content size, window of 1 KiB, one raw block "ab". */
#define ZSTD_AB ZSTD_MAGIC, 0x00, 0x00, 0x11, 0x00, 0x00, 'a', 'b'
#define ZSTD_SKIPPABLE 0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'

static const stream_case stream_cases[] = {
#if ZL_HAVE_LIBDEFLATE
    {GZIP, "a", ZL_OK, NULL, 24, {GZIP_A}},
    {GZIP, "aa", ZL_OK, NULL, 48, {GZIP_A, GZIP_A}},
    {GZIP, NULL, ZL_ERR_CORRUPT, "at byte 24 of 25", 25, {GZIP_A, 0x1f}},
    {GZIP, NULL, ZL_ERR_CORRUPT, "0 bytes hold no stream", 0, {0}},
#endif
#if ZL_HAVE_ZSTD
    {ZSTD, "ab", ZL_OK, NULL, 11, {ZSTD_AB}},
    {ZSTD, "abab", ZL_OK, NULL, 22, {ZSTD_AB, ZSTD_AB}},
    {ZSTD, "abab", ZL_OK, NULL, 33, {ZSTD_AB, ZSTD_SKIPPABLE, ZSTD_AB}},
    {ZSTD, "ab", ZL_OK, NULL, 33, {ZSTD_SKIPPABLE, ZSTD_AB, ZSTD_SKIPPABLE}},
    {ZSTD, NULL, ZL_ERR_CORRUPT, "0 bytes hold no frame", 0, {0}},
    /* A content size of 2^62 with 2 bytes behind it. */
    {ZSTD,
     NULL,
     ZL_ERR_CORRUPT,
     "zstd",
     19,
     {ZSTD_MAGIC, 0xc0, 0x00, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x11, 0x00, 0x00, 'a', 'b'}},
    /* A window of 3.75 TiB. */
    {ZSTD, NULL, ZL_ERR_LIMIT, "more than 128 MiB", 11, {ZSTD_MAGIC, 0x00, 0xff, 0x11, 0x00, 0x00, 'a', 'b'}},
    /* 4 RLE blocks of 128 KiB: more than the 64 KiB the test allows. */
    {ZSTD,
     NULL,
     ZL_ERR_CORRUPT,
     "more than the 65536 bytes",
     22,
     {ZSTD_MAGIC, 0x00, 0x38, 2, 0, 0x10, 0, 2, 0, 0x10, 0, 2, 0, 0x10, 0, 3, 0, 0x10, 0}},
#endif
    {NULL, NULL, ZL_OK, NULL, 0, {0}}};

static void test_streams(void **state) {
    (void)state;
    for (const stream_case *it = stream_cases; it->json; it++) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, it->json), &codec.err);
        zl_sink free_size = growable(&codec, 1 << 16);
        uint8_t back[8];
        if (it->content) {
            zl_sink exact = fixed(back, strlen(it->content));
            zt_assert_ok(decode(&codec, (zl_span){it->stream, it->size}, &exact), &codec.err);
            assert_memory_equal(back, it->content, exact.cap);
            zt_assert_ok(decode(&codec, (zl_span){it->stream, it->size}, &free_size), &codec.err);
            assert_int_equal(free_size.size, exact.cap);
            assert_memory_equal(free_size.data, it->content, exact.cap);
        } else {
            zt_assert_fails(decode(&codec, (zl_span){it->stream, it->size}, &free_size), &codec.err, it->status, it->text);
            zl_sink exact = fixed(back, sizeof back);
            assert_int_not_equal(decode(&codec, (zl_span){it->stream, it->size}, &exact), ZL_OK);
        }
        zl_sink_free(&free_size);
        zt_codec_close(&codec);
    }
}

/* ---- configurations */

static void test_configurations(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *text;
    } bad[] = {
#if ZL_HAVE_LIBDEFLATE
        {"\"gzip\"", "level"},
        {"{\"name\":\"gzip\",\"configuration\":{\"level\":10}}", "/configuration/level: level 10 is not within 0 to 9"},
        {"{\"name\":\"gzip\",\"configuration\":{\"level\":-1}}", "level -1"},
        {"{\"name\":\"gzip\",\"configuration\":{\"level\":1.5}}", "/configuration/level"},
        {"{\"name\":\"gzip\",\"configuration\":{\"level\":1,\"x\":1}}", "x"},
#endif
#if ZL_HAVE_ZSTD
        {"{\"name\":\"zstd\",\"configuration\":{}}", "level"},
        {"{\"name\":\"zstd\",\"configuration\":{\"level\":23}}", "level 23 is not within -131072 to 22"},
        {"{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":1}}", "/configuration/checksum"},
        {"{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksums\":true}}", "checksums"},
#endif
#if ZL_HAVE_BLOSC
        {"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz5\",\"clevel\":1,\"shuffle\":\"noshuffle\",\"blocksize\":0}"
         "}",
         "/configuration/cname"},
        {"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":10,\"shuffle\":\"noshuffle\",\"blocksize\":0}"
         "}",
         "clevel 10"},
        {"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":1,\"blocksize\":0}}",
         "shuffle"},
        {"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":\"shuffle\",\"blocksize\":0}}",
         "typesize"},
        {"{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":\"shuffle\",\"typesize\":0,"
         "\"blocksize\":0}}",
         "typesize 0"},
#endif
        {NULL, NULL}
    };
    for (size_t i = 0; bad[i].json; i++) {
        zt_assert_codec_refused(bad[i].json, "\"int16\"", 0, NULL, ZL_ERR_METADATA, bad[i].text);
    }
}

/* What emit writes is read as the same configuration. */
static void test_emit(void **state) {
    (void)state;
    EACH_CODEC(json) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, json), &codec.err);
        zl_json_writer writer;
        zl_json_writer_init(&writer, &codec.allocator, 0);
        codec.cls->emit(codec.self, &writer);
        zt_assert_ok(zl_json_writer_finish(&writer, &codec.err), &codec.err);
        const char *configuration = strstr(json, "\"configuration\":") + strlen("\"configuration\":");
        /* The type size is always written, without shuffling it is 1. */
        if (!strstr(json, "noshuffle")) assert_memory_equal(writer.sink.data, configuration, writer.sink.size);
        zl_json_writer_clear(&writer);
        zt_codec_close(&codec);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_truncations),      cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_bombs),       cmocka_unit_test(test_trailing_garbage), cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_streams),     cmocka_unit_test(test_configurations),   cmocka_unit_test(test_emit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
