/* SPDX-License-Identifier: MIT */
/* The chunks of an array's grid one after the other: its shards, where it has any. */
#ifndef ZARRLITE_CLI_SHARDS_H
#define ZARRLITE_CLI_SHARDS_H

#include "cli.h"

typedef struct cli_shards {
    const zl_array *array;
    int64_t first[CLI_MAX_RANK];
    int64_t end[CLI_MAX_RANK];
    bool started;
    /* The current one, in the grid, and its elements up to the array's end. */
    int64_t coords[CLI_MAX_RANK];
    int64_t start[CLI_MAX_RANK];
    int64_t count[CLI_MAX_RANK];
} cli_shards;

/* Those that hold elements of a region; NULL: all. */
void cli_shards_start(cli_shards *shards, const zl_array *array, const zl_region *region);
/* Is the region made of all of their elements? */
bool cli_shards_fit(const cli_shards *shards, const zl_region *region);
/* Moves to the next one, in C order; false after the last one. */
bool cli_shards_next(cli_shards *shards);
/* Is the element in the current one? There is none before the first step. */
bool cli_shards_hold(const cli_shards *shards, const int64_t *element);

#endif
