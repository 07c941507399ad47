/* SPDX-License-Identifier: MIT */
/*
 * Fill values of Zarr v2.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#fill-value-encoding
 *
 * Null and a missing key leave the elements undefined: they read as zero. Where writers agree on more than the page says,
 * that is read: numbers as strings, NaN as a literal, a list of the one value, 0 for every type, text that is no base64 for
 * bytes, and any JSON for objects.
 */
#include "dtype/base64.h"
#include "dtype/family.h"
#include "meta/v2.h"

static bool is_zero(const zl_json *value) {
    double number;
    return zl_json_get_type(value) == ZL_JSON_NUMBER && zl_json_to_double(value, &number, NULL) == ZL_OK && number == 0;
}

/* Base64 or, where a string is no such thing, its text; at most `cap` bytes. */
static zl_status parse_bytes(const zl_json *value, uint8_t *out, size_t cap, size_t *used, zl_error *err) {
    size_t text_size = 0, size = 0;
    const char *text = zl_json_text(value, &text_size);
    if (zl_json_get_type(value) != ZL_JSON_STRING) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of bytes is a string in base64");
    }
    const bool fits = zl_base64_decoded_size(text, text_size, &size) && size <= cap;
    if (fits && zl_base64_decode(text, text_size, out)) {
        *used = size;
        return ZL_OK;
    }
    if (text_size > cap) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "neither base64 nor text of at most %zu bytes", cap);
    }
    memcpy(out, text, text_size);
    if (cap > text_size) memset(out + text_size, 0, cap - text_size);
    *used = text_size;
    return ZL_OK;
}

/* A whole element as its bytes are stored. */
static zl_status parse_packed(const zl_v2_array *array, const zl_json *value, void *out, zl_error *err) {
    const zl_dtype *dtype = array->meta->dtype;
    ZL_TRY(zl_family_packed(dtype, value, out, err));
    const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    const bool swap = array->order != ZL_ORDER_NONE && (array->order == ZL_ORDER_BIG) != is_big_endian;
    zl_dtype_fix(dtype, swap, out, 1);
    return ZL_OK;
}

static zl_status store_slot(const void *data, size_t size, void *out) {
    const zl_slot slot = {.data = data, .size = size};
    memcpy(out, &slot, sizeof slot);
    return ZL_OK;
}

/* Objects that are bytes. */
static zl_status parse_object_bytes(const zl_v2_array *array, const zl_json *value, void *out, zl_error *err) {
    size_t cap = 0, size = 0;
    (void)zl_json_text(value, &cap);
    uint8_t *bytes = zl_arena_alloc(array->meta->arena, cap, 1);
    if (bytes == NULL) return zl_fail_memory(err, cap);
    ZL_TRY(parse_bytes(value, bytes, cap, &size, err));
    return store_slot(bytes, size, out);
}

/* Objects that are text: what is no string is its JSON. */
static zl_status parse_object_text(const zl_json *value, void *out) {
    size_t size;
    const char *text = zl_json_text(value, &size);
    if (zl_json_get_type(value) == ZL_JSON_STRING) return store_slot(text, size, out);
    const zl_span slice = zl_json_slice(value);
    return store_slot(slice.data, slice.size, out);
}

static zl_status parse_value(const zl_v2_array *array, const zl_json *value, void *out, zl_error *err) {
    const zl_dtype *dtype = array->meta->dtype;
    const zl_dtype_class *cls = dtype->cls;
    size_t used;
    if (zl_v2_is_null(value) || is_zero(value)) {
        /* -0.0 and, below, all other numbers are the class's own affair */
        const bool is_plain = cls == &zl_dtype_class_float && !zl_v2_is_null(value);
        return cls->parse_fill(dtype, is_plain ? value : NULL, array->env, out, err);
    }
    if (cls == &zl_dtype_class_string) return parse_object_text(value, out);
    if (cls == &zl_dtype_class_bytes) return parse_object_bytes(array, value, out, err);
    if (cls == &zl_dtype_class_fixed_bytes) return parse_bytes(value, out, dtype->size, &used, err);
    if (zl_json_get_type(value) == ZL_JSON_STRING && (cls == &zl_dtype_class_struct || cls == &zl_dtype_class_subarray)) {
        return parse_packed(array, value, out, err);
    }
    if (cls == &zl_dtype_class_utf32) return cls->parse_fill(dtype, value, array->env, out, err);
    value = zl_json_as_number(value, array->meta->arena);
    if (value == NULL) return zl_fail_memory(err, sizeof(void *));
    if (cls == &zl_dtype_class_bool && zl_json_get_type(value) == ZL_JSON_NUMBER) {
        zl_store_unit(out, 1, 1);
        return ZL_OK;
    }
    return cls->parse_fill(dtype, value, array->env, out, err);
}

zl_status zl_v2_parse_fill(zl_v2_array *array, zl_error *err) {
    const zl_json *value = zl_json_member(array->meta->root, "fill_value");
    const zl_dtype *dtype = array->meta->dtype;
    void *fill = zl_arena_zero(array->meta->arena, dtype->size, dtype->align);
    if (fill == NULL) return zl_fail_memory(err, dtype->size);
    if (zl_json_get_type(value) == ZL_JSON_ARRAY && zl_json_count(value) == 1) value = zl_json_first(value);
    ZL_TRY(parse_value(array, value, fill, err));
    array->meta->fill = fill;
    return ZL_OK;
}
