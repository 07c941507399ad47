/* SPDX-License-Identifier: MIT */
/* The one strided move between a block of end-level elements and the caller's memory, with row codecs and byte order
 * fused into it. */
#ifndef ZL_PIPELINE_ROWS_H
#define ZL_PIPELINE_ROWS_H

#include "pipeline/pipeline.h"

/* The way back from zl_scatter: elements of the caller (a box of the end level) to a block, encoded by all rows. `store`:
 * the block gets them as they are stored (clean units, byte order). */
zl_status zl_gather(const zl_pipeline *p, void *block, const int64_t *strides, bool store, const zl_box *box,
                    const zl_pending *pending, const zl_call *call);
/* Decodes one end-level element through all pending rows. For fill values. */
zl_status zl_rows_one(const zl_pending *pending, const void *from, void *to, const zl_call *call);
/* The element type of the caller: that of the outermost level with rows. */
const zl_dtype *zl_pending_dtype(const zl_pipeline *p, const zl_pending *pending);

#endif
