/* SPDX-License-Identifier: MIT */
/* The codecs that move or check bytes without compressing them: bytes, transpose, crc32c, sharding_indexed. */
#include "zt_codec.h"

/* ---- bytes */

#define BYTES_LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BYTES_BIG "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"

static void test_bytes(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type, *emitted;
        bool swap;
    } cases[] = {
        {BYTES_LITTLE, "\"int32\"", "{\"endian\":\"little\"}", false},
        {BYTES_BIG, "\"int32\"", "{\"endian\":\"big\"}", true},
        {BYTES_BIG, "\"uint8\"", "{\"endian\":\"big\"}", true},
        {"\"bytes\"", "\"uint8\"", "{}", false},
        {"{\"name\":\"bytes\",\"configuration\":{}}", "\"bool\"", "{}", false},
        {"\"bytes\"", "\"int4\"", "{}", false},
        {"\"bytes\"", "\"r24\"", "{}", false},
    };
    const uint16_t probe = 1;
    const bool little = *(const uint8_t *)&probe == 1;
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        const int64_t dim[] = {3, 4};
        zt_assert_ok(zt_codec_begin(&codec, cases[i].json, cases[i].data_type, NULL, 2, dim), &codec.err);
        bool swap;
        codec.cls->ab->raw(codec.bound, &swap);
        const bool given = strcmp(cases[i].emitted, "{}") != 0;
        assert_int_equal(swap, given && cases[i].swap == little);
        zt_check_emit(codec.cls->emit, codec.self, cases[i].emitted);
        zt_codec_close(&codec);
    }
}

static void test_bytes_refused(void **state) {
    (void)state;
    zt_assert_codec_refused("\"bytes\"", "\"uint16\"", 0, NULL, ZL_ERR_METADATA,
                            "\"endian\" is required for data type \"uint16\"");
    zt_assert_codec_refused("\"bytes\"", "\"complex64\"", 0, NULL, ZL_ERR_METADATA, "complex64");
}

/* The legacy type may leave the byte order out, and is worth a warning then. */
static void test_bytes_structured(void **state) {
    (void)state;
    zt_codec codec;
    const char *data_type = "{\"name\":\"structured\",\"configuration\":{\"fields\":[[\"x\",\"float32\"]]}}";
    zt_assert_ok(zt_codec_begin(&codec, "\"bytes\"", data_type, NULL, 0, NULL), &codec.err);
    bool swap;
    codec.cls->ab->raw(codec.bound, &swap);
    const uint16_t probe = 1;
    assert_int_equal(swap, *(const uint8_t *)&probe == 0);
    assert_non_null(strstr(codec.warning, "little-endian"));
    zt_codec_close(&codec);
    data_type = "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"x\",\"data_type\":\"float32\"}]}}";
    zt_assert_codec_refused("\"bytes\"", data_type, 0, NULL, ZL_ERR_METADATA, "required");
}

/* ---- transpose */

static void test_transpose(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {5, 7, 11};
    const char *json = "{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}}";
    zt_assert_ok(zt_codec_begin(&codec, json, "\"int8\"", NULL, 3, dim), &codec.err);
    assert_int_equal(codec.inner.rank, 3);
    assert_int_equal(codec.inner.dim[0], 11);
    assert_int_equal(codec.inner.dim[1], 5);
    assert_int_equal(codec.inner.dim[2], 7);
    char memory_of_box[4];
    const zl_box in = {.rank = 3,
                       .data = memory_of_box,
                       .start = {1, 2, 3},
                       .shape = {4, 5, 6},
                       .stride = {-70, 10, 1},
                       .step = {1, 2, 3},
                       .edge = {5, 6, 7}};
    zl_box out = in; /* the same box may be both */
    assert_true(codec.cls->aa->remap(codec.bound, &out, &out));
    static const int order[] = {2, 0, 1};
    assert_int_equal(out.rank, 3);
    assert_ptr_equal(out.data, in.data);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(out.start[i], in.start[order[i]]);
        assert_int_equal(out.shape[i], in.shape[order[i]]);
        assert_int_equal(out.stride[i], in.stride[order[i]]);
        assert_int_equal(out.step[i], in.step[order[i]]);
        assert_int_equal(out.edge[i], in.edge[order[i]]);
    }
    zt_check_emit(codec.cls->emit, codec.self, "{\"order\":[2,0,1]}");
    zt_codec_close(&codec);
    zt_assert_ok(
        zt_codec_begin(&codec, "{\"name\":\"transpose\",\"configuration\":{\"order\":[]}}", "\"int8\"", NULL, 0, NULL),
        &codec.err);
    zt_codec_close(&codec);
}

static void test_transpose_refused(void **state) {
    (void)state;
    static const struct {
        const char *order;
        const char *text;
    } cases[] = {
        {"[0,0]", "/configuration/order/1: axis 0 occurs twice"},
        {"[0,2]", "axis 2 of an order of 2 axes"},
        {"[0,4294967296]", "axis 4294967296"},
        {"[0,-1]", "axis -1"},
        {"[0,1.0]", "/configuration/order/1"},
        {"\"F\"", "must be an array"},
        {"[0]", "order has 1 axes, the chunk has 2"},
        {"[0,1],\"x\":1", "x"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[128];
        const int64_t dim[] = {2, 3};
        snprintf(json, sizeof json, "{\"name\":\"transpose\",\"configuration\":{\"order\":%s}}", cases[i].order);
        zt_assert_codec_refused(json, "\"int8\"", 2, dim, ZL_ERR_METADATA, cases[i].text);
    }
}

/* ---- crc32c */

static void test_crc32c(void **state) {
    (void)state;
    zt_codec codec;
    zt_assert_ok(zt_codec_begin(&codec, "\"crc32c\"", NULL, NULL, 0, NULL), &codec.err);
    const zl_bb_ops *bb = codec.cls->bb;
    uint32_t head, tail;
    bb->extent(codec.bound, &head, &tail);
    assert_int_equal(head, 0);
    assert_int_equal(tail, 4);
    /* The check value of CRC-32C: "123456789" gives e3069283. In three spans. */
    uint8_t frame[13] = "123456789";
    const zl_span spans[] = {{frame, 2}, {frame + 2, 0}, {frame + 2, 7}};
    zt_assert_ok(bb->seal(codec.bound, spans, 3, NULL, frame + 9, &codec.call), &codec.err);
    assert_memory_equal(frame + 9, "\x83\x92\x06\xe3", 4);
    zt_assert_ok(bb->check(codec.bound, (zl_span){frame, 13}, &codec.call), &codec.err);
    for (size_t bit = 0; bit < 13 * 8; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        zt_assert_fails(bb->check(codec.bound, (zl_span){frame, 13}, &codec.call), &codec.err, ZL_ERR_CORRUPT,
                        "crc32c: 9 bytes");
        frame[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    for (size_t size = 0; size < 4; size++) {
        zt_assert_fails(bb->check(codec.bound, (zl_span){frame, size}, &codec.call), &codec.err, ZL_ERR_CORRUPT,
                        "a checksum alone has 4");
    }
    zt_codec_close(&codec);
    zt_assert_codec_refused("{\"name\":\"crc32c\",\"configuration\":{\"x\":1}}", NULL, 0, NULL, ZL_ERR_METADATA, "x");
}

/* ---- sharding_indexed */

#define INDEX "\"index_codecs\":[" BYTES_LITTLE ",\"crc32c\"]"
#define SHARD(rest) "{\"name\":\"sharding_indexed\",\"configuration\":{" rest "}}"

static void test_sharding(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {6, 8};
    const char *json = SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]," INDEX ",\"index_location\":\"start\"");
    zt_assert_ok(zt_codec_begin(&codec, json, "\"int8\"", NULL, 2, dim), &codec.err);
    zl_split split;
    codec.cls->ab->split(codec.bound, &split);
    assert_int_equal(split.part_shape.rank, 2);
    assert_int_equal(split.part_shape.dim[0], 3);
    assert_int_equal(split.part_shape.dim[1], 2);
    assert_int_equal(split.part_chain->count, 1);
    assert_int_equal(split.index_chain->count, 2);
    assert_false(split.index_at_end);
    zt_check_emit(codec.cls->emit, codec.self,
                  "{\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]," INDEX ",\"index_location\":\"start\"}");
    zt_codec_close(&codec);
    json = SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]," INDEX);
    zt_assert_ok(zt_codec_begin(&codec, json, "\"int8\"", NULL, 2, dim), &codec.err);
    codec.cls->ab->split(codec.bound, &split);
    assert_true(split.index_at_end);
    zt_codec_close(&codec);
}

static void test_sharding_refused(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"\"sharding_indexed\"", "chunk_shape"},
        {SHARD("\"chunk_shape\":[3],\"codecs\":[\"bytes\"]," INDEX), "chunk_shape has 1 dimensions, the shard has 2"},
        {SHARD("\"chunk_shape\":[3,3],\"codecs\":[\"bytes\"]," INDEX),
         "along dimension 1 inner chunks of 3 do not divide the shard of 8"},
        {SHARD("\"chunk_shape\":[3,0],\"codecs\":[\"bytes\"]," INDEX), "/configuration/chunk_shape/1"},
        {SHARD("\"chunk_shape\":3,\"codecs\":[\"bytes\"]," INDEX), "must be an array"},
        {SHARD("\"chunk_shape\":[3,2]," INDEX), "codecs"},
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]"), "index_codecs"},
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[]," INDEX), "/configuration/codecs: no array -> bytes codec"},
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]," INDEX ",\"index_location\":\"middle\""), "index_location"},
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"]," INDEX ",\"x\":1"), "x"},
#if ZL_HAVE_LIBDEFLATE
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"],\"index_codecs\":[\"bytes\",{\"name\":\"gzip\","
               "\"configuration\":{\"level\":1}}]"),
         "/configuration/index_codecs/1: codec \"gzip\" cannot encode a shard's index"},
#endif
        {SHARD("\"chunk_shape\":[3,2],\"codecs\":[\"bytes\"],\"index_codecs\":[" SHARD(
             "\"chunk_shape\":[1],\"codecs\":[\"bytes\"]," INDEX) "]"),
         "cannot encode a shard's index"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        const int64_t dim[] = {6, 8};
        zt_assert_codec_refused(cases[i].json, "\"int8\"", 2, dim, ZL_ERR_METADATA, cases[i].text);
    }
}

#define NEST(inner) SHARD("\"chunk_shape\":[2,2],\"codecs\":[" inner "]," INDEX)

static void test_sharding_depth(void **state) {
    (void)state;
    zt_codec codec;
    const int64_t dim[] = {2, 2};
    zt_assert_ok(zt_codec_begin(&codec, NEST(NEST(NEST(NEST("\"bytes\"")))), "\"int8\"", NULL, 2, dim), &codec.err);
    zt_codec_close(&codec);
    zt_assert_codec_refused(NEST(NEST(NEST(NEST(NEST("\"bytes\""))))), "\"int8\"", 2, dim, ZL_ERR_LIMIT,
                            "more than 4 shards inside each other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_structured), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bytes_refused),    cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_crc32c),           cmocka_unit_test(test_transpose_refused),
        cmocka_unit_test(test_sharding),         cmocka_unit_test(test_sharding_depth),
        cmocka_unit_test(test_sharding_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
