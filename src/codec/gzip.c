/* SPDX-License-Identifier: MIT */
/*
 * gzip: RFC 1952, by libdeflate.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/
 *
 * All members of a stream are decoded; anything else behind a member is an error, whatever gunzip says to it. libdeflate
 * decodes one whole member into memory that is large enough or fails, so a growable sink is doubled and the member decoded
 * again: at most as much work again as the member takes. The size at the end of a member is only a first guess.
 */
#include <libdeflate.h>
#include <stdlib.h>

#include "codec/stream.h"

#define LEVEL_COUNT 10
/* Most that a byte of DEFLATE can stand for: matches of 258 bytes at 2 bits each. */
#define DEFLATE_RATIO 1032

struct gzip {
    int level;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"level", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t level;
    ZL_TRY(zl_json_get_i64(configuration, "level", &level, err));
    if (level < 0 || level >= LEVEL_COUNT) {
        return zl_json_fail(zl_json_member(configuration, "level"), err, ZL_ERR_METADATA, "level %lld is not within 0 to 9",
                            (long long)level);
    }
    struct gzip *gzip = ZL_ARENA_NEW(env->arena, struct gzip);
    if (!gzip) return zl_fail_memory(err, sizeof *gzip);
    gzip->level = (int)level;
    *self = gzip;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct gzip *gzip = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, gzip->level);
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

/* ISIZE, the last 4 bytes: content size modulo 2^32 of the last member. */
static uint64_t guess_size(zl_span src) {
    if (src.size < 4) return 0;
    const uint8_t *tail = src.data + src.size - 4;
    return (uint64_t)tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16 | (uint64_t)tail[3] << 24;
}

/* Decodes the member at the start of `src`; `used` is its size. */
static zl_status decode_member(struct libdeflate_decompressor *decompressor, zl_span src, zl_sink *out, size_t *used,
                               const zl_call *call) {
    for (;;) {
        size_t written = 0;
        const enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor, src.data, src.size, zl_stream_end(out), zl_stream_room(out), used, &written);
        switch (result) {
        case LIBDEFLATE_SUCCESS: out->size += written; return ZL_OK;
        case LIBDEFLATE_INSUFFICIENT_SPACE: ZL_TRY(zl_stream_grow(out, "gzip", call)); break;
        default:
            return zl_fail(call->err, ZL_ERR_CORRUPT, "gzip: the %zu bytes are damaged, cut off or no member", src.size);
        }
    }
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    (void)bound;
    struct libdeflate_decompressor *decompressor =
        zl_call_object(call, &decompressor_tag, decompressor_new, decompressor_free);
    if (!decompressor) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "gzip: out of memory for a decompressor");
    if (src.size == 0) return zl_fail(call->err, ZL_ERR_CORRUPT, "gzip: 0 bytes hold no member");
    ZL_TRY(zl_stream_start(out, guess_size(src), src.size, DEFLATE_RATIO, call));
    size_t done = 0;
    do {
        size_t used = 0;
        const zl_span rest = {src.data + done, src.size - done};
        const zl_status status = decode_member(decompressor, rest, out, &used, call);
        if (status != ZL_OK) return zl_error_wrap(call->err, status, "at byte %zu of %zu: ", done, src.size);
        done += used;
    } while (done < src.size);
    return zl_stream_finish(out, "gzip", call);
}

/* ---- encoding */

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    if (size > SIZE_MAX / 2) return UINT64_MAX;
    return libdeflate_gzip_compress_bound(NULL, (size_t)size);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct gzip *gzip = bound;
    struct libdeflate_compressor *compressor = get_compressor(gzip->level, call);
    if (!compressor) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "gzip: out of memory for a compressor");
    ZL_TRY(zl_sink_reserve(out, libdeflate_gzip_compress_bound(compressor, src.size), call->err));
    const size_t written =
        libdeflate_gzip_compress(compressor, src.data, src.size, zl_stream_end(out), zl_stream_room(out));
    if (written == 0) return zl_fail(call->err, ZL_ERR_INTERNAL, "gzip: %zu bytes did not fit their bound", src.size);
    out->size += written;
    return ZL_OK;
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_gzip = {
    .size = sizeof(zl_codec_class),
    .name = "gzip",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};
