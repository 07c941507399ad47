/* SPDX-License-Identifier: MIT */
/* Regions with steps, and memory with permuted, reversed, gapped, unaligned and repeated axes. */
#include "property.h"

static int64_t below(prop_array *array, int64_t n) {
    return (int64_t)zt_random_below(&array->random, (uint64_t)n);
}

void prop_region_choose(prop_array *array, prop_region *out) {
    const bool all = below(array, 4) == 0;
    for (int32_t i = 0; i < array->rank; i++) {
        const int64_t extent = array->shape[i];
        const bool whole = all || below(array, 3) == 0;
        out->start[i] = whole ? 0 : below(array, extent + 1);
        out->step[i] = whole || below(array, 3) > 0 ? 1 : 1 + below(array, 4);
        const int64_t most = (extent - out->start[i] + out->step[i] - 1) / out->step[i];
        out->shape[i] = whole || below(array, 2) == 0 ? most : most - below(array, most + 1);
        if (out->shape[i] == 0 && below(array, 4) > 0 && extent > 0) { /* empty regions are rare */
            out->start[i] = below(array, extent);
            out->shape[i] = 1;
        }
    }
}

static void choose_order(prop_array *array, int32_t *order) {
    const bool c_order = below(array, 2) == 0;
    for (int32_t i = 0; i < array->rank; i++)
        order[i] = array->rank - 1 - i;
    for (int32_t i = array->rank - 1; i > 0 && !c_order; i--) {
        const int32_t other = (int32_t)below(array, i + 1), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

static int64_t choose_gap(prop_array *array, int64_t element) {
    switch (below(array, 6)) {
    case 0: return element;
    case 1: return element * below(array, 3);
    case 2: return below(array, 4); /* may not be aligned */
    default: return 0;
    }
}

void prop_view_choose(prop_array *array, const int64_t *shape, bool source, prop_view *out) {
    const int64_t element = array->dtype->size;
    const bool plain = below(array, 3) == 0; /* as most callers' memory: C order, no gaps */
    int32_t order[ZL_MAX_RANK];
    choose_order(array, order);
    int64_t stride = element, first = plain || below(array, 4) > 0 ? 0 : below(array, 4), span = element;
    const int64_t front = first;
    for (int32_t k = 0; k < array->rank; k++) {
        const int32_t axis = plain ? array->rank - 1 - k : order[k];
        const int64_t count = shape[axis] > 0 ? shape[axis] : 1;
        if (!plain) stride += choose_gap(array, element);
        out->stride[axis] = stride;
        if (source && !plain && below(array, 8) == 0) {
            out->stride[axis] = 0;
            continue;
        }
        span += (count - 1) * stride;
        if (!plain && below(array, 4) == 0) {
            out->stride[axis] = -stride;
            first += (count - 1) * stride;
        }
        stride *= count;
    }
    out->size = (size_t)(front + span);
    out->memory = malloc(out->size);
    if (out->memory == NULL) abort();
    memset(out->memory, PROP_BLANK, out->size);
    out->data = out->memory + first;
}

void prop_view_clear(prop_view *view) {
    free(view->memory);
}

bool prop_next(int32_t rank, const int64_t *shape, int64_t *at) {
    for (int32_t i = rank - 1; i >= 0; i--) {
        if (++at[i] < shape[i]) return true;
        at[i] = 0;
    }
    return false;
}

char *prop_address(const prop_view *view, int32_t rank, const int64_t *at) {
    char *address = view->data;
    for (int32_t i = 0; i < rank; i++)
        address += at[i] * view->stride[i];
    return address;
}

bool prop_is_empty(int32_t rank, const int64_t *shape) {
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] == 0) return true;
    }
    return false;
}
