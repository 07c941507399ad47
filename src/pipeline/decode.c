/* SPDX-License-Identifier: MIT */
/*
 * Stored bytes of a chunk to the elements of a box. A chain is: remaps (strides only), rows (pending until the one copy),
 * and an end. Elements are moved once, or not at all where the last stream can write into the caller's memory.
 */
#include "base/worker.h"
#include "dtype/dtype.h"
#include "pipeline/rows.h"
#include "simd/kernels.h"

static zl_status decode_end(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                            const zl_call *call);

void zl_to_end(const zl_pipeline *p, const zl_box *box, zl_box *out) {
    *out = *box;
    for (int32_t i = 0; i < p->remap_count; i++) {
        const zl_box before = *out;
        p->remaps[i].cls->aa->remap(p->remaps[i].bound, &before, out);
    }
}

zl_status zl_decode_chunk(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *outer,
                          const zl_call *call) {
    const zl_worker_mark mark = zl_worker_get_mark(call->worker);
    const zl_pending own = {p, outer};
    zl_box end;
    zl_to_end(p, box, &end);
    const zl_status status = decode_end(p, stored, &end, p->row_count ? &own : outer, call);
    zl_worker_reset(call->worker, mark);
    return status;
}

static bool can_fill_directly(const zl_pipeline *p, const zl_box *box, const zl_pending *pending) {
    return zl_box_is_whole(box, &p->end_shape) && zl_box_is_contiguous(box, p->end.dtype->size) && !zl_pending_any(pending);
}

/* From the first byte of a box to its last. */
static zl_range box_hull(const zl_pipeline *p, const zl_box *box) {
    zl_range hull = {0, p->end.dtype->size};
    if (zl_box_count(box) == 0) return (zl_range){0, p->content_size};
    for (int32_t i = 0; i < box->rank; i++) {
        hull.offset += (uint64_t)(box->start[i] * p->end_stride[i]);
        hull.length += (uint64_t)((box->shape[i] - 1) * box->step[i] * p->end_stride[i]);
    }
    return hull;
}

static zl_status decode_raw(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                            const zl_call *call) {
    zl_span content;
    if (!can_fill_directly(p, box, pending)) {
        zl_range part = box_hull(p, box);
        const uint64_t first = part.offset;
        ZL_TRY(zl_decode_bytes_part(p, stored, &part, &content, call));
        return zl_scatter_from(p, content.data + (first - part.offset), p->end_stride, true, box, pending, call);
    }
    void *into = box->data;
    ZL_TRY(zl_decode_bytes(p, stored, into, &content, call));
    if (content.data != into) return zl_scatter(p, content.data, p->end_stride, true, box, pending, call);
    if (p->fix) zl_dtype_fix(p->end.dtype, p->swap, into, (size_t)zl_box_count(box));
    return ZL_OK;
}

/* A contiguous block of the whole end level in scratch. */
static zl_status scratch_block(const zl_pipeline *p, zl_box *block, const zl_call *call) {
    void *memory = zl_worker_alloc(call->worker, (size_t)p->block_size + 1, 64);
    if (!memory) return zl_fail_memory(call->err, p->block_size);
    zl_box_whole(block, &p->end_shape, p->end.dtype->size, memory);
    return ZL_OK;
}

/* The elements from the first of a box to the last along each axis, with steps of 1, as a contiguous block in scratch. */
static zl_status scratch_hull(const zl_pipeline *p, const zl_box *box, zl_box *hull, const zl_call *call) {
    zl_shape shape = {.rank = box->rank};
    *hull = *box;
    for (int32_t i = 0; i < box->rank; i++) {
        hull->step[i] = 1;
        hull->shape[i] = shape.dim[i] = box->shape[i] ? (box->shape[i] - 1) * box->step[i] + 1 : 0;
    }
    const size_t size = (size_t)zl_box_count(hull) * p->end.dtype->size;
    hull->data = zl_worker_alloc(call->worker, size + 1, 64);
    if (!hull->data || !zl_c_strides(&shape, p->end.dtype->size, hull->stride)) return zl_fail_memory(call->err, size);
    return ZL_OK;
}

static zl_status decode_opaque(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                               const zl_call *call) {
    const zl_ab_ops *ops = p->end_codec.cls->ab;
    zl_span content;
    ZL_TRY(zl_decode_bytes(p, stored, NULL, &content, call));
    if (!zl_pending_any(pending) && zl_box_has_unit_steps(box)) return ops->decode(p->end_codec.bound, content, box, call);
    zl_box hull;
    ZL_TRY(scratch_hull(p, box, &hull, call));
    ZL_TRY(ops->decode(p->end_codec.bound, content, &hull, call));
    return zl_scatter_from(p, hull.data, hull.stride, false, box, pending, call);
}

zl_status zl_decode_parts(const zl_pipeline *p, uint64_t stored, const zl_span *parts, const zl_box *box,
                          const zl_call *call) {
    const zl_ab_ops *ops = p->end_codec.cls->ab;
    const uint64_t frames = (uint64_t)p->head + p->tail;
    if (stored < frames) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%llu bytes are stored, checksums alone take %llu",
                       (unsigned long long)stored, (unsigned long long)frames);
    }
    if (p->row_count == 0) return ops->decode_ranges(p->end_codec.bound, stored - frames, parts, box, call);
    /* Elements go through scratch to the rows; of the chunk there is only the box. */
    zl_box hull;
    ZL_TRY(scratch_hull(p, box, &hull, call));
    ZL_TRY(ops->decode_ranges(p->end_codec.bound, stored - frames, parts, &hull, call));
    const zl_pending own = {p, NULL};
    return zl_scatter_from(p, hull.data, hull.stride, false, box, &own, call);
}

static zl_status decode_split(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                              const zl_call *call) {
    zl_span content;
    ZL_TRY(zl_decode_bytes(p, stored, NULL, &content, call));
    zl_range where = {0};
    ZL_TRY(zl_index_range(p, content.size, &where, call->err));
    const size_t bytes = (size_t)p->part_count * sizeof(zl_range);
    zl_range *index = zl_worker_alloc(call->worker, bytes, _Alignof(zl_range));
    if (!index) return zl_fail_memory(call->err, bytes);
    const zl_span stored_index = {content.data + where.offset, (size_t)where.length};
    ZL_TRY(zl_index_decode(p, stored_index, content.size, index, call));
    zl_cells cells;
    for (zl_parts_begin(&cells, p, box); !cells.done; zl_cells_next(&cells)) {
        zl_box part;
        if (!zl_box_cut(box, cells.origin, cells.extent, &part)) continue;
        const int64_t number = zl_part_number(p, cells.index);
        const zl_range *at = &index[number];
        zl_status status;
        if (at->offset == ZL_MISSING)
            status = zl_decode_missing(p->inner, &part, pending, call);
        else
            status =
                zl_decode_chunk(p->inner, (zl_span){content.data + at->offset, (size_t)at->length}, &part, pending, call);
        if (status != ZL_OK) return zl_error_wrap(call->err, status, "inner chunk %lld: ", (long long)number);
    }
    return ZL_OK;
}

/* Elements have the same places on both sides: only a box that covers the wanted ones is decoded. */
static zl_status decode_cover(const zl_pipeline *p, zl_span stored, const zl_box *box, void *block, const zl_call *call) {
    zl_box inside;
    zl_box_whole(&inside, &p->inner->top_shape, p->inner->top.dtype->size, block);
    if (box) p->end_codec.cls->aa->cover(p->end_codec.bound, box, &inside);
    inside.data += zl_coords_offset(inside.rank, inside.start, inside.stride);
    return zl_decode_chunk(p->inner, stored, &inside, NULL, call);
}

zl_status zl_decode_behind(const zl_pipeline *p, zl_span stored, const zl_box *box, void *block, const zl_call *call) {
    const zl_aa_ops *ops = p->end_codec.cls->aa;
    if (ops->cover) return decode_cover(p, stored, box, block, call);
    void *encoded = zl_worker_alloc(call->worker, (size_t)p->behind_size + 1, 64);
    if (!encoded) return zl_fail_memory(call->err, p->behind_size);
    zl_box inside;
    zl_box_whole(&inside, &p->inner->top_shape, p->inner->top.dtype->size, encoded);
    ZL_TRY(zl_decode_chunk(p->inner, stored, &inside, NULL, call));
    return ops->decode(p->end_codec.bound, encoded, block, call);
}

static zl_status decode_barrier(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                                const zl_call *call) {
    const zl_aa_ops *ops = p->end_codec.cls->aa;
    zl_box inside, block;
    if (ops->remap && ops->remap(p->end_codec.bound, box, &inside)) {
        return zl_decode_chunk(p->inner, stored, &inside, pending, call);
    }
    ZL_TRY(scratch_block(p, &block, call));
    ZL_TRY(zl_decode_behind(p, stored, box, block.data, call));
    return zl_scatter(p, block.data, p->end_stride, false, box, pending, call);
}

static zl_status decode_end(const zl_pipeline *p, zl_span stored, const zl_box *box, const zl_pending *pending,
                            const zl_call *call) {
    switch (p->kind) {
    case ZL_END_RAW: return decode_raw(p, stored, box, pending, call);
    case ZL_END_OPAQUE: return decode_opaque(p, stored, box, pending, call);
    case ZL_END_SPLIT: return decode_split(p, stored, box, pending, call);
    case ZL_END_BARRIER: return decode_barrier(p, stored, box, pending, call);
    }
    return zl_fail(call->err, ZL_ERR_INTERNAL, "no such pipeline end: %d", (int)p->kind);
}

zl_status zl_decode_missing(const zl_pipeline *p, const zl_box *box, const zl_pending *outer, const zl_call *call) {
    const zl_worker_mark mark = zl_worker_get_mark(call->worker);
    const zl_dtype *dtype = p->top.dtype;
    const void *fill = p->top.fill;
    zl_status status = ZL_OK;
    zl_slot slot;
    if (!fill) {
        const zl_bound_codec *view = &p->rows[0].codec;
        status = view->cls->aa->refuse(view->bound, false, p->cast_fill, call->err);
        status = zl_error_wrap(call->err, status, "nothing is stored, and the fill value does not fit: ");
    } else if (zl_pending_any(outer)) {
        const zl_pending *outermost = outer;
        while (outermost->outer)
            outermost = outermost->outer;
        dtype = outermost->level->top.dtype;
        void *decoded = zl_call_scratch(call, dtype->size, 16);
        if (!decoded)
            status = zl_fail_memory(call->err, dtype->size);
        else
            status = zl_rows_one(outer, fill, decoded, call);
        fill = decoded;
    } else if (dtype->variable && call->result) {
        /* The text outlives the array together with the other elements of the read. */
        memcpy(&slot, fill, sizeof slot);
        void *text = slot.size ? zl_call_result_alloc(call, (size_t)slot.size) : NULL;
        if (slot.size && !text) status = zl_fail_memory(call->err, slot.size);
        if (text) memcpy(text, slot.data, (size_t)slot.size);
        slot.data = text;
        fill = &slot;
    }
    if (status == ZL_OK) zl_fill_nd(box->rank, box->shape, box->data, box->stride, fill, dtype->size);
    zl_worker_reset(call->worker, mark);
    return status;
}
