/* SPDX-License-Identifier: MIT */
/* A context whose memory is counted, and the store of a row. */
#include "conformance.h"

#include <stdatomic.h>
#include <stdlib.h>

/* One session is open at a time in a process, and its allocator is called from many threads. */
static atomic_llong live_bytes;

static void *counted_alloc(void *user, size_t size, size_t align) {
    void *memory = zl_default_allocator.alloc(user, size, align);
    if (memory != NULL) atomic_fetch_add(&live_bytes, (long long)size);
    return memory;
}

static void *counted_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align) {
    void *memory = zl_default_allocator.resize(user, ptr, old_size, new_size, align);
    if (memory != NULL) atomic_fetch_add(&live_bytes, (long long)new_size - (long long)(ptr != NULL ? old_size : 0));
    return memory;
}

static void counted_free(void *user, void *ptr, size_t size) {
    if (ptr != NULL) atomic_fetch_sub(&live_bytes, (long long)size);
    zl_default_allocator.free(user, ptr, size);
}

zl_status ct_session_open(ct_session *session, const char *path, bool writable, zl_error *err) {
    const zl_allocator allocator = {counted_alloc, counted_resize, counted_free, NULL};
    const zl_context_options options = {.size = sizeof options, .threads = 4, .allocator = &allocator};
    const zl_file_store_options store = {.size = sizeof store, .read_only = !writable};
    *session = (ct_session){NULL, NULL};
    ZL_TRY(zl_context_new(&session->context, &options, err));
    if (strstr(path, ".zip") != NULL) return zl_store_open_zip(&session->store, session->context, path, NULL, err);
    return zl_store_open_file(&session->store, session->context, path, &store, err);
}

void ct_session_close(ct_session *session, ct_verdict *verdict) {
    zl_error err = {0};
    if (zl_store_close(session->store, &err) != ZL_OK) (void)ct_fail_error(verdict, "close", &err);
    zl_context_free(session->context);
    *session = (ct_session){NULL, NULL};
    if (atomic_load(&live_bytes) != 0)
        (void)ct_fail(verdict, "the library kept %lld bytes of memory", (long long)atomic_load(&live_bytes));
}
