/* SPDX-License-Identifier: MIT */
/*
 * gzip (RFC 1952), and numcodecs.gzip and numcodecs.zlib (RFC 1950) of older writers: DEFLATE by libdeflate.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/
 *       https://numcodecs.readthedocs.io/en/stable/compression/zlib.html
 *
 * All members of a gzip stream are decoded; anything else behind a member, or behind the one zlib stream, is an error,
 * whatever gunzip says to it. libdeflate decodes one whole member into memory that is large enough or fails, so a growable
 * sink is doubled and the member decoded again: at most as much work again as the member takes. The size at the end of a
 * member is only a first guess.
 */
#include <libdeflate.h>
#include <stdlib.h>

#include "codec/stream.h"

#define LEVEL_COUNT 10
/* Most that a byte of DEFLATE can stand for: matches of 258 bytes at 2 bits each. */
#define DEFLATE_RATIO 1032

/* How DEFLATE is wrapped. */
struct wrapper {
    const char *name;
    bool members; /* several may follow each other, each ends with its size */
    enum libdeflate_result (*decompress)(struct libdeflate_decompressor *, const void *, size_t, void *, size_t, size_t *,
                                         size_t *);
    size_t (*compress)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);
    size_t (*bound)(struct libdeflate_compressor *, size_t);
};

static const struct wrapper gzip_wrapper = {"gzip", true, libdeflate_gzip_decompress_ex, libdeflate_gzip_compress,
                                            libdeflate_gzip_compress_bound};
static const struct wrapper zlib_wrapper = {"zlib", false, libdeflate_zlib_decompress_ex, libdeflate_zlib_compress,
                                            libdeflate_zlib_compress_bound};

struct deflate {
    const struct wrapper *wrapper;
    int level;
};

/* `level` is what it is when it is not given. */
static zl_status make(const zl_json *configuration, const struct wrapper *wrapper, int64_t low, int64_t level,
                      const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"level", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_to_within(zl_json_member(configuration, "level"), low, LEVEL_COUNT - 1, &level, err));
    struct deflate *deflate = ZL_ARENA_NEW(env->arena, struct deflate);
    if (!deflate) return zl_fail_memory(err, sizeof *deflate);
    deflate->wrapper = wrapper;
    deflate->level = level < 0 ? 6 : (int)level; /* zlib's -1 is its default */
    *self = deflate;
    return ZL_OK;
}

static zl_status parse_gzip(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    const zl_json *level;
    ZL_TRY(zl_json_require(configuration, "level", &level, err));
    return make(configuration, &gzip_wrapper, 0, 0, env, self, err);
}

static zl_status parse_numcodecs_gzip(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    return make(configuration, &gzip_wrapper, -1, 1, env, self, err);
}

static zl_status parse_numcodecs_zlib(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    return make(configuration, &zlib_wrapper, -1, 1, env, self, err);
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct deflate *deflate = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, deflate->level);
    zl_json_write_end(writer);
}

/* ---- contexts that a thread keeps */

static const char decompressor_tag;
static const char compressors_tag;

static void *decompressor_new(void) {
    return libdeflate_alloc_decompressor();
}
static void decompressor_free(void *object) {
    libdeflate_free_decompressor(object);
}

/* One compressor for each level, made on first need. */
struct compressors {
    struct libdeflate_compressor *level[LEVEL_COUNT];
};

static void *compressors_new(void) {
    return calloc(1, sizeof(struct compressors));
}

static void compressors_free(void *object) {
    struct compressors *compressors = object;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        libdeflate_free_compressor(compressors->level[i]);
    }
    free(compressors);
}

static struct libdeflate_compressor *get_compressor(int level, const zl_call *call) {
    struct compressors *compressors = zl_call_object(call, &compressors_tag, compressors_new, compressors_free);
    if (!compressors) return NULL;
    if (!compressors->level[level]) compressors->level[level] = libdeflate_alloc_compressor(level);
    return compressors->level[level];
}

/* ---- decoding */

/* ISIZE, the last 4 bytes of a gzip member: its content size modulo 2^32. */
static uint64_t guess_size(const struct wrapper *wrapper, zl_span src) {
    if (!wrapper->members || src.size < 4) return zl_sat_mul(src.size, 4);
    const uint8_t *tail = src.data + src.size - 4;
    return (uint64_t)tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16 | (uint64_t)tail[3] << 24;
}

/* Decodes the member at the start of `src`; `used` is its size. */
static zl_status decode_member(const struct wrapper *wrapper, struct libdeflate_decompressor *decompressor, zl_span src,
                               zl_sink *out, size_t *used, const zl_call *call) {
    for (;;) {
        size_t written = 0;
        const enum libdeflate_result result =
            wrapper->decompress(decompressor, src.data, src.size, zl_stream_end(out), zl_stream_room(out), used, &written);
        switch (result) {
        case LIBDEFLATE_SUCCESS: out->size += written; return ZL_OK;
        case LIBDEFLATE_INSUFFICIENT_SPACE: ZL_TRY(zl_stream_grow(out, wrapper->name, call)); break;
        default:
            return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: the %zu bytes are damaged, cut off or no stream", wrapper->name,
                           src.size);
        }
    }
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct wrapper *wrapper = ((const struct deflate *)bound)->wrapper;
    struct libdeflate_decompressor *decompressor =
        zl_call_object(call, &decompressor_tag, decompressor_new, decompressor_free);
    if (!decompressor) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "%s: out of memory for a decompressor", wrapper->name);
    if (src.size == 0) return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: 0 bytes hold no stream", wrapper->name);
    ZL_TRY(zl_stream_start(out, guess_size(wrapper, src), src.size, DEFLATE_RATIO, call));
    size_t done = 0;
    do {
        size_t used = 0;
        const zl_span rest = {src.data + done, src.size - done};
        const zl_status status = decode_member(wrapper, decompressor, rest, out, &used, call);
        if (status != ZL_OK) return zl_error_wrap(call->err, status, "at byte %zu of %zu: ", done, src.size);
        done += used;
    } while (done < src.size && wrapper->members);
    if (done < src.size) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: %zu bytes behind the stream", wrapper->name, src.size - done);
    }
    return zl_stream_finish(out, wrapper->name, call);
}

/* ---- encoding */

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    const struct deflate *deflate = bound;
    if (size > SIZE_MAX / 2) return UINT64_MAX;
    return deflate->wrapper->bound(NULL, (size_t)size);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct deflate *deflate = bound;
    const struct wrapper *wrapper = deflate->wrapper;
    struct libdeflate_compressor *compressor = get_compressor(deflate->level, call);
    if (!compressor) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "%s: out of memory for a compressor", wrapper->name);
    ZL_TRY(zl_sink_reserve(out, wrapper->bound(compressor, src.size), call->err));
    const size_t written = wrapper->compress(compressor, src.data, src.size, zl_stream_end(out), zl_stream_room(out));
    if (written == 0)
        return zl_fail(call->err, ZL_ERR_INTERNAL, "%s: %zu bytes did not fit their bound", wrapper->name, src.size);
    out->size += written;
    return ZL_OK;
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_gzip = {
    .size = sizeof(zl_codec_class),
    .name = "gzip",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/",
    .parse = parse_gzip,
    .emit = emit,
    .bb = &bb,
};

const zl_codec_class zl_codec_numcodecs_gzip = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.gzip",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/gzip.html",
    .parse = parse_numcodecs_gzip,
    .emit = emit,
    .bb = &bb,
};

const zl_codec_class zl_codec_numcodecs_zlib = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.zlib",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/zlib.html",
    .parse = parse_numcodecs_zlib,
    .emit = emit,
    .bb = &bb,
};
