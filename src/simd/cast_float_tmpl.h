/* SPDX-License-Identifier: MIT */
/*
 * The floating-point half of cast_tmpl.h, which includes it. Functions of one element get the rounding as a constant: 0..4
 * are those of zl_rounding, ZL_ROUND_ODD is to odd; and count elements that they cannot do in `*bad`. NaN becomes the
 * canonical one everywhere.
 */
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
#define NAN32 UINT32_C(0x7fc00000)
#define NAN64 UINT64_C(0x7ff8000000000000)
#define INFINITY32 UINT32_C(0x7f800000)

/* To an integer, as a floating-point number. Away from zero: what is added is the number before 1/2, since a sum with 1/2
 * itself may be rounded up to an integer; at ties the sum is rounded up to one. Clamping makes `low` of NaN. */
#define DEFINE_ROUND(type, copysign_fn, before_half)                   \
    HELPER type NAME(round_##type)(type x, int rounding) {             \
        switch (rounding) {                                            \
        case ZL_ROUND_NEAREST_EVEN: return RINT_##type(x);             \
        case ZL_ROUND_TOWARDS_ZERO: return TRUNC_##type(x);            \
        case ZL_ROUND_TOWARDS_POSITIVE: return CEIL_##type(x);         \
        case ZL_ROUND_TOWARDS_NEGATIVE: return FLOOR_##type(x);        \
        default: return TRUNC_##type(x + copysign_fn(before_half, x)); \
        }                                                              \
    }                                                                  \
    HELPER type NAME(clamp_##type)(type x, type low, type high) {      \
        const type above = x > low ? x : low;                          \
        return above < high ? above : high;                            \
    }
DEFINE_ROUND(float, __builtin_copysignf, 0x0.ffffffp-1f)
DEFINE_ROUND(double, __builtin_copysign, 0x0.fffffffffffff8p-1)

/* ---- integer -> float32, float64 */

#define INT_FLOAT(from)                                 \
    LOOP(float32_##from, from, float, int, (float)x[i]) \
    LOOP(float64_##from, from, double, int, (double)x[i])
ALL_SHORT_INTS(INT_FLOAT)

/* The upper and the lower 32 bits of a 64-bit integer are exact as float64: they are put into the mantissas of numbers
 * whose last digit is worth 2^32 and 1. The sign bit is taken off by adding 2^63 first. */
#define TWO_84 UINT64_C(0x4530000000000000)
#define TWO_52 UINT64_C(0x4330000000000000)
HELPER double NAME(upper_half)(uint64_t x, bool is_signed) {
    const uint64_t upper = is_signed ? x >> 32 ^ UINT64_C(0x80000000) : x >> 32;
    return DOUBLE(upper | TWO_84) - (is_signed ? 0x1.000008p84 : 0x1p84);
}
HELPER double NAME(lower_half)(uint64_t x) {
    return DOUBLE((x & UINT32_MAX) | TWO_52) - 0x1p52;
}

/* Their `sum` rounds once, to nearest even; `error` = a + b - sum is exact, since |a| >= |b| or a = 0. A step to the
 * neighbour makes every other rounding of it. */
HELPER double NAME(wide_double)(uint64_t x, bool is_signed, int rounding) {
    const double a = NAME(upper_half)(x, is_signed), b = NAME(lower_half)(x), sum = a + b;
    if (rounding == ZL_ROUND_NEAREST_EVEN) return sum;
    const double error = b - (sum - a);
    const uint64_t bits = BITS64(sum);
    /* The exact value lies nearer to zero than the sum, or farther from it. */
    const uint64_t nearer = ((error < 0) & (sum > 0)) | ((error > 0) & (sum < 0));
    const uint64_t farther = ((error > 0) & (sum > 0)) | ((error < 0) & (sum < 0));
    switch (rounding) {
    case ZL_ROUND_TOWARDS_ZERO: return DOUBLE(bits - nearer);
    case ZL_ROUND_TOWARDS_POSITIVE: return DOUBLE(sum > 0 ? bits + farther : bits - nearer);
    case ZL_ROUND_TOWARDS_NEGATIVE: return DOUBLE(sum < 0 ? bits + farther : bits - nearer);
    default: break;
    }
    const double next = DOUBLE(bits + farther); /* nearest away: where it is a tie, as far away as the sum */
    return next - sum == error + error ? next : sum;
}

#define INT64_DOUBLE(rounding)                                                                           \
    LOOP(LONG(float64_int64_##rounding), uint64_t, double, int, NAME(wide_double)(x[i], true, rounding)) \
    LOOP(LONG(float64_uint64_##rounding), uint64_t, double, int, NAME(wide_double)(x[i], false, rounding))
SOFT_ROUNDINGS(INT64_DOUBLE)

/* ---- to float32 and float64, exactly */

HELPER float NAME(from_bfloat16)(uint16_t x) {
    const uint32_t bits = (uint32_t)x << 16;
    return FLOAT((bits & 0x7fffffff) > INFINITY32 ? NAN32 : bits);
}

LOOP(float64_float32_exact, float, double, int, x[i] != x[i] ? DOUBLE(NAN64) : (double)x[i])
LOOP(float32_bfloat16_exact, uint16_t, float, int, NAME(from_bfloat16)(x[i]))

/* ---- float64 -> float32 and bfloat16, its upper half */

/* The `drop` last bits are rounded away by integer arithmetic: what is left converts exactly, unless it is smaller than the
 * normal float32 numbers. */
#define FLOAT32_DROP 29
#define BFLOAT16_DROP 45
HELPER double NAME(round_bits)(double x, int drop, int rounding) {
    const uint64_t half = UINT64_C(1) << (drop - 1), mask = 2 * half - 1;
    const uint64_t bits = BITS64(x);
    const uint64_t negative = x < 0 ? mask : 0;
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return DOUBLE((bits + (half - 1) + (bits >> drop & 1)) & ~mask);
    case ZL_ROUND_TOWARDS_POSITIVE: return DOUBLE((bits + (mask - negative)) & ~mask);
    case ZL_ROUND_TOWARDS_NEGATIVE: return DOUBLE((bits + negative) & ~mask);
    case ZL_ROUND_NEAREST_AWAY: return DOUBLE((bits + half) & ~mask);
    case ZL_ROUND_ODD: return DOUBLE((bits | ((bits & mask) + mask)) & ~mask);
    default: return DOUBLE(bits & ~mask);
    }
}

/* To nearest even, the conversion to float32 rounds by itself, and all numbers. */
HELPER float NAME(to_float32)(const zl_cast_params *params, double x, int drop, int rounding, uint64_t *bad) {
    const bool by_itself = rounding == ZL_ROUND_NEAREST_EVEN && drop == FLOAT32_DROP;
    const double rounded = by_itself ? x : NAME(round_bits)(x, drop, rounding);
    const double size = __builtin_fabs(x), end = by_itself ? 0x1.ffffffp127 : 0x1p128;
    *bad += (__builtin_fabs(rounded) >= end) & (size <= params->finite_end);
    if (!by_itself) *bad += (size < 0x1p-126) & (size > 0);
    return x != x ? FLOAT(NAN32) : (float)rounded;
}

/* 64-bit integers through float64: rounding the sum of two halves once more goes wrong only if it seems to be exact, or a
 * tie, and is not. */
HELPER float NAME(wide_float)(uint64_t x, bool is_signed, int drop, int rounding, uint64_t *bad) {
    const double a = NAME(upper_half)(x, is_signed), b = NAME(lower_half)(x), sum = a + b;
    const double error = b - (sum - a);
    const uint64_t lost = (UINT64_C(1) << (drop - 1)) - 1;
    *bad += ((BITS64(sum) & lost) == 0) & ((error < 0) | (error > 0));
    const bool by_itself = rounding == ZL_ROUND_NEAREST_EVEN && drop == FLOAT32_DROP;
    return by_itself ? (float)sum : (float)NAME(round_bits)(sum, drop, rounding);
}

#define UPPER_HALF(value) (uint16_t)(BITS32(value) >> 16)
#define WIDE_FLOAT(rounding)                                            \
    LOOP(LONG(float32_float64_##rounding), double, float, uint64_t,     \
         NAME(to_float32)(&params, x[i], FLOAT32_DROP, rounding, &bad)) \
    LOOP(LONG(float32_int64_##rounding), uint64_t, float, uint64_t,     \
         NAME(wide_float)(x[i], true, FLOAT32_DROP, rounding, &bad))    \
    LOOP(LONG(float32_uint64_##rounding), uint64_t, float, uint64_t,    \
         NAME(wide_float)(x[i], false, FLOAT32_DROP, rounding, &bad))
#define INT32_FLOAT(rounding)                                                                                          \
    LOOP(float32_int32_##rounding, int32_t, float, int, (float)NAME(round_bits)((double)x[i], FLOAT32_DROP, rounding)) \
    LOOP(float32_uint32_##rounding, uint32_t, float, int, (float)NAME(round_bits)((double)x[i], FLOAT32_DROP, rounding))
#define DOUBLE_BFLOAT16(rounding)                                 \
    LOOP(bfloat16_float64_##rounding, double, uint16_t, uint64_t, \
         UPPER_HALF(NAME(to_float32)(&params, x[i], BFLOAT16_DROP, rounding, &bad)))
#define INT32_BFLOAT16(rounding)                                                     \
    LOOP(bfloat16_int32_##rounding, int32_t, uint16_t, int,                          \
         UPPER_HALF((float)NAME(round_bits)((double)x[i], BFLOAT16_DROP, rounding))) \
    LOOP(bfloat16_uint32_##rounding, uint32_t, uint16_t, int,                        \
         UPPER_HALF((float)NAME(round_bits)((double)x[i], BFLOAT16_DROP, rounding)))
#define INT64_BFLOAT16(rounding)                                                  \
    LOOP(bfloat16_int64_##rounding, uint64_t, uint16_t, uint64_t,                 \
         UPPER_HALF(NAME(wide_float)(x[i], true, BFLOAT16_DROP, rounding, &bad))) \
    LOOP(bfloat16_uint64_##rounding, uint64_t, uint16_t, uint64_t,                \
         UPPER_HALF(NAME(wide_float)(x[i], false, BFLOAT16_DROP, rounding, &bad)))
SOFT_ROUNDINGS(WIDE_FLOAT)
SOFT_WIDE(WIDE_FLOAT(5))
SOFT_ROUNDINGS(INT32_FLOAT)
SOFT_NARROW(INT32_FLOAT(5))
SOFT_NARROW(ALL_ROUNDINGS(DOUBLE_BFLOAT16))
SOFT_NARROW(ALL_ROUNDINGS(INT32_BFLOAT16))
SOFT_NARROW(ALL_ROUNDINGS(INT64_BFLOAT16))

/* ---- float32 -> formats of up to 16 bits, as integer arithmetic on the bits */

/* What to add before the lower bits are cut off. A carry goes on into the exponent by itself. */
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

HELPER uint16_t NAME(to_bfloat16)(const zl_cast_params *params, uint32_t x, int rounding, uint32_t *bad) {
    const uint32_t size = x & 0x7fffffff, rounded = size + NAME(increment)(x, 16, rounding);
    *bad += (rounded >= INFINITY32) & (size < params->small.over_below);
    return (uint16_t)((size > INFINITY32 ? NAN32 : rounded | (x & 0x80000000)) >> 16);
}

#define FLOAT32_BFLOAT16(rounding) \
    LOOP(bfloat16_float32_##rounding, uint32_t, uint16_t, uint32_t, NAME(to_bfloat16)(&params, x[i], rounding, &bad))
SOFT_SHORT(ALL_ROUNDINGS(FLOAT32_BFLOAT16))
LOOP(bfloat16_exact, uint32_t, uint16_t, int, (uint16_t)(x[i] >> 16))

/* Numbers below the normal ones are multiples of the smallest, which is the last digit of the number `grid`: a sum with it
 * is rounded to them, and counts them in its low bits. `back - size`, exact, says what the rounding did. */
HELPER uint32_t NAME(subnormal)(float size, bool negative, const zl_small_float *small, int rounding) {
    const float sum = size + small->grid, back = sum - small->grid;
    const uint32_t digits = BITS32(sum) - BITS32(small->grid);
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return digits;
    case ZL_ROUND_TOWARDS_POSITIVE: return digits + ((back < size) & !negative) - ((back > size) & negative);
    case ZL_ROUND_TOWARDS_NEGATIVE: return digits + ((back < size) & negative) - ((back > size) & !negative);
    case ZL_ROUND_NEAREST_AWAY: return digits + (size - back >= small->half);
    default: return digits - (back > size);
    }
}

HELPER uint32_t NAME(to_small)(const zl_cast_params *params, uint32_t x, int rounding, uint32_t *bad) {
    const zl_small_float *small = &params->small;
    const uint32_t size = x & 0x7fffffff;
    const bool negative = (int32_t)x < 0;
    const uint32_t rounded = (size + NAME(increment)(x, small->shift, rounding)) >> small->shift;
    const uint32_t subnormal = NAME(subnormal)(FLOAT(size), negative, small, rounding);
    const uint32_t magnitude = size < small->min_normal ? subnormal : rounded - small->rebias;
    const bool over = (int32_t)magnitude > (int32_t)small->largest;
    *bad += (over & (size < small->over_below)) | (size - small->stop_first <= small->stop_span) |
            (x - small->accept_first > small->accept_span);
    const uint32_t ended = over ? small->overflow : magnitude;
    const uint32_t sign = (negative & (ended >= small->sign_from)) ? small->sign : 0;
    return size > INFINITY32 ? small->nan : ended | sign;
}

#define FLOAT32_SMALL(rounding) \
    LOOP(small_##rounding, uint32_t, uint8_t, uint32_t, (uint8_t)NAME(to_small)(&params, x[i], rounding, &bad))
#define FLOAT32_FLOAT16(rounding) \
    LOOP(float16_##rounding, uint32_t, uint16_t, uint32_t, (uint16_t)NAME(to_small)(&params, x[i], rounding, &bad))
SOFT_NARROW(ALL_ROUNDINGS(FLOAT32_SMALL))
SOFT_FLOAT16(FLOAT32_FLOAT16)

/* ---- floating point -> integer, clamped; `high` may be less than the largest integer, which is no float then */

HELPER int32_t NAME(float_int)(const zl_cast_params *params, float x, int rounding, bool full, uint32_t *bad) {
    const float low = (float)params->low, high = (float)params->high, rounded = NAME(round_float)(x, rounding);
    *bad += !(rounded >= (float)params->pass_low) | !(rounded <= (float)params->pass_high);
    const int32_t value = (int32_t)NAME(clamp_float)(rounded, low, high);
    return (full & (rounded > high)) ? (int32_t)params->top : value;
}

/* uint32: numbers from 2^31 on are converted without their highest bit. */
HELPER uint32_t NAME(float_uint32)(const zl_cast_params *params, float x, int rounding, uint32_t *bad) {
    const float low = (float)params->low, high = (float)params->high, rounded = NAME(round_float)(x, rounding);
    *bad += !(rounded >= (float)params->pass_low) | !(rounded <= (float)params->pass_high);
    const float clamped = NAME(clamp_float)(rounded, low, high);
    const bool upper = clamped >= 0x1p31f;
    const uint32_t value = (uint32_t)(int32_t)(upper ? clamped - 0x1p31f : clamped) ^ (upper ? UINT32_C(1) << 31 : 0);
    return rounded > high ? (uint32_t)params->top : value;
}

/* Adding 1.5 * 2^52 leaves an integer of up to 51 bits in the low bits, negative ones as two's complement. */
#define INTEGER_BITS(value) BITS64((value) + 0x1.8p52)

HELPER uint64_t NAME(double_int)(const zl_cast_params *params, double x, int rounding, uint64_t *bad) {
    const double rounded = NAME(round_double)(x, rounding);
    *bad += !(rounded >= params->pass_low) | !(rounded <= params->pass_high);
    return INTEGER_BITS(NAME(clamp_double)(rounded, params->low, params->high));
}

/* An integer of at most 64 bits and a sign, modulo 2^64: its multiples of 2^32 and the rest, which is not negative. */
HELPER uint64_t NAME(wide_bits)(double integer) {
    const double upper = FLOOR_double(integer * 0x1p-32);
    const double lower = integer - upper * 0x1p32;
    return INTEGER_BITS(upper) << 32 | (BITS64(lower + 0x1p52) & UINT32_MAX);
}

HELPER uint64_t NAME(double_int64)(const zl_cast_params *params, double x, int rounding, uint64_t *bad) {
    const double rounded = NAME(round_double)(x, rounding);
    *bad += !(rounded >= params->pass_low) | !(rounded <= params->pass_high);
    const uint64_t value = WIDE_BITS(NAME(clamp_double)(rounded, params->low, params->high));
    return rounded > params->high ? params->top : value;
}

/* Modulo 2^16, 2^32 or 2^64. Infinities and NaN cannot be done; subtracting the multiple is exact for every other
 * magnitude, as in a remainder. 2^31 is left where that makes an even multiple nearest, and is -2^31 just as well. */
HELPER uint32_t NAME(float_wrap)(float x, int rounding, bool narrow, uint32_t *bad) {
    const float rounded = NAME(round_float)(x, rounding);
    *bad += !(__builtin_fabsf(rounded) <= 0x1.fffffep127f);
    const float multiple = narrow ? TRUNC_float(rounded * 0x1p-16f) * 0x1p16f : RINT_float(rounded * 0x1p-32f) * 0x1p32f;
    const float rest = NAME(clamp_float)(rounded - multiple, -0x1p31f, 0x1p31f); /* of NaN, too */
    return (uint32_t)(int32_t)(rest < 0x1p31f ? rest : -0x1p31f);
}

HELPER uint64_t NAME(double_wrap)(double x, int rounding, bool wide, uint64_t *bad) {
    const double rounded = NAME(round_double)(x, rounding);
    *bad += !(__builtin_fabs(rounded) <= 0x1.fffffffffffffp1023);
    return wide ? WIDE_BITS(rounded - TRUNC_double(rounded * 0x1p-64) * 0x1p64)
                : INTEGER_BITS(rounded - TRUNC_double(rounded * 0x1p-32) * 0x1p32);
}

#define FLOAT_INT(name, rounding, to, full) \
    LOOP(name, float, to, uint32_t, (to)NAME(float_int)(&params, x[i], rounding, full, &bad))
#define DOUBLE_INT(rounding, to) \
    LOOP(int_double_##rounding##_##to, double, to, uint64_t, (to)NAME(double_int)(&params, x[i], rounding, &bad))
#define FLOAT_WRAP(name, rounding, to, narrow) \
    LOOP(name, float, to, uint32_t, (to)NAME(float_wrap)(x[i], rounding, narrow, &bad))
#define DOUBLE_WRAP(name, rounding, to, wide) \
    LOOP(name, double, to, uint64_t, (to)NAME(double_wrap)(x[i], rounding, wide, &bad))
#define FLOAT_TO_INTS(rounding)                                                                                            \
    SOFT_NARROW(FLOAT_INT(int_float_##rounding##_uint8_t, rounding, uint8_t, false))                                       \
    SOFT_NARROW(FLOAT_INT(int_float_##rounding##_uint16_t, rounding, uint16_t, false))                                     \
    SOFT_WIDE(FLOAT_INT(LONG(int_float_##rounding##_uint32_t), rounding, uint32_t, true))                                  \
    SOFT_WIDE(                                                                                                             \
        LOOP(LONG(uint32_float_##rounding), float, uint32_t, uint32_t, NAME(float_uint32)(&params, x[i], rounding, &bad))) \
    SOFT_SHORT(DOUBLE_INT(rounding, uint8_t))                                                                              \
    SOFT_SHORT(DOUBLE_INT(rounding, uint16_t))                                                                             \
    DOUBLE_INT(rounding, uint32_t)                                                                                         \
    LOOP(LONG(int64_double_##rounding), double, uint64_t, uint64_t, NAME(double_int64)(&params, x[i], rounding, &bad))     \
    SOFT_NARROW(FLOAT_WRAP(wrap_float_##rounding##_uint8_t, rounding, uint8_t, true))                                      \
    SOFT_SHORT(FLOAT_WRAP(LONG_WRAP(wrap_float_##rounding##_uint16_t), rounding, uint16_t, true))                          \
    FLOAT_WRAP(LONG_WRAP(wrap_float_##rounding##_uint32_t), rounding, uint32_t, false)                                     \
    SOFT_SHORT(DOUBLE_WRAP(wrap_double_##rounding##_uint8_t, rounding, uint8_t, false))                                    \
    SOFT_SHORT(DOUBLE_WRAP(wrap_double_##rounding##_uint16_t, rounding, uint16_t, false))                                  \
    DOUBLE_WRAP(wrap_double_##rounding##_uint32_t, rounding, uint32_t, false)                                              \
    DOUBLE_WRAP(LONG(wrap_double_##rounding##_uint64_t), rounding, uint64_t, true)
ALL_ROUNDINGS(FLOAT_TO_INTS)
