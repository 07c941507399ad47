/* SPDX-License-Identifier: MIT */
/*
 * Files and folders of POSIX systems below one root: finding them without following links, reading, replacing.
 *
 * Replacing is a temporary file in the same folder, a checked close and a rename. Nothing is synced to the disk: after a
 * power failure an object is what the file system makes of that sequence (the old or the new one on those in use today).
 *
 * Files are read with pread and never mapped: one that shrinks under a reader is then an error, not a signal.
 */
#define _GNU_SOURCE 1 /* O_PATH */
#include "store/file_os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#if defined(SYS_openat2)
#include <linux/openat2.h>
#endif
#endif

/* Longest path of one call, with its NUL byte. Kernels refuse longer ones too. */
#define PATH_SIZE 4096

/* Only to look up names in: needs no permission to list the folder. */
#if defined(O_PATH)
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)
#elif defined(O_SEARCH)
#define FOLDER_FLAGS (O_SEARCH | O_DIRECTORY | O_CLOEXEC)
#else
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif
/* A pipe without writer must not block, a terminal must not become ours. */
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* ---- finding */

static int open_at(int folder, const char *path, int flags, int *out) {
    do
        *out = openat(folder, path, flags);
    while (*out < 0 && errno == EINTR);
    return *out < 0 ? errno : 0;
}

static bool is_link(int folder, const char *name) {
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static int open_part(const zl_fs *fs, int folder, const char *name, int flags, bool create, int *out) {
    if (!fs->follow) flags |= O_NOFOLLOW;
    int code = open_at(folder, name, flags, out);
    if (code == ENOENT && create) {
        if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST) return errno;
        code = open_at(folder, name, flags, out);
        if (code == ENOENT && is_link(folder, name)) return ENOTDIR; /* a link to nothing, not a folder that vanished */
    }
    /* Systems do not agree on the code for a link that is not followed. */
    return code != 0 && !fs->follow && is_link(folder, name) ? ELOOP : code;
}

/* Opens `path` part by part. `create` makes missing folders; the last part is then one too. */
static int open_walking(const zl_fs *fs, const char *path, int flags, bool create, int *out) {
    char part[PATH_SIZE];
    if (strlen(path) >= sizeof part) return ENAMETOOLONG; /* as for the path in one call */
    int folder = fs->root;
    for (;;) {
        const size_t size = strcspn(path, "/");
        const bool last = path[size] == '\0';
        memcpy(part, path, size);
        part[size] = '\0';
        int next;
        const int code = open_part(fs, folder, part, last ? flags : FOLDER_FLAGS, create, &next);
        if (folder != fs->root) close(folder);
        if (code != 0) return code;
        if (last) {
            *out = next;
            return 0;
        }
        folder = next;
        path += size + 1;
    }
}

/* ENOSYS or EPERM where the kernel or its filter does not offer the call. */
static int open_without_links(int root, const char *path, int flags, int *out) {
#if defined(SYS_openat2)
    const struct open_how how = {.flags = (uint64_t)flags,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long file;
    do
        file = syscall(SYS_openat2, root, path, &how, sizeof how);
    while (file < 0 && errno == EINTR);
    *out = (int)file;
    return file < 0 ? errno : 0;
#else
    (void)root, (void)path, (void)flags, (void)out;
    return ENOSYS;
#endif
}

/* Opens `path` below the root. */
static int open_below(zl_fs *fs, const char *path, int flags, int *out) {
    if (fs->follow) return open_at(fs->root, path, flags, out);
    if (!atomic_load_explicit(&fs->walk, memory_order_relaxed)) {
        const int code = open_without_links(fs->root, path, flags, out);
        if (code != ENOSYS && code != EPERM) return code;
        atomic_store_explicit(&fs->walk, true, memory_order_relaxed);
    }
    return open_walking(fs, path, flags, false, out);
}

int zl_fs_open_folder(zl_fs *fs, const char *path, int *out) {
    return open_below(fs, path[0] == '\0' ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, out);
}

int zl_fs_find(zl_fs *fs, const char *key, bool create, zl_fs_place *out) {
    const char *slash = strrchr(key, '/');
    if (slash == NULL) {
        *out = (zl_fs_place){fs->root, key};
        return 0;
    }
    char path[PATH_SIZE];
    const size_t size = (size_t)(slash - key);
    if (size >= sizeof path) return ENAMETOOLONG;
    memcpy(path, key, size);
    path[size] = '\0';
    *out = (zl_fs_place){-1, slash + 1};
    const int code = open_below(fs, path, FOLDER_FLAGS, &out->folder);
    return code == ENOENT && create ? open_walking(fs, path, FOLDER_FLAGS, true, &out->folder) : code;
}

void zl_fs_leave(const zl_fs *fs, zl_fs_place *place) {
    if (place->folder != fs->root) close(place->folder);
    place->folder = -1;
}

/* ---- the root */

static int make_folders(const char *path) {
    char made[PATH_SIZE];
    const size_t size = strlen(path);
    if (size >= sizeof made) return ENAMETOOLONG;
    memcpy(made, path, size + 1);
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        made[i] = '\0';
        if (mkdir(made, 0777) != 0 && errno != EEXIST) {
            /* Some systems say EROFS or EACCES for a folder that is there. */
            const int code = errno;
            struct stat st;
            if (stat(made, &st) != 0) return code;
        }
        made[i] = path[i];
    }
    return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

int zl_fs_open(zl_fs *fs, const char *path, bool create, bool follow) {
    int root;
    int code = open_at(AT_FDCWD, path, FOLDER_FLAGS, &root);
    if (code == ENOENT && create) {
        code = make_folders(path);
        if (code == 0) code = open_at(AT_FDCWD, path, FOLDER_FLAGS, &root);
    }
    if (code != 0) return code;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    fs->root = root;
    fs->follow = follow;
    fs->seed = mix(mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec), (uint64_t)(uintptr_t)fs);
    atomic_init(&fs->walk, false);
    atomic_init(&fs->counter, 0);
    return 0;
}

void zl_fs_close(zl_fs *fs) {
    close(fs->root);
}

/* ---- what is there */

/* An inode number is used again at once, and the clock of the file system may stand still for some milliseconds: what
 * tells two versions apart is then the time that a commit stamps on its file. */
static void describe(const struct stat *st, zl_fs_stat *out) {
    out->kind = S_ISREG(st->st_mode)   ? ZL_FS_FILE
                : S_ISDIR(st->st_mode) ? ZL_FS_DIRECTORY
                : S_ISLNK(st->st_mode) ? ZL_FS_LINK
                                       : ZL_FS_OTHER;
    out->mode = (uint32_t)st->st_mode & 0777;
    out->info.size = (uint64_t)st->st_size;
    const uint64_t where = mix(mix((uint64_t)st->st_dev, (uint64_t)st->st_ino), (uint64_t)st->st_size);
    const uint64_t written = mix((uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec);
    const uint64_t changed = mix((uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec);
    out->info.generation = (zl_generation){{where | 1, mix(written, changed)}}; /* never all zero */
}

int zl_fs_stat_at(const zl_fs *fs, const zl_fs_place *place, zl_fs_stat *out) {
    struct stat st;
    if (fstatat(place->folder, place->name, &st, fs->follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return errno;
    describe(&st, out);
    return 0;
}

int zl_fs_unlink(const zl_fs_place *place) {
    return unlinkat(place->folder, place->name, 0) == 0 ? 0 : errno;
}

/* ---- reading */

int zl_fs_open_file(zl_fs *fs, const char *key, int *file, zl_fs_stat *stat) {
    const int code = open_below(fs, key, READ_FLAGS, file);
    if (code != 0) return code;
    struct stat st;
    if (fstat(*file, &st) != 0) {
        const int failed = errno;
        close(*file);
        return failed;
    }
    describe(&st, stat);
    return 0;
}

void zl_fs_close_file(int file) {
    close(file);
}

int zl_fs_read(int file, void *into, size_t size, uint64_t offset, size_t *done) {
    *done = 0;
    while (*done < size) {
        const size_t wanted = size - *done < SSIZE_MAX ? size - *done : SSIZE_MAX;
        const ssize_t n = pread(file, (uint8_t *)into + *done, wanted, (off_t)(offset + *done));
        if (n == 0) return 0;
        if (n > 0)
            *done += (size_t)n;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* ---- replacing */

#define TEMPORARY_PREFIX ".zarrlite-"
#define TEMPORARY_SUFFIX ".tmp"

bool zl_fs_is_temporary(const char *name) {
    const size_t size = strlen(name);
    const size_t suffix = sizeof TEMPORARY_SUFFIX - 1;
    return strncmp(name, TEMPORARY_PREFIX, sizeof TEMPORARY_PREFIX - 1) == 0 && size >= suffix &&
           strcmp(name + size - suffix, TEMPORARY_SUFFIX) == 0;
}

static int match_mode(int file, const zl_fs_stat *like) {
    struct stat st;
    if (fstat(file, &st) != 0) return errno;
    if (((uint32_t)st.st_mode & 0777) == like->mode) return 0;
    return fchmod(file, (mode_t)like->mode) == 0 ? 0 : errno;
}

int zl_fs_temporary_new(zl_fs *fs, const zl_fs_place *place, const zl_fs_stat *like, zl_fs_temporary *out) {
    enum { ATTEMPTS = 64 }; /* a name that is taken is a file that a killed process left, or a forked one writes */
    int code = EEXIST;
    for (int i = 0; i < ATTEMPTS && code == EEXIST; i++) {
        const uint64_t number = mix(mix(fs->seed, (uint64_t)getpid()), atomic_fetch_add(&fs->counter, 1));
        (void)snprintf(out->name, sizeof out->name, TEMPORARY_PREFIX "%016llx" TEMPORARY_SUFFIX,
                       (unsigned long long)number);
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

int zl_fs_temporary_commit(const zl_fs_place *place, zl_fs_temporary *temporary) {
    /* A file system's own stamps may be some milliseconds coarse. Not every one takes a time: then it has its own. */
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {0}};
    if (clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)futimens(temporary->file, times);
    const int file = temporary->file;
    temporary->file = -1;
    int code = close(file) == 0 ? 0 : errno; /* where a network file system says that the disk is full */
    if (code == 0 && renameat(place->folder, temporary->name, place->folder, place->name) != 0) code = errno;
    if (code != 0) (void)unlinkat(place->folder, temporary->name, 0);
    return code;
}

void zl_fs_temporary_abort(const zl_fs_place *place, zl_fs_temporary *temporary) {
    close(temporary->file);
    temporary->file = -1;
    (void)unlinkat(place->folder, temporary->name, 0);
}
