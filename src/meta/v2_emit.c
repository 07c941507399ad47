/* SPDX-License-Identifier: MIT */
/*
 * Metadata documents of Zarr v2 that zarrlite makes itself.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
 *
 * The options are those of a v3 array. Codecs become the filters and the compressor that store the same bytes: a transpose
 * of all axes is order F, the byte order goes into the data type, the last codec of bytes is the compressor. What v2 cannot
 * say is refused by name. Dimension names become the attribute _ARRAY_DIMENSIONS.
 */
#include "dtype/family.h"
#include "meta/emit.h"
#include "meta/v2.h"

typedef struct plan {
    const zl_new_array *array;
    bool big_endian;
    bool fortran;
    char separator;
    const zl_json *compressor; /* among the codecs; NULL: none */
    bool own_compressor;       /* no codecs were given: the default */
    bool needs_object_filter;  /* the elements are objects and no codec encodes them */
} plan;

/* ---- what the codecs come to */

static zl_status named_codec(const zl_json *json, zl_named *out, const zl_codec_class **cls, const plan *self,
                             zl_error *err) {
    ZL_TRY(zl_json_to_named(json, "codec", out, err));
    return zl_codec_find(self->array->env->registry, out->name, cls, err);
}

static zl_status take_transpose(plan *self, const zl_json *json, const zl_json *configuration, zl_error *err) {
    const zl_json *order;
    ZL_TRY(zl_json_require(configuration, "order", &order, err));
    int64_t last = self->array->shape.rank - 1;
    for (const zl_json *axis = zl_json_first(order); axis != NULL; axis = zl_json_next(axis), last--) {
        int64_t value;
        ZL_TRY(zl_json_to_i64(axis, &value, err));
        if (value == last) continue;
        return zl_json_fail(json, err, ZL_ERR_INVALID_ARGUMENT,
                            "of transposes Zarr v2 has the reversed order of axes alone");
    }
    self->fortran = true;
    return ZL_OK;
}

static zl_status take_codec(plan *self, const zl_json *json, zl_error *err) {
    zl_named named;
    const zl_codec_class *cls = NULL;
    ZL_TRY(named_codec(json, &named, &cls, self, err));
    if (strcmp(named.name, "bytes") == 0) {
        self->big_endian = zl_json_is(zl_json_member(named.configuration, "endian"), "big");
    } else if (strcmp(named.name, "transpose") == 0) {
        return take_transpose(self, json, named.configuration, err);
    }
    if (cls->ab != NULL) self->needs_object_filter = false;
    if (cls->bb != NULL) self->compressor = json;
    return ZL_OK;
}

static zl_status take_codecs(plan *self, zl_error *err) {
    const zl_json *codecs = self->array->codecs;
    self->own_compressor = codecs == NULL;
    self->needs_object_filter = self->array->dtype->variable;
    for (const zl_json *json = zl_json_first(codecs); json != NULL; json = zl_json_next(json)) {
        const zl_status status = take_codec(self, json, err);
        if (status != ZL_OK) return zl_option_status(zl_error_wrap(err, status, "codecs_json: "), err);
    }
    return ZL_OK;
}

/* "v2" with a separator; nothing else makes keys of v2. */
static zl_status take_separator(plan *self, zl_error *err) {
    static const char *const separators[] = {".", "/", NULL};
    const zl_json *value = self->array->chunk_key_encoding;
    zl_named named;
    int choice = 0;
    self->separator = '.';
    if (value == NULL) return ZL_OK;
    ZL_TRY(zl_json_to_named(value, "chunk key encoding", &named, err));
    if (strcmp(named.name, "v2") != 0) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "chunk_key_encoding_json: Zarr v2 has \"v2\" alone, not \"%s\"",
                       named.name);
    }
    if (zl_json_member(named.configuration, "separator") != NULL) {
        const zl_status status = zl_json_get_choice(named.configuration, "separator", separators, &choice, err);
        if (status != ZL_OK) return zl_option_status(zl_error_wrap(err, status, "chunk_key_encoding_json: "), err);
    }
    self->separator = separators[choice][0];
    return ZL_OK;
}

static zl_status make_plan(plan *self, zl_error *err) {
    if (self->array->chunk_grid != NULL) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "chunk_grid_json: chunks of Zarr v2 have one shape, chunk_shape");
    }
    if (self->array->sharded) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "shard_shape: Zarr v2 has no shards");
    ZL_TRY(take_codecs(self, err));
    return take_separator(self, err);
}

/* ---- codecs */

static void write_members(zl_json_writer *writer, const zl_json *object, const char *without) {
    for (const zl_json *member = zl_json_first(object); member != NULL; member = zl_json_next(member)) {
        if (without != NULL && strcmp(zl_json_key(member, NULL), without) == 0) continue;
        zl_json_write_key_of(writer, member);
        zl_json_write_value(writer, member);
    }
}

/* A checksum is the exception: readers of before there was one refuse the word. */
static void write_zstd(zl_json_writer *writer, const zl_json *configuration) {
    const zl_json *checksum = zl_json_member(configuration, "checksum");
    bool wanted = false;
    const bool is_off = checksum != NULL && zl_json_to_bool(checksum, &wanted, NULL) == ZL_OK && !wanted;
    write_members(writer, configuration, is_off ? "checksum" : NULL);
}

/* The words of v3 for shuffling are numbers in v2, and the size of elements is known there. */
static void write_blosc(zl_json_writer *writer, const zl_json *configuration) {
    static const char *const words[] = {"noshuffle", "shuffle", "bitshuffle"};
    for (const zl_json *member = zl_json_first(configuration); member != NULL; member = zl_json_next(member)) {
        const char *key = zl_json_key(member, NULL);
        if (strcmp(key, "typesize") == 0) continue;
        zl_json_write_key_of(writer, member);
        size_t word = 0;
        while (word < ZL_COUNT_OF(words) && !zl_json_is(member, words[word])) {
            word++;
        }
        if (strcmp(key, "shuffle") == 0 && word < ZL_COUNT_OF(words)) {
            zl_json_write_u64(writer, word);
        } else {
            zl_json_write_value(writer, member);
        }
    }
}

static zl_status write_codec(const plan *self, const zl_json *json, zl_json_writer *writer, zl_error *err) {
    static const char *const same[] = {"gzip", "zstd", "blosc", "crc32c", "vlen-utf8", "vlen-bytes"};
    static const char prefix[] = "numcodecs.";
    zl_named named;
    const zl_codec_class *cls;
    ZL_TRY(named_codec(json, &named, &cls, self, err));
    const bool is_numcodecs = strncmp(named.name, prefix, sizeof prefix - 1) == 0;
    bool known = is_numcodecs;
    for (size_t i = 0; i < ZL_COUNT_OF(same); i++) {
        known = known || strcmp(named.name, same[i]) == 0;
    }
    if (!known) {
        return zl_json_fail(json, err, ZL_ERR_INVALID_ARGUMENT, "codec \"%s\" does not exist in Zarr v2", named.name);
    }
    zl_json_write_object(writer);
    zl_json_write_key(writer, "id");
    zl_json_write_text(writer, named.name + (is_numcodecs ? sizeof prefix - 1 : 0));
    if (strcmp(named.name, "crc32c") == 0) { /* there the checksum is in front unless said otherwise */
        zl_json_write_key(writer, "location");
        zl_json_write_text(writer, "end");
    }
    if (strcmp(named.name, "blosc") == 0) {
        write_blosc(writer, named.configuration);
    } else if (strcmp(named.name, "zstd") == 0) {
        write_zstd(writer, named.configuration);
    } else {
        write_members(writer, named.configuration, "id");
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

static void write_default_compressor(zl_json_writer *writer) {
    const bool has_zstd = zl_codec_available("zstd") == ZL_AVAILABLE;
    if (!has_zstd && zl_codec_available("numcodecs.zlib") != ZL_AVAILABLE) {
        zl_json_write_null(writer);
        return;
    }
    zl_json_write_object(writer);
    zl_json_write_key(writer, "id");
    zl_json_write_text(writer, has_zstd ? "zstd" : "zlib");
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, has_zstd ? 3 : 5);
    zl_json_write_end(writer);
}

static zl_status write_compressor(const plan *self, zl_json_writer *writer, zl_error *err) {
    zl_json_write_key(writer, "compressor");
    if (self->compressor != NULL) return write_codec(self, self->compressor, writer, err);
    if (self->own_compressor) {
        write_default_compressor(writer);
    } else {
        zl_json_write_null(writer);
    }
    return ZL_OK;
}

static bool is_filter(const plan *self, const zl_json *json) {
    zl_named named;
    if (json == self->compressor || zl_json_to_named(json, "codec", &named, NULL) != ZL_OK) return false;
    return strcmp(named.name, "bytes") != 0 && strcmp(named.name, "transpose") != 0;
}

static zl_status write_filters(const plan *self, zl_json_writer *writer, zl_error *err) {
    const zl_json *codecs = self->array->codecs;
    bool any = self->needs_object_filter;
    for (const zl_json *json = zl_json_first(codecs); json != NULL; json = zl_json_next(json)) {
        any = any || is_filter(self, json);
    }
    zl_json_write_key(writer, "filters");
    if (!any) {
        zl_json_write_null(writer);
        return ZL_OK;
    }
    zl_json_write_array(writer);
    if (self->needs_object_filter) {
        zl_json_write_object(writer);
        zl_json_write_key(writer, "id");
        zl_json_write_text(writer, self->array->dtype->id == ZL_DTYPE_STRING ? "vlen-utf8" : "vlen-bytes");
        zl_json_write_end(writer);
    }
    for (const zl_json *json = zl_json_first(codecs); json != NULL; json = zl_json_next(json)) {
        if (!is_filter(self, json)) continue;
        const zl_status status = write_codec(self, json, writer, err);
        if (status != ZL_OK) return zl_option_status(zl_error_wrap(err, status, "codecs_json: "), err);
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

/* ---- fill values */

static zl_status write_packed(const plan *self, zl_json_writer *writer, zl_error *err) {
    const zl_dtype *dtype = self->array->dtype;
    uint8_t *bytes = zl_arena_alloc(self->array->env->arena, dtype->size, 8);
    if (bytes == NULL) return zl_fail_memory(err, dtype->size);
    memcpy(bytes, self->array->fill, dtype->size);
    const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    zl_dtype_fix(dtype, self->big_endian != is_big_endian, bytes, 1);
    zl_family_emit_base64(bytes, dtype->size, writer);
    return ZL_OK;
}

static zl_status write_fill(const plan *self, zl_json_writer *writer, zl_error *err) {
    const zl_dtype *dtype = self->array->dtype;
    zl_json_write_key(writer, "fill_value");
    if (zl_dtype_field_count(dtype) > 0 || dtype->cls == &zl_dtype_class_raw) return write_packed(self, writer, err);
    if (zl_dtype_time_unit(dtype) != NULL) { /* "not a time" is a number, too */
        zl_json_write_i64(writer, (int64_t)zl_load_unit(self->array->fill, 8));
    } else {
        dtype->cls->emit_fill(dtype, self->array->fill, writer);
    }
    return ZL_OK;
}

/* ---- attributes */

static zl_status write_attributes(const zl_new_array *array, zl_json_writer *writer, zl_error *err) {
    const int32_t rank = array->shape.rank;
    const bool has_own = zl_json_member(array->attributes, ZL_V2_DIMENSIONS) != NULL;
    const bool has_names = array->dimension_names != NULL && rank > 0 && !has_own;
    if (zl_json_count(array->attributes) == 0 && !has_names) return ZL_OK;
    zl_json_write_object(writer);
    write_members(writer, array->attributes, NULL);
    if (has_names) {
        zl_json_write_key(writer, ZL_V2_DIMENSIONS);
        zl_json_write_array(writer);
        for (int32_t axis = 0; axis < rank; axis++) {
            if (array->dimension_names[axis] == NULL) {
                return zl_fail(err, ZL_ERR_INVALID_ARGUMENT,
                               "dimension_names[%d]: in Zarr v2 all dimensions have names, or none", (int)axis);
            }
            zl_json_write_text(writer, array->dimension_names[axis]);
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}

/* ---- documents */

static zl_status write_array(const plan *self, zl_json_writer *writer, zl_error *err) {
    const zl_new_array *array = self->array;
    const char separator[2] = {self->separator, '\0'};
    zl_json_write_object(writer);
    zl_json_write_key(writer, "zarr_format");
    zl_json_write_i64(writer, 2);
    zl_json_write_key(writer, "shape");
    zl_emit_extents(writer, array->shape.dim, array->shape.rank);
    zl_json_write_key(writer, "chunks");
    zl_emit_extents(writer, array->chunk.dim, array->chunk.rank);
    zl_json_write_key(writer, "dtype");
    ZL_TRY(zl_v2_emit_dtype(array->dtype, self->big_endian, writer, err));
    ZL_TRY(write_fill(self, writer, err));
    zl_json_write_key(writer, "order");
    zl_json_write_text(writer, self->fortran ? "F" : "C");
    ZL_TRY(write_filters(self, writer, err));
    ZL_TRY(write_compressor(self, writer, err));
    zl_json_write_key(writer, "dimension_separator");
    zl_json_write_text(writer, separator);
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}

zl_status zl_metadata_emit_array_v2(const zl_array_options *options, const zl_env *env, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_json_writer *attributes, zl_error *err) {
    zl_env inner = *env;
    inner.depth = 0;
    inner.zarr_format = 3; /* the options are written in its words */
    inner.arena = zl_arena_new(allocator);
    if (inner.arena == NULL) return zl_fail_memory(err, sizeof(void *));
    zl_new_array array = {.env = &inner, .allocator = allocator};
    plan self = {.array = &array};
    zl_status status = zl_new_array_take(&array, options, err);
    if (status == ZL_OK) status = make_plan(&self, err);
    if (status == ZL_OK) status = write_array(&self, writer, err);
    if (status == ZL_OK) status = write_attributes(&array, attributes, err);
    zl_new_array_clear(&array);
    zl_arena_free(inner.arena);
    return status;
}

zl_status zl_metadata_emit_group_v2(const char *attributes_json, const zl_limits *limits, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_json_writer *attributes, zl_error *err) {
    zl_json_doc *doc = NULL;
    if (attributes_json != NULL) {
        ZL_TRY(zl_option_parse(&doc, attributes_json, "attributes_json", limits, allocator, err));
    }
    const zl_json *object = doc != NULL ? zl_json_root(doc) : NULL;
    zl_status status = ZL_OK;
    if (object != NULL && zl_json_get_type(object) != ZL_JSON_OBJECT) {
        status = zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "attributes_json: must be an object");
    }
    if (status == ZL_OK && zl_json_count(object) > 0) {
        zl_json_write_value(attributes, object);
        status = zl_json_writer_finish(attributes, err);
    }
    zl_json_doc_free(doc);
    if (status != ZL_OK) return status;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "zarr_format");
    zl_json_write_i64(writer, 2);
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}
