/* SPDX-License-Identifier: MIT */
/*
 * null_terminated_bytes and raw_bytes: `length_bytes` bytes. Neither is registered; zarr-python writes them for NumPy's S
 * and V types. Both write fill values in base64; the first one drops zeros from the end of its values.
 */
#include "dtype/base64.h"
#include "dtype/family.h"

static const char null_terminated_name[] = "null_terminated_bytes";
static const char raw_name[] = "raw_bytes";

static bool is_null_terminated(const zl_dtype *dtype) {
    return strcmp(dtype->name, null_terminated_name) == 0;
}

static bool fixed_bytes_match(const char *name) {
    return strcmp(name, null_terminated_name) == 0 || strcmp(name, raw_name) == 0;
}

static zl_status fixed_bytes_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                                   zl_error *err) {
    uint64_t length;
    ZL_TRY(zl_family_length_bytes(configuration, &length, err));
    return zl_family_make(&zl_dtype_class_fixed_bytes, name, configuration, 1, length, env, out, err);
}

static zl_status fixed_bytes_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                        zl_error *err) {
    (void)env;
    memset(out, 0, dtype->size);
    if (value == NULL) return ZL_OK;
    size_t size;
    ZL_TRY(zl_family_base64_size(value, &size, err));
    if (size > dtype->size || (size < dtype->size && !is_null_terminated(dtype))) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "%zu bytes for elements of %u", size, (unsigned)dtype->size);
    }
    return zl_family_base64(value, out, err);
}

static void fixed_bytes_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const uint8_t *bytes = element;
    size_t size = dtype->size;
    while (is_null_terminated(dtype) && size > 0 && bytes[size - 1] == 0) {
        size--;
    }
    zl_family_emit_base64(bytes, size, writer);
}

const zl_dtype_class zl_dtype_class_fixed_bytes = {
    .size = sizeof(zl_dtype_class),
    .name = null_terminated_name,
    .spec = "https://zarr.readthedocs.io/en/stable/user-guide/data_types/",
    .match = fixed_bytes_match,
    .parse = fixed_bytes_parse,
    .emit = zl_family_emit_length_bytes,
    .parse_fill = fixed_bytes_parse_fill,
    .emit_fill = fixed_bytes_emit_fill,
};
