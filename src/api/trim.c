/* SPDX-License-Identifier: MIT */
/*
 * What a smaller shape leaves behind. Were it kept, old elements would come back when the array grows again.
 *
 * Chunks are visited one by one where they are few; otherwise those that are stored are listed first, for an array may
 * have far more chunks than objects.
 */
#include "api/trim.h"

#include "api/stored.h"

#define LIST_ABOVE 1024 /* chunks that are visited without a listing */

typedef struct found {
    struct found *next;
    int64_t coords[];
} found;

/* A box of the grid, in chunks: low <= coords < high. */
typedef struct box {
    int32_t rank;
    int64_t low[ZL_MAX_RANK];
    int64_t high[ZL_MAX_RANK];
} box;

typedef struct trim {
    zl_array *array;
    const zl_shape *from, *to;
    int64_t from_count[ZL_MAX_RANK], to_count[ZL_MAX_RANK];
    bool is_listed;
    zl_arena *arena; /* of `stored` */
    found *stored;   /* chunks of `from`, where they are listed */
    /* the iteration under way */
    box range;
    bool begun;
    int64_t at[ZL_MAX_RANK];
    const found *next;
} trim;

/* ---- ranges */

/* Chunks that are outside along `axis` and inside along those before it: every chunk outside is in one such range. */
static void range_outside(trim *self, int32_t axis) {
    for (int32_t i = 0; i < self->from->rank; i++) {
        const int64_t kept = zl_min_i64(self->from_count[i], self->to_count[i]);
        self->range.low[i] = i == axis ? kept : 0;
        self->range.high[i] = i < axis ? kept : self->from_count[i];
    }
}

/* Chunks that reach across the new end along `axis`. False: none does. */
static bool range_across(trim *self, int32_t axis) {
    const zl_metadata *meta = self->array->meta;
    const int64_t end = self->to->dim[axis];
    if (end == 0) return false;
    const int64_t index = self->to_count[axis] - 1;
    int64_t start, length;
    meta->grid->span(meta->grid_self, axis, index, &start, &length);
    if (end - start == length) return false;
    for (int32_t i = 0; i < self->from->rank; i++) {
        self->range.low[i] = i == axis ? index : 0;
        self->range.high[i] = i == axis ? index + 1 : zl_min_i64(self->from_count[i], self->to_count[i]);
    }
    return true;
}

static uint64_t range_count(const box *range) {
    uint64_t count = 1;
    for (int32_t i = 0; i < range->rank; i++) {
        if (range->high[i] <= range->low[i]) return 0;
    }
    for (int32_t i = 0; i < range->rank; i++) {
        count = zl_sat_mul(count, (uint64_t)(range->high[i] - range->low[i]));
    }
    return count;
}

static bool range_has(const box *range, const int64_t *coords) {
    for (int32_t i = 0; i < range->rank; i++) {
        if (coords[i] < range->low[i] || coords[i] >= range->high[i]) return false;
    }
    return true;
}

/* ---- the chunks of the range */

static bool next_cell(trim *self) {
    const box *range = &self->range;
    if (!self->begun) {
        memcpy(self->at, range->low, sizeof self->at);
        self->begun = true;
        return range_count(range) > 0;
    }
    for (int32_t i = range->rank - 1; i >= 0; i--) {
        if (++self->at[i] < range->high[i]) return true;
        self->at[i] = range->low[i];
    }
    return false;
}

static bool next_found(trim *self) {
    if (!self->begun) self->next = self->stored;
    self->begun = true;
    while (self->next != NULL && !range_has(&self->range, self->next->coords)) {
        self->next = self->next->next;
    }
    if (self->next == NULL) return false;
    memcpy(self->at, self->next->coords, (size_t)self->range.rank * sizeof self->at[0]);
    self->next = self->next->next;
    return true;
}

static bool next_chunk(void *user, int64_t *coords) {
    trim *self = user;
    if (!(self->is_listed ? next_found(self) : next_cell(self))) return false;
    memcpy(coords, self->at, (size_t)self->range.rank * sizeof *coords);
    return true;
}

static zl_status add_found(void *user, const int64_t *coords, const char *key, zl_error *err) {
    (void)key;
    trim *self = user;
    const int32_t rank = self->range.rank;
    const size_t size = (size_t)rank * sizeof *coords;
    for (int32_t i = 0; i < rank; i++) {
        if (coords[i] >= self->from_count[i]) return ZL_OK;
    }
    found *added = zl_arena_alloc(self->arena, sizeof *added + size, _Alignof(found));
    if (added == NULL) return zl_fail_memory(err, sizeof *added + size);
    added->next = self->stored;
    memcpy(added->coords, coords, size);
    self->stored = added;
    return ZL_OK;
}

/* ---- trimming */

static bool shrinks(const trim *self, int32_t axis) {
    return self->to->dim[axis] < self->from->dim[axis];
}

/* How many chunks would be visited without a listing. */
static uint64_t count_work(trim *self) {
    uint64_t sum = 0;
    for (int32_t axis = 0; axis < self->range.rank; axis++) {
        if (!shrinks(self, axis)) continue;
        range_outside(self, axis);
        sum = zl_sat_add(sum, range_count(&self->range));
        if (range_across(self, axis)) sum = zl_sat_add(sum, range_count(&self->range));
    }
    return sum;
}

static zl_status trim_axis(trim *self, int32_t axis, zl_error *err) {
    range_outside(self, axis);
    self->begun = false;
    ZL_TRY(zl_engine_erase(self->array->engine, next_chunk, self, err));
    if (!range_across(self, axis)) return ZL_OK;
    self->begun = false;
    return zl_engine_reset(self->array->engine, axis, self->to->dim[axis], next_chunk, self, err);
}

static zl_status trim_axes(trim *self, zl_error *err) {
    for (int32_t axis = 0; axis < self->range.rank; axis++) {
        if (shrinks(self, axis)) ZL_TRY(trim_axis(self, axis, err));
    }
    return ZL_OK;
}

zl_status zl_array_trim(zl_array *array, const zl_shape *from, const zl_shape *to, zl_error *err) {
    trim self = {.array = array, .from = from, .to = to, .range.rank = from->rank};
    zl_grid_counts(array, from, self.from_count);
    zl_grid_counts(array, to, self.to_count);
    self.is_listed = array->store->cls->list != NULL && count_work(&self) > LIST_ABOVE;
    if (!self.is_listed) return trim_axes(&self, err);
    self.arena = zl_arena_new(array->store->allocator);
    if (self.arena == NULL) return zl_fail_memory(err, sizeof self);
    zl_status status = zl_stored_walk(array, add_found, &self, err);
    if (status == ZL_OK) status = trim_axes(&self, err);
    zl_arena_free(self.arena);
    return status;
}
