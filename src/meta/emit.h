/* SPDX-License-Identifier: MIT */
/* A new array between its options and its metadata document; and the pieces documents are written of. */
#ifndef ZL_META_EMIT_H
#define ZL_META_EMIT_H

#include "meta/metadata.h"

/* Parsed and checked options. Members are NULL where the option is not given and has no default of its own. */
typedef struct zl_new_array {
    const zl_env *env; /* with an arena for what is made here */
    const zl_allocator *allocator;
    struct {
        zl_json_doc *dtype, *fill_value, *codecs, *attributes, *chunk_key_encoding, *chunk_grid;
    } doc; /* texts of the options */
    zl_shape shape;
    zl_shape chunk;
    zl_shape shard;
    bool sharded; /* `chunk` is the inner chunks', and `shard` or `chunk_grid` the shards' */
    const zl_dtype *dtype;
    void *fill;
    const zl_json *attributes;
    const zl_json *chunk_key_encoding;
    const zl_json *chunk_grid; /* instead of a regular one */
    const char *const *dimension_names;
    const zl_json *codecs;
    size_t serializer_place; /* where in `codecs` the default array -> bytes codec goes; SIZE_MAX: it has one */
    bool has_array_codecs;   /* the array -> bytes codec may see another type than `dtype` */
} zl_new_array;

/* Reads the options, with `env` and `allocator` set and the rest zero; clear frees what that made but for the arena, after
 * a failure too. */
zl_status zl_new_array_take(zl_new_array *array, const zl_array_options *options, zl_error *err);
void zl_new_array_clear(zl_new_array *array);
/* Looks through codecs_json. INVALID_ARGUMENT, UNSUPPORTED. */
zl_status zl_new_array_take_codecs(zl_new_array *array, zl_error *err);
/* Writes the list of codecs, with the shards around it. */
void zl_new_array_emit_codecs(const zl_new_array *array, zl_json_writer *writer);

void zl_emit_extents(zl_json_writer *writer, const int64_t *extents, int32_t rank);
/* An extension as the user wrote it, a short form as an object. */
void zl_emit_extension(zl_json_writer *writer, const zl_json *value);

#endif
