/* SPDX-License-Identifier: MIT */
/*
 * What the file store needs of the operating system; file_posix*.c is the only implementation.
 *
 * Functions return 0 or an errno code, and the caller makes the message. Keys and prefixes are checked before: relative,
 * without empty, "." or ".." parts. Unless `follow` is set no symbolic link below the root is followed, anywhere in a key,
 * and one in the way is ELOOP. File handles are closed by the caller; none survives exec.
 */
#ifndef ZL_STORE_FILE_OS_H
#define ZL_STORE_FILE_OS_H

#include <stdatomic.h>

#include "base/base.h"

/* An opened root folder. It stays the same folder when its path is renamed or replaced. */
typedef struct zl_fs {
    int root;
    bool follow;      /* symbolic links below the root */
    bool sync;        /* a change is on the disk before it is reported done */
    atomic_bool walk; /* the system has no call that resolves a whole path below a folder, so go part by part */
    uint64_t seed;    /* of temporary names */
    atomic_uint_fast64_t counter;
} zl_fs;

typedef enum zl_fs_kind { ZL_FS_FILE, ZL_FS_DIRECTORY, ZL_FS_LINK, ZL_FS_OTHER } zl_fs_kind;
typedef struct zl_fs_stat {
    zl_fs_kind kind;
    uint32_t mode; /* permission bits */
    zl_object_info info;
} zl_fs_stat;

/* Opens the folder; `create` makes it and its parents where missing. */
int zl_fs_open(zl_fs *fs, const char *path, const zl_file_store_options *options);
void zl_fs_close(zl_fs *fs);

/* Opens what stands under `key` for reading, whatever its kind. */
int zl_fs_open_file(zl_fs *fs, const char *key, int *file, zl_fs_stat *stat);
void zl_fs_close_file(int file);
/* Reads exactly `size` bytes from `offset` on; fewer are there where *done < size. */
int zl_fs_read(int file, void *into, size_t size, uint64_t offset, size_t *done);

/* A key's folder, opened, and the last part of the key (lent by it). */
typedef struct zl_fs_place {
    int folder;
    const char *name;
} zl_fs_place;
/* `create` makes missing folders. */
int zl_fs_find(zl_fs *fs, const char *key, bool create, zl_fs_place *out);
void zl_fs_leave(const zl_fs *fs, zl_fs_place *place);
/* With `follow` a link counts as what it leads to. */
int zl_fs_stat_at(const zl_fs *fs, const zl_fs_place *place, zl_fs_stat *out);
/* Waits until the names in the place's folder are on the disk; nothing to do unless fs->sync. */
int zl_fs_sync_place(const zl_fs *fs, const zl_fs_place *place);

/* The right to replace or remove what stands at a place, among all threads and processes that ask for it. Hold it for a
 * few system calls at most, and only one at a time. */
typedef struct zl_fs_lock {
    int file;        /* -1: it cannot be locked here, so nobody is kept away */
    zl_fs_stat stat; /* what stands there */
} zl_fs_lock;
/* Waits for others. ENOENT: nothing stands there, and only zl_fs_temporary_create may change that. EBUSY: others change it
 * all the time. */
int zl_fs_lock_take(const zl_fs *fs, const zl_fs_place *place, zl_fs_lock *out);
void zl_fs_lock_give(zl_fs_lock *lock);
/* Removes a file or a link. Under the lock. */
int zl_fs_unlink(const zl_fs_place *place);

/* A new file beside a place, under a name of its own until it takes the place. Ended by a successful replace or create,
 * otherwise by abort. */
#define ZL_FS_TEMPORARY_SIZE 40
typedef struct zl_fs_temporary {
    int file; /* -1: finished */
    char name[ZL_FS_TEMPORARY_SIZE];
} zl_fs_temporary;
/* Permissions are those of `like`, or by the umask where it is NULL. */
int zl_fs_temporary_new(zl_fs *fs, const zl_fs_place *place, const zl_fs_stat *like, zl_fs_temporary *out);
/* Appends all spans. */
int zl_fs_write(int file, const zl_span *spans, size_t count);
/* All is written: checks that it arrived. */
int zl_fs_temporary_finish(const zl_fs *fs, zl_fs_temporary *temporary);
/* Gives a finished one the permissions of `like`. */
int zl_fs_temporary_match(const zl_fs_place *place, const zl_fs_temporary *temporary, const zl_fs_stat *like);
/* A finished one takes the place of what stands there. Under the lock. */
int zl_fs_temporary_replace(const zl_fs_place *place, const zl_fs_temporary *temporary);
/* A finished one takes a free place. EEXIST: somebody was faster. */
int zl_fs_temporary_create(const zl_fs *fs, const zl_fs_place *place, const zl_fs_temporary *temporary);
void zl_fs_temporary_abort(const zl_fs_place *place, zl_fs_temporary *temporary);
/* Is it the name of a temporary file, of any process? */
bool zl_fs_is_temporary(const char *name);

/* Opens a folder for listing; "" is the root. */
int zl_fs_open_folder(zl_fs *fs, const char *prefix, int *folder);
/* Files and folders of one level ("" is the root); other kinds, and links unless followed, are left out. */
int zl_fs_list(zl_fs *fs, const char *prefix, zl_list_fn each, void *user);
/* Removes everything below `prefix`, and the folder itself unless that is the root; takes no locks. Links are removed,
 * never followed. A file under that name stays. ENOENT: nothing there. */
int zl_fs_remove_tree(zl_fs *fs, const char *prefix);

#endif
