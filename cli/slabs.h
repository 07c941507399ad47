/* SPDX-License-Identifier: MIT */
/* The order in which the elements of an array are written. */
#ifndef ZARRLITE_CLI_SLABS_H
#define ZARRLITE_CLI_SLABS_H

#include "blocks.h"
#include "shards.h"

/* A slab is a number of whole chunks of the target (of its shards, where it has any), so that each is written once. A shard
 * that is larger than the budget is cut: its slabs follow each other, each as many whole inner chunks as fit. One chunk, or
 * inner chunk, is the least. */
typedef struct cli_slabs {
    int32_t rank;
    int64_t origin[CLI_MAX_RANK]; /* of all slabs */
    int64_t shape[CLI_MAX_RANK];
    bool is_cut;
    cli_blocks outer;  /* where no shards are cut: the slabs */
    cli_shards shards; /* where they are: the one that is cut into `inner` */
    cli_blocks inner;
    int64_t unit[CLI_MAX_RANK]; /* of inner blocks */
    int64_t wish[CLI_MAX_RANK];
    size_t element_size;
    uint64_t budget;
    /* The current slab. */
    int64_t start[CLI_MAX_RANK];
    int64_t count[CLI_MAX_RANK];
} cli_slabs;

/* Of a `region` that is made of whole chunks of the target; NULL: all of it. `element_size` is what an element takes while
 * it is on its way. Within the budget slabs cover the source's chunks (`wish`; NULL: none), so that each of those is
 * decoded as seldom as possible. */
void cli_slabs_start(cli_slabs *slabs, const zl_array *target, const zl_region *region, const int64_t *wish,
                     size_t element_size, uint64_t budget);
/* Slabs for something that is no array: the blocks themselves. */
void cli_slabs_of_blocks(cli_slabs *slabs, const cli_blocks *blocks);
bool cli_slabs_next(cli_slabs *slabs);
/* Elements of the current slab, and of the largest one. */
int64_t cli_slabs_count(const cli_slabs *slabs);
int64_t cli_slabs_most(const cli_slabs *slabs);

#endif
