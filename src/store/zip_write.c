/* SPDX-License-Identifier: MIT */
/* Writing an archive: each object goes behind the one before, without a lock while its bytes are written; the directory
 * follows at the end. */
#include "store/support.h"
#include "store/zip.h"
#include "store/zip_os.h"

typedef struct placing {
    zl_zip_entry entry;
    uint64_t data; /* where its bytes go */
    uint8_t header[ZL_ZIP_LOCAL_MAX];
    size_t fixed, header_size;
} placing;

zl_status zl_zip_check_change(const char *key, const zl_store_call *call) {
    const size_t size = strlen(key);
    if (size > 65535) return zl_fail(call->err, ZL_ERR_INVALID_ARGUMENT, "a key of %zu bytes in an archive", size);
    if (zl_cancelled(call->cancel)) return zl_fail(call->err, ZL_ERR_CANCELLED, "cancelled before %s", key);
    return ZL_OK;
}

static zl_status measure(placing *out, const zl_span *spans, size_t count, const char *key, zl_error *err) {
    *out = (placing){.entry = {.method = ZL_ZIP_STORED}};
    for (size_t i = 0; i < count; i++) {
        if (spans[i].size == 0) continue;
        out->entry.crc = zl_zip_crc32(out->entry.crc, spans[i].data, spans[i].size);
        if (!zl_add_u64(out->entry.size, spans[i].size, &out->entry.size)) return zl_fail_memory(err, UINT64_MAX);
    }
    out->entry.stored = out->entry.size;
    out->header_size = zl_zip_write_local(out->header, &out->entry, strlen(key), &out->fixed);
    return ZL_OK;
}

/* Takes a place in the file. */
static void reserve(zl_zip_store *store, placing *place, const char *key) {
    zl_mutex_lock(&store->mutex);
    place->entry.header = store->size;
    place->data = store->size + place->header_size + strlen(key);
    store->size = place->data + place->entry.size;
    zl_mutex_unlock(&store->mutex);
}

static zl_status write_entry(const zl_zip_store *store, const placing *place, const char *key, const zl_span *spans,
                             size_t count, zl_error *err) {
    const zl_span head[] = {{place->header, place->fixed},
                            {(const uint8_t *)key, strlen(key)},
                            {place->header + place->fixed, place->header_size - place->fixed}};
    int code = zl_zip_write_file(store->file, head, ZL_COUNT_OF(head), place->entry.header);
    if (code == 0) code = zl_zip_write_file(store->file, spans, count, place->data);
    return code == 0 ? ZL_OK : zl_fail_os(err, ZL_ERR_IO, code, "cannot write %s", key);
}

zl_status zl_zip_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                     const zl_store_call *call) {
    zl_zip_store *store = self;
    zl_zip_object old;
    placing place;
    ZL_TRY(zl_zip_check_change(key, call));
    /* Decided when it is listed; what cannot succeed is not written at all. */
    const bool exists = zl_zip_find(store, key, &old);
    ZL_TRY(zl_condition_check(condition, exists ? &old.generation : NULL, key, call->err));
    ZL_TRY(measure(&place, spans, count, key, call->err));
    reserve(store, &place, key);
    ZL_TRY(write_entry(store, &place, key, spans, count, call->err));
    return zl_zip_list(store, key, &(zl_zip_object){.entry = place.entry, .place = place.data}, condition, call->err);
}

/* ---- the directory */

static zl_status write_directory(const zl_zip_store *store, zl_error *err) {
    zl_sink out = {.max = SIZE_MAX, .allocator = &store->allocator};
    uint64_t count = 0;
    zl_status status = ZL_OK;
    for (const zl_skipnode *node = store->objects.first[0]; node != NULL && status == ZL_OK; node = node->next[0]) {
        const zl_zip_object *object = node->value;
        status = zl_zip_append_entry(&out, &object->entry, node->key, strlen(node->key), err);
        count++;
    }
    if (status == ZL_OK) status = zl_zip_append_end(&out, count, store->size, out.size, err);
    if (status == ZL_OK) {
        const zl_span span = {out.data, out.size};
        const int code = zl_zip_write_file(store->file, &span, 1, store->size);
        if (code != 0) status = zl_fail_os(err, ZL_ERR_IO, code, "cannot write the directory of %s", store->path);
    }
    zl_sink_free(&out);
    return status;
}

zl_status zl_zip_finish(zl_zip_store *store, zl_error *err) {
    const zl_status status = write_directory(store, err);
    if (status != ZL_OK) {
        zl_zip_discard_file(store->file, store->temporary);
        return status;
    }
    const int code = zl_zip_publish_file(store->file, store->temporary, store->path);
    return code == 0 ? ZL_OK : zl_fail_os(err, ZL_ERR_IO, code, "cannot complete the archive %s", store->path);
}
