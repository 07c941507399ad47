/* SPDX-License-Identifier: MIT */
/*
 * Finding data types by name and id, and what all of them have in common.
 * https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#data-type
 *
 * What a name means is up to its class; nothing here knows a single type.
 */
#include "dtype/dtype.h"

#include "dtype/family.h"

const zl_dtype_class *const zl_dtype_table[] = {
#define ZL_DTYPE_CLASS(symbol) &zl_dtype_class_##symbol,
#include "dtype/dtype_list.h"
#undef ZL_DTYPE_CLASS
};
const size_t zl_dtype_table_count = ZL_COUNT_OF(zl_dtype_table);

static bool class_has_name(const zl_dtype_class *cls, const char *name) {
    if (cls->match != NULL) return cls->match(name);
    if (strcmp(cls->name, name) == 0) return true;
    for (const char *const *alias = cls->aliases; alias != NULL && *alias != NULL; alias++) {
        if (strcmp(*alias, name) == 0) return true;
    }
    return false;
}

static const zl_dtype_class *find_class(const zl_dtype_class *const *classes, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (class_has_name(classes[i], name)) return classes[i];
    }
    return NULL;
}

zl_status zl_dtype_parse(const zl_json *value, const zl_env *env, const zl_dtype **out, zl_error *err) {
    zl_named named;
    ZL_TRY(zl_json_to_named(value, "data type", &named, err));
    const zl_dtype_class *cls = NULL;
    if (env->registry != NULL) cls = find_class(env->registry->dtypes, env->registry->dtype_count, named.name);
    if (cls == NULL) cls = find_class(zl_dtype_table, zl_dtype_table_count, named.name);
    /* must_understand makes no difference: core 3.1 does not offer it for data types */
    if (cls == NULL) return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "data type \"%s\" is not known", named.name);
    const zl_dtype *dtype = NULL;
    const zl_status status = cls->parse(named.name, named.configuration, env, &dtype, err);
    if (status != ZL_OK && named.configuration == NULL) {
        char path[200];
        zl_json_path(value, path, sizeof path);
        return zl_error_wrap(err, status, "%s%sdata type \"%s\": ", path, path[0] != '\0' ? ": " : "", named.name);
    }
    ZL_TRY(status);
    ZL_TRY(zl_family_check_size(dtype->size, value, env, err));
    *out = dtype;
    return ZL_OK;
}

void zl_dtype_emit(const zl_dtype *dtype, zl_json_writer *writer) {
    if (dtype->cls->emit != NULL) {
        dtype->cls->emit(dtype, writer);
    } else {
        zl_json_write_text(writer, dtype->name);
    }
}

/* Families make these from their tables: no configuration, no zl_env. */
static const char *const builtin_names[ZL_DTYPE_COUNT] = {
    [ZL_DTYPE_BOOL] = "bool",
    [ZL_DTYPE_INT8] = "int8",
    [ZL_DTYPE_INT16] = "int16",
    [ZL_DTYPE_INT32] = "int32",
    [ZL_DTYPE_INT64] = "int64",
    [ZL_DTYPE_UINT8] = "uint8",
    [ZL_DTYPE_UINT16] = "uint16",
    [ZL_DTYPE_UINT32] = "uint32",
    [ZL_DTYPE_UINT64] = "uint64",
    [ZL_DTYPE_FLOAT16] = "float16",
    [ZL_DTYPE_FLOAT32] = "float32",
    [ZL_DTYPE_FLOAT64] = "float64",
    [ZL_DTYPE_COMPLEX64] = "complex64",
    [ZL_DTYPE_COMPLEX128] = "complex128",
    [ZL_DTYPE_BFLOAT16] = "bfloat16",
    [ZL_DTYPE_INT2] = "int2",
    [ZL_DTYPE_INT4] = "int4",
    [ZL_DTYPE_UINT2] = "uint2",
    [ZL_DTYPE_UINT4] = "uint4",
    [ZL_DTYPE_FLOAT4_E2M1FN] = "float4_e2m1fn",
    [ZL_DTYPE_FLOAT6_E2M3FN] = "float6_e2m3fn",
    [ZL_DTYPE_FLOAT6_E3M2FN] = "float6_e3m2fn",
    [ZL_DTYPE_FLOAT8_E3M4] = "float8_e3m4",
    [ZL_DTYPE_FLOAT8_E4M3] = "float8_e4m3",
    [ZL_DTYPE_FLOAT8_E4M3B11FNUZ] = "float8_e4m3b11fnuz",
    [ZL_DTYPE_FLOAT8_E4M3FNUZ] = "float8_e4m3fnuz",
    [ZL_DTYPE_FLOAT8_E5M2] = "float8_e5m2",
    [ZL_DTYPE_FLOAT8_E5M2FNUZ] = "float8_e5m2fnuz",
    [ZL_DTYPE_FLOAT8_E8M0FNU] = "float8_e8m0fnu",
    [ZL_DTYPE_STRING] = "string",
    [ZL_DTYPE_BYTES] = "bytes",
    [ZL_DTYPE_FLOAT8_E4M3FN] = "float8_e4m3fn",
};

const zl_dtype *zl_dtype_builtin(zl_dtype_id id) {
    if (id <= ZL_DTYPE_NONE || id >= ZL_DTYPE_COUNT) return NULL;
    const char *name = builtin_names[id];
    const zl_dtype_class *cls = find_class(zl_dtype_table, zl_dtype_table_count, name);
    const zl_dtype *dtype = NULL;
    if (cls == NULL || cls->parse(name, NULL, NULL, &dtype, NULL) != ZL_OK) return NULL;
    return dtype;
}

zl_dtype_id zl_dtype_get_id(const zl_dtype *dtype) {
    return dtype->id;
}

const char *zl_dtype_name(const zl_dtype *dtype) {
    return dtype->name;
}

size_t zl_dtype_size(const zl_dtype *dtype) {
    return dtype->size;
}

bool zl_dtype_is_variable(const zl_dtype *dtype) {
    return dtype->variable;
}

bool zl_dtype_same(const zl_dtype *dtype, const void *a, const void *b) {
    if (!dtype->variable) return memcmp(a, b, dtype->size) == 0;
    zl_slot x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, (size_t)x.size) == 0);
}
