/* SPDX-License-Identifier: MIT */
/*
 * Conversion of numbers between types, by the rules of the cast_value codec: a map of single values first, then the exact
 * value where the destination has it, else rounding and after it the rule for what lies out of range.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value
 *
 * zl_cast_one is the specification: exact integer arithmetic for any two types. zl_cast_run gives the same bits by loops
 * over blocks (cast_loops.h), and leaves blocks that hold something unusual to zl_cast_one.
 */
#ifndef ZL_SIMD_CAST_H
#define ZL_SIMD_CAST_H

#include "simd/cast_loops.h"

typedef enum zl_number_kind { ZL_NUMBER_SIGNED, ZL_NUMBER_UNSIGNED, ZL_NUMBER_FLOAT } zl_number_kind;

/* A type of numbers. A code is the bit pattern of a value in the low `bits` of an integer; what an element in memory has
 * above them is not looked at, and written as copies of the sign or as zeros. */
typedef struct zl_number {
    zl_number_kind kind;
    uint8_t bits;
    uint8_t width;         /* bytes of an element: 1, 2, 4, 8 */
    bool is_time;          /* signed; the smallest number is "not a time" */
    uint8_t mantissa_bits; /* floating point, from here on */
    int16_t bias;
    bool has_sign;
    bool has_zero; /* and subnormal numbers */
    bool has_negative_zero;
    bool has_infinity;
    bool has_nan;
    uint64_t largest; /* code of the largest finite value; infinity is the next one */
    uint64_t nan;     /* code of the canonical NaN */
} zl_number;

/* One pair of a map: elements with the code `key` (any NaN where it is one; 0 and -0 are the same) become `value`. */
typedef struct zl_cast_entry {
    uint64_t key;
    uint64_t value;
    size_t index; /* in the list that was given */
} zl_cast_entry;

typedef struct zl_cast_rule {
    zl_rounding rounding;
    zl_out_of_range out_of_range;
} zl_cast_rule;

static inline bool zl_cast_refuses(zl_cast_outcome how) {
    return how >= ZL_CAST_NO_NAN;
}

#define ZL_CAST_STEPS 4   /* the most that any pair of types needs */
#define ZL_CAST_MATCHES 8 /* larger maps are looked up element by element */

/* A conversion between two types: immutable once made, used by any number of threads. */
typedef struct zl_cast_plan {
    zl_number from, to;
    zl_cast_rule rule;
    const zl_cast_entry *entries; /* sorted by key, no key twice */
    size_t entry_count;
    const zl_cast_loops *loops; /* NULL: element by element */
    bool is_copy;
    int step_count; /* 0 and no copy: element by element */
    zl_cast_step steps[ZL_CAST_STEPS];
    zl_cast_params params;
    int match_count; /* of the map, 0 where tables hold it */
    zl_cast_match matches[ZL_CAST_MATCHES];
    bool has_stop; /* elements that `stop` matches need a look at each: "not a time" */
    zl_cast_match stop;
    uint64_t one; /* code of 1 in `from`, which every type has */
    zl_cast_table table;
} zl_cast_plan;

/* Makes a conversion. Sorts `entries`, which it keeps, and drops those whose key came before. `loops` is what
 * zl_kernels_select gives, or NULL. */
void zl_cast_init(zl_cast_plan *cast, const zl_number *from, const zl_number *to, zl_cast_rule rule, zl_cast_entry *entries,
                  size_t entry_count, const zl_cast_loops *loops);

/* One element, by its code. `*out` is the code of the result unless it is refused. */
zl_cast_outcome zl_cast_one(const zl_cast_plan *cast, uint64_t code, uint64_t *out);
/* The map's entry for an element, or NULL. */
const zl_cast_entry *zl_cast_find(const zl_cast_plan *cast, uint64_t code);

/* `n` contiguous, aligned elements; the memories do not overlap. Returns n, or the index of the first refused element. The
 * rounding mode of the thread must be the default one. */
size_t zl_cast_run(const zl_cast_plan *cast, void *dst, const void *src, size_t n);

/* Sorts entries by key, makes keys comparable and drops those that came before. Returns how many stay. */
size_t zl_cast_sort(const zl_number *from, zl_cast_entry *entries, size_t count);

/* Codes of elements in memory, and back. */
uint64_t zl_number_load(const zl_number *number, const void *element);
uint64_t zl_number_element(const zl_number *number, uint64_t code); /* the bits of the element, in the low bytes */
void zl_number_store(const zl_number *number, void *element, uint64_t code);
/* Codes of the least and the largest finite value. */
void zl_number_range(const zl_number *number, uint64_t *low, uint64_t *high);
/* One code for all values that are equal, and for all NaN. */
uint64_t zl_number_canonical(const zl_number *number, uint64_t code);
bool zl_number_is_nan(const zl_number *number, uint64_t code);
/* Do both have the same codes for the same values? */
bool zl_number_same(const zl_number *a, const zl_number *b);

#endif
