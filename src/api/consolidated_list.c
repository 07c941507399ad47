/* SPDX-License-Identifier: MIT */
/*
 * Nodes as the consolidated metadata of a group tells of them: one document instead of one for each node.
 *
 * It may be out of date. What other writers have added and removed directly below the group shows in one listing, which is
 * compared first; then the nodes are looked for one by one, and the context's warning callback hears of it. Changes deeper
 * down show only in zl_consolidated_check.
 */
#include <stdlib.h>

#include "api/consolidated.h"
#include "api/listing.h"
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"
#include "meta/consolidated.h"

typedef struct member {
    struct member *next;
    const char *path; /* from the store's root */
    const char *name; /* from the group, in `path` */
    zl_node_kind kind;
} member;

typedef struct members {
    zl_store *store;
    zl_arena *arena;
    const char *group;
    int32_t zarr_format;
    bool recursive;
    member *all;
    size_t count;
    const member **sorted;
} members;

/* ---- collecting */

static bool is_path(const char *path, size_t size) {
    for (size_t start = 0, end; start <= size; start = end + 1) {
        const char *slash = memchr(path + start, '/', size - start);
        end = slash != NULL ? (size_t)(slash - path) : size;
        if (zl_name_problem(path + start, end - start) != NULL) return false;
    }
    return true;
}

static zl_status add(members *self, const char *path, size_t size, zl_node_kind kind, zl_error *err) {
    const size_t group_size = strlen(self->group), start = group_size == 0 ? 0 : group_size + 1;
    member *added = ZL_ARENA_NEW(self->arena, member);
    char *full = zl_arena_alloc(self->arena, start + size + 1, 1);
    if (added == NULL || full == NULL) return zl_fail_memory(err, sizeof *added + start + size);
    memcpy(full, self->group, group_size);
    if (group_size != 0) full[group_size] = '/';
    memcpy(full + start, path, size);
    full[start + size] = '\0';
    *added = (member){self->all, full, full + start, kind};
    self->all = added;
    self->count++;
    return ZL_OK;
}

/* A node and the groups above it, which are implicit unless they have copies, too. */
static zl_status add_node(void *user, const char *path, size_t size, zl_node_kind kind, zl_error *err) {
    members *self = user;
    if (!is_path(path, size)) return ZL_OK;
    for (size_t end = 1; end <= size; end++) {
        if (end < size && path[end] != '/') continue;
        ZL_TRY(add(self, path, end, end == size ? kind : ZL_NODE_IMPLICIT_GROUP, err));
        if (!self->recursive) return ZL_OK;
    }
    return ZL_OK;
}

/* Of what is told twice, the more that is known comes first. */
static int by_path(const void *a, const void *b) {
    const member *x = *(const member *const *)a, *y = *(const member *const *)b;
    const int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->kind == ZL_NODE_IMPLICIT_GROUP) - (y->kind == ZL_NODE_IMPLICIT_GROUP);
}

static zl_status sort(members *self, zl_error *err) {
    const size_t size = self->count * sizeof *self->sorted;
    self->sorted = zl_arena_alloc(self->arena, size, _Alignof(const member *));
    if (self->sorted == NULL) return zl_fail_memory(err, size);
    size_t all = 0, kept = 0;
    for (const member *at = self->all; at != NULL; at = at->next) {
        self->sorted[all++] = at;
    }
    if (all > 0) qsort(self->sorted, all, sizeof *self->sorted, by_path);
    for (size_t i = 0; i < all; i++) {
        const bool again = kept > 0 && strcmp(self->sorted[kept - 1]->path, self->sorted[i]->path) == 0;
        if (!again) self->sorted[kept++] = self->sorted[i];
    }
    self->count = kept;
    return ZL_OK;
}

/* ---- comparing with a listing */

static int by_name(const void *name, const void *b) {
    return strcmp(name, (*(const member *const *)b)->name);
}

static bool is_known(const members *self, const char *name) {
    return self->count > 0 && bsearch(name, self->sorted, self->count, sizeof *self->sorted, by_name) != NULL;
}

/* Is a prefix that has no copy a node? */
static zl_status is_node(const members *self, const char *name, bool *out, zl_error *err) {
    zl_node node = {ZL_NODE_NONE, 0};
    char *path = zl_path_join(self->group, name, self->store->allocator);
    if (path == NULL) return zl_fail_memory(err, strlen(name));
    const zl_status status = zl_node_find(self->store, path, &node, err);
    zl_text_free(path, self->store->allocator);
    const bool damaged = status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT;
    *out = damaged || node.kind != ZL_NODE_NONE;
    return damaged ? ZL_OK : status;
}

/* Direct members are those of the store. */
static zl_status compare(const members *self, const zl_listing *listing, bool *same, zl_error *err) {
    size_t known = 0, found = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (strchr(self->sorted[i]->name, '/') == NULL) known++;
    }
    for (const zl_name *name = listing->first; name != NULL; name = name->next) {
        if (!zl_name_may_be_node(name)) continue;
        bool is_new = false;
        if (is_known(self, name->text)) {
            found++;
        } else {
            ZL_TRY(is_node(self, name->text, &is_new, err));
        }
        if (is_new) return ZL_OK;
    }
    *same = found == known;
    return ZL_OK;
}

static zl_status check(const members *self, bool *same, zl_error *err) {
    *same = self->store->cls->list == NULL; /* such a store can only be believed */
    if (*same) return ZL_OK;
    zl_listing listing;
    zl_status status = zl_listing_read(&listing, self->store, self->group, err);
    if (status == ZL_OK) status = compare(self, &listing, same, err);
    zl_listing_clear(&listing);
    if (status == ZL_OK && !*same) {
        zl_context_warn(self->store->context, "%s: consolidated metadata is out of date, nodes are looked for one by one",
                        zl_path_show(self->group));
    }
    return status;
}

/* ---- listing */

static zl_status list(members *self, const zl_json *copies, zl_node_fn each, void *user, bool *listed, zl_error *err) {
    ZL_TRY(zl_consolidated_nodes(copies, self->zarr_format, add_node, self, err));
    ZL_TRY(sort(self, err));
    ZL_TRY(check(self, listed, err));
    for (size_t i = 0; *listed && i < self->count; i++) {
        const member *at = self->sorted[i];
        const bool implicit = at->kind == ZL_NODE_IMPLICIT_GROUP;
        const zl_node_info info = {at->path, at->kind, implicit ? 0 : self->zarr_format};
        if (!each(user, &info)) break;
    }
    return ZL_OK;
}

static zl_status list_with_arena(zl_store *store, const char *path, bool recursive, int32_t zarr_format,
                                 const zl_json *copies, zl_node_fn each, void *user, bool *listed, zl_error *err) {
    members self = {.store = store,
                    .arena = zl_arena_new(store->allocator),
                    .group = path,
                    .zarr_format = zarr_format,
                    .recursive = recursive};
    if (self.arena == NULL) return zl_fail_memory(err, sizeof self);
    const zl_status status = list(&self, copies, each, user, listed, err);
    zl_arena_free(self.arena);
    return status;
}

/* The document that may hold copies. What cannot be understood holds none. */
static zl_status read_holder(zl_json_doc **out, zl_store *store, const char *path, const char *name, zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    zl_document document;
    zl_status status = zl_document_read(&document, store, path, name, err);
    if (status == ZL_OK) {
        const zl_json_options options = {
            .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = document.key};
        const char *text = (const char *)document.bytes.data;
        status = zl_json_parse(out, text, document.bytes.size, &options, store->allocator, err);
        if (status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT) status = ZL_OK;
    }
    zl_document_clear(&document, store);
    return status;
}

zl_status zl_copies_list(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user, bool *listed,
                         zl_error *err) {
    zl_json_doc *doc = NULL;
    int32_t zarr_format = 3;
    *listed = false;
    zl_status status = read_holder(&doc, store, path, "zarr.json", err);
    if (status == ZL_ERR_NOT_FOUND) {
        zarr_format = 2;
        status = read_holder(&doc, store, path, ".zmetadata", err);
    }
    const zl_json *copies = doc != NULL ? zl_consolidated_copies(zl_json_root(doc), zarr_format) : NULL;
    if (copies != NULL) {
        status = list_with_arena(store, path, recursive, zarr_format, copies, each, user, listed, err);
    }
    zl_json_doc_free(doc);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}
