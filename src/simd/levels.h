/* SPDX-License-Identifier: MIT */
/* Internal to simd/: what each level of kernels implements. kernels.h says what the functions do; select.c picks them. */
#ifndef ZL_SIMD_LEVELS_H
#define ZL_SIMD_LEVELS_H

#include <float.h>

#include "simd/cast_loops.h"
#include "simd/kernels.h"

/* 32-bit x86 lacks the 64-bit crc32 instruction and half of the registers; big-endian ARM numbers its lanes otherwise.
 * Both stay with the scalar kernels. */
#if defined(__x86_64__)
#define ZL_SIMD_X86 1
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ZL_SIMD_ARM 1
#endif

/* Arithmetic wider than its types (x87) rounds twice: those machines cast element by element. */
#if FLT_EVAL_METHOD == 0
#define ZL_SIMD_CAST 1
#define ZL_CAST_PLAIN &zl_cast_loops_plain
#else
#define ZL_CAST_PLAIN NULL
#endif

#ifdef ZL_SIMD_X86
#define ZL_STREAM zl_stream_sse2
#define ZL_STREAM_END zl_stream_end_sse2
#else
#define ZL_STREAM NULL
#define ZL_STREAM_END NULL
#endif

#define ZL_ALWAYS_INLINE inline __attribute__((always_inline))
#define ZL_JOIN_(a, b) a##b
#define ZL_JOIN(a, b) ZL_JOIN_(a, b)

void zl_swap_scalar(void *dst, const void *src, size_t width, size_t count);
void zl_transpose_scalar(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                         size_t columns);
bool zl_all_equal_scalar(const void *data, const void *element, size_t size, size_t count);
void zl_fill_scalar(void *dst, const void *element, size_t size, size_t count);
uint32_t zl_crc32c_scalar(uint32_t crc, const void *data, size_t size);
extern const zl_cast_loops zl_cast_loops_plain; /* where ZL_SIMD_CAST is defined */

#ifdef ZL_SIMD_X86
void zl_stream_sse2(void *restrict dst, const void *restrict src, size_t size);
void zl_stream_end_sse2(void);
void zl_transpose_sse2(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                       size_t columns);
void zl_swap_sse42(void *dst, const void *src, size_t width, size_t count);
uint32_t zl_crc32c_sse42(uint32_t crc, const void *data, size_t size);
void zl_swap_avx2(void *dst, const void *src, size_t width, size_t count);
void zl_transpose_avx2(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                       size_t columns);
extern const zl_cast_loops zl_cast_loops_avx2; /* and F16C */
extern const zl_cast_loops zl_cast_loops_avx512;
#endif

#ifdef ZL_SIMD_ARM
void zl_swap_neon(void *dst, const void *src, size_t width, size_t count);
void zl_transpose_neon(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                       size_t columns);
uint32_t zl_crc32c_arm(uint32_t crc, const void *data, size_t size);
#endif

#endif
