/* SPDX-License-Identifier: MIT */
/* The floating-point rules are those of the fill values of Zarr (core specification, "Fill value list"):
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html */
#include "json_out.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(cli_json *json, const char *text, size_t size) {
    if (json->cap - json->size <= size) {
        json->cap = (json->cap + size) * 2 + 64;
        json->text = cli_realloc(json->text, json->cap);
    }
    memcpy(json->text + json->size, text, size);
    json->size += size;
    json->text[json->size] = '\0';
}

static void begin_value(cli_json *json) {
    if (json->need_comma) append(json, ", ", 2);
    json->need_comma = true;
}

void cli_json_open(cli_json *json, char bracket) {
    begin_value(json);
    append(json, &bracket, 1);
    json->need_comma = false;
}

void cli_json_close(cli_json *json, char bracket) {
    append(json, &bracket, 1);
    json->need_comma = true;
}

void cli_json_key(cli_json *json, const char *key) {
    cli_json_key_n(json, key, strlen(key));
}

void cli_json_key_n(cli_json *json, const char *key, size_t size) {
    cli_json_string_n(json, key, size);
    append(json, ": ", 2);
    json->need_comma = false;
}

static void append_escaped(cli_json *json, unsigned char c) {
    static const char shorts[] = "b\bf\fn\nr\rt\t\"\"\\\\";
    for (const char *pair = shorts; *pair; pair += 2) {
        if ((unsigned char)pair[1] != c) continue;
        append(json, (const char[]){'\\', pair[0]}, 2);
        return;
    }
    char text[8];
    append(json, text, (size_t)snprintf(text, sizeof text, "\\u%04x", c));
}

static bool must_escape(unsigned char c) {
    return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

void cli_json_string_n(cli_json *json, const char *text, size_t size) {
    begin_value(json);
    append(json, "\"", 1);
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = 0; i < size; i++) {
        if (!must_escape((unsigned char)text[i])) continue;
        append(json, text + plain, i - plain);
        append_escaped(json, (unsigned char)text[i]);
        plain = i + 1;
    }
    append(json, text + plain, size - plain);
    append(json, "\"", 1);
}

void cli_json_latin1(cli_json *json, const char *text, size_t size) {
    char *utf8 = cli_malloc(size * 2);
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) utf8[used++] = (char)(0xc0 | c >> 6);
        utf8[used++] = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    cli_json_string_n(json, utf8, used);
    free(utf8);
}

void cli_json_string(cli_json *json, const char *text) {
    if (text) {
        cli_json_string_n(json, text, strlen(text));
    } else {
        cli_json_raw(json, "null", 4);
    }
}

void cli_json_bool(cli_json *json, bool value) {
    cli_json_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void cli_json_int(cli_json *json, int64_t value) {
    char text[24];
    cli_json_raw(json, text, (size_t)snprintf(text, sizeof text, "%" PRId64, value));
}

void cli_json_uint(cli_json *json, uint64_t value) {
    char text[24];
    cli_json_raw(json, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, value));
}

/* A number's text must say that it is no integer. */
static void write_number(cli_json *json, char *text, size_t size) {
    if (strcspn(text, ".e") == size) {
        text[size++] = '.';
        text[size++] = '0';
    }
    cli_json_raw(json, text, size);
}

static void write_special(cli_json *json, double value, uint64_t bits, uint64_t canonical_nan, int digits) {
    char text[32];
    if (isinf(value)) {
        cli_json_string(json, value < 0 ? "-Infinity" : "Infinity");
    } else if (bits == canonical_nan) {
        cli_json_string(json, "NaN");
    } else {
        snprintf(text, sizeof text, "0x%0*" PRIx64, digits, bits);
        cli_json_string(json, text);
    }
}

void cli_json_float(cli_json *json, float value) {
    char text[32];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value)) {
        write_special(json, isinf(value) ? (double)value : 0, bits, UINT32_C(0x7fc00000), 8);
        return;
    }
    int size = 0;
    for (int precision = 6; precision <= 9; precision++) { /* 9 digits always suffice */
        size = snprintf(text, sizeof text, "%.*g", precision, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    write_number(json, text, (size_t)size);
}

void cli_json_double(cli_json *json, double value) {
    char text[40];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value)) {
        write_special(json, value, bits, UINT64_C(0x7ff8000000000000), 16);
        return;
    }
    int size = 0;
    for (int precision = 15; precision <= 17; precision++) { /* 17 digits always suffice */
        size = snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value) break;
    }
    write_number(json, text, (size_t)size);
}

void cli_json_rounded(cli_json *json, double value, int digits) {
    char text[400];
    cli_json_raw(json, text, (size_t)snprintf(text, sizeof text, "%.*f", digits, value));
}

void cli_json_raw(cli_json *json, const char *text, size_t size) {
    begin_value(json);
    append(json, text, size);
}

void cli_json_one_line(cli_json *json, const char *text, size_t size) {
    bool quoted = false;
    begin_value(json);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted && text[i] == '\\' && i + 1 < size) append(json, &text[i++], 1);
        if (!quoted && strchr(" \t\r\n", text[i])) continue;
        append(json, &text[i], 1);
        if (!quoted && (text[i] == ',' || text[i] == ':')) append(json, " ", 1);
    }
}

void cli_json_extents(cli_json *json, int32_t rank, const int64_t *extents) {
    if (!extents) {
        cli_json_raw(json, "null", 4);
        return;
    }
    cli_json_open(json, '[');
    for (int32_t axis = 0; axis < rank; axis++)
        cli_json_int(json, extents[axis]);
    cli_json_close(json, ']');
}

void cli_json_print(cli_json *json) {
    if (json->size) fwrite(json->text, 1, json->size, stdout);
    putchar('\n');
    free(json->text);
    *json = (cli_json){0};
}
