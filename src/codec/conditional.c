/* SPDX-License-Identifier: MIT */
/*
 * conditional: a list of bytes -> bytes codecs, each of which is applied to a chunk or not. A header says which: codec i by
 * bit i % 8 of byte i / 8.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/conditional
 *
 * The configuration holds nothing of how a writer decides; that is an option of the write (zl_conditional_policy), and
 * none is applied where nothing else is said. "Smallest" looks at combinations, not at single codecs: a shuffle makes
 * nothing smaller by itself.
 */
#include "codec/nested.h"

#define HEADER_BITS_MAX 65536

struct conditional {
    const zl_chain *chain;
    uint32_t header; /* bytes */
};

/* For one data type, then for one chunk shape. */
struct bound {
    uint32_t header;
    uint64_t all; /* a bit for each codec */
    zl_nested nested;
};

/* ---- configuration */

static zl_status parse_header_bits(const zl_json *value, int32_t count, uint32_t *header, zl_error *err) {
    int64_t bits = (count + 7) / 8 * 8;
    if (value) ZL_TRY(zl_json_to_i64(value, &bits, err));
    if (bits < count || bits % 8 != 0) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "header_bits must be a multiple of 8 and at least %d, not %lld",
                            (int)count, (long long)bits);
    }
    if (bits > HEADER_BITS_MAX) {
        return zl_json_fail(value, err, ZL_ERR_LIMIT, "%lld header_bits, the limit is %d", (long long)bits,
                            HEADER_BITS_MAX);
    }
    *header = (uint32_t)(bits / 8);
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"codecs", "header_bits", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *list;
    ZL_TRY(zl_json_require(configuration, "codecs", &list, err));
    /* Each level of conditionals inside each other multiplies the tries of a writer. */
    zl_env inner = *env;
    inner.depth = env->depth + 1;
    if (env->depth > env->limits->sharding_depth) {
        return zl_json_fail(configuration, err, ZL_ERR_LIMIT, "more than %d codecs inside each other", (int)env->depth);
    }
    struct conditional *conditional = ZL_ARENA_NEW(env->arena, struct conditional);
    if (!conditional) return zl_fail_memory(err, sizeof *conditional);
    ZL_TRY(zl_chain_parse_bytes(list, &inner, &conditional->chain, err));
    ZL_TRY(parse_header_bits(zl_json_member(configuration, "header_bits"), conditional->chain->count, &conditional->header,
                             err));
    *self = conditional;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct conditional *conditional = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "codecs");
    zl_chain_emit(conditional->chain, true, writer);
    zl_json_write_key(writer, "header_bits");
    zl_json_write_u64(writer, (uint64_t)conditional->header * 8);
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const struct conditional *conditional = self;
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    *out = *in;
    bound->header = conditional->header;
    ZL_TRY(zl_nested_resolve(conditional->chain, 0, in, env, &bound->nested, err));
    if (bound->nested.count > 0) bound->all = UINT64_MAX >> (64 - bound->nested.count);
    *resolved = bound;
    return ZL_OK;
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)out;
    const struct bound *from = resolved;
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    *bound = *from;
    *result = bound;
    return zl_nested_bind(&from->nested, level, in, arena, &bound->nested, err);
}

static uint64_t encoded_bound(const void *self, uint64_t size) {
    const struct bound *bound = self;
    return zl_sat_add(zl_nested_bound(&bound->nested, size), bound->header);
}

/* ---- decoding */

static zl_status read_header(const struct bound *bound, zl_span src, uint64_t *mask, const zl_call *call) {
    if (src.size < bound->header) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "conditional: %zu bytes are stored, the header alone has %u", src.size,
                       (unsigned)bound->header);
    }
    uint64_t beyond = 0;
    *mask = 0;
    for (uint32_t i = 0; i < bound->header; i++) {
        if (i < 8)
            *mask |= (uint64_t)src.data[i] << (8 * i);
        else
            beyond |= src.data[i];
    }
    if (!beyond && (*mask & ~bound->all) == 0) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "conditional: the header applies codecs behind the %d that there are",
                   (int)bound->nested.count);
}

static zl_status decode(const void *self, zl_span src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    uint64_t mask = 0;
    ZL_TRY(read_header(bound, src, &mask, call));
    const zl_span content = {src.data + bound->header, src.size - bound->header};
    return zl_nested_decode(&bound->nested, mask, content, out, call);
}

/* ---- encoding */

/* A try: the content encoded by the codecs of `mask`. */
struct try {
    uint64_t mask;
    zl_span bytes;
    zl_sink memory;
};

static zl_status make_try(const struct bound *bound, zl_span src, struct try *out, const zl_call *call) {
    const uint64_t most = zl_nested_bound(&bound->nested, src.size);
    if (most > SIZE_MAX / 2) return zl_fail_memory(call->err, most);
    out->memory = (zl_sink){.cap = (size_t)most, .max = (size_t)most, .allocator = call->allocator};
    out->memory.data = zl_call_scratch(call, (size_t)most + 1, 64);
    return out->memory.data ? ZL_OK : zl_fail_memory(call->err, most);
}

static zl_status run_try(const struct bound *bound, uint64_t mask, zl_span src, struct try *out, const zl_call *call) {
    out->mask = mask;
    out->bytes = src;
    out->memory.size = 0;
    if (mask == 0) return ZL_OK;
    ZL_TRY(zl_nested_encode(&bound->nested, mask, src, &out->memory, call));
    out->bytes = (zl_span){out->memory.data, out->memory.size};
    return ZL_OK;
}

static bool is_better(const struct try *a, const struct try *b) {
    if (a->bytes.size != b->bytes.size) return a->bytes.size < b->bytes.size;
    return __builtin_popcountll(a->mask) < __builtin_popcountll(b->mask);
}

/* None, all, and from the better of these on each codec the other way round, kept where that is better. */
static zl_status find_smallest(const struct bound *bound, zl_span src, struct try *best, const zl_call *call) {
    struct try other;
    ZL_TRY(make_try(bound, src, best, call));
    ZL_TRY(make_try(bound, src, &other, call));
    ZL_TRY(run_try(bound, 0, src, best, call));
    for (int32_t i = -1; i < bound->nested.count; i++) {
        const uint64_t mask = i < 0 ? bound->all : best->mask ^ UINT64_C(1) << i;
        if (mask == 0) continue; /* was the first */
        ZL_TRY(run_try(bound, mask, src, &other, call));
        if (!is_better(&other, best)) continue;
        const struct try better = other;
        other = *best;
        *best = better;
    }
    return ZL_OK;
}

/* Asks the writer about each codec by itself. */
static zl_status ask(const struct bound *bound, zl_span src, uint64_t *mask, const zl_call *call) {
    const zl_conditional *how = call->conditional;
    struct try alone = {0};
    *mask = 0;
    if (how->policy == ZL_CONDITIONAL_ASK_TRIED) ZL_TRY(make_try(bound, src, &alone, call));
    for (int32_t i = 0; i < bound->nested.count; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (how->policy == ZL_CONDITIONAL_ASK_TRIED) ZL_TRY(run_try(bound, bit, src, &alone, call));
        const zl_conditional_question question = {
            .key = how->key,
            .codec_index = i,
            .codec = bound->nested.codec[i].cls->name,
            .data = src.data,
            .size = src.size,
            .encoded = alone.bytes.data,
            .encoded_size = alone.bytes.size,
        };
        if (how->ask(how->user, &question)) *mask |= bit;
    }
    return ZL_OK;
}

static zl_status write_header(const struct bound *bound, uint64_t mask, zl_sink *out, const zl_call *call) {
    ZL_TRY(zl_sink_reserve(out, bound->header, call->err));
    for (uint32_t i = 0; i < bound->header; i++) {
        out->data[out->size++] = (uint8_t)(i < 8 ? mask >> (8 * i) : 0);
    }
    return ZL_OK;
}

static zl_status encode(const void *self, zl_span src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    const zl_conditional_policy policy = call->conditional ? call->conditional->policy : ZL_CONDITIONAL_NEVER;
    uint64_t mask = 0;
    if (policy == ZL_CONDITIONAL_SMALLEST) {
        struct try best;
        ZL_TRY(find_smallest(bound, src, &best, call));
        ZL_TRY(write_header(bound, best.mask, out, call));
        return zl_sink_append(out, best.bytes.data, best.bytes.size, call->err);
    }
    if (policy == ZL_CONDITIONAL_ALWAYS) mask = bound->all;
    if (policy == ZL_CONDITIONAL_ASK || policy == ZL_CONDITIONAL_ASK_TRIED) ZL_TRY(ask(bound, src, &mask, call));
    ZL_TRY(write_header(bound, mask, out, call));
    return zl_nested_encode(&bound->nested, mask, src, out, call);
}

static const zl_bb_ops bb = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_conditional = {
    .size = sizeof(zl_codec_class),
    .name = "conditional",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/conditional",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .bb = &bb,
};
