/* SPDX-License-Identifier: MIT */
#include "dtype/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t padding_of(const char *text, size_t size) {
    if (size == 0 || text[size - 1] != '=') return 0;
    return text[size - 2] == '=' ? 2 : 1;
}

bool zl_base64_decoded_size(const char *text, size_t size, size_t *out) {
    if (size % 4 != 0) return false;
    *out = size / 4 * 3 - padding_of(text, size);
    return true;
}

/* The six bits of a character, or -1. */
static int bits_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool zl_base64_decode(const char *text, size_t size, uint8_t *out) {
    const size_t characters = size - padding_of(text, size);
    uint32_t buffer = 0;
    unsigned held = 0; /* bits of `buffer` that are not written yet */
    for (size_t i = 0; i < characters; i++) {
        const int bits = bits_of(text[i]);
        if (bits < 0) return false;
        buffer = buffer << 6 | (uint32_t)bits;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        *out++ = (uint8_t)(buffer >> held);
        buffer &= (1u << held) - 1;
    }
    return buffer == 0;
}

void zl_base64_encode(const uint8_t *bytes, size_t size, char *out) {
    for (; size > 0; out += 4) {
        const size_t count = size < 3 ? size : 3;
        const uint32_t b1 = count > 1 ? bytes[1] : 0;
        const uint32_t b2 = count > 2 ? bytes[2] : 0;
        const uint32_t group = (uint32_t)bytes[0] << 16 | b1 << 8 | b2;
        out[0] = alphabet[group >> 18];
        out[1] = alphabet[group >> 12 & 63];
        out[2] = count > 1 ? alphabet[group >> 6 & 63] : '=';
        out[3] = count > 2 ? alphabet[group & 63] : '=';
        bytes += count;
        size -= count;
    }
}
