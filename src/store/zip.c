/* SPDX-License-Identifier: MIT */
/*
 * A ZIP archive as a store: entries are objects, the directory at the archive's end is read once.
 *
 * Archives are read through libzip. They are written here, because libzip keeps what is added until the archive is closed:
 * all of a store would be in memory, or on the disk twice.
 *
 * The last of several entries with one name counts, which is how Python's zipfile replaces an object. Names are made
 * relative and plain ("./a//b" is "a/b"); what then leads outside, is absolute or no UTF-8 is no object, and entries of
 * folders are none.
 *
 * A new archive is written to a temporary file beside its path, which it gets when the store is closed, whole and with its
 * directory, or not at all. Objects are stored as they are: their codecs compress them. What is replaced or erased keeps
 * its place in the file.
 */
#include "store/zip.h"

#include <errno.h>

#include "store/file_os.h"
#include "store/support.h"
#include "store/zip_handle.h"
#include "store/zip_os.h"

/* ---- the list of objects */

bool zl_zip_find(zl_zip_store *store, const char *key, zl_zip_object *out) {
    zl_mutex_lock(&store->mutex);
    const zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    if (node != NULL) *out = *(const zl_zip_object *)node->value;
    zl_mutex_unlock(&store->mutex);
    return node != NULL;
}

static void node_free(zl_zip_store *store, zl_skipnode *node) {
    if (node == NULL) return;
    zl_zip_object *object = node->value;
    if (object != NULL) ZL_DELETE(&store->allocator, object);
    zl_skipnode_free(node, &store->allocator);
}

static zl_status list_locked(zl_zip_store *store, const char *key, const zl_zip_object *added,
                             const zl_condition *condition, zl_error *err) {
    const uint64_t number = ++store->counter;
    zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    zl_zip_object *object = node != NULL ? node->value : NULL;
    ZL_TRY(zl_condition_check(condition, object != NULL ? &object->generation : NULL, key, err));
    if (node == NULL) {
        node = zl_skipnode_new(key, number, &store->allocator);
        if (node == NULL) return zl_fail_memory(err, strlen(key));
        object = ZL_NEW(&store->allocator, zl_zip_object);
        node->value = object;
        if (object == NULL) {
            node_free(store, node);
            return zl_fail_memory(err, sizeof *object);
        }
        zl_skiplist_insert(&store->objects, node);
    }
    *object = *added;
    object->generation = (zl_generation){{number, 0}};
    return ZL_OK;
}

zl_status zl_zip_list(zl_zip_store *store, const char *key, const zl_zip_object *object, const zl_condition *condition,
                      zl_error *err) {
    zl_mutex_lock(&store->mutex);
    const zl_status status = list_locked(store, key, object, condition, err);
    zl_mutex_unlock(&store->mutex);
    return status;
}

static zl_status archive_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    (void)call;
    zl_zip_object object;
    if (!zl_zip_find(self, key, &object)) return ZL_ERR_NOT_FOUND;
    *info = (zl_object_info){object.entry.size, object.generation};
    return ZL_OK;
}

static zl_status archive_list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    zl_zip_store *store = self;
    return zl_names_list(&store->objects, &store->mutex, prefix, each, user, call);
}

zl_status zl_zip_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call) {
    zl_zip_store *store = self;
    zl_skipnode *removed = NULL;
    zl_mutex_lock(&store->mutex);
    zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    const zl_zip_object *object = node != NULL ? node->value : NULL;
    const zl_status status = object == NULL ? zl_condition_missing(condition, key, call->err)
                                            : zl_condition_check(condition, &object->generation, key, call->err);
    if (object != NULL && status == ZL_OK) {
        zl_skiplist_remove(&store->objects, node);
        removed = node;
    }
    zl_mutex_unlock(&store->mutex);
    node_free(store, removed);
    return status;
}

/* ---- opening and closing */

static void store_free(zl_zip_store *store) {
    const zl_allocator allocator = store->allocator;
    for (zl_skipnode *node = store->objects.first[0], *next; node != NULL; node = next) {
        next = node->next[0];
        node_free(store, node);
    }
    if (store->path != NULL) zl_free(&allocator, store->path, strlen(store->path) + 1);
    if (store->temporary != NULL) zl_free(&allocator, store->temporary, strlen(store->temporary) + 1);
    zl_mutex_clear(&store->mutex);
    ZL_DELETE(&allocator, store);
}

static zl_status archive_close(void *self, zl_error *err) {
    zl_zip_store *store = self;
    zl_status status = ZL_OK;
    if (store->temporary != NULL) {
        status = zl_zip_finish(store, err);
    } else {
        zl_zip_end_handles(store);
        zl_fs_close_file(store->file);
    }
    store_free(store);
    return status;
}

static zl_status fail_open(int code, const char *path, zl_error *err) {
    if (code == EISDIR || code == EINVAL) return zl_fail(err, ZL_ERR_IO, "%s is not a file", path);
    const zl_status status = code == ENOENT   ? ZL_ERR_NOT_FOUND
                             : code == EEXIST ? ZL_ERR_EXISTS
                             : code == ENOMEM ? ZL_ERR_NO_MEMORY
                                              : ZL_ERR_IO;
    return zl_fail_os(err, status, code, "cannot open the archive %s", path);
}

static char *join(const char *text, const char *more, const zl_allocator *allocator) {
    const size_t size = strlen(text), more_size = strlen(more) + 1;
    char *joined = zl_alloc(allocator, size + more_size, 1);
    if (joined == NULL) return NULL;
    memcpy(joined, text, size);
    memcpy(joined + size, more, more_size);
    return joined;
}

static zl_status open_existing(zl_zip_store *store, zl_error *err) {
    const int code = zl_zip_open_file(store->path, &store->file, &store->size);
    if (code != 0) return fail_open(code, store->path, err);
    const zl_status status = zl_zip_read_directory(store, err);
    if (status == ZL_OK) return ZL_OK;
    zl_zip_end_handles(store);
    zl_fs_close_file(store->file);
    return status == ZL_ERR_NO_MEMORY ? status : zl_error_wrap(err, status, "%s: ", store->path);
}

/* That the name is taken is said at once, and once more when the archive gets it. */
static zl_status create_new(zl_zip_store *store, zl_error *err) {
    int file;
    uint64_t size;
    if (zl_zip_open_file(store->path, &file, &size) == 0) {
        zl_fs_close_file(file);
        return fail_open(EEXIST, store->path, err);
    }
    store->temporary = join(store->path, ".partial", &store->allocator);
    if (store->temporary == NULL) return zl_fail_memory(err, strlen(store->path));
    const int code = zl_zip_create_file(store->temporary, &store->file);
    return code == 0 ? ZL_OK : fail_open(code, store->temporary, err);
}

zl_status zl_store_zip_new(void **self, const zl_store_class **cls, const char *path, bool create,
                           const zl_allocator *allocator, zl_error *err) {
    if (path == NULL || path[0] == '\0') return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "the path of an archive is empty");
    zl_zip_store *store = ZL_NEW(allocator, zl_zip_store);
    if (store == NULL) return zl_fail_memory(err, sizeof *store);
    store->allocator = *allocator;
    zl_status status = zl_mutex_init(&store->mutex, err);
    if (status != ZL_OK) {
        ZL_DELETE(allocator, store);
        return status;
    }
    store->path = join(path, "", allocator);
    if (store->path == NULL) {
        status = zl_fail_memory(err, strlen(path));
    } else {
        status = create ? create_new(store, err) : open_existing(store, err);
    }
    if (status != ZL_OK) {
        store_free(store);
        return status;
    }
    *self = store;
    *cls = create ? &zl_store_zip_writing : store->inflates ? &zl_store_zip_deflated : &zl_store_zip;
    return ZL_OK;
}

/* ---- the classes */

#define ZIP_CLASS(more_caps)                                                                                     \
    .size = sizeof(zl_store_class), .name = "zip", .caps = (more_caps), .get = zl_zip_get, .info = archive_info, \
    .list = archive_list, .close = archive_close

const zl_store_class zl_store_zip = {ZIP_CLASS(ZL_STORE_RANGE)};
const zl_store_class zl_store_zip_deflated = {ZIP_CLASS(0)};
const zl_store_class zl_store_zip_writing = {
    ZIP_CLASS(ZL_STORE_WRITE | ZL_STORE_RANGE | ZL_STORE_CONDITIONAL | ZL_STORE_CONDITIONAL_ERASE),
    .set = zl_zip_set,
    .erase = zl_zip_erase,
    .put_begin = zl_zip_put_begin,
    .put_append = zl_zip_put_append,
    .put_commit = zl_zip_put_commit,
    .put_abort = zl_zip_put_abort,
};
