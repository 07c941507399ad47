/* SPDX-License-Identifier: MIT */
/*
 * The least that compressing an array takes: libzstd alone encodes its chunks (inner chunks of shards), which are in memory
 * one after the other, with a context and an output buffer for each thread. Nothing is gathered, joined or stored. Prints
 * "seconds bytes peak_MiB" of the second turn.
 *
 *   encode STORE LEVEL THREADS
 */
#include "bench.h"

#if ZL_HAVE_ZSTD
#include <pthread.h>
#include <stdatomic.h>
#include <zstd.h>

typedef struct work {
    char *elements;
    size_t chunk_size, chunk_count;
    int level;
    atomic_size_t next, encoded;
} work;

static void *encode_chunks(void *argument) {
    work *w = argument;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(w->chunk_size);
    char *out = malloc(room);
    if (!context || !out) exit(1);
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->chunk_count;) {
        const size_t size = ZSTD_compressCCtx(context, out, room, w->elements + i * w->chunk_size, w->chunk_size, w->level);
        if (ZSTD_isError(size)) exit(1);
        atomic_fetch_add(&w->encoded, size);
    }
    free(out);
    ZSTD_freeCCtx(context);
    return NULL;
}

static double encode_all(work *w, int threads) {
    pthread_t workers[64];
    atomic_store(&w->next, 0);
    atomic_store(&w->encoded, 0);
    const double start = now();
    for (int i = 1; i < threads; i++)
        if (pthread_create(&workers[i], NULL, encode_chunks, w) != 0) exit(1);
    encode_chunks(w);
    for (int i = 1; i < threads; i++)
        pthread_join(workers[i], NULL);
    return now() - start;
}

/* All chunks, which have to divide the array, one after the other. */
static void read_chunks(work *w, const zl_array *array) {
    zl_error err = {0};
    const int64_t *inner = zl_array_inner_chunk_shape(array), *shape = zl_array_shape(array);
    const int64_t *chunk = inner ? inner : zl_array_chunk_shape(array);
    w->chunk_size = zl_dtype_size(zl_array_dtype(array));
    w->chunk_count = 1;
    for (int i = 0; i < 3; i++) {
        w->chunk_size *= (size_t)chunk[i];
        w->chunk_count *= (size_t)(shape[i] / chunk[i]);
    }
    char *at = w->elements = large(w->chunk_size * w->chunk_count);
    for (int64_t z = 0; z < shape[0]; z += chunk[0])
        for (int64_t y = 0; y < shape[1]; y += chunk[1])
            for (int64_t x = 0; x < shape[2]; x += chunk[2], at += w->chunk_size) {
                const int64_t start[] = {z, y, x};
                const zl_region region = {3, start, chunk, NULL};
                check(zl_array_read(array, &region, (zl_view){.data = at}, NULL, &err), &err);
            }
}

int main(int argc, char **argv) {
    zl_error err = {0};
    zl_store *store;
    zl_array *array;
    work w = {0};
    if (argc < 4 || atoi(argv[3]) < 1 || atoi(argv[3]) > 64) return 2;
    w.level = atoi(argv[2]);
    zl_context *context = new_context();
    check(zl_store_open_file(&store, context, argv[1], NULL, &err), &err);
    check(zl_array_open(&array, store, "", &err), &err);
    read_chunks(&w, array);
    (void)encode_all(&w, atoi(argv[3]));
    const double seconds = encode_all(&w, atoi(argv[3]));
    printf("%.4f %zu %ld\n", seconds, atomic_load(&w.encoded), peak_mib());
    free(w.elements);
    zl_array_close(array);
    check(zl_store_close(store, &err), &err);
    zl_context_free(context);
    return 0;
}
#else
int main(void) {
    fprintf(stderr, "bench: built without libzstd\n");
    return 1;
}
#endif
