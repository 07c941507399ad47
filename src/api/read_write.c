/* SPDX-License-Identifier: MIT */
/* Checks regions and views, fills in defaults, and hands over to the engine. */
#include "api/array.h"

#include "api/node.h"
#include "codec/number.h"
#include "engine/shard_put.h"

static zl_status check_axis(const zl_engine_region *out, int32_t axis, zl_error *err) {
    const int64_t extent = out->edge[axis];
    const int64_t start = out->start[axis], count = out->shape[axis], step = out->step[axis];
    if (start < 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "region: start[%d] is %lld", axis, (long long)start);
    if (count < 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "region: shape[%d] is %lld", axis, (long long)count);
    if (step < 1) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "region: step[%d] is %lld", axis, (long long)step);
    int64_t last = 0;
    if (count == 0 ? start <= extent
                   : zl_mul_i64(count - 1, step, &last) && zl_add_i64(last, start, &last) && last < extent) {
        return ZL_OK;
    }
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT,
                   "region: axis %d has %lld elements from %lld, step %lld; the array ends at %lld", axis, (long long)count,
                   (long long)start, (long long)step, (long long)extent);
}

/* The data type of the elements that a view sees if it does not cast. */
static const zl_dtype *uncast_dtype(const zl_array *array, const zl_engine_region *region) {
    return region->view.field ? region->view.field : array->meta->dtype;
}

/* The own data type of what is read is no view of another one. Others have to outlive the array's handle: those with an id
 * do. `path` names a field, or is NULL. */
static zl_status find_view(const zl_array *array, const char *path, const zl_dtype *dtype, zl_engine_region *out,
                           zl_error *err) {
    zl_number number;
    out->view = zl_aspect_own;
    if (path) {
        zl_field field;
        ZL_TRY(zl_dtype_require_field(array->meta->dtype, path, &field, err));
        out->view.field = field.dtype;
        out->view.offset = field.offset;
    }
    const zl_dtype *own = uncast_dtype(array, out);
    if (!dtype || dtype == own || (dtype->id != ZL_DTYPE_NONE && dtype->id == own->id)) return ZL_OK;
    if (dtype->id == ZL_DTYPE_NONE || !zl_number_of(dtype, &number) || !zl_number_of(own, &number)) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "view: no cast between \"%s\" and \"%s\": both must be real numbers",
                       own->name, dtype->name);
    }
    out->view.dtype = dtype;
    return ZL_OK;
}

/* The whole array where there is no region, C order where there are no strides. `shape` is the array's for this call. */
static zl_status make_region(const zl_array *array, const zl_shape *shape, const zl_region *region, const int64_t *strides,
                             zl_engine_region *out, zl_error *err) {
    out->rank = shape->rank;
    if (region && region->rank != shape->rank) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "region: rank is %d, the array's is %d", region->rank, shape->rank);
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        out->start[i] = region ? region->start[i] : 0;
        out->shape[i] = region ? region->shape[i] : shape->dim[i];
        out->step[i] = region && region->step ? region->step[i] : 1;
        out->edge[i] = shape->dim[i];
        ZL_TRY(check_axis(out, i, err));
    }
    int64_t stride = (int64_t)(out->view.dtype ? out->view.dtype : uncast_dtype(array, out))->size;
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        out->stride[i] = strides ? strides[i] : stride;
        if (out->shape[i] > 1 && !zl_mul_i64(stride, out->shape[i], &stride)) {
            return zl_fail(err, ZL_ERR_LIMIT, "region: its elements take more than 2^63-1 bytes");
        }
    }
    return ZL_OK;
}

static zl_status check_data(const void *data, const zl_engine_region *region, zl_error *err) {
    for (int32_t i = 0; i < region->rank; i++) {
        if (region->shape[i] == 0) return ZL_OK;
    }
    return data ? ZL_OK : zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "view: data is NULL");
}

zl_status zl_array_read(const zl_array *array, const zl_region *region, zl_view dst, const zl_read_options *options,
                        zl_error *err) {
    zl_read_options o;
    ZL_TRY(zl_options_copy(&o, sizeof o, options, "zl_read_options", err));
    zl_engine_region r;
    const zl_shape shape = zl_array_current_shape(array);
    ZL_TRY(find_view(array, o.field, dst.dtype, &r, err));
    ZL_TRY(make_region(array, &shape, region, dst.strides, &r, err));
    ZL_TRY(check_data(dst.data, &r, err));
    if (array->meta->dtype->variable && !o.result) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "read: elements of type \"%s\" need options.result to live in",
                       array->meta->dtype->name);
    }
    return zl_engine_read(array->engine, &r, dst.data, &o, err);
}

static zl_status check_conditional(const zl_write_options *options, zl_error *err) {
    if ((unsigned)options->conditional > ZL_CONDITIONAL_ASK_TRIED) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "write: options.conditional is %d", (int)options->conditional);
    }
    if (options->conditional >= ZL_CONDITIONAL_ASK && !options->on_conditional) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "write: options.on_conditional is needed to ask about codecs");
    }
    return ZL_OK;
}

static zl_status write_region(zl_array *array, zl_shard_put *put, const zl_shape *shape, const zl_region *region,
                              zl_const_view src, const zl_write_options *options, zl_error *err) {
    zl_write_options o;
    ZL_TRY(zl_options_copy(&o, sizeof o, options, "zl_write_options", err));
    ZL_TRY(check_conditional(&o, err));
    zl_engine_region r;
    ZL_TRY(find_view(array, NULL, src.dtype, &r, err));
    ZL_TRY(make_region(array, shape, region, src.strides, &r, err));
    ZL_TRY(check_data(src.data, &r, err));
    return put ? zl_shard_put_write(put, &r, src.data, &o, err)
               : zl_engine_write(array->engine, NULL, &r, src.data, &o, err);
}

zl_status zl_array_write_within(zl_array *array, const zl_shape *shape, const zl_region *region, zl_const_view src,
                                const zl_write_options *options, zl_error *err) {
    return write_region(array, NULL, shape, region, src, options, err);
}

zl_status zl_array_write(zl_array *array, const zl_region *region, zl_const_view src, const zl_write_options *options,
                         zl_error *err) {
    const zl_shape shape = zl_array_current_shape(array);
    return write_region(array, NULL, &shape, region, src, options, err);
}

/* ---- shards piece by piece */

struct zl_shard_writer {
    zl_array *array;
    zl_shard_put *put;
};

zl_status zl_shard_writer_new(zl_shard_writer **out, zl_array *array, const int64_t *coords, zl_error *err) {
    ZL_TRY(zl_array_check_chunk(array, coords, err));
    ZL_TRY(zl_node_check_writable(array->store, err));
    zl_shard_writer *writer = ZL_NEW(array->store->allocator, zl_shard_writer);
    if (!writer) return zl_fail_memory(err, sizeof *writer);
    writer->array = array;
    const zl_status status = zl_shard_put_new(&writer->put, array->engine, coords, err);
    if (status == ZL_OK)
        *out = writer;
    else
        ZL_DELETE(array->store->allocator, writer);
    return status;
}

zl_status zl_shard_writer_write(zl_shard_writer *writer, const zl_region *region, zl_const_view src,
                                const zl_write_options *options, zl_error *err) {
    const zl_shape shape = zl_array_current_shape(writer->array);
    return write_region(writer->array, writer->put, &shape, region, src, options, err);
}

zl_status zl_shard_writer_commit(zl_shard_writer *writer, zl_error *err) {
    return zl_shard_put_commit(writer->put, err);
}

void zl_shard_writer_free(zl_shard_writer *writer) {
    if (!writer) return;
    zl_shard_put_free(writer->put);
    ZL_DELETE(writer->array->store->allocator, writer);
}
