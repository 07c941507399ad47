/* SPDX-License-Identifier: MIT */
#include "zt_zfp.h"

#include <math.h>

#include "dtype/family.h"
#include "dtype/minifloat.h"

const char *const zt_zfp_modes[ZT_ZFP_MODES] = {
    REVERSIBLE,
    RATE("9.3"),
    RATE("16"),
    "{\"mode\":\"fixed_precision\",\"precision\":14}",
    "{\"mode\":\"fixed_precision\",\"precision\":0}",
    "{\"mode\":\"fixed_accuracy\",\"tolerance\":0.01}",
    EXPERT("100", "400", "20", "-20"),
    EXPERT("333", "333", "64", "-1074"),
    EXPERT("1", "16658", "64", "-2000000000"),
};

const char *const zt_zfpy_modes[ZT_ZFP_MODES] = {
    [0] = "{\"mode\":4,\"tolerance\":-1,\"rate\":-1,\"precision\":-1,\"compression_kwargs\":{\"tolerance\":-1}}",
    [1] = "{\"mode\":2,\"rate\":9.3}",
    [2] = "{\"mode\":2,\"rate\":16,\"tolerance\":-1,\"precision\":-1}",
    [3] = "{\"mode\":3,\"precision\":14}",
    [5] = "{\"mode\":4,\"tolerance\":0.01}",
};

const zt_zfp_shape zt_zfp_shapes[ZT_ZFP_SHAPES] = {
    {0, {0}},       {1, {37}},       {1, {8}},          {2, {9, 6}},       {2, {8, 4}},
    {3, {5, 6, 3}}, {3, {4, 8, 12}}, {4, {3, 5, 2, 6}}, {4, {4, 5, 4, 8}},
};

const char *const zt_zfp_types[ZT_ZFP_TYPES] = {"\"int2\"",    "\"uint2\"",  "\"int4\"",    "\"uint4\"",    "\"int8\"",
                                                "\"uint8\"",   "\"int16\"",  "\"uint16\"",  "\"int32\"",    "\"uint32\"",
                                                "\"int64\"",   "\"uint64\"", "\"float16\"", "\"bfloat16\"", "\"float32\"",
                                                "\"float64\"", TIME};

const char *const zt_zfp_native_types[ZT_ZFP_NATIVE_TYPES] = {"\"int32\"", "\"int64\"", "\"float32\"", "\"float64\""};

/* ---- one codec */

zl_status zt_zfp_try_open(zt_zfp *f, const char *json, const char *data_type, const zt_zfp_shape *shape) {
    ZL_TRY(zt_codec_begin(&f->codec, json, data_type, NULL, shape->rank, shape->dim));
    int64_t count;
    assert_true(zl_shape_count(&f->codec.shape, &count) && count <= ZT_ZFP_COUNT_MAX);
    f->size = f->codec.in.dtype->size;
    f->count = (size_t)count;
    return ZL_OK;
}

void zt_zfp_open(zt_zfp *f, const char *codec, const char *mode, const char *data_type, const zt_zfp_shape *shape) {
    char json[512];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"configuration\":%s}", codec, mode);
    zt_assert_ok(zt_zfp_try_open(f, json, data_type, shape), &f->codec.err);
}

void zt_zfp_close(zt_zfp *f) {
    zt_codec_close(&f->codec);
}

void zt_zfp_encode(zt_zfp *f, const void *elements, zl_sink *out) {
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, (void *)elements);
    zt_assert_ok(zt_codec_encode(&f->codec, &box, out), &f->codec.err);
}

zl_status zt_zfp_try_decode(zt_zfp *f, const void *stored, size_t size, const zl_box *box) {
    const zl_worker_mark mark = zl_worker_get_mark(f->codec.worker);
    const zl_status status = zt_codec_decode(&f->codec, stored, size, box);
    zl_worker_reset(f->codec.worker, mark);
    return status;
}

void zt_zfp_decode(zt_zfp *f, const zl_sink *stored, void *elements) {
    const zl_box box = zt_codec_box(&f->codec.shape, f->size, elements);
    zt_assert_ok(zt_zfp_try_decode(f, stored->data, stored->size, &box), &f->codec.err);
}

void zt_zfp_each(const char *codec, const char *const *types, size_t count, uint64_t seed, zt_zfp_check_fn check) {
    const char *const *modes = strcmp(codec, "zfp") == 0 ? zt_zfp_modes : zt_zfpy_modes;
    zt_random random = zt_random_seed(seed);
    for (size_t type = 0; type < count; type++) {
        for (size_t shape = 0; shape < ZT_ZFP_SHAPES; shape++) {
            for (size_t mode = 0; mode < ZT_ZFP_MODES; mode++) {
                if (!modes[mode]) continue;
                zt_zfp f;
                zt_zfp_open(&f, codec, modes[mode], types[type], &zt_zfp_shapes[shape]);
                check(&f, mode, &random);
                zt_zfp_close(&f);
            }
        }
    }
}

/* ---- elements and boxes */

bool zt_zfp_is_float(const zl_dtype *dtype) {
    return dtype->cls == &zl_dtype_class_float;
}

double zt_zfp_number(const zl_dtype *dtype, const void *elements, size_t i) {
    const uint64_t bits = zl_load_unit((const char *)elements + i * dtype->size, dtype->size);
    if (zt_zfp_is_float(dtype)) return zl_minifloat_to_double(dtype->params, bits);
    if (dtype->name[0] == 'u') return (double)bits;
    return (double)zl_sign_extend(bits, (unsigned)dtype->size * 8);
}

unsigned zt_zfp_range_bits(const zl_dtype *dtype) {
    return dtype->units[0].bits < 32 ? dtype->units[0].bits : dtype->units[0].bits - 2u;
}

void zt_zfp_make(zt_random *random, const zl_dtype *dtype, void *elements, size_t count) {
    const unsigned bits = zt_zfp_range_bits(dtype);
    const bool is_signed = dtype->name[0] != 'u';
    const double range = zt_zfp_is_float(dtype) ? 100 : ldexp(1, (int)bits - 1) - 1;
    const double phase = (double)zt_random_below(random, 100);
    for (size_t i = 0; i < count; i++) {
        const double wave = 0.9 * sin((double)i * 0.05 + phase) + 0.001 * (double)zt_random_below(random, 100);
        const double value = range * (is_signed ? wave : wave + 1);
        uint64_t code = 0;
        if (zt_zfp_is_float(dtype))
            assert_true(zl_minifloat_from_double(dtype->params, value, &code));
        else
            code = (uint64_t)(int64_t)value;
        zl_store_unit((char *)elements + i * dtype->size, dtype->size, code);
    }
    zl_dtype_fix(dtype, false, elements, count);
}

zl_box zt_zfp_random_box(zt_random *random, const zt_zfp *f, bool whole, char *memory) {
    const zl_shape *shape = &f->codec.shape;
    zl_box box = {.rank = shape->rank};
    int64_t stride = (int64_t)f->size, first = 0;
    const bool odd = zt_random_below(random, 4) == 0; /* strides that are no multiples of an element */
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        box.start[i] = whole ? 0 : zt_random_between(random, 0, shape->dim[i] - 1);
        box.shape[i] = whole ? shape->dim[i] : zt_random_between(random, 1, shape->dim[i] - box.start[i]);
        box.step[i] = 1;
        box.edge[i] = shape->dim[i];
        box.stride[i] = stride;
        if (zt_random_below(random, 3) == 0) {
            first += stride * (box.shape[i] - 1);
            box.stride[i] = -stride;
        }
        stride *= box.shape[i] + (int64_t)zt_random_below(random, 2);
        if (odd) stride++;
    }
    assert_true(stride <= ZT_ZFP_BOX_MEMORY);
    box.data = memory + first;
    return box;
}
