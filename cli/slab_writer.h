/* SPDX-License-Identifier: MIT */
/* Writes slabs to an array: each for itself, or where shards are cut piece by piece to the shard they make up. */
#ifndef ZARRLITE_CLI_SLAB_WRITER_H
#define ZARRLITE_CLI_SLAB_WRITER_H

#include "slabs.h"

typedef struct cli_slab_writer {
    zl_array *array;
    bool cuts_shards;
    cli_shards shards;      /* the current one */
    zl_shard_writer *shard; /* NULL: it cannot be written piece by piece, and is rewritten with each slab */
} cli_slab_writer;

/* For slabs that are started and come in their order. */
void cli_slab_writer_start(cli_slab_writer *writer, zl_array *array, const cli_slabs *slabs);
zl_status cli_slab_write(cli_slab_writer *writer, const int64_t *start, const int64_t *count, zl_const_view view,
                         const zl_write_options *options, zl_error *err);
/* After the last slab, and after a failure, with the status so far: stores the last shard, or forgets it. */
zl_status cli_slab_writer_end(cli_slab_writer *writer, zl_status status, zl_error *err);

#endif
