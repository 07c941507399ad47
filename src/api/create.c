/* SPDX-License-Identifier: MIT */
/*
 * Storing the metadata of new nodes. Groups above come first, so that a crash leaves a hierarchy whose every node can be
 * reached, and the node's own document last. What a failed call has made is removed again. Groups above that were implicit
 * get metadata too: other readers of Zarr 3.1 do not see them without.
 */
#include "api/consolidated.h"
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"
#include "engine/shared.h"
#include "meta/metadata.h"

static const zl_generation no_object = {{0, 0}};

/* ---- groups above the new node */

typedef struct parents {
    zl_arena *arena;
    const char *name; /* of the document of a group */
    int32_t zarr_format;
    const char **path; /* from the root down */
    const char **key;  /* of their documents: taking back what was made must not need memory */
    bool *missing;     /* has no metadata */
    bool *made;        /* by this call */
    size_t count;
} parents;

/* The path of `size` bytes at `path`, and the key of its document. */
static bool parents_add(parents *self, const char *path, size_t size) {
    const size_t name_size = strlen(self->name) + 1;
    const char *copy = zl_arena_text(self->arena, path, size);
    char *key = zl_arena_alloc(self->arena, size + 1 + name_size, 1);
    if (copy == NULL || key == NULL) return false;
    memcpy(key, path, size);
    key[size] = '/';
    memcpy(key + size + 1, self->name, name_size);
    self->path[self->count] = copy;
    self->key[self->count++] = size > 0 ? key : key + 1;
    return true;
}

static zl_status parents_init(parents *out, const zl_store *store, const char *path, int32_t zarr_format, zl_error *err) {
    *out = (parents){.arena = zl_arena_new(store->allocator),
                     .name = zarr_format == 2 ? ".zgroup" : "zarr.json",
                     .zarr_format = zarr_format};
    if (out->arena == NULL) return zl_fail_memory(err, sizeof *out);
    size_t count = *path != '\0' ? 1 : 0;
    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
        count++;
    }
    out->path = zl_arena_zero(out->arena, count * sizeof *out->path, _Alignof(const char *));
    out->key = zl_arena_zero(out->arena, count * sizeof *out->key, _Alignof(const char *));
    out->missing = zl_arena_zero(out->arena, count * sizeof *out->missing, _Alignof(bool));
    out->made = zl_arena_zero(out->arena, count * sizeof *out->made, _Alignof(bool));
    bool fits = out->path != NULL && out->key != NULL && out->missing != NULL && out->made != NULL;
    const char *end = path; /* the root is what is in front of byte 0 */
    while (fits && out->count < count) {
        fits = parents_add(out, path, (size_t)(end - path));
        end = strchr(end + 1, '/');
    }
    return fits ? ZL_OK : zl_fail_memory(err, strlen(path));
}

static zl_status parents_look(parents *self, zl_store *store, const char *path, zl_error *err) {
    for (size_t i = 0; i < self->count; i++) {
        zl_node node;
        ZL_TRY(zl_node_read_kind(store, self->path[i], &node, err));
        if (node.kind == ZL_NODE_ARRAY) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s: there is an array at %s, nodes cannot be below it", path,
                           zl_path_show(self->path[i]));
        }
        if (node.kind == ZL_NODE_GROUP && node.zarr_format != self->zarr_format) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT,
                           "%s: the group at %s has Zarr format %d, what is below it must too", path,
                           zl_path_show(self->path[i]), (int)node.zarr_format);
        }
        self->missing[i] = node.kind == ZL_NODE_NONE;
    }
    return ZL_OK;
}

static zl_status parents_write(parents *self, zl_store *store, const zl_json_writer *document, zl_error *err) {
    const char *text = (const char *)document->sink.data;
    const size_t size = document->sink.size;
    for (size_t i = 0; i < self->count; i++) {
        if (!self->missing[i]) continue;
        const zl_status status = zl_document_store(store, self->path[i], self->name, text, size, &no_object, err);
        if (status == ZL_ERR_CONFLICT) continue; /* another writer was faster: it is there, that is enough */
        if (status != ZL_OK) return status;
        self->made[i] = true;
        ZL_TRY(zl_consolidated_follow(store, self->path[i], self->name, text, size, err));
    }
    return ZL_OK;
}

static zl_status parents_make(parents *self, zl_store *store, zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    zl_json_writer writer, none;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_json_writer_init(&none, store->allocator, 2);
    zl_status status = self->zarr_format == 2
                           ? zl_metadata_emit_group_v2(NULL, limits, store->allocator, &writer, &none, err)
                           : zl_metadata_emit_group_v3(NULL, limits, store->allocator, &writer, err);
    if (status == ZL_OK) status = parents_write(self, store, &writer, err);
    zl_json_writer_clear(&none);
    zl_json_writer_clear(&writer);
    return status;
}

/* The failure that led here is the one to report. */
static void parents_unmake(const parents *self, zl_store *store) {
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator};
    for (size_t i = self->count; i-- > 0;) {
        if (!self->made[i]) continue;
        (void)store->cls->erase(store->self, self->key[i], NULL, &call);
        (void)zl_consolidated_follow(store, self->path[i], self->name, NULL, 0, NULL);
    }
}

/* ---- the node itself */

static zl_status fail_exists(const char *path, zl_node_kind kind, zl_error *err) {
    return zl_fail(err, ZL_ERR_EXISTS, "%s: there is %s already", zl_path_show(path),
                   kind == ZL_NODE_ARRAY   ? "an array"
                   : kind == ZL_NODE_GROUP ? "a group"
                   : kind == ZL_NODE_NONE  ? "metadata"
                                           : "a group (without metadata, but with members)");
}

static zl_status check_free(zl_store *store, const char *path, zl_node_kind kind, zl_error *err) {
    zl_node node = {ZL_NODE_NONE, 0};
    bool has_nodes;
    const zl_status status = zl_node_read_kind(store, path, &node, err);
    if (status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT) return fail_exists(path, ZL_NODE_NONE, err);
    if (status != ZL_OK) return status;
    if (node.kind != ZL_NODE_NONE) return fail_exists(path, node.kind, err);
    if (kind == ZL_NODE_GROUP) return ZL_OK; /* metadata for an implicit group takes nothing away */
    ZL_TRY(zl_node_has_nodes_below(store, path, &has_nodes, err));
    return has_nodes ? fail_exists(path, ZL_NODE_IMPLICIT_GROUP, err) : ZL_OK;
}

/* The attributes of v2 come first: the node is there with its own document. Without attributes, those that something else
 * has left are not to become the node's. */
static zl_status store_attributes(zl_store *store, const char *path, const zl_new_node *node, zl_error *err) {
    if (node->zarr_format != 2) return ZL_OK;
    if (node->attributes.size == 0) return zl_document_erase(store, path, ".zattrs", err);
    const char *text = (const char *)node->attributes.data;
    return zl_document_write(store, path, ".zattrs", text, node->attributes.size, NULL, err);
}

/* A document that is stored, but not its copies, is taken back. */
static zl_status store_document(zl_store *store, const char *path, const zl_new_node *node, zl_error *err) {
    const bool replace = node->mode == ZL_CREATE_REPLACE;
    const char *name = node->zarr_format != 2 ? "zarr.json" : node->kind == ZL_NODE_ARRAY ? ".zarray" : ".zgroup";
    const char *text = (const char *)node->document.data;
    const size_t size = node->document.size;
    zl_status status = zl_document_store(store, path, name, text, size, replace ? NULL : &no_object, err);
    if (status == ZL_ERR_CONFLICT) return fail_exists(path, ZL_NODE_NONE, err);
    if (status != ZL_OK) return status;
    status = zl_consolidated_follow(store, path, name, text, size, err);
    if (status != ZL_OK) (void)zl_document_erase(store, path, name, NULL);
    return status;
}

static zl_status store_node(parents *above, zl_store *store, const char *path, const zl_new_node *node, zl_error *err) {
    if (node->mode == ZL_CREATE_REPLACE) ZL_TRY(zl_consolidated_forget(store, path, err));
    ZL_TRY(parents_make(above, store, err));
    zl_status status = store_attributes(store, path, node, err);
    if (status == ZL_OK) status = store_document(store, path, node, err);
    const bool is_mine = status != ZL_ERR_EXISTS && node->attributes.size > 0;
    if (status != ZL_OK && is_mine) (void)zl_document_erase(store, path, ".zattrs", NULL);
    return status;
}

zl_status zl_create_read_format(int32_t given, int32_t *out, zl_error *err) {
    *out = given == 0 ? 3 : given;
    if (*out == 2 || *out == 3) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "zarr_format is %d, it can be 2 or 3", (int)given);
}

zl_status zl_new_node_parse(zl_metadata **out, zl_store *store, const zl_new_node *node, const char *what, zl_error *err) {
    zl_env env;
    zl_context_env(store->context, &env);
    const zl_document_text document = {(const char *)node->document.data, node->document.size, what};
    const zl_document_text attributes = {(const char *)node->attributes.data, node->attributes.size, what};
    if (node->zarr_format == 3) {
        return zl_metadata_parse_v3(out, document.text, document.size, what, &env, store->allocator, err);
    }
    return zl_metadata_parse_v2(out, node->kind, &document, attributes.size > 0 ? &attributes : NULL, &env,
                                store->allocator, err);
}

zl_status zl_node_create(zl_store *store, const char *path, const zl_new_node *node, zl_error *err) {
    ZL_TRY(zl_node_check_writable(store, err));
    parents above;
    zl_status status = parents_init(&above, store, path, node->zarr_format, err);
    if (status == ZL_OK) status = parents_look(&above, store, path, err);
    if (status == ZL_OK && node->mode != ZL_CREATE_REPLACE) status = check_free(store, path, node->kind, err);
    if (status == ZL_OK && node->mode == ZL_CREATE_REPLACE) status = zl_node_erase(store, path, err);
    if (status == ZL_OK) {
        zl_mutex_lock(&zl_shared_of(store)->documents);
        status = store_node(&above, store, path, node, err);
        if (status != ZL_OK) parents_unmake(&above, store);
        zl_mutex_unlock(&zl_shared_of(store)->documents);
    }
    zl_arena_free(above.arena);
    return status;
}
