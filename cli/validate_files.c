/* SPDX-License-Identifier: MIT */
/* Looks for files that are no part of the hierarchy. Links are not followed: they are no objects of a store. */
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

typedef void (*entry_fn)(void *user, char *key, bool is_folder);

/* Calls `each` for the entries of the folder of a key. */
static void each_entry(const cli_validation *v, const char *prefix, entry_fn each, void *user) {
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

/* ---- arrays */

static void visit_array_entry(void *user, char *key, bool folder) {
    const walk *w = user;
    const char *path = zl_array_path(w->array);
    const char *below = *path ? key + strlen(path) + 1 : key;
    if (folder) {
        each_entry(w->v, key, visit_array_entry, user);
    } else if (!is_metadata(below) && !bsearch(&key, w->keys, w->key_count, sizeof *w->keys, by_text)) {
        cli_findings_add(&w->v->findings, CLI_FINDING_STRAY, key, "is no chunk of the array's grid");
    }
}

void cli_validate_array_files(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks) {
    walk w = {v, array, cli_calloc(chunks->count, sizeof(char *)), 0};
    for (size_t i = 0; i < chunks->count && !v->place.is_archive; i++) {
        zl_buffer key = {0};
        zl_error err = {0};
        if (zl_array_chunk_key(array, cli_chunk_coords(chunks, i), &key, &err)) continue;
        w.keys[w.key_count++] = cli_copy(key.data, key.size);
        zl_buffer_free(&key);
    }
    qsort(w.keys, w.key_count, sizeof *w.keys, by_text);
    if (!v->place.is_archive) each_entry(v, zl_array_path(array), visit_array_entry, &w);
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

static bool is_node(const cli_node_list *nodes, char *path) {
    const cli_node wanted = {.path = path};
    return bsearch(&wanted, nodes->items, nodes->count, sizeof wanted, by_path) != NULL;
}

/* Not wrong: other programs may keep things of their own there. */
static void visit_group_entry(void *user, char *key, bool folder) {
    const group_walk *w = user;
    if (folder ? is_node(w->nodes, key) : is_metadata(cli_node_name(key))) return;
    cli_findings_add(&w->v->findings, CLI_FINDING_NOTE, key, "is no part of the hierarchy");
}

void cli_validate_group_files(cli_validation *v, const cli_node *node, const cli_node_list *nodes) {
    group_walk w = {v, nodes};
    if (!v->place.is_archive) each_entry(v, node->path, visit_group_entry, &w);
}
