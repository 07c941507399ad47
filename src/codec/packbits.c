/* SPDX-License-Identifier: MIT */
/*
 * packbits: numbers of any number of bits, one behind the other. Bit i of the stored sequence is bit i % 8 of byte i / 8.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits
 *
 * The page names first_bit, last_bit, first_byte and last_byte, and so do all known writers; the page's schema says start
 * and end in their place. Both are read, the former written. The page's list of data types leaves out float16 and the
 * float8 types for no reason; they are packed like the others. Padding bits are not looked at.
 */
#include "codec/chain.h"
#include "codec/run.h"
#include "codec/scalar.h"
#include "dtype/family.h"

enum padding { PADDING_NONE, PADDING_FIRST, PADDING_LAST };

#define UNSET (-1)

struct packbits {
    enum padding padding;
    int64_t first, last; /* UNSET: not given */
};

/* For one data type. */
struct resolved {
    enum padding padding;
    zl_scalar scalar;
    unsigned first;
    unsigned bits; /* stored of each number */
};

struct bound {
    struct resolved how;
    zl_shape shape;
    uint64_t packed; /* bytes without the one for the padding */
    unsigned padding_bits;
};

/* ---- configuration */

/* The member `key`, or its name in the schema; NULL: neither. */
static zl_status find_member(const zl_json *configuration, const char *key, const char *schema_key, const zl_json **out,
                             zl_error *err) {
    const zl_json *a = zl_json_member(configuration, key), *b = zl_json_member(configuration, schema_key);
    if (a && b) return zl_json_fail(b, err, ZL_ERR_METADATA, "%s and %s are both given", key, schema_key);
    *out = a ? a : b;
    return ZL_OK;
}

static zl_status parse_bit(const zl_json *configuration, const char *key, const char *schema_key, int64_t *out,
                           zl_error *err) {
    const zl_json *value = NULL;
    *out = UNSET;
    ZL_TRY(find_member(configuration, key, schema_key, &value, err));
    if (!value || zl_json_get_type(value) == ZL_JSON_NULL) return ZL_OK;
    ZL_TRY(zl_json_to_i64(value, out, err));
    if (*out >= 0 && *out < 64) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "no number has a bit %lld", (long long)*out);
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"padding_encoding", "first_bit", "last_bit", "start_bit", "end_bit", NULL};
    static const char *const paddings[] = {"none", "first_byte", "last_byte", "start_byte", "end_byte", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    struct packbits *packbits = ZL_ARENA_NEW(env->arena, struct packbits);
    if (!packbits) return zl_fail_memory(err, sizeof *packbits);
    int padding = PADDING_NONE;
    if (zl_json_member(configuration, "padding_encoding")) {
        ZL_TRY(zl_json_get_choice(configuration, "padding_encoding", paddings, &padding, err));
    }
    packbits->padding = (enum padding)(padding > PADDING_LAST ? padding - 2 : padding);
    ZL_TRY(parse_bit(configuration, "first_bit", "start_bit", &packbits->first, err));
    ZL_TRY(parse_bit(configuration, "last_bit", "end_bit", &packbits->last, err));
    *self = packbits;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    static const char *const padding_name[] = {"none", "first_byte", "last_byte"};
    const struct packbits *packbits = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "padding_encoding");
    zl_json_write_text(writer, padding_name[packbits->padding]);
    if (packbits->first != UNSET) {
        zl_json_write_key(writer, "first_bit");
        zl_json_write_i64(writer, packbits->first);
    }
    if (packbits->last != UNSET) {
        zl_json_write_key(writer, "last_bit");
        zl_json_write_i64(writer, packbits->last);
    }
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    const struct packbits *packbits = self;
    *out = *in;
    struct resolved *resolved = ZL_ARENA_NEW(env->arena, struct resolved);
    if (!resolved) return zl_fail_memory(err, sizeof *resolved);
    if (!zl_scalar_of(in->dtype, &resolved->scalar)) {
        return zl_fail(err, ZL_ERR_METADATA, "packbits: elements of data type \"%s\" are not numbers", in->dtype->name);
    }
    const int64_t bits = resolved->scalar.bits;
    const int64_t first = packbits->first == UNSET ? 0 : packbits->first;
    const int64_t last = packbits->last == UNSET ? bits - 1 : packbits->last;
    if (first > last || last >= bits) {
        return zl_fail(err, ZL_ERR_METADATA, "packbits: bits %lld to %lld of the %lld that a number of \"%s\" has",
                       (long long)first, (long long)last, (long long)bits, in->dtype->name);
    }
    resolved->padding = packbits->padding;
    resolved->first = (unsigned)first;
    resolved->bits = (unsigned)(last - first + 1);
    *result = resolved;
    return ZL_OK;
}

static zl_status bind(const void *self, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)level, (void)out;
    const struct resolved *resolved = self;
    int64_t count;
    uint64_t bits;
    if (!zl_shape_count(in, &count) ||
        !zl_mul_u64((uint64_t)count, (uint64_t)resolved->scalar.count * resolved->bits, &bits)) {
        return zl_fail(err, ZL_ERR_LIMIT, "packbits: the chunk has more than 2^64 bits");
    }
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    bound->how = *resolved;
    bound->shape = *in;
    bound->packed = bits / 8 + (bits % 8 != 0);
    bound->padding_bits = (unsigned)(-bits & 7);
    *result = bound;
    return ZL_OK;
}

static uint64_t encoded_size(const void *self) {
    const struct bound *bound = self;
    return bound->packed + (bound->how.padding != PADDING_NONE);
}

/* ---- decoding */

static uint64_t low_bits(unsigned bits) {
    return UINT64_MAX >> (64 - bits);
}

/* `bits` (1 to 64) bits from bit `at` of `src`. */
static uint64_t get_bits(zl_span src, uint64_t at, unsigned bits) {
    const size_t byte = (size_t)(at / 8);
    const unsigned shift = (unsigned)(at % 8);
    uint64_t value = 0;
    unsigned have = 0; /* bits of `value`, the first `shift` of them not wanted */
    for (size_t i = byte; have < 64 && have < shift + bits; i++, have += 8) {
        value |= (uint64_t)src.data[i] << have;
    }
    value >>= shift;
    if (shift + bits > 64) value |= (uint64_t)src.data[byte + 8] << (64 - shift);
    return value & low_bits(bits);
}

/* Checks the size of a chunk and the byte that tells of padding; `packed` is what is left. zarrs writes no such byte where
 * whole numbers of whole bytes are stored; the size shows that. */
static zl_status open_chunk(const struct bound *bound, zl_span src, zl_span *packed, zl_error *err) {
    const struct resolved *how = &bound->how;
    *packed = src;
    const bool may_lack_byte = how->bits == how->scalar.bits && how->bits % 8 == 0;
    if (may_lack_byte && src.size == bound->packed) return ZL_OK;
    if (src.size != encoded_size(bound)) {
        return zl_fail(err, ZL_ERR_CORRUPT, "packbits: a chunk of %zu bytes must have %llu", src.size,
                       (unsigned long long)encoded_size(bound));
    }
    if (how->padding == PADDING_NONE) return ZL_OK;
    const uint8_t told = how->padding == PADDING_FIRST ? src.data[0] : src.data[src.size - 1];
    *packed = (zl_span){src.data + (how->padding == PADDING_FIRST), src.size - 1};
    if (told == bound->padding_bits) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "packbits: the chunk tells of %u padding bits, it has %u", told,
                   bound->padding_bits);
}

static zl_status decode(const void *self, zl_span src, const zl_box *dst, const zl_call *call) {
    const struct bound *bound = self;
    const struct resolved *how = &bound->how;
    const zl_scalar *scalar = &how->scalar;
    const bool sign = scalar->kind == ZL_SCALAR_SIGNED;
    zl_span packed = {0};
    ZL_TRY(open_chunk(bound, src, &packed, call->err));
    zl_runs runs;
    zl_runs_begin(&runs, dst, &bound->shape);
    while (zl_runs_next(&runs)) {
        uint64_t at = (uint64_t)runs.first * scalar->count * how->bits;
        for (int64_t i = 0; i < runs.count; i++) {
            char *element = runs.data + i * runs.stride;
            for (unsigned part = 0; part < scalar->count; part++, at += how->bits) {
                uint64_t value = get_bits(packed, at, how->bits) << how->first;
                if (sign) value = (uint64_t)zl_sign_extend(value, how->first + how->bits);
                zl_store_unit(element + part * scalar->width, scalar->width, value);
            }
        }
    }
    return ZL_OK;
}

/* ---- encoding */

struct bit_writer {
    uint8_t *to;
    uint64_t held; /* `count` bits that are not written yet */
    unsigned count;
};

static void write_bytes(struct bit_writer *writer, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        *writer->to++ = (uint8_t)(writer->held >> (8 * i));
    }
}

static void put_bits(struct bit_writer *writer, uint64_t value, unsigned bits) {
    const unsigned room = 64 - writer->count;
    writer->held |= value << writer->count;
    if (bits < room) {
        writer->count += bits;
        return;
    }
    write_bytes(writer, 8);
    writer->held = room < 64 ? value >> room : 0;
    writer->count = bits - room;
}

static zl_status encode(const void *self, const zl_box *src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    const struct resolved *how = &bound->how;
    const zl_scalar *scalar = &how->scalar;
    const uint64_t size = encoded_size(bound);
    if (size > SIZE_MAX) return zl_fail_memory(call->err, size);
    ZL_TRY(zl_sink_reserve(out, (size_t)size, call->err));
    struct bit_writer writer = {.to = out->data + out->size};
    if (how->padding == PADDING_FIRST) *writer.to++ = (uint8_t)bound->padding_bits;
    zl_runs runs;
    zl_runs_begin(&runs, src, &bound->shape);
    while (zl_runs_next(&runs)) {
        for (int64_t i = 0; i < runs.count; i++) {
            const char *element = runs.data + i * runs.stride;
            for (unsigned part = 0; part < scalar->count; part++) {
                uint64_t value = zl_load_unit(element + part * scalar->width, scalar->width);
                if (scalar->kind == ZL_SCALAR_BOOL) value = value != 0;
                put_bits(&writer, value >> how->first & low_bits(how->bits), how->bits);
            }
        }
    }
    write_bytes(&writer, (writer.count + 7) / 8);
    if (how->padding == PADDING_LAST) *writer.to++ = (uint8_t)bound->padding_bits;
    out->size += (size_t)size;
    return ZL_OK;
}

static const zl_ab_ops ab = {.decode = decode, .encode = encode, .bound = encoded_size};

const zl_codec_class zl_codec_packbits = {
    .size = sizeof(zl_codec_class),
    .name = "packbits",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
