/* SPDX-License-Identifier: MIT */
/*
 * Metadata documents of Zarr v3 that zarrlite makes itself: new groups and arrays, and documents with changed attributes.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata (3.1)
 *
 * The same options give the same text. Data types without configuration are written as strings and all other extensions
 * as objects, which are the forms that readers of Zarr 3.0 know as well. The text of an option is the user's: errors in it
 * are INVALID_ARGUMENT and name the option. Whether codecs, data type and shapes fit together is found out when the
 * finished document is read again, before any of it is stored.
 */
#include "meta/emit.h"

zl_status zl_option_status(zl_status status, zl_error *err) {
    if (status != ZL_ERR_METADATA) return status;
    if (err != NULL) err->status = ZL_ERR_INVALID_ARGUMENT;
    return ZL_ERR_INVALID_ARGUMENT;
}

zl_status zl_option_parse(zl_json_doc **out, const char *text, const char *what, const zl_limits *limits,
                          const zl_allocator *allocator, zl_error *err) {
    const zl_json_options options = {.max_depth = limits->json_depth, .max_size = limits->json_document};
    zl_json_doc *doc = NULL;
    zl_status status = zl_json_parse(&doc, text, strlen(text), &options, allocator, err);
    if (status == ZL_OK) status = zl_json_unique(zl_json_root(doc), true, err);
    if (status == ZL_OK) {
        *out = doc;
        return ZL_OK;
    }
    zl_json_doc_free(doc);
    return zl_option_status(zl_error_wrap(err, status, "%s: ", what), err);
}

/* ---- pieces */

void zl_emit_extents(zl_json_writer *writer, const int64_t *extents, int32_t rank) {
    zl_json_write_array(writer);
    for (int32_t axis = 0; axis < rank; axis++) {
        zl_json_write_i64(writer, extents[axis]);
    }
    zl_json_write_end(writer);
}

void zl_emit_extension(zl_json_writer *writer, const zl_json *value) {
    if (zl_json_get_type(value) == ZL_JSON_STRING) {
        zl_json_write_named(writer, zl_json_text(value, NULL), NULL, NULL);
    } else {
        zl_json_write_value(writer, value);
    }
}

static void emit_head(zl_json_writer *writer, const char *node_type) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "zarr_format");
    zl_json_write_i64(writer, 3);
    zl_json_write_key(writer, "node_type");
    zl_json_write_text(writer, node_type);
}

static void emit_attributes(zl_json_writer *writer, const zl_json *attributes) {
    zl_json_write_key(writer, "attributes");
    if (attributes != NULL) {
        zl_json_write_value(writer, attributes);
    } else {
        zl_json_write_object(writer);
        zl_json_write_end(writer);
    }
}

/* ---- the options of an array, checked */

static zl_status parse_texts(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    const struct {
        const char *what;
        const char *text;
        zl_json_doc **out;
    } row[] = {{"dtype_json", options->dtype_json, &array->doc.dtype},
               {"fill_value_json", options->fill_value_json, &array->doc.fill_value},
               {"codecs_json", options->codecs_json, &array->doc.codecs},
               {"attributes_json", options->attributes_json, &array->doc.attributes},
               {"chunk_key_encoding_json", options->chunk_key_encoding_json, &array->doc.chunk_key_encoding},
               {"chunk_grid_json", options->chunk_grid_json, &array->doc.chunk_grid}};
    for (size_t i = 0; i < ZL_COUNT_OF(row); i++) {
        if (row[i].text == NULL) continue;
        ZL_TRY(zl_option_parse(row[i].out, row[i].text, row[i].what, array->env->limits, array->allocator, err));
    }
    return ZL_OK;
}

void zl_new_array_clear(zl_new_array *array) {
    zl_json_doc_free(array->doc.dtype);
    zl_json_doc_free(array->doc.fill_value);
    zl_json_doc_free(array->doc.codecs);
    zl_json_doc_free(array->doc.attributes);
    zl_json_doc_free(array->doc.chunk_key_encoding);
    zl_json_doc_free(array->doc.chunk_grid);
}

static zl_status copy_extents(zl_shape *out, int32_t rank, const int64_t *extents, int64_t least, const char *what,
                              zl_error *err) {
    out->rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        if (extents[axis] < least) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s[%d] is %lld, at least %lld is needed", what, (int)axis,
                           (long long)extents[axis], (long long)least);
        }
        out->dim[axis] = extents[axis];
    }
    return ZL_OK;
}

static zl_status check_shard_shape(const zl_shape *shard, const zl_shape *chunk, zl_error *err) {
    for (int32_t axis = 0; axis < shard->rank; axis++) {
        if (shard->dim[axis] % chunk->dim[axis] == 0) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "shard_shape[%d] is %lld, no multiple of the chunk shape's %lld",
                       (int)axis, (long long)shard->dim[axis], (long long)chunk->dim[axis]);
    }
    return ZL_OK;
}

/* Whether the grid goes with the shape and the inner chunks is found out with the finished document. */
static zl_status take_grid(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    if (options->shard_shape != NULL) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "chunk_grid_json and shard_shape are both given");
    }
    array->chunk_grid = zl_json_root(array->doc.chunk_grid);
    zl_named named;
    const zl_status status = zl_json_to_named(array->chunk_grid, "chunk grid", &named, err);
    if (status != ZL_OK) return zl_option_status(zl_error_wrap(err, status, "chunk_grid_json: "), err);
    array->sharded = options->chunk_shape != NULL;
    if (!array->sharded) return ZL_OK;
    return copy_extents(&array->chunk, options->rank, options->chunk_shape, 1, "chunk_shape", err);
}

static zl_status take_shapes(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    const int32_t rank = options->rank;
    if (rank < 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "rank is %d", (int)rank);
    if (rank > array->env->limits->rank) {
        return zl_fail(err, ZL_ERR_LIMIT, "rank is %d, the limit is %d", (int)rank, (int)array->env->limits->rank);
    }
    if (rank > 0 && options->shape == NULL) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "shape is NULL");
    ZL_TRY(copy_extents(&array->shape, rank, options->shape, 0, "shape", err));
    if (array->doc.chunk_grid != NULL) return take_grid(array, options, err);

    array->sharded = options->shard_shape != NULL;
    if (array->sharded) ZL_TRY(copy_extents(&array->shard, rank, options->shard_shape, 1, "shard_shape", err));
    if (options->chunk_shape != NULL) {
        ZL_TRY(copy_extents(&array->chunk, rank, options->chunk_shape, 1, "chunk_shape", err));
    } else {
        const zl_shape *whole = array->sharded ? &array->shard : &array->shape;
        array->chunk.rank = rank;
        zl_default_chunk_shape(rank, whole->dim, array->dtype->size, 0, array->chunk.dim);
    }
    return array->sharded ? check_shard_shape(&array->shard, &array->chunk, err) : ZL_OK;
}

static zl_status take_dtype(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    if ((options->dtype == ZL_DTYPE_NONE) == (options->dtype_json == NULL)) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s of dtype and dtype_json is set, exactly one must be",
                       options->dtype_json == NULL ? "none" : "each");
    }
    if (options->dtype_json != NULL) {
        const zl_status status = zl_dtype_parse(zl_json_root(array->doc.dtype), array->env, &array->dtype, err);
        return status == ZL_OK ? ZL_OK : zl_option_status(zl_error_wrap(err, status, "dtype_json: "), err);
    }
    array->dtype = zl_dtype_builtin(options->dtype);
    if (array->dtype != NULL) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "dtype is %d, which names no data type", (int)options->dtype);
}

/* The value as the library understands it, so that what is written is the strict form of what was read leniently. */
static zl_status take_fill(zl_new_array *array, zl_error *err) {
    const zl_dtype *dtype = array->dtype;
    array->fill = zl_arena_zero(array->env->arena, dtype->size, dtype->align);
    if (array->fill == NULL) return zl_fail_memory(err, dtype->size);
    const zl_json *value = array->doc.fill_value != NULL ? zl_json_root(array->doc.fill_value) : NULL;
    const zl_status status = dtype->cls->parse_fill(dtype, value, array->env, array->fill, err);
    return status == ZL_OK ? ZL_OK : zl_option_status(zl_error_wrap(err, status, "fill_value_json: "), err);
}

static zl_status take_attributes(zl_new_array *array, zl_error *err) {
    if (array->doc.attributes == NULL) return ZL_OK;
    array->attributes = zl_json_root(array->doc.attributes);
    if (zl_json_get_type(array->attributes) == ZL_JSON_OBJECT) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attributes_json: must be an object");
}

static zl_status take_chunk_key_encoding(zl_new_array *array, zl_error *err) {
    if (array->doc.chunk_key_encoding == NULL) return ZL_OK;
    array->chunk_key_encoding = zl_json_root(array->doc.chunk_key_encoding);
    zl_named named;
    const zl_status status = zl_json_to_named(array->chunk_key_encoding, "chunk key encoding", &named, err);
    return status == ZL_OK ? ZL_OK : zl_option_status(zl_error_wrap(err, status, "chunk_key_encoding_json: "), err);
}

static zl_status take_dimension_names(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    array->dimension_names = options->dimension_names;
    for (int32_t axis = 0; array->dimension_names != NULL && axis < options->rank; axis++) {
        const char *name = array->dimension_names[axis];
        if (name == NULL || zl_utf8_valid(name, strlen(name))) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "dimension_names[%d] is not valid UTF-8", (int)axis);
    }
    return ZL_OK;
}

zl_status zl_new_array_take(zl_new_array *array, const zl_array_options *options, zl_error *err) {
    ZL_TRY(parse_texts(array, options, err));
    ZL_TRY(take_dtype(array, options, err));
    ZL_TRY(take_shapes(array, options, err));
    ZL_TRY(take_fill(array, err));
    ZL_TRY(take_attributes(array, err));
    ZL_TRY(take_chunk_key_encoding(array, err));
    ZL_TRY(take_dimension_names(array, options, err));
    return zl_new_array_take_codecs(array, err);
}

/* ---- documents */

static void emit_grid(zl_json_writer *writer, const zl_shape *shape) {
    zl_json_begin_named(writer, "regular");
    zl_json_write_key(writer, "chunk_shape");
    zl_emit_extents(writer, shape->dim, shape->rank);
    zl_json_end_named(writer);
}

static void emit_chunk_key_encoding(zl_json_writer *writer, const zl_json *value) {
    if (value != NULL) {
        zl_emit_extension(writer, value);
        return;
    }
    zl_json_begin_named(writer, "default");
    zl_json_write_key(writer, "separator");
    zl_json_write_text(writer, "/");
    zl_json_end_named(writer);
}

static void emit_dimension_names(zl_json_writer *writer, const char *const *names, int32_t rank) {
    zl_json_write_key(writer, "dimension_names");
    zl_json_write_array(writer);
    for (int32_t axis = 0; axis < rank; axis++) {
        if (names[axis] != NULL) {
            zl_json_write_text(writer, names[axis]);
        } else {
            zl_json_write_null(writer);
        }
    }
    zl_json_write_end(writer);
}

static void emit_array(zl_json_writer *writer, const zl_new_array *array) {
    const zl_dtype *dtype = array->dtype;
    emit_head(writer, "array");
    zl_json_write_key(writer, "shape");
    zl_emit_extents(writer, array->shape.dim, array->shape.rank);
    zl_json_write_key(writer, "data_type");
    if (dtype->cls->emit != NULL) {
        dtype->cls->emit(dtype, writer);
    } else {
        zl_json_write_text(writer, dtype->name);
    }
    zl_json_write_key(writer, "chunk_grid");
    if (array->chunk_grid != NULL) {
        zl_emit_extension(writer, array->chunk_grid);
    } else {
        emit_grid(writer, array->sharded ? &array->shard : &array->chunk);
    }
    zl_json_write_key(writer, "chunk_key_encoding");
    emit_chunk_key_encoding(writer, array->chunk_key_encoding);
    zl_json_write_key(writer, "fill_value");
    dtype->cls->emit_fill(dtype, array->fill, writer);
    zl_json_write_key(writer, "codecs");
    zl_new_array_emit_codecs(array, writer);
    emit_attributes(writer, array->attributes);
    if (array->dimension_names != NULL) emit_dimension_names(writer, array->dimension_names, array->shape.rank);
    zl_json_write_end(writer);
}

zl_status zl_metadata_emit_array_v3(const zl_array_options *options, const zl_env *env, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_error *err) {
    zl_env inner = *env;
    inner.zarr_format = 3;
    inner.depth = 0;
    inner.arena = zl_arena_new(allocator);
    if (inner.arena == NULL) return zl_fail_memory(err, sizeof(void *));
    zl_new_array array = {.env = &inner, .allocator = allocator};
    zl_status status = zl_new_array_take(&array, options, err);
    if (status == ZL_OK) {
        emit_array(writer, &array);
        status = zl_json_writer_finish(writer, err);
    }
    zl_new_array_clear(&array);
    zl_arena_free(inner.arena);
    return status;
}

zl_status zl_metadata_emit_group_v3(const char *attributes_json, const zl_limits *limits, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_error *err) {
    zl_json_doc *doc = NULL;
    if (attributes_json != NULL) {
        ZL_TRY(zl_option_parse(&doc, attributes_json, "attributes_json", limits, allocator, err));
    }
    const zl_json *attributes = doc != NULL ? zl_json_root(doc) : NULL;
    zl_status status = ZL_OK;
    if (attributes != NULL && zl_json_get_type(attributes) != ZL_JSON_OBJECT) {
        status = zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attributes_json: must be an object");
    }
    if (status == ZL_OK) {
        emit_head(writer, "group");
        emit_attributes(writer, attributes);
        zl_json_write_end(writer);
        status = zl_json_writer_finish(writer, err);
    }
    zl_json_doc_free(doc);
    return status;
}
