/* SPDX-License-Identifier: MIT */
/* Versions 1 to 3 are read; the header's Python dictionary is read by its own small grammar: string keys, and values that
 * are strings, True, False or tuples of numbers. Version 1.0 is written. No object arrays: their bytes are a Python pickle,
 * a program that reading would have to run. No structured types. */
#include "npy.h"

#include "element.h"
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
/* numpy refuses headers past 10 000 bytes of text unless told otherwise; ranks of 32 need less than 1000. */
#define HEADER_MAX (1u << 20)

static const struct {
    char kind[4];
    zl_dtype_id dtype;
} npy_types[] = {
    {"b1", ZL_DTYPE_BOOL},      {"i1", ZL_DTYPE_INT8},        {"i2", ZL_DTYPE_INT16},   {"i4", ZL_DTYPE_INT32},
    {"i8", ZL_DTYPE_INT64},     {"u1", ZL_DTYPE_UINT8},       {"u2", ZL_DTYPE_UINT16},  {"u4", ZL_DTYPE_UINT32},
    {"u8", ZL_DTYPE_UINT64},    {"f2", ZL_DTYPE_FLOAT16},     {"f4", ZL_DTYPE_FLOAT32}, {"f8", ZL_DTYPE_FLOAT64},
    {"c8", ZL_DTYPE_COMPLEX64}, {"c16", ZL_DTYPE_COMPLEX128},
};
#define TYPE_COUNT (sizeof npy_types / sizeof npy_types[0])

typedef struct reader {
    const char *at;
    const char *end;
    char *error;
    size_t error_size;
} reader;

static bool refuse(reader *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, r->error_size, format, arguments);
    va_end(arguments);
    return false;
}

bool cli_npy_is_magic(const void *data, size_t size) {
    return size >= MAGIC_SIZE && memcmp(data, MAGIC, MAGIC_SIZE) == 0;
}

size_t cli_npy_header_size(const void *data, size_t size, char *error, size_t error_size) {
    const unsigned char *bytes = data;
    reader r = {NULL, NULL, error, error_size};
    if (!cli_npy_is_magic(data, size)) return refuse(&r, "not a .npy file: it does not start with \\x93NUMPY");
    if (size < 12) return refuse(&r, "the file ends inside its .npy header");
    const unsigned major = bytes[6];
    if (major < 1 || major > 3) return refuse(&r, ".npy version %u.%u; versions 1 to 3 are known", major, bytes[7]);
    if (major == 1) return 10u + (bytes[8] | (unsigned)bytes[9] << 8);
    const uint32_t length = bytes[8] | (uint32_t)bytes[9] << 8 | (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    if (length > HEADER_MAX) return refuse(&r, ".npy header of %" PRIu32 " bytes; the limit is %u", length, HEADER_MAX);
    return 12u + length;
}

static void skip_space(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool take(reader *r, char c) {
    skip_space(r);
    if (r->at >= r->end || *r->at != c) return false;
    r->at++;
    return true;
}

/* A Python string without escapes. */
static bool take_string(reader *r, char *out, size_t cap) {
    skip_space(r);
    if (r->at >= r->end || (*r->at != '\'' && *r->at != '"')) return refuse(r, ".npy header: a string is missing");
    const char quote = *r->at++;
    const char *stop = memchr(r->at, quote, (size_t)(r->end - r->at));
    if (!stop || (size_t)(stop - r->at) >= cap) return refuse(r, ".npy header: a string does not end");
    memcpy(out, r->at, (size_t)(stop - r->at));
    out[stop - r->at] = '\0';
    r->at = stop + 1;
    return true;
}

static bool parse_descr(reader *r, cli_npy *out) {
    char text[16];
    skip_space(r);
    if (r->at < r->end && *r->at == '[') return refuse(r, "structured .npy types are not supported");
    if (!take_string(r, text, sizeof text)) return false;
    if (strchr(text, 'O')) {
        return refuse(r, "the file holds Python objects ('%s'), which are pickled programs; convert it to numbers first",
                      text);
    }
    if (!strchr("<>|=", text[0]) || !text[0]) return refuse(r, ".npy type '%s' has no byte order", text);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(npy_types[i].kind, text + 1) != 0) continue;
        out->dtype = npy_types[i].dtype;
        out->element_size = zl_dtype_size(zl_dtype_builtin(out->dtype));
        out->swapped = out->element_size > 1 && (text[0] == '<') != cli_is_little_endian() && strchr("<>", text[0]);
        return true;
    }
    return refuse(r, ".npy type '%s' is not supported", text);
}

static bool parse_order(reader *r, cli_npy *out) {
    skip_space(r);
    const size_t left = (size_t)(r->end - r->at);
    out->fortran = left >= 4 && memcmp(r->at, "True", 4) == 0;
    if (!out->fortran && (left < 5 || memcmp(r->at, "False", 5) != 0)) {
        return refuse(r, ".npy header: fortran_order is neither True nor False");
    }
    r->at += out->fortran ? 4 : 5;
    return true;
}

static bool parse_shape(reader *r, cli_npy *out) {
    if (!take(r, '(')) return refuse(r, ".npy header: the shape is not a tuple");
    while (!take(r, ')')) {
        if (out->rank == CLI_MAX_RANK) return refuse(r, "more than %d dimensions", CLI_MAX_RANK);
        int64_t extent = 0;
        const char *first = r->at;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
            if (extent > (INT64_MAX - 9) / 10) return refuse(r, ".npy header: extent %" PRId32 " is too large", out->rank);
            extent = extent * 10 + (*r->at - '0');
        }
        if (r->at == first) return refuse(r, ".npy header: extent %" PRId32 " is no number", out->rank);
        if (r->at < r->end && *r->at == 'L') r->at++; /* written by Python 2 */
        out->shape[out->rank++] = extent;
        skip_space(r);
        if (!take(r, ',') && (r->at >= r->end || *r->at != ')')) return refuse(r, ".npy header: the shape is not a tuple");
    }
    return true;
}

static bool parse_dictionary(reader *r, cli_npy *out) {
    unsigned seen = 0;
    if (!take(r, '{')) return refuse(r, ".npy header: no dictionary");
    while (!take(r, '}')) {
        char key[32];
        if (!take_string(r, key, sizeof key)) return false;
        if (!take(r, ':')) return refuse(r, ".npy header: no value for '%s'", key);
        unsigned bit;
        bool good;
        if (strcmp(key, "descr") == 0) {
            bit = 1, good = parse_descr(r, out);
        } else if (strcmp(key, "fortran_order") == 0) {
            bit = 2, good = parse_order(r, out);
        } else if (strcmp(key, "shape") == 0) {
            bit = 4, good = parse_shape(r, out);
        } else {
            return refuse(r, ".npy header: unknown key '%s'", key);
        }
        if (!good) return false;
        if (seen & bit) return refuse(r, ".npy header: '%s' stands twice", key);
        seen |= bit;
        skip_space(r);
        if (!take(r, ',') && (r->at >= r->end || *r->at != '}'))
            return refuse(r, ".npy header: the dictionary does not end");
    }
    return seen == 7 || refuse(r, ".npy header: descr, fortran_order or shape is missing");
}

bool cli_npy_parse(cli_npy *out, const void *data, size_t size, char *error, size_t error_size) {
    *out = (cli_npy){0};
    const size_t header = cli_npy_header_size(data, size, error, error_size);
    if (!header) return false;
    reader r = {(const char *)data + (((const unsigned char *)data)[6] == 1 ? 10 : 12), (const char *)data + header, error,
                error_size};
    if (header > size) return refuse(&r, "the file ends inside its .npy header");
    if (!parse_dictionary(&r, out)) return false;
    bool is_empty = false;
    for (int32_t axis = 0; axis < out->rank; axis++)
        is_empty = is_empty || out->shape[axis] == 0;
    out->data_offset = header;
    out->data_size = is_empty ? 0 : out->element_size;
    for (int32_t axis = 0; axis < out->rank && !is_empty; axis++) {
        if (out->data_size > (uint64_t)INT64_MAX / (uint64_t)out->shape[axis])
            return refuse(&r, "the .npy array is too large");
        out->data_size *= (uint64_t)out->shape[axis];
    }
    return true;
}

char *cli_npy_header(const zl_dtype *dtype, int32_t rank, const int64_t *shape, size_t *size) {
    const char *kind = NULL;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (npy_types[i].dtype == zl_dtype_get_id(dtype)) kind = npy_types[i].kind;
    }
    if (!kind) return NULL;
    char extents[CLI_MAX_RANK * 24] = "";
    size_t used = 0;
    for (int32_t axis = 0; axis < rank; axis++)
        used += (size_t)sprintf(extents + used, "%s%" PRId64 "%s", axis ? " " : "", shape[axis],
                                axis + 1 < rank || rank == 1 ? "," : "");
    char *dictionary = cli_format("{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
                                  zl_dtype_size(dtype) == 1 ? '|' : '<', kind, extents);
    const size_t total = (10 + strlen(dictionary) + 1 + 63) / 64 * 64; /* the data starts at a multiple of 64 */
    char *header = cli_malloc(total);
    memset(header, ' ', total);
    memcpy(header, MAGIC "\x01\x00", 8);
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    memcpy(header + 10, dictionary, strlen(dictionary));
    header[total - 1] = '\n';
    free(dictionary);
    *size = total;
    return header;
}
