/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.shuffle: the first bytes of all elements, then the second ones, and so on.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html
 */
#include "codec/stream.h"

struct shuffle {
    size_t element;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"elementsize", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t element = 4;
    const int64_t most = (int64_t)zl_min_u64(env->limits->element_size, INT64_MAX);
    ZL_TRY(zl_json_to_within(zl_json_member(configuration, "elementsize"), 1, most, &element, err));
    struct shuffle *shuffle = ZL_ARENA_NEW(env->arena, struct shuffle);
    if (!shuffle) return zl_fail_memory(err, sizeof *shuffle);
    shuffle->element = (size_t)element;
    *self = shuffle;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct shuffle *shuffle = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "elementsize");
    zl_json_write_u64(writer, shuffle->element);
    zl_json_write_end(writer);
}

/* Rows of a matrix become columns: `rows` x `columns` bytes. */
static void turn(uint8_t *to, const uint8_t *from, size_t rows, size_t columns) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            to[c * rows + r] = from[r * columns + c];
        }
    }
}

/* Makes room for as many bytes as `src` has, which must be whole elements. */
static zl_status prepare(const struct shuffle *shuffle, zl_span src, zl_sink *out, zl_status broken, zl_error *err) {
    if (src.size % shuffle->element != 0) {
        return zl_fail(err, broken, "shuffle: %zu bytes are not whole elements of %zu", src.size, shuffle->element);
    }
    const size_t most = out->fixed ? out->cap : out->max;
    if (src.size > most || (out->fixed && src.size != most && broken == ZL_ERR_CORRUPT)) {
        return zl_fail(err, broken, "shuffle: %zu bytes are stored, the chunk %s %zu", src.size,
                       out->fixed ? "needs" : "may hold", most);
    }
    return zl_sink_reserve(out, src.size, err);
}

static zl_status decode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct shuffle *shuffle = bound;
    ZL_TRY(prepare(shuffle, src, out, ZL_ERR_CORRUPT, call->err));
    turn(zl_stream_end(out), src.data, shuffle->element, src.size / shuffle->element);
    out->size += src.size;
    return ZL_OK;
}

static zl_status encode(const void *bound, zl_span src, zl_sink *out, const zl_call *call) {
    const struct shuffle *shuffle = bound;
    ZL_TRY(prepare(shuffle, src, out, ZL_ERR_INVALID_ARGUMENT, call->err));
    turn(zl_stream_end(out), src.data, src.size / shuffle->element, shuffle->element);
    out->size += src.size;
    return ZL_OK;
}

static uint64_t encoded_bound(const void *bound, uint64_t size) {
    (void)bound;
    return size;
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_numcodecs_shuffle = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.shuffle",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html",
    .parse = parse,
    .emit = emit,
    .bb = &bb,
};
