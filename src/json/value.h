/* SPDX-License-Identifier: MIT */
/* How values are laid out; for the files of this folder only. */
#ifndef ZL_JSON_VALUE_H
#define ZL_JSON_VALUE_H

#include "json/json.h"

/* Text of strings and numbers is in a block of its own behind the source, NUL-terminated. Offsets are 32 bits wide: larger
 * documents are refused. */
struct zl_json {
    zl_json *parent;     /* NULL for the root */
    const zl_json *next; /* sibling */
    union {
        const zl_json *first; /* child of an array or object */
        const char *text;     /* of a string or number */
    };
    const char *key; /* of a member, otherwise NULL */
    uint32_t key_size;
    uint32_t size;   /* children, or bytes of text; 1 or 0 for a boolean */
    uint32_t start;  /* in the source */
    uint32_t length; /* in the source */
    uint8_t type;
    bool allow_nan; /* it and what is below it */
};

struct zl_json_doc {
    zl_json root; /* the first member: a root is its document */
    zl_arena *arena;
    zl_allocator allocator;
    const char *what; /* NULL = none */
    const char *source;
    size_t source_size;
};

const zl_json_doc *zl_json_doc_of(const zl_json *value);

static inline bool zl_json_is_container(const zl_json *value) {
    return value->type == ZL_JSON_ARRAY || value->type == ZL_JSON_OBJECT;
}

static inline bool zl_json_same_text(const char *a, size_t a_size, const char *b, size_t b_size) {
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

/* For messages: `the string "abc"`, `the number 1.5`, `an object`. */
#define ZL_JSON_DESCRIPTION 64
const char *zl_json_describe(const zl_json *value, char buffer[ZL_JSON_DESCRIPTION]);

/* Appends compact JSON text with `indent` spaces per level and line breaks. */
zl_status zl_json_layout(zl_sink *out, const char *text, size_t size, int32_t indent, zl_error *err);

#endif
