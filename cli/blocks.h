/* SPDX-License-Identifier: MIT */
/* Cuts a region into blocks that fit in memory, so that arrays of any size can be streamed. */
#ifndef ZARRLITE_CLI_BLOCKS_H
#define ZARRLITE_CLI_BLOCKS_H

#include "cli.h"

/* Coordinates are those of the region: 0 is its first element. Blocks come in C order. */
typedef struct cli_blocks {
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    int64_t block[CLI_MAX_RANK]; /* extents of a full block */
    int64_t phase[CLI_MAX_RANK]; /* elements by which the first block of an axis is shorter */
    /* The current block, valid after cli_blocks_next returned true. */
    int64_t start[CLI_MAX_RANK];
    int64_t count[CLI_MAX_RANK];
    bool started;
} cli_blocks;

/* Blocks that follow each other without gaps in C order: what can be written to or read from a pipe. Where the leading axis
 * of a block is cut, it is cut at multiples of `chunk` (NULL: anywhere), of which the region starts at `origin` (NULL: 0).
 */
void cli_blocks_sequential(cli_blocks *blocks, int32_t rank, const int64_t *shape, const int64_t *chunk,
                           const int64_t *origin, size_t element_size, uint64_t budget);

/* Blocks of whole `unit`s: what is written to a grid. A block is at least one unit, whatever its size; within `budget` it
 * covers the extents `wish` (the source's own chunks; NULL: none), then whole axes from the last one. */
void cli_blocks_grid(cli_blocks *blocks, int32_t rank, const int64_t *shape, const int64_t *unit, const int64_t *wish,
                     size_t element_size, uint64_t budget);

/* Moves to the next block; false after the last one. A region without elements has none. */
bool cli_blocks_next(cli_blocks *blocks);

/* Elements of the current block, and of the largest one. */
int64_t cli_blocks_count(const cli_blocks *blocks);
int64_t cli_blocks_most(const cli_blocks *blocks);

#endif
