/* SPDX-License-Identifier: MIT */
/* What the stores of this folder share: ranges, conditions, memory that a get hands out. */
#ifndef ZL_STORE_SUPPORT_H
#define ZL_STORE_SUPPORT_H

#include "base/base.h"

/* The bytes of an object of `size` bytes that a request asks for. CORRUPT outside the object, LIMIT past its `cap`. */
zl_status zl_request_resolve(const zl_request *request, uint64_t size, const char *key, zl_range *out, zl_error *err);
/* Sets `bytes` of every request to nothing, before a get, and releases them after one that failed half-way. */
void zl_requests_init(zl_request *requests, size_t count);
void zl_requests_release(zl_request *requests, size_t count);

/* CONFLICT unless the object's generation (NULL: there is no object) is the one that `condition` (may be NULL) names. */
zl_status zl_condition_check(const zl_condition *condition, const zl_generation *now, const char *key, zl_error *err);
/* For operations that need an object and did not find one: NOT_FOUND without message, or CONFLICT where one was named. */
zl_status zl_condition_missing(const zl_condition *condition, const char *key, zl_error *err);

/* Memory of its own for one range, aligned to 64 bytes and not initialised: release frees it by a copy of `allocator`. The
 * result points to the same bytes as out->data. NULL: NO_MEMORY is in `err`. */
uint8_t *zl_bytes_new(zl_bytes *out, size_t size, const zl_allocator *allocator, zl_error *err);

#endif
