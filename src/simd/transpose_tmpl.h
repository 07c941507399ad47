/* SPDX-License-Identifier: MIT */
/*
 * Transposed copies through registers; included once per level, which defines NAME(x), TARGET, VECTOR, LANES (16-byte lanes
 * of a VECTOR), LOAD(p, lane_step), STORE(p, v), ZIP_LOW(width, a, b), ZIP_HIGH(width, a, b) and BELOW (the next lower
 * level).
 *
 * A 16-byte lane holds n = 16 / width elements. Zipping interleaves the elements of the low (high) halves of two lanes.
 * Write the place of an element in n rows of n as the bits of its row and of its column; zipping row i with row i + n/2
 * into rows 2i and 2i + 1 rotates those 2 log2(n) bits by one, so after log2(n) rounds row and column have changed places.
 * Lanes do not mix: lane k starts n*k rows further down, and one store then writes LANES * n elements that are neighbours
 * in dst.
 */

/* LANES * n rows by n columns. Inlined with a constant width: the arrays become registers. */
static ZL_ALWAYS_INLINE TARGET void NAME(tile)(char *dst, int64_t dst_column, const char *src, int64_t src_row,
                                               size_t width) {
    const size_t n = 16 / width;
    VECTOR a[16], b[16];
#pragma GCC unroll 16
    for (size_t i = 0; i < n; i++) {
        a[i] = LOAD(src + (int64_t)i * src_row, (int64_t)n * src_row);
    }
#pragma GCC unroll 4
    for (size_t round = 1; round < n; round *= 2) {
#pragma GCC unroll 8
        for (size_t i = 0; i < n / 2; i++) {
            b[2 * i] = ZIP_LOW(width, a[i], a[i + n / 2]);
            b[2 * i + 1] = ZIP_HIGH(width, a[i], a[i + n / 2]);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < n; i++) {
            a[i] = b[i];
        }
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < n; i++) {
        STORE(dst + (int64_t)i * dst_column, a[i]);
    }
}

static ZL_ALWAYS_INLINE TARGET void NAME(tiles)(char *dst, int64_t dst_column, const char *src, int64_t src_row,
                                                size_t width, size_t rows, size_t columns) {
    const size_t tile_columns = 16 / width, tile_rows = LANES * tile_columns;
    for (size_t c = 0; c < columns; c += tile_columns) {
        for (size_t r = 0; r < rows; r += tile_rows) {
            char *to = dst + r * width + (int64_t)c * dst_column;
            const char *from = src + (int64_t)r * src_row + c * width;
            NAME(tile)(to, dst_column, from, src_row, width);
        }
    }
}

/* Whole tiles here; the edges are the business of the level below. */
TARGET void NAME(zl_transpose)(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                               size_t columns) {
    const size_t tile_columns = 16 / width, tile_rows = LANES * tile_columns;
    const size_t r = rows - rows % tile_rows, c = columns - columns % tile_columns;
    switch (width) {
    case 1: NAME(tiles)(dst, dst_column, src, src_row, 1, r, c); break;
    case 2: NAME(tiles)(dst, dst_column, src, src_row, 2, r, c); break;
    case 4: NAME(tiles)(dst, dst_column, src, src_row, 4, r, c); break;
    case 8: NAME(tiles)(dst, dst_column, src, src_row, 8, r, c); break;
    default: NAME(tiles)(dst, dst_column, src, src_row, 16, r, c); break;
    }
    if (c < columns && r > 0) {
        BELOW((char *)dst + (int64_t)c * dst_column, dst_column, (const char *)src + c * width, src_row, width, r,
              columns - c);
    }
    if (r < rows) {
        BELOW((char *)dst + r * width, dst_column, (const char *)src + (int64_t)r * src_row, src_row, width, rows - r,
              columns);
    }
}
