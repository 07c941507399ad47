/* SPDX-License-Identifier: MIT */
#include "engine/shapes.h"

#include <fenv.h>

#define LISTED_MAX 64    /* pipelines kept; one takes a few kilobytes */
#define CHECKED_MAX 4096 /* combinations of edge lengths that are compiled when an array is opened */

static void free_compiled(const zl_shapes *shapes, zl_compiled *compiled) {
    zl_arena_free(compiled->arena);
    ZL_DELETE(&shapes->context->allocator, compiled);
}

static zl_status compile_pipeline(const zl_shapes *shapes, zl_compiled *compiled, const zl_env *env, zl_error *err) {
    const zl_metadata *meta = shapes->meta;
    const zl_level level = {meta->dtype, meta->fill};
    if (!zl_aspect_differs(&compiled->view))
        return zl_pipeline_compile(meta->chain, &level, &compiled->shape, env, &compiled->pipeline, err);
    return zl_pipeline_compile_view(meta->chain, &level, &compiled->view, &compiled->shape, env, &compiled->pipeline, err);
}

static zl_status compile(const zl_shapes *shapes, const zl_shape *shape, const zl_aspect *view, zl_compiled **out,
                         zl_error *err) {
    const zl_allocator *allocator = &shapes->context->allocator;
    const zl_metadata *meta = shapes->meta;
    zl_compiled *compiled = ZL_NEW(allocator, zl_compiled);
    if (!compiled) return zl_fail_memory(err, sizeof *compiled);
    compiled->shape = *shape;
    compiled->view = *view;
    compiled->references = 1;
    compiled->arena = zl_arena_new(allocator);
    zl_env env;
    zl_context_env(shapes->context, &env);
    env.zarr_format = meta->zarr_format;
    env.creating = meta->creating;
    env.arena = compiled->arena;
    fenv_t environment; /* fill values are encoded here: as all computing, in the default environment */
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    const zl_status status = compiled->arena ? compile_pipeline(shapes, compiled, &env, err) : zl_fail_memory(err, 0);
    fesetenv(&environment);
    if (status != ZL_OK)
        free_compiled(shapes, compiled);
    else
        *out = compiled;
    return status;
}

/* ---- the list, locked */

static void give(const zl_shapes *shapes, zl_compiled *compiled) {
    if (--compiled->references == 0) free_compiled(shapes, compiled);
}

static bool same_shape(const zl_shape *a, const zl_shape *b) {
    return memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]) == 0;
}

static bool same_view(const zl_aspect *a, const zl_aspect *b) {
    return a->field == b->field && a->offset == b->offset && a->dtype == b->dtype;
}

/* Finds a pipeline and makes it the newest. */
static zl_compiled *find(zl_shapes *shapes, const zl_shape *shape, const zl_aspect *view) {
    for (zl_compiled **place = &shapes->newest; *place; place = &(*place)->older) {
        zl_compiled *found = *place;
        if (!same_view(&found->view, view) || !same_shape(&found->shape, shape)) continue;
        *place = found->older;
        found->older = shapes->newest;
        shapes->newest = found;
        return found;
    }
    return NULL;
}

static void list(zl_shapes *shapes, zl_compiled *compiled) {
    compiled->older = shapes->newest;
    shapes->newest = compiled;
    if (++shapes->count <= LISTED_MAX) return;
    zl_compiled **oldest = &shapes->newest;
    while ((*oldest)->older)
        oldest = &(*oldest)->older;
    zl_compiled *dropped = *oldest;
    *oldest = NULL;
    shapes->count--;
    give(shapes, dropped);
}

/* ---- unlocked */

zl_status zl_shapes_take(zl_shapes *shapes, const zl_shape *shape, const zl_aspect *view, zl_compiled **out,
                         zl_error *err) {
    zl_mutex_lock(&shapes->mutex);
    zl_compiled *found = find(shapes, shape, view);
    if (found) found->references++;
    zl_mutex_unlock(&shapes->mutex);
    if (!found) {
        ZL_TRY(compile(shapes, shape, view, &found, err));
        zl_mutex_lock(&shapes->mutex);
        found->references++;
        list(shapes, found); /* twice the same does no harm: the older one drops out */
        zl_mutex_unlock(&shapes->mutex);
    }
    *out = found;
    return ZL_OK;
}

zl_compiled *zl_shapes_retain(zl_shapes *shapes, zl_compiled *compiled) {
    zl_mutex_lock(&shapes->mutex);
    compiled->references++;
    zl_mutex_unlock(&shapes->mutex);
    return compiled;
}

void zl_shapes_give(zl_shapes *shapes, zl_compiled *compiled) {
    if (!compiled) return;
    zl_mutex_lock(&shapes->mutex);
    give(shapes, compiled);
    zl_mutex_unlock(&shapes->mutex);
}

/* Compiles every combination of edge lengths, so that what metadata alone shows to be wrong is refused at once. */
static zl_status check_shapes(zl_shapes *shapes, zl_error *err) {
    const zl_metadata *meta = shapes->meta;
    const zl_grid_class *grid = meta->grid;
    zl_shape shape = {.rank = meta->shape.rank};
    size_t at[ZL_MAX_RANK] = {0};
    if (grid->uniform) memcpy(shape.dim, grid->uniform(meta->grid_self), (size_t)shape.rank * sizeof shape.dim[0]);
    for (int32_t i = 0; !grid->uniform && i < shape.rank; i++)
        grid->edge(meta->grid_self, i, 0, &shape.dim[i]);
    for (int32_t combinations = 0; combinations < CHECKED_MAX; combinations++) {
        zl_compiled *compiled;
        ZL_TRY(zl_shapes_take(shapes, &shape, &zl_aspect_own, &compiled, err));
        zl_shapes_give(shapes, compiled);
        if (grid->uniform) return ZL_OK;
        int32_t axis = shape.rank - 1;
        while (axis >= 0 && !grid->edge(meta->grid_self, axis, ++at[axis], &shape.dim[axis])) {
            at[axis] = 0;
            grid->edge(meta->grid_self, axis, 0, &shape.dim[axis]);
            axis--;
        }
        if (axis < 0) return ZL_OK;
    }
    return ZL_OK;
}

zl_status zl_shapes_init(zl_shapes *shapes, const zl_context *context, const zl_metadata *meta, zl_error *err) {
    *shapes = (zl_shapes){.context = context, .meta = meta};
    ZL_TRY(zl_mutex_init(&shapes->mutex, err));
    const zl_status status = check_shapes(shapes, err);
    if (status != ZL_OK) zl_shapes_clear(shapes);
    return status;
}

void zl_shapes_clear(zl_shapes *shapes) {
    while (shapes->newest) {
        zl_compiled *compiled = shapes->newest;
        shapes->newest = compiled->older;
        give(shapes, compiled);
    }
    zl_mutex_clear(&shapes->mutex);
}
