/* SPDX-License-Identifier: MIT */
#include "store/zip_handle.h"

#include "store/file_os.h"

/* ---- errors */

zl_status zl_zip_fail(zl_error *err, zip_error_t *error, const char *what) {
    zl_status status = ZL_ERR_CORRUPT;
    switch (zip_error_code_zip(error)) {
    case ZIP_ER_MEMORY: return zl_fail(err, ZL_ERR_NO_MEMORY, "%s: out of memory: libzip", what);
    case ZIP_ER_READ:
    case ZIP_ER_TELL: status = ZL_ERR_IO; break;
    case ZIP_ER_MULTIDISK:
    case ZIP_ER_COMPNOTSUPP:
    case ZIP_ER_ENCRNOTSUPP: status = ZL_ERR_UNSUPPORTED; break;
    default: break;
    }
    return zl_fail(err, status, "%s: %s", what, zip_error_strerror(error));
}

/* ---- the file as a source of libzip: every handle has its own position in it */

static zip_int64_t source_read(zl_zip_handle *handle, void *into, zip_uint64_t size) {
    size_t done;
    const uint64_t left = handle->size - handle->at;
    const size_t wanted = (size_t)zl_min_u64(zl_min_u64(size, left), SIZE_MAX / 2);
    const int code = zl_fs_read(handle->file, into, wanted, handle->at, &done);
    if (code != 0) {
        zip_error_set(&handle->error, ZIP_ER_READ, code);
        return -1;
    }
    handle->at += done;
    return (zip_int64_t)done;
}

static zip_int64_t source_seek(zl_zip_handle *handle, void *data, zip_uint64_t size) {
    const zip_int64_t at = zip_source_seek_compute_offset(handle->at, handle->size, data, size, &handle->error);
    if (at < 0) return -1;
    handle->at = (uint64_t)at;
    return 0;
}

static zip_int64_t source_stat(const zl_zip_handle *handle, zip_stat_t *stat) {
    zip_stat_init(stat);
    stat->size = handle->size;
    stat->valid = ZIP_STAT_SIZE;
    return (zip_int64_t)sizeof *stat;
}

static zip_int64_t source(void *user, void *data, zip_uint64_t size, zip_source_cmd_t command) {
    zl_zip_handle *handle = user;
    switch (command) {
    case ZIP_SOURCE_OPEN: handle->at = 0; return 0;
    case ZIP_SOURCE_READ: return source_read(handle, data, size);
    case ZIP_SOURCE_SEEK: return source_seek(handle, data, size);
    case ZIP_SOURCE_TELL: return (zip_int64_t)handle->at;
    case ZIP_SOURCE_STAT: return source_stat(handle, data);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&handle->error, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    default: zip_error_set(&handle->error, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
}

/* ---- handles */

static void handle_free(zl_zip_store *store, zl_zip_handle *handle) {
    if (handle->zip != NULL) zip_discard(handle->zip);
    zip_error_fini(&handle->error);
    ZL_DELETE(&store->allocator, handle);
}

static zl_status open_handle(zl_zip_handle *handle, zl_error *err) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *file = zip_source_function_create(source, handle, &error);
    if (file != NULL) {
        handle->zip = zip_open_from_source(file, ZIP_RDONLY, &error);
        if (handle->zip == NULL) zip_source_free(file);
    }
    const zl_status status =
        handle->zip != NULL ? ZL_OK : zl_zip_fail(err, &error, "not a ZIP archive, or one that cannot be read");
    zip_error_fini(&error);
    return status;
}

static zl_status handle_new(zl_zip_store *store, zl_zip_handle **out, zl_error *err) {
    zl_zip_handle *handle = ZL_NEW(&store->allocator, zl_zip_handle);
    if (handle == NULL) return zl_fail_memory(err, sizeof *handle);
    handle->file = store->file;
    handle->size = store->size;
    zip_error_init(&handle->error);
    const zl_status status = open_handle(handle, err);
    if (status == ZL_OK) {
        *out = handle;
    } else {
        handle_free(store, handle);
    }
    return status;
}

zl_status zl_zip_take(zl_zip_store *store, zl_zip_handle **out, zl_error *err) {
    zl_mutex_lock(&store->mutex);
    zl_zip_handle *handle = store->idle;
    if (handle != NULL) store->idle = handle->next;
    zl_mutex_unlock(&store->mutex);
    if (handle == NULL) return handle_new(store, out, err);
    *out = handle;
    return ZL_OK;
}

void zl_zip_give(zl_zip_store *store, zl_zip_handle *handle) {
    if (zip_error_code_zip(&handle->error) != ZIP_ER_OK) {
        handle_free(store, handle);
        return;
    }
    zl_mutex_lock(&store->mutex);
    handle->next = store->idle;
    store->idle = handle;
    zl_mutex_unlock(&store->mutex);
}

void zl_zip_end_handles(zl_zip_store *store) {
    for (zl_zip_handle *handle = store->idle, *next; handle != NULL; handle = next) {
        next = handle->next;
        handle_free(store, handle);
    }
    store->idle = NULL;
}
