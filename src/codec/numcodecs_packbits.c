/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.packbits: bools as an array of bytes. The first byte is the number of padding bits, then come the elements,
 * eight to a byte, the first one in the highest bit.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/packbits.html
 *
 * The registered codec packbits makes other bytes: it begins with the lowest bit.
 */
#include "codec/chain.h"

struct packbits {
    size_t count;
    uint8_t padding; /* bits */
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {NULL};
    (void)env;
    *self = NULL;
    return zl_json_only(configuration, keys, err);
}

static void emit(const void *self, zl_json_writer *writer) {
    (void)self;
    zl_json_write_object(writer);
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    static const uint8_t zero = 0;
    (void)env;
    *resolved = self;
    *out = (zl_level){zl_dtype_builtin(ZL_DTYPE_UINT8), &zero};
    if (in->dtype->id == ZL_DTYPE_BOOL) return ZL_OK;
    return zl_fail(err, ZL_ERR_METADATA, "numcodecs.packbits: elements are bool, not \"%s\"", in->dtype->name);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err) {
    (void)resolved, (void)level;
    int64_t count;
    if (!zl_shape_count(in, &count) || (uint64_t)count > SIZE_MAX) {
        return zl_fail(err, ZL_ERR_LIMIT, "numcodecs.packbits: a chunk has too many elements");
    }
    struct packbits *packbits = ZL_ARENA_NEW(arena, struct packbits);
    if (!packbits) return zl_fail_memory(err, sizeof *packbits);
    packbits->count = (size_t)count;
    packbits->padding = (uint8_t)(-(uint64_t)count & 7);
    out->rank = 1;
    out->dim[0] = 1 + zl_ceil_div(count, 8);
    *bound = packbits;
    return ZL_OK;
}

static zl_status decode(const void *bound, const void *src, void *dst, const zl_call *call) {
    const struct packbits *packbits = bound;
    const uint8_t *from = src;
    uint8_t *to = dst;
    if (from[0] != packbits->padding) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "numcodecs.packbits: the chunk tells of %u padding bits, it has %u",
                       from[0], packbits->padding);
    }
    for (size_t i = 0; i < packbits->count; i++) {
        to[i] = from[1 + i / 8] >> (7 - i % 8) & 1;
    }
    return ZL_OK;
}

static zl_status encode(const void *bound, const void *src, void *dst, const zl_call *call) {
    (void)call;
    const struct packbits *packbits = bound;
    const uint8_t *from = src;
    uint8_t *to = dst;
    to[0] = packbits->padding;
    memset(to + 1, 0, (packbits->count + 7) / 8);
    for (size_t i = 0; i < packbits->count; i++) {
        if (from[i]) to[1 + i / 8] |= (uint8_t)(0x80 >> i % 8);
    }
    return ZL_OK;
}

static const zl_aa_ops aa = {.decode = decode, .encode = encode};

const zl_codec_class zl_codec_numcodecs_packbits = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.packbits",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/packbits.html",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .aa = &aa,
};
