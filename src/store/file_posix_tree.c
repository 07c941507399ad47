/* SPDX-License-Identifier: MIT */
/* Whole folders of POSIX systems: listing one level, removing all below. */
#include "store/file_os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
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

/* Folders in folders that are removed at most: each level holds a file handle. */
#define DEPTH_MAX 256
/* How often a folder is emptied again because somebody puts files into it. */
#define PASSES_MAX 16

static int remove_entry(int folder, const char *name, int depth);

/* Takes `folder`. Reads it again until nothing is left: some file systems skip entries while others are removed. */
static int empty_folder(int folder, int depth) {
    DIR *stream;
    int code = open_stream(folder, &stream);
    if (code != 0) return code;
    bool removed = true;
    for (int pass = 0; code == 0 && removed && pass < PASSES_MAX; pass++) {
        removed = false;
        rewinddir(stream);
        const struct dirent *entry;
        while ((entry = next_entry(stream, &code)) != NULL) {
            code = remove_entry(dirfd(stream), entry->d_name, depth);
            if (code != 0) break;
            removed = true;
        }
    }
    closedir(stream);
    return code;
}

static int remove_folder(int folder, const char *name, int depth) {
    int code = ENOTEMPTY;
    for (int pass = 0; (code == ENOTEMPTY || code == EEXIST) && pass < PASSES_MAX; pass++) {
        const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        code = inner < 0 ? errno : empty_folder(inner, depth + 1);
        if (code == 0) code = unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
    }
    return code;
}

/* What vanished meanwhile is removed. */
static int remove_entry(int folder, const char *name, int depth) {
    struct stat st;
    int code = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (code == 0 && !S_ISDIR(st.st_mode))
        code = unlinkat(folder, name, 0) == 0 ? 0 : errno;
    else if (code == 0)
        code = depth < DEPTH_MAX ? remove_folder(folder, name, depth) : EMFILE;
    return code == ENOENT ? 0 : code;
}

int zl_fs_remove_tree(zl_fs *fs, const char *prefix) {
    if (prefix[0] == '\0') {
        int root;
        const int code = zl_fs_open_folder(fs, prefix, &root);
        return code == 0 ? empty_folder(root, 0) : code;
    }
    zl_fs_place place;
    int code = zl_fs_find(fs, prefix, false, &place);
    if (code != 0) return code;
    struct stat st;
    if (fstatat(place.folder, place.name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        code = errno;
    else if (S_ISDIR(st.st_mode))
        code = remove_folder(place.folder, place.name, 0);
    else if (S_ISLNK(st.st_mode))
        code = zl_fs_unlink(&place);
    zl_fs_leave(fs, &place);
    return code;
}
