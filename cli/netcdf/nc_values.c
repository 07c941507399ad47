/* SPDX-License-Identifier: MIT */
#include "nc_values.h"

#include "blocks.h"
#include "memory.h"
#include "nc_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    nc_report *report;
    const cli *run;
    const nc_variable *variable;
    const zl_array *array;
    size_t element_size;
    bool is_text;
    cli_blocks blocks;
    char *from_file; /* of one block, in C order */
    char *from_store;
    uint64_t different; /* elements so far */
    char first[600];    /* where the first one is, and both values */
} comparison;

static bool same_element(const comparison *c, size_t i) {
    const char *a = c->from_file + i * c->element_size;
    const char *b = c->from_store + i * c->element_size;
    if (!c->is_text) return memcmp(a, b, c->element_size) == 0;
    const zl_slot *left = (const void *)a, *right = (const void *)b;
    return left->size == right->size && (left->size == 0 || memcmp(left->data, right->data, (size_t)left->size) == 0);
}

/* "[3, 4, 5]" of element `i` of the block. */
static void coordinates_text(const comparison *c, size_t i, char *out, size_t size) {
    int64_t index[CLI_MAX_RANK];
    size_t used = 0;
    for (int32_t axis = c->blocks.rank - 1; axis >= 0; axis--) {
        index[axis] = c->blocks.start[axis] + (int64_t)(i % (size_t)c->blocks.count[axis]);
        i /= (size_t)c->blocks.count[axis];
    }
    out[0] = '\0';
    for (int32_t axis = 0; axis < c->blocks.rank && used < size; axis++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, axis ? ", " : "[", index[axis]);
    if (c->blocks.rank && used < size) snprintf(out + used, size - used, "] ");
}

static zl_status describe_first(comparison *c, size_t i, zl_error *err) {
    char where[256];
    zl_buffer a = {0}, b = {0};
    zl_status status = zl_array_element_json(c->array, c->from_file + i * c->element_size, &a, err);
    if (!status) status = zl_array_element_json(c->array, c->from_store + i * c->element_size, &b, err);
    if (!status) {
        coordinates_text(c, i, where, sizeof where);
        snprintf(c->first, sizeof c->first, "%sis %.120s in the file and %.120s in the store", where, a.data, b.data);
    }
    zl_buffer_free(&a);
    zl_buffer_free(&b);
    return status;
}

static zl_status compare_block(comparison *c, zl_error *err) {
    const size_t count = (size_t)cli_blocks_count(&c->blocks);
    if (!c->is_text && memcmp(c->from_file, c->from_store, count * c->element_size) == 0) return ZL_OK;
    for (size_t i = 0; i < count; i++) {
        if (same_element(c, i)) continue;
        const zl_status status = c->different++ ? ZL_OK : describe_first(c, i, err);
        if (status) return status;
    }
    return ZL_OK;
}

static zl_status read_and_compare(comparison *c, nc_source *source, zl_error *err) {
    zl_const_view view;
    zl_result *result = NULL;
    zl_read_options read = ZL_READ_OPTIONS_INIT;
    const zl_region region = {c->blocks.rank, c->blocks.start, c->blocks.count, NULL};
    zl_status status = nc_source_fetch(source, 0, c->blocks.start, c->blocks.count, c->from_file, &view, err);
    if (!status && c->is_text) status = zl_result_new(&result, c->run->context, err);
    read.cancel = c->run->cancel;
    read.result = result;
    if (!status) status = zl_array_read(c->array, &region, (zl_view){c->from_store, NULL, NULL}, &read, err);
    if (!status) status = compare_block(c, err);
    zl_result_free(result);
    return status;
}

static void start(comparison *c) {
    static const int64_t ones[CLI_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const nc_variable *variable = c->variable;
    const int64_t *unit = zl_array_chunk_shape(c->array);
    cli_blocks_grid(&c->blocks, variable->rank, variable->shape, unit ? unit : ones,
                    variable->chunked ? variable->chunk : NULL, c->is_text ? 128 : c->element_size, CLI_BLOCK_SIZE);
    const size_t size = (size_t)cli_blocks_most(&c->blocks) * c->element_size;
    c->from_file = cli_malloc(size);
    c->from_store = cli_malloc(size);
}

zl_status nc_values_compare(nc_report *report, const cli *run, const nc_variable *variable, const zl_array *array,
                            cli_progress *progress, zl_error *err) {
    const zl_dtype *dtype = zl_array_dtype(array);
    comparison c = {.report = report, .run = run, .variable = variable, .array = array};
    c.element_size = zl_dtype_size(dtype);
    c.is_text = zl_dtype_is_variable(dtype);
    nc_source source = {.variable = variable};
    zl_status status = ZL_OK;
    start(&c);
    while (!status && cli_blocks_next(&c.blocks)) {
        status = read_and_compare(&c, &source, err);
        const uint64_t count = (uint64_t)cli_blocks_count(&c.blocks);
        report->values += count;
        report->size += count * c.element_size;
        cli_progress_update(progress, report->size);
    }
    nc_source_clear(&source);
    free(c.from_file);
    free(c.from_store);
    if (c.different) {
        nc_report_differ(report, variable->path, "%s (%" PRIu64 " of %" PRId64 " values differ)", c.first, c.different,
                         zl_array_element_count(array));
    }
    return status;
}
