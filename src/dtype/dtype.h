/* SPDX-License-Identifier: MIT */
/* Data types: finding and parsing them, and putting raw elements right. */
#ifndef ZL_DTYPE_DTYPE_H
#define ZL_DTYPE_DTYPE_H

#include "base/base.h"
#include "json/json.h"

/* Classes that a context adds to the built-in ones. */
struct zl_registry {
    const zl_codec_class **codecs;
    size_t codec_count;
    const zl_dtype_class **dtypes;
    size_t dtype_count;
};

/* All built-in classes, by dtype_list.h. */
extern const zl_dtype_class *const zl_dtype_table[];
extern const size_t zl_dtype_table_count;

/* A data type as it stands in v3 metadata: a name or a named configuration. METADATA, UNSUPPORTED (unknown name), LIMIT. */
zl_status zl_dtype_parse(const zl_json *value, const zl_env *env, const zl_dtype **out, zl_error *err);

/* Writes a data type as it stands in metadata. */
void zl_dtype_emit(const zl_dtype *dtype, zl_json_writer *writer);
/* The same for types that there need not be: one of fixed size, and a time. */
void zl_dtype_emit_sized(const char *name, uint64_t size, zl_json_writer *writer);
void zl_dtype_emit_time(const char *name, const char *unit, int32_t scale, zl_json_writer *writer);

/* True for the packed fill value of the legacy type structured, whose byte order is that of the bytes codec. parse_fill
 * takes it for little-endian; where the codec says big, zl_dtype_fix(dtype, true, element, 1) afterwards puts it right. */
bool zl_dtype_fill_follows_codec(const zl_dtype *dtype, const zl_json *fill);

/* zl_dtype_find_field, or INVALID_ARGUMENT, which names the fields there are. */
zl_status zl_dtype_require_field(const zl_dtype *dtype, const char *path, zl_field *out, zl_error *err);

/* The type of a field that is an array of its own, which v2 structures may have (subarray.c): its elements and its shape.
 * False for other types. */
bool zl_dtype_subarray(const zl_dtype *dtype, const zl_dtype **element, zl_shape *shape);
#define ZL_SUBARRAY_NAME "zarrlite.subarray"

/* Puts `count` contiguous raw elements right in place: swaps units where `swap`, then applies their rules. */
void zl_dtype_fix(const zl_dtype *dtype, bool swap, void *elements, size_t count);
/* Does zl_dtype_fix change anything with this `swap`? Decides whether raw bytes are elements already. */
bool zl_dtype_needs_fix(const zl_dtype *dtype, bool swap);
/* The one unit width when all of an element is plain units of it and nothing but a swap is needed; otherwise 0. */
uint32_t zl_dtype_plain_width(const zl_dtype *dtype);
/* Same bits (same text, for variable length)? */
bool zl_dtype_same(const zl_dtype *dtype, const void *a, const void *b);

#endif
