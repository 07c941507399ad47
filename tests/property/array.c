/* SPDX-License-Identifier: MIT */
/* A random array: shape, chunks, data type, fill value and codecs, as a metadata document. */
#include "property.h"

static uint64_t below(prop_array *array, uint64_t n) {
    return zt_random_below(&array->random, n);
}

void prop_print(prop_array *array, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const size_t room = sizeof array->text - array->text_size;
    const int size = vsnprintf(array->text + array->text_size, room, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= room) abort();
    array->text_size += (size_t)size;
}

/* All chunks of an axis; how much of them the array takes. */
static int64_t choose_edges(prop_array *array, int32_t axis) {
    const uint64_t most = array->rank > 3 ? 2 : PROP_CHUNKS_MAX;
    int64_t sum = 0;
    for (int32_t k = 0; k < PROP_CHUNKS_MAX; k++) {
        array->edges[axis][k] = array->chunk[axis] * (array->regular ? 1 : 1 + (int64_t)below(array, 2));
        if ((uint64_t)k < most) sum += array->edges[axis][k];
    }
    return 1 + (int64_t)below(array, (uint64_t)sum);
}

/* Few elements, but often several chunks per axis, a cut one at the end, or one that is larger than the array. */
static void choose_shape(prop_array *array) {
    static const int32_t ranks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 5};
    static const int64_t extents[] = {1, 2, 3, 4, 6, 8, 12};
    static const uint64_t choices[] = {7, 7, 7, 6, 5, 4};
    array->rank = ranks[below(array, ZL_COUNT_OF(ranks))];
    array->regular = below(array, 4) > 0;
    for (int32_t i = 0; i < array->rank; i++) {
        array->chunk[i] = extents[below(array, choices[array->rank])];
        array->shape[i] = choose_edges(array, i);
        if (below(array, 60) == 0) array->shape[i] = 0;
    }
}

static void print_numbers(prop_array *array, const int64_t *numbers) {
    for (int32_t i = 0; i < array->rank; i++)
        prop_print(array, i ? ",%d" : "%d", (int)numbers[i]);
}

static void print_grid(prop_array *array) {
    prop_print(array, "\"chunk_grid\":{\"name\":\"%s\",\"configuration\":{", array->regular ? "regular" : "rectilinear");
    prop_print(array, array->regular ? "\"chunk_shape\":[" : "\"kind\":\"inline\",\"chunk_shapes\":[");
    for (int32_t i = 0; i < array->rank; i++) {
        const int64_t *edges = array->edges[i];
        prop_print(array, i ? "," : "");
        if (array->regular)
            prop_print(array, "%d", (int)array->chunk[i]);
        else
            prop_print(array, "[%d,%d,%d]", (int)edges[0], (int)edges[1], (int)edges[2]);
    }
    prop_print(array, "]}}");
}

bool prop_array_make(prop_array *array, uint64_t seed, const zl_allocator *allocator) {
    *array = (prop_array){.allocator = *allocator, .random = zt_random_seed(seed)};
    array->arena = zl_arena_new(allocator);
    if (array->arena == NULL) abort();
    choose_shape(array);
    if (!prop_type_choose(array)) return false;
    array->dirty = !array->small && below(array, 4) == 0;
    prop_print(array, "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[");
    array->shape_begin = array->text_size;
    print_numbers(array, array->shape);
    array->shape_end = array->text_size;
    prop_print(array, "],\"data_type\":%s,", array->dtype_json);
    print_grid(array);
    prop_print(array, ",\"chunk_key_encoding\":\"%s\",\"fill_value\":", below(array, 4) ? "default" : "v2");
    if (!prop_fill_print(array)) return false;
    prop_print(array, ",\"codecs\":");
    prop_chain_print(array);
    prop_print(array, "}");
    return true;
}

void prop_array_reshape(prop_array *array, const int64_t *shape) {
    static char rest[PROP_TEXT_MAX];
    memcpy(array->shape, shape, sizeof array->shape);
    memcpy(rest, array->text + array->shape_end, array->text_size - array->shape_end + 1);
    array->text_size = array->shape_begin;
    print_numbers(array, shape);
    array->shape_end = array->text_size;
    prop_print(array, "%s", rest);
}

void prop_array_clear(prop_array *array) {
    zl_arena_free(array->arena);
}
