/* SPDX-License-Identifier: MIT */
/* What all users of one store handle share: claims on its keys, the extents of its arrays, one lock for changes of
 * metadata. */
#ifndef ZL_ENGINE_SHARED_H
#define ZL_ENGINE_SHARED_H

#include "base/thread.h"
#include "store/store.h"

#define ZL_CLAIM_BUCKETS 1024u

typedef struct zl_shared {
    const zl_allocator *allocator;
    struct zl_job *claims[ZL_CLAIM_BUCKETS]; /* holders; under the engine's lock */
    zl_mutex documents;                      /* held by whoever changes metadata documents */
    zl_mutex mutex;                          /* guards `extents` */
    struct zl_extent *extents;
} zl_shared;

/* Sets store->shared. */
zl_status zl_shared_new(zl_store *store, zl_error *err);

static inline zl_shared *zl_shared_of(const zl_store *store) {
    return store->shared;
}

#endif
