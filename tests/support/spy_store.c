/* SPDX-License-Identifier: MIT */
#include "spy_store.h"

static void step_in(spy_store *spy, spy_moment moment, const char *key) {
    const bool is_metadata = strstr(key, "zarr.json") != NULL;
    if (spy->hook != NULL && !is_metadata) spy->hook(spy, moment, key);
}

static zl_status spy_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                         zl_object_info *info, const zl_store_call *call) {
    spy_store *spy = self;
    atomic_fetch_add(&spy->gets, 1);
    atomic_fetch_add(&spy->ranges, (unsigned)count);
    step_in(spy, SPY_BEFORE_GET, key);
    const zl_status status = zl_store_memory.get(spy->inner, key, requests, count, condition, info, call);
    for (size_t i = 0; status == ZL_OK && i < count; i++)
        atomic_fetch_add(&spy->bytes, requests[i].bytes.size);
    step_in(spy, SPY_AFTER_GET, key);
    return status;
}

static zl_status spy_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    spy_store *spy = self;
    atomic_fetch_add(&spy->infos, 1);
    step_in(spy, SPY_BEFORE_INFO, key);
    const zl_status status = zl_store_memory.info(spy->inner, key, info, call);
    step_in(spy, SPY_AFTER_INFO, key);
    return status;
}

static zl_status spy_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                         const zl_store_call *call) {
    spy_store *spy = self;
    atomic_fetch_add(&spy->sets, 1);
    step_in(spy, SPY_BEFORE_SET, key);
    const zl_status status = zl_store_memory.set(spy->inner, key, spans, count, condition, call);
    step_in(spy, SPY_AFTER_SET, key);
    return status;
}

/* Where erase takes no condition, none is looked at, as in many stores. */
static zl_status spy_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call) {
    spy_store *spy = self;
    atomic_fetch_add(&spy->erases, 1);
    step_in(spy, SPY_BEFORE_ERASE, key);
    const bool conditional = spy->cls.caps & ZL_STORE_CONDITIONAL_ERASE;
    return zl_store_memory.erase(spy->inner, key, conditional ? condition : NULL, call);
}

/* The pieces themselves go straight to the store below. */
static zl_status spy_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call) {
    const spy_store *spy = self;
    return zl_store_memory.put_begin(spy->inner, key, out, call);
}

static zl_status spy_list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    const spy_store *spy = self;
    return zl_store_memory.list(spy->inner, prefix, each, user, call);
}

static zl_status spy_close(void *self, zl_error *err) {
    const spy_store *spy = self;
    return zl_store_memory.close(spy->inner, err);
}

zl_status spy_store_open(zl_store **out, spy_store *spy, zl_context *context, uint32_t caps, zl_error *err) {
    *spy = (spy_store){.cls = {.size = sizeof(zl_store_class),
                               .name = "spy",
                               .caps = caps,
                               .get = spy_get,
                               .set = spy_set,
                               .erase = spy_erase,
                               .info = spy_info,
                               .list = spy_list,
                               .put_begin = spy_put_begin,
                               .put_append = zl_store_memory.put_append,
                               .put_commit = zl_store_memory.put_commit,
                               .put_abort = zl_store_memory.put_abort,
                               .close = spy_close},
                       .allocator = zl_default_allocator};
    ZL_TRY(zl_store_memory_new(&spy->inner, &spy->allocator, err));
    return zl_store_new(out, context, &spy->cls, spy, err);
}

void spy_store_reset(spy_store *spy) {
    atomic_uint *const counters[] = {&spy->gets, &spy->ranges, &spy->infos, &spy->sets, &spy->erases};
    for (size_t i = 0; i < ZL_COUNT_OF(counters); i++)
        atomic_store(counters[i], 0);
    atomic_store(&spy->bytes, 0);
}

static zl_store_call make_call(const spy_store *spy) {
    return (zl_store_call){.size = sizeof(zl_store_call), .allocator = &spy->allocator};
}

void spy_store_put(spy_store *spy, const char *key, const void *data, size_t size) {
    const zl_store_call call = make_call(spy);
    const zl_span span = {data, size};
    assert_int_equal(zl_store_memory.set(spy->inner, key, &span, 1, NULL, &call), ZL_OK);
}

bool spy_store_has(spy_store *spy, const char *key) {
    const zl_store_call call = make_call(spy);
    zl_object_info info;
    return zl_store_memory.info(spy->inner, key, &info, &call) == ZL_OK;
}

uint8_t *spy_store_copy(spy_store *spy, const char *key, size_t *size) {
    const zl_store_call call = make_call(spy);
    zl_request request = {.length = ZL_TO_END};
    if (zl_store_memory.get(spy->inner, key, &request, 1, NULL, NULL, &call) != ZL_OK) fail_msg("no object %s", key);
    uint8_t *copy = malloc(request.bytes.size + 1);
    assert_non_null(copy);
    memcpy(copy, request.bytes.data, request.bytes.size);
    *size = request.bytes.size;
    zl_bytes_release(&request.bytes);
    return copy;
}
