/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t round_up(int64_t value, int64_t unit) {
    return (value - 1) / unit * unit + unit;
}

/* a * b, or INT64_MAX where that is too much: sizes are only compared with budgets. */
static int64_t times(int64_t a, int64_t b) {
    return b && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static int64_t volume(int32_t rank, const int64_t *extents) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < rank; axis++)
        count = times(count, extents[axis]);
    return count;
}

static int64_t elements_in(uint64_t budget, size_t element_size) {
    const uint64_t count = budget / (element_size ? element_size : 1);
    return count ? (int64_t)count : 1;
}

static void begin(cli_blocks *blocks, int32_t rank, const int64_t *shape) {
    *blocks = (cli_blocks){0};
    blocks->rank = rank;
    memcpy(blocks->shape, shape, (size_t)rank * sizeof *shape);
}

void cli_blocks_sequential(cli_blocks *blocks, int32_t rank, const int64_t *shape, const int64_t *chunk,
                           const int64_t *origin, size_t element_size, uint64_t budget) {
    begin(blocks, rank, shape);
    int64_t room = elements_in(budget, element_size);
    int32_t axis = rank - 1;
    for (; axis >= 0 && shape[axis] <= room; axis--) { /* whole axes from the last one */
        blocks->block[axis] = shape[axis];
        room /= shape[axis] ? shape[axis] : 1;
    }
    if (axis >= 0) {
        const int64_t unit = chunk ? chunk[axis] : 1;
        blocks->block[axis] = room >= unit ? room / unit * unit : room;
        blocks->phase[axis] = room >= unit && origin ? origin[axis] % unit : 0;
    }
    for (axis--; axis >= 0; axis--)
        blocks->block[axis] = 1;
}

/* Extends one axis of a block to at least `extent`, in whole units, where the budget of elements allows it. */
static void extend(cli_blocks *blocks, int32_t axis, int64_t extent, int64_t unit, int64_t budget) {
    const int64_t others = volume(blocks->rank, blocks->block) / blocks->block[axis];
    const int64_t wanted = round_up(least(extent, blocks->shape[axis]), unit);
    const int64_t allowed = budget / (others ? others : 1) / unit * unit;
    const int64_t chosen = least(wanted, allowed);
    if (chosen > blocks->block[axis]) blocks->block[axis] = chosen;
}

void cli_blocks_grid(cli_blocks *blocks, int32_t rank, const int64_t *shape, const int64_t *unit, const int64_t *wish,
                     size_t element_size, uint64_t budget) {
    begin(blocks, rank, shape);
    memcpy(blocks->block, unit, (size_t)rank * sizeof *unit);
    const int64_t room = elements_in(budget, element_size);
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        if (wish && shape[axis]) extend(blocks, axis, wish[axis], unit[axis], room);
    }
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        if (shape[axis]) extend(blocks, axis, shape[axis], unit[axis], room);
    }
    for (int32_t axis = 0; axis < rank; axis++) {
        if (shape[axis]) blocks->block[axis] = least(blocks->block[axis], shape[axis]); /* memory is for what exists */
    }
}

static void set_count(cli_blocks *blocks, int32_t axis) {
    const int64_t first = blocks->start[axis] == 0 ? blocks->phase[axis] : 0;
    blocks->count[axis] = least(blocks->block[axis] - first, blocks->shape[axis] - blocks->start[axis]);
}

bool cli_blocks_next(cli_blocks *blocks) {
    if (!blocks->started) {
        blocks->started = true;
        bool any = true;
        for (int32_t axis = 0; axis < blocks->rank; axis++) {
            set_count(blocks, axis);
            any = any && blocks->shape[axis] > 0;
        }
        return any;
    }
    for (int32_t axis = blocks->rank - 1; axis >= 0; axis--) {
        blocks->start[axis] += blocks->count[axis];
        const bool more = blocks->start[axis] < blocks->shape[axis];
        if (!more) blocks->start[axis] = 0;
        set_count(blocks, axis);
        if (more) return true;
    }
    return false;
}

int64_t cli_blocks_count(const cli_blocks *blocks) {
    return volume(blocks->rank, blocks->count);
}

int64_t cli_blocks_most(const cli_blocks *blocks) {
    int64_t most = 1;
    for (int32_t axis = 0; axis < blocks->rank; axis++)
        most = times(most, least(blocks->block[axis], blocks->shape[axis]));
    return most;
}
