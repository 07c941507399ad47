/* SPDX-License-Identifier: MIT */
/*
 * The parts of one shard on several threads. The shard's job reserves memory for all encoded parts and for its own lane;
 * another lane opens only where there is memory now, and none ever waits for a ticket. Parts are taken in any order and
 * joined in that of the index, so the bytes do not depend on the number of threads.
 */
#include "base/worker.h"
#include "engine/shard_put.h"
#include "engine/write.h"

struct zl_lanes {
    zl_lanes *next;
    bool listed;
    int32_t running; /* lanes at work; under the engine's lock, like all above atomic members */
    int32_t used;    /* outputs handed out */
    int32_t output_count;
    atomic_llong next_part; /* among those that the box touches */
    atomic_bool damaged;    /* an old part is, and the job does without */
    zl_box end;
    zl_cells touched; /* stands on the first part that the box touches */
    int64_t touched_count;
    bool sparse;       /* there is no shard to join: `parts` are the touched ones alone */
    size_t part_count; /* of `parts` and `part_spans` */
    zl_encoded *parts;
    zl_span *part_spans; /* of old parts; NULL where none is kept */
    zl_output *outputs;  /* one per lane: encoded parts live until the shard is stored */
    zl_write_job *job;
};

bool zl_lanes_wanted(const zl_write_job *job) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_pipeline *p = job->compiled->pipeline;
    if (op->part) return false;
    if (op->put) return true;
    return p->kind == ZL_END_SPLIT && p->stream_count == 0 && p->part_count > 1 && op->op.thread_limit > 1;
}

static void lanes_free(const zl_write_op *op, zl_lanes *lanes) {
    const zl_allocator *allocator = &op->array->context->allocator;
    for (int32_t i = 0; i < lanes->output_count; i++)
        zl_output_clear(&lanes->outputs[i]);
    zl_free(allocator, lanes->outputs, (size_t)op->op.thread_limit * sizeof *lanes->outputs);
    zl_free(allocator, lanes->parts, lanes->part_count * sizeof *lanes->parts);
    zl_free(allocator, lanes->part_spans, lanes->part_count * sizeof *lanes->part_spans);
    ZL_DELETE(allocator, lanes);
}

static zl_lanes *lanes_new(zl_write_job *job) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_allocator *allocator = &op->array->context->allocator;
    const zl_pipeline *p = job->compiled->pipeline;
    const size_t threads = (size_t)op->op.thread_limit;
    zl_lanes *lanes = ZL_NEW(allocator, zl_lanes);
    if (!lanes) return NULL;
    lanes->job = job;
    zl_to_end(p, &job->box, &lanes->end);
    zl_parts_begin(&lanes->touched, p, &lanes->end);
    lanes->touched_count = zl_parts_count(p, &lanes->end);
    lanes->sparse = op->put != NULL;
    lanes->part_count = (size_t)(lanes->sparse ? lanes->touched_count : p->part_count);
    lanes->parts = zl_alloc(allocator, lanes->part_count * sizeof *lanes->parts, _Alignof(zl_encoded));
    if (!lanes->sparse)
        lanes->part_spans = zl_alloc(allocator, lanes->part_count * sizeof *lanes->part_spans, _Alignof(zl_span));
    lanes->outputs = zl_alloc(allocator, threads * sizeof *lanes->outputs, _Alignof(zl_output));
    lanes->output_count = lanes->outputs ? op->op.thread_limit : 0;
    for (int32_t i = 0; i < lanes->output_count; i++)
        zl_output_init(&lanes->outputs[i], allocator);
    if (lanes->parts && lanes->outputs && (lanes->part_spans || lanes->sparse)) return lanes;
    lanes_free(op, lanes);
    return NULL;
}

/* The parts before anything is encoded: what the old shard holds, where there is one. */
static zl_status begin_parts(zl_lanes *lanes, const zl_call *call) {
    const zl_write_job *job = lanes->job;
    const zl_span old = {job->old.data, job->old.size};
    if (!lanes->sparse)
        return zl_split_old(job->compiled->pipeline, job->have_old ? &old : NULL, lanes->parts, lanes->part_spans, call);
    for (size_t i = 0; i < lanes->part_count; i++)
        lanes->parts[i] = (zl_encoded){.missing = true};
    return ZL_OK;
}

/* Number of the touched part at `position`, in the order of the index. */
static int64_t touched_part(const zl_lanes *lanes, int64_t position) {
    const zl_cells *cells = &lanes->touched;
    int64_t cell[ZL_MAX_RANK];
    for (int32_t i = lanes->end.rank - 1; i >= 0; i--) {
        const int64_t count = cells->last[i] - cells->index[i] + 1;
        cell[i] = cells->index[i] + position % count;
        position /= count;
    }
    return zl_part_number(lanes->job->compiled->pipeline, cell);
}

const zl_encoded *zl_lanes_parts(const zl_write_job *job) {
    return job->lanes->parts;
}

void zl_lanes_forget(zl_write_job *job) {
    if (job->lanes) lanes_free(zl_write_op_of(job), job->lanes);
    job->lanes = NULL;
}

static void unlist(zl_write_op *op, zl_lanes *lanes) {
    if (!lanes->listed) return;
    zl_lanes **place = &op->open;
    while (*place != lanes)
        place = &(*place)->next;
    *place = lanes->next;
    lanes->listed = false;
}

/* Takes parts until there are none. A part that was taken is done, unless an earlier one failed. */
static zl_status run_lane(zl_write_job *self, zl_lanes *lanes, zl_output *output, zl_engine_thread *thread, zl_error *err) {
    const zl_pipeline *p = lanes->job->compiled->pipeline;
    const zl_call call = zl_write_call(lanes->job, thread, err);
    const zl_pending own = {p, NULL};
    zl_encode how = zl_write_how(lanes->job, output, &call);
    how.outer = &own;
    how.may_omit = true;
    for (;;) {
        const int64_t position = atomic_fetch_add(&lanes->next_part, 1);
        if (position >= lanes->touched_count || atomic_load(&lanes->damaged)) return ZL_OK;
        const int64_t number = touched_part(lanes, position);
        self->job.part = (uint64_t)number;
        if (zl_job_is_dropped(&self->job)) return ZL_OK;
        zl_encoded *part = &lanes->parts[lanes->sparse ? position : number];
        const zl_worker_mark mark = zl_worker_get_mark(thread->worker);
        const zl_span *old = part->missing ? NULL : &lanes->part_spans[number];
        const zl_status status = zl_split_part(p, &lanes->end, number, old, &how, part);
        zl_worker_reset(thread->worker, mark);
        if (status == ZL_ERR_CORRUPT && lanes->job->repairs && lanes->job->have_old)
            atomic_store(&lanes->damaged, true);
        else
            ZL_TRY(status);
    }
}

bool zl_lanes_run(zl_write_job *job, zl_engine_thread *thread, zl_status *status, zl_error *err) {
    zl_write_op *op = zl_write_op_of(job);
    zl_engine *engine = op->op.engine;
    const zl_call call = zl_write_call(job, thread, err);
    zl_lanes *lanes = job->lanes = lanes_new(job);
    *status = lanes ? begin_parts(lanes, &call)
                    : zl_fail_memory(err, (uint64_t)job->compiled->pipeline->part_count * sizeof(zl_encoded));
    if (*status != ZL_OK) return true;
    zl_mutex_lock(&engine->mutex);
    lanes->running = lanes->used = 1;
    lanes->listed = true;
    lanes->next = op->open;
    op->open = lanes;
    op->op.exhausted = false;
    zl_engine_notify(engine);
    zl_mutex_unlock(&engine->mutex);
    *status = run_lane(job, lanes, &lanes->outputs[0], thread, err);
    if (*status != ZL_OK) zl_write_report(job, *status, err);
    zl_mutex_lock(&engine->mutex);
    unlist(op, lanes); /* all parts are taken, or a failure drops the others */
    const bool last = --lanes->running == 0;
    if (!last) job->job.waits = ZL_WAIT_LANES;
    zl_mutex_unlock(&engine->mutex);
    return last;
}

zl_status zl_lanes_join(zl_write_job *job, zl_engine_thread *thread, zl_encoded *out, zl_error *err) {
    const zl_call call = zl_write_call(job, thread, err);
    const zl_encode how = zl_write_how(job, &thread->output, &call);
    job->job.part = UINT64_MAX;                     /* behind all parts */
    if (zl_job_is_dropped(&job->job)) return ZL_OK; /* one may be lacking */
    if (atomic_load(&job->lanes->damaged)) return zl_fail(err, ZL_ERR_CORRUPT, "an old inner chunk is damaged");
    if (zl_write_op_of(job)->put) return zl_shard_put_take(zl_write_op_of(job)->put, job, thread, err);
    return zl_split_join(job->compiled->pipeline, job->lanes->parts, &how, out);
}

bool zl_lanes_pull(zl_write_op *op, zl_write_job *job) {
    for (zl_lanes *lanes = op->open; lanes; lanes = lanes->next) {
        const zl_pipeline *inner = lanes->job->compiled->pipeline->inner;
        if (lanes->used == lanes->output_count) continue;
        if (!zl_ticket_try(&job->job, zl_sat_add(zl_pipeline_scratch(inner), inner->block_size))) continue;
        job->job.order = lanes->job->job.order;
        memcpy(job->job.key, lanes->job->job.key, strlen(lanes->job->job.key) + 1);
        job->helps = lanes;
        job->lane_output = &lanes->outputs[lanes->used++];
        lanes->running++;
        return true;
    }
    return false;
}

void zl_lanes_help(zl_write_job *job, zl_engine_thread *thread) {
    zl_error error = {0};
    const zl_status status = run_lane(job, job->helps, job->lane_output, thread, &error);
    if (status != ZL_OK) zl_write_report(job, status, &error);
}

void zl_lanes_leave(zl_write_job *job) {
    zl_lanes *lanes = job->helps;
    if (!lanes) return;
    job->helps = NULL;
    unlist(zl_write_op_of(job), lanes);
    if (--lanes->running == 0) zl_job_wake(&lanes->job->job);
}

zl_status zl_part_replace(const zl_write_job *job, zl_engine_thread *thread, zl_encoded *out, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_pipeline *p = job->compiled->pipeline;
    const zl_call call = zl_write_call(job, thread, err);
    const zl_encode how = zl_write_how(job, &thread->output, &call);
    const zl_span old = {job->old.data, job->old.size};
    const size_t count = (size_t)p->part_count;
    zl_encoded *parts = zl_worker_alloc(thread->worker, count * sizeof *parts, _Alignof(zl_encoded));
    zl_span *spans = zl_worker_alloc(thread->worker, count * sizeof *spans, _Alignof(zl_span));
    if (!parts || !spans) return zl_fail_memory(err, count * sizeof *parts);
    ZL_TRY(zl_split_old(p, job->have_old ? &old : NULL, parts, spans, &call));
    const zl_span *data = op->part_data;
    parts[zl_inner_chunk_number(op->array, op->part, p)] =
        data ? (zl_encoded){.spans = data, .count = 1, .size = data->size} : (zl_encoded){.missing = true};
    return zl_split_join(p, parts, &how, out);
}
