/* SPDX-License-Identifier: MIT */
/*
 * Binary floating-point formats of up to 64 bits, described by one table, and exact conversion from and to double.
 *
 * A code is the bit pattern of a value in the low `bits` of an integer: sign, exponent, mantissa.
 */
#ifndef ZL_DTYPE_MINIFLOAT_H
#define ZL_DTYPE_MINIFLOAT_H

#include "base/base.h"

/* What the codes at the end of the range stand for. The suffixes are those of LLVM's and the registry's names. */
typedef enum zl_minifloat_kind {
    ZL_MINIFLOAT_IEEE,   /* highest exponent: infinity (mantissa 0) and NaN */
    ZL_MINIFLOAT_FINITE, /* every code is a number */
    ZL_MINIFLOAT_FN,     /* all bits below the sign set: NaN; no infinity */
    ZL_MINIFLOAT_FNUZ,   /* the code of -0 is NaN; no infinity, no -0 */
    ZL_MINIFLOAT_FNU     /* no sign, zero, infinity or subnormal numbers; all bits set: NaN */
} zl_minifloat_kind;

/* X(symbol, name, complex symbol, complex name, bits, mantissa bits, bias, kind, canonical NaN). The symbols are those of
 * zl_dtype_id. */
#define ZL_MINIFLOAT_MAP(X)                                                                               \
    X(FLOAT4_E2M1FN, "float4_e2m1fn", NONE, "complex_float4_e2m1fn", 4, 1, 1, FINITE, 0)                  \
    X(FLOAT6_E2M3FN, "float6_e2m3fn", NONE, "complex_float6_e2m3fn", 6, 3, 1, FINITE, 0)                  \
    X(FLOAT6_E3M2FN, "float6_e3m2fn", NONE, "complex_float6_e3m2fn", 6, 2, 3, FINITE, 0)                  \
    X(FLOAT8_E3M4, "float8_e3m4", NONE, "complex_float8_e3m4", 8, 4, 3, IEEE, 0x78)                       \
    X(FLOAT8_E4M3, "float8_e4m3", NONE, "complex_float8_e4m3", 8, 3, 7, IEEE, 0x7c)                       \
    X(FLOAT8_E4M3FN, "float8_e4m3fn", NONE, NULL, 8, 3, 7, FN, 0x7f)                                      \
    X(FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", NONE, "complex_float8_e4m3b11fnuz", 8, 3, 11, FNUZ, 0x80) \
    X(FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", NONE, "complex_float8_e4m3fnuz", 8, 3, 8, FNUZ, 0x80)           \
    X(FLOAT8_E5M2, "float8_e5m2", NONE, "complex_float8_e5m2", 8, 2, 15, IEEE, 0x7e)                      \
    X(FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", NONE, "complex_float8_e5m2fnuz", 8, 2, 16, FNUZ, 0x80)          \
    X(FLOAT8_E8M0FNU, "float8_e8m0fnu", NONE, "complex_float8_e8m0fnu", 8, 0, 127, FNU, 0xff)             \
    X(BFLOAT16, "bfloat16", NONE, "complex_bfloat16", 16, 7, 127, IEEE, 0x7fc0)                           \
    X(FLOAT16, "float16", NONE, "complex_float16", 16, 10, 15, IEEE, 0x7e00)                              \
    X(FLOAT32, "float32", COMPLEX64, "complex64", 32, 23, 127, IEEE, 0x7fc00000)                          \
    X(FLOAT64, "float64", COMPLEX128, "complex128", 64, 52, 1023, IEEE, 0x7ff8000000000000)

/* Index of a format in zl_minifloats. */
typedef enum zl_minifloat_index {
#define ZL_MINIFLOAT_INDEX(symbol, ...) ZL_MINIFLOAT_##symbol,
    ZL_MINIFLOAT_MAP(ZL_MINIFLOAT_INDEX)
#undef ZL_MINIFLOAT_INDEX
        ZL_MINIFLOAT_COUNT
} zl_minifloat_index;

typedef struct zl_minifloat {
    const char *name;
    uint8_t bits;
    uint8_t mantissa_bits; /* the exponent has the rest, but for the sign */
    int16_t bias;
    zl_minifloat_kind kind;
    uint64_t nan; /* the code of the canonical NaN, where there is one */
} zl_minifloat;
extern const zl_minifloat zl_minifloats[ZL_MINIFLOAT_COUNT];

bool zl_minifloat_has_nan(const zl_minifloat *format);
bool zl_minifloat_has_infinity(const zl_minifloat *format);
bool zl_minifloat_is_nan(const zl_minifloat *format, uint64_t code);
bool zl_minifloat_is_infinite(const zl_minifloat *format, uint64_t code);

/* Bytes of an element that holds a code, and the unit of `parts` such elements side by side; constants for tables. */
#define ZL_MINIFLOAT_SIZE(bits) ((bits) < 8 ? 1 : (bits) / 8)
#define ZL_MINIFLOAT_UNIT(parts, code_bits)                                                \
    {                                                                                      \
        .count = (parts), .width = ZL_MINIFLOAT_SIZE(code_bits),                           \
        .rule = (code_bits) < 8 ? ZL_UNIT_ZERO_EXTEND : ZL_UNIT_PLAIN, .bits = (code_bits) \
    }

/* The value of a code: exact. All NaN codes give one quiet NaN. */
double zl_minifloat_to_double(const zl_minifloat *format, uint64_t code);

/* The code of the nearest value, ties to even (float8_e8m0fnu: to the larger one). Too large values become infinity. NaN
 * becomes the canonical NaN. False, with *code unset, when the format has no counterpart: no NaN, no infinity, and for
 * float8_e8m0fnu zero, negative numbers and what rounds below its smallest value. -0 is 0 where there is no -0. */
bool zl_minifloat_from_double(const zl_minifloat *format, double value, uint64_t *code);

#endif
