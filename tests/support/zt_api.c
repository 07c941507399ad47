/* SPDX-License-Identifier: MIT */
#include "zt_api.h"

#include "engine/context.h"

zl_status zt_api_try_open(zt_api *api, const zl_allocator *allocator) {
    *api = (zt_api){0};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = 1;
    ZL_TRY(zl_context_new(&api->context, &options, &api->err));
    const zl_status status = zl_store_open_memory(&api->store, api->context, &api->err);
    if (status != ZL_OK) zl_context_free(api->context);
    return status;
}

void zt_api_close(zt_api *api) {
    zt_assert_ok(zl_store_close(api->store, &api->err), &api->err);
    zl_context_free(api->context);
}

void zt_fault_api_begin(zt_fault_api *it, const zl_allocator *allocator) {
    void *self;
    zl_error *err = &it->api.err;
    *it = (zt_fault_api){0};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = allocator;
    zt_assert_ok(zl_context_new(&it->api.context, &options, err), err);
    zt_assert_ok(zl_store_memory_new(&self, &it->api.context->allocator, err), err);
    fault_store_init(&it->fault, &zl_store_memory, self);
    zt_assert_ok(zl_store_new(&it->api.store, it->api.context, &it->fault.cls, &it->fault, err), err);
}

void zt_api_begin(zt_api *api, zt_memory *memory) {
    const zl_allocator allocator = zt_allocator(memory, 0);
    zt_assert_ok(zt_api_try_open(api, &allocator), &api->err);
}

void zt_api_end(zt_api *api, const zt_memory *memory) {
    zt_api_close(api);
    zt_assert_no_leak(memory);
}

zl_status zt_api_try_put(zt_api *api, const char *key, const char *text) {
    return zl_store_set_all(api->store, key, text, strlen(text), &api->err);
}

void zt_api_put(zt_api *api, const char *key, const char *text) {
    zt_assert_ok(zt_api_try_put(api, key, text), &api->err);
}

bool zt_api_has(zt_api *api, const char *key) {
    const zl_store_call call = {.size = sizeof call, .allocator = api->store->allocator, .err = &api->err};
    zl_object_info info;
    return api->store->cls->info(api->store->self, key, &info, &call) == ZL_OK;
}

/* With a NUL byte behind it. */
static char *read_text(zt_api *api, const char *key) {
    zl_bytes bytes;
    zt_assert_ok(zl_store_get_all(api->store, key, UINT64_MAX, &bytes, NULL, &api->err), &api->err);
    char *text = malloc(bytes.size + 1);
    assert_non_null(text);
    if (bytes.size > 0) memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    zl_bytes_release(&bytes);
    return text;
}

void zt_api_check_text(zt_api *api, const char *key, const char *text) {
    char *stored = read_text(api, key);
    assert_string_equal(stored, text);
    free(stored);
}

void zt_api_check_part(zt_api *api, const char *key, const char *text) {
    char *stored = read_text(api, key);
    if (strstr(stored, text) == NULL) fail_msg("%s has no %s:\n%s", key, text, stored);
    free(stored);
}

static bool count_name(void *user, const char *name, bool is_prefix) {
    (void)name;
    (void)is_prefix;
    ++*(size_t *)user;
    return true;
}

void zt_api_check_empty(zt_api *api) {
    const zl_store_call call = {.size = sizeof call, .allocator = api->store->allocator, .err = &api->err};
    size_t count = 0;
    const zl_status status = api->store->cls->list(api->store->self, "", count_name, &count, &call);
    assert_true(status == ZL_OK || status == ZL_ERR_NOT_FOUND);
    assert_int_equal(count, 0);
}
