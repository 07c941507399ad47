/* SPDX-License-Identifier: MIT */
/* What the files of the POSIX implementation share. */
#ifndef ZL_STORE_FILE_POSIX_H
#define ZL_STORE_FILE_POSIX_H

#include <fcntl.h>
#include <sys/stat.h>

#include "store/file_os.h"

/* A pipe without writer must not block, a terminal must not become ours. */
#define ZL_POSIX_READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* openat, again when a signal interrupts it. */
int zl_posix_open_at(int folder, const char *path, int flags, int *out);
void zl_posix_describe(const struct stat *st, zl_fs_stat *out);
/* A step of a hash. */
uint64_t zl_posix_mix(uint64_t hash, uint64_t value);
/* A name for a temporary file or folder that is very likely free. */
void zl_posix_temporary_name(zl_fs *fs, char name[ZL_FS_TEMPORARY_SIZE]);

/* Nothing to do unless fs->sync. */
int zl_posix_sync_at(const zl_fs *fs, int folder, const char *path);
static inline int zl_posix_sync_folder(const zl_fs *fs, int folder) {
    return zl_posix_sync_at(fs, folder, ".");
}

#endif
