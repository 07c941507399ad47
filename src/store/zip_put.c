/* SPDX-License-Identifier: MIT */
/*
 * Objects of an archive in pieces. An object is one run of bytes, so a put grows at the end of the file. Where something
 * else has been placed behind it, it moves to the end with what it has, and takes twice the room it needs: however many
 * puts there are at a time, a byte is copied a few times at most. The place it leaves stays empty, as that of a replaced
 * object.
 *
 * The local header comes last, when size and checksum are known. Its room is needed before that, so it is of the 64-bit
 * form whatever the size turns out to be.
 */
#include <errno.h>

#include "store/file_os.h"
#include "store/support.h"
#include "store/zip.h"
#include "store/zip_os.h"

#define COPY_SIZE ZL_MIB

typedef struct archive_put {
    zl_zip_store *store;
    zl_zip_entry entry; /* so far */
    size_t head;        /* bytes in front of the data: the local header and the key */
    uint64_t end;       /* of the place in the file */
    size_t key_size;
    char key[];
} archive_put;

static uint64_t data_of(const archive_put *put) {
    return put->entry.header + put->head;
}

static void put_free(archive_put *put) {
    const zl_allocator allocator = put->store->allocator;
    zl_free(&allocator, put, sizeof *put + put->key_size + 1);
}

/* ---- places */

/* Room for `more` bytes behind those that are there. True: it is in another place, and they have to be copied. */
static bool reserve(archive_put *put, uint64_t more) {
    zl_zip_store *store = put->store;
    const uint64_t used = put->head + put->entry.size + more;
    zl_mutex_lock(&store->mutex);
    const bool fits = used <= put->end - put->entry.header, last = put->end == store->size;
    if (!fits && !last) put->entry.header = store->size;
    if (!fits) store->size = put->end = put->entry.header + used * (last ? 1 : 2);
    zl_mutex_unlock(&store->mutex);
    return !fits && !last;
}

/* What was reserved and not used goes back, where nothing has been placed behind it. Nothing was written there: bytes
 * behind the archive's directory would hide it. */
static void give_back(const archive_put *put) {
    zl_zip_store *store = put->store;
    zl_mutex_lock(&store->mutex);
    if (put->end == store->size) store->size = data_of(put) + put->entry.size;
    zl_mutex_unlock(&store->mutex);
}

static zl_status fail_write(const archive_put *put, int code, zl_error *err) {
    return zl_fail_os(err, ZL_ERR_IO, code, "cannot write %s", put->key);
}

static zl_status copy_data(const archive_put *put, uint64_t from, zl_error *err) {
    const zl_zip_store *store = put->store;
    uint8_t *buffer = zl_alloc(&store->allocator, COPY_SIZE, 1);
    if (buffer == NULL) return zl_fail_memory(err, COPY_SIZE);
    int code = 0;
    for (uint64_t at = 0; code == 0 && at < put->entry.size; at += COPY_SIZE) {
        zl_span piece = {buffer, (size_t)zl_min_u64(COPY_SIZE, put->entry.size - at)};
        size_t done;
        code = zl_fs_read(store->file, buffer, piece.size, from + at, &done);
        if (code == 0 && done < piece.size) code = EIO;
        if (code == 0) code = zl_zip_write_file(store->file, &piece, 1, data_of(put) + at);
    }
    zl_free(&store->allocator, buffer, COPY_SIZE);
    return code == 0 ? ZL_OK : fail_write(put, code, err);
}

static zl_status make_room(archive_put *put, uint64_t more, zl_error *err) {
    const uint64_t from = data_of(put);
    return reserve(put, more) ? copy_data(put, from, err) : ZL_OK;
}

/* ---- callbacks of the class */

zl_status zl_zip_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call) {
    zl_zip_store *store = self;
    const size_t key_size = strlen(key), size = sizeof(archive_put) + key_size + 1;
    ZL_TRY(zl_zip_check_change(key, call));
    archive_put *put = zl_alloc_zero(&store->allocator, size, _Alignof(archive_put));
    if (put == NULL) return zl_fail_memory(call->err, size);
    *put = (archive_put){.store = store,
                         .entry = {.method = ZL_ZIP_STORED, .wide = true},
                         .head = ZL_ZIP_LOCAL_MAX + key_size,
                         .key_size = key_size};
    memcpy(put->key, key, key_size + 1);
    (void)reserve(put, 0); /* there is nothing to copy */
    *out = (zl_put *)put;
    return ZL_OK;
}

zl_status zl_zip_put_append(zl_put *handle, const zl_span *spans, size_t count, const zl_store_call *call) {
    archive_put *put = (archive_put *)handle;
    uint64_t more = 0;
    ZL_TRY(zl_zip_check_change(put->key, call));
    for (size_t i = 0; i < count; i++)
        more = zl_sat_add(more, spans[i].size);
    if (more > INT64_MAX - put->entry.size) return fail_write(put, EFBIG, call->err);
    ZL_TRY(make_room(put, more, call->err));
    const int code = zl_zip_write_file(put->store->file, spans, count, data_of(put) + put->entry.size);
    if (code != 0) return fail_write(put, code, call->err);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].size > 0) put->entry.crc = zl_zip_crc32(put->entry.crc, spans[i].data, spans[i].size);
    }
    put->entry.stored = put->entry.size += more;
    return ZL_OK;
}

static zl_status write_head(const archive_put *put, zl_error *err) {
    uint8_t header[ZL_ZIP_LOCAL_MAX];
    size_t fixed;
    const size_t size = zl_zip_write_local(header, &put->entry, put->key_size, &fixed);
    const zl_span head[] = {{header, fixed}, {(const uint8_t *)put->key, put->key_size}, {header + fixed, size - fixed}};
    const int code = zl_zip_write_file(put->store->file, head, ZL_COUNT_OF(head), put->entry.header);
    return code == 0 ? ZL_OK : fail_write(put, code, err);
}

zl_status zl_zip_put_commit(zl_put *handle, const zl_condition *condition, const zl_store_call *call) {
    archive_put *put = (archive_put *)handle;
    const zl_zip_object object = {.entry = put->entry, .place = data_of(put)};
    give_back(put);
    zl_status status = zl_zip_check_change(put->key, call);
    if (status == ZL_OK) status = write_head(put, call->err);
    if (status == ZL_OK) status = zl_zip_list(put->store, put->key, &object, condition, call->err);
    put_free(put);
    return status;
}

void zl_zip_put_abort(zl_put *handle) {
    put_free((archive_put *)handle); /* its place stays: some of a piece may have been written */
}
