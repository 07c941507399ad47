/* SPDX-License-Identifier: MIT */
#ifndef ZL_API_ARRAY_H
#define ZL_API_ARRAY_H

#include "api/attributes.h"
#include "engine/engine.h"

struct zl_array {
    zl_context *context;
    zl_store *store;
    char *path;
    zl_metadata *meta;
    zl_attributes *attributes;
    int64_t element_count; /* at most 2^63-1, as the metadata's parser has checked; so is the size */
    int64_t decoded_size;
    zl_engine_array *engine;
};

#endif
