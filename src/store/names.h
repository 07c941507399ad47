/* SPDX-License-Identifier: MIT */
/* The keys of a skip list as a hierarchy: what stands below a prefix. */
#ifndef ZL_STORE_NAMES_H
#define ZL_STORE_NAMES_H

#include "base/thread.h"
#include "store/skiplist.h"

/* Text "prefix/", or "" for the root, as the bytes of a sink; its size is without the NUL byte behind. */
zl_status zl_names_prefix(zl_sink *text, const char *prefix, zl_error *err);
/* The first node at or behind `from` that has the first `base` bytes of it, or NULL. The caller locks. */
zl_skipnode *zl_names_seek(const zl_skiplist *list, const char *from, size_t base);
/* The `list` of a store whose keys are those of `list`, which `mutex` guards. The callback may use the store. */
zl_status zl_names_list(const zl_skiplist *list, zl_mutex *mutex, const char *prefix, zl_list_fn each, void *user,
                        const zl_store_call *call);

#endif
