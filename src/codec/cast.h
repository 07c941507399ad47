/* SPDX-License-Identifier: MIT */
/* Casts there and back between two data types: what the codec cast_value and views of another data type share. */
#ifndef ZL_CODEC_CAST_H
#define ZL_CODEC_CAST_H

#include "codec/number.h"

typedef struct zl_cast_pair {
    const zl_dtype *decoded, *encoded;
    const zl_cast_plan *encode, *decode;
    bool is_codec; /* for messages: scalar_map could have an entry */
} zl_cast_pair;

/* A pair in env->arena. Maps are lists of [value, becomes] pairs, or NULL. Where "wrap" makes no sense on the way back,
 * what is out of range is refused there. METADATA: a type that is no real number, "wrap" to one that is no integer, a wrong
 * map; NO_MEMORY. */
zl_status zl_cast_pair_make(const zl_dtype *decoded, const zl_dtype *encoded, zl_cast_rule rule, const zl_json *encode_map,
                            const zl_json *decode_map, const zl_env *env, zl_cast_pair **out, zl_error *err);
/* Fails with `status` and says why an element is refused. */
zl_status zl_cast_pair_refuse(const zl_cast_pair *pair, bool encoding, const void *element, zl_status status,
                              zl_error *err);
/* One element, whatever the rounding mode of the thread. */
bool zl_cast_element(const zl_cast_plan *plan, const void *from, void *to);

/* Rows with a zl_cast_pair as bound object. */
extern const zl_aa_ops zl_cast_rows;

/* A codec in front of all others, for callers whose elements have another data type: `self` is a zl_view_cast. */
typedef struct zl_view_cast {
    zl_level array; /* the encoded side */
    const zl_cast_pair *pair;
} zl_view_cast;
extern const zl_codec_class zl_codec_view;

#endif
