/* SPDX-License-Identifier: MIT */
/* A list in order of use under one lock. It is short: an index stands for a whole shard. */
#include "engine/index_cache.h"

#define MOST_ENTRIES 4096 /* a look-up walks the list */

struct zl_index_cache {
    zl_allocator allocator;
    zl_mutex mutex;
    zl_shard_index *newest, *oldest;
    size_t size, limit, count;
};

zl_status zl_index_cache_new(zl_index_cache **out, const zl_allocator *allocator, size_t limit, zl_error *err) {
    zl_index_cache *cache = ZL_NEW(allocator, zl_index_cache);
    if (!cache) return zl_fail_memory(err, sizeof *cache);
    cache->allocator = *allocator;
    cache->limit = limit;
    const zl_status status = zl_mutex_init(&cache->mutex, err);
    if (status != ZL_OK)
        ZL_DELETE(allocator, cache);
    else
        *out = cache;
    return status;
}

static size_t size_of(const zl_shard_index *index) {
    return sizeof *index + strlen(index->key) + 1 + index->count * sizeof(zl_range);
}

static void index_free(zl_index_cache *cache, zl_shard_index *index) {
    const zl_allocator *allocator = &cache->allocator;
    zl_free(allocator, index->entries, index->count * sizeof(zl_range));
    if (index->key) zl_free(allocator, index->key, strlen(index->key) + 1);
    ZL_DELETE(allocator, index);
}

/* ---- locked */

static void give(zl_index_cache *cache, zl_shard_index *index) {
    if (--index->references == 0) index_free(cache, index);
}

static void unlist(zl_index_cache *cache, zl_shard_index *index) {
    if (!index->listed) return;
    if (index->newer)
        index->newer->older = index->older;
    else
        cache->newest = index->older;
    if (index->older)
        index->older->newer = index->newer;
    else
        cache->oldest = index->newer;
    index->listed = false;
    cache->size -= size_of(index);
    cache->count--;
    give(cache, index);
}

static void list_first(zl_index_cache *cache, zl_shard_index *index) {
    index->newer = NULL;
    index->older = cache->newest;
    if (cache->newest)
        cache->newest->newer = index;
    else
        cache->oldest = index;
    cache->newest = index;
    index->listed = true;
    index->references++;
    cache->size += size_of(index);
    cache->count++;
}

static zl_shard_index *find(zl_index_cache *cache, const char *key) {
    zl_shard_index *index = cache->newest;
    while (index && strcmp(index->key, key) != 0)
        index = index->older;
    return index;
}

/* ---- unlocked */

void zl_index_cache_free(zl_index_cache *cache) {
    if (!cache) return;
    while (cache->newest)
        unlist(cache, cache->newest);
    zl_mutex_clear(&cache->mutex);
    const zl_allocator allocator = cache->allocator;
    ZL_DELETE(&allocator, cache);
}

zl_shard_index *zl_index_cache_find(zl_index_cache *cache, const char *key) {
    zl_mutex_lock(&cache->mutex);
    zl_shard_index *index = find(cache, key);
    if (index) {
        index->references++;
        if (index != cache->newest) { /* used last now */
            unlist(cache, index);
            list_first(cache, index);
        }
    }
    zl_mutex_unlock(&cache->mutex);
    return index;
}

zl_shard_index *zl_shard_index_new(zl_index_cache *cache, const char *key, size_t count) {
    const zl_allocator *allocator = &cache->allocator;
    zl_shard_index *index = ZL_NEW(allocator, zl_shard_index);
    if (!index) return NULL;
    const size_t length = strlen(key) + 1;
    index->references = 1;
    index->count = count;
    index->entries = zl_alloc(allocator, count * sizeof(zl_range), _Alignof(zl_range));
    index->key = zl_alloc(allocator, length, 1);
    if (index->key) memcpy(index->key, key, length);
    if (index->key && index->entries) return index;
    index_free(cache, index);
    return NULL;
}

void zl_index_cache_add(zl_index_cache *cache, zl_shard_index *index) {
    zl_mutex_lock(&cache->mutex);
    zl_shard_index *before = find(cache, index->key);
    if (before) unlist(cache, before);
    list_first(cache, index);
    while (cache->oldest != index && (cache->size > cache->limit || cache->count > MOST_ENTRIES))
        unlist(cache, cache->oldest);
    if (cache->size > cache->limit) unlist(cache, index);
    zl_mutex_unlock(&cache->mutex);
}

void zl_index_cache_drop(zl_index_cache *cache, zl_shard_index *index) {
    zl_mutex_lock(&cache->mutex);
    unlist(cache, index);
    zl_mutex_unlock(&cache->mutex);
}

void zl_shard_index_release(zl_index_cache *cache, zl_shard_index *index) {
    if (!index) return;
    zl_mutex_lock(&cache->mutex);
    give(cache, index);
    zl_mutex_unlock(&cache->mutex);
}
