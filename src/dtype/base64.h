/* SPDX-License-Identifier: MIT */
/* Base64 with the standard alphabet and padding (RFC 4648, section 4): how fill values carry bytes. */
#ifndef ZL_DTYPE_BASE64_H
#define ZL_DTYPE_BASE64_H

#include "base/base.h"

/* Bytes that `size` characters stand for; false when that is no multiple of 4 or the padding is misplaced. */
bool zl_base64_decoded_size(const char *text, size_t size, size_t *out);
/* Writes as many bytes as zl_base64_decoded_size said. False: a character that is none of the alphabet's, or bits set that
 * padding cuts off. */
bool zl_base64_decode(const char *text, size_t size, uint8_t *out);

static inline size_t zl_base64_encoded_size(size_t size) {
    return (size / 3 + (size % 3 != 0)) * 4;
}
/* Writes that many characters, no NUL byte. */
void zl_base64_encode(const uint8_t *bytes, size_t size, char *out);

#endif
