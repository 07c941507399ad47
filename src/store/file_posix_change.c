/* SPDX-License-Identifier: MIT */
/*
 * How files are replaced and removed on POSIX systems: a new one is written under a temporary name in the same folder,
 * closed with a check, and then takes its place by one system call. Files that have a name are never written to.
 *
 * Changes of one name do not overtake each other, in all threads and processes that keep two rules:
 *
 *   1. A free place is taken by a call that fails where something stands there (zl_fs_temporary_create).
 *   2. A file is replaced or removed only by who holds the lock on this very file (flock, on the inode), and has seen
 *      after getting it that the name still leads to this file (zl_fs_lock_take).
 *
 * Say that somebody holds the lock by rule 2. Then the name leads to the locked file until the holder changes that: others
 * must hold the same lock to replace or remove it, and must find a free place to create. The file's generation stays too,
 * as nobody writes to it. So a condition that is checked under the lock still holds when the change is made, and a check
 * for "nothing there" is part of rule 1's call. Who waited for the lock of a file that was replaced meanwhile sees another
 * file under the name and starts again with that one. Inodes cannot be mistaken: the number of one that is open is not
 * given to another. A folder can be removed only when it is empty; every change through a handle on the removed folder
 * then fails, so a folder of the same name made later has the only writers. One lock is held at a time, and nothing is
 * waited for while it is held: no deadlock. The kernel gives back the locks of a process that dies.
 *
 * Not kept away: programs that write without these locks, and the removal of whole trees (zl_fs_remove_tree). File systems
 * without flock have rule 1 alone; those without an exclusive rename and hard links, nothing of this. Two machines
 * may see an old state of a network file system, even where locks work.
 */
#define _GNU_SOURCE 1 /* SYS_renameat2 */
#include "store/file_posix.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* ---- the disk */

static int sync_file(int file) {
    int done;
    do {
#if defined(F_FULLFSYNC) /* fsync leaves the data in the disk's own memory there */
        done = fcntl(file, F_FULLFSYNC);
        if (done < 0 && errno != EINTR) done = fsync(file);
#else
        done = fsync(file);
#endif
    } while (done < 0 && errno == EINTR);
    return done < 0 ? errno : 0;
}

int zl_posix_sync_at(const zl_fs *fs, int folder, const char *path) {
    if (!fs->sync) return 0;
    int file;
    int code = zl_posix_open_at(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, &file);
    if (code != 0) return code;
    code = sync_file(file);
    close(file);
    return code == EINVAL || code == ENOTSUP ? 0 : code; /* folders need no sync there, or have none */
}

int zl_fs_sync_place(const zl_fs *fs, const zl_fs_place *place) {
    return zl_posix_sync_folder(fs, place->folder);
}

/* ---- temporary files */

#define TEMPORARY_PREFIX ".zarrlite-"
#define TEMPORARY_SUFFIX ".tmp"

bool zl_fs_is_temporary(const char *name) {
    const size_t size = strlen(name);
    const size_t suffix = sizeof TEMPORARY_SUFFIX - 1;
    return strncmp(name, TEMPORARY_PREFIX, sizeof TEMPORARY_PREFIX - 1) == 0 && size >= suffix &&
           strcmp(name + size - suffix, TEMPORARY_SUFFIX) == 0;
}

void zl_posix_temporary_name(zl_fs *fs, char name[ZL_FS_TEMPORARY_SIZE]) {
    const uint64_t process = zl_posix_mix(fs->seed, (uint64_t)getpid()); /* a forked one has the same seed and counter */
    const uint64_t number = zl_posix_mix(process, atomic_fetch_add(&fs->counter, 1));
    (void)snprintf(name, ZL_FS_TEMPORARY_SIZE, TEMPORARY_PREFIX "%016llx" TEMPORARY_SUFFIX, (unsigned long long)number);
}

static int match_mode(int file, const zl_fs_stat *like) {
    struct stat st;
    if (fstat(file, &st) != 0) return errno;
    if (((uint32_t)st.st_mode & 0777) == like->mode) return 0;
    return fchmod(file, (mode_t)like->mode) == 0 ? 0 : errno;
}

int zl_fs_temporary_new(zl_fs *fs, const zl_fs_place *place, const zl_fs_stat *like, zl_fs_temporary *out) {
    enum { ATTEMPTS = 64 }; /* a name that is taken is a file that a killed process left */
    int code = EEXIST;
    for (int i = 0; i < ATTEMPTS && code == EEXIST; i++) {
        zl_posix_temporary_name(fs, out->name);
        do
            out->file = openat(place->folder, out->name, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0666);
        while (out->file < 0 && errno == EINTR);
        code = out->file < 0 ? errno : 0;
    }
    if (code == 0 && like != NULL) {
        code = match_mode(out->file, like);
        if (code != 0) zl_fs_temporary_abort(place, out);
    }
    return code;
}

/* Fills `vectors` with what follows `skip` bytes of *spans, less than a system call takes at most. */
static int gather(const zl_span *spans, size_t count, size_t skip, struct iovec *vectors, int cap) {
    const size_t most = 1024 * ZL_MIB;
    int used = 0;
    size_t total = 0;
    for (size_t i = 0; i < count && used < cap && total < most; i++, skip = 0) {
        const size_t left = spans[i].size - skip;
        const size_t size = left < most - total ? left : most - total;
        if (size == 0) continue;
        vectors[used++] = (struct iovec){(void *)(uintptr_t)(spans[i].data + skip), size};
        total += size;
    }
    return used;
}

int zl_fs_write(int file, const zl_span *spans, size_t count) {
    struct iovec vectors[64]; /* IOV_MAX is larger everywhere, and more do not make it faster */
    size_t done = 0;          /* bytes of spans[0] that are written */
    for (;;) {
        for (; count > 0 && done >= spans[0].size; spans++, count--)
            done -= spans[0].size;
        if (count == 0) return 0;
        const ssize_t n = writev(file, vectors, gather(spans, count, done, vectors, (int)ZL_COUNT_OF(vectors)));
        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            return EIO;
        else if (errno != EINTR)
            return errno;
    }
}

int zl_fs_temporary_finish(const zl_fs *fs, zl_fs_temporary *temporary) {
    /* A file system's own stamps may be some milliseconds coarse. Not every one takes a time: then it has its own. */
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {0}};
    if (clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)futimens(temporary->file, times);
    int code = fs->sync ? sync_file(temporary->file) : 0;
    /* Closing is where a network file system says that the disk is full. */
    if (close(temporary->file) != 0 && code == 0) code = errno;
    temporary->file = -1;
    return code;
}

int zl_fs_temporary_match(const zl_fs_place *place, const zl_fs_temporary *temporary, const zl_fs_stat *like) {
    return fchmodat(place->folder, temporary->name, (mode_t)like->mode, 0) == 0 ? 0 : errno;
}

void zl_fs_temporary_abort(const zl_fs_place *place, zl_fs_temporary *temporary) {
    if (temporary->file >= 0) close(temporary->file);
    temporary->file = -1;
    (void)unlinkat(place->folder, temporary->name, 0);
}

/* ---- the lock */

/* What systems say where files cannot be locked, beside EBADF. */
static bool means_no_locks(int code) {
    return code == ENOLCK || code == ENOSYS || code == EINVAL || code == ENOTSUP || code == EOPNOTSUPP;
}

static int lock_file(int file) {
    int done;
    do
        done = flock(file, LOCK_EX);
    while (done < 0 && errno == EINTR);
    return done < 0 ? errno : 0;
}

/* Opens and locks what stands there. *out is -1 where it cannot be locked. */
static int open_locked(const zl_fs *fs, const zl_fs_place *place, int *out) {
    /* Network file systems want a file that is open for writing, and say EBADF otherwise. */
    static const int modes[] = {O_RDONLY, O_RDWR};
    int code = EBADF;
    for (size_t i = 0; i < ZL_COUNT_OF(modes) && code == EBADF; i++) {
        const int flags = (ZL_POSIX_READ_FLAGS & ~O_ACCMODE) | modes[i] | (fs->follow ? 0 : O_NOFOLLOW);
        code = zl_posix_open_at(place->folder, place->name, flags, out);
        if (code == EACCES) break; /* a file that we may not read: its folder lets us replace it */
        if (code != 0) return code;
        code = lock_file(*out);
        if (code != 0) close(*out);
    }
    if (code == 0) return 0;
    *out = -1;
    return code == EACCES || code == EBADF || means_no_locks(code) ? 0 : code;
}

/* Is the locked file the one that has the name? */
static bool is_named(int file, const struct stat *named) {
    struct stat st;
    return file < 0 || (fstat(file, &st) == 0 && st.st_dev == named->st_dev && st.st_ino == named->st_ino);
}

int zl_fs_lock_take(const zl_fs *fs, const zl_fs_place *place, zl_fs_lock *out) {
    enum { ATTEMPTS = 1000 }; /* for each that fails another writer has made its change */
    for (int i = 0; i < ATTEMPTS; i++) {
        struct stat named;
        int code = open_locked(fs, place, &out->file);
        if (code != 0) return code;
        if (fstatat(place->folder, place->name, &named, fs->follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) code = errno;
        if (code == 0 && is_named(out->file, &named)) {
            zl_posix_describe(&named, &out->stat);
            return 0;
        }
        zl_fs_lock_give(out);
        if (code != 0) return code;
    }
    return EBUSY;
}

void zl_fs_lock_give(zl_fs_lock *lock) {
    if (lock->file < 0) return;
    /* A process that was forked off meanwhile has the handle too, and closing ours would leave the file locked. */
    (void)flock(lock->file, LOCK_UN);
    close(lock->file);
    lock->file = -1;
}

/* ---- changes */

int zl_fs_unlink(const zl_fs_place *place) {
    return unlinkat(place->folder, place->name, 0) == 0 ? 0 : errno;
}

int zl_fs_temporary_replace(const zl_fs_place *place, const zl_fs_temporary *temporary) {
    return renameat(place->folder, temporary->name, place->folder, place->name) == 0 ? 0 : errno;
}

/* EEXIST; ENOSYS, EPERM or EINVAL where kernel, filter or file system do not offer the call. */
static int rename_exclusive(const zl_fs_place *place, const char *name) {
#if defined(SYS_renameat2)
    const unsigned no_replace = 1; /* RENAME_NOREPLACE, which not every C library names */
    return syscall(SYS_renameat2, place->folder, name, place->folder, place->name, no_replace) == 0 ? 0 : errno;
#else
    (void)place, (void)name;
    return ENOSYS;
#endif
}

/* A link to nothing holds the place as if it were free. */
static bool is_dangling(const zl_fs *fs, const zl_fs_place *place) {
    struct stat st;
    return fs->follow && fstatat(place->folder, place->name, &st, 0) != 0 && errno == ENOENT &&
           fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int zl_fs_temporary_create(const zl_fs *fs, const zl_fs_place *place, const zl_fs_temporary *temporary) {
    int code = rename_exclusive(place, temporary->name);
    if (code == ENOSYS || code == EPERM || code == EINVAL) {
        code = linkat(place->folder, temporary->name, place->folder, place->name, 0) == 0 ? 0 : errno;
        if (code == 0) (void)unlinkat(place->folder, temporary->name, 0);
        if (code == ENOSYS || code == EPERM || code == ENOTSUP || code == EOPNOTSUPP)
            return zl_fs_temporary_replace(place, temporary);
    }
    return code == EEXIST && is_dangling(fs, place) ? zl_fs_temporary_replace(place, temporary) : code;
}
