/* SPDX-License-Identifier: MIT */
/*
 * The loops of cast_loops.h in plain C, written so that compilers make vectors of them: the inner loops have a constant
 * length, no branches, and arithmetic that is defined for every element, also for those that cannot be done. Included once
 * per CPU level, which defines NAME(x), TARGET and, for float and double, RINT, FLOOR, CEIL and TRUNC with the suffix
 * _float or _double.
 *
 * Roundings are compile-time constants: 0..4 are those of zl_rounding, 5 is to odd.
 */
#define UNIT ZL_CAST_UNIT
#define HELPER TARGET static ZL_ALWAYS_INLINE

/* A loop named `name` from elements x[] to y[]; `body` handles element i and may set bits of `bad`. */
#define LOOP(name, from, to, flags, body)                                                                                 \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n) { \
        const from *restrict x = src;                                                                                     \
        to *restrict y = dst;                                                                                             \
        flags bad = 0;                                                                                                    \
        (void)params;                                                                                                     \
        for (; n > 0; n -= UNIT, x += UNIT, y += UNIT) {                                                                  \
            for (size_t i = 0; i < UNIT; i++) {                                                                           \
                body                                                                                                      \
            }                                                                                                             \
        }                                                                                                                 \
        return bad != 0;                                                                                                  \
    }

HELPER uint32_t NAME(bits_float)(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
HELPER float NAME(make_float)(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
HELPER uint64_t NAME(bits_double)(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
HELPER double NAME(make_double)(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
#define BITS32(value) NAME(bits_float)(value)
#define FLOAT(bits) NAME(make_float)(bits)
#define BITS64(value) NAME(bits_double)(value)
#define DOUBLE(bits) NAME(make_double)(bits)

/* To an integer, as a floating-point number. Away from zero: |x| - trunc|x| is exact, and so is adding 1 where that is not
 * 0. */
#define DEFINE_ROUND(type, fabs_fn, copysign_fn)                              \
    HELPER type NAME(round_##type)(type x, int rounding) {                    \
        switch (rounding) {                                                   \
        case ZL_ROUND_NEAREST_EVEN: return RINT_##type(x);                    \
        case ZL_ROUND_TOWARDS_ZERO: return TRUNC_##type(x);                   \
        case ZL_ROUND_TOWARDS_POSITIVE: return CEIL_##type(x);                \
        case ZL_ROUND_TOWARDS_NEGATIVE: return FLOOR_##type(x);               \
        default: break;                                                       \
        }                                                                     \
        const type size = fabs_fn(x), whole = TRUNC_##type(size);             \
        return copysign_fn(size - whole >= (type)0.5 ? whole + 1 : whole, x); \
    }
DEFINE_ROUND(float, __builtin_fabsf, __builtin_copysignf)
DEFINE_ROUND(double, __builtin_fabs, __builtin_copysign)
#undef DEFINE_ROUND

/* NaN becomes `low`. */
#define CLAMP(value, low, high) ((value) > (low) ? ((value) < (high) ? (value) : (high)) : (low))

/* X(rounding): once for each. */
#define ALL_ROUNDINGS(X) X(0) X(1) X(2) X(3) X(4)
#define ALL_INTS(X) X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)

/* ---- integer -> integer: by width of the result, since the low bits are the same */

#define INT_CONVERT(from, to) LOOP(convert_##from##_##to, from, to, int, y[i] = (to)x[i];)
#define INT_CLAMP(from, to)                                                                \
    LOOP(clamp_##from##_##to, from, to, from, const from low = (from)params->int_low;      \
         const from high = (from)params->int_high; const from v = x[i] < low ? low : x[i]; \
         const from clamped = v > high ? high : v; bad |= (from)(clamped ^ x[i]); y[i] = (to)clamped;)
#define INT_LOOPS(from)                                                                                          \
    INT_CONVERT(from, uint8_t)                                                                                   \
    INT_CONVERT(from, uint16_t) INT_CONVERT(from, uint32_t) INT_CONVERT(from, uint64_t) INT_CLAMP(from, uint8_t) \
        INT_CLAMP(from, uint16_t) INT_CLAMP(from, uint32_t) INT_CLAMP(from, uint64_t)
ALL_INTS(INT_LOOPS)
#undef INT_LOOPS
#undef INT_CONVERT
#undef INT_CLAMP

LOOP(keep, uint8_t, uint8_t, int, y[i] = (uint8_t)(((x[i] & params->keep_mask) ^ params->keep_sign) - params->keep_sign);)

/* ---- integer -> float32, float64 */

#define INT_FLOAT(from) LOOP(float32_##from, from, float, int, y[i] = (float)x[i];)
#define INT_DOUBLE(from) LOOP(float64_##from, from, double, int, y[i] = (double)x[i];)
INT_FLOAT(int8_t)
INT_FLOAT(int16_t) INT_FLOAT(int32_t) INT_FLOAT(uint8_t) INT_FLOAT(uint16_t) INT_FLOAT(uint32_t) INT_DOUBLE(int8_t)
    INT_DOUBLE(int16_t) INT_DOUBLE(int32_t) INT_DOUBLE(uint8_t) INT_DOUBLE(uint16_t) INT_DOUBLE(uint32_t)
#undef INT_FLOAT
#undef INT_DOUBLE

    /* The upper and the lower 32 bits are exact as float64: they are put into the mantissas of numbers whose last digit is
     * worth 2^32 and 1. Their sum rounds once, to nearest even, and `error` = exact value - sum is exact, since |a| >= |b|
     * or a = 0. A step to the neighbour makes every other rounding of it. */
    HELPER double NAME(sum_double)(double a, double b, int rounding) {
    const double sum = a + b;
    if (rounding == ZL_ROUND_NEAREST_EVEN) return sum;
    const double error = b - (sum - a);
    const uint64_t bits = BITS64(sum);
    /* The sum was rounded away from zero; not where it is exact. */
    const uint64_t inward = (error < 0 && sum > 0) || (error > 0 && sum < 0);
    const uint64_t outward = (error > 0 && sum > 0) || (error < 0 && sum < 0);
    switch (rounding) {
    case ZL_ROUND_TOWARDS_ZERO: return DOUBLE(bits - inward);
    case ZL_ROUND_TOWARDS_POSITIVE: return DOUBLE(sum > 0 ? bits + outward : bits - inward);
    case ZL_ROUND_TOWARDS_NEGATIVE: return DOUBLE(sum < 0 ? bits + outward : bits - inward);
    case ZL_ROUND_ODD: return DOUBLE((bits - inward) | inward | outward);
    default: break;
    }
    const double next = DOUBLE(bits + 1); /* nearest away: it lies as far away as the sum */
    return outward && next - sum == error + error ? next : sum;
}

#define UPPER_SIGNED UINT64_C(0x4530000080000000)   /* 2^84 + 2^63, whose last digit is worth 2^32 */
#define UPPER_UNSIGNED UINT64_C(0x4530000000000000) /* 2^84 */
#define LOWER UINT64_C(0x4330000000000000)          /* 2^52 */
#define INT64_DOUBLE(rounding)                                                                                            \
    LOOP(float64_int64_##rounding, uint64_t, double, int,                                                                 \
         const double a = DOUBLE(x[i] >> 32 ^ UPPER_SIGNED) - 0x1.000008p84;                                              \
         const double b = DOUBLE((x[i] & UINT32_MAX) | LOWER) - 0x1p52; y[i] = NAME(sum_double)(a, b, rounding);)         \
    LOOP(float64_uint64_##rounding, uint64_t, double, int, const double a = DOUBLE(x[i] >> 32 | UPPER_UNSIGNED) - 0x1p84; \
         const double b = DOUBLE((x[i] & UINT32_MAX) | LOWER) - 0x1p52; y[i] = NAME(sum_double)(a, b, rounding);)
ALL_ROUNDINGS(INT64_DOUBLE)
INT64_DOUBLE(5)
#undef INT64_DOUBLE

    /* ---- between floating-point types; NaN becomes the canonical one */

    LOOP(float64_float32_exact, float, double, int,
         y[i] = x[i] != x[i] ? DOUBLE(UINT64_C(0x7ff8000000000000)) : (double)x[i];)
        LOOP(float32_bfloat16_exact, uint16_t, float, int, const uint32_t bits = (uint32_t)x[i] << 16;
             y[i] = FLOAT((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits);)

    /* The bits that float32 has no room for are rounded away by integer arithmetic: what is left converts exactly, unless
     * it is smaller than the normal float32 numbers. To nearest even, the conversion itself rounds, all numbers. */
    HELPER double NAME(round_bits)(double value, int rounding) {
    const uint64_t mask = (UINT64_C(1) << 29) - 1, half = UINT64_C(1) << 28;
    const uint64_t bits = BITS64(value);
    const uint64_t negative = value < 0 ? mask : 0, positive = mask - negative;
    switch (rounding) {
    case ZL_ROUND_TOWARDS_ZERO: return DOUBLE(bits & ~mask);
    case ZL_ROUND_TOWARDS_POSITIVE: return DOUBLE((bits + positive) & ~mask);
    case ZL_ROUND_TOWARDS_NEGATIVE: return DOUBLE((bits + negative) & ~mask);
    case ZL_ROUND_NEAREST_AWAY: return DOUBLE((bits + half) & ~mask);
    case ZL_ROUND_ODD: return DOUBLE((bits | ((bits & mask) + mask)) & ~mask);
    default: return value;
    }
}

#define FLOAT64_FLOAT32(rounding)                                                                      \
    LOOP(float32_float64_##rounding, double, float, int64_t, const double size = __builtin_fabs(x[i]); \
         const double rounded = NAME(round_bits)(x[i], rounding);                                      \
         const double end = (rounding) == ZL_ROUND_NEAREST_EVEN ? 0x1.ffffffp127 : 0x1p128;            \
         bad |= -(int64_t)((__builtin_fabs(rounded) >= end) & (size <= params->finite_end));           \
         if ((rounding) != ZL_ROUND_NEAREST_EVEN) bad |= -(int64_t)((size < 0x1p-126) & (size > 0));   \
         y[i] = x[i] != x[i] ? FLOAT(0x7fc00000) : (float)rounded;)
ALL_ROUNDINGS(FLOAT64_FLOAT32)
FLOAT64_FLOAT32(5)
#undef FLOAT64_FLOAT32

    /* bfloat16 is the upper half of float32. A carry goes on into the exponent; infinity comes out of it by itself. */
    HELPER uint32_t NAME(increment)(uint32_t bits, uint32_t shift, int rounding) {
    const uint32_t mask = (1u << shift) - 1, half = 1u << (shift - 1);
    const uint32_t negative = (int32_t)bits < 0 ? mask : 0;
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return half - 1 + (bits >> shift & 1);
    case ZL_ROUND_TOWARDS_POSITIVE: return mask - negative;
    case ZL_ROUND_TOWARDS_NEGATIVE: return negative;
    case ZL_ROUND_NEAREST_AWAY: return half;
    default: return 0;
    }
}

#define FLOAT32_BFLOAT16(rounding)                                                                  \
    LOOP(bfloat16_##rounding, uint32_t, uint16_t, int32_t, const uint32_t size = x[i] & 0x7fffffff; \
         const uint32_t rounded = size + NAME(increment)(x[i], 16, rounding);                       \
         bad |= -(int32_t)((rounded >= 0x7f800000) & (size < params->small.over_below));            \
         y[i] = (uint16_t)(size > 0x7f800000 ? 0x7fc0 : rounded >> 16 | (x[i] >> 16 & 0x8000));)
ALL_ROUNDINGS(FLOAT32_BFLOAT16)
#undef FLOAT32_BFLOAT16

/* ---- float32 -> formats with a smaller range of exponents */

/* Numbers below the normal ones are multiples of the smallest: its reciprocal, a power of two, makes integers of them.
 * Adding 2^23 to those leaves them in the low bits. */
HELPER uint32_t NAME(small_magnitude)(uint32_t bits, const zl_small_float *small, int rounding) {
    const uint32_t size = bits & 0x7fffffff, negative = (int32_t)bits < 0;
    const uint32_t normal = ((size + NAME(increment)(bits, small->shift, rounding)) >> small->shift) - small->rebias;
    const float scaled = FLOAT(size) * small->scale;
    const float number = scaled < small->scale_end ? scaled : small->scale_end;
    float rounded;
    switch (rounding) {
    case ZL_ROUND_TOWARDS_POSITIVE: rounded = negative ? TRUNC_float(number) : CEIL_float(number); break;
    case ZL_ROUND_TOWARDS_NEGATIVE: rounded = negative ? CEIL_float(number) : TRUNC_float(number); break;
    default: rounded = NAME(round_float)(number, rounding); break;
    }
    const uint32_t subnormal = BITS32(rounded + 0x1p23f) & 0x7fffff;
    return size < small->min_normal ? subnormal : normal;
}

#define SMALL_BODY(to, rounding)                                                                             \
    const zl_small_float *small = &params->small;                                                            \
    const uint32_t size = x[i] & 0x7fffffff;                                                                 \
    const uint32_t magnitude = NAME(small_magnitude)(x[i], small, rounding);                                 \
    const bool over = (int32_t)magnitude > (int32_t)small->largest;                                          \
    bad |= -(int32_t)((over & (size < small->over_below)) | (size - small->stop_first <= small->stop_span) | \
                      (x[i] - small->accept_first > small->accept_span));                                    \
    const uint32_t ended = over ? small->overflow : magnitude;                                               \
    const uint32_t sign = (int32_t)x[i] < 0 && ended >= small->sign_from ? small->sign : 0;                  \
    y[i] = (to)(size > 0x7f800000 ? small->nan : ended | sign);
#define FLOAT32_SMALL(rounding) LOOP(small_##rounding, uint32_t, uint8_t, int32_t, SMALL_BODY(uint8_t, rounding))
ALL_ROUNDINGS(FLOAT32_SMALL)
#undef FLOAT32_SMALL

/* Where the level has no instructions for it. */
#define FLOAT32_FLOAT16(rounding) LOOP(float16_##rounding, uint32_t, uint16_t, int32_t, SMALL_BODY(uint16_t, rounding))
SOFT_FLOAT16(FLOAT32_FLOAT16)
#undef FLOAT32_FLOAT16
#undef SMALL_BODY

/* ---- floating point -> integer, clamped; `high` may be less than the largest integer, which is no float then */

#define FLOAT_INT(rounding, to)                                                                             \
    LOOP(int_float_##rounding##_##to, float, to, int32_t, const float low = (float)params->low;             \
         const float high = (float)params->high; const float rounded = NAME(round_float)(x[i], rounding);   \
         bad |= -(int32_t)(!(rounded >= (float)params->pass_low) | !(rounded <= (float)params->pass_high)); \
         const int32_t value = (int32_t)CLAMP(rounded, low, high);                                          \
         y[i] = (to)(sizeof(to) == 4 && rounded > high ? (int32_t)params->top : value);)
#define FLOAT_INTS(rounding) FLOAT_INT(rounding, uint8_t) FLOAT_INT(rounding, uint16_t) FLOAT_INT(rounding, uint32_t)
ALL_ROUNDINGS(FLOAT_INTS)
#undef FLOAT_INT
#undef FLOAT_INTS

/* Adding 1.5 * 2^52 leaves an integer of up to 51 bits in the low bits, negative ones as two's complement. */
#define INTEGER_BITS(value) BITS64((value) + 0x1.8p52)
#define DOUBLE_INT(rounding, to)                                                                                       \
    LOOP(int_double_##rounding##_##to, double, to, int64_t, const double rounded = NAME(round_double)(x[i], rounding); \
         bad |= -(int64_t)(!(rounded >= params->pass_low) | !(rounded <= params->pass_high));                          \
         y[i] = (to)INTEGER_BITS(CLAMP(rounded, params->low, params->high));)
#define DOUBLE_INTS(rounding) DOUBLE_INT(rounding, uint8_t) DOUBLE_INT(rounding, uint16_t) DOUBLE_INT(rounding, uint32_t)
ALL_ROUNDINGS(DOUBLE_INTS)
#undef DOUBLE_INT
#undef DOUBLE_INTS

/* An integer of at most 64 bits and a sign, modulo 2^64: its multiples of 2^32 and the rest, which is not negative. */
HELPER uint64_t NAME(wide_bits)(double integer) {
    const double upper = FLOOR_double(integer * 0x1p-32);
    const double lower = integer - upper * 0x1p32;
    return INTEGER_BITS(upper) << 32 | (BITS64(lower + 0x1p52) & UINT32_MAX);
}

#define DOUBLE_INT64(rounding)                                                                                          \
    LOOP(int64_double_##rounding, double, uint64_t, int64_t, const double rounded = NAME(round_double)(x[i], rounding); \
         bad |= -(int64_t)(!(rounded >= params->pass_low) | !(rounded <= params->pass_high));                           \
         const uint64_t value = NAME(wide_bits)(CLAMP(rounded, params->low, params->high));                             \
         y[i] = rounded > params->high ? params->top : value;)
ALL_ROUNDINGS(DOUBLE_INT64)
#undef DOUBLE_INT64

/* ---- floating point -> integer modulo its range: infinities and NaN cannot be done. Subtracting the multiple of 2^32
 * (2^64) is exact for every magnitude: it is a remainder. */

#define DOUBLE_WRAP(rounding, to)                                                                                \
    LOOP(wrap_##rounding##_##to, double, to, int64_t, const double rounded = NAME(round_double)(x[i], rounding); \
         bad |= -(int64_t) !(__builtin_fabs(rounded) <= 0x1.fffffffffffffp1023);                                 \
         y[i] = (to)INTEGER_BITS(rounded - TRUNC_double(rounded * 0x1p-32) * 0x1p32);)
#define DOUBLE_WRAPS(rounding)                                                                                            \
    DOUBLE_WRAP(rounding, uint8_t)                                                                                        \
    DOUBLE_WRAP(rounding, uint16_t) DOUBLE_WRAP(rounding, uint32_t) LOOP(                                                 \
        wrap_##rounding##_uint64_t, double, uint64_t, int64_t, const double rounded = NAME(round_double)(x[i], rounding); \
        bad |= -(int64_t) !(__builtin_fabs(rounded) <= 0x1.fffffffffffffp1023);                                           \
        y[i] = NAME(wide_bits)(rounded - TRUNC_double(rounded * 0x1p-64) * 0x1p64);)
ALL_ROUNDINGS(DOUBLE_WRAPS)
#undef DOUBLE_WRAP
#undef DOUBLE_WRAPS

/* ---- tables */

#define LOOKUP(to, member) LOOP(lookup_##to, uint8_t, to, int, y[i] = params->table->value.member[x[i]];)
SOFT_LOOKUP(uint8_t, u8)
LOOKUP(uint16_t, u16)
LOOKUP(uint32_t, u32) LOOKUP(uint64_t, u64)
#undef LOOKUP

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
    }                                                                                                    \
    TARGET static bool NAME(any_##type)(const zl_cast_match *match, const void *src, size_t n) {         \
        const type *x = src;                                                                             \
        type any = 0;                                                                                    \
        for (; n > 0; n -= UNIT, x += UNIT) {                                                            \
            for (size_t i = 0; i < UNIT; i++) {                                                          \
                any |= MATCHES(type, x[i]) ? 1 : 0;                                                      \
            }                                                                                            \
        }                                                                                                \
        return any != 0;                                                                                 \
    }
#define SHOW(type, to)                                                                                                    \
    TARGET static void NAME(show_##type##_##to)(const zl_cast_match *match, void *restrict dst, const void *restrict src, \
                                                size_t n) {                                                               \
        const type *restrict x = src;                                                                                     \
        to *restrict y = dst;                                                                                             \
        for (; n > 0; n -= UNIT, x += UNIT, y += UNIT) {                                                                  \
            for (size_t i = 0; i < UNIT; i++) {                                                                           \
                y[i] = MATCHES(type, x[i]) ? (to)match->value : y[i];                                                     \
            }                                                                                                             \
        }                                                                                                                 \
    }
#define MAP(type) HIDE(type) SHOW(type, uint8_t) SHOW(type, uint16_t) SHOW(type, uint32_t) SHOW(type, uint64_t)
    MAP(uint8_t) MAP(uint16_t) MAP(uint32_t) MAP(uint64_t)
#undef MAP
#undef HIDE
#undef SHOW
#undef MATCHES
