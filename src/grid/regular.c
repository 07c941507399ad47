/* SPDX-License-Identifier: MIT */
/*
 * The regular grid: chunks of one shape from the origin on, the last ones hanging over the array's end.
 * https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/index.html
 *
 * How many chunks or bytes are too many is not decided here: an array of 2^63-1 elements in chunks of one is a valid grid.
 */
#include "grid/grid.h"

typedef struct regular_grid {
    int32_t rank;
    int64_t chunk_shape[ZL_MAX_RANK];
} regular_grid;

zl_status zl_grid_regular_make(const zl_shape *chunk_shape, zl_arena *arena, const void **self, zl_error *err) {
    regular_grid *grid = ZL_ARENA_NEW(arena, regular_grid);
    if (grid == NULL) return zl_fail_memory(err, sizeof *grid);
    grid->rank = chunk_shape->rank;
    memcpy(grid->chunk_shape, chunk_shape->dim, (size_t)chunk_shape->rank * sizeof grid->chunk_shape[0]);
    *self = grid;
    return ZL_OK;
}

static zl_status regular_parse(const zl_json *configuration, const zl_shape *shape, const zl_env *env, const void **self,
                               zl_error *err) {
    static const char *const keys[] = {"chunk_shape", NULL};
    const zl_json *list;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_require(configuration, "chunk_shape", &list, err));
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "chunk_shape is an array of integers");
    }
    if (zl_json_count(list) != (size_t)shape->rank) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "%zu extents for an array of %d dimensions", zl_json_count(list),
                            (int)shape->rank);
    }
    zl_shape chunk_shape = {.rank = shape->rank};
    int64_t *extent = chunk_shape.dim;
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item), extent++) {
        ZL_TRY(zl_json_to_i64(item, extent, err));
        if (*extent < 1) {
            return zl_json_fail(item, err, ZL_ERR_METADATA, "a chunk extent of %lld is not greater than 0",
                                (long long)*extent);
        }
    }
    return zl_grid_regular_make(&chunk_shape, env->arena, self, err);
}

static void regular_emit(const void *self, zl_json_writer *writer) {
    const regular_grid *grid = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "chunk_shape");
    zl_json_write_array(writer);
    for (int32_t axis = 0; axis < grid->rank; axis++) {
        zl_json_write_i64(writer, grid->chunk_shape[axis]);
    }
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

static int64_t regular_count(const void *self, int32_t axis, int64_t extent) {
    const regular_grid *grid = self;
    return zl_ceil_div(extent, grid->chunk_shape[axis]);
}

static int64_t regular_locate(const void *self, int32_t axis, int64_t at) {
    const regular_grid *grid = self;
    return at / grid->chunk_shape[axis];
}

static void regular_span(const void *self, int32_t axis, int64_t index, int64_t *start, int64_t *length) {
    const regular_grid *grid = self;
    *start = index * grid->chunk_shape[axis]; /* chunks begin within the array, so this is an int64_t */
    *length = grid->chunk_shape[axis];
}

static const int64_t *regular_uniform(const void *self) {
    const regular_grid *grid = self;
    return grid->chunk_shape;
}

const zl_grid_class zl_grid_regular = {
    .size = sizeof(zl_grid_class),
    .name = "regular",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/index.html",
    .parse = regular_parse,
    .emit = regular_emit,
    .count = regular_count,
    .locate = regular_locate,
    .span = regular_span,
    .uniform = regular_uniform,
};
