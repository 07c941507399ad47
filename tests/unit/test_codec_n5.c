/* SPDX-License-Identifier: MIT */
/* n5_default: blocks of its own shape, truncated and padded ones, damaged ones, and arrays with it through the api. */
#include "zt_api.h"
#include "zt_codec.h"

#define TRANSPOSE "{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}"
#define BIG "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define N5(codecs) "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[" codecs "]}}"
#define PLAIN N5(TRANSPOSE "," BIG)

enum { ROWS = 2, COLUMNS = 3, COUNT = ROWS * COLUMNS, FILL = -1 };
static const int64_t dim[] = {ROWS, COLUMNS};

static zl_status open_plain(zt_codec *codec) {
    return zt_codec_begin(codec, PLAIN, "\"int16\"", "-1", 2, dim);
}

/* ---- whole blocks */

typedef struct block_case {
    size_t size;
    uint8_t bytes[64];
    int16_t values[COUNT]; /* in C order */
} block_case;

static const block_case blocks[] = {
    {24, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 1, 6}, {1, 2, 3, 4, 5, 0x106}},
    /* truncated: what it has not is fill */
    {14, {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 7}, {7, FILL, FILL, FILL, FILL, FILL}},
    {20, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 4, 0, 2, 0, 5}, {1, 2, FILL, 4, 5, FILL}},
    {12, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0}, {FILL, FILL, FILL, FILL, FILL, FILL}},
    /* larger than the chunk */
    {36,
     {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3, 0, 1, 0, 4, 9, 9, 9, 9, 0, 2, 0, 5, 9, 9, 9, 9, 0, 3, 0, 6, 9, 9, 9, 9},
     {1, 2, 3, 4, 5, 6}},
};

static void decode_part(zt_codec *codec, const block_case *it, const int64_t *start, const int64_t *shape) {
    int16_t memory[COUNT];
    zl_box box = {.rank = 2, .data = (char *)memory, .stride = {2, 4}}; /* in Fortran order */
    for (int i = 0; i < 2; i++) {
        box.start[i] = start[i];
        box.shape[i] = shape[i];
        box.step[i] = 1;
        box.edge[i] = dim[i];
    }
    box.stride[1] = 2 * shape[0];
    zt_assert_ok(zt_codec_decode(codec, it->bytes, it->size, &box), &codec->err);
    for (int64_t i = 0; i < shape[0]; i++) {
        for (int64_t k = 0; k < shape[1]; k++) {
            assert_int_equal(memory[i + k * shape[0]], it->values[(start[0] + i) * COLUMNS + start[1] + k]);
        }
    }
}

static void decodes_blocks_of_any_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(blocks); i++) {
        zt_codec codec;
        zt_assert_ok(open_plain(&codec), &codec.err);
        for (int64_t n = 0; n < 36; n++) { /* all boxes */
            const int64_t start[] = {n % 2, n / 2 % 3};
            const int64_t shape[] = {1 + n / 6 % (ROWS - start[0]), 1 + n / 12 % (COLUMNS - start[1])};
            decode_part(&codec, &blocks[i], start, shape);
        }
        zt_codec_close(&codec);
    }
}

static void encodes_the_shape_of_the_chunk(void **state) {
    (void)state;
    zt_codec codec;
    zt_assert_ok(open_plain(&codec), &codec.err);
    zl_box box = zt_codec_box(&codec.shape, 2, (void *)blocks[0].values);
    zl_sink sink;
    assert_int_equal(codec.cls->ab->bound(codec.bound), blocks[0].size);
    zt_assert_ok(zt_codec_encode(&codec, &box, &sink), &codec.err);
    assert_int_equal(sink.size, blocks[0].size);
    assert_memory_equal(sink.data, blocks[0].bytes, sink.size);
    zl_sink_free(&sink);
    zt_codec_close(&codec);
}

/* ---- damage */

static void refuses_damaged_blocks(void **state) {
    (void)state;
    static const struct {
        zl_status status;
        size_t size;
        uint8_t bytes[40];
        const char *text;
    } cases[] = {
        {ZL_ERR_CORRUPT, 11, {0, 0, 0, 2}, "11 bytes are stored, the header alone has 12"},
        {ZL_ERR_UNSUPPORTED, 24, {0, 1, 0, 2}, "mode varlength, only default"},
        {ZL_ERR_UNSUPPORTED, 24, {0, 2, 0, 2}, "mode object"},
        {ZL_ERR_CORRUPT, 24, {1, 0, 0, 2}, "no block has mode 0x0100"},
        {ZL_ERR_CORRUPT, 24, {0, 0, 0, 3}, "a block of 3 dimensions in a chunk of 2"},
        {ZL_ERR_CORRUPT, 23, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3}, "11 bytes are stored, the chunk needs 12"},
        {ZL_ERR_CORRUPT, 25, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3}, "13 bytes are stored"},
        {ZL_ERR_CORRUPT, 24, {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3}, "12 bytes of elements are stored, the block needs 24"},
        {ZL_ERR_CORRUPT, 40, {0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3}, "28 bytes are stored, the chunk may hold 24"},
        {ZL_ERR_CORRUPT, 24, {0, 0, 0, 2, 255, 255, 255, 255, 255, 255, 255, 255}, "a block of"},
        {ZL_ERR_CORRUPT, 24, {0, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0}, "the block needs 8589934592"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec codec;
        int16_t values[COUNT];
        zt_assert_ok(open_plain(&codec), &codec.err);
        zl_box box = zt_codec_box(&codec.shape, 2, values);
        zt_assert_fails(zt_codec_decode(&codec, cases[i].bytes, cases[i].size, &box), &codec.err, cases[i].status,
                        cases[i].text);
        assert_true(codec.memory.peak < 1 << 20); /* whatever the header says */
        zt_codec_close(&codec);
    }
}

static void refuses_configurations(void **state) {
    (void)state;
    static const struct {
        const char *json, *data_type;
        const char *text;
    } cases[] = {
        {"\"n5_default\"", "\"int16\"", "codecs"},
        {N5(BIG), "\"int16\"", "must be transpose, bytes"},
        {N5(TRANSPOSE "," TRANSPOSE "," BIG), "\"int16\"", "must be transpose, bytes"},
        {N5(TRANSPOSE "," BIG ",\"crc32c\",\"crc32c\""), "\"int16\"", "at most one"},
        {N5(TRANSPOSE ",\"packbits\""), "\"int16\"", "must be transpose, bytes"},
        {N5("{\"name\":\"bitround\",\"configuration\":{\"keepbits\":1}}," BIG), "\"int16\"", "must be transpose, bytes"},
        {N5("{\"name\":\"transpose\",\"configuration\":{\"order\":[0,1]}}," BIG), "\"int16\"", "must reverse all axes"},
        {N5("{\"name\":\"transpose\",\"configuration\":{\"order\":[2,1,0]}}," BIG), "\"int16\"", "3 axes"},
        {N5(TRANSPOSE ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"), "\"int16\"", "must be \"big\""},
        {N5(TRANSPOSE ",\"bytes\""), "\"int16\"", "\"endian\" is required"},
        {PLAIN, "\"float16\"", "no data type for \"float16\""},
        {PLAIN, "\"bool\"", "no data type for \"bool\""},
        {PLAIN, "\"string\"", "no data type for \"string\""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, cases[i].data_type, 2, dim, ZL_ERR_METADATA, cases[i].text);
    }
}

/* ---- through the api */

static const char *const bodies[] = {
    "",
#if ZL_HAVE_LIBDEFLATE
    ",{\"name\":\"gzip\",\"configuration\":{\"level\":5}}",
#endif
#if ZL_HAVE_ZSTD
    ",{\"name\":\"zstd\",\"configuration\":{\"level\":0}}",
#endif
#if ZL_HAVE_BLOSC
    ",{\"name\":\"numcodecs.blosc\"}",
#endif
};

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    float values[70], back[70];
    char json[1024];
    zt_api api;
    zl_array *array = NULL;
    snprintf(
        json, sizeof json,
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[7,10],\"data_type\":\"float32\",\"chunk_grid\":{\"name\":"
        "\"regular\",\"configuration\":{\"chunk_shape\":[3,4]}},\"chunk_key_encoding\":{\"name\":\"v2\","
        "\"configuration\":{\"separator\":\"/\"}},\"fill_value\":0,\"codecs\":[" N5(TRANSPOSE "," BIG "%s") "]}",
        (const char *)arg);
    for (int i = 0; i < 70; i++) {
        values[i] = (float)(i + 1);
    }
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = zl_array_create_from_metadata(&array, api.store, "a", ZL_CREATE_NEW, json, strlen(json), &api.err);
    if (status == ZL_OK) status = zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &api.err);
    if (status == ZL_OK) status = zl_array_read(array, NULL, (zl_view){back, NULL, NULL}, NULL, &api.err);
    if (status == ZL_OK) assert_memory_equal(back, values, sizeof values);
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void goes_through_the_api(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(bodies); i++) {
        zt_run_out_of_memory(scenario, (void *)bodies[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_blocks_of_any_shape), cmocka_unit_test(encodes_the_shape_of_the_chunk),
        cmocka_unit_test(refuses_damaged_blocks),      cmocka_unit_test(refuses_configurations),
        cmocka_unit_test(goes_through_the_api),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
