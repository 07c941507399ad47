/* SPDX-License-Identifier: MIT */
/* Consolidated metadata as a whole: made by walking over all nodes, and compared with what they are now. No chunk is looked
 * at. */
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"
#include "engine/shared.h"
#include "meta/consolidated.h"
#include "meta/metadata.h"

/* ---- the copies as they should be */

typedef struct collection {
    zl_store *store;
    const char *group;
    int32_t zarr_format;
    bool makes_groups; /* of those that are implicit */
    zl_json_writer *writer;
    zl_status status;
    zl_error *err;
} collection;

static zl_status parse_document(const zl_document *document, zl_store *store, zl_json_doc **out, zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = document->key};
    return zl_json_parse(out, (const char *)document->bytes.data, document->bytes.size, &options, store->allocator, err);
}

/* Adds the document `name` of a node, if there is one. */
static zl_status add_document(const collection *self, const char *path, const char *name) {
    zl_store *store = self->store;
    const size_t start = *self->group != '\0' ? strlen(self->group) + 1 : 0;
    const char *below = strlen(path) > start ? path + start : "";
    zl_document document;
    zl_json_doc *doc = NULL;
    char *key = NULL; /* of v2; in v3 the path itself is */
    zl_status status = zl_document_read(&document, store, path, name, self->err);
    if (status == ZL_OK) status = parse_document(&document, store, &doc, self->err);
    if (status == ZL_OK && self->zarr_format == 2) {
        key = zl_path_join(below, name, store->allocator);
        if (key == NULL) status = zl_fail_memory(self->err, strlen(path));
    }
    if (status == ZL_OK) zl_consolidated_write_copy(self->writer, key != NULL ? key : below, zl_json_root(doc));
    zl_text_free(key, store->allocator);
    zl_json_doc_free(doc);
    zl_document_clear(&document, store);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status add_node(const collection *self, const char *path, zl_node_kind kind) {
    if (self->zarr_format == 3) return add_document(self, path, "zarr.json");
    ZL_TRY(add_document(self, path, kind == ZL_NODE_ARRAY ? ".zarray" : ".zgroup"));
    return add_document(self, path, ".zattrs");
}

/* Readers that know no implicit groups find no node below one. */
static zl_status make_group(const collection *self, const char *path) {
    static const zl_generation no_object = {{0, 0}};
    zl_store *store = self->store;
    const zl_limits *limits = &store->context->limits;
    zl_json_writer writer, none;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_json_writer_init(&none, store->allocator, 2);
    zl_status status = self->zarr_format == 2
                           ? zl_metadata_emit_group_v2(NULL, limits, store->allocator, &writer, &none, self->err)
                           : zl_metadata_emit_group_v3(NULL, limits, store->allocator, &writer, self->err);
    if (status == ZL_OK) {
        const char *name = self->zarr_format == 2 ? ".zgroup" : "zarr.json";
        const char *text = (const char *)writer.sink.data;
        status = zl_document_store(store, path, name, text, writer.sink.size, &no_object, self->err);
    }
    zl_json_writer_clear(&none);
    zl_json_writer_clear(&writer);
    return status == ZL_ERR_CONFLICT ? ZL_OK : status; /* then somebody else has made it one */
}

/* Nodes of the other version are not this group's. */
static bool visit(void *user, const zl_node_info *info) {
    collection *self = user;
    const bool is_node = info->kind == ZL_NODE_ARRAY || info->kind == ZL_NODE_GROUP;
    if (info->kind == ZL_NODE_IMPLICIT_GROUP && self->makes_groups) {
        self->status = make_group(self, info->path);
        if (self->status == ZL_OK) self->status = add_node(self, info->path, ZL_NODE_GROUP);
        return self->status == ZL_OK;
    }
    if (!is_node || info->zarr_format != self->zarr_format) return true;
    self->status = add_node(self, info->path, info->kind);
    return self->status == ZL_OK;
}

/* The object of all copies, as a document. */
static zl_status collect(zl_json_doc **out, zl_store *store, const char *group, int32_t zarr_format, bool makes_groups,
                         zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {.max_depth = limits->json_depth, .allow_nan = true, .what = "consolidated metadata"};
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 0);
    collection self = {.store = store,
                       .group = group,
                       .zarr_format = zarr_format,
                       .makes_groups = makes_groups,
                       .writer = &writer,
                       .err = err};
    zl_json_write_object(&writer);
    if (zarr_format == 2) self.status = add_node(&self, group, ZL_NODE_GROUP); /* its own document is a copy, too */
    zl_status status = self.status;
    if (status == ZL_OK) status = zl_node_list_stored(store, group, true, visit, &self, err);
    if (status == ZL_OK) status = self.status;
    zl_json_write_end(&writer);
    if (status == ZL_OK) status = zl_json_writer_finish(&writer, err);
    if (status == ZL_OK) {
        status = zl_json_parse(out, (const char *)writer.sink.data, writer.sink.size, &options, store->allocator, err);
    }
    zl_json_writer_clear(&writer);
    return status;
}

/* ---- the group's document */

typedef struct holder {
    zl_store *store;
    char *path;
    int32_t zarr_format;
    const char *name; /* of the document that holds the copies */
    zl_document document;
    zl_json_doc *doc; /* NULL: not there */
} holder;

static void holder_clear(holder *self) {
    zl_json_doc_free(self->doc);
    zl_document_clear(&self->document, self->store);
    zl_text_free(self->path, self->store->allocator);
}

/* Cleared by the caller in any case. */
static zl_status holder_open(holder *out, zl_store *store, const char *path, zl_error *err) {
    zl_node node;
    *out = (holder){.store = store};
    ZL_TRY(zl_path_copy(&out->path, path, store->allocator, err));
    ZL_TRY(zl_node_read_kind(store, out->path, &node, err));
    if (node.kind != ZL_NODE_GROUP) return zl_node_missing(out->path, ZL_NODE_GROUP, err);
    out->zarr_format = node.zarr_format;
    out->name = node.zarr_format == 2 ? ".zmetadata" : "zarr.json";
    const zl_status status = zl_document_read(&out->document, store, out->path, out->name, err);
    if (status == ZL_ERR_NOT_FOUND) return ZL_OK;
    return status == ZL_OK ? parse_document(&out->document, store, &out->doc, err) : status;
}

static zl_status holder_store(const holder *self, const zl_json *copies, zl_error *err) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, self->store->allocator, 2);
    zl_consolidated_replace(&writer, self->doc != NULL ? zl_json_root(self->doc) : NULL, self->zarr_format, copies);
    zl_status status = zl_json_writer_finish(&writer, err);
    if (status == ZL_OK) {
        status = zl_document_store(self->store, self->path, self->name, (const char *)writer.sink.data, writer.sink.size,
                                   &self->document.info.generation, err);
    }
    zl_json_writer_clear(&writer);
    return status;
}

zl_status zl_consolidate(zl_store *store, const char *path, zl_error *err) {
    ZL_TRY(zl_node_check_writable(store, err));
    holder self;
    zl_json_doc *copies = NULL;
    zl_mutex_lock(&zl_shared_of(store)->documents);
    zl_status status = holder_open(&self, store, path, err);
    if (status == ZL_OK) status = collect(&copies, store, self.path, self.zarr_format, true, err);
    if (status == ZL_OK) status = holder_store(&self, zl_json_root(copies), err);
    zl_mutex_unlock(&zl_shared_of(store)->documents);
    zl_json_doc_free(copies);
    holder_clear(&self);
    return status;
}

/* ---- checking */

typedef struct checking {
    zl_stale_fn each;
    void *user;
} checking;

/* No attributes, which some writers copy where there is no document of them. */
static bool is_empty_attributes(const char *key, const zl_json *copy) {
    static const char name[] = ".zattrs";
    const size_t size = strlen(key), name_size = sizeof name - 1;
    const bool is_it = size >= name_size && strcmp(key + size - name_size, name) == 0;
    return is_it && zl_json_get_type(copy) == ZL_JSON_OBJECT && zl_json_count(copy) == 0;
}

static bool report(void *user, const char *key, const zl_json *old, const zl_json *now) {
    const checking *self = user;
    if (old == NULL ? is_empty_attributes(key, now) : now == NULL && is_empty_attributes(key, old)) return true;
    const zl_stale_info info = {key, old == NULL ? ZL_STALE_MISSING : now == NULL ? ZL_STALE_GONE : ZL_STALE_CHANGED};
    return self->each(self->user, &info);
}

/* The stored copies without what copies of groups may hold themselves. */
static zl_status plain_copies(zl_json_doc **out, const zl_json *copies, const zl_store *store, zl_error *err) {
    const zl_json_options options = {
        .max_depth = store->context->limits.json_depth, .allow_nan = true, .what = "consolidated metadata"};
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 0);
    zl_json_write_object(&writer);
    for (const zl_json *copy = zl_json_first(copies); copy != NULL; copy = zl_json_next(copy)) {
        zl_consolidated_write_copy(&writer, zl_json_key(copy, NULL), copy);
    }
    zl_json_write_end(&writer);
    zl_status status = zl_json_writer_finish(&writer, err);
    if (status == ZL_OK) {
        status = zl_json_parse(out, (const char *)writer.sink.data, writer.sink.size, &options, store->allocator, err);
    }
    zl_json_writer_clear(&writer);
    return status;
}

static zl_status check(const holder *self, const zl_json *copies, checking *how, zl_error *err) {
    zl_store *store = self->store;
    zl_json_doc *old = NULL, *now = NULL;
    zl_status status = plain_copies(&old, copies, store, err);
    if (status == ZL_OK) status = collect(&now, store, self->path, self->zarr_format, false, err);
    if (status == ZL_OK) {
        status = zl_consolidated_compare(zl_json_root(old), zl_json_root(now), store->allocator, report, how, err);
    }
    zl_json_doc_free(now);
    zl_json_doc_free(old);
    return status;
}

zl_status zl_consolidated_check(zl_store *store, const char *path, zl_stale_fn each, void *user, bool *found,
                                zl_error *err) {
    holder self;
    checking how = {each, user};
    zl_status status = holder_open(&self, store, path, err);
    if (status == ZL_OK) {
        const zl_json *copies = self.doc != NULL ? zl_consolidated_copies(zl_json_root(self.doc), self.zarr_format) : NULL;
        if (copies != NULL) status = check(&self, copies, &how, err);
        if (status == ZL_OK) *found = copies != NULL;
    }
    holder_clear(&self);
    return status;
}
