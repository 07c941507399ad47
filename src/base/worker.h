/* SPDX-License-Identifier: MIT */
/*
 * What one working thread keeps between jobs: scratch memory that is reused, and objects such as decompression contexts.
 * A worker is used by one thread at a time.
 */
#ifndef ZL_BASE_WORKER_H
#define ZL_BASE_WORKER_H

#include "base/base.h"

zl_worker *zl_worker_new(const zl_allocator *allocator);
void zl_worker_free(zl_worker *worker); /* NULL is fine */

/* Scratch is a stack: take a mark, allocate, give back to the mark. Blocks are kept for reuse until zl_worker_trim. */
typedef struct zl_worker_mark {
    size_t block;
    size_t used;
} zl_worker_mark;
zl_worker_mark zl_worker_get_mark(const zl_worker *worker);
void zl_worker_reset(zl_worker *worker, zl_worker_mark mark);
void *zl_worker_alloc(zl_worker *worker, size_t size, size_t align); /* NULL: out of memory */
/* Memory that lives until zl_worker_end_job, whatever marks do: for elements of variable length without a zl_result. */
void *zl_worker_job_alloc(zl_worker *worker, size_t size, size_t align);
void zl_worker_end_job(zl_worker *worker);
/* Frees blocks beyond `keep` bytes of each kind; only at an empty stack, between jobs. */
void zl_worker_trim(zl_worker *worker, size_t keep);
/* The object named by `tag`; see zl_call_object. */
void *zl_worker_object(zl_worker *worker, const void *tag, void *(*create)(void), void (*destroy)(void *));

/* zl_result: an arena that several threads may allocate from. `allocator` is copied. */
zl_result *zl_result_make(const zl_allocator *allocator, zl_error *err);
void *zl_result_alloc(zl_result *result, size_t size);

#endif
