/* SPDX-License-Identifier: MIT */
/* One codec, parsed, resolved and bound, with all that a call of it needs. */
#ifndef ZT_CODEC_H
#define ZT_CODEC_H

#include "zt.h"

#include "base/worker.h"
#include "codec/chain.h"

typedef struct zt_codec {
    zl_allocator allocator;
    zl_arena *arena;
    zl_worker *worker;
    zl_json_doc *docs[4];
    int doc_count;
    zl_limits limits;
    zl_env env;
    const zl_codec_class *cls;
    const void *self;
    const void *bound;
    zl_level in, out;      /* where `data_type` was given */
    zl_shape shape, inner; /* before and behind the codec */
    zl_call call;
    zl_error err;
    char warning[256]; /* the last one */
} zt_codec;

/* Arena, worker, limits and environment, no codec yet. NO_MEMORY; zt_codec_close in any case. */
zl_status zt_codec_init(zt_codec *codec, const zl_allocator *allocator);
/* Parses `json` into a document that lives as long as `codec`. */
zl_status zt_codec_json(zt_codec *codec, const char *json, const zl_json **out);
/* After init: parses the codec `json`, for a chunk of `rank` extents `dim` of the data type and fill value `data_type` and
 * `fill` (JSON; NULL: default). `data_type` NULL: bytes -> bytes codecs, neither resolved nor bound. */
zl_status zt_codec_open(zt_codec *codec, const char *json, const char *data_type, const char *fill, int32_t rank,
                        const int64_t *dim);
void zt_codec_close(zt_codec *codec);

/* The box of a whole chunk in C order at `data`. */
zl_box zt_codec_box(const zl_shape *shape, size_t element_size, void *data);

#endif
