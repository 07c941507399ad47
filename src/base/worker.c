/* SPDX-License-Identifier: MIT */
/*
 * A worker's memory: two stacks of blocks and a list of objects. One stack is scratch, given back to a mark after each
 * callback; the other holds elements of variable length until the job ends.
 */
#include "base/worker.h"

#define BLOCK_ALIGN ((size_t)64)
#define FIRST_BLOCK (64 * ZL_KIB)

typedef struct block {
    char *data;
    size_t size;
} block;

/* Blocks beyond `top.block` are empty and kept for reuse. */
typedef struct block_stack {
    block *blocks;
    size_t count;
    zl_worker_mark top;
} block_stack;

typedef struct held_object {
    struct held_object *next;
    const void *tag;
    void *value;
    void (*destroy)(void *);
} held_object;

struct zl_worker {
    zl_allocator allocator;
    block_stack scratch;
    block_stack job;
    held_object *objects;
};

/* ---- stacks */

/* Makes the block at `index`, which is empty or the next new one, hold at least `need` bytes. */
static bool provide_block(zl_worker *worker, block_stack *stack, size_t index, size_t need) {
    if (index < stack->count && stack->blocks[index].size >= need) return true;
    if (index == stack->count) {
        block *blocks = zl_resize(&worker->allocator, stack->blocks, stack->count * sizeof(block),
                                  (stack->count + 1) * sizeof(block), _Alignof(block));
        if (blocks == NULL) return false;
        stack->blocks = blocks;
        stack->blocks[stack->count++] = (block){NULL, 0};
    }
    block *target = &stack->blocks[index];
    zl_free(&worker->allocator, target->data, target->size);
    *target = (block){NULL, 0};
    const size_t size = need < FIRST_BLOCK ? FIRST_BLOCK : need;
    target->data = zl_alloc(&worker->allocator, size, BLOCK_ALIGN);
    if (target->data == NULL) return false;
    target->size = size;
    return true;
}

static void *stack_alloc(zl_worker *worker, block_stack *stack, size_t size, size_t align) {
    zl_worker_mark *top = &stack->top;
    if (size == 0) size = 1; /* a block that could not be allocated has no address to give */
    if (top->block < stack->count) {
        const block *current = &stack->blocks[top->block];
        const size_t gap = -((uintptr_t)current->data + top->used) & (align - 1);
        const size_t room = current->size - top->used;
        if (gap <= room && size <= room - gap) {
            char *ptr = current->data + top->used + gap;
            top->used += gap + size;
            return ptr;
        }
    }
    size_t need = size;
    if (align > BLOCK_ALIGN && !zl_add_size(size, align, &need)) return NULL;
    const size_t index = top->used == 0 ? top->block : top->block + 1;
    if (!provide_block(worker, stack, index, need)) return NULL;
    const block *current = &stack->blocks[index];
    const size_t gap = -(uintptr_t)current->data & (align - 1);
    *top = (zl_worker_mark){index, gap + size};
    return current->data + gap;
}

/* Frees the blocks after the first ones that hold up to `keep` bytes together. */
static void stack_trim(zl_worker *worker, block_stack *stack, size_t keep) {
    size_t kept = 0;
    while (kept < stack->count && stack->blocks[kept].data != NULL && stack->blocks[kept].size <= keep) {
        keep -= stack->blocks[kept++].size;
    }
    for (size_t i = kept; i < stack->count; i++) {
        zl_free(&worker->allocator, stack->blocks[i].data, stack->blocks[i].size);
        stack->blocks[i] = (block){NULL, 0};
    }
    if (kept > 0) return;
    zl_free(&worker->allocator, stack->blocks, stack->count * sizeof(block));
    *stack = (block_stack){0};
}

/* ---- workers */

zl_worker *zl_worker_new(const zl_allocator *allocator) {
    zl_worker *worker = ZL_NEW(allocator, zl_worker);
    if (worker != NULL) worker->allocator = *allocator;
    return worker;
}

void zl_worker_free(zl_worker *worker) {
    if (worker == NULL) return;
    stack_trim(worker, &worker->scratch, 0);
    stack_trim(worker, &worker->job, 0);
    for (held_object *next, *it = worker->objects; it != NULL; it = next) {
        next = it->next;
        if (it->destroy != NULL) it->destroy(it->value);
        ZL_DELETE(&worker->allocator, it);
    }
    const zl_allocator allocator = worker->allocator;
    ZL_DELETE(&allocator, worker);
}

zl_worker_mark zl_worker_get_mark(const zl_worker *worker) {
    return worker->scratch.top;
}

void zl_worker_reset(zl_worker *worker, zl_worker_mark mark) {
    worker->scratch.top = mark;
}

void *zl_worker_alloc(zl_worker *worker, size_t size, size_t align) {
    return stack_alloc(worker, &worker->scratch, size, align);
}

void *zl_worker_job_alloc(zl_worker *worker, size_t size, size_t align) {
    return stack_alloc(worker, &worker->job, size, align);
}

void zl_worker_end_job(zl_worker *worker) {
    worker->job.top = (zl_worker_mark){0, 0};
}

void zl_worker_trim(zl_worker *worker, size_t keep) {
    stack_trim(worker, &worker->scratch, keep);
    stack_trim(worker, &worker->job, keep);
}

void *zl_worker_object(zl_worker *worker, const void *tag, void *(*create)(void), void (*destroy)(void *)) {
    for (held_object *it = worker->objects; it != NULL; it = it->next) {
        if (it->tag == tag) return it->value;
    }
    held_object *added = ZL_NEW(&worker->allocator, held_object);
    if (added == NULL) return NULL;
    void *value = create();
    if (value == NULL) {
        ZL_DELETE(&worker->allocator, added);
        return NULL;
    }
    *added = (held_object){worker->objects, tag, value, destroy};
    worker->objects = added;
    return value;
}

/* ---- what codecs see of it */

void *zl_call_scratch(const zl_call *call, size_t size, size_t align) {
    return zl_worker_alloc(call->worker, size, align);
}

void *zl_call_object(const zl_call *call, const void *tag, void *(*create)(void), void (*destroy)(void *)) {
    return zl_worker_object(call->worker, tag, create, destroy);
}

void *zl_call_result_alloc(const zl_call *call, size_t size) {
    if (call->result != NULL) return zl_result_alloc(call->result, size);
    return zl_worker_job_alloc(call->worker, size, _Alignof(max_align_t));
}
