/* SPDX-License-Identifier: MIT */
/* The loops of casts for x86-64 with AVX2 and F16C: instructions for float16 and for tables of bytes. */
#include "simd/levels.h"

#ifdef ZL_SIMD_X86
#include <immintrin.h>

#define NAME(x) ZL_JOIN(x, _avx2)
#define TARGET __attribute__((target("avx2,f16c")))
#include "simd/cast_integers.h"
#define SOFT_FLOAT16(X)
#define SOFT_LOOKUP(to, member)
#define SOFT_LOOKUP_32(...) __VA_ARGS__

#define SOFT_NARROW(...)
#define SOFT_SHORT(...)
#define LONG(name) long_##name
#define LONG_WRAP(name) long_##name
#define SOFT_WIDE(...) __VA_ARGS__
#define SOFT_ROUNDINGS(X) ALL_ROUNDINGS(X)
#define WIDE_BITS(integer) NAME(wide_bits)(integer)

#include "simd/cast_tmpl.h"

#include "simd/cast_avx2_narrow.h"

#include "simd/cast_avx2_integers.h"

/* ---- what two loops did, in one */

#include "simd/cast_fusions.h"

#define FUSIONS_OF(rounding)    \
    COMMON_FUSIONS_OF(rounding) \
    FUSION(int_float16_##rounding##_uint32_t, convert_int32_t_uint64_t, int64_float16_##rounding)

static const zl_cast_fusion fusions[] = {ALL_ROUNDINGS(FUSIONS_OF) COMMON_FUSIONS};
#define FUSIONS .fusions = fusions, .fusion_count = ZL_COUNT_OF(fusions)

/* ---- tables: a shuffle looks up four bits in sixteen entries, a row, and gives 0 where the top bit is set, which it is
 * after a subtraction of more than the element. The changes of all rows up to that of the element are added up. */

#define TABLE_VECTORS 4

TARGET static ZL_ALWAYS_INLINE __m256i row_of(const uint8_t *entries) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
}

/* `count` is a constant. */
TARGET static ZL_ALWAYS_INLINE void look_up(const zl_table_rows *rows, const __m256i *elements, __m256i *result,
                                            int count) {
    UNROLLED for (int i = 0; i < count; i++) {
        result[i] = _mm256_setzero_si256();
    }
    for (int half = 0; half < 2; half++) {
        __m256i within[TABLE_VECTORS]; /* negative, and so beyond no row, where no row counts */
        const __m256i mask = _mm256_set1_epi8((char)rows->first_mask), top = _mm256_set1_epi8(INT8_MIN);
        UNROLLED for (int i = 0; i < count; i++) {
            within[i] = half ? _mm256_xor_si256(elements[i], top) : _mm256_and_si256(elements[i], mask);
        }
        for (int k = 0; k < rows->count[half]; k++) {
            const __m256i row = row_of(rows->change[half][k]), first = _mm256_set1_epi32((int)rows->first[half][k]);
            UNROLLED for (int i = 0; i < count; i++) {
                const __m256i place = _mm256_subs_epi8(within[i], first);
                result[i] = _mm256_xor_si256(result[i], _mm256_shuffle_epi8(row, place));
            }
        }
    }
}

TARGET static ZL_ALWAYS_INLINE void look_up_block(const zl_cast_table *table, char *dst, const char *src, int width,
                                                  int count) {
    __m256i elements[TABLE_VECTORS], low[TABLE_VECTORS], high[TABLE_VECTORS];
    UNROLLED for (int i = 0; i < count; i++) {
        elements[i] = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)src + i), _mm256_set1_epi8((char)table->mask));
    }
    look_up(&table->rows[0], elements, low, count);
    if (width == 2) look_up(&table->rows[1], elements, high, count);
    UNROLLED for (int i = 0; i < count; i++) {
        __m256i *to = (__m256i *)dst + width * i;
        if (width == 1) {
            _mm256_storeu_si256(to, low[i]);
        } else {
            const __m256i a = _mm256_unpacklo_epi8(low[i], high[i]), b = _mm256_unpackhi_epi8(low[i], high[i]);
            _mm256_storeu_si256(to, _mm256_permute2x128_si256(a, b, 0x20));
            _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(a, b, 0x31));
        }
    }
}

#define HARD_LOOKUP(to)                                                                                              \
    TARGET static bool NAME(lookup_##to)(const zl_cast_params *params, void *restrict dst, const void *restrict src, \
                                         size_t n) {                                                                 \
        size_t i = 0;                                                                                                \
        for (; i + 128 <= n; i += 128) {                                                                             \
            look_up_block(params->table, (char *)dst + i * sizeof(to), (const char *)src + i, sizeof(to), 4);        \
        }                                                                                                            \
        if (i < n) look_up_block(params->table, (char *)dst + i * sizeof(to), (const char *)src + i, sizeof(to), 2); \
        return false;                                                                                                \
    }
HARD_LOOKUP(uint8_t)
HARD_LOOKUP(uint16_t)

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
