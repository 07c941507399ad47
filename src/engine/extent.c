/* SPDX-License-Identifier: MIT */
#include "engine/extent.h"

/* ---- one for each array of a store */

static void extent_free(zl_extent *extent) {
    const zl_allocator *allocator = extent->shared->allocator;
    zl_cond_clear(&extent->changed);
    zl_mutex_clear(&extent->mutex);
    zl_free(allocator, extent->path, strlen(extent->path) + 1);
    ZL_DELETE(allocator, extent);
}

static zl_status extent_new(zl_extent **out, zl_shared *shared, const char *path, const zl_shape *shape, zl_error *err) {
    const size_t size = strlen(path) + 1;
    zl_extent *extent = ZL_NEW(shared->allocator, zl_extent);
    char *copy = zl_alloc(shared->allocator, size, 1);
    zl_status status = extent && copy ? ZL_OK : zl_fail_memory(err, sizeof *extent + size);
    if (status == ZL_OK && (status = zl_mutex_init(&extent->mutex, err)) == ZL_OK) {
        status = zl_cond_init(&extent->changed, err);
        if (status != ZL_OK) zl_mutex_clear(&extent->mutex);
    }
    if (status != ZL_OK) {
        zl_free(shared->allocator, copy, size);
        zl_free(shared->allocator, extent, sizeof *extent);
        return status;
    }
    memcpy(copy, path, size);
    extent->shared = shared;
    extent->path = copy;
    extent->rank = shape->rank;
    *out = extent;
    return ZL_OK;
}

/* An array that was replaced by one of another rank is another array. */
static zl_extent *find(const zl_shared *shared, const char *path, int32_t rank) {
    zl_extent *extent = shared->extents;
    while (extent && (extent->rank != rank || strcmp(extent->path, path) != 0))
        extent = extent->next;
    return extent;
}

/* A handle may have been opened before others shrank the array: too high an edge only costs reading an old chunk. */
void zl_extent_raise(zl_extent *extent, const zl_shape *shape) {
    zl_mutex_lock(&extent->mutex);
    for (int32_t i = 0; i < shape->rank; i++)
        extent->edge[i] = zl_max_i64(extent->edge[i], shape->dim[i]);
    zl_mutex_unlock(&extent->mutex);
}

zl_status zl_extent_open(zl_extent **out, zl_store *store, const char *path, const zl_shape *shape, zl_error *err) {
    zl_shared *shared = zl_shared_of(store);
    zl_mutex_lock(&shared->mutex);
    zl_extent *extent = find(shared, path, shape->rank);
    zl_status status = extent ? ZL_OK : extent_new(&extent, shared, path, shape, err);
    if (status == ZL_OK) {
        if (extent->references++ == 0) {
            extent->next = shared->extents;
            shared->extents = extent;
        }
        zl_extent_raise(extent, shape);
        *out = extent;
    }
    zl_mutex_unlock(&shared->mutex);
    return status;
}

void zl_extent_close(zl_extent *extent) {
    if (!extent) return;
    zl_shared *shared = extent->shared;
    zl_mutex_lock(&shared->mutex);
    const bool last = --extent->references == 0;
    if (last) {
        zl_extent **place = &shared->extents;
        while (*place != extent)
            place = &(*place)->next;
        *place = extent->next;
    }
    zl_mutex_unlock(&shared->mutex);
    if (last) extent_free(extent);
}

/* ---- the edge */

void zl_extent_get_edge(zl_extent *extent, int64_t *edge) {
    zl_mutex_lock(&extent->mutex);
    memcpy(edge, extent->edge, (size_t)extent->rank * sizeof *edge);
    zl_mutex_unlock(&extent->mutex);
}

void zl_extent_set_edge(zl_extent *extent, const int64_t *edge) {
    zl_mutex_lock(&extent->mutex);
    memcpy(extent->edge, edge, (size_t)extent->rank * sizeof *edge);
    zl_mutex_unlock(&extent->mutex);
}

int32_t zl_extent_enter(zl_extent *extent) {
    zl_mutex_lock(&extent->mutex);
    const int32_t epoch = extent->epoch;
    extent->writing[epoch]++;
    zl_mutex_unlock(&extent->mutex);
    return epoch;
}

void zl_extent_leave(zl_extent *extent, int32_t epoch) {
    zl_mutex_lock(&extent->mutex);
    if (--extent->writing[epoch] == 0) zl_cond_broadcast(&extent->changed);
    zl_mutex_unlock(&extent->mutex);
}

/* Only the holder of the lock turns the epoch, so those of the one before have left. */
void zl_extent_drain(zl_extent *extent) {
    zl_mutex_lock(&extent->mutex);
    const int32_t before = extent->epoch;
    extent->epoch = 1 - before;
    while (extent->writing[before] > 0)
        zl_cond_wait(&extent->changed, &extent->mutex);
    zl_mutex_unlock(&extent->mutex);
}

void zl_extent_lock(zl_extent *extent) {
    zl_mutex_lock(&extent->mutex);
    extent->wanted++;
    while (extent->alone || extent->first)
        zl_cond_wait(&extent->changed, &extent->mutex);
    extent->wanted--;
    extent->alone = true;
    zl_mutex_unlock(&extent->mutex);
}

void zl_extent_unlock(zl_extent *extent) {
    zl_mutex_lock(&extent->mutex);
    extent->alone = false;
    zl_cond_broadcast(&extent->changed);
    zl_mutex_unlock(&extent->mutex);
}

/* ---- appends */

/* Locked. */
static void start(zl_extent *extent, zl_append *append) {
    memcpy(append->base, extent->edge, (size_t)extent->rank * sizeof append->base[0]);
    append->next = NULL;
    append->state = ZL_APPEND_WRITES;
    if (extent->first)
        extent->last->next = append;
    else
        extent->first = append;
    extent->last = append;
    int64_t *edge = &extent->edge[append->axis];
    if (!zl_add_i64(*edge, append->count, edge)) *edge = INT64_MAX; /* refused later, as too large an array */
}

bool zl_append_join(zl_extent *extent, zl_append *append) {
    zl_mutex_lock(&extent->mutex);
    while (extent->alone || extent->wanted > 0 || (extent->first && extent->first->axis != append->axis))
        zl_cond_wait(&extent->changed, &extent->mutex);
    const bool others = extent->first != NULL;
    extent->alone = !others;
    if (others) start(extent, append);
    zl_mutex_unlock(&extent->mutex);
    return !others;
}

void zl_append_start(zl_extent *extent, zl_append *append) {
    zl_mutex_lock(&extent->mutex);
    start(extent, append);
    extent->alone = false;
    zl_cond_broadcast(&extent->changed);
    zl_mutex_unlock(&extent->mutex);
}

bool zl_append_turn(zl_extent *extent, zl_append *append, bool written) {
    zl_mutex_lock(&extent->mutex);
    append->state = written ? ZL_APPEND_WRITTEN : ZL_APPEND_FAILED;
    while (append->state != ZL_APPEND_ENDED && extent->first != append)
        zl_cond_wait(&extent->changed, &extent->mutex);
    const bool turn = append->state != ZL_APPEND_ENDED;
    zl_mutex_unlock(&extent->mutex);
    return turn;
}

zl_append *zl_append_group(zl_extent *extent, zl_append *append) {
    zl_mutex_lock(&extent->mutex);
    while (append->next && append->next->state == ZL_APPEND_WRITTEN)
        append = append->next;
    zl_mutex_unlock(&extent->mutex);
    return append;
}

bool zl_append_is_last(zl_extent *extent, const zl_append *append) {
    zl_mutex_lock(&extent->mutex);
    const bool is_last = append->next == NULL;
    extent->alone = is_last;
    zl_mutex_unlock(&extent->mutex);
    return is_last;
}

void zl_append_end(zl_extent *extent, zl_append *append, zl_append *last, bool give_back, zl_status status,
                   const zl_error *error) {
    zl_mutex_lock(&extent->mutex);
    if (give_back) extent->edge[append->axis] = append->base[append->axis];
    extent->first = last->next;
    extent->alone = false;
    for (bool more = true; more; append = append->next) {
        more = append != last;
        append->status = status;
        append->error = *error;
        append->state = ZL_APPEND_ENDED;
    }
    zl_cond_broadcast(&extent->changed);
    zl_mutex_unlock(&extent->mutex);
}
