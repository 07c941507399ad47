/* SPDX-License-Identifier: MIT */
/*
 * Fetching and decoding parts of a shard, once it is known where they lie. A part that is itself a large shard is not
 * fetched whole: its own index is read, and then what is wanted of its parts, one group after the other.
 */
#include "base/worker.h"
#include "engine/read.h"

/* Bytes of the object: in scratch, or lent by the store. */
static zl_status get_range(const zl_part_source *source, zl_range range, zl_bytes *out) {
    zl_read_op *op = zl_read_op_of(source->job);
    const zl_condition condition = {ZL_IF_GENERATION, source->generation};
    zl_request request = {.offset = range.offset, .length = range.length};
    if (!(op->array->store->cls->caps & ZL_STORE_LEND)) {
        request.cap = (size_t)range.length;
        request.into = zl_call_scratch(source->call, request.cap + 1, 64);
        if (!request.into) return zl_fail_memory(source->call->err, range.length);
    }
    ZL_TRY(zl_read_get(source->job, source->job->job.key, &request, 1, &condition, NULL, source->call->err));
    *out = request.bytes;
    return ZL_OK;
}

static bool is_nested(const zl_part_source *source, size_t count, zl_range range) {
    return count == 1 && range.length > ZL_PART_GROUP_MAX &&
           zl_shard_has_ranges(zl_read_op_of(source->job), source->p->inner);
}

static zl_status read_nested(const zl_part_source *source, zl_range range, const zl_box *box, const zl_pending *pending);

/* One part; `data` holds its stored bytes, or NULL where they are still to be fetched. */
static zl_status decode_part(const zl_part_source *source, const zl_part *part, const uint8_t *data, const zl_box *end,
                             const zl_pending *pending) {
    const zl_pipeline *inner = source->p->inner;
    const zl_call *call = source->call;
    zl_box share;
    int64_t origin[ZL_MAX_RANK];
    zl_part_origin(source->p, part->number, origin);
    if (!zl_box_cut(end, origin, inner->top_shape.dim, &share)) return ZL_OK;
    source->job->elements += (uint64_t)zl_box_count(&share);
    if (part->range.offset == ZL_MISSING) return zl_decode_missing(inner, &share, pending, call);
    if (data) return zl_decode_chunk(inner, (zl_span){data, (size_t)part->range.length}, &share, pending, call);
    source->job->elements -= (uint64_t)zl_box_count(&share); /* counted part by part */
    return read_nested(source, (zl_range){source->base + part->range.offset, part->range.length}, &share, pending);
}

static zl_status too_large(const zl_part_source *source, const zl_part *part) {
    return zl_fail(source->call->err, ZL_ERR_CORRUPT, "inner chunk %lld: %llu bytes are stored, it takes at most %llu",
                   (long long)part->number, (unsigned long long)part->range.length,
                   (unsigned long long)zl_pipeline_stored_limit(source->p->inner));
}

zl_status zl_read_parts(const zl_part_source *source, const zl_part *parts, size_t count, zl_range range, const zl_box *end,
                        const zl_pending *pending) {
    const zl_worker_mark mark = zl_worker_get_mark(source->call->worker);
    zl_bytes bytes = {0};
    zl_status status = ZL_OK;
    const uint64_t most = zl_pipeline_stored_limit(source->p->inner);
    for (size_t i = 0; i < count && parts[i].range.offset != ZL_MISSING; i++) {
        if (parts[i].range.length > most) return too_large(source, &parts[i]);
    }
    const bool nested = is_nested(source, count, range);
    if (!nested && parts[0].range.offset != ZL_MISSING) {
        status = get_range(source, (zl_range){source->base + range.offset, range.length}, &bytes);
    }
    for (size_t i = 0; status == ZL_OK && i < count; i++) {
        const bool fetched = !nested && parts[i].range.offset != ZL_MISSING;
        const uint8_t *data = fetched ? bytes.data + (parts[i].range.offset - range.offset) : NULL;
        status = decode_part(source, &parts[i], data, end, pending);
        if (status != ZL_OK && status != ZL_ERR_CONFLICT && status != ZL_ERR_NOT_FOUND) {
            zl_error_wrap(source->call->err, status, "inner chunk %lld: ", (long long)parts[i].number);
        }
    }
    zl_bytes_release(&bytes);
    zl_worker_reset(source->call->worker, mark);
    return status;
}

/* The index of a nested shard that lies at `range` of the object, in scratch. */
static zl_status nested_index(const zl_part_source *source, const zl_pipeline *p, zl_range range, zl_range **out) {
    const zl_call *call = source->call;
    const uint64_t frames = (uint64_t)p->head + p->tail;
    zl_range where = {0};
    ZL_TRY(zl_index_range(p, range.length < frames ? 0 : range.length - frames, &where, call->err));
    const size_t bytes = (size_t)p->part_count * sizeof(zl_range);
    *out = zl_call_scratch(call, bytes, _Alignof(zl_range));
    if (!*out) return zl_fail_memory(call->err, bytes);
    zl_bytes stored;
    ZL_TRY(get_range(source, (zl_range){range.offset + p->head + where.offset, where.length}, &stored));
    const zl_status status = zl_index_decode(p, (zl_span){stored.data, stored.size}, range.length - frames, *out, call);
    zl_bytes_release(&stored);
    return status;
}

static zl_status read_nested(const zl_part_source *outer, zl_range range, const zl_box *box, const zl_pending *pending) {
    const zl_pipeline *p = outer->p->inner;
    const zl_call *call = outer->call;
    zl_part_source source = *outer;
    source.p = p;
    source.base = range.offset + p->head;
    const zl_pending own = {p, pending};
    zl_box end;
    zl_to_end(p, box, &end);
    zl_range *index = NULL;
    ZL_TRY(nested_index(outer, p, range, &index));
    zl_part *memory = zl_call_scratch(call, ZL_PART_WINDOW * sizeof(zl_part), _Alignof(zl_part));
    if (!memory) return zl_fail_memory(call->err, ZL_PART_WINDOW * sizeof(zl_part));
    zl_part_window window;
    zl_part_window_begin(&window, p, index, &end, memory, 1);
    const zl_part *parts;
    zl_range together;
    for (size_t count; (count = zl_part_window_next(&window, &parts, &together)) != 0;) {
        ZL_TRY(zl_read_parts(&source, parts, count, together, &end, &own));
    }
    return ZL_OK;
}
