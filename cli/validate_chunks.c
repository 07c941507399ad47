/* SPDX-License-Identifier: MIT */
/* Several chunks are decoded at once, each by one thread, in pieces that fit in memory. Where there are fewer chunks than
 * threads, the library's own threads share each. */
#include "validate.h"

#include "blocks.h"
#include "memory.h"
#include "workers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What an element of variable length is taken for when memory is counted: slot and a short text. */
#define VARIABLE_ELEMENT_SIZE 128

typedef struct decoding {
    cli_validation *v;
    const zl_array *array;
    const cli_chunk_list *chunks;
    int32_t read_threads;
    uint64_t piece_size;
} decoding;

/* Key of a chunk, for messages. Free with free(). */
static char *key_of(const zl_array *array, const int64_t *coords) {
    zl_buffer key = {0};
    zl_error err = {0};
    if (zl_array_chunk_key(array, coords, &key, &err)) return cli_copy("a chunk", 7);
    char *text = cli_copy(key.data, key.size);
    zl_buffer_free(&key);
    return text;
}

static void count_done(cli_validation *v, uint64_t size) {
    pthread_mutex_lock(&v->findings.lock);
    v->decoded_size += size;
    cli_progress_update(&v->progress, v->decoded_size - v->done_before);
    pthread_mutex_unlock(&v->findings.lock);
}

/* ---- elements */

static zl_status read_piece(const decoding *d, const cli_blocks *blocks, const int64_t *origin, void *data, zl_error *err) {
    int64_t start[CLI_MAX_RANK];
    for (int32_t axis = 0; axis < blocks->rank; axis++)
        start[axis] = origin[axis] + blocks->start[axis];
    const zl_region region = {blocks->rank, start, blocks->count, NULL};
    zl_result *result = NULL;
    zl_status status = ZL_OK;
    if (zl_dtype_is_variable(zl_array_dtype(d->array))) status = zl_result_new(&result, d->v->run->context, err);
    zl_read_options read = ZL_READ_OPTIONS_INIT;
    read.threads = d->read_threads;
    read.cancel = d->v->run->cancel;
    read.result = result;
    if (!status) status = zl_array_read(d->array, &region, (zl_view){data, NULL, NULL}, &read, err);
    zl_result_free(result);
    return status;
}

/* Reads a chunk: the part of the array at `origin` that `shape` is the extent of. */
static zl_status read_chunk(const decoding *d, const int64_t *origin, const int64_t *shape, zl_error *err) {
    const zl_dtype *dtype = zl_array_dtype(d->array);
    const size_t size = zl_dtype_size(dtype);
    const int64_t *inner = zl_array_inner_chunk_shape(d->array);
    cli_blocks blocks;
    cli_blocks_grid(&blocks, zl_array_rank(d->array), shape, inner ? inner : shape, NULL,
                    zl_dtype_is_variable(dtype) ? VARIABLE_ELEMENT_SIZE : size, d->piece_size);
    void *data = cli_malloc((size_t)cli_blocks_most(&blocks) * size);
    zl_status status = ZL_OK;
    while (!status && cli_blocks_next(&blocks)) {
        status = read_piece(d, &blocks, origin, data, err);
        count_done(d->v, (uint64_t)cli_blocks_count(&blocks) * size);
    }
    free(data);
    return status;
}

static zl_status keep_going(cli_validation *v, zl_status status, const char *where, zl_error *err) {
    if (!status || status == ZL_ERR_CANCELLED || status == ZL_ERR_NO_MEMORY) return status;
    const char *text = err->message;
    const size_t size = strlen(where);
    if (strncmp(text, "chunk ", 6) == 0 && strncmp(text + 6, where, size) == 0 && strncmp(text + 6 + size, ": ", 2) == 0)
        text += 6 + size + 2; /* `where` says it already */
    cli_findings_add(&v->findings, CLI_FINDING_ERROR, where, "%s", text);
    return ZL_OK;
}

/* ---- indexes */

typedef struct extent {
    uint64_t offset, size;
} extent;

static int by_offset(const void *a, const void *b) {
    const extent *left = a, *right = b;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void find_overlap(cli_validation *v, extent *extents, size_t count, const char *key) {
    if (count) qsort(extents, count, sizeof *extents, by_offset);
    for (size_t i = 1; i < count; i++) {
        const uint64_t end = extents[i - 1].offset + extents[i - 1].size;
        if (end <= extents[i].offset) continue;
        cli_findings_add(&v->findings, CLI_FINDING_ERROR, key,
                         "inner chunks overlap: bytes from %" PRIu64 " on belong to one that begins at %" PRIu64
                         " and to the one before, which ends at %" PRIu64,
                         extents[i].offset, extents[i].offset, end);
        return; /* one is enough: a damaged index has thousands */
    }
}

/* Where the inner chunks of the shard at `origin` lie. Shards that are encoded as a whole have no such places, which is
 * fine. */
static zl_status look_at_index(const decoding *d, const int64_t *origin, const int64_t *shape, const char *key,
                               zl_error *err) {
    const zl_array *array = d->array;
    const int32_t rank = zl_array_rank(array);
    const int64_t *inner = zl_array_inner_chunk_shape(array);
    int64_t count[CLI_MAX_RANK];
    size_t total = 1, used = 0;
    if (!inner) return ZL_OK;
    for (int32_t axis = 0; axis < rank; axis++) {
        count[axis] = (shape[axis] - 1) / inner[axis] + 1;
        total *= (size_t)count[axis];
    }
    extent *extents = cli_calloc(total, sizeof *extents);
    zl_status status = ZL_OK;
    for (size_t i = 0; i < total && !status; i++) {
        int64_t place[CLI_MAX_RANK] = {0};
        size_t rest = i;
        for (int32_t axis = rank - 1; axis >= 0; axis--) {
            place[axis] = origin[axis] / inner[axis] + (int64_t)(rest % (size_t)count[axis]);
            rest /= (size_t)count[axis];
        }
        zl_chunk_info info;
        status = zl_array_inner_chunk_info(array, place, &info, err);
        if (!status && info.exists) extents[used++] = (extent){info.offset, info.size};
    }
    find_overlap(d->v, extents, used, key);
    free(extents);
    return status == ZL_ERR_UNSUPPORTED ? ZL_OK : status;
}

/* ---- chunks */

static zl_status check_chunk(void *user, size_t index, zl_error *err) {
    const decoding *d = user;
    const int64_t *coords = cli_chunk_coords(d->chunks, index);
    int64_t origin[CLI_MAX_RANK], shape[CLI_MAX_RANK];
    zl_status status = zl_array_chunk_region(d->array, coords, origin, shape, err);
    if (status) return status;
    char *key = key_of(d->array, coords);
    status = read_chunk(d, origin, shape, err);
    if (!status) status = look_at_index(d, origin, shape, key, err);
    status = keep_going(d->v, status, key, err);
    free(key);
    return status;
}

static int cpu_count(int threads) {
    const long cpus = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > 0 ? (int)cpus : 1;
}

static void start_progress(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks) {
    const int64_t *chunk = zl_array_chunk_shape(array);
    double size = (double)zl_dtype_size(zl_array_dtype(array)) * (double)chunks->count;
    for (int32_t axis = 0; axis < zl_array_rank(array) && chunk; axis++)
        size *= (double)chunk[axis];
    const uint64_t whole = (uint64_t)zl_array_decoded_size(array);
    v->done_before = v->decoded_size;
    cli_progress_start(&v->progress, zl_array_path(array), chunk && size < (double)whole ? (uint64_t)size : whole,
                       !v->quiet);
}

zl_status cli_validate_chunks(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks, zl_error *err) {
    const int threads = cpu_count(v->threads);
    decoding d = {v, array, chunks, 0, CLI_BLOCK_SIZE};
    start_progress(v, array, chunks);
    if (chunks->count < (size_t)threads) return cli_work(1, chunks->count, check_chunk, &d, err);
    d.read_threads = 1;
    d.piece_size = CLI_BLOCK_SIZE / (uint64_t)threads;
    return cli_work(threads, chunks->count, check_chunk, &d, err);
}
