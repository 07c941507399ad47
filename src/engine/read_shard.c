/* SPDX-License-Identifier: MIT */
/*
 * Reading parts of shards. The index comes from the cache or by one request; wanted parts are taken in windows, sorted by
 * offset, and neighbours are fetched together. Index and parts are of one generation of the object: when it changes in
 * between, the shard is started over.
 */
#include <stdlib.h>

#include "base/worker.h"
#include "engine/read.h"

#define WINDOW 4096           /* parts that are sorted at a time */
#define GAP_MAX (64 * ZL_KIB) /* unwanted bytes that are cheaper to read than a request */
#define GROUP_MAX ZL_MIB      /* bytes of one group: several per shard, so that threads share it */
#define SMALL_SHARD ZL_MIB    /* shards up to this size are read whole when half of them is wanted */
#define ATTEMPTS_MAX 3

struct zl_open_shard {
    zl_open_shard *next;
    int32_t references; /* jobs in it, and one while it is listed; under the engine's lock */
    bool listed, stale;
    char *key;
    uint64_t order;
    int32_t attempts;
    zl_box box, end; /* the share of the region: in the chunk's coordinates, in those of the parts */
    zl_compiled *compiled;
    zl_shard_index *index;
    zl_mutex mutex; /* guards what follows */
    zl_cells cells;
    zl_part *window;
    size_t count, taken;
};

static size_t standing_bytes(const zl_open_shard *shard) {
    return sizeof *shard + WINDOW * sizeof(zl_part) + shard->index->count * sizeof(zl_range);
}

bool zl_shard_is_splittable(const zl_read_op *op, const zl_pipeline *p, const zl_box *box) {
    if (p->kind != ZL_END_SPLIT || p->stream_count > 0 || (p->bb_count > 0 && op->verify)) return false;
    if (!(op->array->store->cls->caps & ZL_STORE_RANGE)) return false;
    if (p->bounds[p->bb_count] > SMALL_SHARD) return true;
    zl_box end;
    zl_cells cells;
    int64_t wanted = 1;
    zl_to_end(p, box, &end);
    zl_parts_begin(&cells, p, &end);
    for (int32_t i = 0; i < end.rank; i++)
        wanted *= cells.last[i] - cells.index[i] + 1;
    return wanted < p->part_count - wanted;
}

/* ---- opening */

/* One request for the encoded index. Its memory comes from the store, which checks the object's size first: metadata may
 * claim far more parts than any object holds. */
static zl_status fetch_index(zl_read_job *job, zl_bytes *out, zl_object_info *info, zl_error *err) {
    const zl_pipeline *p = job->compiled->pipeline;
    zl_request request = {.length = p->index_size, .suffix = p->index_at_end};
    request.offset = p->index_at_end ? p->index_size + p->tail : p->head;
    const zl_status status = zl_read_get(job, job->job.key, &request, 1, NULL, info, err);
    if (status == ZL_ERR_CORRUPT && info->size < p->index_size) {
        zl_range where = {0}; /* says it in terms of the index */
        return zl_index_range(p, info->size, &where, err);
    }
    *out = request.bytes;
    return status;
}

static zl_status read_index(zl_read_job *job, zl_engine_thread *thread, zl_shard_index **out, zl_error *err) {
    const zl_read_op *op = zl_read_op_of(job);
    const zl_pipeline *p = job->compiled->pipeline;
    const zl_call call = zl_read_call(op, thread, err);
    zl_bytes stored = {0};
    zl_object_info info = {0};
    ZL_TRY(fetch_index(job, &stored, &info, err));
    zl_status status = ZL_OK;
    zl_shard_index *index = zl_shard_index_new(op->array->indexes, job->job.key, (size_t)p->part_count);
    if (index) {
        index->generation = info.generation;
        const uint64_t content = info.size - p->head - p->tail;
        status = zl_index_decode(p, (zl_span){stored.data, stored.size}, content, index->entries, &call);
    } else {
        status = zl_fail_memory(err, (uint64_t)p->part_count * sizeof(zl_range));
    }
    zl_bytes_release(&stored);
    if (status == ZL_OK)
        *out = index;
    else
        zl_shard_index_release(op->array->indexes, index);
    return status;
}

static zl_status get_index(zl_read_job *job, zl_engine_thread *thread, zl_shard_index **out, zl_error *err) {
    zl_index_cache *cache = zl_read_op_of(job)->array->indexes;
    *out = zl_index_cache_find(cache, job->job.key);
    if (*out) return ZL_OK;
    ZL_TRY(read_index(job, thread, out, err));
    zl_index_cache_add(cache, *out);
    return ZL_OK;
}

static void shard_free(zl_read_op *op, zl_open_shard *shard) {
    const zl_allocator *allocator = &op->array->context->allocator;
    op->op.engine->standing -= standing_bytes(shard);
    zl_shard_index_release(op->array->indexes, shard->index);
    zl_engine_array_give(op->array, shard->compiled);
    zl_mutex_clear(&shard->mutex);
    zl_free(allocator, shard->window, WINDOW * sizeof(zl_part));
    zl_free(allocator, shard->key, strlen(shard->key) + 1);
    ZL_DELETE(allocator, shard);
}

static zl_open_shard *shard_new(const zl_read_job *job, zl_shard_index *index) {
    const zl_read_op *op = zl_read_op_of(job);
    const zl_allocator *allocator = &op->array->context->allocator;
    const size_t length = strlen(job->job.key) + 1;
    zl_open_shard *shard = ZL_NEW(allocator, zl_open_shard);
    zl_part *window = zl_alloc(allocator, WINDOW * sizeof(zl_part), _Alignof(zl_part));
    char *key = zl_alloc(allocator, length, 1);
    if (!shard || !window || !key || zl_mutex_init(&shard->mutex, NULL) != ZL_OK) {
        if (shard) ZL_DELETE(allocator, shard);
        zl_free(allocator, window, WINDOW * sizeof(zl_part));
        zl_free(allocator, key, length);
        return NULL;
    }
    memcpy(key, job->job.key, length);
    shard->key = key;
    shard->window = window;
    shard->index = index;
    shard->order = job->job.order;
    shard->attempts = job->attempts;
    shard->box = job->box;
    zl_to_end(job->compiled->pipeline, &job->box, &shard->end);
    zl_parts_begin(&shard->cells, job->compiled->pipeline, &shard->end);
    return shard;
}

zl_status zl_shard_open(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    zl_read_op *op = zl_read_op_of(job);
    zl_engine *engine = op->op.engine;
    if (job->attempts > ATTEMPTS_MAX)
        return zl_fail(err, ZL_ERR_CONFLICT, "the shard changed %d times while it was read", ATTEMPTS_MAX + 1);
    zl_shard_index *index = NULL;
    ZL_TRY(get_index(job, thread, &index, err));
    zl_open_shard *shard = shard_new(job, index);
    if (!shard) {
        zl_shard_index_release(op->array->indexes, index);
        return zl_fail_memory(err, WINDOW * sizeof(zl_part));
    }
    shard->compiled = job->compiled; /* the job gives it away */
    job->compiled = NULL;
    zl_mutex_lock(&engine->mutex);
    engine->standing += standing_bytes(shard);
    shard->listed = true;
    shard->references = 1;
    shard->next = op->open;
    op->open = shard;
    op->op.exhausted = false;
    zl_engine_notify(engine);
    zl_mutex_unlock(&engine->mutex);
    return ZL_OK;
}

/* ---- locked: who works on which shard */

static void give(zl_read_op *op, zl_open_shard *shard) {
    if (--shard->references) return;
    if (!shard->stale || zl_op_failed(&op->op)) {
        shard_free(op, shard);
    } else { /* everybody has left: now it can be started over */
        shard->next = op->redo;
        op->redo = shard;
        op->op.exhausted = false;
    }
    zl_engine_notify(op->op.engine);
}

static void unlist(zl_read_op *op, zl_open_shard *shard) {
    if (!shard->listed) return;
    zl_open_shard **place = &op->open;
    while (*place != shard)
        place = &(*place)->next;
    *place = shard->next;
    shard->listed = false;
    give(op, shard);
}

bool zl_shard_pull(zl_read_op *op, zl_read_job *job) {
    zl_open_shard *shard = op->redo;
    if (shard) {
        op->redo = shard->next;
        job->job.stage = ZL_READ_START;
        job->job.order = shard->order;
        job->box = shard->box;
        job->shape = shard->compiled->shape;
        job->attempts = shard->attempts + 1;
        memcpy(job->job.key, shard->key, strlen(shard->key) + 1);
        zl_index_cache_drop(op->array->indexes, shard->index);
        shard_free(op, shard);
        return true;
    }
    shard = op->open;
    if (!shard) return false;
    job->job.stage = ZL_READ_GROUP;
    job->job.order = shard->order;
    memcpy(job->job.key, shard->key, strlen(shard->key) + 1);
    job->shard = shard;
    shard->references++;
    return true;
}

void zl_shard_leave(zl_read_job *job) {
    zl_read_op *op = zl_read_op_of(job);
    zl_free(&op->array->context->allocator, job->parts, job->part_count * sizeof(zl_part));
    job->parts = NULL;
    if (!job->shard) return;
    if (zl_op_failed(&op->op)) unlist(op, job->shard);
    give(op, job->shard);
    job->shard = NULL;
}

static void close_shard(zl_read_job *job, bool stale) {
    zl_read_op *op = zl_read_op_of(job);
    zl_mutex_lock(&op->op.engine->mutex);
    job->shard->stale = job->shard->stale || stale;
    unlist(op, job->shard);
    zl_mutex_unlock(&op->op.engine->mutex);
}

void zl_shard_cleanup(zl_read_op *op) {
    zl_mutex_lock(&op->op.engine->mutex);
    while (op->open)
        unlist(op, op->open);
    while (op->redo) {
        zl_open_shard *shard = op->redo;
        op->redo = shard->next;
        shard_free(op, shard);
    }
    zl_mutex_unlock(&op->op.engine->mutex);
}

/* ---- groups */

static int by_offset(const void *a, const void *b) {
    const uint64_t x = ((const zl_part *)a)->range.offset, y = ((const zl_part *)b)->range.offset;
    return x < y ? -1 : x > y;
}

static void fill_window(zl_open_shard *shard, const zl_pipeline *p) {
    shard->count = shard->taken = 0;
    for (; shard->count < WINDOW && !shard->cells.done; zl_cells_next(&shard->cells)) {
        const int64_t number = zl_part_number(p, shard->cells.index);
        shard->window[shard->count++] = (zl_part){number, shard->index->entries[number]};
    }
    qsort(shard->window, shard->count, sizeof(zl_part), by_offset); /* missing ones come last */
}

/* The next parts of the window that are worth one request. */
static size_t group_end(const zl_open_shard *shard, zl_range *range) {
    const zl_part *part = shard->window + shard->taken;
    const zl_part *end = shard->window + shard->count;
    if (part->range.offset == ZL_MISSING) {
        *range = (zl_range){0, 0};
        return shard->count;
    }
    *range = part->range;
    for (part++; part < end && part->range.offset != ZL_MISSING; part++) {
        const uint64_t here = range->offset + range->length;
        const uint64_t there = part->range.offset + part->range.length;
        if (part->range.offset > here && part->range.offset - here > GAP_MAX) break;
        if (there > here && there - range->offset > GROUP_MAX) break;
        if (there > here) range->length = there - range->offset;
    }
    return (size_t)(part - shard->window);
}

/* Gives the job its group; `*none` when all are taken. */
static zl_status take_group(zl_read_job *job, bool *none, zl_error *err) {
    const zl_read_op *op = zl_read_op_of(job);
    zl_open_shard *shard = job->shard;
    zl_mutex_lock(&shard->mutex);
    if (shard->taken == shard->count) fill_window(shard, shard->compiled->pipeline);
    *none = shard->count == 0;
    zl_status status = ZL_OK;
    if (!*none) {
        const size_t first = shard->taken;
        const size_t behind = group_end(shard, &job->range);
        const size_t size = (behind - first) * sizeof(zl_part);
        job->parts = zl_alloc(&op->array->context->allocator, size, _Alignof(zl_part));
        if (job->parts) {
            memcpy(job->parts, shard->window + first, size);
            job->part_count = behind - first;
            shard->taken = behind;
        } else {
            status = zl_fail_memory(err, size);
        }
    }
    zl_mutex_unlock(&shard->mutex);
    return status;
}

static zl_status decode_parts(zl_read_job *job, const uint8_t *data, const zl_call *call) {
    const zl_pipeline *p = job->shard->compiled->pipeline;
    const zl_pending own = {p, NULL};
    for (size_t i = 0; i < job->part_count; i++) {
        const zl_part *part = &job->parts[i];
        zl_box share;
        int64_t origin[ZL_MAX_RANK];
        zl_part_origin(p, part->number, origin);
        if (!zl_box_cut(&job->shard->end, origin, p->inner->top_shape.dim, &share)) continue;
        zl_status status;
        if (part->range.offset == ZL_MISSING) {
            status = zl_decode_missing(p->inner, &share, &own, call);
        } else {
            const zl_span stored = {data + (part->range.offset - job->range.offset), (size_t)part->range.length};
            status = zl_decode_chunk(p->inner, stored, &share, &own, call);
        }
        if (status != ZL_OK) return zl_error_wrap(call->err, status, "inner chunk %lld: ", (long long)part->number);
        job->elements += (uint64_t)zl_box_count(&share);
    }
    return ZL_OK;
}

static zl_status fetch_group(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    zl_read_op *op = zl_read_op_of(job);
    const zl_pipeline *p = job->shard->compiled->pipeline;
    const zl_call call = zl_read_call(op, thread, err);
    if (job->range.length == 0 && job->parts[0].range.offset == ZL_MISSING) return decode_parts(job, NULL, &call);
    const zl_condition condition = {ZL_IF_GENERATION, job->shard->index->generation};
    zl_request request = {.offset = p->head + job->range.offset, .length = job->range.length};
    if (!(op->array->store->cls->caps & ZL_STORE_LEND)) {
        request.cap = (size_t)job->range.length;
        request.into = zl_call_scratch(&call, request.cap + 1, 64);
        if (!request.into) return zl_fail_memory(err, job->range.length);
    }
    zl_status status = zl_read_get(job, job->job.key, &request, 1, &condition, NULL, err);
    if (status == ZL_ERR_CONFLICT || status == ZL_ERR_NOT_FOUND) {
        close_shard(job, true);
        return ZL_OK;
    }
    if (status == ZL_OK) status = decode_parts(job, request.bytes.data, &call);
    zl_bytes_release(&request.bytes);
    return status;
}

zl_job_state zl_shard_run(zl_read_job *job, zl_engine_thread *thread, zl_error *err, zl_status *status) {
    if (job->job.stage == ZL_READ_GROUP) {
        bool none;
        *status = take_group(job, &none, err);
        if (*status == ZL_OK && none) close_shard(job, false);
        if (*status != ZL_OK || none) return ZL_JOB_DONE;
        job->job.stage = ZL_READ_GROUP_FETCH;
        const uint64_t scratch = zl_pipeline_scratch(job->shard->compiled->pipeline->inner);
        if (!zl_ticket_ask(&job->job, zl_sat_add(job->range.length, scratch))) return ZL_JOB_PARKED;
    }
    *status = fetch_group(job, thread, err);
    return ZL_JOB_DONE;
}
