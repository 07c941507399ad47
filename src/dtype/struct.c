/* SPDX-License-Identifier: MIT */
/*
 * struct: named fields of fixed size side by side, without padding, and structured, its name in older arrays.
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/struct
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/structured
 *
 * structured may list fields as [name, data type], and may have its fill value as packed bytes in base64, in the byte order
 * of the bytes codec. That codec is not known here: see zl_dtype_fill_follows_codec.
 *
 * A million fields in hostile order cost n log n: names are looked up in a sorted index.
 */
#include <stdlib.h>

#include "dtype/family.h"

typedef struct struct_type {
    zl_dtype dtype;
    size_t count;
    zl_field *fields;
    const zl_field **by_name; /* sorted */
} struct_type;

static const char struct_name[] = "struct";
static const char structured_name[] = "structured";

static int compare_fields(const void *a, const void *b) {
    const zl_field *const *x = a;
    const zl_field *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static const zl_field *find_field(const struct_type *type, const char *name) {
    const zl_field probe = {.name = name};
    const zl_field *const key = &probe;
    const zl_field *const *found = bsearch(&key, type->by_name, type->count, sizeof key, compare_fields);
    return found != NULL ? *found : NULL;
}

/* ---- parsing */

/* The two parts of a field, as an object or, in structured, as an array. */
static zl_status split_field(const zl_json *item, bool legacy, const zl_json **name, const zl_json **dtype, zl_error *err) {
    static const char *const keys[] = {"name", "data_type", NULL};
    if (legacy && zl_json_get_type(item) == ZL_JSON_ARRAY && zl_json_count(item) == 2) {
        *name = zl_json_first(item);
        *dtype = zl_json_next(*name);
        return ZL_OK;
    }
    if (zl_json_get_type(item) != ZL_JSON_OBJECT) {
        return zl_json_fail(item, err, ZL_ERR_METADATA, "a field is an object with name and data_type");
    }
    ZL_TRY(zl_json_only(item, keys, err));
    ZL_TRY(zl_json_require(item, "name", name, err));
    return zl_json_require(item, "data_type", dtype, err);
}

static zl_status parse_field(const zl_json *item, bool legacy, const zl_env *env, zl_field *out, zl_error *err) {
    const zl_json *name, *dtype;
    ZL_TRY(split_field(item, legacy, &name, &dtype, err));
    size_t size = 0;
    const char *text = zl_json_get_type(name) == ZL_JSON_STRING ? zl_json_text(name, &size) : NULL;
    if (text == NULL || size == 0 || strlen(text) != size) {
        return zl_json_fail(name, err, ZL_ERR_METADATA, "a field's name is a string, not empty, without U+0000");
    }
    out->name = zl_arena_text(env->arena, text, size);
    if (out->name == NULL) return zl_fail_memory(err, size);
    ZL_TRY(zl_dtype_parse(dtype, env, &out->dtype, err));
    if (!out->dtype->variable) return ZL_OK;
    return zl_json_fail(dtype, err, ZL_ERR_METADATA, "field \"%s\": elements of %s have no fixed size", text,
                        out->dtype->name);
}

static zl_status parse_fields(const zl_json *list, bool legacy, const zl_env *env, struct_type *type, zl_error *err) {
    uint64_t offset = 0;
    zl_field *field = type->fields;
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item), field++) {
        ZL_TRY(parse_field(item, legacy, env, field, err));
        field->offset = (size_t)offset;
        offset += field->dtype->size;
        ZL_TRY(zl_family_check_size(offset, item, env, err));
        type->by_name[field - type->fields] = field;
    }
    type->dtype.size = (uint32_t)offset;
    qsort(type->by_name, type->count, sizeof type->by_name[0], compare_fields);
    for (size_t i = 1; i < type->count; i++) {
        if (compare_fields(&type->by_name[i - 1], &type->by_name[i]) != 0) continue;
        return zl_json_fail(list, err, ZL_ERR_METADATA, "two fields have the name \"%s\"", type->by_name[i]->name);
    }
    return ZL_OK;
}

/* Does `next` go on where `unit` ends, in the same way? */
static bool continues(const zl_unit *unit, const zl_unit *next) {
    return unit->width == next->width && unit->rule == next->rule && unit->bits == next->bits &&
           unit->offset + unit->count * unit->width == next->offset;
}

/* The units of all fields, neighbours of one kind merged. */
static zl_status compose_units(struct_type *type, const zl_env *env, zl_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < type->count; i++) {
        most += type->fields[i].dtype->unit_count;
    }
    zl_unit *units = zl_arena_zero(env->arena, most * sizeof *units, _Alignof(zl_unit));
    if (units == NULL) return zl_fail_memory(err, most * sizeof *units);
    uint32_t count = 0;
    for (size_t i = 0; i < type->count; i++) {
        const zl_field *field = &type->fields[i];
        for (uint32_t u = 0; u < field->dtype->unit_count; u++) {
            zl_unit unit = field->dtype->units[u];
            unit.offset += (uint32_t)field->offset;
            if (count > 0 && continues(&units[count - 1], &unit)) {
                units[count - 1].count += unit.count;
            } else {
                units[count++] = unit;
            }
        }
    }
    type->dtype.units = units;
    type->dtype.unit_count = count;
    return ZL_OK;
}

static zl_status struct_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                              zl_error *err) {
    static const char *const keys[] = {"fields", NULL};
    const bool legacy = strcmp(name, structured_name) == 0;
    const zl_json *list;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_require(configuration, "fields", &list, err));
    const size_t count = zl_json_count(list);
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || count == 0) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "fields is an array of at least one field");
    }
    ZL_TRY(zl_family_check_size(count, list, env, err)); /* each has a byte or more */
    struct_type *type = ZL_ARENA_NEW(env->arena, struct_type);
    if (type == NULL) return zl_fail_memory(err, sizeof *type);
    *type = (struct_type){.count = count,
                          .fields = zl_arena_zero(env->arena, count * sizeof(zl_field), _Alignof(zl_field)),
                          .by_name = zl_arena_zero(env->arena, count * sizeof(zl_field *), _Alignof(zl_field *))};
    if (type->fields == NULL || type->by_name == NULL) return zl_fail_memory(err, count * sizeof(zl_field));
    type->dtype = (zl_dtype){.cls = &zl_dtype_class_struct,
                             .name = legacy ? structured_name : struct_name,
                             .align = 1, /* fields are packed, so nothing is aligned */
                             .params = type};
    ZL_TRY(parse_fields(list, legacy, env, type, err));
    ZL_TRY(compose_units(type, env, err));
    *out = &type->dtype;
    return ZL_OK;
}

static void struct_emit(const zl_dtype *dtype, zl_json_writer *writer) {
    const struct_type *type = dtype->params;
    zl_json_begin_named(writer, struct_name);
    zl_json_write_key(writer, "fields");
    zl_json_write_array(writer);
    for (size_t i = 0; i < type->count; i++) {
        zl_json_write_object(writer);
        zl_json_write_key(writer, "name");
        zl_json_write_text(writer, type->fields[i].name);
        zl_json_write_key(writer, "data_type");
        zl_dtype_emit(type->fields[i].dtype, writer);
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    zl_json_end_named(writer);
}

/* ---- fill values */

bool zl_dtype_fill_follows_codec(const zl_dtype *dtype, const zl_json *fill) {
    return dtype->cls == &zl_dtype_class_struct && dtype->name == structured_name && fill != NULL &&
           zl_json_get_type(fill) == ZL_JSON_STRING;
}

/* Packed bytes, little-endian. */
static zl_status parse_packed_fill(const zl_dtype *dtype, const zl_json *value, uint8_t *out, zl_error *err) {
    ZL_TRY(zl_family_packed(dtype, value, out, err));
    const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    zl_dtype_fix(dtype, is_big_endian, out, 1);
    return ZL_OK;
}

/* `object` has one member for each field, in any order. */
static zl_status parse_object_fill(const struct_type *type, const zl_json *object, const zl_env *env, uint8_t *out,
                                   zl_error *err) {
    bool *seen = zl_arena_zero(env->arena, type->count, 1);
    if (seen == NULL) return zl_fail_memory(err, type->count);
    for (const zl_json *member = zl_json_first(object); member != NULL; member = zl_json_next(member)) {
        size_t size;
        const char *key = zl_json_key(member, &size);
        const zl_field *field = strlen(key) == size ? find_field(type, key) : NULL; /* names have no U+0000 */
        if (field == NULL) return zl_json_fail(member, err, ZL_ERR_METADATA, "there is no field \"%s\"", key);
        const size_t index = (size_t)(field - type->fields);
        if (seen[index]) return zl_json_fail(member, err, ZL_ERR_METADATA, "field \"%s\" is there twice", key);
        seen[index] = true;
        ZL_TRY(field->dtype->cls->parse_fill(field->dtype, member, env, out + field->offset, err));
    }
    for (size_t i = 0; i < type->count; i++) {
        if (!seen[i]) {
            return zl_json_fail(object, err, ZL_ERR_METADATA, "field \"%s\" has no fill value", type->fields[i].name);
        }
    }
    return ZL_OK;
}

static zl_status struct_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                   zl_error *err) {
    const struct_type *type = dtype->params;
    uint8_t *element = out;
    if (value == NULL) {
        for (size_t i = 0; i < type->count; i++) {
            const zl_field *field = &type->fields[i];
            ZL_TRY(field->dtype->cls->parse_fill(field->dtype, NULL, env, element + field->offset, err));
        }
        return ZL_OK;
    }
    if (zl_dtype_fill_follows_codec(dtype, value)) return parse_packed_fill(dtype, value, element, err);
    if (zl_json_get_type(value) == ZL_JSON_OBJECT) return parse_object_fill(type, value, env, element, err);
    return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of %s is an object with a value for each field",
                        dtype->name);
}

static void struct_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const struct_type *type = dtype->params;
    zl_json_write_object(writer);
    for (size_t i = 0; i < type->count; i++) {
        const zl_field *field = &type->fields[i];
        zl_json_write_key(writer, field->name);
        field->dtype->cls->emit_fill(field->dtype, (const uint8_t *)element + field->offset, writer);
    }
    zl_json_write_end(writer);
}

static const char *const struct_aliases[] = {structured_name, NULL};

const zl_dtype_class zl_dtype_class_struct = {
    .size = sizeof(zl_dtype_class),
    .name = struct_name,
    .aliases = struct_aliases,
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/struct",
    .parse = struct_parse,
    .emit = struct_emit,
    .parse_fill = struct_parse_fill,
    .emit_fill = struct_emit_fill,
};

size_t zl_dtype_field_count(const zl_dtype *dtype) {
    if (dtype->cls != &zl_dtype_class_struct) return 0;
    const struct_type *type = dtype->params;
    return type->count;
}

const zl_field *zl_dtype_field(const zl_dtype *dtype, size_t index) {
    if (index >= zl_dtype_field_count(dtype)) return NULL;
    const struct_type *type = dtype->params;
    return &type->fields[index];
}
