/* SPDX-License-Identifier: MIT */
/*
 * Integers: int8 ... uint64 of the core specification, and int2, int4, uint2, uint4 of the registry, which take a byte each
 * in memory.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/int4
 */
#include "dtype/family.h"

typedef struct int_range {
    int64_t low;
    uint64_t high;
} int_range;

#define INT_TYPE(type_id, type_name, type_size, type_rule, type_bits, type_low, type_high)                              \
    {                                                                                                                   \
        .cls = &zl_dtype_class_int, .id = ZL_DTYPE_##type_id, .name = type_name, .size = type_size, .align = type_size, \
        .unit_count = 1,                                                                                                \
        .units = &(const zl_unit){.count = 1, .width = type_size, .rule = ZL_UNIT_##type_rule, .bits = type_bits},      \
        .params = &(const int_range){type_low, type_high},                                                              \
    }

static const zl_dtype int_types[] = {
    INT_TYPE(INT2, "int2", 1, SIGN_EXTEND, 2, -2, 1),
    INT_TYPE(INT4, "int4", 1, SIGN_EXTEND, 4, -8, 7),
    INT_TYPE(INT8, "int8", 1, PLAIN, 8, INT8_MIN, INT8_MAX),
    INT_TYPE(INT16, "int16", 2, PLAIN, 16, INT16_MIN, INT16_MAX),
    INT_TYPE(INT32, "int32", 4, PLAIN, 32, INT32_MIN, INT32_MAX),
    INT_TYPE(INT64, "int64", 8, PLAIN, 64, INT64_MIN, INT64_MAX),
    INT_TYPE(UINT2, "uint2", 1, ZERO_EXTEND, 2, 0, 3),
    INT_TYPE(UINT4, "uint4", 1, ZERO_EXTEND, 4, 0, 15),
    INT_TYPE(UINT8, "uint8", 1, PLAIN, 8, 0, UINT8_MAX),
    INT_TYPE(UINT16, "uint16", 2, PLAIN, 16, 0, UINT16_MAX),
    INT_TYPE(UINT32, "uint32", 4, PLAIN, 32, 0, UINT32_MAX),
    INT_TYPE(UINT64, "uint64", 8, PLAIN, 64, 0, UINT64_MAX),
};

static bool int_match(const char *name) {
    return zl_family_find(int_types, ZL_COUNT_OF(int_types), name) != NULL;
}

static zl_status int_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                           zl_error *err) {
    (void)env;
    ZL_TRY(zl_family_no_configuration(configuration, err));
    *out = zl_family_find(int_types, ZL_COUNT_OF(int_types), name);
    return ZL_OK;
}

/* Bits of an int64_t where `is_signed`, else of a uint64_t. */
static zl_status read_integer(const zl_json *value, bool is_signed, int32_t zarr_format, uint64_t *out, zl_error *err) {
    if (!is_signed) return zl_family_read_u64(value, zarr_format, out, err);
    int64_t number;
    ZL_TRY(zl_family_read_i64(value, zarr_format, &number, err));
    *out = (uint64_t)number;
    return ZL_OK;
}

static zl_status int_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out, zl_error *err) {
    const int_range *range = dtype->params;
    const bool is_signed = range->low < 0;
    uint64_t bits = 0;
    if (value != NULL) ZL_TRY(read_integer(value, is_signed, env->zarr_format, &bits, err));
    const bool fits =
        is_signed ? (int64_t)bits >= range->low && (int64_t)bits <= (int64_t)range->high : bits <= range->high;
    if (!fits) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "%s is outside %lld..%llu, the range of %s",
                            zl_json_text(value, NULL), (long long)range->low, (unsigned long long)range->high, dtype->name);
    }
    zl_store_unit(out, dtype->size, bits);
    return ZL_OK;
}

static void int_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const int_range *range = dtype->params;
    const unsigned bits = dtype->units->bits;
    const uint64_t value = zl_load_unit(element, dtype->size);
    if (range->low < 0) {
        zl_json_write_i64(writer, zl_sign_extend(value, bits));
    } else {
        zl_json_write_u64(writer, value & (UINT64_MAX >> (64 - bits)));
    }
}

const zl_dtype_class zl_dtype_class_int = {
    .size = sizeof(zl_dtype_class),
    .name = "int",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#core-data-types",
    .match = int_match,
    .parse = int_parse,
    .parse_fill = int_parse_fill,
    .emit_fill = int_emit_fill,
};
