/* SPDX-License-Identifier: MIT */
/*
 * Data types of Zarr v2: NumPy's type strings ("<f8") and descriptions of structures, translated to those of v3, with the
 * byte order beside them.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding
 *
 * Arrays of objects ("|O") have the type that
 * their first filter makes of them. A structure whose fields have different byte orders is not supported: nothing but the
 * `bytes` codec orders bytes, and that has one order.
 */
#include "meta/v2.h"

/* ---- translation */

static void add_order(zl_byte_order *order, zl_byte_order more) {
    if (more == ZL_ORDER_NONE || more == *order) return;
    *order = *order == ZL_ORDER_NONE ? more : ZL_ORDER_MIXED;
}

static zl_status translate_typestr(const zl_json *value, zl_json_writer *writer, zl_byte_order *order, zl_error *err) {
    size_t size;
    const char *text = zl_json_text(value, &size);
    zl_typestr type;
    if (!zl_typestr_read(text, size, &type)) {
        return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "data type \"%s\" is not known", text);
    }
    if (type.kind == 'O') {
        return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "objects as fields of a structure are not supported");
    }
    add_order(order, type.order);
    if (type.name != NULL) {
        zl_json_write_text(writer, type.name);
    } else if (type.kind == 'M' || type.kind == 'm') {
        zl_dtype_emit_time(type.kind == 'M' ? "numpy.datetime64" : "numpy.timedelta64", type.unit, type.scale, writer);
    } else {
        const char *name = type.kind == 'U'   ? "fixed_length_utf32"
                           : type.kind == 'S' ? "null_terminated_bytes"
                                              : "raw_bytes";
        zl_dtype_emit_sized(name, zl_sat_mul(type.size, type.count), writer);
    }
    return ZL_OK;
}

/* [name, dtype] or [name, dtype, shape]; a shape may be one integer. */
static zl_status translate_field(const zl_json *field, zl_json_writer *writer, zl_byte_order *order, zl_error *err) {
    const size_t count = zl_json_count(field);
    if (zl_json_get_type(field) != ZL_JSON_ARRAY || count < 2 || count > 3) {
        return zl_json_fail(field, err, ZL_ERR_METADATA, "a field is an array: its name, its dtype and perhaps a shape");
    }
    const zl_json *name = zl_json_first(field), *dtype = zl_json_next(name), *shape = zl_json_next(dtype);
    if (zl_json_get_type(name) != ZL_JSON_STRING) {
        return zl_json_fail(name, err, ZL_ERR_METADATA, "the name of a field is a string");
    }
    const bool has_shape = shape != NULL && (zl_json_get_type(shape) != ZL_JSON_ARRAY || zl_json_count(shape) > 0);
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_value(writer, name);
    zl_json_write_key(writer, "data_type");
    if (has_shape) {
        zl_json_begin_named(writer, ZL_SUBARRAY_NAME);
        zl_json_write_key(writer, "data_type");
    }
    ZL_TRY(zl_v2_translate_dtype(dtype, writer, order, err));
    if (has_shape) {
        const bool is_list = zl_json_get_type(shape) == ZL_JSON_ARRAY;
        zl_json_write_key(writer, "shape");
        if (!is_list) zl_json_write_array(writer);
        zl_json_write_value(writer, shape);
        if (!is_list) zl_json_write_end(writer);
        zl_json_end_named(writer);
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

/* As deep as the document is nested, which its parser limits. */
zl_status zl_v2_translate_dtype(const zl_json *value, zl_json_writer *writer, zl_byte_order *order, zl_error *err) {
    const zl_json_type type = zl_json_get_type(value);
    if (type == ZL_JSON_STRING) return translate_typestr(value, writer, order, err);
    if (type != ZL_JSON_ARRAY || zl_json_count(value) == 0) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a dtype is a type string, or an array of fields");
    }
    zl_json_begin_named(writer, "struct");
    zl_json_write_key(writer, "fields");
    zl_json_write_array(writer);
    for (const zl_json *field = zl_json_first(value); field != NULL; field = zl_json_next(field)) {
        ZL_TRY(translate_field(field, writer, order, err));
    }
    zl_json_write_end(writer);
    zl_json_end_named(writer);
    return ZL_OK;
}

/* ---- objects */

static const struct {
    const char *filter;
    const char *dtype;
} object_types[] = {
    {"vlen-utf8", "string"},  {"vlen-bytes", "bytes"}, {"vlen-array", "bytes"},
    {"categorize", "string"}, {"json2", "string"},     {"msgpack2", "string"},
};

static zl_status object_type(const zl_json *root, const zl_json *value, const char **out, zl_error *err) {
    const zl_json *filter = zl_json_first(zl_json_member(root, "filters"));
    const zl_json *id = zl_json_member(filter, "id");
    for (size_t i = 0; i < ZL_COUNT_OF(object_types); i++) {
        if (!zl_json_is(id, object_types[i].filter)) continue;
        *out = object_types[i].dtype;
        return ZL_OK;
    }
    if (zl_json_is(id, "pickle")) {
        return zl_json_fail(id, err, ZL_ERR_UNSUPPORTED,
                            "objects in pickles are refused: reading them may run any program");
    }
    if (zl_json_get_type(id) != ZL_JSON_STRING) {
        return zl_json_fail(value, err, ZL_ERR_METADATA,
                            "objects need a first filter that encodes them, such as vlen-utf8");
    }
    return zl_json_fail(id, err, ZL_ERR_UNSUPPORTED, "objects that filter \"%s\" encodes are not supported",
                        zl_json_text(id, NULL));
}

/* ---- all together */

static zl_status parse_translated(const zl_v2_array *array, zl_json_writer *writer, const zl_json *value, zl_error *err) {
    zl_json_doc *doc = NULL;
    ZL_TRY(zl_json_writer_finish(writer, err));
    ZL_TRY(zl_json_parse(&doc, (const char *)writer->sink.data, writer->sink.size, NULL, array->allocator, err));
    zl_error inner;
    zl_error_clear(&inner);
    const zl_status status = zl_dtype_parse(zl_json_root(doc), array->env, &array->meta->dtype, &inner);
    zl_json_doc_free(doc);
    return status == ZL_OK ? ZL_OK : zl_json_fail(value, err, status, "%s", inner.message);
}

zl_status zl_v2_parse_dtype(zl_v2_array *array, zl_error *err) {
    const zl_json *root = array->meta->root, *value;
    ZL_TRY(zl_json_require(root, "dtype", &value, err));
    array->order = ZL_ORDER_NONE;
    zl_json_writer writer;
    zl_json_writer_init(&writer, array->allocator, 0);
    zl_status status;
    zl_typestr type;
    size_t size = 0;
    const bool is_string = zl_json_get_type(value) == ZL_JSON_STRING;
    const char *text = zl_json_text(value, &size);
    if (is_string && zl_typestr_read(text, size, &type) && type.kind == 'O') {
        const char *name = NULL;
        status = object_type(root, value, &name, err);
        if (status == ZL_OK) zl_json_write_text(&writer, name);
    } else {
        status = zl_v2_translate_dtype(value, &writer, &array->order, err);
    }
    if (status == ZL_OK && array->order == ZL_ORDER_MIXED) {
        status = zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "fields of different byte orders are not supported");
    }
    if (status == ZL_OK) status = parse_translated(array, &writer, value, err);
    zl_json_writer_clear(&writer);
    return status;
}
