/* SPDX-License-Identifier: MIT */
/*
 * The reader: RFC 8259 and nothing else, https://www.rfc-editor.org/rfc/rfc8259, but for the literals NaN, Infinity and
 * -Infinity where the caller allows them.
 *
 * The tree under construction is its own stack: an open container knows its parent, and `link` is where the next sibling
 * belongs. The source is copied with a NUL byte behind it, so one byte ahead can always be looked at: NUL is no token.
 * Decoded text goes to a second area of the same size. It always fits: decoding makes strings no longer, the NUL behind
 * one takes the place of its quotes, and the NUL behind a number that of the delimiter (or of the source's own NUL).
 */
#include <stdio.h>

#include "json/value.h"

#define DEFAULT_DEPTH 512
#define DEFAULT_SIZE (256 * (uint64_t)ZL_MIB)

typedef struct parser {
    zl_json_doc *doc;
    const char *at;
    const char *end;
    char *out;            /* end of the decoded text */
    zl_json *open;        /* innermost open container */
    const zl_json **link; /* where the next child of it goes */
    const char *key;      /* of the member that comes next */
    size_t key_size;
    int32_t depth; /* open containers */
    int32_t max_depth;
    bool allow_nan;
    const char *const *nan_below; /* NULL = none */
    zl_error *err;
} parser;

/* ---- errors */

/* "a/zarr.json: line 3, column 7 (byte 60, in /codecs/0): " in front of the message. Columns count characters. */
static zl_status fail_at(parser *p, const char *at, zl_status status, const char *format, ...) ZL_PRINTF(4, 5);
static zl_status fail_at(parser *p, const char *at, zl_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    zl_vfail(p->err, status, format, args);
    va_end(args);
    size_t line = 1, column = 1;
    for (const char *c = p->doc->source; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else {
            column += ((unsigned char)*c & 0xc0) != 0x80;
        }
    }
    char path[160] = "";
    if (p->open != NULL) zl_json_path(p->open, path, sizeof path);
    const char *what = p->doc->what;
    return zl_error_wrap(p->err, status, "%s%sline %zu, column %zu (byte %zu%s%s): ", what != NULL ? what : "",
                         what != NULL ? ": " : "", line, column, (size_t)(at - p->doc->source),
                         path[0] != '\0' ? ", in " : "", path);
}

/* "expected ..., found 'x'" at the current place. */
static zl_status fail_expected(parser *p, const char *expected) {
    char found[24];
    const unsigned char c = (unsigned char)*p->at;
    if (p->at == p->end) {
        snprintf(found, sizeof found, "the end of the text");
    } else if (c > 0x20 && c < 0x7f) {
        snprintf(found, sizeof found, "'%c'", c);
    } else {
        snprintf(found, sizeof found, "byte 0x%02x", c);
    }
    return fail_at(p, p->at, ZL_ERR_METADATA, "expected %s, found %s", expected, found);
}

/* ---- values */

/* Is the key of `value` the token of a JSON pointer from `token` up to `end`? Elements have none: indexes never match. */
static bool is_token(const zl_json *value, const char *token, const char *end) {
    if (value->key == NULL) return false;
    const char *key = value->key, *key_end = key + value->key_size;
    for (; token < end; token++, key++) {
        const bool escaped = *token == '~' && token + 1 < end;
        const char wanted = !escaped ? *token : *++token == '1' ? '/' : '~';
        if (key == key_end || *key != wanted) return false;
    }
    return key == key_end;
}

/* Compared from the end: most values differ in the last token. */
static bool is_at(const zl_json *value, const char *pointer) {
    const char *end = pointer + strlen(pointer);
    for (; value->parent != NULL; value = value->parent) {
        const char *token = end;
        while (token > pointer && token[-1] != '/') {
            token--;
        }
        if (token == pointer || !is_token(value, token, end)) return false;
        end = token - 1;
    }
    return end == pointer;
}

static bool is_where_nan_begins(const parser *p, const zl_json *value) {
    for (const char *const *pointer = p->nan_below; pointer != NULL && *pointer != NULL; pointer++) {
        if (is_at(value, *pointer)) return true;
    }
    return false;
}

/* The value that starts at the current place, as the next child of what is open. NULL: out of memory. */
static zl_json *add_value(parser *p, zl_json_type type) {
    zl_json *value = &p->doc->root;
    if (p->open != NULL) {
        value = ZL_ARENA_NEW(p->doc->arena, zl_json);
        if (value == NULL) {
            zl_fail_memory(p->err, sizeof *value);
            return NULL;
        }
        *p->link = value;
        p->link = &value->next;
        p->open->size++;
    }
    value->parent = p->open;
    value->key = p->key;
    value->key_size = (uint32_t)p->key_size;
    value->type = (uint8_t)type;
    value->start = (uint32_t)(p->at - p->doc->source);
    value->allow_nan = p->allow_nan || (p->open != NULL && p->open->allow_nan) || is_where_nan_begins(p, value);
    p->key = NULL;
    p->key_size = 0;
    return value;
}

static void end_value(parser *p, zl_json *value) {
    value->length = (uint32_t)(p->at - p->doc->source) - value->start;
}

static bool is_word_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '+' || c == '-';
}

static zl_status read_literal(parser *p, const char *word, zl_json_type type, uint32_t size) {
    const size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0 || is_word_char(p->at[length])) return fail_expected(p, "a value");
    zl_json *value = add_value(p, type);
    if (value == NULL) return ZL_ERR_NO_MEMORY;
    value->size = size;
    p->at += length;
    end_value(p, value);
    return ZL_OK;
}

/* Length of NaN, Infinity or -Infinity at the current place; 0: none of them. */
static size_t scan_nan(const parser *p) {
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < ZL_COUNT_OF(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(p->at, words[i], length) == 0) return length;
    }
    return 0;
}

static zl_status read_number(parser *p) {
    const size_t nan_length = scan_nan(p);
    const size_t length = nan_length > 0 ? nan_length : zl_scan_number(p->at, (size_t)(p->end - p->at));
    if (length == 0 || is_word_char(p->at[length])) {
        return fail_at(p, p->at, ZL_ERR_METADATA, "malformed number");
    }
    zl_json *value = add_value(p, ZL_JSON_NUMBER);
    if (value == NULL) return ZL_ERR_NO_MEMORY;
    if (nan_length > 0 && !value->allow_nan) {
        return fail_at(p, p->at, ZL_ERR_METADATA, "%.*s is no JSON", (int)length, p->at);
    }
    memcpy(p->out, p->at, length);
    value->text = p->out;
    value->size = (uint32_t)length;
    p->out[length] = '\0';
    p->out += length + 1;
    p->at += length;
    end_value(p, value);
    return ZL_OK;
}

/* ---- strings */

/* The four hexadecimal digits at `text`, or -1. */
static int32_t read_hex4(const char *text) {
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static char *put_utf8(char *out, uint32_t code) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* Decodes "\uXXXX", or two of them that are one character; `p->at` is at the backslash. */
static zl_status read_unicode(parser *p) {
    const char *start = p->at;
    const int32_t unit = read_hex4(start + 2);
    if (unit < 0) return fail_at(p, start, ZL_ERR_METADATA, "\\u needs four hexadecimal digits");
    uint32_t code = (uint32_t)unit;
    p->at += 6;
    if (unit >= 0xd800 && unit <= 0xdbff && p->at[0] == '\\' && p->at[1] == 'u') {
        const int32_t low = read_hex4(p->at + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            code = 0x10000 + ((code - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
            p->at += 6;
        }
    }
    if (code >= 0xd800 && code <= 0xdfff) {
        return fail_at(p, start, ZL_ERR_METADATA, "\\u%04x is one half of a surrogate pair without the other",
                       (unsigned)code);
    }
    p->out = put_utf8(p->out, code);
    return ZL_OK;
}

static zl_status read_escape(parser *p) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char name = p->at[1];
    if (name == 'u') return read_unicode(p);
    const char *found = name != '\0' ? strchr(names, name) : NULL;
    if (found == NULL) return fail_at(p, p->at, ZL_ERR_METADATA, "unknown escape in a string");
    *p->out++ = values[found - names];
    p->at += 2;
    return ZL_OK;
}

static bool is_plain(char c) {
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

/* Decodes the string at the current place. The whole source is known to be UTF-8. */
static zl_status read_text(parser *p, const char **text, size_t *size) {
    char *start = p->out;
    const char *quote = p->at++;
    for (;;) {
        const char *run = p->at;
        while (is_plain(*p->at)) {
            p->at++;
        }
        memcpy(p->out, run, (size_t)(p->at - run));
        p->out += p->at - run;
        if (*p->at == '"') break;
        if (*p->at == '\\') {
            ZL_TRY(read_escape(p));
        } else if (p->at == p->end) {
            return fail_at(p, quote, ZL_ERR_METADATA, "the string that starts here has no end");
        } else {
            return fail_at(p, p->at, ZL_ERR_METADATA, "raw control character 0x%02x in a string",
                           (unsigned)(unsigned char)*p->at);
        }
    }
    p->at++;
    *text = start;
    *size = (size_t)(p->out - start);
    *p->out++ = '\0';
    return ZL_OK;
}

static zl_status read_string(parser *p) {
    zl_json *value = add_value(p, ZL_JSON_STRING);
    if (value == NULL) return ZL_ERR_NO_MEMORY;
    size_t size;
    ZL_TRY(read_text(p, &value->text, &size));
    value->size = (uint32_t)size;
    end_value(p, value);
    return ZL_OK;
}

/* ---- structure */

static void skip_space(parser *p) {
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t') {
        p->at++;
    }
}

static zl_status open_container(parser *p, zl_json_type type) {
    if (p->depth >= p->max_depth) {
        return fail_at(p, p->at, ZL_ERR_LIMIT, "values are nested deeper than the limit of %d", p->max_depth);
    }
    zl_json *value = add_value(p, type);
    if (value == NULL) return ZL_ERR_NO_MEMORY;
    p->at++;
    p->open = value;
    p->link = &value->first;
    p->depth++;
    return ZL_OK;
}

static void close_container(parser *p) {
    zl_json *closed = p->open;
    p->at++;
    end_value(p, closed);
    p->open = closed->parent;
    p->link = &closed->next;
    p->depth--;
}

/* Reads a scalar, or the opening bracket of a container. */
static zl_status read_value(parser *p) {
    skip_space(p);
    switch (*p->at) {
    case '{': return open_container(p, ZL_JSON_OBJECT);
    case '[': return open_container(p, ZL_JSON_ARRAY);
    case '"': return read_string(p);
    case 't': return read_literal(p, "true", ZL_JSON_BOOL, 1);
    case 'f': return read_literal(p, "false", ZL_JSON_BOOL, 0);
    case 'n': return read_literal(p, "null", ZL_JSON_NULL, 0);
    case '-':
    case 'N':
    case 'I': return read_number(p);
    default: return *p->at >= '0' && *p->at <= '9' ? read_number(p) : fail_expected(p, "a value");
    }
}

/* Reads the next element or member of the open container, or its end. */
static zl_status read_next(parser *p) {
    const bool object = p->open->type == ZL_JSON_OBJECT;
    skip_space(p);
    if (*p->at == (object ? '}' : ']')) {
        close_container(p);
        return ZL_OK;
    }
    if (p->open->size > 0) {
        if (*p->at != ',') return fail_expected(p, object ? "',' or '}'" : "',' or ']'");
        p->at++;
    }
    if (!object) return read_value(p);
    skip_space(p);
    if (*p->at != '"') return fail_expected(p, "a key in double quotes");
    ZL_TRY(read_text(p, &p->key, &p->key_size));
    skip_space(p);
    if (*p->at != ':') return fail_expected(p, "':'");
    p->at++;
    return read_value(p);
}

static zl_status check_encoding(parser *p) {
    const char *text = p->at;
    const size_t size = (size_t)(p->end - text);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        return fail_at(p, text, ZL_ERR_METADATA, "JSON text has no byte order mark");
    }
    if (size >= 2 &&
        (text[0] == '\0' || text[1] == '\0' || memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return fail_at(p, text, ZL_ERR_METADATA, "JSON text is UTF-8, this looks like UTF-16 or UTF-32");
    }
    const size_t valid = zl_utf8_check(text, size);
    if (valid < size) {
        return fail_at(p, text + valid, ZL_ERR_METADATA, "byte 0x%02x is no UTF-8 here",
                       (unsigned)(unsigned char)text[valid]);
    }
    return ZL_OK;
}

static zl_status read_document(parser *p) {
    ZL_TRY(check_encoding(p));
    ZL_TRY(read_value(p));
    while (p->open != NULL) {
        ZL_TRY(read_next(p));
    }
    skip_space(p);
    return p->at == p->end ? ZL_OK : fail_expected(p, "the end of the text");
}

/* ---- documents */

static zl_json_doc *make_doc(const char *text, size_t size, const char *what, const zl_allocator *allocator) {
    zl_arena *arena = zl_arena_new(allocator);
    if (arena == NULL) return NULL;
    zl_json_doc *doc = ZL_ARENA_NEW(arena, zl_json_doc);
    char *source = zl_arena_alloc(arena, 2 * size + 2, 1); /* size is below 2^32 - 1; see the caller */
    const char *name = what != NULL ? zl_arena_text(arena, what, strlen(what)) : NULL;
    if (doc == NULL || source == NULL || (what != NULL && name == NULL)) {
        zl_arena_free(arena);
        return NULL;
    }
    if (size > 0) memcpy(source, text, size);
    source[size] = '\0';
    doc->arena = arena;
    doc->allocator = *allocator;
    doc->what = name;
    doc->source = source;
    doc->source_size = size;
    return doc;
}

zl_status zl_json_parse(zl_json_doc **out, const char *text, size_t size, const zl_json_options *options,
                        const zl_allocator *allocator, zl_error *err) {
    const zl_json_options o = options != NULL ? *options : (zl_json_options){0};
    const uint64_t max_size = o.max_size != 0 ? o.max_size : DEFAULT_SIZE;
    const uint64_t most = SIZE_MAX / 2 < UINT32_MAX ? SIZE_MAX / 2 : UINT32_MAX; /* both of source and text, and offsets */
    if (size > max_size || size >= most) {
        return zl_fail(err, ZL_ERR_LIMIT, "%s%s%zu bytes of JSON are more than the limit of %llu",
                       o.what != NULL ? o.what : "", o.what != NULL ? ": " : "", size,
                       (unsigned long long)zl_min_u64(max_size, most - 1));
    }
    zl_json_doc *doc = make_doc(text, size, o.what, allocator);
    if (doc == NULL) return zl_fail_memory(err, 2 * (uint64_t)size);
    parser p = {.doc = doc,
                .at = doc->source,
                .end = doc->source + size,
                .out = (char *)doc->source + size + 1,
                .max_depth = o.max_depth > 0 ? o.max_depth : DEFAULT_DEPTH,
                .allow_nan = o.allow_nan,
                .nan_below = o.nan_below,
                .err = err};
    const zl_status status = read_document(&p);
    if (status != ZL_OK) {
        zl_json_doc_free(doc);
        return status;
    }
    *out = doc;
    return ZL_OK;
}

void zl_json_doc_free(zl_json_doc *doc) {
    if (doc != NULL) zl_arena_free(doc->arena);
}
