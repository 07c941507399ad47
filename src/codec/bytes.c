/* SPDX-License-Identifier: MIT */
/*
 * bytes: the elements in C order, in one byte order.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/
 *
 * There is nothing to encode: memory is the stored form, up to the units of the data type, which the pipeline puts right.
 */
#include "codec/chain.h"

enum endian { ENDIAN_LITTLE, ENDIAN_BIG, ENDIAN_ABSENT };
static const char *const endian_name[] = {"little", "big", NULL};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define MACHINE_ENDIAN ENDIAN_BIG
#else
#define MACHINE_ENDIAN ENDIAN_LITTLE
#endif

struct bytes {
    enum endian endian;
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"endian", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int endian = ENDIAN_ABSENT;
    if (zl_json_member(configuration, "endian")) {
        ZL_TRY(zl_json_get_choice(configuration, "endian", endian_name, &endian, err));
    }
    struct bytes *bytes = ZL_ARENA_NEW(env->arena, struct bytes);
    if (!bytes) return zl_fail_memory(err, sizeof *bytes);
    bytes->endian = (enum endian)endian;
    *self = bytes;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct bytes *bytes = self;
    zl_json_write_object(writer);
    if (bytes->endian != ENDIAN_ABSENT) {
        zl_json_write_key(writer, "endian");
        zl_json_write_text(writer, endian_name[bytes->endian]);
    }
    zl_json_write_end(writer);
}

static bool has_byte_order(const zl_dtype *dtype) {
    for (uint32_t i = 0; i < dtype->unit_count; i++) {
        if (dtype->units[i].width > 1) return true;
    }
    return false;
}

/* Arrays of the legacy type `structured` may leave `endian` out and are then little-endian:
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/structured */
static zl_status assume_little(const zl_env *env, const void **resolved, zl_error *err) {
    struct bytes *bytes = ZL_ARENA_NEW(env->arena, struct bytes);
    if (!bytes) return zl_fail_memory(err, sizeof *bytes);
    bytes->endian = ENDIAN_LITTLE;
    *resolved = bytes;
    if (env->on_warning) {
        env->on_warning(env->warning_user, "bytes: no \"endian\" for data type \"structured\": read as little-endian");
    }
    return ZL_OK;
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const struct bytes *bytes = self;
    *out = *in;
    *resolved = self;
    if (in->dtype->variable) {
        return zl_fail(
            err, ZL_ERR_METADATA,
            "bytes: elements of data type \"%s\" have no fixed size; \"vlen-utf8\" and \"vlen-bytes\" store such",
            in->dtype->name);
    }
    if (bytes->endian != ENDIAN_ABSENT || !has_byte_order(in->dtype)) return ZL_OK;
    if (strcmp(in->dtype->name, "structured") == 0) return assume_little(env, resolved, err);
    return zl_fail(err, ZL_ERR_METADATA, "bytes: \"endian\" is required for data type \"%s\"", in->dtype->name);
}

static void raw(const void *bound, bool *swap) {
    const struct bytes *bytes = bound;
    *swap = bytes->endian != ENDIAN_ABSENT && bytes->endian != MACHINE_ENDIAN;
}

static const zl_ab_ops ab = {.raw = raw};

const zl_codec_class zl_codec_bytes = {
    .size = sizeof(zl_codec_class),
    .name = "bytes",
    .spec = "https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .ab = &ab,
};
