/* SPDX-License-Identifier: MIT */
/*
 * Jobs, and the one flat pool that runs them. An op is one read or write call: an iterator of jobs, pulled by the caller's
 * thread and by the context's workers. A job that must wait for a claim or a ticket is parked in a queue and its thread
 * takes another: a thread never waits inside a job, so nothing here can deadlock. docs/internals/engine.md tells the rules.
 *
 * One lock per context guards everything in this header; it is never held during I/O, decoding or copying.
 */
#ifndef ZL_ENGINE_OP_H
#define ZL_ENGINE_OP_H

#include <stdatomic.h>

#include "engine/context.h"
#include "pipeline/pipeline.h"
#include "store/store.h"

typedef struct zl_op zl_op;
typedef struct zl_job zl_job;

/* What a thread that runs jobs has for itself. */
typedef struct zl_engine_thread {
    zl_worker *worker;
    zl_output output; /* encoded bytes of the job that runs; empty between jobs */
    struct zl_engine_thread *next;
} zl_engine_thread;

typedef enum zl_wait { ZL_WAIT_NOTHING, ZL_WAIT_TICKET, ZL_WAIT_CLAIM, ZL_WAIT_LANES } zl_wait;
typedef enum zl_job_state { ZL_JOB_DONE, ZL_JOB_PARKED } zl_job_state;

struct zl_job {
    zl_op *op;
    zl_job *next;                  /* in the queue the job stands in */
    zl_job *all_next, *all_before; /* all jobs of the op */
    uint64_t order, part;          /* place in the plan, and in the chunk: decide which failure is reported */
    int32_t stage;                 /* the op's own: where run goes on */
    zl_wait waits;
    uint64_t ticket, wanted; /* bytes held, bytes asked for */
    char *key;               /* behind the job, key_cap bytes */
    /* A claim: the holder stands in its store's table, others in the holder's queue. */
    zl_store *claim_store; /* NULL = none held or wanted */
    uint64_t claim_hash;
    zl_job *claim_next; /* in the table's bucket */
    zl_job *waiters, *last_waiter;
};

typedef struct zl_op_class {
    size_t job_size;
    /* Fills the next job; false when there is none now. Sets op->exhausted when there will be none. After a failure only
     * jobs that zl_op_drops spares may come. Locked. */
    bool (*pull)(zl_op *op, zl_job *job);
    /* Runs a job from its stage on; failures go to zl_job_fail. Unlocked. */
    zl_job_state (*run)(zl_job *job, zl_engine_thread *thread);
    /* Gives back what the job holds besides claim and ticket. Locked. */
    void (*end)(zl_job *job);
} zl_op_class;

struct zl_op {
    const zl_op_class *cls;
    zl_engine *engine;
    zl_op *next; /* in the engine's list */
    size_t key_cap;
    int32_t thread_limit;
    int32_t threads; /* at work in it now */
    bool exhausted;
    int32_t job_count; /* running, ready and parked */
    int32_t waiting_tickets, waiting_claims;
    zl_job *all;
    zl_job *ready, *last_ready;
    zl_job *spare;
    atomic_int status; /* zl_status of the failure that stands first in the plan, of those so far */
    uint64_t error_order, error_part;
    zl_error error;
    const zl_cancel *cancel;
    zl_progress_fn on_progress;
    void *progress_user;
    zl_mutex progress_mutex;
    atomic_ullong elements_done, stored_bytes;
    uint64_t elements_total;
};

struct zl_engine {
    zl_context *context;
    zl_mutex mutex;
    zl_cond changed;
    int32_t sleepers;
    zl_op *ops;
    zl_engine_thread *idle; /* thread states not in use */
    zl_thread *workers;
    int32_t worker_count, worker_cap;
    bool stopping;
    atomic_llong process; /* that the workers live in: after a fork there are none */
    /* tickets */
    uint64_t used, standing; /* held by jobs; and by shard indexes in use, which never wait */
    zl_job *queue, *last_in_queue;
};

zl_status zl_engine_new(zl_engine **out, zl_context *context, zl_error *err);
void zl_engine_free(zl_engine *engine);

/* Runs an op to its end on this thread and the workers; returns its status with the error in `err`. The caller has set cls
 * and its own members; the rest comes from the arguments. */
typedef struct zl_op_settings {
    int32_t threads;
    const zl_cancel *cancel;
    zl_progress_fn on_progress;
    void *progress_user;
    uint64_t elements_total;
    size_t key_cap;
} zl_op_settings;
zl_status zl_op_run(zl_op *op, zl_engine *engine, const zl_op_settings *settings, zl_error *err);

/* ---- for jobs */

/* Records a failure. Nothing is stored afterwards, and what stands behind it in the plan is dropped. What stands before it
 * still runs: it may fail too, and the first failure of the plan is reported, whatever the number of threads. */
void zl_job_fail(zl_job *job, const zl_error *error);
/* Locked: does a failure stand at or before this place? */
bool zl_op_drops(const zl_op *op, uint64_t order, uint64_t part);
/* Is there no use in going on with the job? Unlocked. */
bool zl_job_is_dropped(const zl_job *job);
static inline bool zl_op_failed(const zl_op *op) {
    return atomic_load_explicit(&op->status, memory_order_relaxed) != ZL_OK;
}
/* Counts elements done, asks for cancellation and calls the progress callback. */
void zl_op_progress(zl_op *op, uint64_t elements);

/* Asks for a ticket of `size` bytes; one that is held goes back first. False: the job is parked and its memory belongs to
 * the pool: return ZL_JOB_PARKED at once. Granted when it fits, or when nobody holds one. */
bool zl_ticket_ask(zl_job *job, uint64_t size);
/* Locked: a ticket without waiting, or false. */
bool zl_ticket_try(zl_job *job, uint64_t size);
/* Locked: gives the ticket back. */
void zl_ticket_give(zl_job *job);
/* Bytes in use that wait for nobody and that nobody waits for. */
void zl_ticket_stand(zl_engine *engine, int64_t change);

/* Asks for the claim on job->key in `store`: every set and every erase happens under it. False as for tickets. */
bool zl_claim_ask(zl_job *job, zl_store *store);

/* Locked: makes a parked job ready to run. */
void zl_job_wake(zl_job *job);
/* Ends a job that another thread finished (the shard whose last lane this was). Unlocked. */
void zl_job_finish(zl_job *job);
/* Locked: lets sleeping threads look for work. */
void zl_engine_notify(zl_engine *engine);

/* ---- inside the pool (tickets.c, claims.c), locked */
void zl_ticket_regrant(zl_engine *engine);
void zl_ticket_unqueue(zl_job *job);
void zl_claim_give(zl_job *job);

#endif
