/* SPDX-License-Identifier: MIT */
/*
 * cast_value: numbers as numbers of another data type.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value
 *
 * What happens to one element is the business of simd/cast.h; here are the metadata and the fill value. Decoding casts back
 * by the same rules. Where that leads to floating point, "wrap" means nothing, and what is out of range is refused. The
 * smallest number of time types, "not a time", has no counterpart elsewhere; a scalar_map can give it one.
 */
#include <stdio.h>

#include "codec/cast.h"

struct cast_value {
    const zl_json *configuration;
    const zl_dtype *dtype;
    zl_cast_rule rule;
    const zl_json *encode_map, *decode_map; /* NULL: none */
};

/* ---- metadata */

static zl_status parse_choice(const zl_json *configuration, const char *key, const char *const *choices, int *out,
                              zl_error *err) {
    return zl_json_member(configuration, key) ? zl_json_get_choice(configuration, key, choices, out, err) : ZL_OK;
}

static zl_status parse_rule(const zl_json *configuration, zl_cast_rule *out, zl_error *err) {
    /* In the order of zl_rounding, and of zl_out_of_range behind its first. */
    static const char *const roundings[] = {"nearest-even",     "towards-zero", "towards-positive",
                                            "towards-negative", "nearest-away", NULL};
    static const char *const ranges[] = {"clamp", "wrap", NULL};
    int rounding = ZL_ROUND_NEAREST_EVEN, range = ZL_RANGE_ERROR - ZL_RANGE_CLAMP;
    ZL_TRY(parse_choice(configuration, "rounding", roundings, &rounding, err));
    ZL_TRY(parse_choice(configuration, "out_of_range", ranges, &range, err));
    *out = (zl_cast_rule){(zl_rounding)rounding, (zl_out_of_range)(range + ZL_RANGE_CLAMP)};
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"data_type", "rounding", "out_of_range", "scalar_map", NULL};
    static const char *const map_keys[] = {"encode", "decode", NULL};
    struct cast_value *cast = ZL_ARENA_NEW(env->arena, struct cast_value);
    if (!cast) return zl_fail_memory(err, sizeof *cast);
    const zl_json *data_type;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_require(configuration, "data_type", &data_type, err));
    ZL_TRY(zl_dtype_parse(data_type, env, &cast->dtype, err));
    ZL_TRY(parse_rule(configuration, &cast->rule, err));
    const zl_json *map = zl_json_member(configuration, "scalar_map");
    if (map && zl_json_get_type(map) != ZL_JSON_OBJECT)
        return zl_json_fail(map, err, ZL_ERR_METADATA, "must be an object with the members encode and decode");
    ZL_TRY(zl_json_only(map, map_keys, err));
    cast->configuration = configuration;
    cast->encode_map = zl_json_member(map, "encode");
    cast->decode_map = zl_json_member(map, "decode");
    *self = cast;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct cast_value *cast = self;
    zl_json_write_value(writer, cast->configuration);
}

/* ---- the fill value */

static bool equal(const zl_number *number, const void *a, const void *b) {
    return zl_number_canonical(number, zl_number_load(number, a)) == zl_number_canonical(number, zl_number_load(number, b));
}

/* Is `fill` itself again once it was encoded and decoded? `back` gets what it becomes, where it becomes anything. */
static bool survives(const zl_cast_pair *pair, const void *fill, void *encoded, void *back) {
    return zl_cast_element(pair->encode, fill, encoded) && zl_cast_element(pair->decode, encoded, back) &&
           equal(&pair->encode->from, fill, back);
}

/* The value nearest to `fill` that the encoded type has, unless the rules of the codec keep that one from coming back. */
static bool nearest_that_survives(const zl_cast_pair *pair, const void *fill, void *out) {
    const zl_cast_rule rule = {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_CLAMP};
    zl_cast_plan there, back;
    zl_cast_init(&there, &pair->encode->from, &pair->encode->to, rule, NULL, 0, NULL);
    zl_cast_init(&back, &pair->encode->to, &pair->encode->from, rule, NULL, 0, NULL);
    uint64_t encoded = 0, again = 0;
    return zl_cast_element(&there, fill, &encoded) && zl_cast_element(&back, &encoded, out) &&
           survives(pair, out, &encoded, &again);
}

static zl_status refuse_fill(const zl_cast_pair *pair, const void *fill, zl_error *err) {
    uint64_t encoded = 0, back = 0, near = 0;
    char text[4][ZL_NUMBER_TEXT], offer[96] = "";
    if (nearest_that_survives(pair, fill, &near)) {
        snprintf(offer, sizeof offer, "; the nearest fill value that does is %s",
                 zl_number_text(pair->decoded, &near, text[0]));
    }
    zl_number_text(pair->decoded, fill, text[1]);
    if (!zl_cast_element(pair->encode, fill, &encoded)) {
        (void)zl_cast_pair_refuse(pair, true, fill, ZL_ERR_METADATA, err);
        return zl_error_wrap(err, ZL_ERR_METADATA, "fill value %s does not survive the cast%s: ", text[1], offer);
    }
    zl_number_text(pair->encoded, &encoded, text[2]);
    if (!zl_cast_element(pair->decode, &encoded, &back)) {
        return zl_fail(err, ZL_ERR_METADATA,
                       "fill value %s does not survive the cast: it becomes %s, which cannot be cast back%s", text[1],
                       text[2], offer);
    }
    return zl_fail(err, ZL_ERR_METADATA, "fill value %s does not survive the cast: it becomes %s and comes back as %s%s",
                   text[1], text[2], zl_number_text(pair->decoded, &back, text[3]), offer);
}

/* ---- */

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    const struct cast_value *cast = self;
    zl_cast_pair *pair;
    void *fill = zl_arena_alloc(env->arena, cast->dtype->size, cast->dtype->align);
    if (!fill) return zl_fail_memory(err, cast->dtype->size);
    ZL_TRY(zl_cast_pair_make(in->dtype, cast->dtype, cast->rule, cast->encode_map, cast->decode_map, env, &pair, err));
    pair->is_codec = true;
    uint64_t unused;
    if (!survives(pair, in->fill, fill, &unused)) return refuse_fill(pair, in->fill, err);
    *out = (zl_level){cast->dtype, fill};
    *result = pair;
    return ZL_OK;
}

const zl_codec_class zl_codec_cast_value = {
    .size = sizeof(zl_codec_class),
    .name = "cast_value",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .aa = &zl_cast_rows,
};
