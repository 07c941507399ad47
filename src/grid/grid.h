/* SPDX-License-Identifier: MIT */
#ifndef ZL_GRID_GRID_H
#define ZL_GRID_GRID_H

#include "json/json.h"

/* A chunk_grid as it stands in v3 metadata. METADATA (also when it does not fit `shape`), UNSUPPORTED. */
zl_status zl_grid_parse(const zl_json *value, const zl_shape *shape, const zl_env *env, const zl_grid_class **cls,
                        const void **self, zl_error *err);
/* Writes a chunk_grid as it stands in metadata, grown where it ends before an array of `rank` extents does. What cannot be
 * understood is written as it is. */
void zl_grid_write_grown(const zl_json *value, const int64_t *shape, int32_t rank, zl_json_writer *writer);
extern const zl_grid_class zl_grid_regular;
extern const zl_grid_class zl_grid_rectilinear;
/* A regular grid for metadata that has no chunk_grid (v2). All of `chunk_shape` > 0. */
zl_status zl_grid_regular_make(const zl_shape *chunk_shape, zl_arena *arena, const void **self, zl_error *err);

#endif
