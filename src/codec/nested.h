/* SPDX-License-Identifier: MIT */
/* Lists of bytes -> bytes codecs inside another codec, applied in full or in part. */
#ifndef ZL_CODEC_NESTED_H
#define ZL_CODEC_NESTED_H

#include "codec/chain.h"

#define ZL_NESTED_MAX 64
#define ZL_NESTED_ALL UINT64_MAX

typedef struct zl_nested {
    int32_t count; /* up to ZL_NESTED_MAX */
    const zl_codec *codec;
    const void **prepared; /* for each codec: what resolve made of it, then bind */
} zl_nested;

/* The codecs of `chain` from `first` on, for elements of `level`; made in env->arena. LIMIT: more than there may be. */
zl_status zl_nested_resolve(const zl_chain *chain, int32_t first, const zl_level *level, const zl_env *env, zl_nested *out,
                            zl_error *err);
/* For one chunk shape. */
zl_status zl_nested_bind(const zl_nested *resolved, const zl_level *level, const zl_shape *shape, zl_arena *arena,
                         zl_nested *out, zl_error *err);

/* Largest size that `size` bytes encode to, whatever the selection; UINT64_MAX when that does not fit. */
uint64_t zl_nested_bound(const zl_nested *nested, uint64_t size);

/* Appends `src` to `out`, encoded by the codecs whose bit is set in `mask` (bit 0: the first). */
zl_status zl_nested_encode(const zl_nested *nested, uint64_t mask, zl_span src, zl_sink *out, const zl_call *call);
/* The reverse: all of `src` to `out`, which is empty: exactly `cap` bytes into a fixed sink, otherwise up to `max`. */
zl_status zl_nested_decode(const zl_nested *nested, uint64_t mask, zl_span src, zl_sink *out, const zl_call *call);

#endif
