/* SPDX-License-Identifier: MIT */
/*
 * The kernels in plain C: the specification that every other level is tested against, and what runs where there is none.
 * `all_equal` and `fill` exist only here, since the C library's memcmp, memset and memcpy are vectorised already.
 */
#include "simd/crc32c_table.h"
#include "simd/levels.h"

/* ---- swap */

static void swap_2(char *dst, const char *src, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t value;
        memcpy(&value, src + 2 * i, 2);
        value = __builtin_bswap16(value);
        memcpy(dst + 2 * i, &value, 2);
    }
}

static void swap_4(char *dst, const char *src, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, src + 4 * i, 4);
        value = __builtin_bswap32(value);
        memcpy(dst + 4 * i, &value, 4);
    }
}

static void swap_8(char *dst, const char *src, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, src + 8 * i, 8);
        value = __builtin_bswap64(value);
        memcpy(dst + 8 * i, &value, 8);
    }
}

void zl_swap_scalar(void *dst, const void *src, size_t width, size_t count) {
    switch (width) {
    case 2: swap_2(dst, src, count); break;
    case 4: swap_4(dst, src, count); break;
    case 8: swap_8(dst, src, count); break;
    default:
        if (dst != src && count != 0) memcpy(dst, src, width * count);
    }
}

/* ---- transpose */

/* Inlined with a constant `width`, which makes each memcpy one load and one store. Runs along dst: writes that jump cost
 * more than reads that do. */
static ZL_ALWAYS_INLINE void transpose_width(char *dst, int64_t dst_column, const char *src, int64_t src_row, size_t width,
                                             size_t rows, size_t columns) {
    for (size_t c = 0; c < columns; c++) {
        char *to = dst + (int64_t)c * dst_column;
        const char *from = src + c * width;
        for (size_t r = 0; r < rows; r++) {
            memcpy(to + r * width, from + (int64_t)r * src_row, width);
        }
    }
}

void zl_transpose_scalar(void *dst, int64_t dst_column, const void *src, int64_t src_row, size_t width, size_t rows,
                         size_t columns) {
    switch (width) {
    case 1: transpose_width(dst, dst_column, src, src_row, 1, rows, columns); break;
    case 2: transpose_width(dst, dst_column, src, src_row, 2, rows, columns); break;
    case 4: transpose_width(dst, dst_column, src, src_row, 4, rows, columns); break;
    case 8: transpose_width(dst, dst_column, src, src_row, 8, rows, columns); break;
    default: transpose_width(dst, dst_column, src, src_row, 16, rows, columns); break;
    }
}

/* ---- all_equal and fill */

/* All elements are equal if the first is the wanted one and each equals the one before it: the data are compared with
 * themselves, one element later. */
bool zl_all_equal_scalar(const void *data, const void *element, size_t size, size_t count) {
    if (size == 0 || count == 0) return true;
    return memcmp(data, element, size) == 0 && memcmp((const char *)data + size, data, (count - 1) * size) == 0;
}

/* Small elements that divide 16 bytes: one register is stored again and again. */
static void fill_pattern(char *dst, const char *element, size_t size, size_t total) {
    char pattern[16];
    for (size_t i = 0; i < sizeof pattern; i += size) {
        memcpy(pattern + i, element, size);
    }
    size_t i = 0;
    for (; total - i >= sizeof pattern; i += sizeof pattern) {
        memcpy(dst + i, pattern, sizeof pattern);
    }
    memcpy(dst + i, pattern, total - i);
}

/* Any size: what is filled already is copied behind itself, doubling until the block is as large as fits a first level
 * cache with what it is copied to. */
static void fill_doubling(char *dst, const char *element, size_t size, size_t total) {
    memcpy(dst, element, size);
    size_t block = size;
    for (size_t done = size; done < total;) {
        const size_t step = block < total - done ? block : total - done;
        memcpy(dst + done, dst, step);
        done += step;
        if (block < 8 * ZL_KIB) block = done;
    }
}

void zl_fill_scalar(void *dst, const void *element, size_t size, size_t count) {
    if (size == 0 || count == 0) return;
    const unsigned char first = *(const unsigned char *)element;
    if (zl_all_equal_scalar(element, &first, 1, size)) {
        memset(dst, first, size * count);
    } else if (16 % size == 0) {
        fill_pattern(dst, element, size, size * count);
    } else {
        fill_doubling(dst, element, size, size * count);
    }
}

/* ---- crc32c: eight bytes at a time. Table k maps a byte to its share of the state after k more bytes have passed, that is
 * multiplied by x^(8k+8), so the shares of eight bytes can be looked up at once and summed. */

static const uint32_t slices[8][256] = {
    ZL_CRC_BYTE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    ZL_CRC_BYTE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    ZL_CRC_BYTE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    ZL_CRC_BYTE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    ZL_CRC_BYTE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    ZL_CRC_BYTE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    ZL_CRC_BYTE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    ZL_CRC_BYTE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

static uint32_t load_le32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t slice_4(const uint32_t table[4][256], uint32_t word) {
    return table[3][word & 255] ^ table[2][word >> 8 & 255] ^ table[1][word >> 16 & 255] ^ table[0][word >> 24];
}

uint32_t zl_crc32c_scalar(uint32_t crc, const void *data, size_t size) {
    const unsigned char *p = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        crc = slice_4(slices + 4, crc ^ load_le32(p)) ^ slice_4(slices, load_le32(p + 4));
    }
    for (; size > 0; size--, p++) {
        crc = crc >> 8 ^ slices[0][(crc ^ *p) & 255];
    }
    return ~crc;
}
