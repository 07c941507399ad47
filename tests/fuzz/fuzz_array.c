/* SPDX-License-Identifier: MIT */
/*
 * An array from a stranger: a metadata document, a NUL byte, and the bytes of every chunk. It is opened and read, and what
 * was read is written by the same codecs and read again. Everything has to end in a result or an error, in bounded time and
 * memory; and where the whole can be read, a part of it can be, with the same elements.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "store/support.h"

#include "fuzz.h"

#define ELEMENTS_MAX 4096
#define MEMORY_LIMIT (64 * ZL_MIB)

/* ---- a store whose chunks are all the same */

typedef struct one_chunk {
    void *memory; /* a memory store */
    zl_store_class cls;
} one_chunk;

static const char *stored_key(const char *key) {
    const char *name = strrchr(key, '/');
    name = name ? name + 1 : key;
    const bool is_metadata = strcmp(name, "zarr.json") == 0 || name[0] == '.';
    return is_metadata ? key : "chunk";
}

static zl_status get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                     zl_object_info *info, const zl_store_call *call) {
    const one_chunk *store = self;
    return zl_store_memory.get(store->memory, stored_key(key), requests, count, condition, info, call);
}

static zl_status get_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    const one_chunk *store = self;
    return zl_store_memory.info(store->memory, stored_key(key), info, call);
}

static zl_status list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    const one_chunk *store = self;
    return zl_store_memory.list(store->memory, prefix, each, user, call);
}

static zl_status close_store(void *self, zl_error *err) {
    one_chunk *store = self;
    return zl_store_memory.close(store->memory, err);
}

static void put(one_chunk *store, const char *key, const uint8_t *data, size_t size) {
    zl_error err = {0};
    const zl_span span = {data, size};
    const zl_store_call call = {.size = sizeof call, .allocator = &zl_default_allocator, .err = &err};
    if (zl_store_memory.set(store->memory, key, &span, 1, NULL, &call) != ZL_OK) abort();
}

/* ---- what is done with the array */

/* The first elements of each axis, ELEMENTS_MAX at most. */
static size_t choose_box(const zl_array *array, int64_t *start, int64_t *shape) {
    size_t count = 1;
    for (int32_t i = zl_array_rank(array) - 1; i >= 0; i--) {
        const int64_t extent = zl_array_shape(array)[i], room = (int64_t)(ELEMENTS_MAX / (count ? count : 1));
        shape[i] = extent < room ? extent : room;
        start[i] = 0;
        count *= (size_t)shape[i];
    }
    return count;
}

/* Values of variable length live as long as `result`. */
static bool read_box(zl_array *array, const zl_region *region, zl_result *result, void *elements) {
    zl_error err = {0};
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.result = result;
    return zl_array_read(array, region, (zl_view){.data = elements}, &options, &err) == ZL_OK;
}

/* Every second element, from a third of each axis on, is the same when it is read alone. */
static void check_part(zl_array *array, const int64_t *shape, const char *whole) {
    zl_error err = {0};
    const int32_t rank = zl_array_rank(array);
    int64_t start[ZL_MAX_RANK], count[ZL_MAX_RANK], step[ZL_MAX_RANK], at[ZL_MAX_RANK] = {0}, strides[ZL_MAX_RANK];
    int64_t stride = (int64_t)zl_dtype_size(zl_array_dtype(array));
    const size_t size = (size_t)stride;
    size_t total = size;
    for (int32_t i = rank - 1; i >= 0; i--) {
        start[i] = shape[i] / 3;
        step[i] = 2;
        count[i] = (shape[i] - start[i] + 1) / 2;
        whole += start[i] * stride;
        strides[i] = 2 * stride;
        stride *= shape[i];
        total *= (size_t)count[i];
    }
    const zl_region region = {rank, start, count, step};
    char *part = malloc(total + 1), *element = part;
    if (!part || total == 0) {
        free(part);
        return;
    }
    if (zl_array_read(array, &region, (zl_view){.data = part}, NULL, &err) != ZL_OK) abort();
    do {
        if (memcmp(element, whole + zl_coords_offset(rank, at, strides), size) != 0) abort();
        element += size;
    } while (zl_coords_next(rank, count, at));
    free(part);
}

/* By the same codecs, into an array in memory. */
static bool write_box(zl_store *store, const zl_array *like, const zl_region *region, const void *elements,
                      zl_array **out) {
    zl_error err = {0};
    zl_buffer document;
    if (zl_array_metadata_json(like, &document, &err) != ZL_OK) return false;
    const zl_status status =
        zl_array_create_from_metadata(out, store, "copy", ZL_CREATE_REPLACE, document.data, document.size, &err);
    zl_buffer_free(&document);
    if (status != ZL_OK) return false;
    if (zl_array_write(*out, region, (zl_const_view){.data = elements}, NULL, &err) == ZL_OK) return true;
    zl_array_close(*out);
    return false;
}

static void use(zl_context *context, zl_array *array) {
    zl_error err = {0};
    int64_t start[ZL_MAX_RANK], shape[ZL_MAX_RANK];
    const size_t count = choose_box(array, start, shape), size = zl_dtype_size(zl_array_dtype(array));
    const zl_region region = {zl_array_rank(array), start, shape, NULL};
    zl_result *result;
    zl_store *store;
    zl_array *copy;
    void *elements = count <= MEMORY_LIMIT / size ? calloc(count + 1, size) : NULL;
    if (!elements) return;
    if (zl_result_new(&result, context, &err) != ZL_OK || zl_store_open_memory(&store, context, &err) != ZL_OK) abort();
    if (read_box(array, &region, result, elements)) {
        if (!zl_array_dtype(array)->variable) check_part(array, shape, elements);
        if (write_box(store, array, &region, elements, &copy)) {
            (void)read_box(copy, &region, result, elements);
            zl_array_close(copy);
        }
    }
    zl_result_free(result);
    (void)zl_store_close(store, &err);
    free(elements);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    if (!nul) return 0;
    zl_error err = {0};
    zl_limits limits = {.size = sizeof limits, .decoded_chunk = 8 * ZL_MIB, .element_size = 64 * ZL_KIB};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    options.memory_limit = MEMORY_LIMIT;
    options.limits = &limits;
    zl_context *context;
    zl_store *store;
    zl_array *array;
    one_chunk own = {.cls = {.size = sizeof(zl_store_class),
                             .name = "fuzz",
                             .caps = ZL_STORE_RANGE,
                             .get = get,
                             .info = get_info,
                             .list = list,
                             .close = close_store}};
    if (zl_context_new(&context, &options, &err) != ZL_OK ||
        zl_store_memory_new(&own.memory, &zl_default_allocator, &err) != ZL_OK)
        abort();
    const size_t document = (size_t)(nul - data);
    put(&own, "zarr.json", data, document);
    put(&own, ".zarray", data, document);
    put(&own, "chunk", nul + 1, size - document - 1);
    if (zl_store_new(&store, context, &own.cls, &own, &err) != ZL_OK) abort();
    if (zl_array_open(&array, store, "", &err) == ZL_OK) {
        use(context, array);
        zl_array_close(array);
    }
    (void)zl_store_close(store, &err);
    zl_context_free(context);
    return 0;
}
