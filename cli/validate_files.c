/* SPDX-License-Identifier: MIT */
/* Looks for files that are no part of the hierarchy. In a folder that is all there is, not only what its store shows:
 * links, which are not followed and are no objects, and temporary files. */
#include "validate.h"

#include "memory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct walk {
    cli_validation *v;
    const zl_array *array;
    char **keys; /* of the stored chunks, sorted */
    size_t key_count;
} walk;

static bool is_metadata(const char *name) {
    static const char *const names[] = {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = strcmp(name, names[i]) == 0;
    return found;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_folder(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static char *join(const char *prefix, const char *name) {
    return cli_format("%s%s%s", prefix, *prefix ? "/" : "", name);
}

static void each_file(const cli_validation *v, const char *prefix, zl_key_fn each, void *user) {
    char *path = cli_format("%s/%s", v->place.root, prefix);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *full = cli_format("%s/%s", path, entry->d_name);
        char *key = join(prefix, entry->d_name);
        each(user, key, is_folder(full));
        free(key);
        free(full);
    }
    if (folder) closedir(folder);
    free(path);
}

/* Calls `each` for what is one level below a key. */
static void each_entry(cli_validation *v, const char *prefix, zl_key_fn each, void *user) {
    zl_error err = {0};
    if (!v->place.is_archive)
        each_file(v, prefix, each, user);
    else if (zl_store_list(v->place.store, prefix, each, user, &err))
        cli_findings_add(&v->findings, CLI_FINDING_ERROR, prefix, "%s", err.message);
}

/* ---- arrays */

static int32_t part_count(const char *key) {
    int32_t count = 1;
    for (; *key; key++)
        count += *key == '/';
    return count;
}

/* A chunk's key has at most one part for each axis and one in front. What is deeper is not walked: an archive may be of any
 * depth. */
static bool visit_array_entry(void *user, const char *key, bool is_prefix) {
    const walk *w = user;
    const char *path = zl_array_path(w->array);
    const char *below = *path ? key + strlen(path) + 1 : key;
    if (is_prefix && part_count(below) <= zl_array_rank(w->array)) {
        each_entry(w->v, key, visit_array_entry, user);
    } else if (is_prefix || (!is_metadata(below) && !bsearch(&key, w->keys, w->key_count, sizeof *w->keys, by_text))) {
        char *where = cli_format("%s%s", key, is_prefix ? "/" : "");
        cli_findings_add(&w->v->findings, CLI_FINDING_STRAY, where, "is no chunk of the array's grid");
        free(where);
    }
    return true;
}

void cli_validate_array_files(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks) {
    walk w = {v, array, cli_calloc(chunks->count, sizeof(char *)), 0};
    for (size_t i = 0; i < chunks->count; i++) {
        zl_buffer key = {0};
        zl_error err = {0};
        if (zl_array_chunk_key(array, cli_chunk_coords(chunks, i), &key, &err)) continue;
        w.keys[w.key_count++] = cli_copy(key.data, key.size);
        zl_buffer_free(&key);
    }
    qsort(w.keys, w.key_count, sizeof *w.keys, by_text);
    each_entry(v, zl_array_path(array), visit_array_entry, &w);
    for (size_t i = 0; i < w.key_count; i++)
        free(w.keys[i]);
    free(w.keys);
}

/* ---- groups */

typedef struct group_walk {
    cli_validation *v;
    const cli_node_list *nodes;
} group_walk;

static int by_path(const void *a, const void *b) {
    return strcmp(((const cli_node *)a)->path, ((const cli_node *)b)->path);
}

static bool is_node(const cli_node_list *nodes, const char *path) {
    const cli_node wanted = {.path = (char *)path};
    return bsearch(&wanted, nodes->items, nodes->count, sizeof wanted, by_path) != NULL;
}

/* Not wrong: other programs may keep things of their own there. */
static bool visit_group_entry(void *user, const char *key, bool is_prefix) {
    const group_walk *w = user;
    const bool is_part = is_prefix ? is_node(w->nodes, key) : is_metadata(cli_node_name(key));
    if (!is_part) cli_findings_add(&w->v->findings, CLI_FINDING_NOTE, key, "is no part of the hierarchy");
    return true;
}

void cli_validate_group_files(cli_validation *v, const cli_node *node, const cli_node_list *nodes) {
    group_walk w = {v, nodes};
    each_entry(v, node->path, visit_group_entry, &w);
}
