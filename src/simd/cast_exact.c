/* SPDX-License-Identifier: MIT */
/*
 * One element at a time, exactly: a code becomes sign, significand and exponent, and these are rounded once to the grid of
 * the destination. This is the specification of a cast; loops give the same bits.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value
 *
 * The grid has no upper end when a value is rounded; the range is looked at afterwards. So 65519 becomes the float16 65504,
 * and 65536 towards zero is out of range. float8_e8m0fnu has one digit, which cannot be even: its ties go to the larger
 * value, as IEEE 754-2019, 4.3.1 has it. Nor has it a zero: what rounds to less than 2^-127 is out of range.
 */
#include "simd/cast.h"

#include <stdlib.h>

/* ---- codes */

static uint64_t low_bits(unsigned bits) {
    return UINT64_MAX >> (64 - bits);
}

static uint64_t sign_bit(const zl_number *number) {
    return number->kind != ZL_NUMBER_UNSIGNED && (number->kind == ZL_NUMBER_SIGNED || number->has_sign)
               ? UINT64_C(1) << (number->bits - 1)
               : 0;
}

uint64_t zl_number_load(const zl_number *number, const void *element) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t code = 0;
    switch (number->width) {
    case 1: memcpy(&u8, element, sizeof u8), code = u8; break;
    case 2: memcpy(&u16, element, sizeof u16), code = u16; break;
    case 4: memcpy(&u32, element, sizeof u32), code = u32; break;
    default: memcpy(&code, element, sizeof code); break;
    }
    return code & low_bits(number->bits);
}

uint64_t zl_number_element(const zl_number *number, uint64_t code) {
    return number->kind == ZL_NUMBER_SIGNED ? (code ^ sign_bit(number)) - sign_bit(number) : code;
}

void zl_number_store(const zl_number *number, void *element, uint64_t code) {
    code = zl_number_element(number, code);
    const uint8_t u8 = (uint8_t)code;
    const uint16_t u16 = (uint16_t)code;
    const uint32_t u32 = (uint32_t)code;
    switch (number->width) {
    case 1: memcpy(element, &u8, sizeof u8); break;
    case 2: memcpy(element, &u16, sizeof u16); break;
    case 4: memcpy(element, &u32, sizeof u32); break;
    default: memcpy(element, &code, sizeof code); break;
    }
}

static uint64_t magnitude_of(const zl_number *number, uint64_t code) {
    return code & ~sign_bit(number);
}

static bool is_infinite(const zl_number *number, uint64_t code) {
    return number->has_infinity && magnitude_of(number, code) == number->largest + 1;
}

bool zl_number_is_nan(const zl_number *number, uint64_t code) {
    if (number->kind != ZL_NUMBER_FLOAT || !number->has_nan) return false;
    const bool is_negative_zero = number->has_zero && code == sign_bit(number);
    if (is_negative_zero) return !number->has_negative_zero;
    return magnitude_of(number, code) > number->largest + number->has_infinity;
}

uint64_t zl_number_canonical(const zl_number *number, uint64_t code) {
    if (number->kind != ZL_NUMBER_FLOAT) return code;
    if (zl_number_is_nan(number, code)) return number->nan;
    return number->has_zero && magnitude_of(number, code) == 0 ? 0 : code;
}

void zl_number_range(const zl_number *number, uint64_t *low, uint64_t *high) {
    const uint64_t all = low_bits(number->bits), sign = sign_bit(number);
    if (number->kind == ZL_NUMBER_FLOAT) {
        *high = number->largest;
        *low = sign ? sign | number->largest : 0;
    } else {
        *high = sign ? sign - 1 : all;
        *low = sign + number->is_time;
    }
}

bool zl_number_same(const zl_number *a, const zl_number *b) {
    if (a->kind != b->kind || a->bits != b->bits) return false;
    if (a->kind != ZL_NUMBER_FLOAT) return a->is_time == b->is_time;
    return a->mantissa_bits == b->mantissa_bits && a->bias == b->bias && a->has_infinity == b->has_infinity &&
           a->has_negative_zero == b->has_negative_zero && a->largest == b->largest;
}

/* ---- decoding: (-1)^negative * significand * 2^exponent, finite */

typedef struct value {
    bool negative;
    uint64_t significand;
    int exponent;
} value;

static value decode(const zl_number *from, uint64_t code) {
    value v = {.negative = (code & sign_bit(from)) != 0};
    if (from->kind != ZL_NUMBER_FLOAT) {
        const uint64_t extended = v.negative ? code | ~low_bits(from->bits) : code;
        v.significand = v.negative ? -extended : extended;
        return v;
    }
    const uint64_t magnitude = magnitude_of(from, code), hidden = UINT64_C(1) << from->mantissa_bits;
    const int exponent = (int)(magnitude >> from->mantissa_bits);
    v.significand = magnitude & (hidden - 1);
    if (exponent == 0 && from->has_zero) {
        v.exponent = 1 - from->bias - from->mantissa_bits;
    } else {
        v.significand |= hidden;
        v.exponent = exponent - from->bias - from->mantissa_bits;
    }
    return v;
}

/* ---- rounding */

/* significand / 2^shift, shift > 0, to an integer; `*inexact` is set where it is none. */
static uint64_t shift_round(const value *v, int shift, zl_rounding rounding, bool *inexact) {
    const uint64_t quotient = shift < 64 ? v->significand >> shift : 0;
    const uint64_t rest = shift < 64 ? v->significand & low_bits((unsigned)shift) : v->significand;
    const uint64_t half = shift <= 64 ? UINT64_C(1) << (shift - 1) : UINT64_MAX; /* beyond: never reached */
    const bool is_tie = rest == half && shift <= 64;
    if (rest == 0) return quotient;
    *inexact = true;
    switch (rounding) {
    case ZL_ROUND_NEAREST_EVEN: return quotient + ((rest > half && shift <= 64) || (is_tie && quotient % 2 == 1));
    case ZL_ROUND_TOWARDS_ZERO: return quotient;
    case ZL_ROUND_TOWARDS_POSITIVE: return quotient + !v->negative;
    case ZL_ROUND_TOWARDS_NEGATIVE: return quotient + v->negative;
    case ZL_ROUND_NEAREST_AWAY: return quotient + (rest >= half && shift <= 64);
    }
    return quotient;
}

/* ---- encoding */

typedef struct result {
    zl_cast_outcome how;
    uint64_t code;
} result;

static result out_of_range(const zl_cast_plan *cast, uint64_t limit) {
    if (cast->rule.out_of_range != ZL_RANGE_CLAMP) return (result){ZL_CAST_OUT_OF_RANGE, 0};
    return (result){ZL_CAST_CLAMPED, limit};
}

static result to_integer(const zl_cast_plan *cast, const value *v) {
    const zl_number *to = &cast->to;
    bool inexact = false, beyond = false; /* beyond: 64 bits */
    uint64_t magnitude = v->significand;
    if (v->exponent < 0) {
        magnitude = shift_round(v, -v->exponent, cast->rule.rounding, &inexact);
    } else if (v->exponent > 0 && magnitude != 0) {
        beyond = v->exponent > __builtin_clzll(magnitude);
        magnitude = v->exponent < 64 ? magnitude << v->exponent : 0;
    }
    const uint64_t all = low_bits(to->bits), bits = v->negative ? -magnitude : magnitude;
    uint64_t low, high;
    zl_number_range(to, &low, &high);
    if (!beyond && magnitude <= (v->negative ? -low & all : high))
        return (result){inexact ? ZL_CAST_ROUNDED : ZL_CAST_EXACT, bits & all};
    if (cast->rule.out_of_range == ZL_RANGE_WRAP) return (result){ZL_CAST_WRAPPED, bits & all};
    return out_of_range(cast, v->negative ? low : high);
}

static result to_float(const zl_cast_plan *cast, const value *v) {
    const zl_number *to = &cast->to;
    const uint64_t sign = v->negative ? sign_bit(to) : 0;
    if (v->significand == 0 && to->has_zero) return (result){ZL_CAST_EXACT, to->has_negative_zero ? sign : 0};
    if (!to->has_sign && (v->negative || v->significand == 0)) return out_of_range(cast, 0);
    const int leading = 63 - __builtin_clzll(v->significand) + v->exponent, lowest = 1 - to->bias;
    /* The last digit is worth 2^(top - mantissa_bits). */
    const int top = leading < lowest && to->has_zero ? lowest : leading;
    const int shift = top - to->mantissa_bits - v->exponent;
    const bool up = to->mantissa_bits == 0 && cast->rule.rounding == ZL_ROUND_NEAREST_EVEN;
    bool inexact = false;
    const uint64_t digits = shift <= 0 ? v->significand << -shift
                                       : shift_round(v, shift, up ? ZL_ROUND_NEAREST_AWAY : cast->rule.rounding, &inexact);
    /* The hidden digit adds one to the exponent field, and a carry out of the mantissa another one. */
    const int64_t count = (int64_t)(top - lowest) * (INT64_C(1) << to->mantissa_bits) + (int64_t)digits;
    if (count < 0) return out_of_range(cast, 0);
    const uint64_t code = (uint64_t)count;
    if (code > to->largest) return out_of_range(cast, sign | (to->largest + to->has_infinity));
    const bool drops_sign = code == 0 && !to->has_negative_zero && to->has_zero;
    return (result){inexact ? ZL_CAST_ROUNDED : ZL_CAST_EXACT, drops_sign ? 0 : sign | code};
}

static result special(const zl_cast_plan *cast, uint64_t code) {
    const zl_number *from = &cast->from, *to = &cast->to;
    if (zl_number_is_nan(from, code)) {
        if (to->kind != ZL_NUMBER_FLOAT || !to->has_nan) return (result){ZL_CAST_NO_NAN, 0};
        return (result){ZL_CAST_EXACT, to->nan};
    }
    if (to->kind != ZL_NUMBER_FLOAT || !to->has_infinity) return (result){ZL_CAST_NO_INFINITY, 0};
    return (result){ZL_CAST_EXACT, (to->largest + 1) | (code & sign_bit(from) ? sign_bit(to) : 0)};
}

/* ---- the map */

const zl_cast_entry *zl_cast_find(const zl_cast_plan *cast, uint64_t code) {
    const uint64_t key = zl_number_canonical(&cast->from, code);
    size_t low = 0, high = cast->entry_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cast->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cast->entry_count && cast->entries[low].key == key ? &cast->entries[low] : NULL;
}

static int compare_entries(const void *a, const void *b) {
    const zl_cast_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

size_t zl_cast_sort(const zl_number *from, zl_cast_entry *entries, size_t count) {
    for (size_t i = 0; i < count; i++)
        entries[i].key = zl_number_canonical(from, entries[i].key);
    if (count > 1) qsort(entries, count, sizeof *entries, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || entries[kept - 1].key != entries[i].key) entries[kept++] = entries[i];
    }
    return kept;
}

/* ---- */

zl_cast_outcome zl_cast_one(const zl_cast_plan *cast, uint64_t code, uint64_t *out) {
    const zl_number *from = &cast->from;
    const zl_cast_entry *entry = cast->entry_count ? zl_cast_find(cast, code) : NULL;
    if (entry) {
        *out = entry->value;
        return ZL_CAST_MAPPED;
    }
    result r = {ZL_CAST_EXACT, code};
    if (!zl_number_same(from, &cast->to)) {
        const bool is_float = from->kind == ZL_NUMBER_FLOAT;
        const value v = decode(from, code);
        if (is_float && (zl_number_is_nan(from, code) || is_infinite(from, code))) {
            r = special(cast, code);
        } else if (from->is_time && !cast->to.is_time && code == sign_bit(from)) {
            r.how = ZL_CAST_NO_NAT;
        } else {
            r = cast->to.kind == ZL_NUMBER_FLOAT ? to_float(cast, &v) : to_integer(cast, &v);
        }
    }
    if (!zl_cast_refuses(r.how)) *out = r.code;
    return r.how;
}
