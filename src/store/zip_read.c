/* SPDX-License-Identifier: MIT */
/*
 * Reading objects of an archive. Entries that are stored as they are give any range with one read. Deflated ones are
 * inflated whole, to exactly the size that the directory tells, after the caller's bounds were checked against it. The
 * checksum is checked whenever a whole object is read.
 */
#include <errno.h>
#include <inttypes.h>

#include "store/file_os.h"
#include "store/support.h"
#include "store/zip.h"

/* A byte of deflated data stands for at most so many. */
#define DEFLATE_RATIO 1032

typedef struct reading {
    const zl_zip_store *store;
    const char *key;
    zl_zip_entry entry;
    uint64_t data; /* where the bytes of the entry are */
    const zl_store_call *call;
} reading;

static zl_status read_at(const reading *r, uint64_t offset, void *into, size_t size) {
    size_t done;
    if (zl_cancelled(r->call->cancel)) return zl_fail(r->call->err, ZL_ERR_CANCELLED, "cancelled before %s", r->key);
    const int code = zl_fs_read(r->store->file, into, size, offset, &done);
    if (code != 0) return zl_fail_os(r->call->err, ZL_ERR_IO, code, "cannot read %s", r->key);
    if (done == size) return ZL_OK;
    return zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: the archive ends before byte %" PRIu64, r->key, offset + size);
}

/* Its own header has another length of name and extra field than the directory's. */
static zl_status find_data(reading *r) {
    uint8_t bytes[ZL_ZIP_LOCAL_SIZE];
    uint64_t size;
    ZL_TRY(read_at(r, r->entry.header, bytes, sizeof bytes));
    if (!zl_zip_read_local(bytes, &size)) {
        return zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: no entry is at byte %" PRIu64 " of the archive", r->key,
                       r->entry.header);
    }
    r->data = r->entry.header + size;
    return ZL_OK;
}

static zl_status check_entry(const reading *r) {
    const zl_zip_entry *entry = &r->entry;
    zl_error *err = r->call->err;
    if (entry->encrypted) return zl_fail(err, ZL_ERR_UNSUPPORTED, "%s: encrypted entries are not supported", r->key);
    if (entry->method != ZL_ZIP_STORED && entry->method != ZL_ZIP_DEFLATED) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "%s: compression method %u of ZIP is not supported", r->key, entry->method);
    }
    const bool fits = entry->method == ZL_ZIP_STORED ? entry->stored == entry->size
                                                     : entry->size <= zl_sat_mul(entry->stored, DEFLATE_RATIO);
    if (fits) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "%s: %" PRIu64 " bytes of an archive cannot hold %" PRIu64, r->key, entry->stored,
                   entry->size);
}

static zl_status check_crc(const reading *r, const void *data) {
    const uint32_t crc = zl_zip_crc32(0, data, (size_t)r->entry.size);
    if (crc == r->entry.crc) return ZL_OK;
    return zl_fail(r->call->err, ZL_ERR_CORRUPT, "%s: its CRC-32 is %08" PRIx32 ", the archive says %08" PRIx32, r->key,
                   crc, r->entry.crc);
}

/* Memory for a range: the caller's, or new. */
static uint8_t *provide(const reading *r, zl_request *request, size_t size) {
    if (request->into == NULL) return zl_bytes_new(&request->bytes, size, r->call->allocator, r->call->err);
    request->bytes = (zl_bytes){request->into, size, NULL, NULL};
    return request->into;
}

/* ---- entries as they are */

static zl_status read_stored(const reading *r, zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        zl_range range;
        ZL_TRY(zl_request_resolve(&requests[i], r->entry.size, r->key, &range, r->call->err));
        uint8_t *into = provide(r, &requests[i], (size_t)range.length);
        if (into == NULL) return ZL_ERR_NO_MEMORY;
        ZL_TRY(read_at(r, r->data + range.offset, into, (size_t)range.length));
        if (range.length == r->entry.size) ZL_TRY(check_crc(r, into));
    }
    return ZL_OK;
}

/* ---- deflated entries */

static zl_status inflate(const reading *r, void *to) {
    if (r->entry.stored > SIZE_MAX) return zl_fail_memory(r->call->err, r->entry.stored);
    const size_t stored = (size_t)r->entry.stored;
    uint8_t *from = zl_alloc(r->call->allocator, stored + 1, 1);
    if (from == NULL) return zl_fail_memory(r->call->err, stored);
    zl_status status = read_at(r, r->data, from, stored);
    if (status == ZL_OK) {
        status = zl_zip_inflate((zl_span){from, stored}, to, (size_t)r->entry.size, r->key, r->call->err);
    }
    zl_free(r->call->allocator, from, stored + 1);
    return status == ZL_OK ? check_crc(r, to) : status;
}

static zl_status copy_ranges(const reading *r, const uint8_t *whole, zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        zl_range range;
        ZL_TRY(zl_request_resolve(&requests[i], r->entry.size, r->key, &range, r->call->err));
        uint8_t *into = provide(r, &requests[i], (size_t)range.length);
        if (into == NULL) return ZL_ERR_NO_MEMORY;
        memcpy(into, whole + range.offset, (size_t)range.length);
    }
    return ZL_OK;
}

/* Nothing is inflated before all ranges are known to be wanted in this size. */
static zl_status read_deflated(const reading *r, zl_request *requests, size_t count) {
    zl_range range = {0, 0};
    for (size_t i = 0; i < count; i++) {
        ZL_TRY(zl_request_resolve(&requests[i], r->entry.size, r->key, &range, r->call->err));
    }
    if (r->entry.size > SIZE_MAX) return zl_fail_memory(r->call->err, r->entry.size);
    if (count == 1 && range.length == r->entry.size) {
        uint8_t *into = provide(r, &requests[0], (size_t)range.length);
        return into != NULL ? inflate(r, into) : ZL_ERR_NO_MEMORY;
    }
    zl_bytes whole = {0};
    uint8_t *bytes = zl_bytes_new(&whole, (size_t)r->entry.size, r->call->allocator, r->call->err);
    if (bytes == NULL) return ZL_ERR_NO_MEMORY;
    zl_status status = inflate(r, bytes);
    if (status == ZL_OK) status = copy_ranges(r, bytes, requests, count);
    zl_bytes_release(&whole);
    return status;
}

/* ---- both */

static zl_status read_object(reading *r, zl_request *requests, size_t count) {
    ZL_TRY(check_entry(r));
    ZL_TRY(find_data(r));
    return r->entry.method == ZL_ZIP_STORED ? read_stored(r, requests, count) : read_deflated(r, requests, count);
}

zl_status zl_zip_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call) {
    zl_zip_object object;
    zl_requests_init(requests, count);
    if (!zl_zip_find(self, key, &object)) return zl_condition_missing(condition, key, call->err);
    if (info != NULL) *info = (zl_object_info){object.entry.size, object.generation};
    ZL_TRY(zl_condition_check(condition, &object.generation, key, call->err));
    reading r = {.store = self, .key = key, .entry = object.entry, .call = call};
    const zl_status status = read_object(&r, requests, count);
    if (status != ZL_OK) zl_requests_release(requests, count);
    return status;
}
