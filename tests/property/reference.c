/* SPDX-License-Identifier: MIT */
/*
 * The slow reference: a plain array of elements.
 *
 * A written element reads as decode(encode(element)) of all row codecs. An element that nobody wrote is the fill value,
 * until something near it is written: where a chunk of level n is stored around it, its fill value has passed the rows
 * above that level and comes back through them. (Whether a chunk is then left out because it holds nothing but fill values
 * makes no difference: that is allowed only where they survive.) Elements that were stored keep what is stored.
 */
#include "property.h"

static int64_t load(const void *from, size_t width) {
    int64_t wide = 0;
    int32_t narrow = 0;
    memcpy(width == 4 ? (void *)&narrow : (void *)&wide, from, width);
    return width == 4 ? narrow : wide;
}

/* Through the first `count` rows and back. */
static void there_and_back(const prop_array *array, int32_t count, const void *from, void *to) {
    const size_t width = array->dtype->size;
    memcpy(to, from, width);
    zl_dtype_fix(array->dtype, false, to, array->dtype->variable ? 0 : 1);
    if (count == 0) return;
    int64_t value = load(to, width);
    for (int32_t i = 0; i < count; i++)
        value = zt_row_encode(array->rows[i].kind, array->rows[i].k, array->rows[i].decoded, value);
    for (int32_t i = count - 1; i >= 0; i--)
        value = zt_row_decode(array->rows[i].kind, array->rows[i].k, array->rows[i].encoded, value);
    const int32_t narrow = (int32_t)value;
    memcpy(to, width == 4 ? (const void *)&narrow : (const void *)&value, width);
}

void prop_reference_init(prop_reference *reference, prop_array *array) {
    *reference = (prop_reference){.array = array, .count = 1};
    memcpy(reference->shape, array->shape, sizeof reference->shape);
    for (int32_t i = 0; i < array->rank; i++)
        reference->count *= array->shape[i];
    const size_t size = array->dtype->size;
    reference->values = malloc((size_t)reference->count * size + 1);
    reference->depth = calloc((size_t)reference->count + 1, 1);
    if (reference->values == NULL || reference->depth == NULL) abort();
    for (int64_t i = 0; i < reference->count; i++)
        memcpy(reference->values + (size_t)i * size, array->fill, size);
    for (int32_t level = 0; level < array->level_count; level++)
        there_and_back(array, array->levels[level].rows_until, array->fill, reference->seen_as[level]);
}

void prop_reference_clear(prop_reference *reference) {
    free(reference->values);
    free(reference->depth);
}

static int64_t position(const prop_reference *reference, const int64_t *at) {
    int64_t result = 0;
    for (int32_t i = 0; i < reference->array->rank; i++)
        result = result * reference->shape[i] + at[i];
    return result;
}

const char *prop_reference_at(const prop_reference *reference, const int64_t *at) {
    return reference->values + position(reference, at) * (int64_t)reference->array->dtype->size;
}

/* The chunk of a level around a coordinate. Those inside the grid's chunks are equal, and these are multiples of them. */
static void find_cell(const prop_array *array, int32_t level, int32_t axis, int64_t at, int64_t *first, int64_t *length) {
    const int64_t *edges = array->edges[axis];
    *length = array->levels[level].cell[axis];
    *first = at / *length * *length;
    if (level > 0 || array->regular) return;
    *first = 0;
    while (at >= *first + *edges)
        *first += *edges++;
    *length = *edges;
}

/* Does the region hold an element of the chunk around `at`? Both are products of axes. */
static bool touches(const prop_array *array, int32_t level, const prop_region *region, const int64_t *at) {
    for (int32_t i = 0; i < array->rank; i++) {
        int64_t low, length;
        find_cell(array, level, i, at[i], &low, &length);
        low -= region->start[i];
        const int64_t next = low <= 0 ? 0 : (low + region->step[i] - 1) / region->step[i]; /* first one not before it */
        if (next >= region->shape[i] || next * region->step[i] >= low + length) return false;
    }
    return true;
}

void prop_reference_replace(prop_reference *reference, const prop_region *chunk) {
    const prop_array *array = reference->array;
    int64_t at[ZL_MAX_RANK] = {0};
    do {
        if (!touches(array, 0, chunk, at)) continue; /* what lies beyond the array's end is replaced as well */
        const int64_t element = position(reference, at);
        reference->depth[element] = 1;
        memcpy(reference->values + element * (int64_t)array->dtype->size, reference->seen_as[0], array->dtype->size);
    } while (prop_next(array->rank, reference->shape, at));
}

static void deepen(prop_reference *reference, const prop_region *region, const int64_t *at) {
    const prop_array *array = reference->array;
    const int64_t element = position(reference, at);
    int32_t depth = array->level_count;
    while (depth > reference->depth[element] && !touches(array, depth - 1, region, at))
        depth--;
    if (depth <= reference->depth[element]) return;
    reference->depth[element] = (uint8_t)depth;
    memcpy(reference->values + element * (int64_t)array->dtype->size, reference->seen_as[depth - 1], array->dtype->size);
}

void prop_reference_write(prop_reference *reference, const prop_region *region, const prop_view *view) {
    const prop_array *array = reference->array;
    if (prop_is_empty(array->rank, region->shape)) return;
    int64_t at[ZL_MAX_RANK] = {0};
    do {
        deepen(reference, region, at);
    } while (prop_next(array->rank, reference->shape, at));
    do { /* `at` is zero again */
        int64_t there[ZL_MAX_RANK];
        for (int32_t i = 0; i < array->rank; i++)
            there[i] = region->start[i] + at[i] * region->step[i];
        char *value = reference->values + position(reference, there) * (int64_t)array->dtype->size;
        there_and_back(array, array->row_count, prop_address(view, array->rank, at), value);
    } while (prop_next(array->rank, region->shape, at));
}
