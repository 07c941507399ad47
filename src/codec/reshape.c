/* SPDX-License-Identifier: MIT */
/*
 * reshape: the same elements in the same order, in an array of another shape.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/reshape
 *
 * It moves no data where it can: the axes of both shapes fall into groups with as many elements on either side, and within
 * a group the wanted elements are one run, evenly spaced in the chunk and in memory, which the axes of the other side cut
 * into a box. Where they do not (a part of joined axes, memory that is not in C order) the pipeline decodes the smallest
 * box that covers them.
 *
 * The page's second rule for `input_dims` is read as prod(B_shape[:i]) == prod(A_shape[:input_dims[0]]): as printed,
 * without the colon, it refuses the page's own example.
 */
#include "codec/chain.h"

/* One entry of `shape`. */
struct extent {
    enum { EXTENT_SIZE, EXTENT_DIMS, EXTENT_REST } kind;
    int64_t size;
    int32_t first_dim, dim_count; /* in reshape.dims */
};

struct reshape {
    int32_t rank;
    int32_t dim_count;
    struct extent extent[ZL_MAX_RANK];
    int32_t dims[ZL_MAX_RANK]; /* of all lists, in increasing order */
};

/* Neighbouring axes of both sides that hold equally many elements; one side may have none when that is 1. */
struct group {
    int32_t in_first, in_end;
    int32_t out_first, out_end;
};

/* For one chunk shape. */
struct bound {
    zl_shape in, out;
    int32_t group_count;
    struct group group[2 * ZL_MAX_RANK];
};

/* ---- configuration */

static zl_status parse_dims(const zl_json *list, struct reshape *out, struct extent *extent, zl_error *err) {
    extent->kind = EXTENT_DIMS;
    extent->first_dim = out->dim_count;
    for (const zl_json *value = zl_json_first(list); value; value = zl_json_next(value)) {
        int64_t dim;
        ZL_TRY(zl_json_to_i64(value, &dim, err));
        if (dim < 0 || dim >= ZL_MAX_RANK) {
            return zl_json_fail(value, err, ZL_ERR_METADATA, "no array has a dimension %lld", (long long)dim);
        }
        if (out->dim_count > 0 && dim <= out->dims[out->dim_count - 1]) {
            return zl_json_fail(value, err, ZL_ERR_METADATA,
                                "dimension %d comes behind %d: over all lists they must increase", (int)dim,
                                (int)out->dims[out->dim_count - 1]);
        }
        out->dims[out->dim_count++] = (int32_t)dim;
        extent->dim_count++;
    }
    return ZL_OK;
}

static zl_status parse_extent(const zl_json *value, struct reshape *out, bool *has_rest, zl_error *err) {
    struct extent *extent = &out->extent[out->rank++];
    if (zl_json_get_type(value) == ZL_JSON_ARRAY) return parse_dims(value, out, extent, err);
    ZL_TRY(zl_json_to_i64(value, &extent->size, err));
    if (extent->size == -1) {
        if (*has_rest) return zl_json_fail(value, err, ZL_ERR_METADATA, "-1 occurs twice in shape");
        *has_rest = true;
        extent->kind = EXTENT_REST;
    } else if (extent->size < 1) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "an extent is at least 1, or -1 for what is left, not %lld",
                            (long long)extent->size);
    }
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"shape", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *shape;
    ZL_TRY(zl_json_require(configuration, "shape", &shape, err));
    if (zl_json_get_type(shape) != ZL_JSON_ARRAY) {
        return zl_json_fail(shape, err, ZL_ERR_METADATA,
                            "must be an array of extents and lists of dimensions, such as [[0, 1], 10, -1]");
    }
    if (zl_json_count(shape) > ZL_MAX_RANK) {
        return zl_json_fail(shape, err, ZL_ERR_LIMIT, "%zu dimensions, the limit is %d", zl_json_count(shape), ZL_MAX_RANK);
    }
    struct reshape *reshape = ZL_ARENA_NEW(env->arena, struct reshape);
    if (!reshape) return zl_fail_memory(err, sizeof *reshape);
    bool has_rest = false;
    for (const zl_json *value = zl_json_first(shape); value; value = zl_json_next(value)) {
        ZL_TRY(parse_extent(value, reshape, &has_rest, err));
    }
    *self = reshape;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct reshape *reshape = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "shape");
    zl_json_write_array(writer);
    for (int32_t i = 0; i < reshape->rank; i++) {
        const struct extent *extent = &reshape->extent[i];
        if (extent->kind != EXTENT_DIMS) {
            zl_json_write_i64(writer, extent->size);
            continue;
        }
        zl_json_write_array(writer);
        for (int32_t k = 0; k < extent->dim_count; k++) {
            zl_json_write_i64(writer, reshape->dims[extent->first_dim + k]);
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

/* ---- for one chunk shape */

/* Product of the extents first, ..., end-1. Those of a whole shape are known to have one. */
static int64_t product(const zl_shape *shape, int32_t first, int32_t end) {
    int64_t count = 1;
    for (int32_t i = first; i < end; i++) {
        count *= shape->dim[i];
    }
    return count;
}

static zl_status wrong_count(const zl_shape *in, int64_t total, zl_error *err) {
    return zl_fail(err, ZL_ERR_METADATA, "reshape: the %lld elements of a chunk with %d dimensions do not fill the shape",
                   (long long)total, (int)in->rank);
}

/* The extents of `out`; all products stay within `total`, the number of elements. */
static zl_status find_shape(const struct reshape *reshape, const zl_shape *in, int64_t total, zl_shape *out,
                            zl_error *err) {
    int64_t known = 1;
    int32_t rest = -1;
    out->rank = reshape->rank;
    for (int32_t i = 0; i < reshape->rank; i++) {
        const struct extent *extent = &reshape->extent[i];
        out->dim[i] = extent->kind == EXTENT_SIZE ? extent->size : 1;
        if (extent->kind == EXTENT_REST) rest = i;
        for (int32_t k = 0; k < extent->dim_count; k++) {
            const int32_t dim = reshape->dims[extent->first_dim + k];
            if (dim >= in->rank) {
                return zl_fail(err, ZL_ERR_METADATA, "reshape: dimension %d of a chunk with %d dimensions", (int)dim,
                               (int)in->rank);
            }
            out->dim[i] *= in->dim[dim];
        }
        if (!zl_mul_i64(known, out->dim[i], &known) || known > total) return wrong_count(in, total, err);
    }
    if (total % known != 0 || (rest < 0 && known != total)) return wrong_count(in, total, err);
    if (rest >= 0) out->dim[rest] = total / known;
    return ZL_OK;
}

/* Where an extent is that of input dimensions, these must lie at the same place in the order of elements. */
static zl_status check_dims(const struct reshape *reshape, const zl_shape *in, const zl_shape *out, zl_error *err) {
    for (int32_t i = 0; i < reshape->rank; i++) {
        const struct extent *extent = &reshape->extent[i];
        if (extent->dim_count == 0) continue;
        const int32_t first = reshape->dims[extent->first_dim];
        const int32_t last = reshape->dims[extent->first_dim + extent->dim_count - 1];
        if (product(out, 0, i) == product(in, 0, first) &&
            product(out, i + 1, out->rank) == product(in, last + 1, in->rank)) {
            continue;
        }
        return zl_fail(err, ZL_ERR_METADATA,
                       "reshape: dimension %d is not made of the dimensions %d to %d that its list names", (int)i,
                       (int)first, (int)last);
    }
    return ZL_OK;
}

/* Both shapes have the same number of elements, so the side that is behind always has another axis. */
static void find_groups(struct bound *bound) {
    const zl_shape *in = &bound->in, *out = &bound->out;
    int32_t i = 0, o = 0;
    while (i < in->rank || o < out->rank) {
        struct group *group = &bound->group[bound->group_count++];
        group->in_first = i;
        group->out_first = o;
        int64_t in_count = i < in->rank ? in->dim[i++] : 1;
        int64_t out_count = o < out->rank ? out->dim[o++] : 1;
        while (in_count != out_count) {
            if (in_count < out_count)
                in_count *= in->dim[i++];
            else
                out_count *= out->dim[o++];
        }
        group->in_end = i;
        group->out_end = o;
    }
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)level;
    int64_t total;
    if (!zl_shape_count(in, &total)) return zl_fail(err, ZL_ERR_LIMIT, "reshape: a chunk has more than 2^63-1 elements");
    if (total == 0) return zl_fail(err, ZL_ERR_METADATA, "reshape: a chunk has no elements");
    ZL_TRY(find_shape(resolved, in, total, out, err));
    ZL_TRY(check_dims(resolved, in, out, err));
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    bound->in = *in;
    bound->out = *out;
    find_groups(bound);
    *result = bound;
    return ZL_OK;
}

/* ---- boxes */

/* Elements of a group: evenly spaced in the order of elements and in memory. */
struct run {
    int64_t start, step; /* in elements of the group */
    int64_t count;
    int64_t stride; /* in bytes */
};

/* The box's share in the axes of a group as one run; false when it is none. */
static bool join(const struct bound *bound, const struct group *group, const zl_box *box, struct run *run) {
    *run = (struct run){.start = 0, .step = 1, .count = 1};
    for (int32_t i = group->in_first; i < group->in_end; i++) {
        const int64_t count = box->shape[i], step = box->step[i], stride = box->stride[i];
        run->start = run->start * bound->in.dim[i] + box->start[i];
        if (run->count > 1) run->step *= bound->in.dim[i];
        if (count == 1) continue;
        /* The run so far goes on where the new axis ends. */
        if (run->count > 1 && (run->step != step * count || run->stride != stride * count)) return false;
        run->count *= count;
        run->step = step;
        run->stride = stride;
    }
    return true;
}

/* A run as a box over the axes of a group; false when it is none. From the last axis on, the run is what is left of it in
 * units of all the axes behind. */
static bool cut(const struct bound *bound, const struct group *group, struct run run, zl_box *box) {
    for (int32_t i = group->out_end - 1; i >= group->out_first; i--) {
        const int64_t extent = bound->out.dim[i];
        box->edge[i] = extent;
        box->start[i] = run.start % extent;
        box->shape[i] = box->step[i] = 1;
        box->stride[i] = 0;
        const bool stays = run.count == 1 || run.step % extent == 0; /* at one coordinate of this axis */
        if (!stays) {
            box->step[i] = run.step;
            box->stride[i] = run.stride;
        }
        if (stays) {
            run.step /= extent;
        } else if (box->start[i] + (run.count - 1) * run.step < extent) {
            box->shape[i] = run.count;
            run.count = 1;
        } else if (extent % run.step == 0 && box->start[i] < run.step && run.count % (extent / run.step) == 0) {
            box->shape[i] = extent / run.step; /* all the way, again and again */
            run.count /= box->shape[i];
            run.stride *= box->shape[i];
            run.step = 1;
        } else {
            return false;
        }
        run.start /= extent;
    }
    return true;
}

static bool remap(const void *self, const zl_box *in, zl_box *out) {
    const struct bound *bound = self;
    zl_box box = {.rank = bound->out.rank, .data = in->data};
    for (int32_t i = 0; i < bound->group_count; i++) {
        struct run run;
        if (!join(bound, &bound->group[i], in, &run) || !cut(bound, &bound->group[i], run, &box)) return false;
    }
    *out = box;
    return true;
}

/* In each group, everything from the first wanted element to the last. */
static void cover(const void *self, const zl_box *in, zl_box *out) {
    const struct bound *bound = self;
    for (int32_t g = 0; g < bound->group_count; g++) {
        const struct group *group = &bound->group[g];
        int64_t first = 0, last = 0;
        for (int32_t i = group->in_first; i < group->in_end; i++) {
            first = first * bound->in.dim[i] + in->start[i];
            last = last * bound->in.dim[i] + in->start[i] + (in->shape[i] - 1) * in->step[i];
        }
        int64_t pitch = product(&bound->out, group->out_first, group->out_end);
        for (int32_t i = group->out_first; i < group->out_end; i++) {
            pitch /= bound->out.dim[i];
            out->start[i] = first / pitch;
            out->shape[i] = last / pitch - first / pitch + 1;
            const bool one = out->shape[i] == 1;
            first = one ? first % pitch : 0;
            last = one ? last % pitch : pitch - 1;
        }
    }
}

static const zl_aa_ops aa = {.remap = remap, .cover = cover};

const zl_codec_class zl_codec_reshape = {
    .size = sizeof(zl_codec_class),
    .name = "reshape",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/reshape",
    .parse = parse,
    .emit = emit,
    .bind = bind,
    .aa = &aa,
};
