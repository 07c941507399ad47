/* SPDX-License-Identifier: MIT */
/* Inner chunks are what a reader fetches and decodes, so they are small; shards are objects in the store, so they are few.
 * The rule depends on shape and element size alone: the same array always gets the same layout. */
#include "layout.h"

#include "grid_text.h"
#include "region.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE (UINT64_C(1) << 20)
#define SHARD_SIZE (UINT64_C(64) << 20)

static int64_t divide_up(int64_t a, int64_t b) {
    return a ? (a - 1) / b + 1 : 0;
}

/* Bytes of one chunk, or UINT64_MAX for sizes past every target. */
static uint64_t chunk_size(int32_t rank, const int64_t *chunk, size_t element_size) {
    uint64_t size = element_size;
    for (int32_t axis = 0; axis < rank; axis++) {
        if (size > UINT64_MAX / (uint64_t)chunk[axis]) return UINT64_MAX;
        size *= (uint64_t)chunk[axis];
    }
    return size;
}

/* Whole chunks, from the last axis on, until the shard has its size. */
static void choose_shard(cli_layout *out, int32_t rank, const int64_t *shape, size_t element_size) {
    uint64_t in_array = 1;
    uint64_t in_shard = SHARD_SIZE / chunk_size(rank, out->chunk, element_size);
    for (int32_t axis = 0; axis < rank; axis++) {
        const uint64_t chunks = (uint64_t)divide_up(shape[axis], out->chunk[axis]);
        in_array = chunks && in_array > UINT64_MAX / chunks ? UINT64_MAX : in_array * chunks;
    }
    out->has_shards = in_array > 1 && in_shard > 1;
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        const uint64_t chunks = (uint64_t)divide_up(shape[axis], out->chunk[axis]);
        uint64_t taken = chunks < in_shard ? chunks : in_shard;
        if (taken < 1) taken = 1;
        out->shard[axis] = (int64_t)taken * out->chunk[axis];
        in_shard /= taken;
    }
}

/* Inner chunks for shards that the user chose: the usual shape, made to divide the shard. */
static void choose_chunk_in_shard(cli_layout *out, int32_t rank, size_t element_size) {
    zl_default_chunk_shape(rank, out->shard, element_size, CHUNK_SIZE, out->chunk);
    for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t parts = divide_up(out->shard[axis], out->chunk[axis]);
        int64_t divisor = parts;
        while (out->shard[axis] % divisor != 0 && divisor < parts * 4)
            divisor++;
        out->chunk[axis] = out->shard[axis] % divisor == 0 ? out->shard[axis] / divisor : out->shard[axis];
    }
}

static bool parse_wish(int64_t *out, const char *text, int32_t rank, const int64_t *shape, char *error, size_t error_size) {
    const int32_t given = cli_extents_parse(out, rank, text, shape, 1, error, error_size);
    if (given >= 0 && given != rank) {
        snprintf(error, error_size, "'%s' has %" PRId32 " extents, the array has %" PRId32 " dimensions", text, given,
                 rank);
    }
    return given == rank;
}

/* Chunks or shards of several shapes. Inner chunks that divide all shards are not looked for. */
static bool choose_grid(cli_layout *out, const cli_layout_wish *wish, int32_t rank, const int64_t *shape, char *error,
                        size_t error_size) {
    out->has_shards = wish->shards != NULL;
    if (wish->shards && (!wish->chunks || cli_grid_has_edges(wish->chunks))) {
        snprintf(error, error_size,
                 "edges in brackets are for --shards where there are shards; --chunks is the one shape of inner chunks");
        return false;
    }
    if (wish->shards && !parse_wish(out->chunk, wish->chunks, rank, shape, error, error_size)) return false;
    out->grid = cli_grid_parse(wish->shards ? wish->shards : wish->chunks, rank, shape,
                               wish->shards ? out->shard : out->chunk, error, error_size);
    return out->grid != NULL;
}

void cli_layout_clear(cli_layout *layout) {
    free(layout->grid);
    layout->grid = NULL;
}

void cli_layout_lend(const cli_layout *layout, zl_array_options *options) {
    options->chunk_shape = layout->has_shards || !layout->grid ? layout->chunk : NULL;
    options->shard_shape = layout->has_shards && !layout->grid ? layout->shard : NULL;
    options->chunk_grid_json = layout->grid;
}

bool cli_layout_choose(cli_layout *out, const cli_layout_wish *wish, int32_t rank, const int64_t *shape,
                       size_t element_size, char *error, size_t error_size) {
    *out = (cli_layout){0};
    if (rank == 0) return true;
    if ((wish->shards && cli_grid_has_edges(wish->shards)) || (wish->chunks && cli_grid_has_edges(wish->chunks))) {
        return choose_grid(out, wish, rank, shape, error, error_size);
    }
    if (wish->shards) {
        if (!parse_wish(out->shard, wish->shards, rank, shape, error, error_size)) return false;
        out->has_shards = true;
    }
    if (wish->chunks) {
        if (!parse_wish(out->chunk, wish->chunks, rank, shape, error, error_size)) return false;
    } else if (wish->shards) {
        choose_chunk_in_shard(out, rank, element_size);
    } else {
        zl_default_chunk_shape(rank, shape, element_size, CHUNK_SIZE, out->chunk);
    }
    if (!wish->shards && !wish->no_shards) choose_shard(out, rank, shape, element_size);
    for (int32_t axis = 0; out->has_shards && axis < rank; axis++) {
        if (out->shard[axis] % out->chunk[axis] == 0) continue;
        snprintf(error, error_size, "axis %" PRId32 ": the shard's %" PRId64 " is no multiple of the chunk's %" PRId64,
                 axis, out->shard[axis], out->chunk[axis]);
        return false;
    }
    return true;
}
