/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.zfpy: zfp with libzfp's header in front of each chunk, as older writers store it.
 * Spec: https://numcodecs.readthedocs.io/en/stable/compression/zfpy.html
 *
 * A chunk is decoded by what its header says, whatever the configuration; its type and extents must be the chunk's. The
 * parameters of other modes are -1 and mean nothing, and so does `compression_kwargs`, a copy of the others. A parameter
 * that is negative itself makes zfpy choose the lossless mode: with the defaults, tolerance -1, it is lossless.
 */
#include "codec/chain.h"
#include "codec/zfp_blocks.h"

#define HEADER_SIZE ((ZFP_HEADER_MAX_BITS + 7) / 8)

struct zfpy {
    zfp_mode mode;
    double tolerance, rate;
    int64_t precision;
};

/* ---- configuration */

static zl_status parse_number(const zl_json *configuration, const char *key, double *out, zl_error *err) {
    const zl_json *value = zl_json_member(configuration, key);
    *out = -1;
    return value ? zl_json_to_double(value, out, err) : ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"mode", "tolerance", "rate", "precision", "compression_kwargs", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t mode = zfp_mode_fixed_accuracy;
    const zl_json *value = zl_json_member(configuration, "mode");
    if (value) ZL_TRY(zl_json_to_i64(value, &mode, err));
    if (mode != zfp_mode_fixed_rate && mode != zfp_mode_fixed_precision && mode != zfp_mode_fixed_accuracy) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "mode %lld is not 2 (rate), 3 (precision) or 4 (tolerance)",
                            (long long)mode);
    }
    struct zfpy *zfpy = ZL_ARENA_NEW(env->arena, struct zfpy);
    if (!zfpy) return zl_fail_memory(err, sizeof *zfpy);
    zfpy->mode = (zfp_mode)mode;
    zfpy->precision = -1;
    ZL_TRY(parse_number(configuration, "tolerance", &zfpy->tolerance, err));
    ZL_TRY(parse_number(configuration, "rate", &zfpy->rate, err));
    value = zl_json_member(configuration, "precision");
    if (value) ZL_TRY(zl_json_to_i64(value, &zfpy->precision, err));
    *self = zfpy;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct zfpy *zfpy = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "mode");
    zl_json_write_i64(writer, zfpy->mode);
    zl_json_write_key(writer, "tolerance");
    zl_json_write_double(writer, zfpy->tolerance);
    zl_json_write_key(writer, "rate");
    zl_json_write_double(writer, zfpy->rate);
    zl_json_write_key(writer, "precision");
    zl_json_write_i64(writer, zfpy->precision);
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    (void)env;
    zl_zfp_values values;
    *out = *in;
    *resolved = self;
    if (zl_zfp_values_of(in->dtype, &values) && values.kind == ZL_ZFP_SAME && !values.is_time) return ZL_OK;
    return zl_fail(err, ZL_ERR_METADATA, "numcodecs.zfpy: not defined for data type \"%s\"", in->dtype->name);
}

/* ---- binding */

struct bound {
    zl_zfp zfp; /* for encoding */
    const zl_dtype *dtype;
    zl_shape shape;
};

static zl_status make_settings(const struct zfpy *zfpy, zfp_type type, int32_t rank, zfp_stream *out, zl_error *err) {
    *out = (zfp_stream){.exec = {.policy = zfp_exec_serial}};
    zfp_stream_set_reversible(out);
    switch (zfpy->mode) {
    case zfp_mode_fixed_rate: return zfpy->rate < 0 ? ZL_OK : zl_zfp_set_rate(out, zfpy->rate, type, rank, err);
    case zfp_mode_fixed_precision:
        if (zfpy->precision >= 0) zfp_stream_set_precision(out, (unsigned)zl_min_i64(zfpy->precision, ZFP_MAX_PREC));
        return ZL_OK;
    default:
        if (zfpy->tolerance >= 0) zfp_stream_set_accuracy(out, zfpy->tolerance);
        return ZL_OK;
    }
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)out;
    const int32_t rank = zl_zfp_rank(in);
    if (rank > ZL_ZFP_AXES) {
        return zl_fail(err, ZL_ERR_METADATA, "numcodecs.zfpy: the chunk has %d dimensions, at most 4 are possible",
                       (int)rank);
    }
    zl_zfp_values values;
    (void)zl_zfp_values_of(level->dtype, &values);
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    zfp_stream settings;
    zl_status status = make_settings(resolved, values.type, rank, &settings, err);
    if (status == ZL_OK) status = zl_zfp_prepare(&bound->zfp, level->dtype, &settings, in, err);
    if (status != ZL_OK) return zl_error_wrap(err, status, "numcodecs.zfpy: ");
    bound->zfp.has_header = true;
    bound->dtype = level->dtype;
    bound->shape = *in;
    *result = bound;
    return ZL_OK;
}

/* ---- bytes */

/* Reads the header at the start of `src`: what it says, and its bits. */
static zl_status read_header(zl_span src, zfp_stream *settings, zfp_field *field, uint32_t *bits, const zl_call *call) {
    _Alignas(8) uint8_t start[(HEADER_SIZE + 7) / 8 * 8 + 8] = {0}; /* libzfp may take a whole word more */
    if (src.size) memcpy(start, src.data, src.size < HEADER_SIZE ? src.size : HEADER_SIZE);
    *settings = (zfp_stream){.exec = {.policy = zfp_exec_serial}};
    *field = (zfp_field){.type = zfp_type_none};
    settings->stream = stream_open(start, sizeof start);
    if (!settings->stream) return zl_fail_memory(call->err, sizeof(void *));
    *bits = (uint32_t)zfp_read_header(settings, field, ZFP_HEADER_FULL);
    stream_close(settings->stream);
    settings->stream = NULL;
    if (*bits != 0 && (*bits + 7) / 8 <= src.size) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "numcodecs.zfpy: the %zu bytes do not start with a header of zfp %d",
                   src.size, ZFP_CODEC);
}

static zl_status check_field(const struct bound *bound, const zfp_field *field, const zl_call *call) {
    const zl_zfp *zfp = &bound->zfp;
    const size_t found[] = {field->nw, field->nz, field->ny, field->nx};
    bool same = field->type == zfp->values.type;
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++) {
        const size_t expected = i < ZL_ZFP_AXES - zfp->rank ? 0 : (size_t)zfp->dim[i];
        same = same && found[i] == expected;
    }
    if (same) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT,
                   "numcodecs.zfpy: the header tells of a field of type %d, %zu x %zu x %zu x %zu (0: no such axis), which "
                   "the chunk is not",
                   (int)field->type, found[0], found[1], found[2], found[3]);
}

static zl_status decode(const void *self, zl_span src, const zl_box *dst, const zl_call *call) {
    const struct bound *bound = self;
    zfp_stream settings;
    zfp_field field;
    uint32_t bits = 0;
    ZL_TRY(read_header(src, &settings, &field, &bits, call));
    ZL_TRY(check_field(bound, &field, call));
    zl_zfp zfp;
    const zl_status status = zl_zfp_prepare(&zfp, bound->dtype, &settings, &bound->shape, call->err);
    if (status != ZL_OK) return zl_error_wrap(call->err, ZL_ERR_CORRUPT, "numcodecs.zfpy: header of a chunk: ");
    return zl_zfp_decode(&zfp, src, bits, dst, call);
}

static zl_status encode(const void *self, const zl_box *src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    return zl_zfp_encode(&bound->zfp, src, out, call);
}

static uint64_t encoded_bound(const void *self) {
    const struct bound *bound = self;
    return zl_zfp_bound(&bound->zfp);
}

static const zl_ab_ops ab = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_numcodecs_zfpy = {
    .size = sizeof(zl_codec_class),
    .name = "numcodecs.zfpy",
    .spec = "https://numcodecs.readthedocs.io/en/stable/compression/zfpy.html",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
