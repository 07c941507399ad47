/* SPDX-License-Identifier: MIT */
/*
 * Part of cast_avx512.c: casts from floating point to integers, by intrinsics, put together as those of
 * cast_avx512_narrow.h are.
 */
/* ---- to integers */

typedef struct integer_format {
    __m512 low, high, pass_low, pass_high;
    __m512i top;
} integer_format;

TARGET static ZL_ALWAYS_INLINE integer_format integer_begin(const zl_cast_params *params) {
    return (integer_format){_mm512_set1_ps((float)params->low), _mm512_set1_ps((float)params->high),
                            _mm512_set1_ps((float)params->pass_low), _mm512_set1_ps((float)params->pass_high),
                            EVERY(params->top)};
}

TARGET static ZL_ALWAYS_INLINE __m512i integer(__m512 v, int rounding, const integer_format *format, __mmask16 *bad) {
    const __m512 rounded = to_integer(v, rounding);
    const __mmask16 above = _mm512_cmp_ps_mask(rounded, format->pass_low, _CMP_GE_OQ);
    *bad |= (__mmask16)~_mm512_mask_cmp_ps_mask(above, rounded, format->pass_high, _CMP_LE_OQ);
    return _mm512_cvttps_epi32(_mm512_min_ps(_mm512_max_ps(rounded, format->low), format->high));
}

/* 32 bits, whose largest number is no float32. */
typedef integer_format full_format;
#define full_begin integer_begin

TARGET static ZL_ALWAYS_INLINE __m512i full(__m512 v, int rounding, const full_format *format, __mmask16 *bad) {
    const __m512i value = integer(v, rounding, format, bad);
    return _mm512_mask_mov_epi32(value, _mm512_cmp_ps_mask(to_integer(v, rounding), format->high, _CMP_GT_OQ), format->top);
}

TARGET static ZL_ALWAYS_INLINE __m512i full_unsigned(__m512 v, int rounding, const full_format *format, __mmask16 *bad) {
    const __m512 rounded = to_integer(v, rounding);
    const __mmask16 above = _mm512_cmp_ps_mask(rounded, format->pass_low, _CMP_GE_OQ);
    *bad |= (__mmask16)~_mm512_mask_cmp_ps_mask(above, rounded, format->pass_high, _CMP_LE_OQ);
    const __m512i value = _mm512_cvttps_epu32(_mm512_min_ps(_mm512_max_ps(rounded, format->low), format->high));
    return _mm512_mask_mov_epi32(value, _mm512_cmp_ps_mask(rounded, format->high, _CMP_GT_OQ), format->top);
}
typedef full_format full_unsigned_format;
#define full_unsigned_begin full_begin

TARGET static ZL_ALWAYS_INLINE __m512i to_int32(__m512 v, int rounding) {
#define CONVERT(mode) _mm512_cvt_roundps_epi32(v, mode)
    BY_MODE(rounding, CONVERT, _mm512_cvttps_epi32(away_from_zero(v, _mm512_set1_ps(0.5f))))
#undef CONVERT
}

/* The low bits: floats that are too large for int32 become -2^31, and are multiples of 2^8 themselves; those with eight
 * digits, of 2^24. Infinities and NaN cannot be done. */
#define NOT_FINITE(v) _mm512_fpclass_ps_mask(v, 0x99) /* NaN of both kinds, infinities of either sign */
typedef same_format wrapped_format;
#define wrapped_begin same_begin

TARGET static ZL_ALWAYS_INLINE __m512i wrapped(__m512 v, int rounding, const wrapped_format *format, __mmask16 *bad) {
    (void)format;
    *bad |= NOT_FINITE(v);
    return to_int32(v, rounding);
}

/* 8 bits: clamped as 16-bit lanes, to which int32 saturates. Where what is clamped is refused, this finds all that cannot
 * be done, since int32 becomes -2^31 for it; else numbers must not be too large for int32, and infinities and NaN are
 * looked for. All arguments but the memories are constants. */
TARGET static ZL_ALWAYS_INLINE bool to_bytes(const zl_cast_params *params, char *dst, const void *src, size_t n,
                                             source from, int rounding, bool refuses) {
    const __m512 end = _mm512_set1_ps(0x1p24f);
    const __m512i low = _mm512_set1_epi16((short)params->low), high = _mm512_set1_epi16((short)params->high);
    const __m512i order = _mm512_castsi256_si512(LOAD_256(unpacked));
    __m512i changed = _mm512_setzero_si512();
    __mmask16 bad = 0;
    for (size_t i = 0; i < n; i += 32) {
        __m512 a = load_from(from, src, i), b = load_from(from, src, i + 16);
        if (!refuses) {
            bad |= NOT_FINITE(a) | NOT_FINITE(b);
            a = _mm512_min_ps(a, end);
            b = _mm512_min_ps(b, end);
        }
        const __m512i both = _mm512_packs_epi32(to_int32(a, rounding), to_int32(b, rounding));
        const __m512i clamped = _mm512_min_epi16(_mm512_max_epi16(both, low), high);
        if (refuses) changed = _mm512_ternarylogic_epi32(changed, both, clamped, 0xf6); /* a | (b ^ c) */
        const __m512i bytes = _mm512_permutexvar_epi8(order, clamped);
        _mm256_storeu_si256((__m256i *)(dst + i), _mm512_castsi512_si256(bytes));
    }
    return bad != 0 || _mm512_test_epi32_mask(changed, changed) != 0;
}

/* Where float16 wraps, the range is that of float16. */
#define BYTE_LOOP(name, from, rounding, wrapping)                                                                         \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n) { \
        if (params->high > INT16_MAX) return NAME(wrapping)(params, dst, src, n);                                         \
        if (params->pass_low >= params->low) return to_bytes(params, dst, src, n, from, rounding, true);                  \
        return to_bytes(params, dst, src, n, from, rounding, false);                                                      \
    }

#define INTEGER_LOOPS(rounding)                                                                               \
    VECTOR_LOOP(wrap_float_##rounding##_uint8_t, FROM_FLOAT32, wrapped, rounding, STORE_8)                    \
    VECTOR_LOOP(wrap_float16_##rounding##_uint8_t, FROM_FLOAT16, wrapped, rounding, STORE_8)                  \
    VECTOR_LOOP(wrap_bfloat16_##rounding##_uint8_t, FROM_BFLOAT16, wrapped, rounding, STORE_8)                \
    VECTOR_LOOP(wrap_bfloat16_##rounding##_uint16_t, FROM_BFLOAT16, wrapped, rounding, STORE_16)              \
    BYTE_LOOP(int_float_##rounding##_uint8_t, FROM_FLOAT32, rounding, wrap_float_##rounding##_uint8_t)        \
    BYTE_LOOP(int_float16_##rounding##_uint8_t, FROM_FLOAT16, rounding, wrap_float16_##rounding##_uint8_t)    \
    BYTE_LOOP(int_bfloat16_##rounding##_uint8_t, FROM_BFLOAT16, rounding, wrap_bfloat16_##rounding##_uint8_t) \
    VECTOR_LOOP(int_float_##rounding##_uint16_t, FROM_FLOAT32, integer, rounding, STORE_16)                   \
    VECTOR_LOOP(int_float_##rounding##_uint32_t, FROM_FLOAT32, full, rounding, STORE_32)                      \
    VECTOR_LOOP(uint32_float_##rounding, FROM_FLOAT32, full_unsigned, rounding, STORE_32)                     \
    VECTOR_LOOP(int_float16_##rounding##_uint16_t, FROM_FLOAT16, integer, rounding, STORE_16)                 \
    VECTOR_LOOP(int_float16_##rounding##_uint32_t, FROM_FLOAT16, full, rounding, STORE_32)                    \
    VECTOR_LOOP(uint32_float16_##rounding, FROM_FLOAT16, full_unsigned, rounding, STORE_32)                   \
    VECTOR_LOOP(int_bfloat16_##rounding##_uint16_t, FROM_BFLOAT16, integer, rounding, STORE_16)               \
    VECTOR_LOOP(int_bfloat16_##rounding##_uint32_t, FROM_BFLOAT16, full, rounding, STORE_32)                  \
    VECTOR_LOOP(uint32_bfloat16_##rounding, FROM_BFLOAT16, full_unsigned, rounding, STORE_32)
ALL_ROUNDINGS(INTEGER_LOOPS)

/* ---- to 64-bit integers, in float64 */

typedef struct wide_format {
    __m512d low, high, pass_low, pass_high;
    __m512i top;
    __m512 short_low, short_pass_low;
} wide_format;

TARGET static ZL_ALWAYS_INLINE wide_format wide_begin(const zl_cast_params *params) {
    return (wide_format){_mm512_set1_pd(params->low),
                         _mm512_set1_pd(params->high),
                         _mm512_set1_pd(params->pass_low),
                         _mm512_set1_pd(params->pass_high),
                         _mm512_set1_epi64((int64_t)params->top),
                         _mm512_set1_ps((float)params->low),
                         _mm512_set1_ps((float)params->pass_low)};
}

/* Negative numbers are converted as signed ones, the others as unsigned. */
TARGET static ZL_ALWAYS_INLINE __m512i wide(__m256 rounded, const wide_format *format, __mmask8 *bad) {
    const __m512d v = _mm512_cvtps_pd(rounded);
    const __mmask8 above = _mm512_cmp_pd_mask(v, format->pass_low, _CMP_GE_OQ);
    *bad |= (__mmask8)~_mm512_mask_cmp_pd_mask(above, v, format->pass_high, _CMP_LE_OQ);
    const __m512d clamped = _mm512_min_pd(_mm512_max_pd(v, format->low), format->high);
    const __mmask8 negative = _mm512_movepi64_mask(_mm512_castpd_si512(clamped));
    const __m512i value = _mm512_mask_cvttpd_epi64(_mm512_cvttpd_epu64(clamped), negative, clamped);
    return _mm512_mask_mov_epi64(value, _mm512_cmp_pd_mask(v, format->high, _CMP_GT_OQ), format->top);
}

/* Numbers that int32 holds, which most data are. */
TARGET static ZL_ALWAYS_INLINE bool is_short(__m512 rounded) {
    return _mm512_cmp_ps_mask(_mm512_abs_ps(rounded), _mm512_set1_ps(0x1p31f), _CMP_LT_OQ) == UINT16_MAX;
}

TARGET static ZL_ALWAYS_INLINE void store_short(char *dst, __m512 rounded, const wide_format *format, __mmask8 *bad) {
    const __m512i value = _mm512_cvttps_epi32(_mm512_max_ps(rounded, format->short_low));
    const __mmask16 below = _mm512_cmp_ps_mask(rounded, format->short_pass_low, _CMP_LT_OQ);
    *bad |= (__mmask8)(below | below >> 8);
    _mm512_storeu_si512(dst, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(value)));
    _mm512_storeu_si512(dst + 64, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(value, 1)));
}

#define WIDE_LOOP(name, from, rounding)                                                                                    \
    TARGET static bool NAME(name##_##rounding)(const zl_cast_params *params, void *restrict dst, const void *restrict src, \
                                               size_t n) {                                                                 \
        const wide_format format = wide_begin(params);                                                                     \
        __mmask8 bad = 0;                                                                                                  \
        for (size_t i = 0; i < n; i += 16) {                                                                               \
            const __m512 rounded = to_integer(load_from(from, src, i), rounding);                                          \
            char *const to = (char *)dst + 8 * i;                                                                          \
            if (is_short(rounded)) {                                                                                       \
                store_short(to, rounded, &format, &bad);                                                                   \
                continue;                                                                                                  \
            }                                                                                                              \
            _mm512_storeu_si512(to, wide(_mm512_castps512_ps256(rounded), &format, &bad));                                 \
            _mm512_storeu_si512(to + 64, wide(_mm512_extractf32x8_ps(rounded, 1), &format, &bad));                         \
        }                                                                                                                  \
        return bad != 0;                                                                                                   \
    }

/* Modulo 2^16, 2^32 and 2^64: of numbers that int32 holds, the low bits of what that is; for 64 elements with others, plain
 * C. Arguments behind `n` are constants. */
TARGET static ZL_ALWAYS_INLINE bool wrap_short(const zl_cast_params *params, char *dst, const char *src, size_t n,
                                               source from, int rounding, size_t width, zl_cast_loop otherwise) {
    const size_t from_width = from == FROM_BFLOAT16 ? 2 : 4;
    bool bad = false;
    for (; n > 0; n -= UNIT, dst += UNIT * width, src += UNIT * from_width) {
        __mmask16 all = UINT16_MAX;
        for (size_t i = 0; i < UNIT; i += 16) {
            const __m512 v = load_from(from, src, i);
            const __m512i value = to_int32(v, rounding);
            char *const to = dst + width * i;
            all = _mm512_mask_cmp_ps_mask(all, _mm512_abs_ps(v), _mm512_set1_ps(0x1p31f), _CMP_LT_OQ);
            if (width == 2) _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(value));
            if (width >= 4)
                _mm512_storeu_si512(to, width == 4 ? value : _mm512_cvtepi32_epi64(_mm512_castsi512_si256(value)));
            if (width == 8) _mm512_storeu_si512(to + 64, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(value, 1)));
        }
        if (all != UINT16_MAX) bad |= otherwise(params, dst, src, UNIT);
    }
    return bad;
}

#define WRAP_LOOP(name, from, rounding, to)                                                                               \
    TARGET static bool NAME(name)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n) { \
        return wrap_short(params, dst, src, n, from, rounding, sizeof(to), NAME(long_##name));                            \
    }
#define FLOAT_OF_UPPER(x) FLOAT((uint32_t)(x) << 16)
#define WIDE_INTEGER_LOOPS(rounding)                                                                                     \
    WIDE_LOOP(int64_float, FROM_FLOAT32, rounding)                                                                       \
    WIDE_LOOP(int64_bfloat16, FROM_BFLOAT16, rounding)                                                                   \
    LOOP(long_wrap64_float_##rounding, float, uint64_t, uint64_t, NAME(double_wrap)((double)x[i], rounding, true, &bad)) \
    LOOP(long_wrap_bfloat16_##rounding##_uint32_t, uint16_t, uint32_t, uint32_t,                                         \
         NAME(float_wrap)(FLOAT_OF_UPPER(x[i]), rounding, false, &bad))                                                  \
    LOOP(long_wrap64_bfloat16_##rounding, uint16_t, uint64_t, uint64_t,                                                  \
         NAME(double_wrap)((double)FLOAT_OF_UPPER(x[i]), rounding, true, &bad))                                          \
    WRAP_LOOP(wrap_float_##rounding##_uint16_t, FROM_FLOAT32, rounding, uint16_t)                                        \
    WRAP_LOOP(wrap_float_##rounding##_uint32_t, FROM_FLOAT32, rounding, uint32_t)                                        \
    WRAP_LOOP(wrap64_float_##rounding, FROM_FLOAT32, rounding, uint64_t)                                                 \
    WRAP_LOOP(wrap_bfloat16_##rounding##_uint32_t, FROM_BFLOAT16, rounding, uint32_t)                                    \
    WRAP_LOOP(wrap64_bfloat16_##rounding, FROM_BFLOAT16, rounding, uint64_t)
ALL_ROUNDINGS(WIDE_INTEGER_LOOPS)
