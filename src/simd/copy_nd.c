/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes between strided memories: the one place where elements move. A copy is brought to a normal form first:
 *
 *   1. axes of extent 1 go, and axes that dst runs through backwards are turned round;
 *   2. axes are sorted by their step in dst, axis 0 being the fastest;
 *   3. neighbours that are one longer axis in both memories are merged;
 *   4. an axis 0 without gaps in both memories becomes part of the element, so that rows are just large elements;
 *   5. axis 1 is made the fastest axis of src among the others.
 *
 * What is left is a plane, axes 0 and 1, for every index of the other axes. A plane is filled (src repeats one element
 * along axis 0), transposed through registers (axis 0 has no gaps in dst, axis 1 none in src), or walked element by
 * element.
 *
 * Nothing is allocated and alignment does not matter. The two memories must not overlap. Strides are those of real memory,
 * so that products of a stride with an index inside its extent do not overflow.
 */
#include "simd/levels.h"

typedef struct copy_axis {
    int64_t extent, dst, src; /* steps in bytes */
} copy_axis;

typedef struct copy_plan {
    const zl_kernels *kernels;
    char *dst;
    const char *src;
    size_t size;       /* of an element, after step 4 */
    size_t swap_width; /* 0 = as they are */
    int32_t rank;      /* at least 2 */
    copy_axis axes[ZL_MAX_RANK + 2];
} copy_plan;

/* ---- the normal form */

static void reverse_axis(copy_plan *p, copy_axis *a) {
    p->dst += (a->extent - 1) * a->dst;
    p->src += (a->extent - 1) * a->src;
    a->dst = -a->dst;
    a->src = -a->src;
}

/* Steps 1 and 2. False when there is nothing to copy. */
static bool load_axes(copy_plan *p, int32_t rank, const int64_t *shape, const int64_t *dst_stride,
                      const int64_t *src_stride) {
    p->rank = 0;
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] <= 0) return false;
    }
    for (int32_t i = 0; i < rank; i++) {
        if (shape[i] == 1) continue;
        copy_axis a = {.extent = shape[i], .dst = dst_stride[i], .src = src_stride != NULL ? src_stride[i] : 0};
        if (a.dst < 0) reverse_axis(p, &a);
        int32_t at = p->rank++;
        for (; at > 0 && p->axes[at - 1].dst > a.dst; at--) {
            p->axes[at] = p->axes[at - 1];
        }
        p->axes[at] = a;
    }
    return true;
}

/* Step 3. */
static void merge_axes(copy_plan *p) {
    int32_t kept = 0;
    for (int32_t i = 0; i < p->rank; i++) {
        copy_axis *inner = &p->axes[kept - (kept > 0)];
        const copy_axis a = p->axes[i];
        if (kept > 0 && a.dst == inner->extent * inner->dst && a.src == inner->extent * inner->src) {
            inner->extent *= a.extent;
        } else {
            p->axes[kept++] = a;
        }
    }
    p->rank = kept;
}

/* Step 4. */
static void absorb_rows(copy_plan *p) {
    if (p->rank == 0) return;
    const copy_axis row = p->axes[0];
    if (row.dst != (int64_t)p->size || row.src != (int64_t)p->size) return;
    p->size *= (size_t)row.extent;
    p->rank--;
    memmove(&p->axes[0], &p->axes[1], (size_t)p->rank * sizeof p->axes[0]);
}

static int64_t magnitude(int64_t a) {
    return a < 0 ? -a : a;
}

/* Step 5. An axis along which src repeats itself has no speed. */
static void choose_plane(copy_plan *p) {
    while (p->rank < 2) {
        p->axes[p->rank++] = (copy_axis){.extent = 1};
    }
    int32_t fastest = 1;
    for (int32_t i = 2; i < p->rank; i++) {
        const int64_t step = magnitude(p->axes[i].src), best = magnitude(p->axes[fastest].src);
        if (step != 0 && (best == 0 || step < best)) fastest = i;
    }
    /* Where src is fastest along axis 0 too, the order of dst stays. */
    const copy_axis a = p->axes[fastest];
    if (a.src != 0 && magnitude(a.src) < magnitude(p->axes[0].src)) {
        memmove(&p->axes[2], &p->axes[1], (size_t)(fastest - 1) * sizeof a);
        p->axes[1] = a;
    }
    if (p->axes[1].src < 0) reverse_axis(p, &p->axes[1]);
}

/* ---- planes of single elements */

static ZL_ALWAYS_INLINE void swap_unit(char *dst, const char *src, size_t width) {
    if (width == 2) {
        uint16_t value;
        memcpy(&value, src, 2);
        value = __builtin_bswap16(value);
        memcpy(dst, &value, 2);
    } else if (width == 4) {
        uint32_t value;
        memcpy(&value, src, 4);
        value = __builtin_bswap32(value);
        memcpy(dst, &value, 4);
    } else {
        uint64_t value;
        memcpy(&value, src, 8);
        value = __builtin_bswap64(value);
        memcpy(dst, &value, 8);
    }
}

static ZL_ALWAYS_INLINE void copy_element(const copy_plan *p, char *dst, const char *src, size_t size, size_t swap_width) {
    if (swap_width == 0) {
        memcpy(dst, src, size);
    } else if (size <= 16) {
        for (size_t i = 0; i < size; i += swap_width) {
            swap_unit(dst + i, src + i, swap_width);
        }
    } else {
        p->kernels->swap(dst, src, swap_width, size / swap_width);
    }
}

/* Inlined with constants for the sizes that matter, so that an element is a load and a store. */
static ZL_ALWAYS_INLINE void walk_plane(const copy_plan *p, char *dst, const char *src, int64_t rows, int64_t columns,
                                        size_t size, size_t swap_width) {
    const copy_axis x = p->axes[0], y = p->axes[1];
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t r = 0; r < rows; r++) {
            copy_element(p, dst + c * y.dst + r * x.dst, src + c * y.src + r * x.src, size, swap_width);
        }
    }
}

static void copy_elements(const copy_plan *p, char *dst, const char *src, int64_t rows, int64_t columns) {
#define WALK(size, swap_width) walk_plane(p, dst, src, rows, columns, size, swap_width)
    switch ((uint64_t)p->size * 16 + p->swap_width) {
    case 1 * 16: WALK(1, 0); break;
    case 2 * 16: WALK(2, 0); break;
    case 4 * 16: WALK(4, 0); break;
    case 8 * 16: WALK(8, 0); break;
    case 16 * 16: WALK(16, 0); break;
    case 3 * 16: WALK(3, 0); break; /* three channels */
    case 6 * 16: WALK(6, 0); break;
    case 12 * 16: WALK(12, 0); break;
    case 2 * 16 + 2: WALK(2, 2); break;
    case 4 * 16 + 4: WALK(4, 4); break;
    case 8 * 16 + 8: WALK(8, 8); break;
    case 8 * 16 + 4: WALK(8, 4); break;   /* complex64 */
    case 16 * 16 + 8: WALK(16, 8); break; /* complex128 */
    default: WALK(p->size, p->swap_width); break;
    }
#undef WALK
}

/* ---- planes that src and dst run through in different directions
 *
 * They are cut into strips one cache line of dst wide, and these into blocks of 256 bytes of src: each line of dst is
 * written whole, once, and src is read in a few sequential streams. This needs the least of caches whose sets collide
 * because the distances are powers of two, which is what the shapes of chunks and arrays tend to be. */

enum { CACHE_LINE = 64, BLOCK_SRC = 256, BLOCK_COLUMNS_MIN = 16 };

static bool is_kernel_width(size_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

/* At most CACHE_LINE bytes of rows, BLOCK_SRC of columns. Rows of src are swapped into a buffer on their way. */
static void transpose_block(const copy_plan *p, char *dst, const char *src, int64_t rows, int64_t columns) {
    char buffer[CACHE_LINE / 2 * BLOCK_SRC]; /* elements to swap have at least two bytes */
    const size_t row_size = (size_t)columns * p->size;
    int64_t src_row = p->axes[0].src;
    if (p->swap_width != 0) {
        for (int64_t r = 0; r < rows; r++) {
            p->kernels->swap(buffer + (size_t)r * row_size, src + r * src_row, p->swap_width, row_size / p->swap_width);
        }
        src = buffer;
        src_row = (int64_t)row_size;
    }
    p->kernels->transpose(dst, p->axes[1].dst, src, src_row, p->size, (size_t)rows, (size_t)columns);
}

static void copy_blocks(const copy_plan *p, char *dst, const char *src) {
    const copy_axis x = p->axes[0], y = p->axes[1];
    const int64_t size = (int64_t)p->size;
    const bool transposes = x.dst == size && y.src == size && is_kernel_width(p->size);
    const int64_t x_step = zl_max_i64(x.dst, 1);
    const int64_t strip = zl_max_i64(CACHE_LINE / x_step, 1);
    const int64_t first_strip = (int64_t)(-(uintptr_t)dst % CACHE_LINE) / x_step; /* ends where a line ends */
    const int64_t block = zl_max_i64(BLOCK_SRC / y.src, BLOCK_COLUMNS_MIN);
    for (int64_t c = 0; c < y.extent; c += block) {
        const int64_t columns = zl_min_i64(block, y.extent - c);
        for (int64_t r = 0, rows; r < x.extent; r += rows) {
            rows = zl_min_i64(r == 0 && first_strip > 0 ? first_strip : strip, x.extent - r);
            char *to = dst + r * x.dst + c * y.dst;
            const char *from = src + r * x.src + c * y.src;
            if (transposes) {
                transpose_block(p, to, from, rows, columns);
            } else {
                copy_elements(p, to, from, rows, columns);
            }
        }
    }
}

/* ---- planes and what is around them */

static void fill_rows(const copy_plan *p, char *dst, const char *src) {
    const copy_axis x = p->axes[0], y = p->axes[1];
    for (int64_t c = 0; c < y.extent; c++) {
        char *row = dst + c * y.dst;
        copy_element(p, row, src + c * y.src, p->size, p->swap_width);
        p->kernels->fill(row + p->size, row, p->size, (size_t)(x.extent - 1));
    }
}

static void run_plane(const copy_plan *p, char *dst, const char *src) {
    const copy_axis x = p->axes[0], y = p->axes[1];
    if (x.src == 0 && x.dst == (int64_t)p->size) {
        fill_rows(p, dst, src);
    } else if (y.src != 0 && y.src < magnitude(x.src)) {
        copy_blocks(p, dst, src);
    } else {
        copy_elements(p, dst, src, x.extent, y.extent);
    }
}

/* Planes for all indices of the axes from `rank` down to 2. */
static void run_planes(const copy_plan *p, int32_t rank, char *dst, const char *src) {
    if (rank == 2) {
        run_plane(p, dst, src);
        return;
    }
    const copy_axis a = p->axes[rank - 1];
    for (int64_t i = 0; i < a.extent; i++) {
        run_planes(p, rank - 1, dst + i * a.dst, src + i * a.src);
    }
}

/* ---- the interface */

/* No src_stride: all zero. */
static void copy_box(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *src,
                     const int64_t *src_stride, size_t size, size_t swap_width) {
    copy_plan p; /* only as many axes as there are get a value */
    p.kernels = zl_kernels_get();
    p.dst = dst;
    p.src = src;
    p.size = size;
    p.swap_width = swap_width;
    if (size == 0 || !load_axes(&p, rank, shape, dst_stride, src_stride)) return;
    merge_axes(&p);
    absorb_rows(&p);
    choose_plane(&p);
    run_planes(&p, p.rank, p.dst, p.src);
}

void zl_copy_nd(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *src,
                const int64_t *src_stride, size_t size) {
    copy_box(rank, shape, dst, dst_stride, src, src_stride, size, 0);
}

void zl_copy_nd_swap(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *src,
                     const int64_t *src_stride, size_t size, size_t swap_width) {
    copy_box(rank, shape, dst, dst_stride, src, src_stride, size, swap_width > 1 ? swap_width : 0);
}

void zl_fill_nd(int32_t rank, const int64_t *shape, void *dst, const int64_t *dst_stride, const void *element,
                size_t size) {
    copy_box(rank, shape, dst, dst_stride, element, NULL, size, 0);
}
