/* SPDX-License-Identifier: MIT */
/*
 * zstd, and numcodecs.zstd of older writers: RFC 8878, by libzstd.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd
 *
 * All frames of a stream are decoded and skippable frames skipped. Into memory of known size a stream is decoded in one
 * go, without a window. Otherwise it is decoded piece by piece with a window of at most 128 MiB. The content size in a
 * frame is never a reason to allocate: it may be absent, or a lie. Of a stream whose first bytes are enough, blocks are
 * decoded up to there. Encoding uses no threads, so its output depends on nothing but the configuration and the version
 * of libzstd.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "codec/stream.h"

#define LEVEL_MIN (-131072)
#define LEVEL_MAX 22
#define WINDOW_LOG_MAX 27 /* 128 MiB */

struct zstd {
    int level;
    bool checksum;
};

/* `level` is what it is when it is not given. */
static zl_status make(const zl_json *configuration, int64_t level, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"level", "checksum", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_to_within(zl_json_member(configuration, "level"), LEVEL_MIN, LEVEL_MAX, &level, err));
    bool checksum = false;
    if (zl_json_member(configuration, "checksum")) ZL_TRY(zl_json_get_bool(configuration, "checksum", &checksum, err));
    struct zstd *zstd = ZL_ARENA_NEW(env->arena, struct zstd);
    if (!zstd) return zl_fail_memory(err, sizeof *zstd);
    zstd->level = (int)level;
    zstd->checksum = checksum;
    *self = zstd;
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    const zl_json *level;
    ZL_TRY(zl_json_require(configuration, "level", &level, err));
    return make(configuration, 0, env, self, err);
}

static zl_status parse_numcodecs(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    return make(configuration, 0, env, self, err);
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct zstd *zstd = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, zstd->level);
    if (zstd->checksum) { /* "should be omitted if false" */
        zl_json_write_key(writer, "checksum");
        zl_json_write_bool(writer, true);
    }
    zl_json_write_end(writer);
}

/* ---- contexts that a thread keeps */

static const char dctx_tag;
static const char cctx_tag;

static void *dctx_new(void) {
    return ZSTD_createDCtx();
}
static void dctx_free(void *object) {
    ZSTD_freeDCtx(object);
}
static void *cctx_new(void) {
    return ZSTD_createCCtx();
}
static void cctx_free(void *object) {
    ZSTD_freeCCtx(object);
}

/* ---- decoding */

/* An error of libzstd while `src` was decoded. */
static zl_status fail_decode(size_t code, zl_span src, const zl_sink *out, const zl_call *call) {
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation: return zl_fail(call->err, ZL_ERR_NO_MEMORY, "zstd: out of memory for a window");
    case ZSTD_error_dstSize_tooSmall:
        return zl_fail(call->err, ZL_ERR_CORRUPT, "zstd: the stream holds more than the %zu bytes it may hold", out->cap);
    case ZSTD_error_frameParameter_windowTooLarge:
        return zl_fail(call->err, ZL_ERR_LIMIT, "zstd: a frame asks for a window of more than %d MiB",
                       1 << (WINDOW_LOG_MAX - 20));
    default:
        return zl_fail(call->err, ZL_ERR_CORRUPT, "zstd: %s in a stream of %zu bytes", ZSTD_getErrorName(code), src.size);
    }
}

static zl_status decode_at_once(ZSTD_DCtx *dctx, zl_span src, zl_sink *out, const zl_call *call) {
    const size_t written = ZSTD_decompressDCtx(dctx, zl_stream_end(out), zl_stream_room(out), src.data, src.size);
    if (ZSTD_isError(written)) return fail_decode(written, src, out, call);
    out->size += written;
    return zl_stream_finish(out, "zstd", call);
}

/* `part`: only until the sink is full. */
static zl_status decode_in_pieces(ZSTD_DCtx *dctx, zl_span src, bool part, zl_sink *out, const zl_call *call) {
    ZSTD_inBuffer in = {src.data, src.size, 0};
    size_t frame_left = 0; /* 0 between frames */
    ZL_TRY(zl_stream_start(out, UINT64_MAX, src.size, 4, call));
    while ((in.pos < in.size || frame_left > 0) && !(part && out->size == out->cap)) {
        ZSTD_outBuffer piece = {out->data, out->cap, out->size};
        const size_t in_before = in.pos;
        frame_left = ZSTD_decompressStream(dctx, &piece, &in);
        if (ZSTD_isError(frame_left)) return fail_decode(frame_left, src, out, call);
        const bool moved = in.pos > in_before || piece.pos > out->size;
        out->size = piece.pos;
        if (moved) continue;
        /* Stuck: for want of room, or because the input ends inside a frame. */
        if (out->size < out->cap) {
            return zl_fail(call->err, ZL_ERR_CORRUPT, "zstd: a stream of %zu bytes ends inside a frame", src.size);
        }
        ZL_TRY(zl_stream_grow(out, "zstd", call));
    }
    return zl_stream_finish(out, "zstd", call);
}

static zl_status get_context(zl_span src, ZSTD_DCtx **out, const zl_call *call) {
    *out = zl_call_object(call, &dctx_tag, dctx_new, dctx_free);
    if (!*out) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "zstd: out of memory for a decompression context");
    if (src.size == 0) return zl_fail(call->err, ZL_ERR_CORRUPT, "zstd: 0 bytes hold no frame");
    return ZL_OK;
}

static zl_status start_pieces(ZSTD_DCtx *dctx, const zl_call *call) {
    size_t code = ZSTD_DCtx_reset(dctx, ZSTD_reset_session_only);
    if (!ZSTD_isError(code)) code = ZSTD_DCtx_setParameter(dctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    return ZSTD_isError(code) ? zl_fail(call->err, ZL_ERR_INTERNAL, "zstd: %s", ZSTD_getErrorName(code)) : ZL_OK;
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    (void)bound;
    ZSTD_DCtx *dctx;
    ZL_TRY(get_context(src, &dctx, call));
    if (out->fixed) return decode_at_once(dctx, src, out, call);
    ZL_TRY(start_pieces(dctx, call));
    return decode_in_pieces(dctx, src, false, out, call);
}

/* ---- decoding a part: from the beginning to where nothing more is wanted */

#define BLOCK_MAX (128 * ZL_KIB)
#define PART_WINDOW_MAX (8 * ZL_MIB) /* memory that libzstd keeps for it */

/* What a frame needs to be decoded piece by piece; RFC 8878, 3.1.1.1. */
static uint64_t window_of(zl_span src, uint64_t size) {
    const bool is_single_segment = src.data[4] & 0x20;
    if (is_single_segment) return size;
    const unsigned exponent = src.data[5] >> 3, mantissa = src.data[5] & 7;
    const uint64_t base = UINT64_C(1) << (10 + exponent);
    return base + base / 8 * mantissa;
}

static zl_range part(const void *bound, zl_span src, uint64_t size, zl_range wanted, const zl_call *call) {
    (void)bound;
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    const zl_range whole = {0, size};
    if (src.size < 6 || memcmp(src.data, magic, sizeof magic) != 0) return whole;
    const bool has_checksum = src.data[4] & 0x04;
    if ((has_checksum && call->verify) || window_of(src, size) > PART_WINDOW_MAX) return whole;
    const uint64_t end = (wanted.offset + wanted.length + BLOCK_MAX - 1) / BLOCK_MAX * BLOCK_MAX;
    return (zl_range){0, zl_min_u64(end, size)};
}

static zl_status decode_part(const void *bound, zl_span src, uint64_t size, zl_range wanted, uint8_t *into,
                             const zl_call *call) {
    (void)bound, (void)size;
    ZSTD_DCtx *dctx;
    ZL_TRY(get_context(src, &dctx, call));
    ZL_TRY(start_pieces(dctx, call));
    zl_sink out = {.data = into, .cap = (size_t)wanted.length, .max = (size_t)wanted.length, .fixed = true};
    return decode_in_pieces(dctx, src, true, &out, call);
}

/* ---- encoding */

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    if (size > SIZE_MAX / 2) return UINT64_MAX;
    return ZSTD_compressBound((size_t)size);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct zstd *zstd = bound;
    ZSTD_CCtx *cctx = zl_call_object(call, &cctx_tag, cctx_new, cctx_free);
    if (!cctx) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "zstd: out of memory for a compression context");
    ZL_TRY(zl_sink_reserve(out, ZSTD_compressBound(src.size), call->err));
    size_t code = ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(code)) code = ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, zstd->level);
    if (!ZSTD_isError(code)) code = ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, zstd->checksum);
    if (!ZSTD_isError(code)) code = ZSTD_compress2(cctx, zl_stream_end(out), zl_stream_room(out), src.data, src.size);
    if (!ZSTD_isError(code)) {
        out->size += code;
        return ZL_OK;
    }
    const bool memory = ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
    return zl_fail(call->err, memory ? ZL_ERR_NO_MEMORY : ZL_ERR_INTERNAL, "zstd: %s while encoding %zu bytes",
                   ZSTD_getErrorName(code), src.size);
}

static const zl_bb_ops bb = {
    .decode = decode, .encode = encode, .bound = encoded_bound, .part = part, .decode_part = decode_part};

const zl_codec_class zl_codec_zstd = {
    .size = sizeof(zl_codec_class),
    .name = "zstd",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};

const zl_codec_class zl_codec_numcodecs_zstd = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.zstd",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/zstd.html",
    .parse = parse_numcodecs,
    .emit = emit,
    .bb = &bb,
};
