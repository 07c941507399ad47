/* SPDX-License-Identifier: MIT */
/*
 * Metadata documents of Zarr v3 to zl_metadata.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata (3.1)
 *
 * The document is kept beside what it says, so that it can be written back with nothing lost. Objects that decide how data
 * is read hold each key once; what users put below /attributes is theirs. Whether the codecs fit the data type and the
 * shape of the chunks is not asked here: the pipeline refuses what does not fit.
 */
#include "meta/metadata.h"

static const char *const array_members[] = {
    "zarr_format", "node_type",  "shape",  "data_type",       "chunk_grid",           "chunk_key_encoding",
    "fill_value",  "attributes", "codecs", "dimension_names", "storage_transformers", NULL};
/* Where writers put NaN and infinities as they are; consolidated metadata holds attributes of other nodes. */
static const char *const nan_places[] = {"/attributes", "/consolidated_metadata", NULL};
static const char *const group_members[] = {"zarr_format", "node_type", "attributes", "consolidated_metadata", NULL};

/* Keys may contain NUL, so that a comparison of C strings is not enough. */
static bool key_is(const zl_json *member, const char *text) {
    size_t size;
    const char *key = zl_json_key(member, &size);
    return size == strlen(text) && memcmp(key, text, size) == 0;
}

static bool is_among(const zl_json *member, const char *const *keys) {
    while (*keys != NULL && !key_is(member, *keys)) {
        keys++;
    }
    return *keys != NULL;
}

/* An unknown member may only be ignored when it says so itself ("must_understand", core 3.1). */
static zl_status check_unknown(const zl_json *member, zl_error *err) {
    ZL_TRY(zl_json_unique(member, false, err));
    const zl_json *must_understand = zl_json_member(member, "must_understand");
    bool needed = true;
    if (must_understand != NULL) ZL_TRY(zl_json_to_bool(must_understand, &needed, err));
    if (!needed) return ZL_OK;
    return zl_json_fail(member, err, ZL_ERR_METADATA,
                        "unknown member; only an object with \"must_understand\": false can be ignored");
}

static zl_status check_members(const zl_json *root, const char *const *known, zl_error *err) {
    for (const zl_json *member = zl_json_first(root); member != NULL; member = zl_json_next(member)) {
        if (!is_among(member, known)) {
            ZL_TRY(check_unknown(member, err));
        } else if (!key_is(member, "attributes") && !key_is(member, "consolidated_metadata")) {
            ZL_TRY(zl_json_unique(member, true, err));
        }
    }
    return ZL_OK;
}

static zl_status require_object(const zl_json *value, zl_error *err) {
    if (zl_json_get_type(value) == ZL_JSON_OBJECT) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "must be an object");
}

/* What arrays and groups have in common. */
static zl_status parse_node(zl_metadata *metadata, zl_error *err) {
    static const char *const node_types[] = {"array", "group", NULL};
    const zl_json *root = metadata->root;
    ZL_TRY(require_object(root, err));
    ZL_TRY(zl_json_unique(root, false, err));

    int64_t zarr_format;
    ZL_TRY(zl_json_get_i64(root, "zarr_format", &zarr_format, err));
    if (zarr_format != 3) {
        return zl_json_fail(zl_json_member(root, "zarr_format"), err,
                            zarr_format > 3 ? ZL_ERR_UNSUPPORTED : ZL_ERR_METADATA, "%lld, but a zarr.json must have 3",
                            (long long)zarr_format);
    }
    metadata->zarr_format = 3;

    int node_type;
    ZL_TRY(zl_json_get_choice(root, "node_type", node_types, &node_type, err));
    metadata->kind = node_type == 0 ? ZL_NODE_ARRAY : ZL_NODE_GROUP;
    ZL_TRY(check_members(root, node_type == 0 ? array_members : group_members, err));

    metadata->attributes = zl_json_member(root, "attributes");
    if (metadata->attributes != NULL) ZL_TRY(require_object(metadata->attributes, err));
    return ZL_OK;
}

static zl_status parse_group(const zl_metadata *metadata, zl_error *err) {
    const zl_json *consolidated = zl_json_member(metadata->root, "consolidated_metadata");
    return consolidated != NULL ? require_object(consolidated, err) : ZL_OK;
}

static zl_status parse_shape(const zl_json *root, const zl_limits *limits, zl_shape *out, zl_error *err) {
    const zl_json *list;
    ZL_TRY(zl_json_require(root, "shape", &list, err));
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array of integers");
    }
    const size_t rank = zl_json_count(list);
    if (rank > (size_t)limits->rank) {
        return zl_json_fail(list, err, ZL_ERR_LIMIT, "%zu dimensions, the limit is %d", rank, (int)limits->rank);
    }
    out->rank = (int32_t)rank;
    int64_t *dim = out->dim;
    for (const zl_json *extent = zl_json_first(list); extent != NULL; extent = zl_json_next(extent), dim++) {
        ZL_TRY(zl_json_to_i64(extent, dim, err));
        if (*dim < 0) {
            return zl_json_fail(extent, err, ZL_ERR_METADATA, "%lld, but extents are not negative", (long long)*dim);
        }
    }
    return ZL_OK;
}

zl_status zl_metadata_check_size(const zl_metadata *metadata, zl_error *err) {
    int64_t count, size;
    const zl_json *shape = zl_json_member(metadata->root, "shape");
    if (!zl_shape_count(&metadata->shape, &count)) {
        return zl_json_fail(shape, err, ZL_ERR_LIMIT, "more than 2^63-1 elements");
    }
    if (!zl_mul_i64(count, metadata->dtype->size, &size)) {
        return zl_json_fail(shape, err, ZL_ERR_LIMIT, "%lld elements of %u bytes are more than 2^63-1 bytes",
                            (long long)count, (unsigned)metadata->dtype->size);
    }
    return ZL_OK;
}

static bool member_is(const zl_json *object, const char *key, const char *text) {
    const zl_json *member = zl_json_member(object, key);
    return member != NULL && zl_json_is(member, text);
}

/* Is the `bytes` codec, inside shards or not, big-endian? The list has been understood as a chain. */
static bool stores_big_endian(const zl_json *codecs) {
    const zl_json *codec = zl_json_first(codecs);
    while (codec != NULL) {
        const zl_json *configuration = zl_json_member(codec, "configuration");
        if (member_is(codec, "name", "bytes")) return member_is(configuration, "endian", "big");
        const bool enter = member_is(codec, "name", "sharding_indexed");
        codec = enter ? zl_json_first(zl_json_member(configuration, "codecs")) : zl_json_next(codec);
    }
    return false;
}

static zl_status parse_fill(zl_metadata *metadata, const zl_env *env, zl_error *err) {
    const zl_json *value;
    ZL_TRY(zl_json_require(metadata->root, "fill_value", &value, err));
    const zl_dtype *dtype = metadata->dtype;
    void *fill = zl_arena_zero(metadata->arena, dtype->size, dtype->align);
    if (fill == NULL) return zl_fail_memory(err, dtype->size);
    ZL_TRY(dtype->cls->parse_fill(dtype, value, env, fill, err));
    if (zl_dtype_fill_follows_codec(dtype, value) && stores_big_endian(zl_json_member(metadata->root, "codecs"))) {
        zl_dtype_fix(dtype, true, fill, 1);
    }
    metadata->fill = fill;
    return ZL_OK;
}

static zl_status parse_dimension_names(zl_metadata *metadata, zl_error *err) {
    const zl_json *list = zl_json_member(metadata->root, "dimension_names");
    if (list == NULL) return ZL_OK;
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array of strings and nulls");
    }
    const size_t rank = (size_t)metadata->shape.rank;
    if (zl_json_count(list) != rank) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "%zu names for %zu dimensions", zl_json_count(list), rank);
    }
    const char **names = zl_arena_zero(metadata->arena, rank * sizeof *names, _Alignof(const char *));
    if (names == NULL) return zl_fail_memory(err, rank * sizeof *names);
    metadata->dimension_names = names;
    for (const zl_json *name = zl_json_first(list); name != NULL; name = zl_json_next(name)) {
        const zl_json_type type = zl_json_get_type(name);
        if (type != ZL_JSON_STRING && type != ZL_JSON_NULL) {
            return zl_json_fail(name, err, ZL_ERR_METADATA, "must be a string or null");
        }
        *names++ = type == ZL_JSON_STRING ? zl_json_text(name, NULL) : NULL;
    }
    return ZL_OK;
}

static zl_status check_transformers(const zl_json *root, zl_error *err) {
    const zl_json *list = zl_json_member(root, "storage_transformers");
    if (list == NULL) return ZL_OK;
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array");
    if (zl_json_count(list) == 0) return ZL_OK;
    return zl_json_fail(list, err, ZL_ERR_UNSUPPORTED, "storage transformers are not supported");
}

static zl_status parse_array(zl_metadata *metadata, const zl_env *env, zl_error *err) {
    const zl_json *root = metadata->root, *value;
    ZL_TRY(parse_shape(root, env->limits, &metadata->shape, err));
    ZL_TRY(zl_json_require(root, "data_type", &value, err));
    ZL_TRY(zl_dtype_parse(value, env, &metadata->dtype, err));
    ZL_TRY(zl_metadata_check_size(metadata, err));
    ZL_TRY(zl_json_require(root, "chunk_grid", &value, err));
    ZL_TRY(zl_grid_parse(value, &metadata->shape, env, &metadata->grid, &metadata->grid_self, err));
    ZL_TRY(zl_json_require(root, "chunk_key_encoding", &value, err));
    ZL_TRY(zl_key_parse(value, env, &metadata->key, &metadata->key_self, err));
    ZL_TRY(zl_json_require(root, "codecs", &value, err));
    ZL_TRY(zl_chain_parse(value, env, &metadata->chain, err));
    ZL_TRY(parse_fill(metadata, env, err));
    ZL_TRY(parse_dimension_names(metadata, err));
    return check_transformers(root, err);
}

static zl_status parse(zl_metadata *metadata, const char *text, size_t size, const zl_env *env,
                       const zl_allocator *allocator, zl_error *err) {
    const zl_json_options options = {
        .max_depth = env->limits->json_depth, .max_size = env->limits->json_document, .nan_below = nan_places};
    ZL_TRY(zl_json_parse(&metadata->doc, text, size, &options, allocator, err));
    metadata->arena = zl_arena_new(allocator);
    if (metadata->arena == NULL) return zl_fail_memory(err, sizeof *metadata);
    metadata->root = zl_json_root(metadata->doc);

    zl_env inner = *env;
    inner.arena = metadata->arena;
    inner.zarr_format = 3;
    inner.depth = 0;
    ZL_TRY(parse_node(metadata, err));
    return metadata->kind == ZL_NODE_GROUP ? parse_group(metadata, err) : parse_array(metadata, &inner, err);
}

zl_status zl_metadata_parse_v3(zl_metadata **out, const char *text, size_t size, const char *what, const zl_env *env,
                               const zl_allocator *allocator, zl_error *err) {
    zl_metadata *metadata = ZL_NEW(allocator, zl_metadata);
    if (metadata == NULL) return zl_fail_memory(err, sizeof *metadata);
    const zl_status status = parse(metadata, text, size, env, allocator, err);
    if (status == ZL_OK) {
        *out = metadata;
        return ZL_OK;
    }
    zl_metadata_free(metadata, allocator);
    return zl_error_wrap(err, status, "%s: ", what);
}

void zl_metadata_free(zl_metadata *metadata, const zl_allocator *allocator) {
    if (metadata == NULL) return;
    zl_arena_free(metadata->arena);
    zl_json_doc_free(metadata->doc);
    zl_json_doc_free(metadata->attributes_doc);
    ZL_DELETE(allocator, metadata);
}
