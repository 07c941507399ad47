/* SPDX-License-Identifier: MIT */
/* Moves slabs from a source to a sink: one thread reads the next slab while another one writes this one. Each side is
 * called from one thread only, since libraries such as libnetcdf allow no more. */
#ifndef ZARRLITE_CLI_PUMP_H
#define ZARRLITE_CLI_PUMP_H

#include "slabs.h"

typedef struct cli_source {
    /* Brings the slab at `start` with `count` elements along each axis, and says in *out where it is: in `buffer`, which
     * has room for it, or elsewhere. It stays there until `slot` (0 or 1) is used again. */
    zl_status (*fetch)(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer, zl_const_view *out,
                       zl_error *err);
    void *user;
} cli_source;

typedef struct cli_sink {
    /* Takes a slab; `view` is what the source said. */
    zl_status (*take)(void *user, const int64_t *start, const int64_t *count, zl_const_view view, zl_error *err);
    void *user;
} cli_sink;

/* Moves all slabs of elements of `element_size` bytes. Source and sink are called from one thread each. */
zl_status cli_pump(const cli_slabs *slabs, size_t element_size, const cli_source *source, const cli_sink *sink,
                   zl_error *err);

/* The same with an array as the sink. `on_progress` counts the elements of the whole array. */
zl_status cli_pump_to_array(zl_array *array, const cli_slabs *slabs, const cli_source *source, zl_cancel *cancel,
                            zl_progress_fn on_progress, void *progress_user, zl_error *err);

#endif
