/* SPDX-License-Identifier: MIT */
/* Chunks of objects that are one document: decoding, for the codecs that read such. */
#ifndef ZL_CODEC_OBJECTS_H
#define ZL_CODEC_OBJECTS_H

#include "codec/chain.h"

/* What these codecs have as `bound`. */
typedef struct zl_objects {
    const char *name; /* of the codec */
    zl_shape shape;
    size_t count;
} zl_objects;

/* For the classes: the data type is string; writing is refused. */
zl_status zl_objects_resolve(const char *name, const zl_level *in, zl_error *err);
zl_status zl_objects_bind(const char *name, const zl_shape *shape, zl_arena *arena, const void **bound, zl_error *err);
zl_status zl_objects_encode(const void *bound, const zl_box *src, zl_sink *out, const zl_call *call);
uint64_t zl_objects_bound(const void *bound);

/* Elements of a JSON document: nested arrays as deep as the chunk has axes, with the NumPy type and the shape as two
 * further members of the outermost. Strings become elements as they are, everything else as its JSON text. */
zl_status zl_objects_decode(const zl_objects *self, zl_span json, const zl_box *dst, const zl_call *call);

#endif
