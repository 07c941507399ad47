/* SPDX-License-Identifier: MIT */
/*
 * A short job again and again in one process: prints "seconds checksum peak_MiB", the median of the turns. What a process
 * does once (threads, first allocations) does not count; bench/peer_turns.py is the peers' side.
 *
 *   turns JOB SECONDS STORE [OUT | NODE]
 *
 *   read    reads the whole array, which is open already, into new memory
 *   write   writes the whole array into a new one of the same metadata at OUT; making it is not measured
 *   open    opens STORE and the array NODE
 *   group   opens STORE, its root group and the array NODE
 *   list    opens STORE and counts the nodes below its root
 *
 * ZL_BENCH_THREADS sets the number of threads.
 */
#include "bench.h"

typedef struct source {
    zl_context *context;
    zl_store *store;
    zl_array *array;
    size_t count, element_size;
} source;

static void open_source(source *s, const char *path, const char *node) {
    zl_error err = {0};
    check(zl_store_open_file(&s->store, s->context, path, NULL, &err), &err);
    check(zl_array_open(&s->array, s->store, node, &err), &err);
    s->count = (size_t)zl_array_element_count(s->array);
    s->element_size = zl_dtype_size(zl_array_dtype(s->array));
}

static void close_source(source *s) {
    zl_error err = {0};
    zl_array_close(s->array);
    check(zl_store_close(s->store, &err), &err);
}

static void read_all(const source *s, void *into) {
    zl_error err = {0};
    check(zl_array_read(s->array, NULL, (zl_view){.data = into}, NULL, &err), &err);
}

/* Of uint16 elements, some of them. */
static double checksum(const char *elements, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i += 997) {
        uint16_t value;
        memcpy(&value, elements + i * sizeof value, sizeof value);
        sum += value;
    }
    return sum;
}

static double job_read(turns *t, source *s, const char *path) {
    double sum = 0;
    open_source(s, path, "");
    while (turns_wanted(t)) {
        const double start = now();
        char *all = malloc(s->count * s->element_size);
        if (!all) exit(1);
        read_all(s, all);
        turns_add(t, now() - start);
        sum = checksum(all, s->count);
        free(all);
    }
    close_source(s);
    return sum;
}

static double job_write(turns *t, source *s, const char *path, const char *out) {
    zl_error err = {0};
    zl_buffer metadata;
    zl_store *store;
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = true;
    open_source(s, path, "");
    char *all = malloc(s->count * s->element_size);
    if (!all) exit(1);
    read_all(s, all);
    check(zl_array_metadata_json(s->array, &metadata, &err), &err);
    check(zl_store_open_file(&store, s->context, out, &options, &err), &err);
    while (turns_wanted(t)) {
        zl_array *array;
        check(zl_array_create_from_metadata(&array, store, "", ZL_CREATE_REPLACE, metadata.data, metadata.size, &err),
              &err);
        const double start = now();
        check(zl_array_write(array, NULL, (zl_const_view){.data = all}, NULL, &err), &err);
        turns_add(t, now() - start);
        zl_array_close(array);
    }
    const double sum = checksum(all, s->count);
    check(zl_store_close(store, &err), &err);
    zl_buffer_free(&metadata);
    free(all);
    close_source(s);
    return sum;
}

static double job_open(turns *t, source *s, const char *path, const char *node, bool through_group) {
    while (turns_wanted(t)) {
        zl_error err = {0};
        zl_group *group = NULL;
        zl_store *store = NULL;
        const double start = now();
        if (through_group) {
            check(zl_store_open_file(&store, s->context, path, NULL, &err), &err);
            check(zl_group_open(&group, store, "", &err), &err);
        }
        open_source(s, path, node);
        turns_add(t, now() - start);
        close_source(s);
        zl_group_close(group);
        check(zl_store_close(store, &err), &err);
    }
    return (double)s->count;
}

static bool count_node(void *user, const zl_node_info *info) {
    (void)info;
    ++*(double *)user;
    return true;
}

static double job_list(turns *t, source *s, const char *path) {
    double count = 0;
    while (turns_wanted(t)) {
        zl_error err = {0};
        zl_store *store;
        const double start = now();
        count = 0;
        check(zl_store_open_file(&store, s->context, path, NULL, &err), &err);
        check(zl_node_list(store, "", true, count_node, &count, &err), &err);
        turns_add(t, now() - start);
        check(zl_store_close(store, &err), &err);
    }
    return count;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const char *job = argv[1], *path = argv[3], *last = argc > 4 ? argv[4] : "";
    turns t = {.limit = atof(argv[2])};
    source s = {.context = new_context()};
    double sum;
    if (strcmp(job, "read") == 0)
        sum = job_read(&t, &s, path);
    else if (strcmp(job, "write") == 0)
        sum = job_write(&t, &s, path, last);
    else if (strcmp(job, "open") == 0 || strcmp(job, "group") == 0)
        sum = job_open(&t, &s, path, last, job[0] == 'g');
    else if (strcmp(job, "list") == 0)
        sum = job_list(&t, &s, path);
    else
        return 2;
    printf("%.7f %.0f %ld\n", turns_median(&t), sum, peak_mib());
    zl_context_free(s.context);
    return 0;
}
