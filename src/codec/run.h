/* SPDX-License-Identifier: MIT */
/* The elements of a box along its last axis, run by run in C order: for codecs that store elements one after the other. */
#ifndef ZL_CODEC_RUN_H
#define ZL_CODEC_RUN_H

#include "base/base.h"

typedef struct zl_runs {
    const zl_box *box;
    int64_t pitch[ZL_MAX_RANK]; /* of the chunk's elements in C order */
    int64_t at[ZL_MAX_RANK];
    bool end;
    /* the current run */
    char *data;
    int64_t first; /* number of its first element in the chunk */
    int64_t count;
    int64_t stride; /* in memory; in the chunk it is 1 */
} zl_runs;

/* `shape` is that of the chunk. Where steps of `box` are not 1, `first` says nothing. */
void zl_runs_begin(zl_runs *runs, const zl_box *box, const zl_shape *shape);
/* The next run, of which `first` is larger than before; false: no more. */
bool zl_runs_next(zl_runs *runs);

#endif
