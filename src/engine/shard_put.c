/* SPDX-License-Identifier: MIT */
#include "engine/shard_put.h"

#include "base/worker.h"

#define UNWRITTEN (ZL_MISSING - 1) /* offset of a part that nobody has handed over */

struct zl_shard_put {
    zl_engine_array *array;
    zl_compiled *compiled; /* of the array's own elements */
    int64_t origin[ZL_MAX_RANK];
    zl_shape shape;
    int64_t edge[ZL_MAX_RANK]; /* where the array ends in the shard */
    zl_put *put;               /* NULL: committed */
    uint64_t size;             /* bytes handed over */
    bool failed;               /* some of a piece may be lacking */
    zl_range *index;
    char key[];
};

static size_t size_of(const zl_engine_array *array) {
    return sizeof(zl_shard_put) + zl_engine_array_key_max(array);
}

static zl_store_call store_call(const zl_engine_array *array, const zl_cancel *cancel, zl_error *err) {
    return (zl_store_call){sizeof(zl_store_call), array->store->allocator, cancel, err};
}

/* ---- begin and end */

static zl_status check_pipeline(const zl_pipeline *p, const zl_store *store, zl_error *err) {
    const char *reason = NULL;
    if (p->kind != ZL_END_SPLIT)
        reason = "its chunks are not shards";
    else if (p->bb_count)
        reason = "a codec stands around its shards";
    else if (!p->index_at_end)
        reason = "the index of its shards comes first";
    else if (!store->cls->put_begin)
        reason = "the store takes no objects in pieces";
    return reason ? zl_fail(err, ZL_ERR_UNSUPPORTED, "a shard cannot be written piece by piece: %s", reason) : ZL_OK;
}

/* Where the array ends now, in the shard. */
static void find_edge(const zl_shard_put *put, int64_t *edge) {
    zl_extent_get_edge(put->array->extent, edge);
    for (int32_t i = 0; i < put->shape.rank; i++)
        edge[i] = zl_min_i64(edge[i] - put->origin[i], put->shape.dim[i]);
}

static zl_status begin(zl_shard_put *put, const int64_t *coords, zl_error *err) {
    zl_engine_array *array = put->array;
    const zl_store *store = array->store;
    const zl_metadata *meta = array->meta;
    put->shape.rank = meta->shape.rank;
    for (int32_t i = 0; i < put->shape.rank; i++)
        meta->grid->span(meta->grid_self, i, coords[i], &put->origin[i], &put->shape.dim[i]);
    find_edge(put, put->edge);
    zl_engine_array_key(array, coords, put->key, zl_engine_array_key_max(array));
    ZL_TRY(zl_engine_array_take(array, &put->shape, &zl_aspect_own, &put->compiled, err));
    const zl_pipeline *p = put->compiled->pipeline;
    ZL_TRY(check_pipeline(p, store, err));
    const size_t bytes = (size_t)p->part_count * sizeof *put->index;
    put->index = zl_alloc(store->allocator, bytes, _Alignof(zl_range));
    if (!put->index) return zl_fail_memory(err, bytes);
    for (int64_t i = 0; i < p->part_count; i++)
        put->index[i].offset = UNWRITTEN;
    const zl_store_call call = store_call(array, NULL, err);
    return store->cls->put_begin(store->self, put->key, &put->put, &call);
}

zl_status zl_shard_put_new(zl_shard_put **out, zl_engine_array *array, const int64_t *coords, zl_error *err) {
    zl_shard_put *put = zl_alloc_zero(array->store->allocator, size_of(array), _Alignof(zl_shard_put));
    if (!put) return zl_fail_memory(err, size_of(array));
    put->array = array;
    const zl_status status = begin(put, coords, err);
    if (status == ZL_OK)
        *out = put;
    else
        zl_shard_put_free(put);
    return status;
}

void zl_shard_put_free(zl_shard_put *put) {
    if (!put) return;
    zl_engine_array *array = put->array;
    const zl_allocator *allocator = array->store->allocator;
    if (put->put) array->store->cls->put_abort(put->put);
    if (put->index) zl_free(allocator, put->index, (size_t)put->compiled->pipeline->part_count * sizeof *put->index);
    zl_engine_array_give(array, put->compiled);
    zl_free(allocator, put, size_of(array));
}

/* ---- pieces */

/* The parts of a region of the array, as a box of the end level. */
static void end_box(const zl_shard_put *put, const zl_engine_region *region, zl_box *out) {
    zl_box box = {.rank = region->rank, .data = (char *)put->array->meta->fill}; /* remaps move it, by strides of 0 */
    for (int32_t i = 0; i < box.rank; i++) {
        box.start[i] = region->start[i] - put->origin[i];
        box.shape[i] = region->shape[i];
        box.step[i] = 1;
        box.edge[i] = put->edge[i];
    }
    zl_to_end(put->compiled->pipeline, &box, out);
}

static zl_status check_open(const zl_shard_put *put, zl_error *err) {
    if (!put->failed && put->put) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "chunk %s: %s", put->key,
                   put->failed ? "a piece of it could not be written" : "it was committed already");
}

/* Is it made of whole inner chunks, none of which was written already? */
static zl_status check_region(const zl_shard_put *put, const zl_engine_region *region, zl_error *err) {
    const zl_shape *inner = &put->array->inner_shape;
    for (int32_t i = 0; i < region->rank; i++) {
        const int64_t start = region->start[i] - put->origin[i], end = start + region->shape[i];
        const bool whole = start >= 0 && start < end && start % inner->dim[i] == 0 && end <= put->edge[i] &&
                           (end == put->edge[i] || end % inner->dim[i] == 0) && region->step[i] == 1;
        if (whole) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT,
                       "chunk %s: elements %lld to %lld along axis %d are not whole inner chunks of %lld in it", put->key,
                       (long long)region->start[i], (long long)(region->start[i] + region->shape[i]), (int)i,
                       (long long)inner->dim[i]);
    }
    const zl_pipeline *p = put->compiled->pipeline;
    zl_box box;
    zl_cells cells;
    end_box(put, region, &box);
    for (zl_parts_begin(&cells, p, &box); !cells.done; zl_cells_next(&cells)) {
        const int64_t number = zl_part_number(p, cells.index);
        if (put->index[number].offset == UNWRITTEN) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "chunk %s: inner chunk %lld was written already", put->key,
                       (long long)number);
    }
    return ZL_OK;
}

zl_status zl_shard_put_write(zl_shard_put *put, const zl_engine_region *region, const void *src,
                             const zl_write_options *options, zl_error *err) {
    ZL_TRY(check_open(put, err));
    ZL_TRY(check_region(put, region, err));
    const zl_status status = zl_engine_write(put->array, put, region, src, options, err);
    put->failed = status != ZL_OK;
    return status;
}

/* ---- for write jobs */

uint64_t zl_shard_put_bound(const zl_write_job *job) {
    const zl_pipeline *p = job->compiled->pipeline;
    zl_box box;
    zl_to_end(p, &job->box, &box);
    return zl_sat_mul((uint64_t)zl_parts_count(p, &box), p->inner->bounds[p->inner->bb_count]);
}

zl_status zl_shard_put_take(zl_shard_put *put, const zl_write_job *job, zl_engine_thread *thread, zl_error *err) {
    const zl_pipeline *p = job->compiled->pipeline;
    const zl_encoded *part = zl_lanes_parts(job);
    const zl_store_call call = store_call(put->array, job->job.op->cancel, err);
    const uint64_t before = put->size;
    zl_box box;
    zl_cells cells;
    size_t count = 0;
    zl_to_end(p, &job->box, &box);
    const int64_t part_count = zl_parts_count(p, &box);
    for (int64_t i = 0; i < part_count; i++)
        count += part[i].count;
    zl_span *spans = zl_worker_alloc(thread->worker, count * sizeof *spans, _Alignof(zl_span));
    if (!spans) return zl_fail_memory(err, count * sizeof *spans);
    size_t n = 0;
    for (zl_parts_begin(&cells, p, &box); !cells.done; zl_cells_next(&cells), part++) {
        zl_range *entry = &put->index[zl_part_number(p, cells.index)];
        *entry = part->missing ? (zl_range){ZL_MISSING, ZL_MISSING} : (zl_range){put->size, part->size};
        if (part->missing) continue;
        memcpy(spans + n, part->spans, part->count * sizeof *spans);
        n += part->count;
        put->size += part->size;
    }
    ZL_TRY(put->array->store->cls->put_append(put->put, spans, n, &call));
    atomic_fetch_add(&job->job.op->stored_bytes, put->size - before);
    return ZL_OK;
}

/* ---- commit: a job, because it needs the claim on the key */

typedef struct commit_op {
    zl_op op;
    zl_shard_put *put;
    bool pulled;
} commit_op;

enum { START, COMMIT };

static bool pull(zl_op *base, zl_job *job) {
    commit_op *op = (commit_op *)base;
    base->exhausted = true;
    if (op->pulled) return false;
    op->pulled = true;
    job->stage = START;
    memcpy(job->key, op->put->key, strlen(op->put->key) + 1);
    return true;
}

static zl_status check_edge(const zl_shard_put *put, zl_error *err) {
    int64_t edge[ZL_MAX_RANK];
    find_edge(put, edge);
    for (int32_t i = 0; i < put->shape.rank; i++) {
        if (edge[i] == put->edge[i]) continue;
        return zl_fail(err, ZL_ERR_CONFLICT, "the array was resized along axis %d while its shard was written", (int)i);
    }
    return ZL_OK;
}

/* Nothing but fill values: the object is not made, and an older one goes. */
static zl_status erase(zl_shard_put *put, zl_error *err) {
    const zl_store *store = put->array->store;
    const zl_store_call call = store_call(put->array, NULL, err);
    store->cls->put_abort(put->put);
    put->put = NULL;
    const zl_status status = store->cls->erase(store->self, put->key, NULL, &call);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status commit(zl_shard_put *put, zl_engine_thread *thread, zl_error *err) {
    const zl_pipeline *p = put->compiled->pipeline;
    const zl_store_class *store = put->array->store->cls;
    const zl_store_call call = store_call(put->array, NULL, err);
    const zl_call encoding = {.size = sizeof encoding,
                              .allocator = &put->array->context->allocator,
                              .worker = thread->worker,
                              .verify = true,
                              .err = err};
    zl_encoded index;
    ZL_TRY(check_edge(put, err));
    for (int64_t i = 0; i < p->part_count; i++) {
        if (put->index[i].offset == UNWRITTEN) put->index[i] = (zl_range){ZL_MISSING, ZL_MISSING};
    }
    if (put->size == 0 && p->closed) return erase(put, err);
    ZL_TRY(zl_index_encode(p, put->index, &(zl_encode){.output = &thread->output, .call = &encoding}, &index));
    ZL_TRY(store->put_append(put->put, index.spans, index.count, &call));
    zl_put *ending = put->put;
    put->put = NULL; /* commit ends it in any case */
    return store->put_commit(ending, NULL, &call);
}

static zl_job_state run(zl_job *job, zl_engine_thread *thread) {
    zl_shard_put *put = ((commit_op *)job->op)->put;
    if (job->stage == START) {
        job->stage = COMMIT;
        if (!zl_claim_ask(job, put->array->store)) return ZL_JOB_PARKED;
    }
    zl_error error = {0};
    const zl_status status = commit(put, thread, &error);
    if (status != ZL_OK) {
        zl_error_wrap(&error, status, "chunk %s: ", put->key);
        zl_job_fail(job, &error);
    }
    return ZL_JOB_DONE;
}

static void end(zl_job *job) {
    (void)job;
}

static const zl_op_class commit_class = {sizeof(zl_job), pull, run, end};

zl_status zl_shard_put_commit(zl_shard_put *put, zl_error *err) {
    ZL_TRY(check_open(put, err));
    commit_op op = {.op = {.cls = &commit_class}, .put = put};
    const zl_op_settings settings = {.threads = 1, .key_cap = zl_engine_array_key_max(put->array)};
    const int32_t epoch = zl_extent_enter(put->array->extent);
    const zl_status status = zl_op_run(&op.op, put->array->context->engine, &settings, err);
    zl_extent_leave(put->array->extent, epoch);
    put->failed = status != ZL_OK;
    return status;
}
