/* SPDX-License-Identifier: MIT */
/*
 * Storing the metadata of new nodes. Groups above come first, so that a crash leaves a hierarchy whose every node can be
 * reached, and the node's own document last. What a failed call has made is removed again. A group that is there without
 * metadata because it has members (an implicit one) is left as it is.
 */
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"
#include "meta/metadata.h"

static const zl_generation no_object = {{0, 0}};

/* ---- groups above the new node */

typedef struct parents {
    zl_arena *arena;
    const char **path; /* from the root down */
    bool *made;        /* by this call */
    size_t count;
    size_t missing; /* index of the first one that is not there; `count` when all are */
} parents;

static zl_status parents_init(parents *out, const zl_store *store, const char *path, zl_error *err) {
    *out = (parents){.arena = zl_arena_new(store->allocator)};
    if (out->arena == NULL) return zl_fail_memory(err, sizeof *out);
    size_t count = *path != '\0' ? 1 : 0;
    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
        count++;
    }
    out->path = zl_arena_zero(out->arena, count * sizeof *out->path, _Alignof(const char *));
    out->made = zl_arena_zero(out->arena, count * sizeof *out->made, _Alignof(bool));
    if (out->path == NULL || out->made == NULL) return zl_fail_memory(err, count * sizeof *out->path);

    const char *end = path; /* the root is the path in front of byte 0 */
    for (out->count = 0; out->count < count; end = strchr(end + 1, '/')) {
        const char *parent = zl_arena_text(out->arena, path, (size_t)(end - path));
        if (parent == NULL) return zl_fail_memory(err, strlen(path));
        out->path[out->count++] = parent;
    }
    out->missing = count;
    return ZL_OK;
}

/* Where one group is missing and has no members, those below it are missing as well. */
static zl_status parents_look(parents *self, zl_store *store, const char *path, zl_error *err) {
    for (size_t i = 0; i < self->count; i++) {
        zl_node node;
        bool has_nodes = false;
        ZL_TRY(zl_node_read_kind(store, self->path[i], &node, err));
        if (node.kind == ZL_NODE_ARRAY) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s: there is an array at %s, nodes cannot be below it", path,
                           zl_path_show(self->path[i]));
        }
        if (node.kind == ZL_NODE_NONE) ZL_TRY(zl_node_has_nodes_below(store, self->path[i], &has_nodes, err));
        if (node.kind == ZL_NODE_NONE && !has_nodes) {
            self->missing = i;
            return ZL_OK;
        }
    }
    return ZL_OK;
}

static zl_status parents_make(parents *self, zl_store *store, zl_error *err) {
    if (self->missing == self->count) return ZL_OK;
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_status status = zl_metadata_emit_group_v3(NULL, &store->context->limits, store->allocator, &writer, err);
    for (size_t i = self->missing; status == ZL_OK && i < self->count; i++) {
        status = zl_document_write(store, self->path[i], (const char *)writer.sink.data, writer.sink.size, &no_object, err);
        self->made[i] = status == ZL_OK;
        if (status == ZL_ERR_CONFLICT) status = ZL_OK; /* another writer was faster: it is there, that is enough */
    }
    zl_json_writer_clear(&writer);
    return status;
}

/* The failure that led here is the one to report. */
static void parents_unmake(const parents *self, zl_store *store) {
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator};
    for (size_t i = self->count; i-- > 0;) {
        if (!self->made[i]) continue;
        char *key = zl_path_join(self->path[i], "zarr.json", store->allocator);
        if (key != NULL) (void)store->cls->erase(store->self, key, NULL, &call);
        zl_text_free(key, store->allocator);
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

static zl_status store_node(parents *above, zl_store *store, const char *path, zl_create_mode mode, const char *text,
                            size_t size, zl_error *err) {
    const bool replace = mode == ZL_CREATE_REPLACE;
    if (replace) ZL_TRY(zl_node_erase(store, path, err));
    ZL_TRY(parents_make(above, store, err));
    const zl_status status = zl_document_write(store, path, text, size, replace ? NULL : &no_object, err);
    return status == ZL_ERR_CONFLICT ? fail_exists(path, ZL_NODE_NONE, err) : status;
}

zl_status zl_create_check_format(int32_t zarr_format, zl_error *err) {
    if (zarr_format == 0 || zarr_format == 3) return ZL_OK;
    if (zarr_format == 2) return zl_fail(err, ZL_ERR_UNSUPPORTED, "Zarr format 2 is not supported yet");
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "zarr_format is %d, it can be 3", (int)zarr_format);
}

zl_status zl_node_create(zl_store *store, const char *path, zl_node_kind kind, zl_create_mode mode, const char *text,
                         size_t size, zl_error *err) {
    ZL_TRY(zl_node_check_writable(store, err));
    parents above;
    zl_status status = parents_init(&above, store, path, err);
    if (status == ZL_OK) status = parents_look(&above, store, path, err);
    if (status == ZL_OK && mode != ZL_CREATE_REPLACE) status = check_free(store, path, kind, err);
    if (status == ZL_OK) {
        status = store_node(&above, store, path, mode, text, size, err);
        if (status != ZL_OK) parents_unmake(&above, store);
    }
    zl_arena_free(above.arena);
    return status;
}
