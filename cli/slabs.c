/* SPDX-License-Identifier: MIT */
#include "slabs.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void set_extents(int64_t *out, const int64_t *extents, int32_t rank) {
    for (int32_t axis = 0; axis < rank; axis++)
        out[axis] = extents ? extents[axis] : 1;
}

/* Does the part of one `unit` that lies in the array take more than the budget? */
static bool is_over_budget(const cli_slabs *slabs, int32_t rank, const int64_t *shape, const int64_t *unit) {
    uint64_t room = slabs->budget / slabs->element_size;
    for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t extent = least(unit[axis], shape[axis]);
        if (extent == 0) return false;
        room /= (uint64_t)extent;
    }
    return room == 0;
}

void cli_slabs_start(cli_slabs *slabs, const zl_array *target, const int64_t *wish, size_t element_size, uint64_t budget) {
    const int32_t rank = zl_array_rank(target);
    const int64_t *shape = zl_array_shape(target);
    const int64_t *inner = zl_array_inner_chunk_shape(target);
    int64_t unit[CLI_MAX_RANK];
    *slabs = (cli_slabs){.element_size = element_size ? element_size : 1, .budget = budget};
    set_extents(unit, zl_array_chunk_shape(target) ? zl_array_chunk_shape(target) : inner, rank);
    set_extents(slabs->wish, wish, rank);
    slabs->is_cut = inner && zl_array_chunk_shape(target) && is_over_budget(slabs, rank, shape, unit);
    if (slabs->is_cut) set_extents(slabs->unit, inner, rank);
    cli_blocks_grid(&slabs->outer, rank, shape, unit, slabs->is_cut ? NULL : slabs->wish, slabs->element_size,
                    slabs->is_cut ? 1 : budget);
}

void cli_slabs_of_blocks(cli_slabs *slabs, const cli_blocks *blocks) {
    *slabs = (cli_slabs){.outer = *blocks};
}

static void set_inner(cli_slabs *slabs) {
    cli_blocks_grid(&slabs->inner, slabs->outer.rank, slabs->outer.count, slabs->unit, slabs->wish, slabs->element_size,
                    slabs->budget);
}

/* The next part of the current outer block. */
static bool next_inner(cli_slabs *slabs) {
    if (!slabs->is_cut || !slabs->outer.started || !cli_blocks_next(&slabs->inner)) return false;
    for (int32_t axis = 0; axis < slabs->outer.rank; axis++) {
        slabs->start[axis] = slabs->outer.start[axis] + slabs->inner.start[axis];
        slabs->count[axis] = slabs->inner.count[axis];
    }
    return true;
}

bool cli_slabs_next(cli_slabs *slabs) {
    if (next_inner(slabs)) return true;
    if (!cli_blocks_next(&slabs->outer)) return false;
    if (slabs->is_cut) {
        set_inner(slabs);
        return next_inner(slabs);
    }
    memcpy(slabs->start, slabs->outer.start, sizeof slabs->start);
    memcpy(slabs->count, slabs->outer.count, sizeof slabs->count);
    return true;
}

int64_t cli_slabs_count(const cli_slabs *slabs) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < slabs->outer.rank; axis++)
        count *= slabs->count[axis];
    return count;
}

int64_t cli_slabs_most(const cli_slabs *slabs) {
    const int64_t outer = cli_blocks_most(&slabs->outer);
    if (!slabs->is_cut) return outer;
    int64_t part = (int64_t)(slabs->budget / slabs->element_size), unit = 1;
    for (int32_t axis = 0; axis < slabs->outer.rank; axis++)
        unit *= slabs->unit[axis]; /* divides a shard, whose elements were counted when the array was opened */
    if (part < unit) part = unit;
    return least(part, outer);
}
