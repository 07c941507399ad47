/* SPDX-License-Identifier: MIT */
#include "store/support.h"

#include <inttypes.h>

zl_status zl_request_resolve(const zl_request *request, uint64_t size, const char *key, zl_range *out, zl_error *err) {
    if (request->offset > size)
        return zl_fail(err, ZL_ERR_CORRUPT, "%s: %s %" PRIu64 " lies outside the %" PRIu64 " bytes that are stored", key,
                       request->suffix ? "suffix" : "offset", request->offset, size);
    const uint64_t start = request->suffix ? size - request->offset : request->offset;
    const uint64_t length = request->length == ZL_TO_END ? size - start : request->length;
    if (length > size - start)
        return zl_fail(err, ZL_ERR_CORRUPT,
                       "%s: %" PRIu64 " bytes from offset %" PRIu64 " on, but only %" PRIu64 " are stored", key, length,
                       start, size);
    const uint64_t cap = request->into == NULL && request->cap == 0 ? SIZE_MAX : request->cap;
    if (length > cap)
        return zl_fail(err, ZL_ERR_LIMIT, "%s: %" PRIu64 " bytes are stored, at most %" PRIu64 " are expected", key, length,
                       cap);
    *out = (zl_range){start, length};
    return ZL_OK;
}

void zl_requests_init(zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++)
        requests[i].bytes = (zl_bytes){0};
}

void zl_requests_release(zl_request *requests, size_t count) {
    for (size_t i = 0; i < count; i++)
        zl_bytes_release(&requests[i].bytes);
}

zl_status zl_condition_check(const zl_condition *condition, const zl_generation *now, const char *key, zl_error *err) {
    static const zl_generation none = {{0, 0}};
    if (condition == NULL || condition->kind == ZL_ALWAYS) return ZL_OK;
    if (now == NULL) now = &none;
    if (memcmp(now, &condition->generation, sizeof *now) == 0) return ZL_OK;
    return zl_fail(err, ZL_ERR_CONFLICT, "%s was changed by another writer", key);
}

zl_status zl_condition_missing(const zl_condition *condition, const char *key, zl_error *err) {
    ZL_TRY(zl_condition_check(condition, NULL, key, err));
    return ZL_ERR_NOT_FOUND;
}

/* In front of the bytes. */
typedef struct bytes_head {
    zl_allocator allocator;
    size_t size; /* with the head */
} bytes_head;
#define BYTES_OFFSET ((size_t)64)
_Static_assert(sizeof(bytes_head) <= BYTES_OFFSET, "the head lies before the bytes");

static void bytes_free(void *owner) {
    bytes_head *head = owner;
    const zl_allocator allocator = head->allocator;
    zl_free(&allocator, head, head->size);
}

uint8_t *zl_bytes_new(zl_bytes *out, size_t size, const zl_allocator *allocator, zl_error *err) {
    size_t total;
    bytes_head *head = zl_add_size(size, BYTES_OFFSET, &total) ? zl_alloc(allocator, total, BYTES_OFFSET) : NULL;
    if (head == NULL) {
        (void)zl_fail_memory(err, size);
        return NULL;
    }
    *head = (bytes_head){*allocator, total};
    uint8_t *data = (uint8_t *)head + BYTES_OFFSET;
    *out = (zl_bytes){data, size, bytes_free, head};
    return data;
}
