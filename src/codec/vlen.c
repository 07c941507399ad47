/* SPDX-License-Identifier: MIT */
/*
 * vlen-utf8 and vlen-bytes: elements of variable length, each behind its length.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8
 *       https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-bytes
 *
 * A chunk is the number of its elements, then each element in C order as its length and its bytes; numbers are uint32,
 * little-endian.
 *
 * There is no table of positions, so decoding walks over all lengths, also for a few elements. It does so twice: once to
 * check everything and to add up what is wanted, once to copy that to one block that the slots point into. Nothing points
 * into the stored bytes, which may be gone before the elements are.
 */
#include "codec/chain.h"
#include "codec/run.h"

#define WORD 4

struct vlen {
    const char *name;
    zl_dtype_id id; /* the one data type it stores */
    bool utf8;      /* elements must be */
};

struct bound {
    const struct vlen *vlen;
    zl_shape shape;
    uint32_t count;
};

static zl_status parse(const zl_json *configuration, zl_error *err) {
    static const char *const keys[] = {NULL};
    return zl_json_only(configuration, keys, err);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    (void)env;
    const struct vlen *vlen = self;
    *out = *in;
    *resolved = vlen;
    if (in->dtype->id == vlen->id) return ZL_OK;
    return zl_fail(err, ZL_ERR_METADATA, "%s: stores data type \"%s\" alone, not \"%s\"", vlen->name,
                   zl_dtype_name(zl_dtype_builtin(vlen->id)), in->dtype->name);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)level, (void)out;
    const struct vlen *vlen = resolved;
    int64_t count;
    if (!zl_shape_count(in, &count) || count > UINT32_MAX) {
        return zl_fail(err, ZL_ERR_LIMIT, "%s: a chunk of more than %llu elements", vlen->name,
                       (unsigned long long)UINT32_MAX);
    }
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    *bound = (struct bound){vlen, *in, (uint32_t)count};
    *result = bound;
    return ZL_OK;
}

/* Only the elements tell. */
static uint64_t encoded_bound(const void *bound) {
    (void)bound;
    return UINT64_MAX;
}

static uint32_t load_word(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void store_word(uint8_t *to, uint32_t value) {
    for (int i = 0; i < WORD; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

/* ---- decoding */

/* The place of element `next` in a chunk. */
struct cursor {
    const struct bound *bound;
    zl_span src;
    size_t at;
    int64_t next;
    zl_error *err;
};

/* The element at the cursor, which moves on. */
static zl_status take(struct cursor *cursor, zl_span *element) {
    const size_t left = cursor->src.size - cursor->at;
    const uint8_t *from = cursor->src.data + cursor->at;
    const struct vlen *vlen = cursor->bound->vlen;
    if (left < WORD) {
        return zl_fail(cursor->err, ZL_ERR_CORRUPT, "%s: the chunk ends before element %lld of %u", vlen->name,
                       (long long)cursor->next, cursor->bound->count);
    }
    const uint32_t size = load_word(from);
    if (size > left - WORD) {
        return zl_fail(cursor->err, ZL_ERR_CORRUPT, "%s: element %lld has %u bytes, but only %zu are left", vlen->name,
                       (long long)cursor->next, size, left - WORD);
    }
    *element = (zl_span){from + WORD, size};
    cursor->at += WORD + size;
    cursor->next++;
    return ZL_OK;
}

static zl_status skip_to(struct cursor *cursor, int64_t next) {
    zl_span element;
    while (cursor->next < next) {
        ZL_TRY(take(cursor, &element));
    }
    return ZL_OK;
}

static zl_status begin(struct cursor *cursor, const struct bound *bound, zl_span src, zl_error *err) {
    if (src.size < WORD || load_word(src.data) != bound->count) {
        return zl_fail(err, ZL_ERR_CORRUPT, "%s: %zu bytes that tell of %u elements, the chunk has %u", bound->vlen->name,
                       src.size, src.size < WORD ? 0 : load_word(src.data), bound->count);
    }
    *cursor = (struct cursor){.bound = bound, .src = src, .at = WORD, .err = err};
    return ZL_OK;
}

/* Checks a chunk, and adds up the bytes of the wanted elements. */
static zl_status measure(const struct bound *bound, zl_span src, const zl_box *dst, size_t *total, zl_error *err) {
    struct cursor cursor;
    zl_runs runs;
    *total = 0;
    ZL_TRY(begin(&cursor, bound, src, err));
    zl_runs_begin(&runs, dst, &bound->shape);
    while (zl_runs_next(&runs)) {
        ZL_TRY(skip_to(&cursor, runs.first));
        for (int64_t i = 0; i < runs.count; i++) {
            zl_span element = {0};
            ZL_TRY(take(&cursor, &element));
            *total += element.size; /* at most src.size */
            if (bound->vlen->utf8 && !zl_utf8_valid(element.data, element.size)) {
                return zl_fail(err, ZL_ERR_CORRUPT, "%s: element %lld is not UTF-8", bound->vlen->name,
                               (long long)(runs.first + i));
            }
        }
    }
    ZL_TRY(skip_to(&cursor, bound->count));
    if (cursor.at == src.size) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "%s: %zu bytes behind the last element", bound->vlen->name, src.size - cursor.at);
}

static zl_status decode(const void *self, zl_span src, const zl_box *dst, const zl_call *call) {
    const struct bound *bound = self;
    struct cursor cursor;
    zl_runs runs;
    size_t total;
    ZL_TRY(measure(bound, src, dst, &total, call->err));
    char *block = zl_call_result_alloc(call, total);
    if (!block) return zl_fail_memory(call->err, total);
    ZL_TRY(begin(&cursor, bound, src, call->err));
    zl_runs_begin(&runs, dst, &bound->shape);
    while (zl_runs_next(&runs)) {
        ZL_TRY(skip_to(&cursor, runs.first));
        for (int64_t i = 0; i < runs.count; i++) {
            zl_span element = {0};
            ZL_TRY(take(&cursor, &element));
            const zl_slot slot = {.data = block, .size = element.size};
            memcpy(block, element.data, element.size);
            memcpy(runs.data + i * runs.stride, &slot, sizeof slot);
            block += element.size;
        }
    }
    return ZL_OK;
}

/* ---- encoding */

static zl_status append_slot(const struct bound *bound, const char *element, int64_t number, zl_sink *out, zl_error *err) {
    zl_slot slot;
    memcpy(&slot, element, sizeof slot);
    if (slot.size > UINT32_MAX) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s: element %lld of the chunk has %llu bytes, the format allows %llu",
                       bound->vlen->name, (long long)number, (unsigned long long)slot.size, (unsigned long long)UINT32_MAX);
    }
    const size_t size = (size_t)slot.size;
    if (bound->vlen->utf8 && !zl_utf8_valid(slot.data, size)) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s: element %lld of the chunk is not UTF-8", bound->vlen->name,
                       (long long)number);
    }
    uint8_t word[WORD];
    store_word(word, (uint32_t)size);
    ZL_TRY(zl_sink_append(out, word, WORD, err));
    return zl_sink_append(out, slot.data, size, err);
}

static zl_status encode(const void *self, const zl_box *src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    uint8_t word[WORD];
    store_word(word, bound->count);
    ZL_TRY(zl_sink_append(out, word, WORD, call->err));
    zl_runs runs;
    zl_runs_begin(&runs, src, &bound->shape);
    while (zl_runs_next(&runs)) {
        for (int64_t i = 0; i < runs.count; i++) {
            ZL_TRY(append_slot(bound, runs.data + i * runs.stride, runs.first + i, out, call->err));
        }
    }
    return ZL_OK;
}

static const zl_ab_ops ab = {.decode = decode, .encode = encode, .bound = encoded_bound};

/* ---- the two codecs */

static const struct vlen vlen_utf8 = {.name = "vlen-utf8", .id = ZL_DTYPE_STRING, .utf8 = true};
static const struct vlen vlen_bytes = {.name = "vlen-bytes", .id = ZL_DTYPE_BYTES};

static zl_status parse_utf8(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    (void)env;
    *self = &vlen_utf8;
    return parse(configuration, err);
}

static zl_status parse_bytes(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    (void)env;
    *self = &vlen_bytes;
    return parse(configuration, err);
}

const zl_codec_class zl_codec_vlen_utf8 = {
    .size = sizeof(zl_codec_class),
    .name = "vlen-utf8",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8",
    .parse = parse_utf8,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};

const zl_codec_class zl_codec_vlen_bytes = {
    .size = sizeof(zl_codec_class),
    .name = "vlen-bytes",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-bytes",
    .parse = parse_bytes,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
