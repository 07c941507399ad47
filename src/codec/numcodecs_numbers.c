/* SPDX-License-Identifier: MIT */
#include "codec/numcodecs_numbers.h"

#include "dtype/minifloat.h"
#include "dtype/typestr.h"
#include "simd/kernels.h"

#define BLOCK 256 /* numbers that are computed at a time */

/* ---- types */

static const zl_dtype *find_builtin(const char *name) {
    for (int id = ZL_DTYPE_NONE + 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype && strcmp(dtype->name, name) == 0) return dtype;
    }
    return NULL;
}

/* A type of the configuration, as a type string or by NumPy's name; NULL when none is named. Byte orders are the business
 * of the `bytes` codec. */
static zl_status read_type(const zl_json *value, const zl_dtype *in, const zl_dtype **out, zl_error *err) {
    *out = NULL;
    if (!value || zl_json_get_type(value) == ZL_JSON_NULL) return ZL_OK;
    size_t size;
    zl_typestr type;
    const char *text = zl_json_get_type(value) == ZL_JSON_STRING ? zl_json_text(value, &size) : NULL;
    if (text) *out = find_builtin(text);
    if (*out) return ZL_OK;
    if (!text || !zl_typestr_read(text, size, &type)) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "must be the type string of a number, such as \"<f8\"");
    }
    if (type.name) *out = find_builtin(type.name);
    zl_number number;
    const bool is_time = type.kind == 'M' || type.kind == 'm';
    if (is_time && zl_number_of(in, &number) && number.is_time) *out = in;
    if (*out) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "\"%s\" is not supported here", text);
}

static bool numpy_has(const zl_dtype *dtype, const zl_number *number) {
    if (number->kind != ZL_NUMBER_FLOAT) return number->bits >= 8;
    return dtype->id == ZL_DTYPE_FLOAT16 || dtype->id == ZL_DTYPE_FLOAT32 || dtype->id == ZL_DTYPE_FLOAT64;
}

/* Where NumPy computes, "not a time" is a number like others. */
static zl_status find_number(const char *codec, const zl_dtype *dtype, zl_number *out, zl_error *err) {
    if (!zl_number_of(dtype, out) || !numpy_has(dtype, out)) {
        return zl_fail(err, ZL_ERR_METADATA, "%s: elements of data type \"%s\" are no numbers that NumPy has", codec,
                       dtype->name);
    }
    out->is_time = false;
    return ZL_OK;
}

zl_status zl_numpy_types_find(const zl_numpy_names *names, const zl_dtype *in, zl_numpy_types *out, zl_error *err) {
    const zl_json *seen = zl_json_member(names->configuration, names->seen);
    const zl_dtype *decoded, *encoded;
    zl_number number;
    ZL_TRY(read_type(seen, in, &decoded, err));
    ZL_TRY(read_type(zl_json_member(names->configuration, names->made), in, &encoded, err));
    *out = (zl_numpy_types){.codec = names->codec, .decoded = in};
    ZL_TRY(find_number(names->codec, in, &out->decoded_number, err));
    if (decoded) ZL_TRY(find_number(names->codec, decoded, &number, err));
    if (decoded && !zl_number_same(&number, &out->decoded_number)) {
        return zl_json_fail(seen, err, ZL_ERR_METADATA, "\"%s\", but elements here are \"%s\"", zl_json_text(seen, NULL),
                            in->name);
    }
    out->encoded = encoded ? encoded : in;
    return find_number(names->codec, out->encoded, &out->encoded_number, err);
}

void zl_numpy_cast(const zl_number *from, const zl_number *to, zl_out_of_range out_of_range, zl_cast_plan *out) {
    const bool to_float = to->kind == ZL_NUMBER_FLOAT;
    const zl_cast_rule rule = {to_float ? ZL_ROUND_NEAREST_EVEN : ZL_ROUND_TOWARDS_ZERO,
                               to_float ? ZL_RANGE_CLAMP : out_of_range};
    zl_cast_init(out, from, to, rule, NULL, 0, zl_kernels_get()->cast);
}

void zl_numpy_float(const zl_number *seen, zl_numpy_apply_fn *const loops[3], zl_number *work, zl_numpy_apply_fn **out) {
    const bool is_float = seen->kind == ZL_NUMBER_FLOAT;
    const bool is_single = is_float && seen->bits == 32;
    zl_number_of(zl_dtype_builtin(is_single ? ZL_DTYPE_FLOAT32 : ZL_DTYPE_FLOAT64), work);
    *out = is_single ? loops[1] : is_float && seen->bits == 16 ? loops[0] : loops[2];
}

/* ---- rows */

static size_t run_map(const zl_numpy_map *map, const void *bound, void *dst, const void *src, size_t n) {
    if (!map->apply) return zl_cast_run(&map->before, dst, src, n);
    uint64_t numbers[BLOCK]; /* of any type */
    for (size_t i = 0; i < n;) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        const char *from = (const char *)src + i * map->before.from.width;
        const size_t known = zl_cast_run(&map->before, numbers, from, count);
        map->apply(bound, numbers, known);
        const size_t done = zl_cast_run(&map->after, (char *)dst + i * map->after.to.width, numbers, known);
        i += done;
        if (done < count) return i;
    }
    return n;
}

static size_t encode_row(const void *bound, void *dst, const void *src, size_t n) {
    const zl_numpy_codec *codec = bound;
    return run_map(&codec->encode, bound, dst, src, n);
}

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    const zl_numpy_codec *codec = bound;
    return run_map(&codec->decode, bound, dst, src, n);
}

zl_status zl_numpy_refuse(const zl_numpy_types *types, bool encoding, const void *element, zl_error *err) {
    const zl_dtype *from = encoding ? types->decoded : types->encoded, *to = encoding ? types->encoded : types->decoded;
    char text[ZL_NUMBER_TEXT];
    return zl_fail(err, encoding ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT, "%s: %s gives no number of data type \"%s\"",
                   types->codec, zl_number_text(from, element, text), to->name);
}

static zl_status refuse(const void *bound, bool encoding, const void *element, zl_error *err) {
    const zl_numpy_codec *codec = bound;
    return zl_numpy_refuse(&codec->types, encoding, element, err);
}

const zl_aa_ops zl_numpy_ops = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

zl_status zl_numpy_level(const zl_numpy_types *types, zl_row_fn encode, const void *bound, const zl_level *in,
                         zl_level *out, const zl_env *env, zl_error *err) {
    void *fill = zl_arena_zero(env->arena, types->encoded->size, types->encoded->align);
    if (!fill) return zl_fail_memory(err, types->encoded->size);
    if (encode(bound, fill, in->fill, 1) == 0) memset(fill, 0, types->encoded->size);
    *out = (zl_level){types->encoded, fill};
    return ZL_OK;
}

zl_status zl_numpy_codec_level(const zl_numpy_codec *codec, const zl_level *in, zl_level *out, const zl_env *env,
                               zl_error *err) {
    return zl_numpy_level(&codec->types, encode_row, codec, in, out, env, err);
}

/* ---- small things */

void zl_numpy_emit(const void *self, zl_json_writer *writer) {
    if (self) {
        zl_json_write_value(writer, self);
        return;
    }
    zl_json_write_object(writer);
    zl_json_write_end(writer);
}

double zl_numpy_round_half(double value) {
    const zl_minifloat *half = &zl_minifloats[ZL_MINIFLOAT_FLOAT16];
    uint64_t code = 0;
    (void)zl_minifloat_from_double(half, value, &code); /* which has infinity and NaN */
    return zl_minifloat_to_double(half, code);
}
