/* SPDX-License-Identifier: MIT */
/* bool: one byte, 0 or 1. https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types */
#include "dtype/family.h"

static const zl_dtype bool_type = {
    .cls = &zl_dtype_class_bool,
    .id = ZL_DTYPE_BOOL,
    .name = "bool",
    .size = 1,
    .align = 1,
    .unit_count = 1,
    .units = &(const zl_unit){.count = 1, .width = 1, .rule = ZL_UNIT_BOOL, .bits = 8},
};

static zl_status bool_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                            zl_error *err) {
    (void)name, (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = &bool_type;
    return ZL_OK;
}

static zl_status bool_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out, zl_error *err) {
    (void)dtype, (void)env;
    bool fill = false;
    if (value != NULL) ZL_TRY(zl_json_to_bool(value, &fill, err));
    zl_store_unit(out, 1, fill);
    return ZL_OK;
}

static void bool_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    (void)dtype;
    zl_json_write_bool(writer, zl_load_unit(element, 1) != 0);
}

const zl_dtype_class zl_dtype_class_bool = {
    .size = sizeof(zl_dtype_class),
    .name = "bool",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types",
    .parse = bool_parse,
    .parse_fill = bool_parse_fill,
    .emit_fill = bool_emit_fill,
};
