/* SPDX-License-Identifier: MIT */
/* The file is mapped: blocks in the machine's byte order are handed to the library where they lie, whatever the order of
 * their axes; others are copied and their bytes reversed. */
#include "import_npy.h"

#include "element.h"
#include "input.h"
#include "npy.h"
#include "output.h"

#include <errno.h>
#include <string.h>

typedef struct npy_source {
    cli_input input;
    cli_npy npy;
    const unsigned char *data; /* the first element */
    int64_t strides[CLI_MAX_RANK];
} npy_source;

static void set_strides(npy_source *s) {
    int64_t stride = (int64_t)s->npy.element_size;
    for (int32_t i = 0; i < s->npy.rank; i++) {
        const int32_t axis = s->npy.fortran ? i : s->npy.rank - 1 - i;
        s->strides[axis] = stride;
        stride *= s->npy.shape[axis];
    }
}

/* Copies the block, row by row of its last axis, to C order. */
static void copy_block(const npy_source *s, const unsigned char *from, const int64_t *count, unsigned char *to) {
    const size_t size = s->npy.element_size;
    const int32_t last = s->npy.rank - 1;
    int64_t index[CLI_MAX_RANK] = {0};
    for (bool more = true; more;) {
        const unsigned char *row = from;
        for (int32_t axis = 0; axis < last; axis++)
            row += index[axis] * s->strides[axis];
        for (int64_t i = 0; i < (last < 0 ? 1 : count[last]); i++, to += size)
            memcpy(to, row + (last < 0 ? 0 : i * s->strides[last]), size);
        more = false;
        for (int32_t axis = last - 1; axis >= 0 && !more; axis--) {
            more = ++index[axis] < count[axis];
            if (!more) index[axis] = 0;
        }
    }
}

static zl_status fetch(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer, zl_const_view *out,
                       zl_error *err) {
    (void)slot;
    (void)err;
    const npy_source *s = user;
    const size_t size = s->npy.element_size;
    const unsigned char *first = s->data;
    size_t elements = 1;
    cli_input_relax(&s->input);
    for (int32_t axis = 0; axis < s->npy.rank; axis++) {
        first += start[axis] * s->strides[axis];
        elements *= (size_t)count[axis];
    }
    const bool is_aligned = (uintptr_t)s->data % size == 0;
    if (is_aligned && !s->npy.swapped) {
        *out = (zl_const_view){first, s->strides, NULL};
        return ZL_OK;
    }
    copy_block(s, first, count, buffer);
    if (s->npy.swapped) {
        const size_t unit = cli_dtype_unit(zl_dtype_builtin(s->npy.dtype));
        cli_swap_units(buffer, elements * size / unit, unit);
    }
    *out = (zl_const_view){buffer, NULL, NULL};
    return ZL_OK;
}

static int open_source(const cli *run, npy_source *s, const char *path) {
    char error[256];
    cli_input *input = &s->input;
    if (!cli_input_open(input, path)) return cli_fail_text(run, NULL, "cannot read %s: %s", path, strerror(errno));
    if (!input->map) return cli_fail_text(run, "'zarrlite put' reads pipes", "%s is not a file with content", path);
    const size_t size = input->map_size < SIZE_MAX ? (size_t)input->map_size : SIZE_MAX;
    if (!cli_npy_parse(&s->npy, input->map, size, error, sizeof error))
        return cli_fail_text(run, NULL, "%s: %s", path, error);
    if (s->npy.data_size != input->map_size - s->npy.data_offset) {
        return cli_fail_text(
            run, "the file was cut, or written in part", "%s: %llu bytes of elements, the header says %llu", path,
            (unsigned long long)(input->map_size - s->npy.data_offset), (unsigned long long)s->npy.data_size);
    }
    s->data = input->map + s->npy.data_offset;
    set_strides(s);
    return CLI_OK;
}

static int import_source(cli_import *import, npy_source *s, const char *source) {
    zl_error err = {0};
    const char *node = import->place.node;
    const cli_import_array array = {.path = node,
                                    .name = *node ? node : "/",
                                    .dtype = s->npy.dtype,
                                    .rank = s->npy.rank,
                                    .shape = s->npy.shape,
                                    .must_fit = true};
    const cli_source blocks = {fetch, s};
    cli_progress_start(&import->progress, array.name, s->npy.data_size, !import->given->quiet);
    if (cli_import_array_write(import, &array, &blocks, &err)) {
        cli_progress_clear(&import->progress);
        return cli_fail(import->run, source, &err);
    }
    return CLI_OK;
}

int cli_import_npy(cli *run, const cli_import_options *given, const char *source, const char *store) {
    npy_source s = {0};
    cli_import import = {.run = run, .given = given};
    if (given->variables.count) return cli_usage(run, "--var is for NetCDF: a .npy file holds one array without a name");
    int status = open_source(run, &s, source);
    if (!status) {
        status = cli_import_start(&import, run, given, store);
        if (!status) status = import_source(&import, &s, source);
        status = cli_import_finish(&import, source, status);
    }
    cli_input_close(&s.input);
    return status;
}
