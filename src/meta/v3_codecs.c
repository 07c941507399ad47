/* SPDX-License-Identifier: MIT */
/*
 * The codecs of a new array: what the user chose, completed with an array -> bytes codec where none was named, or the
 * defaults; with shards, all of it inside sharding_indexed.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#codecs
 */
#include "meta/emit.h"

/* ---- what codecs_json holds */

static zl_status take_codec(zl_new_array *array, const zl_json *json, size_t index, zl_error *err) {
    zl_named named;
    const zl_codec_class *cls;
    ZL_TRY(zl_json_to_named(json, "codec", &named, err));
    ZL_TRY(zl_codec_find(array->env->registry, named.name, &cls, err));
    if (array->sharded && cls->ab != NULL && cls->ab->split != NULL) {
        return zl_json_fail(json, err, ZL_ERR_INVALID_ARGUMENT, "\"%s\" and shard_shape are both given", named.name);
    }
    if (cls->aa != NULL) array->has_array_codecs = true;
    if (cls->ab != NULL) array->serializer_place = SIZE_MAX;
    if (cls->bb != NULL && array->serializer_place == zl_json_count(array->codecs)) array->serializer_place = index;
    return ZL_OK;
}

static zl_status take_list(zl_new_array *array, zl_error *err) {
    if (zl_json_get_type(array->codecs) != ZL_JSON_ARRAY) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "must be an array");
    }
    array->serializer_place = zl_json_count(array->codecs);
    size_t index = 0;
    for (const zl_json *json = zl_json_first(array->codecs); json != NULL; json = zl_json_next(json)) {
        ZL_TRY(take_codec(array, json, index++, err));
    }
    return ZL_OK;
}

zl_status zl_new_array_take_codecs(zl_new_array *array, zl_error *err) {
    if (array->doc.codecs == NULL) return ZL_OK;
    array->codecs = zl_json_root(array->doc.codecs);
    const zl_status status = take_list(array, err);
    return status == ZL_OK ? ZL_OK : zl_option_status(zl_error_wrap(err, status, "codecs_json: "), err);
}

/* ---- writing */

static void emit_bytes(zl_json_writer *writer) {
    zl_json_begin_named(writer, "bytes");
    zl_json_write_key(writer, "endian");
    zl_json_write_text(writer, "little");
    zl_json_end_named(writer);
}

static bool has_byte_order(const zl_dtype *dtype) {
    for (uint32_t i = 0; i < dtype->unit_count; i++) {
        if (dtype->units[i].width > 1) return true;
    }
    return false;
}

/* The byte order of one-byte types means nothing and is left out, unless codecs in front may make wider ones of them. */
static void emit_serializer(const zl_new_array *array, zl_json_writer *writer) {
    const zl_dtype *dtype = array->dtype;
    if (dtype->id == ZL_DTYPE_STRING) {
        zl_json_write_named(writer, "vlen-utf8", NULL, NULL);
    } else if (dtype->id == ZL_DTYPE_BYTES) {
        zl_json_write_named(writer, "vlen-bytes", NULL, NULL);
    } else if (array->has_array_codecs || has_byte_order(dtype)) {
        emit_bytes(writer);
    } else {
        zl_json_write_named(writer, "bytes", NULL, NULL);
    }
}

static void emit_zstd(zl_json_writer *writer) {
    zl_json_begin_named(writer, "zstd");
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, 3);
    zl_json_write_key(writer, "checksum");
    zl_json_write_bool(writer, false);
    zl_json_end_named(writer);
}

static void emit_gzip(zl_json_writer *writer) {
    zl_json_begin_named(writer, "gzip");
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, 5);
    zl_json_end_named(writer);
}

static void emit_default_compressor(zl_json_writer *writer) {
    if (zl_codec_available("zstd") == ZL_AVAILABLE) {
        emit_zstd(writer);
    } else if (zl_codec_available("gzip") == ZL_AVAILABLE) {
        emit_gzip(writer);
    }
}

/* Codecs of one chunk, or of one inner chunk. */
static void emit_chain(const zl_new_array *array, zl_json_writer *writer) {
    zl_json_write_array(writer);
    if (array->codecs == NULL) {
        emit_serializer(array, writer);
        emit_default_compressor(writer);
    } else {
        size_t index = 0;
        for (const zl_json *json = zl_json_first(array->codecs); json != NULL; json = zl_json_next(json)) {
            if (index++ == array->serializer_place) emit_serializer(array, writer);
            zl_emit_extension(writer, json);
        }
        if (index == array->serializer_place) emit_serializer(array, writer);
    }
    zl_json_write_end(writer);
}

static void emit_shards(const zl_new_array *array, zl_json_writer *writer) {
    zl_json_write_array(writer);
    zl_json_begin_named(writer, "sharding_indexed");
    zl_json_write_key(writer, "chunk_shape");
    zl_emit_extents(writer, array->chunk.dim, array->chunk.rank);
    zl_json_write_key(writer, "codecs");
    emit_chain(array, writer);
    zl_json_write_key(writer, "index_codecs");
    zl_json_write_array(writer);
    emit_bytes(writer);
    zl_json_write_named(writer, "crc32c", NULL, NULL);
    zl_json_write_end(writer);
    zl_json_write_key(writer, "index_location");
    zl_json_write_text(writer, "end");
    zl_json_end_named(writer);
    zl_json_write_end(writer);
}

void zl_new_array_emit_codecs(const zl_new_array *array, zl_json_writer *writer) {
    if (array->sharded) {
        emit_shards(array, writer);
    } else {
        emit_chain(array, writer);
    }
}
