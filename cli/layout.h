/* SPDX-License-Identifier: MIT */
/* Chosen chunk and shard shapes; docs/chunks.md has the rule. */
#ifndef ZARRLITE_CLI_LAYOUT_H
#define ZARRLITE_CLI_LAYOUT_H

#include "cli.h"

/* What the user said: NULL where nothing was said. */
typedef struct cli_layout_wish {
    const char *chunks;
    const char *shards;
    bool no_shards;
} cli_layout_wish;

typedef struct cli_layout {
    int64_t chunk[CLI_MAX_RANK]; /* inner chunks where there are shards */
    int64_t shard[CLI_MAX_RANK];
    bool has_shards;
    /* The chunk_grid of metadata, where chunks, or shards where there are any, have several shapes; their longest edges are
     * in `chunk` or `shard` then. NULL: they have one shape. */
    char *grid;
} cli_layout;

/* Chooses shapes for an array. Lists of another rank than the array's are an error. False with a message. */
bool cli_layout_choose(cli_layout *out, const cli_layout_wish *wish, int32_t rank, const int64_t *shape,
                       size_t element_size, char *error, size_t error_size);
void cli_layout_clear(cli_layout *layout);
/* Lends the shapes to the options of a new array. */
void cli_layout_lend(const cli_layout *layout, zl_array_options *options);

#endif
