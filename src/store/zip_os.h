/* SPDX-License-Identifier: MIT */
/* What the ZIP store needs of the operating system beside file_os.h; zip_posix.c is the only implementation. Functions
 * return 0 or an errno code. */
#ifndef ZL_STORE_ZIP_OS_H
#define ZL_STORE_ZIP_OS_H

#include "base/base.h"

/* Opens a regular file for reading. */
int zl_zip_open_file(const char *path, int *file, uint64_t *size);
/* Makes a file for reading and writing that is not there yet. */
int zl_zip_create_file(const char *path, int *file);
/* Writes all spans from `offset` on; any number of threads may, to different places. */
int zl_zip_write_file(int file, const zl_span *spans, size_t count, uint64_t offset);
/* Ends a file that was made: everything reaches the disk, and it gets the name `path` unless that is taken (EEXIST). It is
 * closed in any case, and removed after a failure. */
int zl_zip_publish_file(int file, const char *temporary, const char *path);
/* Closes and removes a file that was made. */
void zl_zip_discard_file(int file, const char *temporary);

#endif
