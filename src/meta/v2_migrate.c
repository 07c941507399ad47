/* SPDX-License-Identifier: MIT */
/*
 * Metadata of v2 as a zarr.json for the same chunks.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
 *
 * Names of v3 are used for what has one, the names of numcodecs, which zarr-python reads too, for the rest. What only
 * zarrlite would understand is refused: such an array must be copied. Dimension names leave the attributes.
 */
#include "dtype/family.h"
#include "meta/emit.h"
#include "meta/v2.h"

/* ---- data types */

static bool has_subarray(const zl_dtype *dtype) {
    const zl_dtype *element;
    zl_shape shape;
    if (zl_dtype_subarray(dtype, &element, &shape)) return true;
    for (size_t i = 0; i < zl_dtype_field_count(dtype); i++) {
        if (has_subarray(zl_dtype_field(dtype, i)->dtype)) return true;
    }
    return false;
}

static zl_status write_dtype(const zl_metadata *metadata, zl_json_writer *writer, zl_error *err) {
    zl_json_write_key(writer, "data_type");
    if (has_subarray(metadata->dtype)) {
        return zl_json_fail(zl_json_member(metadata->root, "dtype"), err, ZL_ERR_UNSUPPORTED,
                            "Zarr v3 has no fields that are arrays");
    }
    zl_dtype_emit(metadata->dtype, writer);
    return ZL_OK;
}

/* ---- codecs */

/* A number that the document has as a string is one in v3. */
static zl_status write_members(zl_json_writer *writer, const zl_json *object, zl_arena *arena, zl_error *err) {
    for (const zl_json *member = zl_json_first(object); member != NULL; member = zl_json_next(member)) {
        if (strcmp(zl_json_key(member, NULL), "id") == 0) continue;
        const zl_json *value = zl_json_as_number(member, arena);
        if (value == NULL) return zl_fail_memory(err, sizeof(void *));
        zl_json_write_key_of(writer, member);
        if (value != member) {
            size_t size;
            const char *text = zl_json_text(value, &size);
            zl_json_write_number(writer, text, size);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    return ZL_OK;
}

/* Every parameter is required in v3, and the number for shuffling is a word; -1 lets the size of the elements decide. */
static zl_status write_blosc(zl_json_writer *writer, const zl_json *object, const zl_metadata *metadata, zl_error *err) {
    static const char *const words[] = {"noshuffle", "shuffle", "bitshuffle"};
    const uint32_t size = metadata->dtype->variable || metadata->dtype->size > UINT8_MAX ? 1 : metadata->dtype->size;
    int64_t level = 5, shuffle = 1, block_size = 0;
    const zl_json *name = zl_json_member(object, "cname");
    const struct {
        const char *key;
        int64_t *out;
    } numbers[] = {{"clevel", &level}, {"shuffle", &shuffle}, {"blocksize", &block_size}};
    for (size_t i = 0; i < ZL_COUNT_OF(numbers); i++) {
        const zl_json *value = zl_json_member(object, numbers[i].key);
        if (value != NULL) value = zl_json_as_number(value, metadata->arena);
        if (value != NULL) ZL_TRY(zl_json_to_i64(value, numbers[i].out, err));
    }
    if (shuffle < 0 || shuffle > 2) shuffle = size == 1 ? 2 : 1;
    zl_json_write_key(writer, "cname");
    zl_json_write_text(writer, name != NULL ? zl_json_text(name, NULL) : "lz4");
    zl_json_write_key(writer, "clevel");
    zl_json_write_i64(writer, level);
    zl_json_write_key(writer, "shuffle");
    zl_json_write_text(writer, words[shuffle]);
    zl_json_write_key(writer, "typesize");
    zl_json_write_u64(writer, size);
    zl_json_write_key(writer, "blocksize");
    zl_json_write_i64(writer, block_size);
    return ZL_OK;
}

/* zstd of v3 needs both of its parameters, for most readers. */
static zl_status write_zstd(zl_json_writer *writer, const zl_json *object, zl_arena *arena, zl_error *err) {
    if (zl_json_member(object, "level") == NULL) {
        zl_json_write_key(writer, "level");
        zl_json_write_i64(writer, 0);
    }
    ZL_TRY(write_members(writer, object, arena, err));
    if (zl_json_member(object, "checksum") == NULL) {
        zl_json_write_key(writer, "checksum");
        zl_json_write_bool(writer, false);
    }
    return ZL_OK;
}

static bool has_array_filters(const zl_chain *chain) {
    for (int32_t i = 0; i < chain->ab_index; i++) {
        if (chain->codec[i].json != NULL) return true;
    }
    return false;
}

/* Objects of these can be understood by nobody else where v3 metadata says so. */
static bool is_ours_alone(const zl_codec *codec) {
    static const char *const ids[] = {"vlen-array", "json2", "msgpack2", "categorize"};
    const zl_json *id = zl_json_member(codec->json, "id");
    for (size_t i = 0; i < ZL_COUNT_OF(ids); i++) {
        if (zl_json_is(id, ids[i])) return true;
    }
    return strncmp(codec->cls->name, "numcodecs.", 10) != 0 && strncmp(codec->cls->name, "vlen-", 5) != 0;
}

static zl_status write_codec(const zl_metadata *metadata, const zl_codec *codec, zl_json_writer *writer, zl_error *err) {
    const char *name = codec->cls->name;
    const zl_json *object = codec->json;
    if (object == NULL) { /* the library's own say what they are */
        zl_json_write_named(writer, name, codec->cls->emit, codec->self);
        return ZL_OK;
    }
    if (is_ours_alone(codec)) {
        return zl_json_fail(object, err, ZL_ERR_UNSUPPORTED, "codec \"%s\" has no name in Zarr v3",
                            zl_json_text(zl_json_member(object, "id"), NULL));
    }
    const bool is_blosc = strcmp(name, "numcodecs.blosc") == 0 && !has_array_filters(metadata->chain);
    const bool is_zstd = strcmp(name, "numcodecs.zstd") == 0;
    const bool is_gzip = strcmp(name, "numcodecs.gzip") == 0 && zl_json_member(object, "level") != NULL;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_text(writer, is_blosc || is_zstd || is_gzip ? name + strlen("numcodecs.") : name);
    if (strncmp(name, "vlen-", 5) != 0) {
        zl_json_write_key(writer, "configuration");
        zl_json_write_object(writer);
        if (is_blosc) {
            ZL_TRY(write_blosc(writer, object, metadata, err));
        } else if (is_zstd) {
            ZL_TRY(write_zstd(writer, object, metadata->arena, err));
        } else {
            ZL_TRY(write_members(writer, object, metadata->arena, err));
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

static zl_status write_codecs(const zl_metadata *metadata, zl_json_writer *writer, zl_error *err) {
    zl_json_write_key(writer, "codecs");
    zl_json_write_array(writer);
    for (int32_t i = 0; i < metadata->chain->count; i++) {
        ZL_TRY(write_codec(metadata, &metadata->chain->codec[i], writer, err));
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

/* ---- the rest */

static void write_attributes(const zl_metadata *metadata, zl_json_writer *writer) {
    zl_json_write_key(writer, "attributes");
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(metadata->attributes); member != NULL; member = zl_json_next(member)) {
        if (metadata->dimension_names != NULL && strcmp(zl_json_key(member, NULL), ZL_V2_DIMENSIONS) == 0) continue;
        zl_json_write_key_of(writer, member);
        zl_json_write_value(writer, member);
    }
    zl_json_write_end(writer);
}

static void write_dimension_names(const zl_metadata *metadata, zl_json_writer *writer) {
    if (metadata->dimension_names == NULL) return;
    zl_json_write_key(writer, "dimension_names");
    zl_json_write_array(writer);
    for (int32_t axis = 0; axis < metadata->shape.rank; axis++) {
        zl_json_write_text(writer, metadata->dimension_names[axis]);
    }
    zl_json_write_end(writer);
}

static zl_status write_array(const zl_metadata *metadata, zl_json_writer *writer, zl_error *err) {
    zl_json_write_key(writer, "shape");
    zl_emit_extents(writer, metadata->shape.dim, metadata->shape.rank);
    ZL_TRY(write_dtype(metadata, writer, err));
    zl_json_write_key(writer, "chunk_grid");
    zl_json_write_named(writer, metadata->grid->name, metadata->grid->emit, metadata->grid_self);
    zl_json_write_key(writer, "chunk_key_encoding");
    zl_json_write_named(writer, metadata->key->name, metadata->key->emit, metadata->key_self);
    zl_json_write_key(writer, "fill_value");
    metadata->dtype->cls->emit_fill(metadata->dtype, metadata->fill, writer);
    return write_codecs(metadata, writer, err);
}

zl_status zl_metadata_migrate_v2(const zl_metadata *metadata, zl_json_writer *writer, zl_error *err) {
    const bool is_array = metadata->kind == ZL_NODE_ARRAY;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "zarr_format");
    zl_json_write_i64(writer, 3);
    zl_json_write_key(writer, "node_type");
    zl_json_write_text(writer, is_array ? "array" : "group");
    if (is_array) ZL_TRY(write_array(metadata, writer, err));
    write_attributes(metadata, writer);
    if (is_array) write_dimension_names(metadata, writer);
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}
