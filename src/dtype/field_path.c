/* SPDX-License-Identifier: MIT */
/* Fields of structures by name, and fields of fields by names with dots between. */
#include <stdarg.h>
#include <stdio.h>

#include "dtype/dtype.h"

/* What of `path` lies behind a name and a dot; NULL when it does not begin so. */
static const char *behind(const char *path, const char *name) {
    const size_t size = strlen(name);
    return strncmp(path, name, size) == 0 && path[size] == '.' ? path + size + 1 : NULL;
}

/* Names may have dots themselves: a field of just that name comes first. */
bool zl_dtype_find_field(const zl_dtype *dtype, const char *path, zl_field *out) {
    const size_t count = zl_dtype_field_count(dtype);
    for (size_t i = 0; i < count; i++) {
        const zl_field *field = zl_dtype_field(dtype, i);
        if (strcmp(field->name, path) != 0) continue;
        *out = *field;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const zl_field *field = zl_dtype_field(dtype, i);
        const char *rest = behind(path, field->name);
        if (!rest || !zl_dtype_find_field(field->dtype, rest, out)) continue;
        out->offset += field->offset;
        return true;
    }
    return false;
}

/* A list that ends in "..." where it is too long. */
typedef struct names {
    char text[256];
    size_t size; /* as long as it would be */
} names;

static void ZL_PRINTF(2, 3) add(names *list, const char *format, ...) {
    const size_t at = list->size < sizeof list->text ? list->size : sizeof list->text - 1;
    va_list arguments;
    va_start(arguments, format);
    list->size += (size_t)vsnprintf(list->text + at, sizeof list->text - at, format, arguments);
    va_end(arguments);
}

/* Fields, and the fields of fields one level down. */
static void list_fields(const zl_dtype *dtype, names *list) {
    for (size_t i = 0; i < zl_dtype_field_count(dtype) && list->size < sizeof list->text; i++) {
        const zl_field *field = zl_dtype_field(dtype, i);
        const size_t inner = zl_dtype_field_count(field->dtype);
        add(list, "%s%s", i ? ", " : "", field->name);
        for (size_t k = 0; k < inner && list->size < sizeof list->text; k++)
            add(list, ", %s.%s", field->name, zl_dtype_field(field->dtype, k)->name);
    }
}

zl_status zl_dtype_require_field(const zl_dtype *dtype, const char *path, zl_field *out, zl_error *err) {
    if (zl_dtype_find_field(dtype, path, out)) return ZL_OK;
    if (zl_dtype_field_count(dtype) == 0) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "field \"%s\": elements of type \"%s\" have no fields", path,
                       dtype->name);
    }
    names list = {.size = 0};
    list_fields(dtype, &list);
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "field \"%s\" is none of %s%s", path, list.text,
                   list.size < sizeof list.text ? "" : "...");
}
