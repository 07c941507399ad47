/* SPDX-License-Identifier: MIT */
/* What every folder may use: errors, checked arithmetic, memory, arenas. Knows nothing of Zarr. */
#ifndef ZL_BASE_BASE_H
#define ZL_BASE_BASE_H

#include <stdarg.h>
#include <string.h>

#include "zarrlite/extend.h"

#define ZL_KIB ((size_t)1024)
#define ZL_MIB (1024 * ZL_KIB)
#define ZL_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Returns from the calling function when `call` fails. */
#define ZL_TRY(call)                          \
    do {                                      \
        const zl_status zl_try_ = (call);     \
        if (zl_try_ != ZL_OK) return zl_try_; \
    } while (0)

/* zl_fail with a va_list, and the failure of an operating system call: adds strerror(os_code) and records it. */
zl_status zl_vfail(zl_error *err, zl_status status, const char *format, va_list args);
zl_status zl_fail_os(zl_error *err, zl_status status, int os_code, const char *format, ...) ZL_PRINTF(4, 5);
/* "out of memory (N bytes)" */
zl_status zl_fail_memory(zl_error *err, uint64_t size);

/* ---- option structs: fills the `known` bytes of one from the caller's. Members that the caller does not know of are zero,
 * which is their default, and so is everything when `given` is NULL. `what` names the struct. INVALID_ARGUMENT: size not
 * set. */
zl_status zl_options_copy(void *options, size_t known, const void *given, const char *what, zl_error *err);

/* ---- checked arithmetic: false on overflow, then *out is unspecified */
static inline bool zl_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool zl_add_size(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool zl_mul_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool zl_add_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool zl_mul_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool zl_add_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
/* Sums and products that stay at UINT64_MAX once they are there. */
static inline uint64_t zl_sat_add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
static inline uint64_t zl_sat_mul(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
static inline int64_t zl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t zl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static inline uint64_t zl_min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline int64_t zl_ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
} /* a >= 0, b > 0 */

/* Product of the extents, at most 2^63-1; false on overflow. Rank 0 gives 1. An extent of 0 gives 0 whatever the others. */
bool zl_shape_count(const zl_shape *shape, int64_t *out);

/* ---- coordinates of the elements of a shape that has some; the first one's are zeros */
/* Moves on to the next element in C order. False: there is none, and `at` is the first one again. */
static inline bool zl_coords_next(int32_t rank, const int64_t *shape, int64_t *at) {
    for (int32_t i = rank - 1; i >= 0; i--) {
        if (++at[i] < shape[i]) return true;
        at[i] = 0;
    }
    return false;
}
/* How far an element is from the first one. */
static inline int64_t zl_coords_offset(int32_t rank, const int64_t *at, const int64_t *strides) {
    int64_t offset = 0;
    for (int32_t i = 0; i < rank; i++)
        offset += at[i] * strides[i];
    return offset;
}

/* ---- memory */
extern const zl_allocator zl_default_allocator; /* malloc; resize and free of NULL are fine */
void *zl_alloc(const zl_allocator *allocator, size_t size, size_t align);
void *zl_alloc_zero(const zl_allocator *allocator, size_t size, size_t align);
void *zl_resize(const zl_allocator *allocator, void *ptr, size_t old_size, size_t new_size, size_t align);
void zl_free(const zl_allocator *allocator, void *ptr, size_t size); /* NULL is fine */
#define ZL_NEW(allocator, type) ((type *)zl_alloc_zero((allocator), sizeof(type), _Alignof(type)))
#define ZL_DELETE(allocator, ptr) zl_free((allocator), (ptr), sizeof *(ptr))

/* ---- arenas: returns NULL when out of memory; `allocator` is copied */
zl_arena *zl_arena_new(const zl_allocator *allocator);
void zl_arena_free(zl_arena *arena); /* NULL is fine */
#define ZL_ARENA_NEW(arena, type) ((type *)zl_arena_zero((arena), sizeof(type), _Alignof(type)))
void *zl_arena_zero(zl_arena *arena, size_t size, size_t align);

/* ---- sinks: frees what a growable sink holds */
void zl_sink_free(zl_sink *sink);

/* ---- numbers and text that do not depend on the locale */
/* The shortest decimal text that reads back as `value` ("1.5", "1e+30", "-0.0"), always with a fraction or an exponent;
 * NaN and infinities give "NaN", "Infinity", "-Infinity". Returns its length; `buffer` holds at least 32 bytes. */
size_t zl_format_double(double value, char *buffer);
/* As zl_format_double, but shortest among floats. */
size_t zl_format_float(float value, char *buffer);
/* The same for a narrower binary format: shortest among the values with `bits` significant bits, none of them below
 * 2^min_exponent; `value` is one of these. */
size_t zl_format_narrow(double value, int32_t bits, int32_t min_exponent, char *buffer);
/* Length of the JSON number that `text` starts with, as far as it goes ("1" of "1.x"); 0 when there is none. */
size_t zl_scan_number(const char *text, size_t size);
/* Reads a whole JSON number text; correctly rounded. False when it is no number (overflow gives infinity and true). */
bool zl_read_double(const char *text, size_t size, double *out);
/* The same, rounded to odd: where the number lies between two doubles, to the one whose last bit is set. Rounding the
 * result to 51 bits or fewer is then the same as rounding the number itself once. */
bool zl_read_double_odd(const char *text, size_t size, double *out);
/* Is it well-formed UTF-8 (no surrogates, nothing beyond U+10FFFF, no overlong forms)? */
bool zl_utf8_valid(const void *text, size_t size);
/* Offset of the first byte that is not, or `size`. */
size_t zl_utf8_check(const void *text, size_t size);
/* `size`, or less where it would cut the last character of well-formed text in two. */
size_t zl_utf8_cut(const char *text, size_t size);

#endif
