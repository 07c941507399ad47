/* SPDX-License-Identifier: MIT */
/*
 * The rectilinear grid: each axis has its own list of edge lengths.
 * https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear
 *
 * Runs of equal lengths stay runs, however many chunks they stand for; chunks are found by binary search over prefix sums.
 * A bare integer is one run without end. The last run of a list has an end, at which an array may not be larger; looked up
 * beyond it, chunks go on with the last length, which is what the list says once the array has grown.
 */
#include "grid/grid.h"

typedef struct run {
    int64_t length;
    int64_t count;
    int64_t first_index; /* of the run's chunks */
    int64_t first_coord;
} run;

typedef struct axis_runs {
    size_t count;
    run *runs;
    bool bare; /* given as one integer */
} axis_runs;

typedef struct rectilinear_grid {
    int32_t rank;
    axis_runs axis[ZL_MAX_RANK];
} rectilinear_grid;

/* ---- parsing */

static zl_status positive(const zl_json *value, int64_t *out, const char *what, zl_error *err) {
    ZL_TRY(zl_json_to_i64(value, out, err));
    if (*out >= 1) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "%s of %lld is not greater than 0", what, (long long)*out);
}

/* An edge length, or [length, repetitions]. */
static zl_status parse_run(const zl_json *value, run *out, zl_error *err) {
    out->count = 1;
    if (zl_json_get_type(value) != ZL_JSON_ARRAY) return positive(value, &out->length, "an edge length", err);
    if (zl_json_count(value) != 2) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a run is [edge length, repetitions], this has %zu elements",
                            zl_json_count(value));
    }
    ZL_TRY(positive(zl_json_first(value), &out->length, "an edge length", err));
    return positive(zl_json_next(zl_json_first(value)), &out->count, "a number of repetitions", err);
}

/* Sums that pass 2^63-1 stay there: no array reaches so far. */
static int64_t capped_sum(int64_t a, int64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}
static int64_t capped_product(int64_t a, int64_t b) {
    return a > INT64_MAX / b ? INT64_MAX : a * b;
}

static zl_status parse_axis(const zl_json *value, int64_t extent, zl_arena *arena, axis_runs *out, zl_error *err) {
    out->bare = zl_json_get_type(value) == ZL_JSON_NUMBER;
    out->count = out->bare ? 1 : zl_json_count(value);
    if (!out->bare && zl_json_get_type(value) != ZL_JSON_ARRAY) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "the chunks of an axis are an integer or a list");
    }
    size_t bytes;
    out->runs = zl_mul_size(out->count, sizeof(run), &bytes) ? zl_arena_alloc(arena, bytes, _Alignof(run)) : NULL;
    if (!out->runs) return zl_fail_memory(err, out->count * sizeof(run));
    int64_t index = 0, coord = 0;
    const zl_json *item = out->bare ? value : zl_json_first(value);
    for (size_t i = 0; i < out->count; i++, item = zl_json_next(item)) {
        run *r = &out->runs[i];
        ZL_TRY(parse_run(item, r, err));
        if (out->bare) r->count = INT64_MAX / r->length;
        r->first_index = index;
        r->first_coord = coord;
        index = capped_sum(index, r->count);
        coord = capped_sum(coord, capped_product(r->length, r->count));
    }
    if (coord >= extent || out->bare) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "the edge lengths sum up to %lld, the axis has %lld elements",
                        (long long)coord, (long long)extent);
}

static zl_status rectilinear_parse(const zl_json *configuration, const zl_shape *shape, const zl_env *env,
                                   const void **self, zl_error *err) {
    static const char *const keys[] = {"kind", "chunk_shapes", NULL};
    static const char *const kinds[] = {"inline", NULL};
    const zl_json *list;
    int kind;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_get_choice(configuration, "kind", kinds, &kind, err));
    ZL_TRY(zl_json_require(configuration, "chunk_shapes", &list, err));
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) != (size_t)shape->rank) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "chunk_shapes is a list with one entry for each of %d dimensions",
                            (int)shape->rank);
    }
    rectilinear_grid *grid = ZL_ARENA_NEW(env->arena, rectilinear_grid);
    if (!grid) return zl_fail_memory(err, sizeof *grid);
    grid->rank = shape->rank;
    const zl_json *item = zl_json_first(list);
    for (int32_t i = 0; i < grid->rank; i++, item = zl_json_next(item)) {
        ZL_TRY(parse_axis(item, shape->dim[i], env->arena, &grid->axis[i], err));
    }
    *self = grid;
    return ZL_OK;
}

static void rectilinear_emit(const void *self, zl_json_writer *writer) {
    const rectilinear_grid *grid = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "kind");
    zl_json_write_text(writer, "inline");
    zl_json_write_key(writer, "chunk_shapes");
    zl_json_write_array(writer);
    for (int32_t i = 0; i < grid->rank; i++) {
        const axis_runs *axis = &grid->axis[i];
        if (axis->bare) zl_json_write_i64(writer, axis->runs[0].length);
        if (axis->bare) continue;
        zl_json_write_array(writer);
        for (size_t k = 0; k < axis->count; k++) {
            const run *r = &axis->runs[k];
            if (r->count > 1) zl_json_write_array(writer);
            zl_json_write_i64(writer, r->length);
            if (r->count > 1) zl_json_write_i64(writer, r->count);
            if (r->count > 1) zl_json_write_end(writer);
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

/* ---- growing */

/* Chunks of the last length that an axis lacks; 0 also for what cannot be understood. */
static int64_t lacking(const zl_json *axis, int64_t extent, run *last) {
    int64_t coord = 0;
    if (zl_json_get_type(axis) != ZL_JSON_ARRAY || zl_json_count(axis) == 0) return 0;
    for (const zl_json *item = zl_json_first(axis); item != NULL; item = zl_json_next(item)) {
        if (parse_run(item, last, NULL) != ZL_OK) return 0;
        coord = capped_sum(coord, capped_product(last->length, last->count));
    }
    return coord < extent ? (extent - coord - 1) / last->length + 1 : 0;
}

/* The last run gets longer: an array that grows often has no longer metadata for it. */
static void grow_axis(const zl_json *axis, int64_t extent, zl_json_writer *writer) {
    run last = {0};
    const int64_t count = lacking(axis, extent, &last);
    if (count == 0) {
        zl_json_write_value(writer, axis);
        return;
    }
    zl_json_write_array(writer);
    for (const zl_json *item = zl_json_first(axis); zl_json_next(item) != NULL; item = zl_json_next(item)) {
        zl_json_write_value(writer, item);
    }
    zl_json_write_array(writer);
    zl_json_write_i64(writer, last.length);
    zl_json_write_i64(writer, last.count + count);
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

static void rectilinear_grow(const zl_json *configuration, const int64_t *shape, int32_t rank, zl_json_writer *writer) {
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(configuration); member != NULL; member = zl_json_next(member)) {
        zl_json_write_key_of(writer, member);
        const bool is_list = member == zl_json_member(configuration, "chunk_shapes");
        if (!is_list || zl_json_get_type(member) != ZL_JSON_ARRAY || zl_json_count(member) != (size_t)rank) {
            zl_json_write_value(writer, member);
            continue;
        }
        zl_json_write_array(writer);
        int32_t i = 0;
        for (const zl_json *axis = zl_json_first(member); axis != NULL; axis = zl_json_next(axis)) {
            grow_axis(axis, shape[i++], writer);
        }
        zl_json_write_end(writer);
    }
    zl_json_write_end(writer);
}

static bool same_axis(const axis_runs *a, const axis_runs *b) {
    size_t i = 0, k = 0;
    int64_t a_left = a->count > 0 ? a->runs[0].count : 0, b_left = b->count > 0 ? b->runs[0].count : 0;
    while (i < a->count && k < b->count) {
        if (a->runs[i].length != b->runs[k].length) return false;
        const bool a_ends = i + 1 == a->count, b_ends = k + 1 == b->count;
        if (a_ends && b_ends) return true;
        const bool next_a = !a_ends && (b_ends || a_left <= b_left), next_b = !b_ends && (a_ends || b_left <= a_left);
        const int64_t used = next_a ? a_left : b_left;
        a_left = next_a ? a->runs[++i].count : a_left - (a_ends ? 0 : used);
        b_left = next_b ? b->runs[++k].count : b_left - (b_ends ? 0 : used);
    }
    return a->count == b->count; /* both without any chunk */
}

static bool rectilinear_same(const void *a, const void *b) {
    const rectilinear_grid *left = a, *right = b;
    for (int32_t i = 0; i < left->rank; i++) {
        if (i >= right->rank || !same_axis(&left->axis[i], &right->axis[i])) return false;
    }
    return left->rank == right->rank;
}

/* ---- looking up */

/* The last run whose first chunk is at or before `at`, by coordinate or by index. */
static const run *find_run(const axis_runs *axis, int64_t at, bool by_index) {
    size_t low = 0, high = axis->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const int64_t first = by_index ? axis->runs[middle].first_index : axis->runs[middle].first_coord;
        if (first <= at)
            low = middle;
        else
            high = middle;
    }
    return &axis->runs[low];
}

static int64_t rectilinear_locate(const void *self, int32_t axis, int64_t at) {
    const run *r = find_run(&((const rectilinear_grid *)self)->axis[axis], at, false);
    return r->first_index + (at - r->first_coord) / r->length;
}

static int64_t rectilinear_count(const void *self, int32_t axis, int64_t extent) {
    return extent > 0 ? rectilinear_locate(self, axis, extent - 1) + 1 : 0;
}

static void rectilinear_span(const void *self, int32_t axis, int64_t index, int64_t *start, int64_t *length) {
    const run *r = find_run(&((const rectilinear_grid *)self)->axis[axis], index, true);
    *start = r->first_coord + (index - r->first_index) * r->length;
    *length = r->length;
}

static bool rectilinear_edge(const void *self, int32_t axis, size_t k, int64_t *length) {
    const axis_runs *runs = &((const rectilinear_grid *)self)->axis[axis];
    if (k >= runs->count) return false;
    *length = runs->runs[k].length;
    return true;
}

const zl_grid_class zl_grid_rectilinear = {
    .size = sizeof(zl_grid_class),
    .name = "rectilinear",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear",
    .parse = rectilinear_parse,
    .emit = rectilinear_emit,
    .count = rectilinear_count,
    .locate = rectilinear_locate,
    .span = rectilinear_span,
    .edge = rectilinear_edge,
    .grow = rectilinear_grow,
    .same = rectilinear_same,
};
