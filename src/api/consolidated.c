/* SPDX-License-Identifier: MIT */
/*
 * Keeps copies of metadata in groups above a node as the node's own documents are. Most groups have none: then this costs
 * one look at each group above. A copy is changed under the condition that nobody else has changed the group's document
 * since it was read; otherwise it starts again.
 */
#include "api/consolidated.h"

#include "api/node.h"
#include "api/path.h"
#include "base/thread.h"
#include "engine/context.h"
#include "meta/consolidated.h"

#define TRIES_MAX 200 /* each that fails is a change by another process */

/* What is to become of the copies; relative to each group, the keys differ. */
typedef struct change {
    zl_store *store;
    const char *path;
    const char *name;        /* of the changed document; NULL: the node is gone */
    const zl_json *document; /* NULL: the document is gone */
} change;

static zl_status parse_text(zl_json_doc **out, zl_store *store, const char *text, size_t size, const char *what,
                            zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = what};
    return zl_json_parse(out, text, size, &options, store->allocator, err);
}

/* Changes the copies in `root`, and stores them if no other writer was faster. */
static zl_status store_edited(const change *self, const char *group, int32_t zarr_format, const zl_json *root,
                              const zl_generation *generation, zl_error *err) {
    zl_store *store = self->store;
    const char *below = self->path + strlen(group) + (*group != '\0' && self->path[strlen(group)] == '/');
    char *key = self->name != NULL && zarr_format == 2 ? zl_path_join(below, self->name, store->allocator) : NULL;
    if (self->name != NULL && zarr_format == 2 && key == NULL) return zl_fail_memory(err, strlen(below));
    const zl_consolidated_edit edit = {.key = self->name == NULL ? NULL
                                              : key != NULL      ? key
                                                                 : below,
                                       .document = self->document,
                                       .removed = self->name == NULL ? below : NULL};
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_consolidated_rewrite(&writer, root, zarr_format, &edit);
    zl_status status = zl_json_writer_finish(&writer, err);
    if (status == ZL_OK) {
        status = zl_document_store(store, group, zarr_format == 2 ? ".zmetadata" : "zarr.json",
                                   (const char *)writer.sink.data, writer.sink.size, generation, err);
    }
    zl_json_writer_clear(&writer);
    zl_text_free(key, store->allocator);
    return status;
}

static zl_status update_once(const change *self, const char *group, int32_t zarr_format, zl_error *err) {
    zl_document document;
    zl_json_doc *doc = NULL;
    zl_status status = zl_document_read(&document, self->store, group, zarr_format == 2 ? ".zmetadata" : "zarr.json", err);
    if (status == ZL_OK) {
        const char *text = (const char *)document.bytes.data;
        /* What cannot be understood has no copies to keep. */
        status = parse_text(&doc, self->store, text, document.bytes.size, document.key, NULL);
        if (status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT) status = ZL_ERR_NOT_FOUND;
        if (status == ZL_ERR_NO_MEMORY) (void)zl_fail_memory(err, document.bytes.size);
    }
    if (status == ZL_OK && zl_consolidated_copies(zl_json_root(doc), zarr_format) != NULL) {
        status = store_edited(self, group, zarr_format, zl_json_root(doc), &document.info.generation, err);
    }
    zl_json_doc_free(doc);
    zl_document_clear(&document, self->store);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status update_group(const change *self, const char *group, int32_t zarr_format, zl_error *err) {
    zl_status status = ZL_ERR_CONFLICT;
    const uint64_t began = zl_clock_us();
    for (int i = 0; status == ZL_ERR_CONFLICT && i < TRIES_MAX; i++) {
        if (i > 0) zl_thread_pause(began);
        status = update_once(self, group, zarr_format, err);
    }
    if (status == ZL_OK) return ZL_OK;
    return zl_error_wrap(err, status,
                         "changed, but not the copy in the consolidated metadata of %s: ", zl_path_show(group));
}

/* The groups from the path's own or the one above it up to the root. A zarr.json holds no copy of itself. */
static zl_status update_above(const change *self, int32_t zarr_format, bool with_own, zl_error *err) {
    char *group;
    if (*self->path == '\0' && !with_own) return ZL_OK;
    ZL_TRY(zl_path_copy(&group, self->path, self->store->allocator, err));
    const size_t size = strlen(group) + 1;
    zl_status status = ZL_OK;
    bool more = true, skip = !with_own;
    while (more && status == ZL_OK) {
        if (!skip) status = update_group(self, group, zarr_format, err);
        skip = false;
        more = *group != '\0';
        char *slash = strrchr(group, '/');
        *(slash != NULL ? slash : group) = '\0';
    }
    zl_free(self->store->allocator, group, size);
    return status;
}

zl_status zl_consolidated_follow(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                                 zl_error *err) {
    zl_json_doc *doc = NULL;
    const bool is_v2 = *name == '.';
    if (text != NULL) ZL_TRY(parse_text(&doc, store, text, size, name, err));
    const change self = {store, path, name, doc != NULL ? zl_json_root(doc) : NULL};
    const zl_status status = update_above(&self, is_v2 ? 2 : 3, is_v2, err);
    zl_json_doc_free(doc);
    return status;
}

zl_status zl_consolidated_forget(zl_store *store, const char *path, zl_error *err) {
    const change self = {.store = store, .path = path};
    ZL_TRY(update_above(&self, 2, false, err));
    return update_above(&self, 3, false, err);
}
