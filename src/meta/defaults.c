/* SPDX-License-Identifier: MIT */
/*
 * The chunk shape of arrays for which the user chose none.
 *
 * The rule, which docs/chunks.md explains: a chunk may hold `target_size` bytes. From the last axis to the first, an axis
 * that still fits is taken whole and divides what is left for the axes before it. The first axis that does not fit is cut
 * into as few pieces as fit, all of the same length but the last, which may be shorter; the axes before it get length 1.
 */
#include "base/base.h"

#define DEFAULT_TARGET_SIZE ZL_MIB

void zl_default_chunk_shape(int32_t rank, const int64_t *shape, size_t element_size, uint64_t target_size,
                            int64_t *chunk_shape) {
    const uint64_t target = target_size != 0 ? target_size : DEFAULT_TARGET_SIZE;
    uint64_t left = element_size != 0 ? target / element_size : target;
    if (left == 0) left = 1;
    if (left > INT64_MAX) left = INT64_MAX;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        const int64_t extent = zl_max_i64(shape[axis], 1);
        const int64_t pieces = zl_ceil_div(extent, (int64_t)left);
        chunk_shape[axis] = zl_ceil_div(extent, pieces);
        left = pieces == 1 ? left / (uint64_t)extent : 1;
    }
}
