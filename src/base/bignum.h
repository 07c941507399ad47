/* SPDX-License-Identifier: MIT */
/*
 * Natural numbers of up to ZL_BIG_BITS bits, for exact conversions between decimal text and binary floats. Callers prove
 * that theirs fit.
 */
#ifndef ZL_BASE_BIGNUM_H
#define ZL_BASE_BIGNUM_H

#include "base/base.h"

#define ZL_BIG_BITS 3072

/* Little-endian limbs; those beyond `count` are not set; the highest one is not 0. */
typedef struct zl_big {
    uint32_t count;
    uint32_t limb[ZL_BIG_BITS / 32];
} zl_big;

void zl_big_set(zl_big *a, uint64_t value);
void zl_big_mul_add(zl_big *a, uint32_t factor, uint32_t addend);
void zl_big_mul_pow5(zl_big *a, uint32_t exponent);
void zl_big_shift_left(zl_big *a, uint32_t bits);
void zl_big_add(zl_big *a, const zl_big *b);
/* b <= a */
void zl_big_sub(zl_big *a, const zl_big *b);
/* Less than, equal to or greater than 0, as a - b is. */
int zl_big_compare(const zl_big *a, const zl_big *b);
/* Position behind the highest bit that is set; 0 for 0. */
int32_t zl_big_bit_length(const zl_big *a);

#endif
