/* SPDX-License-Identifier: MIT */
/*
 * Reading parts of shards. The index comes from the cache or by one request; wanted parts are taken in windows, sorted by
 * offset, and neighbours are fetched together. Index and parts are of one generation of the object: when it changes in
 * between, the shard is started over.
 */
#include "engine/read.h"

#define SMALL_SHARD ZL_MIB /* shards up to this size are read whole when half of them is wanted */

struct zl_open_shard {
    zl_open_shard *next;
    int32_t references; /* jobs in it, and one while it is listed; under the engine's lock */
    bool listed, stale;
    bool cached; /* the index was read by an earlier call */
    char *key;
    uint64_t order, groups; /* in the plan; taken so far */
    int32_t attempts;
    zl_box box, end; /* the share of the region: in the chunk's coordinates, in those of the parts */
    zl_compiled *compiled;
    zl_shard_index *index;
    zl_mutex mutex; /* guards the window */
    zl_part_window window;
};

static size_t standing_bytes(const zl_open_shard *shard) {
    return sizeof *shard + ZL_PART_WINDOW * sizeof(zl_part) + shard->index->count * sizeof(zl_range);
}

bool zl_shard_has_ranges(const zl_read_op *op, const zl_pipeline *p) {
    return p->kind == ZL_END_SPLIT && p->stream_count == 0 && (p->bb_count == 0 || !op->verify) &&
           (op->array->store->cls->caps & ZL_STORE_RANGE);
}

bool zl_shard_is_splittable(const zl_read_op *op, const zl_pipeline *p, const zl_box *box) {
    if (!zl_shard_has_ranges(op, p)) return false;
    if (p->bounds[p->bb_count] > SMALL_SHARD) return true;
    zl_box end;
    zl_to_end(p, box, &end);
    const int64_t wanted = zl_parts_count(p, &end);
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

zl_status zl_shard_index_get(zl_read_job *job, zl_engine_thread *thread, zl_shard_index **out, bool *cached,
                             zl_error *err) {
    zl_index_cache *cache = zl_read_op_of(job)->array->indexes;
    *out = zl_index_cache_find(cache, job->job.key);
    *cached = *out != NULL;
    if (*cached) return ZL_OK;
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
    zl_free(allocator, shard->window.parts, ZL_PART_WINDOW * sizeof(zl_part));
    zl_free(allocator, shard->key, strlen(shard->key) + 1);
    ZL_DELETE(allocator, shard);
}

static zl_open_shard *shard_new(const zl_read_job *job, zl_shard_index *index) {
    const zl_read_op *op = zl_read_op_of(job);
    const zl_allocator *allocator = &op->array->context->allocator;
    const size_t length = strlen(job->job.key) + 1;
    zl_open_shard *shard = ZL_NEW(allocator, zl_open_shard);
    zl_part *window = zl_alloc(allocator, ZL_PART_WINDOW * sizeof(zl_part), _Alignof(zl_part));
    char *key = zl_alloc(allocator, length, 1);
    if (!shard || !window || !key || zl_mutex_init(&shard->mutex, NULL) != ZL_OK) {
        if (shard) ZL_DELETE(allocator, shard);
        zl_free(allocator, window, ZL_PART_WINDOW * sizeof(zl_part));
        zl_free(allocator, key, length);
        return NULL;
    }
    memcpy(key, job->job.key, length);
    shard->key = key;
    shard->index = index;
    shard->order = job->job.order;
    shard->attempts = job->attempts;
    shard->box = job->box;
    zl_to_end(job->compiled->pipeline, &job->box, &shard->end);
    zl_part_window_begin(&shard->window, job->compiled->pipeline, index->entries, &shard->end, window, op->op.thread_limit);
    return shard;
}

zl_status zl_shard_open(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    zl_read_op *op = zl_read_op_of(job);
    zl_engine *engine = op->op.engine;
    zl_shard_index *index = NULL;
    bool cached;
    ZL_TRY(zl_shard_index_get(job, thread, &index, &cached, err));
    zl_open_shard *shard = shard_new(job, index);
    if (!shard) {
        zl_shard_index_release(op->array->indexes, index);
        return zl_fail_memory(err, ZL_PART_WINDOW * sizeof(zl_part));
    }
    shard->cached = cached;
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
    if (!shard->stale || zl_op_drops(&op->op, shard->order, UINT64_MAX)) {
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

/* The first shard of a list that no failure drops. */
static zl_open_shard **find_wanted(zl_read_op *op, zl_open_shard **place) {
    while (*place && zl_op_drops(&op->op, (*place)->order, UINT64_MAX))
        place = &(*place)->next;
    return place;
}

bool zl_shard_pull(zl_read_op *op, zl_read_job *job) {
    zl_open_shard **place = find_wanted(op, &op->redo), *shard = *place;
    if (shard) {
        *place = shard->next;
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
    shard = *find_wanted(op, &op->open);
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
    if (zl_op_drops(&op->op, job->shard->order, UINT64_MAX)) unlist(op, job->shard);
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

/* Gives the job its group; `*none` when all are taken. */
static zl_status take_group(zl_read_job *job, bool *none, zl_error *err) {
    const zl_read_op *op = zl_read_op_of(job);
    zl_open_shard *shard = job->shard;
    const zl_part *parts;
    zl_status status = ZL_OK;
    zl_mutex_lock(&shard->mutex);
    const size_t count = zl_part_window_next(&shard->window, &parts, &job->range);
    *none = count == 0;
    job->job.part = shard->groups++;
    if (count) {
        job->parts = zl_alloc(&op->array->context->allocator, count * sizeof *parts, _Alignof(zl_part));
        if (job->parts)
            memcpy(job->parts, parts, count * sizeof *parts);
        else
            status = zl_fail_memory(err, count * sizeof *parts);
        job->part_count = job->parts ? count : 0;
    }
    zl_mutex_unlock(&shard->mutex);
    return status;
}

/* Parts that the index does not have are fetched from nowhere, so nothing else would notice that a cached index is out of
 * date. CONFLICT: it is. */
static zl_status check_missing(const zl_read_job *job, zl_error *err) {
    const zl_store *store = zl_read_op_of(job)->array->store;
    const zl_store_call call = {sizeof call, store->allocator, job->job.op->cancel, err};
    const zl_generation *expected = &job->shard->index->generation;
    zl_object_info info;
    if (!job->shard->cached || job->parts[0].range.offset != ZL_MISSING) return ZL_OK;
    ZL_TRY(store->cls->info(store->self, job->job.key, &info, &call));
    return memcmp(&info.generation, expected, sizeof *expected) == 0 ? ZL_OK : ZL_ERR_CONFLICT;
}

static zl_status fetch_group(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    const zl_pipeline *p = job->shard->compiled->pipeline;
    const zl_call call = zl_read_call(zl_read_op_of(job), thread, err);
    const zl_part_source source = {job, p, p->head, job->shard->index->generation, &call};
    const zl_pending own = {p, NULL};
    zl_status status = check_missing(job, err);
    if (status == ZL_OK) status = zl_read_parts(&source, job->parts, job->part_count, job->range, &job->shard->end, &own);
    if (status != ZL_ERR_CONFLICT && status != ZL_ERR_NOT_FOUND) return status;
    close_shard(job, true); /* another object stands there now: the shard is started over */
    job->elements = 0;
    return ZL_OK;
}

zl_job_state zl_shard_run(zl_read_job *job, zl_engine_thread *thread, zl_error *err, zl_status *status) {
    if (job->job.stage == ZL_READ_GROUP) {
        bool none;
        *status = take_group(job, &none, err);
        if (*status == ZL_OK && none) close_shard(job, false);
        if (*status != ZL_OK || none || zl_job_is_dropped(&job->job)) return ZL_JOB_DONE;
        job->job.stage = ZL_READ_GROUP_FETCH;
        const uint64_t scratch = zl_pipeline_scratch(job->shard->compiled->pipeline->inner);
        if (!zl_ticket_ask(&job->job, zl_sat_add(job->range.length, scratch))) return ZL_JOB_PARKED;
    }
    *status = fetch_group(job, thread, err);
    return ZL_JOB_DONE;
}
