/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.bz2: bzip2, by libbz2.
 * Spec: https://numcodecs.readthedocs.io/en/stable/compression/bz2.html
 *
 * Streams that follow each other are all decoded; anything else behind a stream is an error. libbz2 counts in unsigned
 * int, so input and output are given to it in pieces.
 */
#include <bzlib.h>

#include "codec/stream.h"

#define PIECE ((size_t)1 << 30)

struct bz2 {
    int level;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"level", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t level = 1;
    ZL_TRY(zl_json_to_within(zl_json_member(configuration, "level"), 1, 9, &level, err));
    struct bz2 *bz2 = ZL_ARENA_NEW(env->arena, struct bz2);
    if (!bz2) return zl_fail_memory(err, sizeof *bz2);
    bz2->level = (int)level;
    *self = bz2;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct bz2 *bz2 = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "level");
    zl_json_write_i64(writer, bz2->level);
    zl_json_write_end(writer);
}

static unsigned piece(size_t size) {
    return (unsigned)(size < PIECE ? size : PIECE);
}

/* Gives libbz2 the rest of input and output, runs it, and takes note of what it did. */
static int run(bz_stream *stream, zl_span *src, zl_sink *out, int (*step)(bz_stream *, int), int action) {
    stream->next_in = (char *)(uintptr_t)src->data; /* only read */
    stream->avail_in = piece(src->size);
    stream->next_out = (char *)zl_stream_end(out);
    stream->avail_out = piece(zl_stream_room(out));
    const unsigned in = stream->avail_in, room = stream->avail_out;
    const int result = step(stream, action);
    src->data += in - stream->avail_in;
    src->size -= in - stream->avail_in;
    out->size += room - stream->avail_out;
    return result;
}

/* ---- decoding */

static int decompress(bz_stream *stream, int action) {
    (void)action;
    return BZ2_bzDecompress(stream);
}

static zl_status fail_decode(int result, const zl_call *call) {
    if (result == BZ_MEM_ERROR) return zl_fail(call->err, ZL_ERR_NO_MEMORY, "bz2: out of memory for decoding");
    return zl_fail(call->err, ZL_ERR_CORRUPT, "bz2: a stream is damaged or no stream (libbz2 says %d)", result);
}

/* Decodes the stream at the start of `src`. */
static zl_status decode_stream(bz_stream *stream, zl_span *src, zl_sink *out, const zl_call *call) {
    for (;;) {
        const size_t left = src->size, written = out->size;
        const int result = run(stream, src, out, decompress, 0);
        if (result == BZ_STREAM_END) return ZL_OK;
        if (result != BZ_OK) return fail_decode(result, call);
        if (src->size < left || out->size > written) continue;
        /* Stuck: for want of room, or because the input ends inside the stream. */
        if (out->size < out->cap) return zl_fail(call->err, ZL_ERR_CORRUPT, "bz2: the bytes end inside a stream");
        ZL_TRY(zl_stream_grow(out, "bz2", call));
    }
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    (void)bound;
    if (src.size == 0) return zl_fail(call->err, ZL_ERR_CORRUPT, "bz2: 0 bytes hold no stream");
    ZL_TRY(zl_stream_start(out, UINT64_MAX, src.size, 8, call));
    do {
        bz_stream stream = {0};
        const int result = BZ2_bzDecompressInit(&stream, 0, 0);
        if (result != BZ_OK) return fail_decode(result, call);
        const zl_status status = decode_stream(&stream, &src, out, call);
        BZ2_bzDecompressEnd(&stream);
        ZL_TRY(status);
    } while (src.size > 0);
    return zl_stream_finish(out, "bz2", call);
}

/* ---- encoding */

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    return zl_sat_add(zl_sat_add(size, size / 100), 601); /* the documentation says 1 % and 600 bytes */
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct bz2 *bz2 = bound;
    const uint64_t room = encoded_bound(bound, src.size);
    if (room > SIZE_MAX) return zl_fail_memory(call->err, room);
    ZL_TRY(zl_sink_reserve(out, (size_t)room, call->err));
    bz_stream stream = {0};
    if (BZ2_bzCompressInit(&stream, bz2->level, 0, 0) != BZ_OK) {
        return zl_fail(call->err, ZL_ERR_NO_MEMORY, "bz2: out of memory for encoding");
    }
    const size_t size = src.size;
    int result;
    do {
        const int action = src.size > PIECE ? BZ_RUN : BZ_FINISH;
        result = run(&stream, &src, out, BZ2_bzCompress, action);
    } while ((result == BZ_RUN_OK || result == BZ_FINISH_OK) && zl_stream_room(out) > 0);
    BZ2_bzCompressEnd(&stream);
    if (result == BZ_STREAM_END) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_INTERNAL, "bz2: error %d while encoding %zu bytes", result, size);
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_numcodecs_bz2 = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.bz2",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/bz2.html",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};
