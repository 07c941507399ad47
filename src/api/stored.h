/* SPDX-License-Identifier: MIT */
#ifndef ZL_API_STORED_H
#define ZL_API_STORED_H

#include "api/array.h"

/* Called with each object below an array whose key is the canonical key of a chunk, inside the grid or beyond its end. */
typedef zl_status (*zl_stored_fn)(void *user, const int64_t *coords, const char *key, zl_error *err);
/* In no particular order. Objects may come and go meanwhile. */
zl_status zl_stored_walk(const zl_array *array, zl_stored_fn each, void *user, zl_error *err);

/* Chunks along each axis of an array with that shape. */
void zl_grid_counts(const zl_array *array, const zl_shape *shape, int64_t *counts);

#endif
