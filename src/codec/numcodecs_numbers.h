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
typedef struct zl_numpy_map {
    zl_cast_plan before, after;
    void (*apply)(const void *bound, void *numbers, size_t n); /* NULL: nothing to compute */
} zl_numpy_map;
/* As zl_row_fn. */
size_t zl_numpy_row(const zl_numpy_map *map, const void *bound, void *dst, const void *src, size_t n);

/* What the next codec sees: the encoded type, and what `encode` makes of the fill value; 0 where that is nothing. */
zl_status zl_numpy_level(const zl_numpy_types *types, zl_row_fn encode, const void *bound, const zl_level *in,
                         zl_level *out, const zl_env *env, zl_error *err);

/* Says that an element has no counterpart. */
zl_status zl_numpy_refuse(const zl_numpy_types *types, bool encoding, const void *element, zl_error *err);

/* Writes the configuration as it was. */
void zl_numpy_emit(const zl_json *configuration, zl_json_writer *writer);

/* `value` rounded to float16. */
double zl_numpy_round_half(double value);

#endif
