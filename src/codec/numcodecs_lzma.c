/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.lzma: .xz, .lzma and raw LZMA streams, by liblzma. The configuration is that of Python's module lzma.
 * Spec: https://numcodecs.readthedocs.io/en/stable/compression/lzma.html
 *       https://docs.python.org/3/library/lzma.html#specifying-custom-filter-chains
 *
 * Decoders may take MEMORY_MAX bytes: all presets do with less, but a stream can ask for gigabytes. Encoding uses no
 * threads.
 */
#include <lzma.h>

#include "codec/stream.h"

#define MEMORY_MAX (256 * ZL_MIB)

enum format { FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW };

struct lzma {
    const zl_json *configuration; /* for emit */
    enum format format;
    lzma_check check;
    uint32_t preset;
    bool has_filters;
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
};

/* ---- configuration */

/* An optional integer member; null is as good as absent. */
static zl_status get_or(const zl_json *object, const char *key, int64_t low, int64_t high, int64_t *out, zl_error *err) {
    const zl_json *value = zl_json_member(object, key);
    if (!value || zl_json_get_type(value) == ZL_JSON_NULL) return ZL_OK;
    return zl_json_to_within(value, low, high, out, err);
}

/* 0 to 9, with or without the bit for "extreme". */
static zl_status get_preset(const zl_json *object, uint32_t *out, zl_error *err) {
    int64_t preset = LZMA_PRESET_DEFAULT;
    ZL_TRY(get_or(object, "preset", 0, UINT32_MAX, &preset, err));
    *out = (uint32_t)preset;
    if ((*out & ~LZMA_PRESET_EXTREME) <= 9) return ZL_OK;
    return zl_json_fail(zl_json_member(object, "preset"), err, ZL_ERR_METADATA, "preset %lld is unknown",
                        (long long)preset);
}

static zl_status parse_lzma_options(const zl_json *json, const zl_env *env, void **out, zl_error *err) {
    static const char *const keys[] = {"id",   "preset",   "dict_size", "lc",    "lp", "pb",
                                       "mode", "nice_len", "mf",        "depth", NULL};
    ZL_TRY(zl_json_only(json, keys, err));
    lzma_options_lzma *options = ZL_ARENA_NEW(env->arena, lzma_options_lzma);
    uint32_t preset;
    if (!options) return zl_fail_memory(err, sizeof *options);
    ZL_TRY(get_preset(json, &preset, err));
    if (lzma_lzma_preset(options, preset)) return zl_json_fail(json, err, ZL_ERR_UNSUPPORTED, "liblzma lacks the preset");
    int64_t dict_size = options->dict_size, lc = options->lc, lp = options->lp, pb = options->pb, mode = options->mode,
            nice_len = options->nice_len, mf = options->mf, depth = options->depth;
    ZL_TRY(get_or(json, "dict_size", LZMA_DICT_SIZE_MIN, MEMORY_MAX, &dict_size, err));
    ZL_TRY(get_or(json, "lc", LZMA_LCLP_MIN, LZMA_LCLP_MAX, &lc, err));
    ZL_TRY(get_or(json, "lp", LZMA_LCLP_MIN, LZMA_LCLP_MAX, &lp, err));
    ZL_TRY(get_or(json, "pb", LZMA_PB_MIN, LZMA_PB_MAX, &pb, err));
    ZL_TRY(get_or(json, "mode", LZMA_MODE_FAST, LZMA_MODE_NORMAL, &mode, err));
    ZL_TRY(get_or(json, "nice_len", 2, 273, &nice_len, err));
    ZL_TRY(get_or(json, "mf", LZMA_MF_HC3, LZMA_MF_BT4, &mf, err));
    ZL_TRY(get_or(json, "depth", 0, INT32_MAX, &depth, err));
    options->dict_size = (uint32_t)dict_size;
    options->lc = (uint32_t)lc;
    options->lp = (uint32_t)lp;
    options->pb = (uint32_t)pb;
    options->mode = (lzma_mode)mode;
    options->nice_len = (uint32_t)nice_len;
    options->mf = (lzma_match_finder)mf;
    options->depth = (uint32_t)depth;
    *out = options;
    return ZL_OK;
}

static zl_status parse_delta_options(const zl_json *json, const zl_env *env, void **out, zl_error *err) {
    static const char *const keys[] = {"id", "dist", NULL};
    ZL_TRY(zl_json_only(json, keys, err));
    int64_t dist = LZMA_DELTA_DIST_MIN;
    ZL_TRY(get_or(json, "dist", LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX, &dist, err));
    lzma_options_delta *options = ZL_ARENA_NEW(env->arena, lzma_options_delta);
    if (!options) return zl_fail_memory(err, sizeof *options);
    options->type = LZMA_DELTA_TYPE_BYTE;
    options->dist = (uint32_t)dist;
    *out = options;
    return ZL_OK;
}

/* Filters for machine code. */
static zl_status parse_bcj_options(const zl_json *json, const zl_env *env, void **out, zl_error *err) {
    static const char *const keys[] = {"id", "start_offset", NULL};
    ZL_TRY(zl_json_only(json, keys, err));
    int64_t offset = 0;
    ZL_TRY(get_or(json, "start_offset", 0, UINT32_MAX, &offset, err));
    lzma_options_bcj *options = ZL_ARENA_NEW(env->arena, lzma_options_bcj);
    if (!options) return zl_fail_memory(err, sizeof *options);
    options->start_offset = (uint32_t)offset;
    *out = options;
    return ZL_OK;
}

static zl_status parse_filter(const zl_json *json, const zl_env *env, lzma_filter *out, zl_error *err) {
    int64_t id;
    ZL_TRY(zl_json_get_i64(json, "id", &id, err));
    out->id = (lzma_vli)id;
    switch (out->id) {
    case LZMA_FILTER_LZMA1:
    case LZMA_FILTER_LZMA2: return parse_lzma_options(json, env, &out->options, err);
    case LZMA_FILTER_DELTA: return parse_delta_options(json, env, &out->options, err);
    case LZMA_FILTER_X86:
    case LZMA_FILTER_POWERPC:
    case LZMA_FILTER_IA64:
    case LZMA_FILTER_ARM:
    case LZMA_FILTER_ARMTHUMB:
    case LZMA_FILTER_SPARC: return parse_bcj_options(json, env, &out->options, err);
    default: return zl_json_fail(json, err, ZL_ERR_UNSUPPORTED, "filter %lld is unknown", (long long)id);
    }
}

static zl_status parse_filters(const zl_json *list, const zl_env *env, struct lzma *lzma, zl_error *err) {
    size_t count = 0;
    if (list && zl_json_get_type(list) != ZL_JSON_NULL) {
        if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) > LZMA_FILTERS_MAX || zl_json_count(list) == 0) {
            return zl_json_fail(list, err, ZL_ERR_METADATA, "filters must be an array of 1 to %d", LZMA_FILTERS_MAX);
        }
        for (const zl_json *json = zl_json_first(list); json; json = zl_json_next(json)) {
            ZL_TRY(parse_filter(json, env, &lzma->filters[count++], err));
        }
        lzma->has_filters = true;
    }
    lzma->filters[count].id = LZMA_VLI_UNKNOWN; /* ends the list */
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"format", "check", "preset", "filters", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    struct lzma *lzma = ZL_ARENA_NEW(env->arena, struct lzma);
    if (!lzma) return zl_fail_memory(err, sizeof *lzma);
    int64_t format = FORMAT_XZ, check = -1;
    ZL_TRY(get_or(configuration, "format", FORMAT_AUTO, FORMAT_RAW, &format, err));
    ZL_TRY(get_or(configuration, "check", -1, LZMA_CHECK_ID_MAX, &check, err));
    ZL_TRY(get_preset(configuration, &lzma->preset, err));
    ZL_TRY(parse_filters(zl_json_member(configuration, "filters"), env, lzma, err));
    lzma->configuration = configuration;
    lzma->format = (enum format)format;
    lzma->check = check < 0 ? LZMA_CHECK_CRC64 : (lzma_check)check;
    *self = lzma;
    if (lzma->format != FORMAT_RAW) return ZL_OK;
    if (!lzma->has_filters) return zl_json_fail(configuration, err, ZL_ERR_METADATA, "raw streams (format 3) need filters");
    if (lzma_raw_decoder_memusage(lzma->filters) <= MEMORY_MAX) return ZL_OK; /* UINT64_MAX: liblzma refuses the filters */
    return zl_json_fail(configuration, err, ZL_ERR_LIMIT, "the filters cannot be used together or take more than %zu MiB",
                        MEMORY_MAX / ZL_MIB);
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct lzma *lzma = self;
    if (lzma->configuration) {
        zl_json_write_value(writer, lzma->configuration);
        return;
    }
    zl_json_write_object(writer);
    zl_json_write_end(writer);
}

/* ---- streams */

static zl_status fail_stream(lzma_ret result, const char *what, const zl_call *call) {
    switch (result) {
    case LZMA_MEM_ERROR: return zl_fail(call->err, ZL_ERR_NO_MEMORY, "lzma: out of memory for %s", what);
    case LZMA_MEMLIMIT_ERROR:
        return zl_fail(call->err, ZL_ERR_LIMIT, "lzma: %s would take more than %zu MiB of memory", what,
                       MEMORY_MAX / ZL_MIB);
    case LZMA_OPTIONS_ERROR:
    case LZMA_UNSUPPORTED_CHECK:
        return zl_fail(call->err, ZL_ERR_UNSUPPORTED, "lzma: %s needs options that liblzma does not have", what);
    default: return zl_fail(call->err, ZL_ERR_CORRUPT, "lzma: the stream is damaged, cut off or no stream");
    }
}

/* Is the stream at its end? LZMA1 tells by a mark that liblzma decodes only when it has room for another byte. */
static bool ends_here(lzma_stream *stream) {
    uint8_t none;
    stream->next_out = &none;
    stream->avail_out = 1;
    return lzma_code(stream, LZMA_FINISH) == LZMA_STREAM_END && stream->avail_out == 1;
}

/* Runs `stream` over all of `src`. */
static zl_status run(lzma_stream *stream, zl_span src, zl_sink *out, const char *what, const zl_call *call) {
    stream->next_in = src.data;
    stream->avail_in = src.size;
    for (;;) {
        stream->next_out = zl_stream_end(out);
        stream->avail_out = zl_stream_room(out);
        const lzma_ret result = lzma_code(stream, LZMA_FINISH);
        out->size = out->cap - stream->avail_out;
        if (result == LZMA_STREAM_END) return ZL_OK;
        if (result == LZMA_OK) continue;
        /* LZMA_BUF_ERROR: stuck for want of room, or because the input ends inside the stream. */
        if (result != LZMA_BUF_ERROR || out->size < out->cap) return fail_stream(result, what, call);
        const bool full = out->cap == (out->fixed ? out->cap : out->max);
        if (full && ends_here(stream)) return ZL_OK;
        ZL_TRY(zl_stream_grow(out, "lzma", call));
    }
}

static lzma_ret open_decoder(lzma_stream *stream, const struct lzma *lzma) {
    switch (lzma->format) {
    case FORMAT_XZ: return lzma_stream_decoder(stream, MEMORY_MAX, LZMA_CONCATENATED);
    case FORMAT_ALONE: return lzma_alone_decoder(stream, MEMORY_MAX);
    case FORMAT_RAW: return lzma_raw_decoder(stream, lzma->filters);
    default: return lzma_auto_decoder(stream, MEMORY_MAX, LZMA_CONCATENATED);
    }
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_ret result = open_decoder(&stream, bound);
    if (result != LZMA_OK) return fail_stream(result, "decoding", call);
    zl_status status = zl_stream_start(out, UINT64_MAX, src.size, 8, call);
    if (status == ZL_OK) status = run(&stream, src, out, "decoding", call);
    const size_t behind = stream.avail_in;
    lzma_end(&stream);
    ZL_TRY(status);
    if (behind > 0) return zl_fail(call->err, ZL_ERR_CORRUPT, "lzma: %zu bytes behind the stream", behind);
    return zl_stream_finish(out, "lzma", call);
}

static lzma_ret open_encoder(lzma_stream *stream, const struct lzma *lzma) {
    lzma_options_lzma options;
    switch (lzma->format) {
    case FORMAT_RAW: return lzma_raw_encoder(stream, lzma->filters);
    case FORMAT_ALONE:
        if (lzma->has_filters) {
            const bool one = lzma->filters[0].id == LZMA_FILTER_LZMA1 && lzma->filters[1].id == LZMA_VLI_UNKNOWN;
            return one ? lzma_alone_encoder(stream, lzma->filters[0].options) : LZMA_OPTIONS_ERROR;
        }
        if (lzma_lzma_preset(&options, lzma->preset)) return LZMA_OPTIONS_ERROR;
        return lzma_alone_encoder(stream, &options);
    default:
        if (lzma->has_filters) return lzma_stream_encoder(stream, lzma->filters, lzma->check);
        return lzma_easy_encoder(stream, lzma->preset, lzma->check);
    }
}

/* Blocks that do not shrink are stored in pieces of 64 KiB by LZMA2; LZMA1 has no such form and may grow a little. */
static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    return zl_sat_add(zl_sat_add(size, size / 16), 1024);
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const uint64_t room = encoded_bound(bound, src.size);
    if (room > SIZE_MAX) return zl_fail_memory(call->err, room);
    ZL_TRY(zl_sink_reserve(out, (size_t)room, call->err));
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_ret result = open_encoder(&stream, bound);
    if (result != LZMA_OK) return fail_stream(result, "encoding", call);
    const zl_status status = run(&stream, src, out, "encoding", call);
    lzma_end(&stream);
    return status;
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_numcodecs_lzma = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.lzma",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/lzma.html",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};
