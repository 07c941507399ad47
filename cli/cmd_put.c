/* SPDX-License-Identifier: MIT */
/* zarrlite put: elements from a file or a pipe into a region of an array. A pipe gives them block by block in C order, and
 * chunks that take several blocks are rewritten; a file has any part at hand, so that each chunk is written once. */
#include "blocks.h"
#include "cli.h"
#include "element.h"
#include "input.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "region.h"
#include "slab_writer.h"
#include "store_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct put_options {
    const char *region;
    const char *format;
    int threads;
} put_options;

static const cli_option options[] = {
    {"region", 0, CLI_TEXT, offsetof(put_options, region), "REGION", "part to write, as for get"},
    {"format", 0, CLI_TEXT, offsetof(put_options, format), "FORMAT", "raw or npy [npy for files named .npy, else raw]"},
    {"threads", 0, CLI_COUNT, offsetof(put_options, threads), "N", "threads that encode [one per CPU]"},
    CLI_OPTIONS_END,
};

typedef struct job {
    const cli *run;
    zl_array *array;
    const zl_dtype *dtype; /* of the source */
    bool swapped;          /* the source's byte order is not this machine's */
    bool reversed;         /* the source is in Fortran order */
    cli_region region;
    cli_input input;
    /* Bytes of elements of variable length, of one block. */
    char *heap;
    size_t heap_size;
    size_t heap_cap;
} job;

static zl_status too_short(const job *j, zl_error *err) {
    return cli_error(err, ZL_ERR_INVALID_ARGUMENT,
                     "the input ends after %" PRIu64 " bytes, the region of %" PRId64 " elements needs more",
                     j->input.position, cli_region_count(&j->region));
}

static void reserve_heap(job *j, size_t more) {
    if (j->heap_cap - j->heap_size >= more) return;
    j->heap_cap = (j->heap_size + more) * 2;
    j->heap = cli_realloc(j->heap, j->heap_cap);
}

/* Appends the bytes of one element; reads in pieces, so that a lying size takes no more memory than there is input. */
static zl_status read_element(job *j, size_t size, zl_error *err) {
    while (size) {
        const size_t piece = size < (1u << 20) ? size : 1u << 20;
        reserve_heap(j, piece);
        if (cli_input_read(&j->input, j->heap + j->heap_size, piece) != piece) return too_short(j, err);
        j->heap_size += piece;
        size -= piece;
    }
    return ZL_OK;
}

static zl_status read_slots(job *j, zl_slot *slots, size_t count, zl_error *err) {
    j->heap_size = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char prefix[4];
        if (cli_input_read(&j->input, prefix, 4) != 4) return too_short(j, err);
        const size_t size = prefix[0] | (size_t)prefix[1] << 8 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 24;
        const zl_status status = read_element(j, size, err);
        if (status) return status;
        slots[i].size = size;
    }
    const char *at = j->heap; /* the heap moves no more */
    for (size_t i = 0; i < count; i++) {
        slots[i].data = slots[i].size ? at : NULL;
        at += slots[i].size;
    }
    return ZL_OK;
}

static zl_status read_block(job *j, void *buffer, size_t count, const void **out, zl_error *err) {
    *out = buffer;
    if (zl_dtype_is_variable(j->dtype)) return read_slots(j, buffer, count, err);
    const size_t size = count * zl_dtype_size(j->dtype);
    if (j->swapped) {
        const size_t unit = cli_dtype_unit(j->dtype);
        if (cli_input_read(&j->input, buffer, size) != size) return too_short(j, err);
        cli_swap_units(buffer, size / unit, unit);
        return ZL_OK;
    }
    *out = cli_input_take(&j->input, buffer, size);
    return *out ? ZL_OK : too_short(j, err);
}

/* Strides of the region's axes in the source. */
static void source_strides(const job *j, int64_t *strides) {
    const int32_t rank = j->region.rank;
    int64_t stride = (int64_t)zl_dtype_size(j->dtype);
    for (int32_t i = 0; i < rank; i++) {
        const int32_t axis = j->reversed ? i : rank - 1 - i;
        strides[axis] = stride;
        stride *= j->region.shape[axis];
    }
}

static const zl_dtype *view_dtype(const job *j) {
    return j->dtype == zl_array_dtype(j->array) ? NULL : j->dtype;
}

static zl_write_options write_options(const job *j) {
    zl_write_options write = ZL_WRITE_OPTIONS_INIT;
    write.cancel = j->run->cancel;
    return write;
}

/* ---- blocks: whatever comes in the order of the input */

static zl_status write_block(const job *j, const int64_t *start, const int64_t *count, const void *data,
                             const int64_t *strides, zl_error *err) {
    const zl_region region = {j->region.rank, start, count, j->region.step};
    const zl_write_options write = write_options(j);
    return zl_array_write(j->array, &region, (zl_const_view){data, strides, view_dtype(j)}, &write, err);
}

static zl_status write_blocks(job *j, zl_error *err) {
    cli_blocks blocks;
    const size_t element_size = zl_dtype_size(j->dtype);
    /* The first elements of a Fortran-order source belong to every block: it is taken as one. */
    const uint64_t budget = j->reversed ? INT64_MAX : CLI_BLOCK_SIZE;
    cli_blocks_sequential(&blocks, j->region.rank, j->region.shape, zl_array_chunk_shape(j->array), j->region.start,
                          element_size, budget);
    int64_t strides[CLI_MAX_RANK];
    source_strides(j, strides);
    void *buffer = cli_malloc((size_t)cli_blocks_most(&blocks) * element_size);
    zl_status status = ZL_OK;
    while (!status && cli_blocks_next(&blocks)) {
        int64_t start[CLI_MAX_RANK];
        const void *data;
        for (int32_t axis = 0; axis < blocks.rank; axis++)
            start[axis] = j->region.start[axis] + blocks.start[axis] * j->region.step[axis];
        status = read_block(j, buffer, (size_t)cli_blocks_count(&blocks), &data, err);
        if (!status) status = write_block(j, start, blocks.count, data, j->reversed ? strides : NULL, err);
        cli_input_relax(&j->input);
    }
    free(buffer);
    return status;
}

/* ---- slabs: whole chunks, or where a shard is large its inner chunks, from a file */

static const char *slab_data(const job *j, const cli_slabs *slabs, const char *data, const int64_t *strides) {
    for (int32_t axis = 0; axis < slabs->rank; axis++)
        data += (slabs->start[axis] - j->region.start[axis]) * strides[axis];
    return data;
}

static zl_status write_slabs(job *j, const zl_region *region, const char *data, zl_error *err) {
    cli_slabs slabs;
    cli_slab_writer writer;
    int64_t strides[CLI_MAX_RANK];
    const zl_write_options write = write_options(j);
    zl_status status = ZL_OK;
    source_strides(j, strides);
    cli_slabs_start(&slabs, j->array, region, NULL, zl_dtype_size(j->dtype), CLI_BLOCK_SIZE);
    cli_slab_writer_start(&writer, j->array, &slabs);
    while (!status && cli_slabs_next(&slabs)) {
        const zl_const_view view = {slab_data(j, &slabs, data, strides), strides, view_dtype(j)};
        status = cli_slab_write(&writer, slabs.start, slabs.count, view, &write, err);
        cli_input_relax(&j->input);
    }
    return cli_slab_writer_end(&writer, status, err);
}

/* Elements that lie in a file as they lie in memory, for whole chunks, go as slabs. */
static zl_status write_elements(job *j, zl_error *err) {
    const zl_region region = {j->region.rank, j->region.start, j->region.shape, j->region.step};
    const uint64_t count = (uint64_t)cli_region_count(&j->region);
    cli_shards shards;
    cli_shards_start(&shards, j->array, &region);
    const bool as_they_lie = !j->swapped && !zl_dtype_is_variable(j->dtype);
    const char *data = NULL;
    if (count && as_they_lie && cli_shards_fit(&shards, &region))
        data = cli_input_take_mapped(&j->input, count * zl_dtype_size(j->dtype));
    return data ? write_slabs(j, &region, data, err) : write_blocks(j, err);
}

/* ---- the input */

/* The file's shape is the region's, with or without the axes of single indices. */
static bool shape_fits(const cli_npy *npy, const cli_region *region) {
    const size_t size = (size_t)npy->rank * sizeof npy->shape[0];
    return (npy->rank == region->rank && memcmp(npy->shape, region->shape, size) == 0) ||
           (npy->rank == region->out_rank && memcmp(npy->shape, region->out_shape, size) == 0);
}

static int read_npy_header(job *j, const char *file) {
    char error[256];
    cli_npy npy;
    unsigned char *header = cli_malloc(12);
    size_t size = cli_input_read(&j->input, header, 12);
    const size_t total = cli_npy_header_size(header, size, error, sizeof error);
    bool good = total != 0;
    if (good) {
        header = cli_realloc(header, total > 12 ? total : 12);
        if (total > 12) size += cli_input_read(&j->input, header + 12, total - 12);
        good = cli_npy_parse(&npy, header, size, error, sizeof error);
    }
    free(header);
    if (!good) return cli_fail_text(j->run, NULL, "%s: %s", file, error);
    if (!shape_fits(&npy, &j->region)) {
        char *is = cli_shape_text(npy.rank, npy.shape);
        char *wanted = cli_shape_text(j->region.out_rank, j->region.out_shape);
        const int status = cli_fail_text(j->run, "choose the part to write with --region",
                                         "%s has the shape %s, the region is %s", file, is, wanted);
        free(is);
        free(wanted);
        return status;
    }
    if (npy.dtype != zl_dtype_get_id(j->dtype)) j->dtype = zl_dtype_builtin(npy.dtype);
    j->swapped = npy.swapped;
    j->reversed = npy.fortran && npy.rank > 1;
    return CLI_OK;
}

/* Size of the input when it is known beforehand, so that a file of the wrong size changes nothing. */
static int check_size(const job *j, const char *file) {
    if (j->input.pipe || zl_dtype_is_variable(j->dtype)) return CLI_OK;
    const uint64_t is = j->input.map_size - j->input.position;
    const uint64_t wanted = (uint64_t)cli_region_count(&j->region) * zl_dtype_size(j->dtype);
    if (is == wanted) return CLI_OK;
    return cli_fail_text(j->run, "choose the part to write with --region",
                         "%s holds %" PRIu64 " bytes of elements, the region takes %" PRIu64, file, is, wanted);
}

static int put_input(job *j, const char *path, const char *file, bool is_npy) {
    zl_error err = {0};
    if (is_npy) {
        const int status = read_npy_header(j, file);
        if (status) return status;
    } else {
        j->swapped = !cli_is_little_endian() && cli_dtype_unit(j->dtype) > 1;
    }
    const int status = check_size(j, file);
    if (status) return status;
    if (write_elements(j, &err)) return cli_fail(j->run, path, &err);
    if (!cli_input_at_end(&j->input)) {
        return cli_fail_text(j->run, "the region was written, what follows was not",
                             "%s goes on behind the last element of the region", file);
    }
    return CLI_OK;
}

static int put(const cli *run, zl_array *array, char *const *positional, const put_options *given) {
    const char *file = positional[1];
    const char *dot = strrchr(file, '.');
    const bool is_npy = given->format ? strcmp(given->format, "npy") == 0 : dot && strcmp(dot, ".npy") == 0;
    if (given->format && !is_npy && strcmp(given->format, "raw") != 0) {
        return cli_usage(run, "format '%s' is neither raw nor npy", given->format);
    }
    job j = {.run = run, .array = array, .dtype = zl_array_dtype(array)};
    char error[256];
    if (!cli_region_parse(&j.region, given->region, zl_array_rank(array), zl_array_shape(array), error, sizeof error)) {
        return cli_usage(run, "--region: %s", error);
    }
    if (!cli_input_open(&j.input, file)) return cli_fail_text(run, NULL, "cannot read %s: %s", file, strerror(errno));
    const int status = put_input(&j, positional[0], file, is_npy);
    cli_input_close(&j.input);
    free(j.heap);
    return status;
}

static int run_put(cli *run, const cli_args *args, const void *values) {
    const put_options *given = values;
    cli_place place = {0};
    zl_array *array = NULL;
    int status = cli_start(run, given->threads);
    if (!status) status = cli_open_array(run, &place, &array, args->positional[0], CLI_CHANGE);
    if (!status) status = put(run, array, args->positional, given);
    zl_array_close(array);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_put = {
    .name = "put",
    .summary = "Write elements of an array",
    .usage = "[OPTIONS] STORE[/PATH] FILE",
    .details = "FILE is '-' for standard input. raw is what 'get --format raw' writes. The elements of a .npy file are\n"
               "converted to the array's type; its shape must be the region's.",
    .options = options,
    .options_size = sizeof(put_options),
    .positional_min = 2,
    .positional_max = 2,
    .run = run_put,
};
