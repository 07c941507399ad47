/* SPDX-License-Identifier: MIT */
/*
 * Which of the flags of kernels.h this machine has. CPUID is asked directly: __builtin_cpu_supports reads a global that is
 * set by a constructor, which may not have run yet where a library is loaded late or called early.
 */
#include "simd/levels.h"

#if defined(ZL_SIMD_X86)
#include <cpuid.h>

#define SAVES_YMM 0x06u /* and XMM */
#define SAVES_ZMM 0xe6u /* and mask registers */
/* Which registers the operating system saves. */
static unsigned saved_registers(unsigned leaf1_ecx) {
    const unsigned osxsave = 1u << 27;
    unsigned low = 0, high;
    if (leaf1_ecx & osxsave) __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

unsigned zl_cpu_flags(void) {
    const unsigned ssse3 = 1u << 9, sse42 = 1u << 20, f16c = 1u << 29; /* leaf 1, ecx */
    const unsigned avx2 = 1u << 5;                                     /* leaf 7, ebx */
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    const unsigned vbmi = 1u << 1;                                     /* leaf 7, ecx */
    unsigned flags = ZL_CPU_SSE2, a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return flags;
    if ((c & ssse3) && (c & sse42)) flags |= ZL_CPU_SSE42;
    const unsigned saved = saved_registers(c);
    if ((saved & SAVES_YMM) != SAVES_YMM) return flags;
    if (c & f16c) flags |= ZL_CPU_F16C;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return flags;
    if (b & avx2) flags |= ZL_CPU_AVX2;
    if ((saved & SAVES_ZMM) == SAVES_ZMM && (b & avx512) == avx512 && (c & vbmi)) flags |= ZL_CPU_AVX512;
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
