/* SPDX-License-Identifier: MIT */
/* Owner of the bytes that elements of variable length point to: an arena behind a lock. */
#include "base/thread.h"
#include "base/worker.h"

struct zl_result {
    zl_allocator allocator;
    zl_mutex lock;
    zl_arena *arena;
};

zl_result *zl_result_make(const zl_allocator *allocator, zl_error *err) {
    zl_result *result = ZL_NEW(allocator, zl_result);
    if (result == NULL) {
        zl_fail_memory(err, sizeof *result);
        return NULL;
    }
    result->allocator = *allocator;
    result->arena = zl_arena_new(allocator);
    if (result->arena == NULL) {
        zl_fail_memory(err, sizeof *result);
    } else if (zl_mutex_init(&result->lock, err) == ZL_OK) {
        return result;
    }
    zl_arena_free(result->arena);
    ZL_DELETE(allocator, result);
    return NULL;
}

void *zl_result_alloc(zl_result *result, size_t size) {
    zl_mutex_lock(&result->lock);
    void *ptr = zl_arena_alloc(result->arena, size, _Alignof(max_align_t));
    zl_mutex_unlock(&result->lock);
    return ptr;
}

void zl_result_free(zl_result *result) {
    if (result == NULL) return;
    zl_mutex_clear(&result->lock);
    zl_arena_free(result->arena);
    const zl_allocator allocator = result->allocator;
    ZL_DELETE(&allocator, result);
}
