/* SPDX-License-Identifier: MIT */
/* The engine's side of an array: compiled pipelines, reads and writes. The only user of threads and stores' data. */
#ifndef ZL_ENGINE_ENGINE_H
#define ZL_ENGINE_ENGINE_H

#include "engine/context.h"
#include "engine/extent.h"
#include "meta/metadata.h"
#include "pipeline/pipeline.h"
#include "store/store.h"

typedef struct zl_engine_array zl_engine_array;

/* Compiles the array's pipeline: impossible chains are refused here. Keeps all arguments. Returns new (free with
 * zl_engine_array_close). METADATA, UNSUPPORTED, LIMIT, NO_MEMORY. */
zl_status zl_engine_array_open(zl_store *store, const zl_metadata *metadata, const char *path, zl_engine_array **out,
                               zl_error *err);
void zl_engine_array_close(zl_engine_array *array); /* NULL is fine */
/* Shape of the inner chunks of the outermost shards, in the array's axes; NULL when chunks are not shards. */
const zl_shape *zl_engine_array_inner_shape(const zl_engine_array *array);

/* What all handles of this array share. Lends. */
zl_extent *zl_engine_array_extent(const zl_engine_array *array);

/* Arguments are checked: the region lies below `edge`, steps are set, the view has strides. */
typedef struct zl_engine_region {
    int32_t rank;
    int64_t start[ZL_MAX_RANK];
    int64_t shape[ZL_MAX_RANK];
    int64_t step[ZL_MAX_RANK];
    int64_t stride[ZL_MAX_RANK]; /* bytes in the caller's memory */
    int64_t edge[ZL_MAX_RANK];   /* where the array ends for this call */
    zl_aspect view;              /* of elements in the caller's memory; both types NULL: the array's */
} zl_engine_region;

zl_status zl_engine_read(zl_engine_array *array, const zl_engine_region *region, void *dst, const zl_read_options *options,
                         zl_error *err);
/* `put`: a shard that is written piece by piece and takes what is encoded; NULL: the store gets it. */
struct zl_shard_put;
zl_status zl_engine_write(zl_engine_array *array, struct zl_shard_put *put, const zl_engine_region *region, const void *src,
                          const zl_write_options *options, zl_error *err);
/* ---- stored chunks as they are. `coords` are those of the grid, or of the inner chunks, and lie inside it */

/* Key of a chunk from the store's root. Returns its length. */
size_t zl_engine_array_key(const zl_engine_array *array, const int64_t *coords, char *key, size_t cap);
/* Bytes that a key takes at most, with its NUL byte. */
size_t zl_engine_array_key_max(const zl_engine_array *array);

/* Writes the coordinates of another chunk, or returns false: there is none. Must not call the library. */
typedef bool (*zl_chunk_source)(void *user, int64_t *coords);
/* Writes the fill value to the elements of chunks that lie at or beyond coordinate `at` along an axis, the array's end
 * notwithstanding. Chunks that are not stored stay so. */
zl_status zl_engine_reset(zl_engine_array *array, int32_t axis, int64_t at, zl_chunk_source source, void *user,
                          zl_error *err);
/* Erases chunks; those that are not there are fine. */
zl_status zl_engine_erase(zl_engine_array *array, zl_chunk_source source, void *user, zl_error *err);
/* Replaces a chunk by encoded bytes, or erases it (`data` NULL). */
zl_status zl_engine_replace(zl_engine_array *array, const int64_t *coords, const zl_span *data, zl_error *err);
/* The same for an inner chunk of a sharded array: the rest of its shard stays as it is encoded. */
zl_status zl_engine_replace_inner(zl_engine_array *array, const int64_t *coords, const zl_span *data, zl_error *err);

typedef struct zl_object_place {
    bool exists;
    uint64_t offset; /* in the object */
    uint64_t size;
    zl_generation generation; /* of the object */
} zl_object_place;
typedef struct zl_object_bytes {
    uint64_t offset; /* from the start of the chunk's encoded bytes */
    uint64_t length; /* ZL_TO_END: all behind offset */
    zl_bytes bytes;  /* out; release them */
} zl_object_bytes;
/* INVALID_ARGUMENT when a chunk of `size` encoded bytes has no such bytes. */
zl_status zl_object_bytes_check(const zl_object_bytes *wanted, uint64_t size, zl_error *err);
/* Where an inner chunk of a sharded array lies, and its bytes (unless `bytes` is NULL, or it does not exist). UNSUPPORTED:
 * shards are compressed as a whole. */
zl_status zl_engine_look(zl_engine_array *array, const int64_t *coords, zl_object_place *place, zl_object_bytes *bytes,
                         zl_error *err);

#endif
