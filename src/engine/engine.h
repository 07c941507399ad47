/* SPDX-License-Identifier: MIT */
/* The engine's side of an array: compiled pipelines, reads and writes. The only user of threads and stores' data. */
#ifndef ZL_ENGINE_ENGINE_H
#define ZL_ENGINE_ENGINE_H

#include "engine/context.h"
#include "meta/metadata.h"
#include "store/store.h"

typedef struct zl_engine_array zl_engine_array;

/* Compiles the array's pipeline: impossible chains are refused here. Keeps all arguments. Returns new (free with
 * zl_engine_array_close). METADATA, UNSUPPORTED, LIMIT, NO_MEMORY. */
zl_status zl_engine_array_open(zl_store *store, const zl_metadata *metadata, const char *path, zl_engine_array **out,
                               zl_error *err);
void zl_engine_array_close(zl_engine_array *array); /* NULL is fine */
/* Shape of the inner chunks of the outermost shards, in the array's axes; NULL when chunks are not shards. */
const zl_shape *zl_engine_array_inner_shape(const zl_engine_array *array);

/* Arguments are checked: the region lies inside the array, steps are set, the view has strides. */
typedef struct zl_engine_region {
    int32_t rank;
    int64_t start[ZL_MAX_RANK];
    int64_t shape[ZL_MAX_RANK];
    int64_t step[ZL_MAX_RANK];
    int64_t stride[ZL_MAX_RANK]; /* bytes in the caller's memory */
} zl_engine_region;

zl_status zl_engine_read(zl_engine_array *array, const zl_engine_region *region, void *dst, const zl_read_options *options,
                         zl_error *err);
zl_status zl_engine_write(zl_engine_array *array, const zl_engine_region *region, const void *src,
                          const zl_write_options *options, zl_error *err);

#endif
