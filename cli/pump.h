/* SPDX-License-Identifier: MIT */
/* Moves blocks from a source into an array: one thread reads the next block while the library's threads write this one.
 * The source is called from one thread only, since libraries such as libnetcdf allow no more. */
#ifndef ZARRLITE_CLI_PUMP_H
#define ZARRLITE_CLI_PUMP_H

#include "blocks.h"

typedef struct cli_source {
    /* Brings the block at `start` with `count` elements along each axis, and says in *out where it is: in `buffer`, which
     * has room for it, or elsewhere. It stays there until `slot` (0 or 1) is used again. */
    zl_status (*fetch)(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer, zl_const_view *out,
                       zl_error *err);
    void *user;
} cli_source;

/* Writes all blocks. `on_progress` counts the elements of the whole array. */
zl_status cli_pump(zl_array *array, const cli_blocks *blocks, const cli_source *source, zl_cancel *cancel,
                   zl_progress_fn on_progress, void *progress_user, zl_error *err);

#endif
