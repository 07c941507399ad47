/* SPDX-License-Identifier: MIT */
#include "api/buffer.h"

#include "engine/context.h"

zl_status zl_buffer_copy(zl_buffer *out, zl_context *context, const char *text, size_t size, zl_error *err) {
    char *data = zl_alloc(&context->allocator, size + 1, 1);
    if (data == NULL) return zl_fail_memory(err, size + 1);
    memcpy(data, text, size);
    data[size] = '\0';
    *out = (zl_buffer){data, size, context};
    return ZL_OK;
}

zl_status zl_buffer_take(zl_buffer *out, zl_context *context, zl_json_writer *writer, zl_error *err) {
    zl_status status = zl_json_writer_finish(writer, err);
    if (status == ZL_OK) status = zl_buffer_copy(out, context, (const char *)writer->sink.data, writer->sink.size, err);
    zl_json_writer_clear(writer);
    return status;
}
