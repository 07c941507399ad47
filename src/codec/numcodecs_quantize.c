/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.quantize: floating-point numbers rounded to so many decimal digits behind the point, by rounding to a power of
 * two that is no larger than the last digit. Decoding only changes the type.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/quantize.html
 */
#include <math.h>

#include "codec/numcodecs_numbers.h"

#define DIGITS_MAX 300 /* 10^digits and the power of two above it are numbers */

/* For one data type. */
struct bound {
    zl_numpy_codec codec; /* first */
    double scale;         /* a power of two */
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"digits", "dtype", "astype", NULL};
    (void)env;
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *value;
    int64_t digits;
    ZL_TRY(zl_json_require(configuration, "digits", &value, err));
    *self = configuration;
    return zl_json_to_within(value, -DIGITS_MAX, DIGITS_MAX, &digits, err);
}

#define DEFINE_FLOATS(type)                                                \
    static void encode_##type(const void *self, void *numbers, size_t n) { \
        const type scale = (type)((const struct bound *)self)->scale;      \
        type *x = numbers;                                                 \
        for (size_t i = 0; i < n; i++) {                                   \
            x[i] = (type)rint((double)(scale * x[i])) / scale;             \
        }                                                                  \
    }
DEFINE_FLOATS(float)
DEFINE_FLOATS(double)

static void encode_half(const void *self, void *numbers, size_t n) {
    const double scale = zl_numpy_round_half(((const struct bound *)self)->scale);
    double *x = numbers;
    for (size_t i = 0; i < n; i++) {
        x[i] = zl_numpy_round_half(rint(zl_numpy_round_half(scale * x[i])) / scale);
    }
}

/* The scale as a number of the type that it multiplies. */
static double rounded_scale(const struct bound *bound) {
    switch (bound->codec.types.decoded_number.bits) {
    case 16: return zl_numpy_round_half(bound->scale);
    case 32: return (double)(float)bound->scale;
    default: return bound->scale;
    }
}

static void make_maps(zl_numpy_codec *codec) {
    static zl_numpy_apply_fn *const encoders[] = {encode_half, encode_float, encode_double};
    const zl_number *decoded = &codec->types.decoded_number, *encoded = &codec->types.encoded_number;
    zl_number work;
    zl_numpy_float(decoded, encoders, &work, &codec->encode.apply);
    zl_numpy_cast(decoded, &work, ZL_RANGE_ERROR, &codec->encode.before);
    zl_numpy_cast(&work, encoded, ZL_RANGE_ERROR, &codec->encode.after);
    zl_numpy_cast(encoded, decoded, ZL_RANGE_WRAP, &codec->decode.before);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.quantize", "dtype", "astype", self};
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    zl_numpy_types *types = &bound->codec.types;
    ZL_TRY(zl_numpy_types_find(&names, in->dtype, types, err));
    if (types->decoded_number.kind != ZL_NUMBER_FLOAT || types->encoded_number.kind != ZL_NUMBER_FLOAT) {
        return zl_fail(err, ZL_ERR_METADATA,
                       "numcodecs.quantize: elements are floating-point numbers, not \"%s\" and \"%s\"",
                       types->decoded->name, types->encoded->name);
    }
    int64_t digits;
    ZL_TRY(zl_json_get_i64(self, "digits", &digits, err));
    bound->scale = exp2(ceil(log2(pow(10, (double)digits))));
    const double scale = rounded_scale(bound);
    if (scale == 0 || isinf(scale)) {
        return zl_json_fail(zl_json_member(self, "digits"), err, ZL_ERR_METADATA,
                            "%lld digits behind the point: the power of two for that is no number of data type \"%s\"",
                            (long long)digits, types->decoded->name);
    }
    make_maps(&bound->codec);
    *resolved = bound;
    return zl_numpy_codec_level(&bound->codec, in, out, env, err);
}

const zl_codec_class zl_codec_numcodecs_quantize = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.quantize",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/quantize.html",
    .parse = parse,
    .emit = zl_numpy_emit,
    .resolve = resolve,
    .aa = &zl_numpy_ops,
};
