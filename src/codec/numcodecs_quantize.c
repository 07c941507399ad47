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
    zl_numpy_types types;
    zl_numpy_map encode, decode;
    double scale; /* a power of two */
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"digits", "dtype", "astype", NULL};
    (void)env;
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t digits;
    ZL_TRY(zl_json_get_i64(configuration, "digits", &digits, err));
    if (digits < -DIGITS_MAX || digits > DIGITS_MAX) {
        return zl_json_fail(zl_json_member(configuration, "digits"), err, ZL_ERR_METADATA, "%lld is not within %d to %d",
                            (long long)digits, -DIGITS_MAX, DIGITS_MAX);
    }
    *self = configuration;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    zl_numpy_emit(self, writer);
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

static size_t encode_row(const void *bound, void *dst, const void *src, size_t n) {
    return zl_numpy_row(&((const struct bound *)bound)->encode, bound, dst, src, n);
}

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    return zl_numpy_row(&((const struct bound *)bound)->decode, bound, dst, src, n);
}

static zl_status refuse(const void *bound, bool encoding, const void *element, zl_error *err) {
    return zl_numpy_refuse(&((const struct bound *)bound)->types, encoding, element, err);
}

/* The scale as a number of the type that it multiplies. */
static double rounded_scale(const struct bound *bound) {
    switch (bound->types.decoded_number.bits) {
    case 16: return zl_numpy_round_half(bound->scale);
    case 32: return (double)(float)bound->scale;
    default: return bound->scale;
    }
}

static void make_maps(struct bound *bound) {
    const zl_number *decoded = &bound->types.decoded_number, *encoded = &bound->types.encoded_number;
    const bool is_single = decoded->bits == 32;
    zl_number work;
    zl_number_of(zl_dtype_builtin(is_single ? ZL_DTYPE_FLOAT32 : ZL_DTYPE_FLOAT64), &work);
    bound->encode.apply = is_single ? encode_float : decoded->bits == 16 ? encode_half : encode_double;
    zl_numpy_cast(decoded, &work, ZL_RANGE_ERROR, &bound->encode.before);
    zl_numpy_cast(&work, encoded, ZL_RANGE_ERROR, &bound->encode.after);
    zl_numpy_cast(encoded, decoded, ZL_RANGE_WRAP, &bound->decode.before);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.quantize", "dtype", "astype", self};
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    zl_numpy_types *types = &bound->types;
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
    make_maps(bound);
    *resolved = bound;
    return zl_numpy_level(types, encode_row, bound, in, out, env, err);
}

static const zl_aa_ops aa = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

const zl_codec_class zl_codec_numcodecs_quantize = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.quantize",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/quantize.html",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .aa = &aa,
};
