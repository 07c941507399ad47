/* SPDX-License-Identifier: MIT */
/*
 * Shards: an index of ranges, and parts that are chunks of their own.
 * https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html
 */
#include "base/worker.h"
#include "pipeline/bytes.h"

/* ---- index */

zl_status zl_index_range(const zl_pipeline *p, uint64_t size, zl_range *out, zl_error *err) {
    if (size < p->index_size) {
        return zl_fail(err, ZL_ERR_CORRUPT, "sharding_indexed: the shard has %llu bytes, its index alone takes %llu",
                       (unsigned long long)size, (unsigned long long)p->index_size);
    }
    *out = (zl_range){p->index_at_end ? size - p->index_size : 0, p->index_size};
    return ZL_OK;
}

zl_status zl_index_decode(const zl_pipeline *p, zl_span stored, uint64_t size, zl_range *out, const zl_call *call) {
    zl_call strict = *call;
    strict.verify = true; /* a wrong index gives wrong data without an error */
    zl_box box;
    zl_box_whole(&box, &p->index->top_shape, sizeof(uint64_t), out);
    const zl_status status = zl_decode_chunk(p->index, stored, &box, NULL, &strict);
    if (status != ZL_OK) return zl_error_wrap(call->err, status, "sharding_indexed: index: ");
    for (int64_t i = 0; i < p->part_count; i++) {
        const uint64_t offset = out[i].offset, length = out[i].length;
        if (offset == ZL_MISSING && length == ZL_MISSING) continue;
        if (offset > size || length > size - offset) {
            return zl_fail(
                call->err, ZL_ERR_CORRUPT,
                "sharding_indexed: index entry %lld is offset %llu, length %llu: not inside the shard's %llu bytes",
                (long long)i, (unsigned long long)offset, (unsigned long long)length, (unsigned long long)size);
        }
    }
    return ZL_OK;
}

int64_t zl_part_number(const zl_pipeline *p, const int64_t *cell) {
    int64_t number = 0;
    for (int32_t i = 0; i < p->end_shape.rank; i++)
        number = number * p->index->top_shape.dim[i] + cell[i];
    return number;
}

void zl_part_origin(const zl_pipeline *p, int64_t number, int64_t *origin) {
    for (int32_t i = p->end_shape.rank - 1; i >= 0; i--) {
        const int64_t count = p->index->top_shape.dim[i];
        origin[i] = number % count * p->inner->top_shape.dim[i];
        number /= count;
    }
}

int64_t zl_parts_count(const zl_pipeline *p, const zl_box *box) {
    zl_cells cells;
    int64_t count = 1;
    zl_parts_begin(&cells, p, box);
    for (int32_t i = 0; i < box->rank; i++)
        count *= cells.last[i] - cells.index[i] + 1;
    return count;
}

/* ---- writing */

zl_status zl_split_old(const zl_pipeline *p, const zl_span *old, zl_encoded *parts, zl_span *part_spans,
                       const zl_call *call) {
    for (int64_t i = 0; i < p->part_count; i++)
        parts[i] = (zl_encoded){.missing = true};
    if (!old) return ZL_OK;
    zl_span content;
    ZL_TRY(zl_decode_bytes(p, *old, NULL, &content, call));
    zl_range where = {0};
    ZL_TRY(zl_index_range(p, content.size, &where, call->err));
    const size_t bytes = (size_t)p->part_count * sizeof(zl_range);
    zl_range *index = zl_worker_alloc(call->worker, bytes, _Alignof(zl_range));
    if (!index) return zl_fail_memory(call->err, bytes);
    ZL_TRY(zl_index_decode(p, (zl_span){content.data + where.offset, (size_t)where.length}, content.size, index, call));
    uint64_t sum = 0;
    for (int64_t i = 0; i < p->part_count; i++) {
        if (index[i].offset == ZL_MISSING) continue;
        part_spans[i] = (zl_span){content.data + index[i].offset, (size_t)index[i].length};
        parts[i] = (zl_encoded){.spans = &part_spans[i], .count = 1, .size = index[i].length};
        sum = zl_sat_add(sum, index[i].length);
    }
    if (sum > content.size) { /* kept parts are written one by one: overlaps would make the object grow without end */
        return zl_fail(call->err, ZL_ERR_CORRUPT, "sharding_indexed: inner chunks overlap, they take %llu of %zu bytes",
                       (unsigned long long)sum, content.size);
    }
    return ZL_OK;
}

zl_status zl_split_part(const zl_pipeline *p, const zl_box *end_box, int64_t number, const zl_span *old_part,
                        const zl_encode *how, zl_encoded *part) {
    int64_t origin[ZL_MAX_RANK];
    zl_box share;
    zl_part_origin(p, number, origin);
    if (!zl_box_cut(end_box, origin, p->inner->top_shape.dim, &share)) return ZL_OK; /* untouched: stays as it is */
    if (zl_box_covers(&share)) old_part = NULL;
    const zl_status status = zl_encode_chunk(p->inner, &share, old_part, how, part);
    return status == ZL_OK ? ZL_OK : zl_error_wrap(how->call->err, status, "inner chunk %lld: ", (long long)number);
}

zl_status zl_index_encode(const zl_pipeline *p, const zl_range *index, const zl_encode *how, zl_encoded *out) {
    const zl_encode plain = {.output = how->output, .call = how->call};
    zl_box box;
    zl_box_whole(&box, &p->index->top_shape, sizeof(uint64_t), (void *)index);
    return zl_encode_chunk(p->index, &box, NULL, &plain, out);
}

zl_status zl_split_join(const zl_pipeline *p, const zl_encoded *parts, const zl_encode *how, zl_encoded *out) {
    const zl_call *call = how->call;
    size_t span_count = 0;
    bool any = false;
    for (int64_t i = 0; i < p->part_count; i++) {
        any = any || !parts[i].missing;
        span_count += parts[i].missing ? 0 : parts[i].count;
    }
    if (!any && how->may_omit && !how->keep_fill && p->closed) {
        *out = (zl_encoded){.missing = true};
        return ZL_OK;
    }
    const size_t index_bytes = (size_t)p->part_count * sizeof(zl_range);
    zl_range *index = zl_output_reserve(how->output, index_bytes); /* the encoded index may be this memory itself */
    if (!index) return zl_fail_memory(call->err, index_bytes);
    zl_output_commit(how->output, index_bytes);
    uint64_t at = p->index_at_end ? 0 : p->index_size;
    for (int64_t i = 0; i < p->part_count; i++) {
        index[i] = parts[i].missing ? (zl_range){ZL_MISSING, ZL_MISSING} : (zl_range){at, parts[i].size};
        at += parts[i].missing ? 0 : parts[i].size;
    }
    zl_encoded encoded_index;
    ZL_TRY(zl_index_encode(p, index, how, &encoded_index));
    const size_t bytes = (span_count + encoded_index.count) * sizeof(zl_span);
    zl_span *spans = zl_worker_alloc(call->worker, bytes, _Alignof(zl_span));
    if (!spans) return zl_fail_memory(call->err, bytes);
    size_t n = 0;
    if (!p->index_at_end) {
        for (size_t k = 0; k < encoded_index.count; k++)
            spans[n++] = encoded_index.spans[k];
    }
    for (int64_t i = 0; i < p->part_count; i++) {
        for (size_t k = 0; !parts[i].missing && k < parts[i].count; k++)
            spans[n++] = parts[i].spans[k];
    }
    if (p->index_at_end) {
        for (size_t k = 0; k < encoded_index.count; k++)
            spans[n++] = encoded_index.spans[k];
    }
    return zl_encode_bytes(p, spans, n, how, out);
}
