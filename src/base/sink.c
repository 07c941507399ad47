/* SPDX-License-Identifier: MIT */
/* Bytes that somebody owns, and output that grows up to a limit. */
#include "base/base.h"

#define SINK_ALIGN _Alignof(max_align_t)
#define FIRST_CAP ((size_t)256)

void zl_bytes_release(zl_bytes *bytes) {
    const zl_bytes old = *bytes;
    *bytes = (zl_bytes){0};
    if (old.release != NULL) old.release(old.owner);
}

zl_status zl_sink_reserve(zl_sink *sink, size_t more, zl_error *err) {
    if (more <= sink->cap - sink->size) return ZL_OK;
    if (sink->fixed) return zl_fail(err, ZL_ERR_LIMIT, "output does not fit into its %zu bytes", sink->cap);
    size_t need;
    if (!zl_add_size(sink->size, more, &need) || need > sink->max) {
        return zl_fail(err, ZL_ERR_LIMIT, "output is larger than its limit of %zu bytes", sink->max);
    }
    size_t cap = sink->cap <= sink->max / 2 ? sink->cap * 2 : sink->max;
    if (cap < FIRST_CAP) cap = sink->max < FIRST_CAP ? sink->max : FIRST_CAP;
    if (cap < need) cap = need;
    uint8_t *data = zl_resize(sink->allocator, sink->data, sink->cap, cap, SINK_ALIGN);
    if (data == NULL) return zl_fail_memory(err, cap);
    sink->data = data;
    sink->cap = cap;
    return ZL_OK;
}

zl_status zl_sink_append(zl_sink *sink, const void *data, size_t size, zl_error *err) {
    if (size == 0) return ZL_OK;
    ZL_TRY(zl_sink_reserve(sink, size, err));
    memcpy(sink->data + sink->size, data, size);
    sink->size += size;
    return ZL_OK;
}

void zl_sink_free(zl_sink *sink) {
    if (sink->fixed) return;
    zl_free(sink->allocator, sink->data, sink->cap);
    sink->data = NULL;
    sink->size = 0;
    sink->cap = 0;
}
