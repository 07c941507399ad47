/* SPDX-License-Identifier: MIT */
#include "codec/cast.h"

#include <stdio.h>

#include "simd/kernels.h"

/* ---- maps and plans */

static zl_status parse_code(const zl_json *value, const zl_dtype *dtype, const zl_env *env, uint64_t *out, zl_error *err) {
    zl_number number;
    uint64_t element = 0;
    ZL_TRY(dtype->cls->parse_fill(dtype, value, env, &element, err));
    zl_number_of(dtype, &number);
    *out = zl_number_load(&number, &element);
    return ZL_OK;
}

static zl_status parse_map(const zl_json *list, const zl_dtype *from, const zl_dtype *to, const zl_env *env,
                           zl_cast_entry **out, size_t *count, zl_error *err) {
    *out = NULL;
    *count = 0;
    if (!list) return ZL_OK;
    if (zl_json_get_type(list) != ZL_JSON_ARRAY)
        return zl_json_fail(list, err, ZL_ERR_METADATA, "must be an array of [value, becomes] pairs");
    const size_t size = zl_json_count(list) * sizeof **out; /* each takes more bytes of text */
    *out = zl_arena_alloc(env->arena, size, _Alignof(zl_cast_entry));
    if (!*out) return zl_fail_memory(err, size);
    for (const zl_json *pair = zl_json_first(list); pair; pair = zl_json_next(pair)) {
        zl_cast_entry *entry = &(*out)[*count];
        if (zl_json_get_type(pair) != ZL_JSON_ARRAY || zl_json_count(pair) != 2)
            return zl_json_fail(pair, err, ZL_ERR_METADATA, "must be a pair: [value, becomes]");
        const zl_json *key = zl_json_first(pair);
        ZL_TRY(parse_code(key, from, env, &entry->key, err));
        ZL_TRY(parse_code(zl_json_next(key), to, env, &entry->value, err));
        entry->index = (*count)++;
    }
    return ZL_OK;
}

static zl_status make_plan(const zl_dtype *from, const zl_dtype *to, zl_cast_rule rule, const zl_json *map,
                           const zl_env *env, const zl_cast_plan **out, zl_error *err) {
    zl_cast_entry *entries;
    size_t count;
    ZL_TRY(parse_map(map, from, to, env, &entries, &count, err));
    zl_cast_plan *plan = ZL_ARENA_NEW(env->arena, zl_cast_plan);
    if (!plan) return zl_fail_memory(err, sizeof *plan);
    zl_number from_number, to_number;
    zl_number_of(from, &from_number);
    zl_number_of(to, &to_number);
    zl_cast_init(plan, &from_number, &to_number, rule, entries, count, zl_kernels_get()->cast);
    *out = plan;
    return ZL_OK;
}

static zl_status check_type(const zl_dtype *dtype, zl_number *out, zl_error *err) {
    if (zl_number_of(dtype, out)) return ZL_OK;
    return zl_fail(err, ZL_ERR_METADATA, "no cast for data type \"%s\": its elements are no real numbers", dtype->name);
}

static bool wraps_to(const zl_number *number) {
    return number->kind != ZL_NUMBER_FLOAT && !number->is_time;
}

zl_status zl_cast_pair_make(const zl_dtype *decoded, const zl_dtype *encoded, zl_cast_rule rule, const zl_json *encode_map,
                            const zl_json *decode_map, const zl_env *env, zl_cast_pair **out, zl_error *err) {
    zl_number inner, outer;
    ZL_TRY(check_type(encoded, &inner, err));
    ZL_TRY(check_type(decoded, &outer, err));
    zl_cast_rule back = rule;
    if (rule.out_of_range == ZL_RANGE_WRAP) {
        if (!wraps_to(&inner))
            return zl_fail(err, ZL_ERR_METADATA, "out_of_range \"wrap\" needs an integer data type, not \"%s\"",
                           encoded->name);
        if (outer.is_time) back.out_of_range = ZL_RANGE_ERROR;
    }
    zl_cast_pair *pair = ZL_ARENA_NEW(env->arena, zl_cast_pair);
    if (!pair) return zl_fail_memory(err, sizeof *pair);
    pair->decoded = decoded;
    pair->encoded = encoded;
    ZL_TRY(make_plan(decoded, encoded, rule, encode_map, env, &pair->encode, err));
    ZL_TRY(make_plan(encoded, decoded, back, decode_map, env, &pair->decode, err));
    *out = pair;
    return ZL_OK;
}

/* ---- refusals */

#define RANGE_TEXT (2 * ZL_NUMBER_TEXT + 8)

/* The ends of the range, as a text. */
static void range_text(const zl_dtype *dtype, char text[RANGE_TEXT]) {
    zl_number number;
    char low[ZL_NUMBER_TEXT], high[ZL_NUMBER_TEXT];
    uint64_t low_code, high_code;
    zl_number_of(dtype, &number);
    zl_number_range(&number, &low_code, &high_code);
    uint64_t element = 0;
    zl_number_store(&number, &element, low_code);
    zl_number_text(dtype, &element, low);
    zl_number_store(&number, &element, high_code);
    zl_number_text(dtype, &element, high);
    snprintf(text, RANGE_TEXT, "%s to %s", low, high);
}

zl_status zl_cast_pair_refuse(const zl_cast_pair *pair, bool encoding, const void *element, zl_status status,
                              zl_error *err) {
    const zl_cast_plan *plan = encoding ? pair->encode : pair->decode;
    const zl_dtype *from = encoding ? pair->decoded : pair->encoded, *to = encoding ? pair->encoded : pair->decoded;
    char text[ZL_NUMBER_TEXT], range[RANGE_TEXT], hint[64] = "";
    uint64_t unused;
    const zl_cast_outcome outcome = zl_cast_one(plan, zl_number_load(&plan->from, element), &unused);
    zl_number_text(from, element, text);
    if (pair->is_codec)
        snprintf(hint, sizeof hint, ", and scalar_map.%s has no entry for it", encoding ? "encode" : "decode");
    if (outcome != ZL_CAST_OUT_OF_RANGE) return zl_fail(err, status, "data type \"%s\" has no %s%s", to->name, text, hint);
    const char *rule = plan->rule.out_of_range == ZL_RANGE_WRAP ? ", where out_of_range \"wrap\" means nothing" : "";
    range_text(to, range);
    return zl_fail(err, status, "%s is outside the range of data type \"%s\", %s%s%s", text, to->name, range, rule, hint);
}

/* ---- rows */

bool zl_cast_element(const zl_cast_plan *plan, const void *from, void *to) {
    uint64_t code;
    if (zl_cast_refuses(zl_cast_one(plan, zl_number_load(&plan->from, from), &code))) return false;
    zl_number_store(&plan->to, to, code);
    return true;
}

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    const zl_cast_pair *pair = bound;
    return zl_cast_run(pair->decode, dst, src, n);
}

static size_t encode_row(const void *bound, void *dst, const void *src, size_t n) {
    const zl_cast_pair *pair = bound;
    return zl_cast_run(pair->encode, dst, src, n);
}

static zl_status refuse(const void *bound, bool encoding, const void *element, zl_error *err) {
    const zl_cast_pair *pair = bound;
    /* What is read may be damaged; what does not fit a view is nobody's fault but the caller's. */
    const zl_status blame = encoding || !pair->is_codec ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT;
    const zl_status status = zl_cast_pair_refuse(pair, encoding, element, blame, err);
    return pair->is_codec ? zl_error_wrap(err, status, "cast_value: ") : status;
}

const zl_aa_ops zl_cast_rows = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

/* ---- views */

static zl_status view_resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                              zl_error *err) {
    const zl_view_cast *view = self;
    (void)in;
    (void)env;
    (void)err;
    *out = view->array;
    *resolved = view->pair;
    return ZL_OK;
}

const zl_codec_class zl_codec_view = {
    .size = sizeof(zl_codec_class),
    .name = "view",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value",
    .resolve = view_resolve,
    .aa = &zl_cast_rows,
};
