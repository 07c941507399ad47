/* SPDX-License-Identifier: MIT */
/*
 * bitround: numbers rounded to `keepbits` significant bits, so that they compress better. Decoding changes nothing.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround
 *
 * Both kinds of numbers are rounded to the nearest, ties to even.
 * - Floating point: bits of the mantissa are kept; a carry goes on into the exponent and may give infinity. Infinities and
 *   NaN stay as they are.
 * - Integers: bits are counted from the highest one set in the absolute value. A value that would round out of its type
 *   takes the largest value with so many bits instead; times never become "not a time".
 *
 * The fill value stays as it is: what a reader gets for missing elements is not part of the encoded data.
 */
#include "codec/chain.h"
#include "codec/scalar.h"
#include "dtype/family.h"

struct bitround {
    unsigned keep;
};

/* For one data type. */
struct bound {
    zl_scalar scalar;
    size_t size; /* of an element */
    unsigned keep;
    unsigned drop; /* floating point: bits of the mantissa that become 0 */
};

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"keepbits", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    int64_t keep;
    ZL_TRY(zl_json_get_i64(configuration, "keepbits", &keep, err));
    if (keep < 1) {
        return zl_json_fail(zl_json_member(configuration, "keepbits"), err, ZL_ERR_METADATA,
                            "keepbits must be at least 1, not %lld", (long long)keep);
    }
    struct bitround *bitround = ZL_ARENA_NEW(env->arena, struct bitround);
    if (!bitround) return zl_fail_memory(err, sizeof *bitround);
    bitround->keep = keep < 64 ? (unsigned)keep : 64; /* no number has more */
    *self = bitround;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    const struct bitround *bitround = self;
    zl_json_write_object(writer);
    zl_json_write_key(writer, "keepbits");
    zl_json_write_i64(writer, bitround->keep);
    zl_json_write_end(writer);
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **result,
                         zl_error *err) {
    const struct bitround *bitround = self;
    *out = *in;
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    const bool number = zl_scalar_of(in->dtype, &bound->scalar);
    const zl_minifloat *format = bound->scalar.format;
    if (!number || bound->scalar.kind == ZL_SCALAR_BOOL || (format && format->kind != ZL_MINIFLOAT_IEEE)) {
        return zl_fail(err, ZL_ERR_METADATA, "bitround: not defined for data type \"%s\"", in->dtype->name);
    }
    bound->size = in->dtype->size;
    bound->keep = bitround->keep;
    if (format && format->mantissa_bits > bound->keep) bound->drop = format->mantissa_bits - bound->keep;
    *result = bound;
    return ZL_OK;
}

/* ---- rounding */

/* Sign and exponent are not touched but by a carry, so codes are rounded like integers. `exponent` has all its bits set:
 * those of infinities and NaN. */
#define DEFINE_ROUND_FLOATS(type)                                                                         \
    static void round_floats_##type(type *to, const type *from, size_t n, unsigned drop, type exponent) { \
        const type below_half = (type)(((type)1 << (drop - 1)) - 1);                                      \
        const type mask = (type) ~(((type)1 << drop) - 1);                                                \
        for (size_t i = 0; i < n; i++) {                                                                  \
            const type odd = (type)(from[i] >> drop & 1);                                                 \
            const type rounded = (type)((type)(from[i] + below_half + odd) & mask);                       \
            to[i] = (from[i] & exponent) == exponent ? from[i] : rounded;                                 \
        }                                                                                                 \
    }
DEFINE_ROUND_FLOATS(uint8_t)
DEFINE_ROUND_FLOATS(uint16_t)
DEFINE_ROUND_FLOATS(uint32_t)
DEFINE_ROUND_FLOATS(uint64_t)

static void round_floats(const struct bound *bound, void *to, const void *from, size_t n) {
    const zl_minifloat *format = bound->scalar.format;
    const unsigned exponent_bits = format->bits - 1u - format->mantissa_bits;
    const uint64_t exponent = ((UINT64_C(1) << exponent_bits) - 1) << format->mantissa_bits;
    switch (bound->scalar.width) {
    case 1: round_floats_uint8_t(to, from, n, bound->drop, (uint8_t)exponent); break;
    case 2: round_floats_uint16_t(to, from, n, bound->drop, (uint16_t)exponent); break;
    case 4: round_floats_uint32_t(to, from, n, bound->drop, (uint32_t)exponent); break;
    default: round_floats_uint64_t(to, from, n, bound->drop, exponent); break;
    }
}

/* `size` is not 0; results are at most `most`, which has as many bits or more. */
static uint64_t round_magnitude(uint64_t size, unsigned keep, uint64_t most) {
    const unsigned bits = 64 - (unsigned)__builtin_clzll(size);
    if (bits <= keep) return size;
    const unsigned drop = bits - keep;
    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t rest = size & (2 * half - 1);
    const uint64_t kept = size >> drop;
    if (rest < half || (rest == half && kept % 2 == 0)) return kept << drop;
    return kept + 1 > most >> drop ? kept << drop : (kept + 1) << drop;
}

static void round_integers(const struct bound *bound, char *to, const char *from, size_t n) {
    const zl_scalar *scalar = &bound->scalar;
    const uint64_t half_range = UINT64_C(1) << (scalar->bits - 1);
    const bool is_signed = scalar->kind == ZL_SCALAR_SIGNED;
    for (size_t i = 0; i < n; i++, from += scalar->width, to += scalar->width) {
        uint64_t value = zl_load_unit(from, scalar->width);
        if (value == 0) {
            /* stays 0 */
        } else if (!is_signed) {
            value = round_magnitude(value, bound->keep, half_range | (half_range - 1));
        } else if (zl_sign_extend(value, scalar->bits) >= 0) {
            value = round_magnitude(value, bound->keep, half_range - 1);
        } else {
            const uint64_t size = -(uint64_t)zl_sign_extend(value, scalar->bits);
            const bool is_nat = scalar->is_time && size == half_range;
            if (!is_nat) value = -round_magnitude(size, bound->keep, half_range - scalar->is_time);
        }
        zl_store_unit(to, scalar->width, value);
    }
}

static size_t decode_row(const void *self, void *dst, const void *src, size_t n) {
    const struct bound *bound = self;
    memcpy(dst, src, n * bound->size);
    return n;
}

static size_t encode_row(const void *self, void *dst, const void *src, size_t n) {
    const struct bound *bound = self;
    if (bound->scalar.kind != ZL_SCALAR_FLOAT) {
        round_integers(bound, dst, src, n * bound->scalar.count);
        return n;
    }
    if (bound->drop == 0) return decode_row(self, dst, src, n);
    round_floats(bound, dst, src, n * bound->scalar.count);
    return n;
}

static const zl_aa_ops aa = {.decode_row = decode_row, .encode_row = encode_row};

static const char *const aliases[] = {"numcodecs.bitround", NULL};

const zl_codec_class zl_codec_bitround = {
    .size = sizeof(zl_codec_class),
    .name = "bitround",
    .aliases = aliases,
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .aa = &aa,
};
