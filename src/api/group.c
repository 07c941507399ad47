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

/* Takes `metadata`; NULL: an implicit group. */
static zl_status group_adopt(zl_group *group, zl_metadata *metadata, zl_error *err) {
    group->metadata = metadata;
    if (metadata != NULL && metadata->kind != ZL_NODE_GROUP) {
        return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: an array, not a group", zl_path_show(group->path));
    }
    return zl_attributes_new(&group->attributes, group->store, group->path, metadata, err);
}

/* A prefix with nodes below it is a group as well. */
static zl_status check_implicit(const zl_group *group, zl_error *err) {
    zl_node node;
    ZL_TRY(zl_node_find(group->store, group->path, &node, err));
    return node.kind == ZL_NODE_IMPLICIT_GROUP ? ZL_OK : zl_node_missing(group->path, ZL_NODE_GROUP, err);
}

static zl_status group_load(zl_group *group, zl_error *err) {
    zl_metadata *metadata = NULL;
    zl_status status = zl_node_load(&metadata, group->store, group->path, err);
    if (status == ZL_ERR_NOT_FOUND) status = check_implicit(group, err);
    return status == ZL_OK ? group_adopt(group, metadata, err) : status;
}

zl_status zl_group_open(zl_group **out, zl_store *store, const char *path, zl_error *err) {
    zl_group *group = NULL;
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
static zl_status group_store(zl_group *group, const zl_new_node *node, zl_error *err) {
    zl_metadata *metadata;
    ZL_TRY(zl_new_node_parse(&metadata, group->store, node, "new group", err));
    ZL_TRY(group_adopt(group, metadata, err));
    return zl_node_create(group->store, group->path, node, err);
}

static zl_status group_make(zl_group *group, const zl_group_options *options, zl_error *err) {
    zl_store *store = group->store;
    const zl_limits *limits = &store->context->limits;
    zl_new_node node = {.kind = ZL_NODE_GROUP, .mode = options->mode};
    ZL_TRY(zl_create_read_format(options->zarr_format, &node.zarr_format, err));
    zl_json_writer writer, attributes;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_json_writer_init(&attributes, store->allocator, 2);
    zl_status status =
        node.zarr_format == 2
            ? zl_metadata_emit_group_v2(options->attributes_json, limits, store->allocator, &writer, &attributes, err)
            : zl_metadata_emit_group_v3(options->attributes_json, limits, store->allocator, &writer, err);
    if (status == ZL_OK) {
        node.document = (zl_span){writer.sink.data, writer.sink.size};
        node.attributes = (zl_span){attributes.sink.data, attributes.sink.size};
        status = group_store(group, &node, err);
    }
    zl_json_writer_clear(&writer);
    zl_json_writer_clear(&attributes);
    return status;
}

static zl_status group_open_or_store(zl_group *group, const zl_group_options *options, zl_error *err) {
    if (options->mode == ZL_CREATE_OPEN) {
        zl_node node;
        ZL_TRY(zl_node_find(group->store, group->path, &node, err));
        if (node.kind == ZL_NODE_GROUP || node.kind == ZL_NODE_IMPLICIT_GROUP) return group_load(group, err);
    }
    return group_make(group, options, err);
}

zl_status zl_group_create(zl_group **out, zl_store *store, const char *path, const zl_group_options *options,
                          zl_error *err) {
    zl_group_options known;
    ZL_TRY(zl_options_copy(&known, sizeof known, options, "zl_group_options", err));
    zl_group *group = NULL;
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
