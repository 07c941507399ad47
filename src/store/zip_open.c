/* SPDX-License-Identifier: MIT */
/* The directory of an archive: what of its entries are objects. */
#include "store/zip_handle.h"

/* From this size on it matters that a part of a deflated object cannot be had alone. */
#define LARGE (64 * ZL_KIB)

#define NAME_MAX_SIZE 65535 /* the format's */

/* A name as a key in `out`, which has room for one byte more than the name. False: it names no object. Backslashes and
 * drive letters are what they are in other keys, plain characters: nothing is unpacked to where they would mean more. */
static bool make_key(const char *name, char *out) {
    const size_t name_size = strlen(name);
    const char *at = name, *const end = at + name_size;
    char *to = out;
    if (name_size == 0 || name_size > NAME_MAX_SIZE || *at == '/' || end[-1] == '/') return false;
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

bool zl_zip_describe(zip_t *zip, uint64_t number, zl_zip_object *out) {
    zip_stat_t stat;
    const zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip, number, ZIP_FL_ENC_RAW, &stat) != 0 || (stat.valid & needed) != needed) return false;
    *out = (zl_zip_object){
        .entry = {.stored = stat.comp_size, .size = stat.size, .crc = stat.crc, .method = stat.comp_method},
        .place = number,
        .encrypted = stat.encryption_method != ZIP_EM_NONE,
    };
    return true;
}

static zl_status add_entry(zl_zip_store *store, zip_t *zip, uint64_t number, char *key, zl_error *err) {
    zl_zip_object object;
    const char *name = zip_get_name(zip, number, ZIP_FL_ENC_RAW);
    if (name == NULL) return zl_zip_fail(err, zip_get_error(zip), "a name in the archive's directory");
    if (!make_key(name, key)) return ZL_OK;
    if (!zl_zip_describe(zip, number, &object)) return zl_zip_fail(err, zip_get_error(zip), key);
    if (object.entry.method == ZL_ZIP_DEFLATED && object.entry.size > LARGE) store->inflates = true;
    return zl_zip_list(store, key, &object, NULL, err);
}

static zl_status add_entries(zl_zip_store *store, zip_t *zip, zl_error *err) {
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    char *key = zl_alloc(&store->allocator, NAME_MAX_SIZE + 1, 1);
    if (key == NULL) return zl_fail_memory(err, NAME_MAX_SIZE + 1);
    zl_status status = ZL_OK;
    for (zip_int64_t i = 0; i < count && status == ZL_OK; i++)
        status = add_entry(store, zip, (uint64_t)i, key, err);
    zl_free(&store->allocator, key, NAME_MAX_SIZE + 1);
    return status;
}

zl_status zl_zip_read_directory(zl_zip_store *store, zl_error *err) {
    zl_zip_handle *handle;
    /* For libzip an empty file is an empty archive; it is one whose writer did not get far. */
    if (store->size == 0) return zl_fail(err, ZL_ERR_CORRUPT, "not a ZIP archive: the file is empty");
    ZL_TRY(zl_zip_take(store, &handle, err));
    const zl_status status = add_entries(store, handle->zip, err);
    zl_zip_give(store, handle);
    return status;
}
