/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.astype: numbers as those of another type, by NumPy's rules.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/astype.html
 */
#include "codec/numcodecs_numbers.h"

/* For one data type. */
struct astype {
    zl_numpy_types types;
    zl_numpy_map encode, decode;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"encode_dtype", "decode_dtype", NULL};
    (void)env;
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *encode_dtype;
    ZL_TRY(zl_json_require(configuration, "encode_dtype", &encode_dtype, err));
    *self = configuration;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    zl_numpy_emit(self, writer);
}

static size_t encode_row(const void *bound, void *dst, const void *src, size_t n) {
    return zl_numpy_row(&((const struct astype *)bound)->encode, bound, dst, src, n);
}

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    return zl_numpy_row(&((const struct astype *)bound)->decode, bound, dst, src, n);
}

static zl_status refuse(const void *bound, bool encoding, const void *element, zl_error *err) {
    return zl_numpy_refuse(&((const struct astype *)bound)->types, encoding, element, err);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.astype", "decode_dtype", "encode_dtype", self};
    struct astype *astype = ZL_ARENA_NEW(env->arena, struct astype);
    if (!astype) return zl_fail_memory(err, sizeof *astype);
    zl_numpy_types *types = &astype->types;
    ZL_TRY(zl_numpy_types_find(&names, in->dtype, types, err));
    zl_numpy_cast(&types->decoded_number, &types->encoded_number, ZL_RANGE_ERROR, &astype->encode.before);
    zl_numpy_cast(&types->encoded_number, &types->decoded_number, ZL_RANGE_WRAP, &astype->decode.before);
    *resolved = astype;
    return zl_numpy_level(types, encode_row, astype, in, out, env, err);
}

static const zl_aa_ops aa = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

const zl_codec_class zl_codec_numcodecs_astype = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.astype",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/astype.html",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .aa = &aa,
};
