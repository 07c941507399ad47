/* SPDX-License-Identifier: MIT */
#include "pipeline/box.h"

#include <stdlib.h>

#include "dtype/dtype.h"
#include "simd/kernels.h"

bool zl_c_strides(const zl_shape *shape, size_t element_size, int64_t *strides) {
    int64_t stride = (int64_t)element_size;
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        if (shape->dim[i] > 1 && !zl_mul_i64(stride, shape->dim[i], &stride)) return false;
    }
    return true;
}

void zl_box_whole(zl_box *box, const zl_shape *shape, size_t element_size, void *data) {
    box->rank = shape->rank;
    box->data = data;
    zl_c_strides(shape, element_size, box->stride);
    for (int32_t i = 0; i < shape->rank; i++) {
        box->start[i] = 0;
        box->step[i] = 1;
        box->shape[i] = shape->dim[i];
        box->edge[i] = shape->dim[i];
    }
}

bool zl_box_cut(const zl_box *box, const int64_t *origin, const int64_t *length, zl_box *out) {
    out->rank = box->rank;
    int64_t offset = 0;
    for (int32_t i = 0; i < box->rank; i++) {
        const int64_t step = box->step[i];
        const int64_t low = origin[i] - box->start[i]; /* the cell, from the box's first element on */
        /* Elements end at the edge; a cell's length alone could lead beyond 2^63. */
        const int64_t high = low + zl_min_i64(length[i], box->edge[i] - origin[i]);
        const int64_t first = low <= 0 ? 0 : zl_ceil_div(low, step);
        const int64_t end = high <= 0 ? 0 : zl_min_i64(box->shape[i], zl_ceil_div(high, step));
        if (first >= end) return false;
        out->start[i] = box->start[i] + first * step - origin[i];
        out->shape[i] = end - first;
        out->step[i] = step;
        out->stride[i] = box->stride[i];
        out->edge[i] = zl_min_i64(box->edge[i] - origin[i], length[i]);
        offset += first * box->stride[i];
    }
    out->data = box->data + offset;
    return true;
}

int64_t zl_box_count(const zl_box *box) {
    int64_t count = 1;
    for (int32_t i = 0; i < box->rank; i++)
        count *= box->shape[i];
    return count;
}

bool zl_box_covers(const zl_box *box) {
    for (int32_t i = 0; i < box->rank; i++) {
        if (box->start[i] != 0 || box->step[i] != 1 || box->shape[i] < box->edge[i]) return false;
    }
    return true;
}

bool zl_box_is_whole(const zl_box *box, const zl_shape *shape) {
    for (int32_t i = 0; i < box->rank; i++) {
        if (box->start[i] != 0 || box->step[i] != 1 || box->shape[i] != shape->dim[i]) return false;
    }
    return true;
}

bool zl_box_is_contiguous(const zl_box *box, size_t element_size) {
    int64_t stride = (int64_t)element_size;
    for (int32_t i = box->rank - 1; i >= 0; i--) {
        if (box->shape[i] == 1) continue;
        if (box->stride[i] != stride) return false;
        stride *= box->shape[i];
    }
    return true;
}

bool zl_box_has_unit_steps(const zl_box *box) {
    for (int32_t i = 0; i < box->rank; i++) {
        if (box->step[i] != 1 && box->shape[i] > 1) return false;
    }
    return true;
}

/* Largest stride first: what is left is less than one step along each axis before. */
bool zl_box_find(const zl_box *box, const char *address, int64_t *coords) {
    int64_t left = (int64_t)((intptr_t)address - (intptr_t)box->data);
    bool done[ZL_MAX_RANK] = {false};
    for (int32_t i = 0; i < box->rank; i++) {
        if (box->stride[i] < 0) left -= box->stride[i] * (box->shape[i] - 1); /* counted from the lowest address */
    }
    for (int32_t round = 0; round < box->rank; round++) {
        int32_t axis = -1;
        for (int32_t i = 0; i < box->rank; i++) {
            if (!done[i] && (axis < 0 || llabs(box->stride[i]) > llabs(box->stride[axis]))) axis = i;
        }
        done[axis] = true;
        const int64_t stride = llabs(box->stride[axis]);
        if (stride == 0 && box->shape[axis] > 1) return false;
        const int64_t steps = box->shape[axis] > 1 ? left / stride : 0;
        if (steps < 0 || steps >= box->shape[axis]) return false;
        left -= steps * stride;
        coords[axis] = box->start[axis] + (box->stride[axis] < 0 ? box->shape[axis] - 1 - steps : steps) * box->step[axis];
    }
    return left == 0;
}

static bool slots_equal(const char *data, int64_t stride, int64_t count, const zl_dtype *dtype, const void *element) {
    for (int64_t k = 0; k < count; k++) {
        if (!zl_dtype_same(dtype, data + k * stride, element)) return false;
    }
    return true;
}

static bool strided_equal(const char *data, int64_t stride, int64_t count, size_t size, const void *element) {
    for (int64_t k = 0; k < count; k++) {
        if (memcmp(data + k * stride, element, size) != 0) return false;
    }
    return true;
}

static bool row_equal(const char *data, int64_t stride, int64_t count, const zl_dtype *dtype, const void *element) {
    if (dtype->variable) return slots_equal(data, stride, count, dtype, element);
    if (stride != (int64_t)dtype->size) return strided_equal(data, stride, count, dtype->size, element);
    return zl_kernels_get()->all_equal(data, element, dtype->size, (size_t)count);
}

bool zl_box_all_equal(const zl_box *box, const zl_dtype *dtype, const void *element) {
    /* The axis with the smallest stride is the row. */
    int64_t rows[ZL_MAX_RANK], at[ZL_MAX_RANK] = {0};
    int32_t row = -1;
    for (int32_t i = 0; i < box->rank; i++) {
        rows[i] = box->shape[i];
        if (box->shape[i] == 0) return true;
        if (box->shape[i] == 1) continue;
        if (row < 0 || llabs(box->stride[i]) < llabs(box->stride[row])) row = i;
    }
    if (row >= 0) rows[row] = 1;
    const int64_t count = row < 0 ? 1 : box->shape[row];
    const int64_t stride = row < 0 ? 0 : box->stride[row];
    do {
        const char *data = box->data + zl_coords_offset(box->rank, at, box->stride);
        if (!row_equal(data, stride, count, dtype, element)) return false;
    } while (zl_coords_next(box->rank, rows, at));
    return true;
}

static int64_t locate(const zl_cells *cells, int32_t axis, int64_t at) {
    return cells->grid ? cells->grid->locate(cells->grid_self, axis, at) : at / cells->length[axis];
}

static void stand(zl_cells *cells, int32_t axis, int64_t index) {
    cells->index[axis] = index;
    if (cells->grid) {
        cells->grid->span(cells->grid_self, axis, index, &cells->origin[axis], &cells->extent[axis]);
    } else {
        cells->origin[axis] = index * cells->length[axis];
        cells->extent[axis] = cells->length[axis];
    }
}

void zl_cells_begin(zl_cells *cells, const zl_box *box, const zl_grid_class *grid, const void *grid_self,
                    const int64_t *length) {
    cells->box = box;
    cells->grid = grid;
    cells->grid_self = grid_self;
    cells->length = length;
    cells->done = false;
    for (int32_t i = 0; i < box->rank; i++) {
        if (box->shape[i] == 0) {
            cells->done = true;
            return;
        }
        cells->last[i] = locate(cells, i, box->start[i] + (box->shape[i] - 1) * box->step[i]);
        stand(cells, i, locate(cells, i, box->start[i]));
    }
}

void zl_cells_next(zl_cells *cells) {
    const zl_box *box = cells->box;
    for (int32_t i = box->rank - 1; i >= 0; i--) {
        if (cells->index[i] < cells->last[i]) {
            /* With a step, the next element may be several cells on. */
            const int64_t beyond = cells->origin[i] + cells->extent[i] - box->start[i];
            stand(cells, i, locate(cells, i, box->start[i] + zl_ceil_div(beyond, box->step[i]) * box->step[i]));
            return;
        }
        stand(cells, i, locate(cells, i, box->start[i]));
    }
    cells->done = true;
}
