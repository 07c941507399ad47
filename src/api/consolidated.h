/* SPDX-License-Identifier: MIT */
/* Consolidated metadata follows every change that zarrlite makes. */
#ifndef ZL_API_CONSOLIDATED_H
#define ZL_API_CONSOLIDATED_H

#include "store/store.h"

/* The document `name` ("zarr.json", ".zattrs", ...) of the node at `path` has a new text, or is gone (`text` NULL): its
 * copies in groups at and above the path, where these have any, become the same. */
zl_status zl_consolidated_follow(zl_store *store, const char *path, const char *name, const char *text, size_t size,
                                 zl_error *err);
/* The node at `path` is gone with everything below it. */
zl_status zl_consolidated_forget(zl_store *store, const char *path, zl_error *err);

/* zl_node_list by the copies that the group at `path` has. `*listed` false: it has none, or they are seen to be out of
 * date. */
zl_status zl_copies_list(zl_store *store, const char *path, bool recursive, zl_node_fn each, void *user, bool *listed,
                         zl_error *err);

#endif
