/* SPDX-License-Identifier: MIT */
/*
 * blosc, and numcodecs.blosc of older writers: the container format of c-blosc 1, by c-blosc.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/
 * Format: https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
 *
 * c-blosc trusts the header of a frame, so it is checked against the bytes that are really there first. Decoding depends
 * on the frame alone, not on the configuration. Only the *_ctx functions are called, with one thread: they use no global
 * state and no environment variables.
 */
#include <blosc.h>

#include "codec/stream.h"

struct blosc {
    int codec;   /* index into codec_name */
    int shuffle; /* index into shuffle_name, which is BLOSC_NOSHUFFLE, ... too */
    int level;
    int block_size; /* 0 = automatic */
    int type_size;
};

static const char *const codec_name[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd", NULL};
static const char *const shuffle_name[] = {"noshuffle", "shuffle", "bitshuffle", NULL};

static zl_status get_within(const zl_json *configuration, const char *key, int low, int high, int *out, zl_error *err) {
    const zl_json *value;
    int64_t number = 0;
    ZL_TRY(zl_json_require(configuration, key, &value, err));
    ZL_TRY(zl_json_to_within(value, low, high, &number, err));
    *out = (int)number;
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"cname", "clevel", "shuffle", "typesize", "blocksize", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    struct blosc *blosc = ZL_ARENA_NEW(env->arena, struct blosc);
    if (!blosc) return zl_fail_memory(err, sizeof *blosc);
    ZL_TRY(zl_json_get_choice(configuration, "cname", codec_name, &blosc->codec, err));
    ZL_TRY(get_within(configuration, "clevel", 0, 9, &blosc->level, err));
    ZL_TRY(zl_json_get_choice(configuration, "shuffle", shuffle_name, &blosc->shuffle, err));
    ZL_TRY(get_within(configuration, "blocksize", 0, INT32_MAX, &blosc->block_size, err));
    /* Without shuffling the type size "is ignored". */
    blosc->type_size = 1;
    *self = blosc;
    if (blosc->shuffle == BLOSC_NOSHUFFLE) return ZL_OK;
    return get_within(configuration, "typesize", 1, INT32_MAX, &blosc->type_size, err);
}

/* Up to the value of "shuffle". */
static void emit_head(const struct blosc *blosc, zl_json_writer *writer) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "cname");
    zl_json_write_text(writer, codec_name[blosc->codec]);
    zl_json_write_key(writer, "clevel");
    zl_json_write_i64(writer, blosc->level);
    zl_json_write_key(writer, "shuffle");
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct blosc *blosc = self;
    emit_head(blosc, writer);
    zl_json_write_text(writer, shuffle_name[blosc->shuffle]);
    zl_json_write_key(writer, "typesize");
    zl_json_write_i64(writer, blosc->type_size);
    zl_json_write_key(writer, "blocksize");
    zl_json_write_i64(writer, blosc->block_size);
    zl_json_write_end(writer);
}

/* ---- configuration of numcodecs.blosc: a number says how to shuffle, and the type size is that of the elements */

#define NUMCODECS_AUTO_SHUFFLE (-1)

static zl_status get_or(const zl_json *configuration, const char *key, int low, int high, int *out, zl_error *err) {
    return zl_json_member(configuration, key) ? get_within(configuration, key, low, high, out, err) : ZL_OK;
}

static zl_status parse_numcodecs(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"cname", "clevel", "shuffle", "blocksize", "typesize", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    struct blosc *blosc = ZL_ARENA_NEW(env->arena, struct blosc);
    if (!blosc) return zl_fail_memory(err, sizeof *blosc);
    *blosc = (struct blosc){.codec = 1 /* lz4 */, .level = 5, .shuffle = BLOSC_SHUFFLE};
    if (zl_json_member(configuration, "cname")) {
        ZL_TRY(zl_json_get_choice(configuration, "cname", codec_name, &blosc->codec, err));
    }
    ZL_TRY(get_or(configuration, "clevel", 0, 9, &blosc->level, err));
    ZL_TRY(get_or(configuration, "shuffle", NUMCODECS_AUTO_SHUFFLE, BLOSC_BITSHUFFLE, &blosc->shuffle, err));
    ZL_TRY(get_or(configuration, "blocksize", 0, INT32_MAX, &blosc->block_size, err));
    *self = blosc;
    const zl_json *size = zl_json_member(configuration, "typesize");
    if (!size || zl_json_get_type(size) == ZL_JSON_NULL) return ZL_OK; /* that of the elements */
    return get_within(configuration, "typesize", 1, INT32_MAX, &blosc->type_size, err);
}

static zl_status resolve_numcodecs(const void *self, const zl_level *in, zl_level *out, const zl_env *env,
                                   const void **resolved, zl_error *err) {
    struct blosc *blosc = ZL_ARENA_NEW(env->arena, struct blosc);
    if (!blosc) return zl_fail_memory(err, sizeof *blosc);
    *out = *in;
    *blosc = *(const struct blosc *)self;
    if (blosc->type_size == 0) blosc->type_size = (int)zl_min_u64(in->dtype->size, INT32_MAX);
    if (blosc->shuffle == NUMCODECS_AUTO_SHUFFLE) {
        blosc->shuffle = blosc->type_size == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
    }
    *resolved = blosc;
    return ZL_OK;
}

static void emit_numcodecs(const void *self, zl_json_writer *writer) {
    const struct blosc *blosc = self;
    emit_head(blosc, writer);
    zl_json_write_i64(writer, blosc->shuffle);
    zl_json_write_key(writer, "blocksize");
    zl_json_write_i64(writer, blosc->block_size);
    zl_json_write_end(writer);
}

/* ---- decoding */

/* Content size of a frame that takes up all of `src`. */
static zl_status check_header(zl_span src, size_t *out, const zl_call *call) {
    if (src.size < BLOSC_MIN_HEADER_LENGTH) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "blosc: %zu bytes, a header alone has %d", src.size,
                       BLOSC_MIN_HEADER_LENGTH);
    }
    size_t content, encoded, block;
    blosc_cbuffer_sizes(src.data, &content, &encoded, &block);
    if (encoded != src.size) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "blosc: the header tells of %zu bytes, %zu are stored", encoded,
                       src.size);
    }
    if (blosc_cbuffer_validate(src.data, src.size, out) != 0) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "blosc: the header of %zu stored bytes is damaged", src.size);
    }
    return ZL_OK;
}

/* A frame that c-blosc refused: damaged, or made with a library that this c-blosc was built without. */
static zl_status fail_decode(zl_span src, const zl_call *call) {
    static const char *const format_name[] = {"blosclz", "lz4", "snappy", "zlib", "zstd"};
    const unsigned format = src.data[2] >> 5;
    if (format < ZL_COUNT_OF(format_name) && blosc_compname_to_compcode(format_name[format]) < 0) {
        return zl_fail(call->err, ZL_ERR_UNSUPPORTED, "blosc: a frame made with %s, which the c-blosc of this build lacks",
                       format_name[format]);
    }
    return zl_fail(call->err, ZL_ERR_CORRUPT, "blosc: a frame of %zu bytes is damaged", src.size);
}

static zl_status fail_size(size_t size, bool is_exact, size_t most, const zl_call *call) {
    return zl_fail(call->err, ZL_ERR_CORRUPT, "blosc: the frame holds %zu bytes, the chunk %s %zu", size,
                   is_exact ? "needs" : "may hold", most);
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    (void)bound;
    size_t size;
    ZL_TRY(check_header(src, &size, call));
    const size_t most = out->fixed ? out->cap : out->max;
    if (size > most || (out->fixed && size != most)) return fail_size(size, out->fixed, most, call);
    if (!out->fixed) ZL_TRY(zl_sink_reserve(out, size, call->err));
    const int written = blosc_decompress_ctx(src.data, zl_stream_end(out), zl_stream_room(out), 1);
    if (written < 0 || (size_t)written != size) return fail_decode(src, call);
    out->size += size;
    return ZL_OK;
}

/* ---- decoding a part: some of the frame's blocks */

/* Blocks are decoded whole, and found by numbers of elements. */
static zl_range part(const void *bound, zl_span src, uint64_t size, zl_range wanted, const zl_call *call) {
    (void)bound, (void)call;
    const zl_range whole = {0, size};
    if (src.size < BLOSC_MIN_HEADER_LENGTH) return whole;
    size_t content, encoded, block;
    size_t type_size;
    int flags;
    blosc_cbuffer_sizes(src.data, &content, &encoded, &block);
    blosc_cbuffer_metainfo(src.data, &type_size, &flags);
    if (block == 0 || type_size == 0 || block % type_size != 0 || size % type_size != 0) return whole;
    const uint64_t first = wanted.offset / block * block;
    const uint64_t end = (wanted.offset + wanted.length + block - 1) / block * block;
    return (zl_range){first, zl_min_u64(end, size) - first};
}

static zl_status decode_part(const void *bound, zl_span src, uint64_t size, zl_range wanted, uint8_t *into,
                             const zl_call *call) {
    (void)bound;
    size_t told, type_size;
    int flags;
    ZL_TRY(check_header(src, &told, call));
    if (told != size) return fail_size(told, true, (size_t)size, call);
    blosc_cbuffer_metainfo(src.data, &type_size, &flags);
    const uint64_t first = wanted.offset / type_size, count = wanted.length / type_size;
    const int written = blosc_getitem(src.data, (int)first, (int)count, into);
    return written >= 0 && (uint64_t)written == wanted.length ? ZL_OK : fail_decode(src, call);
}

/* ---- encoding */

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    return zl_sat_add(size, BLOSC_MAX_OVERHEAD);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct blosc *blosc = bound;
    if (src.size > BLOSC_MAX_BUFFERSIZE) {
        return zl_fail(call->err, ZL_ERR_LIMIT, "blosc: a chunk of %zu bytes, the format holds at most %d", src.size,
                       BLOSC_MAX_BUFFERSIZE);
    }
    if (blosc_compname_to_compcode(codec_name[blosc->codec]) < 0) {
        return zl_fail(call->err, ZL_ERR_UNSUPPORTED, "blosc: the c-blosc of this build has no \"%s\"",
                       codec_name[blosc->codec]);
    }
    ZL_TRY(zl_sink_reserve(out, src.size + BLOSC_MAX_OVERHEAD, call->err));
    /* c-blosc shuffles no larger elements */
    const size_t type_size = blosc->type_size <= BLOSC_MAX_TYPESIZE ? (size_t)blosc->type_size : 1;
    const int written = blosc_compress_ctx(blosc->level, blosc->shuffle, type_size, src.size, src.data, zl_stream_end(out),
                                           zl_stream_room(out), codec_name[blosc->codec], (size_t)blosc->block_size, 1);
    if (written <= 0)
        return zl_fail(call->err, ZL_ERR_INTERNAL, "blosc: error %d while encoding %zu bytes", written, src.size);
    out->size += (size_t)written;
    return ZL_OK;
}

static const zl_bb_ops bb = {
    .decode = decode, .encode = encode, .bound = encoded_bound, .part = part, .decode_part = decode_part};

const zl_codec_class zl_codec_blosc = {
    .size = sizeof(zl_codec_class),
    .name = "blosc",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};

const zl_codec_class zl_codec_numcodecs_blosc = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.blosc",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/blosc.html",
    .parse = parse_numcodecs,
    .emit = emit_numcodecs,
    .resolve = resolve_numcodecs,
    .bb = &bb,
};
