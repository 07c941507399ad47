/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include <string.h>

/* Index along an axis of the chunk that holds an element: of `count` the first one that ends behind it. */
static int64_t find(const zl_array *array, int32_t axis, int64_t element, int64_t count) {
    int64_t coords[CLI_MAX_RANK] = {0}, start[CLI_MAX_RANK], shape[CLI_MAX_RANK], low = 0, high = count - 1;
    zl_error err;
    while (low < high) {
        const int64_t middle = coords[axis] = low + (high - low) / 2;
        if (zl_array_chunk_region(array, coords, start, shape, &err)) break;
        if (element < start[axis] + shape[axis])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void cli_shards_start(cli_shards *shards, const zl_array *array, const zl_region *region) {
    *shards = (cli_shards){.array = array};
    zl_array_grid_shape(array, shards->end);
    for (int32_t axis = 0; region && axis < region->rank; axis++) {
        const int64_t count = shards->end[axis], last = region->start[axis] + region->shape[axis] - 1;
        shards->first[axis] = find(array, axis, region->start[axis], count);
        shards->end[axis] = region->shape[axis] ? find(array, axis, last, count) + 1 : shards->first[axis];
    }
}

bool cli_shards_fit(const cli_shards *shards, const zl_region *region) {
    int64_t last[CLI_MAX_RANK], low[CLI_MAX_RANK], high[CLI_MAX_RANK], count[CLI_MAX_RANK];
    zl_error err;
    for (int32_t axis = 0; axis < region->rank; axis++)
        last[axis] = shards->end[axis] - 1;
    if (zl_array_chunk_region(shards->array, shards->first, low, count, &err)) return false;
    if (zl_array_chunk_region(shards->array, last, high, count, &err)) return false;
    bool fits = true;
    for (int32_t axis = 0; fits && axis < region->rank; axis++)
        fits = low[axis] == region->start[axis] && high[axis] + count[axis] == region->start[axis] + region->shape[axis] &&
               (!region->step || region->step[axis] == 1);
    return fits;
}

/* False when there is none. */
static bool step(cli_shards *shards) {
    const int32_t rank = zl_array_rank(shards->array);
    for (int32_t axis = rank - 1; shards->started && axis >= 0; axis--) {
        if (++shards->coords[axis] < shards->end[axis]) return true;
        shards->coords[axis] = shards->first[axis];
    }
    if (shards->started) return false;
    shards->started = true;
    memcpy(shards->coords, shards->first, sizeof shards->coords);
    bool any = true;
    for (int32_t axis = 0; axis < rank; axis++)
        any = any && shards->first[axis] < shards->end[axis];
    return any;
}

bool cli_shards_next(cli_shards *shards) {
    zl_error err;
    return step(shards) && !zl_array_chunk_region(shards->array, shards->coords, shards->start, shards->count, &err);
}

bool cli_shards_hold(const cli_shards *shards, const int64_t *element) {
    bool inside = shards->started;
    for (int32_t axis = 0; inside && axis < zl_array_rank(shards->array); axis++)
        inside = element[axis] >= shards->start[axis] && element[axis] < shards->start[axis] + shards->count[axis];
    return inside;
}
