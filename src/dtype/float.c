/* SPDX-License-Identifier: MIT */
/*
 * Floating-point types: float16, float32, float64 of the core specification, bfloat16 and the float4, float6 and float8
 * types of the registry. Those of less than a byte take a byte each in memory.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
 *
 * The default fill value is the code 0: zero, but 2^-127 in float8_e8m0fnu, which has no zero.
 */
#include "dtype/family.h"
#include "dtype/float_text.h"

#define FLOAT_TYPE(symbol, type_name, complex_symbol, complex_name, type_bits, mantissa_bits, bias, kind, nan) \
    {                                                                                                          \
        .cls = &zl_dtype_class_float,                                                                          \
        .id = ZL_DTYPE_##symbol,                                                                               \
        .name = type_name,                                                                                     \
        .size = ZL_MINIFLOAT_SIZE(type_bits),                                                                  \
        .align = ZL_MINIFLOAT_SIZE(type_bits),                                                                 \
        .unit_count = 1,                                                                                       \
        .units = &(const zl_unit)ZL_MINIFLOAT_UNIT(1, type_bits),                                              \
        .params = &zl_minifloats[ZL_MINIFLOAT_##symbol],                                                       \
    },

static const zl_dtype float_types[] = {ZL_MINIFLOAT_MAP(FLOAT_TYPE)};

static bool float_match(const char *name) {
    return zl_family_find(float_types, ZL_COUNT_OF(float_types), name) != NULL;
}

static zl_status float_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                             zl_error *err) {
    (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = zl_family_find(float_types, ZL_COUNT_OF(float_types), name);
    return ZL_OK;
}

static zl_status float_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                  zl_error *err) {
    (void)env;
    uint64_t code = 0;
    if (value != NULL) ZL_TRY(zl_float_parse_json(dtype->params, value, &code, err));
    zl_store_unit(out, dtype->size, code);
    return ZL_OK;
}

static void float_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    zl_float_emit_json(dtype->params, zl_load_unit(element, dtype->size), writer);
}

const zl_dtype_class zl_dtype_class_float = {
    .size = sizeof(zl_dtype_class),
    .name = "float",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types",
    .match = float_match,
    .parse = float_parse,
    .parse_fill = float_parse_fill,
    .emit_fill = float_emit_fill,
};
