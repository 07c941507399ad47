/* SPDX-License-Identifier: MIT */
/*
 * Memory tickets: a job reserves the bytes it will need before it fetches anything. First come, first served, so a large
 * request is never starved; when nobody holds a ticket the first in the queue is granted whatever it asks, so bytes in use
 * are at most max(limit, the largest ticket), and nothing can wait for ever. A ticket never grows while it is held.
 */
#include "engine/op.h"

static bool fits(const zl_engine *engine, uint64_t size) {
    const uint64_t limit = engine->context->memory_limit;
    return engine->used == 0 || zl_sat_add(zl_sat_add(engine->used, engine->standing), size) <= limit;
}

static void take(zl_job *job, uint64_t size) {
    job->op->engine->used = zl_sat_add(job->op->engine->used, size);
    job->ticket = size;
}

bool zl_ticket_try(zl_job *job, uint64_t size) {
    const zl_engine *engine = job->op->engine;
    if (engine->queue || !fits(engine, size)) return false;
    take(job, size);
    return true;
}

bool zl_ticket_ask(zl_job *job, uint64_t size) {
    zl_engine *engine = job->op->engine;
    size = zl_min_u64(size, UINT64_MAX / 4); /* sums of a few stay far from wrapping */
    zl_mutex_lock(&engine->mutex);
    zl_ticket_give(job);
    const bool granted = zl_ticket_try(job, size);
    if (!granted) {
        job->wanted = size;
        job->waits = ZL_WAIT_TICKET;
        job->op->waiting_tickets++;
        job->next = NULL;
        if (engine->queue)
            engine->last_in_queue->next = job;
        else
            engine->queue = job;
        engine->last_in_queue = job;
    }
    zl_mutex_unlock(&engine->mutex);
    return granted;
}

void zl_ticket_give(zl_job *job) {
    if (!job->ticket) return;
    job->op->engine->used -= job->ticket;
    job->ticket = 0;
    zl_ticket_regrant(job->op->engine);
}

void zl_ticket_regrant(zl_engine *engine) {
    while (engine->queue && fits(engine, engine->queue->wanted)) {
        zl_job *job = engine->queue;
        engine->queue = job->next;
        job->op->waiting_tickets--;
        take(job, job->wanted);
        zl_job_wake(job);
    }
}

void zl_ticket_unqueue(zl_job *job) {
    zl_engine *engine = job->op->engine;
    zl_job *before = NULL;
    for (zl_job *at = engine->queue; at != job; at = at->next)
        before = at;
    if (before)
        before->next = job->next;
    else
        engine->queue = job->next;
    if (engine->last_in_queue == job) engine->last_in_queue = before;
    job->op->waiting_tickets--;
}

void zl_ticket_stand(zl_engine *engine, int64_t change) {
    zl_mutex_lock(&engine->mutex);
    engine->standing += (uint64_t)change;
    if (change < 0) zl_ticket_regrant(engine);
    zl_mutex_unlock(&engine->mutex);
}
