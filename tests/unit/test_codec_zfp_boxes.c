/* SPDX-License-Identifier: MIT */
/* zfp: boxes of any kind, decoded from whole streams and from ranges of them, and encoded from any memory. */
#include "zt_zfp.h"

#if ZL_HAVE_ZFP
#include <math.h>

/* Decodes `box` from the ranges that the codec names, each in memory of its own. */
static void decode_ranges(zt_zfp *f, const zl_sink *stored, const zl_box *box) {
    const zl_ab_ops *ab = f->codec.cls->ab;
    const size_t count = ab->ranges(f->codec.bound, box, NULL, 0);
    if (count == 0) {
        zt_assert_ok(zt_zfp_try_decode(f, stored->data, stored->size, box), &f->codec.err);
        return;
    }
    zl_range ranges[ZT_ZFP_COUNT_MAX];
    zl_span parts[ZT_ZFP_COUNT_MAX];
    assert_true(count <= ZT_ZFP_COUNT_MAX);
    assert_int_equal(ab->ranges(f->codec.bound, box, ranges, count), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(ranges[i].offset <= stored->size && ranges[i].length <= stored->size - ranges[i].offset);
        uint8_t *copy = malloc((size_t)ranges[i].length);
        assert_non_null(copy);
        memcpy(copy, stored->data + ranges[i].offset, (size_t)ranges[i].length);
        parts[i] = (zl_span){copy, (size_t)ranges[i].length};
    }
    const zl_worker_mark mark = zl_worker_get_mark(f->codec.worker);
    zt_assert_ok(ab->decode_ranges(f->codec.bound, stored->size, parts, box, &f->codec.call), &f->codec.err);
    zl_worker_reset(f->codec.worker, mark);
    for (size_t i = 0; i < count; i++)
        free((void *)parts[i].data);
}

/* Where the element `at` of a box is in the chunk. */
static size_t in_chunk(const zt_zfp *f, const zl_box *box, const int64_t *at) {
    size_t number = 0;
    for (int32_t i = 0; i < box->rank; i++)
        number = number * (size_t)f->codec.shape.dim[i] + (size_t)(box->start[i] + at[i]);
    return number * f->size;
}

static void check_box(const zt_zfp *f, const zl_box *box, const char *chunk) {
    int64_t at[4] = {0};
    do {
        const char *found = box->data + zl_coords_offset(box->rank, at, box->stride);
        assert_memory_equal(found, chunk + in_chunk(f, box, at), f->size);
    } while (zl_coords_next(box->rank, box->shape, at));
}

static void fill_box(const zt_zfp *f, const zl_box *box, const char *chunk) {
    int64_t at[4] = {0};
    do {
        char *to = box->data + zl_coords_offset(box->rank, at, box->stride);
        memcpy(to, chunk + in_chunk(f, box, at), f->size);
    } while (zl_coords_next(box->rank, box->shape, at));
}

static void check_boxes(zt_zfp *f, size_t mode, zt_random *random) {
    (void)mode;
    _Alignas(8) char elements[ZT_ZFP_COUNT_MAX * 8], chunk[ZT_ZFP_COUNT_MAX * 8];
    char *memory = malloc(ZT_ZFP_BOX_MEMORY);
    assert_non_null(memory);
    zl_sink stored;
    zt_zfp_make(random, f->codec.in.dtype, elements, f->count);
    zt_zfp_encode(f, elements, &stored);
    zt_zfp_decode(f, &stored, chunk);
    for (int i = 0; i < 12; i++) {
        const zl_box box = zt_zfp_random_box(random, f, i == 0, memory);
        memset(memory, 0xaa, ZT_ZFP_BOX_MEMORY);
        zt_assert_ok(zt_zfp_try_decode(f, stored.data, stored.size, &box), &f->codec.err);
        check_box(f, &box, chunk);
        memset(memory, 0x55, ZT_ZFP_BOX_MEMORY);
        decode_ranges(f, &stored, &box);
        check_box(f, &box, chunk);
    }
    zl_sink_free(&stored);
    free(memory);
}

static void test_boxes(void **state) {
    (void)state;
    static const char *const types[] = {"\"float32\"", "\"float64\"", "\"int16\"",
                                        "\"uint8\"",   "\"uint64\"",  "\"bfloat16\""};
    zt_zfp_each("zfp", types, ZL_COUNT_OF(types), 4, check_boxes);
}

static void check_strided_source(zt_zfp *f, size_t mode, zt_random *random) {
    (void)mode;
    _Alignas(8) char elements[ZT_ZFP_COUNT_MAX * 8];
    zl_sink stored, again;
    char *memory = malloc(ZT_ZFP_BOX_MEMORY);
    assert_non_null(memory);
    zt_zfp_make(random, f->codec.in.dtype, elements, f->count);
    zt_zfp_encode(f, elements, &stored);
    const zl_box box = zt_zfp_random_box(random, f, true, memory);
    fill_box(f, &box, elements);
    zt_assert_ok(zt_codec_encode(&f->codec, &box, &again), &f->codec.err);
    assert_int_equal(again.size, stored.size);
    assert_memory_equal(again.data, stored.data, stored.size);
    zl_sink_free(&again);
    zl_sink_free(&stored);
    free(memory);
}

/* Elements give the same stream from any memory layout. */
static void test_strided_source(void **state) {
    (void)state;
    zt_zfp_each("zfp", zt_zfp_types, ZT_ZFP_TYPES, 5, check_strided_source);
}

/* A chunk of which whole blocks lie beyond the array's edge, with a fill value that lossy modes do not know. */
static void test_padding(void **state) {
    (void)state;
    const zt_zfp_shape shape = {3, {8, 8, 12}};
    zt_zfp f;
    zt_zfp_open(&f, "zfp", "{\"mode\":\"fixed_accuracy\",\"tolerance\":0.001}", "\"float32\"", &shape);
    static float elements[768], back[768];
    zl_box box = zt_codec_box(&f.codec.shape, 4, elements);
    box.edge[0] = 3, box.edge[1] = 8, box.edge[2] = 6;
    for (size_t i = 0; i < 768; i++)
        elements[i] = i / 96 < 3 && i % 12 < 6 ? (float)sin((double)i) : (float)NAN;
    zl_sink stored;
    zt_assert_ok(zt_codec_encode(&f.codec, &box, &stored), &f.codec.err);
    zt_zfp_decode(&f, &stored, back);
    for (size_t i = 0; i < 768; i++) {
        assert_true(isfinite(back[i]));
        assert_true(isnan(elements[i]) || fabsf(back[i] - elements[i]) <= 0.001f);
    }
    zl_sink_free(&stored);
    elements[2 * 96 + 3 * 12 + 5] = (float)NAN;
    zt_assert_fails(zt_codec_encode(&f.codec, &box, &stored), &f.codec.err, ZL_ERR_INVALID_ARGUMENT,
                    "element (2, 3, 5) of the chunk");
    zt_zfp_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_strided_source),
        cmocka_unit_test(test_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 0; /* libzfp is not there */
}
#endif
