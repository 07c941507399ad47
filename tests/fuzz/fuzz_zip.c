/* SPDX-License-Identifier: MIT */
/* A ZIP archive from a stranger: it is listed, and what its root lists is read whole and in part. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store.h"

#include "fuzz.h"

#define OBJECT_MAX (4 * ZL_MIB)

typedef struct reader {
    zl_store *store;
    int left; /* objects, of those that are read */
} reader;

static bool read_object(void *user, const char *name, bool is_prefix) {
    reader *r = user;
    zl_error err = {0};
    const zl_store_call call = {.size = sizeof call, .allocator = &zl_default_allocator, .err = &err};
    zl_request requests[] = {{.length = ZL_TO_END, .cap = OBJECT_MAX}, {.offset = 3, .length = 5, .cap = 5}};
    for (size_t i = 0; !is_prefix && i < ZL_COUNT_OF(requests); i++) {
        if (r->store->cls->get(r->store->self, name, &requests[i], 1, NULL, NULL, &call) == ZL_OK)
            zl_bytes_release(&requests[i].bytes);
    }
    return --r->left > 0;
}

static void write_file(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    (void)snprintf(path, sizeof path, "fuzz-%ld.zip", (long)getpid());
    write_file(path, data, size);
    zl_error err = {0};
    zl_context *context;
    zl_array *array;
    reader r = {.left = 20};
    if (zl_context_new(&context, NULL, &err) != ZL_OK) abort();
    if (zl_store_open_zip(&r.store, context, path, NULL, &err) == ZL_OK) {
        const zl_store_call call = {.size = sizeof call, .allocator = &zl_default_allocator, .err = &err};
        (void)r.store->cls->list(r.store->self, "", read_object, &r, &call);
        if (zl_array_open(&array, r.store, "", &err) == ZL_OK) zl_array_close(array);
        (void)zl_store_close(r.store, &err);
    }
    zl_context_free(context);
    (void)unlink(path);
    return 0;
}
