/* SPDX-License-Identifier: MIT */
/* Cases that are a list of operations: steps.json, performed in order on a copy of the case's store. */
#include "conformance.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORE "store" /* name of the copy, as the "file" of an operation has it */
#define WRITERS_MAX 16

typedef struct run {
    const char *folder; /* of the case */
    const zl_json *step;
    bool reported; /* a writer was told that something is wrong */
    ct_verdict *verdict;
} run;

static const char *text_of(const run *r, const char *key) {
    const zl_json *value = zl_json_member(r->step, key);
    return value != NULL ? zl_json_text(value, NULL) : "";
}

static int64_t number_of(const run *r, const char *key) {
    int64_t number = 0;
    return zl_json_get_i64(r->step, key, &number, NULL) == ZL_OK ? number : 0;
}

/* A session and the array of the step; closed by the caller in any case. */
static bool open_array(const run *r, ct_session *session, zl_array **array) {
    zl_error err = {0};
    *array = NULL;
    if (ct_session_open(session, STORE, true, &err) == ZL_OK &&
        zl_array_open(array, session->store, text_of(r, "node"), &err) == ZL_OK)
        return true;
    return ct_fail_error(r->verdict, "open", &err);
}

static void close_array(const run *r, ct_session *session, zl_array *array) {
    zl_array_close(array);
    ct_session_close(session, r->verdict);
}

/* ------------------------------------------------------------------------------------------------ attributes, keys */

static void set_attribute(run *r) {
    const zl_span json = zl_json_slice(zl_json_member(r->step, "value"));
    const char *value = ct_text("%.*s", (int)json.size, (const char *)json.data);
    ct_session session;
    zl_array *array;
    zl_error err = {0};
    if (open_array(r, &session, &array) &&
        zl_attributes_set_json(zl_array_attributes(array), text_of(r, "name"), value, &err) != ZL_OK)
        (void)ct_fail_error(r->verdict, "set attribute", &err);
    close_array(r, &session, array);
}

static bool is_excepted(const run *r, const char *key) {
    const zl_json *name = zl_json_first(zl_json_member(r->step, "except"));
    while (name != NULL && !zl_json_is(name, key))
        name = zl_json_next(name);
    return name != NULL;
}

/* Every member of the document is as it was; the excepted ones are what the step says. */
static void json_equal_except(run *r) {
    const zl_json *before = ct_parse_file(ct_text("%s/%s", r->folder, text_of(r, "file")));
    const zl_json *after = ct_parse_file(text_of(r, "file"));
    if (zl_json_count(before) != zl_json_count(after))
        (void)ct_fail(r->verdict, "%zu members became %zu", zl_json_count(before), zl_json_count(after));
    for (const zl_json *old = zl_json_first(before); old != NULL; old = zl_json_next(old)) {
        const char *key = zl_json_key(old, NULL);
        const zl_json *wanted = is_excepted(r, key) ? zl_json_member(r->step, key) : old;
        const zl_json *got = zl_json_member(after, key);
        if (got == NULL || !zl_json_equal(got, wanted)) (void)ct_fail(r->verdict, "member \"%s\" changed", key);
    }
}

static void key_exists(run *r) {
    if (!ct_exists(ct_text("%s/%s", STORE, text_of(r, "key"))))
        (void)ct_fail(r->verdict, "key \"%s\" is not stored", text_of(r, "key"));
}

/* ------------------------------------------------------------------------------------------------ read and write */

static void write_file(run *r) {
    const char *bytes = ct_read_file(ct_text("%s/%s", r->folder, text_of(r, "data_file")), NULL);
    const zl_const_view view = {bytes, NULL, NULL};
    ct_session session;
    zl_array *array;
    zl_error err = {0};
    if (open_array(r, &session, &array) && zl_array_write(array, NULL, view, NULL, &err) != ZL_OK)
        (void)ct_fail_error(r->verdict, "write", &err);
    close_array(r, &session, array);
}

/* Compares the whole array with raw bytes. */
static void read_equals_bytes(const run *r, const char *bytes, size_t size) {
    ct_session session;
    zl_array *array;
    if (open_array(r, &session, &array)) {
        const ct_box box = ct_box_of_array(array);
        ct_content expected;
        if (ct_content_from_bytes(&expected, array, &box, bytes, size, r->verdict))
            (void)ct_compare_all(&session, array, &expected, r->verdict);
    }
    close_array(r, &session, array);
}

static void read_bits(run *r) {
    size_t size = 0;
    const char *bytes = ct_read_file(ct_text("%s/%s", r->folder, text_of(r, "data_file")), &size);
    read_equals_bytes(r, bytes, size);
}

/* Compares the elements of a one-dimensional array with a list of JSON values, by their text. */
static void read_list(run *r) {
    ct_session session;
    zl_array *array;
    zl_error err = {0};
    if (open_array(r, &session, &array)) {
        const size_t size = zl_dtype_size(zl_array_dtype(array));
        uint8_t *memory = ct_alloc((size_t)zl_array_decoded_size(array));
        const uint8_t *element = memory;
        const zl_view view = {memory, NULL, NULL};
        if (zl_array_read(array, NULL, view, NULL, &err) != ZL_OK) (void)ct_fail_error(r->verdict, "read", &err);
        for (const zl_json *want = zl_json_first(zl_json_member(r->step, "equals")); want != NULL;
             want = zl_json_next(want)) {
            const zl_span text = zl_json_slice(want);
            zl_buffer got = {0};
            if (zl_array_element_json(array, element, &got, &err) != ZL_OK || got.size != text.size ||
                memcmp(got.data, text.data, text.size) != 0)
                (void)ct_fail(r->verdict, "element %s, expected %.*s", got.data, (int)text.size, (const char *)text.data);
            zl_buffer_free(&got);
            element += size;
        }
    }
    close_array(r, &session, array);
}

/* ------------------------------------------------------------------------------------------------ several writers */

typedef struct writer {
    zl_store *store;
    const char *node;
    int64_t tile[2];
    int64_t first; /* writes tiles first, first + stride, ... in row-major order */
    int64_t stride;
    zl_error err;
} writer;

static zl_status write_tile(const writer *w, zl_array *array, int64_t tile, zl_error *err) {
    const int64_t columns = zl_array_shape(array)[1];
    const int64_t across = columns / w->tile[1];
    const int64_t start[2] = {tile / across * w->tile[0], tile % across * w->tile[1]};
    const zl_region region = {2, start, w->tile, NULL};
    double *values = ct_alloc(sizeof(double) * (size_t)(w->tile[0] * w->tile[1]));
    const zl_const_view view = {values, NULL, NULL};
    for (int64_t i = 0; i < w->tile[0] * w->tile[1]; i++)
        values[i] = (double)((start[0] + i / w->tile[1]) * columns + start[1] + i % w->tile[1]);
    const zl_status status = zl_array_write(array, &region, view, NULL, err);
    free(values);
    return status;
}

/* Every writer has its own handle on the array. */
static void *write_tiles(void *user) {
    writer *w = user;
    zl_array *array = NULL;
    if (zl_array_open(&array, w->store, w->node, &w->err) != ZL_OK) return NULL;
    const int64_t count = zl_array_element_count(array) / (w->tile[0] * w->tile[1]);
    for (int64_t tile = w->first; tile < count && w->err.status == ZL_OK; tile += w->stride)
        (void)write_tile(w, array, tile, &w->err);
    zl_array_close(array);
    return NULL;
}

static writer make_writer(const run *r, zl_store *store, int64_t first, int64_t stride) {
    writer w = {.store = store, .node = text_of(r, "node"), .first = first, .stride = stride};
    const zl_json *rows = zl_json_first(zl_json_member(r->step, "tile"));
    if (zl_json_to_i64(rows, &w.tile[0], NULL) != ZL_OK || zl_json_to_i64(zl_json_next(rows), &w.tile[1], NULL) != ZL_OK)
        abort();
    return w;
}

static void erase_chunks(const run *r) {
    const double zero = 0;
    const int64_t strides[2] = {0, 0};
    const zl_const_view view = {&zero, strides, NULL};
    ct_session session;
    zl_array *array;
    zl_error err = {0};
    if (open_array(r, &session, &array) && zl_array_write(array, NULL, view, NULL, &err) != ZL_OK)
        (void)ct_fail_error(r->verdict, "erase", &err);
    close_array(r, &session, array);
}

static void write_with_threads(run *r, int64_t count) {
    pthread_t threads[WRITERS_MAX];
    writer writers[WRITERS_MAX];
    ct_session session;
    zl_error err = {0};
    if (ct_session_open(&session, STORE, true, &err) != ZL_OK) {
        (void)ct_fail_error(r->verdict, "store", &err);
        count = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        writers[i] = make_writer(r, session.store, i, count);
        if (pthread_create(&threads[i], NULL, write_tiles, &writers[i]) != 0) abort();
    }
    for (int64_t i = 0; i < count; i++) {
        (void)pthread_join(threads[i], NULL);
        if (writers[i].err.status != ZL_OK) (void)ct_fail_error(r->verdict, "write", &writers[i].err);
    }
    ct_session_close(&session, r->verdict);
}

static void write_in_process(const run *r, int64_t first, int64_t stride) {
    ct_session session;
    zl_error err = {0};
    if (ct_session_open(&session, STORE, true, &err) != ZL_OK) _exit(1);
    writer w = make_writer(r, session.store, first, stride);
    (void)write_tiles(&w);
    ct_session_close(&session, r->verdict);
    _exit(w.err.status == ZL_OK ? 0 : 1);
}

static void write_with_processes(run *r, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child < 0) abort();
        if (child == 0) write_in_process(r, i, count);
    }
    for (int64_t i = 0; i < count; i++) {
        int status = 0;
        if (wait(&status) < 0) abort();
        if (!WIFEXITED(status)) (void)ct_fail(r->verdict, "a writing process was killed by signal %d", WTERMSIG(status));
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0) r->reported = true;
    }
}

/* The array is square in the one case that has this operation; its elements count up from 0. */
static void read_equals(run *r) {
    ct_session session;
    zl_array *array;
    int64_t count = 0;
    if (open_array(r, &session, &array)) count = zl_array_element_count(array);
    close_array(r, &session, array);
    double *values = ct_alloc(sizeof(double) * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        values[i] = (double)i;
    read_equals_bytes(r, (const char *)values, sizeof(double) * (size_t)count);
    free(values);
}

static void read_equals_or_reported(run *r) {
    if (!r->reported) read_equals(r);
}

static void parallel_write(run *r) {
    const int64_t rounds = zl_max_i64(1, number_of(r, "repeat"));
    const int64_t threads = zl_min_i64(number_of(r, "threads"), WRITERS_MAX);
    for (int64_t round = 0; round < rounds && r->verdict->outcome != CT_FAIL; round++) {
        erase_chunks(r);
        if (threads > 0) {
            write_with_threads(r, threads);
            read_equals(r);
        } else {
            write_with_processes(r, number_of(r, "processes"));
        }
    }
}

/* ------------------------------------------------------------------------------------------------ all of them */

static void serve_objects(run *r) {
    if (!ct_feature_is_pending(r->verdict, "s3 store"))
        (void)ct_fail(r->verdict, "needs a server that this driver has not");
}

static const struct {
    const char *name;
    void (*perform)(run *r);
} operations[] = {
    {"set-attribute", set_attribute},
    {"json-equal-except", json_equal_except},
    {"key-exists", key_exists},
    {"write", write_file},
    {"read", read_list},
    {"read-bits", read_bits},
    {"read-equals", read_equals},
    {"read-equals-or-reported-error", read_equals_or_reported},
    {"parallel-write", parallel_write},
    {"serve-list-objects-v2", serve_objects},
};

static void perform(run *r) {
    for (size_t i = 0; i < ZL_COUNT_OF(operations); i++) {
        if (!zl_json_is(zl_json_member(r->step, "op"), operations[i].name)) continue;
        operations[i].perform(r);
        return;
    }
    (void)ct_fail(r->verdict, "unknown operation \"%s\"", text_of(r, "op"));
}

/* Says which of the operations failed. */
static void name_step(ct_verdict *verdict, int32_t number, const char *operation) {
    const ct_verdict failed = *verdict;
    verdict->outcome = CT_PASS;
    (void)ct_fail(verdict, "step %d (%s): %s", number, operation, failed.message);
}

void ct_run_steps(const char *folder, ct_verdict *verdict) {
    const zl_json *steps = ct_parse_file(ct_text("%s/steps.json", folder));
    const char *store = ct_text("%s/%s", folder, STORE);
    run r = {.folder = folder, .verdict = verdict};
    int32_t number = 0;
    if (ct_exists(store)) ct_copy_tree(store, STORE);
    for (r.step = zl_json_first(steps); r.step != NULL && verdict->outcome == CT_PASS; r.step = zl_json_next(r.step)) {
        number++;
        perform(&r);
        if (verdict->outcome == CT_FAIL) name_step(verdict, number, text_of(&r, "op"));
    }
}
