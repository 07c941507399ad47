/* SPDX-License-Identifier: MIT */
/*
 * Part of cast_avx2.c: casts to narrower floating point, by intrinsics; cast_avx2_integers.h has those to integers.
 * Compilers widen, compute and narrow with a shuffle at each step; here vectors of 32-bit lanes are packed early, and what
 * is left is done in lanes of the result. Sources of 16 bits are too fast to copy for two loops, so that what widens them
 * is a part of the loop here; cast_fusions.h tells the plan of such loops.
 *
 * A loop is put together from a source, which gives vectors of float32, a function of them, and a way to store. Why
 * something is exact is said at the loops in plain C that these take the place of.
 */
#define LOAD_128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD_256(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE_256(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define EVERY(x) _mm256_set1_epi32((int)(x))
#define AS_INTS(v) _mm256_castps_si256(v)
#define AS_FLOATS(v) _mm256_castsi256_ps(v)
#define SIGN_BIT UINT32_C(0x80000000)
#define QUIET _MM_FROUND_NO_EXC
/* Before a loop over a few vectors, which are no array then: at -O2 gcc does not do so by itself. */
#define UNROLLED _Pragma("GCC unroll 4")

/* ---- sources */

typedef enum source {
    FROM_FLOAT32,
    FROM_FLOAT16,
    FROM_BFLOAT16, /* up to here with NaN */
    FROM_INT8,
    FROM_UINT8,
    FROM_INT16,
    FROM_UINT16,
    FROM_INT32, /* to odd */
    FROM_UINT32,
    FROM_FLOAT64 /* to integers only */
} source;

/* Of constants. */
#define IS_FLOAT(from) ((from) <= FROM_BFLOAT16)
#define SOURCE_WIDTH(from)                                \
    ((from) == FROM_FLOAT64                           ? 8 \
     : (from) == FROM_FLOAT32 || (from) >= FROM_INT32 ? 4 \
     : (from) == FROM_INT8 || (from) == FROM_UINT8    ? 1 \
                                                      : 2)

TARGET static ZL_ALWAYS_INLINE bool is_any(__m256i v) {
    return !_mm256_testz_si256(v, v);
}

/* Integers of 24 bits are exact, and larger ones without their last eight digits, if these leave a sign in the next one. */
TARGET static ZL_ALWAYS_INLINE __m256 odd_of(__m256i x, bool is_signed) {
    const __m256i size = is_signed ? _mm256_abs_epi32(x) : x, above = _mm256_srli_epi32(size, 24);
    if (!is_any(above)) return _mm256_cvtepi32_ps(x);
    const __m256i rest = _mm256_and_si256(x, EVERY(0xff)),
                  upper = is_signed ? _mm256_srai_epi32(x, 8) : _mm256_srli_epi32(x, 8);
    const __m256i odd = _mm256_or_si256(upper, _mm256_min_epu32(rest, EVERY(1)));
    const __m256i small = _mm256_cmpeq_epi32(above, _mm256_setzero_si256());
    const __m256i value = AS_INTS(_mm256_cvtepi32_ps(_mm256_blendv_epi8(odd, x, small)));
    return AS_FLOATS(_mm256_add_epi32(value, _mm256_andnot_si256(small, EVERY(8 << 23))));
}

/* Elements i to i + 7. */
TARGET static ZL_ALWAYS_INLINE __m256 load_from(source from, const void *src, size_t i) {
    const char *const one = (const char *)src + i, *const two = one + i, *const four = two + 2 * i;
    switch (from) {
    case FROM_FLOAT16: return _mm256_cvtph_ps(LOAD_128(two));
    case FROM_BFLOAT16: return AS_FLOATS(_mm256_slli_epi32(_mm256_cvtepu16_epi32(LOAD_128(two)), 16));
    case FROM_INT8: return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)one)));
    case FROM_UINT8: return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)one)));
    case FROM_INT16: return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(LOAD_128(two)));
    case FROM_UINT16: return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(LOAD_128(two)));
    case FROM_INT32: return odd_of(LOAD_256(four), true);
    case FROM_UINT32: return odd_of(LOAD_256(four), false);
    default: return _mm256_loadu_ps((const float *)four);
    }
}

/* ---- pieces */

TARGET static ZL_ALWAYS_INLINE __m256i magnitude_of(__m256i v) {
    return _mm256_and_si256(v, EVERY(~SIGN_BIT));
}

TARGET static ZL_ALWAYS_INLINE __m256i sign_of(__m256 v) {
    return _mm256_and_si256(AS_INTS(v), EVERY(SIGN_BIT));
}

TARGET static ZL_ALWAYS_INLINE __m256i choose(__m256i mask, __m256i then, __m256i otherwise) {
    return _mm256_blendv_epi8(otherwise, then, mask);
}

/* `positive`, or the number before it, is added to the magnitude. */
TARGET static ZL_ALWAYS_INLINE __m256 away_from_zero(__m256 v, float positive) {
    return _mm256_add_ps(v, AS_FLOATS(_mm256_or_si256(sign_of(v), AS_INTS(_mm256_set1_ps(positive)))));
}

/* NaN becomes the canonical one. */
TARGET static ZL_ALWAYS_INLINE __m256i with_nan(__m256i result, __m256 v) {
    return choose(AS_INTS(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)), EVERY(NAN32), result);
}

/* 16 results from the low bits of lanes, 0 to 65535. */
TARGET static ZL_ALWAYS_INLINE void store_halves(char *dst, __m256i a, __m256i b) {
    STORE_256(dst, _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8));
}

/* 32 bytes that were packed twice, in their order. */
TARGET static ZL_ALWAYS_INLINE void store_bytes(char *dst, __m256i packed) {
    STORE_256(dst, _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/* Before a loop of constant length, which is unrolled otherwise. */
#define ONCE _Pragma("GCC unroll 1")
#define UNIT_LOOP(name) \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n)

/* 64 elements by one or two loops, for what the loop at hand cannot do; nor can it be done where there is none. */
TARGET static __attribute__((noinline)) bool convert_unit(const zl_cast_params *params, void *dst, const void *src,
                                                          zl_cast_loop first, zl_cast_loop second) {
    double between[UNIT];
    if (!second) return true;
    const bool bad = first && first(params, between, src, UNIT);
    return second(params, dst, first ? between : src, UNIT) || bad;
}

/* ---- to float32 and float64 */

#define EXACT_LOOP(name, from, result)                             \
    UNIT_LOOP(name) {                                              \
        (void)params;                                              \
        for (size_t i = 0; i < n; i += 8) {                        \
            const __m256 v = load_from(from, src, i);              \
            _mm256_storeu_ps((float *)dst + i, AS_FLOATS(result)); \
        }                                                          \
        return false;                                              \
    }
EXACT_LOOP(float32_float16_exact, FROM_FLOAT16, with_nan(AS_INTS(v), v))
EXACT_LOOP(float32_int32_5, FROM_INT32, AS_INTS(v))
EXACT_LOOP(float32_uint32_5, FROM_UINT32, AS_INTS(v))

LOOP(float64_bfloat16_exact, uint16_t, double, int, (double)NAME(from_bfloat16)(x[i]))

/* ---- float64 to float32 */

TARGET static ZL_ALWAYS_INLINE __m256i choose_by_sign(__m256i negative, __m256i positive, __m256d x) {
    const __m256d chosen = _mm256_blendv_pd(_mm256_castsi256_pd(positive), _mm256_castsi256_pd(negative), x);
    return _mm256_castpd_si256(chosen);
}

/* NaN must not be rounded: it may carry all bits, or none of those that are left. */
TARGET static ZL_ALWAYS_INLINE __m128 to_single(__m256d x, int rounding) {
    const __m256i bits = _mm256_castpd_si256(x), mask = _mm256_set1_epi64x((INT64_C(1) << FLOAT32_DROP) - 1);
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi64x(INT64_C(1) << (FLOAT32_DROP - 1));
    const __m256d nan = _mm256_castsi256_pd(_mm256_set1_epi64x(NAN64)), is_nan = _mm256_cmp_pd(x, x, _CMP_UNORD_Q);
    __m256i sum = bits;
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return _mm256_cvtpd_ps(_mm256_blendv_pd(x, nan, is_nan));
    case ZL_ROUND_TOWARDS_POSITIVE: sum = _mm256_add_epi64(bits, choose_by_sign(zero, mask, x)); break;
    case ZL_ROUND_TOWARDS_NEGATIVE: sum = _mm256_add_epi64(bits, choose_by_sign(mask, zero, x)); break;
    case ZL_ROUND_NEAREST_AWAY: sum = _mm256_add_epi64(bits, half); break;
    case ZL_ROUND_ODD: sum = _mm256_or_si256(bits, _mm256_add_epi64(_mm256_and_si256(bits, mask), mask)); break;
    default: break;
    }
    const __m256d rounded = _mm256_castsi256_pd(_mm256_andnot_si256(mask, sum));
    return _mm256_cvtpd_ps(_mm256_blendv_pd(rounded, nan, is_nan));
}

/* Sets bits where numbers are too small to be normal ones, or so large that they might end beyond, by the upper halves of
 * their magnitudes. */
TARGET static ZL_ALWAYS_INLINE __m256i is_extreme(__m256d a, __m256d b) {
    const __m256 x = _mm256_castpd_ps(a), y = _mm256_castpd_ps(b);
    const __m256i low = AS_INTS(_mm256_shuffle_ps(x, y, 0x88)), high = magnitude_of(AS_INTS(_mm256_shuffle_ps(x, y, 0xdd)));
    const __m256i small = _mm256_and_si256(_mm256_cmpgt_epi32(EVERY(0x38100000), high), _mm256_or_si256(low, high));
    const __m256i large = _mm256_cmpgt_epi32(high, EVERY(0x47effffe));
    return _mm256_or_si256(small, _mm256_and_si256(large, _mm256_cmpgt_epi32(EVERY(0x7ff00000), high)));
}

TARGET static ZL_ALWAYS_INLINE bool to_singles(const zl_cast_params *params, float *dst, const double *src, size_t n,
                                               int rounding, zl_cast_loop otherwise) {
    bool bad = false;
    for (; n > 0; n -= UNIT, dst += UNIT, src += UNIT) {
        __m256i extreme = _mm256_setzero_si256();
        ONCE for (size_t i = 0; i < UNIT; i += 8) {
            const __m256d a = _mm256_loadu_pd(src + i), b = _mm256_loadu_pd(src + i + 4);
            const __m256 v = _mm256_set_m128(to_single(b, rounding), to_single(a, rounding));
            extreme = _mm256_or_si256(extreme, is_extreme(a, b));
            _mm256_storeu_ps(dst + i, v);
        }
        if (is_any(extreme)) bad |= otherwise(params, dst, src, UNIT);
    }
    return bad;
}

#define SINGLE_LOOP(rounding)                                                                    \
    UNIT_LOOP(float32_float64_##rounding) {                                                      \
        return to_singles(params, dst, src, n, rounding, NAME(long_float32_float64_##rounding)); \
    }
ALL_ROUNDINGS(SINGLE_LOOP)
SINGLE_LOOP(5)

/* ---- to bfloat16, the upper half */

/* Where the magnitude carries into that of infinity, by sign: none where it is cut off. */
typedef struct upper_ends {
    __m256i first, span;
} upper_ends;

TARGET static ZL_ALWAYS_INLINE upper_ends find_upper_ends(int rounding) {
    const bool nearest = rounding == ZL_ROUND_NEAREST_EVEN || rounding == ZL_ROUND_NEAREST_AWAY;
    const uint32_t sign = rounding == ZL_ROUND_TOWARDS_NEGATIVE ? SIGN_BIT : 0;
    const uint32_t first = sign | (nearest ? UINT32_C(0x7f7f8000) : UINT32_C(0x7f7f0001));
    return (upper_ends){EVERY(first), EVERY((sign | (INFINITY32 - 1)) - first)};
}

TARGET static ZL_ALWAYS_INLINE __m256i carries(__m256i x, int rounding, const upper_ends *ends) {
    const bool nearest = rounding == ZL_ROUND_NEAREST_EVEN || rounding == ZL_ROUND_NEAREST_AWAY;
    const __m256i place = _mm256_sub_epi32(nearest ? magnitude_of(x) : x, ends->first);
    if (rounding == ZL_ROUND_TOWARDS_ZERO) return _mm256_setzero_si256();
    return _mm256_cmpeq_epi32(_mm256_min_epu32(place, ends->span), place);
}

TARGET static ZL_ALWAYS_INLINE __m256i rounded_upper(__m256i x, int rounding) {
    const __m256i negative = _mm256_srai_epi32(x, 31), rest = EVERY(0xffff);
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: {
        const __m256i last = _mm256_and_si256(_mm256_srli_epi32(x, 16), EVERY(1));
        return _mm256_add_epi32(_mm256_add_epi32(x, EVERY(0x7fff)), last);
    }
    case ZL_ROUND_TOWARDS_POSITIVE: return _mm256_add_epi32(x, _mm256_andnot_si256(negative, rest));
    case ZL_ROUND_TOWARDS_NEGATIVE: return _mm256_add_epi32(x, _mm256_and_si256(negative, rest));
    case ZL_ROUND_NEAREST_AWAY: return _mm256_add_epi32(x, EVERY(0x8000));
    default: return x;
    }
}

/* `from` and `rounding` are constants. Floating point may have NaN, and float32 numbers that end beyond. */
TARGET static ZL_ALWAYS_INLINE bool to_upper(const zl_cast_params *params, char *dst, const void *src, size_t n,
                                             source from, int rounding) {
    const upper_ends ends = find_upper_ends(rounding);
    __m256i bad = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 16) {
        __m256i part[2];
        UNROLLED for (size_t k = 0; k < 2; k++) {
            const __m256 v = load_from(from, src, i + 8 * k);
            const __m256i rounded = rounded_upper(AS_INTS(v), rounding);
            if (from == FROM_FLOAT32) bad = _mm256_or_si256(bad, carries(AS_INTS(v), rounding, &ends));
            part[k] = _mm256_srli_epi32(IS_FLOAT(from) ? with_nan(rounded, v) : rounded, 16);
        }
        store_halves(dst + 2 * i, part[0], part[1]);
    }
    return is_any(bad) && params->small.over_below > 0;
}

#define UPPER_LOOP(name, from, rounding)                      \
    UNIT_LOOP(name) {                                         \
        return to_upper(params, dst, src, n, from, rounding); \
    }
#define UPPER_LOOPS(rounding)                                       \
    UPPER_LOOP(bfloat16_float32_##rounding, FROM_FLOAT32, rounding) \
    UPPER_LOOP(bfloat16_int32_##rounding, FROM_INT32, rounding)     \
    UPPER_LOOP(bfloat16_uint32_##rounding, FROM_UINT32, rounding)   \
    UPPER_LOOP(bfloat16_int16_##rounding, FROM_INT16, rounding)     \
    UPPER_LOOP(bfloat16_uint16_##rounding, FROM_UINT16, rounding)   \
    UPPER_LOOP(bfloat16_float16_##rounding, FROM_FLOAT16, rounding)
ALL_ROUNDINGS(UPPER_LOOPS)
UPPER_LOOP(bfloat16_int8, FROM_INT8, ZL_ROUND_TOWARDS_ZERO)
UPPER_LOOP(bfloat16_uint8, FROM_UINT8, ZL_ROUND_TOWARDS_ZERO)

/* ---- to float16: numbers that are out of range become infinite, since instructions round some of them to the largest */

typedef struct half_ends {
    __m256i last[2]; /* magnitude bits in range, by sign */
} half_ends;

/* Half of the last digit is added to the magnitude, and the rest cut off: as an integer to normal numbers, and to smaller
 * ones, whose last digit is worth 2^-24, as a number. */
TARGET static ZL_ALWAYS_INLINE __m256i half_away(__m256 v, __m256i size) {
    const __m256i normal = _mm256_cmpgt_epi32(size, EVERY(0x387fffff));
    const __m256 below = away_from_zero(v, 0x0.ffffffp-25f);
    return choose(normal, _mm256_add_epi32(AS_INTS(v), EVERY(0x1000)), AS_INTS(below));
}

/* Integers have neither NaN nor subnormal results, and int16 ends far inside. */
TARGET static ZL_ALWAYS_INLINE __m256 end_half(__m256 v, source from, int rounding, const half_ends *ends, __m256i *bad) {
    const __m256i infinity = EVERY(INFINITY32), size = magnitude_of(AS_INTS(v));
    const bool away = rounding == ZL_ROUND_NEAREST_AWAY;
    if (!IS_FLOAT(from)) v = away ? AS_FLOATS(_mm256_add_epi32(AS_INTS(v), EVERY(0x1000))) : v;
    if (from == FROM_INT16) return v;
    const bool by_sign = rounding == ZL_ROUND_TOWARDS_POSITIVE || rounding == ZL_ROUND_TOWARDS_NEGATIVE;
    const __m256i last =
        by_sign ? AS_INTS(_mm256_blendv_ps(AS_FLOATS(ends->last[0]), AS_FLOATS(ends->last[1]), v)) : ends->last[0];
    const __m256i over = _mm256_cmpgt_epi32(size, last);
    const __m256i nearer = IS_FLOAT(from) && away ? half_away(v, size) : AS_INTS(v);
    const __m256i ended = choose(over, _mm256_or_si256(infinity, sign_of(v)), nearer);
    const __m256i finite = IS_FLOAT(from) ? _mm256_and_si256(over, _mm256_cmpgt_epi32(infinity, size)) : over;
    *bad = _mm256_or_si256(*bad, finite);
    return AS_FLOATS(IS_FLOAT(from) ? with_nan(ended, v) : ended);
}

TARGET static ZL_ALWAYS_INLINE __m128i to_half(__m256 v, int rounding) {
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
    case ZL_ROUND_TOWARDS_POSITIVE: return _mm256_cvtps_ph(v, _MM_FROUND_TO_POS_INF);
    case ZL_ROUND_TOWARDS_NEGATIVE: return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEG_INF);
    default: return _mm256_cvtps_ph(v, _MM_FROUND_TO_ZERO);
    }
}

#define HALF_LOOP(name, from, rounding)                                                                \
    UNIT_LOOP(name) {                                                                                  \
        const zl_small_float *small = &params->small;                                                  \
        const half_ends ends = {{EVERY(small->float16_end[0] - 1), EVERY(small->float16_end[1] - 1)}}; \
        __m256i bad = _mm256_setzero_si256();                                                          \
        for (size_t i = 0; i < n; i += 8) {                                                            \
            const __m256 v = end_half(load_from(from, src, i), from, rounding, &ends, &bad);           \
            _mm_storeu_si128((__m128i *)((char *)dst + 2 * i), to_half(v, rounding));                  \
        }                                                                                              \
        return is_any(bad) && small->over_below > 0;                                                   \
    }
#define HALF_LOOPS(rounding)                                        \
    HALF_LOOP(float16_##rounding, FROM_FLOAT32, rounding)           \
    HALF_LOOP(float16_bfloat16_##rounding, FROM_BFLOAT16, rounding) \
    HALF_LOOP(float16_int16_##rounding, FROM_INT16, rounding)       \
    HALF_LOOP(float16_uint16_##rounding, FROM_UINT16, rounding)     \
    HALF_LOOP(float16_int32_##rounding, FROM_INT32, rounding)       \
    HALF_LOOP(float16_uint32_##rounding, FROM_UINT32, rounding)
ALL_ROUNDINGS(HALF_LOOPS)

/* Nothing but what float16 has. */
#define HALF_LOOP_EXACT(name, from)                                                                                      \
    UNIT_LOOP(name) {                                                                                                    \
        (void)params;                                                                                                    \
        for (size_t i = 0; i < n; i += 8) {                                                                              \
            _mm_storeu_si128((__m128i *)((char *)dst + 2 * i), to_half(load_from(from, src, i), ZL_ROUND_TOWARDS_ZERO)); \
        }                                                                                                                \
        return false;                                                                                                    \
    }
HALF_LOOP_EXACT(float16_int8_1, FROM_INT8)
HALF_LOOP_EXACT(float16_uint8_1, FROM_UINT8)

/* ---- to small floats, but for float8_e8m0fnu, which has no subnormal numbers */

typedef struct byte_format {
    __m256i cap, min_normal;
    __m256i to_grid; /* from the power of two of a number to the one whose last digit is a result's */
    __m128i shift;
    /* In bytes: the last code that is not bad; all bits where 0 has no sign; the last class that is bad. */
    __m256i limit, overflow, nan, sign, positive_zero, stop_last;
} byte_format;

#define EVERY_BYTE(x) _mm256_set1_epi8((char)(x))
#define BEYOND 0x81 /* more than any of these codes */

TARGET static ZL_ALWAYS_INLINE byte_format byte_begin(const zl_cast_params *params) {
    const zl_small_float *p = &params->small;
    const uint32_t beyond = p->min_normal + ((BEYOND << p->shift) - (UINT32_C(1) << 23));
    const int stop_last = p->stop_first == UINT32_MAX ? 0 : p->stop_span > 0 ? INT8_MAX : 1;
    return (byte_format){.cap = EVERY(beyond),
                         .min_normal = EVERY(p->min_normal),
                         .to_grid = EVERY(p->shift << 23),
                         .shift = _mm_cvtsi32_si128((int)p->shift),
                         .limit = EVERY_BYTE(p->over_below ? p->largest : UINT8_MAX),
                         .overflow = EVERY_BYTE(p->overflow),
                         .nan = EVERY_BYTE(p->nan),
                         .sign = EVERY_BYTE(p->sign),
                         .positive_zero = EVERY_BYTE(p->sign_from ? UINT8_MAX : 0),
                         .stop_last = EVERY_BYTE(stop_last)};
}

/* Adds to the code of a number that was rounded to nearest even; its difference from `back`, as integers, tells which way.
 * In directed roundings it counts with the sign. */
TARGET static ZL_ALWAYS_INLINE __m256i other_rounding(__m256i code, __m256i back, __m256i size, __m256i x, int rounding) {
    const bool up = rounding == ZL_ROUND_TOWARDS_POSITIVE;
    if (rounding == ZL_ROUND_TOWARDS_ZERO) return _mm256_add_epi32(code, _mm256_cmpgt_epi32(back, size));
    const __m256i difference = up ? _mm256_sub_epi32(back, size) : _mm256_sub_epi32(size, back);
    const __m256i wrong = _mm256_srai_epi32(_mm256_sign_epi32(difference, x), 31), step = _mm256_sign_epi32(wrong, x);
    return up ? _mm256_sub_epi32(code, step) : _mm256_add_epi32(code, step);
}

/* A number whose last digit is worth that of the result is added to the magnitude: its digits are then those of the sum.
 * The exponent, where it is above that of subnormal numbers, adds the rest; the hidden digit makes it one more. A last bit
 * that is set makes more than a tie of a tie, and a tie of nothing. 16-bit integers end before the sum does. */
TARGET static ZL_ALWAYS_INLINE __m256i small_code(__m256 v, source from, int rounding, const byte_format *f) {
    const __m256i magnitude = magnitude_of(AS_INTS(v));
    const __m256i ended = IS_FLOAT(from) ? _mm256_min_epi32(magnitude, f->cap) : magnitude;
    const __m256i size = rounding == ZL_ROUND_NEAREST_AWAY ? _mm256_or_si256(ended, EVERY(1)) : ended;
    const __m256i power = _mm256_max_epi32(_mm256_and_si256(size, EVERY(INFINITY32)), f->min_normal);
    const __m256i grid = _mm256_add_epi32(power, f->to_grid);
    const __m256 sum = _mm256_add_ps(AS_FLOATS(size), AS_FLOATS(grid));
    const __m256i digits = _mm256_sub_epi32(AS_INTS(sum), grid);
    const __m256i code = _mm256_add_epi32(digits, _mm256_srl_epi32(_mm256_sub_epi32(power, f->min_normal), f->shift));
    if (rounding == ZL_ROUND_NEAREST_EVEN || rounding == ZL_ROUND_NEAREST_AWAY) return code;
    return other_rounding(code, AS_INTS(_mm256_sub_ps(sum, AS_FLOATS(grid))), size, AS_INTS(v), rounding);
}

#define PACK_4(pack_bytes, p) pack_bytes(_mm256_packs_epi32((p)[0], (p)[1]), _mm256_packs_epi32((p)[2], (p)[3]))

/* In bytes: negative where the element is. */
TARGET static ZL_ALWAYS_INLINE __m256i small_signed(__m256i ended, __m256i signs, const byte_format *f) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i no_sign = _mm256_and_si256(_mm256_cmpeq_epi8(ended, zero), f->positive_zero);
    return _mm256_or_si256(ended, _mm256_andnot_si256(no_sign, _mm256_and_si256(_mm256_cmpgt_epi8(zero, signs), f->sign)));
}

/* `from` and `rounding` are constants. In bytes, infinity is of class 1 and NaN of more. Bad are finite numbers over the
 * limit and classes without a counterpart. */
TARGET static ZL_ALWAYS_INLINE bool to_small(const zl_cast_params *params, char *dst, const void *src, size_t n,
                                             source from, int rounding) {
    const byte_format f = byte_begin(params);
    __m256i bad = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 32) {
        __m256i codes[4], bits[4], classes[4];
        UNROLLED for (size_t k = 0; k < 4; k++) {
            const __m256 v = load_from(from, src, i + 8 * k);
            bits[k] = AS_INTS(v);
            codes[k] = small_code(v, from, rounding, &f);
            classes[k] = _mm256_sub_epi32(magnitude_of(bits[k]), EVERY(INFINITY32 - 1));
        }
        const __m256i code = PACK_4(_mm256_packus_epi16, codes), ended = _mm256_min_epu8(code, f.overflow);
        const __m256i over = _mm256_subs_epu8(code, f.limit);
        const __m256i result = from == FROM_UINT16 ? ended : small_signed(ended, PACK_4(_mm256_packs_epi16, bits), &f);
        if (!IS_FLOAT(from)) {
            bad = _mm256_or_si256(bad, over);
            store_bytes(dst + i, result);
            continue;
        }
        const __m256i class = PACK_4(_mm256_packs_epi16, classes), is_fine = _mm256_cmpgt_epi8(class, f.stop_last);
        const __m256i questioned = _mm256_or_si256(over, _mm256_max_epi8(class, _mm256_setzero_si256()));
        bad = _mm256_or_si256(bad, _mm256_andnot_si256(is_fine, questioned));
        store_bytes(dst + i, choose(_mm256_cmpgt_epi8(class, EVERY_BYTE(1)), f.nan, result));
    }
    return is_any(bad);
}

/* To float8_e8m0fnu, the exponents of positive numbers. NaN, and what is subnormal as float32 or too large, cannot be done.
 */
TARGET static ZL_ALWAYS_INLINE bool to_power(char *dst, const char *src, size_t n, source from, int rounding) {
    const __m256i low = EVERY(0x00800000), high = EVERY(0x7f000000);
    const int rest = rounding == ZL_ROUND_NEAREST_AWAY ? 0x400000 : rounding == ZL_ROUND_TOWARDS_POSITIVE ? 0x7fffff : 0;
    __m256i least = low, most = low;
    for (size_t i = 0; i < n; i += 32) {
        __m256i code[4];
        UNROLLED for (size_t k = 0; k < 4; k++) {
            const __m256i x = AS_INTS(load_from(from, src, i + 8 * k));
            least = _mm256_min_epi32(least, x);
            most = _mm256_max_epi32(most, x);
            code[k] = _mm256_srli_epi32(_mm256_add_epi32(x, EVERY(rest)), 23);
        }
        store_bytes(dst + i, PACK_4(_mm256_packus_epi16, code));
    }
    return is_any(_mm256_or_si256(_mm256_cmpgt_epi32(low, least), _mm256_cmpgt_epi32(most, high)));
}

#define SMALL_LOOP(name, from, rounding)                                                    \
    UNIT_LOOP(name) {                                                                       \
        return params->small.min_normal > 0 ? to_small(params, dst, src, n, from, rounding) \
                                            : to_power(dst, src, n, from, rounding);        \
    }
#define SMALL_LOOPS(rounding)                                      \
    SMALL_LOOP(small_##rounding, FROM_FLOAT32, rounding)           \
    SMALL_LOOP(small_float16_##rounding, FROM_FLOAT16, rounding)   \
    SMALL_LOOP(small_bfloat16_##rounding, FROM_BFLOAT16, rounding) \
    SMALL_LOOP(small_int16_##rounding, FROM_INT16, rounding)       \
    SMALL_LOOP(small_uint16_##rounding, FROM_UINT16, rounding)
ALL_ROUNDINGS(SMALL_LOOPS)
