/* SPDX-License-Identifier: MIT */
/* What reads and writes share: the array's pipelines, keys and index cache. */
#ifndef ZL_ENGINE_ARRAY_H
#define ZL_ENGINE_ARRAY_H

#include "engine/engine.h"
#include "engine/index_cache.h"
#include "engine/op.h"
#include "engine/shapes.h"

struct zl_engine_array {
    zl_context *context;
    zl_store *store; /* kept by the zl_array */
    const zl_metadata *meta;
    char *prefix; /* of chunk keys: the path with a slash, or "" */
    size_t prefix_length;
    zl_shapes shapes;
    bool has_shapes;
    zl_compiled *uniform; /* the pipeline of all chunks; NULL where they have several shapes */
    zl_shape inner_shape;
    bool has_inner;
    zl_index_cache *indexes;
    zl_extent *extent;
};

/* The grid's chunks that hold elements of a region, one after the other. */
typedef struct zl_plan {
    const zl_engine_array *array;
    zl_box box;     /* the region; the caller's memory */
    zl_aspect view; /* see zl_engine_region */
    zl_cells cells;
    uint64_t order; /* of the next chunk */
} zl_plan;
void zl_plan_begin(zl_plan *plan, const zl_engine_array *array, const zl_engine_region *region, void *memory);
/* The next chunk: its key, its shape, its share of the region in its own coordinates, and its first element in those of the
 * array (`origin` may be NULL). False: there is none. */
bool zl_plan_next(zl_plan *plan, char *key, size_t key_cap, zl_shape *shape, zl_box *share, int64_t *origin);
/* CONFLICT when what starts at `origin` is beyond the end that the array has now. */
zl_status zl_engine_array_check_origin(const zl_engine_array *array, const int64_t *origin, zl_error *err);

/* An inner chunk: its shard, and the inner chunk in it, in the array's axes. */
typedef struct zl_inner_chunk {
    int64_t shard[ZL_MAX_RANK];
    zl_shape shard_shape;
    int64_t cell[ZL_MAX_RANK];
    int64_t origin[ZL_MAX_RANK]; /* its first element */
} zl_inner_chunk;
/* From its coordinates among all inner chunks of the array. */
void zl_inner_chunk_find(const zl_engine_array *array, const int64_t *coords, zl_inner_chunk *out);
/* Its place in the index of its shard: remaps move axes. */
int64_t zl_inner_chunk_number(const zl_engine_array *array, const zl_inner_chunk *chunk, const zl_pipeline *p);

/* The pipeline for chunks of a shape, seen as `view` says. Give it back with zl_engine_array_give. */
zl_status zl_engine_array_take(zl_engine_array *array, const zl_shape *shape, const zl_aspect *view, zl_compiled **out,
                               zl_error *err);
void zl_engine_array_give(zl_engine_array *array, zl_compiled *compiled); /* NULL is fine */

#endif
