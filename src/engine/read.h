/* SPDX-License-Identifier: MIT */
/* Reading: one op, two kinds of jobs. A chunk job fetches and decodes a chunk, or opens a shard; a group job fetches and
 * decodes neighbouring parts of an open shard. */
#ifndef ZL_ENGINE_READ_H
#define ZL_ENGINE_READ_H

#include "engine/array.h"
#include "engine/parts.h"

typedef struct zl_open_shard zl_open_shard;

typedef struct zl_read_op {
    zl_op op;
    zl_engine_array *array;
    zl_plan plan;
    bool verify;
    zl_result *result;
    zl_open_shard *open; /* shards with parts that nobody has taken yet; the last opened first */
    zl_open_shard *redo; /* shards that changed while they were read: to be started over */
} zl_read_op;

enum { ZL_READ_START, ZL_READ_FETCH, ZL_READ_GROUP, ZL_READ_GROUP_FETCH };

typedef struct zl_read_job {
    zl_job job;
    zl_shape shape;        /* chunk jobs: of the chunk */
    zl_box box;            /* chunk jobs: the share of the region */
    zl_compiled *compiled; /* chunk jobs: the chunk's pipeline, once the job runs */
    uint64_t elements;     /* done by this job, for progress */
    uint64_t expected;     /* stored bytes that the ticket allows for */
    int32_t attempts;      /* how often a shard changed while it was read */
    zl_open_shard *shard;  /* group jobs */
    zl_part *parts;
    size_t part_count;
    zl_range range; /* of the object: all parts together; empty for missing ones */
} zl_read_job;

/* A get in the name of a job; counts what was read. */
zl_status zl_read_get(zl_read_job *job, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                      zl_object_info *info, zl_error *err);
zl_call zl_read_call(const zl_read_op *op, zl_engine_thread *thread, zl_error *err);
static inline zl_read_op *zl_read_op_of(const zl_read_job *job) {
    return (zl_read_op *)job->job.op;
}

/* ---- read_ranges.c */

/* Reads a box (of the end level) from those of a chunk's bytes that its codec names. `*done` is false when it was not done:
 * the chunk is to be read whole. */
zl_status zl_ranges_read(zl_read_job *job, const zl_pipeline *p, const zl_box *box, bool *done, const zl_call *call);

/* ---- read_shard.c */

/* Can parts of this shard be fetched alone? */
bool zl_shard_has_ranges(const zl_read_op *op, const zl_pipeline *p);
/* And should they, for this box? */
bool zl_shard_is_splittable(const zl_read_op *op, const zl_pipeline *p, const zl_box *box);
/* Retains the index of the job's shard, from the cache or the store. NOT_FOUND: the shard is missing. */
zl_status zl_shard_index_get(zl_read_job *job, zl_engine_thread *thread, zl_shard_index **out, bool *cached, zl_error *err);
/* Opens a shard: gets its index, and offers its parts to the op. NOT_FOUND: the shard is missing. */
zl_status zl_shard_open(zl_read_job *job, zl_engine_thread *thread, zl_error *err);
/* Locked: makes `job` a chunk job that starts a shard over, or a group job of the newest open shard. False: none. */
bool zl_shard_pull(zl_read_op *op, zl_read_job *job);
/* Runs a group job. */
zl_job_state zl_shard_run(zl_read_job *job, zl_engine_thread *thread, zl_error *err, zl_status *status);
/* Locked: the job leaves its shard. */
void zl_shard_leave(zl_read_job *job);
/* Gives back the shards that a failed op leaves behind. */
void zl_shard_cleanup(zl_read_op *op);

/* ---- read_part.c */

/* An object, or a part of one, whose parts are read. */
typedef struct zl_part_source {
    zl_read_job *job;
    const zl_pipeline *p; /* of the shard */
    uint64_t base;        /* where offsets of its index count from */
    zl_generation generation;
    const zl_call *call;
} zl_part_source;
/* Fetches a group of parts and decodes what `end` wants of them. CONFLICT or NOT_FOUND: the object is another one now. */
zl_status zl_read_parts(const zl_part_source *source, const zl_part *parts, size_t count, zl_range range, const zl_box *end,
                        const zl_pending *pending);

#endif
