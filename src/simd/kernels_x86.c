/* SPDX-License-Identifier: MIT */
/* The kernels of x86-64, one level after the other: the templates hold the algorithms, this file the instructions. */
#include "simd/levels.h"

#ifdef ZL_SIMD_X86
#include <immintrin.h>

#include "simd/crc32c_table.h"

/* ---- SSE2, which every x86-64 has: 16-byte tiles */

#define NAME(x) ZL_JOIN(x, _sse2)
#define TARGET __attribute__((target("sse2")))
#define VECTOR __m128i
#define LANES 1
#define LOAD(p, lane_step) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define ZIP(half, width, a, b)                       \
    ((width) == 1   ? _mm_unpack##half##_epi8(a, b)  \
     : (width) == 2 ? _mm_unpack##half##_epi16(a, b) \
     : (width) == 4 ? _mm_unpack##half##_epi32(a, b) \
                    : _mm_unpack##half##_epi64(a, b))
#define ZIP_LOW(width, a, b) ZIP(lo, width, a, b)
#define ZIP_HIGH(width, a, b) ZIP(hi, width, a, b)
#define BELOW zl_transpose_scalar
#include "simd/transpose_tmpl.h"
#undef NAME
#undef TARGET
#undef LOAD
#undef ZIP
#undef BELOW

void zl_stream_sse2(void *restrict dst, const void *restrict src, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(__m128i)) {
        _mm_stream_si128((__m128i *)((char *)dst + i), _mm_loadu_si128((const __m128i *)((const char *)src + i)));
    }
}

void zl_stream_end_sse2(void) {
    _mm_sfence();
}

/* ---- SSE4.2: the byte shuffle (of SSSE3, which it implies) and the CRC instruction */

#define NAME(x) ZL_JOIN(x, _sse42)
#define TARGET __attribute__((target("sse4.2")))
#define LOAD_INDEX(p) _mm_loadu_si128((const __m128i *)(p))
#define LOAD_ROW(p) _mm_loadu_si128((const __m128i *)(p))
#define SHUFFLE(v, index) _mm_shuffle_epi8(v, index)
#define ADD_8(crc, word) (uint32_t) _mm_crc32_u64(crc, word)
#define ADD_1(crc, byte) _mm_crc32_u8(crc, byte)
#include "simd/crc32c_tmpl.h"
#include "simd/swap_tmpl.h"
#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef STORE
#undef LOAD_INDEX
#undef LOAD_ROW
#undef SHUFFLE
#undef ADD_8
#undef ADD_1

/* ---- AVX2: two lanes */

#define NAME(x) ZL_JOIN(x, _avx2)
#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define LANES 2
#define LOAD(p, lane_step)                                                                 \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p))), \
                            _mm_loadu_si128((const __m128i *)((p) + (lane_step))), 1)
#define LOAD_ROW(p) _mm256_loadu_si256((const __m256i *)(p))
#define LOAD_INDEX(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define SHUFFLE(v, index) _mm256_shuffle_epi8(v, index)
#define ZIP(half, width, a, b)                          \
    ((width) == 1   ? _mm256_unpack##half##_epi8(a, b)  \
     : (width) == 2 ? _mm256_unpack##half##_epi16(a, b) \
     : (width) == 4 ? _mm256_unpack##half##_epi32(a, b) \
                    : _mm256_unpack##half##_epi64(a, b))
#define BELOW zl_transpose_sse2
#include "simd/swap_tmpl.h"
#include "simd/transpose_tmpl.h"
#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef LOAD
#undef LOAD_ROW
#undef LOAD_INDEX
#undef STORE
#undef SHUFFLE
#undef ZIP
#undef ZIP_LOW
#undef ZIP_HIGH
#undef BELOW

#endif
