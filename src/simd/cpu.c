/* SPDX-License-Identifier: MIT */
/*
 * Which of the flags of kernels.h this machine has. CPUID is asked directly: __builtin_cpu_supports reads a global that is
 * set by a constructor, which may not have run yet where a library is loaded late or called early.
 */
#include "simd/levels.h"

#if defined(ZL_SIMD_X86)
#include <cpuid.h>

/* Does the operating system save the 256-bit registers? */
static bool saves_ymm(unsigned leaf1_ecx) {
    const unsigned osxsave = 1u << 27, xmm_and_ymm = 6;
    if (!(leaf1_ecx & osxsave)) return false;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & xmm_and_ymm) == xmm_and_ymm;
}

unsigned zl_cpu_flags(void) {
    const unsigned ssse3 = 1u << 9, sse42 = 1u << 20, f16c = 1u << 29; /* leaf 1, ecx */
    const unsigned avx2 = 1u << 5;                                     /* leaf 7, ebx */
    unsigned flags = ZL_CPU_SSE2, a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return flags;
    if ((c & ssse3) && (c & sse42)) flags |= ZL_CPU_SSE42;
    if (!saves_ymm(c)) return flags;
    if (c & f16c) flags |= ZL_CPU_F16C;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & avx2)) flags |= ZL_CPU_AVX2;
    return flags;
}

#elif defined(ZL_SIMD_ARM) && defined(__linux__)
#include <sys/auxv.h>

unsigned zl_cpu_flags(void) {
    const unsigned long crc32 = 1ul << 7; /* HWCAP_CRC32 of <asm/hwcap.h> */
    return ZL_CPU_NEON | (getauxval(AT_HWCAP) & crc32 ? ZL_CPU_ARM_CRC : 0);
}

#elif defined(ZL_SIMD_ARM)

unsigned zl_cpu_flags(void) {
#if defined(__ARM_FEATURE_CRC32) /* part of the architecture this is compiled for, as on every Apple machine */
    return ZL_CPU_NEON | ZL_CPU_ARM_CRC;
#else
    return ZL_CPU_NEON;
#endif
}

#else

unsigned zl_cpu_flags(void) {
    return 0;
}

#endif
