/* SPDX-License-Identifier: MIT */
/* Shard indexes that were read lately, each with the generation of the object it belongs to. */
#ifndef ZL_ENGINE_INDEX_CACHE_H
#define ZL_ENGINE_INDEX_CACHE_H

#include "base/thread.h"

/* An index, immutable; counted references. */
typedef struct zl_shard_index {
    struct zl_shard_index *newer, *older;
    char *key;
    zl_generation generation;
    int32_t references; /* under the cache's lock; the cache itself holds one while it is listed */
    bool listed;
    size_t count;
    zl_range *entries;
} zl_shard_index;

typedef struct zl_index_cache zl_index_cache;
/* Keeps up to `limit` bytes. */
zl_status zl_index_cache_new(zl_index_cache **out, const zl_allocator *allocator, size_t limit, zl_error *err);
void zl_index_cache_free(zl_index_cache *cache); /* NULL is fine; all references are given back */

/* Retains the index listed under `key`, or NULL. */
zl_shard_index *zl_index_cache_find(zl_index_cache *cache, const char *key);
/* An index with room for `count` entries, for the caller alone until it is added. Returns new (give back with release). */
zl_shard_index *zl_shard_index_new(zl_index_cache *cache, const char *key, size_t count);
/* Lists it, in place of an older one of the same key. */
void zl_index_cache_add(zl_index_cache *cache, zl_shard_index *index);
/* Unlists it: it is out of date. */
void zl_index_cache_drop(zl_index_cache *cache, zl_shard_index *index);
void zl_shard_index_release(zl_index_cache *cache, zl_shard_index *index);

#endif
