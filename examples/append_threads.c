/* SPDX-License-Identifier: MIT */
/* Appends along time with several threads: each call gets a range of its own, and ranges become part of the array in order.
 * Instruments write like this; readers see the array grow. */
#include <pthread.h>
#include <stdio.h>
#include <zarrlite/zarrlite.h>

enum { WIDTH = 64, FRAMES = 8, THREADS = 3, APPENDS = 5 };

static void *append_frames(void *argument) {
    zl_array *array = argument;
    zl_error err = {0};
    int32_t frames[FRAMES][WIDTH];
    for (int k = 0; k < APPENDS; k++) {
        for (int i = 0; i < FRAMES * WIDTH; i++)
            frames[i / WIDTH][i % WIDTH] = 1000 * k + i / WIDTH;
        int64_t start;
        if (zl_array_append(array, 0, FRAMES, (zl_const_view){.data = frames}, NULL, &start, &err) != ZL_OK) {
            fprintf(stderr, "append: %s\n", err.message);
            return argument;
        }
    }
    return NULL;
}

static zl_status create(zl_store *store, zl_array **out, zl_error *err) {
    static const int64_t shape[] = {0, WIDTH};
    static const int64_t chunk_shape[] = {FRAMES, WIDTH};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk_shape;
    options.dtype = ZL_DTYPE_INT32;
    return zl_array_create(out, store, "frames", &options, err);
}

int main(void) {
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    pthread_t threads[THREADS];
    bool failed = false;
    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_file(&store, context, "example.zarr", NULL, &err);
    if (!status) status = create(store, &array, &err);
    int started = 0;
    while (!status && started < THREADS && pthread_create(&threads[started], NULL, append_frames, array) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        void *trouble;
        pthread_join(threads[i], &trouble);
        failed = failed || trouble;
    }
    if (status) {
        fprintf(stderr, "%s\n", err.message);
    } else {
        int64_t shape[2];
        zl_array_get_shape(array, shape);
        printf("%lld frames by %d threads\n", (long long)shape[0], started);
        failed = failed || shape[0] != (int64_t)started * APPENDS * FRAMES;
    }
    zl_array_close(array);
    (void)zl_store_close(store, NULL);
    zl_context_free(context);
    return status || failed;
}
