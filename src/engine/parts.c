/* SPDX-License-Identifier: MIT */
#include "engine/parts.h"

#include <stdlib.h>

#define GAP_MAX (64 * ZL_KIB)   /* unwanted bytes that are cheaper to read than another request */
#define GROUP_MIN (64 * ZL_KIB) /* less work than this is not worth another thread */

void zl_part_window_begin(zl_part_window *window, const zl_pipeline *p, const zl_range *index, const zl_box *box,
                          zl_part *parts, int32_t threads) {
    *window = (zl_part_window){.p = p, .index = index, .parts = parts, .threads = threads};
    zl_parts_begin(&window->cells, p, box);
}

static int by_offset(const void *a, const void *b) {
    const zl_part *x = a, *y = b;
    if (x->range.offset != y->range.offset) return x->range.offset < y->range.offset ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void fill(zl_part_window *window) {
    uint64_t sum = 0;
    window->count = window->taken = 0;
    for (; window->count < ZL_PART_WINDOW && !window->cells.done; zl_cells_next(&window->cells)) {
        const int64_t number = zl_part_number(window->p, window->cells.index);
        const zl_range range = window->index[number];
        if (range.offset != ZL_MISSING) sum = zl_sat_add(sum, range.length);
        window->parts[window->count++] = (zl_part){number, range};
    }
    const uint64_t share = sum / (2 * (uint64_t)window->threads);
    window->group_max = zl_min_u64(share > GROUP_MIN ? share : GROUP_MIN, ZL_PART_GROUP_MAX);
    qsort(window->parts, window->count, sizeof(zl_part), by_offset); /* missing ones come last */
}

size_t zl_part_window_next(zl_part_window *window, const zl_part **parts, zl_range *range) {
    if (window->taken == window->count) fill(window);
    const zl_part *first = window->parts + window->taken, *end = window->parts + window->count, *part = first;
    *parts = first;
    *range = (zl_range){0, 0};
    if (first < end && first->range.offset == ZL_MISSING)
        part = end;
    else if (first < end)
        *range = (part++)->range;
    for (; part < end && part->range.offset != ZL_MISSING; part++) {
        const uint64_t here = range->offset + range->length;
        const uint64_t there = part->range.offset + part->range.length;
        if (part->range.offset > here && part->range.offset - here > GAP_MAX) break;
        if (there > here && there - range->offset > window->group_max) break;
        if (there > here) range->length = there - range->offset;
    }
    window->taken += (size_t)(part - first);
    return (size_t)(part - first);
}
