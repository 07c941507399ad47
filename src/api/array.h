/* SPDX-License-Identifier: MIT */
#ifndef ZL_API_ARRAY_H
#define ZL_API_ARRAY_H

#include "api/attributes.h"
#include "engine/engine.h"

struct zl_array {
    zl_context *context;
    zl_store *store;
    char *path;
    zl_metadata *meta; /* as it was when the array was opened */
    zl_attributes *attributes;
    zl_engine_array *engine;
    zl_mutex mutex; /* guards `shape` */
    bool has_mutex;
    zl_shape shape; /* as this handle knows it: count and size of all elements are at most 2^63-1 */
};

/* The shape as it is now: other threads may append through the same handle. */
zl_shape zl_array_current_shape(const zl_array *array);
void zl_array_set_shape(zl_array *array, const zl_shape *shape);

/* INVALID_ARGUMENT unless `coords` are those of a chunk of the grid. */
zl_status zl_array_check_chunk(const zl_array *array, const int64_t *coords, zl_error *err);
/* Writes a region of an array of that shape. */
zl_status zl_array_write_within(zl_array *array, const zl_shape *shape, const zl_region *region, zl_const_view src,
                                const zl_write_options *options, zl_error *err);

#endif
