/* SPDX-License-Identifier: MIT */
#include "codec/number.h"

#include <stdio.h>

#include "codec/scalar.h"
#include "dtype/float_text.h"

/* ---- data types */

/* The largest finite value's code: below it lie all others, above it infinity and NaN. */
static uint64_t largest_code(const zl_minifloat *format) {
    const uint64_t all = UINT64_MAX >> (64 - format->bits), magnitude = all >> 1;
    switch (format->kind) {
    case ZL_MINIFLOAT_IEEE: return magnitude - (UINT64_C(1) << format->mantissa_bits);
    case ZL_MINIFLOAT_FN: return magnitude - 1;
    case ZL_MINIFLOAT_FNU: return all - 1;
    case ZL_MINIFLOAT_FINITE:
    case ZL_MINIFLOAT_FNUZ: break;
    }
    return magnitude;
}

bool zl_number_of(const zl_dtype *dtype, zl_number *out) {
    zl_scalar scalar;
    if (!zl_scalar_of(dtype, &scalar) || scalar.kind == ZL_SCALAR_BOOL || scalar.count != 1) return false;
    *out = (zl_number){.bits = scalar.bits, .width = scalar.width, .is_time = scalar.is_time};
    out->kind = scalar.kind == ZL_SCALAR_SIGNED ? ZL_NUMBER_SIGNED : ZL_NUMBER_UNSIGNED;
    const zl_minifloat *format = scalar.format;
    if (!format) return true;
    const bool has_sign = format->kind != ZL_MINIFLOAT_FNU;
    out->kind = ZL_NUMBER_FLOAT;
    out->mantissa_bits = format->mantissa_bits;
    out->bias = format->bias;
    out->has_sign = out->has_zero = has_sign;
    out->has_negative_zero = has_sign && format->kind != ZL_MINIFLOAT_FNUZ;
    out->has_infinity = zl_minifloat_has_infinity(format);
    out->has_nan = zl_minifloat_has_nan(format);
    out->largest = largest_code(format);
    out->nan = format->nan;
    return true;
}

/* ---- elements */

static void float_text(const zl_minifloat *format, uint64_t code, char text[ZL_NUMBER_TEXT]) {
    if (zl_minifloat_is_nan(format, code) || zl_minifloat_is_infinite(format, code))
        zl_format_double(zl_minifloat_to_double(format, code), text);
    else
        text[zl_float_to_text(format, code, text)] = '\0';
}

const char *zl_number_text(const zl_dtype *dtype, const void *element, char text[ZL_NUMBER_TEXT]) {
    zl_number number;
    snprintf(text, ZL_NUMBER_TEXT, "?");
    if (!zl_number_of(dtype, &number)) return text;
    const uint64_t code = zl_number_load(&number, element), bits = zl_number_element(&number, code);
    if (number.kind == ZL_NUMBER_FLOAT)
        float_text(dtype->params, code, text);
    else if (number.is_time && (int64_t)bits == INT64_MIN)
        snprintf(text, ZL_NUMBER_TEXT, "NaT");
    else if (number.kind == ZL_NUMBER_SIGNED)
        snprintf(text, ZL_NUMBER_TEXT, "%lld", (long long)bits);
    else
        snprintf(text, ZL_NUMBER_TEXT, "%llu", (unsigned long long)bits);
    return text;
}
