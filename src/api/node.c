/* SPDX-License-Identifier: MIT */
/*
 * Finding, listing and deleting nodes.
 *
 * A walk goes down from a path through prefixes and asks each one for metadata. It does not enter arrays, whose prefixes
 * hold chunks, and it keeps what it found in a list, so that neither the depth of a hierarchy nor its size is on the
 * stack. Prefixes without metadata are groups (implicit ones) only if the walk meets a node below them. Links that lead
 * back to a folder above would make a hierarchy without end: a walk fails when it gets deeper than any real one.
 */
#include "api/node.h"

#include <stdlib.h>

#include "api/consolidated.h"
#include "api/listing.h"
#include "api/path.h"
#include "engine/shared.h"

#define DEPTH_MAX 128

/* ---- walks */

typedef struct entry {
    struct entry *parent;    /* NULL for direct members of where the walk began */
    struct entry *next;      /* in the list of all */
    struct entry *next_todo; /* on the stack of prefixes to list */
    const char *path;
    zl_node node;
    int32_t depth;
    bool shown; /* a node: has metadata, or a node below it has */
} entry;

typedef struct walk {
    zl_store *store;
    zl_arena *arena;
    bool recursive;
    entry *all;
    entry *todo;
    size_t count; /* of all */
} walk;

static zl_status walk_init(walk *out, zl_store *store, bool recursive, zl_error *err) {
    *out = (walk){.store = store, .recursive = recursive, .arena = zl_arena_new(store->allocator)};
    return out->arena != NULL ? ZL_OK : zl_fail_memory(err, sizeof *out);
}

static entry *walk_add(walk *self, entry *parent, const char *path, int32_t depth) {
    entry *added = ZL_ARENA_NEW(self->arena, entry);
    if (added == NULL) return NULL;
    *added = (entry){.parent = parent, .next = self->all, .next_todo = self->todo, .path = path, .depth = depth};
    self->all = added;
    self->todo = added;
    self->count++;
    return added;
}

static char *child_path(zl_arena *arena, const char *path, const char *name) {
    const size_t path_size = strlen(path), name_size = strlen(name);
    const size_t start = path_size == 0 ? 0 : path_size + 1;
    char *joined = zl_arena_alloc(arena, start + name_size + 1, 1);
    if (joined == NULL) return NULL;
    memcpy(joined, path, path_size);
    if (path_size != 0) joined[path_size] = '/';
    memcpy(joined + start, name, name_size + 1);
    return joined;
}

static zl_status walk_add_members(walk *self, entry *parent, const char *path, int32_t depth, zl_error *err) {
    zl_listing listing;
    zl_status status = zl_listing_read(&listing, self->store, path, err);
    for (const zl_name *name = listing.first; status == ZL_OK && name != NULL; name = name->next) {
        if (!zl_name_may_be_node(name)) continue;
        const char *member = child_path(self->arena, path, name->text);
        if (member == NULL || walk_add(self, parent, member, depth) == NULL) status = zl_fail_memory(err, sizeof(entry));
    }
    zl_listing_clear(&listing);
    return status;
}

/* What cannot be read is shown as a node of no known kind: one damaged document must not hide all others. */
static zl_status read_kind(zl_store *store, entry *at, zl_error *err) {
    zl_error local = {0};
    const zl_status status = zl_node_read_kind(store, at->path, &at->node, &local);
    if (status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT) {
        at->node = (zl_node){ZL_NODE_NONE, 3};
        return ZL_OK;
    }
    if (status == ZL_OK && at->node.kind == ZL_NODE_NONE) at->node.kind = ZL_NODE_IMPLICIT_GROUP;
    if (status != ZL_OK && err != NULL) *err = local;
    return status;
}

static void show(entry *at) {
    for (; at != NULL && !at->shown; at = at->parent) {
        at->shown = true;
    }
}

/* Without recursion one node below an implicit group is enough to know that it is one. */
static bool is_settled(const walk *self, const entry *at) {
    if (self->recursive) return false;
    while (at->parent != NULL) {
        at = at->parent;
    }
    return at->shown;
}

static zl_status walk_visit(walk *self, entry *at, zl_error *err) {
    if (is_settled(self, at)) return ZL_OK;
    ZL_TRY(read_kind(self->store, at, err));
    if (at->node.kind != ZL_NODE_IMPLICIT_GROUP) show(at);
    const bool enter = at->node.kind == ZL_NODE_IMPLICIT_GROUP || (self->recursive && at->node.kind == ZL_NODE_GROUP);
    if (!enter) return ZL_OK;
    if (at->depth == DEPTH_MAX) {
        return zl_fail(err, ZL_ERR_LIMIT, "%s: more than %d levels of groups; do links lead in a circle?", at->path,
                       DEPTH_MAX);
    }
    return walk_add_members(self, at, at->path, at->depth + 1, err);
}

static zl_status walk_run(walk *self, zl_error *err) {
    while (self->todo != NULL) {
        entry *at = self->todo;
        self->todo = at->next_todo;
        ZL_TRY(walk_visit(self, at, err));
    }
    return ZL_OK;
}

/* ---- finding */

zl_status zl_node_is_below_array(zl_store *store, const char *path, bool *out, zl_error *err) {
    *out = false;
    char *above;
    ZL_TRY(zl_path_copy(&above, path, store->allocator, err));
    const size_t size = strlen(above) + 1;
    zl_status status = ZL_OK;
    while (status == ZL_OK && !*out && *above != '\0') {
        char *slash = strrchr(above, '/');
        *(slash != NULL ? slash : above) = '\0';
        zl_node node = {ZL_NODE_NONE, 0};
        status = zl_node_read_kind(store, above, &node, err);
        *out = node.kind == ZL_NODE_ARRAY;
    }
    zl_free(store->allocator, above, size);
    return status;
}

zl_status zl_node_has_nodes_below(zl_store *store, const char *path, bool *out, zl_error *err) {
    walk self;
    ZL_TRY(walk_init(&self, store, false, err));
    entry *top = walk_add(&self, NULL, path, 0);
    zl_status status = top != NULL ? walk_run(&self, err) : zl_fail_memory(err, sizeof *top);
    if (status == ZL_OK) *out = top->shown;
    zl_arena_free(self.arena);
    return status;
}

zl_status zl_node_find(zl_store *store, const char *path, zl_node *out, zl_error *err) {
    ZL_TRY(zl_node_read_kind(store, path, out, err));
    if (out->kind != ZL_NODE_NONE) return ZL_OK;
    bool below_array, has_nodes;
    ZL_TRY(zl_node_is_below_array(store, path, &below_array, err));
    if (below_array) return ZL_OK;
    ZL_TRY(zl_node_has_nodes_below(store, path, &has_nodes, err));
    if (has_nodes) out->kind = ZL_NODE_IMPLICIT_GROUP;
    return ZL_OK;
}

zl_status zl_node_probe(zl_store *store, const char *path, zl_node_kind *out, zl_error *err) {
    char *clean;
    zl_node node;
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    const zl_status status = zl_node_find(store, clean, &node, err);
    if (status == ZL_OK) *out = node.kind;
    zl_text_free(clean, store->allocator);
    return status;
}

/* ---- listing */

static int by_path(const void *a, const void *b) {
    return strcmp((*(const entry *const *)a)->path, (*(const entry *const *)b)->path);
}

/* Byte order of whole paths: a path comes in front of what is below it, and "a-b" in front of "a/b". */
static zl_status report(const walk *self, zl_node_fn each, void *user, size_t *count, zl_error *err) {
    const entry **sorted = zl_arena_alloc(self->arena, self->count * sizeof *sorted, _Alignof(const entry *));
    if (sorted == NULL) return zl_fail_memory(err, self->count * sizeof *sorted);
    *count = 0;
    for (const entry *at = self->all; at != NULL; at = at->next) {
        if (at->shown && (self->recursive || at->parent == NULL)) sorted[(*count)++] = at;
    }
    qsort(sorted, *count, sizeof *sorted, by_path);
    for (size_t i = 0; i < *count; i++) {
        const zl_node_info info = {sorted[i]->path, sorted[i]->node.kind, sorted[i]->node.zarr_format};
        if (!each(user, &info)) break;
    }
    return ZL_OK;
}

static zl_status list(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user, zl_error *err) {
    zl_node node;
    bool below_array = false;
    ZL_TRY(zl_node_read_kind(store, path, &node, err));
    if (node.kind == ZL_NODE_NONE) ZL_TRY(zl_node_is_below_array(store, path, &below_array, err));
    if (node.kind == ZL_NODE_ARRAY || below_array) {
        return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: %s an array, not a group", zl_path_show(path),
                       below_array ? "below" : "is");
    }
    walk self;
    size_t count = 0;
    ZL_TRY(walk_init(&self, store, recursive, err));
    zl_status status = walk_add_members(&self, NULL, path, 1, err);
    if (status == ZL_OK) status = walk_run(&self, err);
    if (status == ZL_OK) status = report(&self, each, user, &count, err);
    zl_arena_free(self.arena);
    /* The root is a group even of an empty store. */
    if (status == ZL_OK && count == 0 && node.kind == ZL_NODE_NONE && *path != '\0') {
        return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: no group here", path);
    }
    return status;
}

zl_status zl_node_list_stored(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user,
                              zl_error *err) {
    char *clean;
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    const zl_status status = list(store, clean, recursive, each, user, err);
    zl_text_free(clean, store->allocator);
    return status;
}

zl_status zl_node_list(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user, zl_error *err) {
    char *clean;
    bool listed = false;
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    zl_status status = zl_copies_list(store, clean, recursive, each, user, &listed, err);
    if (status == ZL_OK && !listed) status = list(store, clean, recursive, each, user, err);
    zl_text_free(clean, store->allocator);
    return status;
}

/* ---- deleting */

zl_status zl_node_check_writable(const zl_store *store, zl_error *err) {
    if ((store->cls->caps & ZL_STORE_WRITE) != 0) return ZL_OK;
    return zl_fail(err, ZL_ERR_READ_ONLY, "the %s store cannot be written", store->cls->name);
}

/* Metadata goes first: half of an array without it is no array, with it the missing half would be fill values. */
zl_status zl_node_erase(zl_store *store, const char *path, zl_error *err) {
    static const char *const names[] = {"zarr.json", ".zarray", ".zgroup", ".zattrs"};
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    for (size_t i = 0; i < ZL_COUNT_OF(names); i++) {
        char *key = zl_path_join(path, names[i], store->allocator);
        if (key == NULL) return zl_fail_memory(err, strlen(path));
        const zl_status status = store->cls->erase(store->self, key, NULL, &call);
        zl_text_free(key, store->allocator);
        if (status != ZL_OK && status != ZL_ERR_NOT_FOUND) return status;
    }
    return zl_store_erase_prefix(store, path, err);
}

/* A node whose metadata cannot be understood can still be deleted. */
static zl_status delete_node(zl_store *store, const char *path, zl_error *err) {
    zl_node node;
    ZL_TRY(zl_node_check_writable(store, err));
    const zl_status status = zl_node_find(store, path, &node, err);
    if (status != ZL_OK && status != ZL_ERR_METADATA) return status;
    if (status == ZL_OK && node.kind == ZL_NODE_NONE) {
        return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: no node here", zl_path_show(path));
    }
    zl_error_clear(err);
    ZL_TRY(zl_node_erase(store, path, err));
    zl_mutex_lock(&zl_shared_of(store)->documents);
    const zl_status forgotten = zl_consolidated_forget(store, path, err);
    zl_mutex_unlock(&zl_shared_of(store)->documents);
    return forgotten;
}

zl_status zl_node_delete(zl_store *store, const char *path, zl_error *err) {
    char *clean;
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    const zl_status status = delete_node(store, clean, err);
    zl_text_free(clean, store->allocator);
    return status;
}
