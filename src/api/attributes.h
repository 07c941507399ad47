/* SPDX-License-Identifier: MIT */
/* Attributes of one handle, and with them the metadata document as it was last seen. */
#ifndef ZL_API_ATTRIBUTES_H
#define ZL_API_ATTRIBUTES_H

#include "base/thread.h"
#include "meta/metadata.h"
#include "store/store.h"

struct zl_attributes {
    zl_store *store;
    const char *path;
    const zl_metadata *seen; /* NULL: a group without a document */
    zl_metadata *changed;    /* owned; `seen` once something was changed */
    zl_mutex mutex;          /* guards `seen` and `changed` */
};

/* Keeps all arguments; `metadata` NULL: a group without a document. Returns new (free with zl_attributes_free). */
zl_status zl_attributes_new(zl_attributes **out, zl_store *store, const char *path, const zl_metadata *metadata,
                            zl_error *err);
void zl_attributes_free(zl_attributes *attributes); /* NULL is fine */
/* Calls `use` with the value of an attribute, which lives that long. NOT_FOUND, INVALID_ARGUMENT (no name), what `use`
 * returns. */
typedef zl_status (*zl_attribute_fn)(void *user, const zl_json *value, zl_error *err);
zl_status zl_attributes_use(const zl_attributes *attributes, const char *name, zl_attribute_fn use, void *user,
                            zl_error *err);
/* The text of the document as it was last seen. `shape` is the array's: another one than was seen stands in its place. */
zl_status zl_attributes_document(zl_attributes *attributes, const int64_t *shape, zl_buffer *out, zl_error *err);
/* Takes `metadata`, which is what is stored now. */
void zl_attributes_adopt(zl_attributes *attributes, zl_metadata *metadata);

#endif
