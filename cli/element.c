/* SPDX-License-Identifier: MIT */
#include "element.h"

#include <string.h>

size_t cli_dtype_unit(const zl_dtype *dtype) {
    const zl_dtype_id id = zl_dtype_get_id(dtype);
    if (id == ZL_DTYPE_COMPLEX64 || id == ZL_DTYPE_COMPLEX128) return zl_dtype_size(dtype) / 2;
    if (id != ZL_DTYPE_NONE) return zl_dtype_size(dtype);
    const bool is_time = strncmp(zl_dtype_name(dtype), "numpy.", 6) == 0; /* datetime64 and timedelta64: int64 */
    return is_time || zl_dtype_size(dtype) == 1 ? zl_dtype_size(dtype) : 0;
}

bool cli_is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void cli_swap_units(void *data, size_t count, size_t unit) {
    unsigned char *bytes = data;
    for (size_t i = 0; i < count; i++, bytes += unit) {
        for (size_t low = 0, high = unit - 1; low < high; low++, high--) {
            const unsigned char kept = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = kept;
        }
    }
}

void cli_printer_start(cli_printer *printer, int32_t rank, const int64_t *shape) {
    printer->rank = rank;
    memset(printer->index, 0, sizeof printer->index);
    memcpy(printer->shape, shape, (size_t)rank * sizeof *shape);
}

/* Axes, counted from the last, at whose start the next element stands. */
static int32_t axes_at_start(const cli_printer *printer) {
    int32_t axes = 0;
    while (axes < printer->rank && printer->index[printer->rank - 1 - axes] == 0)
        axes++;
    return axes;
}

/* Moves on; returns the axes, counted from the last, that ended. */
static int32_t advance(cli_printer *printer) {
    int32_t axes = 0;
    for (int32_t axis = printer->rank - 1; axis >= 0; axis--) {
        if (++printer->index[axis] < printer->shape[axis]) break;
        printer->index[axis] = 0;
        axes++;
    }
    return axes;
}

static void print_times(FILE *file, char c, int32_t times) {
    while (times-- > 0)
        fputc(c, file);
}

void cli_time_text(const zl_dtype *dtype, const void *element, char text[ZL_TIME_TEXT]) {
    int64_t value;
    memcpy(&value, element, sizeof value);
    zl_time_format(dtype, value, text, ZL_TIME_TEXT);
}

static void print_json(const cli_printer *printer, const zl_buffer *json) {
    const bool is_text = zl_dtype_is_variable(printer->dtype);
    const bool unquote = printer->style == CLI_STYLE_TEXT && !is_text && json->size >= 2 && json->data[0] == '"';
    if (unquote) {
        fwrite(json->data + 1, 1, json->size - 2, printer->file);
    } else {
        fwrite(json->data, 1, json->size, printer->file);
    }
}

static zl_status print_value(const cli_printer *printer, const void *element, zl_error *err) {
    if (printer->style == CLI_STYLE_TEXT && zl_dtype_time_unit(printer->dtype)) {
        char text[ZL_TIME_TEXT];
        cli_time_text(printer->dtype, element, text);
        fputs(text, printer->file);
        return ZL_OK;
    }
    zl_buffer json = {0};
    const zl_status status = zl_element_json(printer->context, printer->dtype, element, &json, err);
    if (status) return status;
    print_json(printer, &json);
    zl_buffer_free(&json);
    return ZL_OK;
}

zl_status cli_printer_element(cli_printer *printer, const void *element, zl_error *err) {
    if (printer->style == CLI_STYLE_JSON) print_times(printer->file, '[', axes_at_start(printer));
    const zl_status status = print_value(printer, element, err);
    if (status) return status;
    const int32_t ended = advance(printer);
    if (printer->style == CLI_STYLE_LINES) {
        fputc('\n', printer->file);
        return ZL_OK;
    }
    if (printer->style == CLI_STYLE_TEXT) {
        if (ended == 0 && printer->rank > 0) fputc(' ', printer->file);
        if (ended > 0 || printer->rank == 0) fputc('\n', printer->file);
        if (ended > 1 && ended < printer->rank) fputc('\n', printer->file);
        return ZL_OK;
    }
    print_times(printer->file, ']', ended);
    if (ended < printer->rank) fputs(ended ? ",\n" : ", ", printer->file);
    return ZL_OK;
}

/* Nested lists down to the first axis without elements. */
static void print_empty(const cli_printer *printer, int32_t axis) {
    fputc('[', printer->file);
    for (int64_t i = 0; i < printer->shape[axis]; i++) {
        if (i) fputs(", ", printer->file);
        print_empty(printer, axis + 1);
    }
    fputc(']', printer->file);
}

void cli_printer_finish(cli_printer *printer) {
    if (printer->style != CLI_STYLE_JSON) return;
    bool is_empty = false;
    for (int32_t axis = 0; axis < printer->rank; axis++)
        is_empty = is_empty || printer->shape[axis] == 0;
    if (is_empty) print_empty(printer, 0);
    fputc('\n', printer->file);
}
