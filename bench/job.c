/* SPDX-License-Identifier: MIT */
/*
 * One large job of zarrlite, done twice: prints "seconds checksum peak_MiB" of the second time. The first one brings the
 * files into the page cache and makes the machine find the memory. bench/peer_job.py does the same jobs with the peers, and
 * the checksums agree.
 *
 *   job JOB STORE [OUT]      JOB: all, chunks, subchunks, random, planes, roundtrip, write
 *
 * ZL_BENCH_THREADS sets the number of threads.
 */
#include "bench.h"

typedef struct bench {
    zl_context *context;
    zl_store *store, *out_store;
    zl_array *array, *out;
    const int64_t *shape, *chunk, *inner;
    size_t element_size;
    char *source; /* all elements, for write */
    double checksum;
} bench;

/* The value of one element, for checksums. */
static double value(const bench *b, const char *element) {
    switch (zl_dtype_get_id(zl_array_dtype(b->array))) {
    case ZL_DTYPE_UINT16: {
        uint16_t v;
        memcpy(&v, element, sizeof v);
        return v;
    }
    case ZL_DTYPE_FLOAT32: {
        float v;
        memcpy(&v, element, sizeof v);
        return v;
    }
    default: return (unsigned char)*element;
    }
}

static size_t bytes_of(const bench *b, const int64_t *extent) {
    size_t size = b->element_size;
    for (int32_t i = 0; i < zl_array_rank(b->array); i++)
        size *= (size_t)extent[i];
    return size;
}

static void read_box(bench *b, const int64_t *start, const int64_t *extent, char *into) {
    zl_error err = {0};
    const zl_region region = {zl_array_rank(b->array), start, extent, NULL};
    check(zl_array_read(b->array, &region, (zl_view){.data = into}, NULL, &err), &err);
}

static void job_all(bench *b) {
    static const int64_t stride[] = {37, 41, 43};
    char *all = large(bytes_of(b, b->shape));
    const int64_t origin[3] = {0};
    read_box(b, origin, b->shape, all);
    for (int64_t z = 0; z < b->shape[0]; z += stride[0])
        for (int64_t y = 0; y < b->shape[1]; y += stride[1])
            for (int64_t x = 0; x < b->shape[2]; x += stride[2])
                b->checksum += value(b, all + (size_t)((z * b->shape[1] + y) * b->shape[2] + x) * b->element_size);
    free(all);
}

static void write_box(bench *b, const int64_t *start, const int64_t *extent, const char *from) {
    zl_error err = {0};
    const zl_region region = {3, start, extent, NULL};
    check(zl_array_write(b->out, &region, (zl_const_view){.data = from}, NULL, &err), &err);
}

static char *some(size_t size) {
    char *memory = malloc(size);
    if (!memory) exit(1);
    return memory;
}

/* Every cell of a grid, read alone; with an output also written there. */
static void job_cells(bench *b, const int64_t *cell) {
    char *buffer = some(bytes_of(b, cell));
    int64_t at[3], extent[3];
    for (at[0] = 0; at[0] < b->shape[0]; at[0] += cell[0])
        for (at[1] = 0; at[1] < b->shape[1]; at[1] += cell[1])
            for (at[2] = 0; at[2] < b->shape[2]; at[2] += cell[2]) {
                for (int i = 0; i < 3; i++)
                    extent[i] = b->shape[i] - at[i] < cell[i] ? b->shape[i] - at[i] : cell[i];
                read_box(b, at, extent, buffer);
                b->checksum += value(b, buffer);
                if (b->out) write_box(b, at, extent, buffer);
            }
    free(buffer);
}

/* Boxes of 32^3 at places of a fixed sequence. */
static void job_random(bench *b) {
    static const int64_t extent[] = {32, 32, 32};
    char *buffer = some(bytes_of(b, extent));
    uint64_t state = 3;
    for (int k = 0; k < 400; k++) {
        int64_t start[3];
        for (int i = 0; i < 3; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            start[i] = (int64_t)((state >> 33) % (uint64_t)(b->shape[i] - 32));
        }
        read_box(b, start, extent, buffer);
        b->checksum += value(b, buffer);
    }
    free(buffer);
}

static void job_planes(bench *b) {
    const int64_t extent[] = {b->shape[0], b->shape[1], 1};
    char *buffer = some(bytes_of(b, extent));
    for (int64_t x = 0; x < b->shape[2]; x += 128) {
        const int64_t start[] = {0, 0, x};
        read_box(b, start, extent, buffer);
        b->checksum += value(b, buffer);
    }
    free(buffer);
}

/* An empty array with the metadata of the source. */
static void make_output(bench *b, const char *folder) {
    zl_error err = {0};
    zl_buffer metadata;
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = true;
    if (!b->out_store) check(zl_store_open_file(&b->out_store, b->context, folder, &options, &err), &err);
    zl_array_close(b->out);
    check(zl_array_metadata_json(b->array, &metadata, &err), &err);
    check(zl_array_create_from_metadata(&b->out, b->out_store, "", ZL_CREATE_REPLACE, metadata.data, metadata.size, &err),
          &err);
    zl_buffer_free(&metadata);
}

static void run(bench *b, const char *job) {
    const int64_t origin[3] = {0};
    b->checksum = 0;
    if (strcmp(job, "all") == 0)
        job_all(b);
    else if (strcmp(job, "chunks") == 0)
        job_cells(b, b->chunk);
    else if (strcmp(job, "subchunks") == 0)
        job_cells(b, b->inner);
    else if (strcmp(job, "random") == 0)
        job_random(b);
    else if (strcmp(job, "planes") == 0)
        job_planes(b);
    else if (strcmp(job, "roundtrip") == 0)
        job_cells(b, b->chunk);
    else if (strcmp(job, "write") == 0)
        write_box(b, origin, b->shape, b->source);
    else
        exit(2);
}

int main(int argc, char **argv) {
    zl_error err = {0};
    bench b = {0};
    if (argc < 3) return 2;
    b.context = new_context();
    check(zl_store_open_file(&b.store, b.context, argv[2], NULL, &err), &err);
    check(zl_array_open(&b.array, b.store, "", &err), &err);
    b.shape = zl_array_shape(b.array);
    b.chunk = zl_array_chunk_shape(b.array);
    b.inner = zl_array_inner_chunk_shape(b.array) ? zl_array_inner_chunk_shape(b.array) : b.chunk;
    b.element_size = zl_dtype_size(zl_array_dtype(b.array));
    if (strcmp(argv[1], "write") == 0) { /* the source is read outside the measured time */
        const int64_t origin[3] = {0};
        b.source = some(bytes_of(&b, b.shape));
        read_box(&b, origin, b.shape, b.source);
    }
    const bool writes = strcmp(argv[1], "write") == 0 || strcmp(argv[1], "roundtrip") == 0;
    double seconds = 0;
    for (int turn = 0; turn < 2; turn++) {
        if (writes) make_output(&b, argc > 3 ? argv[3] : "");
        const double start = now();
        run(&b, argv[1]);
        seconds = now() - start;
    }
    printf("%.4f %.0f %ld\n", seconds, b.checksum, peak_mib());
    free(b.source);
    zl_array_close(b.out);
    zl_array_close(b.array);
    check(zl_store_close(b.out_store, &err), &err);
    check(zl_store_close(b.store, &err), &err);
    zl_context_free(b.context);
    return 0;
}
