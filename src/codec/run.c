/* SPDX-License-Identifier: MIT */
#include "codec/run.h"

void zl_runs_begin(zl_runs *runs, const zl_box *box, const zl_shape *shape) {
    *runs = (zl_runs){.box = box, .count = 1};
    int64_t pitch = 1;
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        runs->pitch[i] = pitch;
        pitch *= shape->dim[i];
        if (box->shape[i] == 0) runs->end = true;
    }
    if (shape->rank == 0) return;
    runs->count = box->shape[shape->rank - 1];
    runs->stride = box->stride[shape->rank - 1];
}

bool zl_runs_next(zl_runs *runs) {
    if (runs->end) return false;
    const zl_box *box = runs->box;
    const int32_t rank = box->rank;
    runs->data = box->data + zl_coords_offset(rank, runs->at, box->stride);
    runs->first = zl_coords_offset(rank, box->start, runs->pitch) + zl_coords_offset(rank, runs->at, runs->pitch);
    runs->end = !zl_coords_next(rank - 1, box->shape, runs->at);
    return true;
}
