/* SPDX-License-Identifier: MIT */
/* Builds JSON text in memory. Commas are put where they belong; the caller nests objects and arrays correctly. */
#ifndef ZARRLITE_CLI_JSON_OUT_H
#define ZARRLITE_CLI_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from zero bytes. */
typedef struct cli_json {
    char *text; /* NUL-terminated once anything was written; free with free() */
    size_t size;
    size_t cap;
    bool need_comma;
} cli_json;

void cli_json_open(cli_json *json, char bracket);  /* '{' or '[' */
void cli_json_close(cli_json *json, char bracket); /* '}' or ']' */
void cli_json_key(cli_json *json, const char *key);
void cli_json_key_n(cli_json *json, const char *key, size_t size);
void cli_json_string(cli_json *json, const char *text); /* NULL is null */
/* `size` bytes of UTF-8; NUL bytes are fine. */
void cli_json_string_n(cli_json *json, const char *text, size_t size);
/* `size` bytes of ISO 8859-1, each one character. */
void cli_json_latin1(cli_json *json, const char *text, size_t size);
void cli_json_bool(cli_json *json, bool value);
void cli_json_int(cli_json *json, int64_t value);
void cli_json_uint(cli_json *json, uint64_t value);
/* Short text that reads back as the same number, always with a fraction or an exponent; "NaN", "Infinity" and
 * "-Infinity" as strings, other NaNs than the canonical one as a hexadecimal string of their bits. */
void cli_json_float(cli_json *json, float value);
void cli_json_double(cli_json *json, double value);
/* A number for people, with `digits` behind the point. */
void cli_json_rounded(cli_json *json, double value, int digits);
/* Text that is JSON already. */
void cli_json_raw(cli_json *json, const char *text, size_t size);
/* The same, on one line whatever its layout was. */
void cli_json_one_line(cli_json *json, const char *text, size_t size);
/* `rank` numbers; null where `extents` is NULL. */
void cli_json_extents(cli_json *json, int32_t rank, const int64_t *extents);

/* Prints the text and a newline to stdout, and frees it. */
void cli_json_print(cli_json *json);

#endif
