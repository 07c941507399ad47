/* SPDX-License-Identifier: MIT */
/* The store handle: a class, its state, and what all users of one store share. */
#ifndef ZL_STORE_STORE_H
#define ZL_STORE_STORE_H

#include <stdatomic.h>

#include "base/base.h"

struct zl_store {
    const zl_store_class *cls;
    void *self;
    zl_context *context;
    const zl_allocator *allocator; /* the context's */
    atomic_int references;
    bool moves_puts; /* objects lie one behind the other, so several puts at a time cost more than they save */
    void *shared;    /* the engine's state for this store (zl_shared); made at zl_store_new */
    void (*shared_free)(void *shared);
};

zl_store *zl_store_retain(zl_store *store);

/* Checks a key: not empty, relative, no empty, "." or ".." part, valid UTF-8 without NUL. INVALID_ARGUMENT. */
zl_status zl_store_check_key(const char *key, zl_error *err);

/* A whole object, allocated or lent, of at most `limit` bytes (LIMIT). NOT_FOUND without message. */
zl_status zl_store_get_all(zl_store *store, const char *key, uint64_t limit, zl_bytes *out, zl_object_info *info,
                           zl_error *err);
/* Calls the class with a default zl_store_call. */
zl_status zl_store_set_all(zl_store *store, const char *key, const void *data, size_t size, zl_error *err);
/* Removes all below `prefix`, by the class's own way or by list and erase. Nothing there is OK. */
zl_status zl_store_erase_prefix(zl_store *store, const char *prefix, zl_error *err);

/* Classes and their state, without a context, for zl_store_open_* and for tests. */
extern const zl_store_class zl_store_file;
extern const zl_store_class zl_store_memory;
zl_status zl_store_file_new(void **self, const char *path, const zl_file_store_options *options,
                            const zl_allocator *allocator, zl_error *err);
zl_status zl_store_memory_new(void **self, const zl_allocator *allocator, zl_error *err);
extern const zl_store_class zl_store_zip, zl_store_zip_deflated, zl_store_zip_writing;
/* `*cls` is one of the three, by what is in the archive and whether it is made. */
zl_status zl_store_zip_new(void **self, const zl_store_class **cls, const char *path, bool create,
                           const zl_allocator *allocator, zl_error *err);

#endif
