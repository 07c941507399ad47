/* SPDX-License-Identifier: MIT */
/* Paths of nodes and the keys of their metadata. */
#ifndef ZL_API_PATH_H
#define ZL_API_PATH_H

#include "base/base.h"

#define ZL_NAME_MAX 255

/* Why `name` is not the name of a node ("Node names", core 3.1), or NULL when it is one. Lends a static text. */
const char *zl_name_problem(const char *name, size_t size);

/* A copy of a path that a user passed; the root in all its forms is "". Returns new (free with zl_text_free).
 * INVALID_ARGUMENT, NO_MEMORY. */
zl_status zl_path_copy(char **out, const char *path, const zl_allocator *allocator, zl_error *err);

/* "path/name", or "name" below the root. Returns new (free with zl_text_free), or NULL: out of memory. */
char *zl_path_join(const char *path, const char *name, const zl_allocator *allocator);
void zl_text_free(char *text, const zl_allocator *allocator); /* NULL is fine */

/* How messages name a path: "/" stands for the root. */
const char *zl_path_show(const char *path);

#endif
