/* SPDX-License-Identifier: MIT */
/* The directory of an archive: finding it, and what of its entries are objects. */
#include <errno.h>
#include <inttypes.h>

#include "store/file_os.h"
#include "store/zip.h"

/* From this size on it matters that a part of a deflated object cannot be had alone. */
#define LARGE (64 * ZL_KIB)

static zl_status read_at(const zl_zip_store *store, uint64_t offset, void *into, size_t size, zl_error *err) {
    size_t done;
    const int code = zl_fs_read(store->file, into, size, offset, &done);
    if (code != 0) return zl_fail_os(err, ZL_ERR_IO, code, "cannot read the archive");
    if (done == size) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "the archive ends before byte %" PRIu64, offset + size);
}

/* ---- finding it */

static zl_status find_end(const zl_zip_store *store, zl_zip_end *out, zl_error *err) {
    const size_t size = (size_t)zl_min_u64(store->size, ZL_ZIP_END_SEARCH);
    uint8_t *tail = zl_alloc(&store->allocator, size + 1, 1); /* an empty file has no bytes */
    if (tail == NULL) return zl_fail_memory(err, size);
    zl_status status = read_at(store, store->size - size, tail, size, err);
    if (status == ZL_OK && !zl_zip_find_end((zl_span){tail, size}, store->size, out)) {
        status = zl_fail(err, ZL_ERR_CORRUPT, "not a ZIP archive, or one without its end");
    }
    zl_free(&store->allocator, tail, size + 1);
    return status;
}

/* The 64-bit record stands right before its locator, or where that says. */
static zl_status read_end64(const zl_zip_store *store, zl_zip_end *end, zl_error *err) {
    const size_t both = ZL_ZIP_END64_SIZE + ZL_ZIP_END64_LOCATOR_SIZE;
    uint8_t bytes[ZL_ZIP_END64_SIZE + ZL_ZIP_END64_LOCATOR_SIZE];
    uint64_t at = 0;
    if (end->at < both) return ZL_OK;
    ZL_TRY(read_at(store, end->at - both, bytes, both, err));
    if (!zl_zip_read_locator(bytes + ZL_ZIP_END64_SIZE, &at)) return ZL_OK; /* the numbers are what they seem */
    zl_zip_end wide = *end;
    if (zl_zip_read_end64(bytes, &wide)) {
        at = end->at - both;
    } else if (at > end->at - both) {
        return zl_fail(err, ZL_ERR_CORRUPT, "the archive's 64-bit end is said to be at byte %" PRIu64, at);
    } else {
        ZL_TRY(read_at(store, at, bytes, ZL_ZIP_END64_SIZE, err));
        if (!zl_zip_read_end64(bytes, &wide)) return zl_fail(err, ZL_ERR_CORRUPT, "the archive's 64-bit end is damaged");
    }
    wide.at = at;
    *end = wide;
    return ZL_OK;
}

/* Where the archive begins: offsets count from there. Something may stand in front of it, such as a program that unpacks
 * it; then the directory is where it must end, right before its end record. */
static zl_status find_start(const zl_zip_store *store, const zl_zip_end *end, uint64_t *start, zl_error *err) {
    uint64_t needed;
    if (!zl_add_u64(end->offset, end->size, &needed) || needed > end->at) {
        return zl_fail(err, ZL_ERR_CORRUPT,
                       "the directory, %" PRIu64 " bytes from byte %" PRIu64
                       " on, is not before the archive's end at %" PRIu64,
                       end->size, end->offset, end->at);
    }
    *start = 0;
    if (needed == end->at || end->size < 4) return ZL_OK;
    static const uint8_t signature[] = {'P', 'K', 1, 2};
    uint8_t bytes[4];
    ZL_TRY(read_at(store, end->offset, bytes, sizeof bytes, err));
    if (memcmp(bytes, signature, sizeof bytes) != 0) *start = end->at - needed;
    return ZL_OK;
}

/* ---- entries */

/* A name as a key in `out`, which has room for one byte more than the name. False: it names no object. */
static bool make_key(zl_span name, char *out) {
    const char *at = (const char *)name.data, *const end = at + name.size;
    char *to = out;
    if (name.size == 0 || *at == '/' || end[-1] == '/' || memchr(at, '\0', name.size) != NULL) return false;
    while (at < end) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        const size_t size = (size_t)((slash != NULL ? slash : end) - at);
        if (size == 2 && memcmp(at, "..", 2) == 0) return false;
        if (size > 0 && !(size == 1 && *at == '.')) {
            if (to != out) *to++ = '/';
            memcpy(to, at, size);
            to += size;
        }
        at += size + (slash != NULL);
    }
    *to = '\0';
    return to != out && zl_utf8_valid(out, (size_t)(to - out));
}

static zl_status add_entry(zl_zip_store *store, zl_zip_entry *entry, zl_span name, uint64_t start, char *key,
                           zl_error *err) {
    if (!make_key(name, key)) return ZL_OK;
    if (!zl_add_u64(entry->header, start, &entry->header) || entry->header > store->size) {
        return zl_fail(err, ZL_ERR_CORRUPT, "%s: is said to be at byte %" PRIu64 " of %" PRIu64, key, entry->header,
                       store->size);
    }
    if (entry->method == ZL_ZIP_DEFLATED && entry->size > LARGE) store->inflates = true;
    return zl_zip_list(store, key, entry, NULL, err);
}

/* Old writers count modulo 65536, so the directory's size decides where it ends; behind its entries may be a signature. */
static zl_status add_entries(zl_zip_store *store, zl_span directory, uint64_t count, uint64_t start, zl_error *err) {
    const size_t key_size = 65536; /* names have at most 65535 bytes */
    char *key = zl_alloc(&store->allocator, key_size, 1);
    if (key == NULL) return zl_fail_memory(err, key_size);
    zl_status status = ZL_OK;
    for (uint64_t i = 0; directory.size > 0 && status == ZL_OK; i++) {
        zl_zip_entry entry;
        zl_span name;
        if (zl_zip_next_entry(&directory, &entry, &name)) {
            status = add_entry(store, &entry, name, start, key, err);
        } else if (i < count) {
            status = zl_fail(err, ZL_ERR_CORRUPT, "entry %" PRIu64 " of the archive's directory is damaged", i);
        } else {
            break;
        }
    }
    zl_free(&store->allocator, key, key_size);
    return status;
}

zl_status zl_zip_read_directory(zl_zip_store *store, zl_error *err) {
    zl_zip_end end;
    uint64_t start = 0;
    ZL_TRY(find_end(store, &end, err));
    if (end.is_64) ZL_TRY(read_end64(store, &end, err));
    ZL_TRY(find_start(store, &end, &start, err));
    if (end.size > SIZE_MAX) return zl_fail_memory(err, end.size);
    const size_t size = (size_t)end.size; /* within the file */
    uint8_t *bytes = zl_alloc(&store->allocator, size + 1, 1);
    if (bytes == NULL) return zl_fail_memory(err, size);
    zl_status status = read_at(store, start + end.offset, bytes, size, err);
    if (status == ZL_OK) status = add_entries(store, (zl_span){bytes, size}, end.count, start, err);
    zl_free(&store->allocator, bytes, size + 1);
    return status;
}
