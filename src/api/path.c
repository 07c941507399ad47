/* SPDX-License-Identifier: MIT */
/*
 * Paths of nodes and the keys of their metadata.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names
 *
 * A path never leads out of its store: names made of periods are refused, and a slash only separates. A backslash is a
 * character like any other. The limit of 255 bytes for a name is the file systems', not the specification's.
 */
#include "api/path.h"

static bool all_periods(const char *name, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (name[i] != '.') return false;
    }
    return true;
}

const char *zl_name_problem(const char *name, size_t size) {
    if (size == 0) return "is empty";
    if (size > ZL_NAME_MAX) return "is longer than 255 bytes";
    if (all_periods(name, size)) return "consists of periods";
    if (size >= 2 && memcmp(name, "__", 2) == 0) return "starts with the reserved \"__\"";
    if (size == 9 && memcmp(name, "zarr.json", 9) == 0) return "is the name of metadata";
    if (!zl_utf8_valid(name, size)) return "is not valid UTF-8";
    return NULL;
}

static zl_status check_path(const char *path, zl_error *err) {
    for (const char *name = path;;) {
        const size_t size = strcspn(name, "/");
        const char *problem = zl_name_problem(name, size);
        if (problem != NULL) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "path \"%s\": the name at byte %zu %s", path,
                           (size_t)(name - path), problem);
        }
        if (name[size] == '\0') return ZL_OK;
        name += size + 1;
    }
}

zl_status zl_path_copy(char **out, const char *path, const zl_allocator *allocator, zl_error *err) {
    if (path == NULL || strcmp(path, "/") == 0) path = "";
    if (*path != '\0') ZL_TRY(check_path(path, err));
    const size_t size = strlen(path) + 1;
    char *copy = zl_alloc(allocator, size, 1);
    if (copy == NULL) return zl_fail_memory(err, size);
    memcpy(copy, path, size);
    *out = copy;
    return ZL_OK;
}

char *zl_path_join(const char *path, const char *name, const zl_allocator *allocator) {
    const size_t path_size = strlen(path), name_size = strlen(name);
    const size_t start = path_size == 0 ? 0 : path_size + 1;
    char *joined = zl_alloc(allocator, start + name_size + 1, 1);
    if (joined == NULL) return NULL;
    memcpy(joined, path, path_size);
    if (path_size != 0) joined[path_size] = '/';
    memcpy(joined + start, name, name_size + 1);
    return joined;
}

void zl_text_free(char *text, const zl_allocator *allocator) {
    if (text != NULL) zl_free(allocator, text, strlen(text) + 1);
}

const char *zl_path_show(const char *path) {
    return *path != '\0' ? path : "/";
}
