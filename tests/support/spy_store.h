/* SPDX-License-Identifier: MIT */
/* A store in memory that counts what is asked of it and lets a test step in between: as another writer, or to wait. */
#ifndef SPY_STORE_H
#define SPY_STORE_H

#include <stdatomic.h>

#include "store/store.h"
#include "zt.h"

typedef enum spy_moment {
    SPY_BEFORE_GET,
    SPY_AFTER_GET,
    SPY_BEFORE_INFO,
    SPY_AFTER_INFO,
    SPY_BEFORE_SET,
    SPY_AFTER_SET,
    SPY_BEFORE_ERASE
} spy_moment;

typedef struct spy_store spy_store;
/* Called by the thread that calls the store, for chunks only, not for metadata. */
typedef void (*spy_fn)(spy_store *spy, spy_moment moment, const char *key);

struct spy_store {
    zl_store_class cls;
    void *inner;
    zl_allocator allocator;
    atomic_uint gets, ranges, infos, sets, erases; /* calls; `ranges`: requests of all gets */
    atomic_ullong bytes;                           /* fetched */
    spy_fn hook;
    void *user;
};

/* Opens it with those abilities (ZL_STORE_...). */
zl_status spy_store_open(zl_store **out, spy_store *spy, zl_context *context, uint32_t caps, zl_error *err);
void spy_store_reset(spy_store *spy); /* all counters are 0 again */

/* What another process would do: unseen and unasked. */
void spy_store_put(spy_store *spy, const char *key, const void *data, size_t size);
bool spy_store_has(spy_store *spy, const char *key);
/* A copy; ends the test where there is none. Free with free(). */
uint8_t *spy_store_copy(spy_store *spy, const char *key, size_t *size);

#endif
