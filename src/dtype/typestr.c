/* SPDX-License-Identifier: MIT */
/*
 * Type strings of NumPy's array interface: byte order, letter, size, and the unit of times.
 * https://numpy.org/doc/stable/reference/arrays.interface.html
 *
 * TensorStore's names of types that NumPy lacks ("bfloat16") are read as well.
 */
#include "dtype/typestr.h"

static const struct {
    char kind;
    uint8_t size;
    const char *name;
} plain_types[] = {
    {'b', 1, "bool"},    {'i', 1, "int8"},    {'i', 2, "int16"},     {'i', 4, "int32"},       {'i', 8, "int64"},
    {'u', 1, "uint8"},   {'u', 2, "uint16"},  {'u', 4, "uint32"},    {'u', 8, "uint64"},      {'f', 2, "float16"},
    {'f', 4, "float32"}, {'f', 8, "float64"}, {'c', 8, "complex64"}, {'c', 16, "complex128"},
};

static const char *const time_units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"};

/* The digits at *at, which is moved behind them. */
static bool read_digits(const char **at, const char *end, uint64_t most, uint64_t *out) {
    const char *digit = *at;
    uint64_t value = 0;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        value = zl_sat_add(zl_sat_mul(value, 10), (uint64_t)(*digit - '0'));
    }
    if (digit == *at || value > most) return false;
    *at = digit;
    *out = value;
    return true;
}

/* "[25us]", "[ns]", or nothing. */
static bool read_unit(const char *at, const char *end, zl_typestr *out) {
    out->scale = 1;
    memcpy(out->unit, "generic", sizeof "generic");
    if (at == end) return true;
    if (*at++ != '[' || at == end || end[-1] != ']') return false;
    end--;
    uint64_t scale = 1;
    if (*at >= '0' && *at <= '9' && !read_digits(&at, end, INT32_MAX, &scale)) return false;
    for (size_t i = 0; i < ZL_COUNT_OF(time_units); i++) {
        const size_t size = strlen(time_units[i]);
        if (size != (size_t)(end - at) || memcmp(time_units[i], at, size) != 0) continue;
        memcpy(out->unit, time_units[i], size + 1);
        out->scale = (int32_t)scale;
        return scale > 0;
    }
    return false;
}

static bool find_plain(zl_typestr *out) {
    for (size_t i = 0; i < ZL_COUNT_OF(plain_types); i++) {
        if (plain_types[i].kind == out->kind && plain_types[i].size == out->size) out->name = plain_types[i].name;
    }
    return out->name != NULL;
}

bool zl_typestr_find(const char *name, char *kind, uint32_t *size) {
    for (size_t i = 0; i < ZL_COUNT_OF(plain_types); i++) {
        if (strcmp(plain_types[i].name, name) != 0) continue;
        *kind = plain_types[i].kind;
        *size = plain_types[i].size;
        return true;
    }
    return false;
}

/* A type that NumPy has no letter for, under its own name: TensorStore stores these little-endian. */
static bool read_name(const char *text, zl_typestr *out) {
    for (int id = ZL_DTYPE_BFLOAT16; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype == NULL || dtype->variable || strcmp(dtype->name, text) != 0) continue;
        out->name = dtype->name;
        out->size = dtype->size;
        out->order = dtype->size > 1 ? ZL_ORDER_LITTLE : ZL_ORDER_NONE;
        return true;
    }
    return false;
}

/* "|" and no order at all mean the machine's to NumPy; every machine that wrote such data was little-endian. */
bool zl_typestr_read(const char *text, size_t size, zl_typestr *out) {
    const char *at = text, *const end = text + size;
    *out = (zl_typestr){.order = ZL_ORDER_LITTLE, .count = 1};
    if (strlen(text) != size) return false;
    if (read_name(text, out)) return true;
    if (size > 0 && strchr("<>|=", *at) != NULL) out->order = *at++ == '>' ? ZL_ORDER_BIG : ZL_ORDER_LITTLE;
    if (at == end) return false;
    out->kind = *at++;
    if (out->kind == 'O') {
        out->order = ZL_ORDER_NONE;
        return at == end;
    }
    if (!read_digits(&at, end, UINT32_MAX, &out->size) || out->size == 0) return false;
    if (out->kind == 'M' || out->kind == 'm') return out->size == 8 && read_unit(at, end, out);
    if (at != end) return false;
    if (out->kind == 'U') {
        out->count = out->size;
        out->size = 4;
        return true;
    }
    const bool is_bytes = out->kind == 'S' || out->kind == 'V';
    if (is_bytes || out->size == 1) out->order = ZL_ORDER_NONE;
    return is_bytes || find_plain(out);
}
