/* SPDX-License-Identifier: MIT */
/*
 * The bytes -> bytes half of a chain. Frames only shorten or add spans; each stream makes one new block. Decoding: the last
 * stream writes straight into the caller's memory where that is possible. Encoding: only a stream needs its input in one
 * piece, so a shard's parts are never joined unless a compressor stands behind the shard.
 */
#include "pipeline/bytes.h"

#include "base/worker.h"

/* ---- scratch as an allocator, for sinks whose final size is unknown: freed with the job's mark */

static void *scratch_alloc(void *worker, size_t size, size_t align) {
    return zl_worker_alloc(worker, size, align);
}
static void *scratch_resize(void *worker, void *ptr, size_t old_size, size_t new_size, size_t align) {
    void *fresh = zl_worker_alloc(worker, new_size, align);
    if (fresh && ptr) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
    return fresh;
}
static void scratch_free(void *worker, void *ptr, size_t size) {
    (void)worker;
    (void)ptr;
    (void)size;
}

static zl_allocator scratch_allocator(const zl_call *call) {
    return (zl_allocator){scratch_alloc, scratch_resize, scratch_free, call->worker};
}

/* ---- decoding */

static bool is_stream(const zl_bound_codec *codec) {
    return codec->cls->bb->decode != NULL;
}

/* Others may encode worse than we do; this much worse is still no attack. */
static uint64_t lenient(uint64_t bound, uint64_t limit) {
    return bound == UINT64_MAX ? limit : zl_sat_add(zl_sat_mul(bound, 2), ZL_MIB);
}

uint64_t zl_pipeline_stored_limit(const zl_pipeline *p) {
    if (p->encoded_size != UINT64_MAX) return p->encoded_size;
    return lenient(p->bounds[p->bb_count], p->content_limit);
}

static zl_status unframe(const zl_bound_codec *codec, zl_span *span, const zl_call *call) {
    uint32_t head, tail;
    codec->cls->bb->extent(codec->bound, &head, &tail);
    if (span->size < (size_t)head + tail) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: %zu bytes are stored, its checksum alone takes %u", codec->cls->name,
                       span->size, head + tail);
    }
    if (call->verify) ZL_TRY(codec->cls->bb->check(codec->bound, *span, call));
    span->data += head;
    span->size -= (size_t)head + tail;
    return ZL_OK;
}

/* Undoes stream `i`. What comes out has an exact size when only frames and content of a known size stand before it. */
static zl_status unstream(const zl_pipeline *p, int32_t i, bool innermost, void *into, zl_span *span, const zl_call *call) {
    const zl_bound_codec *codec = &p->bb[i];
    const zl_allocator scratch = scratch_allocator(call);
    zl_sink sink = {.allocator = &scratch};
    if (innermost && p->content_size != UINT64_MAX) {
        const uint64_t size = p->content_size + p->head + p->tail;
        sink.fixed = true;
        sink.cap = sink.max = (size_t)size;
        sink.data = i == 0 && into ? into : zl_worker_alloc(call->worker, sink.cap ? sink.cap : 1, 64);
        if (!sink.data) return zl_fail_memory(call->err, size);
    } else {
        sink.max = (size_t)zl_min_u64(lenient(p->bounds[i], p->content_limit), SIZE_MAX / 2);
    }
    ZL_TRY(codec->cls->bb->decode(codec->bound, *span, &sink, call));
    *span = (zl_span){sink.data, sink.size};
    return ZL_OK;
}

/* Undoes the codecs from the last to `first`. */
static zl_status undo(const zl_pipeline *p, int32_t first, void *into, zl_span *span, const zl_call *call) {
    int32_t streams = p->stream_count;
    for (int32_t i = p->bb_count - 1; i >= first; i--) {
        if (is_stream(&p->bb[i]))
            ZL_TRY(unstream(p, i, --streams == 0, into, span, call));
        else
            ZL_TRY(unframe(&p->bb[i], span, call));
    }
    return ZL_OK;
}

static zl_status check_content(const zl_pipeline *p, zl_span content, const zl_call *call) {
    if (p->content_size == UINT64_MAX || content.size == p->content_size) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "%zu bytes of elements are stored, the chunk needs %llu", content.size,
                   (unsigned long long)p->content_size);
}

zl_status zl_decode_bytes(const zl_pipeline *p, zl_span stored, void *into, zl_span *out, const zl_call *call) {
    *out = stored;
    ZL_TRY(undo(p, 0, into, out, call));
    return check_content(p, *out, call);
}

/* A part that is nearly the whole is no gain: some codecs copy parts once more. */
static bool is_worth(const zl_pipeline *p, const zl_range *part) {
    return part->length <= p->content_size / 4 * 3;
}

zl_status zl_decode_bytes_part(const zl_pipeline *p, zl_span stored, zl_range *part, zl_span *out, const zl_call *call) {
    const zl_range wanted = *part;
    *part = (zl_range){0, p->content_size};
    const zl_bb_ops *ops = p->bb_count ? p->bb[0].cls->bb : NULL;
    if (!ops || !ops->part || !is_worth(p, &wanted)) return zl_decode_bytes(p, stored, NULL, out, call);
    ZL_TRY(undo(p, 1, NULL, &stored, call));
    const void *bound = p->bb[0].bound;
    const zl_range found = ops->part(bound, stored, p->content_size, wanted, call);
    if (!is_worth(p, &found)) {
        *out = stored;
        ZL_TRY(unstream(p, 0, true, NULL, out, call));
        return check_content(p, *out, call);
    }
    uint8_t *memory = zl_worker_alloc(call->worker, (size_t)found.length, 64);
    if (!memory) return zl_fail_memory(call->err, found.length);
    *part = found;
    *out = (zl_span){memory, (size_t)found.length};
    return ops->decode_part(bound, stored, p->content_size, found, memory, call);
}

/* ---- encoding */

/* Spans of the object so far, with room for heads in front and tails behind. */
typedef struct span_list {
    zl_span *all;
    size_t first, count;
    uint64_t size;
} span_list;

static zl_status seal(const zl_bound_codec *codec, span_list *list, const zl_encode *how) {
    uint32_t head, tail;
    codec->cls->bb->extent(codec->bound, &head, &tail);
    uint8_t *added = zl_output_reserve(how->output, (size_t)head + tail);
    if (!added) return zl_fail_memory(how->call->err, head + tail);
    ZL_TRY(codec->cls->bb->seal(codec->bound, list->all + list->first, list->count, added, added + head, how->call));
    zl_output_commit(how->output, (size_t)head + tail);
    if (head) {
        list->all[--list->first] = (zl_span){added, head};
        list->count++;
    }
    if (tail) list->all[list->first + list->count++] = (zl_span){added + head, tail};
    list->size += head + tail;
    return ZL_OK;
}

static zl_status join(span_list *list, const zl_call *call) {
    if (list->count == 1) return ZL_OK;
    uint8_t *joined = list->size <= SIZE_MAX ? zl_worker_alloc(call->worker, (size_t)list->size + 1, 64) : NULL;
    if (!joined) return zl_fail_memory(call->err, list->size);
    size_t at = 0;
    for (size_t i = 0; i < list->count; i++) {
        const zl_span *span = &list->all[list->first + i];
        if (span->size) memcpy(joined + at, span->data, span->size);
        at += span->size;
    }
    list->all[list->first] = (zl_span){joined, at};
    list->count = 1;
    return ZL_OK;
}

/* The last stream writes to the output, those before it to scratch. */
static zl_status compress(const zl_bound_codec *codec, bool last, span_list *list, const zl_encode *how) {
    const zl_call *call = how->call;
    ZL_TRY(join(list, call));
    const uint64_t bound = codec->cls->bb->bound(codec->bound, list->size);
    if (bound > SIZE_MAX / 2)
        return zl_fail(call->err, ZL_ERR_LIMIT, "%s: %llu bytes are too many", codec->cls->name,
                       (unsigned long long)list->size);
    zl_sink sink = {.cap = (size_t)bound, .max = (size_t)bound, .allocator = call->allocator};
    sink.data = last ? zl_output_reserve(how->output, sink.cap) : zl_worker_alloc(call->worker, sink.cap + 1, 64);
    if (!sink.data) return zl_fail_memory(call->err, bound);
    ZL_TRY(codec->cls->bb->encode(codec->bound, list->all[list->first], &sink, call));
    if (last) zl_output_commit(how->output, sink.size);
    list->all[list->first] = (zl_span){sink.data, sink.size};
    list->size = sink.size;
    return ZL_OK;
}

zl_status zl_encode_bytes(const zl_pipeline *p, const zl_span *content, size_t count, const zl_encode *how,
                          zl_encoded *out) {
    const zl_call *call = how->call;
    const size_t room = count + 2 * (size_t)p->bb_count;
    span_list list = {.first = (size_t)p->bb_count, .count = count};
    list.all = zl_worker_alloc(call->worker, (room + 1) * sizeof(zl_span), _Alignof(zl_span));
    if (!list.all) return zl_fail_memory(call->err, room * sizeof(zl_span));
    for (size_t i = 0; i < count; i++) {
        list.all[list.first + i] = content[i];
        list.size += content[i].size;
    }
    int32_t streams = p->stream_count;
    for (int32_t i = 0; i < p->bb_count; i++) {
        if (is_stream(&p->bb[i]))
            ZL_TRY(compress(&p->bb[i], --streams == 0, &list, how));
        else
            ZL_TRY(seal(&p->bb[i], &list, how));
    }
    const size_t bytes = list.count * sizeof(zl_span);
    zl_span *kept = zl_output_reserve(how->output, bytes);
    if (!kept) return zl_fail_memory(call->err, bytes);
    memcpy(kept, list.all + list.first, bytes);
    zl_output_commit(how->output, bytes);
    *out = (zl_encoded){.spans = kept, .count = list.count, .size = list.size};
    return ZL_OK;
}
