/* SPDX-License-Identifier: MIT */
/* One field of the records, for callers who want no others: a codec in front of all others, which reads only. */
#ifndef ZL_CODEC_FIELD_H
#define ZL_CODEC_FIELD_H

#include "dtype/dtype.h"

/* `self` of the codec. */
typedef struct zl_field_view {
    zl_level record; /* the encoded side */
    size_t offset, size;
} zl_field_view;
extern const zl_codec_class zl_codec_field;

#endif
