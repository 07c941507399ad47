/* SPDX-License-Identifier: MIT */
/* Rounding to integers, for cast_tmpl.h, where the processor has instructions that the compiler takes for these. */
#define RINT_float(x) __builtin_rintf(x)
#define TRUNC_float(x) __builtin_truncf(x)
#define CEIL_float(x) __builtin_ceilf(x)
#define FLOOR_float(x) __builtin_floorf(x)
#define RINT_double(x) __builtin_rint(x)
#define TRUNC_double(x) __builtin_trunc(x)
#define CEIL_double(x) __builtin_ceil(x)
#define FLOOR_double(x) __builtin_floor(x)
