/* SPDX-License-Identifier: MIT */
/*
 * Attributes: one JSON object in a node's metadata document, or in Zarr v2 a document of its own.
 *
 * A change reads the stored document again and replaces the one member (change.h). So changes of different attributes by
 * two writers both survive, in one process or on stores that offer conditions. The new document is understood completely
 * before it is stored.
 *
 * Keys of the object may occur twice in documents of others. The last one counts, as for most readers; a change leaves one.
 */
#include "api/attributes.h"

#include "api/buffer.h"
#include "api/change.h"
#include "api/path.h"
#include "engine/context.h"

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

zl_status zl_attributes_use(const zl_attributes *attributes, const char *name, zl_attribute_fn use, void *user,
                            zl_error *err) {
    if (name == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the name is NULL");
    const zl_json *object = lock_object(attributes);
    const zl_json *value = object != NULL ? find_last(object, name) : NULL;
    const zl_status status = value != NULL ? use(user, value, err) : fail_missing(attributes, name, err);
    unlock(attributes);
    return status;
}

/* The text that a change of the shape stores. */
static zl_status resized_text(const zl_metadata *seen, const int64_t *shape, const zl_store *store, zl_buffer *out,
                              zl_error *err) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 2);
    (void)zl_metadata_rewrite(seen->root, NULL, shape, seen->shape.rank, &writer, NULL);
    return zl_buffer_take(out, store->context, &writer, err);
}

zl_status zl_attributes_document(zl_attributes *attributes, const int64_t *shape, zl_buffer *out, zl_error *err) {
    const zl_store *store = attributes->store;
    (void)lock_object(attributes);
    const zl_metadata *seen = attributes->seen;
    size_t size;
    const char *text = zl_json_source(seen->doc, &size);
    const bool same = memcmp(seen->shape.dim, shape, (size_t)seen->shape.rank * sizeof *shape) == 0;
    const zl_status status =
        same ? zl_buffer_copy(out, store->context, text, size, err) : resized_text(seen, shape, store, out, err);
    unlock(attributes);
    return status;
}

void zl_attributes_adopt(zl_attributes *attributes, zl_metadata *metadata) {
    zl_mutex_lock(&attributes->mutex);
    zl_metadata_free(attributes->changed, attributes->store->allocator);
    attributes->changed = metadata;
    attributes->seen = metadata;
    zl_mutex_unlock(&attributes->mutex);
}

/* ---- changing */

/* `name` NULL: `value` is the new object. `value` NULL: `name` is removed. */
typedef struct edit {
    zl_attributes *attributes;
    const char *name;
    const zl_json *value;
    zl_metadata *changed; /* what the new document says */
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
static zl_status write_object(const edit *wanted, const zl_json *object, zl_json_writer *writer, zl_error *err) {
    if (wanted->name == NULL) {
        zl_json_write_value(writer, wanted->value);
    } else if (wanted->value == NULL && (object == NULL || find_last(object, wanted->name) == NULL)) {
        return fail_missing(wanted->attributes, wanted->name, err);
    } else {
        write_changed(writer, object, wanted);
    }
    return zl_json_writer_finish(writer, err);
}

/* Parses what write_object gives. */
static zl_status make_object(const edit *wanted, const zl_json *object, zl_json_doc **out, zl_error *err) {
    const zl_store *store = wanted->attributes->store;
    const zl_limits *limits = &store->context->limits;
    const zl_json_options options = {
        .max_depth = limits->json_depth, .max_size = limits->json_document, .allow_nan = true, .what = "attributes"};
    zl_json_writer writer;
    zl_json_writer_init(&writer, store->allocator, 0);
    zl_status status = write_object(wanted, object, &writer, err);
    const char *text = (const char *)writer.sink.data;
    if (status == ZL_OK) status = zl_json_parse(out, text, writer.sink.size, &options, store->allocator, err);
    zl_json_writer_clear(&writer);
    return status;
}

/* The whole document of v3. A group without one gets its first. */
static zl_status write_v3(void *user, const zl_json *stored, zl_json_writer *writer, zl_error *err) {
    const edit *wanted = user;
    const zl_allocator *allocator = wanted->attributes->store->allocator;
    const zl_limits *limits = &wanted->attributes->store->context->limits;
    const zl_json *object = stored != NULL ? zl_json_member(stored, "attributes") : NULL;
    zl_json_doc *doc = NULL;
    zl_status status = make_object(wanted, object, &doc, err);
    if (status == ZL_OK && stored != NULL) {
        status = zl_metadata_rewrite(stored, zl_json_root(doc), NULL, 0, writer, err);
    } else if (status == ZL_OK) {
        status = zl_metadata_emit_group_v3(zl_json_source(doc, NULL), limits, allocator, writer, err);
    }
    zl_json_doc_free(doc);
    return status;
}

static zl_status check_v3(void *user, const zl_document_text *changed, zl_error *err) {
    edit *wanted = user;
    const zl_store *store = wanted->attributes->store;
    zl_env env;
    zl_context_env(store->context, &env);
    zl_metadata_free(wanted->changed, store->allocator);
    wanted->changed = NULL;
    return zl_metadata_parse_v3(&wanted->changed, changed->text, changed->size, changed->what, &env, store->allocator, err);
}

/* In v2 the attributes are a document of their own. */
static zl_status write_v2(void *user, const zl_json *stored, zl_json_writer *writer, zl_error *err) {
    return write_object(user, stored, writer, err);
}

/* The node's own document stays as it was seen: a change does not touch it. */
static zl_status check_v2(void *user, const zl_document_text *changed, zl_error *err) {
    edit *wanted = user;
    const zl_store *store = wanted->attributes->store;
    const zl_metadata *seen = wanted->attributes->seen;
    zl_document_text node = {.what = wanted->attributes->path};
    node.text = zl_json_source(seen->doc, &node.size);
    zl_env env;
    zl_context_env(store->context, &env);
    zl_metadata_free(wanted->changed, store->allocator);
    wanted->changed = NULL;
    return zl_metadata_parse_v2(&wanted->changed, seen->kind, &node, changed, &env, store->allocator, err);
}

static zl_status apply(edit *wanted, zl_error *err) {
    zl_attributes *attributes = wanted->attributes;
    const zl_allocator *allocator = attributes->store->allocator;
    zl_mutex_lock(&attributes->mutex);
    const bool is_v2 = attributes->seen != NULL && attributes->seen->zarr_format == 2;
    bool stored = false;
    const zl_change change = {.path = attributes->path,
                              .name = is_v2 ? ".zattrs" : "zarr.json",
                              .may_make = is_v2 || attributes->seen == NULL,
                              .write = is_v2 ? write_v2 : write_v3,
                              .check = is_v2 ? check_v2 : check_v3,
                              .user = wanted,
                              .stored = &stored};
    const zl_status status = zl_document_change(attributes->store, &change, err);
    if (stored) {
        zl_metadata_free(attributes->changed, allocator);
        attributes->changed = wanted->changed;
        attributes->seen = wanted->changed;
    } else {
        zl_metadata_free(wanted->changed, allocator);
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
    edit wanted = {.attributes = attributes, .name = name, .value = zl_json_root(doc)};
    const zl_status status = name == NULL && zl_json_get_type(wanted.value) != ZL_JSON_OBJECT
                                 ? zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attributes: must be an object")
                                 : apply(&wanted, err);
    zl_json_doc_free(doc);
    return status;
}

zl_status zl_attributes_delete(zl_attributes *attributes, const char *name, zl_error *err) {
    if (name == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attribute: the name is NULL");
    edit wanted = {.attributes = attributes, .name = name};
    return apply(&wanted, err);
}
