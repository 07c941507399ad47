/* SPDX-License-Identifier: MIT */
/*
 * Lists of codecs: any number of array -> array codecs, exactly one array -> bytes codec, any number of bytes -> bytes
 * codecs. Spec: https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#codecs
 *
 * A codec that says "must_understand": false and is unknown is refused like any other: whoever leaves out one step of
 * decoding gets other bytes than were stored, so there is nothing that could be ignored safely.
 */
#include "codec/chain.h"

enum kind { ARRAY_ARRAY, ARRAY_BYTES, BYTES_BYTES };
static const char *const kind_name[] = {"array -> array", "array -> bytes", "bytes -> bytes"};

static enum kind kind_of(const zl_codec_class *cls) {
    return cls->aa ? ARRAY_ARRAY : cls->ab ? ARRAY_BYTES : BYTES_BYTES;
}

/* Checks codec `index` of a chain against the ones before it. */
static zl_status check_order(const zl_chain *chain, int32_t index, zl_error *err) {
    const zl_codec *codec = &chain->codec[index];
    const enum kind kind = kind_of(codec->cls);
    const bool behind = chain->ab_index >= 0; /* of the array -> bytes codec */
    if (behind == (kind == BYTES_BYTES)) return ZL_OK;
    if (!behind) {
        return zl_json_fail(codec->json, err, ZL_ERR_METADATA,
                            "codec \"%s\" is %s and needs an array -> bytes codec such as \"bytes\" in front of it",
                            codec->cls->name, kind_name[kind]);
    }
    return zl_json_fail(codec->json, err, ZL_ERR_METADATA,
                        "codec \"%s\" is %s but stands behind the array -> bytes codec \"%s\"", codec->cls->name,
                        kind_name[kind], chain->codec[chain->ab_index].cls->name);
}

static zl_status check_bytes(const zl_codec *codec, zl_error *err) {
    const enum kind kind = kind_of(codec->cls);
    if (kind == BYTES_BYTES) return ZL_OK;
    return zl_json_fail(codec->json, err, ZL_ERR_METADATA, "codec \"%s\" is %s, only bytes -> bytes codecs may be here",
                        codec->cls->name, kind_name[kind]);
}

static zl_status parse_codec(const zl_json *json, const zl_env *env, zl_codec *out, zl_error *err) {
    zl_named named;
    ZL_TRY(zl_json_to_named(json, "codec", &named, err));
    char path[256];
    zl_status status = zl_codec_find(env->registry, named.name, &out->cls, err);
    if (status != ZL_OK) {
        return zl_error_wrap(err, status, "%s%s: ", zl_json_path(json, path, sizeof path),
                             named.optional ? " (a codec cannot be left out, whatever must_understand says)" : "");
    }
    out->json = json;
    out->self = NULL;
    if (out->cls->parse) status = out->cls->parse(named.configuration, env, &out->self, err);
    /* Without a configuration the parser has no JSON value whose path it could name. */
    if (status != ZL_OK && !named.configuration) {
        return zl_error_wrap(err, status, "%s: codec \"%s\" has no configuration: ", zl_json_path(json, path, sizeof path),
                             named.name);
    }
    return status;
}

/* `bytes_only`: nothing but bytes -> bytes codecs. */
static zl_status parse_list(const zl_json *list, const zl_env *env, bool bytes_only, const zl_chain **out, zl_error *err) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "a list of codecs must be an array");
    }
    const size_t count = zl_json_count(list);
    if (count > (size_t)env->limits->codecs) {
        return zl_json_fail(list, err, ZL_ERR_LIMIT, "%zu codecs in one list, the limit is %d", count,
                            (int)env->limits->codecs);
    }
    zl_chain *chain = ZL_ARENA_NEW(env->arena, zl_chain);
    zl_codec *codec = zl_arena_zero(env->arena, count * sizeof *codec, _Alignof(zl_codec));
    if (!chain || !codec) return zl_fail_memory(err, sizeof *chain + count * sizeof *codec);
    chain->codec = codec;
    chain->ab_index = -1;
    for (const zl_json *json = zl_json_first(list); json; json = zl_json_next(json)) {
        zl_codec *parsed = &codec[chain->count];
        ZL_TRY(parse_codec(json, env, parsed, err));
        ZL_TRY(bytes_only ? check_bytes(parsed, err) : check_order(chain, chain->count, err));
        if (parsed->cls->ab) chain->ab_index = chain->count;
        chain->count++;
    }
    *out = chain;
    return ZL_OK;
}

zl_status zl_chain_parse(const zl_json *list, const zl_env *env, const zl_chain **out, zl_error *err) {
    const zl_chain *chain = NULL;
    ZL_TRY(parse_list(list, env, false, &chain, err));
    if (chain->ab_index < 0) {
        return zl_json_fail(list, err, ZL_ERR_METADATA, "no array -> bytes codec, such as \"bytes\", among the %d codecs",
                            (int)chain->count);
    }
    *out = chain;
    return ZL_OK;
}

zl_status zl_chain_parse_bytes(const zl_json *list, const zl_env *env, const zl_chain **out, zl_error *err) {
    return parse_list(list, env, true, out, err);
}

void zl_chain_emit(const zl_chain *chain, bool verbatim, zl_json_writer *writer) {
    zl_json_write_array(writer);
    for (int32_t i = 0; i < chain->count; i++) {
        const zl_codec *codec = &chain->codec[i];
        if (verbatim && codec->json)
            zl_json_write_value(writer, codec->json);
        else
            zl_json_write_named(writer, codec->cls->name, codec->cls->emit, codec->self);
    }
    zl_json_write_end(writer);
}
