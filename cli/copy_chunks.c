/* SPDX-License-Identifier: MIT */
/* Encoded chunks from one array to another, by several threads. */
#include "copy.h"

#include "chunk_list.h"
#include "output.h"
#include "workers.h"

#include <pthread.h>

typedef struct chunk_copy {
    const cli_copy_run *copy;
    const zl_array *source;
    zl_array *target;
    cli_chunk_list chunks;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    uint64_t in_memory; /* stored bytes that are on their way */
    uint64_t copied;
    uint64_t reported; /* bytes of elements, in proportion */
} chunk_copy;

/* A chunk that is larger than the memory goes alone. */
static void reserve(chunk_copy *c, uint64_t size) {
    pthread_mutex_lock(&c->lock);
    while (c->in_memory && c->in_memory + size > c->copy->slab_size)
        pthread_cond_wait(&c->changed, &c->lock);
    c->in_memory += size;
    pthread_mutex_unlock(&c->lock);
}

static void release(chunk_copy *c, uint64_t size) {
    pthread_mutex_lock(&c->lock);
    c->in_memory -= size;
    c->copied += size;
    const double part = c->chunks.size ? (double)c->copied / (double)c->chunks.size : 1;
    const uint64_t done = (uint64_t)(part * (double)zl_array_decoded_size(c->source));
    if (done > c->reported) {
        c->copy->on_progress(c->copy->progress_user, done - c->reported);
        c->reported = done;
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static zl_status copy_chunk(void *user, size_t index, zl_error *err) {
    chunk_copy *c = user;
    const int64_t *coords = cli_chunk_coords(&c->chunks, index);
    const uint64_t size = cli_chunk_size(&c->chunks, index);
    zl_buffer bytes = {0};
    reserve(c, size);
    zl_status status = zl_array_read_encoded_chunk(c->source, coords, 0, UINT64_MAX, &bytes, err);
    const bool is_gone = status == ZL_ERR_NOT_FOUND; /* since it was listed */
    if (!status) status = zl_array_write_encoded_chunk(c->target, coords, bytes.data, bytes.size, err);
    zl_buffer_free(&bytes);
    release(c, size);
    return is_gone ? ZL_OK : status;
}

zl_status cli_copy_chunks(const cli_copy_run *copy, const zl_array *source, zl_array *target, zl_error *err) {
    chunk_copy c = {.copy = copy, .source = source, .target = target};
    zl_status status = cli_chunk_list_fill(&c.chunks, source, err);
    if (status) return status;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    status = cli_work(copy->threads, c.chunks.count, copy_chunk, &c, err);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    cli_chunk_list_clear(&c.chunks);
    return status;
}
