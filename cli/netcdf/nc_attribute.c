/* SPDX-License-Identifier: MIT */
/*
 * `_FillValue` has forms of its own, those that xarray reads (xarray.backends.zarr.FillValueCoder): on variables of floats
 * it is the base64 text of the value as a little-endian float64, on char variables (whose elements are uint8 here) a
 * number.
 */
#include "nc_attribute.h"

#include "memory.h"
#include "nc_tree.h"

#include <stdlib.h>
#include <string.h>

zl_status nc_attribute_read(nc_attribute *out, int group, int variable, int index, zl_error *err) {
    *out = (nc_attribute){0};
    nc_type type;
    int nc = nc_inq_attname(group, variable, index, out->name);
    if (!nc) nc = nc_inq_att(group, variable, out->name, &type, &out->count);
    if (nc) return nc_fail(err, nc, "attributes");
    out->type = nc_type_find(type);
    if (!out->type) return ZL_OK;
    out->data = cli_calloc(out->count, out->type->size);
    nc = out->count ? nc_get_att(group, variable, out->name, out->data) : NC_NOERR;
    if (!nc) return ZL_OK;
    free(out->data);
    out->data = NULL;
    return nc_fail(err, nc, out->name);
}

void nc_attribute_clear(nc_attribute *attribute) {
    if (attribute->data && attribute->type->type == NC_STRING) (void)nc_free_string(attribute->count, attribute->data);
    free(attribute->data);
    attribute->data = NULL;
}

nc_place nc_place_of(const nc_type_facts *type) {
    if (type->type == NC_FLOAT || type->type == NC_DOUBLE) return NC_ON_FLOATS;
    return type->type == NC_CHAR ? NC_ON_CHARS : NC_ON_OTHERS;
}

/* Length of the UTF-8 character at `at` (RFC 3629), or 0 where there is none. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    if (at[0] < 0x80) return 1;
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0; /* longer than need be */
    if (at[0] == 0xed && at[1] > 0x9f) return 0; /* a surrogate */
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (at[0] == 0xf4 && at[1] > 0x8f) return 0; /* past U+10FFFF */
    return length;
}

static bool is_utf8(const char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)text;
    while (size) {
        const size_t length = utf8_length(at, size);
        if (!length) return false;
        at += length;
        size -= length;
    }
    return true;
}

/* NetCDF: a missing string is an empty one. */
static const char *string_at(const nc_attribute *attribute, size_t i) {
    const char *text = ((char *const *)attribute->data)[i];
    return text ? text : "";
}

/* Text that is not UTF-8 goes to JSON as if it were ISO 8859-1: every byte is a character. */
static bool is_latin1(const nc_attribute *attribute) {
    if (attribute->type->type == NC_CHAR) return !is_utf8(attribute->data, attribute->count);
    bool all_utf8 = true;
    for (size_t i = 0; attribute->type->type == NC_STRING && i < attribute->count; i++)
        all_utf8 = all_utf8 && is_utf8(string_at(attribute, i), strlen(string_at(attribute, i)));
    return !all_utf8;
}

const char *nc_attribute_type_name(const nc_attribute *attribute) {
    if (!is_latin1(attribute)) return attribute->type->name;
    return attribute->type->type == NC_CHAR ? "char:latin1" : "string:latin1";
}

static void write_text(cli_json *json, const nc_attribute *attribute, const char *text, size_t size) {
    if (is_latin1(attribute)) {
        cli_json_latin1(json, text, size);
    } else {
        cli_json_string_n(json, text, size);
    }
}

static int64_t signed_at(const nc_attribute *attribute, size_t i) {
    switch (attribute->type->type) {
    case NC_BYTE: return ((const signed char *)attribute->data)[i];
    case NC_SHORT: return ((const short *)attribute->data)[i];
    case NC_INT: return ((const int *)attribute->data)[i];
    case NC_INT64: return ((const long long *)attribute->data)[i];
    case NC_CHAR:
    case NC_UBYTE: return ((const unsigned char *)attribute->data)[i];
    case NC_USHORT: return ((const unsigned short *)attribute->data)[i];
    default: return ((const unsigned int *)attribute->data)[i];
    }
}

static void write_element(cli_json *json, const nc_attribute *attribute, size_t i) {
    switch (attribute->type->type) {
    case NC_FLOAT: cli_json_float(json, ((const float *)attribute->data)[i]); break;
    case NC_DOUBLE: cli_json_double(json, ((const double *)attribute->data)[i]); break;
    case NC_UINT64: cli_json_uint(json, ((const unsigned long long *)attribute->data)[i]); break;
    case NC_STRING: write_text(json, attribute, string_at(attribute, i), strlen(string_at(attribute, i))); break;
    default: cli_json_int(json, signed_at(attribute, i)); break;
    }
}

/* Bits of a double that stands for a float, NaN payloads and the quiet bit included (a conversion would set that bit). */
static uint64_t widen(uint32_t bits) {
    float narrow;
    double wide;
    uint64_t wide_bits;
    memcpy(&narrow, &bits, sizeof narrow);
    if (narrow != narrow)
        return (uint64_t)(bits & 0x80000000u) << 32 | UINT64_C(0x7ff) << 52 | (uint64_t)(bits & 0x7fffffu) << 29;
    wide = (double)narrow;
    memcpy(&wide_bits, &wide, sizeof wide_bits);
    return wide_bits;
}

static uint64_t fill_bits(const nc_attribute *attribute) {
    uint32_t narrow;
    uint64_t bits;
    if (attribute->type->type == NC_FLOAT) {
        memcpy(&narrow, attribute->data, sizeof narrow);
        return widen(narrow);
    }
    memcpy(&bits, attribute->data, sizeof bits);
    return bits;
}

static void write_base64(cli_json *json, uint64_t bits) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[9] = {0};
    char text[12];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    for (int i = 0; i < 3; i++) {
        const unsigned long group =
            (unsigned long)bytes[3 * i] << 16 | (unsigned long)bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
        for (int k = 0; k < 4; k++)
            text[4 * i + k] = digits[group >> (18 - 6 * k) & 63];
    }
    text[11] = '='; /* eight bytes end with one padding character */
    cli_json_string_n(json, text, sizeof text);
}

static bool is_fill(const nc_attribute *attribute) {
    return strcmp(attribute->name, "_FillValue") == 0 && attribute->count == 1;
}

static bool is_base64_fill(const nc_attribute *attribute, nc_place place) {
    return place == NC_ON_FLOATS && is_fill(attribute) && nc_place_of(attribute->type) == NC_ON_FLOATS;
}

void nc_attribute_write(cli_json *json, const nc_attribute *attribute, nc_place place) {
    const bool is_char = attribute->type->type == NC_CHAR;
    if (is_base64_fill(attribute, place)) {
        write_base64(json, fill_bits(attribute));
    } else if (is_char && place == NC_ON_CHARS && is_fill(attribute)) {
        cli_json_int(json, signed_at(attribute, 0));
    } else if (is_char) {
        write_text(json, attribute, attribute->data, attribute->count);
    } else if (attribute->count == 1) {
        write_element(json, attribute, 0);
    } else {
        cli_json_open(json, '[');
        for (size_t i = 0; i < attribute->count; i++)
            write_element(json, attribute, i);
        cli_json_close(json, ']');
    }
}

bool nc_attribute_write_fill(cli_json *json, const nc_attribute *attribute, const nc_type_facts *variable_type) {
    if (!is_fill(attribute) || attribute->type != variable_type) return false;
    write_element(json, attribute, 0);
    return true;
}
