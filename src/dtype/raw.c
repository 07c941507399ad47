/* SPDX-License-Identifier: MIT */
/*
 * Raw bits r8, r16, r24, ...: bytes without a meaning or an order.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types
 *
 * The page says that a fill value has N entries of 0..255; it means N/8, one a byte, as all implementations do.
 */
#include "dtype/family.h"

static bool raw_match(const char *name) {
    if (name[0] != 'r' || name[1] == '\0') return false;
    return strspn(name + 1, "0123456789") == strlen(name + 1);
}

static zl_status raw_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                           zl_error *err) {
    ZL_TRY(zl_family_no_configuration(configuration, err));
    uint64_t bits = 0;
    for (const char *digit = name + 1; *digit != '\0'; digit++) {
        bits = zl_sat_add(zl_sat_mul(bits, 10), (uint64_t)(*digit - '0'));
    }
    if (bits != UINT64_MAX && (bits == 0 || bits % 8 != 0 || name[1] == '0')) {
        return zl_fail(err, ZL_ERR_METADATA, "the number of bits of %s is not a positive multiple of 8", name);
    }
    return zl_family_make(&zl_dtype_class_raw, name, configuration, 1, bits / 8, env, out, err);
}

static zl_status raw_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out, zl_error *err) {
    (void)env;
    uint8_t *bytes = out;
    memset(bytes, 0, dtype->size);
    if (value == NULL) return ZL_OK;
    if (zl_json_get_type(value) != ZL_JSON_ARRAY || zl_json_count(value) != dtype->size) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of %s is an array of %u integers", dtype->name,
                            (unsigned)dtype->size);
    }
    return zl_family_byte_list(value, bytes, err);
}

static void raw_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const uint8_t *bytes = element;
    zl_json_write_array(writer);
    for (uint32_t i = 0; i < dtype->size; i++) {
        zl_json_write_u64(writer, bytes[i]);
    }
    zl_json_write_end(writer);
}

const zl_dtype_class zl_dtype_class_raw = {
    .size = sizeof(zl_dtype_class),
    .name = "r*",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types",
    .match = raw_match,
    .parse = raw_parse,
    .parse_fill = raw_parse_fill,
    .emit_fill = raw_emit_fill,
};
