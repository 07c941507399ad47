/* SPDX-License-Identifier: MIT */
/* Elements as bytes and as text, and the streams they come from and go to. */
#ifndef ZARRLITE_CLI_ELEMENT_H
#define ZARRLITE_CLI_ELEMENT_H

#include "cli.h"

#include <stdio.h>

/* Bytes of the units whose order differs between machines: 8 for float64 and complex128, 1 for one-byte types; 0 for types
 * that this table does not know. */
size_t cli_dtype_unit(const zl_dtype *dtype);

/* Is this machine's byte order little-endian? */
bool cli_is_little_endian(void);

/* Reverses the bytes of `count` units in place. */
void cli_swap_units(void *data, size_t count, size_t unit);

/* An element of a time type for people, see zl_time_format. */
void cli_time_text(const zl_dtype *dtype, const void *element, char text[ZL_TIME_TEXT]);

/* How elements are printed. */
typedef enum cli_style {
    CLI_STYLE_JSON,  /* nested lists */
    CLI_STYLE_LINES, /* one element a line, each as in JSON */
    CLI_STYLE_TEXT   /* one row on a line, a blank line between planes; NaN and Infinity without quotes, times as dates */
} cli_style;

/* Prints elements of one type, of an array of that shape, one after another in C order. */
typedef struct cli_printer {
    cli_style style;
    FILE *file;
    zl_context *context;
    const zl_dtype *dtype;
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    int64_t index[CLI_MAX_RANK]; /* of the next element */
} cli_printer;

/* style, file, context and dtype are set. */
void cli_printer_start(cli_printer *printer, int32_t rank, const int64_t *shape);
zl_status cli_printer_element(cli_printer *printer, const void *element, zl_error *err);
/* After the last element; prints the brackets of a shape without elements. */
void cli_printer_finish(cli_printer *printer);

#endif
