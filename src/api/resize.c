/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow and shrink. Two ends are told apart (engine/extent.h): the shape that is stored, and the edge that
 * writers of this process respect.
 *
 *   growing    edge, (append: elements,) shape
 *   shrinking  edge, erase and reset what lies beyond, shape
 *
 * The shape is stored last. A crash before that leaves an array of the old shape: after an append with all it had, after
 * shrinking with some of the elements that were to go replaced by the fill value; doing it again completes it.
 */
#include "api/array.h"
#include "api/change.h"
#include "api/node.h"
#include "api/path.h"
#include "api/trim.h"

/* ---- what is stored */

/* Grids with an end may have grown. */
static bool is_same_grid(const zl_metadata *a, const zl_metadata *b) {
    if (a->grid != b->grid) return false;
    if (a->grid->same != NULL) return a->grid->same(a->grid_self, b->grid_self);
    const zl_json *left = zl_json_member(a->root, "chunk_grid"), *right = zl_json_member(b->root, "chunk_grid");
    return left != NULL && right != NULL ? zl_json_equal(left, right) : left == right;
}

/* The array as it is stored now, if it still is one of that rank and version, with those chunks. */
static zl_status load_stored(const zl_array *array, zl_metadata **out, zl_error *err) {
    zl_metadata *stored = NULL;
    const zl_status status = zl_node_load(&stored, array->store, array->path, err);
    if (status == ZL_ERR_NOT_FOUND) return zl_node_missing(array->path, ZL_NODE_ARRAY, err);
    if (status != ZL_OK) return status;
    const zl_metadata *meta = array->meta;
    if (stored->kind == ZL_NODE_ARRAY && stored->zarr_format == meta->zarr_format &&
        stored->shape.rank == meta->shape.rank && is_same_grid(meta, stored)) {
        *out = stored;
        return ZL_OK;
    }
    zl_metadata_free(stored, array->store->allocator);
    return zl_fail(err, ZL_ERR_CONFLICT, "%s: another node has taken the array's place", zl_path_show(array->path));
}

static zl_status load_shape(const zl_array *array, zl_shape *out, zl_error *err) {
    zl_metadata *stored = NULL;
    ZL_TRY(load_stored(array, &stored, err));
    *out = stored->shape;
    zl_metadata_free(stored, array->store->allocator);
    return ZL_OK;
}

/* Nothing is understood differently but the shape. */
static bool is_same_array(const zl_json *a, const zl_json *b) {
    static const char *const skipped[] = {"shape", "attributes", "chunk_grid"};
    for (const zl_json *member = zl_json_first(a); member != NULL; member = zl_json_next(member)) {
        const char *key = zl_json_key(member, NULL);
        bool skip = false;
        for (size_t i = 0; i < ZL_COUNT_OF(skipped); i++) {
            skip = skip || strcmp(key, skipped[i]) == 0;
        }
        if (skip) continue;
        const zl_json *other = zl_json_member(b, key);
        if (other == NULL || !zl_json_equal(member, other)) return false;
    }
    return true;
}

zl_status zl_array_refresh(zl_array *array, zl_error *err) {
    zl_metadata *stored = NULL;
    ZL_TRY(load_stored(array, &stored, err));
    if (!is_same_array(array->meta->root, stored->root) || !is_same_array(stored->root, array->meta->root)) {
        zl_metadata_free(stored, array->store->allocator);
        return zl_fail(err, ZL_ERR_CONFLICT, "%s: another array has taken its place", zl_path_show(array->path));
    }
    const zl_shape shape = stored->shape;
    zl_extent_raise(zl_engine_array_extent(array->engine), &shape);
    zl_attributes_adopt(array->attributes, stored);
    zl_array_set_shape(array, &shape);
    return ZL_OK;
}

/* ---- storing a shape */

typedef struct reshape {
    const zl_shape *least, *most; /* the stored shape must be between them */
    const zl_shape *to;
} reshape;

static zl_status read_shape(const zl_json *stored, int32_t rank, zl_shape *out, zl_error *err) {
    const zl_json *list;
    ZL_TRY(zl_json_require(stored, "shape", &list, err));
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) != (size_t)rank) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array of %d integers", (int)rank);
    }
    out->rank = 0;
    for (const zl_json *extent = zl_json_first(list); extent != NULL; extent = zl_json_next(extent)) {
        ZL_TRY(zl_json_to_i64(extent, &out->dim[out->rank++], err));
    }
    return ZL_OK;
}

static zl_status write_shape(void *user, const zl_json *stored, zl_json_writer *writer, zl_error *err) {
    const reshape *wanted = user;
    const int32_t rank = wanted->to->rank;
    zl_shape now;
    ZL_TRY(read_shape(stored, rank, &now, err));
    for (int32_t i = 0; i < rank; i++) {
        if (now.dim[i] >= wanted->least->dim[i] && now.dim[i] <= wanted->most->dim[i]) continue;
        return zl_fail(err, ZL_ERR_CONFLICT, "another writer has resized axis %d to %lld", (int)i, (long long)now.dim[i]);
    }
    return zl_metadata_rewrite(stored, NULL, wanted->to->dim, rank, writer, err);
}

/* `*stored` even after a failure: copies of the metadata could not follow. */
static zl_status store_shape(const zl_array *array, reshape *wanted, bool *stored, zl_error *err) {
    *stored = false;
    const zl_change change = {.path = array->path,
                              .name = array->meta->zarr_format == 2 ? ".zarray" : "zarr.json",
                              .write = write_shape,
                              .user = wanted,
                              .stored = stored};
    return zl_document_change(array->store, &change, err);
}

/* Does everything the array has go with that shape? */
static zl_status check_shape(const zl_array *array, const zl_shape *shape, zl_error *err) {
    const zl_metadata *meta = array->meta;
    const zl_allocator *allocator = array->store->allocator;
    zl_metadata *resized = NULL;
    zl_json_writer writer;
    zl_env env;
    zl_context_env(array->context, &env);
    env.on_warning = NULL;
    zl_json_writer_init(&writer, allocator, 0);
    zl_status status = zl_metadata_rewrite(meta->root, NULL, shape->dim, shape->rank, &writer, err);
    const zl_document_text text = {(const char *)writer.sink.data, writer.sink.size, "new shape"};
    if (status == ZL_OK) {
        status = meta->zarr_format == 2
                     ? zl_metadata_parse_v2(&resized, ZL_NODE_ARRAY, &text, NULL, &env, allocator, err)
                     : zl_metadata_parse_v3(&resized, text.text, text.size, text.what, &env, allocator, err);
        status = zl_option_status(status, err);
    }
    zl_metadata_free(resized, allocator);
    zl_json_writer_clear(&writer);
    return status;
}

/* ---- resizing */

static zl_status copy_shape(const zl_array *array, const int64_t *shape, zl_shape *out, zl_error *err) {
    out->rank = array->meta->shape.rank;
    for (int32_t i = 0; i < out->rank; i++) {
        out->dim[i] = shape[i];
        if (shape[i] >= 0) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "shape[%d] is %lld", (int)i, (long long)shape[i]);
    }
    return ZL_OK;
}

static bool is_smaller(const zl_shape *a, const zl_shape *b) {
    for (int32_t i = 0; i < a->rank; i++) {
        if (a->dim[i] < b->dim[i]) return true;
    }
    return false;
}

/* Does the grid that is stored reach that far, without growing? */
static zl_status check_grid_end(const zl_array *array, const zl_metadata *stored, const zl_shape *to, zl_error *err) {
    const zl_json *value = zl_json_member(stored->root, "chunk_grid");
    if (value == NULL) return ZL_OK; /* v2: chunks of one shape */
    const zl_grid_class *grid;
    const void *self;
    zl_env env;
    zl_context_env(array->context, &env);
    env.arena = zl_arena_new(array->store->allocator);
    if (env.arena == NULL) return zl_fail_memory(err, sizeof(void *));
    const zl_status status = zl_option_status(zl_grid_parse(value, to, &env, &grid, &self, err), err);
    zl_arena_free(env.arena);
    return status;
}

static zl_status load_for_resize(const zl_array *array, const zl_shape *to, zl_grid_growth growth, zl_shape *from,
                                 zl_error *err) {
    zl_metadata *stored = NULL;
    ZL_TRY(load_stored(array, &stored, err));
    *from = stored->shape;
    const zl_status status = growth == ZL_GRID_GROWTH_REFUSED ? check_grid_end(array, stored, to, err) : ZL_OK;
    zl_metadata_free(stored, array->store->allocator);
    return status;
}

/* The caller has the extent to itself. */
static zl_status resize(zl_array *array, const zl_shape *to, const zl_resize_options *options, zl_error *err) {
    zl_extent *extent = zl_engine_array_extent(array->engine);
    zl_shape from;
    ZL_TRY(load_for_resize(array, to, options->grid_growth, &from, err));
    zl_extent_set_edge(extent, to->dim);
    zl_status status = ZL_OK;
    if (is_smaller(to, &from) && !options->keep_chunks) {
        zl_extent_drain(extent);
        status = zl_array_trim(array, &from, to, err);
    }
    reshape wanted = {&from, &from, to};
    bool stored = false;
    if (status == ZL_OK) status = store_shape(array, &wanted, &stored, err);
    if (stored) {
        zl_array_set_shape(array, to);
    } else {
        zl_extent_set_edge(extent, from.dim);
    }
    return status;
}

zl_status zl_array_resize(zl_array *array, const int64_t *shape, const zl_resize_options *options, zl_error *err) {
    zl_resize_options o;
    zl_shape to;
    ZL_TRY(zl_options_copy(&o, sizeof o, options, "zl_resize_options", err));
    if (o.grid_growth != ZL_GRID_GROWTH_REPEATED && o.grid_growth != ZL_GRID_GROWTH_REFUSED) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "grid_growth is %d, which names no way to grow", (int)o.grid_growth);
    }
    ZL_TRY(zl_node_check_writable(array->store, err));
    ZL_TRY(copy_shape(array, shape, &to, err));
    ZL_TRY(check_shape(array, &to, err));
    zl_extent *extent = zl_engine_array_extent(array->engine);
    zl_extent_lock(extent);
    const zl_status status = resize(array, &to, &o, err);
    zl_extent_unlock(extent);
    return status;
}

/* ---- appending */

/* The array's shape with the elements of `last`, which begin where those before it end. */
static zl_shape shape_with(const zl_append *last, int32_t rank) {
    zl_shape shape = {.rank = rank};
    memcpy(shape.dim, last->base, (size_t)rank * sizeof shape.dim[0]);
    shape.dim[last->axis] += last->count;
    return shape;
}

/* Where nobody else appends now, the stored shape says where this one begins. */
static zl_status join(zl_array *array, zl_append *append, zl_error *err) {
    zl_extent *extent = zl_engine_array_extent(array->engine);
    if (!zl_append_join(extent, append)) return ZL_OK;
    zl_shape shape;
    const zl_status status = load_shape(array, &shape, err);
    if (status == ZL_OK) {
        zl_extent_set_edge(extent, shape.dim);
        zl_append_start(extent, append);
    } else {
        zl_extent_unlock(extent);
    }
    return status;
}

/* The memory behind `src` has the extents that the caller knows of. */
static zl_status check_append(const zl_array *array, const zl_append *append, zl_error *err) {
    const zl_shape known = zl_array_current_shape(array);
    for (int32_t i = 0; i < known.rank; i++) {
        if (i == append->axis || known.dim[i] == append->base[i]) continue;
        return zl_fail(err, ZL_ERR_CONFLICT, "axis %d has %lld elements now, this handle knows of %lld; refresh it", (int)i,
                       (long long)append->base[i], (long long)known.dim[i]);
    }
    int64_t end;
    if (!zl_add_i64(append->base[append->axis], append->count, &end)) {
        return zl_fail(err, ZL_ERR_LIMIT, "axis %d would have more than 2^63-1 elements", (int)append->axis);
    }
    const zl_shape shape = shape_with(append, known.rank);
    return check_shape(array, &shape, err);
}

static zl_status write_elements(zl_array *array, const zl_append *append, zl_const_view src,
                                const zl_write_options *options, zl_error *err) {
    const zl_shape shape = shape_with(append, array->meta->shape.rank);
    int64_t start[ZL_MAX_RANK] = {0}, count[ZL_MAX_RANK];
    memcpy(count, shape.dim, sizeof count);
    start[append->axis] = append->base[append->axis];
    count[append->axis] = append->count;
    const zl_region region = {shape.rank, start, count, NULL};
    return zl_array_write_within(array, &shape, &region, src, options, err);
}

/* What a failed append, behind which there is no other, has left; unless the array has it after all, and only the answer
 * was lost. The append's own failure is the one to report. */
static void take_back(zl_array *array, const zl_append *first, const zl_append *last) {
    const int32_t rank = array->meta->shape.rank;
    zl_shape now;
    if (load_shape(array, &now, NULL) != ZL_OK || now.dim[first->axis] > first->base[first->axis]) return;
    const zl_shape from = shape_with(last, rank);
    zl_shape to = {.rank = rank};
    memcpy(to.dim, first->base, (size_t)rank * sizeof to.dim[0]);
    (void)zl_array_trim(array, &from, &to, NULL);
}

/* Makes the elements of `append`, and of all that were written meanwhile behind it, part of the array. */
static zl_status publish(zl_array *array, zl_append *append, zl_error *err) {
    zl_extent *extent = zl_engine_array_extent(array->engine);
    zl_append *last = zl_append_group(extent, append);
    const int32_t rank = array->meta->shape.rank;
    const zl_shape to = shape_with(last, rank);
    zl_shape least = {.rank = rank}, most = {.rank = rank};
    memcpy(most.dim, append->base, (size_t)rank * sizeof most.dim[0]);
    least = most;
    least.dim[append->axis] = 0; /* appends in front may have failed */
    reshape wanted = {&least, &most, &to};
    zl_error error = {0};
    bool stored;
    const zl_status status = store_shape(array, &wanted, &stored, &error);
    /* After a conflict what is stored there may be another writer's. */
    const bool failed = !stored && status != ZL_ERR_CONFLICT;
    const bool give_back = failed && zl_append_is_last(extent, last);
    if (give_back) take_back(array, append, last);
    zl_append_end(extent, append, last, give_back, status, &error);
    if (status != ZL_OK && err != NULL) *err = error;
    return status;
}

/* Failed: the range goes back unless others have begun behind it. */
static void give_up(zl_array *array, zl_append *append, bool wrote) {
    static const zl_error none = {0};
    zl_extent *extent = zl_engine_array_extent(array->engine);
    (void)zl_append_turn(extent, append, false);
    const bool is_last = zl_append_is_last(extent, append);
    if (is_last && wrote) take_back(array, append, append);
    zl_append_end(extent, append, append, is_last, ZL_OK, &none);
}

static zl_status append_elements(zl_array *array, zl_append *append, zl_const_view src, const zl_write_options *options,
                                 zl_error *err) {
    ZL_TRY(join(array, append, err));
    zl_status status = check_append(array, append, err);
    const bool checked = status == ZL_OK;
    if (checked) status = write_elements(array, append, src, options, err);
    if (status != ZL_OK) {
        give_up(array, append, checked);
        return status;
    }
    if (zl_append_turn(zl_engine_array_extent(array->engine), append, true)) return publish(array, append, err);
    if (append->status != ZL_OK && err != NULL) *err = append->error;
    return append->status;
}

zl_status zl_array_append(zl_array *array, int32_t axis, int64_t count, zl_const_view src, const zl_write_options *options,
                          int64_t *start, zl_error *err) {
    const int32_t rank = array->meta->shape.rank;
    if (axis < 0 || axis >= rank) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "axis is %d, the array has %d", (int)axis, (int)rank);
    }
    if (count < 1) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "count is %lld, at least 1 is needed", (long long)count);
    ZL_TRY(zl_node_check_writable(array->store, err));
    zl_append append = {.axis = axis, .count = count};
    ZL_TRY(append_elements(array, &append, src, options, err));
    zl_mutex_lock(&array->mutex);
    array->shape.dim[axis] = zl_max_i64(array->shape.dim[axis], append.base[axis] + count);
    zl_mutex_unlock(&array->mutex);
    if (start != NULL) *start = append.base[axis];
    return ZL_OK;
}
