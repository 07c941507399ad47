/* SPDX-License-Identifier: MIT */
/*
 * A map from text to pointers in byte order of the keys: a skip list. Finding, adding and removing take about log2(n)
 * comparisons, and what follows a key is at hand, as listings need it. The caller locks.
 */
#ifndef ZL_STORE_SKIPLIST_H
#define ZL_STORE_SKIPLIST_H

#include "base/base.h"

#define ZL_SKIPLIST_LEVELS 24

typedef struct zl_skipnode zl_skipnode;
struct zl_skipnode {
    void *value;
    const char *key; /* lies behind the pointers */
    size_t size;     /* of the allocation */
    int levels;
    zl_skipnode *next[]; /* `levels` of them */
};

/* Starts from zero bytes. */
typedef struct zl_skiplist {
    zl_skipnode *first[ZL_SKIPLIST_LEVELS];
} zl_skiplist;

/* The first node whose key is `key` or behind it; NULL: none. */
zl_skipnode *zl_skiplist_seek(const zl_skiplist *list, const char *key);
/* The node of `key`, or NULL. */
zl_skipnode *zl_skiplist_find(const zl_skiplist *list, const char *key);
/* A node with a copy of `key` that is in no list; NULL: out of memory. Nodes need different numbers, such as 1, 2, 3. */
zl_skipnode *zl_skipnode_new(const char *key, uint64_t number, const zl_allocator *allocator);
void zl_skipnode_free(zl_skipnode *node, const zl_allocator *allocator); /* NULL is fine */
/* Takes a node whose key is not in the list. */
void zl_skiplist_insert(zl_skiplist *list, zl_skipnode *node);
/* The node, which must be in the list, is the caller's afterwards. */
void zl_skiplist_remove(zl_skiplist *list, zl_skipnode *node);

#endif
