/* SPDX-License-Identifier: MIT */
/* A store in memory with a context of its own, filled and looked at by keys: for tests of the api. */
#ifndef ZT_API_H
#define ZT_API_H

#include "zt.h"

#include "fault_store.h"
#include "store/store.h"

/* Documents of a group, and of an array of four bytes in one chunk. */
#define ZT_GROUP "{\"zarr_format\":3,\"node_type\":\"group\"}"
#define ZT_ARRAY_WITH(more)                                                                                      \
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":" \
    "\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":\"default\",\"fill_value\":0,"  \
    "\"codecs\":[\"bytes\"]" more "}"
#define ZT_ARRAY ZT_ARRAY_WITH("")

typedef struct zt_api {
    zl_context *context;
    zl_store *store;
    zl_error err;
} zt_api;

/* After a failure there is nothing to close. */
zl_status zt_api_try_open(zt_api *api, const zl_allocator *allocator);
void zt_api_close(zt_api *api);
/* The same for tests of one thread that do not run out of memory: `memory` counts, and is checked at the end. */
void zt_api_begin(zt_api *api, zt_memory *memory);
void zt_api_end(zt_api *api, const zt_memory *memory);

zl_status zt_api_try_put(zt_api *api, const char *key, const char *text);
void zt_api_put(zt_api *api, const char *key, const char *text);
bool zt_api_has(zt_api *api, const char *key);
/* The object is exactly `text`, or contains it. */
void zt_api_check_text(zt_api *api, const char *key, const char *text);
void zt_api_check_part(zt_api *api, const char *key, const char *text);
/* The same on a store that can be told to fail (`allocator` NULL: malloc). It may be used by several threads. */
typedef struct zt_fault_api {
    zt_api api;
    fault_store fault;
} zt_fault_api;
void zt_fault_api_begin(zt_fault_api *it, const zl_allocator *allocator);

/* Nothing is stored at all. */
void zt_api_check_empty(zt_api *api);

#endif
