/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.fixedscaleoffset: round((x - offset) * scale) in another type, and back x / scale + offset.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html
 *
 * NumPy computes floating-point numbers in their own type and integers in float64, but for integers that are encoded with
 * whole operands: these stay integers, of 64 bits here.
 */
#include <math.h>

#include "codec/numcodecs_numbers.h"

/* For one data type. */
struct bound {
    zl_numpy_codec codec; /* first */
    double offset, scale;
    int64_t int_offset, int_scale;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"offset", "scale", "dtype", "astype", NULL};
    (void)env;
    ZL_TRY(zl_json_only(configuration, keys, err));
    double offset, scale;
    ZL_TRY(zl_json_get_double(configuration, "offset", &offset, err));
    ZL_TRY(zl_json_get_double(configuration, "scale", &scale, err));
    if (scale == 0) {
        return zl_json_fail(zl_json_member(configuration, "scale"), err, ZL_ERR_METADATA, "scale must not be 0");
    }
    *self = configuration;
    return ZL_OK;
}

/* ---- arithmetic */

#define DEFINE_FLOATS(type)                                                         \
    static void encode_##type(const void *self, void *numbers, size_t n) {          \
        const struct bound *bound = self;                                           \
        const type offset = (type)bound->offset, scale = (type)bound->scale;        \
        type *x = numbers;                                                          \
        for (size_t i = 0; i < n; i++) {                                            \
            x[i] = (type)rint((double)((type)(x[i] - offset) * scale)); /* exact */ \
        }                                                                           \
    }                                                                               \
    static void decode_##type(const void *self, void *numbers, size_t n) {          \
        const struct bound *bound = self;                                           \
        const type offset = (type)bound->offset, scale = (type)bound->scale;        \
        type *x = numbers;                                                          \
        for (size_t i = 0; i < n; i++) {                                            \
            x[i] = x[i] / scale + offset;                                           \
        }                                                                           \
    }
DEFINE_FLOATS(float)
DEFINE_FLOATS(double)

/* float16: computed in double, which rounds no result twice, and rounded after each step. */
static void encode_half(const void *self, void *numbers, size_t n) {
    const struct bound *bound = self;
    const double offset = zl_numpy_round_half(bound->offset), scale = zl_numpy_round_half(bound->scale);
    double *x = numbers;
    for (size_t i = 0; i < n; i++) {
        x[i] = rint(zl_numpy_round_half(zl_numpy_round_half(x[i] - offset) * scale));
    }
}

static void decode_half(const void *self, void *numbers, size_t n) {
    const struct bound *bound = self;
    const double offset = zl_numpy_round_half(bound->offset), scale = zl_numpy_round_half(bound->scale);
    double *x = numbers;
    for (size_t i = 0; i < n; i++) {
        x[i] = zl_numpy_round_half(zl_numpy_round_half(x[i] / scale) + offset);
    }
}

static void encode_integers(const void *self, void *numbers, size_t n) {
    const struct bound *bound = self;
    uint64_t *x = numbers;
    for (size_t i = 0; i < n; i++) {
        x[i] = (x[i] - (uint64_t)bound->int_offset) * (uint64_t)bound->int_scale;
    }
}

/* ---- for one data type */

static void make_maps(struct bound *bound, bool whole) {
    static zl_numpy_apply_fn *const encoders[] = {encode_half, encode_float, encode_double};
    static zl_numpy_apply_fn *const decoders[] = {decode_half, decode_float, decode_double};
    zl_numpy_codec *codec = &bound->codec;
    const zl_number *decoded = &codec->types.decoded_number, *encoded = &codec->types.encoded_number;
    zl_number work;
    zl_numpy_float(decoded, encoders, &work, &codec->encode.apply);
    if (whole && decoded->kind != ZL_NUMBER_FLOAT) {
        const bool is_uint64 = decoded->kind == ZL_NUMBER_UNSIGNED && decoded->bits == 64;
        zl_number_of(zl_dtype_builtin(is_uint64 ? ZL_DTYPE_UINT64 : ZL_DTYPE_INT64), &work);
        codec->encode.apply = encode_integers;
    }
    zl_numpy_cast(decoded, &work, ZL_RANGE_ERROR, &codec->encode.before);
    zl_numpy_cast(&work, encoded, ZL_RANGE_ERROR, &codec->encode.after);
    zl_numpy_float(encoded, decoders, &work, &codec->decode.apply);
    zl_numpy_cast(encoded, &work, ZL_RANGE_WRAP, &codec->decode.before);
    zl_numpy_cast(&work, decoded, ZL_RANGE_WRAP, &codec->decode.after);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.fixedscaleoffset", "dtype", "astype", self};
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    ZL_TRY(zl_numpy_types_find(&names, in->dtype, &bound->codec.types, err));
    ZL_TRY(zl_json_get_double(self, "offset", &bound->offset, err));
    ZL_TRY(zl_json_get_double(self, "scale", &bound->scale, err));
    const bool whole = zl_json_get_i64(self, "offset", &bound->int_offset, NULL) == ZL_OK &&
                       zl_json_get_i64(self, "scale", &bound->int_scale, NULL) == ZL_OK;
    make_maps(bound, whole);
    *resolved = bound;
    return zl_numpy_codec_level(&bound->codec, in, out, env, err);
}

const zl_codec_class zl_codec_numcodecs_fixedscaleoffset = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.fixedscaleoffset",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/fixedscaleoffset.html",
    .parse = parse,
    .emit = zl_numpy_emit,
    .resolve = resolve,
    .aa = &zl_numpy_ops,
};
