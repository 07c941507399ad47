/* SPDX-License-Identifier: MIT */
/* Data types as the `dtype` of a .zarray. Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding
 */
#include <stdio.h>

#include "dtype/family.h"
#include "meta/v2.h"

static void write_typestr(zl_json_writer *writer, const char *order, char kind, unsigned size, const char *unit) {
    char text[48];
    const int length = snprintf(text, sizeof text, "%s%c%u%s", order, kind, size, unit);
    zl_json_write_string(writer, text, (size_t)length);
}

static void write_time(const zl_dtype *dtype, const char *order, zl_json_writer *writer) {
    const char *name = zl_dtype_time_unit(dtype);
    const int32_t scale = zl_dtype_time_scale(dtype);
    const char kind = strcmp(dtype->name, "numpy.datetime64") == 0 ? 'M' : 'm';
    char unit[32] = "";
    if (strcmp(name, "generic") != 0 && scale == 1) {
        (void)snprintf(unit, sizeof unit, "[%s]", name);
    } else if (strcmp(name, "generic") != 0) {
        (void)snprintf(unit, sizeof unit, "[%d%s]", (int)scale, name);
    }
    write_typestr(writer, order, kind, 8, unit);
}

static zl_status write_field(const zl_field *field, bool big_endian, zl_json_writer *writer, zl_error *err) {
    zl_shape shape = {0};
    const zl_dtype *dtype = field->dtype;
    const bool is_subarray = zl_dtype_subarray(field->dtype, &dtype, &shape);
    zl_json_write_array(writer);
    zl_json_write_text(writer, field->name);
    ZL_TRY(zl_v2_emit_dtype(dtype, big_endian, writer, err));
    if (is_subarray) {
        zl_json_write_array(writer);
        for (int32_t axis = 0; axis < shape.rank; axis++) {
            zl_json_write_i64(writer, shape.dim[axis]);
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

static zl_status write_struct(const zl_dtype *dtype, bool big_endian, zl_json_writer *writer, zl_error *err) {
    zl_json_write_array(writer);
    for (size_t i = 0; i < zl_dtype_field_count(dtype); i++) {
        ZL_TRY(write_field(zl_dtype_field(dtype, i), big_endian, writer, err));
    }
    zl_json_write_end(writer);
    return ZL_OK;
}

zl_status zl_v2_emit_dtype(const zl_dtype *dtype, bool big_endian, zl_json_writer *writer, zl_error *err) {
    const char *order = big_endian ? ">" : "<";
    char kind;
    uint32_t size;
    if (zl_typestr_find(dtype->name, &kind, &size)) {
        write_typestr(writer, size > 1 ? order : "|", kind, size, "");
    } else if (zl_dtype_time_unit(dtype) != NULL) {
        write_time(dtype, order, writer);
    } else if (dtype->variable) {
        zl_json_write_text(writer, "|O");
    } else if (dtype->cls == &zl_dtype_class_utf32) {
        write_typestr(writer, order, 'U', dtype->size / 4, "");
    } else if (dtype->cls == &zl_dtype_class_fixed_bytes) {
        write_typestr(writer, "|", strcmp(dtype->name, "raw_bytes") == 0 ? 'V' : 'S', dtype->size, "");
    } else if (dtype->cls == &zl_dtype_class_raw) {
        write_typestr(writer, "|", 'V', dtype->size, "");
    } else if (zl_dtype_field_count(dtype) > 0) {
        return write_struct(dtype, big_endian, writer, err);
    } else {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "data type \"%s\" does not exist in Zarr v2", dtype->name);
    }
    return ZL_OK;
}
