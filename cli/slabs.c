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
static bool is_over_budget(const cli_slabs *slabs, const int64_t *unit) {
    uint64_t room = slabs->budget / slabs->element_size;
    for (int32_t axis = 0; axis < slabs->rank; axis++) {
        const int64_t extent = least(unit[axis], slabs->shape[axis]);
        if (extent == 0) return false;
        room /= (uint64_t)extent;
    }
    return room == 0;
}

static void begin(cli_slabs *slabs, const zl_array *target, const zl_region *region, size_t element_size, uint64_t budget) {
    *slabs = (cli_slabs){.rank = zl_array_rank(target), .element_size = element_size ? element_size : 1, .budget = budget};
    const size_t size = (size_t)slabs->rank * sizeof slabs->shape[0];
    memcpy(slabs->shape, region ? region->shape : zl_array_shape(target), size);
    if (region) memcpy(slabs->origin, region->start, size);
}

void cli_slabs_start(cli_slabs *slabs, const zl_array *target, const zl_region *region, const int64_t *wish,
                     size_t element_size, uint64_t budget) {
    const int64_t *inner = zl_array_inner_chunk_shape(target), *chunk = zl_array_chunk_shape(target);
    int64_t largest[CLI_MAX_RANK];
    begin(slabs, target, region, element_size, budget);
    set_extents(slabs->wish, wish, slabs->rank);
    zl_array_largest_chunk_shape(target, largest);
    slabs->is_cut = inner && is_over_budget(slabs, largest);
    if (slabs->is_cut) {
        set_extents(slabs->unit, inner, slabs->rank);
        cli_shards_start(&slabs->shards, target, region);
    } else {
        int64_t unit[CLI_MAX_RANK];
        set_extents(unit, chunk ? chunk : inner, slabs->rank);
        cli_blocks_grid(&slabs->outer, slabs->rank, slabs->shape, unit, slabs->wish, slabs->element_size, budget);
    }
}

void cli_slabs_of_blocks(cli_slabs *slabs, const cli_blocks *blocks) {
    *slabs = (cli_slabs){.rank = blocks->rank, .outer = *blocks};
}

static void set_slab(cli_slabs *slabs, const int64_t *origin, const cli_blocks *blocks) {
    for (int32_t axis = 0; axis < slabs->rank; axis++) {
        slabs->start[axis] = origin[axis] + blocks->start[axis];
        slabs->count[axis] = blocks->count[axis];
    }
}

/* The next part of the current shard, or of the one behind it. */
static bool next_of_shards(cli_slabs *slabs) {
    while (!slabs->shards.started || !cli_blocks_next(&slabs->inner)) {
        if (!cli_shards_next(&slabs->shards)) return false;
        cli_blocks_grid(&slabs->inner, slabs->rank, slabs->shards.count, slabs->unit, slabs->wish, slabs->element_size,
                        slabs->budget);
    }
    set_slab(slabs, slabs->shards.start, &slabs->inner);
    return true;
}

bool cli_slabs_next(cli_slabs *slabs) {
    if (slabs->is_cut) return next_of_shards(slabs);
    if (!cli_blocks_next(&slabs->outer)) return false;
    set_slab(slabs, slabs->origin, &slabs->outer);
    return true;
}

int64_t cli_slabs_count(const cli_slabs *slabs) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < slabs->rank; axis++)
        count *= slabs->count[axis];
    return count;
}

/* A shard that is cut has more elements than the budget. */
int64_t cli_slabs_most(const cli_slabs *slabs) {
    if (!slabs->is_cut) return cli_blocks_most(&slabs->outer);
    int64_t unit = 1;
    for (int32_t axis = 0; axis < slabs->rank; axis++)
        unit *= least(slabs->unit[axis], slabs->shape[axis]); /* of a shard, whose elements were counted at opening */
    const int64_t part = (int64_t)(slabs->budget / slabs->element_size);
    return part > unit ? part : unit;
}
