/* SPDX-License-Identifier: MIT */
#include "fault_store.h"

/* What to do with a call. */
typedef struct verdict {
    bool before;   /* fail instead of doing it */
    bool after;    /* fail when it is done */
    bool truncate; /* do half */
} verdict;

static verdict judge(fault_store *fault, uint32_t operation) {
    verdict spoil = {false, false, false};
    if ((fault->operations & operation) == 0 || atomic_fetch_add(&fault->calls, 1) + 1 != fault->nth) return spoil;
    spoil.before = fault->kind == FAULT_FAIL;
    spoil.after = fault->kind == FAULT_FAIL_LATE;
    spoil.truncate = fault->kind == FAULT_TRUNCATE;
    return spoil;
}

static zl_status fail(const fault_store *fault, const zl_store_call *call, const char *what, const char *key) {
    if (fault->status == ZL_ERR_NOT_FOUND) return ZL_ERR_NOT_FOUND;
    return zl_fail(call->err, fault->status, "injected failure: %s %s", what, key);
}

static zl_status fault_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                           zl_object_info *info, const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_GET);
    if (spoil.before) return fail(fault, call, "get", key);
    const zl_status status = fault->inner->get(fault->inner_self, key, requests, count, condition, info, call);
    if (status != ZL_OK) return status;
    if (spoil.truncate && count > 0) requests[0].bytes.size /= 2;
    if (!spoil.after) return ZL_OK;
    for (size_t i = 0; i < count; i++)
        zl_bytes_release(&requests[i].bytes);
    return fail(fault, call, "get", key);
}

static zl_status set_half(fault_store *fault, const char *key, const zl_span *spans, size_t count,
                          const zl_condition *condition, const zl_store_call *call) {
    const size_t half = count / 2;
    if (count != 1) return fault->inner->set(fault->inner_self, key, spans, half, condition, call);
    const zl_span span = {spans[0].data, spans[0].size / 2};
    return fault->inner->set(fault->inner_self, key, &span, 1, condition, call);
}

static zl_status fault_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                           const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_SET);
    if (spoil.before) return fail(fault, call, "set", key);
    if (spoil.truncate) return set_half(fault, key, spans, count, condition, call);
    const zl_status status = fault->inner->set(fault->inner_self, key, spans, count, condition, call);
    return status == ZL_OK && spoil.after ? fail(fault, call, "set", key) : status;
}

static zl_status fault_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_ERASE);
    if (spoil.before) return fail(fault, call, "erase", key);
    const zl_status status = fault->inner->erase(fault->inner_self, key, condition, call);
    return status == ZL_OK && spoil.after ? fail(fault, call, "erase", key) : status;
}

static zl_status fault_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_INFO);
    if (spoil.before || spoil.after) return fail(fault, call, "info", key);
    return fault->inner->info(fault->inner_self, key, info, call);
}

static zl_status fault_list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_LIST);
    if (spoil.before) return fail(fault, call, "list", prefix);
    const zl_status status = fault->inner->list(fault->inner_self, prefix, each, user, call);
    return status == ZL_OK && spoil.after ? fail(fault, call, "list", prefix) : status;
}

static zl_status fault_erase_prefix(void *self, const char *prefix, const zl_store_call *call) {
    fault_store *fault = self;
    const verdict spoil = judge(fault, FAULT_ERASE_PREFIX);
    if (spoil.before) return fail(fault, call, "erase below", prefix);
    const zl_status status = fault->inner->erase_prefix(fault->inner_self, prefix, call);
    return status == ZL_OK && spoil.after ? fail(fault, call, "erase below", prefix) : status;
}

/* ---- puts */

typedef struct fault_put {
    fault_store *fault;
    zl_put *inner;
} fault_put;

static zl_status fault_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call) {
    fault_store *fault = self;
    if (judge(fault, FAULT_PUT).before) return fail(fault, call, "begin to put", key);
    fault_put *put = ZL_NEW(&zl_default_allocator, fault_put);
    if (put == NULL) return zl_fail_memory(call->err, sizeof *put);
    put->fault = fault;
    const zl_status status = fault->inner->put_begin(fault->inner_self, key, &put->inner, call);
    if (status == ZL_OK)
        *out = (zl_put *)put;
    else
        ZL_DELETE(&zl_default_allocator, put);
    return status;
}

static zl_status fault_put_append(zl_put *handle, const zl_span *spans, size_t count, const zl_store_call *call) {
    fault_put *put = (fault_put *)handle;
    const verdict spoil = judge(put->fault, FAULT_PUT);
    if (spoil.before) return fail(put->fault, call, "append to", "a put");
    const zl_status status = put->fault->inner->put_append(put->inner, spans, count, call);
    return status == ZL_OK && spoil.after ? fail(put->fault, call, "append to", "a put") : status;
}

static zl_status fault_put_commit(zl_put *handle, const zl_condition *condition, const zl_store_call *call) {
    fault_put *put = (fault_put *)handle;
    fault_store *fault = put->fault;
    const verdict spoil = judge(fault, FAULT_PUT);
    zl_status status = ZL_OK;
    if (spoil.before)
        fault->inner->put_abort(put->inner);
    else
        status = fault->inner->put_commit(put->inner, condition, call);
    ZL_DELETE(&zl_default_allocator, put);
    return status == ZL_OK && (spoil.before || spoil.after) ? fail(fault, call, "commit", "a put") : status;
}

static void fault_put_abort(zl_put *handle) {
    fault_put *put = (fault_put *)handle;
    put->fault->inner->put_abort(put->inner);
    ZL_DELETE(&zl_default_allocator, put);
}

static zl_status fault_close(void *self, zl_error *err) {
    const fault_store *fault = self;
    return fault->inner->close(fault->inner_self, err);
}

void fault_store_init(fault_store *fault, const zl_store_class *inner, void *self) {
    *fault = (fault_store){.inner = inner, .inner_self = self, .operations = FAULT_ANY};
    fault->cls = (zl_store_class){
        .size = sizeof(zl_store_class),
        .name = inner->name,
        .caps = inner->caps,
        .get = fault_get,
        .set = inner->set != NULL ? fault_set : NULL,
        .erase = inner->erase != NULL ? fault_erase : NULL,
        .info = fault_info,
        .list = inner->list != NULL ? fault_list : NULL,
        .erase_prefix = inner->erase_prefix != NULL ? fault_erase_prefix : NULL,
        .put_begin = inner->put_begin != NULL ? fault_put_begin : NULL,
        .put_append = inner->put_append != NULL ? fault_put_append : NULL,
        .put_commit = inner->put_commit != NULL ? fault_put_commit : NULL,
        .put_abort = inner->put_abort != NULL ? fault_put_abort : NULL,
        .close = fault_close,
    };
}

void fault_store_arm(fault_store *fault, uint32_t operations, uint32_t nth, fault_kind kind, zl_status status) {
    fault->operations = operations;
    fault->nth = nth;
    fault->kind = kind;
    fault->status = status;
    atomic_store(&fault->calls, 0);
}
