/* SPDX-License-Identifier: MIT */
/*
 * A chain of codecs compiled for one chunk shape: immutable, shared by all threads. Pure: memory in, memory out; it knows
 * codecs but no stores and no threads.
 *
 * Array -> array codecs are sorted into remaps (strides only) and rows (element by element); behind them stands one end:
 *
 *   raw      stored bytes are the elements, up to byte order and dtype units
 *   opaque   the codec decodes and encodes boxes itself
 *   split    a shard: `inner` is the pipeline of each part, `index` that of the index
 *   barrier  an array -> array codec that needs whole blocks, or does for some boxes: `inner` is the rest of the chain
 *
 * and bytes -> bytes codecs, which are frames (checksums) or streams (compressors). Three short recursive functions cover
 * every legal chain from that: zl_decode_chunk, zl_encode_chunk, and the compiler. docs/internals/data-flow.md has the
 * tour.
 */
#ifndef ZL_PIPELINE_PIPELINE_H
#define ZL_PIPELINE_PIPELINE_H

#include "codec/chain.h"
#include "pipeline/box.h"

typedef enum zl_end_kind { ZL_END_RAW, ZL_END_OPAQUE, ZL_END_SPLIT, ZL_END_BARRIER } zl_end_kind;

typedef struct zl_bound_codec {
    const zl_codec_class *cls;
    const void *bound;
} zl_bound_codec;

typedef struct zl_row {
    zl_bound_codec codec;
    const zl_dtype *decoded;
    const zl_dtype *encoded;
} zl_row;

#define ZL_MISSING UINT64_MAX /* offset and length of an absent part */

typedef struct zl_pipeline zl_pipeline;
struct zl_pipeline {
    zl_level top; /* what the level above sees; `fill` is NULL where a view's data type has no such value */
    zl_level own; /* the same for all but views: behind their rows, as the array has it */
    zl_shape top_shape;
    zl_level end; /* elements where the chain ends */
    zl_shape end_shape;
    int64_t end_stride[ZL_MAX_RANK]; /* of a contiguous block of end-level elements */
    int32_t remap_count;
    const zl_bound_codec *remaps;
    int32_t row_count;
    const zl_row *rows;
    int32_t view_count;    /* how many of the rows, from the first on, are a view's */
    const void *cast_fill; /* with a view of another data type: the fill value as its cast gets it */

    zl_end_kind kind;
    zl_bound_codec end_codec;
    bool swap;               /* raw: the other byte order */
    bool fix;                /* raw: zl_dtype_fix changes something */
    uint32_t swap_width;     /* raw: a swap of units of this width is all there is to fix; 0 = use zl_dtype_fix */
    const void *stored_fill; /* raw: the fill value as its bytes are stored */
    const zl_pipeline *inner;
    const zl_pipeline *index; /* split: pairs of uint64, absent = 2^64-1 twice */
    int64_t part_count;
    bool index_at_end;
    uint64_t index_size; /* encoded */

    int32_t bb_count;
    const zl_bound_codec *bb; /* in the order of encoding */
    int32_t stream_count;     /* how many of them are streams */
    uint32_t head, tail;      /* bytes of the frames around the content, before any stream */

    uint64_t block_size;    /* bytes of all end-level elements */
    uint64_t behind_size;   /* barrier of a whole codec: bytes of all elements behind it */
    uint64_t content_size;  /* exact size before the bytes codecs, or UINT64_MAX */
    const uint64_t *bounds; /* largest size before bytes codec i; [bb_count]: stored. UINT64_MAX: only the elements tell */
    uint64_t encoded_size;  /* exact stored size, when it is the same for all elements; otherwise UINT64_MAX */
    uint64_t content_limit; /* where a bound is UINT64_MAX: what is accepted all the same */
    bool closed;            /* the fill value survives encode and decode of the rows, so absence may stand for it */
};

/* Compiles `chain` for chunks of `shape`. Everything is made in `env->arena`, which must outlive the pipeline. METADATA,
 * UNSUPPORTED, LIMIT, NO_MEMORY; messages name the codec. */
zl_status zl_pipeline_compile(const zl_chain *chain, const zl_level *level, const zl_shape *shape, const zl_env *env,
                              const zl_pipeline **out, zl_error *err);

/* What the caller's elements are where they are not the array's: the field of a structure, then a cast, or one of both. */
typedef struct zl_aspect {
    const zl_dtype *field; /* its type; NULL: whole elements */
    size_t offset;         /* of the field in an element */
    const zl_dtype *dtype; /* cast to this type; NULL: no cast */
} zl_aspect;
extern const zl_aspect zl_aspect_own; /* the array's */
bool zl_aspect_differs(const zl_aspect *aspect);

/* The same for callers who see elements in another way: that comes in front of the chain. Casts are to nearest even and
 * within the range; fields cannot be encoded. METADATA when a type to be cast is no real number. */
zl_status zl_pipeline_compile_view(const zl_chain *chain, const zl_level *level, const zl_aspect *aspect,
                                   const zl_shape *shape, const zl_env *env, const zl_pipeline **out, zl_error *err);

/* Scratch bytes that decoding or encoding one chunk takes at most, the stored bytes not counted: for tickets. */
uint64_t zl_pipeline_scratch(const zl_pipeline *p);

/* ---- decoding */

/* Row codecs of outer levels that still have to be undone; the innermost level comes first. */
typedef struct zl_pending {
    const zl_pipeline *level;
    const struct zl_pending *outer;
} zl_pending;

/* Decodes the elements of `box` (coordinates of p's top level) from all stored bytes of a chunk or part. */
zl_status zl_decode_chunk(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *outer,
                          const zl_call *call);
/* Decodes the elements of `box` (coordinates of the end level, which is opaque, without streams behind it) from `parts` of
 * the stored bytes: those that zl_ab_ops.ranges names. `stored` is the size of all stored bytes. */
zl_status zl_decode_parts(const zl_pipeline *p, uint64_t stored, const zl_span *parts, const zl_box *box,
                          const zl_call *call);
/* Writes the fill value of an absent chunk or part. */
zl_status zl_decode_missing(const zl_pipeline *p, const zl_box *box, const zl_pending *outer, const zl_call *call);
/* The elements of `box` (end level; NULL: all) to a contiguous block of the whole end level, of a barrier from all stored
 * bytes. Others are unspecified. */
zl_status zl_decode_behind(const zl_pipeline *p, zl_span stored, const zl_box *box, void *block, const zl_call *call);
/* A box of the top level in coordinates and strides of the end level. */
void zl_to_end(const zl_pipeline *p, const zl_box *box, zl_box *out);
/* Copies a box out of a block of end-level elements through everything that is pending. `fix`: the block is still as it was
 * stored. `strides` are those of the block; `block` is its element (0,..,0). */
zl_status zl_scatter(const zl_pipeline *p, const void *block, const int64_t *strides, bool fix, const zl_box *box,
                     const zl_pending *pending, const zl_call *call);
/* The same where only a piece of the block is at hand: `from` is the first element of the box. */
zl_status zl_scatter_from(const zl_pipeline *p, const void *from, const int64_t *strides, bool fix, const zl_box *box,
                          const zl_pending *pending, const zl_call *call);
/* Are there row codecs in a list of levels? */
bool zl_pending_any(const zl_pending *pending);
/* Checks frames and undoes streams: `*out` is then the content, in `stored` itself, in scratch, or at `into`: memory of
 * content_size bytes (NULL: none) that the last stream fills if it can. A content whose size is known has that size. */
zl_status zl_decode_bytes(const zl_pipeline *p, zl_span stored, void *into, zl_span *out, const zl_call *call);
/* The same for a part of a content whose size is known: `*part` is what is wanted, and then what `*out` holds. That is the
 * whole content where a part takes not much less to decode. */
zl_status zl_decode_bytes_part(const zl_pipeline *p, zl_span stored, zl_range *part, zl_span *out, const zl_call *call);
/* Largest stored size that is accepted: others may encode worse than we do. */
uint64_t zl_pipeline_stored_limit(const zl_pipeline *p);

/* ---- shards */

/* Where the index lies in an object of `size` bytes. CORRUPT when the object is shorter than it. */
zl_status zl_index_range(const zl_pipeline *p, uint64_t size, zl_range *out, zl_error *err);
/* Decodes and checks an index: `out` holds part_count ranges, each inside `size` bytes or ZL_MISSING twice. */
zl_status zl_index_decode(const zl_pipeline *p, zl_span stored, uint64_t size, zl_range *out, const zl_call *call);
/* Position of a part in the index from its cell. */
int64_t zl_part_number(const zl_pipeline *p, const int64_t *cell);
/* The reverse: a part's first coordinates. */
void zl_part_origin(const zl_pipeline *p, int64_t number, int64_t *origin);
/* The parts that a box (of the end level) touches. */
static inline void zl_parts_begin(zl_cells *cells, const zl_pipeline *p, const zl_box *box) {
    zl_cells_begin(cells, box, NULL, NULL, p->inner->top_shape.dim);
}
/* Their number. */
int64_t zl_parts_count(const zl_pipeline *p, const zl_box *box);

/* ---- encoding */

/* Memory for encoded bytes: grows in blocks that never move, freed all at once. */
typedef struct zl_output {
    const zl_allocator *allocator;
    struct zl_output_block *last;
    uint64_t size; /* bytes held */
} zl_output;
void zl_output_init(zl_output *output, const zl_allocator *allocator);
void zl_output_clear(zl_output *output);
/* Forgets the content and keeps the newest block for the next one. */
void zl_output_reset(zl_output *output);
/* Room for `size` bytes, aligned for any element; valid until clear once committed. NULL: out of memory. */
void *zl_output_reserve(zl_output *output, size_t size);
/* Keeps the first `size` bytes of the last reservation. */
void zl_output_commit(zl_output *output, size_t size);

/* An encoded chunk or part: `count` spans in order, or missing. Spans point into an output, the caller's elements, or the
 * old object. */
typedef struct zl_encoded {
    bool missing;
    const zl_span *spans;
    size_t count;
    uint64_t size;
} zl_encoded;

/* How to encode. */
typedef struct zl_encode {
    const zl_pending *outer; /* rows of outer levels, applied first */
    bool may_omit;           /* absence can be recorded in the place of this chunk or part */
    bool keep_fill;          /* and is wanted nowhere */
    zl_output *output;
    const zl_call *call;
} zl_encode;

/* Encodes a chunk or part: the elements of `box` (top level, the caller's memory, read only) over those of `old` (NULL:
 * none is stored, or none is needed because the box covers). */
zl_status zl_encode_chunk(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_encode *how,
                          zl_encoded *out);

/* The steps of writing a shard, for engines that spread parts over threads. First all `parts` (part_count) are what is
 * stored: spans of `old`, or missing (`part_spans` is memory for the former). Then each is encoded anew, in any order (it
 * stays as it is where the box does not touch it); then all are joined in the order of the index. */
zl_status zl_split_old(const zl_pipeline *p, const zl_span *old, zl_encoded *parts, zl_span *part_spans,
                       const zl_call *call);
zl_status zl_split_part(const zl_pipeline *p, const zl_box *end_box, int64_t number, const zl_span *old_part,
                        const zl_encode *how, zl_encoded *part);
zl_status zl_split_join(const zl_pipeline *p, const zl_encoded *parts, const zl_encode *how, zl_encoded *out);
/* The encoded index of part_count ranges; it needs no other memory than `index`, the output and scratch. */
zl_status zl_index_encode(const zl_pipeline *p, const zl_range *index, const zl_encode *how, zl_encoded *out);

#endif
