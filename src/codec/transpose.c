/* SPDX-License-Identifier: MIT */
/*
 * transpose: a permutation of the axes. Axis i of the encoded array is axis order[i] of the decoded one.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose/
 *
 * It moves no data: boxes get their axes permuted, and whatever comes next works with the strides that result. The "C"
 * and "F" of drafts of the specification were taken out of it and are refused.
 */
#include "codec/chain.h"

struct transpose {
    int32_t rank;
    int32_t order[ZL_MAX_RANK];
};

static zl_status parse_order(const zl_json *list, struct transpose *out, zl_error *err) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA,
                            "order must be an array that lists every axis once, such as [1, 0]");
    }
    const size_t rank = zl_json_count(list);
    if (rank > ZL_MAX_RANK) {
        return zl_json_fail(list, err, ZL_ERR_LIMIT, "order has %zu axes, the limit is %d", rank, ZL_MAX_RANK);
    }
    bool seen[ZL_MAX_RANK] = {false};
    for (const zl_json *value = zl_json_first(list); value; value = zl_json_next(value)) {
        int64_t axis;
        ZL_TRY(zl_json_to_i64(value, &axis, err));
        if (axis < 0 || axis >= (int64_t)rank) {
            return zl_json_fail(value, err, ZL_ERR_METADATA, "axis %lld of an order of %zu axes", (long long)axis, rank);
        }
        if (seen[axis]) return zl_json_fail(value, err, ZL_ERR_METADATA, "axis %d occurs twice in order", (int)axis);
        seen[axis] = true;
        out->order[out->rank++] = (int32_t)axis;
    }
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"order", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *order;
    ZL_TRY(zl_json_require(configuration, "order", &order, err));
    struct transpose *transpose = ZL_ARENA_NEW(env->arena, struct transpose);
    if (!transpose) return zl_fail_memory(err, sizeof *transpose);
    *self = transpose;
    return parse_order(order, transpose, err);
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct transpose *transpose = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "order");
    zl_json_write_array(writer);
    for (int32_t i = 0; i < transpose->rank; i++) {
        zl_json_write_i64(writer, transpose->order[i]);
    }
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err) {
    (void)level, (void)arena;
    const struct transpose *transpose = resolved;
    if (transpose->rank != in->rank) {
        return zl_fail(err, ZL_ERR_METADATA, "transpose: order has %d axes, the chunk has %d", (int)transpose->rank,
                       (int)in->rank);
    }
    for (int32_t i = 0; i < in->rank; i++) {
        out->dim[i] = in->dim[transpose->order[i]];
    }
    *bound = transpose;
    return ZL_OK;
}

static bool remap(const void *bound, const zl_box *in, zl_box *out) {
    const struct transpose *transpose = bound;
    const zl_box from = *in; /* `out` may be the same box */
    out->rank = from.rank;
    out->data = from.data;
    for (int32_t i = 0; i < from.rank; i++) {
        const int32_t axis = transpose->order[i];
        out->start[i] = from.start[axis];
        out->shape[i] = from.shape[axis];
        out->stride[i] = from.stride[axis];
        out->step[i] = from.step[axis];
        out->edge[i] = from.edge[axis];
    }
    return true;
}

static const zl_aa_ops aa = {.remap = remap};

const zl_codec_class zl_codec_transpose = {
    .size = sizeof(zl_codec_class),
    .name = "transpose",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose/",
    .parse = parse,
    .emit = emit,
    .bind = bind,
    .aa = &aa,
};
