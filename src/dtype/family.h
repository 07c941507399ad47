/* SPDX-License-Identifier: MIT */
/*
 * What the files of this folder share. A family is one class for several names; types without parameters are static
 * objects in the family's table, so that parsing them needs no zl_env.
 */
#ifndef ZL_DTYPE_FAMILY_H
#define ZL_DTYPE_FAMILY_H

#include "dtype/dtype.h"

#define ZL_DTYPE_CLASS(symbol) extern const zl_dtype_class zl_dtype_class_##symbol;
#include "dtype/dtype_list.h"
#undef ZL_DTYPE_CLASS

/* The type of that name in a family's table, or NULL. Rows without a name are skipped. */
const zl_dtype *zl_family_find(const zl_dtype *types, size_t count, const char *name);

/* METADATA when a configuration has members: for types without parameters. */
zl_status zl_family_no_configuration(const zl_json *configuration, zl_error *err);

/* LIMIT, with the path of `where` (may be NULL), when elements of `size` bytes are larger than the context allows. Sizes
 * that pass fit into uint32_t. */
zl_status zl_family_check_size(uint64_t size, const zl_json *where, const zl_env *env, zl_error *err);

/* A new type of `count` plain units of `width` bytes, without params; its name is copied. LIMIT, NO_MEMORY. */
zl_status zl_family_make(const zl_dtype_class *cls, const char *name, const zl_json *configuration, uint8_t width,
                         uint64_t count, const zl_env *env, const zl_dtype **out, zl_error *err);

/* The integers 0..255 of a JSON array as bytes, zl_json_count() of them. METADATA. */
zl_status zl_family_byte_list(const zl_json *list, uint8_t *out, zl_error *err);

/* Bytes that a string stands for in base64, and these bytes, as many as zl_family_base64_size says. METADATA. */
zl_status zl_family_base64_size(const zl_json *value, size_t *out, zl_error *err);
zl_status zl_family_base64(const zl_json *value, uint8_t *out, zl_error *err);
/* The bytes of a whole element in base64, as they are stored. METADATA. */
zl_status zl_family_packed(const zl_dtype *dtype, const zl_json *value, void *out, zl_error *err);
void zl_family_emit_base64(const uint8_t *bytes, size_t size, zl_json_writer *writer);

/* Integers of fill values. Zarr v3 has no fraction or exponent in them; v2 writers record 0.0 for integers as well. */
zl_status zl_family_read_i64(const zl_json *value, int32_t zarr_format, int64_t *out, zl_error *err);
zl_status zl_family_read_u64(const zl_json *value, int32_t zarr_format, uint64_t *out, zl_error *err);

/* The configuration {"length_bytes": n}, n > 0, of types of fixed size: reads it, and writes such a type. */
zl_status zl_family_length_bytes(const zl_json *configuration, uint64_t *out, zl_error *err);
void zl_family_emit_length_bytes(const zl_dtype *dtype, zl_json_writer *writer);

/* Memory for building the text of a fill value, to be freed with the writer's allocator. When there is none, the writer
 * fails and the result is NULL. */
void *zl_family_scratch(zl_json_writer *writer, size_t size);

/* An integer of 1, 2, 4 or 8 bytes in the machine's order at any address. */
static inline uint64_t zl_load_unit(const void *from, size_t width) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (width) {
    case 1: memcpy(&u8, from, sizeof u8); return u8;
    case 2: memcpy(&u16, from, sizeof u16); return u16;
    case 4: memcpy(&u32, from, sizeof u32); return u32;
    default: memcpy(&u64, from, sizeof u64); return u64;
    }
}

static inline void zl_store_unit(void *to, size_t width, uint64_t value) {
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    switch (width) {
    case 1: memcpy(to, &u8, sizeof u8); break;
    case 2: memcpy(to, &u16, sizeof u16); break;
    case 4: memcpy(to, &u32, sizeof u32); break;
    default: memcpy(to, &value, sizeof value); break;
    }
}

/* The low `bits` (1..64) of `value` as a signed number. */
static inline int64_t zl_sign_extend(uint64_t value, unsigned bits) {
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    const uint64_t low = value & (sign | (sign - 1));
    return (int64_t)((low ^ sign) - sign);
}

#endif
