/* SPDX-License-Identifier: MIT */
#include "base/bignum.h"

static void push(zl_big *a, uint64_t limb) {
    if (limb != 0) a->limb[a->count++] = (uint32_t)limb;
}

void zl_big_set(zl_big *a, uint64_t value) {
    a->count = 0;
    if (value >> 32 != 0) {
        a->limb[a->count++] = (uint32_t)value;
        value >>= 32;
    }
    push(a, value);
}

void zl_big_mul_add(zl_big *a, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (uint32_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push(a, carry);
}

void zl_big_mul_pow5(zl_big *a, uint32_t exponent) {
    const uint32_t pow5_13 = 1220703125; /* the highest that fits a limb */
    for (; exponent >= 13; exponent -= 13) {
        zl_big_mul_add(a, pow5_13, 0);
    }
    for (; exponent > 0; exponent--) {
        zl_big_mul_add(a, 5, 0);
    }
}

void zl_big_shift_left(zl_big *a, uint32_t bits) {
    if (a->count == 0) return;
    const uint32_t limbs = bits / 32;
    memmove(a->limb + limbs, a->limb, a->count * sizeof a->limb[0]);
    memset(a->limb, 0, limbs * sizeof a->limb[0]);
    a->count += limbs;
    zl_big_mul_add(a, UINT32_C(1) << bits % 32, 0);
}

void zl_big_add(zl_big *a, const zl_big *b) {
    uint64_t carry = 0;
    const uint32_t count = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 0; i < count; i++) {
        carry += i < a->count ? a->limb[i] : 0;
        carry += i < b->count ? b->limb[i] : 0;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->count = count;
    push(a, carry);
}

void zl_big_sub(zl_big *a, const zl_big *b) {
    int64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        a->count--;
    }
}

int zl_big_compare(const zl_big *a, const zl_big *b) {
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

int32_t zl_big_bit_length(const zl_big *a) {
    if (a->count == 0) return 0;
    return (int32_t)(a->count * 32) - __builtin_clz(a->limb[a->count - 1]);
}
