/* SPDX-License-Identifier: MIT */
/* Groups: a path with attributes. What is below a group is asked of the store, not of the group. */
#include "api/attributes.h"
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"

struct zl_group {
    zl_store *store;
    char *path;
    zl_metadata *metadata; /* NULL: an implicit group */
    zl_attributes *attributes;
};

void zl_group_close(zl_group *group) {
    if (group == NULL) return;
    zl_store *store = group->store;
    zl_attributes_free(group->attributes);
    zl_metadata_free(group->metadata, store->allocator);
    zl_text_free(group->path, store->allocator);
    ZL_DELETE(store->allocator, group);
    (void)zl_store_close(store, NULL);
}

static zl_status group_new(zl_group **out, zl_store *store, const char *path, zl_error *err) {
    zl_group *group = ZL_NEW(store->allocator, zl_group);
    if (group == NULL) return zl_fail_memory(err, sizeof *group);
    group->store = zl_store_retain(store);
    const zl_status status = zl_path_copy(&group->path, path, store->allocator, err);
    if (status == ZL_OK) {
        *out = group;
    } else {
        zl_group_close(group);
    }
    return status;
}

static zl_status group_parse(zl_group *group, const char *text, size_t size, const char *what, zl_error *err) {
    zl_env env;
    zl_context_env(group->store->context, &env);
    ZL_TRY(zl_metadata_parse_v3(&group->metadata, text, size, what, &env, group->store->allocator, err));
    if (group->metadata->kind == ZL_NODE_GROUP) return ZL_OK;
    return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: an array, not a group", zl_path_show(group->path));
}

/* A prefix with nodes below it is a group as well. */
static zl_status check_implicit(const zl_group *group, zl_error *err) {
    zl_node node;
    ZL_TRY(zl_node_find(group->store, group->path, &node, err));
    return node.kind == ZL_NODE_IMPLICIT_GROUP ? ZL_OK : zl_document_missing(group->store, group->path, ZL_NODE_GROUP, err);
}

static zl_status group_load(zl_group *group, zl_error *err) {
    zl_document document;
    zl_status status = zl_document_read(&document, group->store, group->path, err);
    if (status == ZL_OK) {
        status = group_parse(group, (const char *)document.bytes.data, document.bytes.size, document.key, err);
    } else if (status == ZL_ERR_NOT_FOUND) {
        status = check_implicit(group, err);
    }
    zl_document_clear(&document, group->store);
    if (status != ZL_OK) return status;
    return zl_attributes_new(&group->attributes, group->store, group->path, group->metadata, err);
}

zl_status zl_group_open(zl_group **out, zl_store *store, const char *path, zl_error *err) {
    zl_group *group;
    ZL_TRY(group_new(&group, store, path, err));
    const zl_status status = group_load(group, err);
    if (status == ZL_OK) {
        *out = group;
    } else {
        zl_group_close(group);
    }
    return status;
}

/* ---- creating */

/* The handle is complete before anything is stored. */
static zl_status group_store(zl_group *group, const zl_group_options *options, zl_error *err) {
    zl_store *store = group->store;
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_status status =
        zl_metadata_emit_group_v3(options->attributes_json, &store->context->limits, store->allocator, &writer, err);
    const char *text = (const char *)writer.sink.data;
    if (status == ZL_OK) status = group_parse(group, text, writer.sink.size, "new group", err);
    if (status == ZL_OK) status = zl_attributes_new(&group->attributes, store, group->path, group->metadata, err);
    if (status == ZL_OK) {
        status = zl_node_create(store, group->path, ZL_NODE_GROUP, options->mode, text, writer.sink.size, err);
    }
    zl_json_writer_clear(&writer);
    return status;
}

static zl_status group_open_or_store(zl_group *group, const zl_group_options *options, zl_error *err) {
    if (options->mode == ZL_CREATE_OPEN) {
        zl_node node;
        ZL_TRY(zl_node_find(group->store, group->path, &node, err));
        if (node.kind == ZL_NODE_GROUP || node.kind == ZL_NODE_IMPLICIT_GROUP) return group_load(group, err);
    }
    return group_store(group, options, err);
}

zl_status zl_group_create(zl_group **out, zl_store *store, const char *path, const zl_group_options *options,
                          zl_error *err) {
    zl_group_options known;
    ZL_TRY(zl_options_copy(&known, sizeof known, options, "zl_group_options", err));
    ZL_TRY(zl_create_check_format(known.zarr_format, err));
    zl_group *group;
    ZL_TRY(group_new(&group, store, path, err));
    const zl_status status = group_open_or_store(group, &known, err);
    if (status == ZL_OK) {
        *out = group;
    } else {
        zl_group_close(group);
    }
    return status;
}

const char *zl_group_path(const zl_group *group) {
    return group->path;
}
zl_attributes *zl_group_attributes(zl_group *group) {
    return group->attributes;
}
