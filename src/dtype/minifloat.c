/* SPDX-License-Identifier: MIT */
/*
 * Every format is handled by the same few lines of integer arithmetic. A code without its sign, seen as an integer, counts
 * the values of the format upwards from the smallest one, so a carry out of the mantissa moves on to the next exponent, or
 * to infinity, by itself.
 */
#include "dtype/minifloat.h"

#include <math.h>

const zl_minifloat zl_minifloats[ZL_MINIFLOAT_COUNT] = {
#define ZL_MINIFLOAT_ROW(symbol, name, complex_symbol, complex_name, bits, mantissa_bits, bias, kind, nan) \
    [ZL_MINIFLOAT_##symbol] = {name, bits, mantissa_bits, bias, ZL_MINIFLOAT_##kind, UINT64_C(nan)},
    ZL_MINIFLOAT_MAP(ZL_MINIFLOAT_ROW)
#undef ZL_MINIFLOAT_ROW
};

#define DOUBLE_MANTISSA_BITS 52

static bool has_sign(const zl_minifloat *format) {
    return format->kind != ZL_MINIFLOAT_FNU;
}

static uint64_t sign_mask(const zl_minifloat *format) {
    return has_sign(format) ? UINT64_C(1) << (format->bits - 1) : 0;
}

static uint64_t magnitude_mask(const zl_minifloat *format) {
    return (UINT64_MAX >> (64 - format->bits)) & ~sign_mask(format);
}

/* The largest finite value's code. */
static uint64_t largest(const zl_minifloat *format) {
    const uint64_t all = magnitude_mask(format);
    switch (format->kind) {
    case ZL_MINIFLOAT_IEEE: return all - (UINT64_C(1) << format->mantissa_bits);
    case ZL_MINIFLOAT_FN:
    case ZL_MINIFLOAT_FNU: return all - 1;
    case ZL_MINIFLOAT_FINITE:
    case ZL_MINIFLOAT_FNUZ: break;
    }
    return all;
}

bool zl_minifloat_has_nan(const zl_minifloat *format) {
    return format->kind != ZL_MINIFLOAT_FINITE;
}

bool zl_minifloat_has_infinity(const zl_minifloat *format) {
    return format->kind == ZL_MINIFLOAT_IEEE;
}

bool zl_minifloat_is_infinite(const zl_minifloat *format, uint64_t code) {
    return zl_minifloat_has_infinity(format) && (code & magnitude_mask(format)) == largest(format) + 1;
}

bool zl_minifloat_is_nan(const zl_minifloat *format, uint64_t code) {
    const uint64_t magnitude = code & magnitude_mask(format);
    switch (format->kind) {
    case ZL_MINIFLOAT_IEEE: return magnitude > largest(format) + 1;
    case ZL_MINIFLOAT_FN:
    case ZL_MINIFLOAT_FNU: return magnitude > largest(format);
    case ZL_MINIFLOAT_FNUZ: return magnitude == 0 && (code & sign_mask(format)) != 0;
    case ZL_MINIFLOAT_FINITE: break;
    }
    return false;
}

double zl_minifloat_to_double(const zl_minifloat *format, uint64_t code) {
    if (zl_minifloat_is_nan(format, code)) return (double)NAN;
    const bool negative = (code & sign_mask(format)) != 0;
    const uint64_t magnitude = code & magnitude_mask(format);
    const int mantissa_bits = format->mantissa_bits;
    const int exponent = (int)(magnitude >> mantissa_bits);
    uint64_t mantissa = magnitude & ((UINT64_C(1) << mantissa_bits) - 1);
    double value;
    if (zl_minifloat_is_infinite(format, code)) {
        value = (double)INFINITY;
    } else if (exponent == 0 && format->kind != ZL_MINIFLOAT_FNU) { /* zero and subnormal numbers */
        value = ldexp((double)mantissa, 1 - format->bias - mantissa_bits);
    } else {
        mantissa |= UINT64_C(1) << mantissa_bits;
        value = ldexp((double)mantissa, exponent - format->bias - mantissa_bits);
    }
    return negative ? -value : value;
}

/* mantissa / 2^shift, rounded to nearest, ties to even. */
static uint64_t shift_round(uint64_t mantissa, int shift) {
    if (shift == 0) return mantissa;
    if (shift >= 64) return 0; /* mantissa < 2^53 is less than half */
    const uint64_t quotient = mantissa >> shift;
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1) != 0));
}

/* |value|, finite and not 0, rounded to the format's grid as if its exponent had no upper end; the result counts values
 * from the smallest one (or, without zero, from 2^-bias: then -1 is below). */
static int64_t round_magnitude(const zl_minifloat *format, double value) {
    int exponent; /* |value| = 0.1xxx * 2^exponent */
    const double fraction = frexp(fabs(value), &exponent);
    const uint64_t mantissa = (uint64_t)ldexp(fraction, DOUBLE_MANTISSA_BITS + 1);
    const int leading = exponent - 1;
    const bool subnormals = format->kind != ZL_MINIFLOAT_FNU;
    const int lowest = subnormals ? 1 - format->bias : leading;
    const int used = leading > lowest ? leading : lowest;
    const int shift = used - leading + DOUBLE_MANTISSA_BITS - format->mantissa_bits;
    const int64_t steps = (int64_t)shift_round(mantissa, shift);
    /* `steps` includes the implicit bit, which adds one to the exponent */
    const int64_t below = (int64_t)used + format->bias - 1;
    return below * (INT64_C(1) << format->mantissa_bits) + steps;
}

bool zl_minifloat_from_double(const zl_minifloat *format, double value, uint64_t *code) {
    if (isnan(value)) {
        if (!zl_minifloat_has_nan(format)) return false;
        *code = format->nan;
        return true;
    }
    const bool negative = signbit(value);
    if (negative && !has_sign(format)) return false;
    int64_t magnitude = 0;
    if (isinf(value)) {
        magnitude = INT64_MAX;
    } else if (value != 0) {
        magnitude = round_magnitude(format, value);
    } else if (format->kind == ZL_MINIFLOAT_FNU) {
        return false;
    }
    if (magnitude < 0) return false;
    uint64_t result = (uint64_t)magnitude;
    if (result > largest(format)) {
        if (!zl_minifloat_has_infinity(format)) return false;
        result = largest(format) + 1;
    }
    const bool no_negative_zero = format->kind == ZL_MINIFLOAT_FNUZ;
    if (negative && !(result == 0 && no_negative_zero)) result |= sign_mask(format);
    *code = result;
    return true;
}
