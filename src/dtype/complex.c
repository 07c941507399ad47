/* SPDX-License-Identifier: MIT */
/*
 * Complex types: real part, then imaginary part, each of a floating-point type.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/complex_bfloat16
 */
#include "dtype/family.h"
#include "dtype/float_text.h"

#define COMPLEX_TYPE(symbol, float_name, complex_symbol, complex_name, part_bits, mantissa_bits, bias, kind, nan) \
    {                                                                                                             \
        .cls = &zl_dtype_class_complex,                                                                           \
        .id = ZL_DTYPE_##complex_symbol,                                                                          \
        .name = complex_name,                                                                                     \
        .size = 2 * ZL_MINIFLOAT_SIZE(part_bits),                                                                 \
        .align = ZL_MINIFLOAT_SIZE(part_bits),                                                                    \
        .unit_count = 1,                                                                                          \
        .units = &(const zl_unit)ZL_MINIFLOAT_UNIT(2, part_bits),                                                 \
        .params = &zl_minifloats[ZL_MINIFLOAT_##symbol],                                                          \
    },

static const zl_dtype complex_types[] = {ZL_MINIFLOAT_MAP(COMPLEX_TYPE)};

/* The registry has two more names for core types. */
static const zl_dtype *find_complex(const char *name) {
    if (strcmp(name, "complex_float32") == 0) name = "complex64";
    if (strcmp(name, "complex_float64") == 0) name = "complex128";
    return zl_family_find(complex_types, ZL_COUNT_OF(complex_types), name);
}

static bool complex_match(const char *name) {
    return find_complex(name) != NULL;
}

static zl_status complex_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                               zl_error *err) {
    (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = find_complex(name);
    return ZL_OK;
}

static zl_status complex_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                    zl_error *err) {
    (void)env;
    uint64_t code[2] = {0, 0};
    if (value != NULL) {
        if (zl_json_get_type(value) != ZL_JSON_ARRAY || zl_json_count(value) != 2) {
            return zl_json_fail(value, err, ZL_ERR_METADATA,
                                "a fill value of %s is an array of two: real and imaginary part", dtype->name);
        }
        const zl_json *real = zl_json_first(value);
        ZL_TRY(zl_float_parse_json(dtype->params, real, &code[0], err));
        ZL_TRY(zl_float_parse_json(dtype->params, zl_json_next(real), &code[1], err));
    }
    const size_t part_size = dtype->size / 2;
    zl_store_unit(out, part_size, code[0]);
    zl_store_unit((char *)out + part_size, part_size, code[1]);
    return ZL_OK;
}

static void complex_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const size_t part_size = dtype->size / 2;
    zl_json_write_array(writer);
    zl_float_emit_json(dtype->params, zl_load_unit(element, part_size), writer);
    zl_float_emit_json(dtype->params, zl_load_unit((const char *)element + part_size, part_size), writer);
    zl_json_write_end(writer);
}

const zl_dtype_class zl_dtype_class_complex = {
    .size = sizeof(zl_dtype_class),
    .name = "complex",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types",
    .match = complex_match,
    .parse = complex_parse,
    .parse_fill = complex_parse_fill,
    .emit_fill = complex_emit_fill,
};
