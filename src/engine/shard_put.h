/* SPDX-License-Identifier: MIT */
/*
 * A shard that is written piece by piece: encoded inner chunks go to a put of the store as they come, and only their index
 * stays in memory. Pieces are ordinary write ops whose result is handed over here instead of being stored.
 */
#ifndef ZL_ENGINE_SHARD_PUT_H
#define ZL_ENGINE_SHARD_PUT_H

#include "engine/write.h"

typedef struct zl_shard_put zl_shard_put;

/* For the chunk at `coords`. Keeps the array. UNSUPPORTED where chunks are no shards, a codec stands around them, their
 * index comes first, or the store takes no objects in pieces; READ_ONLY, IO, NO_MEMORY. */
zl_status zl_shard_put_new(zl_shard_put **out, zl_engine_array *array, const int64_t *coords, zl_error *err);
/* Forgets what is not committed; NULL is fine. */
void zl_shard_put_free(zl_shard_put *put);

/* Encodes a piece and hands it over. INVALID_ARGUMENT when the region is not made of whole inner chunks of this shard, or
 * of some that were written already; after any other failure the put is of no use. */
zl_status zl_shard_put_write(zl_shard_put *put, const zl_engine_region *region, const void *src,
                             const zl_write_options *options, zl_error *err);
/* Adds the index, and replaces the object; without any inner chunk, erases it. CONFLICT: the array's end has moved. */
zl_status zl_shard_put_commit(zl_shard_put *put, zl_error *err);

/* ---- for write jobs */

/* Largest size of what a job hands over, encoded. */
uint64_t zl_shard_put_bound(const zl_write_job *job);
/* Hands over the job's parts, in the order of the index. */
zl_status zl_shard_put_take(zl_shard_put *put, const zl_write_job *job, zl_engine_thread *thread, zl_error *err);

#endif
