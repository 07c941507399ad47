/* SPDX-License-Identifier: MIT */
/*
 * Data types of Zarr v2: NumPy's type strings ("<f8") and descriptions of structures, translated to those of v3, with the
 * byte order beside them.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding
 *
 * TensorStore's names of types that NumPy lacks ("bfloat16") are read as well. Arrays of objects ("|O") have the type that
 * their first filter makes of them. A structure whose fields have different byte orders is not supported: nothing but the
 * `bytes` codec orders bytes, and that has one order.
 */
#include <stdio.h>

#include "meta/v2.h"

/* ---- type strings */

static const struct {
    char kind;
    uint8_t size;
    const char *name;
} plain_types[] = {
    {'b', 1, "bool"},    {'i', 1, "int8"},    {'i', 2, "int16"},     {'i', 4, "int32"},       {'i', 8, "int64"},
    {'u', 1, "uint8"},   {'u', 2, "uint16"},  {'u', 4, "uint32"},    {'u', 8, "uint64"},      {'f', 2, "float16"},
    {'f', 4, "float32"}, {'f', 8, "float64"}, {'c', 8, "complex64"}, {'c', 16, "complex128"},
};

static const char *const time_units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"};

/* The digits at *at, which is moved behind them. */
static bool read_digits(const char **at, const char *end, uint64_t most, uint64_t *out) {
    const char *digit = *at;
    uint64_t value = 0;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        value = zl_sat_add(zl_sat_mul(value, 10), (uint64_t)(*digit - '0'));
    }
    if (digit == *at || value > most) return false;
    *at = digit;
    *out = value;
    return true;
}

/* "[25us]", "[ns]", or nothing. */
static bool read_unit(const char *at, const char *end, zl_typestr *out) {
    out->scale = 1;
    memcpy(out->unit, "generic", sizeof "generic");
    if (at == end) return true;
    if (*at++ != '[' || at == end || end[-1] != ']') return false;
    end--;
    uint64_t scale = 1;
    if (*at >= '0' && *at <= '9' && !read_digits(&at, end, INT32_MAX, &scale)) return false;
    for (size_t i = 0; i < ZL_COUNT_OF(time_units); i++) {
        const size_t size = strlen(time_units[i]);
        if (size != (size_t)(end - at) || memcmp(time_units[i], at, size) != 0) continue;
        memcpy(out->unit, time_units[i], size + 1);
        out->scale = (int32_t)scale;
        return scale > 0;
    }
    return false;
}

static bool find_plain(zl_typestr *out) {
    for (size_t i = 0; i < ZL_COUNT_OF(plain_types); i++) {
        if (plain_types[i].kind == out->kind && plain_types[i].size == out->size) out->name = plain_types[i].name;
    }
    return out->name != NULL;
}

bool zl_typestr_find(const char *name, char *kind, uint32_t *size) {
    for (size_t i = 0; i < ZL_COUNT_OF(plain_types); i++) {
        if (strcmp(plain_types[i].name, name) != 0) continue;
        *kind = plain_types[i].kind;
        *size = plain_types[i].size;
        return true;
    }
    return false;
}

/* A type that NumPy has no letter for, under its own name: TensorStore stores these little-endian. */
static bool read_name(const char *text, zl_typestr *out) {
    for (int id = ZL_DTYPE_BFLOAT16; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype == NULL || dtype->variable || strcmp(dtype->name, text) != 0) continue;
        out->name = dtype->name;
        out->size = dtype->size;
        out->order = dtype->size > 1 ? ZL_ORDER_LITTLE : ZL_ORDER_NONE;
        return true;
    }
    return false;
}

/* "|" and no order at all mean the machine's to NumPy; every machine that wrote such data was little-endian. */
bool zl_typestr_read(const char *text, size_t size, zl_typestr *out) {
    const char *at = text, *const end = text + size;
    *out = (zl_typestr){.order = ZL_ORDER_LITTLE, .count = 1};
    if (strlen(text) != size) return false;
    if (read_name(text, out)) return true;
    if (size > 0 && strchr("<>|=", *at) != NULL) out->order = *at++ == '>' ? ZL_ORDER_BIG : ZL_ORDER_LITTLE;
    if (at == end) return false;
    out->kind = *at++;
    if (out->kind == 'O') {
        out->order = ZL_ORDER_NONE;
        return at == end;
    }
    if (!read_digits(&at, end, UINT32_MAX, &out->size) || out->size == 0) return false;
    if (out->kind == 'M' || out->kind == 'm') return out->size == 8 && read_unit(at, end, out);
    if (at != end) return false;
    if (out->kind == 'U') {
        out->count = out->size;
        out->size = 4;
        return true;
    }
    const bool is_bytes = out->kind == 'S' || out->kind == 'V';
    if (is_bytes || out->size == 1) out->order = ZL_ORDER_NONE;
    return is_bytes || find_plain(out);
}

/* ---- translation */

static void write_sized(zl_json_writer *writer, const char *name, uint64_t size) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_text(writer, name);
    zl_json_write_key(writer, "configuration");
    zl_json_write_object(writer);
    zl_json_write_key(writer, "length_bytes");
    zl_json_write_u64(writer, size);
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

static void write_time(zl_json_writer *writer, const zl_typestr *type) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_text(writer, type->kind == 'M' ? "numpy.datetime64" : "numpy.timedelta64");
    zl_json_write_key(writer, "configuration");
    zl_json_write_object(writer);
    zl_json_write_key(writer, "unit");
    zl_json_write_text(writer, type->unit);
    zl_json_write_key(writer, "scale_factor");
    zl_json_write_i64(writer, type->scale);
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

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
        write_time(writer, &type);
    } else {
        write_sized(writer,
                    type.kind == 'U'   ? "fixed_length_utf32"
                    : type.kind == 'S' ? "null_terminated_bytes"
                                       : "raw_bytes",
                    zl_sat_mul(type.size, type.count));
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
        zl_json_write_object(writer);
        zl_json_write_key(writer, "name");
        zl_json_write_text(writer, ZL_SUBARRAY_NAME);
        zl_json_write_key(writer, "configuration");
        zl_json_write_object(writer);
        zl_json_write_key(writer, "data_type");
    }
    ZL_TRY(zl_v2_translate_dtype(dtype, writer, order, err));
    if (has_shape) {
        const bool is_list = zl_json_get_type(shape) == ZL_JSON_ARRAY;
        zl_json_write_key(writer, "shape");
        if (!is_list) zl_json_write_array(writer);
        zl_json_write_value(writer, shape);
        if (!is_list) zl_json_write_end(writer);
        zl_json_write_end(writer);
        zl_json_write_end(writer);
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
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_text(writer, "struct");
    zl_json_write_key(writer, "configuration");
    zl_json_write_object(writer);
    zl_json_write_key(writer, "fields");
    zl_json_write_array(writer);
    for (const zl_json *field = zl_json_first(value); field != NULL; field = zl_json_next(field)) {
        ZL_TRY(translate_field(field, writer, order, err));
    }
    zl_json_write_end(writer);
    zl_json_write_end(writer);
    zl_json_write_end(writer);
    return ZL_OK;
}

/* ---- objects */

static const struct {
    const char *filter;
    const char *dtype;
} object_types[] = {
    {"vlen-utf8", "string"}, {"vlen-bytes", "bytes"}, {"vlen-array", "bytes"}, {"categorize", "string"},
    {"json2", "string"},     {"json", "string"},      {"msgpack2", "string"},  {"msgpack", "string"},
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
