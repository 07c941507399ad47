/* SPDX-License-Identifier: MIT */
#include "engine/shared.h"

/* Arrays hold their store, so that no extent and no claim is left here. */
static void shared_free(void *self) {
    zl_shared *shared = self;
    zl_mutex_clear(&shared->mutex);
    zl_mutex_clear(&shared->documents);
    ZL_DELETE(shared->allocator, shared);
}

zl_status zl_shared_new(zl_store *store, zl_error *err) {
    zl_shared *shared = ZL_NEW(store->allocator, zl_shared);
    if (!shared) return zl_fail_memory(err, sizeof *shared);
    shared->allocator = store->allocator;
    zl_status status = zl_mutex_init(&shared->mutex, err);
    if (status == ZL_OK && (status = zl_mutex_init(&shared->documents, err)) != ZL_OK) zl_mutex_clear(&shared->mutex);
    if (status != ZL_OK) {
        ZL_DELETE(store->allocator, shared);
        return status;
    }
    store->shared = shared;
    store->shared_free = shared_free;
    return ZL_OK;
}
