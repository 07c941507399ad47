/* SPDX-License-Identifier: MIT */
/*
 * Tables of CRC-32C, written out by the preprocessor.
 *
 * A CRC state is a polynomial over GF(2) of degree below 32, modulo the Castagnoli polynomial P. In the reflected form used
 * here bit 31 is the coefficient of x^0 and bit 0 that of x^31, so P without its x^32 is 0x82f63b78. Appending a zero bit
 * to the message multiplies the state by x; appending n zero bytes multiplies it by x^(8n).
 *
 * Multiplying by a constant is linear: f(a ^ b) = f(a) ^ f(b). So the table of f over the 256 values of one byte of the
 * state follows from f of its 8 single bits, and only those are written down: ZL_CRC_BYTE(f(1), f(2), f(4), ... f(128))
 * makes the 256 entries. All of f is then four look-ups, one per byte of the state.
 */
#ifndef ZL_SIMD_CRC32C_TABLE_H
#define ZL_SIMD_CRC32C_TABLE_H

#define ZL_CRC_BIT(byte, bit, f) ((byte) >> (bit)&1u ? f##u : 0u)
#define ZL_CRC_1(b, f0, f1, f2, f3, f4, f5, f6, f7)                                                                     \
    (ZL_CRC_BIT(b, 0, f0) ^ ZL_CRC_BIT(b, 1, f1) ^ ZL_CRC_BIT(b, 2, f2) ^ ZL_CRC_BIT(b, 3, f3) ^ ZL_CRC_BIT(b, 4, f4) ^ \
     ZL_CRC_BIT(b, 5, f5) ^ ZL_CRC_BIT(b, 6, f6) ^ ZL_CRC_BIT(b, 7, f7))
#define ZL_CRC_4(b, ...) \
    ZL_CRC_1(b, __VA_ARGS__), ZL_CRC_1(b + 1, __VA_ARGS__), ZL_CRC_1(b + 2, __VA_ARGS__), ZL_CRC_1(b + 3, __VA_ARGS__)
#define ZL_CRC_16(b, ...) \
    ZL_CRC_4(b, __VA_ARGS__), ZL_CRC_4(b + 4, __VA_ARGS__), ZL_CRC_4(b + 8, __VA_ARGS__), ZL_CRC_4(b + 12, __VA_ARGS__)
#define ZL_CRC_64(b, ...)                                                                      \
    ZL_CRC_16(b, __VA_ARGS__), ZL_CRC_16(b + 16, __VA_ARGS__), ZL_CRC_16(b + 32, __VA_ARGS__), \
        ZL_CRC_16(b + 48, __VA_ARGS__)
#define ZL_CRC_BYTE(...) \
    { ZL_CRC_64(0, __VA_ARGS__), ZL_CRC_64(64, __VA_ARGS__), ZL_CRC_64(128, __VA_ARGS__), ZL_CRC_64(192, __VA_ARGS__) }

#endif
