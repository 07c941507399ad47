/* SPDX-License-Identifier: MIT */
/* Shards in pieces: boxes of whole inner chunks, none of which overlap. */
#include "property.h"

static int64_t below(prop_array *array, int64_t n) {
    return (int64_t)zt_random_below(&array->random, (uint64_t)n);
}

void prop_chunk_choose(prop_array *array, int64_t *coords, prop_region *out) {
    for (int32_t i = 0; i < array->rank; i++) {
        const int64_t *edges = array->edges[i], inside = below(array, array->shape[i]);
        int64_t first = 0;
        coords[i] = 0;
        for (; first + edges[coords[i]] <= inside; coords[i]++)
            first += edges[coords[i]];
        out->start[i] = first;
        out->shape[i] = zl_min_i64(edges[coords[i]], array->shape[i] - first);
        out->step[i] = 1;
    }
}

/* Cuts a piece in two along some axis, where that has several inner chunks. */
static bool cut(prop_array *array, const int64_t *inner, prop_region *piece, prop_region *rest) {
    const int32_t axis = (int32_t)below(array, array->rank);
    const int64_t count = zl_ceil_div(piece->shape[axis], inner[axis]);
    if (count < 2) return false;
    const int64_t length = (1 + below(array, count - 1)) * inner[axis];
    *rest = *piece;
    rest->start[axis] += length;
    rest->shape[axis] -= length;
    piece->shape[axis] = length;
    return true;
}

size_t prop_pieces_choose(prop_array *array, const prop_region *shard, const int64_t *inner, prop_region *pieces) {
    size_t count = 1;
    pieces[0] = *shard;
    for (int64_t cuts = array->rank ? below(array, 3 * PROP_PIECES_MAX) : 0; cuts > 0 && count < PROP_PIECES_MAX; cuts--) {
        if (cut(array, inner, &pieces[below(array, (int64_t)count)], &pieces[count])) count++;
    }
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)below(array, (int64_t)i);
        const prop_region moved = pieces[i - 1];
        pieces[i - 1] = pieces[other];
        pieces[other] = moved;
    }
    return below(array, 2) ? count : count - (size_t)below(array, (int64_t)count + 1);
}
