/* SPDX-License-Identifier: MIT */
/* The ladder of kernel levels, and the choice of one for this machine. */
#include <stdatomic.h>

#include "simd/levels.h"

typedef struct kernel_level {
    unsigned needs; /* all of these flags */
    zl_kernels kernels;
} kernel_level;

#define LEVEL(flags, swap_fn, transpose_fn, crc32c_fn, cast_loops) \
    {                                                              \
        .needs = (flags), .kernels = {                             \
            .swap = (swap_fn),                                     \
            .transpose = (transpose_fn),                           \
            .all_equal = zl_all_equal_scalar,                      \
            .fill = zl_fill_scalar,                                \
            .crc32c = (crc32c_fn),                                 \
            .cast = (cast_loops)                                   \
        }                                                          \
    }
/* From the least to the most demanding. */
static const kernel_level levels[] = {
    LEVEL(0, zl_swap_scalar, zl_transpose_scalar, zl_crc32c_scalar, ZL_CAST_PLAIN),
#if defined(ZL_SIMD_X86)
    LEVEL(ZL_CPU_SSE2, zl_swap_scalar, zl_transpose_sse2, zl_crc32c_scalar, ZL_CAST_PLAIN),
    LEVEL(ZL_CPU_SSE2 | ZL_CPU_SSE42, zl_swap_sse42, zl_transpose_sse2, zl_crc32c_sse42, ZL_CAST_PLAIN),
    LEVEL(ZL_CPU_SSE2 | ZL_CPU_SSE42 | ZL_CPU_AVX2, zl_swap_avx2, zl_transpose_avx2, zl_crc32c_sse42, ZL_CAST_PLAIN),
    LEVEL(ZL_CPU_SSE2 | ZL_CPU_SSE42 | ZL_CPU_AVX2 | ZL_CPU_F16C, zl_swap_avx2, zl_transpose_avx2, zl_crc32c_sse42,
          &zl_cast_loops_avx2),
    LEVEL(ZL_CPU_SSE2 | ZL_CPU_SSE42 | ZL_CPU_AVX2 | ZL_CPU_F16C | ZL_CPU_AVX512, zl_swap_avx2, zl_transpose_avx2,
          zl_crc32c_sse42, &zl_cast_loops_avx512),
#elif defined(ZL_SIMD_ARM)
    LEVEL(ZL_CPU_NEON, zl_swap_neon, zl_transpose_neon, zl_crc32c_scalar, ZL_CAST_PLAIN),
    LEVEL(ZL_CPU_NEON | ZL_CPU_ARM_CRC, zl_swap_neon, zl_transpose_neon, zl_crc32c_arm, ZL_CAST_PLAIN),
#endif
};
#undef LEVEL

static const zl_kernels *best_level(unsigned cpu_flags) {
    const zl_kernels *best = &levels[0].kernels;
    for (size_t i = 1; i < ZL_COUNT_OF(levels); i++) {
        if ((cpu_flags & levels[i].needs) == levels[i].needs) best = &levels[i].kernels;
    }
    return best;
}

void zl_kernels_select(unsigned cpu_flags, zl_kernels *out) {
    *out = *best_level(cpu_flags);
}

const zl_kernels *zl_kernels_get(void) {
    /* Asking the CPU is slow under a hypervisor. Threads that race here store the same address of constant data. */
    static const zl_kernels *_Atomic chosen;
    const zl_kernels *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (kernels == NULL) {
        kernels = best_level(zl_cpu_flags());
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}
