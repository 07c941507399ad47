/* SPDX-License-Identifier: MIT */
#include "copy.h"

#include "memory.h"
#include "output.h"
#include "slab_writer.h"
#include "slabs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an element of variable length is taken for when memory is counted: slot and a short text. */
#define VARIABLE_ELEMENT_SIZE 128

/* Elements of one slab. */
typedef struct slab_memory {
    void *data;
    zl_result *result; /* what slots point to */
} slab_memory;

typedef struct progress_state {
    const cli_copy_run *copy;
    size_t element_size;
    uint64_t done; /* elements that were reported */
} progress_state;

static size_t size_on_the_way(const zl_array *array) {
    const zl_dtype *dtype = zl_array_dtype(array);
    return zl_dtype_is_variable(dtype) ? VARIABLE_ELEMENT_SIZE : zl_dtype_size(dtype);
}

static bool on_progress(void *user, const zl_progress *progress) {
    progress_state *state = user;
    if (progress->elements_done <= state->done) return !cli_interrupted();
    const uint64_t more = progress->elements_done - state->done;
    state->done = progress->elements_done;
    state->copy->on_progress(state->copy->progress_user, more * state->element_size / 2);
    return !cli_interrupted();
}

/* What was done and not reported: calls need not report their end. */
static void end_progress(progress_state *state, const cli_slabs *slabs, zl_status status) {
    const zl_progress all = {.elements_done = (uint64_t)cli_slabs_count(slabs)};
    if (!status) (void)on_progress(state, &all);
}

static zl_status read_slab(const cli_copy_run *copy, const zl_array *array, const cli_slabs *slabs, slab_memory *out,
                           zl_error *err) {
    progress_state state = {copy, zl_dtype_size(zl_array_dtype(array)), 0};
    const zl_region region = {slabs->rank, slabs->start, slabs->count, NULL};
    zl_read_options read = ZL_READ_OPTIONS_INIT;
    read.cancel = copy->run->cancel;
    read.on_progress = on_progress;
    read.progress_user = &state;
    if (zl_dtype_is_variable(zl_array_dtype(array))) {
        const zl_status status = zl_result_new(&out->result, copy->run->context, err);
        if (status) return status;
    }
    read.result = out->result;
    const zl_status status = zl_array_read(array, &region, (zl_view){out->data, NULL, NULL}, &read, err);
    end_progress(&state, slabs, status);
    return status;
}

static void end_slab(slab_memory *memory) {
    zl_result_free(memory->result);
    memory->result = NULL;
}

static zl_status write_slab(const cli_copy_run *copy, cli_slab_writer *target, const cli_slabs *slabs,
                            const slab_memory *from, zl_error *err) {
    progress_state state = {copy, zl_dtype_size(zl_array_dtype(target->array)), 0};
    zl_write_options write = ZL_WRITE_OPTIONS_INIT;
    write.cancel = copy->run->cancel;
    write.on_progress = on_progress;
    write.progress_user = &state;
    const zl_const_view view = {from->data, NULL, NULL};
    const zl_status status = cli_slab_write(target, slabs->start, slabs->count, view, &write, err);
    end_progress(&state, slabs, status);
    return status;
}

/* What a source decodes at a time; NULL where that has several lengths. */
static const int64_t *source_chunk(const zl_array *source) {
    const int64_t *inner = zl_array_inner_chunk_shape(source);
    return inner ? inner : zl_array_chunk_shape(source);
}

static void *slab_room(const cli_slabs *slabs, const zl_array *array) {
    return cli_malloc((size_t)cli_slabs_most(slabs) * zl_dtype_size(zl_array_dtype(array)));
}

zl_status cli_copy_elements(const cli_copy_run *copy, const zl_array *source, zl_array *target, zl_error *err) {
    cli_slabs slabs;
    zl_stored_info stored;
    zl_status status = zl_array_stored_info(source, &stored, err);
    if (status || stored.chunk_count == 0) return status; /* nothing but fill values */
    cli_slabs_start(&slabs, target, NULL, source_chunk(source), size_on_the_way(source), copy->slab_size);
    slab_memory memory = {slab_room(&slabs, source), NULL};
    cli_slab_writer to;
    cli_slab_writer_start(&to, target, &slabs);
    while (!status && cli_slabs_next(&slabs)) {
        status = read_slab(copy, source, &slabs, &memory, err);
        if (!status) status = write_slab(copy, &to, &slabs, &memory, err);
        end_slab(&memory);
    }
    status = cli_slab_writer_end(&to, status, err);
    free(memory.data);
    return status;
}

/* ---- verifying */

typedef struct verification {
    size_t element_size;
    bool is_variable;
    uint64_t different;
    char *first;
} verification;

static bool same_element(const verification *v, const char *a, const char *b) {
    if (!v->is_variable) return memcmp(a, b, v->element_size) == 0;
    const zl_slot *left = (const void *)a, *right = (const void *)b;
    return left->size == right->size && (left->size == 0 || memcmp(left->data, right->data, (size_t)left->size) == 0);
}

/* "[3, 4]: 1.5 became 1.25" of element `i` of the slab. Free with free(). */
static char *describe(const verification *v, const zl_array *source, const cli_slabs *slabs, size_t i, const char *a,
                      const char *b) {
    zl_error err = {0};
    zl_buffer was = {0}, is = {0};
    char where[CLI_MAX_RANK * 24] = "";
    size_t used = 0, rest = i;
    int64_t index[CLI_MAX_RANK];
    for (int32_t axis = slabs->rank - 1; axis >= 0; axis--) {
        index[axis] = slabs->start[axis] + (int64_t)(rest % (size_t)slabs->count[axis]);
        rest /= (size_t)slabs->count[axis];
    }
    for (int32_t axis = 0; axis < slabs->rank; axis++)
        used += (size_t)sprintf(where + used, "%s%" PRId64, axis ? ", " : "", index[axis]);
    const bool shown = !zl_array_element_json(source, a + i * v->element_size, &was, &err) &&
                       !zl_array_element_json(source, b + i * v->element_size, &is, &err);
    char *text = cli_format("[%s]: %.100s became %.100s", where, shown ? was.data : "?", shown ? is.data : "?");
    zl_buffer_free(&was);
    zl_buffer_free(&is);
    return text;
}

static void compare_slab(verification *v, const zl_array *source, const cli_slabs *slabs, const char *a, const char *b) {
    const size_t count = (size_t)cli_slabs_count(slabs);
    if (!v->is_variable && memcmp(a, b, count * v->element_size) == 0) return;
    for (size_t i = 0; i < count; i++) {
        if (same_element(v, a + i * v->element_size, b + i * v->element_size)) continue;
        if (v->different++ == 0) v->first = describe(v, source, slabs, i, a, b);
    }
}

zl_status cli_copy_verify(const cli_copy_run *copy, const zl_array *source, const zl_array *target, uint64_t *different,
                          char **first, zl_error *err) {
    const zl_dtype *dtype = zl_array_dtype(source);
    verification v = {zl_dtype_size(dtype), zl_dtype_is_variable(dtype), 0, NULL};
    cli_slabs slabs;
    cli_slabs_start(&slabs, target, NULL, source_chunk(source), size_on_the_way(source) * 2,
                    copy->slab_size); /* both are in memory */
    slab_memory was = {slab_room(&slabs, source), NULL}, is = {slab_room(&slabs, source), NULL};
    zl_status status = ZL_OK;
    while (!status && cli_slabs_next(&slabs)) {
        status = read_slab(copy, source, &slabs, &was, err);
        if (!status) status = read_slab(copy, target, &slabs, &is, err);
        if (!status) compare_slab(&v, source, &slabs, was.data, is.data);
        end_slab(&was);
        end_slab(&is);
    }
    free(was.data);
    free(is.data);
    *different = v.different;
    *first = v.first;
    return status;
}
