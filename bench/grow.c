/* SPDX-License-Identifier: MIT */
/*
 * Makes an array of any size and chunks, writes it and reads it: prints "write_seconds read_seconds checksum peak_MiB",
 * both medians of turns. The elements are uint16, a smooth field and 4 bits of noise. The array stays in STORE.
 *
 *   grow STORE SHAPE CHUNKS SHARDS CODECS SECONDS     SHAPE: up to 3 numbers with commas; SHARDS: "-" is none;
 *                                                     STORE: a folder, or "-" for memory; CODECS: JSON
 *
 * Source and result are the same memory, of huge pages: what fresh memory costs is not measured. ZL_BENCH_THREADS sets the
 * number of threads.
 */
#include "bench.h"

typedef struct box {
    int32_t rank;
    int64_t extent[3];
} box;

static box parse(const char *text) {
    box result = {0, {0}};
    while (result.rank < 3) {
        char *end;
        result.extent[result.rank++] = strtoll(text, &end, 10);
        if (*end != ',') break;
        text = end + 1;
    }
    return result;
}

static void fill(uint16_t *elements, size_t count, const box *shape) {
    uint16_t wave[1024];
    for (int i = 0; i < 1024; i++) /* a parabola up and one down */
        wave[i] = (uint16_t)(2000 + (i < 512 ? 1 : -1) * (i % 512) * (512 - i % 512) / 73);
    const size_t row = (size_t)shape->extent[shape->rank - 1];
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        if (i % 16 == 0) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        elements[i] = (uint16_t)(wave[(i + i / row * 3) % 1024] + (state >> (4 * (i % 16)) & 15));
    }
}

static double checksum(const uint16_t *elements, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i += 997)
        sum += elements[i];
    return sum;
}

static zl_store *open_store(zl_context *context, const char *path) {
    zl_error err = {0};
    zl_store *store;
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = true;
    check(strcmp(path, "-") == 0 ? zl_store_open_memory(&store, context, &err)
                                 : zl_store_open_file(&store, context, path, &options, &err),
          &err);
    return store;
}

/* Each turn writes a new array; the last one stays. */
static zl_array *measure_write(turns *t, zl_store *store, const zl_array_options *options, const uint16_t *elements) {
    zl_array *array = NULL;
    while (turns_wanted(t)) {
        zl_error err = {0};
        zl_array_close(array);
        check(zl_array_create(&array, store, "", options, &err), &err);
        const double start = now();
        check(zl_array_write(array, NULL, (zl_const_view){.data = elements}, NULL, &err), &err);
        turns_add(t, now() - start);
    }
    return array;
}

static void measure_read(turns *t, const zl_array *array, uint16_t *elements) {
    while (turns_wanted(t)) {
        zl_error err = {0};
        const double start = now();
        check(zl_array_read(array, NULL, (zl_view){.data = elements}, NULL, &err), &err);
        turns_add(t, now() - start);
    }
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    const box shape = parse(argv[2]), chunks = parse(argv[3]), shards = parse(argv[4]);
    const double seconds = atof(argv[6]);
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = shape.rank;
    options.shape = shape.extent;
    options.chunk_shape = chunks.extent;
    options.shard_shape = strcmp(argv[4], "-") == 0 ? NULL : shards.extent;
    options.dtype = ZL_DTYPE_UINT16;
    options.codecs_json = argv[5];

    size_t count = 1;
    for (int32_t i = 0; i < shape.rank; i++)
        count *= (size_t)shape.extent[i];
    uint16_t *elements = large(count * sizeof *elements);
    fill(elements, count, &shape);
    const double before = checksum(elements, count);

    zl_error err = {0};
    zl_context *context = new_context();
    zl_store *store = open_store(context, argv[1]);
    turns writes = {.limit = seconds}, reads = {.limit = seconds};
    zl_array *array = measure_write(&writes, store, &options, elements);
    memset(elements, 0, count * sizeof *elements);
    measure_read(&reads, array, elements);
    if (checksum(elements, count) != before) {
        fprintf(stderr, "grow: what was read is not what was written\n");
        return 1;
    }
    printf("%.7f %.7f %.0f %ld\n", turns_median(&writes), turns_median(&reads), before, peak_mib());
    zl_array_close(array);
    check(zl_store_close(store, &err), &err);
    zl_context_free(context);
    free(elements);
    return 0;
}
