/* SPDX-License-Identifier: MIT */
/*
 * Fill values of floating-point types.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#permitted-fill-values
 */
#include "dtype/float_text.h"

#include <math.h>
#include <stdio.h>

bool zl_float_from_text(const zl_minifloat *format, const char *text, size_t size, uint64_t *code) {
    double value;
    const bool is_number = format->bits < 64 ? zl_read_double_odd(text, size, &value) : zl_read_double(text, size, &value);
    if (!is_number) return false;
    return zl_minifloat_from_double(format, value, code) && !zl_minifloat_is_infinite(format, *code);
}

/* Integers up to here keep all their digits: 65504.0 says more than 65500.0, which reads back as well. */
#define EXACT_INTEGERS 1e6

size_t zl_float_to_text(const zl_minifloat *format, uint64_t code, char *buffer) {
    const double value = zl_minifloat_to_double(format, code);
    const bool exact = format->bits <= 8 || (fabs(value) < EXACT_INTEGERS && value == floor(value));
    if (exact) return zl_format_double(value, buffer);
    const int32_t smallest = 1 - format->bias - format->mantissa_bits;
    return zl_format_narrow(value, format->mantissa_bits + 1, smallest, buffer);
}

/* "0x" and hexadecimal digits: as many as the code has; formats of less than a byte may be written as a whole byte. */
static bool read_hex(const zl_minifloat *format, const char *text, size_t size, uint64_t *code) {
    const size_t digits = (format->bits + 3u) / 4;
    if (size != 2 + digits && !(format->bits < 8 && size == 2 + 2)) return false;
    uint64_t bits = 0;
    for (const char *at = text + 2; at < text + size; at++) {
        static const char hex[] = "0123456789abcdefABCDEF";
        const char *found = *at != '\0' ? strchr(hex, *at) : NULL;
        if (found == NULL) return false;
        const unsigned digit = (unsigned)(found - hex);
        bits = bits << 4 | (digit < 16 ? digit : digit - 6);
    }
    if (bits > (UINT64_MAX >> (64 - format->bits))) return false;
    *code = bits;
    return true;
}

/* The words for what is no number; "+Infinity" is in old metadata, never written. */
static bool read_word(const zl_minifloat *format, const char *text, uint64_t *code) {
    if (strcmp(text, "NaN") == 0) return zl_minifloat_from_double(format, (double)NAN, code);
    if (strcmp(text, "Infinity") == 0 || strcmp(text, "+Infinity") == 0) {
        return zl_minifloat_from_double(format, (double)INFINITY, code);
    }
    if (strcmp(text, "-Infinity") == 0) return zl_minifloat_from_double(format, -(double)INFINITY, code);
    return false;
}

zl_status zl_float_parse_json(const zl_minifloat *format, const zl_json *value, uint64_t *code, zl_error *err) {
    const zl_json_type type = zl_json_get_type(value);
    size_t size = 0;
    const char *text = zl_json_text(value, &size);
    if (text == NULL) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of %s is a number or a string", format->name);
    }
    if (read_word(format, text, code)) return ZL_OK; /* v2 documents have them as numbers, too */
    if (type == ZL_JSON_NUMBER) {
        if (zl_float_from_text(format, text, size, code)) return ZL_OK;
        return zl_json_fail(value, err, ZL_ERR_METADATA, "%s is outside the range of %s", text, format->name);
    }
    if (strncmp(text, "0x", 2) == 0) {
        if (read_hex(format, text, size, code)) return ZL_OK;
        return zl_json_fail(value, err, ZL_ERR_METADATA, "\"%s\" does not have the %u hexadecimal digits of %u bits", text,
                            (format->bits + 3u) / 4, (unsigned)format->bits);
    }
    return zl_json_fail(value, err, ZL_ERR_METADATA, "\"%s\" is not a value of %s", text, format->name);
}

void zl_float_emit_json(const zl_minifloat *format, uint64_t code, zl_json_writer *writer) {
    char buffer[32];
    if (zl_minifloat_is_nan(format, code) && code != format->nan) {
        const int size = snprintf(buffer, sizeof buffer, "0x%0*llx", (format->bits + 3) / 4, (unsigned long long)code);
        zl_json_write_string(writer, buffer, (size_t)size);
    } else if (zl_minifloat_is_nan(format, code)) {
        zl_json_write_text(writer, "NaN");
    } else if (zl_minifloat_is_infinite(format, code)) {
        zl_json_write_text(writer, zl_minifloat_to_double(format, code) < 0 ? "-Infinity" : "Infinity");
    } else {
        zl_json_write_number(writer, buffer, zl_float_to_text(format, code, buffer));
    }
}
