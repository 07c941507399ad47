/* SPDX-License-Identifier: MIT */
/*
 * Attributes: one JSON object in a node's metadata document, or in Zarr v2 a document of its own.
 *
 * A change reads the stored document again, replaces the one member, and stores it under the condition that nobody else
 * has stored another one since; if somebody has, it starts again. So changes of different attributes by two writers both
 * survive, on stores that offer conditions. The new document is understood completely before it is stored.
 *
 * Keys of the object may occur twice in documents of others. The last one counts, as for most readers; a change leaves one.
 */
#include "api/attributes.h"

#include "api/buffer.h"
#include "api/node.h"
#include "api/path.h"
#include "engine/context.h"

#define TRIES_MAX 16

zl_status zl_attributes_new(zl_attributes **out, zl_store *store, const char *path, const zl_metadata *metadata,
                            zl_error *err) {
    zl_attributes *attributes = ZL_NEW(store->allocator, zl_attributes);
    if (attributes == NULL) return zl_fail_memory(err, sizeof *attributes);
    *attributes = (zl_attributes){.store = store, .path = path, .seen = metadata};
    const zl_status status = zl_mutex_init(&attributes->mutex, err);
    if (status == ZL_OK) {
        *out = attributes;
    } else {
        ZL_DELETE(store->allocator, attributes);
    }
    return status;
}

void zl_attributes_free(zl_attributes *attributes) {
    if (attributes == NULL) return;
    zl_mutex_clear(&attributes->mutex);
    zl_metadata_free(attributes->changed, attributes->store->allocator);
    ZL_DELETE(attributes->store->allocator, attributes);
}

/* ---- looking */

/* Reading is const for the caller; the lock is not. */
static const zl_json *lock_object(const zl_attributes *attributes) {
    zl_mutex_lock((zl_mutex *)&attributes->mutex);
    return attributes->seen != NULL ? attributes->seen->attributes : NULL;
}

static void unlock(const zl_attributes *attributes) {
    zl_mutex_unlock((zl_mutex *)&attributes->mutex);
}

static bool has_key(const zl_json *member, const char *name) {
    size_t size;
    const char *key = zl_json_key(member, &size);
    return size == strlen(name) && memcmp(key, name, size) == 0;
}

static const zl_json *find_last(const zl_json *object, const char *name) {
    const zl_json *found = NULL;
    for (const zl_json *member = zl_json_first(object); member != NULL; member = zl_json_next(member)) {
        if (has_key(member, name)) found = member;
    }
    return found;
}

static zl_status fail_missing(const zl_attributes *attributes, const char *name, zl_error *err) {
    return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: no attribute \"%s\"", zl_path_show(attributes->path), name);
}

size_t zl_attributes_count(const zl_attributes *attributes) {
    const zl_json *object = lock_object(attributes);
    const size_t count = object != NULL ? zl_json_count(object) : 0;
    unlock(attributes);
    return count;
}

const char *zl_attributes_name(const zl_attributes *attributes, size_t index) {
    const zl_json *object = lock_object(attributes);
    const zl_json *member = object != NULL ? zl_json_first(object) : NULL;
    while (member != NULL && index-- > 0) {
        member = zl_json_next(member);
    }
    const char *name = member != NULL ? zl_json_key(member, NULL) : NULL;
    unlock(attributes);
    return name;
}

/* `value` NULL: an empty object. */
static zl_status value_text(const zl_attributes *attributes, const zl_json *value, zl_buffer *out, zl_error *err) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, attributes->store->allocator, 0);
    if (value != NULL) {
        zl_json_write_value(&writer, value);
    } else {
        zl_json_write_object(&writer);
        zl_json_write_end(&writer);
    }
    return zl_buffer_take(out, attributes->store->context, &writer, err);
}

zl_status zl_attributes_get_json(const zl_attributes *attributes, const char *name, zl_buffer *out, zl_error *err) {
    const zl_json *object = lock_object(attributes);
    const zl_json *value = name == NULL ? object : object != NULL ? find_last(object, name) : NULL;
    const zl_status status =
        name == NULL || value != NULL ? value_text(attributes, value, out, err) : fail_missing(attributes, name, err);
    unlock(attributes);
    return status;
}

zl_status zl_attributes_document(zl_attributes *attributes, zl_buffer *out, zl_error *err) {
    size_t size = 0;
    (void)lock_object(attributes);
    const char *text = attributes->seen != NULL ? zl_json_source(attributes->seen->doc, &size) : "";
    const zl_status status = zl_buffer_copy(out, attributes->store->context, text, size, err);
    unlock(attributes);
    return status;
}

/* ---- changing */

/* `name` NULL: `value` is the new object. `value` NULL: `name` is removed. */
typedef struct edit {
    const char *name;
    const zl_json *value;
} edit;

/* The object with one member replaced in its place, added at the end, or left out. */
static void write_changed(zl_json_writer *writer, const zl_json *object, const edit *wanted) {
    bool pending = wanted->value != NULL;
    zl_json_write_object(writer);
    for (const zl_json *member = object != NULL ? zl_json_first(object) : NULL; member != NULL;
         member = zl_json_next(member)) {
        const bool is_it = has_key(member, wanted->name);
        if (is_it && !pending) continue;
        zl_json_write_key_of(writer, member);
        zl_json_write_value(writer, is_it ? wanted->value : member);
        if (is_it) pending = false;
    }
    if (pending) {
        zl_json_write_key(writer, wanted->name);
        zl_json_write_value(writer, wanted->value);
    }
    zl_json_write_end(writer);
}

/* The new object. NaN and infinities that others stored come back out. */
static zl_status write_object(const zl_attributes *attributes, const zl_json *object, const edit *wanted,
                              zl_json_writer *writer, zl_error *err) {
    if (wanted->name == NULL) {
        zl_json_write_value(writer, wanted->value);
    } else if (wanted->value == NULL && (object == NULL || find_last(object, wanted->name) == NULL)) {
        return fail_missing(attributes, wanted->name, err);
    } else {
        write_changed(writer, object, wanted);
    }
    return zl_json_writer_finish(writer, err);
}

/* The text of `writer` as a document. */
static zl_status parse_object(const zl_attributes *attributes, const zl_json_writer *writer, zl_json_doc **out,
                              zl_error *err) {
    const zl_limits *limits = &attributes->store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = "attributes"};
    return zl_json_parse(out, (const char *)writer->sink.data, writer->sink.size, &options, attributes->store->allocator,
                         err);
}

/* Writes the whole document of v3 with the change. */
static zl_status write_document(const zl_attributes *attributes, const zl_metadata *stored, const edit *wanted,
                                zl_json_writer *writer, zl_error *err) {
    zl_json_writer object;
    zl_json_doc *doc = NULL;
    zl_json_writer_init(&object, attributes->store->allocator, 0);
    zl_status status = write_object(attributes, stored->attributes, wanted, &object, err);
    if (status == ZL_OK) status = parse_object(attributes, &object, &doc, err);
    if (status == ZL_OK) status = zl_metadata_rewrite_v3(stored, zl_json_root(doc), NULL, writer, err);
    zl_json_doc_free(doc);
    zl_json_writer_clear(&object);
    return status;
}

/* The document as it is stored now. A group without one gets its first. */
static zl_status read_stored(const zl_attributes *attributes, zl_metadata **out, zl_generation *generation, zl_error *err) {
    zl_store *store = attributes->store;
    zl_document document;
    zl_json_writer writer;
    zl_env env;
    zl_context_env(store->context, &env);
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_span text = {NULL, 0};
    zl_status status = zl_document_read(&document, store, attributes->path, "zarr.json", err);
    if (status == ZL_OK) {
        text = (zl_span){document.bytes.data, document.bytes.size};
    } else if (status == ZL_ERR_NOT_FOUND && attributes->seen == NULL) {
        status = zl_metadata_emit_group_v3(NULL, env.limits, store->allocator, &writer, err);
        text = (zl_span){writer.sink.data, writer.sink.size};
    } else if (status == ZL_ERR_NOT_FOUND) {
        status = zl_fail(err, status, "%s: the metadata was removed", document.key);
    }
    if (status == ZL_OK) {
        *generation = document.info.generation;
        status = zl_metadata_parse_v3(out, (const char *)text.data, text.size, document.key, &env, store->allocator, err);
    }
    zl_json_writer_clear(&writer);
    zl_document_clear(&document, store);
    return status;
}

/* Understands the new document and stores it. */
static zl_status store_v3(const zl_attributes *attributes, const zl_json_writer *writer, const zl_generation *generation,
                          zl_metadata **out, zl_error *err) {
    zl_store *store = attributes->store;
    const char *text = (const char *)writer->sink.data;
    const size_t size = writer->sink.size;
    zl_env env;
    zl_context_env(store->context, &env);
    ZL_TRY(zl_metadata_parse_v3(out, text, size, "changed metadata", &env, store->allocator, err));
    return zl_document_write(store, attributes->path, "zarr.json", text, size, generation, err);
}

static zl_status change_v3(const zl_attributes *attributes, const edit *wanted, zl_metadata **out, zl_error *err) {
    zl_metadata *stored = NULL;
    zl_generation generation;
    ZL_TRY(read_stored(attributes, &stored, &generation, err));
    zl_json_writer writer;
    zl_json_writer_init(&writer, attributes->store->allocator, 2);
    zl_status status = write_document(attributes, stored, wanted, &writer, err);
    if (status == ZL_OK) status = store_v3(attributes, &writer, &generation, out, err);
    zl_json_writer_clear(&writer);
    zl_metadata_free(stored, attributes->store->allocator);
    return status;
}

/* ---- in Zarr v2 */

/* The node's own document stays as it was seen: a change does not touch it. */
static zl_status store_v2(const zl_attributes *attributes, const zl_json_writer *writer, const zl_generation *generation,
                          zl_metadata **out, zl_error *err) {
    zl_store *store = attributes->store;
    const zl_metadata *seen = attributes->seen;
    const zl_document_text changed = {(const char *)writer->sink.data, writer->sink.size, "changed attributes"};
    zl_document_text node = {.what = attributes->path};
    node.text = zl_json_source(seen->doc, &node.size);
    zl_env env;
    zl_context_env(store->context, &env);
    ZL_TRY(zl_metadata_parse_v2(out, seen->kind, &node, &changed, &env, store->allocator, err));
    return zl_document_write(store, attributes->path, ".zattrs", changed.text, changed.size, generation, err);
}

static zl_status read_v2(const zl_attributes *attributes, zl_json_doc **out, zl_generation *generation, zl_error *err) {
    zl_store *store = attributes->store;
    const zl_limits *limits = &store->context->limits;
    zl_document document;
    zl_status status = zl_document_read(&document, store, attributes->path, ".zattrs", err);
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = document.key};
    *generation = document.info.generation;
    if (status == ZL_OK) {
        const char *text = (const char *)document.bytes.data;
        status = zl_json_parse(out, text, document.bytes.size, &options, store->allocator, err);
    }
    zl_document_clear(&document, store);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status change_v2(const zl_attributes *attributes, const edit *wanted, zl_metadata **out, zl_error *err) {
    zl_json_doc *stored = NULL;
    zl_generation generation;
    ZL_TRY(read_v2(attributes, &stored, &generation, err));
    zl_json_writer writer;
    zl_json_writer_init(&writer, attributes->store->allocator, 2);
    const zl_json *object = stored != NULL ? zl_json_root(stored) : NULL;
    zl_status status = write_object(attributes, object, wanted, &writer, err);
    if (status == ZL_OK) status = store_v2(attributes, &writer, &generation, out, err);
    zl_json_writer_clear(&writer);
    zl_json_doc_free(stored);
    return status;
}

/* ---- in both */

static zl_status change_once(zl_attributes *attributes, const edit *wanted, zl_error *err) {
    const zl_allocator *allocator = attributes->store->allocator;
    const bool is_v2 = attributes->seen != NULL && attributes->seen->zarr_format == 2;
    zl_metadata *changed = NULL;
    const zl_status status =
        is_v2 ? change_v2(attributes, wanted, &changed, err) : change_v3(attributes, wanted, &changed, err);
    if (status != ZL_OK) {
        zl_metadata_free(changed, allocator);
        return status;
    }
    zl_metadata_free(attributes->changed, allocator);
    attributes->changed = changed;
    attributes->seen = changed;
    return ZL_OK;
}

static zl_status apply(zl_attributes *attributes, const edit *wanted, zl_error *err) {
    ZL_TRY(zl_node_check_writable(attributes->store, err));
    zl_mutex_lock(&attributes->mutex);
    zl_status status = ZL_ERR_CONFLICT;
    for (int i = 0; status == ZL_ERR_CONFLICT && i < TRIES_MAX; i++) {
        zl_error_clear(err);
        status = change_once(attributes, wanted, err);
    }
    zl_mutex_unlock(&attributes->mutex);
    return status;
}

zl_status zl_attributes_set_json(zl_attributes *attributes, const char *name, const char *json, zl_error *err) {
    const zl_allocator *allocator = attributes->store->allocator;
    if (json == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the value is NULL");
    if (name != NULL && !zl_utf8_valid(name, strlen(name))) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "the attribute's name is not valid UTF-8");
    }
    zl_json_doc *doc = NULL;
    const char *what = name != NULL ? name : "attributes";
    ZL_TRY(zl_option_parse(&doc, json, what, &attributes->store->context->limits, allocator, err));
    const edit wanted = {name, zl_json_root(doc)};
    const zl_status status = name == NULL && zl_json_get_type(wanted.value) != ZL_JSON_OBJECT
                                 ? zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attributes: must be an object")
                                 : apply(attributes, &wanted, err);
    zl_json_doc_free(doc);
    return status;
}

zl_status zl_attributes_delete(zl_attributes *attributes, const char *name, zl_error *err) {
    if (name == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the name is NULL");
    const edit wanted = {name, NULL};
    return apply(attributes, &wanted, err);
}
