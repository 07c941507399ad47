/* SPDX-License-Identifier: MIT */
/* The loops of casts for x86-64 with AVX2 and F16C: instructions for float16 and for tables of bytes. */
#include "simd/levels.h"

#ifdef ZL_SIMD_X86
#include <immintrin.h>

#define NAME(x) ZL_JOIN(x, _avx2)
#define TARGET __attribute__((target("avx2,f16c")))
#define RINT_float(x) __builtin_rintf(x)
#define TRUNC_float(x) __builtin_truncf(x)
#define CEIL_float(x) __builtin_ceilf(x)
#define FLOOR_float(x) __builtin_floorf(x)
#define RINT_double(x) __builtin_rint(x)
#define TRUNC_double(x) __builtin_trunc(x)
#define CEIL_double(x) __builtin_ceil(x)
#define FLOOR_double(x) __builtin_floor(x)
#define SOFT_FLOAT16(X) X(4)
#define SOFT_LOOKUP(to, member)

#include "simd/cast_tmpl.h"

/* ---- float16 */

TARGET static bool NAME(float32_float16_exact)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                               size_t n) {
    const char *x = src;
    float *y = dst;
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    (void)params;
    for (size_t i = 0; i < n; i += 8) {
        const __m256 v = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + 2 * i)));
        _mm256_storeu_ps(y + i, _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
    }
    return false;
}

/* Numbers that are out of range become infinite first: the instruction rounds them to the largest number otherwise. */
#define FLOAT32_FLOAT16(rounding, mode)                                                                                    \
    TARGET static bool NAME(float16_##rounding)(const zl_cast_params *params, void *restrict dst,                          \
                                                const void *restrict src, size_t n) {                                      \
        const zl_small_float *small = &params->small;                                                                      \
        const __m256i infinity = _mm256_set1_epi32(0x7f800000), sign_mask = _mm256_set1_epi32(INT32_MIN);                  \
        const __m256i last[2] = {_mm256_set1_epi32((int)small->float16_end[0] - 1),                                        \
                                 _mm256_set1_epi32((int)small->float16_end[1] - 1)};                                       \
        const __m256i over_below = _mm256_set1_epi32((int)small->over_below);                                              \
        const __m256i nan = _mm256_set1_epi32(0x7fc00000);                                                                 \
        __m256i bad = _mm256_setzero_si256();                                                                              \
        const char *x = src;                                                                                               \
        char *y = dst;                                                                                                     \
        for (size_t i = 0; i < n; i += 8) {                                                                                \
            const __m256i v = _mm256_loadu_si256((const __m256i *)(x + 4 * i));                                            \
            const __m256i sign = _mm256_and_si256(v, sign_mask), size = _mm256_xor_si256(v, sign);                         \
            const __m256i end =                                                                                            \
                (rounding) < 2 ? last[0]                                                                                   \
                               : _mm256_castps_si256(_mm256_blendv_ps(                                                     \
                                     _mm256_castsi256_ps(last[0]), _mm256_castsi256_ps(last[1]), _mm256_castsi256_ps(v))); \
            const __m256i over = _mm256_cmpgt_epi32(size, end);                                                            \
            bad = _mm256_or_si256(bad, _mm256_and_si256(over, _mm256_cmpgt_epi32(over_below, size)));                      \
            __m256i ended = _mm256_blendv_epi8(v, _mm256_or_si256(infinity, sign), over);                                  \
            ended = _mm256_blendv_epi8(ended, nan, _mm256_cmpgt_epi32(size, infinity));                                    \
            _mm_storeu_si128((__m128i *)(y + 2 * i), _mm256_cvtps_ph(_mm256_castsi256_ps(ended), mode));                   \
        }                                                                                                                  \
        return !_mm256_testz_si256(bad, bad);                                                                              \
    }
FLOAT32_FLOAT16(0, _MM_FROUND_TO_NEAREST_INT)
FLOAT32_FLOAT16(1, _MM_FROUND_TO_ZERO)
FLOAT32_FLOAT16(2, _MM_FROUND_TO_POS_INF)
FLOAT32_FLOAT16(3, _MM_FROUND_TO_NEG_INF)

/* ---- tables of bytes: a shuffle looks up the low four bits in sixteen entries. Subtracting the first code of those leaves
 * 0..15 for elements that belong to them; adding 0x70 with saturation sets the top bit of all others, for which the shuffle
 * gives 0. */

TARGET static __m256i row_of(const uint8_t *entries) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
}

TARGET static bool NAME(lookup_uint8_t)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                        size_t n) {
    const zl_cast_table *table = params->table;
    const __m256i outside = _mm256_set1_epi8(0x70);
    const char *x = src;
    char *y = dst;
    for (size_t i = 0; i < n; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(x + i));
        __m256i result = _mm256_setzero_si256();
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) {
            const __m256i index = _mm256_xor_si256(v, _mm256_set1_epi8((char)(k << 4)));
            const __m256i entry = _mm256_shuffle_epi8(row_of(table->value.u8 + 16 * k), _mm256_adds_epu8(index, outside));
            result = _mm256_or_si256(result, entry);
        }
        _mm256_storeu_si256((__m256i *)(y + i), result);
    }
    return false;
}

TARGET static bool NAME(refused)(const zl_cast_table *table, const void *src, size_t n) {
    const __m256i low_half = row_of(table->refused), high_half = row_of(table->refused + 16);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i powers =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128));
    __m256i any = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)((const char *)src + i));
        const __m256i low = _mm256_and_si256(v, nibble), high = _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble);
        const __m256i bits = _mm256_blendv_epi8(_mm256_shuffle_epi8(low_half, low), _mm256_shuffle_epi8(high_half, low), v);
        any = _mm256_or_si256(any, _mm256_and_si256(bits, _mm256_shuffle_epi8(powers, high)));
    }
    return !_mm256_testz_si256(any, any);
}

#include "simd/cast_set_tmpl.h"

#endif
