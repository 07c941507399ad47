/* SPDX-License-Identifier: MIT */
/* Files of the corpus. It is trusted to be complete: what is missing ends the process with a message. */
#include "conformance.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void die(const char *path) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(2);
}

void *ct_alloc(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) die("memory");
    return memory;
}

char *ct_text(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = ct_alloc((size_t)length + 1);
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

bool ct_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

char *ct_read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0) die(path);
    char *bytes = ct_alloc((size_t)info.st_size + 1);
    const size_t got = fread(bytes, 1, (size_t)info.st_size, file);
    if (got != (size_t)info.st_size || fclose(file) != 0) die(path);
    if (size != NULL) *size = got;
    return bytes;
}

int32_t ct_split(char *line, char **fields, int32_t max) {
    int32_t count = 0;
    while (line != NULL && count < max) {
        char *tab = strchr(line, '\t');
        fields[count++] = line;
        if (tab != NULL) *tab++ = '\0';
        line = tab;
    }
    return count;
}

char *ct_next_line(char **text) {
    while (**text != '\0') {
        char *line = *text;
        const size_t length = strcspn(line, "\n");
        *text = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (length > 0 && line[0] != '#') return line;
    }
    return NULL;
}

const zl_json *ct_parse_file(const char *path) {
    zl_json_doc *doc = NULL;
    zl_error err = {0};
    size_t size = 0;
    const char *text = ct_read_file(path, &size);
    const zl_json_options options = {.what = path};
    if (zl_json_parse(&doc, text, size, &options, &zl_default_allocator, &err) != ZL_OK) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(2);
    }
    return zl_json_root(doc);
}

static void copy_file(const char *from, const char *to) {
    size_t size = 0;
    const char *bytes = ct_read_file(from, &size);
    FILE *file = fopen(to, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) die(to);
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void ct_copy_tree(const char *from, const char *to) {
    DIR *folder = opendir(from);
    if (folder == NULL || mkdir(to, 0777) != 0) die(to);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct stat info;
        if (is_dots(entry->d_name)) continue;
        const char *source = ct_text("%s/%s", from, entry->d_name);
        const char *target = ct_text("%s/%s", to, entry->d_name);
        if (lstat(source, &info) != 0) die(source);
        if (S_ISDIR(info.st_mode)) ct_copy_tree(source, target);
        if (S_ISREG(info.st_mode)) copy_file(source, target);
    }
    (void)closedir(folder);
}

char *ct_temporary_new(void) {
    char *path = ct_text("conformance.XXXXXX");
    if (mkdtemp(path) == NULL) die(path);
    return path;
}

void ct_temporary_remove(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) die(path);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct stat info;
        if (is_dots(entry->d_name)) continue;
        char *child = ct_text("%s/%s", path, entry->d_name);
        if (lstat(child, &info) == 0 && S_ISDIR(info.st_mode)) {
            ct_temporary_remove(child);
        } else if (unlink(child) != 0) {
            die(child);
        }
        free(child);
    }
    (void)closedir(folder);
    if (rmdir(path) != 0) die(path);
}
