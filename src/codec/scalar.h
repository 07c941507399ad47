/* SPDX-License-Identifier: MIT */
/* What codecs of numbers ask of a data type: which kind of number, how many bits, how many to an element. */
#ifndef ZL_CODEC_SCALAR_H
#define ZL_CODEC_SCALAR_H

#include "dtype/dtype.h"
#include "dtype/minifloat.h"

typedef enum zl_scalar_kind { ZL_SCALAR_BOOL, ZL_SCALAR_SIGNED, ZL_SCALAR_UNSIGNED, ZL_SCALAR_FLOAT } zl_scalar_kind;

typedef struct zl_scalar {
    zl_scalar_kind kind;
    uint8_t bits;               /* that count, from the lowest */
    uint8_t width;              /* bytes in memory: 1, 2, 4, 8 */
    uint8_t count;              /* to an element: 2 in complex types */
    bool is_time;               /* signed, and the smallest number is "not a time" */
    const zl_minifloat *format; /* of floating-point numbers */
} zl_scalar;

/* False when elements are no numbers: text, raw bytes, structures, types that a context brought. */
bool zl_scalar_of(const zl_dtype *dtype, zl_scalar *out);

#endif
