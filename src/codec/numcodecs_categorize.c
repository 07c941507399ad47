/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.categorize: texts of a short list, stored as their numbers from 1 on. 0 stands for all others, which are lost.
 * https://numcodecs.readthedocs.io/en/stable/filter/categorize.html
 *
 * Configuration: labels, dtype ("|O", or the type string of text of fixed size) and astype (an integer type). A text that
 * is no label is refused when it is written, unless it is empty, which is what 0 reads as.
 */
#include "codec/run.h"
#include "dtype/family.h"
#include "dtype/typestr.h"
#include "json/json.h"

static const char categorize_name[] = "numcodecs.categorize";

typedef struct categorize {
    const zl_json *labels; /* lives as long as the metadata */
    uint8_t width;         /* bytes of a number */
    bool big_endian;
} categorize;

/* For one data type. */
typedef struct resolved {
    uint8_t width;
    bool big_endian;
    const zl_dtype *dtype;
    size_t count;
    const uint8_t *element; /* `count` + 1 elements, the first one empty */
    size_t text_size;       /* bytes that they point to */
} resolved;

typedef struct bound {
    const resolved *how;
    zl_shape shape;
    uint64_t size; /* of an encoded chunk */
} bound;

/* ---- configuration */

static zl_status parse_numbers(const zl_json *configuration, categorize *out, zl_error *err) {
    const zl_json *value = zl_json_member(configuration, "astype");
    zl_typestr type = {.kind = 'u', .size = 1};
    if (value) {
        size_t size = 0;
        const char *text = zl_json_text(value, &size);
        const bool known = zl_json_get_type(value) == ZL_JSON_STRING && zl_typestr_read(text, size, &type);
        if (!known || (type.kind != 'u' && type.kind != 'i')) {
            return zl_json_fail(value, err, ZL_ERR_METADATA, "must be the type string of an integer type");
        }
    }
    out->width = (uint8_t)type.size;
    out->big_endian = type.order == ZL_ORDER_BIG;
    return ZL_OK;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"labels", "dtype", "astype", NULL};
    categorize *codec = ZL_ARENA_NEW(env->arena, categorize);
    if (!codec) return zl_fail_memory(err, sizeof *codec);
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_require(configuration, "labels", &codec->labels, err));
    ZL_TRY(parse_numbers(configuration, codec, err));
    const uint64_t most = codec->width < 8 ? (UINT64_C(1) << (8 * codec->width)) - 1 : UINT64_MAX;
    if (zl_json_get_type(codec->labels) != ZL_JSON_ARRAY || zl_json_count(codec->labels) > most) {
        return zl_json_fail(codec->labels, err, ZL_ERR_METADATA, "must be an array of at most %llu strings",
                            (unsigned long long)most);
    }
    for (const zl_json *label = zl_json_first(codec->labels); label; label = zl_json_next(label)) {
        if (zl_json_get_type(label) != ZL_JSON_STRING) {
            return zl_json_fail(label, err, ZL_ERR_METADATA, "must be a string");
        }
    }
    *self = codec;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const categorize *codec = self;
    char text[8] = {codec->width == 1 ? '|' : codec->big_endian ? '>' : '<', 'u', (char)('0' + codec->width), '\0'};
    zl_json_write_object(writer);
    zl_json_write_key(writer, "labels");
    zl_json_write_value(writer, codec->labels);
    zl_json_write_key(writer, "dtype");
    zl_json_write_text(writer, "|O");
    zl_json_write_key(writer, "astype");
    zl_json_write_text(writer, text);
    zl_json_write_end(writer);
}

/* A label as an element of the data type. */
static zl_status make_element(const zl_dtype *dtype, const zl_json *label, const zl_env *env, uint8_t *out, zl_error *err) {
    size_t size = 0;
    const char *text = label ? zl_json_text(label, &size) : "";
    if (dtype->cls != &zl_dtype_class_fixed_bytes) return dtype->cls->parse_fill(dtype, label, env, out, err);
    if (size > dtype->size) {
        return zl_json_fail(label, err, ZL_ERR_METADATA, "%zu bytes for elements of %u", size, (unsigned)dtype->size);
    }
    memcpy(out, text, size);
    return ZL_OK;
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    const categorize *codec = self;
    const zl_dtype *dtype = in->dtype;
    *out = *in;
    if (dtype->id != ZL_DTYPE_STRING && dtype->cls != &zl_dtype_class_utf32 && dtype->cls != &zl_dtype_class_fixed_bytes) {
        return zl_fail(err, ZL_ERR_METADATA, "%s: stores text, not data type \"%s\"", categorize_name, dtype->name);
    }
    const size_t count = zl_json_count(codec->labels);
    size_t size;
    resolved *how = ZL_ARENA_NEW(env->arena, resolved);
    uint8_t *element = zl_mul_size(count + 1, dtype->size, &size) ? zl_arena_zero(env->arena, size, 16) : NULL;
    if (!how || !element) return zl_fail_memory(err, sizeof *how);
    *how = (resolved){codec->width, codec->big_endian, dtype, count, element, 0};
    ZL_TRY(make_element(dtype, NULL, env, element, err));
    for (const zl_json *label = zl_json_first(codec->labels); label; label = zl_json_next(label)) {
        element += dtype->size;
        ZL_TRY(make_element(dtype, label, env, element, err));
        (void)zl_json_text(label, &size);
        how->text_size += size;
    }
    *result = how;
    return ZL_OK;
}

static zl_status bind(const void *self, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)level, (void)out;
    const resolved *how = self;
    bound *b = ZL_ARENA_NEW(arena, bound);
    int64_t count;
    if (!b) return zl_fail_memory(err, sizeof *b);
    *b = (bound){.how = how, .shape = *in};
    if (!zl_shape_count(in, &count) || !zl_mul_u64((uint64_t)count, how->width, &b->size)) {
        return zl_fail(err, ZL_ERR_LIMIT, "%s: a chunk with too many elements", categorize_name);
    }
    *result = b;
    return ZL_OK;
}

/* ---- elements */

static uint64_t load_number(const resolved *how, const uint8_t *from) {
    uint64_t value = 0;
    for (unsigned i = 0; i < how->width; i++) {
        value = value << 8 | from[how->big_endian ? i : how->width - 1u - i];
    }
    return value;
}

static void store_number(const resolved *how, uint8_t *to, uint64_t value) {
    for (unsigned i = 0; i < how->width; i++) {
        to[how->big_endian ? how->width - 1u - i : i] = (uint8_t)(value >> (8 * i));
    }
}

/* The elements, with texts that live as long as the result. NULL: out of memory. */
static const uint8_t *elements_for(const resolved *how, const zl_call *call) {
    if (!how->dtype->variable) return how->element;
    zl_slot *slots = zl_call_scratch(call, (how->count + 1) * sizeof *slots, _Alignof(zl_slot));
    char *text = zl_call_result_alloc(call, how->text_size);
    if (!slots || !text) return NULL;
    memcpy(slots, how->element, (how->count + 1) * sizeof *slots);
    for (size_t i = 0; i <= how->count; i++) {
        const size_t size = (size_t)slots[i].size;
        if (size > 0) memcpy(text, slots[i].data, size);
        slots[i].data = text;
        text += size;
    }
    return (const uint8_t *)slots;
}

static zl_status decode(const void *self, zl_span src, const zl_box *dst, const zl_call *call) {
    const bound *b = self;
    const resolved *how = b->how;
    const size_t size = how->dtype->size;
    if (src.size != b->size) {
        return zl_fail(call->err, ZL_ERR_CORRUPT, "%s: a chunk of %zu bytes must have %llu", categorize_name, src.size,
                       (unsigned long long)b->size);
    }
    const uint8_t *element = elements_for(how, call);
    if (!element) return zl_fail_memory(call->err, how->text_size);
    zl_runs runs;
    zl_runs_begin(&runs, dst, &b->shape);
    while (zl_runs_next(&runs)) {
        const uint8_t *from = src.data + (size_t)runs.first * how->width;
        for (int64_t i = 0; i < runs.count; i++, from += how->width) {
            const uint64_t number = load_number(how, from);
            memcpy(runs.data + i * runs.stride, element + (number <= how->count ? (size_t)number * size : 0), size);
        }
    }
    return ZL_OK;
}

/* The number of a text, or one more than there are labels. */
static size_t find(const resolved *how, const void *element) {
    size_t number = 0;
    while (number <= how->count && !zl_dtype_same(how->dtype, element, how->element + number * how->dtype->size)) {
        number++;
    }
    return number;
}

static zl_status encode(const void *self, const zl_box *src, zl_sink *out, const zl_call *call) {
    const bound *b = self;
    const resolved *how = b->how;
    if (b->size > SIZE_MAX) return zl_fail_memory(call->err, b->size);
    ZL_TRY(zl_sink_reserve(out, (size_t)b->size, call->err));
    uint8_t *to = out->data + out->size;
    zl_runs runs;
    zl_runs_begin(&runs, src, &b->shape);
    while (zl_runs_next(&runs)) {
        for (int64_t i = 0; i < runs.count; i++, to += how->width) {
            const size_t number = find(how, runs.data + i * runs.stride);
            if (number > how->count) {
                return zl_fail(call->err, ZL_ERR_INVALID_ARGUMENT,
                               "%s: element %lld of the chunk is none of the %zu labels", categorize_name,
                               (long long)(runs.first + i), how->count);
            }
            store_number(how, to, number);
        }
    }
    out->size += (size_t)b->size;
    return ZL_OK;
}

static uint64_t encoded_size(const void *self) {
    const bound *b = self;
    return b->size;
}

static const zl_ab_ops ab = {.decode = decode, .encode = encode, .bound = encoded_size};

const zl_codec_class zl_codec_numcodecs_categorize = {
    .size = sizeof(zl_codec_class),
    .name = categorize_name,
    .spec = "https://numcodecs.readthedocs.io/en/stable/filter/categorize.html",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
