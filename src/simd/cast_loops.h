/* SPDX-License-Identifier: MIT */
/*
 * Internal to the cast engine: the loops that conversions are put together from, one set per CPU level. Each takes one
 * simple step over blocks; cast_plan.c chains up to four of them.
 *
 * A loop converts `n` elements, a multiple of ZL_CAST_UNIT, and returns whether it met one that it cannot do: then its
 * output does not count, and the block is done element by element. Pointers are aligned and do not overlap.
 */
#ifndef ZL_SIMD_CAST_LOOPS_H
#define ZL_SIMD_CAST_LOOPS_H

#include "base/base.h"

#define ZL_CAST_UNIT 64

/* Roundings that loops know: those of zl_rounding, in its order, and rounding to odd (what lies between two values becomes
 * the one whose last bit is set), after which another rounding to two bits fewer is as if it were the only one. */
#define ZL_CAST_ROUNDINGS 5
#define ZL_ROUND_ODD 5

/* What a floating-point format of up to 16 bits needs when values come as float32 bits. */
typedef struct zl_small_float {
    uint32_t shift;      /* from the mantissa of a float32 to that of the format */
    uint32_t rebias;     /* difference of the exponents' biases, in place */
    uint32_t min_normal; /* bits of the smallest normal number; smaller ones are multiples of */
    float grid;          /* 2^23 times the smallest number */
    float half;          /* of the smallest number */
    uint32_t largest;    /* code of the largest finite number */
    uint32_t overflow;   /* code that stands for larger ones */
    uint32_t nan;        /* code */
    uint32_t sign;       /* mask */
    uint32_t sign_from;  /* smallest magnitude that has a sign: 1 where there is no -0 */
    /* Elements that the loop cannot do. */
    uint32_t over_below;                /* out of range, and magnitude bits below this: all bits set or 0 */
    uint32_t stop_first, stop_span;     /* magnitude bits in this interval: infinities, NaN */
    uint32_t accept_first, accept_span; /* bits (with sign) not in this interval */
    uint32_t float16_end[2];            /* first magnitude bits out of range, by sign, for the float16 instructions */
} zl_small_float;

/* A plane of a table for shuffles of sixteen bytes. Row k of a half holds how entries 16 k to 16 k + 15 differ, by
 * exclusive or, from the row before; the first row, from 0. The second half may count from the entries of the first, as
 * where only the sign is another. Rows without a difference are left out. */
typedef struct zl_table_rows {
    uint8_t first_mask; /* of elements for the first half: whether it takes part in the second */
    int count[2];       /* of each half */
    uint32_t first[2][8];
    uint8_t change[2][8][16];
} zl_table_rows; /* `first`: that of the row within its half, in all four bytes */

/* A table from all 8-bit elements to elements of any width, those of up to 32 bits also as planes of their bytes, from the
 * lowest to the highest. */
typedef struct zl_cast_table {
    union {
        uint8_t u8[256];
        uint16_t u16[256];
        uint32_t u32[256];
        uint64_t u64[256];
    } value;
    uint8_t plane[4][256];
    zl_table_rows rows[2]; /* of the first planes; bits that `mask` does not have are not looked at */
    uint8_t mask;
    bool any_refused;
    uint8_t refused[32]; /* bit (element >> 4) % 8 of byte element % 16 + 16 * (element >> 7): as shuffles look it up */
} zl_cast_table;

typedef struct zl_cast_params {
    /* integer -> integer */
    int64_t int_low;
    uint64_t int_high;
    uint8_t keep_mask, keep_sign; /* a sub-byte result is ((x & mask) ^ sign) - sign */
    /* floating point -> integer */
    double low, high;           /* the range, inside the floating-point type */
    double pass_low, pass_high; /* rounded values outside cannot be done */
    uint64_t top;               /* result above `high` */
    /* float64 -> float32: no longer finite, and a magnitude of at most this, cannot be done */
    double finite_end;
    zl_small_float small;
    const zl_cast_table *table;
} zl_cast_params;

typedef bool (*zl_cast_loop)(const zl_cast_params *params, void *restrict dst, const void *restrict src, size_t n);

typedef struct zl_cast_step {
    zl_cast_loop run;
    uint8_t to_width;
    bool strict; /* what the loop returns counts */
} zl_cast_step;

/* Elements with ((bits & mask) - first) <= span, unsigned; `value` is what the map makes of them. */
typedef struct zl_cast_match {
    uint64_t mask, first, span;
    uint64_t value;
} zl_cast_match;

/* A loop that does in one step what two loops do one after the other. */
typedef struct zl_cast_fusion {
    zl_cast_loop first, second, both;
} zl_cast_fusion;

typedef struct zl_cast_loops zl_cast_loops;
/* Integer types are numbered signed 8, 16, 32, 64 bits, then unsigned; widths by their binary logarithm. */
struct zl_cast_loops {
    zl_cast_loop int_convert[8][4]; /* the low bits of the value */
    zl_cast_loop int_clamp[8][4];   /* cannot do: outside int_low .. int_high, which it is clamped to */
    zl_cast_loop int_keep;          /* 8-bit elements to sub-byte ones */
    zl_cast_loop int_float32[8];    /* nearest-even; NULL for 64 bits */
    /* float64, int32, int64, uint32, uint64; the last rounding is to odd. Integers are never too large, but some of 64 bits
     * cannot be done. */
    zl_cast_loop wide_float32[5][ZL_CAST_ROUNDINGS + 1];
    zl_cast_loop wide_bfloat16[5][ZL_CAST_ROUNDINGS];                /* NULL: through float32 to odd */
    zl_cast_loop int_float64[8];                                     /* exact; NULL for 64 bits */
    zl_cast_loop int64_float64[2][ZL_CAST_ROUNDINGS];                /* signed, unsigned */
    zl_cast_loop float16_float32, bfloat16_float32, float32_float64; /* exact */
    zl_cast_loop float32_bfloat16[ZL_CAST_ROUNDINGS];
    zl_cast_loop float32_bfloat16_exact; /* the upper halves */
    zl_cast_loop float32_float16[ZL_CAST_ROUNDINGS];
    zl_cast_loop float32_small[ZL_CAST_ROUNDINGS];  /* 8-bit elements */
    zl_cast_loop float32_int[ZL_CAST_ROUNDINGS][3]; /* all but uint32 */
    zl_cast_loop float32_uint32[ZL_CAST_ROUNDINGS];
    zl_cast_loop float64_int[ZL_CAST_ROUNDINGS][3];
    zl_cast_loop float64_int64[ZL_CAST_ROUNDINGS]; /* signed and unsigned */
    zl_cast_loop float32_wrap[ZL_CAST_ROUNDINGS][3];
    zl_cast_loop float64_wrap[ZL_CAST_ROUNDINGS][4];
    zl_cast_loop lookup[4]; /* 8-bit elements, by the table */
    /* Does the table refuse any of them? */
    bool (*refused)(const zl_cast_table *table, const void *src, size_t n);
    /* Copies with every match replaced by `value`; the other puts the values of matches of `src` into `dst`. */
    void (*hide[4])(const zl_cast_match *match, uint64_t value, void *restrict dst, const void *restrict src, size_t n);
    void (*show[4][4])(const zl_cast_match *match, void *restrict dst, const void *restrict src, size_t n);
    bool (*any[4])(const zl_cast_match *match, const void *src, size_t n);
    /* Copies multiples of 64 bytes past the caches, to memory aligned to 16; NULL: cannot. What is copied is there for
     * other threads after stream_end. */
    void (*stream)(void *restrict dst, const void *restrict src, size_t size);
    void (*stream_end)(void);
    const zl_cast_fusion *fusions;
    size_t fusion_count;
};

#endif
