/* SPDX-License-Identifier: MIT */
#include "slab_writer.h"

void cli_slab_writer_start(cli_slab_writer *writer, zl_array *array, const cli_slabs *slabs) {
    *writer = (cli_slab_writer){.array = array, .cuts_shards = slabs->is_cut, .shards = slabs->shards};
}

static zl_status end_shard(cli_slab_writer *writer, zl_status status, zl_error *err) {
    if (!status && writer->shard) status = zl_shard_writer_commit(writer->shard, err);
    zl_shard_writer_free(writer->shard);
    writer->shard = NULL;
    return status;
}

/* The shard of the slab is the current one afterwards. */
static zl_status find_shard(cli_slab_writer *writer, const int64_t *start, zl_error *err) {
    if (cli_shards_hold(&writer->shards, start)) return ZL_OK;
    zl_status status = end_shard(writer, ZL_OK, err);
    while (!status && !cli_shards_hold(&writer->shards, start)) {
        if (!cli_shards_next(&writer->shards)) return ZL_OK; /* it is written all the same */
    }
    if (!status) status = zl_shard_writer_new(&writer->shard, writer->array, writer->shards.coords, err);
    return status == ZL_ERR_UNSUPPORTED ? ZL_OK : status;
}

zl_status cli_slab_write(cli_slab_writer *writer, const int64_t *start, const int64_t *count, zl_const_view view,
                         const zl_write_options *options, zl_error *err) {
    const zl_region region = {zl_array_rank(writer->array), start, count, NULL};
    const zl_status status = writer->cuts_shards ? find_shard(writer, start, err) : ZL_OK;
    if (status) return status;
    return writer->shard ? zl_shard_writer_write(writer->shard, &region, view, options, err)
                         : zl_array_write(writer->array, &region, view, options, err);
}

zl_status cli_slab_writer_end(cli_slab_writer *writer, zl_status status, zl_error *err) {
    return end_shard(writer, status, err);
}
