/* SPDX-License-Identifier: MIT */
/* Well-formed UTF-8 as the Unicode standard defines it (table 3-7): no surrogates, no overlong forms, up to U+10FFFF. */
#include "base/base.h"

/* Length of the character at `text`, or 0 where it is not well-formed. */
static size_t char_length(const unsigned char *text, size_t size) {
    const unsigned char lead = text[0];
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (size < length) return 0;
    /* The second byte alone tells overlong forms, surrogates and what lies beyond U+10FFFF. */
    const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    return length;
}

size_t zl_utf8_check(const void *text, size_t size) {
    const unsigned char *bytes = text;
    size_t at = 0;
    while (at < size) {
        uint64_t word;
        if (size - at >= sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof word;
                continue;
            }
        }
        const size_t length = char_length(bytes + at, size - at);
        if (length == 0) return at;
        at += length;
    }
    return size;
}

bool zl_utf8_valid(const void *text, size_t size) {
    return zl_utf8_check(text, size) == size;
}

size_t zl_utf8_cut(const char *text, size_t size) {
    size_t at = size;
    while (at > 0 && size - at < 3 && ((unsigned char)text[at - 1] & 0xc0) == 0x80) {
        at--;
    }
    if (at == 0) return size;
    const unsigned char lead = (unsigned char)text[at - 1];
    const size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return at - 1 + length > size ? at - 1 : size;
}
