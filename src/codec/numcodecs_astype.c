/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.astype: numbers as those of another type, by NumPy's rules.
 * Spec: https://numcodecs.readthedocs.io/en/stable/filter/astype.html
 */
#include "codec/numcodecs_numbers.h"

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"encode_dtype", "decode_dtype", NULL};
    (void)env;
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *encode_dtype;
    ZL_TRY(zl_json_require(configuration, "encode_dtype", &encode_dtype, err));
    *self = configuration;
    return ZL_OK;
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_numpy_names names = {"numcodecs.astype", "decode_dtype", "encode_dtype", self};
    zl_numpy_codec *codec = ZL_ARENA_NEW(env->arena, zl_numpy_codec);
    if (!codec) return zl_fail_memory(err, sizeof *codec);
    zl_numpy_types *types = &codec->types;
    ZL_TRY(zl_numpy_types_find(&names, in->dtype, types, err));
    zl_numpy_cast(&types->decoded_number, &types->encoded_number, ZL_RANGE_ERROR, &codec->encode.before);
    zl_numpy_cast(&types->encoded_number, &types->decoded_number, ZL_RANGE_WRAP, &codec->decode.before);
    *resolved = codec;
    return zl_numpy_codec_level(codec, in, out, env, err);
}

const zl_codec_class zl_codec_numcodecs_astype = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.astype",
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/astype.html",
    .parse = parse,
    .emit = zl_numpy_emit,
    .resolve = resolve,
    .aa = &zl_numpy_ops,
};
