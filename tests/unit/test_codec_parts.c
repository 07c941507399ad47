/* SPDX-License-Identifier: MIT */
/* Compressed chunks of which only a part is decoded: the same elements as from the whole, and no harm from damaged ones. */
#include "zt_codec.h"
#include "zt_engine.h"

#define ZSTD(more) "{\"name\":\"zstd\",\"configuration\":{\"level\":3" more "}}"
#define BLOSC(cname, level, shuffle, block)                                                                            \
    "{\"name\":\"blosc\",\"configuration\":{\"cname\":\"" cname "\",\"clevel\":" level ",\"shuffle\":\"" shuffle "\"," \
    "\"typesize\":4,\"blocksize\":" block "}}"

static const char *const all_codecs[] = {
#if ZL_HAVE_ZSTD
    ZSTD(""),
    ZSTD(",\"checksum\":true"),
#endif
#if ZL_HAVE_BLOSC
    BLOSC("lz4", "5", "shuffle", "0"),
    BLOSC("zstd", "3", "bitshuffle", "4096"),
    BLOSC("blosclz", "0", "noshuffle", "0"),
#endif
#if ZL_HAVE_LZ4
    "{\"name\":\"numcodecs.lz4\",\"configuration\":{\"acceleration\":1}}",
#endif
    NULL};

#define EACH_CODEC(json) for (const char *const *each = all_codecs, *json = *each; json != NULL; json = *++each)
#define SIZE 600004 /* several blocks, and an odd rest, of every codec */

/* Elements of four bytes that compress by about half. */
static uint8_t *make_content(void) {
    zt_random random = zt_random_seed(1);
    uint8_t *data = malloc(SIZE);
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = i % 4 < 2 ? (uint8_t)zt_random_next(&random) : (uint8_t)(i / 5000);
    return data;
}

typedef struct fixture {
    zt_codec codec;
    const zl_bb_ops *bb;
    uint8_t *data;
    zl_sink stored;
} fixture;

static void begin(fixture *f, const char *json) {
    zt_assert_ok(zt_codec_begin(&f->codec, json, "\"int32\"", NULL, 0, NULL), &f->codec.err);
    f->bb = f->codec.cls->bb;
    f->codec.call.verify = true;
    f->data = make_content();
    f->stored = (zl_sink){.max = SIZE_MAX / 4, .allocator = &f->codec.allocator};
    zt_assert_ok(f->bb->encode(f->codec.bound, (zl_span){f->data, SIZE}, &f->stored, &f->codec.call), &f->codec.err);
}

static void end(fixture *f) {
    zl_sink_free(&f->stored);
    free(f->data);
    zt_codec_close(&f->codec);
}

/* Memory of the part alone, so that sanitizers see what is written behind it. */
static zl_status decode_part(fixture *f, zl_span src, uint64_t size, zl_range part, const uint8_t *expected) {
    uint8_t *back = malloc((size_t)part.length);
    assert_non_null(back);
    const zl_status status = f->bb->decode_part(f->codec.bound, src, size, part, back, &f->codec.call);
    if (status == ZL_OK && expected) assert_memory_equal(back, expected + part.offset, (size_t)part.length);
    free(back);
    return status;
}

static zl_range find_part(const fixture *f, zl_span src, zl_range wanted) {
    const zl_range part = f->bb->part(f->codec.bound, src, SIZE, wanted, &f->codec.call);
    assert_true(part.offset <= wanted.offset && wanted.offset + wanted.length <= part.offset + part.length);
    assert_true(part.offset + part.length <= SIZE);
    return part;
}

static zl_range random_range(zt_random *random) {
    const uint64_t length = 1 + zt_random_below(random, zt_random_below(random, 2) ? 300 : SIZE);
    return (zl_range){zt_random_below(random, SIZE - length + 1), length};
}

static void parts_are_those_of_the_whole(void **state) {
    (void)state;
    EACH_CODEC(json) {
        fixture f;
        begin(&f, json);
        zt_random random = zt_random_seed(2);
        const zl_span stored = {f.stored.data, f.stored.size};
        for (int round = 0; round < 50; round++) {
            const zl_range part = find_part(&f, stored, random_range(&random));
            zt_assert_ok(decode_part(&f, stored, SIZE, part, f.data), &f.codec.err);
        }
        end(&f);
    }
}

/* A checksum of all elements is checked, unless the caller does without. */
static void checksums_need_the_whole(void **state) {
    (void)state;
#if ZL_HAVE_ZSTD
    fixture f;
    begin(&f, ZSTD(",\"checksum\":true"));
    const zl_span stored = {f.stored.data, f.stored.size};
    assert_int_equal(find_part(&f, stored, (zl_range){0, 1}).length, SIZE);
    f.codec.call.verify = false;
    assert_true(find_part(&f, stored, (zl_range){0, 1}).length < SIZE / 2);
    end(&f);
#endif
}

static void damaged_streams_do_no_harm(void **state) {
    (void)state;
    EACH_CODEC(json) {
        fixture f;
        begin(&f, json);
        zt_random random = zt_random_seed(3);
        uint8_t *bad = malloc(f.stored.size);
        assert_non_null(bad);
        for (int round = 0; round < 150; round++) {
            memcpy(bad, f.stored.data, f.stored.size);
            const size_t reach = round % 2 ? 24 : f.stored.size; /* most of what can go wrong is in the header */
            for (int i = 0; i < 3; i++)
                bad[zt_random_below(&random, reach)] ^= (uint8_t)(1 + zt_random_below(&random, 255));
            const zl_span src = {bad, round % 3 ? f.stored.size : (size_t)zt_random_below(&random, f.stored.size)};
            (void)decode_part(&f, src, SIZE, find_part(&f, src, random_range(&random)), NULL);
        }
        for (size_t size = 0; size < 30; size++) { /* hardly a header */
            const zl_range part = find_part(&f, (zl_span){bad, size}, (zl_range){7, 5});
            memcpy(bad, f.stored.data, f.stored.size);
            zt_assert_fails(decode_part(&f, (zl_span){bad, size}, SIZE, part, NULL), &f.codec.err, ZL_ERR_CORRUPT, "");
        }
        free(bad);
        end(&f);
    }
}

/* ---- reads of an array */

enum { PLANES = 40, ROWS = 60, COLUMNS = 70 }; /* one chunk of 672 KB */

static void check_box(zt_engine *engine, const int64_t *start, const int64_t *shape, const int64_t *step) {
    const int64_t count = shape[0] * shape[1] * shape[2];
    int32_t *read = malloc((size_t)count * sizeof *read), *at = read;
    assert_non_null(read);
    const zl_region region = {3, start, shape, step};
    zt_assert_ok(zl_array_read(engine->array, &region, (zl_view){.data = read}, NULL, &engine->err), &engine->err);
    for (int64_t z = 0; z < shape[0]; z++)
        for (int64_t y = 0; y < shape[1]; y++)
            for (int64_t x = 0; x < shape[2]; x++) {
                const int64_t plane = start[0] + z * step[0], row = start[1] + y * step[1];
                assert_int_equal(*at++, (plane * ROWS + row) * COLUMNS + start[2] + x * step[2]);
            }
    free(read);
}

static void check_boxes(const char *codecs) {
    static const int64_t shape[] = {PLANES, ROWS, COLUMNS}, whole[] = {1, 1, 1};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_create(&engine, zt_engine_document(3, shape, shape, "\"int32\"", "0", codecs));
    int32_t *values = malloc(sizeof(int32_t) * PLANES * ROWS * COLUMNS);
    assert_non_null(values);
    for (int32_t i = 0; i < PLANES * ROWS * COLUMNS; i++)
        values[i] = i;
    zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){.data = values}, NULL, &engine.err), &engine.err);
    free(values);
    for (int64_t axis = 0; axis < 3; axis++)
        for (int64_t i = 0; i < shape[axis]; i += shape[axis] - 1) { /* the first and the last plane across each axis */
            int64_t start[3] = {0}, extent[] = {PLANES, ROWS, COLUMNS};
            start[axis] = i;
            extent[axis] = 1;
            check_box(&engine, start, extent, whole);
        }
    check_box(&engine, (const int64_t[]){1, 2, 3}, (const int64_t[]){3, 5, 4}, (const int64_t[]){7, 11, 13});
    check_box(&engine, (const int64_t[]){30, 59, 0}, (const int64_t[]){10, 1, 70}, whole);
    zt_engine_end(&engine);
}

static void reads_of_boxes(void **state) {
    (void)state;
    EACH_CODEC(json) {
        char chain[512];
        (void)snprintf(chain, sizeof chain, "[%s,%s]", ZT_BYTES, json);
        check_boxes(chain);
        (void)snprintf(chain, sizeof chain, "[%s,%s,%s,{\"name\":\"crc32c\"}]",
                       "{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}}",
                       "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}", json);
        check_boxes(chain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_the_whole),
        cmocka_unit_test(checksums_need_the_whole),
        cmocka_unit_test(damaged_streams_do_no_harm),
        cmocka_unit_test(reads_of_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
