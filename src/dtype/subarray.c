/* SPDX-License-Identifier: MIT */
/*
 * zarrlite.subarray: a field of a structure that is a small array of its own, in C order. Zarr v2 has such fields, v3 and
 * the registry have not: the name is ours, and nobody else reads arrays of v3 that use it.
 * https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding
 *
 * Configuration: data_type, and shape with extents greater than 0. A fill value is nested arrays of that shape.
 */
#include "dtype/family.h"

typedef struct subarray_type {
    zl_dtype dtype;
    const zl_dtype *element;
    zl_shape shape;
    size_t count;
} subarray_type;

static zl_status parse_shape(const zl_json *list, const zl_dtype *element, const zl_env *env, subarray_type *type,
                             zl_error *err) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) > ZL_MAX_RANK) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "shape is an array of at most %d integers", ZL_MAX_RANK);
    }
    uint64_t size = element->size;
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item)) {
        int64_t extent;
        ZL_TRY(zl_json_to_i64(item, &extent, err));
        if (extent < 1) {
            return zl_json_fail(item, err, ZL_ERR_METADATA, "an extent of %lld is not greater than 0", (long long)extent);
        }
        size = zl_sat_mul(size, (uint64_t)extent);
        ZL_TRY(zl_family_check_size(size, item, env, err));
        type->shape.dim[type->shape.rank++] = extent;
    }
    type->dtype.size = (uint32_t)size;
    type->count = (size_t)(size / element->size);
    return ZL_OK;
}

/* One unit that covers an element, as most types have, is merged with those of all others. */
static zl_status repeat_units(subarray_type *type, const zl_env *env, zl_error *err) {
    const zl_dtype *element = type->element;
    const zl_unit *first = element->units;
    const bool merges = element->unit_count == 1 && first->count * first->width == element->size;
    const size_t times = merges ? 1 : type->count;
    const size_t count = times * element->unit_count;
    zl_unit *units = zl_arena_zero(env->arena, count * sizeof *units, _Alignof(zl_unit));
    if (units == NULL) return zl_fail_memory(err, count * sizeof *units);
    type->dtype.units = units;
    type->dtype.unit_count = (uint32_t)count;
    for (size_t i = 0; i < times; i++) {
        for (uint32_t u = 0; u < element->unit_count; u++, units++) {
            *units = element->units[u];
            units->offset += (uint32_t)(i * element->size);
            if (merges) units->count *= (uint32_t)type->count;
        }
    }
    return ZL_OK;
}

static zl_status subarray_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                                zl_error *err) {
    static const char *const keys[] = {"data_type", "shape", NULL};
    const zl_json *value;
    (void)name;
    subarray_type *type = ZL_ARENA_NEW(env->arena, subarray_type);
    if (type == NULL) return zl_fail_memory(err, sizeof *type);
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_require(configuration, "data_type", &value, err));
    ZL_TRY(zl_dtype_parse(value, env, &type->element, err));
    if (type->element->variable) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "elements of %s have no fixed size", type->element->name);
    }
    ZL_TRY(zl_json_require(configuration, "shape", &value, err));
    ZL_TRY(parse_shape(value, type->element, env, type, err));
    ZL_TRY(repeat_units(type, env, err));
    type->dtype.cls = &zl_dtype_class_subarray;
    type->dtype.name = ZL_SUBARRAY_NAME;
    type->dtype.align = type->element->align;
    type->dtype.params = type;
    *out = &type->dtype;
    return ZL_OK;
}

static void subarray_emit(const zl_dtype *dtype, zl_json_writer *writer) {
    const subarray_type *type = dtype->params;
    zl_json_begin_named(writer, ZL_SUBARRAY_NAME);
    zl_json_write_key(writer, "data_type");
    zl_dtype_emit(type->element, writer);
    zl_json_write_key(writer, "shape");
    zl_json_write_array(writer);
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        zl_json_write_i64(writer, type->shape.dim[axis]);
    }
    zl_json_write_end(writer);
    zl_json_end_named(writer);
}

/* ---- fill values: recursion as deep as the rank */

static zl_status parse_axis(const subarray_type *type, const zl_json *value, int32_t axis, const zl_env *env, uint8_t **at,
                            zl_error *err) {
    const zl_dtype *element = type->element;
    if (axis == type->shape.rank) {
        uint8_t *to = *at;
        *at += element->size;
        return element->cls->parse_fill(element, value, env, to, err);
    }
    const int64_t extent = type->shape.dim[axis];
    if (value != NULL && (zl_json_get_type(value) != ZL_JSON_ARRAY || zl_json_count(value) != (uint64_t)extent)) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "must be an array of %lld values", (long long)extent);
    }
    const zl_json *item = zl_json_first(value);
    for (int64_t i = 0; i < extent; i++) {
        ZL_TRY(parse_axis(type, item, axis + 1, env, at, err));
        if (item != NULL) item = zl_json_next(item);
    }
    return ZL_OK;
}

static zl_status subarray_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                     zl_error *err) {
    uint8_t *at = out;
    return parse_axis(dtype->params, value, 0, env, &at, err);
}

static void emit_axis(const subarray_type *type, int32_t axis, const uint8_t **at, zl_json_writer *writer) {
    const zl_dtype *element = type->element;
    if (axis == type->shape.rank) {
        element->cls->emit_fill(element, *at, writer);
        *at += element->size;
        return;
    }
    zl_json_write_array(writer);
    for (int64_t i = 0; i < type->shape.dim[axis]; i++) {
        emit_axis(type, axis + 1, at, writer);
    }
    zl_json_write_end(writer);
}

static void subarray_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const uint8_t *at = element;
    emit_axis(dtype->params, 0, &at, writer);
}

const zl_dtype_class zl_dtype_class_subarray = {
    .size = sizeof(zl_dtype_class),
    .name = ZL_SUBARRAY_NAME,
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding",
    .parse = subarray_parse,
    .emit = subarray_emit,
    .parse_fill = subarray_parse_fill,
    .emit_fill = subarray_emit_fill,
};

bool zl_dtype_subarray(const zl_dtype *dtype, const zl_dtype **element, zl_shape *shape) {
    if (dtype->cls != &zl_dtype_class_subarray) return false;
    const subarray_type *type = dtype->params;
    *element = type->element;
    *shape = type->shape;
    return true;
}
