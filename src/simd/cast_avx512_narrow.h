/* SPDX-License-Identifier: MIT */
/*
 * Part of cast_avx512.c: casts to floating point, by intrinsics; cast_avx512_integers.h has those to integers. Compilers
 * make no use of conversions that round as told; and sources of 16 bits are too fast to copy for two loops, so that what
 * widens them is a part of the loop here. cast_fusions.h tells the plan of such loops.
 *
 * A loop is put together from a source, which gives vectors of float32, a function of such a vector, and a way to store two
 * results of 32-bit lanes. Why something is exact is said at the loops in plain C that these take the place of.
 */
#define QUIET _MM_FROUND_NO_EXC
#define AS_INTS(v) _mm512_castps_si512(v)
#define AS_FLOATS(v) _mm512_castsi512_ps(v)
#define EVERY(x) _mm512_set1_epi32((int)(x))
#define SIGN_BIT UINT32_C(0x80000000)
/* X with the instructions' name for a rounding that they know. */
#define BY_MODE(rounding, X, otherwise)                                      \
    switch (rounding) {                                                      \
    case ZL_ROUND_NEAREST_EVEN: return X(_MM_FROUND_TO_NEAREST_INT | QUIET); \
    case ZL_ROUND_TOWARDS_ZERO: return X(_MM_FROUND_TO_ZERO | QUIET);        \
    case ZL_ROUND_TOWARDS_POSITIVE: return X(_MM_FROUND_TO_POS_INF | QUIET); \
    case ZL_ROUND_TOWARDS_NEGATIVE: return X(_MM_FROUND_TO_NEG_INF | QUIET); \
    default: return otherwise;                                               \
    }

/* ---- sources */

#define LOAD_128(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD_256(p) _mm256_loadu_si256((const __m256i *)(p))

/* Rounding to odd: down and up give the same number, or two of which one is odd. Those that are too large become the
 * largest, which is odd. */
TARGET static ZL_ALWAYS_INLINE __m512 odd_of(__m512 down, __m512 up) {
    return _mm512_mask_mov_ps(up, _mm512_test_epi32_mask(AS_INTS(down), EVERY(1)), down);
}

#define JOIN_ROUNDED(convert, load, p, mode) \
    _mm512_insertf32x8(_mm512_castps256_ps512(convert(load(p), mode)), convert(load((p) + 64), mode), 1)
#define ODD_OF_64(convert, load, p)                                       \
    odd_of(JOIN_ROUNDED(convert, load, p, _MM_FROUND_TO_NEG_INF | QUIET), \
           JOIN_ROUNDED(convert, load, p, _MM_FROUND_TO_POS_INF | QUIET))
#define ODD_OF_32(convert, v) odd_of(convert(v, _MM_FROUND_TO_NEG_INF | QUIET), convert(v, _MM_FROUND_TO_POS_INF | QUIET))

typedef enum source {
    FROM_FLOAT32,
    FROM_FLOAT16,
    FROM_BFLOAT16,
    FROM_INT8,
    FROM_UINT8,
    FROM_INT16,
    FROM_UINT16,
    FROM_INT32, /* from here on to odd */
    FROM_UINT32,
    FROM_INT64,
    FROM_UINT64,
    FROM_FLOAT64
} source;

/* Elements i to i + 15. */
TARGET static ZL_ALWAYS_INLINE __m512 load_from(source from, const void *src, size_t i) {
    const char *const narrow = (const char *)src + i, *const two = narrow + i, *const four = two + 2 * i,
                      *const eight = four + 4 * i;
    switch (from) {
    case FROM_FLOAT16: return _mm512_cvtph_ps(LOAD_256(two));
    case FROM_BFLOAT16: return AS_FLOATS(_mm512_slli_epi32(_mm512_cvtepu16_epi32(LOAD_256(two)), 16));
    case FROM_INT8: return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(LOAD_128(narrow)));
    case FROM_UINT8: return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(LOAD_128(narrow)));
    case FROM_INT16: return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(LOAD_256(two)));
    case FROM_UINT16: return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(LOAD_256(two)));
    case FROM_INT32: return ODD_OF_32(_mm512_cvt_roundepi32_ps, _mm512_loadu_si512(four));
    case FROM_UINT32: return ODD_OF_32(_mm512_cvt_roundepu32_ps, _mm512_loadu_si512(four));
    case FROM_INT64: return ODD_OF_64(_mm512_cvt_roundepi64_ps, _mm512_loadu_si512, eight);
    case FROM_UINT64: return ODD_OF_64(_mm512_cvt_roundepu64_ps, _mm512_loadu_si512, eight);
    case FROM_FLOAT64: return ODD_OF_64(_mm512_cvt_roundpd_ps, _mm512_loadu_pd, eight);
    default: return _mm512_loadu_ps(four);
    }
}

/* ---- results: every fourth byte, or every other half, of two vectors */

static const uint8_t every_fourth[32] = {0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
                                         64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
/* 32 numbers of 16 bits as packs leaves them, in their order. */
static const uint8_t unpacked[32] = {0, 2,  4,  6,  16, 18, 20, 22, 32, 34, 36, 38, 48, 50, 52, 54,
                                     8, 10, 12, 14, 24, 26, 28, 30, 40, 42, 44, 46, 56, 58, 60, 62};
static const uint16_t every_other[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                         32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62};

TARGET static ZL_ALWAYS_INLINE void store_bytes(char *dst, __m512i a, __m512i b) {
    const __m512i index = _mm512_castsi256_si512(LOAD_256(every_fourth));
    _mm256_storeu_si256((__m256i *)dst, _mm512_castsi512_si256(_mm512_permutex2var_epi8(a, index, b)));
}

TARGET static ZL_ALWAYS_INLINE void store_halves(char *dst, __m512i a, __m512i b, int first) {
    const __m512i index = _mm512_add_epi16(_mm512_loadu_si512(every_other), _mm512_set1_epi16((short)first));
    _mm512_storeu_si512(dst, _mm512_permutex2var_epi16(a, index, b));
}

#define STORE_8 store_bytes((char *)dst + i, a, b)
#define STORE_16 store_halves((char *)dst + 2 * i, a, b, 0)
#define STORE_UPPER_16 store_halves((char *)dst + 2 * i, a, b, 1)
#define STORE_32 _mm512_storeu_si512((char *)dst + 4 * i, a), _mm512_storeu_si512((char *)dst + 4 * i + 64, b)

/* function(v, rounding, &format, &bad) gives 32-bit lanes of results, and adds those that cannot be done to `bad`. */
#define VECTOR_LOOP(name, from, function, rounding, store)                                                                \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n) { \
        const function##_format format = function##_begin(params);                                                        \
        __mmask16 bad = 0;                                                                                                \
        for (size_t i = 0; i < n; i += 32) {                                                                              \
            const __m512i a = function(load_from(from, src, i), rounding, &format, &bad);                                 \
            const __m512i b = function(load_from(from, src, i + 16), rounding, &format, &bad);                            \
            store;                                                                                                        \
        }                                                                                                                 \
        return bad != 0;                                                                                                  \
    }

/* ---- pieces */

TARGET static ZL_ALWAYS_INLINE __m512i magnitude_of(__m512i v) {
    return _mm512_and_si512(v, EVERY(~SIGN_BIT));
}

/* `positive` with the sign of v. Not by the ternary instruction: clang 14 mixes up its operands where a mask follows. */
TARGET static ZL_ALWAYS_INLINE __m512 with_sign(__m512 positive, __m512 v) {
    return _mm512_or_ps(positive, AS_FLOATS(_mm512_and_si512(AS_INTS(v), EVERY(SIGN_BIT))));
}

/* The next number nearer to zero. */
TARGET static ZL_ALWAYS_INLINE __m512 before(__m512 positive) {
    return AS_FLOATS(_mm512_sub_epi32(AS_INTS(positive), EVERY(1)));
}

TARGET static ZL_ALWAYS_INLINE __m512 away_from_zero(__m512 v, __m512 half) {
    return _mm512_add_ps(v, with_sign(before(half), v));
}

/* NaN becomes the canonical one. */
TARGET static ZL_ALWAYS_INLINE __m512i with_nan(__m512i result, __m512 v, __m512i nan) {
    return _mm512_mask_mov_epi32(result, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan);
}

TARGET static ZL_ALWAYS_INLINE __m512 to_integer(__m512 v, int rounding) {
#define ROUND(mode) _mm512_roundscale_ps(v, mode)
    BY_MODE(rounding, ROUND, _mm512_roundscale_ps(away_from_zero(v, _mm512_set1_ps(0.5f)), _MM_FROUND_TO_ZERO | QUIET))
#undef ROUND
}

/* ---- to float32, exactly or to odd */

typedef struct same_format {
    __m512i nan;
} same_format;

TARGET static ZL_ALWAYS_INLINE same_format same_begin(const zl_cast_params *params) {
    (void)params;
    return (same_format){EVERY(NAN32)};
}

TARGET static ZL_ALWAYS_INLINE __m512i same(__m512 v, int rounding, const same_format *format, __mmask16 *bad) {
    (void)rounding, (void)bad;
    return with_nan(AS_INTS(v), v, format->nan);
}

VECTOR_LOOP(float32_float16_exact, FROM_FLOAT16, same, 0, STORE_32)
VECTOR_LOOP(float32_int32_5, FROM_INT32, same, 0, STORE_32)
VECTOR_LOOP(float32_uint32_5, FROM_UINT32, same, 0, STORE_32)
VECTOR_LOOP(float32_int64_5, FROM_INT64, same, 0, STORE_32)
VECTOR_LOOP(float32_uint64_5, FROM_UINT64, same, 0, STORE_32)

/* As told: the instructions' names of roundings are those of zl_rounding, but for nearest away. float32 ends inside
 * float64: what is beyond becomes infinite in all roundings, which is bad if `finite_end` says so. */
#define MODE_0 (_MM_FROUND_TO_NEAREST_INT | QUIET)
#define MODE_1 (_MM_FROUND_TO_ZERO | QUIET)
#define MODE_2 (_MM_FROUND_TO_POS_INF | QUIET)
#define MODE_3 (_MM_FROUND_TO_NEG_INF | QUIET)
#define DIRECT_LOOP(name, convert, store, mode, step)                                                                     \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n) { \
        (void)params;                                                                                                     \
        for (size_t i = 0; i < n; i += (step)) {                                                                          \
            const __m512i x = _mm512_loadu_si512((const char *)src + 64 / (step)*i);                                      \
            store(dst, i, convert(x, mode));                                                                              \
        }                                                                                                                 \
        return false;                                                                                                     \
    }
#define STORE_FLOATS(dst, i, v) _mm512_storeu_ps((float *)(dst) + (i), v)
#define STORE_8_FLOATS(dst, i, v) _mm256_storeu_ps((float *)(dst) + (i), v)
#define STORE_DOUBLES(dst, i, v) _mm512_storeu_pd((double *)(dst) + (i), v)
#define FLOAT64_LOOP(rounding)                                                                                          \
    TARGET static bool NAME(float32_float64_##rounding)(const zl_cast_params *params, void *restrict dst,               \
                                                        const void *restrict src, size_t n) {                           \
        const __m256 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(INFINITY32)), sign = _mm256_set1_ps(-0.0f);       \
        const __m512d end = _mm512_set1_pd(0x1p128), finite_end = _mm512_set1_pd(params->finite_end);                   \
        __mmask8 bad = 0;                                                                                               \
        for (size_t i = 0; i < n; i += 8) {                                                                             \
            const __m512d x = _mm512_loadu_pd((const double *)src + i), size = _mm512_abs_pd(x);                        \
            const __m256 v = _mm512_cvt_roundpd_ps(x, MODE_##rounding);                                                 \
            const __mmask8 over = _mm512_cmp_pd_mask(size, end, _CMP_GE_OQ);                                            \
            const __m256 ended = _mm256_mask_mov_ps(v, over, _mm256_or_ps(infinity, _mm256_and_ps(v, sign)));           \
            const __mmask8 infinite = _mm256_cmp_ps_mask(_mm256_andnot_ps(sign, ended), infinity, _CMP_EQ_OQ);          \
            bad |= _mm512_mask_cmp_pd_mask(infinite, size, finite_end, _CMP_LE_OQ);                                     \
            const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(NAN32));                                           \
            _mm256_storeu_ps((float *)dst + i, _mm256_mask_mov_ps(ended, _mm256_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan)); \
        }                                                                                                               \
        return bad != 0;                                                                                                \
    }
#define DIRECT_LOOPS(rounding)                                                                           \
    DIRECT_LOOP(float32_int32_##rounding, _mm512_cvt_roundepi32_ps, STORE_FLOATS, MODE_##rounding, 16)   \
    DIRECT_LOOP(float32_uint32_##rounding, _mm512_cvt_roundepu32_ps, STORE_FLOATS, MODE_##rounding, 16)  \
    DIRECT_LOOP(float32_int64_##rounding, _mm512_cvt_roundepi64_ps, STORE_8_FLOATS, MODE_##rounding, 8)  \
    DIRECT_LOOP(float32_uint64_##rounding, _mm512_cvt_roundepu64_ps, STORE_8_FLOATS, MODE_##rounding, 8) \
    DIRECT_LOOP(float64_int64_##rounding, _mm512_cvt_roundepi64_pd, STORE_DOUBLES, MODE_##rounding, 8)   \
    DIRECT_LOOP(float64_uint64_##rounding, _mm512_cvt_roundepu64_pd, STORE_DOUBLES, MODE_##rounding, 8)  \
    FLOAT64_LOOP(rounding)
DIRECT_LOOPS(0)
DIRECT_LOOPS(1)
DIRECT_LOOPS(2)
DIRECT_LOOPS(3)

/* The largest number may stand for one that is out of range. */
typedef struct largest_format {
    same_format same;
    __m512i refused;
} largest_format;

TARGET static ZL_ALWAYS_INLINE largest_format largest_begin(const zl_cast_params *params) {
    return (largest_format){same_begin(params), EVERY(params->finite_end > 0 ? INFINITY32 - 1 : UINT32_MAX)};
}

TARGET static ZL_ALWAYS_INLINE __m512i largest(__m512 v, int rounding, const largest_format *format, __mmask16 *bad) {
    *bad |= _mm512_cmpeq_epi32_mask(magnitude_of(AS_INTS(v)), format->refused);
    return same(v, rounding, &format->same, bad);
}

VECTOR_LOOP(float32_float64_5, FROM_FLOAT64, largest, 0, STORE_32)

/* ---- to float64 */

LOOP(float64_bfloat16_exact, uint16_t, double, int, (double)NAME(from_bfloat16)(x[i]))

TARGET static bool NAME(float64_float16_exact)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                               size_t n) {
    const __m512d nan = _mm512_castsi512_pd(_mm512_set1_epi64((int64_t)NAN64));
    (void)params;
    for (size_t i = 0; i < n; i += 8) {
        const __m512d v = _mm512_cvtps_pd(_mm256_cvtph_ps(LOAD_128((const char *)src + 2 * i)));
        _mm512_storeu_pd((double *)dst + i, _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), nan));
    }
    return false;
}

/* ---- to bfloat16, the upper half, for sources that end inside its range */

typedef same_format upper_format;
#define upper_begin same_begin

TARGET static ZL_ALWAYS_INLINE __m512i upper(__m512 v, int rounding, const upper_format *format, __mmask16 *bad) {
    const __m512i x = AS_INTS(v);
    const __mmask16 negative = _mm512_movepi32_mask(x);
    __m512i sum = x;
    (void)bad;
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN:
        sum = _mm512_add_epi32(x, EVERY(0x7fff));
        sum = _mm512_mask_add_epi32(sum, _mm512_test_epi32_mask(x, EVERY(0x10000)), sum, EVERY(1));
        break;
    case ZL_ROUND_TOWARDS_POSITIVE: sum = _mm512_mask_add_epi32(x, (__mmask16)~negative, x, EVERY(0xffff)); break;
    case ZL_ROUND_TOWARDS_NEGATIVE: sum = _mm512_mask_add_epi32(x, negative, x, EVERY(0xffff)); break;
    case ZL_ROUND_NEAREST_AWAY: sum = _mm512_add_epi32(x, EVERY(0x8000)); break;
    default: break;
    }
    return with_nan(sum, v, format->nan);
}

#define UPPER_LOOPS(rounding)                                                             \
    VECTOR_LOOP(bfloat16_int32_##rounding, FROM_INT32, upper, rounding, STORE_UPPER_16)   \
    VECTOR_LOOP(bfloat16_uint32_##rounding, FROM_UINT32, upper, rounding, STORE_UPPER_16) \
    VECTOR_LOOP(bfloat16_int64_##rounding, FROM_INT64, upper, rounding, STORE_UPPER_16)   \
    VECTOR_LOOP(bfloat16_uint64_##rounding, FROM_UINT64, upper, rounding, STORE_UPPER_16) \
    VECTOR_LOOP(bfloat16_int16_##rounding, FROM_INT16, upper, rounding, STORE_UPPER_16)   \
    VECTOR_LOOP(bfloat16_uint16_##rounding, FROM_UINT16, upper, rounding, STORE_UPPER_16) \
    VECTOR_LOOP(bfloat16_float16_##rounding, FROM_FLOAT16, upper, rounding, STORE_UPPER_16)
ALL_ROUNDINGS(UPPER_LOOPS)
VECTOR_LOOP(bfloat16_int8, FROM_INT8, upper, ZL_ROUND_TOWARDS_ZERO, STORE_UPPER_16)
VECTOR_LOOP(bfloat16_uint8, FROM_UINT8, upper, ZL_ROUND_TOWARDS_ZERO, STORE_UPPER_16)

/* Of float64 numbers, those beyond float32 become infinite as well; finite ones must not. */
#define COMPARE_8(p, how, end) _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_loadu_pd(p)), _mm512_set1_pd(end), how)
#define COMPARE_16(p, how, end) _mm512_kunpackb(COMPARE_8((p) + 8, how, end), COMPARE_8(p, how, end))

#define UPPER_FLOAT64_LOOP(rounding)                                                                                       \
    TARGET static bool NAME(bfloat16_float64_##rounding)(const zl_cast_params *params, void *restrict dst,                 \
                                                         const void *restrict src, size_t n) {                             \
        const upper_format format = upper_begin(params);                                                                   \
        __mmask16 bad = 0;                                                                                                 \
        for (size_t i = 0; i < n; i += 16) {                                                                               \
            const double *const x = (const double *)src + i;                                                               \
            const __m512 v = load_from(FROM_FLOAT64, src, i), infinity = with_sign(AS_FLOATS(EVERY(INFINITY32)), v);       \
            const __m512 ended = _mm512_mask_mov_ps(v, COMPARE_16(x, _CMP_GE_OQ, 0x1p128), infinity);                      \
            const __m512i sum = upper(ended, rounding, &format, &bad);                                                     \
            const __m512i magnitude = _mm512_and_si512(sum, EVERY(0x7fff0000));                                            \
            bad |=                                                                                                         \
                _mm512_mask_cmpeq_epi32_mask(COMPARE_16(x, _CMP_LE_OQ, params->finite_end), magnitude, EVERY(INFINITY32)); \
            _mm256_storeu_si256((__m256i *)((char *)dst + 2 * i), _mm512_cvtepi32_epi16(_mm512_srli_epi32(sum, 16)));      \
        }                                                                                                                  \
        return bad != 0;                                                                                                   \
    }
ALL_ROUNDINGS(UPPER_FLOAT64_LOOP)

/* ---- to float16: numbers that are out of range become infinite, since instructions round some of them to the largest */

typedef struct half_format {
    __m512i last[2]; /* magnitude bits in range, by sign */
    __m512i over_below, infinity, nan;
} half_format;

TARGET static ZL_ALWAYS_INLINE half_format half_begin(const zl_cast_params *params) {
    const zl_small_float *small = &params->small;
    return (half_format){{EVERY(small->float16_end[0] - 1), EVERY(small->float16_end[1] - 1)},
                         EVERY(small->over_below),
                         EVERY(INFINITY32),
                         EVERY(NAN32)};
}

/* Half of the last digit is added to the magnitude, and the rest cut off: as an integer to normal numbers, and to smaller
 * ones, whose last digit is worth 2^-24, as a number. */
TARGET static ZL_ALWAYS_INLINE __m512 half_away(__m512 v, __m512i size) {
    const __mmask16 normal = _mm512_cmpgt_epi32_mask(size, EVERY(0x387fffff));
    const __m512 below = away_from_zero(v, _mm512_set1_ps(0x1p-25f));
    return AS_FLOATS(_mm512_mask_add_epi32(AS_INTS(below), normal, AS_INTS(v), EVERY(0x1000)));
}

TARGET static ZL_ALWAYS_INLINE __m256i to_half(__m512 v, int rounding){
#define CONVERT(mode) _mm512_cvtps_ph(v, (mode)&3)
    BY_MODE(rounding, CONVERT, _mm512_cvtps_ph(v, _MM_FROUND_TO_ZERO))
#undef CONVERT
}

TARGET static ZL_ALWAYS_INLINE __m256i half(__m512 v, int rounding, const half_format *format, __mmask16 *bad) {
    const __m512i x = AS_INTS(v), size = magnitude_of(x);
    const bool by_sign = rounding == ZL_ROUND_TOWARDS_POSITIVE || rounding == ZL_ROUND_TOWARDS_NEGATIVE;
    const __m512i last =
        by_sign ? _mm512_mask_mov_epi32(format->last[0], _mm512_movepi32_mask(x), format->last[1]) : format->last[0];
    const __mmask16 over = _mm512_cmpgt_epi32_mask(size, last);
    *bad |= _mm512_mask_cmplt_epi32_mask(over, size, format->over_below);
    const __m512 nearer = rounding == ZL_ROUND_NEAREST_AWAY ? half_away(v, size) : v;
    const __m512i infinite = AS_INTS(with_sign(AS_FLOATS(format->infinity), v));
    const __m512i ended = _mm512_mask_mov_epi32(AS_INTS(nearer), over, infinite);
    return to_half(AS_FLOATS(with_nan(ended, v, format->nan)), rounding);
}

/* int16: normal numbers and 0, which all end inside. */
TARGET static ZL_ALWAYS_INLINE __m256i half_short(__m512 v, int rounding, const half_format *format, __mmask16 *bad) {
    const __m512 away = AS_FLOATS(_mm512_add_epi32(AS_INTS(v), EVERY(0x1000)));
    (void)format, (void)bad;
    return to_half(rounding == ZL_ROUND_NEAREST_AWAY ? away : v, rounding);
}

/* Nothing but what float16 has. */
TARGET static ZL_ALWAYS_INLINE __m256i half_exact(__m512 v, int rounding, const half_format *format, __mmask16 *bad) {
    (void)format, (void)bad;
    return to_half(v, rounding);
}

#define HALF_LOOP(name, from, half, rounding)                                                                              \
    TARGET static bool NAME(name##_##rounding)(const zl_cast_params *params, void *restrict dst, const void *restrict src, \
                                               size_t n) {                                                                 \
        const half_format format = half_begin(params);                                                                     \
        __mmask16 bad = 0;                                                                                                 \
        for (size_t i = 0; i < n; i += 16) {                                                                               \
            const __m256i result = half(load_from(from, src, i), rounding, &format, &bad);                                 \
            _mm256_storeu_si256((__m256i *)((char *)dst + 2 * i), result);                                                 \
        }                                                                                                                  \
        return bad != 0;                                                                                                   \
    }
#define HALF_LOOPS(rounding)                                   \
    HALF_LOOP(float16, FROM_FLOAT32, half, rounding)           \
    HALF_LOOP(float16_bfloat16, FROM_BFLOAT16, half, rounding) \
    HALF_LOOP(float16_int16, FROM_INT16, half_short, rounding) \
    HALF_LOOP(float16_uint16, FROM_UINT16, half, rounding)     \
    HALF_LOOP(float16_int32, FROM_INT32, half, rounding)       \
    HALF_LOOP(float16_uint32, FROM_UINT32, half, rounding)     \
    HALF_LOOP(float16_int64, FROM_INT64, half, rounding)       \
    HALF_LOOP(float16_uint64, FROM_UINT64, half, rounding)     \
    HALF_LOOP(float16_float64, FROM_FLOAT64, half, rounding)
ALL_ROUNDINGS(HALF_LOOPS)
HALF_LOOP(float16_int8, FROM_INT8, half_exact, 1)
HALF_LOOP(float16_uint8, FROM_UINT8, half_exact, 1)

/* ---- to small floats */

typedef struct small_format {
    __m512i grid, half, offset, rest,
        last_digit; /* of normal numbers: what is added, or where it rounds up; lowest digit */
    __m128i shift, sign_shift;
    __m512i min_normal, largest, overflow, over_below, stop_first, stop_span, accept_first, accept_span, sign, sign_from,
        nan;
} small_format;

TARGET static ZL_ALWAYS_INLINE small_format small_begin(const zl_cast_params *params) {
    const zl_small_float *p = &params->small;
    return (small_format){.grid = AS_INTS(_mm512_set1_ps(p->grid)),
                          .half = AS_INTS(_mm512_set1_ps(p->half)),
                          .offset = EVERY(-(p->rebias << p->shift)),
                          .rest = EVERY((1u << p->shift) - 1),
                          .last_digit = EVERY(1u << p->shift),
                          .shift = _mm_cvtsi32_si128((int)p->shift),
                          .sign_shift = _mm_cvtsi32_si128(p->sign ? __builtin_clz(p->sign) : 0),
                          .min_normal = EVERY(p->min_normal),
                          .largest = EVERY(p->largest),
                          .overflow = EVERY(p->overflow),
                          .over_below = EVERY(p->over_below),
                          .stop_first = EVERY(p->stop_first),
                          .stop_span = EVERY(p->stop_span),
                          .accept_first = EVERY(p->accept_first),
                          .accept_span = EVERY(p->accept_span),
                          .sign = EVERY(p->sign),
                          .sign_from = EVERY(p->sign_from),
                          .nan = EVERY(p->nan)};
}

/* Adding the number `grid`, with the sign of v, rounds to its last digit. */
TARGET static ZL_ALWAYS_INLINE __m512 to_grid(__m512 v, __m512 grid, __m512 half, int rounding){
#define ADD(mode) _mm512_add_round_ps(v, grid, mode)
    BY_MODE(rounding, ADD, _mm512_add_round_ps(away_from_zero(v, half), grid, _MM_FROUND_TO_ZERO | QUIET))
#undef ADD
}

/* The magnitude, with the bias of its exponent changed, before its lower bits are cut off. */
TARGET static ZL_ALWAYS_INLINE __m512i rounded_bits(__m512i x, __m512i size, const small_format *f, int rounding) {
    const __mmask16 negative = _mm512_movepi32_mask(x);
    const __m512i sum = _mm512_add_epi32(size, f->offset), half = _mm512_srli_epi32(f->last_digit, 1);
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: {
        const __m512i below_half = _mm512_add_epi32(sum, _mm512_sub_epi32(half, EVERY(1)));
        return _mm512_mask_add_epi32(below_half, _mm512_test_epi32_mask(size, f->last_digit), below_half, EVERY(1));
    }
    case ZL_ROUND_TOWARDS_POSITIVE: return _mm512_mask_add_epi32(sum, (__mmask16)~negative, sum, f->rest);
    case ZL_ROUND_TOWARDS_NEGATIVE: return _mm512_mask_add_epi32(sum, negative, sum, f->rest);
    case ZL_ROUND_NEAREST_AWAY: return _mm512_add_epi32(sum, half);
    default: return sum;
    }
}

TARGET static ZL_ALWAYS_INLINE __m512i small(__m512 v, int rounding, const small_format *f, __mmask16 *bad) {
    const __m512i x = AS_INTS(v), size = magnitude_of(x);
    const __m512 grid = with_sign(AS_FLOATS(f->grid), v);
    const __m512i sum = magnitude_of(AS_INTS(to_grid(v, grid, AS_FLOATS(f->half), rounding)));
    const __mmask16 normal = _mm512_cmpge_epi32_mask(size, f->min_normal);
    const __m512i subnormal = _mm512_sub_epi32(sum, f->grid);
    const __m512i code = _mm512_mask_srl_epi32(subnormal, normal, rounded_bits(x, size, f, rounding), f->shift);
    const __mmask16 over = _mm512_cmpgt_epi32_mask(code, f->largest);
    *bad |= _mm512_mask_cmplt_epi32_mask(over, size, f->over_below);
    *bad |= _mm512_cmple_epu32_mask(_mm512_sub_epi32(size, f->stop_first), f->stop_span);
    *bad |= _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(x, f->accept_first), f->accept_span);
    const __m512i ended = _mm512_min_epu32(code, f->overflow);
    const __mmask16 may_have_sign = _mm512_cmpge_epu32_mask(ended, f->sign_from);
    const __m512i sign = _mm512_srl_epi32(x, f->sign_shift);
    const __m512i result = _mm512_mask_ternarylogic_epi32(ended, may_have_sign, sign, f->sign, 0xf8); /* a | (b & c) */
    return with_nan(result, v, f->nan);
}

#define SMALL_LOOPS(rounding)                                                       \
    VECTOR_LOOP(small_##rounding, FROM_FLOAT32, small, rounding, STORE_8)           \
    VECTOR_LOOP(small_float16_##rounding, FROM_FLOAT16, small, rounding, STORE_8)   \
    VECTOR_LOOP(small_bfloat16_##rounding, FROM_BFLOAT16, small, rounding, STORE_8) \
    VECTOR_LOOP(small_int16_##rounding, FROM_INT16, small, rounding, STORE_8)       \
    VECTOR_LOOP(small_uint16_##rounding, FROM_UINT16, small, rounding, STORE_8)
ALL_ROUNDINGS(SMALL_LOOPS)
