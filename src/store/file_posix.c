/* SPDX-License-Identifier: MIT */
/*
 * Files and folders of POSIX systems below one root: finding them without following links, and reading. Files are read with
 * pread and never mapped: one that shrinks under a reader is then an error, not a signal.
 */
#define _GNU_SOURCE 1 /* O_PATH */
#include "store/file_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
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

/* ---- finding */

int zl_posix_open_at(int folder, const char *path, int flags, int *out) {
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
    int code = zl_posix_open_at(folder, name, flags, out);
    if (code == ENOENT && create) {
        code = mkdirat(folder, name, 0777) == 0 ? zl_posix_sync_folder(fs, folder) : errno;
        if (code != 0 && code != EEXIST) return code;
        code = zl_posix_open_at(folder, name, flags, out);
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
    if (fs->follow) return zl_posix_open_at(fs->root, path, flags, out);
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

/* Of the folder that holds `path`, which is cut and mended for it. */
static int sync_above(const zl_fs *fs, char *path) {
    char *name = strrchr(path, '/');
    if (name == NULL) return zl_posix_sync_at(fs, AT_FDCWD, ".");
    const char first = name[1];
    name[1] = '\0';
    const int code = zl_posix_sync_at(fs, AT_FDCWD, path);
    name[1] = first;
    return code;
}

static int make_folder(const zl_fs *fs, char *path) {
    if (mkdir(path, 0777) == 0) return sync_above(fs, path);
    if (errno == EEXIST) return 0;
    /* Some systems say EROFS or EACCES for a folder that is there. */
    const int code = errno;
    struct stat st;
    return stat(path, &st) == 0 ? 0 : code;
}

static int make_folders(const zl_fs *fs, const char *path) {
    char made[PATH_SIZE];
    const size_t size = strlen(path);
    if (size >= sizeof made) return ENAMETOOLONG;
    memcpy(made, path, size + 1);
    for (size_t i = 1; i <= size; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        made[i] = '\0';
        const int code = make_folder(fs, made);
        if (code != 0) return code;
        made[i] = path[i];
    }
    return 0;
}

uint64_t zl_posix_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

int zl_fs_open(zl_fs *fs, const char *path, const zl_file_store_options *options) {
    fs->follow = options->follow_symlinks;
    fs->sync = options->sync;
    int code = zl_posix_open_at(AT_FDCWD, path, FOLDER_FLAGS, &fs->root);
    if (code == ENOENT && options->create) {
        code = make_folders(fs, path);
        if (code == 0) code = zl_posix_open_at(AT_FDCWD, path, FOLDER_FLAGS, &fs->root);
    }
    if (code != 0) return code;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    fs->seed = zl_posix_mix(zl_posix_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec), (uint64_t)(uintptr_t)fs);
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
void zl_posix_describe(const struct stat *st, zl_fs_stat *out) {
    out->kind = S_ISREG(st->st_mode)   ? ZL_FS_FILE
                : S_ISDIR(st->st_mode) ? ZL_FS_DIRECTORY
                : S_ISLNK(st->st_mode) ? ZL_FS_LINK
                                       : ZL_FS_OTHER;
    out->mode = (uint32_t)st->st_mode & 0777;
    out->info.size = (uint64_t)st->st_size;
    const uint64_t where = zl_posix_mix(zl_posix_mix((uint64_t)st->st_dev, (uint64_t)st->st_ino), (uint64_t)st->st_size);
    const uint64_t written = zl_posix_mix((uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec);
    const uint64_t changed = zl_posix_mix((uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec);
    out->info.generation = (zl_generation){{where | 1, zl_posix_mix(written, changed)}}; /* never all zero */
}

int zl_fs_stat_at(const zl_fs *fs, const zl_fs_place *place, zl_fs_stat *out) {
    struct stat st;
    if (fstatat(place->folder, place->name, &st, fs->follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return errno;
    zl_posix_describe(&st, out);
    return 0;
}

/* ---- reading */

int zl_fs_open_file(zl_fs *fs, const char *key, int *file, zl_fs_stat *stat) {
    const int code = open_below(fs, key, ZL_POSIX_READ_FLAGS, file);
    if (code != 0) return code;
    struct stat st;
    if (fstat(*file, &st) != 0) {
        const int failed = errno;
        close(*file);
        return failed;
    }
    zl_posix_describe(&st, stat);
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
