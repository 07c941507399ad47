/* SPDX-License-Identifier: MIT */
/*
 * crc32c: the content unchanged, and its CRC-32C (RFC 3720) as 4 bytes behind it, little-endian.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/
 */
#include "codec/chain.h"
#include "simd/kernels.h"

#define CHECKSUM_SIZE 4

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    (void)env;
    static const char *const keys[] = {NULL};
    *self = NULL;
    return zl_json_only(configuration, keys, err);
}

static void extent(const void *bound, uint32_t *head, uint32_t *tail) {
    (void)bound;
    *head = 0;
    *tail = CHECKSUM_SIZE;
}

static zl_status check(const void *bound, zl_span frame, const zl_call *call) {
    (void)bound;
    if (frame.size < CHECKSUM_SIZE) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "crc32c: %zu bytes, a checksum alone has %d", frame.size, CHECKSUM_SIZE);
    }
    const size_t size = frame.size - CHECKSUM_SIZE;
    const uint8_t *tail = frame.data + size;
    const uint32_t stored = (uint32_t)tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
    const uint32_t computed = zl_kernels_get()->crc32c(0, frame.data, size);
    if (computed == stored) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "crc32c: %zu bytes have checksum %08x, but %08x is stored", size,
                   (unsigned)computed, (unsigned)stored);
}

static zl_status seal(const void *bound, const zl_span *spans, size_t n, uint8_t *head, uint8_t *tail,
                      const zl_call *call) {
    (void)bound, (void)head, (void)call;
    uint32_t crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc = zl_kernels_get()->crc32c(crc, spans[i].data, spans[i].size);
    }
    for (int i = 0; i < CHECKSUM_SIZE; i++) {
        tail[i] = (uint8_t)(crc >> (8 * i));
    }
    return ZL_OK;
}

static const zl_bb_ops bb = {.extent = extent, .check = check, .seal = seal};

const zl_codec_class zl_codec_crc32c = {
    .size = sizeof(zl_codec_class),
    .name = "crc32c",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/",
    .parse = parse,
    .bb = &bb,
};
