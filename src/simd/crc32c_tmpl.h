/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C by the instruction that adds eight bytes to a state; included once per architecture, which defines NAME(x),
 * TARGET, ADD_8(crc, u64) and ADD_1(crc, u8). See crc32c_table.h for the maths.
 *
 * The instruction takes three cycles but one can start in each, so three neighbouring blocks A, B, C of n bytes are added
 * to three states at once. The state after ABC is then state(A) x^(16n) + state(B) x^(8n) + state(C), where B and C start
 * from zero. Two block lengths keep the cost of joining small for large data and make small data profit too.
 */
enum { NAME(long_block) = 4096, NAME(short_block) = 256 };

/* Multiplication by x^(8 * 4096). */
static const uint32_t NAME(skip_long)[4][256] = {
    ZL_CRC_BYTE(0xc2a5b65e, 0x80a71a4d, 0x04a2426b, 0x094484d6, 0x128909ac, 0x25121358, 0x4a2426b0, 0x94484d60),
    ZL_CRC_BYTE(0x2d7cec31, 0x5af9d862, 0xb5f3b0c4, 0x6e0b1779, 0xdc162ef2, 0xbdc02b15, 0x7e6c20db, 0xfcd841b6),
    ZL_CRC_BYTE(0xfc5cf59d, 0xfd559dcb, 0xff474d67, 0xfb62ec3f, 0xf329ae8f, 0xe3bf2bef, 0xc292212f, 0x80c834af),
    ZL_CRC_BYTE(0x047c1faf, 0x08f83f5e, 0x11f07ebc, 0x23e0fd78, 0x47c1faf0, 0x8f83f5e0, 0x1aeb9d31, 0x35d73a62),
};
/* Multiplication by x^(8 * 256). */
static const uint32_t NAME(skip_short)[4][256] = {
    ZL_CRC_BYTE(0xdcb17aa4, 0xbc8e83b9, 0x7cf17183, 0xf9e2e306, 0xf629b0fd, 0xe9bf170b, 0xd69258e7, 0xa8c8c73f),
    ZL_CRC_BYTE(0x547df88f, 0xa8fbf11e, 0x541b94cd, 0xa837299a, 0x558225c5, 0xab044b8a, 0x53e4e1e5, 0xa7c9c3ca),
    ZL_CRC_BYTE(0x4a7ff165, 0x94ffe2ca, 0x2c13b365, 0x582766ca, 0xb04ecd94, 0x6571edd9, 0xcae3dbb2, 0x902bc195),
    ZL_CRC_BYTE(0x25bbf5db, 0x4b77ebb6, 0x96efd76c, 0x2833d829, 0x5067b052, 0xa0cf60a4, 0x4472b7b9, 0x88e56f72),
};

static uint32_t NAME(skip)(const uint32_t table[4][256], uint32_t crc) {
    return table[0][crc & 255] ^ table[1][crc >> 8 & 255] ^ table[2][crc >> 16 & 255] ^ table[3][crc >> 24];
}

static ZL_ALWAYS_INLINE TARGET uint32_t NAME(add_8)(uint32_t crc, const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return ADD_8(crc, word);
}

static TARGET uint32_t NAME(add_three_blocks)(uint32_t crc, const unsigned char *p, size_t block,
                                              const uint32_t skip[4][256]) {
    uint32_t b = 0, c = 0;
    for (size_t i = 0; i < block; i += 8) {
        crc = NAME(add_8)(crc, p + i);
        b = NAME(add_8)(b, p + block + i);
        c = NAME(add_8)(c, p + 2 * block + i);
    }
    return NAME(skip)(skip, NAME(skip)(skip, crc) ^ b) ^ c;
}

TARGET uint32_t NAME(zl_crc32c)(uint32_t crc, const void *data, size_t size) {
    const unsigned char *p = data;
    enum { LONG = 3 * NAME(long_block), SHORT = 3 * NAME(short_block) };
    crc = ~crc;
    for (; size >= LONG; size -= LONG, p += LONG) {
        crc = NAME(add_three_blocks)(crc, p, NAME(long_block), NAME(skip_long));
    }
    for (; size >= SHORT; size -= SHORT, p += SHORT) {
        crc = NAME(add_three_blocks)(crc, p, NAME(short_block), NAME(skip_short));
    }
    for (; size >= 8; size -= 8, p += 8) {
        crc = NAME(add_8)(crc, p);
    }
    for (; size > 0; size--, p++) {
        crc = ADD_1(crc, *p);
    }
    return ~crc;
}
