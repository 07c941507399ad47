/* SPDX-License-Identifier: MIT */
/*
 * sharding_indexed: a chunk ("shard") made of inner chunks that are encoded one by one, and an index of where they lie.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/
 *
 * This file only says how a shard is divided. Reading an index, fetching and decoding parts is the pipeline's and the
 * engine's work: inner chunks are the same kind of job as chunks.
 */
#include "codec/chain.h"

struct sharding {
    zl_shape part_shape;
    const zl_chain *part_chain;
    const zl_chain *index_chain;
    bool index_at_end;
};

static const char *const location_name[] = {"start", "end", NULL};

static zl_status parse_shape(const zl_json *list, zl_shape *out, zl_error *err) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "chunk_shape must be an array of integers");
    }
    const size_t rank = zl_json_count(list);
    if (rank > ZL_MAX_RANK) {
        return zl_json_fail(list, err, ZL_ERR_LIMIT, "chunk_shape has %zu dimensions, the limit is %d", rank, ZL_MAX_RANK);
    }
    for (const zl_json *value = zl_json_first(list); value; value = zl_json_next(value)) {
        int64_t extent;
        ZL_TRY(zl_json_to_i64(value, &extent, err));
        if (extent < 1) {
            return zl_json_fail(value, err, ZL_ERR_METADATA, "an inner chunk needs extents of at least 1, not %lld",
                                (long long)extent);
        }
        out->dim[out->rank++] = extent;
    }
    return ZL_OK;
}

/* The size of an index must follow from the number of its entries, or it could not be found. */
static zl_status check_index_chain(const zl_chain *chain, zl_error *err) {
    for (int32_t i = chain->ab_index; i < chain->count; i++) {
        const zl_codec *codec = &chain->codec[i];
        const bool variable = codec->cls->ab ? codec->cls->ab->split != NULL : codec->cls->bb->extent == NULL;
        if (!variable) continue;
        return zl_json_fail(codec->json, err, ZL_ERR_METADATA,
                            "codec \"%s\" cannot encode a shard's index, its encoded size is not fixed", codec->cls->name);
    }
    return ZL_OK;
}

static zl_status parse_chain(const zl_json *configuration, const char *key, const zl_env *env, const zl_chain **out,
                             zl_error *err) {
    const zl_json *list;
    ZL_TRY(zl_json_require(configuration, key, &list, err));
    zl_env inner = *env;
    inner.depth = env->depth + 1;
    return zl_chain_parse(list, &inner, out, err);
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"chunk_shape", "codecs", "index_codecs", "index_location", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *chunk_shape;
    ZL_TRY(zl_json_require(configuration, "chunk_shape", &chunk_shape, err));
    if (env->depth >= env->limits->sharding_depth) {
        return zl_json_fail(configuration, err, ZL_ERR_LIMIT, "more than %d shards inside each other",
                            (int)env->limits->sharding_depth);
    }
    struct sharding *sharding = ZL_ARENA_NEW(env->arena, struct sharding);
    if (!sharding) return zl_fail_memory(err, sizeof *sharding);
    ZL_TRY(parse_shape(chunk_shape, &sharding->part_shape, err));
    ZL_TRY(parse_chain(configuration, "codecs", env, &sharding->part_chain, err));
    ZL_TRY(parse_chain(configuration, "index_codecs", env, &sharding->index_chain, err));
    ZL_TRY(check_index_chain(sharding->index_chain, err));
    int at_end = true;
    if (zl_json_member(configuration, "index_location")) {
        ZL_TRY(zl_json_get_choice(configuration, "index_location", location_name, &at_end, err));
    }
    sharding->index_at_end = at_end;
    *self = sharding;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct sharding *sharding = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "chunk_shape");
    zl_json_write_array(writer);
    for (int32_t i = 0; i < sharding->part_shape.rank; i++) {
        zl_json_write_i64(writer, sharding->part_shape.dim[i]);
    }
    zl_json_write_end(writer);
    zl_json_write_key(writer, "codecs");
    zl_chain_emit(sharding->part_chain, true, writer);
    zl_json_write_key(writer, "index_codecs");
    zl_chain_emit(sharding->index_chain, true, writer);
    zl_json_write_key(writer, "index_location");
    zl_json_write_text(writer, location_name[sharding->index_at_end]);
    zl_json_write_end(writer);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err) {
    (void)level, (void)out, (void)arena;
    const struct sharding *sharding = resolved;
    const zl_shape *part = &sharding->part_shape;
    if (part->rank != in->rank) {
        return zl_fail(err, ZL_ERR_METADATA, "sharding_indexed: chunk_shape has %d dimensions, the shard has %d",
                       (int)part->rank, (int)in->rank);
    }
    for (int32_t i = 0; i < in->rank; i++) {
        if (in->dim[i] % part->dim[i] == 0) continue;
        return zl_fail(err, ZL_ERR_METADATA,
                       "sharding_indexed: along dimension %d inner chunks of %lld do not divide the shard of %lld", (int)i,
                       (long long)part->dim[i], (long long)in->dim[i]);
    }
    *bound = sharding;
    return ZL_OK;
}

static void split(const void *bound, zl_split *out) {
    const struct sharding *sharding = bound;
    out->part_shape = sharding->part_shape;
    out->part_chain = sharding->part_chain;
    out->index_chain = sharding->index_chain;
    out->index_at_end = sharding->index_at_end;
}

static const zl_ab_ops ab = {.split = split};

const zl_codec_class zl_codec_sharding_indexed = {
    .size = sizeof(zl_codec_class),
    .name = "sharding_indexed",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/",
    .parse = parse,
    .emit = emit,
    .bind = bind,
    .ab = &ab,
};
