/* SPDX-License-Identifier: MIT */
/*
 * Where an inner chunk lies, and its encoded bytes. One job, which uses the index cache of reads; index and bytes are of
 * one generation of the shard.
 */
#include "base/worker.h"
#include "engine/read.h"

#define ATTEMPTS_MAX 100 /* each that fails is a change by another writer */

typedef struct look_op {
    zl_read_op read;
    zl_inner_chunk chunk;
    bool pulled;
    zl_object_place *place;
    zl_object_bytes *bytes; /* NULL: only the place is wanted */
} look_op;

static bool pull(zl_op *base, zl_job *job) {
    look_op *op = (look_op *)base;
    base->exhausted = true;
    if (op->pulled) return false;
    op->pulled = true;
    ((zl_read_job *)job)->shape = op->chunk.shard_shape;
    zl_engine_array_key(op->read.array, op->chunk.shard, job->key, base->key_cap);
    return true;
}

/* CONFLICT: the shard is not the one of the index any more. */
static zl_status get_bytes(zl_read_job *job, const zl_object_place *place, zl_error *err) {
    const look_op *op = (const look_op *)job->job.op;
    const zl_object_bytes *wanted = op->bytes;
    ZL_TRY(zl_object_bytes_check(wanted, place->size, err));
    const zl_condition condition = {ZL_IF_GENERATION, place->generation};
    zl_request request = {.offset = place->offset + wanted->offset,
                          .length = zl_min_u64(wanted->length, place->size - wanted->offset)};
    const zl_status status = zl_read_get(job, job->job.key, &request, 1, &condition, NULL, err);
    if (status == ZL_OK) op->bytes->bytes = request.bytes;
    return status == ZL_ERR_NOT_FOUND ? ZL_ERR_CONFLICT : status;
}

/* CONFLICT unless the object is still the one that an index of the cache belongs to. */
static zl_status check_cached(const zl_read_job *job, const zl_shard_index *index, zl_error *err) {
    const zl_store *store = zl_read_op_of(job)->array->store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_object_info info;
    const zl_status status = store->cls->info(store->self, job->job.key, &info, &call);
    if (status != ZL_OK) return status == ZL_ERR_NOT_FOUND ? ZL_ERR_CONFLICT : status;
    return memcmp(&info.generation, &index->generation, sizeof info.generation) == 0 ? ZL_OK : ZL_ERR_CONFLICT;
}

static zl_status look_once(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    const look_op *op = (const look_op *)job->job.op;
    const zl_pipeline *p = job->compiled->pipeline;
    zl_shard_index *index;
    bool cached;
    zl_index_cache *cache = op->read.array->indexes;
    *op->place = (zl_object_place){0};
    zl_status status = zl_shard_index_get(job, thread, &index, &cached, err);
    if (status != ZL_OK) return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    const zl_range range = index->entries[zl_inner_chunk_number(op->read.array, &op->chunk, p)];
    if (range.offset != ZL_MISSING) {
        *op->place = (zl_object_place){true, p->head + range.offset, range.length, index->generation};
    }
    if (op->place->exists && op->bytes)
        status = get_bytes(job, op->place, err);
    else if (cached)
        status = check_cached(job, index, err);
    if (status == ZL_ERR_CONFLICT) zl_index_cache_drop(cache, index);
    zl_shard_index_release(cache, index);
    return status;
}

static zl_status look(zl_read_job *job, zl_engine_thread *thread, zl_error *err) {
    const look_op *op = (const look_op *)job->job.op;
    ZL_TRY(zl_engine_array_take(op->read.array, &job->shape, &zl_aspect_own, &job->compiled, err));
    const zl_pipeline *p = job->compiled->pipeline;
    if (p->kind != ZL_END_SPLIT || p->stream_count > 0) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "a codec around the inner chunks hides where they lie");
    }
    zl_status status = ZL_ERR_CONFLICT;
    for (int i = 0; i < ATTEMPTS_MAX && status == ZL_ERR_CONFLICT; i++)
        status = look_once(job, thread, err);
    if (status != ZL_ERR_CONFLICT) return status;
    return zl_fail(err, status, "the shard changed %d times while it was read", ATTEMPTS_MAX);
}

static zl_job_state run(zl_job *base, zl_engine_thread *thread) {
    zl_read_job *job = (zl_read_job *)base;
    zl_error error = {0};
    const zl_status status = look(job, thread, &error);
    if (status != ZL_OK) {
        zl_error_wrap(&error, status, "chunk %s: ", base->key);
        error.status = status;
        zl_job_fail(base, &error);
    }
    return ZL_JOB_DONE;
}

static void end(zl_job *base) {
    zl_engine_array_give(zl_read_op_of((zl_read_job *)base)->array, ((zl_read_job *)base)->compiled);
}

static const zl_op_class look_class = {sizeof(zl_read_job), pull, run, end};

zl_status zl_engine_look(zl_engine_array *array, const int64_t *coords, zl_object_place *place, zl_object_bytes *bytes,
                         zl_error *err) {
    look_op op = {.read = {.op = {.cls = &look_class}, .array = array, .verify = true}, .place = place, .bytes = bytes};
    zl_inner_chunk_find(array, coords, &op.chunk);
    const zl_op_settings settings = {.threads = 1, .key_cap = zl_engine_array_key_max(array)};
    return zl_op_run(&op.read.op, array->context->engine, &settings, err);
}

zl_status zl_object_bytes_check(const zl_object_bytes *wanted, uint64_t size, zl_error *err) {
    if (wanted->offset <= size && (wanted->length == ZL_TO_END || wanted->length <= size - wanted->offset)) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "offset %llu and length %llu of a chunk with %llu encoded bytes",
                   (unsigned long long)wanted->offset, (unsigned long long)wanted->length, (unsigned long long)size);
}
