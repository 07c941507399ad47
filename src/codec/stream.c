/* SPDX-License-Identifier: MIT */
#include "codec/stream.h"

#define LEAST_ROOM (16 * ZL_KIB)

zl_status zl_stream_start(zl_sink *out, uint64_t guess, size_t src_size, size_t ratio, const zl_call *call) {
    if (out->fixed) return ZL_OK;
    uint64_t room = zl_min_u64(guess, zl_sat_mul(src_size, ratio));
    if (room < LEAST_ROOM) room = LEAST_ROOM;
    room = zl_min_u64(room, out->max - out->size);
    return room <= zl_stream_room(out) ? ZL_OK : zl_sink_reserve(out, (size_t)room, call->err);
}

zl_status zl_stream_grow(zl_sink *out, const char *codec, const zl_call *call) {
    const size_t most = out->fixed ? out->cap : out->max;
    if (out->cap >= most) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: the stream holds more than the %zu bytes it may hold", codec, most);
    }
    return zl_sink_reserve(out, zl_stream_room(out) + 1, call->err); /* which doubles */
}

zl_status zl_stream_finish(const zl_sink *out, const char *codec, const zl_call *call) {
    if (!out->fixed || out->size == out->cap) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: the stream holds %zu bytes, the chunk needs %zu", codec, out->size,
                   out->cap);
}
