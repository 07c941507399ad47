/* SPDX-License-Identifier: MIT */
/*
 * Metadata documents of Zarr v2 to zl_metadata: .zarray or .zgroup, and .zattrs.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
 *
 * Everything ends in what v3 documents end in: the same data types, codecs, grid and keys, so that nothing behind this
 * file knows which version an array has. Unknown keys are ignored, as the specification asks. What real writers leave out
 * or write otherwise is read where it can mean one thing only: missing keys, numbers as strings, chunks of extent 0 along
 * empty axes.
 */
#include "meta/v2.h"

static zl_status require_object(const zl_json *value, zl_error *err) {
    if (zl_json_get_type(value) == ZL_JSON_OBJECT) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "must be an object");
}

static zl_status read_i64(const zl_json *value, zl_arena *arena, int64_t *out, zl_error *err) {
    value = zl_json_as_number(value, arena);
    return value != NULL ? zl_json_to_i64(value, out, err) : zl_fail_memory(err, sizeof(void *));
}

/* What is needed to understand the rest holds each key once. */
static zl_status check_root(const zl_metadata *metadata, zl_error *err) {
    static const char *const known[] = {"zarr_format", "shape", "chunks", "dtype", "compressor", "filters", "fill_value"};
    const zl_json *root = metadata->root;
    ZL_TRY(require_object(root, err));
    ZL_TRY(zl_json_unique(root, false, err));
    for (size_t i = 0; i < ZL_COUNT_OF(known); i++) {
        const zl_json *member = zl_json_member(root, known[i]);
        if (member != NULL) ZL_TRY(zl_json_unique(member, true, err));
    }
    const zl_json *format = zl_json_member(root, "zarr_format");
    int64_t zarr_format = 2;
    if (format != NULL) ZL_TRY(read_i64(format, metadata->arena, &zarr_format, err));
    if (zarr_format == 2) return ZL_OK;
    return zl_json_fail(format, err, ZL_ERR_METADATA, "%lld, but this document belongs to version 2",
                        (long long)zarr_format);
}

/* ---- arrays */

static zl_status read_extents(const zl_json *list, const zl_env *env, zl_shape *out, zl_error *err) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array of integers");
    }
    const size_t rank = zl_json_count(list);
    if (rank > (size_t)env->limits->rank) {
        return zl_json_fail(list, err, ZL_ERR_LIMIT, "%zu dimensions, the limit is %d", rank, (int)env->limits->rank);
    }
    out->rank = (int32_t)rank;
    int64_t *dim = out->dim;
    for (const zl_json *extent = zl_json_first(list); extent != NULL; extent = zl_json_next(extent), dim++) {
        ZL_TRY(read_i64(extent, env->arena, dim, err));
        if (*dim < 0) {
            return zl_json_fail(extent, err, ZL_ERR_METADATA, "%lld, but extents are not negative", (long long)*dim);
        }
    }
    return ZL_OK;
}

static zl_status parse_shape(const zl_v2_array *array, zl_error *err) {
    const zl_json *list;
    ZL_TRY(zl_json_require(array->meta->root, "shape", &list, err));
    return read_extents(list, array->env, &array->meta->shape, err);
}

static zl_status parse_grid(const zl_v2_array *array, zl_error *err) {
    zl_metadata *meta = array->meta;
    const zl_json *list;
    zl_shape chunk;
    ZL_TRY(zl_json_require(meta->root, "chunks", &list, err));
    ZL_TRY(read_extents(list, array->env, &chunk, err));
    if (chunk.rank != meta->shape.rank) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "%d extents for %d dimensions", (int)chunk.rank,
                            (int)meta->shape.rank);
    }
    for (int32_t axis = 0; axis < chunk.rank; axis++) {
        if (chunk.dim[axis] == 0 && meta->shape.dim[axis] == 0) chunk.dim[axis] = 1;
        if (chunk.dim[axis] > 0) continue;
        return zl_json_fail(list, err, ZL_ERR_METADATA, "the chunk extent of axis %d is 0", (int)axis);
    }
    meta->grid = &zl_grid_regular;
    return zl_grid_regular_make(&chunk, meta->arena, &meta->grid_self, err);
}

static zl_status parse_key(const zl_v2_array *array, zl_error *err) {
    static const char *const separators[] = {".", "/", NULL};
    const zl_json *root = array->meta->root;
    int choice = 0;
    if (!zl_v2_is_null(zl_json_member(root, "dimension_separator"))) {
        ZL_TRY(zl_json_get_choice(root, "dimension_separator", separators, &choice, err));
    }
    array->meta->key = &zl_key_v2;
    array->meta->key_self = zl_key_v2_self(separators[choice][0]);
    return ZL_OK;
}

static zl_status parse_array(zl_metadata *metadata, const zl_env *env, const zl_allocator *allocator, zl_error *err) {
    zl_v2_array array = {.env = env, .allocator = allocator, .meta = metadata};
    ZL_TRY(parse_shape(&array, err));
    ZL_TRY(zl_v2_parse_dtype(&array, err));
    ZL_TRY(zl_metadata_check_size(metadata, err));
    ZL_TRY(parse_grid(&array, err));
    ZL_TRY(parse_key(&array, err));
    ZL_TRY(zl_v2_parse_fill(&array, err)); /* in the data type's own byte order: before filters change it */
    ZL_TRY(zl_v2_parse_codecs(&array, err));
    return zl_v2_parse_dimension_names(&array, err);
}

/* ---- documents */

static zl_status read_document(zl_json_doc **out, const zl_document_text *document, const zl_env *env,
                               const zl_allocator *allocator, zl_error *err) {
    const zl_json_options options = {
        .max_depth = env->limits->json_depth, .max_size = env->limits->json_document, .allow_nan = true};
    return zl_json_parse(out, document->text, document->size, &options, allocator, err);
}

static zl_status parse_attributes(zl_metadata *metadata, const zl_document_text *document, const zl_env *env,
                                  const zl_allocator *allocator, zl_error *err) {
    ZL_TRY(read_document(&metadata->attributes_doc, document, env, allocator, err));
    metadata->attributes = zl_json_root(metadata->attributes_doc);
    return require_object(metadata->attributes, err);
}

static zl_status parse_node(zl_metadata *metadata, const zl_document_text *node, const zl_env *env,
                            const zl_allocator *allocator, zl_error *err) {
    ZL_TRY(read_document(&metadata->doc, node, env, allocator, err));
    metadata->root = zl_json_root(metadata->doc);
    zl_env inner = *env;
    inner.arena = metadata->arena;
    inner.zarr_format = 2;
    inner.depth = 0;
    ZL_TRY(check_root(metadata, err));
    return metadata->kind == ZL_NODE_ARRAY ? parse_array(metadata, &inner, allocator, err) : ZL_OK;
}

zl_status zl_metadata_parse_v2(zl_metadata **out, zl_node_kind kind, const zl_document_text *node,
                               const zl_document_text *attributes, const zl_env *env, const zl_allocator *allocator,
                               zl_error *err) {
    zl_metadata *metadata = ZL_NEW(allocator, zl_metadata);
    if (metadata == NULL) return zl_fail_memory(err, sizeof *metadata);
    metadata->kind = kind;
    metadata->zarr_format = 2;
    metadata->arena = zl_arena_new(allocator);
    zl_status status = metadata->arena != NULL ? ZL_OK : zl_fail_memory(err, sizeof *metadata);
    if (status == ZL_OK && attributes != NULL) {
        status = parse_attributes(metadata, attributes, env, allocator, err);
        if (status != ZL_OK) status = zl_error_wrap(err, status, "%s: ", attributes->what);
    }
    if (status == ZL_OK) {
        status = parse_node(metadata, node, env, allocator, err);
        if (status != ZL_OK) status = zl_error_wrap(err, status, "%s: ", node->what);
    }
    if (status == ZL_OK) {
        *out = metadata;
    } else {
        zl_metadata_free(metadata, allocator);
    }
    return status;
}
