/* SPDX-License-Identifier: MIT */
/*
 * Consolidated metadata: in the document of a group, copies of the documents of all nodes below it.
 *
 * In v2 the group has a document for that alone, .zmetadata, whose keys are those of the copied documents, relative to the
 * group: https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata/. In v3 it is a member of the group's
 * zarr.json that writers of Zarr agree on, with paths as keys: https://github.com/zarr-developers/zarr-specs/pull/309. A
 * copy of a group does not hold copies itself.
 */
#ifndef ZL_META_CONSOLIDATED_H
#define ZL_META_CONSOLIDATED_H

#include "json/json.h"

/* The copies in a document (the root of a .zmetadata, or of a group's zarr.json), an object; NULL: it has none. */
const zl_json *zl_consolidated_copies(const zl_json *root, int32_t zarr_format);

/* Calls for each node below the group that the copies know, with its path from the group (not NUL-terminated, not checked).
 * ZL_NODE_NONE: its copy cannot be understood. */
typedef zl_status (*zl_consolidated_node_fn)(void *user, const char *path, size_t size, zl_node_kind kind, zl_error *err);
zl_status zl_consolidated_nodes(const zl_json *copies, int32_t zarr_format, zl_consolidated_node_fn each, void *user,
                                zl_error *err);

/* Writes a member of the copies. */
void zl_consolidated_write_copy(zl_json_writer *writer, const char *key, const zl_json *document);

/* A change of the copies: one is set (a new one beside its siblings), or those at and below a path are removed. */
typedef struct zl_consolidated_edit {
    const char *key;         /* of the copy that is set; NULL: none */
    const zl_json *document; /* its new value; NULL: it is removed */
    const char *removed;     /* path of a node; NULL: none */
} zl_consolidated_edit;
/* Writes the whole document with a change; all else comes back out as it was. */
void zl_consolidated_rewrite(zl_json_writer *writer, const zl_json *root, int32_t zarr_format,
                             const zl_consolidated_edit *edit);
/* Writes the whole document with other copies (`copies`, an object). `root` NULL: a new .zmetadata. */
void zl_consolidated_replace(zl_json_writer *writer, const zl_json *root, int32_t zarr_format, const zl_json *copies);

/* Calls for each copy that is not in both or not equal in both; keys are in byte order. `old` NULL: a copy is missing,
 * `now` NULL: it is of something that is gone. METADATA: a key is there twice. */
typedef bool (*zl_consolidated_fn)(void *user, const char *key, const zl_json *old, const zl_json *now);
zl_status zl_consolidated_compare(const zl_json *old, const zl_json *now, const zl_allocator *allocator,
                                  zl_consolidated_fn each, void *user, zl_error *err);

#endif
