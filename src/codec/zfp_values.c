/* SPDX-License-Identifier: MIT */
/*
 * Promotion and demotion of the elements of a block.
 * https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp#format-and-algorithm
 *
 * The page's lower bound for the demotion of signed integers lacks a minus; libzfp's is meant. libzfp has no unsigned type
 * of 32 or 64 bits: others store numbers below 2^31 and 2^63 as they are, and so does this; larger ones are refused, since
 * every way to store them would read as other numbers elsewhere. Lossy coding may make small numbers negative: these
 * become 0.
 *
 * Lossy modes know neither NaN nor infinity, nor a time that is none: such a value would come back as a number, and in
 * floating point it spoils the block of values around it too. It is refused.
 */
#include "codec/zfp_values.h"

#include "dtype/family.h"

#define VALUE_BITS 31 /* of int32 that libzfp takes without overflow */

/* Bits of floats. */
#define FLOAT_INFINITY UINT32_C(0x7f800000)
#define FLOAT_65520 UINT32_C(0x477ff000) /* rounds to the infinity of float16; what is less does not */
#define FLOAT_2_14 UINT32_C(0x38800000)  /* 2^-14, the smallest normal float16 */
#define FLOAT_HALF UINT32_C(0x3f000000)
#define DOUBLE_INFINITY UINT64_C(0x7ff0000000000000)

static bool floats_of(const zl_minifloat *format, zl_zfp_values *values) {
    const bool small = format == &zl_minifloats[ZL_MINIFLOAT_FLOAT16] || format == &zl_minifloats[ZL_MINIFLOAT_BFLOAT16];
    values->kind = small ? ZL_ZFP_SMALL_FLOAT : ZL_ZFP_SAME;
    values->type = format->bits == 64 ? zfp_type_double : zfp_type_float;
    values->format = format;
    return small || format->bits >= 32;
}

static void integers_of(const zl_scalar *scalar, zl_zfp_values *values) {
    const bool is_signed = scalar->kind == ZL_SCALAR_SIGNED;
    values->type = scalar->bits == 64 ? zfp_type_int64 : zfp_type_int32;
    if (scalar->bits < 32) {
        values->kind = is_signed ? ZL_ZFP_SMALL_SIGNED : ZL_ZFP_SMALL_UNSIGNED;
    } else if (is_signed) {
        values->kind = ZL_ZFP_SAME;
    } else {
        values->kind = ZL_ZFP_UNSIGNED;
        values->refused_mask = values->refused_bits = UINT64_C(1) << (scalar->bits - 1);
    }
}

bool zl_zfp_values_of(const zl_dtype *dtype, zl_zfp_values *out) {
    zl_scalar scalar;
    *out = (zl_zfp_values){.size = dtype->size};
    if (!zl_scalar_of(dtype, &scalar) || scalar.count != 1 || scalar.kind == ZL_SCALAR_BOOL) return false;
    out->bits = scalar.bits;
    out->is_time = scalar.is_time;
    if (scalar.kind == ZL_SCALAR_FLOAT) return floats_of(scalar.format, out);
    integers_of(&scalar, out);
    return true;
}

void zl_zfp_refuse_for_lossy(zl_zfp_values *values) {
    if (values->format) {
        values->refused_mask = values->refused_bits = values->type == zfp_type_double ? DOUBLE_INFINITY : FLOAT_INFINITY;
    } else if (values->is_time) {
        values->refused_mask = UINT64_MAX;
        values->refused_bits = UINT64_C(1) << 63;
    }
}

/* ---- promotion */

#define DEFINE_SMALL_INTEGERS(type)                                                                                 \
    static void promote_##type(int32_t *to, const type *from, size_t n, unsigned shift, int32_t offset) {           \
        for (size_t i = 0; i < n; i++)                                                                              \
            to[i] = (from[i] - offset) * (INT32_C(1) << shift);                                                     \
    }                                                                                                               \
    static void demote_##type(type *to, const int32_t *from, size_t n, unsigned shift, int32_t offset, int32_t low, \
                              int32_t high) {                                                                       \
        for (size_t i = 0; i < n; i++) {                                                                            \
            const int32_t value = (from[i] >> shift) + offset;                                                      \
            to[i] = (type)(value < low ? low : value > high ? high : value);                                        \
        }                                                                                                           \
    }
DEFINE_SMALL_INTEGERS(int8_t)
DEFINE_SMALL_INTEGERS(uint8_t)
DEFINE_SMALL_INTEGERS(int16_t)
DEFINE_SMALL_INTEGERS(uint16_t)

static void promote_integers(const zl_zfp_values *values, int32_t *to, const void *from, size_t n) {
    const unsigned shift = VALUE_BITS - values->bits;
    const int32_t half = INT32_C(1) << (values->bits - 1);
    if (values->kind == ZL_ZFP_SMALL_SIGNED) {
        if (values->size == 1)
            promote_int8_t(to, from, n, shift, 0);
        else
            promote_int16_t(to, from, n, shift, 0);
    } else {
        if (values->size == 1)
            promote_uint8_t(to, from, n, shift, half);
        else
            promote_uint16_t(to, from, n, shift, half);
    }
}

/* The bits of the float that a float16 is; those of a NaN stay. */
static inline uint32_t float_of_half(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) return sign | FLOAT_INFINITY | (magnitude & 0x3ff) << 13;
    if (magnitude >= 0x400) return sign | ((magnitude << 13) + ((127 - 15) << 23));
    const float subnormal = (float)magnitude * 0x1p-24F;
    uint32_t bits;
    memcpy(&bits, &subnormal, sizeof bits);
    return sign | bits;
}

static void promote_floats(const zl_zfp_values *values, uint32_t *to, const uint16_t *from, size_t n) {
    if (values->format == &zl_minifloats[ZL_MINIFLOAT_BFLOAT16]) {
        for (size_t i = 0; i < n; i++)
            to[i] = (uint32_t)from[i] << 16;
    } else {
        for (size_t i = 0; i < n; i++)
            to[i] = float_of_half(from[i]);
    }
}

void zl_zfp_promote(const zl_zfp_values *values, void *block, const void *elements, size_t n) {
    if (values->kind == ZL_ZFP_UNSIGNED) {
        memcpy(block, elements, n * values->size);
    } else if (values->kind == ZL_ZFP_SMALL_FLOAT) {
        promote_floats(values, block, elements, n);
    } else {
        promote_integers(values, block, elements, n);
    }
}

/* ---- demotion */

static void demote_integers(const zl_zfp_values *values, void *to, const int32_t *from, size_t n) {
    const unsigned shift = VALUE_BITS - values->bits;
    const int32_t half = INT32_C(1) << (values->bits - 1);
    if (values->kind == ZL_ZFP_SMALL_SIGNED) {
        if (values->size == 1)
            demote_int8_t(to, from, n, shift, 0, -half, half - 1);
        else
            demote_int16_t(to, from, n, shift, 0, -half, half - 1);
    } else {
        if (values->size == 1)
            demote_uint8_t(to, from, n, shift, half, 0, 2 * half - 1);
        else
            demote_uint16_t(to, from, n, shift, half, 0, 2 * half - 1);
    }
}

static void demote_unsigned(const zl_zfp_values *values, void *to, const void *from, size_t n) {
    if (values->size == 4) {
        for (size_t i = 0; i < n; i++)
            ((int32_t *)to)[i] = ((const int32_t *)from)[i] < 0 ? 0 : ((const int32_t *)from)[i];
    } else {
        for (size_t i = 0; i < n; i++)
            ((int64_t *)to)[i] = ((const int64_t *)from)[i] < 0 ? 0 : ((const int64_t *)from)[i];
    }
}

/* Both round to nearest, ties to even: a carry out of the mantissa goes on into the exponent, up to infinity. A NaN keeps
 * its highest bits, and one to be a NaN. */
static inline uint16_t half_of_float(uint32_t bits) {
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > FLOAT_INFINITY) {
        const uint32_t payload = magnitude >> 13 & 0x3ff;
        return (uint16_t)(sign | 0x7c00 | (payload ? payload : 0x200));
    }
    if (magnitude >= FLOAT_65520) return (uint16_t)(sign | 0x7c00);
    if (magnitude < FLOAT_2_14) { /* subnormal: the last place of a float next to 0.5 counts 2^-24 */
        float value;
        memcpy(&value, &magnitude, sizeof value);
        value += 0.5F;
        uint32_t sum;
        memcpy(&sum, &value, sizeof sum);
        return (uint16_t)(sign | (sum - FLOAT_HALF));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (rounded - ((127 - 15) << 23)) >> 13);
}

static inline uint16_t bfloat_of_float(uint32_t bits) {
    if ((bits & 0x7fffffff) > FLOAT_INFINITY) {
        return (uint16_t)(bits >> 16 | ((bits >> 16 & 0x7f) ? 0 : 0x40));
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void demote_floats(const zl_zfp_values *values, uint16_t *to, const uint32_t *from, size_t n) {
    if (values->format == &zl_minifloats[ZL_MINIFLOAT_BFLOAT16]) {
        for (size_t i = 0; i < n; i++)
            to[i] = bfloat_of_float(from[i]);
    } else {
        for (size_t i = 0; i < n; i++)
            to[i] = half_of_float(from[i]);
    }
}

void zl_zfp_demote(const zl_zfp_values *values, void *elements, const void *block, size_t n) {
    if (values->kind == ZL_ZFP_UNSIGNED) {
        demote_unsigned(values, elements, block, n);
    } else if (values->kind == ZL_ZFP_SMALL_FLOAT) {
        demote_floats(values, elements, block, n);
    } else {
        demote_integers(values, elements, block, n);
    }
}

/* ---- values that cannot be encoded */

/* Mostly there is none: all are looked at together first, in pieces that compilers turn into vectors. */
#define PIECE 16
#define DEFINE_FIND(type)                                                         \
    static size_t find_##type(const type *from, size_t n, type mask, type bits) { \
        type found = 0;                                                           \
        size_t i = 0;                                                             \
        for (; i + PIECE <= n; i += PIECE) {                                      \
            for (size_t k = 0; k < PIECE; k++)                                    \
                found |= (type)((from[i + k] & mask) == bits);                    \
        }                                                                         \
        for (i = found ? 0 : i; i < n; i++) {                                     \
            if ((from[i] & mask) == bits) return i;                               \
        }                                                                         \
        return n;                                                                 \
    }
DEFINE_FIND(uint32_t)
DEFINE_FIND(uint64_t)

size_t zl_zfp_find_refused(const zl_zfp_values *values, const void *block, size_t n) {
    if (values->refused_bits == 0) return n;
    if (zl_zfp_value_size(values) == 4) {
        return find_uint32_t(block, n, (uint32_t)values->refused_mask, (uint32_t)values->refused_bits);
    }
    return find_uint64_t(block, n, values->refused_mask, values->refused_bits);
}

const char *zl_zfp_why_refused(const zl_zfp_values *values) {
    if (values->kind == ZL_ZFP_UNSIGNED) {
        return values->size == 4 ? "is 2^31 or larger; zfp has no unsigned type, numbers are stored as int32"
                                 : "is 2^63 or larger; zfp has no unsigned type, numbers are stored as int64";
    }
    if (values->is_time) return "is NaT, which a lossy mode would make a time; mode \"reversible\" keeps it";
    return "is NaN or infinite, which lossy modes cannot store; mode \"reversible\" can";
}
