/* SPDX-License-Identifier: MIT */
/*
 * A chunk as libzfp's blocks of 4 elements along each axis, one behind the other in a stream of bits: what the codecs zfp
 * and numcodecs.zfpy share.
 */
#ifndef ZL_CODEC_ZFP_BLOCKS_H
#define ZL_CODEC_ZFP_BLOCKS_H

#include "codec/zfp_values.h"

#define ZL_ZFP_AXES 4
#define ZL_ZFP_SIDE 4 /* elements of a block along an axis */
#define ZL_ZFP_WORD 8 /* bytes of the largest word libzfp may have been built with: streams are padded to it */

/* How the chunks of one shape are coded. Of its four axes the last `rank` are the field's; those before have extent 1. */
typedef struct zl_zfp {
    zl_zfp_values values;
    zfp_stream settings; /* the four parameters that all modes come down to; no stream */
    bool has_header;     /* libzfp's own, in front of the blocks; written only */
    int32_t rank;        /* 1 to 4 */
    int64_t dim[ZL_ZFP_AXES];
    int64_t blocks[ZL_ZFP_AXES]; /* along each axis */
    uint64_t block_count;
    uint32_t block_bits; /* of the largest block that can be */
    bool fixed;          /* all blocks have that many */
} zl_zfp;

/* The rank of the field that a chunk becomes: a single element is a field of rank 1. */
static inline int32_t zl_zfp_rank(const zl_shape *shape) {
    return shape->rank ? shape->rank : 1;
}

/* Settings for `rate` bits to an element, as libzfp rounds them. METADATA: out of range; the message has no name in front.
 */
zl_status zl_zfp_set_rate(zfp_stream *settings, double rate, zfp_type type, int32_t rank, zl_error *err);

/* Fills `out` but for has_header. `settings` may come from a file. METADATA: they make no stream that libzfp can read
 * safely; the message has no name in front. LIMIT: sizes overflow. */
zl_status zl_zfp_prepare(zl_zfp *out, const zl_dtype *dtype, const zfp_stream *settings, const zl_shape *shape,
                         zl_error *err);

/* Largest encoded size. */
uint64_t zl_zfp_bound(const zl_zfp *zfp);
/* Encodes the chunk `src` covers. INVALID_ARGUMENT for elements that cannot be encoded. */
zl_status zl_zfp_encode(const zl_zfp *zfp, const zl_box *src, zl_sink *out, const zl_call *call);

/* Decodes the elements of `dst` (steps are 1) from a stream whose first block starts at bit `first_bit`. */
zl_status zl_zfp_decode(const zl_zfp *zfp, zl_span src, uint32_t first_bit, const zl_box *dst, const zl_call *call);

/* See zl_ab_ops: none unless all blocks are equally long. */
size_t zl_zfp_ranges(const zl_zfp *zfp, const zl_box *dst, zl_range *out, size_t cap);
zl_status zl_zfp_decode_ranges(const zl_zfp *zfp, uint64_t size, const zl_span *parts, const zl_box *dst,
                               const zl_call *call);

#endif
