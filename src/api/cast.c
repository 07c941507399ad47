/* SPDX-License-Identifier: MIT */
/* Casts of the caller's memory, without an array: one row codec between two strided views. */
#include <fenv.h>

#include "api/buffer.h"
#include "base/worker.h"
#include "codec/cast.h"
#include "engine/context.h"
#include "pipeline/rows.h"

void zl_cast_options_init(zl_cast_options *options) {
    *options = (zl_cast_options){.size = sizeof *options};
}

/* What a cast takes besides the elements; cleared even after a failure. */
typedef struct cast_setup {
    zl_arena *arena;
    zl_json_doc *map;
    zl_cast_pair *pair;
} cast_setup;

static void setup_clear(cast_setup *setup) {
    zl_json_doc_free(setup->map);
    zl_arena_free(setup->arena);
}

/* What is wrong with a map or a value is wrong with an argument. */
static zl_status blame_caller(zl_status status, zl_error *err) {
    return status == ZL_ERR_METADATA ? zl_error_wrap(err, ZL_ERR_INVALID_ARGUMENT, "cast: ") : status;
}

static zl_status bad_option(zl_error *err, const char *name, int value) {
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: options.%s is %d", name, value);
}

static zl_status setup_init(cast_setup *setup, const zl_dtype *from, const zl_dtype *to, const zl_cast_options *options,
                            const zl_allocator *allocator, zl_error *err) {
    zl_cast_options o = ZL_CAST_OPTIONS_INIT;
    *setup = (cast_setup){0};
    if (options) memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if (!from || !to) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: a data type is NULL");
    if ((int)o.rounding < 0 || o.rounding > ZL_ROUND_NEAREST_AWAY) return bad_option(err, "rounding", (int)o.rounding);
    if ((int)o.out_of_range < 0 || o.out_of_range > ZL_RANGE_WRAP)
        return bad_option(err, "out_of_range", (int)o.out_of_range);
    setup->arena = zl_arena_new(allocator);
    if (!setup->arena) return zl_fail_memory(err, 0);
    const zl_env env = {.size = sizeof env, .arena = setup->arena, .zarr_format = 3};
    const zl_cast_rule rule = {o.rounding, o.out_of_range};
    zl_status status = ZL_OK;
    if (o.map_json) {
        const zl_json_options json = {.what = "map_json"};
        status = zl_json_parse(&setup->map, o.map_json, strlen(o.map_json), &json, allocator, err);
    }
    if (status == ZL_OK) {
        const zl_json *map = setup->map ? zl_json_root(setup->map) : NULL;
        status = zl_cast_pair_make(from, to, rule, map, NULL, &env, &setup->pair, err);
    }
    return blame_caller(status, err);
}

/* ---- strided memory */

static zl_status make_box(zl_box *box, int32_t rank, const int64_t *shape, const zl_const_view *src, zl_error *err) {
    if (rank < 0 || rank > ZL_MAX_RANK)
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: rank is %d, not 0 to %d", rank, ZL_MAX_RANK);
    zl_shape extents = {.rank = rank};
    int64_t count;
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] < 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: shape[%d] is %lld", i, (long long)shape[i]);
        extents.dim[i] = shape[i];
    }
    if (!zl_shape_count(&extents, &count) || count > INT64_MAX / 8)
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: the elements take more than 2^63-1 bytes");
    /* Elements are only read: the box of a source. */
    zl_box_whole(box, &extents, src->dtype->size, (void *)src->data);
    if (src->strides) memcpy(box->stride, src->strides, (size_t)rank * sizeof *src->strides);
    return ZL_OK;
}

static zl_status run_box(const zl_cast_pair *pair, const zl_box *box, const zl_view *dst, zl_error *err) {
    const zl_row row = {{&zl_codec_view, pair}, pair->decoded, pair->encoded};
    const zl_pipeline p = {.end = {pair->encoded, NULL}, .row_count = 1, .rows = &row};
    const zl_pending pending = {&p, NULL};
    zl_box whole;
    zl_shape extents = {.rank = box->rank};
    memcpy(extents.dim, box->shape, sizeof extents.dim);
    zl_box_whole(&whole, &extents, pair->encoded->size, dst->data);
    zl_worker *worker = zl_worker_new(&zl_default_allocator);
    if (!worker) return zl_fail_memory(err, 0);
    const zl_call call = {
        .size = sizeof call, .allocator = &zl_default_allocator, .worker = worker, .err = err, .region = box};
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    const zl_status status =
        zl_gather(&p, dst->data, dst->strides ? dst->strides : whole.stride, false, box, &pending, &call);
    fesetenv(&environment);
    zl_worker_free(worker);
    return status;
}

zl_status zl_cast(zl_view dst, zl_const_view src, int32_t rank, const int64_t *shape, const zl_cast_options *options,
                  zl_error *err) {
    cast_setup setup;
    zl_box box;
    zl_status status = setup_init(&setup, src.dtype, dst.dtype, options, &zl_default_allocator, err);
    if (status == ZL_OK) status = make_box(&box, rank, shape, &src, err);
    const bool any = status == ZL_OK && zl_box_count(&box) > 0;
    if (any && (!src.data || !dst.data)) status = zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "cast: data is NULL");
    if (any && status == ZL_OK) status = run_box(setup.pair, &box, &dst, err);
    setup_clear(&setup);
    return status;
}

/* ---- one value */

static zl_status cast_value(const cast_setup *setup, const zl_json *value, zl_json_writer *writer, zl_cast_outcome *outcome,
                            zl_error *err) {
    const zl_env env = {.size = sizeof env, .arena = setup->arena, .zarr_format = 3};
    const zl_cast_pair *pair = setup->pair;
    uint64_t from = 0, to = 0, code = 0;
    ZL_TRY(pair->decoded->cls->parse_fill(pair->decoded, value, &env, &from, err));
    const zl_cast_outcome what = zl_cast_one(pair->encode, zl_number_load(&pair->encode->from, &from), &code);
    if (outcome) *outcome = what;
    if (zl_cast_refuses(what)) return zl_cast_pair_refuse(pair, true, &from, ZL_ERR_INVALID_ARGUMENT, err);
    zl_number_store(&pair->encode->to, &to, code);
    pair->encoded->cls->emit_fill(pair->encoded, &to, writer);
    return ZL_OK;
}

zl_status zl_cast_json(zl_context *context, const zl_dtype *from, const zl_dtype *to, const char *value_json,
                       const zl_cast_options *options, zl_buffer *out, zl_cast_outcome *outcome, zl_error *err) {
    const zl_allocator *allocator = &context->allocator;
    const zl_json_options json = {.what = "value"};
    cast_setup setup;
    zl_json_doc *value = NULL;
    zl_json_writer writer;
    zl_json_writer_init(&writer, allocator, 0);
    zl_status status = setup_init(&setup, from, to, options, allocator, err);
    if (status == ZL_OK) status = zl_json_parse(&value, value_json, strlen(value_json), &json, allocator, err);
    if (status == ZL_OK) status = cast_value(&setup, zl_json_root(value), &writer, outcome, err);
    if (status == ZL_OK) {
        status = zl_buffer_take(out, context, &writer, err);
    } else {
        zl_json_writer_clear(&writer);
    }
    zl_json_doc_free(value);
    setup_clear(&setup);
    return blame_caller(status, err);
}
