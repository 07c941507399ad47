/* SPDX-License-Identifier: MIT */
/* For tests of loops that depend on the CPU: all levels that this machine has, and memory whose ends are guarded. */
#ifndef ZT_KERNELS_H
#define ZT_KERNELS_H

#include "zt.h"

#include "simd/kernels.h"

enum { ZT_LEVELS_MAX = 8 };
/* Each different set of kernels once, and the flags that select it. Returns how many. */
size_t zt_kernel_levels(zl_kernels levels[ZT_LEVELS_MAX], unsigned names[ZT_LEVELS_MAX]);

/* Memory between two pages that must not be touched. */
typedef struct zt_guarded {
    char *map, *begin;
    size_t map_size, size; /* of all; between the guards */
} zt_guarded;
zt_guarded zt_guarded_new(size_t min_size);
void zt_guarded_free(zt_guarded *guarded);
/* `size` bytes next to the front guard (even `place`) or the back one (odd). */
char *zt_guarded_at(const zt_guarded *guarded, size_t size, int place);

#endif
