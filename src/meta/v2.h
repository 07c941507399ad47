/* SPDX-License-Identifier: MIT */
/* The parts of a .zarray, for the files of this folder. */
#ifndef ZL_META_V2_H
#define ZL_META_V2_H

#include "dtype/typestr.h"
#include "meta/metadata.h"

/* A .zarray while it is understood. */
typedef struct zl_v2_array {
    const zl_env *env; /* with the metadata's arena, zarr_format 2 */
    const zl_allocator *allocator;
    zl_metadata *meta;
    zl_byte_order order; /* of the elements that the `bytes` codec sees */
    bool fortran;        /* chunks have their first axis contiguous */
} zl_v2_array;

/* Each sets its part of `meta`. */
zl_status zl_v2_parse_dtype(zl_v2_array *array, zl_error *err);
zl_status zl_v2_parse_fill(zl_v2_array *array, zl_error *err);
zl_status zl_v2_parse_codecs(zl_v2_array *array, zl_error *err);
zl_status zl_v2_parse_dimension_names(zl_v2_array *array, zl_error *err);

/* Writes the `data_type` of v3 that stands for the dtype `value` of v2. METADATA, UNSUPPORTED. */
zl_status zl_v2_translate_dtype(const zl_json *value, zl_json_writer *writer, zl_byte_order *order, zl_error *err);
/* The reverse: the dtype of v2. UNSUPPORTED where it has none. */
zl_status zl_v2_emit_dtype(const zl_dtype *dtype, bool big_endian, zl_json_writer *writer, zl_error *err);

/* Is it null, or not there at all? */
static inline bool zl_v2_is_null(const zl_json *value) {
    return value == NULL || zl_json_get_type(value) == ZL_JSON_NULL;
}

#endif
