/* SPDX-License-Identifier: MIT */
/* The pool: threads that pull jobs of ops and run them until all are done. */
#include <fenv.h>

#include "base/worker.h"
#include "engine/op.h"

#define SCRATCH_KEPT (64 * ZL_MIB) /* by an idle thread, of either kind; less where the memory limit is low */

void zl_engine_notify(zl_engine *engine) {
    if (engine->sleepers) zl_cond_broadcast(&engine->changed);
}

/* ---- jobs, locked */

static zl_job *job_new(zl_op *op) {
    zl_job *job = op->spare;
    if (job) {
        op->spare = job->next;
    } else {
        job = zl_alloc(&op->engine->context->allocator, op->cls->job_size + op->key_cap, 16);
        if (!job) return NULL;
    }
    memset(job, 0, op->cls->job_size);
    job->op = op;
    job->key = (char *)job + op->cls->job_size;
    return job;
}

static void job_link(zl_job *job) {
    zl_op *op = job->op;
    job->all_next = op->all;
    if (op->all) op->all->all_before = job;
    op->all = job;
    op->job_count++;
}

/* Everything the job held goes back, and whoever waits for it wakes. */
static void job_end(zl_job *job) {
    zl_op *op = job->op;
    op->cls->end(job);
    zl_claim_give(job);
    zl_ticket_give(job);
    if (job->all_next) job->all_next->all_before = job->all_before;
    if (job->all_before)
        job->all_before->all_next = job->all_next;
    else
        op->all = job->all_next;
    op->job_count--;
    job->next = op->spare;
    op->spare = job;
    zl_engine_notify(op->engine);
}

void zl_job_wake(zl_job *job) {
    zl_op *op = job->op;
    job->waits = ZL_WAIT_NOTHING;
    job->next = NULL;
    if (op->ready)
        op->last_ready->next = job;
    else
        op->ready = job;
    op->last_ready = job;
    zl_engine_notify(op->engine);
}

void zl_job_finish(zl_job *job) {
    zl_engine *engine = job->op->engine;
    zl_mutex_lock(&engine->mutex);
    job_end(job);
    zl_mutex_unlock(&engine->mutex);
}

/* ---- ops */

bool zl_op_drops(const zl_op *op, uint64_t order, uint64_t part) {
    if (!zl_op_failed(op)) return false;
    return op->error_order < order || (op->error_order == order && op->error_part <= part);
}

bool zl_job_is_dropped(const zl_job *job) {
    zl_op *op = job->op;
    if (!zl_op_failed(op)) return false;
    zl_mutex_lock(&op->engine->mutex);
    const bool dropped = zl_op_drops(op, job->order, job->part);
    zl_mutex_unlock(&op->engine->mutex);
    return dropped;
}

/* Locked. */
static void op_fail(zl_op *op, uint64_t order, uint64_t part, const zl_error *error) {
    if (zl_op_drops(op, order, part)) return;
    op->error = *error;
    op->error_order = order;
    op->error_part = part;
    atomic_store(&op->status, (int)error->status);
    /* Dropped jobs that wait for others leave their queues now. */
    for (zl_job *job = op->all, *next; job; job = next) {
        next = job->all_next;
        const bool waits = job->waits == ZL_WAIT_TICKET || job->waits == ZL_WAIT_CLAIM;
        if (!waits || !zl_op_drops(op, job->order, job->part)) continue; /* the part of one that runs is its thread's */
        if (job->waits == ZL_WAIT_TICKET) zl_ticket_unqueue(job);
        job_end(job);
    }
}

void zl_job_fail(zl_job *job, const zl_error *error) {
    zl_mutex_lock(&job->op->engine->mutex);
    op_fail(job->op, job->order, job->part, error);
    zl_mutex_unlock(&job->op->engine->mutex);
}

/* A cancel stands before all jobs: the call ends without waiting for other calls. */
static void cancel(zl_op *op, const char *message) {
    zl_error error = {0};
    zl_fail(&error, ZL_ERR_CANCELLED, "%s", message);
    zl_mutex_lock(&op->engine->mutex);
    op_fail(op, 0, 0, &error);
    zl_mutex_unlock(&op->engine->mutex);
}

static void check_cancel(zl_op *op) {
    if (zl_cancelled(op->cancel)) cancel(op, "cancelled");
}

void zl_op_progress(zl_op *op, uint64_t elements) {
    const uint64_t done = atomic_fetch_add(&op->elements_done, elements) + elements;
    if (!op->on_progress) return;
    zl_mutex_lock(&op->progress_mutex); /* also while it cancels: nobody calls back after that */
    const zl_progress progress = {done, op->elements_total, atomic_load(&op->stored_bytes)};
    if (!zl_op_failed(op) && !op->on_progress(op->progress_user, &progress)) {
        cancel(op, "cancelled by the progress callback");
    }
    zl_mutex_unlock(&op->progress_mutex);
}

static bool op_finished(const zl_op *op) {
    return op->threads == 0 && op->job_count == 0 && op->exhausted;
}

/* An op pulls nothing new while one of its jobs waits for a ticket, or as many as there are threads wait for claims: the
 * plan stays an iterator and needs memory for a few jobs only. */
static bool may_pull(const zl_op *op) {
    return !op->exhausted && op->waiting_tickets == 0 && op->waiting_claims < op->thread_limit;
}

static zl_job *next_job(zl_op *op) {
    zl_job *job = op->ready;
    if (job) {
        op->ready = job->next;
        return job;
    }
    if (!may_pull(op)) return NULL;
    job = job_new(op);
    if (!job) {
        static const zl_error error = {ZL_ERR_NO_MEMORY, 0, "out of memory: job"};
        op_fail(op, 0, 0, &error);
        op->exhausted = true;
        return NULL;
    }
    if (!op->cls->pull(op, job)) {
        job->next = op->spare;
        op->spare = job;
        return NULL;
    }
    job_link(job);
    return job;
}

/* Runs one job of the op; false when there is none to run. Locked before and after. */
static bool work(zl_op *op, zl_engine_thread *thread) {
    if (op->threads >= op->thread_limit) return false;
    zl_job *job = next_job(op);
    if (!job) return false;
    zl_engine *engine = op->engine;
    op->threads++;
    zl_mutex_unlock(&engine->mutex);
    check_cancel(op);
    zl_job_state state = ZL_JOB_DONE;
    if (!zl_job_is_dropped(job)) {
        const zl_worker_mark mark = zl_worker_get_mark(thread->worker);
        state = op->cls->run(job, thread);
        zl_worker_reset(thread->worker, mark);
        zl_worker_end_job(thread->worker);
        zl_output_reset(&thread->output);
    }
    zl_mutex_lock(&engine->mutex);
    op->threads--;
    if (state == ZL_JOB_DONE) job_end(job);
    if (op_finished(op)) zl_engine_notify(engine);
    return true;
}

static void sleep_until_changed(zl_engine *engine, bool watch_cancel) {
    engine->sleepers++;
    if (watch_cancel)
        zl_cond_wait_ms(&engine->changed, &engine->mutex, 50);
    else
        zl_cond_wait(&engine->changed, &engine->mutex);
    engine->sleepers--;
}

/* ---- threads */

static zl_engine_thread *thread_state_new(zl_engine *engine) {
    const zl_allocator *allocator = &engine->context->allocator;
    zl_engine_thread *thread = ZL_NEW(allocator, zl_engine_thread);
    if (!thread) return NULL;
    thread->worker = zl_worker_new(allocator);
    if (!thread->worker) {
        ZL_DELETE(allocator, thread);
        return NULL;
    }
    zl_output_init(&thread->output, allocator);
    return thread;
}

static void thread_state_free(zl_engine *engine, zl_engine_thread *thread) {
    zl_output_clear(&thread->output);
    zl_worker_free(thread->worker);
    ZL_DELETE(&engine->context->allocator, thread);
}

static zl_engine_thread *take_thread_state(zl_engine *engine) {
    zl_mutex_lock(&engine->mutex);
    zl_engine_thread *thread = engine->idle;
    if (thread) engine->idle = thread->next;
    zl_mutex_unlock(&engine->mutex);
    return thread ? thread : thread_state_new(engine);
}

static void give_thread_state(zl_engine *engine, zl_engine_thread *thread) {
    /* Nobody counts it, so all threads together keep no more than a quarter of what may be reserved. */
    const uint64_t share = engine->context->memory_limit / (8 * (uint64_t)engine->context->threads);
    const size_t kept = (size_t)zl_min_u64(SCRATCH_KEPT, share);
    zl_worker_trim(thread->worker, kept);
    if (thread->output.size > kept) zl_output_clear(&thread->output);
    zl_mutex_lock(&engine->mutex);
    thread->next = engine->idle;
    engine->idle = thread;
    zl_mutex_unlock(&engine->mutex);
}

static void *worker_main(void *argument) {
    zl_engine *engine = argument;
    zl_engine_thread *thread = take_thread_state(engine);
    if (!thread) return NULL; /* the others do the work */
    zl_mutex_lock(&engine->mutex);
    while (!engine->stopping) {
        bool worked = false;
        for (zl_op *op = engine->ops; op && !worked; op = op->next)
            worked = op->thread_limit > 1 && work(op, thread); /* one thread is the caller's */
        if (!worked) sleep_until_changed(engine, false);
    }
    zl_mutex_unlock(&engine->mutex);
    give_thread_state(engine, thread);
    return NULL;
}

/* A forked child has the memory of its parent's workers, not the workers. An idle one may have held the lock for a moment,
 * or have slept: lock and condition are made anew, for they would wait for it. The first thread of the child that comes
 * here does so, others wait; it has to happen before anybody locks. */
static void notice_fork(zl_engine *engine) {
    enum { BEING_MADE = -1 };
    const long long here = zl_process_id();
    long long found = atomic_load(&engine->process);
    while (found != here) {
        if (found != BEING_MADE && atomic_compare_exchange_weak(&engine->process, &found, BEING_MADE)) {
            engine->worker_count = 0;
            engine->sleepers = 0;
            (void)zl_mutex_init(&engine->mutex, NULL);
            (void)zl_cond_init(&engine->changed, NULL);
            atomic_store(&engine->process, here);
            return;
        }
        found = atomic_load(&engine->process);
    }
}

/* Makes workers up to `count`; fewer than asked for is no failure: the caller works too. Locked. */
static void start_workers(zl_engine *engine, int32_t count) {
    if (count > engine->worker_cap) count = engine->worker_cap;
    while (engine->worker_count < count) {
        if (zl_thread_start(&engine->workers[engine->worker_count], worker_main, engine, NULL) != ZL_OK) return;
        engine->worker_count++;
    }
}

static void unlink_op(zl_op *op) {
    zl_op **place = &op->engine->ops;
    while (*place != op)
        place = &(*place)->next;
    *place = op->next;
}

static void run_op(zl_op *op, zl_engine_thread *thread) {
    zl_engine *engine = op->engine;
    zl_mutex_lock(&engine->mutex);
    start_workers(engine, op->thread_limit - 1);
    op->next = engine->ops;
    engine->ops = op;
    zl_engine_notify(engine);
    while (!op_finished(op)) {
        if (work(op, thread) || op_finished(op)) continue;
        sleep_until_changed(engine, op->cancel != NULL);
        zl_mutex_unlock(&engine->mutex);
        check_cancel(op);
        zl_mutex_lock(&engine->mutex);
    }
    unlink_op(op);
    zl_mutex_unlock(&engine->mutex);
}

zl_status zl_op_run(zl_op *op, zl_engine *engine, const zl_op_settings *settings, zl_error *err) {
    const zl_allocator *allocator = &engine->context->allocator;
    op->engine = engine;
    op->key_cap = settings->key_cap;
    notice_fork(engine);
    const int32_t most = engine->context->threads;
    op->thread_limit = settings->threads > 0 && settings->threads < most ? settings->threads : most;
    op->cancel = settings->cancel;
    op->on_progress = settings->on_progress;
    op->progress_user = settings->progress_user;
    op->elements_total = settings->elements_total;
    ZL_TRY(zl_mutex_init(&op->progress_mutex, err));
    zl_engine_thread *thread = take_thread_state(engine);
    if (!thread) {
        zl_mutex_clear(&op->progress_mutex);
        return zl_fail_memory(err, sizeof *thread);
    }
    /* Codecs compute in the default floating-point environment, whatever the caller's is. */
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    run_op(op, thread);
    fesetenv(&environment);
    give_thread_state(engine, thread);
    while (op->spare) {
        zl_job *job = op->spare;
        op->spare = job->next;
        zl_free(allocator, job, op->cls->job_size + op->key_cap);
    }
    zl_mutex_clear(&op->progress_mutex);
    const zl_status status = (zl_status)atomic_load(&op->status);
    if (status != ZL_OK && err) *err = op->error;
    return status;
}

/* ---- engine */

zl_status zl_engine_new(zl_engine **out, zl_context *context, zl_error *err) {
    zl_engine *engine = ZL_NEW(&context->allocator, zl_engine);
    if (!engine) return zl_fail_memory(err, sizeof *engine);
    engine->context = context;
    engine->worker_cap = context->threads - 1;
    atomic_init(&engine->process, zl_process_id());
    const size_t workers = (size_t)engine->worker_cap * sizeof *engine->workers;
    engine->workers = workers ? zl_alloc(&context->allocator, workers, _Alignof(zl_thread)) : NULL;
    zl_status status = workers && !engine->workers ? zl_fail_memory(err, workers) : ZL_OK;
    if (status == ZL_OK && (status = zl_mutex_init(&engine->mutex, err)) == ZL_OK) {
        status = zl_cond_init(&engine->changed, err);
        if (status != ZL_OK) zl_mutex_clear(&engine->mutex);
    }
    if (status != ZL_OK) {
        zl_free(&context->allocator, engine->workers, workers);
        ZL_DELETE(&context->allocator, engine);
        return status;
    }
    *out = engine;
    return ZL_OK;
}

void zl_engine_free(zl_engine *engine) {
    notice_fork(engine);
    zl_mutex_lock(&engine->mutex);
    engine->stopping = true;
    zl_engine_notify(engine);
    const int32_t count = engine->worker_count;
    zl_mutex_unlock(&engine->mutex);
    for (int32_t i = 0; i < count; i++)
        zl_thread_join(engine->workers[i]);
    while (engine->idle) {
        zl_engine_thread *thread = engine->idle;
        engine->idle = thread->next;
        thread_state_free(engine, thread);
    }
    const zl_allocator *allocator = &engine->context->allocator;
    zl_cond_clear(&engine->changed);
    zl_mutex_clear(&engine->mutex);
    zl_free(allocator, engine->workers, (size_t)engine->worker_cap * sizeof *engine->workers);
    ZL_DELETE(allocator, engine);
}
