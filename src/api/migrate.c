/* SPDX-License-Identifier: MIT */
/*
 * Metadata of Zarr v2 becomes metadata of v3, in place; chunks are not touched.
 *
 * All nodes are understood and translated before the first is changed, so that no hierarchy ends in two versions because
 * one of its arrays cannot follow. Then each node gets a zarr.json, which is one atomic step, those below first: until the
 * topmost has its own, readers of v2 see the whole hierarchy as before. A run that was interrupted is simply run again. The
 * documents of v2 stay unless they are to go; from then on, zarr.json counts where both are there.
 */
#include "api/node.h"
#include "api/path.h"
#include "engine/engine.h"

typedef struct item {
    struct item *next;
    const char *path;
    zl_node_kind kind;
    int32_t zarr_format;
} item;

typedef struct migration {
    zl_store *store;
    const zl_migrate_options *options;
    zl_migrate_fn each;
    void *user;
    zl_arena *arena;
    item *first; /* nodes below in front of those above */
    bool out_of_memory;
    zl_error *err;
} migration;

/* ---- the nodes */

static bool add(migration *self, const char *path, zl_node_kind kind, int32_t zarr_format) {
    item *added = ZL_ARENA_NEW(self->arena, item);
    const char *copy = zl_arena_text(self->arena, path, strlen(path));
    self->out_of_memory = added == NULL || copy == NULL;
    if (self->out_of_memory) return false;
    *added = (item){self->first, copy, kind, zarr_format};
    self->first = added;
    return true;
}

static bool add_member(void *user, const zl_node_info *info) {
    const bool is_node = info->kind == ZL_NODE_ARRAY || info->kind == ZL_NODE_GROUP;
    return !is_node || add(user, info->path, info->kind, info->zarr_format);
}

static zl_status find_nodes(migration *self, const char *path) {
    zl_node node;
    ZL_TRY(zl_node_find(self->store, path, &node, self->err));
    if (node.kind == ZL_NODE_NONE) {
        return zl_fail(self->err, ZL_ERR_NOT_FOUND, "%s: no node here", zl_path_show(path));
    }
    if (node.kind != ZL_NODE_IMPLICIT_GROUP) (void)add(self, path, node.kind, node.zarr_format);
    if (node.kind != ZL_NODE_ARRAY && !self->out_of_memory) {
        ZL_TRY(zl_node_list(self->store, path, true, add_member, self, self->err));
    }
    return self->out_of_memory ? zl_fail_memory(self->err, sizeof(item)) : ZL_OK;
}

/* ---- one node */

/* Its zarr.json, proven to be usable. */
static zl_status translate(const migration *self, const item *node, zl_json_writer *writer, zl_error *err) {
    zl_store *store = self->store;
    zl_metadata *old = NULL, *now = NULL;
    zl_engine_array *engine = NULL;
    zl_env env;
    zl_context_env(store->context, &env);
    zl_status status = zl_node_load(&old, store, node->path, err);
    if (status == ZL_ERR_NOT_FOUND) status = zl_node_missing(node->path, node->kind, err);
    if (status == ZL_OK) status = zl_metadata_migrate_v2(old, writer, err);
    if (status == ZL_OK) {
        const char *text = (const char *)writer->sink.data;
        status = zl_metadata_parse_v3(&now, text, writer->sink.size, "migrated metadata", &env, store->allocator, err);
    }
    if (status == ZL_OK && node->kind == ZL_NODE_ARRAY) {
        status = zl_engine_array_open(store, now, node->path, &engine, err);
    }
    zl_engine_array_close(engine);
    zl_metadata_free(now, store->allocator);
    zl_metadata_free(old, store->allocator);
    return status;
}

static zl_status convert(const migration *self, const item *node) {
    static const zl_generation no_object = {{0, 0}};
    zl_json_writer writer;
    zl_json_writer_init(&writer, self->store->allocator, 2);
    zl_status status = translate(self, node, &writer, self->err);
    if (status == ZL_OK) {
        status = zl_document_write(self->store, node->path, "zarr.json", (const char *)writer.sink.data, writer.sink.size,
                                   &no_object, self->err);
    }
    zl_json_writer_clear(&writer);
    return status;
}

/* ---- all of them, step by step */

/* A node that cannot be migrated is a problem to report, unless something else is wrong. */
static bool is_problem(zl_status status) {
    return status == ZL_ERR_UNSUPPORTED || status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT ||
           status == ZL_ERR_INVALID_ARGUMENT;
}

/* The list is turned round twice, so that nodes are reported from the top. */
static item *reversed(item *first) {
    item *result = NULL;
    while (first != NULL) {
        item *next = first->next;
        first->next = result;
        result = first;
        first = next;
    }
    return result;
}

static zl_status check_node(const migration *self, const item *node, size_t *problems) {
    zl_error local = {0};
    zl_json_writer writer;
    zl_json_writer_init(&writer, self->store->allocator, 2);
    const zl_status status = translate(self, node, &writer, &local);
    zl_json_writer_clear(&writer);
    if (status != ZL_OK && !is_problem(status)) {
        if (self->err != NULL) *self->err = local;
        return status;
    }
    *problems += status != ZL_OK;
    const zl_migrate_info info = {node->path, node->kind, status != ZL_OK ? local.message : NULL};
    if (self->each == NULL || self->each(self->user, &info)) return ZL_OK;
    return zl_fail(self->err, ZL_ERR_CANCELLED, "cancelled");
}

static zl_status check_all(migration *self) {
    size_t problems = 0;
    zl_status status = ZL_OK;
    self->first = reversed(self->first);
    for (const item *node = self->first; node != NULL && status == ZL_OK; node = node->next) {
        if (node->zarr_format == 2) status = check_node(self, node, &problems);
    }
    self->first = reversed(self->first);
    if (status != ZL_OK || problems == 0) return status;
    return zl_fail(self->err, ZL_ERR_UNSUPPORTED, "nothing was changed, because %zu of the nodes cannot be migrated",
                   problems);
}

static zl_status convert_all(const migration *self) {
    for (const item *node = self->first; node != NULL; node = node->next) {
        if (node->zarr_format != 2) continue;
        const zl_status status = convert(self, node);
        if (status == ZL_ERR_CONFLICT) continue; /* another run was faster */
        if (status != ZL_OK) return status;
    }
    return ZL_OK;
}

static zl_status has_document(const migration *self, const char *path, const char *name, bool *out) {
    zl_document document;
    const zl_status status = zl_document_read(&document, self->store, path, name, self->err);
    zl_document_clear(&document, self->store);
    *out = status == ZL_OK;
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

/* Groups with consolidated metadata of v2 get that of v3. */
static zl_status consolidate_all(const migration *self) {
    for (const item *node = self->first; node != NULL; node = node->next) {
        bool has_copies = false;
        if (node->kind != ZL_NODE_GROUP || node->zarr_format != 2) continue;
        ZL_TRY(has_document(self, node->path, ".zmetadata", &has_copies));
        if (has_copies) ZL_TRY(zl_consolidate(self->store, node->path, self->err));
    }
    return ZL_OK;
}

/* An array of v3 whose chunks are elsewhere did not come from the document of v2 beside it. */
static zl_status has_other_chunks(const migration *self, const item *node, bool *out) {
    zl_metadata *metadata = NULL;
    *out = false;
    if (node->kind != ZL_NODE_ARRAY) return ZL_OK;
    ZL_TRY(zl_node_load(&metadata, self->store, node->path, self->err));
    *out = metadata->key != &zl_key_v2;
    zl_metadata_free(metadata, self->store->allocator);
    return ZL_OK;
}

/* The copies go first: they would have to follow every other step. */
static zl_status remove_all(const migration *self) {
    static const char *const names[] = {".zattrs", ".zarray", ".zgroup"};
    for (const item *node = self->first; node != NULL; node = node->next) {
        if (node->kind == ZL_NODE_GROUP) ZL_TRY(zl_document_erase(self->store, node->path, ".zmetadata", self->err));
    }
    for (const item *node = self->first; node != NULL; node = node->next) {
        bool keep;
        ZL_TRY(has_other_chunks(self, node, &keep));
        for (size_t i = 0; i < ZL_COUNT_OF(names) && !keep; i++) {
            ZL_TRY(zl_document_erase(self->store, node->path, names[i], self->err));
        }
    }
    return ZL_OK;
}

static zl_status migrate(migration *self, const char *path) {
    ZL_TRY(find_nodes(self, path));
    ZL_TRY(check_all(self));
    if (self->options->dry_run) return ZL_OK;
    ZL_TRY(convert_all(self));
    ZL_TRY(consolidate_all(self));
    return self->options->remove_v2 ? remove_all(self) : ZL_OK;
}

zl_status zl_migrate(zl_store *store, const char *path, const zl_migrate_options *options, zl_migrate_fn each, void *user,
                     zl_error *err) {
    zl_migrate_options known;
    char *clean;
    ZL_TRY(zl_options_copy(&known, sizeof known, options, "zl_migrate_options", err));
    if (!known.dry_run) ZL_TRY(zl_node_check_writable(store, err));
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    migration self = {.store = store, .options = &known, .each = each, .user = user, .err = err};
    self.arena = zl_arena_new(store->allocator);
    const zl_status status = self.arena != NULL ? migrate(&self, clean) : zl_fail_memory(err, sizeof self);
    zl_arena_free(self.arena);
    zl_text_free(clean, store->allocator);
    return status;
}
