/* SPDX-License-Identifier: MIT */
/*
 * Arenas: allocation is a step of a pointer, everything is freed at once. Blocks double up to 64 KiB; what is large gets
 * a block of its own, so that the room left in the current one is not given up.
 */
#include "base/base.h"

#define FIRST_BLOCK ZL_KIB
#define LAST_BLOCK (64 * ZL_KIB)

typedef struct block {
    struct block *next;
    size_t size; /* this head included */
} block;

struct zl_arena {
    zl_allocator allocator;
    block *blocks;
    char *free; /* room in the current block */
    char *end;
    size_t block_size; /* of the next block */
};

zl_arena *zl_arena_new(const zl_allocator *allocator) {
    zl_arena *arena = ZL_NEW(allocator, zl_arena);
    if (arena == NULL) return NULL;
    arena->allocator = *allocator;
    arena->block_size = FIRST_BLOCK;
    return arena;
}

void zl_arena_free(zl_arena *arena) {
    if (arena == NULL) return;
    for (block *next, *it = arena->blocks; it != NULL; it = next) {
        next = it->next;
        zl_free(&arena->allocator, it, it->size);
    }
    const zl_allocator allocator = arena->allocator;
    ZL_DELETE(&allocator, arena);
}

static block *add_block(zl_arena *arena, size_t size) {
    block *added = zl_alloc(&arena->allocator, size, _Alignof(max_align_t));
    if (added == NULL) return NULL;
    *added = (block){arena->blocks, size};
    arena->blocks = added;
    return added;
}

static char *align_up(char *ptr, size_t align) {
    return ptr + (-(uintptr_t)ptr & (align - 1));
}

void *zl_arena_alloc(zl_arena *arena, size_t size, size_t align) {
    if (arena->free != NULL) {
        const size_t room = (size_t)(arena->end - arena->free);
        const size_t gap = -(uintptr_t)arena->free & (align - 1);
        if (gap <= room && size <= room - gap) {
            char *ptr = arena->free + gap;
            arena->free = ptr + size;
            return ptr;
        }
    }
    size_t need; /* worst case: the block's memory is a byte past the alignment */
    if (!zl_add_size(size, sizeof(block) + align, &need)) return NULL;
    if (need > arena->block_size / 4) {
        block *own = add_block(arena, need);
        return own != NULL ? align_up((char *)(own + 1), align) : NULL;
    }
    block *current = add_block(arena, arena->block_size);
    if (current == NULL) return NULL;
    if (arena->block_size < LAST_BLOCK) arena->block_size *= 2;
    char *ptr = align_up((char *)(current + 1), align);
    arena->free = ptr + size;
    arena->end = (char *)current + current->size;
    return ptr;
}

void *zl_arena_zero(zl_arena *arena, size_t size, size_t align) {
    void *ptr = zl_arena_alloc(arena, size, align);
    if (ptr != NULL) memset(ptr, 0, size);
    return ptr;
}

char *zl_arena_text(zl_arena *arena, const char *text, size_t size) {
    if (size == SIZE_MAX) return NULL;
    char *copy = zl_arena_alloc(arena, size + 1, 1);
    if (copy == NULL) return NULL;
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}
