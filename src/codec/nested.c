/* SPDX-License-Identifier: MIT */
#include "codec/nested.h"

#include "base/worker.h"

/* ---- preparing */

static zl_status in_codec(const zl_codec *codec, zl_status status, zl_error *err) {
    char path[256];
    if (status == ZL_OK || status == ZL_ERR_NO_MEMORY || !codec->json) return status;
    return zl_error_wrap(err, status, "%s (%s): ", zl_json_path(codec->json, path, sizeof path), codec->cls->name);
}

static const void **new_list(zl_arena *arena, int32_t count, zl_error *err) {
    const size_t size = (size_t)count * sizeof(void *);
    const void **list = zl_arena_zero(arena, size, _Alignof(void *));
    if (!list) zl_fail_memory(err, size);
    return list;
}

zl_status zl_nested_resolve(const zl_chain *chain, int32_t first, const zl_level *level, const zl_env *env, zl_nested *out,
                            zl_error *err) {
    const int32_t count = chain->count - first;
    if (count > ZL_NESTED_MAX) {
        return zl_fail(err, ZL_ERR_LIMIT, "%d codecs inside a codec, the limit is %d", (int)count, ZL_NESTED_MAX);
    }
    *out = (zl_nested){count, chain->codec + first, new_list(env->arena, count, err)};
    if (!out->prepared) return ZL_ERR_NO_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        const zl_codec *codec = &out->codec[i];
        zl_level unused = *level;
        out->prepared[i] = codec->self;
        if (!codec->cls->resolve) continue;
        const zl_status status = codec->cls->resolve(codec->self, level, &unused, env, &out->prepared[i], err);
        ZL_TRY(in_codec(codec, status, err));
    }
    return ZL_OK;
}

zl_status zl_nested_bind(const zl_nested *resolved, const zl_level *level, const zl_shape *shape, zl_arena *arena,
                         zl_nested *out, zl_error *err) {
    *out = (zl_nested){resolved->count, resolved->codec, new_list(arena, resolved->count, err)};
    if (!out->prepared) return ZL_ERR_NO_MEMORY;
    for (int32_t i = 0; i < out->count; i++) {
        const zl_codec *codec = &out->codec[i];
        zl_shape unused = *shape;
        out->prepared[i] = resolved->prepared[i];
        if (!codec->cls->bind) continue;
        const zl_status status =
            codec->cls->bind(resolved->prepared[i], level, shape, &unused, arena, &out->prepared[i], err);
        ZL_TRY(in_codec(codec, status, err));
    }
    return ZL_OK;
}

/* ---- sizes */

static bool is_stream(const zl_codec *codec) {
    return codec->cls->bb->decode != NULL;
}

/* Largest size behind codec `i` when `size` is the largest in front of it; the codec may be skipped. */
static uint64_t bound_behind(const zl_nested *nested, int32_t i, uint64_t size) {
    const zl_bb_ops *ops = nested->codec[i].cls->bb;
    if (size == UINT64_MAX) return size;
    if (!is_stream(&nested->codec[i])) {
        uint32_t head, tail;
        ops->extent(nested->prepared[i], &head, &tail);
        return zl_sat_add(size, (uint64_t)head + tail);
    }
    const uint64_t bound = ops->bound(nested->prepared[i], size);
    return bound > size ? bound : size;
}

uint64_t zl_nested_bound(const zl_nested *nested, uint64_t size) {
    for (int32_t i = 0; i < nested->count; i++) {
        size = bound_behind(nested, i, size);
    }
    return size;
}

static bool selects(uint64_t mask, int32_t i) {
    return mask >> i & 1;
}

/* ---- encoding: into scratch, but for the last codec */

static zl_status encode_frame(const zl_nested *nested, int32_t i, zl_span src, zl_sink *out, const zl_call *call) {
    const zl_bb_ops *ops = nested->codec[i].cls->bb;
    uint32_t head, tail;
    ops->extent(nested->prepared[i], &head, &tail);
    size_t size;
    if (!zl_add_size(src.size, (size_t)head + tail, &size)) return zl_fail_memory(call->err, src.size);
    ZL_TRY(zl_sink_reserve(out, size, call->err));
    uint8_t *at = out->data + out->size;
    if (src.size) memcpy(at + head, src.data, src.size);
    ZL_TRY(ops->seal(nested->prepared[i], &src, 1, at, at + head + src.size, call));
    out->size += size;
    return ZL_OK;
}

static zl_status encode_one(const zl_nested *nested, int32_t i, zl_span src, zl_sink *out, const zl_call *call) {
    if (!is_stream(&nested->codec[i])) return encode_frame(nested, i, src, out, call);
    return nested->codec[i].cls->bb->encode(nested->prepared[i], src, out, call);
}

static zl_status encode_to_scratch(const zl_nested *nested, int32_t i, zl_span *span, const zl_call *call) {
    const uint64_t bound = bound_behind(nested, i, span->size);
    if (bound > SIZE_MAX / 2) return zl_fail_memory(call->err, bound);
    zl_sink sink = {.cap = (size_t)bound, .max = (size_t)bound, .allocator = call->allocator};
    sink.data = zl_call_scratch(call, sink.cap + 1, 64);
    if (!sink.data) return zl_fail_memory(call->err, bound);
    ZL_TRY(encode_one(nested, i, *span, &sink, call));
    *span = (zl_span){sink.data, sink.size};
    return ZL_OK;
}

zl_status zl_nested_encode(const zl_nested *nested, uint64_t mask, zl_span src, zl_sink *out, const zl_call *call) {
    int32_t last = nested->count - 1;
    while (last >= 0 && !selects(mask, last)) {
        last--;
    }
    if (last < 0) return zl_sink_append(out, src.data, src.size, call->err);
    const zl_worker_mark mark = zl_worker_get_mark(call->worker);
    zl_status status = ZL_OK;
    for (int32_t i = 0; i < last && status == ZL_OK; i++) {
        if (selects(mask, i)) status = encode_to_scratch(nested, i, &src, call);
    }
    if (status == ZL_OK) status = encode_one(nested, last, src, out, call);
    zl_worker_reset(call->worker, mark);
    return status;
}

/* ---- decoding: codecs that are not the first one leave a block of a size that only they know */

static zl_status decode_frame(const zl_nested *nested, int32_t i, zl_span *span, const zl_call *call) {
    const zl_codec *codec = &nested->codec[i];
    uint32_t head, tail;
    codec->cls->bb->extent(nested->prepared[i], &head, &tail);
    if (span->size < (size_t)head + tail) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: %zu bytes are stored, its checksum alone takes %u", codec->cls->name,
                       span->size, head + tail);
    }
    if (call->verify) ZL_TRY(codec->cls->bb->check(nested->prepared[i], *span, call));
    span->data += head;
    span->size -= (size_t)head + tail;
    return ZL_OK;
}

/* What others may have made of `size` bytes before codec `i`, who may encode worse than we do. */
static size_t limit_before(const zl_nested *nested, int32_t i, const zl_sink *out) {
    uint64_t limit = out->fixed ? out->cap : out->max;
    for (int32_t k = 0; k < i; k++) {
        limit = bound_behind(nested, k, limit);
    }
    return (size_t)zl_min_u64(zl_sat_add(zl_sat_mul(limit, 2), ZL_MIB), SIZE_MAX / 2);
}

static zl_status copy_out(zl_span span, zl_sink *out, const zl_call *call) {
    const size_t most = out->fixed ? out->cap : out->max;
    if (span.size > most || (out->fixed && span.size < most)) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%zu bytes are stored, the chunk %s %zu", span.size,
                       out->fixed ? "needs" : "may hold", most);
    }
    return zl_sink_append(out, span.data, span.size, call->err);
}

/* Undoes codec `i`; `block` gets the memory that the result lies in, where it is not `out`. */
static zl_status decode_stream(const zl_nested *nested, int32_t i, zl_span *span, zl_sink *block, const zl_call *call) {
    const zl_status status = nested->codec[i].cls->bb->decode(nested->prepared[i], *span, block, call);
    *span = (zl_span){block->data, block->size};
    return status;
}

zl_status zl_nested_decode(const zl_nested *nested, uint64_t mask, zl_span src, zl_sink *out, const zl_call *call) {
    zl_sink held = {.allocator = call->allocator};
    zl_status status = ZL_OK;
    bool done = false;
    for (int32_t i = nested->count - 1; i >= 0 && status == ZL_OK; i--) {
        if (!selects(mask, i)) continue;
        if (!is_stream(&nested->codec[i])) {
            status = decode_frame(nested, i, &src, call);
            continue;
        }
        done = (mask & ((UINT64_C(1) << i) - 1)) == 0; /* no other codec was in front of this one */
        zl_sink fresh = {.allocator = call->allocator, .max = limit_before(nested, i, out)};
        status = decode_stream(nested, i, &src, done ? out : &fresh, call);
        zl_sink_free(&held);
        held = fresh;
    }
    if (status == ZL_OK && !done) status = copy_out(src, out, call);
    zl_sink_free(&held);
    return status;
}
