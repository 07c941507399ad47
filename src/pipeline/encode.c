/* SPDX-License-Identifier: MIT */
/*
 * Elements of a box over an old chunk to new stored bytes. Old elements are decoded only down to the end level and the
 * caller's, encoded by the rows, are laid over them there: elements that nobody writes pass no row codec.
 *
 * A chunk or part is omitted when its end-level elements equal that level's fill value by bits, the fill value survives the
 * rows (`closed`), and its place can record absence.
 */
#include "base/worker.h"
#include "dtype/dtype.h"
#include "pipeline/bytes.h"
#include "pipeline/rows.h"
#include "simd/kernels.h"

/* Memory for a block: scratch when a stream makes other bytes of it, the output when it is what gets stored. */
static zl_status block_memory(const zl_pipeline *p, bool stored_as_is, const zl_encode *how, void **out) {
    const size_t size = (size_t)p->block_size + 1;
    *out = stored_as_is ? zl_output_reserve(how->output, size) : zl_worker_alloc(how->call->worker, size, 64);
    return *out ? ZL_OK : zl_fail_memory(how->call->err, p->block_size);
}

/* The old elements in a block: as they are stored for a raw end, as elements otherwise. */
static zl_status old_elements(const zl_pipeline *p, zl_span old, void *block, const zl_call *call) {
    zl_box whole;
    zl_box_whole(&whole, &p->end_shape, p->end.dtype->size, block);
    zl_span content;
    if (p->kind == ZL_END_RAW) {
        ZL_TRY(zl_decode_bytes(p, old, block, &content, call));
        if (content.data != block) memcpy(block, content.data, content.size);
        return ZL_OK;
    }
    if (p->kind == ZL_END_OPAQUE) {
        ZL_TRY(zl_decode_bytes(p, old, NULL, &content, call));
        return p->end_codec.cls->ab->decode(p->end_codec.bound, content, &whole, call);
    }
    return zl_decode_behind(p, old, NULL, block, call);
}

/* All end-level elements of the new chunk: fill, old ones over it, the caller's over those. A raw end wants them as they
 * are stored, which is one pass over memory for gather, rows and byte order together. */
static zl_status merged_block(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_pending *pending,
                              void *block, const zl_call *call) {
    const bool raw = p->kind == ZL_END_RAW;
    if (old) {
        ZL_TRY(old_elements(p, *old, block, call));
    } else if (!zl_box_is_whole(box, &p->end_shape)) {
        const void *fill = raw ? p->stored_fill : p->end.fill;
        zl_fill_nd(p->end_shape.rank, p->end_shape.dim, block, p->end_stride, fill, p->end.dtype->size);
    }
    return zl_gather(p, block, p->end_stride, raw, box, pending, call);
}

static bool block_is_fill(const zl_pipeline *p, const void *block) {
    zl_box whole;
    zl_box_whole(&whole, &p->end_shape, p->end.dtype->size, (void *)block);
    return zl_box_all_equal(&whole, p->end.dtype, p->kind == ZL_END_RAW ? p->stored_fill : p->end.fill);
}

static bool omits(const zl_pipeline *p, const zl_encode *how) {
    return how->may_omit && !how->keep_fill && p->closed;
}

static zl_status encode_raw(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_pending *pending,
                            const zl_encode *how, zl_encoded *out) {
    zl_span content = {.size = (size_t)p->block_size};
    const bool in_place = !old && !p->fix && !zl_pending_any(pending) && zl_box_is_whole(box, &p->end_shape) &&
                          zl_box_is_contiguous(box, p->end.dtype->size);
    if (in_place) {
        content.data = (const uint8_t *)box->data; /* the caller's memory is what gets stored or compressed */
    } else {
        void *block;
        ZL_TRY(block_memory(p, p->stream_count == 0, how, &block));
        ZL_TRY(merged_block(p, box, old, pending, block, how->call));
        content.data = block;
    }
    if (omits(p, how) && block_is_fill(p, content.data)) {
        *out = (zl_encoded){.missing = true};
        return ZL_OK;
    }
    if (!in_place && p->stream_count == 0) zl_output_commit(how->output, content.size);
    return zl_encode_bytes(p, &content, 1, how, out);
}

static zl_status encode_opaque(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_pending *pending,
                               const zl_encode *how, zl_encoded *out) {
    const zl_ab_ops *ops = p->end_codec.cls->ab;
    const zl_call *call = how->call;
    zl_box source = *box;
    if (old || zl_pending_any(pending) || !zl_box_is_whole(box, &p->end_shape)) {
        void *block;
        ZL_TRY(block_memory(p, false, how, &block));
        ZL_TRY(merged_block(p, box, old, pending, block, call));
        zl_box_whole(&source, &p->end_shape, p->end.dtype->size, block);
        memcpy(source.edge, box->edge, sizeof source.edge); /* what lies beyond is padding, and some codecs ask */
    }
    if (omits(p, how) && zl_box_all_equal(&source, p->end.dtype, p->end.fill)) {
        *out = (zl_encoded){.missing = true};
        return ZL_OK;
    }
    /* Where only the elements tell the size, the content grows on the side and is moved into the output. */
    const bool known = p->bounds[0] != UINT64_MAX;
    zl_sink sink = {.allocator = call->allocator};
    if (known) {
        if (p->bounds[0] > SIZE_MAX / 2) return zl_fail_memory(call->err, p->bounds[0]);
        sink.cap = sink.max = (size_t)p->bounds[0];
        sink.data =
            p->stream_count ? zl_worker_alloc(call->worker, sink.cap + 1, 64) : zl_output_reserve(how->output, sink.cap);
        if (!sink.data) return zl_fail_memory(call->err, sink.cap);
    } else {
        sink.max = SIZE_MAX / 2;
    }
    zl_status status = ops->encode(p->end_codec.bound, &source, &sink, call);
    zl_span content = {sink.data, sink.size};
    if (status == ZL_OK && !known && p->stream_count == 0) {
        void *kept = zl_output_reserve(how->output, sink.size);
        if (!kept)
            status = zl_fail_memory(call->err, sink.size);
        else if (sink.size)
            memcpy(kept, sink.data, sink.size);
        content.data = kept;
    }
    if (status == ZL_OK && p->stream_count == 0) zl_output_commit(how->output, sink.size);
    if (status == ZL_OK) status = zl_encode_bytes(p, &content, 1, how, out);
    if (!known) zl_sink_free(&sink);
    return status;
}

/* The box behind a layout, where there is one. Whether there is must depend on coordinates alone, or the stored bytes would
 * depend on how the caller's memory is laid out: where only its strides are in the way, the elements are moved together. */
static zl_status view_behind(const zl_pipeline *p, const zl_box *box, const zl_pending *pending, const zl_encode *how,
                             zl_box *view, bool *viewed) {
    const zl_bound_codec *codec = &p->end_codec;
    *viewed = codec->cls->aa->remap && codec->cls->aa->remap(codec->bound, box, view);
    if (*viewed || !codec->cls->aa->remap) return ZL_OK;
    const size_t element_size = zl_pending_dtype(p, pending)->size;
    zl_shape shape = {.rank = box->rank};
    memcpy(shape.dim, box->shape, (size_t)box->rank * sizeof shape.dim[0]);
    zl_box together = *box;
    if (!zl_c_strides(&shape, element_size, together.stride)) return zl_fail_memory(how->call->err, UINT64_MAX);
    if (!codec->cls->aa->remap(codec->bound, &together, view)) return ZL_OK;
    const size_t size = (size_t)zl_box_count(box) * element_size;
    together.data = zl_output_reserve(how->output, size); /* may be what gets stored */
    if (!together.data) return zl_fail_memory(how->call->err, size);
    zl_output_commit(how->output, size);
    zl_copy_nd(box->rank, box->shape, together.data, together.stride, box->data, box->stride, element_size);
    *viewed = codec->cls->aa->remap(codec->bound, &together, view);
    return ZL_OK;
}

static zl_status encode_barrier(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_pending *pending,
                                const zl_encode *how, zl_encoded *out) {
    const zl_aa_ops *ops = p->end_codec.cls->aa;
    const zl_call *call = how->call;
    zl_box view;
    bool viewed;
    ZL_TRY(view_behind(p, box, pending, how, &view, &viewed));
    if (viewed) {
        /* Layout alone: the same elements and fill value behind it, so everything goes on as it is. */
        zl_encode through = *how;
        through.outer = pending;
        through.may_omit = how->may_omit && p->closed;
        return zl_encode_chunk(p->inner, &view, old, &through, out);
    }
    /* Nothing behind a codec of whole blocks can record absence, except for parts of shards. Behind a layout the same is
     * decided in the same place as above: what is stored does not depend on how the caller's memory is laid out. */
    const bool layout = ops->cover != NULL;
    const zl_encode inside = {
        .may_omit = layout && how->may_omit && p->closed, .keep_fill = how->keep_fill, .output = how->output, .call = call};
    void *block;
    ZL_TRY(block_memory(p, layout, how, &block));
    ZL_TRY(merged_block(p, box, old, pending, block, call));
    if (!layout && omits(p, how) && block_is_fill(p, block)) {
        *out = (zl_encoded){.missing = true};
        return ZL_OK;
    }
    /* What the rest of the chain stores may be this memory itself, so it stands in the output. */
    void *encoded = block;
    size_t size = (size_t)p->block_size;
    if (!layout) {
        size = (size_t)p->behind_size;
        encoded = zl_output_reserve(how->output, size);
        if (!encoded) return zl_fail_memory(call->err, size);
        ZL_TRY(ops->encode(p->end_codec.bound, block, encoded, call));
    }
    zl_output_commit(how->output, size);
    zl_box_whole(&view, &p->inner->top_shape, p->inner->top.dtype->size, encoded);
    return zl_encode_chunk(p->inner, &view, NULL, &inside, out);
}

/* Parts one after the other; the engine spreads those of the outermost shard over threads. */
static zl_status encode_split(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_pending *pending,
                              const zl_encode *how, zl_encoded *out) {
    const zl_call *call = how->call;
    const size_t bytes = (size_t)p->part_count * (sizeof(zl_encoded) + sizeof(zl_span));
    zl_encoded *parts = zl_worker_alloc(call->worker, bytes, _Alignof(zl_encoded));
    if (!parts) return zl_fail_memory(call->err, bytes);
    zl_span *part_spans = (zl_span *)(parts + p->part_count);
    ZL_TRY(zl_split_old(p, old, parts, part_spans, call));
    zl_encode inside = *how;
    inside.outer = pending;
    inside.may_omit = true; /* a shard's index records absence wherever the shard itself lies */
    for (int64_t i = 0; i < p->part_count; i++) {
        const zl_worker_mark mark = zl_worker_get_mark(call->worker);
        const zl_status status = zl_split_part(p, box, i, parts[i].missing ? NULL : &part_spans[i], &inside, &parts[i]);
        zl_worker_reset(call->worker, mark);
        ZL_TRY(status);
    }
    return zl_split_join(p, parts, how, out);
}

zl_status zl_encode_chunk(const zl_pipeline *p, const zl_box *box, const zl_span *old, const zl_encode *how,
                          zl_encoded *out) {
    const zl_worker_mark mark = zl_worker_get_mark(how->call->worker);
    const zl_pending own = {p, how->outer};
    const zl_pending *pending = p->row_count ? &own : how->outer;
    zl_box end;
    zl_to_end(p, box, &end);
    zl_status status = ZL_ERR_INTERNAL;
    switch (p->kind) {
    case ZL_END_RAW: status = encode_raw(p, &end, old, pending, how, out); break;
    case ZL_END_OPAQUE: status = encode_opaque(p, &end, old, pending, how, out); break;
    case ZL_END_SPLIT: status = encode_split(p, &end, old, pending, how, out); break;
    case ZL_END_BARRIER: status = encode_barrier(p, &end, old, pending, how, out); break;
    }
    zl_worker_reset(how->call->worker, mark);
    return status;
}
