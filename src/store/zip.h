/* SPDX-License-Identifier: MIT */
/* A ZIP archive as a store; for the files of this folder. */
#ifndef ZL_STORE_ZIP_H
#define ZL_STORE_ZIP_H

#include "base/thread.h"
#include "store/names.h"
#include "store/store.h"
#include "store/zip_format.h"

typedef struct zl_zip_object {
    zl_zip_entry entry;
    uint64_t place; /* number of the entry in an opened archive; where its bytes are, in one that is made */
    bool encrypted;
    zl_generation generation;
} zl_zip_object;

typedef struct zl_zip_store {
    zl_allocator allocator;
    zl_mutex mutex; /* guards what follows, up to the next comment */
    zl_skiplist objects;
    uint64_t counter;           /* of objects that there were */
    uint64_t size;              /* of the file; the next entry goes there */
    struct zl_zip_handle *idle; /* of libzip, for reading (zip_handle.h) */
    /* never change */
    int file;
    char *path;
    char *temporary; /* name of the file until the archive is complete; NULL: it is only read */
    bool inflates;   /* some large objects are deflated: parts of them cost as much as all */
} zl_zip_store;

/* The object of a key, copied. False: there is none. */
bool zl_zip_find(zl_zip_store *store, const char *key, zl_zip_object *out);
/* Lists an object under a key, in place of an older one, with a generation of its own; checks `condition` (may be NULL) in
 * the same step. */
zl_status zl_zip_list(zl_zip_store *store, const char *key, const zl_zip_object *object, const zl_condition *condition,
                      zl_error *err);

/* Before a change of an object: CANCELLED, and INVALID_ARGUMENT for a key that is too long for an archive. */
zl_status zl_zip_check_change(const char *key, const zl_store_call *call);

/* Fills the list from the directory of an archive (zip_open.c). */
zl_status zl_zip_read_directory(zl_zip_store *store, zl_error *err);

/* Callbacks of the class. */
zl_status zl_zip_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call);
zl_status zl_zip_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                     const zl_store_call *call);
zl_status zl_zip_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call);
zl_status zl_zip_put_append(zl_put *handle, const zl_span *spans, size_t count, const zl_store_call *call);
zl_status zl_zip_put_commit(zl_put *handle, const zl_condition *condition, const zl_store_call *call);
void zl_zip_put_abort(zl_put *handle);
zl_status zl_zip_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call);
/* Writes the directory of an archive that was made, and gives it its name. */
zl_status zl_zip_finish(zl_zip_store *store, zl_error *err);

#endif
