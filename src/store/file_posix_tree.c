/* SPDX-License-Identifier: MIT */
/* Whole folders of POSIX systems: listing one level, removing all below. */
#include "store/file_posix.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The next entry that is not "." or "..", or NULL: the end, or the code in *code. */
static const struct dirent *next_entry(DIR *stream, int *code) {
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(stream);
    } while (entry != NULL && is_dots(entry->d_name));
    *code = entry == NULL ? errno : 0;
    return entry;
}

/* Takes `folder`. */
static int open_stream(int folder, DIR **out) {
    *out = fdopendir(folder);
    if (*out != NULL) return 0;
    const int code = errno;
    close(folder);
    return code;
}

/* ---- listing */

/* ZL_FS_OTHER for what vanished meanwhile. */
static zl_fs_kind kind_of(const zl_fs *fs, DIR *stream, const struct dirent *entry) {
#if defined(DT_REG)
    if (entry->d_type == DT_REG) return ZL_FS_FILE;
    if (entry->d_type == DT_DIR) return ZL_FS_DIRECTORY;
    if (entry->d_type == DT_LNK && !fs->follow) return ZL_FS_LINK;
    if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) return ZL_FS_OTHER;
#endif
    zl_fs_stat stat;
    const zl_fs_place place = {dirfd(stream), entry->d_name};
    return zl_fs_stat_at(fs, &place, &stat) == 0 ? stat.kind : ZL_FS_OTHER;
}

int zl_fs_list(zl_fs *fs, const char *prefix, zl_list_fn each, void *user) {
    int folder;
    DIR *stream;
    int code = zl_fs_open_folder(fs, prefix, &folder);
    if (code == 0) code = open_stream(folder, &stream);
    if (code != 0) return code;
    const struct dirent *entry;
    while ((entry = next_entry(stream, &code)) != NULL) {
        const zl_fs_kind kind = kind_of(fs, stream, entry);
        if (kind != ZL_FS_FILE && kind != ZL_FS_DIRECTORY) continue;
        if (!each(user, entry->d_name, kind == ZL_FS_DIRECTORY)) break;
    }
    closedir(stream);
    return code;
}

/* ---- removing */

/* Folders in folders that are open at a time: each holds a file handle and the memory of a listing. */
#define DEPTH_MAX 32
/* How often a folder is emptied again because somebody puts files into it. */
#define PASSES_MAX 16

/* A removal in progress. What lies DEPTH_MAX below the top is moved up to the top, under a temporary name, and removed from
 * there: so any depth needs no more than that many handles. */
typedef struct removal {
    zl_fs *fs;
    int top;    /* the outermost folder, opened */
    bool moved; /* folders were moved there since its entries were last read */
} removal;

static int remove_entry(removal *all, int folder, const char *name, int depth);

/* Takes `folder`. Reads it again until nothing is left: some file systems skip entries while others are removed. */
static int empty_folder(removal *all, int folder, int depth) {
    DIR *stream;
    int code = open_stream(folder, &stream);
    if (code != 0) return code;
    if (depth == 0) all->top = dirfd(stream);
    bool again = true;
    for (int pass = 0; code == 0 && again && pass < PASSES_MAX; pass++) {
        again = false;
        rewinddir(stream);
        const struct dirent *entry;
        while ((entry = next_entry(stream, &code)) != NULL) {
            code = remove_entry(all, dirfd(stream), entry->d_name, depth);
            if (code != 0) break;
            again = true;
        }
        if (depth == 0 && all->moved) pass = 0; /* what was moved here is not somebody else's doing */
        if (depth == 0) all->moved = false;
    }
    closedir(stream);
    return code;
}

static int remove_folder(removal *all, int folder, const char *name, int depth) {
    int code = ENOTEMPTY;
    for (int pass = 0; (code == ENOTEMPTY || code == EEXIST) && pass < PASSES_MAX; pass++) {
        int inner;
        code = zl_posix_open_at(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, &inner);
        if (code == 0) code = empty_folder(all, inner, depth);
        if (code == 0) code = unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
    }
    return code;
}

static int move_to_top(removal *all, int folder, const char *name) {
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0) return 0; /* it was empty */
    if (errno != ENOTEMPTY && errno != EEXIST) return errno;
    char moved[ZL_FS_TEMPORARY_SIZE];
    zl_posix_temporary_name(all->fs, moved);
    if (renameat(folder, name, all->top, moved) != 0) return errno;
    all->moved = true;
    return 0;
}

/* What vanished meanwhile is removed. */
static int remove_entry(removal *all, int folder, const char *name, int depth) {
    struct stat st;
    int code = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (code == 0 && !S_ISDIR(st.st_mode))
        code = unlinkat(folder, name, 0) == 0 ? 0 : errno;
    else if (code == 0)
        code = depth < DEPTH_MAX ? remove_folder(all, folder, name, depth + 1) : move_to_top(all, folder, name);
    return code == ENOENT ? 0 : code;
}

static int remove_place(zl_fs *fs, const zl_fs_place *place) {
    removal all = {.fs = fs};
    struct stat st;
    if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (!S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode)) return 0;
    const int code = S_ISLNK(st.st_mode) ? zl_fs_unlink(place) : remove_folder(&all, place->folder, place->name, 0);
    return code == 0 ? zl_fs_sync_place(fs, place) : code;
}

static int remove_all(zl_fs *fs) {
    removal all = {.fs = fs};
    int root;
    int code = zl_fs_open_folder(fs, "", &root);
    if (code == 0) code = empty_folder(&all, root, 0);
    return code == 0 ? zl_posix_sync_folder(fs, fs->root) : code;
}

int zl_fs_remove_tree(zl_fs *fs, const char *prefix) {
    if (prefix[0] == '\0') return remove_all(fs);
    zl_fs_place place;
    int code = zl_fs_find(fs, prefix, false, &place);
    if (code != 0) return code;
    code = remove_place(fs, &place);
    zl_fs_leave(fs, &place);
    return code;
}
