/* SPDX-License-Identifier: MIT */
/* Compiled pipelines of an array, one for each chunk shape in use. A regular grid has a single one. Views of another data
 * type have pipelines of their own. */
#ifndef ZL_ENGINE_SHAPES_H
#define ZL_ENGINE_SHAPES_H

#include "base/thread.h"
#include "engine/context.h"
#include "meta/metadata.h"
#include "pipeline/pipeline.h"

/* A pipeline in use; counted references. */
typedef struct zl_compiled {
    struct zl_compiled *older;
    zl_shape shape;
    zl_aspect view;
    zl_arena *arena;
    const zl_pipeline *pipeline;
    int32_t references; /* under the lock; the list holds one */
} zl_compiled;

typedef struct zl_shapes {
    const zl_context *context;
    const zl_metadata *meta;
    zl_mutex mutex;
    zl_compiled *newest; /* in order of use */
    int32_t count;
} zl_shapes;

/* Keeps both. Compiles what the metadata's grid needs once: every shape of a chunk is known to be possible afterwards. */
zl_status zl_shapes_init(zl_shapes *shapes, const zl_context *context, const zl_metadata *meta, zl_error *err);
void zl_shapes_clear(zl_shapes *shapes);
/* Retains the pipeline for chunks of `shape` (give back with zl_shapes_give). The types of `view` outlive the array. Any
 * thread. */
zl_status zl_shapes_take(zl_shapes *shapes, const zl_shape *shape, const zl_aspect *view, zl_compiled **out, zl_error *err);
zl_compiled *zl_shapes_retain(zl_shapes *shapes, zl_compiled *compiled);
void zl_shapes_give(zl_shapes *shapes, zl_compiled *compiled); /* NULL is fine */

#endif
