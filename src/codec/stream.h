/* SPDX-License-Identifier: MIT */
/* What the compressors' codecs share: output whose size only the stream knows, and the messages for wrong sizes. */
#ifndef ZL_CODEC_STREAM_H
#define ZL_CODEC_STREAM_H

#include "codec/chain.h"

/* Where the next byte goes; NULL while the sink has no memory (adding 0 to NULL is undefined). */
static inline uint8_t *zl_stream_end(const zl_sink *out) {
    return out->data ? out->data + out->size : NULL;
}
static inline size_t zl_stream_room(const zl_sink *out) {
    return out->cap - out->size;
}

/* First memory of a growable sink: about `guess` bytes (UINT64_MAX = no idea), which may come from the stream. It is not
 * believed beyond `max`, nor beyond `ratio` times the stream's own size. Does nothing to a fixed sink. */
zl_status zl_stream_start(zl_sink *out, uint64_t guess, size_t src_size, size_t ratio, const zl_call *call);
/* More room than there is: doubles a growable sink, up to its max. CORRUPT when the sink is as large as it may be. */
zl_status zl_stream_grow(zl_sink *out, const char *codec, const zl_call *call);
/* CORRUPT when a fixed sink is not full. */
zl_status zl_stream_finish(const zl_sink *out, const char *codec, const zl_call *call);

#endif
