/* SPDX-License-Identifier: MIT */
/* Data types and elements as the cast engine sees them. */
#ifndef ZL_CODEC_NUMBER_H
#define ZL_CODEC_NUMBER_H

#include "dtype/dtype.h"
#include "simd/cast.h"

/* False when elements are no real numbers: bool, complex numbers, text, structures, types that a context brought. */
bool zl_number_of(const zl_dtype *dtype, zl_number *out);

/* An element for a message: 1.5, NaN, -7, NaT. */
#define ZL_NUMBER_TEXT 32
const char *zl_number_text(const zl_dtype *dtype, const void *element, char text[ZL_NUMBER_TEXT]);

#endif
