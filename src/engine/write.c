/* SPDX-License-Identifier: MIT */
/*
 * A write: for each chunk claim, ticket, fetch what is not covered, encode, set or erase. The rules and their reasons are
 * in docs/internals/writing.md.
 */
#include "engine/write.h"

#include "base/worker.h"
#include "codec/run.h"
#include "engine/shard_put.h"

zl_call zl_write_call(const zl_write_job *job, zl_engine_thread *thread, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    return (zl_call){.size = sizeof(zl_call),
                     .allocator = &op->array->context->allocator,
                     .worker = thread->worker,
                     .verify = true,
                     .err = err,
                     .conditional = &job->conditional,
                     .region = &op->plan.box};
}

static zl_store_call store_call(const zl_write_op *op, zl_error *err) {
    return (zl_store_call){sizeof(zl_store_call), op->array->store->allocator, op->op.cancel, err};
}

static uint32_t caps(const zl_write_op *op) {
    return op->array->store->cls->caps;
}

/* ---- before encoding */

/* Where the array ends now, in the chunk: another handle may have moved its edge since the call began. */
static zl_status find_edge(zl_write_job *job, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    zl_box *box = &job->box;
    int64_t edge[ZL_MAX_RANK];
    zl_extent_get_edge(op->array->extent, edge);
    for (int32_t i = 0; i < box->rank; i++) {
        const int64_t last = box->start[i] + (box->shape[i] - 1) * box->step[i];
        if (job->origin[i] + last >= edge[i]) {
            return zl_fail(err, ZL_ERR_CONFLICT, "the array was shrunk along axis %d to %lld elements while it is written",
                           (int)i, (long long)edge[i]);
        }
        box->edge[i] = zl_min_i64(edge[i] - job->origin[i], job->shape.dim[i]);
    }
    return ZL_OK;
}

/* Decides, under the claim, what of the old chunk is needed. Where other processes may write, one of them may have grown
 * the array, so a chunk is covered only if all of it is, padding included. */
static zl_status decide_cover(zl_write_job *job, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    const bool raw = op->resets || op->part;
    if (!raw) ZL_TRY(find_edge(job, err));
    if (op->part) ZL_TRY(zl_engine_array_check_origin(op->array, op->part->origin, err));
    if (op->put) {
        job->covered = true;
        return ZL_OK;
    }
    if (raw || (caps(op) & ZL_STORE_SHARED)) {
        job->repairs = job->repairs || (!raw && zl_box_covers(&job->box));
        memcpy(job->box.edge, job->shape.dim, sizeof job->box.edge);
    }
    job->covered = !raw && (job->ignores_old || zl_box_covers(&job->box));
    return ZL_OK;
}

/* Bytes of elements whose size only they tell: one pass over the slots. */
static uint64_t variable_size(const zl_box *box, const zl_shape *chunk) {
    uint64_t sum = 0;
    zl_runs runs;
    zl_runs_begin(&runs, box, chunk);
    while (zl_runs_next(&runs)) {
        for (int64_t k = 0; k < runs.count; k++) {
            zl_slot slot;
            memcpy(&slot, runs.data + k * runs.stride, sizeof slot);
            sum = zl_sat_add(sum, zl_sat_add(slot.size, sizeof slot));
        }
    }
    return sum;
}

/* What the job reserves: the old object, everything encoded, and scratch of one lane. */
static uint64_t ticket_size(const zl_write_job *job) {
    const zl_pipeline *p = job->compiled->pipeline;
    uint64_t encoded = zl_write_op_of(job)->put ? zl_shard_put_bound(job) : p->bounds[p->bb_count];
    if (encoded == UINT64_MAX) {
        encoded = zl_sat_add(variable_size(&job->box, &p->top_shape), zl_sat_mul(job->expected, 4));
        encoded = zl_sat_mul(2, encoded);
    }
    const uint64_t block = p->kind == ZL_END_SPLIT ? p->inner->block_size : p->block_size;
    return zl_sat_add(zl_sat_add(job->expected, encoded), zl_sat_add(zl_pipeline_scratch(p), block));
}

/* Size of the old object, where one is needed. */
static zl_status look_at_old(zl_write_job *job, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_store *store = op->array->store;
    const zl_store_call call = store_call(op, err);
    if (job->conflicts == 0) job->began = zl_clock_us();
    ZL_TRY(decide_cover(job, err));
    job->expected = 0;
    if (job->covered) return ZL_OK;
    zl_object_info info = {0};
    const zl_status status = store->cls->info(store->self, job->job.key, &info, &call);
    if (status != ZL_OK && status != ZL_ERR_NOT_FOUND) return status;
    job->expected = info.size;
    return ZL_OK;
}

/* Fetches the old object. `*grown`: it is larger now than the ticket allows for. */
static zl_status fetch_old(zl_write_job *job, bool *grown, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_store *store = op->array->store;
    const zl_store_call call = store_call(op, err);
    *grown = job->have_old = false;
    if (job->covered) return ZL_OK; /* a damaged object is the one to replace, as `info` says */
    job->info = (zl_object_info){0};
    zl_request request = {.length = ZL_TO_END, .cap = job->expected ? (size_t)job->expected : 1};
    const zl_status status = store->cls->get(store->self, job->job.key, &request, 1, NULL, &job->info, &call);
    *grown = status == ZL_ERR_LIMIT;
    if (status == ZL_ERR_NOT_FOUND || *grown) return ZL_OK;
    ZL_TRY(status);
    job->old = request.bytes;
    job->have_old = true;
    return ZL_OK;
}

/* ---- encoding and storing */

/* Does what is stored depend on the old object? Then it must still be there, where the store can tell. */
static bool is_conditional(const zl_write_job *job) {
    return (!job->covered || job->ignores_old) && (caps(zl_write_op_of(job)) & ZL_STORE_CONDITIONAL);
}

zl_encode zl_write_how(const zl_write_job *job, zl_output *output, const zl_call *call) {
    const zl_write_op *op = zl_write_op_of(job);
    /* A read-modify-write must not erase blindly where others write. */
    const bool blind = is_conditional(job) && !(caps(op) & ZL_STORE_CONDITIONAL_ERASE);
    return (zl_encode){.may_omit = !blind, .keep_fill = op->keep_fill, .output = output, .call = call};
}

static zl_status store_result(zl_write_job *job, const zl_encoded *encoded, zl_error *err) {
    zl_write_op *op = zl_write_op_of(job);
    const zl_store *store = op->array->store;
    const zl_store_call call = store_call(op, err);
    /* A read-modify-write that somebody overtook is done again; "absent" is a generation of its own. */
    const zl_condition condition = {ZL_IF_GENERATION, job->info.generation};
    const zl_condition *when = is_conditional(job) ? &condition : NULL;
    if (op->put || zl_op_failed(&op->op)) return ZL_OK; /* nothing is stored after a failure or a cancel */
    if (!encoded->missing) {
        const zl_status status = store->cls->set(store->self, job->job.key, encoded->spans, encoded->count, when, &call);
        if (status == ZL_OK) atomic_fetch_add(&op->op.stored_bytes, encoded->size);
        return status;
    }
    if (!job->covered && !job->have_old) return ZL_OK; /* it is absent already */
    const zl_status status = store->cls->erase(store->self, job->job.key, when, &call);
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

static zl_status encode_whole(zl_write_job *job, zl_engine_thread *thread, zl_encoded *out, zl_error *err) {
    const zl_write_op *op = zl_write_op_of(job);
    if (op->part) return zl_part_replace(job, thread, out, err);
    const zl_call call = zl_write_call(job, thread, err);
    const zl_encode how = zl_write_how(job, &thread->output, &call);
    const zl_span old = {job->old.data, job->old.size};
    return zl_encode_chunk(job->compiled->pipeline, &job->box, job->have_old ? &old : NULL, &how, out);
}

/* ---- jobs */

void zl_write_report(zl_write_job *job, zl_status status, zl_error *error) {
    if (status == ZL_OK) {
        zl_op_progress(job->job.op, (uint64_t)zl_box_count(&job->box));
        return;
    }
    zl_error_wrap(error, status, "chunk %s: ", job->job.key);
    error->status = status;
    zl_job_fail(&job->job, error);
}

/* The next chunk of a reset: one fill value, with strides of 0, is the source. */
static bool next_reset(zl_write_op *op, zl_write_job *job) {
    const zl_engine_array *array = op->array;
    const zl_metadata *meta = array->meta;
    int64_t coords[ZL_MAX_RANK];
    if (!op->resets(op->resets_user, coords)) return false;
    op->plan.order++;
    zl_engine_array_key(array, coords, job->job.key, op->op.key_cap);
    job->shape.rank = job->box.rank = meta->shape.rank;
    job->box.data = (char *)meta->fill;
    for (int32_t i = 0; i < meta->shape.rank; i++) {
        meta->grid->span(meta->grid_self, i, coords[i], &job->origin[i], &job->shape.dim[i]);
        job->box.start[i] = i == op->reset_axis ? op->reset_at - job->origin[i] : 0;
        job->box.shape[i] = job->shape.dim[i] - job->box.start[i];
        job->box.step[i] = 1;
    }
    return true;
}

/* The one chunk of which a part is replaced. No element of the caller is needed: the box stands for none. */
static bool next_part(zl_write_op *op, zl_write_job *job) {
    if (op->part_pulled) return false;
    op->part_pulled = true;
    zl_engine_array_key(op->array, op->part->shard, job->job.key, op->op.key_cap);
    job->shape = op->part->shard_shape;
    job->box = (zl_box){.rank = 0, .data = (char *)op->array->meta->fill};
    return true;
}

static bool next_chunk(zl_write_op *op, zl_write_job *job) {
    if (op->resets) return next_reset(op, job);
    if (op->part) return next_part(op, job);
    return zl_plan_next(&op->plan, job->job.key, op->op.key_cap, &job->shape, &job->box, job->origin);
}

static bool pull(zl_op *base, zl_job *job) {
    zl_write_op *op = (zl_write_op *)base;
    zl_write_job *write = (zl_write_job *)job;
    if (!zl_op_failed(base)) {
        if (zl_lanes_pull(op, write)) return true;
        job->order = op->plan.order;
        if (next_chunk(op, write)) return true;
    }
    base->exhausted = zl_op_failed(base) || op->open == NULL;
    return false;
}

/* What an attempt leaves with its thread goes back, as it does after a job. */
static void forget_attempt(zl_engine_thread *thread, zl_worker_mark mark) {
    zl_worker_reset(thread->worker, mark);
    zl_worker_end_job(thread->worker);
    zl_output_reset(&thread->output);
}

/* After an attempt: does the job look at the old object again? */
static bool starts_over(zl_write_job *job, bool grown, zl_status *status, zl_error *err) {
    const bool damaged = *status == ZL_ERR_CORRUPT && job->repairs && job->have_old;
    zl_bytes_release(&job->old);
    zl_lanes_forget(job);
    if (zl_job_is_dropped(&job->job)) return false;
    if (damaged) { /* only padding would be lost with the old chunk */
        job->ignores_old = true;
        job->have_old = false;
        *status = ZL_OK;
        return true;
    }
    if (*status != ZL_ERR_CONFLICT) return grown && *status == ZL_OK;
    job->ignores_old = false; /* another one stands there now */
    return zl_conflict_again(job, err);
}

/* From the ticket to the store. False: the job is parked. */
static bool attempt(zl_write_job *job, zl_engine_thread *thread, bool *grown, zl_status *status, zl_error *err) {
    zl_encoded encoded = {0};
    *grown = false;
    if (job->job.stage == ZL_WRITE_FETCH) {
        *status = fetch_old(job, grown, err);
        if (*status != ZL_OK || *grown || (zl_write_op_of(job)->resets && !job->have_old)) return true;
        if (zl_lanes_wanted(job)) {
            job->job.stage = ZL_WRITE_JOIN;
            if (!zl_lanes_run(job, thread, status, err)) return false;
        } else if (zl_pieces_wanted(job)) {
            *status = zl_pieces_write(job, thread, &encoded.missing, err);
            if (*status != ZL_OK || !encoded.missing) return true;
        } else {
            *status = encode_whole(job, thread, &encoded, err);
        }
    }
    if (*status == ZL_OK && job->job.stage == ZL_WRITE_JOIN) *status = zl_lanes_join(job, thread, &encoded, err);
    if (*status == ZL_OK) *status = store_result(job, &encoded, err);
    return true;
}

static zl_job_state run(zl_job *base, zl_engine_thread *thread) {
    zl_write_job *job = (zl_write_job *)base;
    if (job->helps) {
        zl_lanes_help(job, thread);
        return ZL_JOB_DONE;
    }
    zl_error error = {0};
    zl_status status = ZL_OK;
    bool grown;
    const zl_worker_mark mark = zl_worker_get_mark(thread->worker);
    if (base->stage == ZL_WRITE_START) {
        base->stage = ZL_WRITE_PLAN;
        job->conditional = zl_write_op_of(job)->conditional;
        job->conditional.key = base->key;
        const zl_write_op *op = zl_write_op_of(job);
        status = zl_engine_array_take(op->array, &job->shape, &op->plan.view, &job->compiled, &error);
        if (status != ZL_OK) {
            zl_write_report(job, status, &error);
            return ZL_JOB_DONE;
        }
        if (!zl_claim_ask(base, zl_write_op_of(job)->array->store)) return ZL_JOB_PARKED;
    }
    do {
        if (base->stage == ZL_WRITE_PLAN) {
            status = look_at_old(job, &error);
            if (status != ZL_OK) break;
            base->stage = ZL_WRITE_FETCH;
            if (!zl_ticket_ask(base, ticket_size(job))) return ZL_JOB_PARKED;
        }
        if (!attempt(job, thread, &grown, &status, &error)) return ZL_JOB_PARKED;
        forget_attempt(thread, mark);
        base->stage = ZL_WRITE_PLAN;
    } while (starts_over(job, grown, &status, &error));
    zl_write_report(job, status, &error);
    return ZL_JOB_DONE;
}

static void end(zl_job *base) {
    zl_write_job *job = (zl_write_job *)base;
    zl_lanes_leave(job);
    zl_bytes_release(&job->old);
    zl_lanes_forget(job);
    zl_engine_array_give(zl_write_op_of(job)->array, job->compiled);
}

static const zl_op_class write_class = {sizeof(zl_write_job), pull, run, end};

static zl_status run_write(zl_write_op *op, uint64_t elements, const zl_write_options *options, zl_error *err) {
    zl_engine_array *array = op->array;
    op->conditional = (zl_conditional){options->conditional, options->on_conditional, options->conditional_user, NULL};
    const zl_op_settings settings = {.threads = options->threads,
                                     .cancel = options->cancel,
                                     .on_progress = options->on_progress,
                                     .progress_user = options->progress_user,
                                     .elements_total = elements,
                                     .key_cap = zl_engine_array_key_max(array)};
    const int32_t epoch = zl_extent_enter(array->extent);
    const zl_status status = zl_op_run(&op->op, array->context->engine, &settings, err);
    zl_extent_leave(array->extent, epoch);
    return status;
}

zl_status zl_engine_write(zl_engine_array *array, zl_shard_put *put, const zl_engine_region *region, const void *src,
                          const zl_write_options *options, zl_error *err) {
    zl_write_op op = {.op = {.cls = &write_class}, .array = array, .put = put, .keep_fill = options->keep_fill};
    zl_plan_begin(&op.plan, array, region, (void *)src);
    return run_write(&op, (uint64_t)zl_box_count(&op.plan.box), options, err);
}

zl_status zl_engine_reset(zl_engine_array *array, int32_t axis, int64_t at, zl_chunk_source source, void *user,
                          zl_error *err) {
    static const zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    zl_write_op op = {.op = {.cls = &write_class},
                      .array = array,
                      .resets = source,
                      .resets_user = user,
                      .reset_axis = axis,
                      .reset_at = at};
    return run_write(&op, 0, &options, err);
}

zl_status zl_engine_replace_inner(zl_engine_array *array, const int64_t *coords, const zl_span *data, zl_error *err) {
    static const zl_write_options options = {.size = sizeof options, .threads = 1};
    zl_inner_chunk chunk;
    zl_inner_chunk_find(array, coords, &chunk);
    zl_write_op op = {.op = {.cls = &write_class}, .array = array, .part = &chunk, .part_data = data};
    return run_write(&op, 0, &options, err);
}
