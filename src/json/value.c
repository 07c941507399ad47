/* SPDX-License-Identifier: MIT */
/* Access to the values of a document, their place in it, and messages about them. */
#include "json/value.h"

#include <stdio.h>

/* ---- documents */

const zl_json *zl_json_root(const zl_json_doc *doc) {
    return &doc->root;
}

const char *zl_json_source(const zl_json_doc *doc, size_t *size) {
    if (size != NULL) *size = doc->source_size;
    return doc->source;
}

const zl_json_doc *zl_json_doc_of(const zl_json *value) {
    while (value->parent != NULL) {
        value = value->parent;
    }
    return (const zl_json_doc *)value;
}

zl_span zl_json_slice(const zl_json *value) {
    const zl_json_doc *doc = zl_json_doc_of(value);
    return (zl_span){(const uint8_t *)doc->source + value->start, value->length};
}

/* ---- values */

zl_json_type zl_json_get_type(const zl_json *value) {
    return value != NULL ? (zl_json_type)value->type : ZL_JSON_NULL;
}

size_t zl_json_count(const zl_json *value) {
    return value != NULL && zl_json_is_container(value) ? value->size : 0;
}

const zl_json *zl_json_first(const zl_json *value) {
    return value != NULL && zl_json_is_container(value) ? value->first : NULL;
}

const zl_json *zl_json_next(const zl_json *value) {
    return value->next;
}

const zl_json *zl_json_member(const zl_json *value, const char *key) {
    if (zl_json_get_type(value) != ZL_JSON_OBJECT) return NULL;
    const size_t size = strlen(key);
    for (const zl_json *it = value->first; it != NULL; it = it->next) {
        if (zl_json_same_text(it->key, it->key_size, key, size)) return it;
    }
    return NULL;
}

const char *zl_json_key(const zl_json *value, size_t *size) {
    if (value == NULL || value->key == NULL) return NULL;
    if (size != NULL) *size = value->key_size;
    return value->key;
}

const char *zl_json_text(const zl_json *value, size_t *size) {
    const zl_json_type type = zl_json_get_type(value);
    if (type != ZL_JSON_STRING && type != ZL_JSON_NUMBER) return NULL;
    if (size != NULL) *size = value->size;
    return value->text;
}

bool zl_json_is(const zl_json *value, const char *text) {
    return zl_json_get_type(value) == ZL_JSON_STRING && zl_json_same_text(value->text, value->size, text, strlen(text));
}

/* ---- paths: RFC 6901 */

typedef struct path_text {
    char *data;
    size_t size;
    size_t cap;
} path_text;

static void put(path_text *path, char c) {
    if (path->size < path->cap) path->data[path->size++] = c;
}

static void put_token(path_text *path, const zl_json *value) {
    put(path, '/');
    if (value->key == NULL) {
        size_t index = 0;
        /* by place: the value may be a copy (zl_json_without) */
        for (const zl_json *it = value->parent->first; it != NULL && it->start < value->start; it = it->next) {
            index++;
        }
        char digits[24];
        snprintf(digits, sizeof digits, "%zu", index);
        for (const char *c = digits; *c != '\0'; c++) {
            put(path, *c);
        }
        return;
    }
    for (uint32_t i = 0; i < value->key_size && path->size < path->cap; i++) {
        const char c = value->key[i];
        if (c == '~' || c == '/') {
            put(path, '~');
            put(path, c == '~' ? '0' : '1');
        } else {
            put(path, c != '\0' ? c : '?'); /* the path is NUL-terminated */
        }
    }
}

/* Walks up again for each level; every level fills the buffer by a byte at least, which bounds that. */
const char *zl_json_path(const zl_json *value, char *buffer, size_t cap) {
    path_text path = {buffer, 0, cap - 1};
    size_t depth = 0;
    for (const zl_json *it = value; it->parent != NULL; it = it->parent) {
        depth++;
    }
    for (size_t level = 1; level <= depth && path.size < path.cap; level++) {
        const zl_json *it = value;
        for (size_t i = level; i < depth; i++) {
            it = it->parent;
        }
        put_token(&path, it);
    }
    buffer[zl_utf8_cut(buffer, path.size)] = '\0';
    return buffer;
}

/* ---- messages */

zl_status zl_json_fail(const zl_json *value, zl_error *err, zl_status status, const char *format, ...) {
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    zl_vfail(err, status, format, args);
    va_end(args);
    if (value == NULL) return status;
    char path[200];
    zl_json_path(value, path, sizeof path);
    const char *what = zl_json_doc_of(value)->what;
    return zl_error_wrap(err, status, "%s%s%s%s", what != NULL ? what : "", what != NULL ? ": " : "", path,
                         path[0] != '\0' ? ": " : "");
}

const char *zl_json_describe(const zl_json *value, char buffer[ZL_JSON_DESCRIPTION]) {
    const zl_json_type type = zl_json_get_type(value);
    if (type == ZL_JSON_ARRAY) return "an array";
    if (type == ZL_JSON_OBJECT) return "an object";
    const zl_span slice = zl_json_slice(value);
    const size_t most = 40;
    const size_t shown = slice.size <= most ? slice.size : zl_utf8_cut((const char *)slice.data, most);
    snprintf(buffer, ZL_JSON_DESCRIPTION, "%s%.*s%s",
             type == ZL_JSON_STRING   ? "the string "
             : type == ZL_JSON_NUMBER ? "the number "
                                      : "",
             (int)shown, (const char *)slice.data, shown < slice.size ? "..." : "");
    return buffer;
}
