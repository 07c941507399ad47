/* SPDX-License-Identifier: MIT */
/* What a metadata document says, for both versions of the format. */
#ifndef ZL_META_METADATA_H
#define ZL_META_METADATA_H

#include "codec/chain.h"
#include "dtype/dtype.h"
#include "grid/grid.h"
#include "key/key.h"

typedef struct zl_metadata {
    zl_arena *arena;             /* holds this struct's parts and everything parse and resolve make */
    zl_json_doc *doc;            /* verbatim */
    zl_json_doc *attributes_doc; /* of v2, which has attributes in a document of their own; NULL: there is none */
    const zl_json *root;
    const zl_json *attributes; /* object, or NULL when absent */
    zl_node_kind kind;         /* ZL_NODE_GROUP or ZL_NODE_ARRAY */
    int32_t zarr_format;
    /* arrays only */
    zl_shape shape;
    const zl_dtype *dtype;
    const void *fill; /* dtype->size bytes, aligned */
    const zl_grid_class *grid;
    const void *grid_self;
    const zl_key_class *key;
    const void *key_self;
    const zl_chain *chain;
    const char *const *dimension_names; /* rank entries, each may be NULL; NULL when there are none */
    bool creating;                      /* the node is made now; see zl_env */
} zl_metadata;

/* `env` gives limits, registry, warnings; its arena is set inside. `what` names the document in messages ("a/zarr.json").
 * METADATA, UNSUPPORTED, LIMIT, NO_MEMORY. Returns new (free with zl_metadata_free). */
zl_status zl_metadata_parse_v3(zl_metadata **out, const char *text, size_t size, const char *what, const zl_env *env,
                               const zl_allocator *allocator, zl_error *err);
/* A .zarray (`kind` array) or a .zgroup, and the .zattrs beside it (NULL: there is none). Otherwise as for v3. */
typedef struct zl_document_text {
    const char *text;
    size_t size;
    const char *what; /* names it in messages */
} zl_document_text;
zl_status zl_metadata_parse_v2(zl_metadata **out, zl_node_kind kind, const zl_document_text *node,
                               const zl_document_text *attributes, const zl_env *env, const zl_allocator *allocator,
                               zl_error *err);
/* The attribute of v2 arrays that holds dimension names. */
#define ZL_V2_DIMENSIONS "_ARRAY_DIMENSIONS"
/* LIMIT unless everything that counts elements or bytes of the whole array can use int64_t. For the parsers. */
zl_status zl_metadata_check_size(const zl_metadata *metadata, zl_error *err);
void zl_metadata_free(zl_metadata *metadata, const zl_allocator *allocator); /* NULL is fine */

/* ---- documents that zarrlite makes: the text is in `writer`, which the caller has initialised, and is finished */

/* The document of a new array or group. Errors in options are INVALID_ARGUMENT and name the option. */
zl_status zl_metadata_emit_array_v3(const zl_array_options *options, const zl_env *env, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_error *err);
zl_status zl_metadata_emit_group_v3(const char *attributes_json, const zl_limits *limits, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_error *err);
/* The same for v2. `attributes` becomes the .zattrs; where it stays empty, there is none. */
zl_status zl_metadata_emit_array_v2(const zl_array_options *options, const zl_env *env, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_json_writer *attributes, zl_error *err);
zl_status zl_metadata_emit_group_v2(const char *attributes_json, const zl_limits *limits, const zl_allocator *allocator,
                                    zl_json_writer *writer, zl_json_writer *attributes, zl_error *err);
/* The zarr.json for a node of v2, with the same chunks. UNSUPPORTED: that cannot be said in v3. */
zl_status zl_metadata_migrate_v2(const zl_metadata *metadata, zl_json_writer *writer, zl_error *err);
/* A document with other attributes (NULL = unchanged; they are another document in v2) or another shape (NULL = unchanged),
 * to which a chunk grid with an end grows. All else verbatim. */
zl_status zl_metadata_rewrite(const zl_json *root, const zl_json *attributes, const int64_t *shape, int32_t rank,
                              zl_json_writer *writer, zl_error *err);

/* ---- JSON texts that a caller passed: strict, without duplicate keys; `what` names the option in messages */
zl_status zl_option_parse(zl_json_doc **out, const char *text, const char *what, const zl_limits *limits,
                          const zl_allocator *allocator, zl_error *err);
/* METADATA becomes INVALID_ARGUMENT: what is wrong with an option is the caller's mistake, not a document's. */
zl_status zl_option_status(zl_status status, zl_error *err);

#endif
