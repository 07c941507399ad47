/* SPDX-License-Identifier: MIT */
/* Nodes of a store: what is at a path, reading and writing its metadata, making room for new nodes. Paths are checked
 * copies (zl_path_copy). */
#ifndef ZL_API_NODE_H
#define ZL_API_NODE_H

#include "meta/metadata.h"
#include "store/store.h"

typedef struct zl_node {
    zl_node_kind kind;
    int32_t zarr_format;
} zl_node;

/* What metadata at the path itself says: never ZL_NODE_IMPLICIT_GROUP. METADATA when it cannot be understood. */
zl_status zl_node_read_kind(zl_store *store, const char *path, zl_node *out, zl_error *err);
/* The same, and implicit groups: looks for nodes below. */
zl_status zl_node_find(zl_store *store, const char *path, zl_node *out, zl_error *err);
/* Is there a node at or below `path`? Looks at prefixes until it meets one. */
zl_status zl_node_has_nodes_below(zl_store *store, const char *path, bool *out, zl_error *err);
/* Is there an array at a path above? */
zl_status zl_node_is_below_array(zl_store *store, const char *path, bool *out, zl_error *err);

/* A document of a node, by the name of its key: the key (free with zl_text_free) and bytes (free with zl_bytes_release).
 * NOT_FOUND without message; `key` is set then as well. */
typedef struct zl_document {
    char *key;
    zl_bytes bytes;
    zl_object_info info;
} zl_document;
zl_status zl_document_read(zl_document *out, zl_store *store, const char *path, const char *name, zl_error *err);
void zl_document_clear(zl_document *document, const zl_store *store);
/* Replaces a document. `only_if` NULL: whatever is there; otherwise where the store offers conditions, CONFLICT unless that
 * generation is there. */
zl_status zl_document_store(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                            const zl_generation *only_if, zl_error *err);
/* The same, and lets consolidated metadata follow: for all documents that may have copies. */
zl_status zl_document_write(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                            const zl_generation *only_if, zl_error *err);
/* Removes a document, and its copies; none there is OK. */
zl_status zl_document_erase(zl_store *store, const char *path, const char *name, zl_error *err);

/* All that is stored about the node at a path, of v3 or else of v2, understood. NOT_FOUND without message: no node. Returns
 * new (free with zl_metadata_free). */
zl_status zl_node_load(zl_metadata **out, zl_store *store, const char *path, zl_error *err);
/* NOT_FOUND, with the message that no node of that kind is there. */
zl_status zl_node_missing(const char *path, zl_node_kind kind, zl_error *err);

/* READ_ONLY for stores that cannot be written at all. */
zl_status zl_node_check_writable(const zl_store *store, zl_error *err);
/* Calls `each` as zl_node_list does, for what is stored, not for what consolidated metadata tells. */
zl_status zl_node_list_stored(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user,
                              zl_error *err);
/* Removes a node and everything below it, but no copies of it. Nothing there is OK. */
zl_status zl_node_erase(zl_store *store, const char *path, zl_error *err);
/* The format that a new node asks for, 0 being 3. INVALID_ARGUMENT. */
zl_status zl_create_read_format(int32_t given, int32_t *out, zl_error *err);
typedef struct zl_new_node {
    zl_node_kind kind;
    int32_t zarr_format;
    zl_create_mode mode;
    zl_span document;   /* zarr.json, .zarray or .zgroup */
    zl_span attributes; /* .zattrs; empty: none */
} zl_new_node;
/* Understands the documents of a new node, which messages name `what`. Returns new (free with zl_metadata_free). */
zl_status zl_new_node_parse(zl_metadata **out, zl_store *store, const zl_new_node *node, const char *what, zl_error *err);
/* Stores the documents of a new node, behind those of groups above it that are missing. After a failure nothing new is
 * there. EXISTS, INVALID_ARGUMENT (below an array or a group of the other version), READ_ONLY, IO. */
zl_status zl_node_create(zl_store *store, const char *path, const zl_new_node *node, zl_error *err);

#endif
