/* SPDX-License-Identifier: MIT */
/*
 * A read: chunk by chunk, each fetched and decoded on one core while the bytes are warm in its cache. Rows of uncompressed
 * chunks are fetched alone and, where they fit, straight into the caller's memory.
 */
#include "engine/read.h"

#include "base/worker.h"
#include "dtype/dtype.h"
#include "pipeline/rows.h"

#define RUN_MIN (16 * ZL_KIB) /* shorter runs of raw elements are read in one piece with what lies between */
#define RUNS_MAX 256

#define ATTEMPTS_MAX 3       /* of fetching an object that keeps growing */
#define SHARD_ATTEMPTS_MAX 4 /* of reading parts of a shard that keeps changing */

zl_call zl_read_call(const zl_read_op *op, zl_engine_thread *thread, zl_error *err) {
    return (zl_call){.size = sizeof(zl_call),
                     .allocator = &op->array->context->allocator,
                     .worker = thread->worker,
                     .verify = op->verify,
                     .result = op->result,
                     .region = &op->plan.box,
                     .err = err};
}

zl_status zl_read_get(zl_read_job *job, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                      zl_object_info *info, zl_error *err) {
    zl_read_op *op = zl_read_op_of(job);
    const zl_store *store = op->array->store;
    const zl_store_call call = {sizeof call, store->allocator, op->op.cancel, err};
    const zl_status status = store->cls->get(store->self, key, requests, count, condition, info, &call);
    for (size_t i = 0; status == ZL_OK && i < count; i++)
        atomic_fetch_add(&op->op.stored_bytes, requests[i].bytes.size);
    return status;
}

/* ---- raw elements, read by ranges */

/* Elements of the box that lie in one run of the stored chunk: all of the axes from `*axis` on are whole. */
static uint64_t run_size(const zl_pipeline *p, const zl_box *box, int32_t *axis) {
    int64_t count = 1;
    int32_t i = box->rank;
    while (i > 0) {
        i--;
        count *= box->shape[i];
        if (box->shape[i] != p->end_shape.dim[i]) break;
    }
    *axis = i;
    return (uint64_t)count * p->end.dtype->size;
}

static bool reads_ranges(const zl_read_op *op, const zl_pipeline *p, const zl_box *box) {
    return p->kind == ZL_END_RAW && p->stream_count == 0 && (p->bb_count == 0 || !op->verify) &&
           (op->array->store->cls->caps & ZL_STORE_RANGE) && !zl_box_is_whole(box, &p->end_shape) &&
           zl_box_has_unit_steps(box);
}

static uint64_t offset_in_chunk(const zl_pipeline *p, const zl_box *box) {
    uint64_t offset = p->head;
    for (int32_t i = 0; i < box->rank; i++)
        offset += (uint64_t)(box->start[i] * p->end_stride[i]);
    return offset;
}

static zl_status wrong_size(const zl_pipeline *p, uint64_t size, zl_error *err) {
    return zl_fail(err, ZL_ERR_CORRUPT, "%llu bytes are stored, the chunk needs %llu", (unsigned long long)size,
                   (unsigned long long)p->encoded_size);
}

/* Long runs go straight to the caller, one request each. */
static zl_status read_runs(zl_read_job *job, const zl_pipeline *p, const zl_box *box, int32_t axis, uint64_t size,
                           zl_error *err) {
    zl_request requests[RUNS_MAX];
    size_t count = 0;
    int64_t at[ZL_MAX_RANK] = {0};
    const uint64_t first = offset_in_chunk(p, box);
    do {
        requests[count++] = (zl_request){.offset = first + (uint64_t)zl_coords_offset(axis, at, p->end_stride),
                                         .length = size,
                                         .into = box->data + zl_coords_offset(axis, at, box->stride),
                                         .cap = (size_t)size};
    } while (zl_coords_next(axis, box->shape, at));
    zl_object_info info = {0};
    const zl_status status = zl_read_get(job, job->job.key, requests, count, NULL, &info, err);
    if (info.size && info.size != p->encoded_size) return wrong_size(p, info.size, err);
    for (size_t k = 0; status == ZL_OK && p->fix && k < count; k++) {
        zl_dtype_fix(p->end.dtype, p->swap, requests[k].into, (size_t)size / p->end.dtype->size);
    }
    return status;
}

/* Otherwise everything from the first wanted element to the last, then one copy. */
static zl_status read_hull(zl_read_job *job, const zl_pipeline *p, const zl_box *box, const zl_call *call) {
    uint64_t size = p->end.dtype->size;
    for (int32_t i = 0; i < box->rank; i++)
        size += (uint64_t)((box->shape[i] - 1) * p->end_stride[i]);
    const uint64_t first = offset_in_chunk(p, box);
    char *scratch = zl_call_scratch(call, (size_t)size, 64);
    if (!scratch) return zl_fail_memory(call->err, size);
    zl_request request = {.offset = first, .length = size, .into = scratch, .cap = (size_t)size};
    zl_object_info info = {0};
    const zl_status status = zl_read_get(job, job->job.key, &request, 1, NULL, &info, call->err);
    if (info.size && info.size != p->encoded_size) return wrong_size(p, info.size, call->err);
    if (status != ZL_OK) return status;
    const zl_pending own = {p, NULL};
    return zl_scatter_from(p, scratch, p->end_stride, true, box, &own, call);
}

static zl_status read_ranges(zl_read_job *job, const zl_pipeline *p, const zl_box *box, const zl_call *call) {
    int32_t axis;
    const uint64_t size = run_size(p, box, &axis);
    int64_t runs = 1;
    for (int32_t i = 0; i < axis; i++)
        runs *= box->shape[i];
    zl_box run = *box;
    run.rank -= axis;
    for (int32_t i = 0; i < run.rank; i++) {
        run.shape[i] = box->shape[axis + i];
        run.stride[i] = box->stride[axis + i];
    }
    if (p->row_count == 0 && size >= RUN_MIN && runs <= RUNS_MAX && zl_box_is_contiguous(&run, p->end.dtype->size)) {
        return read_runs(job, p, box, axis, size, call->err);
    }
    return read_hull(job, p, box, call);
}

/* ---- whole chunks */

/* What a chunk job reserves. Encoded sizes have a bound, so most chunks need no request for their size. */
static zl_status ticket_size(zl_read_job *job, const zl_pipeline *p, uint64_t *out, zl_error *err) {
    const zl_read_op *op = zl_read_op_of(job);
    uint64_t stored = p->bounds[p->bb_count];
    if (stored == UINT64_MAX || p->kind == ZL_END_SPLIT) {
        const zl_store *store = op->array->store;
        const zl_store_call call = {sizeof call, store->allocator, op->op.cancel, err};
        zl_object_info info;
        ZL_TRY(store->cls->info(store->self, job->job.key, &info, &call));
        stored = info.size;
    }
    job->expected = stored;
    if (p->bounds[0] == UINT64_MAX) stored = zl_sat_mul(stored, 4); /* text decodes to more than its stored bytes */
    *out = zl_sat_add(stored, zl_pipeline_scratch(p));
    return ZL_OK;
}

static zl_status too_large(const zl_pipeline *p, uint64_t size, zl_error *err) {
    if (p->encoded_size != UINT64_MAX) return wrong_size(p, size, err);
    return zl_fail(err, ZL_ERR_CORRUPT, "%llu bytes are stored, a chunk takes at most %llu", (unsigned long long)size,
                   (unsigned long long)zl_pipeline_stored_limit(p));
}

/* Fetches a whole object. LIMIT says that it is larger than what the ticket allows for, `*size` how large. */
static zl_status fetch(zl_read_job *job, const zl_pipeline *p, void *into, zl_bytes *out, uint64_t *size,
                       const zl_call *call) {
    const zl_read_op *op = zl_read_op_of(job);
    zl_request request = {.length = ZL_TO_END, .into = into, .cap = into ? (size_t)p->encoded_size : 0};
    const bool lends = op->array->store->cls->caps & ZL_STORE_LEND;
    if (!into && !lends) {
        request.cap = (size_t)zl_min_u64(job->expected, SIZE_MAX / 4);
        request.into = zl_call_scratch(call, request.cap + 1, 64);
        if (!request.into) return zl_fail_memory(call->err, request.cap);
    }
    zl_object_info info = {0};
    const zl_status status = zl_read_get(job, job->job.key, &request, 1, NULL, &info, call->err);
    *size = info.size;
    if (status == ZL_OK) *out = request.bytes;
    return status;
}

/* Can the store write the elements straight into the caller's memory? */
static bool fetches_directly(const zl_read_op *op, const zl_pipeline *p, const zl_box *box) {
    return p->kind == ZL_END_RAW && p->bb_count == 0 && p->row_count == 0 &&
           !(op->array->store->cls->caps & ZL_STORE_LEND) && zl_box_is_whole(box, &p->end_shape) &&
           zl_box_is_contiguous(box, p->end.dtype->size);
}

static zl_status read_whole(zl_read_job *job, const zl_pipeline *p, const zl_box *end, uint64_t *size,
                            const zl_call *call) {
    void *into = fetches_directly(zl_read_op_of(job), p, end) ? end->data : NULL;
    zl_bytes bytes = {0};
    ZL_TRY(fetch(job, p, into, &bytes, size, call));
    zl_status status;
    if (*size > zl_pipeline_stored_limit(p)) {
        status = too_large(p, *size, call->err);
    } else if (into) {
        status = *size == p->encoded_size ? ZL_OK : wrong_size(p, *size, call->err);
        if (status == ZL_OK && p->fix) zl_dtype_fix(p->end.dtype, p->swap, into, (size_t)zl_box_count(end));
    } else {
        status = zl_decode_chunk(p, (zl_span){bytes.data, bytes.size}, &job->box, NULL, call);
    }
    zl_bytes_release(&bytes);
    return status;
}

/* ---- jobs */

static bool pull(zl_op *base, zl_job *job) {
    zl_read_op *op = (zl_read_op *)base;
    zl_read_job *read = (zl_read_job *)job;
    if (zl_shard_pull(op, read)) return true;
    job->order = op->plan.order;
    if (!zl_op_failed(base) && zl_plan_next(&op->plan, job->key, base->key_cap, &read->shape, &read->box, NULL))
        return true;
    base->exhausted = true; /* until a running job opens a shard */
    return false;
}

/* Parts that are fetched one after the other are of one version only if nobody writes in between. A shard in which writers
 * are busy all the time is fetched whole: that is one version in any case. */
static bool is_split(const zl_read_job *job) {
    return job->attempts < SHARD_ATTEMPTS_MAX &&
           zl_shard_is_splittable(zl_read_op_of(job), job->compiled->pipeline, &job->box);
}

static zl_status start_chunk(zl_read_job *job, bool *granted, zl_error *err) {
    const zl_pipeline *p = job->compiled->pipeline;
    uint64_t size;
    ZL_TRY(ticket_size(job, p, &size, err));
    if (job->attempts > 0 && size > zl_read_op_of(job)->array->context->memory_limit) {
        return zl_fail(err, ZL_ERR_CONFLICT,
                       "the shard changed %d times while it was read, and is too large to be read whole", job->attempts);
    }
    job->attempts = 0;
    job->job.stage = ZL_READ_FETCH;
    *granted = zl_ticket_ask(&job->job, size);
    return ZL_OK;
}

static zl_status fetch_chunk(zl_read_job *job, zl_engine_thread *thread, uint64_t *size, zl_error *err) {
    zl_read_op *op = zl_read_op_of(job);
    const zl_pipeline *p = job->compiled->pipeline;
    const zl_call call = zl_read_call(op, thread, err);
    zl_box end;
    zl_to_end(p, &job->box, &end);
    job->elements = (uint64_t)zl_box_count(&end);
    if (reads_ranges(op, p, &end)) return read_ranges(job, p, &end, &call);
    bool done;
    const zl_status status = zl_ranges_read(job, p, &end, &done, &call);
    return status != ZL_OK || done ? status : read_whole(job, p, &end, size, &call);
}

static zl_job_state run_chunk(zl_read_job *job, zl_engine_thread *thread, zl_error *err, zl_status *status) {
    zl_read_op *op = zl_read_op_of(job);
    bool granted = true;
    if (job->job.stage == ZL_READ_START) {
        *status = zl_engine_array_take(op->array, &job->shape, &op->plan.view, &job->compiled, err);
        if (*status != ZL_OK) return ZL_JOB_DONE;
        if (is_split(job)) {
            *status = zl_shard_open(job, thread, err);
            return ZL_JOB_DONE;
        }
        *status = start_chunk(job, &granted, err);
        if (*status != ZL_OK) return ZL_JOB_DONE;
        if (!granted) return ZL_JOB_PARKED; /* another thread may have ended it by now */
    }
    const zl_pipeline *p = job->compiled->pipeline;
    while (granted) {
        uint64_t size = 0;
        *status = fetch_chunk(job, thread, &size, err);
        if (*status != ZL_ERR_LIMIT || size <= job->expected) return ZL_JOB_DONE;
        if (size > zl_pipeline_stored_limit(p) || ++job->attempts == ATTEMPTS_MAX) {
            *status = too_large(p, size, err);
            return ZL_JOB_DONE;
        }
        /* Larger than our own encoders' bound, or grown: the ticket goes back and more than the size is asked for. */
        job->expected = zl_min_u64(zl_sat_mul(size, 2), zl_pipeline_stored_limit(p));
        granted = zl_ticket_ask(&job->job, zl_sat_add(zl_sat_mul(size, 2), zl_pipeline_scratch(p)));
    }
    return ZL_JOB_PARKED;
}

static zl_job_state run(zl_job *base, zl_engine_thread *thread) {
    zl_read_job *job = (zl_read_job *)base;
    zl_read_op *op = zl_read_op_of(job);
    zl_error error = {0};
    zl_status status = ZL_OK;
    const zl_job_state state =
        base->stage >= ZL_READ_GROUP ? zl_shard_run(job, thread, &error, &status) : run_chunk(job, thread, &error, &status);
    if (state == ZL_JOB_PARKED) return state;
    if (status == ZL_ERR_NOT_FOUND) {
        const zl_call call = zl_read_call(op, thread, &error);
        job->elements = (uint64_t)zl_box_count(&job->box);
        status = zl_decode_missing(job->compiled->pipeline, &job->box, NULL, &call);
    }
    if (status != ZL_OK) {
        zl_error_wrap(&error, status, "chunk %s: ", base->key);
        error.status = status;
        zl_job_fail(base, &error);
    } else {
        zl_op_progress(base->op, job->elements);
    }
    return ZL_JOB_DONE;
}

static void end(zl_job *base) {
    zl_read_job *job = (zl_read_job *)base;
    zl_shard_leave(job);
    zl_engine_array_give(zl_read_op_of(job)->array, job->compiled);
}

static const zl_op_class read_class = {sizeof(zl_read_job), pull, run, end};

zl_status zl_engine_read(zl_engine_array *array, const zl_engine_region *region, void *dst, const zl_read_options *options,
                         zl_error *err) {
    zl_read_op op = {
        .op = {.cls = &read_class}, .array = array, .verify = !options->skip_checksums, .result = options->result};
    zl_plan_begin(&op.plan, array, region, dst);
    const zl_op_settings settings = {.threads = options->threads,
                                     .cancel = options->cancel,
                                     .on_progress = options->on_progress,
                                     .progress_user = options->progress_user,
                                     .elements_total = (uint64_t)zl_box_count(&op.plan.box),
                                     .key_cap = zl_engine_array_key_max(array)};
    const zl_status status = zl_op_run(&op.op, array->context->engine, &settings, err);
    if (status != ZL_OK) zl_shard_cleanup(&op);
    return status;
}
