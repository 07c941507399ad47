/* SPDX-License-Identifier: MIT */
#include "copy.h"

#include "memory.h"
#include "output.h"
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
    const zl_region region = {slabs->outer.rank, slabs->start, slabs->count, NULL};
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

/* Where slabs go: to the array, or to the shard of it that they make up together. */
typedef struct target_state {
    zl_array *array;
    zl_shard_writer *shard; /* NULL: none is cut, or it is written in parts that are stored each for itself */
} target_state;

/* Ends the shard before, and begins the one of the slab. */
static zl_status next_shard(target_state *target, const cli_slabs *slabs, zl_error *err) {
    const int64_t *chunk = zl_array_chunk_shape(target->array);
    int64_t coords[CLI_MAX_RANK];
    if (target->shard) {
        const zl_status status = zl_shard_writer_commit(target->shard, err);
        if (status) return status;
        zl_shard_writer_free(target->shard);
        target->shard = NULL;
    }
    if (!slabs) return ZL_OK;
    for (int32_t axis = 0; axis < slabs->outer.rank; axis++)
        coords[axis] = slabs->start[axis] / chunk[axis];
    const zl_status status = zl_shard_writer_new(&target->shard, target->array, coords, err);
    return status == ZL_ERR_UNSUPPORTED ? ZL_OK : status;
}

static zl_status write_slab(const cli_copy_run *copy, target_state *target, const cli_slabs *slabs, const slab_memory *from,
                            zl_error *err) {
    progress_state state = {copy, zl_dtype_size(zl_array_dtype(target->array)), 0};
    const zl_region region = {slabs->outer.rank, slabs->start, slabs->count, NULL};
    zl_write_options write = ZL_WRITE_OPTIONS_INIT;
    write.cancel = copy->run->cancel;
    write.on_progress = on_progress;
    write.progress_user = &state;
    const zl_const_view view = {from->data, NULL, NULL};
    zl_status status = slabs->is_first ? next_shard(target, slabs, err) : ZL_OK;
    if (!status) {
        status = target->shard ? zl_shard_writer_write(target->shard, &region, view, &write, err)
                               : zl_array_write(target->array, &region, view, &write, err);
    }
    end_progress(&state, slabs, status);
    return status;
}

static void *slab_room(const cli_slabs *slabs, const zl_array *array) {
    return cli_malloc((size_t)cli_slabs_most(slabs) * zl_dtype_size(zl_array_dtype(array)));
}

zl_status cli_copy_elements(const cli_copy_run *copy, const zl_array *source, zl_array *target, zl_error *err) {
    cli_slabs slabs;
    zl_stored_info stored;
    zl_status status = zl_array_stored_info(source, &stored, err);
    if (status || stored.chunk_count == 0) return status; /* nothing but fill values */
    cli_slabs_start(&slabs, source, target, size_on_the_way(source), copy->slab_size);
    slab_memory memory = {slab_room(&slabs, source), NULL};
    target_state to = {target, NULL};
    while (!status && cli_slabs_next(&slabs)) {
        status = read_slab(copy, source, &slabs, &memory, err);
        if (!status) status = write_slab(copy, &to, &slabs, &memory, err);
        end_slab(&memory);
    }
    if (!status) status = next_shard(&to, NULL, err);
    zl_shard_writer_free(to.shard);
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
    for (int32_t axis = slabs->outer.rank - 1; axis >= 0; axis--) {
        index[axis] = slabs->start[axis] + (int64_t)(rest % (size_t)slabs->count[axis]);
        rest /= (size_t)slabs->count[axis];
    }
    for (int32_t axis = 0; axis < slabs->outer.rank; axis++)
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
    cli_slabs_start(&slabs, source, target, size_on_the_way(source) * 2, copy->slab_size); /* both are in memory */
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
