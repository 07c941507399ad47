/* SPDX-License-Identifier: MIT */
/*
 * The loops that decide how fast zarrlite is, chosen once for the CPU. Scalar code is the specification; every level gives
 * the same bytes. Kernels touch nothing outside the elements they are told of: the memory may be the user's.
 */
#ifndef ZL_SIMD_KERNELS_H
#define ZL_SIMD_KERNELS_H

#include "base/base.h"

#define ZL_CPU_SSE2 1u
#define ZL_CPU_SSE42 2u
#define ZL_CPU_AVX2 4u
#define ZL_CPU_F16C 8u
#define ZL_CPU_NEON 16u
#define ZL_CPU_ARM_CRC 32u
#define ZL_CPU_AVX512 64u /* F, BW, DQ, VL and VBMI: Ice Lake, Zen 4 and later ones */
/* What this machine has. Pure apart from asking the CPU. */
unsigned zl_cpu_flags(void);

struct zl_cast_loops;

typedef struct zl_kernels {
    /* `count` elements of `width` (1, 2, 4, 8) bytes: reverse the bytes of each. dst == src or no overlap; unaligned. */
    void (*swap)(void *dst, const void *src, size_t width, size_t count);
    /* Transposed tile copies: rows x columns elements of `width` (1, 2, 4, 8, 16). Element (r, c) is at src + r*src_row +
     * c*width and goes to dst + r*width + c*dst_column: contiguous along c in src, along r in dst. Any signs. */
    void (*transpose)(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                      size_t columns);
    /* Is every one of `count` contiguous elements of `size` bytes (any size) equal to `element` by bits? */
    bool (*all_equal)(const void *data, const void *element, size_t size, size_t count);
    /* `count` contiguous copies of an element of `size` bytes. */
    void (*fill)(void *dst, const void *element, size_t size, size_t count);
    /* CRC-32C (Castagnoli) continued from `crc` (start with 0). */
    uint32_t (*crc32c)(uint32_t crc, const void *data, size_t size);
    /* Loops for simd/cast.h; NULL: element by element. */
    const struct zl_cast_loops *cast;
} zl_kernels;

/* A pure function of the flags: scalar first, then a ladder. */
void zl_kernels_select(unsigned cpu_flags, zl_kernels *out);
/* The selection for this machine. Thread-safe. */
const zl_kernels *zl_kernels_get(void);

/* ---- copies of boxes between strided memories: `rank` axes, byte strides of any sign, `size` bytes an element.
 * Unit axes are dropped, axes merged, rows copied by memcpy or register tiles. */
void zl_copy_nd(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *src,
                const int64_t *src_stride, size_t size);
/* The same with the bytes of each unit of `swap_width` (2, 4, 8; divides `size`) reversed. 0 and 1: as they are. */
void zl_copy_nd_swap(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *src,
                     const int64_t *src_stride, size_t size, size_t swap_width);
/* One element everywhere. */
void zl_fill_nd(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *element, size_t size);

#endif
