/* SPDX-License-Identifier: MIT */
/*
 * scale_offset: (x - offset) * scale, and back x / scale + offset.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/scale_offset
 *
 * "Arithmetic semantics of the input array's data type": each operation gives a number of that type or the element is
 * refused. Integers: no result outside the type, on the way or at the end, and no inexact division. Floating point: each
 * operation rounds once, in the type itself; a finite number must not become infinite. Types of up to 16 bits are computed
 * in double and rounded after each operation, which is the same: double has more than twice their bits.
 *
 * What is not given is not computed: -0 + 0 would be 0, and float8_e8m0fnu has no 0 that could be the default offset.
 */
#include <math.h>

#include "codec/cast.h"
#include "codec/chain.h"
#include "codec/scalar.h"
#include "dtype/family.h"

struct scale_offset {
    const zl_json *offset, *scale; /* NULL: not given */
};

/* For one data type. */
struct bound {
    size_t (*encode)(const struct bound *bound, void *dst, const void *src, size_t n);
    size_t (*decode)(const struct bound *bound, void *dst, const void *src, size_t n);
    const zl_dtype *dtype;
    zl_scalar scalar;
    /* Integers. */
    int64_t low, high; /* of int64_t numbers */
    uint64_t int_offset, int_scale;
    /* Floating point. */
    bool has_offset, has_scale;
    double offset, scale;
    const zl_cast_plan *to_double, *from_double; /* of up to 16 bits */
};

/* ---- integers: all but uint64 are computed as int64_t */

static inline bool divide_int64_t(int64_t a, int64_t b, int64_t *out) {
    if (b == -1) return !__builtin_sub_overflow(0, a, out); /* the one division that overflows */
    *out = a / b;
    return a % b == 0;
}

static inline bool divide_uint64_t(uint64_t a, uint64_t b, uint64_t *out) {
    *out = a / b;
    return a % b == 0;
}

#define DEFINE_INTEGERS(type, wide, range_low, range_high)                                              \
    static size_t encode_##type(const struct bound *bound, void *dst, const void *src, size_t n) {      \
        const type *from = src;                                                                         \
        type *to = dst;                                                                                 \
        const wide offset = (wide)bound->int_offset, scale = (wide)bound->int_scale;                    \
        const wide low = (wide)(range_low), high = (wide)(range_high);                                  \
        for (size_t i = 0; i < n; i++) {                                                                \
            wide value = from[i];                                                                       \
            if (__builtin_sub_overflow(value, offset, &value) || value < low || value > high) return i; \
            if (__builtin_mul_overflow(value, scale, &value) || value < low || value > high) return i;  \
            to[i] = (type)value;                                                                        \
        }                                                                                               \
        return n;                                                                                       \
    }                                                                                                   \
    static size_t decode_##type(const struct bound *bound, void *dst, const void *src, size_t n) {      \
        const type *from = src;                                                                         \
        type *to = dst;                                                                                 \
        const wide offset = (wide)bound->int_offset, scale = (wide)bound->int_scale;                    \
        const wide low = (wide)(range_low), high = (wide)(range_high);                                  \
        for (size_t i = 0; i < n; i++) {                                                                \
            wide value;                                                                                 \
            if (!divide_##wide((wide)from[i], scale, &value) || value < low || value > high) return i;  \
            if (__builtin_add_overflow(value, offset, &value) || value < low || value > high) return i; \
            to[i] = (type)value;                                                                        \
        }                                                                                               \
        return n;                                                                                       \
    }
DEFINE_INTEGERS(int8_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(int16_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(int32_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(int64_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(uint8_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(uint16_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(uint32_t, int64_t, bound->low, bound->high)
DEFINE_INTEGERS(uint64_t, uint64_t, 0, UINT64_MAX)

/* ---- floating point: x - 0, x + -0, x * 1 and x / 1 are x, so a missing operand costs no branch */

/* The loops go on behind an overflow: they are faster without a way out, and overflows are rare. */
#define DEFINE_FLOATS(type)                                                                        \
    static size_t find_overflow_##type(const type *to, const type *from, size_t n) {               \
        size_t i = 0;                                                                              \
        while (i < n && (!isinf(to[i]) || isinf(from[i]))) {                                       \
            i++;                                                                                   \
        }                                                                                          \
        return i;                                                                                  \
    }                                                                                              \
    static size_t encode_##type(const struct bound *bound, void *dst, const void *src, size_t n) { \
        const type *from = src;                                                                    \
        type *to = dst;                                                                            \
        const type offset = bound->has_offset ? (type)bound->offset : (type)0;                     \
        const type scale = bound->has_scale ? (type)bound->scale : (type)1;                        \
        bool infinite = false;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                           \
            to[i] = (from[i] - offset) * scale;                                                    \
            infinite |= isinf(to[i]) != 0;                                                         \
        }                                                                                          \
        return infinite ? find_overflow_##type(to, from, n) : n;                                   \
    }                                                                                              \
    static size_t decode_##type(const struct bound *bound, void *dst, const void *src, size_t n) { \
        const type *from = src;                                                                    \
        type *to = dst;                                                                            \
        const type offset = bound->has_offset ? (type)bound->offset : -(type)0;                    \
        const type scale = bound->has_scale ? (type)bound->scale : (type)1;                        \
        bool infinite = false;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                           \
            to[i] = from[i] / scale + offset;                                                      \
            infinite |= isinf(to[i]) != 0;                                                         \
        }                                                                                          \
        return infinite ? find_overflow_##type(to, from, n) : n;                                   \
    }
DEFINE_FLOATS(float)
DEFINE_FLOATS(double)

/* ---- floating point of up to 16 bits, in blocks of doubles: a cast refuses what the type does not hold */

#define BLOCK 256 /* elements */

typedef void operation(double *values, size_t n, double operand);

static void subtract(double *values, size_t n, double operand) {
    for (size_t i = 0; i < n; i++) {
        values[i] -= operand;
    }
}

static void add(double *values, size_t n, double operand) {
    for (size_t i = 0; i < n; i++) {
        values[i] += operand;
    }
}

static void multiply(double *values, size_t n, double operand) {
    for (size_t i = 0; i < n; i++) {
        values[i] *= operand;
    }
}

static void divide(double *values, size_t n, double operand) {
    for (size_t i = 0; i < n; i++) {
        values[i] /= operand;
    }
}

/* One operation on at most BLOCK elements; dst and src may be the same. */
static size_t operate(const struct bound *bound, operation *run, double operand, void *dst, const void *src, size_t n) {
    double values[BLOCK];
    zl_cast_run(bound->to_double, values, src, n); /* all are doubles */
    run(values, n, operand);
    return zl_cast_run(bound->from_double, dst, values, n);
}

/* The first operation, then the second on what that did not refuse. */
static size_t operate_twice(const struct bound *bound, bool is_encoding, void *dst, const void *src, size_t n) {
    const bool has_first = is_encoding ? bound->has_offset : bound->has_scale;
    const bool has_second = is_encoding ? bound->has_scale : bound->has_offset;
    if (has_first) {
        n = is_encoding ? operate(bound, subtract, bound->offset, dst, src, n)
                        : operate(bound, divide, bound->scale, dst, src, n);
        src = dst;
    }
    if (!has_second) return n;
    return is_encoding ? operate(bound, multiply, bound->scale, dst, src, n)
                       : operate(bound, add, bound->offset, dst, src, n);
}

static size_t operate_on_blocks(const struct bound *bound, bool is_encoding, void *dst, const void *src, size_t n) {
    const size_t width = bound->scalar.width;
    for (size_t done = 0; done < n; done += BLOCK) {
        const size_t count = n - done < BLOCK ? n - done : BLOCK;
        const char *from = (const char *)src + done * width;
        const size_t passed = operate_twice(bound, is_encoding, (char *)dst + done * width, from, count);
        if (passed < count) return done + passed;
    }
    return n;
}

static size_t encode_codes(const struct bound *bound, void *dst, const void *src, size_t n) {
    return operate_on_blocks(bound, true, dst, src, n);
}

static size_t decode_codes(const struct bound *bound, void *dst, const void *src, size_t n) {
    return operate_on_blocks(bound, false, dst, src, n);
}

/* Neither offset nor scale. */
static size_t copy(const struct bound *bound, void *dst, const void *src, size_t n) {
    memcpy(dst, src, n * bound->dtype->size);
    return n;
}

/* ---- configuration */

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"offset", "scale", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    struct scale_offset *scale_offset = ZL_ARENA_NEW(env->arena, struct scale_offset);
    if (!scale_offset) return zl_fail_memory(err, sizeof *scale_offset);
    /* What they mean is known when the data type is. */
    scale_offset->offset = zl_json_member(configuration, "offset");
    scale_offset->scale = zl_json_member(configuration, "scale");
    *self = scale_offset;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct scale_offset *scale_offset = self;
    zl_json_write_object(writer);
    if (scale_offset->offset) {
        zl_json_write_key(writer, "offset");
        zl_json_write_value(writer, scale_offset->offset);
    }
    if (scale_offset->scale) {
        zl_json_write_key(writer, "scale");
        zl_json_write_value(writer, scale_offset->scale);
    }
    zl_json_write_end(writer);
}

/* Chooses the loops. */
static void choose_loops(struct bound *bound) {
    typedef size_t row_fn(const struct bound *, void *, const void *, size_t);
    static row_fn *const loops[][4][2] = {
        [ZL_SCALAR_SIGNED] = {{encode_int8_t, decode_int8_t},
                              {encode_int16_t, decode_int16_t},
                              {encode_int32_t, decode_int32_t},
                              {encode_int64_t, decode_int64_t}},
        [ZL_SCALAR_UNSIGNED] = {{encode_uint8_t, decode_uint8_t},
                                {encode_uint16_t, decode_uint16_t},
                                {encode_uint32_t, decode_uint32_t},
                                {encode_uint64_t, decode_uint64_t}},
        [ZL_SCALAR_FLOAT] = {{encode_codes, decode_codes},
                             {encode_codes, decode_codes},
                             {encode_float, decode_float},
                             {encode_double, decode_double}},
    };
    const int log_width = __builtin_ctz(bound->scalar.width);
    const bool any = bound->has_offset || bound->has_scale;
    bound->encode = any ? loops[bound->scalar.kind][log_width][0] : copy;
    bound->decode = any ? loops[bound->scalar.kind][log_width][1] : copy;
}

/* Reads one operand as a number of the data type: its bits, sign-extended, and for floating point its value. */
static zl_status parse_operand(const struct bound *bound, const zl_json *json, const zl_env *env, uint64_t *bits,
                               double *value, zl_error *err) {
    const zl_scalar *scalar = &bound->scalar;
    union {
        uint64_t word;
        char bytes[8];
    } element = {0};
    ZL_TRY(bound->dtype->cls->parse_fill(bound->dtype, json, env, &element, err));
    *bits = zl_load_unit(&element, scalar->width);
    if (scalar->kind == ZL_SCALAR_SIGNED) *bits = (uint64_t)zl_sign_extend(*bits, scalar->bits);
    if (!scalar->format) return ZL_OK;
    *value = zl_minifloat_to_double(scalar->format, *bits);
    if (isfinite(*value)) return ZL_OK;
    return zl_json_fail(json, err, ZL_ERR_METADATA, "scale_offset: offset and scale must be finite");
}

static zl_status parse_operands(struct bound *bound, const struct scale_offset *from, const zl_env *env, zl_error *err) {
    bound->has_offset = from->offset != NULL;
    bound->has_scale = from->scale != NULL;
    bound->int_scale = 1;
    if (from->offset) ZL_TRY(parse_operand(bound, from->offset, env, &bound->int_offset, &bound->offset, err));
    if (!from->scale) return ZL_OK;
    ZL_TRY(parse_operand(bound, from->scale, env, &bound->int_scale, &bound->scale, err));
    const bool zero = bound->scalar.format ? bound->scale == 0 : bound->int_scale == 0;
    return zero ? zl_json_fail(from->scale, err, ZL_ERR_METADATA, "scale_offset: scale must not be 0") : ZL_OK;
}

static zl_status find_casts(struct bound *bound, const zl_env *env, zl_error *err) {
    if (!bound->scalar.format || bound->scalar.width > 2) return ZL_OK;
    const zl_cast_rule rule = {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_ERROR};
    zl_cast_pair *pair;
    ZL_TRY(zl_cast_pair_make(bound->dtype, zl_dtype_builtin(ZL_DTYPE_FLOAT64), rule, NULL, NULL, env, &pair, err));
    bound->to_double = pair->encode;
    bound->from_double = pair->decode;
    return ZL_OK;
}

static zl_status refuse(const void *self, bool encoding, const void *element, zl_error *err) {
    const struct bound *bound = self;
    char text[ZL_NUMBER_TEXT];
    return zl_fail(err, encoding ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT,
                   "scale_offset: %s for element %s gives no number of data type \"%s\"",
                   encoding ? "(x - offset) * scale" : "x / scale + offset", zl_number_text(bound->dtype, element, text),
                   bound->dtype->name);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    void *fill = zl_arena_alloc(env->arena, in->dtype->size, in->dtype->align);
    if (!bound || !fill) return zl_fail_memory(err, sizeof *bound);
    const zl_scalar *scalar = &bound->scalar;
    if (!zl_scalar_of(in->dtype, &bound->scalar) || scalar->kind == ZL_SCALAR_BOOL || scalar->count != 1) {
        return zl_fail(err, ZL_ERR_METADATA, "scale_offset: not defined for data type \"%s\"", in->dtype->name);
    }
    bound->dtype = in->dtype;
    const unsigned value_bits = scalar->bits - (scalar->kind == ZL_SCALAR_SIGNED);
    bound->high = value_bits < 63 ? INT64_MAX >> (63 - value_bits) : INT64_MAX;
    bound->low = scalar->kind == ZL_SCALAR_SIGNED ? -bound->high - 1 : 0;
    ZL_TRY(parse_operands(bound, self, env, err));
    ZL_TRY(find_casts(bound, env, err));
    choose_loops(bound);
    if (bound->encode(bound, fill, in->fill, 1) == 0) {
        refuse(bound, true, in->fill, err);
        return zl_error_wrap(err, ZL_ERR_METADATA, "fill value: ");
    }
    *out = (zl_level){in->dtype, fill};
    *result = bound;
    return ZL_OK;
}

/* ---- rows */

static size_t decode_row(const void *self, void *dst, const void *src, size_t n) {
    const struct bound *bound = self;
    return bound->decode(bound, dst, src, n);
}

static size_t encode_row(const void *self, void *dst, const void *src, size_t n) {
    const struct bound *bound = self;
    return bound->encode(bound, dst, src, n);
}

static const zl_aa_ops aa = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

const zl_codec_class zl_codec_scale_offset = {
    .size = sizeof(zl_codec_class),
    .name = "scale_offset",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/scale_offset",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .aa = &aa,
};
