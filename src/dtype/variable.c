/* SPDX-License-Identifier: MIT */
/*
 * Elements of variable length: string (UTF-8) and bytes. In memory they are zl_slot.
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/string
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/bytes
 *
 * zarr-python calls bytes "variable_length_bytes".
 */
#include "dtype/base64.h"
#include "dtype/family.h"

/* The bytes and the element that points to them. */
static zl_status store_slot(void *out, const void *data, size_t size, const zl_env *env, zl_error *err) {
    const void *copy = zl_arena_text(env->arena, data, size);
    if (copy == NULL) return zl_fail_memory(err, size);
    const zl_slot slot = {.data = copy, .size = size};
    memcpy(out, &slot, sizeof slot);
    return ZL_OK;
}

static zl_slot load_slot(const void *element) {
    zl_slot slot;
    memcpy(&slot, element, sizeof slot);
    return slot;
}

#define VARIABLE_TYPE(type_class, type_id, type_name)                                                                    \
    {                                                                                                                    \
        .cls = &(type_class), .id = (type_id), .name = (type_name), .size = sizeof(zl_slot), .align = _Alignof(zl_slot), \
        .variable = true                                                                                                 \
    }

/* ---- string */

static const zl_dtype string_type = VARIABLE_TYPE(zl_dtype_class_string, ZL_DTYPE_STRING, "string");

static zl_status string_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                              zl_error *err) {
    (void)name, (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = &string_type;
    return ZL_OK;
}

static zl_status string_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                   zl_error *err) {
    (void)dtype;
    const bool is_string = value != NULL && zl_json_get_type(value) == ZL_JSON_STRING;
    size_t size = 0;
    const char *text = is_string ? zl_json_text(value, &size) : "";
    /* v2 writers record 0 as the fill value of all object arrays */
    const bool is_zero =
        value != NULL && zl_json_get_type(value) == ZL_JSON_NUMBER && strcmp(zl_json_text(value, NULL), "0") == 0;
    const bool is_v2_zero = is_zero && env->zarr_format == 2;
    if (value != NULL && !is_string && !is_v2_zero) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of string is a string");
    }
    return store_slot(out, text, size, env, err);
}

static void string_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    (void)dtype;
    const zl_slot slot = load_slot(element);
    zl_json_write_string(writer, slot.size > 0 ? slot.data : "", (size_t)slot.size);
}

const zl_dtype_class zl_dtype_class_string = {
    .size = sizeof(zl_dtype_class),
    .name = "string",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/string",
    .parse = string_parse,
    .parse_fill = string_parse_fill,
    .emit_fill = string_emit_fill,
};

/* ---- bytes */

static const zl_dtype bytes_type = VARIABLE_TYPE(zl_dtype_class_bytes, ZL_DTYPE_BYTES, "bytes");
static const char *const bytes_aliases[] = {"variable_length_bytes", NULL};

static zl_status bytes_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                             zl_error *err) {
    (void)name, (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = &bytes_type;
    return ZL_OK;
}

static zl_status bytes_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                  zl_error *err) {
    (void)dtype;
    if (value == NULL) return store_slot(out, "", 0, env, err);
    const bool is_list = zl_json_get_type(value) == ZL_JSON_ARRAY;
    size_t size = zl_json_count(value);
    if (!is_list) ZL_TRY(zl_family_base64_size(value, &size, err));
    uint8_t *bytes = zl_arena_alloc(env->arena, size, 1);
    if (bytes == NULL) return zl_fail_memory(err, size);
    ZL_TRY(is_list ? zl_family_byte_list(value, bytes, err) : zl_family_base64(value, bytes, err));
    const zl_slot slot = {.data = bytes, .size = size};
    memcpy(out, &slot, sizeof slot);
    return ZL_OK;
}

static void bytes_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    (void)dtype;
    const zl_slot slot = load_slot(element);
    zl_family_emit_base64(slot.data, (size_t)slot.size, writer);
}

const zl_dtype_class zl_dtype_class_bytes = {
    .size = sizeof(zl_dtype_class),
    .name = "bytes",
    .aliases = bytes_aliases,
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/bytes",
    .parse = bytes_parse,
    .parse_fill = bytes_parse_fill,
    .emit_fill = bytes_emit_fill,
};
