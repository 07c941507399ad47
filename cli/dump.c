/* SPDX-License-Identifier: MIT */
/* The blocks cover whole trailing axes, so where one plane of the last axes is larger than a block, its chunks are decoded
 * once for each block. */
#include "dump.h"

#include "blocks.h"
#include "element.h"
#include "memory.h"
#include "npy.h"
#include "output.h"
#include "region.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct job {
    const cli *run;
    zl_array *array;
    const char *field;     /* or NULL */
    const zl_dtype *dtype; /* of what is read */
    cli_dump_format format;
    cli_region region;
    FILE *file;
    cli_printer printer;
} job;

cli_dump_format cli_dump_format_named(const char *name) {
    static const char *const names[] = {"raw", "npy", "json", "text", "lines"};
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, names[i]) == 0) return (cli_dump_format)i;
    }
    return CLI_FORMAT_UNKNOWN;
}

/* Little-endian bytes: elements of fixed size as they are in memory, others as a 32-bit size and their bytes. */
static zl_status write_raw(const job *j, void *data, size_t count, zl_error *err) {
    if (!zl_dtype_is_variable(j->dtype)) {
        const size_t unit = cli_dtype_unit(j->dtype);
        const size_t size = count * zl_dtype_size(j->dtype);
        if (!cli_is_little_endian() && unit > 1) cli_swap_units(data, size / unit, unit);
        fwrite(data, 1, size, j->file);
        return ZL_OK;
    }
    const zl_slot *slots = data;
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = slots[i].size;
        if (size > UINT32_MAX)
            return cli_error(err, ZL_ERR_LIMIT, "an element of 4 GiB or more does not fit the raw format");
        const unsigned char prefix[4] = {(unsigned char)size, (unsigned char)(size >> 8), (unsigned char)(size >> 16),
                                         (unsigned char)(size >> 24)};
        fwrite(prefix, 1, 4, j->file);
        fwrite(slots[i].data, 1, (size_t)size, j->file);
    }
    return ZL_OK;
}

static bool is_printed(const job *j) {
    return j->format != CLI_FORMAT_RAW && j->format != CLI_FORMAT_NPY;
}

static cli_style style_of(cli_dump_format format) {
    if (format == CLI_FORMAT_LINES) return CLI_STYLE_LINES;
    return format == CLI_FORMAT_JSON ? CLI_STYLE_JSON : CLI_STYLE_TEXT;
}

static zl_status write_block(job *j, void *data, size_t count, zl_error *err) {
    if (!is_printed(j)) return write_raw(j, data, count, err);
    const size_t size = zl_dtype_size(j->dtype);
    for (size_t i = 0; i < count; i++) {
        const zl_status status = cli_printer_element(&j->printer, (char *)data + i * size, err);
        if (status) return status;
        if (i % 4096 == 0 && cli_interrupted()) return cli_error(err, ZL_ERR_CANCELLED, "interrupted");
    }
    return ZL_OK;
}

static zl_status read_block(const job *j, const cli_blocks *blocks, void *data, zl_result *result, zl_error *err) {
    int64_t start[CLI_MAX_RANK];
    for (int32_t axis = 0; axis < blocks->rank; axis++)
        start[axis] = j->region.start[axis] + blocks->start[axis] * j->region.step[axis];
    const zl_region region = {blocks->rank, start, blocks->count, j->region.step};
    zl_read_options read = ZL_READ_OPTIONS_INIT;
    read.cancel = j->run->cancel;
    read.result = result;
    read.field = j->field;
    return zl_array_read(j->array, &region, (zl_view){data, NULL, NULL}, &read, err);
}

static zl_status write_blocks(job *j, zl_error *err) {
    cli_blocks blocks;
    const size_t element_size = zl_dtype_size(j->dtype);
    /* Where steps skip elements, chunk borders are elsewhere in the region. */
    bool has_steps = false;
    for (int32_t axis = 0; axis < j->region.rank; axis++)
        has_steps = has_steps || j->region.step[axis] > 1;
    cli_blocks_sequential(&blocks, j->region.rank, j->region.shape, has_steps ? NULL : zl_array_chunk_shape(j->array),
                          j->region.start, element_size, CLI_BLOCK_SIZE);
    void *data = cli_malloc((size_t)cli_blocks_most(&blocks) * element_size);
    zl_status status = ZL_OK;
    while (!status && cli_blocks_next(&blocks) && !ferror(j->file)) {
        zl_result *result = NULL;
        if (zl_dtype_is_variable(j->dtype)) status = zl_result_new(&result, j->run->context, err);
        if (!status) status = read_block(j, &blocks, data, result, err);
        if (!status) status = write_block(j, data, (size_t)cli_blocks_count(&blocks), err);
        zl_result_free(result);
    }
    free(data);
    return status;
}

static int write_all(job *j, const char *path) {
    zl_error err = {0};
    if (j->format == CLI_FORMAT_NPY) {
        size_t size;
        char *header = cli_npy_header(j->dtype, j->region.out_rank, j->region.out_shape, &size);
        if (!header) {
            return cli_fail_text(j->run, "--format raw or json can hold it", "%s: .npy has no type for %s", path,
                                 zl_dtype_name(j->dtype));
        }
        fwrite(header, 1, size, j->file);
        free(header);
    }
    if (is_printed(j)) {
        j->printer = (cli_printer){style_of(j->format), j->file, j->run->context, j->dtype, 0, {0}, {0}};
        cli_printer_start(&j->printer, j->region.out_rank, j->region.out_shape);
    }
    if (write_blocks(j, &err)) return cli_fail(j->run, path, &err);
    if (is_printed(j)) cli_printer_finish(&j->printer);
    return CLI_OK;
}

/* Writes to `output`; a file that could not be written completely is removed. */
static int write_file(job *j, const char *path, const char *output) {
    j->file = fopen(output, "wb");
    if (!j->file) return cli_fail_text(j->run, NULL, "cannot create %s: %s", output, strerror(errno));
    int status = write_all(j, path);
    struct stat info;
    const bool is_file = fstat(fileno(j->file), &info) == 0 && S_ISREG(info.st_mode);
    errno = 0;
    const bool failed = ferror(j->file);
    if ((fclose(j->file) || failed) && !status) {
        status = cli_fail_text(j->run, NULL, "cannot write %s: %s", output, errno ? strerror(errno) : "write error");
    }
    if (status && is_file) remove(output);
    return status;
}

int cli_dump_array(const cli *run, zl_array *array, const char *path, const cli_dump *dump) {
    const bool to_stdout = !dump->output || strcmp(dump->output, "-") == 0;
    const bool is_binary = dump->format == CLI_FORMAT_RAW || dump->format == CLI_FORMAT_NPY;
    zl_field field = {.dtype = zl_array_dtype(array)};
    if (dump->field && !zl_dtype_find_field(field.dtype, dump->field, &field)) {
        return cli_usage(run, "--field: elements of %s have no field '%s'; 'zarrlite info' shows their type",
                         zl_dtype_name(field.dtype), dump->field);
    }
    job j = {
        .run = run, .array = array, .field = dump->field, .dtype = field.dtype, .format = dump->format, .file = stdout};
    if (to_stdout && is_binary && isatty(STDOUT_FILENO)) {
        return cli_usage(run, "binary data is not for a terminal: name a file with -o, or choose --format text");
    }
    char error[256];
    if (!cli_region_parse(&j.region, dump->region, zl_array_rank(array), zl_array_shape(array), error, sizeof error)) {
        return cli_usage(run, "--region: %s", error);
    }
    return to_stdout ? write_all(&j, path) : write_file(&j, path, dump->output);
}
