/* SPDX-License-Identifier: MIT */
/*
 * What the codecs of numcodecs that change numbers share: the types in their configurations, and NumPy's conversions
 * between them.
 *
 * What NumPy wraps to make an integer fit is wrapped when it is read and refused when it is written: it would be lost.
 */
#ifndef ZL_CODEC_NUMCODECS_NUMBERS_H
#define ZL_CODEC_NUMCODECS_NUMBERS_H

#include "codec/chain.h"
#include "codec/number.h"

/* The types on both sides of a codec: as they are called, then as they are. */
typedef struct zl_numpy_names {
    const char *codec;       /* for messages */
    const char *seen, *made; /* members of the configuration */
    const zl_json *configuration;
} zl_numpy_names;

typedef struct zl_numpy_types {
    const char *codec;
    const zl_dtype *decoded, *encoded;
    zl_number decoded_number, encoded_number;
} zl_numpy_types;

/* Both types, checked against what the codec sees (`in`). A type that is not named is that of `in`. METADATA. */
zl_status zl_numpy_types_find(const zl_numpy_names *names, const zl_dtype *in, zl_numpy_types *out, zl_error *err);

/* A conversion by NumPy's rules: fractions are cut where integers are wanted, too large numbers become infinite where
 * these are. Integers out of range are wrapped, or refused where `out_of_range` says so. */
void zl_numpy_cast(const zl_number *from, const zl_number *to, zl_out_of_range out_of_range, zl_cast_plan *out);

/* Arithmetic in NumPy's type for it: `before` leads to that type, `apply` changes the numbers in place, `after` leads
 * away from it. */
typedef void zl_numpy_apply_fn(const void *bound, void *numbers, size_t n);
typedef struct zl_numpy_map {
    zl_cast_plan before, after;
    zl_numpy_apply_fn *apply; /* NULL: nothing to compute */
} zl_numpy_map;
/* The floating-point type that numbers of `seen` are computed in, and the loop for it: `loops` are those for float16, whose
 * numbers are doubles, float and double. */
void zl_numpy_float(const zl_number *seen, zl_numpy_apply_fn *const loops[3], zl_number *work, zl_numpy_apply_fn **out);

/* What a codec of single numbers is for one data type: the first member of what it resolves to, so that all of them have
 * these operations. */
typedef struct zl_numpy_codec {
    zl_numpy_types types;
    zl_numpy_map encode, decode;
} zl_numpy_codec;
extern const zl_aa_ops zl_numpy_ops;

/* What the next codec sees: the encoded type, and what `encode` makes of the fill value; 0 where that is nothing. */
zl_status zl_numpy_level(const zl_numpy_types *types, zl_row_fn encode, const void *bound, const zl_level *in,
                         zl_level *out, const zl_env *env, zl_error *err);
/* The same for a codec of single numbers. */
zl_status zl_numpy_codec_level(const zl_numpy_codec *codec, const zl_level *in, zl_level *out, const zl_env *env,
                               zl_error *err);

/* Says that an element has no counterpart. */
zl_status zl_numpy_refuse(const zl_numpy_types *types, bool encoding, const void *element, zl_error *err);

/* Writes the configuration, which is `self`, as it was. */
void zl_numpy_emit(const void *self, zl_json_writer *writer);

/* `value` rounded to float16. */
double zl_numpy_round_half(double value);

#endif
