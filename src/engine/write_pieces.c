/* SPDX-License-Identifier: MIT */
/*
 * Large uncompressed chunks whose elements are not stored as they lie in the caller's memory: they are gathered a piece at
 * a time, and go to a put of the store while they are in the cache. A block of the whole chunk would be written to memory
 * and read again.
 */
#include "base/worker.h"
#include "dtype/dtype.h"
#include "engine/write.h"
#include "pipeline/rows.h"

#define PIECE (256 * ZL_KIB)
#define CHUNK_MIN (4 * ZL_MIB) /* smaller ones stay in the cache as they are */

bool zl_pieces_wanted(const zl_write_job *job) {
    const zl_write_op *op = zl_write_op_of(job);
    const zl_pipeline *p = job->compiled->pipeline;
    const zl_store *store = op->array->store;
    if (op->part || !job->covered || job->ignores_old || !store->cls->put_begin || store->moves_puts) return false;
    if (p->kind != ZL_END_RAW || p->bb_count || p->block_size < CHUNK_MIN || p->end.dtype->size > PIECE) return false;
    zl_box end;
    zl_to_end(p, &job->box, &end);
    const bool as_it_lies = p->row_count == 0 && !p->fix && zl_box_is_contiguous(&end, p->end.dtype->size);
    return zl_box_is_whole(&end, &p->end_shape) && !as_it_lies;
}

typedef struct pieces {
    const zl_pipeline *p;
    zl_box end; /* all elements */
    int64_t length[ZL_MAX_RANK];
    zl_cells cells; /* stands on the next piece */
    void *memory;
    zl_span bytes; /* the piece as it is stored */
} pieces;

/* Pieces are what lies together in the chunk: whole inner axes, a few of one axis, one of those in front. */
static void begin(pieces *it) {
    const zl_shape *shape = &it->p->end_shape;
    uint64_t inner = it->p->block_size;
    for (int32_t i = 0; i < shape->rank; i++) {
        const uint64_t here = inner / (uint64_t)shape->dim[i];
        it->length[i] = inner <= PIECE ? shape->dim[i] : here >= PIECE ? 1 : (int64_t)(PIECE / here);
        inner = here;
    }
    zl_cells_begin(&it->cells, &it->end, NULL, NULL, it->length);
}

static zl_status next(pieces *it, const zl_call *call) {
    const zl_pending own = {it->p, NULL};
    zl_box piece;
    (void)zl_box_cut(&it->end, it->cells.origin, it->cells.extent, &piece);
    it->bytes = (zl_span){it->memory, (size_t)zl_box_count(&piece) * it->p->end.dtype->size};
    zl_cells_next(&it->cells);
    return zl_gather(it->p, it->memory, it->p->end_stride, true, &piece, &own, call);
}

static bool is_fill(const pieces *it) {
    const size_t size = it->p->end.dtype->size;
    const zl_shape shape = {.rank = 1, .dim = {(int64_t)(it->bytes.size / size)}};
    zl_box box;
    zl_box_whole(&box, &shape, size, it->memory);
    return zl_box_all_equal(&box, it->p->end.dtype, it->p->stored_fill);
}

static zl_status look_for_elements(pieces *it, bool *found, const zl_call *call) {
    *found = false;
    for (begin(it); !*found && !it->cells.done;) {
        ZL_TRY(next(it, call));
        *found = !is_fill(it);
    }
    return ZL_OK;
}

static zl_status append_all(pieces *it, const zl_store_class *cls, zl_put *put, const zl_call *call,
                            const zl_store_call *storing) {
    for (begin(it); !it->cells.done;) {
        ZL_TRY(next(it, call));
        ZL_TRY(cls->put_append(put, &it->bytes, 1, storing));
    }
    return ZL_OK;
}

zl_status zl_pieces_write(zl_write_job *job, zl_engine_thread *thread, bool *missing, zl_error *err) {
    zl_write_op *op = zl_write_op_of(job);
    const zl_store *store = op->array->store;
    const zl_call call = zl_write_call(job, thread, err);
    const zl_store_call storing = {sizeof storing, store->allocator, op->op.cancel, err};
    const zl_encode how = zl_write_how(job, NULL, &call);
    pieces it = {.p = job->compiled->pipeline};
    zl_to_end(it.p, &job->box, &it.end);
    it.memory = zl_call_scratch(&call, PIECE, 64);
    if (!it.memory) return zl_fail_memory(err, PIECE);
    bool found = !how.may_omit || how.keep_fill || !it.p->closed;
    if (!found) ZL_TRY(look_for_elements(&it, &found, &call));
    *missing = !found;
    if (!found) return ZL_OK;
    zl_put *put;
    ZL_TRY(store->cls->put_begin(store->self, job->job.key, &put, &storing));
    const zl_status status = append_all(&it, store->cls, put, &call, &storing);
    if (status != ZL_OK || zl_op_failed(&op->op)) { /* nothing is stored after a failure or a cancel */
        store->cls->put_abort(put);
        return status;
    }
    atomic_fetch_add(&op->op.stored_bytes, it.p->block_size);
    return store->cls->put_commit(put, NULL, &storing);
}
