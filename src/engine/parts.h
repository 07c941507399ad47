/* SPDX-License-Identifier: MIT */
/* Which parts of a shard to fetch together: wanted parts are taken in windows, sorted by offset, and neighbours merged. */
#ifndef ZL_ENGINE_PARTS_H
#define ZL_ENGINE_PARTS_H

#include "pipeline/pipeline.h"

#define ZL_PART_WINDOW 4096      /* parts that are sorted at a time */
#define ZL_PART_GROUP_MAX ZL_MIB /* bytes of one group; a larger part is a group of its own */

/* A part that is wanted: its number and where it lies. */
typedef struct zl_part {
    int64_t number;
    zl_range range;
} zl_part;

typedef struct zl_part_window {
    const zl_pipeline *p;  /* of the shard */
    const zl_range *index; /* its entries */
    zl_cells cells;
    zl_part *parts; /* room for ZL_PART_WINDOW */
    size_t count, taken;
    int32_t threads;
    uint64_t group_max; /* bytes of a group of this window */
} zl_part_window;

/* Keeps all of its arguments; `box` is in coordinates of the parts. `threads` will share the groups: where little is
 * wanted, groups are small enough for each to get some. */
void zl_part_window_begin(zl_part_window *window, const zl_pipeline *p, const zl_range *index, const zl_box *box,
                          zl_part *parts, int32_t threads);
/* The next group: its parts (valid until the next call) and the range that holds them, empty for missing parts. Returns
 * their number, 0 when there are none left. */
size_t zl_part_window_next(zl_part_window *window, const zl_part **parts, zl_range *range);

#endif
