/* SPDX-License-Identifier: MIT */
/* JSON values back to NetCDF attributes. */
#include "nc_attribute.h"

#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers */

/* Bits that a string stands for, of a float of `size` bytes. False for strings that stand for none. */
static bool parse_special(const char *text, size_t size, uint64_t *bits) {
    const bool is_float = size == sizeof(float);
    const uint64_t infinity = is_float ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    const uint64_t sign = is_float ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    char *end = NULL;
    if (strcmp(text, "NaN") == 0) {
        *bits = infinity | infinity >> 1; /* the quiet bit is next to the exponent */
    } else if (strcmp(text, "Infinity") == 0) {
        *bits = infinity;
    } else if (strcmp(text, "-Infinity") == 0) {
        *bits = sign | infinity;
    } else {
        *bits = strtoull(text, &end, 16);
        return strncmp(text, "0x", 2) == 0 && *end == '\0' && (!is_float || *bits <= UINT32_MAX);
    }
    return true;
}

static bool parse_number(const char *text, size_t size, uint64_t *bits) {
    char *end = NULL;
    const float narrow = strtof(text, NULL);
    const double wide = strtod(text, &end);
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(bits, &wide, sizeof *bits);
    if (size == sizeof narrow) *bits = narrow_bits;
    return end != text && *end == '\0' && (*text == '-' || (*text >= '0' && *text <= '9'));
}

static void store_bits(void *out, size_t size, uint64_t bits) {
    const uint32_t narrow = (uint32_t)bits;
    memcpy(out, size == sizeof narrow ? (const void *)&narrow : (const void *)&bits, size);
}

static bool parse_floating(cli_value value, size_t size, void *out) {
    uint64_t bits = 0;
    char *special = cli_value_string(value, NULL);
    char *number = special ? NULL : cli_copy(value.text, value.size);
    const bool valid = special ? parse_special(special, size, &bits) : parse_number(number, size, &bits);
    free(special);
    free(number);
    if (valid) store_bits(out, size, bits);
    return valid;
}

/* Integers of at most 64 bits that JSON text is; `most` is at least 0. */
static bool parse_range(const char *text, int64_t least, uint64_t most, uint64_t *out) {
    char *end = NULL;
    errno = 0;
    if (*text == '-') {
        const long long value = strtoll(text, &end, 10);
        *out = (uint64_t)value;
        return !errno && end != text && *end == '\0' && value >= least;
    }
    *out = strtoull(text, &end, 10);
    return !errno && *text >= '0' && *text <= '9' && *end == '\0' && *out <= most;
}

#define STORE(type)                 \
    do {                            \
        const type v = (type)value; \
        memcpy(out, &v, sizeof v);  \
    } while (0)

static bool parse_integer(cli_value json, nc_type type, void *out) {
    static const struct {
        nc_type type;
        int64_t least;
        uint64_t most;
    } ranges[] = {
        {NC_BYTE, INT8_MIN, INT8_MAX},    {NC_SHORT, INT16_MIN, INT16_MAX}, {NC_INT, INT32_MIN, INT32_MAX},
        {NC_INT64, INT64_MIN, INT64_MAX}, {NC_CHAR, 0, UINT8_MAX},          {NC_UBYTE, 0, UINT8_MAX},
        {NC_USHORT, 0, UINT16_MAX},       {NC_UINT, 0, UINT32_MAX},         {NC_UINT64, 0, UINT64_MAX},
    };
    uint64_t value = 0;
    bool valid = false;
    char *text = cli_copy(json.text, json.size);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].type == type) valid = parse_range(text, ranges[i].least, ranges[i].most, &value);
    }
    free(text);
    if (!valid) return false;
    switch (type) {
    case NC_BYTE:
    case NC_CHAR:
    case NC_UBYTE: STORE(unsigned char); break;
    case NC_SHORT:
    case NC_USHORT: STORE(unsigned short); break;
    case NC_INT:
    case NC_UINT: STORE(unsigned int); break;
    default: STORE(unsigned long long); break;
    }
    return true;
}

/* ---- text */

/* Characters up to U+00FF back to bytes, in place. False where there are others. */
static bool narrow_latin1(char *text, size_t *size) {
    size_t used = 0;
    for (size_t i = 0; i < *size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0xc4) return false;
        if (c >= 0xc0 && i + 1 < *size) {
            text[used++] = (char)(c << 6 | ((unsigned char)text[++i] & 0x3f));
        } else {
            text[used++] = (char)c;
        }
    }
    text[used] = '\0';
    *size = used;
    return true;
}

/* Bytes of a JSON string, or NULL. Free with free(). */
static char *parse_text(cli_value value, bool is_latin1, size_t *size) {
    char *text = cli_value_string(value, size);
    if (text && is_latin1 && !narrow_latin1(text, size)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- attributes */

/* Eight bytes in base64 (RFC 4648), little-endian. */
static bool parse_base64(cli_value value, uint64_t *bits) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (value.size != 14 || value.text[0] != '"' || value.text[12] != '=') return false;
    unsigned char bytes[9] = {0};
    for (size_t i = 0; i < 11; i++) {
        const char *digit = value.text[1 + i] ? strchr(digits, value.text[1 + i]) : NULL;
        if (!digit) return false;
        const unsigned number = (unsigned)(digit - digits);
        const size_t bit = i * 6; /* the digit's first bit, from the front */
        bytes[bit / 8] |= (unsigned char)(bit % 8 <= 2 ? number << (2 - bit % 8) : number >> (bit % 8 - 2));
        if (bit % 8 > 2) bytes[bit / 8 + 1] |= (unsigned char)(number << (10 - bit % 8));
    }
    *bits = 0;
    for (int i = 0; i < 8; i++)
        *bits |= (uint64_t)bytes[i] << 8 * i;
    return bytes[8] == 0;
}

/* The float whose value the bits of a double stand for, NaN payloads included. False where there is none. */
static bool narrow_bits(uint64_t wide, uint64_t *out) {
    const uint64_t payload = wide & ((UINT64_C(1) << 52) - 1);
    double value;
    memcpy(&value, &wide, sizeof value);
    if (value != value) {
        *out = wide >> 63 << 31 | UINT64_C(0xff) << 23 | payload >> 29;
        return (payload & ((UINT64_C(1) << 29) - 1)) == 0 && payload >> 29 != 0;
    }
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    *out = bits;
    return (double)narrow == value;
}

static bool parse_base64_fill(nc_attribute *out, cli_value value) {
    uint64_t bits;
    if (!parse_base64(value, &bits)) return false;
    if (out->type->type == NC_FLOAT && !narrow_bits(bits, &bits)) return false;
    store_bits(out->data, out->type->size, bits);
    return true;
}

static bool parse_element(nc_attribute *out, size_t i, cli_value value, bool is_latin1) {
    char *element = (char *)out->data + i * out->type->size;
    if (out->type->type == NC_FLOAT || out->type->type == NC_DOUBLE) return parse_floating(value, out->type->size, element);
    if (out->type->type != NC_STRING) return parse_integer(value, out->type->type, element);
    size_t size = 0;
    char *text = parse_text(value, is_latin1, &size);
    ((char **)out->data)[i] = text;
    return text && strlen(text) == size; /* NetCDF strings end with their first NUL byte */
}

static size_t element_count(cli_value value) {
    if (!value.size || *value.text != '[') return 1;
    size_t count = 0;
    for (cli_value_iter iter = {0}; cli_value_next(value, &iter);)
        count++;
    return count;
}

static bool parse_elements(nc_attribute *out, cli_value value, bool is_latin1) {
    if (!value.size || *value.text != '[') return parse_element(out, 0, value, is_latin1);
    cli_value_iter iter = {0};
    bool valid = true;
    for (size_t i = 0; i < out->count && valid; i++)
        valid = cli_value_next(value, &iter) && parse_element(out, i, iter.value, is_latin1);
    return valid;
}

static bool start(nc_attribute *out, const char *name, const nc_type_facts *type) {
    *out = (nc_attribute){.type = type};
    if (!type || strlen(name) > NC_MAX_NAME) return false;
    memcpy(out->name, name, strlen(name) + 1);
    return true;
}

bool nc_attribute_parse(nc_attribute *out, const char *name, const char *type_name, nc_place place, cli_value value) {
    const size_t base_size = strcspn(type_name, ":");
    const bool is_latin1 = type_name[base_size] == ':';
    char *base = cli_copy(type_name, base_size);
    const nc_type_facts *type = nc_type_named(base);
    free(base);
    if (!start(out, name, type)) return false;
    const bool is_fill = strcmp(name, "_FillValue") == 0;
    const bool is_text = type->type == NC_CHAR && value.size && *value.text == '"';
    if (is_text) {
        out->data = parse_text(value, is_latin1, &out->count);
        return out->data != NULL;
    }
    if (type->type == NC_CHAR && !(is_fill && place == NC_ON_CHARS)) return false;
    out->count = element_count(value);
    out->data = cli_calloc(out->count, type->size);
    const bool is_base64 = is_fill && place == NC_ON_FLOATS && nc_place_of(type) == NC_ON_FLOATS;
    if (is_base64 && parse_base64_fill(out, value)) return true;
    if (parse_elements(out, value, is_latin1)) return true;
    nc_attribute_clear(out);
    return false;
}

/* Types that values without a recorded one may have, the first that fits. */
static const char *const inferred_types[] = {"int", "int64", "uint64", "double"};

static bool is_number(cli_value value) {
    return value.size && (*value.text == '-' || (*value.text >= '0' && *value.text <= '9'));
}

/* Does every element have the kind? A value that is no list is its own element. */
static bool all_are(cli_value value, bool (*is_kind)(cli_value)) {
    if (!value.size || *value.text != '[') return is_kind(value);
    size_t count = 0;
    for (cli_value_iter iter = {0}; cli_value_next(value, &iter); count++) {
        if (!is_kind(iter.value)) return false;
    }
    return count > 0;
}

static bool is_string(cli_value value) {
    return value.size && *value.text == '"';
}

bool nc_attribute_infer(nc_attribute *out, const char *name, cli_value value) {
    if (!start(out, name, nc_type_find(NC_CHAR))) return false;
    if (is_string(value)) return nc_attribute_parse(out, name, "char", NC_ON_OTHERS, value);
    if (all_are(value, is_string) && nc_attribute_parse(out, name, "string", NC_ON_OTHERS, value)) return true;
    for (size_t i = 0; all_are(value, is_number) && i < sizeof inferred_types / sizeof inferred_types[0]; i++) {
        if (nc_attribute_parse(out, name, inferred_types[i], NC_ON_OTHERS, value)) return true;
    }
    if (cli_value_is(value, "true") || cli_value_is(value, "false")) {
        const cli_value digit = {cli_value_is(value, "true") ? "1" : "0", 1};
        return nc_attribute_parse(out, name, "byte", NC_ON_OTHERS, digit);
    }
    (void)start(out, name, nc_type_find(NC_CHAR));
    out->data = cli_copy(value.text, value.size);
    out->count = value.size;
    return true;
}

bool nc_attribute_equals(const nc_attribute *a, const nc_attribute *b) {
    if (a->type != b->type || a->count != b->count) return false;
    if (a->type->type != NC_STRING) return a->count == 0 || memcmp(a->data, b->data, a->count * a->type->size) == 0;
    bool same = true;
    for (size_t i = 0; i < a->count; i++) {
        const char *left = ((char *const *)a->data)[i], *right = ((char *const *)b->data)[i];
        same = same && strcmp(left ? left : "", right ? right : "") == 0; /* NetCDF: a missing string is an empty one */
    }
    return same;
}
