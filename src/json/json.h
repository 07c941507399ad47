/* SPDX-License-Identifier: MIT */
/*
 * Strict RFC 8259 reader and writer. Parsed documents are immutable; numbers keep their exact text, members their order,
 * values their JSON pointer. Reading of values is in extend.h.
 */
#ifndef ZL_JSON_JSON_H
#define ZL_JSON_JSON_H

#include "base/base.h"

typedef struct zl_json_doc zl_json_doc;

/* Zero in a member is its default. */
typedef struct zl_json_options {
    int32_t max_depth;            /* [512] */
    uint64_t max_size;            /* bytes [256 MiB] */
    bool allow_nan;               /* NaN, Infinity, -Infinity as numbers anywhere: v2 documents */
    const char *const *nan_below; /* JSON pointers (of keys, NULL-terminated) at and below which they are allowed [none] */
    const char *what;             /* names the document in messages: "a/zarr.json" */
} zl_json_options;

/* Parses a copy of `text`; `options` may be NULL. Duplicate keys are kept (zl_json_unique refuses them). Returns new (free
 * with zl_json_doc_free). METADATA with line, column and offset; LIMIT; NO_MEMORY. Recursion depth does not follow input.
 */
zl_status zl_json_parse(zl_json_doc **out, const char *text, size_t size, const zl_json_options *options,
                        const zl_allocator *allocator, zl_error *err);
void zl_json_doc_free(zl_json_doc *doc); /* NULL is fine */
const zl_json *zl_json_root(const zl_json_doc *doc);
/* The text that was parsed. */
const char *zl_json_source(const zl_json_doc *doc, size_t *size);
/* The part of the source that a value was read from. */
zl_span zl_json_slice(const zl_json *value);
/* METADATA when an object has a key twice; `deep` checks all objects below as well. Linear or n log n. */
zl_status zl_json_unique(const zl_json *value, bool deep, zl_error *err);
/* The value itself, or where it is a string that holds a JSON number, a copy of it as that number. NULL: out of memory. */
const zl_json *zl_json_as_number(const zl_json *value, zl_arena *arena);
/* A copy of an object without its member `key` and with zl_json_as_number of the others. Paths in messages stay those of
 * the document, which the copy needs. NULL: out of memory. */
const zl_json *zl_json_without(const zl_json *object, const char *key, zl_arena *arena);
/* An integer member from `low` to `high`; `value` NULL: there is none, and *out stays as it is. METADATA. */
zl_status zl_json_to_within(const zl_json *value, int64_t low, int64_t high, int64_t *out, zl_error *err);
/* Same value: numbers by text, objects without regard to order. Keys are unique (zl_json_unique). */
bool zl_json_equal(const zl_json *a, const zl_json *b);

/* ---- writing: `indent` spaces per level, 0 = compact. Text grows in a sink of `allocator`. */
struct zl_json_writer {
    zl_sink sink;
    zl_error err;
    int32_t indent;
    int32_t depth;
    bool after_key;
    bool need_comma;
    bool is_array[600]; /* by depth; deeper is LIMIT */
};
void zl_json_writer_init(zl_json_writer *writer, const zl_allocator *allocator, int32_t indent);
/* Frees the text. */
void zl_json_writer_clear(zl_json_writer *writer);
/* The first failure, or OK when the document is complete. The text is then sink.data, NUL-terminated behind sink.size. */
zl_status zl_json_writer_finish(zl_json_writer *writer, zl_error *err);
/* The key of a parsed member, with NUL characters where it has some. */
void zl_json_write_key_of(zl_json_writer *writer, const zl_json *member);

/* ---- named configurations: "zstd", {"name": "zstd"}, {"name": "zstd", "configuration": {...}} */
typedef struct zl_named {
    const char *name;
    const zl_json *configuration; /* NULL when absent */
    bool optional;                /* must_understand is false */
} zl_named;
/* Reads one ("Extension definition", core 3.1). METADATA: other types, a missing name, members other than name,
 * configuration, must_understand; duplicate keys. `what` names it in messages: "codec". */
zl_status zl_json_to_named(const zl_json *value, const char *what, zl_named *out, zl_error *err);
/* Writes one, with the members of its configuration in between. */
void zl_json_begin_named(zl_json_writer *writer, const char *name);
void zl_json_end_named(zl_json_writer *writer);
/* Writes one whose configuration `emit` makes of `self`; NULL: it has none. */
typedef void (*zl_json_emit_fn)(const void *self, zl_json_writer *writer);
void zl_json_write_named(zl_json_writer *writer, const char *name, zl_json_emit_fn emit, const void *self);

#endif
