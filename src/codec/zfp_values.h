/* SPDX-License-Identifier: MIT */
/*
 * Elements as libzfp takes them: int32, int64, float or double. Everything else is put into one of these, by rules that
 * the registry's page and libzfp's zfp_promote_* and zfp_demote_* functions give.
 */
#ifndef ZL_CODEC_ZFP_VALUES_H
#define ZL_CODEC_ZFP_VALUES_H

#include <zfp.h>

#include "codec/scalar.h"

typedef enum zl_zfp_kind {
    ZL_ZFP_SAME,           /* a type of libzfp, or int64 under another name: the same bits */
    ZL_ZFP_UNSIGNED,       /* uint32, uint64: int32, int64 that are not negative */
    ZL_ZFP_SMALL_SIGNED,   /* up to 16 bits, from the second highest bit of an int32 on */
    ZL_ZFP_SMALL_UNSIGNED, /* the same, less half of their range */
    ZL_ZFP_SMALL_FLOAT     /* float16, bfloat16: float */
} zl_zfp_kind;

typedef struct zl_zfp_values {
    zl_zfp_kind kind;
    zfp_type type;
    size_t size; /* of an element */
    unsigned bits;
    bool is_time;
    const zl_minifloat *format; /* of floating-point elements */
    /* Values whose bits under the mask are these cannot be encoded; 0: there are none. */
    uint64_t refused_mask, refused_bits;
} zl_zfp_values;

/* False when elements of that type are nothing for zfp. */
bool zl_zfp_values_of(const zl_dtype *dtype, zl_zfp_values *out);
/* For modes in which values do not come back as they were: also refuses what would come back as something else. */
void zl_zfp_refuse_for_lossy(zl_zfp_values *values);

/* Bytes of a value. */
static inline size_t zl_zfp_value_size(const zl_zfp_values *values) {
    return values->type == zfp_type_int32 || values->type == zfp_type_float ? 4 : 8;
}

/* `n` elements to values and back, both aligned. Not for ZL_ZFP_SAME, where they are the same. */
void zl_zfp_promote(const zl_zfp_values *values, void *block, const void *elements, size_t n);
void zl_zfp_demote(const zl_zfp_values *values, void *elements, const void *block, size_t n);

/* Index of the first value that cannot be encoded; `n`: all can. */
size_t zl_zfp_find_refused(const zl_zfp_values *values, const void *block, size_t n);
/* What is wrong with such values, for messages: "element (1, 2) of the chunk " in front. */
const char *zl_zfp_why_refused(const zl_zfp_values *values);

#endif
