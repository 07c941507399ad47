/* SPDX-License-Identifier: MIT */
/*
 * Handles of libzip for an opened archive. https://libzip.org/documentation/
 *
 * One handle serves one thread at a time, so a store keeps those that nobody uses, and opens another one when all are in
 * use: there are never more than threads that read at once. All of them read the file that was opened first, whatever its
 * path leads to later.
 */
#ifndef ZL_STORE_ZIP_HANDLE_H
#define ZL_STORE_ZIP_HANDLE_H

#include <zip.h>

#include "store/zip.h"

typedef struct zl_zip_handle zl_zip_handle;
struct zl_zip_handle {
    zip_t *zip;
    zl_zip_handle *next;
    /* the file, as libzip sees it */
    int file;
    uint64_t size;
    uint64_t at;
    zip_error_t error; /* once there is one libzip reads no more through this handle */
};

/* A handle for the caller alone. CORRUPT, UNSUPPORTED, IO, NO_MEMORY. */
zl_status zl_zip_take(zl_zip_store *store, zl_zip_handle **out, zl_error *err);
void zl_zip_give(zl_zip_store *store, zl_zip_handle *handle);
/* Ends those that are not in use. */
void zl_zip_end_handles(zl_zip_store *store);

/* What the directory says about one entry, without a generation. False: zip_get_error has the reason. */
bool zl_zip_describe(zip_t *zip, uint64_t number, zl_zip_object *out);

/* Says in libzip's words what is wrong with `what`; the status is CORRUPT unless the words mean another one. */
zl_status zl_zip_fail(zl_error *err, zip_error_t *error, const char *what);

#endif
