/* SPDX-License-Identifier: MIT */
/*
 * Byte order reversal by a byte shuffle; included once per level, which defines NAME(x), TARGET, VECTOR, LOAD_INDEX(p) (16
 * bytes, in every lane), LOAD_ROW(p), STORE(p, v) and SHUFFLE(v, index).
 */
TARGET void NAME(zl_swap)(void *dst, const void *src, size_t width, size_t count) {
    /* Byte i of a lane comes from byte i ^ (width - 1). */
    static const uint8_t reversed[4][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
        {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
        {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
    };
    char *to = dst;
    const char *from = src;
    const VECTOR index = LOAD_INDEX(reversed[__builtin_ctzll(width)]);
    const size_t size = width * count;
    size_t i = 0;
    for (; size - i >= 2 * sizeof(VECTOR); i += 2 * sizeof(VECTOR)) {
        const VECTOR a = LOAD_ROW(from + i), b = LOAD_ROW(from + i + sizeof(VECTOR));
        STORE(to + i, SHUFFLE(a, index));
        STORE(to + i + sizeof(VECTOR), SHUFFLE(b, index));
    }
    if (i < size) zl_swap_scalar(to + i, from + i, width, (size - i) / width);
}
