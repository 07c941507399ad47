/* SPDX-License-Identifier: MIT */
/* conditional: its header, how writers decide, damaged chunks, and arrays with it through the api. */
#include "zt_api.h"
#include "zt_codec.h"

/* Codecs that are always there: a stream, and a frame of 4 bytes at the end. */
#define SHUFFLE "{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":4}}"
#define CONDITIONAL(codecs, more) "{\"name\":\"conditional\",\"configuration\":{\"codecs\":[" codecs "]" more "}}"
#define BOTH CONDITIONAL(SHUFFLE ",\"crc32c\"", "")

static const int64_t dim[] = {2};

static zl_status open_codec(zt_codec *codec, const char *json) {
    return zt_codec_begin(codec, json, "\"int32\"", NULL, 1, dim);
}

static const uint8_t content[8] = {0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24};
static const uint8_t shuffled[8] = {0x11, 0x21, 0x12, 0x22, 0x13, 0x23, 0x14, 0x24};

static zl_status encode(zt_codec *codec, uint8_t *out, size_t *size) {
    const uint64_t bound = codec->cls->bb->bound(codec->bound, sizeof content);
    zl_sink sink = {.data = out, .cap = (size_t)bound, .max = (size_t)bound, .allocator = &codec->allocator};
    const zl_status status = codec->cls->bb->encode(codec->bound, (zl_span){content, sizeof content}, &sink, &codec->call);
    *size = sink.size;
    return status;
}

/* Into memory of the exact size, and into a sink that grows. */
static zl_status decode(zt_codec *codec, const void *stored, size_t size) {
    uint8_t memory[sizeof content];
    const zl_bb_ops *bb = codec->cls->bb;
    const zl_span src = {stored, size};
    zl_sink fixed = {.data = memory, .cap = sizeof memory, .max = sizeof memory, .fixed = true};
    zl_sink grows = {.max = 1000, .allocator = &codec->allocator};
    ZL_TRY(bb->decode(codec->bound, src, &fixed, &codec->call));
    assert_int_equal(fixed.size, sizeof content);
    assert_memory_equal(memory, content, sizeof content);
    const zl_status status = bb->decode(codec->bound, src, &grows, &codec->call);
    if (status == ZL_OK) {
        assert_int_equal(grows.size, sizeof content);
        assert_memory_equal(grows.data, content, sizeof content);
    }
    zl_sink_free(&grows);
    return status;
}

/* ---- what is stored */

static void stores_a_header(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_conditional_policy policy;
        size_t header_size;
        uint8_t header[3];
        bool is_shuffled;
        size_t tail; /* a checksum */
    } cases[] = {
        {BOTH, ZL_CONDITIONAL_NEVER, 1, {0}, false, 0},
        {BOTH, ZL_CONDITIONAL_ALWAYS, 1, {3}, true, 4},
        {BOTH, ZL_CONDITIONAL_SMALLEST, 1, {0}, false, 0},
        {CONDITIONAL("\"crc32c\"," SHUFFLE, ""), ZL_CONDITIONAL_NEVER, 1, {0}, false, 0},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":24"), ZL_CONDITIONAL_ALWAYS, 3, {1}, true, 0},
        {CONDITIONAL("", ""), ZL_CONDITIONAL_ALWAYS, 0, {0}, false, 0},
        {CONDITIONAL("", ",\"header_bits\":8"), ZL_CONDITIONAL_ALWAYS, 1, {0}, false, 0},
        {CONDITIONAL("\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\",\"crc32c\"",
                     ""),
         ZL_CONDITIONAL_ALWAYS,
         2,
         {0xff, 1},
         false,
         36},
        {CONDITIONAL(BOTH, ""), ZL_CONDITIONAL_NEVER, 1, {0}, false, 0},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        uint8_t stored[256];
        size_t size;
        const zl_conditional how = {.policy = cases[i].policy};
        zt_assert_ok(open_codec(&codec, cases[i].json), &codec.err);
        if (cases[i].policy != ZL_CONDITIONAL_NEVER) codec.call.conditional = &how;
        zt_assert_ok(encode(&codec, stored, &size), &codec.err);
        assert_int_equal(size, cases[i].header_size + sizeof content + cases[i].tail);
        assert_memory_equal(stored, cases[i].header, cases[i].header_size);
        assert_memory_equal(stored + cases[i].header_size, cases[i].is_shuffled ? shuffled : content, sizeof content);
        zt_assert_ok(decode(&codec, stored, size), &codec.err);
        zt_codec_close(&codec);
    }
}

/* Conditionals inside each other, and frames in front of streams. */
static void decodes_what_is_nested(void **state) {
    (void)state;
    static const char *const lists[] = {
        CONDITIONAL(SHUFFLE ",\"crc32c\"," SHUFFLE, ""),
        CONDITIONAL("\"crc32c\"," CONDITIONAL(SHUFFLE ",\"crc32c\"", "") ",\"numcodecs.adler32\"", ""),
    };
    for (size_t i = 0; i < ZL_COUNT_OF(lists); i++) {
        zt_codec codec;
        uint8_t stored[256];
        size_t size;
        const zl_conditional always = {.policy = ZL_CONDITIONAL_ALWAYS};
        zt_assert_ok(open_codec(&codec, lists[i]), &codec.err);
        codec.call.conditional = &always;
        zt_assert_ok(encode(&codec, stored, &size), &codec.err);
        zt_assert_ok(decode(&codec, stored, size), &codec.err);
        zt_codec_close(&codec);
    }
}

/* ---- asking */

struct talk {
    unsigned answers; /* a bit for each codec */
    int32_t count;
    bool tried;
};

static bool answer(void *user, const zl_conditional_question *question) {
    struct talk *talk = user;
    assert_string_equal(question->key, "c/0");
    assert_int_equal(question->codec_index, talk->count);
    assert_string_equal(question->codec, talk->count == 1 ? "crc32c" : "numcodecs.shuffle");
    assert_int_equal(question->size, sizeof content);
    assert_memory_equal(question->data, content, sizeof content);
    if (talk->tried) {
        assert_int_equal(question->encoded_size, sizeof content + (talk->count == 1 ? 4 : 0));
        assert_memory_equal(question->encoded, talk->count == 1 ? content : shuffled, sizeof content);
    } else {
        assert_null(question->encoded);
    }
    return talk->answers >> talk->count++ & 1;
}

static void asks_about_each_codec(void **state) {
    (void)state;
    for (unsigned answers = 0; answers < 16; answers++) {
        zt_codec codec;
        uint8_t stored[256];
        size_t size;
        struct talk talk = {answers & 7, 0, answers >= 8};
        const zl_conditional how = {talk.tried ? ZL_CONDITIONAL_ASK_TRIED : ZL_CONDITIONAL_ASK, answer, &talk, "c/0"};
        zt_assert_ok(open_codec(&codec, CONDITIONAL(SHUFFLE ",\"crc32c\"," SHUFFLE, "")), &codec.err);
        codec.call.conditional = &how;
        zt_assert_ok(encode(&codec, stored, &size), &codec.err);
        assert_int_equal(talk.count, 3);
        assert_int_equal(stored[0], answers & 7);
        zt_assert_ok(decode(&codec, stored, size), &codec.err);
        zt_codec_close(&codec);
    }
}

/* ---- damage */

static void refuses_damaged_chunks(void **state) {
    (void)state;
    static const struct {
        const char *json;
        size_t size;
        uint8_t bytes[16];
        const char *text;
    } cases[] = {
        {BOTH, 0, {0}, "0 bytes are stored, the header alone has 1"},
        {BOTH, 9, {4}, "codecs behind the 2 that there are"},
        {BOTH, 9, {0x80}, "codecs behind the 2"},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":80"), 10, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "codecs behind the 1"},
        {BOTH, 8, {0, 1, 2, 3, 4, 5, 6, 7}, "7 bytes are stored, the chunk needs 8"},
        {BOTH, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "9 bytes are stored, the chunk needs 8"},
        {BOTH, 8, {1, 1, 2, 3, 4, 5, 6, 7}, "shuffle: 7 bytes"},
        {BOTH, 4, {2, 1, 2, 3}, "3 bytes are stored, its checksum alone takes 4"},
        {BOTH, 13, {2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9}, "crc32c"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        zt_assert_ok(open_codec(&codec, cases[i].json), &codec.err);
        zt_assert_fails(decode(&codec, cases[i].bytes, cases[i].size), &codec.err, ZL_ERR_CORRUPT, cases[i].text);
        zt_codec_close(&codec);
    }
}

static void refuses_configurations(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *text;
    } cases[] = {
        {"\"conditional\"", ZL_ERR_METADATA, "codecs"},
        {CONDITIONAL("\"bytes\"", ""), ZL_ERR_METADATA, "/configuration/codecs/0: codec \"bytes\" is array -> bytes, only"},
        {CONDITIONAL("\"nope\"", ""), ZL_ERR_UNSUPPORTED, "\"nope\" is unknown"},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":0"), ZL_ERR_METADATA, "at least 1, not 0"},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":12"), ZL_ERR_METADATA, "multiple of 8"},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":-8"), ZL_ERR_METADATA, "/configuration/header_bits"},
        {CONDITIONAL(SHUFFLE, ",\"header_bits\":65544"), ZL_ERR_LIMIT, "limit is 65536"},
        {CONDITIONAL(SHUFFLE, ",\"policy\":\"always\""), ZL_ERR_METADATA, "policy"},
        {CONDITIONAL(CONDITIONAL(CONDITIONAL(CONDITIONAL(CONDITIONAL(CONDITIONAL("", ""), ""), ""), ""), ""), ""),
         ZL_ERR_LIMIT, "inside each other"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, "\"int32\"", 1, dim, cases[i].status, cases[i].text);
    }
}

/* ---- through the api */

#define ARRAY(codecs)                                                                                               \
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4096],\"data_type\":\"int32\",\"chunk_grid\":{\"name\":" \
    "\"regular\",\"configuration\":{\"chunk_shape\":[1024]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"  \
    "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}," codecs "]}"

#if ZL_HAVE_ZSTD
#define ZSTD ",{\"name\":\"zstd\",\"configuration\":{\"level\":1}}"

static zl_status write_all(zt_api *api, zl_array *array, const int32_t *values, zl_conditional_policy policy,
                           uint64_t *size) {
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    zl_stored_info info;
    options.conditional = policy;
    ZL_TRY(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, &options, &api->err));
    ZL_TRY(zl_array_stored_info(array, &info, &api->err));
    *size = info.size;
    return ZL_OK;
}

static void makes_chunks_small(void **state) {
    (void)state;
    static int32_t values[4096], back[4096];
    zt_random random = zt_random_seed(1);
    zt_random_fill(&random, values, sizeof values / 2); /* two chunks of noise */
    for (int32_t i = 2048; i < 3072; i++) {
        values[i] = i * 1000; /* one for shuffle and zstd */
    }
    for (int32_t i = 3072; i < 4096; i++) {
        values[i] = i % 4 == 0 ? 0x01020304 : (int32_t)0x55aa55aa; /* one for zstd */
    }
    zt_memory memory;
    zt_api api;
    zl_array *array;
    static const char json[] = ARRAY(CONDITIONAL(SHUFFLE ZSTD, ""));
    zt_api_begin(&api, &memory);
    zt_assert_ok(zl_array_create_from_metadata(&array, api.store, "a", ZL_CREATE_NEW, json, strlen(json), &api.err),
                 &api.err);
    uint64_t never = 0, always = 0, smallest = 0;
    zt_assert_ok(write_all(&api, array, values, ZL_CONDITIONAL_NEVER, &never), &api.err);
    assert_int_equal(never, sizeof values + 4);
    zt_assert_ok(write_all(&api, array, values, ZL_CONDITIONAL_ALWAYS, &always), &api.err);
    zt_assert_ok(write_all(&api, array, values, ZL_CONDITIONAL_SMALLEST, &smallest), &api.err);
    assert_true(smallest < always && always < never);
    assert_true(smallest <= sizeof values / 2 + 2 + 2048); /* noise as it is, and a byte */
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){back, NULL, NULL}, NULL, &api.err), &api.err);
    assert_memory_equal(back, values, sizeof values);

    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.conditional = ZL_CONDITIONAL_ASK;
    zt_assert_fails(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, &options, &api.err), &api.err,
                    ZL_ERR_INVALID_ARGUMENT, "on_conditional");
    options.conditional = (zl_conditional_policy)5;
    zt_assert_fails(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, &options, &api.err), &api.err,
                    ZL_ERR_INVALID_ARGUMENT, "options.conditional is 5");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}
#endif

static bool count_questions(void *user, const zl_conditional_question *question) {
    ++*(int *)user;
    return strcmp(question->key, "a/c/0") == 0;
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    static int32_t values[4096], back[4096];
    zt_api api;
    zl_array *array = NULL;
    int questions = 0;
    const zl_conditional_policy policy = *(const zl_conditional_policy *)arg;
    static const char json[] = ARRAY(CONDITIONAL(SHUFFLE ",\"crc32c\"," SHUFFLE, "") ",\"crc32c\"");
    for (int32_t i = 0; i < 4096; i++) {
        values[i] = i + 1;
    }
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.conditional = policy;
    options.on_conditional = count_questions;
    options.conditional_user = &questions;
    zl_status status = zl_array_create_from_metadata(&array, api.store, "a", ZL_CREATE_NEW, json, strlen(json), &api.err);
    if (status == ZL_OK) status = zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, &options, &api.err);
    if (status == ZL_OK) status = zl_array_read(array, NULL, (zl_view){back, NULL, NULL}, NULL, &api.err);
    if (status == ZL_OK) assert_memory_equal(back, values, sizeof values);
    if (status == ZL_OK) assert_int_equal(questions, policy >= ZL_CONDITIONAL_ASK ? 12 : 0);
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    for (int i = ZL_CONDITIONAL_NEVER; i <= ZL_CONDITIONAL_ASK_TRIED; i++) {
        zl_conditional_policy policy = (zl_conditional_policy)i;
        zt_run_out_of_memory(scenario, &policy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_a_header),
        cmocka_unit_test(decodes_what_is_nested),
        cmocka_unit_test(asks_about_each_codec),
        cmocka_unit_test(refuses_damaged_chunks),
        cmocka_unit_test(refuses_configurations),
#if ZL_HAVE_ZSTD
        cmocka_unit_test(makes_chunks_small),
#endif
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
