/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.lz4: the content size as uint32, little-endian, and one block of LZ4, by liblz4.
 * Spec: https://numcodecs.readthedocs.io/en/stable/compression/lz4.html
 */
#include <lz4.h>

#include "codec/stream.h"

#define HEADER_SIZE 4
/* A byte of LZ4 stands for 255 bytes at most; the header is allowed for a little. */
#define LZ4_RATIO 256

struct lz4 {
    int acceleration;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"acceleration", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t acceleration = 1;
    const zl_json *value = zl_json_member(configuration, "acceleration");
    if (value) ZL_TRY(zl_json_to_i64(value, &acceleration, err));
    struct lz4 *lz4 = ZL_ARENA_NEW(env->arena, struct lz4);
    if (!lz4) return zl_fail_memory(err, sizeof *lz4);
    /* liblz4 takes what is out of its range as the nearest in it, and so did every writer. */
    lz4->acceleration = (int)zl_max_i64(1, zl_min_i64(acceleration, INT32_MAX));
    *self = lz4;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct lz4 *lz4 = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "acceleration");
    zl_json_write_i64(writer, lz4->acceleration);
    zl_json_write_end(writer);
}

/* The content size that the header tells of, checked against what is there and what may be. */
static zl_status read_header(zl_span src, const zl_sink *out, size_t *size, zl_error *err) {
    if (src.size < HEADER_SIZE || src.size > INT32_MAX) {
        return zl_fail(err, ZL_ERR_CORRUPT, "lz4: %zu bytes cannot be a header and a block", src.size);
    }
    const uint32_t told =
        (uint32_t)src.data[0] | (uint32_t)src.data[1] << 8 | (uint32_t)src.data[2] << 16 | (uint32_t)src.data[3] << 24;
    if (told > LZ4_MAX_INPUT_SIZE || told > zl_sat_mul(src.size, LZ4_RATIO)) {
        return zl_fail(err, ZL_ERR_CORRUPT, "lz4: %zu bytes cannot hold the %u that the header tells of", src.size, told);
    }
    const size_t most = out->fixed ? out->cap : out->max;
    if (told > most || (out->fixed && told != most)) {
        return zl_fail(err, ZL_ERR_CORRUPT, "lz4: the block holds %u bytes, the chunk %s %zu", told,
                       out->fixed ? "needs" : "may hold", most);
    }
    *size = told;
    return ZL_OK;
}

static zl_status fail_damaged(zl_span src, const zl_call *call) {
    return zl_fail(call->err, ZL_ERR_CORRUPT, "lz4: a block of %zu bytes is damaged", src.size);
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    (void)bound;
    size_t size = 0;
    ZL_TRY(read_header(src, out, &size, call->err));
    if (!out->fixed) ZL_TRY(zl_sink_reserve(out, size, call->err));
    char none; /* liblz4 wants an address for 0 bytes as well */
    char *to = size ? (char *)zl_stream_end(out) : &none;
    const int written =
        LZ4_decompress_safe((const char *)src.data + HEADER_SIZE, to, (int)src.size - HEADER_SIZE, (int)size);
    if (written < 0 || (size_t)written != size) return fail_damaged(src, call);
    out->size += size;
    return ZL_OK;
}

/* A block is decoded from its beginning on. */
static zl_range part(const void *bound, zl_span src, uint64_t size, zl_range wanted, const zl_call *call) {
    (void)bound, (void)src, (void)size, (void)call;
    return (zl_range){0, wanted.offset + wanted.length};
}

static zl_status decode_part(const void *bound, zl_span src, uint64_t size, zl_range wanted, uint8_t *into,
                             const zl_call *call) {
    (void)bound;
    const zl_sink whole = {.cap = (size_t)size, .max = (size_t)size, .fixed = true};
    size_t told;
    ZL_TRY(read_header(src, &whole, &told, call->err));
    const int length = (int)wanted.length; /* less than `told` */
    const int written = LZ4_decompress_safe_partial((const char *)src.data + HEADER_SIZE, (char *)into,
                                                    (int)src.size - HEADER_SIZE, length, length);
    return written == length ? ZL_OK : fail_damaged(src, call);
}

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    /* LZ4_compressBound, which is 0 for sizes that encode refuses. */
    return zl_sat_add(zl_sat_add(size, size / 255), 16 + HEADER_SIZE);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct lz4 *lz4 = bound;
    if (src.size > LZ4_MAX_INPUT_SIZE) {
        return zl_fail(call->err, ZL_ERR_LIMIT, "lz4: a chunk of %zu bytes, the format holds at most %d", src.size,
                       LZ4_MAX_INPUT_SIZE);
    }
    const int room = LZ4_compressBound((int)src.size);
    ZL_TRY(zl_sink_reserve(out, HEADER_SIZE + (size_t)room, call->err));
    uint8_t *to = zl_stream_end(out);
    for (int i = 0; i < HEADER_SIZE; i++) {
        to[i] = (uint8_t)(src.size >> (8 * i));
    }
    const int written =
        LZ4_compress_fast((const char *)src.data, (char *)to + HEADER_SIZE, (int)src.size, room, lz4->acceleration);
    if (written <= 0) return zl_fail(call->err, ZL_ERR_INTERNAL, "lz4: %zu bytes did not fit their bound", src.size);
    out->size += HEADER_SIZE + (size_t)written;
    return ZL_OK;
}

static const zl_bb_ops bb = {
    .decode = decode, .encode = encode, .bound = encoded_bound, .part = part, .decode_part = decode_part};

const zl_codec_class zl_codec_numcodecs_lz4 = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.lz4",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/lz4.html",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};
