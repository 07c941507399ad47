/* SPDX-License-Identifier: MIT */
/*
 * The loops of cast_loops.h in plain C, written so that compilers make vectors of them: each is an inner loop of constant
 * length around a function without branches, whose arithmetic is defined for every element, also for those that cannot be
 * done. Included once per CPU level, which defines NAME(x), TARGET and, with the suffix _float or _double, RINT, FLOOR,
 * CEIL and TRUNC; and what is done otherwise there: SOFT_FLOAT16(X) and SOFT_ROUNDINGS(X) list the roundings to
 * float16, and to float32 and float64, that have no instruction; SOFT_LOOKUP, SOFT_LOOKUP_32, SOFT_NARROW, SOFT_WIDE and
 * SOFT_SHORT are empty where there are better ones; LONG(name) names loops that the level has others in front of, for
 * numbers that 32 bits hold; WIDE_BITS makes 64-bit integers of float64, and FUSIONS names the loops that do two steps at
 * once.
 *
 * Integers, tables and maps are here, floating point is in cast_float_tmpl.h. Conversions to integers are named by the
 * width of the result, since the bits are the same for both kinds.
 */
#define UNIT ZL_CAST_UNIT
#define HELPER TARGET static ZL_ALWAYS_INLINE

/* y[i] = result, from x[i], for all i; `result` may count elements that cannot be done in `bad`. The parameters are copied
 * first: compilers then know that the loop does not change them. */
#define LOOP(name, from, to, count_type, result)                                                                          \
    TARGET static bool NAME(name)(const zl_cast_params *shared, void *restrict dst, const void *restrict src, size_t n) { \
        const zl_cast_params params = *shared;                                                                            \
        const from *restrict x = src;                                                                                     \
        to *restrict y = dst;                                                                                             \
        count_type bad = 0;                                                                                               \
        (void)params;                                                                                                     \
        for (; n > 0; n -= UNIT, x += UNIT, y += UNIT) {                                                                  \
            for (size_t i = 0; i < UNIT; i++) {                                                                           \
                y[i] = result;                                                                                            \
            }                                                                                                             \
        }                                                                                                                 \
        return bad != 0;                                                                                                  \
    }

/* X(rounding), X(type): once for each. */
#define ALL_ROUNDINGS(X) X(0) X(1) X(2) X(3) X(4)
#define ALL_WIDTHS(X) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)
#define ALL_INTS(X) X(int8_t) X(int16_t) X(int32_t) X(int64_t) ALL_WIDTHS(X)
#define ALL_SHORT_INTS(X) X(int8_t) X(int16_t) X(int32_t) X(uint8_t) X(uint16_t) X(uint32_t)

/* ---- integer -> integer */

/* `bad` collects the bits in which elements differ from what they are clamped to. */
#define DEFINE_CLAMP(type)                                                            \
    HELPER type NAME(clamp_##type)(const zl_cast_params *params, type x, type *bad) { \
        const type low = (type)params->int_low, high = (type)params->int_high;        \
        const type above = x < low ? low : x;                                         \
        const type clamped = above > high ? high : above;                             \
        *bad = (type)(*bad | (clamped ^ x));                                          \
        return clamped;                                                               \
    }
ALL_INTS(DEFINE_CLAMP)

#define INT_LOOPS(from, to, clamp)                       \
    LOOP(convert_##from##_##to, from, to, int, (to)x[i]) \
    LOOP(clamp, from, to, from, (to)NAME(clamp_##from)(&params, x[i], &bad))
#define INT_LOOPS_FROM(from, name)                           \
    INT_LOOPS(from, uint8_t, name(clamp_##from##_uint8_t))   \
    INT_LOOPS(from, uint16_t, name(clamp_##from##_uint16_t)) \
    INT_LOOPS(from, uint32_t, clamp_##from##_uint32_t)       \
    INT_LOOPS(from, uint64_t, clamp_##from##_uint64_t)
#define SHORT(name) name
#define SHORT_INT_LOOPS_FROM(from) INT_LOOPS_FROM(from, SHORT)
ALL_SHORT_INTS(SHORT_INT_LOOPS_FROM)
INT_LOOPS_FROM(int64_t, LONG)
INT_LOOPS_FROM(uint64_t, LONG)

LOOP(keep, uint8_t, uint8_t, int, (uint8_t)(((x[i] & params.keep_mask) ^ params.keep_sign) - params.keep_sign))

/* ---- tables of 8-bit elements */

/* What such a short loop takes depends on where it lies, so it is unrolled; vectors, which would be put together from
 * single elements, are kept away by pointers that are not restricted. */
#define LOOKUP(to, member)                                                                                     \
    TARGET static bool NAME(lookup_##to)(const zl_cast_params *params, void *dst, const void *src, size_t n) { \
        const to *const value = params->table->value.member;                                                   \
        const uint8_t *x = src;                                                                                \
        to *y = dst;                                                                                           \
        _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) {                                               \
            y[i] = value[x[i]];                                                                                \
        }                                                                                                      \
        return false;                                                                                          \
    }
SOFT_LOOKUP(uint8_t, u8)
SOFT_LOOKUP(uint16_t, u16)
SOFT_LOOKUP_32(LOOKUP(uint32_t, u32))
LOOKUP(uint64_t, u64)

/* ---- the map */

#define MATCHES(type, element) ((type)(((element) & (type)match->mask) - (type)match->first) <= (type)match->span)

#define HIDE(type)                                                                                       \
    TARGET static void NAME(hide_##type)(const zl_cast_match *match, uint64_t value, void *restrict dst, \
                                         const void *restrict src, size_t n) {                           \
        const type *restrict x = src;                                                                    \
        type *restrict y = dst;                                                                          \
        for (; n > 0; n -= UNIT, x += UNIT, y += UNIT) {                                                 \
            for (size_t i = 0; i < UNIT; i++) {                                                          \
                y[i] = MATCHES(type, x[i]) ? (type)value : x[i];                                         \
            }                                                                                            \
        }                                                                                                \
    }
#define ANY(type)                                                                                \
    TARGET static bool NAME(any_##type)(const zl_cast_match *match, const void *src, size_t n) { \
        const type *x = src;                                                                     \
        type any = 0;                                                                            \
        for (; n > 0; n -= UNIT, x += UNIT) {                                                    \
            for (size_t i = 0; i < UNIT; i++) {                                                  \
                any = (type)(any | MATCHES(type, x[i]));                                         \
            }                                                                                    \
        }                                                                                        \
        return any != 0;                                                                         \
    }
#define SHOW(type, to)                                                                                                    \
    TARGET static void NAME(show_##type##_##to)(const zl_cast_match *match, void *restrict dst, const void *restrict src, \
                                                size_t n) {                                                               \
        const type *restrict x = src;                                                                                     \
        to *restrict y = dst;                                                                                             \
        for (; n > 0; n -= UNIT, x += UNIT, y += UNIT) {                                                                  \
            for (size_t i = 0; i < UNIT; i++) {                                                                           \
                const to mask = (to) - (to)MATCHES(type, x[i]);                                                           \
                y[i] = (to)((y[i] & (to)~mask) | ((to)match->value & mask));                                              \
            }                                                                                                             \
        }                                                                                                                 \
    }
#define MAP(type)        \
    HIDE(type)           \
    ANY(type)            \
    SHOW(type, uint8_t)  \
    SHOW(type, uint16_t) \
    SHOW(type, uint32_t) \
    SHOW(type, uint64_t)
ALL_WIDTHS(MAP)

#include "simd/cast_float_tmpl.h"
