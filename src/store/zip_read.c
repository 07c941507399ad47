/* SPDX-License-Identifier: MIT */
/*
 * Reading objects of an archive. Entries that are stored as they are give any range without the rest. Deflated ones are
 * inflated whole, to exactly the size that the directory tells, after the caller's bounds were checked against it. libzip
 * checks the checksum whenever a whole object is read. Objects of an archive that is still being made have no directory
 * yet: their bytes are where they were written.
 */
#include <inttypes.h>

#include "store/file_os.h"
#include "store/support.h"
#include "store/zip_handle.h"

/* A byte of deflated data stands for at most so many. */
#define DEFLATE_RATIO 1032

/* Between two of these it is looked whether the call is cancelled. */
#define PIECE (4 * ZL_MIB)

typedef struct reading {
    const zl_zip_store *store;
    const char *key;
    const zl_zip_object *object;
    zip_file_t *file; /* the opened entry; NULL: the archive is being made */
    const zl_store_call *call;
} reading;

/* Memory for a range: the caller's, or new. */
static uint8_t *provide(const reading *r, zl_request *request, size_t size) {
    if (request->into == NULL) return zl_bytes_new(&request->bytes, size, r->call->allocator, r->call->err);
    request->bytes = (zl_bytes){request->into, size, NULL, NULL};
    return request->into;
}

static zl_status resolve(const reading *r, const zl_request *request, zl_range *out) {
    return zl_request_resolve(request, r->object->entry.size, r->key, out, r->call->err);
}

/* ---- bytes of an opened entry */

static zl_status fail_file(const reading *r) {
    return zl_zip_fail(r->call->err, zip_file_get_error(r->file), r->key);
}

static zl_status read_bytes(const reading *r, uint8_t *into, size_t size) {
    while (size > 0) {
        if (zl_cancelled(r->call->cancel)) return zl_fail(r->call->err, ZL_ERR_CANCELLED, "cancelled before %s", r->key);
        const zip_int64_t n = zip_fread(r->file, into, zl_min_u64(size, PIECE));
        if (n < 0) return fail_file(r);
        if (n == 0) {
            return zl_fail(r->call->err, ZL_ERR_CORRUPT,
                           "%s: its data end %zu bytes before the %" PRIu64 " of the directory", r->key, size,
                           r->object->entry.size);
        }
        into += n;
        size -= (size_t)n;
    }
    return ZL_OK;
}

/* At the end libzip compares size and checksum. */
static zl_status check_end(const reading *r) {
    uint8_t more;
    const zip_int64_t n = zip_fread(r->file, &more, 1);
    if (n < 0) return fail_file(r);
    if (n == 0) return ZL_OK;
    return zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: its data do not end after the %" PRIu64 " bytes of the directory",
                   r->key, r->object->entry.size);
}

static zl_status read_whole(const reading *r, uint8_t *into) {
    ZL_TRY(read_bytes(r, into, (size_t)r->object->entry.size));
    return check_end(r);
}

/* ---- entries as they are */

static zl_status read_made(const reading *r, zl_range range, uint8_t *into) {
    size_t done;
    const size_t size = (size_t)range.length;
    if (zl_cancelled(r->call->cancel)) return zl_fail(r->call->err, ZL_ERR_CANCELLED, "cancelled before %s", r->key);
    const int code = zl_fs_read(r->store->file, into, size, r->object->place + range.offset, &done);
    if (code != 0) return zl_fail_os(r->call->err, ZL_ERR_IO, code, "cannot read %s", r->key);
    return done == size ? ZL_OK : zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: the archive was cut off", r->key);
}

static zl_status read_range(const reading *r, zl_range range, uint8_t *into) {
    if (r->file == NULL) return read_made(r, range, into);
    if (range.length == 0 && r->object->entry.size > 0) return ZL_OK;
    if (r->object->entry.size > 0 && zip_fseek(r->file, (zip_int64_t)range.offset, SEEK_SET) != 0) return fail_file(r);
    if (range.length == r->object->entry.size) return read_whole(r, into);
    return read_bytes(r, into, (size_t)range.length);
}

static zl_status read_stored(const reading *r, zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        zl_range range;
        ZL_TRY(resolve(r, &requests[i], &range));
        uint8_t *into = provide(r, &requests[i], (size_t)range.length);
        if (into == NULL) return ZL_ERR_NO_MEMORY;
        ZL_TRY(read_range(r, range, into));
    }
    return ZL_OK;
}

/* ---- deflated entries */

static zl_status copy_ranges(const reading *r, const uint8_t *whole, zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        zl_range range;
        ZL_TRY(resolve(r, &requests[i], &range));
        uint8_t *into = provide(r, &requests[i], (size_t)range.length);
        if (into == NULL) return ZL_ERR_NO_MEMORY;
        memcpy(into, whole + range.offset, (size_t)range.length);
    }
    return ZL_OK;
}

/* Nothing is inflated before all ranges are known to be wanted in this size. */
static zl_status read_deflated(const reading *r, zl_request *requests, size_t count) {
    const uint64_t size = r->object->entry.size;
    zl_range range = {0, 0};
    for (size_t i = 0; i < count; i++)
        ZL_TRY(resolve(r, &requests[i], &range));
    if (size > SIZE_MAX) return zl_fail_memory(r->call->err, size);
    if (count == 1 && range.length == size) {
        uint8_t *into = provide(r, &requests[0], (size_t)size);
        return into != NULL ? read_whole(r, into) : ZL_ERR_NO_MEMORY;
    }
    zl_bytes whole = {0};
    uint8_t *bytes = zl_bytes_new(&whole, (size_t)size, r->call->allocator, r->call->err);
    if (bytes == NULL) return ZL_ERR_NO_MEMORY;
    zl_status status = read_whole(r, bytes);
    if (status == ZL_OK) status = copy_ranges(r, bytes, requests, count);
    zl_bytes_release(&whole);
    return status;
}

/* ---- both */

static zl_status check_entry(const reading *r) {
    const zl_zip_entry *entry = &r->object->entry;
    zl_error *err = r->call->err;
    if (r->object->encrypted) return zl_fail(err, ZL_ERR_UNSUPPORTED, "%s: encrypted entries are not supported", r->key);
    if (entry->method != ZL_ZIP_STORED && entry->method != ZL_ZIP_DEFLATED) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "%s: compression method %u of ZIP is not supported", r->key, entry->method);
    }
    if (entry->stored > r->store->size) {
        return zl_fail(err, ZL_ERR_CORRUPT, "%s: %" PRIu64 " bytes are not in an archive of %" PRIu64, r->key,
                       entry->stored, r->store->size);
    }
    const bool fits = entry->method == ZL_ZIP_STORED ? entry->stored == entry->size
                                                     : entry->size <= zl_sat_mul(entry->stored, DEFLATE_RATIO);
    if (fits && entry->size <= INT64_MAX) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "%s: %" PRIu64 " bytes of an archive cannot hold %" PRIu64, r->key, entry->stored,
                   entry->size);
}

/* A handle reads the directory when it is opened, which may be long after the list of objects was made. */
static bool is_same(const zl_zip_handle *handle, const zl_zip_object *object) {
    zl_zip_object now;
    return zl_zip_describe(handle->zip, object->place, &now) && now.entry.size == object->entry.size &&
           now.entry.stored == object->entry.stored && now.entry.crc == object->entry.crc &&
           now.entry.method == object->entry.method && now.encrypted == object->encrypted;
}

static zl_status read_entry(reading *r, const zl_zip_handle *handle, zl_request *requests, size_t count) {
    if (!is_same(handle, r->object)) {
        return zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: the archive has changed since it was opened", r->key);
    }
    r->file = zip_fopen_index(handle->zip, r->object->place, 0);
    if (r->file == NULL) return zl_zip_fail(r->call->err, zip_get_error(handle->zip), r->key);
    const bool deflated = r->object->entry.method == ZL_ZIP_DEFLATED;
    const zl_status status = deflated ? read_deflated(r, requests, count) : read_stored(r, requests, count);
    const int code = zip_fclose(r->file);
    if (status != ZL_OK || code == 0) return status;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const zl_status failure = zl_zip_fail(r->call->err, &error, r->key);
    zip_error_fini(&error);
    return failure;
}

static zl_status read_object(zl_zip_store *store, reading *r, zl_request *requests, size_t count) {
    zl_zip_handle *handle;
    if (store->temporary != NULL) return read_stored(r, requests, count);
    ZL_TRY(check_entry(r));
    ZL_TRY(zl_zip_take(store, &handle, r->call->err));
    const zl_status status = read_entry(r, handle, requests, count);
    zl_zip_give(store, handle);
    return status;
}

zl_status zl_zip_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call) {
    zl_zip_object object;
    zl_requests_init(requests, count);
    if (!zl_zip_find(self, key, &object)) return zl_condition_missing(condition, key, call->err);
    if (info != NULL) *info = (zl_object_info){object.entry.size, object.generation};
    ZL_TRY(zl_condition_check(condition, &object.generation, key, call->err));
    reading r = {.store = self, .key = key, .object = &object, .call = call};
    const zl_status status = read_object(self, &r, requests, count);
    if (status != ZL_OK) zl_requests_release(requests, count);
    return status;
}
