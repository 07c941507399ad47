/* SPDX-License-Identifier: MIT */
/* Writing: one op; a job a chunk, and jobs that help with the parts of a shard. */
#ifndef ZL_ENGINE_WRITE_H
#define ZL_ENGINE_WRITE_H

#include "engine/array.h"

typedef struct zl_lanes zl_lanes;

typedef struct zl_write_op {
    zl_op op;
    zl_engine_array *array;
    zl_plan plan;
    bool keep_fill;
    zl_conditional conditional;
    /* Two that change what is stored, whatever the array's end is: */
    zl_chunk_source resets; /* chunks from this source get the fill value from reset_at on; NULL: not such an op */
    void *resets_user;
    int32_t reset_axis;
    int64_t reset_at;
    const zl_inner_chunk *part; /* this inner chunk is replaced by encoded bytes; NULL: not such an op */
    const zl_span *part_data;   /* NULL: it is erased */
    bool part_pulled;
    struct zl_shard_put *put; /* takes the encoded inner chunks of one shard (shard_put.h); NULL: not such an op */
    zl_lanes *open;           /* shards with parts that nobody has taken */
} zl_write_op;

typedef struct zl_write_job {
    zl_job job;
    zl_shape shape; /* of the chunk */
    zl_box box;     /* the share of the region */
    int64_t origin[ZL_MAX_RANK];
    zl_compiled *compiled; /* the chunk's pipeline, once the job runs */
    bool covered;          /* nothing old is needed */
    bool repairs;          /* covers all but padding: an old chunk that is damaged does not matter */
    bool ignores_old;      /* it was damaged */
    bool have_old;         /* there is an old object, in `old` */
    uint64_t expected;     /* its size when the ticket was asked for */
    zl_bytes old;
    zl_object_info info;
    zl_conditional conditional; /* the op's, with this job's key */
    int32_t conflicts;          /* how often others were faster, since `began` */
    uint64_t began;             /* of zl_clock_us */
    zl_lanes *lanes;            /* a shard whose parts are being encoded */
    zl_lanes *helps;            /* or: this job is a lane of another job's shard */
    zl_output *lane_output;
} zl_write_job;

enum { ZL_WRITE_START, ZL_WRITE_PLAN, ZL_WRITE_FETCH, ZL_WRITE_JOIN };

static inline zl_write_op *zl_write_op_of(const zl_write_job *job) {
    return (zl_write_op *)job->job.op;
}
/* For encoding in the name of a job. */
zl_call zl_write_call(const zl_write_job *job, zl_engine_thread *thread, zl_error *err);
/* May the chunk be left out, and so on. */
zl_encode zl_write_how(const zl_write_job *job, zl_output *output, const zl_call *call);
/* Records what became of a job. */
void zl_write_report(zl_write_job *job, zl_status status, zl_error *error);
/* After a conflict with a writer of another process: pauses, then true to try again. */
bool zl_conflict_again(zl_write_job *job, zl_error *err);

/* ---- write_pieces.c */

/* Is a chunk to be gathered and stored piece by piece? */
bool zl_pieces_wanted(const zl_write_job *job);
/* Does so. `*missing`: there is nothing but the fill value, and nothing was stored. */
zl_status zl_pieces_write(zl_write_job *job, zl_engine_thread *thread, bool *missing, zl_error *err);

/* ---- write_shard.c */

/* Should the parts of a chunk be spread over threads? */
bool zl_lanes_wanted(const zl_write_job *job);
/* Encodes the parts of a shard on this thread and all that come to help. False: others are still at it; the job is parked
 * and comes back in its JOIN stage. */
bool zl_lanes_run(zl_write_job *job, zl_engine_thread *thread, zl_status *status, zl_error *err);
/* Instead of encoding: joins the old parts and op->part_data. */
zl_status zl_part_replace(const zl_write_job *job, zl_engine_thread *thread, zl_encoded *out, zl_error *err);
/* All parts are encoded: joins them, or hands them over to op->put. Nothing happens when one of them failed. */
zl_status zl_lanes_join(zl_write_job *job, zl_engine_thread *thread, zl_encoded *out, zl_error *err);
/* With op->put: the parts that the job's box touches, in the order of the index; missing ones have a count of 0. */
const zl_encoded *zl_lanes_parts(const zl_write_job *job);
void zl_lanes_forget(zl_write_job *job);
/* Locked: makes `job` a lane of an open shard, if there is one and memory for it now. */
bool zl_lanes_pull(zl_write_op *op, zl_write_job *job);
void zl_lanes_help(zl_write_job *job, zl_engine_thread *thread);
/* Locked: a helping job ends; also when it never ran. */
void zl_lanes_leave(zl_write_job *job);

#endif
