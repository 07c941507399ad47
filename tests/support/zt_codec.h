/* SPDX-License-Identifier: MIT */
/* One codec, parsed, resolved and bound, with all that a call of it needs. */
#ifndef ZT_CODEC_H
#define ZT_CODEC_H

#include "zt.h"

#include "base/worker.h"
#include "codec/chain.h"

typedef struct zt_codec {
    zt_memory memory; /* where no allocator is given */
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

/* Arena, worker, limits and environment, no codec yet. `allocator` NULL: memory of its own, in which zt_codec_close finds
 * leaks. NO_MEMORY; zt_codec_close in any case. */
zl_status zt_codec_init(zt_codec *codec, const zl_allocator *allocator);
/* Parses `json` into a document that lives as long as `codec`. */
zl_status zt_codec_json(zt_codec *codec, const char *json, const zl_json **out);
/* After init: parses the codec `json`, for a chunk of `rank` extents `dim` of the data type and fill value `data_type` and
 * `fill` (JSON; NULL: default). `data_type` NULL: bytes -> bytes codecs, neither resolved nor bound. */
zl_status zt_codec_open(zt_codec *codec, const char *json, const char *data_type, const char *fill, int32_t rank,
                        const int64_t *dim);
/* Both, with memory of its own. */
zl_status zt_codec_begin(zt_codec *codec, const char *json, const char *data_type, const char *fill, int32_t rank,
                         const int64_t *dim);
void zt_codec_close(zt_codec *codec);

/* zt_codec_begin fails with that status and text. */
#define zt_assert_codec_refused(json, data_type, rank, dim, status, text) \
    zt_check_codec_refused((json), (data_type), (rank), (dim), (status), (text), __FILE__, __LINE__)
void zt_check_codec_refused(const char *json, const char *data_type, int32_t rank, const int64_t *dim, zl_status status,
                            const char *text, const char *file, int line);
/* The configuration that a class writes of `self` is exactly `expected`. */
void zt_check_emit(zl_json_emit_fn emit, const void *self, const char *expected);

/* Encodes and decodes a box, for array -> bytes codecs. `out` is made here; there is nothing to free after a failure. */
zl_status zt_codec_encode(zt_codec *codec, const zl_box *box, zl_sink *out);
zl_status zt_codec_decode(zt_codec *codec, const void *stored, size_t size, const zl_box *box);
/* An element of variable length is `text`. */
void zt_check_slot(const zl_slot *found, const char *text);

/* The box of a whole chunk in C order at `data`. */
zl_box zt_codec_box(const zl_shape *shape, size_t element_size, void *data);

#endif
