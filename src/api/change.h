/* SPDX-License-Identifier: MIT */
/* Changes of metadata documents where they are stored. */
#ifndef ZL_API_CHANGE_H
#define ZL_API_CHANGE_H

#include "meta/metadata.h"
#include "store/store.h"

typedef struct zl_change {
    const char *path; /* of the node */
    const char *name; /* of the document: "zarr.json" */
    bool may_make;    /* where there is none `write` gets NULL; otherwise that is NOT_FOUND */
    /* Writes the new document; nothing: it stays as it is. */
    zl_status (*write)(void *user, const zl_json *stored, zl_json_writer *writer, zl_error *err);
    /* Understands the new document before it is stored. NULL: no need to. */
    zl_status (*check)(void *user, const zl_document_text *changed, zl_error *err);
    void *user;
    bool *stored; /* out, may be NULL: the new document is stored, even where copies of it could not follow */
} zl_change;

/* Reads a document, and stores what `write` makes of it under the condition that nobody else has stored another one since.
 * If somebody has, it starts again, so both callbacks may be called several times. In this process the documents of a store
 * change one after the other. Consolidated metadata follows. NOT_FOUND and METADATA (somebody removed or damaged it),
 * READ_ONLY, CONFLICT, IO. */
zl_status zl_document_change(zl_store *store, const zl_change *change, zl_error *err);

#endif
