/* SPDX-License-Identifier: MIT */
/*
 * What of an array is stored, found by listing. An object counts when its key is the canonical key of a chunk inside the
 * grid; leftovers of a larger shape and stray files do not.
 */
#include "api/stored.h"

#include "api/listing.h"
#include "api/path.h"

/* ---- walking */

/* A prefix that is still to be listed. */
typedef struct folder {
    struct folder *next;
    const char *path; /* from the store's root */
    int32_t depth;
} folder;

typedef struct walk {
    const zl_array *array;
    zl_arena *arena; /* of folders */
    folder *todo;
    zl_stored_fn each;
    void *user;
} walk;

static zl_status add_folder(walk *self, const char *path, int32_t depth, zl_error *err) {
    folder *added = ZL_ARENA_NEW(self->arena, folder);
    const char *copy = zl_arena_text(self->arena, path, strlen(path));
    if (added == NULL || copy == NULL) return zl_fail_memory(err, sizeof *added);
    *added = (folder){self->todo, copy, depth};
    self->todo = added;
    return ZL_OK;
}

static zl_status visit_object(const walk *self, const char *key, zl_error *err) {
    const zl_array *array = self->array;
    const zl_metadata *meta = array->meta;
    const size_t prefix_size = strlen(array->path);
    int64_t coords[ZL_MAX_RANK];
    const char *name = key + (prefix_size == 0 ? 0 : prefix_size + 1);
    if (!meta->key->read(meta->key_self, meta->shape.rank, name, coords)) return ZL_OK;
    return self->each(self->user, coords, key, err);
}

/* A key has at most one part for each axis and one in front, so that nothing deeper can be a chunk. */
static zl_status visit_name(walk *self, const folder *in, const zl_name *name, zl_error *err) {
    const zl_allocator *allocator = self->array->store->allocator;
    const bool enter = name->is_prefix && in->depth <= self->array->meta->shape.rank;
    if (name->is_prefix && !enter) return ZL_OK;
    char *path = zl_path_join(in->path, name->text, allocator);
    if (path == NULL) return zl_fail_memory(err, strlen(in->path));
    const zl_status status = enter ? add_folder(self, path, in->depth + 1, err) : visit_object(self, path, err);
    zl_text_free(path, allocator);
    return status;
}

static zl_status visit_folders(walk *self, zl_error *err) {
    ZL_TRY(add_folder(self, self->array->path, 0, err));
    while (self->todo != NULL) {
        const folder *in = self->todo;
        self->todo = in->next;
        zl_listing listing;
        zl_status status = zl_listing_read(&listing, self->array->store, in->path, err);
        for (const zl_name *name = listing.first; status == ZL_OK && name != NULL; name = name->next) {
            status = visit_name(self, in, name, err);
        }
        zl_listing_clear(&listing);
        if (status != ZL_OK) return status;
    }
    return ZL_OK;
}

zl_status zl_stored_walk(const zl_array *array, zl_stored_fn each, void *user, zl_error *err) {
    walk self = {.array = array, .arena = zl_arena_new(array->store->allocator), .each = each, .user = user};
    if (self.arena == NULL) return zl_fail_memory(err, sizeof self);
    const zl_status status = visit_folders(&self, err);
    zl_arena_free(self.arena);
    return status;
}

/* ---- chunks of the grid */

void zl_grid_counts(const zl_array *array, const zl_shape *shape, int64_t *counts) {
    const zl_metadata *meta = array->meta;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        counts[axis] = meta->grid->count(meta->grid_self, axis, shape->dim[axis]);
    }
}

void zl_array_grid_shape(const zl_array *array, int64_t *shape) {
    const zl_shape now = zl_array_current_shape(array);
    zl_grid_counts(array, &now, shape);
}

typedef struct chunks {
    const zl_array *array;
    int64_t counts[ZL_MAX_RANK];
    zl_chunk_fn each;
    void *user;
    bool stopped;
} chunks;

/* A chunk that was removed after it was listed is not stored. */
static zl_status visit_chunk(void *user, const int64_t *coords, const char *key, zl_error *err) {
    chunks *self = user;
    const zl_store *store = self->array->store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_object_info info;
    for (int32_t axis = 0; axis < self->array->meta->shape.rank; axis++) {
        if (coords[axis] >= self->counts[axis]) return ZL_OK;
    }
    const zl_status status = store->cls->info(store->self, key, &info, &call);
    if (status != ZL_OK) return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    const zl_stored_chunk chunk = {coords, key, info.size};
    self->stopped = !self->each(self->user, &chunk);
    return self->stopped ? ZL_ERR_CANCELLED : ZL_OK;
}

zl_status zl_array_list_chunks(const zl_array *array, zl_chunk_fn each, void *user, zl_error *err) {
    chunks self = {.array = array, .each = each, .user = user};
    zl_array_grid_shape(array, self.counts);
    const zl_status status = zl_stored_walk(array, visit_chunk, &self, err);
    return self.stopped ? ZL_OK : status;
}

static bool count_chunk(void *user, const zl_stored_chunk *chunk) {
    zl_stored_info *info = user;
    info->chunk_count++;
    info->size = zl_sat_add(info->size, chunk->size);
    return true;
}

zl_status zl_array_stored_info(const zl_array *array, zl_stored_info *out, zl_error *err) {
    zl_stored_info info = {.grid_count = 1};
    int64_t counts[ZL_MAX_RANK];
    zl_array_grid_shape(array, counts);
    for (int32_t axis = 0; axis < array->meta->shape.rank; axis++) {
        info.grid_count = zl_sat_mul(info.grid_count, (uint64_t)counts[axis]);
    }
    ZL_TRY(zl_array_list_chunks(array, count_chunk, &info, err));
    *out = info;
    return ZL_OK;
}
