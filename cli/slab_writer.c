/* SPDX-License-Identifier: MIT */
#include "slab_writer.h"

static bool is_other_shard(const cli_slab_writer *writer, const int64_t *coords) {
    for (int32_t axis = 0; writer->started && axis < zl_array_rank(writer->array); axis++) {
        if (writer->coords[axis] != coords[axis]) return true;
    }
    return !writer->started;
}

static zl_status end_shard(cli_slab_writer *writer, zl_status status, zl_error *err) {
    if (!status && writer->shard) status = zl_shard_writer_commit(writer->shard, err);
    zl_shard_writer_free(writer->shard);
    writer->shard = NULL;
    return status;
}

/* The shard of the slab is the current one afterwards. */
static zl_status find_shard(cli_slab_writer *writer, const int64_t *start, zl_error *err) {
    const int64_t *chunk = zl_array_chunk_shape(writer->array);
    int64_t coords[CLI_MAX_RANK];
    for (int32_t axis = 0; axis < zl_array_rank(writer->array); axis++)
        coords[axis] = start[axis] / chunk[axis];
    if (!is_other_shard(writer, coords)) return ZL_OK;
    zl_status status = end_shard(writer, ZL_OK, err);
    if (status) return status;
    for (int32_t axis = 0; axis < zl_array_rank(writer->array); axis++)
        writer->coords[axis] = coords[axis];
    writer->started = true;
    status = zl_shard_writer_new(&writer->shard, writer->array, coords, err);
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
