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
    runs->data = box->data;
    runs->first = 0;
    for (int32_t i = 0; i < box->rank; i++) {
        runs->data += runs->at[i] * box->stride[i];
        runs->first += (box->start[i] + runs->at[i]) * runs->pitch[i];
    }
    int32_t axis = box->rank - 2;
    while (axis >= 0 && ++runs->at[axis] == box->shape[axis]) {
        runs->at[axis--] = 0;
    }
    runs->end = axis < 0;
    return true;
}
