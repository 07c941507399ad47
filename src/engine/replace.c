/* SPDX-License-Identifier: MIT */
/* Chunk objects replaced or erased as they are, without decoding: like every change of an object, under its claim. */
#include "engine/array.h"

typedef struct replace_op {
    zl_op op;
    zl_engine_array *array;
    zl_chunk_source source;
    void *user;
    const zl_span *data; /* NULL: erase */
    uint64_t order;
} replace_op;

typedef struct replace_job {
    zl_job job;
    int64_t coords[ZL_MAX_RANK];
} replace_job;

enum { START, REPLACE };

static bool pull(zl_op *base, zl_job *job) {
    replace_op *op = (replace_op *)base;
    int64_t *coords = ((replace_job *)job)->coords;
    if (zl_op_failed(base) || !op->source(op->user, coords)) {
        base->exhausted = true;
        return false;
    }
    zl_engine_array_key(op->array, coords, job->key, base->key_cap);
    job->order = op->order++;
    job->stage = START;
    return true;
}

static zl_status replace(const replace_op *op, const replace_job *job, zl_error *err) {
    const zl_store *store = op->array->store;
    const zl_metadata *meta = op->array->meta;
    const zl_store_call call = {sizeof call, store->allocator, op->op.cancel, err};
    if (!op->data) {
        const zl_status status = store->cls->erase(store->self, job->job.key, NULL, &call);
        return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    }
    int64_t origin[ZL_MAX_RANK], length;
    for (int32_t i = 0; i < meta->shape.rank; i++)
        meta->grid->span(meta->grid_self, i, job->coords[i], &origin[i], &length);
    ZL_TRY(zl_engine_array_check_origin(op->array, origin, err));
    return store->cls->set(store->self, job->job.key, op->data, 1, NULL, &call);
}

static zl_job_state run(zl_job *job, zl_engine_thread *thread) {
    (void)thread;
    replace_op *op = (replace_op *)job->op;
    if (job->stage == START) {
        job->stage = REPLACE;
        if (!zl_claim_ask(job, op->array->store)) return ZL_JOB_PARKED;
    }
    zl_error error = {0};
    const zl_status status = replace(op, (const replace_job *)job, &error);
    if (status != ZL_OK) {
        zl_error_wrap(&error, status, "chunk %s: ", job->key);
        error.status = status;
        zl_job_fail(job, &error);
    }
    return ZL_JOB_DONE;
}

static void end(zl_job *job) {
    (void)job;
}

static const zl_op_class replace_class = {sizeof(replace_job), pull, run, end};

static zl_status run_replace(replace_op *op, zl_error *err) {
    const zl_op_settings settings = {.key_cap = zl_engine_array_key_max(op->array)};
    const int32_t epoch = zl_extent_enter(op->array->extent);
    const zl_status status = zl_op_run(&op->op, op->array->context->engine, &settings, err);
    zl_extent_leave(op->array->extent, epoch);
    return status;
}

zl_status zl_engine_erase(zl_engine_array *array, zl_chunk_source source, void *user, zl_error *err) {
    replace_op op = {.op = {.cls = &replace_class}, .array = array, .source = source, .user = user};
    return run_replace(&op, err);
}

typedef struct one {
    const int64_t *coords;
    int32_t rank;
} one;

static bool only_one(void *user, int64_t *coords) {
    one *self = user;
    if (!self->coords) return false;
    memcpy(coords, self->coords, (size_t)self->rank * sizeof *coords);
    self->coords = NULL;
    return true;
}

zl_status zl_engine_replace(zl_engine_array *array, const int64_t *coords, const zl_span *data, zl_error *err) {
    one source = {coords, array->meta->shape.rank};
    replace_op op = {.op = {.cls = &replace_class}, .array = array, .source = only_one, .user = &source, .data = data};
    return run_replace(&op, err);
}
