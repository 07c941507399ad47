/* SPDX-License-Identifier: MIT */
/*
 * Claims: the right to change one object. They belong to the store and the key, not to a handle or an op, so that writers
 * through different arrays meet. The holder stands in the store's table; who comes later stands in the holder's queue and
 * inherits the place. No job holds a ticket while it waits for a claim: it asks for the claim first.
 */
#include "engine/op.h"
#include "engine/shared.h"

static uint64_t hash_key(const char *key) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (; *key; key++)
        hash = (hash ^ (uint8_t)*key) * 1099511628211u;
    return hash;
}

static zl_job **slot_of(zl_job *job) {
    return &zl_shared_of(job->claim_store)->claims[(job->claim_hash ^ job->claim_hash >> 32) % ZL_CLAIM_BUCKETS];
}

/* The place of the holder of this job's key: `*place` is NULL when there is none. */
static zl_job **find_holder(zl_job *job) {
    zl_job **place = slot_of(job);
    while (*place && ((*place)->claim_hash != job->claim_hash || strcmp((*place)->key, job->key) != 0)) {
        place = &(*place)->claim_next;
    }
    return place;
}

bool zl_claim_ask(zl_job *job, zl_store *store) {
    zl_engine *engine = job->op->engine;
    job->claim_hash = hash_key(job->key);
    zl_mutex_lock(&engine->mutex);
    job->claim_store = store;
    job->waiters = NULL;
    zl_job **place = find_holder(job);
    zl_job *holder = *place;
    if (!holder) {
        job->claim_next = NULL;
        *place = job;
    } else {
        job->waits = ZL_WAIT_CLAIM;
        job->op->waiting_claims++;
        job->next = NULL;
        if (holder->waiters)
            holder->last_waiter->next = job;
        else
            holder->waiters = job;
        holder->last_waiter = job;
    }
    zl_mutex_unlock(&engine->mutex);
    return !holder;
}

/* A job that waits leaves the queue; a holder hands its place to the first who waits. */
void zl_claim_give(zl_job *job) {
    if (!job->claim_store) return;
    zl_job **place = find_holder(job);
    zl_job *holder = *place;
    if (holder != job) {
        zl_job *before = NULL;
        for (zl_job *at = holder->waiters; at != job; at = at->next)
            before = at;
        if (before)
            before->next = job->next;
        else
            holder->waiters = job->next;
        if (holder->last_waiter == job) holder->last_waiter = before;
        job->op->waiting_claims--;
    } else if (job->waiters) {
        zl_job *heir = job->waiters;
        heir->waiters = heir->next;
        heir->last_waiter = job->last_waiter;
        heir->claim_next = job->claim_next;
        *place = heir;
        heir->op->waiting_claims--;
        zl_job_wake(heir);
    } else {
        *place = job->claim_next;
    }
    job->claim_store = NULL;
}
