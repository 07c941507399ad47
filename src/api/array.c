/* SPDX-License-Identifier: MIT */
/* Opening and creating arrays, and what can be asked about one. Reading and writing is in read_write.c. */
#include "api/array.h"

#include "api/buffer.h"
#include "api/node.h"
#include "api/path.h"

void zl_array_close(zl_array *array) {
    if (array == NULL) return;
    zl_store *store = array->store;
    zl_engine_array_close(array->engine);
    zl_attributes_free(array->attributes);
    zl_metadata_free(array->meta, store->allocator);
    if (array->has_mutex) zl_mutex_clear(&array->mutex);
    zl_text_free(array->path, store->allocator);
    ZL_DELETE(store->allocator, array);
    (void)zl_store_close(store, NULL);
}

static zl_status array_new(zl_array **out, zl_store *store, const char *path, zl_error *err) {
    zl_array *array = ZL_NEW(store->allocator, zl_array);
    if (array == NULL) return zl_fail_memory(err, sizeof *array);
    array->context = store->context;
    array->store = zl_store_retain(store);
    zl_status status = zl_mutex_init(&array->mutex, err);
    array->has_mutex = status == ZL_OK;
    if (status == ZL_OK) status = zl_path_copy(&array->path, path, store->allocator, err);
    if (status == ZL_OK) {
        *out = array;
    } else {
        zl_array_close(array);
    }
    return status;
}

/* Everything that can be wrong with metadata but for its own parts is found here. Takes `meta`. */
static zl_status array_adopt(zl_array *array, zl_metadata *meta, zl_error *err) {
    zl_store *store = array->store;
    array->meta = meta;
    if (meta->kind != ZL_NODE_ARRAY) {
        return zl_fail(err, ZL_ERR_NOT_FOUND, "%s: a group, not an array", zl_path_show(array->path));
    }
    array->shape = meta->shape;
    ZL_TRY(zl_attributes_new(&array->attributes, store, array->path, meta, err));
    const zl_status status = zl_engine_array_open(store, meta, array->path, &array->engine, err);
    if (status == ZL_OK) return ZL_OK;
    return zl_error_wrap(err, status, "%s%s%s: ", array->path, array->path[0] != '\0' ? "/" : "",
                         meta->zarr_format == 2 ? ".zarray" : "zarr.json");
}

/* ---- opening */

static zl_status array_load(zl_array *array, zl_error *err) {
    zl_metadata *meta;
    const zl_status status = zl_node_load(&meta, array->store, array->path, err);
    if (status == ZL_ERR_NOT_FOUND) return zl_node_missing(array->path, ZL_NODE_ARRAY, err);
    return status == ZL_OK ? array_adopt(array, meta, err) : status;
}

zl_status zl_array_open(zl_array **out, zl_store *store, const char *path, zl_error *err) {
    zl_array *array = NULL;
    ZL_TRY(array_new(&array, store, path, err));
    const zl_status status = array_load(array, err);
    if (status == ZL_OK) {
        *out = array;
    } else {
        zl_array_close(array);
    }
    return status;
}

/* ---- creating */

/* The handle is complete before anything is stored. */
static zl_status array_store(zl_array *array, const zl_new_node *node, zl_error *err) {
    zl_metadata *meta;
    if (node->mode != ZL_CREATE_NEW && node->mode != ZL_CREATE_REPLACE) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "mode is %d; arrays have ZL_CREATE_NEW and ZL_CREATE_REPLACE",
                       (int)node->mode);
    }
    ZL_TRY(zl_new_node_parse(&meta, array->store, node, "new array", err));
    meta->creating = true;
    ZL_TRY(array_adopt(array, meta, err));
    return zl_node_create(array->store, array->path, node, err);
}

static zl_status array_create(zl_array **out, zl_store *store, const char *path, const zl_new_node *node, zl_error *err) {
    zl_array *array = NULL;
    ZL_TRY(array_new(&array, store, path, err));
    const zl_status status = array_store(array, node, err);
    if (status == ZL_OK) {
        *out = array;
    } else {
        zl_array_close(array);
    }
    return status;
}

zl_status zl_array_create_from_metadata(zl_array **out, zl_store *store, const char *path, zl_create_mode mode,
                                        const char *json, size_t size, zl_error *err) {
    const zl_new_node node = {
        .kind = ZL_NODE_ARRAY, .zarr_format = 3, .mode = mode, .document = {(const uint8_t *)json, size}};
    return array_create(out, store, path, &node, err);
}

zl_status zl_array_create(zl_array **out, zl_store *store, const char *path, const zl_array_options *options,
                          zl_error *err) {
    zl_array_options known;
    zl_new_node node = {.kind = ZL_NODE_ARRAY};
    ZL_TRY(zl_options_copy(&known, sizeof known, options, "zl_array_options", err));
    ZL_TRY(zl_create_read_format(known.zarr_format, &node.zarr_format, err));
    zl_env env;
    zl_json_writer writer, attributes;
    zl_context_env(store->context, &env);
    zl_json_writer_init(&writer, store->allocator, 2);
    zl_json_writer_init(&attributes, store->allocator, 2);
    zl_status status = node.zarr_format == 2
                           ? zl_metadata_emit_array_v2(&known, &env, store->allocator, &writer, &attributes, err)
                           : zl_metadata_emit_array_v3(&known, &env, store->allocator, &writer, err);
    if (status == ZL_OK) {
        node.mode = known.mode;
        node.document = (zl_span){writer.sink.data, writer.sink.size};
        node.attributes = (zl_span){attributes.sink.data, attributes.sink.size};
        status = array_create(out, store, path, &node, err);
    }
    zl_json_writer_clear(&writer);
    zl_json_writer_clear(&attributes);
    return status;
}

/* ---- asking */

/* Looking is const for the caller; the lock is not. */
zl_shape zl_array_current_shape(const zl_array *array) {
    zl_mutex *mutex = (zl_mutex *)&array->mutex;
    zl_mutex_lock(mutex);
    const zl_shape shape = array->shape;
    zl_mutex_unlock(mutex);
    return shape;
}

void zl_array_set_shape(zl_array *array, const zl_shape *shape) {
    zl_mutex_lock(&array->mutex);
    array->shape = *shape;
    zl_mutex_unlock(&array->mutex);
}

void zl_array_get_shape(const zl_array *array, int64_t *shape) {
    const zl_shape now = zl_array_current_shape(array);
    memcpy(shape, now.dim, (size_t)now.rank * sizeof *shape);
}

const char *zl_array_path(const zl_array *array) {
    return array->path;
}
int32_t zl_array_zarr_format(const zl_array *array) {
    return array->meta->zarr_format;
}
int32_t zl_array_rank(const zl_array *array) {
    return array->meta->shape.rank;
}
const int64_t *zl_array_shape(const zl_array *array) {
    return array->shape.dim;
}
const zl_dtype *zl_array_dtype(const zl_array *array) {
    return array->meta->dtype;
}
const void *zl_array_fill_value(const zl_array *array) {
    return array->meta->fill;
}
zl_attributes *zl_array_attributes(zl_array *array) {
    return array->attributes;
}
int64_t zl_array_element_count(const zl_array *array) {
    const zl_shape shape = zl_array_current_shape(array);
    int64_t count = 0;
    (void)zl_shape_count(&shape, &count);
    return count;
}
int64_t zl_array_decoded_size(const zl_array *array) {
    return zl_array_element_count(array) * array->meta->dtype->size;
}

const int64_t *zl_array_chunk_shape(const zl_array *array) {
    const zl_grid_class *grid = array->meta->grid;
    return grid->uniform != NULL ? grid->uniform(array->meta->grid_self) : NULL;
}

const int64_t *zl_array_inner_chunk_shape(const zl_array *array) {
    const zl_shape *inner = zl_engine_array_inner_shape(array->engine);
    return inner != NULL ? inner->dim : NULL;
}

const char *zl_array_dimension_name(const zl_array *array, int32_t axis) {
    const zl_metadata *meta = array->meta;
    if (meta->dimension_names == NULL || axis < 0 || axis >= meta->shape.rank) return NULL;
    return meta->dimension_names[axis];
}

zl_status zl_array_metadata_json(const zl_array *array, zl_buffer *out, zl_error *err) {
    const zl_shape shape = zl_array_current_shape(array);
    return zl_attributes_document(array->attributes, shape.dim, out, err);
}

zl_status zl_array_element_json(const zl_array *array, const void *element, zl_buffer *out, zl_error *err) {
    return zl_element_json(array->context, array->meta->dtype, element, out, err);
}

/* The class gets the element aligned, as everywhere. */
zl_status zl_element_json(zl_context *context, const zl_dtype *dtype, const void *element, zl_buffer *out, zl_error *err) {
    const zl_allocator *allocator = &context->allocator;
    void *aligned = zl_alloc(allocator, dtype->size, dtype->align);
    if (aligned == NULL) return zl_fail_memory(err, dtype->size);
    memcpy(aligned, element, dtype->size);
    zl_json_writer writer;
    zl_json_writer_init(&writer, allocator, 0);
    dtype->cls->emit_fill(dtype, aligned, &writer);
    const zl_status status = zl_buffer_take(out, context, &writer, err);
    zl_free(allocator, aligned, dtype->size);
    return status;
}
