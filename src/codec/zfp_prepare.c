/* SPDX-License-Identifier: MIT */
/*
 * What is the same for all chunks of one shape: the settings, checked, and how many blocks and bits they take. Settings are
 * not to be trusted, even in metadata: with fewer bits to a block than its head takes, libzfp's own count of bits wraps
 * around, and with a least size of 2^32 bits it looks for the next block far behind the end.
 */
#include "codec/zfp_blocks.h"

static bool is_reversible(const zfp_stream *settings) {
    return settings->minexp < ZFP_MIN_EXP;
}

/* Bits in front of a block's numbers: whether it is all zeros, its exponent, how many bits its numbers have. */
static uint32_t head_bits(zfp_type type, bool reversible) {
    switch (type) {
    case zfp_type_float: return reversible ? 1 + 1 + 8 + 5 : 1 + 8;
    case zfp_type_double: return reversible ? 1 + 1 + 11 + 6 : 1 + 11;
    case zfp_type_int32: return reversible ? 5 : 1;
    default: return reversible ? 6 : 1;
    }
}

zl_status zl_zfp_set_rate(zfp_stream *settings, double rate, zfp_type type, int32_t rank, zl_error *err) {
    const double elements = (double)(1 << (2 * rank));
    const double most = ZFP_MAX_BITS / elements, least = 0.5 / elements;
    if (!(rate >= least && rate <= most)) {
        return zl_fail(err, ZL_ERR_METADATA, "rate %g is not within %g to %g bits to an element of %d dimensions", rate,
                       least, most, (int)rank);
    }
    zfp_stream_set_rate(settings, rate, type, (unsigned)rank, 0);
    return ZL_OK;
}

static zl_status check_settings(const zfp_stream *s, zfp_type type, zl_error *err) {
    const uint32_t least = head_bits(type, is_reversible(s));
    if (s->minbits > s->maxbits) {
        return zl_fail(err, ZL_ERR_METADATA, "minbits (%u) is larger than maxbits (%u)", s->minbits, s->maxbits);
    }
    if (s->maxbits < least) {
        return zl_fail(err, ZL_ERR_METADATA, "a block has at most %u bits, its head alone takes %u", s->maxbits, least);
    }
    if (s->minbits > ZFP_MAX_BITS) {
        return zl_fail(err, ZL_ERR_METADATA, "a block has at least %u bits, no block needs more than %u", s->minbits,
                       (unsigned)ZFP_MAX_BITS);
    }
    if (s->maxprec < 1 || s->maxprec > ZFP_MAX_PREC) {
        return zl_fail(err, ZL_ERR_METADATA, "maxprec is %u, it can be 1 to %u", s->maxprec, (unsigned)ZFP_MAX_PREC);
    }
    return ZL_OK;
}

/* Streams are the same everywhere only if libzfp's words are bytes or the machine is little-endian. */
static zl_status check_library(zl_error *err) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    if (stream_word_bits > 8) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "libzfp was built with words of %zu bits, a big-endian machine needs 8",
                       stream_word_bits);
    }
#else
    (void)err;
#endif
    return ZL_OK;
}

/* Bits that a block takes when nothing limits them. Every bit plane costs a bit for each element; finding out which
 * elements are not 0 yet costs one more for each, but for the last, over all planes together. */
static uint32_t unlimited_bits(const zl_zfp *zfp, uint32_t precision) {
    const uint32_t elements = 1u << (2 * zfp->rank);
    return head_bits(zfp->values.type, is_reversible(&zfp->settings)) + elements - 1 + elements * precision;
}

static void find_block_bits(zl_zfp *zfp) {
    const zfp_stream *s = &zfp->settings;
    const uint32_t all = 8 * (uint32_t)zl_zfp_value_size(&zfp->values);
    const uint32_t precision = is_reversible(s) || s->maxprec > all ? all : s->maxprec;
    uint32_t bits = unlimited_bits(zfp, precision);
    if (bits > s->maxbits) bits = s->maxbits;
    if (bits < s->minbits) bits = s->minbits;
    zfp->block_bits = bits;
    zfp->fixed = s->minbits == s->maxbits;
    const bool lossless = is_reversible(s) && s->maxprec >= all && s->maxbits >= unlimited_bits(zfp, all);
    if (!lossless) zl_zfp_refuse_for_lossy(&zfp->values);
}

zl_status zl_zfp_prepare(zl_zfp *out, const zl_dtype *dtype, const zfp_stream *settings, const zl_shape *shape,
                         zl_error *err) {
    *out = (zl_zfp){.settings = *settings, .rank = zl_zfp_rank(shape), .block_count = 1};
    if (!zl_zfp_values_of(dtype, &out->values)) {
        return zl_fail(err, ZL_ERR_METADATA, "not defined for data type \"%s\"", dtype->name);
    }
    ZL_TRY(check_library(err));
    ZL_TRY(check_settings(settings, out->values.type, err));
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++) {
        const int32_t axis = i - (ZL_ZFP_AXES - shape->rank);
        out->dim[i] = axis < 0 ? 1 : shape->dim[axis];
        out->blocks[i] = zl_ceil_div(out->dim[i], ZL_ZFP_SIDE);
        out->block_count *= (uint64_t)out->blocks[i]; /* as many as the chunk has elements at most, which fits */
    }
    find_block_bits(out);
    uint64_t bits;
    if (!zl_mul_u64(out->block_count, out->block_bits, &bits) || bits > UINT64_MAX / 2) {
        return zl_fail(err, ZL_ERR_LIMIT, "the blocks of a chunk may take more than 2^63 bits");
    }
    return ZL_OK;
}

uint64_t zl_zfp_bound(const zl_zfp *zfp) {
    const uint64_t bits = zfp->block_count * zfp->block_bits + (zfp->has_header ? ZFP_HEADER_MAX_BITS : 0);
    return (bits + 8 * ZL_ZFP_WORD - 1) / (8 * ZL_ZFP_WORD) * ZL_ZFP_WORD;
}
