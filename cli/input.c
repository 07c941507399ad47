/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the codecs' vector loads like best, and more than any element's own alignment. */
#define ALIGNMENT 16

bool cli_input_open(cli_input *input, const char *path) {
    *input = (cli_input){0};
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (!is_stdin || lseek(fd, 0, SEEK_CUR) == 0)) {
        input->map_size = (uint64_t)info.st_size;
        void *map = info.st_size ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
        const int error = errno;
        if (!is_stdin) close(fd);
        errno = error;
        if (map == MAP_FAILED) return false;
        input->map = map;
        return true;
    }
    input->pipe = is_stdin ? stdin : fdopen(fd, "rb");
    if (!input->pipe) close(fd);
    return input->pipe != NULL;
}

void cli_input_close(cli_input *input) {
    if (input->map) munmap((void *)(uintptr_t)input->map, (size_t)input->map_size);
    if (input->pipe && input->pipe != stdin) fclose(input->pipe);
    *input = (cli_input){0};
}

size_t cli_input_read(cli_input *input, void *buffer, size_t size) {
    if (input->pipe) {
        size = fread(buffer, 1, size, input->pipe);
    } else {
        const uint64_t left = input->map_size - input->position;
        if (size > left) size = (size_t)left;
        if (size) memcpy(buffer, input->map + input->position, size);
    }
    input->position += size;
    return size;
}

const void *cli_input_take_mapped(cli_input *input, uint64_t size) {
    if (!input->map || size > input->map_size - input->position) return NULL;
    const unsigned char *bytes = input->map + input->position;
    if ((uintptr_t)bytes % ALIGNMENT != 0) return NULL;
    input->position += size;
    return bytes;
}

const void *cli_input_take(cli_input *input, void *buffer, size_t size) {
    const void *bytes = cli_input_take_mapped(input, size);
    if (bytes) return bytes;
    return cli_input_read(input, buffer, size) == size ? buffer : NULL;
}

void cli_input_relax(const cli_input *input) {
    if (input->map) (void)madvise((void *)(uintptr_t)input->map, (size_t)input->map_size, MADV_DONTNEED);
}

bool cli_input_at_end(cli_input *input) {
    if (!input->pipe) return input->position == input->map_size;
    const int c = getc(input->pipe);
    if (c == EOF) return true;
    ungetc(c, input->pipe);
    return false;
}
