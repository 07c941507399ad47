/* SPDX-License-Identifier: MIT */
#include "api/change.h"

#include "api/consolidated.h"
#include "api/node.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/shared.h"

#define TRIES_MAX 200 /* each that fails is a change by another process */

/* NaN and infinities that others stored come back out. */
static zl_status parse_stored(zl_json_doc **out, const zl_document *document, const zl_store *store, zl_error *err) {
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = document->key};
    const char *text = (const char *)document->bytes.data;
    ZL_TRY(zl_json_parse(out, text, document->bytes.size, &options, store->allocator, err));
    if (zl_json_get_type(zl_json_root(*out)) == ZL_JSON_OBJECT) return ZL_OK;
    return zl_fail(err, ZL_ERR_METADATA, "%s: must be an object", document->key);
}

static zl_status read_stored(zl_json_doc **out, const zl_change *change, zl_store *store, zl_document *document,
                             zl_error *err) {
    const zl_status status = zl_document_read(document, store, change->path, change->name, err);
    if (status == ZL_OK) return parse_stored(out, document, store, err);
    if (status != ZL_ERR_NOT_FOUND || change->may_make) return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    return zl_fail(err, status, "%s: the metadata was removed", document->key);
}

/* `*overtaken`: somebody else stored another document. */
static zl_status store_changed(zl_store *store, const zl_change *change, const zl_json_writer *writer,
                               const zl_document *stored, bool *overtaken, zl_error *err) {
    const zl_document_text text = {(const char *)writer->sink.data, writer->sink.size, stored->key};
    if (change->check != NULL) ZL_TRY(change->check(change->user, &text, err));
    const zl_generation *seen = &stored->info.generation;
    const zl_status status = zl_document_store(store, change->path, change->name, text.text, text.size, seen, err);
    *overtaken = status == ZL_ERR_CONFLICT;
    if (status != ZL_OK) return status;
    if (change->stored != NULL) *change->stored = true;
    return zl_consolidated_follow(store, change->path, change->name, text.text, text.size, err);
}

static zl_status change_once(zl_store *store, const zl_change *change, bool *overtaken, zl_error *err) {
    zl_json_doc *stored = NULL;
    zl_document document;
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_status status = read_stored(&stored, change, store, &document, err);
    if (status == ZL_OK) status = change->write(change->user, stored != NULL ? zl_json_root(stored) : NULL, &writer, err);
    if (status == ZL_OK && writer.sink.size > 0) {
        status = zl_json_writer_finish(&writer, err);
        if (status == ZL_OK) status = store_changed(store, change, &writer, &document, overtaken, err);
    }
    zl_json_writer_clear(&writer);
    zl_json_doc_free(stored);
    zl_document_clear(&document, store);
    return status;
}

zl_status zl_document_change(zl_store *store, const zl_change *change, zl_error *err) {
    ZL_TRY(zl_node_check_writable(store, err));
    zl_mutex *documents = &zl_shared_of(store)->documents;
    zl_status status = ZL_OK;
    bool overtaken = true;
    zl_mutex_lock(documents);
    const uint64_t began = zl_clock_us();
    for (int i = 0; overtaken && i < TRIES_MAX; i++) {
        if (i > 0) zl_thread_pause(began);
        overtaken = false;
        zl_error_clear(err);
        status = change_once(store, change, &overtaken, err);
    }
    zl_mutex_unlock(documents);
    return status;
}
