/* SPDX-License-Identifier: MIT */
/* Decimal text of floating-point numbers of any format, and their fill values in JSON. */
#ifndef ZL_DTYPE_FLOAT_TEXT_H
#define ZL_DTYPE_FLOAT_TEXT_H

#include "dtype/minifloat.h"
#include "json/json.h"

/* Reads a JSON number text, rounded once, from the exact decimal value. False when the format has no such value: too large,
 * or one that zl_minifloat_from_double refuses. */
bool zl_float_from_text(const zl_minifloat *format, const char *text, size_t size, uint64_t *code);

/* A decimal text of a finite value that reads back as the same code in the format and in double-then-format readers.
 * Returns its length; `buffer` holds at least 32 bytes. Formats of up to 8 bits and small integers are written exactly,
 * others as the shortest text. */
size_t zl_float_to_text(const zl_minifloat *format, uint64_t code, char *buffer);

/* A fill value as the core specification has it: number, "NaN", "Infinity", "-Infinity", or "0x" and the code in as many
 * hexadecimal digits as it has. METADATA. */
zl_status zl_float_parse_json(const zl_minifloat *format, const zl_json *value, uint64_t *code, zl_error *err);
/* The reverse, bit for bit. */
void zl_float_emit_json(const zl_minifloat *format, uint64_t code, zl_json_writer *writer);

#endif
