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
} cli_layout;

/* Chooses shapes for an array. Lists of another rank than the array's are an error. False with a message. */
bool cli_layout_choose(cli_layout *out, const cli_layout_wish *wish, int32_t rank, const int64_t *shape,
                       size_t element_size, char *error, size_t error_size);

#endif
