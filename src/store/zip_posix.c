/* SPDX-License-Identifier: MIT */
#include "store/zip_os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(const char *path, int flags, int *out) {
    do {
        *out = open(path, flags | O_CLOEXEC, 0666);
    } while (*out < 0 && errno == EINTR);
    return *out < 0 ? errno : 0;
}

int zl_zip_open_file(const char *path, int *file, uint64_t *size) {
    const int code = open_file(path, O_RDONLY | O_NONBLOCK, file); /* a pipe is refused, not waited for */
    if (code != 0) return code;
    struct stat st;
    const int failure = fstat(*file, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : !S_ISREG(st.st_mode) ? EINVAL : 0;
    if (failure != 0) {
        close(*file);
        return failure;
    }
    *size = (uint64_t)st.st_size;
    return 0;
}

int zl_zip_create_file(const char *path, int *file) {
    return open_file(path, O_RDWR | O_CREAT | O_EXCL, file);
}

static int write_span(int file, zl_span span, uint64_t offset) {
    while (span.size > 0) {
        const ssize_t n = pwrite(file, span.data, span.size < SSIZE_MAX ? span.size : SSIZE_MAX, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        span = (zl_span){span.data + n, span.size - (size_t)n};
        offset += (uint64_t)n;
    }
    return 0;
}

int zl_zip_write_file(int file, const zl_span *spans, size_t count, uint64_t offset) {
    for (size_t i = 0; i < count; i++) {
        const int code = write_span(file, spans[i], offset);
        if (code != 0) return code;
        offset += spans[i].size;
    }
    return 0;
}

/* A link does not replace what has the name already, a rename would. Where the file system has no links, it must do. */
static int give_name(const char *temporary, const char *path) {
    if (link(temporary, path) == 0) return unlink(temporary) == 0 ? 0 : errno;
    if (errno == EEXIST) return errno;
    return rename(temporary, path) == 0 ? 0 : errno;
}

int zl_zip_publish_file(int file, const char *temporary, const char *path) {
    int code = fsync(file) == 0 || errno == EINVAL ? 0 : errno;
    if (close(file) != 0 && code == 0 && errno != EINTR) code = errno;
    if (code == 0) code = give_name(temporary, path);
    if (code != 0) (void)unlink(temporary);
    return code;
}

void zl_zip_discard_file(int file, const char *temporary) {
    close(file);
    (void)unlink(temporary);
}
