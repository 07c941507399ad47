/* SPDX-License-Identifier: MIT */
/* Encoded chunks and inner chunks, looked at, read and replaced as they are stored; and the codecs that made them. */
#include "api/array.h"
#include "api/buffer.h"
#include "api/node.h"
#include "api/stored.h"

/* ---- codecs */

size_t zl_array_codec_count(const zl_array *array) {
    return (size_t)array->meta->chain->count;
}

const char *zl_array_codec_name(const zl_array *array, size_t index) {
    const zl_chain *chain = array->meta->chain;
    return index < (size_t)chain->count ? chain->codec[index].cls->name : NULL;
}

zl_status zl_array_codecs_json(const zl_array *array, zl_buffer *out, zl_error *err) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, array->store->allocator, 0);
    zl_chain_emit(array->meta->chain, array->meta->zarr_format == 3, &writer);
    return zl_buffer_take(out, array->context, &writer, err);
}

/* ---- coordinates */

static zl_status check_coords(const int64_t *coords, const int64_t *counts, int32_t rank, zl_error *err) {
    for (int32_t i = 0; i < rank; i++) {
        if (coords[i] >= 0 && coords[i] < counts[i]) continue;
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "coords[%d] is %lld, there are %lld chunks along this axis", (int)i,
                       (long long)coords[i], (long long)counts[i]);
    }
    return ZL_OK;
}

zl_status zl_array_check_chunk(const zl_array *array, const int64_t *coords, zl_error *err) {
    int64_t counts[ZL_MAX_RANK];
    zl_array_grid_shape(array, counts);
    return check_coords(coords, counts, array->meta->shape.rank, err);
}

zl_status zl_array_chunk_region(const zl_array *array, const int64_t *coords, int64_t *start, int64_t *shape,
                                zl_error *err) {
    const zl_metadata *meta = array->meta;
    const zl_shape now = zl_array_current_shape(array);
    int64_t counts[ZL_MAX_RANK];
    zl_grid_counts(array, &now, counts);
    ZL_TRY(check_coords(coords, counts, now.rank, err));
    for (int32_t i = 0; i < now.rank; i++) {
        meta->grid->span(meta->grid_self, i, coords[i], &start[i], &shape[i]);
        shape[i] = zl_min_i64(shape[i], now.dim[i] - start[i]);
    }
    return ZL_OK;
}

void zl_array_largest_chunk_shape(const zl_array *array, int64_t *shape) {
    const zl_metadata *meta = array->meta;
    const int64_t *uniform = meta->grid->uniform ? meta->grid->uniform(meta->grid_self) : NULL;
    for (int32_t i = 0; i < meta->shape.rank; i++) {
        int64_t length;
        shape[i] = uniform ? uniform[i] : 1;
        for (size_t k = 0; !uniform && meta->grid->edge(meta->grid_self, i, k, &length); k++) {
            if (shape[i] < length) shape[i] = length;
        }
    }
}

bool zl_array_inner_grid_shape(const zl_array *array, int64_t *shape) {
    const zl_shape *inner = zl_engine_array_inner_shape(array->engine);
    if (inner == NULL) return false;
    const zl_shape now = zl_array_current_shape(array);
    for (int32_t i = 0; i < now.rank; i++) {
        shape[i] = zl_ceil_div(now.dim[i], inner->dim[i]);
    }
    return true;
}

static zl_status check_inner_chunk(const zl_array *array, const int64_t *coords, zl_error *err) {
    int64_t counts[ZL_MAX_RANK];
    if (zl_array_inner_grid_shape(array, counts)) return check_coords(coords, counts, array->meta->shape.rank, err);
    return zl_fail(err, ZL_ERR_UNSUPPORTED, "the array's chunks are not shards: they have no inner chunks");
}

/* ---- chunks of the grid */

/* Calls `use` with the key of a chunk. */
typedef zl_status (*key_fn)(const zl_array *array, const char *key, void *user, zl_error *err);
static zl_status with_key(const zl_array *array, const int64_t *coords, key_fn use, void *user, zl_error *err) {
    ZL_TRY(zl_array_check_chunk(array, coords, err));
    const size_t cap = zl_engine_array_key_max(array->engine);
    char *key = zl_alloc(array->store->allocator, cap, 1);
    if (key == NULL) return zl_fail_memory(err, cap);
    (void)zl_engine_array_key(array->engine, coords, key, cap);
    const zl_status status = use(array, key, user, err);
    zl_free(array->store->allocator, key, cap);
    return status;
}

static zl_status copy_key(const zl_array *array, const char *key, void *user, zl_error *err) {
    return zl_buffer_copy(user, array->context, key, strlen(key), err);
}

zl_status zl_array_chunk_key(const zl_array *array, const int64_t *coords, zl_buffer *out, zl_error *err) {
    return with_key(array, coords, copy_key, out, err);
}

static zl_chunk_info make_info(const zl_object_place *place) {
    const uint64_t *word = place->generation.word;
    return (zl_chunk_info){place->exists, place->offset, place->size, {word[0], word[1]}};
}

static zl_status look_at_object(const zl_array *array, const char *key, void *user, zl_error *err) {
    const zl_store *store = array->store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_object_info info;
    zl_object_place *place = user;
    *place = (zl_object_place){0};
    const zl_status status = store->cls->info(store->self, key, &info, &call);
    if (status == ZL_OK) *place = (zl_object_place){true, 0, info.size, info.generation};
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

zl_status zl_array_chunk_info(const zl_array *array, const int64_t *coords, zl_chunk_info *out, zl_error *err) {
    zl_object_place place = {0};
    ZL_TRY(with_key(array, coords, look_at_object, &place, err));
    *out = make_info(&place);
    return ZL_OK;
}

/* A range outside the object is the caller's mistake. */
static zl_status get_object(const zl_array *array, const char *key, void *user, zl_error *err) {
    zl_object_bytes *wanted = user;
    const zl_store *store = array->store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    zl_request request = {.offset = wanted->offset, .length = wanted->length};
    zl_object_info info = {0};
    const zl_status status = store->cls->get(store->self, key, &request, 1, NULL, &info, &call);
    wanted->bytes = request.bytes;
    if (status == ZL_ERR_NOT_FOUND) return zl_fail(err, status, "chunk %s is not stored", key);
    return status == ZL_ERR_CORRUPT ? zl_object_bytes_check(wanted, info.size, err) : status;
}

static zl_status take_bytes(const zl_array *array, zl_object_bytes *wanted, zl_buffer *out, zl_error *err) {
    const zl_status status = zl_buffer_copy(out, array->context, (const char *)wanted->bytes.data, wanted->bytes.size, err);
    zl_bytes_release(&wanted->bytes);
    return status;
}

zl_status zl_array_read_encoded_chunk(const zl_array *array, const int64_t *coords, uint64_t offset, uint64_t length,
                                      zl_buffer *out, zl_error *err) {
    zl_object_bytes wanted = {.offset = offset, .length = length};
    ZL_TRY(with_key(array, coords, get_object, &wanted, err));
    return take_bytes(array, &wanted, out, err);
}

static zl_status check_data(const zl_array *array, const void *data, size_t size, zl_error *err) {
    if (data == NULL && size > 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "data is NULL");
    return zl_node_check_writable(array->store, err);
}

zl_status zl_array_write_encoded_chunk(zl_array *array, const int64_t *coords, const void *data, size_t size,
                                       zl_error *err) {
    ZL_TRY(check_data(array, data, size, err));
    ZL_TRY(zl_array_check_chunk(array, coords, err));
    const zl_span span = {data, size};
    return zl_engine_replace(array->engine, coords, &span, err);
}

zl_status zl_array_erase_chunk(zl_array *array, const int64_t *coords, zl_error *err) {
    ZL_TRY(check_data(array, NULL, 0, err));
    ZL_TRY(zl_array_check_chunk(array, coords, err));
    return zl_engine_replace(array->engine, coords, NULL, err);
}

/* ---- inner chunks */

zl_status zl_array_inner_chunk_info(const zl_array *array, const int64_t *coords, zl_chunk_info *out, zl_error *err) {
    zl_object_place place;
    ZL_TRY(check_inner_chunk(array, coords, err));
    ZL_TRY(zl_engine_look(array->engine, coords, &place, NULL, err));
    *out = make_info(&place);
    return ZL_OK;
}

zl_status zl_array_read_encoded_inner_chunk(const zl_array *array, const int64_t *coords, uint64_t offset, uint64_t length,
                                            zl_buffer *out, zl_error *err) {
    zl_object_place place;
    zl_object_bytes wanted = {.offset = offset, .length = length};
    ZL_TRY(check_inner_chunk(array, coords, err));
    ZL_TRY(zl_engine_look(array->engine, coords, &place, &wanted, err));
    if (place.exists) return take_bytes(array, &wanted, out, err);
    return zl_fail(err, ZL_ERR_NOT_FOUND, "the inner chunk is not stored");
}

zl_status zl_array_write_encoded_inner_chunk(zl_array *array, const int64_t *coords, const void *data, size_t size,
                                             zl_error *err) {
    ZL_TRY(check_data(array, data, size, err));
    ZL_TRY(check_inner_chunk(array, coords, err));
    const zl_span span = {data, size};
    return zl_engine_replace_inner(array->engine, coords, &span, err);
}

zl_status zl_array_erase_inner_chunk(zl_array *array, const int64_t *coords, zl_error *err) {
    ZL_TRY(check_data(array, NULL, 0, err));
    ZL_TRY(check_inner_chunk(array, coords, err));
    return zl_engine_replace_inner(array->engine, coords, NULL, err);
}
