/* SPDX-License-Identifier: MIT */
/* The kernels of 64-bit ARM: the templates hold the algorithms, this file the instructions. */
#include "simd/levels.h"

#ifdef ZL_SIMD_ARM
#include <arm_neon.h>

#include "simd/crc32c_table.h"

/* ---- NEON, which every 64-bit ARM has */

#define NAME(x) ZL_JOIN(x, _neon)
#define TARGET
#define VECTOR uint8x16_t
#define LANES 1
#define LOAD(p, lane_step) vld1q_u8((const uint8_t *)(p))
#define LOAD_ROW(p) vld1q_u8((const uint8_t *)(p))
#define LOAD_INDEX(p) vld1q_u8(p)
#define STORE(p, v) vst1q_u8((uint8_t *)(p), v)
#define SHUFFLE(v, index) vqtbl1q_u8(v, index)
#define ZIP_AS(bits, half, a, b) \
    vreinterpretq_u8_u##bits(vzip##half##q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b)))
#define ZIP(half, width, a, b)               \
    ((width) == 1   ? vzip##half##q_u8(a, b) \
     : (width) == 2 ? ZIP_AS(16, half, a, b) \
     : (width) == 4 ? ZIP_AS(32, half, a, b) \
                    : ZIP_AS(64, half, a, b))
#define ZIP_LOW(width, a, b) ZIP(1, width, a, b)
#define ZIP_HIGH(width, a, b) ZIP(2, width, a, b)
#define BELOW zl_transpose_scalar
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
#undef ZIP_AS
#undef ZIP
#undef ZIP_LOW
#undef ZIP_HIGH
#undef BELOW

/* ---- the CRC extension. Its instructions are written out: arm_acle.h hides the intrinsics from files that are not
 * compiled for the extension as a whole, and compilers disagree on how to ask for it by an attribute. */

static ZL_ALWAYS_INLINE uint32_t arm_crc_8(uint32_t crc, uint64_t word) {
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    return crc;
}

static ZL_ALWAYS_INLINE uint32_t arm_crc_1(uint32_t crc, uint8_t byte) {
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
    return crc;
}

#define NAME(x) ZL_JOIN(x, _arm)
#define TARGET
#define ADD_8(crc, word) arm_crc_8(crc, word)
#define ADD_1(crc, byte) arm_crc_1(crc, byte)
#include "simd/crc32c_tmpl.h"
#undef NAME
#undef TARGET
#undef ADD_8
#undef ADD_1

#endif
