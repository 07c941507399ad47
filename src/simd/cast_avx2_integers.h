/* SPDX-License-Identifier: MIT */
/*
 * Part of cast_avx2.c: casts from floating point to integers, and from 64-bit integers, by intrinsics. AVX2 has conversions
 * to int32 only, and most numbers fit into it: loops to and from 64 bits ask whether all of some elements do, and have
 * plain C (long_*) for those that do not. What cannot be done is looked for in the least and the largest numbers, once for
 * all elements.
 */
/* ---- to integers */

#define ROUND_BY(rounding, v, round, convert_nearest, convert_cut, away)                         \
    switch (rounding) {                                                                          \
    case ZL_ROUND_NEAREST_EVEN: return convert_nearest(v);                                       \
    case ZL_ROUND_TOWARDS_POSITIVE: return convert_cut(round(v, _MM_FROUND_TO_POS_INF | QUIET)); \
    case ZL_ROUND_TOWARDS_NEGATIVE: return convert_cut(round(v, _MM_FROUND_TO_NEG_INF | QUIET)); \
    case ZL_ROUND_NEAREST_AWAY: return convert_cut(away);                                        \
    default: return convert_cut(v);                                                              \
    }

/* -2^31 where int32 has no room. */
TARGET static ZL_ALWAYS_INLINE __m256i to_int32(__m256 v, int rounding){
    ROUND_BY(rounding, v, _mm256_round_ps, _mm256_cvtps_epi32, _mm256_cvttps_epi32, away_from_zero(v, 0x0.ffffffp-1f))}

TARGET static ZL_ALWAYS_INLINE __m128i wide_to_int32(__m256d v, int rounding) {
    const __m256d sign = _mm256_and_pd(v, _mm256_set1_pd(-0.0));
    ROUND_BY(rounding, v, _mm256_round_pd, _mm256_cvtpd_epi32, _mm256_cvttpd_epi32,
             _mm256_add_pd(v, _mm256_or_pd(sign, _mm256_set1_pd(0x0.fffffffffffff8p-1))))
}

/* Magnitudes, of float64 their upper halves, are compared with these. */
#define SIZE_INFINITE(from) ((from) == FROM_FLOAT64 ? UINT32_C(0x7ff00000) : INFINITY32)
#define SIZE_LONG(from) ((from) == FROM_FLOAT64 ? UINT32_C(0x41d00000) : UINT32_C(0x4f000000)) /* 2^30, 2^31 */

TARGET static ZL_ALWAYS_INLINE bool has_size(__m256i size, uint32_t end) {
    return is_any(_mm256_cmpgt_epi32(size, EVERY(end - 1)));
}

/* Elements i to i + 7 as int32, those above 2^24 as this if `ends`. The largest magnitude goes to `size`. */
TARGET static ZL_ALWAYS_INLINE __m256i integers_from(source from, const void *src, size_t i, int rounding, bool ends,
                                                     __m256i *size) {
    if (from == FROM_FLOAT64) {
        const __m256d a = _mm256_loadu_pd((const double *)src + i), b = _mm256_loadu_pd((const double *)src + i + 4);
        const __m256d end = _mm256_set1_pd(0x1p24);
        const __m256 upper = _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0xdd);
        *size = _mm256_max_epi32(*size, magnitude_of(AS_INTS(upper)));
        return _mm256_set_m128i(wide_to_int32(ends ? _mm256_min_pd(b, end) : b, rounding),
                                wide_to_int32(ends ? _mm256_min_pd(a, end) : a, rounding));
    }
    const __m256 v = load_from(from, src, i);
    *size = _mm256_max_epi32(*size, magnitude_of(AS_INTS(v)));
    return to_int32(ends ? _mm256_min_ps(v, _mm256_set1_ps(0x1p24f)) : v, rounding);
}

/* Of results of so many bytes, what makes at least one vector. */
#define VECTORS(width) ((width) == 1 ? 4 : (width) == 2 ? 2 : 1)

TARGET static ZL_ALWAYS_INLINE void integers_of(__m256i part[4], source from, const void *src, size_t i, int rounding,
                                                bool ends, int width, __m256i *size) {
    part[0] = integers_from(from, src, i, rounding, ends, size);
    if (width <= 2) part[1] = integers_from(from, src, i + 8, rounding, ends, size);
    if (width > 1) return;
    part[2] = integers_from(from, src, i + 16, rounding, ends, size);
    part[3] = integers_from(from, src, i + 24, rounding, ends, size);
}

/* The low bits of VECTORS(width), into 1 to 8 bytes an element. */
TARGET static ZL_ALWAYS_INLINE void store_low_bits(char *dst, const __m256i *part, int width) {
    const __m256i mask = EVERY(width == 1 ? UINT8_MAX : UINT16_MAX);
    __m256i low[4];
    switch (width) {
    case 1: UNROLLED for (int k = 0; k < 4; k++) { low[k] = _mm256_and_si256(part[k], mask);
        }
        store_bytes(dst, PACK_4(_mm256_packus_epi16, low));
        break;
    case 2: store_halves(dst, _mm256_and_si256(part[0], mask), _mm256_and_si256(part[1], mask)); break;
    case 4: STORE_256(dst, part[0]); break;
    default:
        STORE_256(dst, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(part[0])));
        STORE_256(dst + 32, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(part[0], 1)));
    }
}

/* Results of 8 bits are looked at as 16-bit lanes. */
#define EVERY_LANE(width, x) ((width) == 1 ? _mm256_set1_epi16((int16_t)(x)) : EVERY(x))
#define MIN_LANES(width, a, b) ((width) == 1 ? _mm256_min_epi16(a, b) : _mm256_min_epi32(a, b))
#define MAX_LANES(width, a, b) ((width) == 1 ? _mm256_max_epi16(a, b) : _mm256_max_epi32(a, b))

/* Of 8 bits, clamped as 16-bit lanes; packing clamps to 16 bits. */
TARGET static ZL_ALWAYS_INLINE void store_clamped(char *dst, const __m256i *part, int width, bool is_signed) {
    const __m256i a = part[0], b = part[1];
    if (width == 1)
        store_bytes(dst, is_signed ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b));
    else
        STORE_256(dst, _mm256_permute4x64_epi64(is_signed ? _mm256_packs_epi32(a, b) : _mm256_packus_epi32(a, b), 0xd8));
}

/* 8 and 16 bits that are refused out of range: then what is stored does not count. Arguments behind `n` are constants. */
TARGET static ZL_ALWAYS_INLINE bool refuse_integers(const zl_cast_params *params, char *dst, const void *src, size_t n,
                                                    source from, int rounding, int width) {
    const bool is_signed = params->low < 0;
    const __m256i low = EVERY_LANE(width, params->low), high = EVERY_LANE(width, params->high);
    __m256i least = low, most = low, size = low;
    for (size_t i = 0; i < n; i += 8 * VECTORS(width)) {
        __m256i part[4];
        integers_of(part, from, src, i, rounding, false, width, &size);
        if (width == 1) part[0] = _mm256_packs_epi32(part[0], part[1]), part[1] = _mm256_packs_epi32(part[2], part[3]);
        UNROLLED for (size_t k = 0; k < 2; k++) {
            least = MIN_LANES(width, least, part[k]);
            most = MAX_LANES(width, most, part[k]);
        }
        store_clamped(dst + i * (size_t)width, part, width, is_signed);
    }
    return is_any(width == 1 ? _mm256_or_si256(_mm256_cmpgt_epi16(low, least), _mm256_cmpgt_epi16(most, high))
                             : _mm256_or_si256(_mm256_cmpgt_epi32(low, least), _mm256_cmpgt_epi32(most, high)));
}

TARGET static ZL_ALWAYS_INLINE bool clamp_integers(const zl_cast_params *params, char *dst, const void *src, size_t n,
                                                   source from, int rounding, int width) {
    const bool is_signed = params->low < 0;
    const __m256i low = EVERY_LANE(width, params->low), high = EVERY_LANE(width, params->high);
    __m256i size = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8 * VECTORS(width)) {
        __m256i part[4];
        integers_of(part, from, src, i, rounding, true, width, &size);
        if (width == 1) part[0] = _mm256_packs_epi32(part[0], part[1]), part[1] = _mm256_packs_epi32(part[2], part[3]);
        if (width == 1) part[0] = _mm256_min_epi16(_mm256_max_epi16(part[0], low), high);
        if (width == 1) part[1] = _mm256_min_epi16(_mm256_max_epi16(part[1], low), high);
        store_clamped(dst + i * (size_t)width, part, width, is_signed);
    }
    return has_size(size, SIZE_INFINITE(from));
}

/* What is too large for int32 becomes -2^31: a multiple of 2^8 as the float32 is, of 2^16 as bfloat16. */
TARGET static ZL_ALWAYS_INLINE bool cut_integers(char *dst, const void *src, size_t n, source from, int rounding,
                                                 int width) {
    __m256i size = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8 * VECTORS(width)) {
        __m256i part[4];
        integers_of(part, from, src, i, rounding, false, width, &size);
        store_low_bits(dst + i * (size_t)width, part, width);
    }
    return has_size(size, SIZE_INFINITE(from));
}

#define CUT_LOOP(name, from, rounding, to)                                 \
    UNIT_LOOP(name) {                                                      \
        (void)params;                                                      \
        return cut_integers(dst, src, n, from, rounding, (int)sizeof(to)); \
    }
/* Where float16 wraps, the range is that of float16. */
#define INTEGER_LOOP(name, from, rounding, to)                                                               \
    UNIT_LOOP(name) {                                                                                        \
        const int width = (int)sizeof(to);                                                                   \
        if ((from) == FROM_FLOAT16 && params->high > UINT16_MAX)                                             \
            return cut_integers(dst, src, n, FROM_FLOAT16, rounding, width);                                 \
        return params->pass_low >= params->low ? refuse_integers(params, dst, src, n, from, rounding, width) \
                                               : clamp_integers(params, dst, src, n, from, rounding, width); \
    }

/* Most numbers are those of int32, whatever they become: for 64 elements that are not, the other loops. Arguments behind
 * `n` are constants. */
TARGET static ZL_ALWAYS_INLINE bool short_integers(const zl_cast_params *params, char *dst, const char *src, size_t n,
                                                   source from, int rounding, int width, bool wraps, zl_cast_loop first,
                                                   zl_cast_loop second) {
    const __m256i low = EVERY(wraps || params->low < 0 ? INT32_MIN : 0);
    const bool refuses = !wraps && params->pass_low >= 0;
    bool bad = false;
    for (; n > 0; n -= UNIT, dst += UNIT * width, src += UNIT * SOURCE_WIDTH(from)) {
        __m256i least = _mm256_setzero_si256(), size = least;
        ONCE for (size_t i = 0; i < UNIT; i += 8 * VECTORS(width)) {
            __m256i part[4];
            integers_of(part, from, src, i, rounding, false, width, &size);
            if (!wraps) { /* to 32 and 64 bits */
                least = _mm256_min_epi32(least, part[0]);
                part[0] = _mm256_max_epi32(part[0], low);
            }
            store_low_bits(dst + i * (size_t)width, part, width);
        }
        if (has_size(size, SIZE_LONG(from)))
            bad |= convert_unit(params, dst, src, first, second);
        else if (refuses)
            bad |= is_any(least);
    }
    return bad;
}

#define SHORT_LOOP(name, from, rounding, to, wraps, first, second)                                         \
    UNIT_LOOP(name) {                                                                                      \
        return short_integers(params, dst, src, n, from, rounding, (int)sizeof(to), wraps, first, second); \
    }

#define SHORT_LOOPS(r)                                                                                                   \
    SHORT_LOOP(wrap_float_##r##_uint16_t, FROM_FLOAT32, r, uint16_t, true, NAME(long_wrap_float_##r##_uint32_t),         \
               NAME(convert_uint32_t_uint16_t))                                                                          \
    SHORT_LOOP(wrap_float_##r##_uint32_t, FROM_FLOAT32, r, uint32_t, true, NULL, NAME(long_wrap_float_##r##_uint32_t))   \
    SHORT_LOOP(wrap_bfloat16_##r##_uint32_t, FROM_BFLOAT16, r, uint32_t, true, NAME(float32_bfloat16_exact),             \
               NAME(long_wrap_float_##r##_uint32_t))                                                                     \
    SHORT_LOOP(int64_float_##r, FROM_FLOAT32, r, uint64_t, false, NAME(float64_float32_exact),                           \
               NAME(long_int64_double_##r))                                                                              \
    SHORT_LOOP(int64_bfloat16_##r, FROM_BFLOAT16, r, uint64_t, false, NAME(float64_bfloat16_exact),                      \
               NAME(long_int64_double_##r))                                                                              \
    SHORT_LOOP(int64_double_##r, FROM_FLOAT64, r, uint64_t, false, NULL, NAME(long_int64_double_##r))                    \
    SHORT_LOOP(wrap64_float_##r, FROM_FLOAT32, r, uint64_t, true, NAME(float64_float32_exact),                           \
               NAME(long_wrap_double_##r##_uint64_t))                                                                    \
    SHORT_LOOP(wrap64_bfloat16_##r, FROM_BFLOAT16, r, uint64_t, true, NAME(float64_bfloat16_exact),                      \
               NAME(long_wrap_double_##r##_uint64_t))                                                                    \
    SHORT_LOOP(wrap_double_##r##_uint8_t, FROM_FLOAT64, r, uint8_t, true, NAME(long_wrap_double_##r##_uint64_t),         \
               NAME(convert_uint64_t_uint8_t))                                                                           \
    SHORT_LOOP(wrap_double_##r##_uint16_t, FROM_FLOAT64, r, uint16_t, true, NAME(long_wrap_double_##r##_uint64_t),       \
               NAME(convert_uint64_t_uint16_t))                                                                          \
    SHORT_LOOP(wrap_double_##r##_uint64_t, FROM_FLOAT64, r, uint64_t, true, NULL, NAME(long_wrap_double_##r##_uint64_t)) \
    SHORT_LOOP(int_float_##r##_uint32_t, FROM_FLOAT32, r, uint32_t, false, NULL, NAME(long_int_float_##r##_uint32_t))    \
    SHORT_LOOP(uint32_float_##r, FROM_FLOAT32, r, uint32_t, false, NULL, NAME(long_uint32_float_##r))                    \
    SHORT_LOOP(int_bfloat16_##r##_uint32_t, FROM_BFLOAT16, r, uint32_t, false, NAME(float32_bfloat16_exact),             \
               NAME(long_int_float_##r##_uint32_t))                                                                      \
    SHORT_LOOP(uint32_bfloat16_##r, FROM_BFLOAT16, r, uint32_t, false, NAME(float32_bfloat16_exact),                     \
               NAME(long_uint32_float_##r))                                                                              \
    SHORT_LOOP(int_float16_##r##_uint32_t, FROM_FLOAT16, r, uint32_t, false, NULL, NULL)                                 \
    SHORT_LOOP(uint32_float16_##r, FROM_FLOAT16, r, uint32_t, false, NULL, NULL)                                         \
    SHORT_LOOP(int64_float16_##r, FROM_FLOAT16, r, uint64_t, false, NULL, NULL)

#define INTEGER_LOOPS(r)                                                  \
    CUT_LOOP(wrap_float_##r##_uint8_t, FROM_FLOAT32, r, uint8_t)          \
    CUT_LOOP(wrap_bfloat16_##r##_uint8_t, FROM_BFLOAT16, r, uint8_t)      \
    CUT_LOOP(wrap_bfloat16_##r##_uint16_t, FROM_BFLOAT16, r, uint16_t)    \
    INTEGER_LOOP(int_float_##r##_uint8_t, FROM_FLOAT32, r, uint8_t)       \
    INTEGER_LOOP(int_float_##r##_uint16_t, FROM_FLOAT32, r, uint16_t)     \
    INTEGER_LOOP(int_float16_##r##_uint8_t, FROM_FLOAT16, r, uint8_t)     \
    INTEGER_LOOP(int_float16_##r##_uint16_t, FROM_FLOAT16, r, uint16_t)   \
    INTEGER_LOOP(int_bfloat16_##r##_uint8_t, FROM_BFLOAT16, r, uint8_t)   \
    INTEGER_LOOP(int_bfloat16_##r##_uint16_t, FROM_BFLOAT16, r, uint16_t) \
    INTEGER_LOOP(int_double_##r##_uint8_t, FROM_FLOAT64, r, uint8_t)      \
    INTEGER_LOOP(int_double_##r##_uint16_t, FROM_FLOAT64, r, uint16_t)
ALL_ROUNDINGS(SHORT_LOOPS)
ALL_ROUNDINGS(INTEGER_LOOPS)

/* ---- from 64-bit integers: most are those of int32, whose loops are faster */

/* Returns whether all are. */
TARGET static ZL_ALWAYS_INLINE bool narrow_integers(int32_t *dst, const char *src, size_t n, bool is_signed) {
    __m256i rest = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8) {
        const __m256 a = _mm256_loadu_ps((const float *)(src + 8 * i)),
                     b = _mm256_loadu_ps((const float *)(src + 8 * i) + 8);
        const __m256i low = AS_INTS(_mm256_shuffle_ps(a, b, 0x88)), high = AS_INTS(_mm256_shuffle_ps(a, b, 0xdd));
        const __m256i sign = _mm256_srai_epi32(low, 31);
        rest = _mm256_or_si256(rest, is_signed ? _mm256_xor_si256(high, sign) : _mm256_or_si256(high, sign));
        STORE_256(dst + i, _mm256_permute4x64_epi64(low, 0xd8));
    }
    return !is_any(rest);
}

TARGET static __attribute__((noinline)) bool convert_narrowed(const zl_cast_params *params, char *dst, const char *src,
                                                              size_t n, size_t width, bool is_signed, zl_cast_loop narrow,
                                                              zl_cast_loop wide) {
    int32_t between[8 * UNIT];
    bool bad = false;
    while (n > 0) {
        const size_t count = n < ZL_COUNT_OF(between) ? n : ZL_COUNT_OF(between);
        const bool fits =
            is_signed ? narrow_integers(between, src, count, true) : narrow_integers(between, src, count, false);
        bad |= fits ? narrow(params, dst, between, count) : wide(params, dst, src, count);
        n -= count, src += 8 * count, dst += width * count;
    }
    return bad;
}

#define NARROWED_LOOP(name, to, is_signed, narrow)                                                            \
    UNIT_LOOP(name) {                                                                                         \
        return convert_narrowed(params, dst, src, n, sizeof(to), is_signed, NAME(narrow), NAME(long_##name)); \
    }
#define NARROWED_FLOAT32(rounding, narrow)                       \
    NARROWED_LOOP(float32_int64_##rounding, float, true, narrow) \
    NARROWED_LOOP(float32_uint64_##rounding, float, false, narrow)
#define NARROWED_FLOAT64(rounding)                                         \
    NARROWED_LOOP(float64_int64_##rounding, double, true, float64_int32_t) \
    NARROWED_LOOP(float64_uint64_##rounding, double, false, float64_int32_t)
NARROWED_FLOAT32(0, float32_int32_t)
NARROWED_FLOAT32(1, float32_int32_1)
NARROWED_FLOAT32(2, float32_int32_2)
NARROWED_FLOAT32(3, float32_int32_3)
NARROWED_FLOAT32(4, float32_int32_4)
NARROWED_FLOAT32(5, float32_int32_5)
ALL_ROUNDINGS(NARROWED_FLOAT64)
NARROWED_LOOP(clamp_int64_t_uint8_t, uint8_t, true, clamp_int32_t_uint8_t)
NARROWED_LOOP(clamp_int64_t_uint16_t, uint16_t, true, clamp_int32_t_uint16_t)
NARROWED_LOOP(clamp_uint64_t_uint8_t, uint8_t, false, clamp_int32_t_uint8_t)
NARROWED_LOOP(clamp_uint64_t_uint16_t, uint16_t, false, clamp_int32_t_uint16_t)
