/* SPDX-License-Identifier: MIT */
/*
 * zfp: lossy and lossless compression of numbers in up to four dimensions, by libzfp. No header stands in front.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp
 *       https://zfp.readthedocs.io/en/latest/modes.html
 *
 * Each mode has its own parameters, all required, and no other. Numbers that libzfp limits by itself mean what they mean
 * there: precision 0 or above 64 is 64, tolerance 0 is the smallest there is, a rate is rounded to whole bits of a block.
 *
 * libzfp ignores the tolerance of integers. New arrays of them cannot have the mode, others are read and written like
 * libzfp does.
 */
#include <stdio.h>

#include "codec/chain.h"
#include "codec/zfp_blocks.h"

enum mode { MODE_REVERSIBLE, MODE_EXPERT, MODE_ACCURACY, MODE_RATE, MODE_PRECISION };

static const char *const mode_names[] = {"reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision", NULL};

struct zfp {
    enum mode mode;
    double tolerance, rate;
    uint32_t precision;
    uint32_t minbits, maxbits, maxprec;
    int32_t minexp;
};

/* ---- configuration */

static zl_status parse_u32(const zl_json *configuration, const char *key, uint32_t *out, zl_error *err) {
    uint64_t value;
    ZL_TRY(zl_json_get_u64(configuration, key, &value, err));
    *out = (uint32_t)value;
    if (value <= UINT32_MAX) return ZL_OK;
    return zl_json_fail(zl_json_member(configuration, key), err, ZL_ERR_METADATA, "%s is larger than 2^32-1", key);
}

static zl_status parse_expert(const zl_json *configuration, struct zfp *zfp, zl_error *err) {
    static const char *const keys[] = {"mode", "minbits", "maxbits", "maxprec", "minexp", NULL};
    int64_t minexp;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(parse_u32(configuration, "minbits", &zfp->minbits, err));
    ZL_TRY(parse_u32(configuration, "maxbits", &zfp->maxbits, err));
    ZL_TRY(parse_u32(configuration, "maxprec", &zfp->maxprec, err));
    ZL_TRY(zl_json_get_i64(configuration, "minexp", &minexp, err));
    zfp->minexp = (int32_t)minexp;
    if (minexp == zfp->minexp) return ZL_OK;
    return zl_json_fail(zl_json_member(configuration, "minexp"), err, ZL_ERR_METADATA, "minexp does not fit 32 bits");
}

/* A mode with one parameter. */
static zl_status parse_number(const zl_json *configuration, const char *key, double *out, zl_error *err) {
    const char *const keys[] = {"mode", key, NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_get_double(configuration, key, out, err));
    if (*out >= 0) return ZL_OK;
    return zl_json_fail(zl_json_member(configuration, key), err, ZL_ERR_METADATA, "%s must not be negative", key);
}

static zl_status parse_precision(const zl_json *configuration, struct zfp *zfp, zl_error *err) {
    static const char *const keys[] = {"mode", "precision", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    return parse_u32(configuration, "precision", &zfp->precision, err);
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"mode", NULL};
    int mode;
    ZL_TRY(zl_json_get_choice(configuration, "mode", mode_names, &mode, err));
    struct zfp *zfp = ZL_ARENA_NEW(env->arena, struct zfp);
    if (!zfp) return zl_fail_memory(err, sizeof *zfp);
    zfp->mode = (enum mode)mode;
    *self = zfp;
    switch (zfp->mode) {
    case MODE_REVERSIBLE: return zl_json_only(configuration, keys, err);
    case MODE_EXPERT: return parse_expert(configuration, zfp, err);
    case MODE_ACCURACY: return parse_number(configuration, "tolerance", &zfp->tolerance, err);
    case MODE_RATE: return parse_number(configuration, "rate", &zfp->rate, err);
    case MODE_PRECISION: return parse_precision(configuration, zfp, err);
    }
    return zl_fail(err, ZL_ERR_INTERNAL, "zfp: no such mode: %d", mode);
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct zfp *zfp = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "mode");
    zl_json_write_text(writer, mode_names[zfp->mode]);
    switch (zfp->mode) {
    case MODE_REVERSIBLE: break;
    case MODE_EXPERT:
        zl_json_write_key(writer, "minbits");
        zl_json_write_u64(writer, zfp->minbits);
        zl_json_write_key(writer, "maxbits");
        zl_json_write_u64(writer, zfp->maxbits);
        zl_json_write_key(writer, "maxprec");
        zl_json_write_u64(writer, zfp->maxprec);
        zl_json_write_key(writer, "minexp");
        zl_json_write_i64(writer, zfp->minexp);
        break;
    case MODE_ACCURACY:
        zl_json_write_key(writer, "tolerance");
        zl_json_write_double(writer, zfp->tolerance);
        break;
    case MODE_RATE:
        zl_json_write_key(writer, "rate");
        zl_json_write_double(writer, zfp->rate);
        break;
    case MODE_PRECISION:
        zl_json_write_key(writer, "precision");
        zl_json_write_u64(writer, zfp->precision);
        break;
    }
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const struct zfp *zfp = self;
    zl_zfp_values values;
    *out = *in;
    *resolved = self;
    if (!zl_zfp_values_of(in->dtype, &values)) {
        return zl_fail(err, ZL_ERR_METADATA, "zfp: not defined for data type \"%s\"", in->dtype->name);
    }
    if (env->creating && zfp->mode == MODE_ACCURACY && !values.format) {
        return zl_fail(
            err, ZL_ERR_METADATA,
            "zfp: mode \"fixed_accuracy\" does nothing for integers such as \"%s\": libzfp ignores the tolerance; "
            "\"fixed_precision\", \"fixed_rate\" and \"reversible\" work",
            in->dtype->name);
    }
    return ZL_OK;
}

/* ---- more than four dimensions */

/* Appends to `text`, cut to what fits. */
static void append(char *text, size_t cap, size_t *used, const char *format, int32_t number) {
    const int length = snprintf(text + *used, cap - *used, format, (int)number);
    if (length > 0) *used = zl_min_u64(*used + (size_t)length, cap - 1);
}

/* The reshape that makes a field of the chunk: axes of extent 1 go together with the next one, and the slowest of the
 * others are joined until there are four. */
static void name_reshape(const zl_shape *shape, char *text, size_t cap) {
    int32_t wide = 0, last_wide = 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dim[i] == 1) continue;
        wide++;
        last_wide = i;
    }
    size_t used = 0;
    int32_t joined = wide > ZL_ZFP_AXES ? wide - ZL_ZFP_AXES : 0;
    append(text, cap, &used, "{\"name\": \"reshape\", \"configuration\": {\"shape\": [[%d", 0);
    for (int32_t i = 1; i < shape->rank; i++) {
        const bool was_wide = shape->dim[i - 1] != 1;
        const bool ends = was_wide && i <= last_wide && joined-- <= 0;
        append(text, cap, &used, ends ? "], [%d" : ", %d", i);
    }
    append(text, cap, &used, "]]}}", 0);
}

static zl_status fail_rank(const zl_shape *shape, zl_error *err) {
    char text[256];
    name_reshape(shape, text, sizeof text);
    return zl_fail(err, ZL_ERR_METADATA,
                   "zfp: the chunk has %d dimensions, at most 4 are possible; with this codec in front it fits: %s",
                   (int)shape->rank, text);
}

/* ---- binding */

static zl_status make_settings(const struct zfp *zfp, zfp_type type, int32_t rank, zfp_stream *out, zl_error *err) {
    *out = (zfp_stream){.exec = {.policy = zfp_exec_serial}};
    switch (zfp->mode) {
    case MODE_REVERSIBLE: zfp_stream_set_reversible(out); break;
    case MODE_EXPERT:
        out->minbits = zfp->minbits;
        out->maxbits = zfp->maxbits;
        out->maxprec = zfp->maxprec;
        /* Beyond these it makes no difference, but libzfp computes with it. */
        out->minexp = (int)zl_max_i64(zl_min_i64(zfp->minexp, -2 * ZFP_MIN_EXP), ZFP_MIN_EXP - 1);
        break;
    case MODE_ACCURACY: zfp_stream_set_accuracy(out, zfp->tolerance); break;
    case MODE_RATE: return zl_zfp_set_rate(out, zfp->rate, type, rank, err);
    case MODE_PRECISION: zfp_stream_set_precision(out, zfp->precision); break;
    }
    return ZL_OK;
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)out;
    if (in->rank > ZL_ZFP_AXES) return fail_rank(in, err);
    zl_zfp_values values;
    (void)zl_zfp_values_of(level->dtype, &values);
    zfp_stream settings;
    zl_zfp *bound = ZL_ARENA_NEW(arena, zl_zfp);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    zl_status status = make_settings(resolved, values.type, zl_zfp_rank(in), &settings, err);
    if (status == ZL_OK) status = zl_zfp_prepare(bound, level->dtype, &settings, in, err);
    if (status != ZL_OK) return zl_error_wrap(err, status, "zfp: ");
    *result = bound;
    return ZL_OK;
}

/* ---- bytes */

static zl_status decode(const void *bound, zl_span src, const zl_box *dst, const zl_call *call) {
    return zl_zfp_decode(bound, src, 0, dst, call);
}
static zl_status encode(const void *bound, const zl_box *src, zl_sink *out, const zl_call *call) {
    return zl_zfp_encode(bound, src, out, call);
}
static uint64_t encoded_bound(const void *bound) {
    return zl_zfp_bound(bound);
}
static size_t ranges(const void *bound, const zl_box *dst, zl_range *out, size_t cap) {
    return zl_zfp_ranges(bound, dst, out, cap);
}
static zl_status decode_ranges(const void *bound, uint64_t size, const zl_span *parts, const zl_box *dst,
                               const zl_call *call) {
    return zl_zfp_decode_ranges(bound, size, parts, dst, call);
}

static const zl_ab_ops ab = {
    .decode = decode, .encode = encode, .bound = encoded_bound, .ranges = ranges, .decode_ranges = decode_ranges};

const zl_codec_class zl_codec_zfp = {
    .size = sizeof(zl_codec_class),
    .name = "zfp",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
