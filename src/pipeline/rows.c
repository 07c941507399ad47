/* SPDX-License-Identifier: MIT */
/*
 * Rows are taken in pieces that fit the first-level cache: gather, put right, run through each row codec between two
 * buffers, scatter. Pieces follow the C order of the box, so the first refused element does not depend on threads.
 */
#include "pipeline/rows.h"

#include <stdio.h>

#include "dtype/dtype.h"
#include "simd/kernels.h"

#define ROW_BUFFER (8 * ZL_KIB)

typedef struct row_step {
    zl_row_fn run;
    const zl_row *row;
    size_t size; /* of an element behind the step */
} row_step;

typedef struct row_run {
    const row_step *steps;
    size_t count;
    bool encoding;
    const zl_dtype *fix_before; /* NULL = nothing to put right */
    const zl_dtype *fix_after;
    bool swap;
    size_t from_size, to_size;
    size_t piece; /* elements per piece */
    char *buffer[2];
    const zl_call *call;
} row_run;

static size_t count_rows(const zl_pending *pending) {
    size_t count = 0;
    for (; pending; pending = pending->outer)
        count += (size_t)pending->level->row_count;
    return count;
}

bool zl_pending_any(const zl_pending *pending) {
    return count_rows(pending) != 0;
}

const zl_dtype *zl_pending_dtype(const zl_pipeline *p, const zl_pending *pending) {
    const zl_dtype *dtype = p->end.dtype;
    for (; pending; pending = pending->outer) {
        if (pending->level->row_count) dtype = pending->level->rows[0].decoded;
    }
    return dtype;
}

/* Decoding undoes the innermost level first, its last row first; encoding is the mirror. */
static row_step *list_steps(const zl_pending *pending, size_t count, bool encoding, const zl_call *call) {
    row_step *steps = zl_call_scratch(call, (count + 1) * sizeof *steps, _Alignof(row_step));
    if (!steps) return NULL;
    size_t at = 0;
    for (; pending; pending = pending->outer) {
        for (int32_t i = pending->level->row_count - 1; i >= 0; i--, at++) {
            const zl_row *row = &pending->level->rows[i];
            const zl_aa_ops *ops = row->codec.cls->aa;
            row_step *step = &steps[encoding ? count - 1 - at : at];
            step->run = encoding ? ops->encode_row : ops->decode_row;
            step->row = row;
            step->size = (encoding ? row->encoded : row->decoded)->size;
        }
    }
    return steps;
}

static zl_status prepare(row_run *run, const zl_pending *pending, bool encoding, size_t from_size, const zl_call *call) {
    run->count = count_rows(pending);
    run->encoding = encoding;
    run->call = call;
    run->from_size = from_size;
    run->steps = list_steps(pending, run->count, encoding, call);
    if (!run->steps) return zl_fail_memory(call->err, run->count * sizeof(row_step));
    size_t widest = from_size;
    for (size_t i = 0; i < run->count; i++)
        widest = run->steps[i].size > widest ? run->steps[i].size : widest;
    run->to_size = run->count ? run->steps[run->count - 1].size : from_size;
    run->piece = ROW_BUFFER / widest ? ROW_BUFFER / widest : 1;
    for (int i = 0; i < 2; i++) {
        run->buffer[i] = zl_call_scratch(call, run->piece * widest, 64);
        if (!run->buffer[i]) return zl_fail_memory(call->err, run->piece * widest);
    }
    return ZL_OK;
}

static zl_status refuse(const row_run *run, const row_step *step, const void *element) {
    const zl_bound_codec *codec = &step->row->codec;
    if (!codec->cls->aa->refuse) return zl_fail(run->call->err, ZL_ERR_CORRUPT, "%s refuses an element", codec->cls->name);
    const zl_status status = codec->cls->aa->refuse(codec->bound, run->encoding, element, run->call->err);
    return status != ZL_OK ? status : zl_fail(run->call->err, ZL_ERR_INTERNAL, "%s: no reason", codec->cls->name);
}

/* Runs `n` packed elements through everything, by the two buffers. The last step writes to `to`, unless that is NULL;
 * `*result` is where it wrote, `*refused` the index of a refused element. `from` is buffer 0 where it gets changed. */
static zl_status run_piece(const row_run *run, size_t n, char *from, char *to, char **result, size_t *refused) {
    if (run->fix_before) zl_dtype_fix(run->fix_before, run->swap, from, n);
    size_t size = run->from_size;
    for (size_t i = 0; i < run->count; i++) {
        const row_step *step = &run->steps[i];
        char *next = i + 1 == run->count && to ? to : run->buffer[~i & 1];
        const size_t done = step->run(step->row->codec.bound, next, from, n);
        if (done < n) {
            *refused = done;
            return refuse(run, step, from + done * size);
        }
        size = step->size;
        from = next;
    }
    if (run->fix_after) zl_dtype_fix(run->fix_after, run->swap, from, n);
    *result = from;
    return ZL_OK;
}

/* A loop over elements of two memories, axes merged where both allow it. */
typedef struct walk {
    int32_t rank; /* at least 1 */
    int64_t shape[ZL_MAX_RANK];
    int64_t from[ZL_MAX_RANK];
    int64_t to[ZL_MAX_RANK];
} walk;

static void merge_axes(walk *w, int32_t rank, const int64_t *shape, const int64_t *from, const int64_t *to) {
    w->rank = 0;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t last = w->rank - 1;
        if (shape[i] == 1) continue;
        if (last >= 0 && w->from[last] == from[i] * shape[i] && w->to[last] == to[i] * shape[i]) {
            w->shape[last] *= shape[i];
            w->from[last] = from[i];
            w->to[last] = to[i];
        } else {
            w->shape[w->rank] = shape[i];
            w->from[w->rank] = from[i];
            w->to[w->rank] = to[i];
            w->rank++;
        }
    }
    if (w->rank == 0) {
        w->rank = 1;
        w->shape[0] = 1;
        w->from[0] = w->to[0] = 0;
    }
}

/* Says where the refused element lies, `at` elements from the box's first in C order: in the array, where the caller's
 * memory tells; otherwise (behind a codec of whole blocks, for instance) in this level of the chunk. */
static zl_status name_element(const zl_box *box, int64_t at, zl_status status, const zl_call *call) {
    char text[ZL_MAX_RANK * 22] = "";
    int64_t coords[ZL_MAX_RANK];
    const char *address = box->data;
    for (int32_t i = box->rank - 1; i >= 0; i--) {
        const int64_t k = at % box->shape[i];
        coords[i] = box->start[i] + k * box->step[i];
        address += k * box->stride[i];
        at /= box->shape[i];
    }
    const bool found = call->region && zl_box_find(call->region, address, coords);
    const int32_t rank = found ? call->region->rank : box->rank;
    size_t used = 0;
    for (int32_t i = 0; i < rank; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ", %lld" : "%lld", (long long)coords[i]);
    }
    return zl_error_wrap(call->err, status, found ? "element (%s): " : "element (%s) of the chunk: ", text);
}

/* Are elements `stride` bytes apart what a row function takes? */
static bool is_packed(const void *data, int64_t stride, size_t size, const zl_dtype *dtype) {
    return stride == (int64_t)size && (uintptr_t)data % dtype->align == 0;
}

/* May the first row function read the source itself? */
static bool reads_source(const row_run *run, const char *from, int64_t stride) {
    if (run->count == 0 || run->fix_before) return false;
    const zl_row *first = run->steps[0].row;
    return is_packed(from, stride, run->from_size, run->encoding ? first->decoded : first->encoded);
}

/* May the last one write the destination itself? */
static bool writes_destination(const row_run *run, const char *to, int64_t stride) {
    if (run->count == 0) return false;
    const zl_row *last = run->steps[run->count - 1].row;
    return is_packed(to, stride, run->to_size, run->encoding ? last->encoded : last->decoded);
}

/* `n` elements along one axis; `reads` and `writes` say what needs no copy. */
static zl_status run_row(const row_run *run, size_t n, const char *from, int64_t from_stride, bool reads, char *to,
                         int64_t to_stride, bool writes, size_t *refused) {
    const int64_t count = (int64_t)n, from_packed = (int64_t)run->from_size, to_packed = (int64_t)run->to_size;
    char *start = reads ? (char *)from : run->buffer[0]; /* steps only read it */
    char *result = NULL;
    if (!reads) zl_copy_nd(1, &count, start, &from_packed, from, &from_stride, run->from_size);
    ZL_TRY(run_piece(run, n, start, writes ? to : NULL, &result, refused));
    if (!writes) zl_copy_nd(1, &count, to, &to_stride, result, &to_packed, run->to_size);
    return ZL_OK;
}

static zl_status run_walk(const row_run *run, const walk *w, const char *from, char *to, const zl_box *box) {
    const int32_t row = w->rank - 1;
    const int64_t length = w->shape[row], from_stride = w->from[row], to_stride = w->to[row];
    int64_t at[ZL_MAX_RANK] = {0}, before = 0;
    do {
        const char *source = from + zl_coords_offset(row, at, w->from);
        char *target = to + zl_coords_offset(row, at, w->to);
        const bool reads = reads_source(run, source, from_stride), writes = writes_destination(run, target, to_stride);
        const bool at_once = reads && writes && run->count == 1 && !run->fix_after;
        const int64_t piece = at_once ? length : (int64_t)run->piece;
        for (int64_t k = 0; k < length; k += piece) {
            const int64_t n = zl_min_i64(piece, length - k);
            size_t refused = 0;
            const zl_status status = run_row(run, (size_t)n, source + k * from_stride, from_stride, reads,
                                             target + k * to_stride, to_stride, writes, &refused);
            if (status != ZL_OK) return name_element(box, before + k + (int64_t)refused, status, run->call);
        }
        before += length;
    } while (zl_coords_next(row, w->shape, at));
    return ZL_OK;
}

/* Address of a box's first element in a block. */
static char *first_in_block(const zl_box *box, const void *block, const int64_t *strides) {
    return (char *)block + zl_coords_offset(box->rank, box->start, strides);
}

/* From one element of the box to the next, in a block. */
static void step_strides(const zl_box *box, const int64_t *strides, int64_t *out) {
    for (int32_t i = 0; i < box->rank; i++)
        out[i] = strides[i] * box->step[i];
}

zl_status zl_scatter_from(const zl_pipeline *p, const void *from, const int64_t *strides, bool fix, const zl_box *box,
                          const zl_pending *pending, const zl_call *call) {
    const size_t size = p->end.dtype->size;
    int64_t stepped[ZL_MAX_RANK];
    step_strides(box, strides, stepped);
    fix = fix && p->fix;
    if (!zl_pending_any(pending) && (!fix || p->swap_width)) {
        if (fix)
            zl_copy_nd_swap(box->rank, box->shape, box->data, box->stride, from, stepped, size, p->swap_width);
        else
            zl_copy_nd(box->rank, box->shape, box->data, box->stride, from, stepped, size);
        return ZL_OK;
    }
    if (zl_box_count(box) == 0) return ZL_OK;
    row_run run = {.fix_before = fix ? p->end.dtype : NULL, .swap = p->swap};
    ZL_TRY(prepare(&run, pending, false, size, call));
    walk w;
    merge_axes(&w, box->rank, box->shape, stepped, box->stride);
    return run_walk(&run, &w, from, box->data, box);
}

zl_status zl_scatter(const zl_pipeline *p, const void *block, const int64_t *strides, bool fix, const zl_box *box,
                     const zl_pending *pending, const zl_call *call) {
    return zl_scatter_from(p, first_in_block(box, block, strides), strides, fix, box, pending, call);
}

zl_status zl_gather(const zl_pipeline *p, void *block, const int64_t *strides, bool store, const zl_box *box,
                    const zl_pending *pending, const zl_call *call) {
    const size_t size = p->end.dtype->size;
    int64_t stepped[ZL_MAX_RANK];
    char *to = first_in_block(box, block, strides);
    step_strides(box, strides, stepped);
    store = store && p->fix;
    if (!zl_pending_any(pending) && (!store || p->swap_width)) {
        if (store)
            zl_copy_nd_swap(box->rank, box->shape, to, stepped, box->data, box->stride, size, p->swap_width);
        else
            zl_copy_nd(box->rank, box->shape, to, stepped, box->data, box->stride, size);
        return ZL_OK;
    }
    if (zl_box_count(box) == 0) return ZL_OK;
    row_run run = {.fix_after = store ? p->end.dtype : NULL, .swap = p->swap};
    ZL_TRY(prepare(&run, pending, true, zl_pending_dtype(p, pending)->size, call));
    walk w;
    merge_axes(&w, box->rank, box->shape, box->stride, stepped);
    return run_walk(&run, &w, box->data, to, box);
}

zl_status zl_rows_one(const zl_pending *pending, const void *from, void *to, const zl_call *call) {
    while (!pending->level->row_count)
        pending = pending->outer; /* a level without rows changes nothing */
    row_run run = {0};
    ZL_TRY(prepare(&run, pending, false, pending->level->end.dtype->size, call));
    char *result = NULL;
    size_t refused = 0;
    memcpy(run.buffer[0], from, run.from_size);
    ZL_TRY(run_piece(&run, 1, run.buffer[0], NULL, &result, &refused));
    memcpy(to, result, run.to_size);
    return ZL_OK;
}
