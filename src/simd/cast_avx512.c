/* SPDX-License-Identifier: MIT */
/*
 * The loops of casts for x86-64 with AVX-512, as Ice Lake and Zen 4 have it: conversions that round as told and know 64-bit
 * integers, shuffles that look up tables of 128 bytes. Floating point is in cast_avx512_narrow.h and _integers.h.
 */
#include "simd/levels.h"

#ifdef ZL_SIMD_X86
#include <immintrin.h>

#define NAME(x) ZL_JOIN(x, _avx512)
#define TARGET __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#include "simd/cast_integers.h"
#define SOFT_FLOAT16(X)
#define SOFT_LOOKUP(to, member)
#define SOFT_LOOKUP_32(...)
#define SOFT_NARROW(...)
#define SOFT_WIDE(...)
#define SOFT_ROUNDINGS(X) X(4)
#define SOFT_SHORT(...) __VA_ARGS__
#define LONG(name) name
#define LONG_WRAP(name) long_##name

/* An integer of at most 64 bits and a sign, modulo 2^64. */
TARGET static ZL_ALWAYS_INLINE uint64_t wide_bits(double integer) {
    const double size = __builtin_fabs(integer);
    const uint64_t magnitude = (uint64_t)(size < 0x1p64 ? size : 0); /* NaN, too */
    return integer < 0 ? -magnitude : magnitude;
}
#define WIDE_BITS(integer) wide_bits(integer)

#include "simd/cast_tmpl.h"

#include "simd/cast_avx512_narrow.h"

#include "simd/cast_avx512_integers.h"

/* ---- what two loops did, in one */

#include "simd/cast_fusions.h"

#define FUSIONS_OF(rounding)                                                \
    COMMON_FUSIONS_OF(rounding)                                             \
    FUSION(float32_int64_5, float16_##rounding, float16_int64_##rounding)   \
    FUSION(float32_uint64_5, float16_##rounding, float16_uint64_##rounding) \
    FUSION(float32_float64_5, float16_##rounding, float16_float64_##rounding)

static const zl_cast_fusion fusions[] = {
    ALL_ROUNDINGS(FUSIONS_OF) COMMON_FUSIONS FUSION(float32_float16_exact, float64_float32_exact, float64_float16_exact)};
#define FUSIONS .fusions = fusions, .fusion_count = ZL_COUNT_OF(fusions)

/* ---- tables of 256 bytes: both halves are looked up, and the top bit of the element chooses */

typedef struct plane {
    __m512i quarter[4];
} plane;

TARGET static ZL_ALWAYS_INLINE plane load_plane(const uint8_t *bytes) {
    return (plane){{_mm512_loadu_si512(bytes), _mm512_loadu_si512(bytes + 64), _mm512_loadu_si512(bytes + 128),
                    _mm512_loadu_si512(bytes + 192)}};
}

TARGET static ZL_ALWAYS_INLINE __m512i entry_of(const plane *p, __m512i v) {
    const __m512i low = _mm512_permutex2var_epi8(p->quarter[0], v, p->quarter[1]);
    const __m512i high = _mm512_permutex2var_epi8(p->quarter[2], v, p->quarter[3]);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(v), high);
}

TARGET static bool NAME(lookup_uint8_t)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                        size_t n) {
    const plane p = load_plane(params->table->plane[0]);
    for (size_t i = 0; i < n; i += 64) {
        const __m512i v = _mm512_loadu_si512((const char *)src + i);
        _mm512_storeu_si512((char *)dst + i, entry_of(&p, v));
    }
    return false;
}

TARGET static bool NAME(lookup_uint16_t)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                         size_t n) {
    const plane p = load_plane(params->table->plane[0]), q = load_plane(params->table->plane[1]);
    /* Which 64 bits of what is unpacked within 128 bits come one after the other. */
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (size_t i = 0; i < n; i += 64) {
        const __m512i v = _mm512_loadu_si512((const char *)src + i);
        const __m512i low = entry_of(&p, v), high = entry_of(&q, v);
        const __m512i a = _mm512_unpacklo_epi8(low, high), b = _mm512_unpackhi_epi8(low, high);
        _mm512_storeu_si512((char *)dst + 2 * i, _mm512_permutex2var_epi64(a, first, b));
        _mm512_storeu_si512((char *)dst + 2 * i + 64, _mm512_permutex2var_epi64(a, second, b));
    }
    return false;
}

/* Unpacking puts every fourth group of four elements into one vector, so they are dealt out first. */
TARGET static bool NAME(lookup_uint32_t)(const zl_cast_params *params, void *restrict dst, const void *restrict src,
                                         size_t n) {
    const __m512i deal = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    plane planes[4];
    for (int k = 0; k < 4; k++) {
        planes[k] = load_plane(params->table->plane[k]);
    }
    for (size_t i = 0; i < n; i += 64) {
        const __m512i v = _mm512_permutexvar_epi32(deal, _mm512_loadu_si512((const char *)src + i));
        const __m512i a = entry_of(&planes[0], v), b = entry_of(&planes[1], v), c = entry_of(&planes[2], v),
                      d = entry_of(&planes[3], v);
        const __m512i low[2] = {_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)},
                      high[2] = {_mm512_unpacklo_epi8(c, d), _mm512_unpackhi_epi8(c, d)};
        for (int k = 0; k < 2; k++) {
            char *const to = (char *)dst + 4 * i + 128 * k;
            _mm512_storeu_si512(to, _mm512_unpacklo_epi16(low[k], high[k]));
            _mm512_storeu_si512(to + 64, _mm512_unpackhi_epi16(low[k], high[k]));
        }
    }
    return false;
}

TARGET static ZL_ALWAYS_INLINE __m512i repeat_row(const uint8_t *entries) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)entries));
}

TARGET static bool NAME(refused)(const zl_cast_table *table, const void *src, size_t n) {
    const __m512i low_half = repeat_row(table->refused), high_half = repeat_row(table->refused + 16);
    const __m512i nibble = _mm512_set1_epi8(15), powers = _mm512_set1_epi64((int64_t)UINT64_C(0x8040201008040201));
    __mmask64 any = 0;
    for (size_t i = 0; i < n; i += 64) {
        const __m512i v = _mm512_loadu_si512((const char *)src + i);
        const __m512i low = _mm512_and_si512(v, nibble), high = _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble);
        const __m512i bits =
            _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low_half, low), _mm512_movepi8_mask(v), high_half, low);
        any |= _mm512_test_epi8_mask(bits, _mm512_shuffle_epi8(powers, high));
    }
    return any != 0;
}

#include "simd/cast_set_tmpl.h"

#endif
