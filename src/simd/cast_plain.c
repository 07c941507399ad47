/* SPDX-License-Identifier: MIT */
/* The loops of casts for what every machine of the architecture has. */
#include "simd/levels.h"

#ifdef ZL_SIMD_CAST

#define NAME(x) ZL_JOIN(x, _plain)
#define TARGET

#if defined(__SSE4_1__) || defined(__aarch64__)
#include "simd/cast_integers.h"
#else
/* Calls of the C library would keep the loops from becoming vectors. Adding 2^23 (2^52) and taking it away rounds a smaller
 * number to the nearest integer; one step at most makes another rounding of it. */
#define DEFINE_INTEGERS(type, fabs_fn, copysign_fn, digits_end)                   \
    static ZL_ALWAYS_INLINE type RINT_##type(type x) {                            \
        const type size = fabs_fn(x), rounded = (size + digits_end) - digits_end; \
        return copysign_fn(size < digits_end ? rounded : size, x);                \
    }                                                                             \
    static ZL_ALWAYS_INLINE type FLOOR_##type(type x) {                           \
        const type rounded = RINT_##type(x);                                      \
        return rounded > x ? rounded - 1 : rounded;                               \
    }                                                                             \
    static ZL_ALWAYS_INLINE type CEIL_##type(type x) {                            \
        const type rounded = RINT_##type(x);                                      \
        return rounded < x ? rounded + 1 : rounded;                               \
    }                                                                             \
    static ZL_ALWAYS_INLINE type TRUNC_##type(type x) {                           \
        return copysign_fn(FLOOR_##type(fabs_fn(x)), x);                          \
    }
DEFINE_INTEGERS(float, __builtin_fabsf, __builtin_copysignf, 0x1p23f)
DEFINE_INTEGERS(double, __builtin_fabs, __builtin_copysign, 0x1p52)
#undef DEFINE_INTEGERS
#endif

#define SOFT_FLOAT16(X) ALL_ROUNDINGS(X)
#define SOFT_LOOKUP(to, member) LOOKUP(to, member)
#define SOFT_LOOKUP_32(...) __VA_ARGS__

#define SOFT_NARROW(...) __VA_ARGS__
#define SOFT_WIDE(...) __VA_ARGS__
#define SOFT_ROUNDINGS(X) ALL_ROUNDINGS(X)
#define SOFT_SHORT(...) __VA_ARGS__
#define LONG(name) name
#define LONG_WRAP(name) name
#define WIDE_BITS(integer) NAME(wide_bits)(integer)
#define FUSIONS .fusions = NULL

#include "simd/cast_tmpl.h"

/* Bits of the exponent and mantissa in the places of float32: a number 2^112 times too small, the subnormal ones too. */
HELPER float from_float16(uint16_t x) {
    const uint32_t size = x & 0x7fffu, sign = (x & 0x8000u) << 16;
    const uint32_t finite = BITS32(FLOAT(size << 13) * 0x1p112f);
    const uint32_t magnitude = size == 0x7c00 ? INFINITY32 : finite;
    return FLOAT(size > 0x7c00 ? NAN32 : magnitude | sign);
}
LOOP(float32_float16_exact, uint16_t, float, int, from_float16(x[i]))

static bool refused_plain(const zl_cast_table *table, const void *src, size_t n) {
    const uint8_t *x = src;
    unsigned any = 0;
    for (size_t i = 0; i < n; i++) {
        any |= (unsigned)table->refused[(x[i] & 15) | (x[i] >> 7 << 4)] >> (x[i] >> 4 & 7);
    }
    return (any & 1) != 0;
}

#include "simd/cast_set_tmpl.h"

#endif
