/* SPDX-License-Identifier: MIT */
/*
 * A folder as a store: keys are paths below it, regular files are objects.
 *
 * An object is replaced whole, by a temporary file that is renamed. Where links are followed, a link under the key itself
 * is replaced too, not the file it leads to. Sets and erases of one key are one after the other among all zarrlite
 * processes on the machine, and a condition is checked in the same step as the change: file_posix_change.c says how, and
 * where that does not hold. Erasing leaves the folders above an object, so that writers never find theirs gone; only
 * erase_prefix removes folders, and a set that this hits makes them again.
 *
 * All state is immutable but a counter of temporary names and a guess, so any number of threads works without a lock.
 */
#include "store/file_os.h"
#include "store/store.h"
#include "store/support.h"

#include <errno.h>

typedef struct file_store {
    zl_fs fs;
    zl_allocator allocator;
    bool read_only;
    atomic_bool finds_objects; /* the last set found an object in its place */
} file_store;

/* ---- errors */

/* ENOENT is NOT_FOUND without a message: for readers a missing object, for writers a folder that vanished. */
static zl_status fail_key(const file_store *store, zl_error *err, int code, const char *doing, const char *key) {
    if (code == ENOENT) return ZL_ERR_NOT_FOUND;
    if (code == EBUSY)
        return zl_fail_os(err, ZL_ERR_CONFLICT, code, "cannot %s %s: others change it all the time", doing, key);
    if (code == ENOMEM) return zl_fail_os(err, ZL_ERR_NO_MEMORY, code, "cannot %s %s", doing, key);
    if (code == ELOOP && !store->fs.follow)
        return zl_fail_os(err, ZL_ERR_IO, code, "cannot %s %s: a symbolic link is in its path, and links are not followed",
                          doing, key);
    return zl_fail_os(err, ZL_ERR_IO, code, "cannot %s %s", doing, key);
}

/* The same for readers, to whom a file where the key has a folder means that the object is missing. */
static zl_status fail_read(const file_store *store, zl_error *err, int code, const char *doing, const char *key) {
    return fail_key(store, err, code == ENOTDIR ? ENOENT : code, doing, key);
}

static zl_status check_kind(const zl_fs_stat *stat, const char *key, zl_error *err) {
    switch (stat->kind) {
    case ZL_FS_FILE: return ZL_OK;
    case ZL_FS_DIRECTORY: return zl_fail(err, ZL_ERR_IO, "%s is a directory, not an object", key);
    case ZL_FS_LINK: return zl_fail(err, ZL_ERR_IO, "%s is a symbolic link, and links are not followed", key);
    case ZL_FS_OTHER: break;
    }
    return zl_fail(err, ZL_ERR_IO, "%s is neither a file nor a directory", key);
}

static zl_status check_change(const file_store *store, const char *doing, const char *key, const zl_store_call *call) {
    if (store->read_only) return zl_fail(call->err, ZL_ERR_READ_ONLY, "cannot %s %s: the store is read-only", doing, key);
    if (zl_cancelled(call->cancel)) return zl_fail(call->err, ZL_ERR_CANCELLED, "cancelled before %s", key);
    return ZL_OK;
}

/* ---- reading */

static zl_status read_range(int file, const char *key, zl_request *request, uint64_t size, const zl_store_call *call) {
    zl_range range;
    ZL_TRY(zl_request_resolve(request, size, key, &range, call->err));
    const size_t length = (size_t)range.length; /* within `cap` */
    uint8_t *into = request->into;
    if (into != NULL)
        request->bytes = (zl_bytes){into, length, NULL, NULL};
    else
        into = zl_bytes_new(&request->bytes, length, call->allocator, call->err);
    if (into == NULL) return ZL_ERR_NO_MEMORY;
    size_t done;
    const int code = zl_fs_read(file, into, length, range.offset, &done);
    if (code != 0) return zl_fail_os(call->err, ZL_ERR_IO, code, "cannot read %s", key);
    if (done < length)
        return zl_fail(call->err, ZL_ERR_CONFLICT, "%s became shorter than its %llu bytes while it was read", key,
                       (unsigned long long)size);
    return ZL_OK;
}

static zl_status read_object(int file, const zl_fs_stat *stat, const char *key, zl_request *requests, size_t count,
                             const zl_condition *condition, const zl_store_call *call) {
    ZL_TRY(check_kind(stat, key, call->err));
    ZL_TRY(zl_condition_check(condition, &stat->info.generation, key, call->err));
    for (size_t i = 0; i < count; i++) {
        if (zl_cancelled(call->cancel)) return zl_fail(call->err, ZL_ERR_CANCELLED, "cancelled before %s", key);
        ZL_TRY(read_range(file, key, &requests[i], stat->info.size, call));
    }
    return ZL_OK;
}

static zl_status file_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                          zl_object_info *info, const zl_store_call *call) {
    file_store *store = self;
    zl_requests_init(requests, count);
    int file;
    zl_fs_stat stat;
    const int code = zl_fs_open_file(&store->fs, key, &file, &stat);
    if (code == ENOENT || code == ENOTDIR) return zl_condition_missing(condition, key, call->err);
    if (code != 0) return fail_key(store, call->err, code, "open", key);
    if (info != NULL && stat.kind == ZL_FS_FILE) *info = stat.info;
    const zl_status status = read_object(file, &stat, key, requests, count, condition, call);
    if (status != ZL_OK) zl_requests_release(requests, count);
    zl_fs_close_file(file);
    return status;
}

/* NOT_FOUND without message. */
static zl_status stat_place(const file_store *store, const zl_fs_place *place, const char *key, zl_fs_stat *out,
                            zl_error *err) {
    const int code = zl_fs_stat_at(&store->fs, place, out);
    return code == 0 ? check_kind(out, key, err) : fail_read(store, err, code, "look up", key);
}

static zl_status file_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    file_store *store = self;
    zl_fs_place place;
    const int code = zl_fs_find(&store->fs, key, false, &place);
    if (code != 0) return fail_read(store, call->err, code, "look up", key);
    zl_fs_stat stat;
    const zl_status status = stat_place(store, &place, key, &stat, call->err);
    if (status == ZL_OK) *info = stat.info;
    zl_fs_leave(&store->fs, &place);
    return status;
}

/* ---- writing */

/* An object on its way: a zl_put. */
typedef struct file_put {
    file_store *store;
    const char *key; /* borrowed for a set; behind the struct for a put */
    size_t size;     /* of the allocation */
    zl_fs_place place;
    bool guess;   /* take the place for free without a look, where that is likely */
    bool is_free; /* nothing stood there when it was last looked at, or is guessed to stand there */
    zl_fs_temporary temporary;
} file_put;

/* What stands in the place: *there, or nothing (put->is_free). Not everything can be replaced. */
static zl_status look_at_place(file_put *put, const zl_condition *condition, zl_fs_stat *there, zl_error *err) {
    const zl_status status = stat_place(put->store, &put->place, put->key, there, err);
    put->is_free = status == ZL_ERR_NOT_FOUND;
    if (status != ZL_OK && !put->is_free) return status;
    atomic_store_explicit(&put->store->finds_objects, !put->is_free, memory_order_relaxed);
    return zl_condition_check(condition, put->is_free ? NULL : &there->info.generation, put->key, err);
}

/* To look for a file that is not there takes as long as to make a small one, and keeps other threads from making theirs in
 * the same folder. So while the places of sets turn out to be free, the next one is not looked at: commit finds out. */
static bool may_guess(const file_put *put, const zl_condition *condition) {
    const file_store *store = put->store;
    return put->guess && condition == NULL && !store->fs.sync &&
           !atomic_load_explicit(&store->finds_objects, memory_order_relaxed);
}

/* NOT_FOUND here and in commit: a folder above the object vanished meanwhile. */
static zl_status begin_writing(file_put *put, const zl_condition *condition, zl_error *err) {
    file_store *store = put->store;
    int code = zl_fs_find(&store->fs, put->key, true, &put->place);
    if (code != 0) return fail_key(store, err, code, "make the folder of", put->key);
    zl_fs_stat there;
    zl_status status = ZL_OK;
    put->guess = may_guess(put, condition);
    put->is_free = put->guess;
    if (!put->guess) status = look_at_place(put, condition, &there, err); /* what cannot succeed is not written at all */
    if (status == ZL_OK) {
        code = zl_fs_temporary_new(&store->fs, &put->place, put->is_free ? NULL : &there, &put->temporary);
        if (code != 0) status = fail_key(store, err, code, "make a temporary file for", put->key);
    }
    if (status != ZL_OK) zl_fs_leave(&store->fs, &put->place);
    return status;
}

static zl_status append_spans(file_put *put, const zl_span *spans, size_t count, zl_error *err) {
    const int code = zl_fs_write(put->temporary.file, spans, count);
    return code == 0 ? ZL_OK : zl_fail_os(err, ZL_ERR_IO, code, "cannot write %s", put->key);
}

static void abort_writing(file_put *put) {
    zl_fs_temporary_abort(&put->place, &put->temporary);
    zl_fs_leave(&put->store->fs, &put->place);
}

/* With the place locked: what stands there, and the condition. */
static zl_status check_place(const zl_fs_lock *lock, const char *key, const zl_condition *condition, zl_error *err) {
    ZL_TRY(check_kind(&lock->stat, key, err));
    return zl_condition_check(condition, &lock->stat.info.generation, key, err);
}

/* The guess was wrong: now for the look that was left out. */
static int give_up_guess(file_put *put, zl_status *status, zl_error *err) {
    zl_fs_stat there;
    put->guess = false;
    *status = look_at_place(put, NULL, &there, err);
    if (*status != ZL_OK || put->is_free) return EAGAIN;
    const int code = zl_fs_temporary_match(&put->place, &put->temporary, &there);
    return code == 0 ? EAGAIN : code;
}

/* Puts the finished temporary into a free place, or in place of what stands there; both return EAGAIN when it is the other
 * way round. What is wrong with the place itself is in *status. */
static int take_free_place(file_put *put, const zl_condition *condition, zl_status *status, zl_error *err) {
    *status = zl_condition_check(condition, NULL, put->key, err);
    if (*status != ZL_OK) return 0;
    const int code = zl_fs_temporary_create(&put->store->fs, &put->place, &put->temporary);
    put->is_free = code != EEXIST;
    if (put->is_free) return code;
    return put->guess ? give_up_guess(put, status, err) : EAGAIN;
}

static int take_over_place(file_put *put, const zl_condition *condition, zl_status *status, zl_error *err) {
    zl_fs_lock lock;
    int code = zl_fs_lock_take(&put->store->fs, &put->place, &lock);
    put->is_free = code == ENOENT;
    if (code != 0) return put->is_free ? EAGAIN : code;
    *status = check_place(&lock, put->key, condition, err);
    if (*status == ZL_OK) code = zl_fs_temporary_replace(&put->place, &put->temporary);
    zl_fs_lock_give(&lock);
    return code;
}

static zl_status take_place(file_put *put, const zl_condition *condition, zl_error *err) {
    enum { ATTEMPTS = 1000 }; /* for each that fails others have made or erased the object */
    zl_status status = ZL_OK;
    int code = EAGAIN;
    for (int i = 0; i < ATTEMPTS && code == EAGAIN && status == ZL_OK; i++)
        code = put->is_free ? take_free_place(put, condition, &status, err) : take_over_place(put, condition, &status, err);
    ZL_TRY(status);
    return code == 0 ? ZL_OK : fail_key(put->store, err, code == EAGAIN ? EBUSY : code, "replace", put->key);
}

/* Ends the writing in any case. */
static zl_status commit_writing(file_put *put, const zl_condition *condition, zl_error *err) {
    const file_store *store = put->store;
    int code = zl_fs_temporary_finish(&store->fs, &put->temporary);
    zl_status status = code == 0 ? ZL_OK : fail_key(store, err, code, "write", put->key);
    if (status == ZL_OK) status = take_place(put, condition, err);
    if (status != ZL_OK) {
        abort_writing(put);
        return status;
    }
    code = zl_fs_sync_place(&store->fs, &put->place);
    zl_fs_leave(&store->fs, &put->place);
    return code == 0 ? ZL_OK : fail_key(store, err, code, "sync the folder of", put->key);
}

static zl_status write_object(file_put *put, const zl_span *spans, size_t count, const zl_condition *condition,
                              zl_error *err) {
    ZL_TRY(begin_writing(put, condition, err));
    const zl_status status = append_spans(put, spans, count, err);
    if (status == ZL_OK) return commit_writing(put, condition, err);
    abort_writing(put);
    return status;
}

static zl_status fail_vanished(const char *key, zl_error *err) {
    return zl_fail(err, ZL_ERR_CONFLICT, "the folder of %s is removed by another writer while it is written", key);
}

static zl_status file_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                          const zl_store_call *call) {
    enum { ATTEMPTS = 16 };
    ZL_TRY(check_change(self, "set", key, call));
    file_put put = {.store = self, .key = key, .guess = true};
    zl_status status = ZL_ERR_NOT_FOUND;
    for (int i = 0; i < ATTEMPTS && status == ZL_ERR_NOT_FOUND; i++)
        status = write_object(&put, spans, count, condition, call->err);
    return status == ZL_ERR_NOT_FOUND ? fail_vanished(key, call->err) : status;
}

static zl_status file_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call) {
    file_store *store = self;
    ZL_TRY(check_change(store, "set", key, call));
    const size_t key_size = strlen(key) + 1;
    file_put *put = zl_alloc_zero(&store->allocator, sizeof *put + key_size, _Alignof(file_put));
    if (put == NULL) return zl_fail_memory(call->err, sizeof *put + key_size);
    char *own_key = memcpy(put + 1, key, key_size);
    *put = (file_put){.store = store, .key = own_key, .size = sizeof *put + key_size};
    const zl_status status = begin_writing(put, NULL, call->err);
    if (status == ZL_OK) {
        *out = (zl_put *)put;
        return ZL_OK;
    }
    zl_free(&store->allocator, put, put->size);
    return status == ZL_ERR_NOT_FOUND ? fail_vanished(key, call->err) : status;
}

static zl_status file_put_append(zl_put *handle, const zl_span *spans, size_t count, const zl_store_call *call) {
    file_put *put = (file_put *)handle;
    ZL_TRY(check_change(put->store, "set", put->key, call));
    return append_spans(put, spans, count, call->err);
}

static zl_status file_put_commit(zl_put *handle, const zl_condition *condition, const zl_store_call *call) {
    file_put *put = (file_put *)handle;
    zl_status status = commit_writing(put, condition, call->err);
    if (status == ZL_ERR_NOT_FOUND) status = fail_vanished(put->key, call->err);
    zl_free(&put->store->allocator, put, put->size);
    return status;
}

static void file_put_abort(zl_put *handle) {
    file_put *put = (file_put *)handle;
    abort_writing(put);
    zl_free(&put->store->allocator, put, put->size);
}

/* ---- erasing */

static zl_status erase_place(const file_store *store, const zl_fs_place *place, const char *key,
                             const zl_condition *condition, zl_error *err) {
    zl_fs_stat now;
    zl_status status = stat_place(store, place, key, &now, err); /* nothing but a file is opened for the lock */
    if (status == ZL_ERR_NOT_FOUND) return zl_condition_missing(condition, key, err);
    ZL_TRY(status);
    zl_fs_lock lock;
    int code = zl_fs_lock_take(&store->fs, place, &lock);
    if (code == ENOENT) return zl_condition_missing(condition, key, err);
    if (code != 0) return fail_read(store, err, code, "erase", key);
    status = check_place(&lock, key, condition, err);
    if (status == ZL_OK) code = zl_fs_unlink(place);
    zl_fs_lock_give(&lock);
    ZL_TRY(status);
    if (code == 0) code = zl_fs_sync_place(&store->fs, place);
    return code == 0 ? ZL_OK : fail_read(store, err, code, "erase", key);
}

static zl_status file_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call) {
    file_store *store = self;
    ZL_TRY(check_change(store, "erase", key, call));
    zl_fs_place place;
    const int code = zl_fs_find(&store->fs, key, false, &place);
    if (code == ENOENT || code == ENOTDIR) return zl_condition_missing(condition, key, call->err);
    if (code != 0) return fail_key(store, call->err, code, "erase", key);
    const zl_status status = erase_place(store, &place, key, condition, call->err);
    zl_fs_leave(&store->fs, &place);
    return status;
}

static zl_status file_erase_prefix(void *self, const char *prefix, const zl_store_call *call) {
    file_store *store = self;
    ZL_TRY(check_change(store, "erase", prefix[0] == '\0' ? "all" : prefix, call));
    const int code = zl_fs_remove_tree(&store->fs, prefix);
    if (code == 0 || code == ENOENT || code == ENOTDIR) return ZL_OK;
    return fail_key(store, call->err, code, "erase all of", prefix);
}

/* ---- listing */

typedef struct listing {
    zl_list_fn each;
    void *user;
    bool any;
} listing;

static bool list_name(void *user, const char *name, bool is_prefix) {
    listing *list = user;
    if (zl_fs_is_temporary(name) || !zl_utf8_valid(name, strlen(name))) return true;
    list->any = true;
    return list->each(list->user, name, is_prefix);
}

static zl_status file_list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    file_store *store = self;
    listing list = {each, user, false};
    const int code = zl_fs_list(&store->fs, prefix, list_name, &list);
    if (code != 0) return fail_read(store, call->err, code, "list", prefix[0] == '\0' ? "the root" : prefix);
    return list.any ? ZL_OK : ZL_ERR_NOT_FOUND;
}

/* ---- opening and closing */

static zl_status file_close(void *self, zl_error *err) {
    (void)err;
    file_store *store = self;
    zl_fs_close(&store->fs);
    const zl_allocator allocator = store->allocator;
    ZL_DELETE(&allocator, store);
    return ZL_OK;
}

static zl_status fail_open(int code, const char *path, zl_error *err) {
    if (code == ENOTDIR) return zl_fail(err, ZL_ERR_IO, "%s is not a directory", path);
    const zl_status status = code == ENOENT ? ZL_ERR_NOT_FOUND : code == ENOMEM ? ZL_ERR_NO_MEMORY : ZL_ERR_IO;
    return zl_fail_os(err, status, code, "cannot open the directory %s", path);
}

zl_status zl_store_file_new(void **self, const char *path, const zl_file_store_options *options,
                            const zl_allocator *allocator, zl_error *err) {
    if (path == NULL || path[0] == '\0') return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "the path of a file store is empty");
    zl_file_store_options set;
    ZL_TRY(zl_options_copy(&set, sizeof set, options, "zl_file_store_options", err));
    file_store *store = ZL_NEW(allocator, file_store);
    if (store == NULL) return zl_fail_memory(err, sizeof *store);
    store->allocator = *allocator;
    store->read_only = set.read_only;
    atomic_init(&store->finds_objects, false);
    set.create = set.create && !set.read_only; /* making the folder would be a change */
    const int code = zl_fs_open(&store->fs, path, &set);
    if (code != 0) {
        ZL_DELETE(allocator, store);
        return fail_open(code, path, err);
    }
    *self = store;
    return ZL_OK;
}

const zl_store_class zl_store_file = {
    .size = sizeof(zl_store_class),
    .name = "file",
    .caps = ZL_STORE_WRITE | ZL_STORE_RANGE | ZL_STORE_SHARED | ZL_STORE_CONDITIONAL | ZL_STORE_CONDITIONAL_ERASE,
    .get = file_get,
    .set = file_set,
    .erase = file_erase,
    .info = file_info,
    .list = file_list,
    .erase_prefix = file_erase_prefix,
    .put_begin = file_put_begin,
    .put_append = file_put_append,
    .put_commit = file_put_commit,
    .put_abort = file_put_abort,
    .close = file_close,
};
