/* SPDX-License-Identifier: MIT */
#include "store/skiplist.h"

zl_skipnode *zl_skiplist_seek(const zl_skiplist *list, const char *key) {
    zl_skipnode *const *next = list->first;
    for (int level = ZL_SKIPLIST_LEVELS - 1; level >= 0; level--) {
        while (next[level] != NULL && strcmp(next[level]->key, key) < 0)
            next = next[level]->next;
    }
    return next[0];
}

zl_skipnode *zl_skiplist_find(const zl_skiplist *list, const char *key) {
    zl_skipnode *node = zl_skiplist_seek(list, key);
    return node != NULL && strcmp(node->key, key) == 0 ? node : NULL;
}

/* A quarter of the nodes has a second level, a quarter of those a third, ... The bits are those of a number that nobody
 * outside chooses, so no set of keys makes the list slow. */
static int draw_levels(uint64_t number) {
    uint64_t bits = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    bits ^= bits >> 32;
    int levels = 1;
    for (; (bits & 3) == 3 && levels < ZL_SKIPLIST_LEVELS; bits >>= 2)
        levels++;
    return levels;
}

zl_skipnode *zl_skipnode_new(const char *key, uint64_t number, const zl_allocator *allocator) {
    const int levels = draw_levels(number);
    const size_t key_size = strlen(key) + 1;
    const size_t head_size = sizeof(zl_skipnode) + (size_t)levels * sizeof(zl_skipnode *);
    zl_skipnode *node = zl_alloc_zero(allocator, head_size + key_size, _Alignof(zl_skipnode));
    if (node == NULL) return NULL;
    node->key = memcpy((char *)node + head_size, key, key_size);
    node->size = head_size + key_size;
    node->levels = levels;
    return node;
}

void zl_skipnode_free(zl_skipnode *node, const zl_allocator *allocator) {
    if (node != NULL) zl_free(allocator, node, node->size);
}

/* Per level the link that leads to the first node at or behind `key`. */
static void find_links(zl_skiplist *list, const char *key, zl_skipnode **links[ZL_SKIPLIST_LEVELS]) {
    zl_skipnode **next = list->first;
    for (int level = ZL_SKIPLIST_LEVELS - 1; level >= 0; level--) {
        while (next[level] != NULL && strcmp(next[level]->key, key) < 0)
            next = next[level]->next;
        links[level] = &next[level];
    }
}

void zl_skiplist_insert(zl_skiplist *list, zl_skipnode *node) {
    zl_skipnode **links[ZL_SKIPLIST_LEVELS];
    find_links(list, node->key, links);
    for (int level = 0; level < node->levels; level++) {
        node->next[level] = *links[level];
        *links[level] = node;
    }
}

void zl_skiplist_remove(zl_skiplist *list, zl_skipnode *node) {
    zl_skipnode **links[ZL_SKIPLIST_LEVELS];
    find_links(list, node->key, links);
    for (int level = 0; level < node->levels; level++)
        *links[level] = node->next[level];
}
