/* SPDX-License-Identifier: MIT */
/*
 * The metadata documents of one node: zarr.json, or in Zarr v2 a .zarray or .zgroup and beside it the attributes in
 * .zattrs. A node may have those of both versions; then v3 counts.
 */
#include "api/consolidated.h"
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"

zl_status zl_document_read(zl_document *out, zl_store *store, const char *path, const char *name, zl_error *err) {
    *out = (zl_document){.key = zl_path_join(path, name, store->allocator)};
    if (out->key == NULL) return zl_fail_memory(err, strlen(path));
    return zl_store_get_all(store, out->key, store->context->limits.json_document, &out->bytes, &out->info, err);
}

void zl_document_clear(zl_document *document, const zl_store *store) {
    zl_bytes_release(&document->bytes);
    zl_text_free(document->key, store->allocator);
    document->key = NULL;
}

zl_status zl_document_store(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                            const zl_generation *only_if, zl_error *err) {
    char *key = zl_path_join(path, name, store->allocator);
    if (key == NULL) return zl_fail_memory(err, strlen(path));
    zl_status status;
    if (only_if != NULL && (store->cls->caps & ZL_STORE_CONDITIONAL) != 0) {
        const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
        const zl_span span = {(const uint8_t *)text, size};
        const zl_condition condition = {ZL_IF_GENERATION, *only_if};
        status = store->cls->set(store->self, key, &span, 1, &condition, &call);
    } else {
        status = zl_store_set_all(store, key, text, size, err);
    }
    zl_text_free(key, store->allocator);
    return status;
}

zl_status zl_document_write(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                            const zl_generation *only_if, zl_error *err) {
    ZL_TRY(zl_document_store(store, path, name, text, size, only_if, err));
    return zl_consolidated_follow(store, path, name, text, size, err);
}

zl_status zl_document_erase(zl_store *store, const char *path, const char *name, zl_error *err) {
    char *key = zl_path_join(path, name, store->allocator);
    if (key == NULL) return zl_fail_memory(err, strlen(path));
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    const zl_status status = store->cls->erase(store->self, key, NULL, &call);
    zl_text_free(key, store->allocator);
    if (status != ZL_OK) return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    return zl_consolidated_follow(store, path, name, NULL, 0, err);
}

/* ---- everything about a node */

static const struct {
    const char *name;
    zl_node_kind kind;
} v2_documents[] = {{".zarray", ZL_NODE_ARRAY}, {".zgroup", ZL_NODE_GROUP}};

static zl_document_text text_of(const zl_document *document) {
    return (zl_document_text){(const char *)document->bytes.data, document->bytes.size, document->key};
}

static zl_status load_v3(zl_metadata **out, zl_store *store, const char *path, const zl_env *env, zl_error *err) {
    zl_document document;
    zl_status status = zl_document_read(&document, store, path, "zarr.json", err);
    if (status == ZL_OK) {
        const zl_document_text text = text_of(&document);
        status = zl_metadata_parse_v3(out, text.text, text.size, text.what, env, store->allocator, err);
    }
    zl_document_clear(&document, store);
    return status;
}

static zl_status load_with_attributes(zl_metadata **out, zl_store *store, const char *path, zl_node_kind kind,
                                      const zl_document *document, const zl_env *env, zl_error *err) {
    zl_document attributes;
    const zl_document_text node = text_of(document);
    zl_status status = zl_document_read(&attributes, store, path, ".zattrs", err);
    const zl_document_text beside = text_of(&attributes);
    if (status == ZL_OK || status == ZL_ERR_NOT_FOUND) {
        status = zl_metadata_parse_v2(out, kind, &node, status == ZL_OK ? &beside : NULL, env, store->allocator, err);
    }
    zl_document_clear(&attributes, store);
    return status;
}

static zl_status load_v2(zl_metadata **out, zl_store *store, const char *path, const zl_env *env, zl_error *err) {
    zl_status status = ZL_ERR_NOT_FOUND;
    for (size_t i = 0; status == ZL_ERR_NOT_FOUND && i < ZL_COUNT_OF(v2_documents); i++) {
        zl_document document;
        status = zl_document_read(&document, store, path, v2_documents[i].name, err);
        if (status == ZL_OK) {
            status = load_with_attributes(out, store, path, v2_documents[i].kind, &document, env, err);
        }
        zl_document_clear(&document, store);
    }
    return status;
}

zl_status zl_node_load(zl_metadata **out, zl_store *store, const char *path, zl_error *err) {
    zl_env env;
    zl_context_env(store->context, &env);
    const zl_status status = load_v3(out, store, path, &env, err);
    return status == ZL_ERR_NOT_FOUND ? load_v2(out, store, path, &env, err) : status;
}

zl_status zl_node_missing(const char *path, zl_node_kind kind, zl_error *err) {
    return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: no %s here", zl_path_show(path), kind == ZL_NODE_ARRAY ? "array" : "group");
}

/* ---- what kind of node is it? */

static zl_status read_v3_kind(const zl_document *document, const zl_store *store, zl_node *out, zl_error *err) {
    static const char *const node_types[] = {"array", "group", NULL};
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = document->key};
    zl_json_doc *doc = NULL;
    ZL_TRY(zl_json_parse(&doc, (const char *)document->bytes.data, document->bytes.size, &options, store->allocator, err));
    const zl_json *root = zl_json_root(doc);
    int64_t zarr_format = 0;
    int node_type = 0;
    zl_status status = zl_json_get_i64(root, "zarr_format", &zarr_format, err);
    if (status == ZL_OK && zarr_format != 3) {
        status = zl_json_fail(root, err, ZL_ERR_METADATA, "zarr_format is %lld, not 3", (long long)zarr_format);
    }
    if (status == ZL_OK) status = zl_json_get_choice(root, "node_type", node_types, &node_type, err);
    if (status == ZL_OK) {
        *out = (zl_node){node_type == 0 ? ZL_NODE_ARRAY : ZL_NODE_GROUP, 3};
    } else {
        status = zl_error_wrap(err, status, "%s: ", document->key);
    }
    zl_json_doc_free(doc);
    return status;
}

static zl_status object_exists(zl_store *store, const char *path, const char *name, bool *out, zl_error *err) {
    char *key = zl_path_join(path, name, store->allocator);
    if (key == NULL) return zl_fail_memory(err, strlen(path));
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_object_info info;
    const zl_status status = store->cls->info(store->self, key, &info, &call);
    zl_text_free(key, store->allocator);
    *out = status == ZL_OK;
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status read_v2_kind(zl_store *store, const char *path, zl_node *out, zl_error *err) {
    *out = (zl_node){ZL_NODE_NONE, 0};
    for (size_t i = 0; i < ZL_COUNT_OF(v2_documents); i++) {
        bool exists = false;
        ZL_TRY(object_exists(store, path, v2_documents[i].name, &exists, err));
        if (!exists) continue;
        *out = (zl_node){v2_documents[i].kind, 2};
        break;
    }
    return ZL_OK;
}

zl_status zl_node_read_kind(zl_store *store, const char *path, zl_node *out, zl_error *err) {
    zl_document document;
    zl_status status = zl_document_read(&document, store, path, "zarr.json", err);
    if (status == ZL_OK) {
        status = read_v3_kind(&document, store, out, err);
    } else if (status == ZL_ERR_NOT_FOUND) {
        status = read_v2_kind(store, path, out, err);
    }
    zl_document_clear(&document, store);
    return status;
}

zl_status zl_node_has_v2(zl_store *store, const char *path, bool *out, zl_error *err) {
    char *clean;
    zl_node node;
    ZL_TRY(zl_path_copy(&clean, path, store->allocator, err));
    const zl_status status = read_v2_kind(store, clean, &node, err);
    if (status == ZL_OK) *out = node.kind != ZL_NODE_NONE;
    zl_text_free(clean, store->allocator);
    return status;
}
