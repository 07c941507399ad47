/* SPDX-License-Identifier: MIT */
#include "engine/array.h"

#define INDEX_CACHE_LIMIT (32 * ZL_MIB)

/* The inner chunks' shape in the array's axes: transposes before the shards are undone. */
static void find_inner_shape(zl_engine_array *array, const zl_pipeline *p) {
    if (p->kind != ZL_END_SPLIT) return;
    /* A remap permutes axes, so a box whose extents name the axes shows where each went. */
    char nowhere; /* strides are 0: remaps move nothing from it */
    zl_box axes = {.rank = p->top_shape.rank, .data = &nowhere}, moved;
    for (int32_t i = 0; i < axes.rank; i++)
        axes.shape[i] = i;
    zl_to_end(p, &axes, &moved);
    bool named[ZL_MAX_RANK] = {false}; /* a codec of the context may do other things to axes: then there is no such shape */
    for (int32_t i = 0; i < moved.rank; i++) {
        const int64_t axis = moved.shape[i];
        if (moved.rank != axes.rank || axis < 0 || axis >= axes.rank || named[axis]) return;
        named[axis] = true;
    }
    array->inner_shape.rank = axes.rank;
    for (int32_t i = 0; i < axes.rank; i++)
        array->inner_shape.dim[moved.shape[i]] = p->inner->top_shape.dim[i];
    array->has_inner = true;
}

/* A regular grid's pipeline is held as long as the array is open; others keep those in use. */
static zl_status compile(zl_engine_array *array, zl_error *err) {
    const zl_metadata *meta = array->meta;
    ZL_TRY(zl_shapes_init(&array->shapes, array->context, meta, err));
    array->has_shapes = true;
    zl_shape shape = {.rank = meta->shape.rank};
    int64_t start;
    for (int32_t i = 0; i < shape.rank; i++)
        meta->grid->span(meta->grid_self, i, 0, &start, &shape.dim[i]);
    zl_compiled *first;
    ZL_TRY(zl_shapes_take(&array->shapes, &shape, &zl_aspect_own, &first, err));
    find_inner_shape(array, first->pipeline);
    if (meta->grid->uniform)
        array->uniform = first;
    else
        zl_shapes_give(&array->shapes, first);
    return ZL_OK;
}

zl_status zl_engine_array_take(zl_engine_array *array, const zl_shape *shape, const zl_aspect *view, zl_compiled **out,
                               zl_error *err) {
    if (!array->uniform || zl_aspect_differs(view)) return zl_shapes_take(&array->shapes, shape, view, out, err);
    *out = array->uniform;
    return ZL_OK;
}

void zl_engine_array_give(zl_engine_array *array, zl_compiled *compiled) {
    if (compiled != array->uniform) zl_shapes_give(&array->shapes, compiled);
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
    zl_status status = array->prefix ? ZL_OK : zl_fail_memory(err, length);
    if (status == ZL_OK) {
        memcpy(array->prefix, path, length);
        if (length) array->prefix[length] = '/';
        array->prefix[array->prefix_length] = '\0';
        status = zl_index_cache_new(&array->indexes, allocator, INDEX_CACHE_LIMIT, err);
    }
    if (status == ZL_OK) status = compile(array, err);
    if (status == ZL_OK) status = zl_extent_open(&array->extent, store, path, &metadata->shape, err);
    if (status != ZL_OK)
        zl_engine_array_close(array);
    else
        *out = array;
    return status;
}

void zl_engine_array_close(zl_engine_array *array) {
    if (!array) return;
    const zl_allocator *allocator = &array->context->allocator;
    zl_extent_close(array->extent);
    zl_index_cache_free(array->indexes);
    if (array->uniform) zl_shapes_give(&array->shapes, array->uniform);
    if (array->has_shapes) zl_shapes_clear(&array->shapes);
    if (array->prefix) zl_free(allocator, array->prefix, array->prefix_length + 1);
    ZL_DELETE(allocator, array);
}

const zl_shape *zl_engine_array_inner_shape(const zl_engine_array *array) {
    return array->has_inner ? &array->inner_shape : NULL;
}

zl_extent *zl_engine_array_extent(const zl_engine_array *array) {
    return array->extent;
}

size_t zl_engine_array_key(const zl_engine_array *array, const int64_t *coords, char *key, size_t cap) {
    const zl_metadata *meta = array->meta;
    memcpy(key, array->prefix, array->prefix_length);
    return array->prefix_length + meta->key->format(meta->key_self, meta->shape.rank, coords, key + array->prefix_length,
                                                    cap - array->prefix_length);
}

size_t zl_engine_array_key_max(const zl_engine_array *array) {
    return array->prefix_length + ZL_KEY_MAX;
}

zl_status zl_engine_array_check_origin(const zl_engine_array *array, const int64_t *origin, zl_error *err) {
    int64_t edge[ZL_MAX_RANK];
    zl_extent_get_edge(array->extent, edge);
    for (int32_t i = 0; i < array->meta->shape.rank; i++) {
        if (origin[i] < edge[i]) continue;
        return zl_fail(err, ZL_ERR_CONFLICT, "the array was shrunk along axis %d to %lld elements", (int)i,
                       (long long)edge[i]);
    }
    return ZL_OK;
}

/* ---- inner chunks */

void zl_inner_chunk_find(const zl_engine_array *array, const int64_t *coords, zl_inner_chunk *out) {
    const zl_metadata *meta = array->meta;
    out->shard_shape.rank = meta->shape.rank;
    for (int32_t i = 0; i < meta->shape.rank; i++) {
        const int64_t inner = array->inner_shape.dim[i];
        int64_t start;
        out->shard[i] = meta->grid->locate(meta->grid_self, i, coords[i] * inner);
        meta->grid->span(meta->grid_self, i, out->shard[i], &start, &out->shard_shape.dim[i]);
        out->cell[i] = coords[i] - start / inner;
        out->origin[i] = coords[i] * inner;
    }
}

int64_t zl_inner_chunk_number(const zl_engine_array *array, const zl_inner_chunk *chunk, const zl_pipeline *p) {
    zl_box box = {.rank = chunk->shard_shape.rank}, end;
    for (int32_t i = 0; i < box.rank; i++) {
        box.start[i] = chunk->cell[i] * array->inner_shape.dim[i];
        box.shape[i] = box.step[i] = 1;
        box.edge[i] = chunk->shard_shape.dim[i];
    }
    zl_to_end(p, &box, &end);
    int64_t cell[ZL_MAX_RANK];
    for (int32_t i = 0; i < end.rank; i++)
        cell[i] = end.start[i] / p->inner->top_shape.dim[i];
    return zl_part_number(p, cell);
}

/* ---- the plan */

void zl_plan_begin(zl_plan *plan, const zl_engine_array *array, const zl_engine_region *region, void *memory) {
    const zl_metadata *meta = array->meta;
    plan->array = array;
    plan->order = 0;
    plan->view = region->view;
    plan->box = (zl_box){.rank = region->rank, .data = memory};
    for (int32_t i = 0; i < region->rank; i++) {
        plan->box.start[i] = region->start[i];
        plan->box.shape[i] = region->shape[i];
        plan->box.step[i] = region->step[i];
        plan->box.stride[i] = region->stride[i];
        plan->box.edge[i] = region->edge[i];
    }
    zl_cells_begin(&plan->cells, &plan->box, meta->grid, meta->grid_self, NULL);
}

bool zl_plan_next(zl_plan *plan, char *key, size_t key_cap, zl_shape *shape, zl_box *share, int64_t *origin) {
    const zl_engine_array *array = plan->array;
    for (; !plan->cells.done; zl_cells_next(&plan->cells)) {
        if (!zl_box_cut(&plan->box, plan->cells.origin, plan->cells.extent, share)) continue;
        zl_engine_array_key(array, plan->cells.index, key, key_cap);
        shape->rank = share->rank;
        memcpy(shape->dim, plan->cells.extent, (size_t)share->rank * sizeof shape->dim[0]);
        if (origin) memcpy(origin, plan->cells.origin, (size_t)share->rank * sizeof *origin);
        plan->order++;
        zl_cells_next(&plan->cells);
        return true;
    }
    return false;
}
