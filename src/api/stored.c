/* SPDX-License-Identifier: MIT */
/*
 * What of an array is stored, found by listing. An object counts when its key is the canonical key of a chunk inside the
 * grid; leftovers of a larger shape and stray files do not.
 */
#include "api/array.h"
#include "api/listing.h"
#include "api/path.h"

/* A prefix that is still to be listed. */
typedef struct folder {
    struct folder *next;
    const char *path; /* from the store's root */
    int32_t depth;
} folder;

typedef struct count {
    const zl_array *array;
    zl_arena *arena; /* of folders */
    folder *todo;
    zl_stored_info *out;
} count;

static zl_status add_folder(count *self, const char *path, int32_t depth, zl_error *err) {
    folder *added = ZL_ARENA_NEW(self->arena, folder);
    const char *copy = zl_arena_text(self->arena, path, strlen(path));
    if (added == NULL || copy == NULL) return zl_fail_memory(err, sizeof *added);
    *added = (folder){self->todo, copy, depth};
    self->todo = added;
    return ZL_OK;
}

static bool is_chunk(const zl_array *array, const char *key) {
    const zl_metadata *meta = array->meta;
    const size_t prefix_size = strlen(array->path);
    int64_t coords[ZL_MAX_RANK];
    key += prefix_size == 0 ? 0 : prefix_size + 1;
    if (!meta->key->read(meta->key_self, meta->shape.rank, key, coords)) return false;
    for (int32_t axis = 0; axis < meta->shape.rank; axis++) {
        if (coords[axis] >= meta->grid->count(meta->grid_self, axis, meta->shape.dim[axis])) return false;
    }
    return true;
}

/* A chunk that was removed after it was listed is not stored. */
static zl_status add_chunk(count *self, const char *key, zl_error *err) {
    const zl_store *store = self->array->store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_object_info info;
    const zl_status status = store->cls->info(store->self, key, &info, &call);
    if (status != ZL_OK) return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    self->out->chunk_count++;
    self->out->size = zl_sat_add(self->out->size, info.size);
    return ZL_OK;
}

/* A key has at most one part for each axis and one in front, so that nothing deeper can be a chunk. */
static zl_status add_name(count *self, const folder *in, const zl_name *name, zl_error *err) {
    const zl_allocator *allocator = self->array->store->allocator;
    const bool enter = name->is_prefix && in->depth <= self->array->meta->shape.rank;
    if (name->is_prefix && !enter) return ZL_OK;
    char *path = zl_path_join(in->path, name->text, allocator);
    if (path == NULL) return zl_fail_memory(err, strlen(in->path));
    zl_status status = ZL_OK;
    if (enter) {
        status = add_folder(self, path, in->depth + 1, err);
    } else if (is_chunk(self->array, path)) {
        status = add_chunk(self, path, err);
    }
    zl_text_free(path, allocator);
    return status;
}

static zl_status walk(count *self, zl_error *err) {
    ZL_TRY(add_folder(self, self->array->path, 0, err));
    while (self->todo != NULL) {
        const folder *in = self->todo;
        self->todo = in->next;
        zl_listing listing;
        zl_status status = zl_listing_read(&listing, self->array->store, in->path, err);
        for (const zl_name *name = listing.first; status == ZL_OK && name != NULL; name = name->next) {
            status = add_name(self, in, name, err);
        }
        zl_listing_clear(&listing);
        if (status != ZL_OK) return status;
    }
    return ZL_OK;
}

zl_status zl_array_stored_info(const zl_array *array, zl_stored_info *out, zl_error *err) {
    const zl_metadata *meta = array->meta;
    zl_stored_info info = {.grid_count = 1};
    for (int32_t axis = 0; axis < meta->shape.rank; axis++) {
        const int64_t chunks = meta->grid->count(meta->grid_self, axis, meta->shape.dim[axis]);
        info.grid_count = zl_sat_mul(info.grid_count, (uint64_t)chunks);
    }
    count self = {.array = array, .arena = zl_arena_new(array->store->allocator), .out = &info};
    if (self.arena == NULL) return zl_fail_memory(err, sizeof self);
    const zl_status status = walk(&self, err);
    zl_arena_free(self.arena);
    if (status == ZL_OK) *out = info;
    return status;
}
