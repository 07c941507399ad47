/* SPDX-License-Identifier: MIT */
/* One level of a store's keys, read as a whole: a store may not be called while it lists. */
#ifndef ZL_API_LISTING_H
#define ZL_API_LISTING_H

#include "store/store.h"

typedef struct zl_name {
    struct zl_name *next;
    bool is_prefix;
    char text[];
} zl_name;

typedef struct zl_listing {
    zl_arena *arena;
    zl_name *first; /* in no particular order */
    bool out_of_memory;
} zl_listing;

/* Nothing below `prefix` is an empty listing. IO, NO_MEMORY. Initialises `out`, which is cleared even after a failure. */
zl_status zl_listing_read(zl_listing *out, zl_store *store, const char *prefix, zl_error *err);
/* Prefixes whose name a node cannot have, and what macOS leaves in archives ("._name"), are no members. */
bool zl_name_may_be_node(const zl_name *name);
void zl_listing_clear(zl_listing *listing);

#endif
