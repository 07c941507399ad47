/* SPDX-License-Identifier: MIT */
#include "engine/array.h"

#define INDEX_CACHE_LIMIT (32 * ZL_MIB)

/* The inner chunks' shape in the array's axes: transposes before the shards are undone. */
static void find_inner_shape(zl_engine_array *array) {
    const zl_pipeline *p = array->pipeline;
    if (p->kind != ZL_END_SPLIT) return;
    /* A remap permutes axes, so a box whose extents name the axes shows where each went. */
    zl_box axes = {.rank = p->top_shape.rank}, moved;
    for (int32_t i = 0; i < axes.rank; i++)
        axes.shape[i] = i;
    zl_to_end(p, &axes, &moved);
    array->inner_shape.rank = axes.rank;
    for (int32_t i = 0; i < axes.rank; i++)
        array->inner_shape.dim[moved.shape[i]] = p->inner->top_shape.dim[i];
    array->has_inner = true;
}

static zl_status compile(zl_engine_array *array, zl_error *err) {
    const zl_metadata *meta = array->meta;
    const int64_t *chunk = meta->grid->uniform ? meta->grid->uniform(meta->grid_self) : NULL;
    if (!chunk) return zl_fail(err, ZL_ERR_UNSUPPORTED, "chunk grid \"%s\" is not supported yet", meta->grid->name);
    zl_shape shape = {.rank = meta->shape.rank};
    memcpy(shape.dim, chunk, (size_t)shape.rank * sizeof *chunk);
    zl_env env;
    zl_context_env(array->context, &env);
    env.zarr_format = meta->zarr_format;
    env.arena = array->arena;
    const zl_level level = {meta->dtype, meta->fill};
    return zl_pipeline_compile(meta->chain, &level, &shape, &env, &array->pipeline, err);
}

zl_status zl_engine_array_open(zl_store *store, const zl_metadata *metadata, const char *path, zl_engine_array **out,
                               zl_error *err) {
    const zl_allocator *allocator = store->allocator;
    zl_engine_array *array = ZL_NEW(allocator, zl_engine_array);
    if (!array) return zl_fail_memory(err, sizeof *array);
    array->context = store->context;
    array->store = store;
    array->meta = metadata;
    const size_t length = strlen(path);
    array->prefix_length = length ? length + 1 : 0;
    array->prefix = zl_alloc(allocator, array->prefix_length + 1, 1);
    array->arena = zl_arena_new(allocator);
    zl_status status = array->prefix && array->arena ? ZL_OK : zl_fail_memory(err, length);
    if (status == ZL_OK) {
        memcpy(array->prefix, path, length);
        if (length) array->prefix[length] = '/';
        array->prefix[array->prefix_length] = '\0';
        status = zl_index_cache_new(&array->indexes, allocator, INDEX_CACHE_LIMIT, err);
    }
    if (status == ZL_OK) status = compile(array, err);
    if (status != ZL_OK) {
        zl_engine_array_close(array);
        return status;
    }
    find_inner_shape(array);
    *out = array;
    return ZL_OK;
}

void zl_engine_array_close(zl_engine_array *array) {
    if (!array) return;
    const zl_allocator *allocator = &array->context->allocator;
    zl_index_cache_free(array->indexes);
    zl_arena_free(array->arena);
    if (array->prefix) zl_free(allocator, array->prefix, array->prefix_length + 1);
    ZL_DELETE(allocator, array);
}

const zl_shape *zl_engine_array_inner_shape(const zl_engine_array *array) {
    return array->has_inner ? &array->inner_shape : NULL;
}

/* ---- the plan */

void zl_plan_begin(zl_plan *plan, const zl_engine_array *array, const zl_engine_region *region, void *memory) {
    const zl_metadata *meta = array->meta;
    plan->array = array;
    plan->order = 0;
    plan->box = (zl_box){.rank = region->rank, .data = memory};
    for (int32_t i = 0; i < region->rank; i++) {
        plan->box.start[i] = region->start[i];
        plan->box.shape[i] = region->shape[i];
        plan->box.step[i] = region->step[i];
        plan->box.stride[i] = region->stride[i];
        plan->box.edge[i] = meta->shape.dim[i];
    }
    zl_cells_begin(&plan->cells, &plan->box, meta->grid, meta->grid_self, NULL);
}

bool zl_plan_next(zl_plan *plan, char *key, size_t key_cap, zl_box *share) {
    const zl_engine_array *array = plan->array;
    const zl_metadata *meta = array->meta;
    for (; !plan->cells.done; zl_cells_next(&plan->cells)) {
        if (!zl_box_cut(&plan->box, plan->cells.origin, plan->cells.extent, share)) continue;
        memcpy(key, array->prefix, array->prefix_length);
        meta->key->format(meta->key_self, share->rank, plan->cells.index, key + array->prefix_length,
                          key_cap - array->prefix_length);
        plan->order++;
        zl_cells_next(&plan->cells);
        return true;
    }
    return false;
}
