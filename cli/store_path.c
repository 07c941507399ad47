/* SPDX-License-Identifier: MIT */
#include "store_path.h"

#include "memory.h"
#include "output.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_metadata(const char *folder) {
    static const char *const names[] = {"zarr.json", ".zarray", ".zgroup"};
    bool found = false;
    for (size_t i = 0; i < 3 && !found; i++) {
        struct stat info;
        char *path = cli_format("%s/%s", folder, names[i]);
        found = stat(path, &info) == 0 && S_ISREG(info.st_mode);
        free(path);
    }
    return found;
}

/* The path without doubled slashes, "." parts and slashes at the end; relative paths get "./" in front. */
static char *tidy(const char *path) {
    char *out = cli_malloc(strlen(path) + 3);
    size_t size = 0;
    if (*path != '/') out[size++] = '.';
    while (*path) {
        const size_t part = strcspn(path, "/");
        if (part && !(part == 1 && path[0] == '.')) {
            out[size++] = '/';
            memcpy(out + size, path, part);
            size += part;
        }
        path += part + (path[part] == '/');
    }
    if (size == 0) out[size++] = '/';
    out[size] = '\0';
    return out;
}

/* Length of the folder above the first `size` bytes of a tidy path, or 0 where there is none that its text knows. */
static size_t parent_size(const char *path, size_t size) {
    size_t slash = size;
    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    if (slash <= 1) return 0; /* "." and what is directly below "/" */
    if (size - slash == 2 && memcmp(path + slash, "..", 2) == 0) return 0;
    return slash - 1;
}

static bool prefix_has_metadata(const char *path, size_t size) {
    char *folder = cli_copy(path, size);
    const bool found = has_metadata(folder);
    free(folder);
    return found;
}

/* A regular file that starts as ZIP archives do. */
static bool is_archive(const char *path) {
    struct stat info;
    char start[4] = "";
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool whole = fread(start, 1, sizeof start, file) == sizeof start;
    fclose(file);
    return whole && start[0] == 'P' && start[1] == 'K' && (start[2] == 3 || start[2] == 5);
}

static bool ends_with_zip(const char *path, size_t size) {
    return size > 4 && strncasecmp(path + size - 4, ".zip", 4) == 0;
}

/* Length of the part of a path that is an archive, or whose name says that it is to be one; 0: none is. */
static size_t archive_size(const char *path) {
    const size_t whole = strlen(path);
    for (size_t size = whole; size; size = parent_size(path, size)) {
        char *prefix = cli_copy(path, size);
        struct stat info;
        const bool exists = lstat(prefix, &info) == 0;
        const bool found = exists ? is_archive(prefix) : ends_with_zip(path, size);
        free(prefix);
        if (found) return size;
    }
    return 0;
}

static size_t folder_size(const char *path) {
    const size_t size = strlen(path);
    size_t root = size;
    while (root && !prefix_has_metadata(path, root))
        root = parent_size(path, root);
    if (!root) root = size;
    for (size_t above = parent_size(path, root); above && prefix_has_metadata(path, above);
         above = parent_size(path, above))
        root = above;
    return root;
}

void cli_place_split(cli_place *place, const char *path) {
    char *full = tidy(path);
    const size_t size = strlen(full);
    size_t root = archive_size(full);
    place->is_archive = root != 0;
    if (!root) root = folder_size(full);
    const bool is_relative = strncmp(full, "./", 2) == 0 && root > 2;
    place->root = cli_copy(full + (is_relative ? 2 : 0), root - (is_relative ? 2 : 0));
    place->node = root < size ? cli_copy(full + root + 1, size - root - 1) : cli_copy("", 0);
    free(full);
}

static bool is_empty_folder(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return false;
    bool is_empty = true;
    for (const struct dirent *entry; is_empty && (entry = readdir(folder)) != NULL;)
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    return is_empty;
}

static int open_archive(const cli *run, cli_place *place, const char *path, cli_access access, bool exists) {
    zl_error err = {0};
    if (access != CLI_CREATE && !exists) return cli_fail_text(run, NULL, "%s: there is no such archive", path);
    if (access != CLI_READ && exists) {
        return cli_fail_text(run, "'zarrlite copy' makes a new one",
                             "%s: archives are written once, this one is there already", path);
    }
    place->is_new = !exists;
    zl_zip_store_options options = ZL_ZIP_STORE_OPTIONS_INIT;
    options.create = !exists;
    if (zl_store_open_zip(&place->store, run->context, place->root, &options, &err)) return cli_fail(run, path, &err);
    return CLI_OK;
}

int cli_place_open(const cli *run, cli_place *place, const char *path, cli_access access) {
    zl_error err = {0};
    cli_place_split(place, path);
    struct stat info;
    const bool exists = stat(place->root, &info) == 0;
    if (place->is_archive) return open_archive(run, place, path, access, exists);
    if (exists && !S_ISDIR(info.st_mode)) {
        return cli_fail_text(run, "stores are folders or ZIP archives; 'zarrlite import' reads .nc and .npy files",
                             "%s is not a folder", path);
    }
    if (access == CLI_CREATE && exists && !has_metadata(place->root) && !is_empty_folder(place->root)) {
        return cli_fail_text(run, "name a new folder, or empty this one",
                             "%s: the folder holds other things than a Zarr store", path);
    }
    if (access != CLI_CREATE && !exists) return cli_fail_text(run, NULL, "%s: there is no such folder", path);
    place->is_new = !exists;
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = access == CLI_CREATE;
    options.read_only = access == CLI_READ;
    if (zl_store_open_file(&place->store, run->context, place->root, &options, &err)) return cli_fail(run, path, &err);
    return CLI_OK;
}

int cli_open_array(const cli *run, cli_place *place, zl_array **array, const char *path, cli_access access) {
    const int status = cli_place_open(run, place, path, access);
    if (status) return status;
    zl_error err = {0};
    zl_node_kind kind;
    if (zl_node_probe(place->store, place->node, &kind, &err)) return cli_fail(run, path, &err);
    if (kind == ZL_NODE_NONE) {
        return cli_fail_text(run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array is here", path);
    }
    if (kind != ZL_NODE_ARRAY) {
        return cli_fail_text(run, "'zarrlite tree' shows the arrays in it", "%s is a group, not an array", path);
    }
    if (zl_array_open(array, place->store, place->node, &err)) return cli_fail(run, path, &err);
    return CLI_OK;
}

char *cli_place_real_path(const cli_place *place) {
    char *root = realpath(place->root, NULL);
    char *path = cli_format("%s%s%s", root ? root : place->root, *place->node ? "/" : "", place->node);
    free(root);
    return path;
}

int cli_place_close(const cli *run, cli_place *place, int status) {
    zl_error err = {0};
    if (place->store && zl_store_close(place->store, &err) && status == CLI_OK) status = cli_fail(run, place->root, &err);
    if (place->is_new && status != CLI_OK) { /* a folder only where nothing was written into it */
        (void)(place->is_archive ? unlink(place->root) : rmdir(place->root));
    }
    free(place->root);
    free(place->node);
    *place = (cli_place){0};
    return status;
}
