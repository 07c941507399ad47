/* SPDX-License-Identifier: MIT */
/* A program with its own memory and its own error handling: an allocator that counts and has a limit, a warning callback,
 * and what errors look like. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <zarrlite/zarrlite.h>

typedef struct budget {
    atomic_size_t used;
    size_t limit;
} budget;

static void *budget_alloc(void *user, size_t size, size_t align) {
    budget *b = user;
    if (atomic_fetch_add(&b->used, size) + size > b->limit) {
        atomic_fetch_sub(&b->used, size);
        return NULL; /* the library reports ZL_ERR_NO_MEMORY and gives everything back */
    }
    void *memory = NULL;
    return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? memory : NULL;
}

static void budget_free(void *user, void *ptr, size_t size) {
    if (ptr) atomic_fetch_sub(&((budget *)user)->used, size);
    free(ptr);
}

static void *budget_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align) {
    void *fresh = budget_alloc(user, new_size, align);
    if (!fresh) return NULL;
    for (size_t i = 0; ptr && i < old_size && i < new_size; i++)
        ((char *)fresh)[i] = ((const char *)ptr)[i];
    if (ptr) budget_free(user, ptr, old_size);
    return fresh;
}

static void on_warning(void *user, const char *message) {
    (void)user;
    fprintf(stderr, "warning: %s\n", message);
}

/* An error is a status to decide by and a message to show. */
static void explain(const char *what, zl_status status, const zl_error *err) {
    printf("%s: %s (%s)\n", what, zl_status_name(status), err->message);
}

int main(void) {
    budget b = {0, 64u << 20};
    const zl_allocator allocator = {budget_alloc, budget_resize, budget_free, &b};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = &allocator;
    options.on_warning = on_warning;
    options.threads = 1;
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    float value;
    zl_status status = zl_context_new(&context, &options, &err);
    if (!status) status = zl_store_open_file(&store, context, "example.zarr", NULL, &err);
    if (status) {
        explain("open", status, &err);
        zl_context_free(context);
        return 1;
    }
    status = zl_array_open(&array, store, "model/pressure", &err);
    explain("an array that is not there", status, &err);
    bool as_expected = status == ZL_ERR_NOT_FOUND;
    status = zl_array_open(&array, store, "model/temperature", &err);
    const zl_region outside = {3, (const int64_t[]){12, 0, 0}, (const int64_t[]){1, 1, 1}, NULL};
    if (!status) status = zl_array_read(array, &outside, (zl_view){.data = &value}, NULL, &err);
    explain("a region outside the array", status, &err);
    as_expected = as_expected && status == ZL_ERR_INVALID_ARGUMENT;
    zl_array_close(array);
    (void)zl_store_close(store, NULL);
    zl_context_free(context);
    printf("%zu bytes are still in use\n", atomic_load(&b.used));
    return as_expected && atomic_load(&b.used) == 0 ? 0 : 1;
}
