/* SPDX-License-Identifier: MIT */
/* Text that callers keep. */
#ifndef ZL_API_BUFFER_H
#define ZL_API_BUFFER_H

#include "json/json.h"

/* A copy of `size` bytes with a NUL byte behind them. */
zl_status zl_buffer_copy(zl_buffer *out, zl_context *context, const char *text, size_t size, zl_error *err);
/* Finishes a writer, copies its text and clears it, whatever happens. */
zl_status zl_buffer_take(zl_buffer *out, zl_context *context, zl_json_writer *writer, zl_error *err);

#endif
