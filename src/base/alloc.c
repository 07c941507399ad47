/* SPDX-License-Identifier: MIT */
/* Memory through a zl_allocator. Size 0 is asked for as 1 byte, so NULL always means out of memory. */
#include <stdlib.h>

#include "base/base.h"

static void *default_alloc(void *user, size_t size, size_t align) {
    (void)user;
    if (align <= _Alignof(max_align_t)) return malloc(size);
    void *ptr = NULL;
    return posix_memalign(&ptr, align, size) == 0 ? ptr : NULL;
}

static void default_free(void *user, void *ptr, size_t size) {
    (void)user;
    (void)size;
    free(ptr);
}

static void *default_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align) {
    if (align <= _Alignof(max_align_t)) return realloc(ptr, new_size);
    void *moved = default_alloc(user, new_size, align); /* realloc would keep a smaller alignment */
    if (moved == NULL) return NULL;
    if (ptr != NULL) memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    free(ptr);
    return moved;
}

const zl_allocator zl_default_allocator = {default_alloc, default_resize, default_free, NULL};

static size_t at_least_one(size_t size) {
    return size + (size == 0);
}

void *zl_alloc(const zl_allocator *allocator, size_t size, size_t align) {
    return allocator->alloc(allocator->user, at_least_one(size), align);
}

void *zl_alloc_zero(const zl_allocator *allocator, size_t size, size_t align) {
    void *ptr = zl_alloc(allocator, size, align);
    if (ptr != NULL) memset(ptr, 0, size);
    return ptr;
}

void *zl_resize(const zl_allocator *allocator, void *ptr, size_t old_size, size_t new_size, size_t align) {
    if (ptr == NULL) return zl_alloc(allocator, new_size, align);
    return allocator->resize(allocator->user, ptr, at_least_one(old_size), at_least_one(new_size), align);
}

void zl_free(const zl_allocator *allocator, void *ptr, size_t size) {
    if (ptr != NULL) allocator->free(allocator->user, ptr, at_least_one(size));
}
