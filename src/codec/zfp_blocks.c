/* SPDX-License-Identifier: MIT */
/*
 * Block by block through libzfp.
 *
 * libzfp reads on behind the end of a stream that is too short. So streams are decoded from a copy with zeros behind it,
 * more than one block can take, and the position is looked at after every block. zl_zfp_prepare has checked what that
 * bound needs.
 *
 * Only libzfp's functions for contiguous blocks are used to decode: elements are moved between a block and any box in one
 * place, with what becomes of their type on the way. libzfp's threads are not used: they only encode, and chunks are
 * enough to keep all cores busy.
 */
#include "codec/zfp_blocks.h"

#include <stdio.h>

#define BLOCK_MAX 256
#define TAIL (ZFP_MAX_BITS / 8 + 2 * ZL_ZFP_WORD)

/* ---- libzfp's functions by type and rank */

typedef struct functions {
    size_t (*decode)(zfp_stream *stream, void *block);
    size_t (*encode)(zfp_stream *stream, const void *block);
    /* Elements are `s` elements apart along each axis. */
    size_t (*encode_strided)(zfp_stream *stream, const void *from, const ptrdiff_t *s);
    /* Of a block only the first `n` elements along each axis. */
    size_t (*encode_part)(zfp_stream *stream, const void *from, const size_t *n, const ptrdiff_t *s);
} functions;

#define AXES_1(a) a[3]
#define AXES_2(a) a[3], a[2]
#define AXES_3(a) a[3], a[2], a[1]
#define AXES_4(a) a[3], a[2], a[1], a[0]
#define DEFINE_RANK(type, rank)                                                                                     \
    static size_t decode_##type##_##rank(zfp_stream *stream, void *block) {                                         \
        return zfp_decode_block_##type##_##rank(stream, block);                                                     \
    }                                                                                                               \
    static size_t encode_##type##_##rank(zfp_stream *stream, const void *block) {                                   \
        return zfp_encode_block_##type##_##rank(stream, block);                                                     \
    }                                                                                                               \
    static size_t strided_##type##_##rank(zfp_stream *stream, const void *from, const ptrdiff_t *s) {               \
        return zfp_encode_block_strided_##type##_##rank(stream, from, AXES_##rank(s));                              \
    }                                                                                                               \
    static size_t part_##type##_##rank(zfp_stream *stream, const void *from, const size_t *n, const ptrdiff_t *s) { \
        return zfp_encode_partial_block_strided_##type##_##rank(stream, from, AXES_##rank(n), AXES_##rank(s));      \
    }
#define DEFINE_TYPE(type) DEFINE_RANK(type, 1) DEFINE_RANK(type, 2) DEFINE_RANK(type, 3) DEFINE_RANK(type, 4)
DEFINE_TYPE(int32)
DEFINE_TYPE(int64)
DEFINE_TYPE(float)
DEFINE_TYPE(double)

#define RANK_ROW(type, rank) \
    { decode_##type##_##rank, encode_##type##_##rank, strided_##type##_##rank, part_##type##_##rank }
#define TYPE_ROW(type) \
    { RANK_ROW(type, 1), RANK_ROW(type, 2), RANK_ROW(type, 3), RANK_ROW(type, 4) }
static const functions all_functions[4][ZL_ZFP_AXES] = {TYPE_ROW(int32), TYPE_ROW(int64), TYPE_ROW(float),
                                                        TYPE_ROW(double)};

static const functions *functions_of(const zl_zfp *zfp) {
    return &all_functions[zfp->values.type - zfp_type_int32][zfp->rank - 1];
}

/* ---- boxes and blocks */

/* A box with as many axes as zl_zfp has. */
typedef struct field_box {
    char *data;
    int64_t start[ZL_ZFP_AXES], end[ZL_ZFP_AXES];
    int64_t stride[ZL_ZFP_AXES];
    int64_t edge[ZL_ZFP_AXES];
} field_box;

static field_box field_box_of(const zl_box *box) {
    field_box out = {.data = box->data};
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++) {
        const int32_t axis = i - (ZL_ZFP_AXES - box->rank);
        out.start[i] = axis < 0 ? 0 : box->start[axis];
        out.end[i] = axis < 0 ? 1 : box->start[axis] + box->shape[axis];
        out.stride[i] = axis < 0 ? 0 : box->stride[axis];
        out.edge[i] = axis < 0 ? 1 : box->edge[axis];
    }
    return out;
}

static bool is_empty(const field_box *box) {
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++) {
        if (box->start[i] >= box->end[i]) return true;
    }
    return false;
}

/* Blocks that a box touches along each axis. */
typedef struct block_range {
    int64_t first[ZL_ZFP_AXES], behind[ZL_ZFP_AXES];
} block_range;

static block_range touched_blocks(const field_box *box) {
    block_range out;
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++) {
        out.first[i] = box->start[i] / ZL_ZFP_SIDE;
        out.behind[i] = zl_ceil_div(box->end[i], ZL_ZFP_SIDE);
    }
    return out;
}

static block_range all_blocks(const zl_zfp *zfp) {
    block_range out = {.first = {0}};
    memcpy(out.behind, zfp->blocks, sizeof out.behind);
    return out;
}

/* The next row of blocks of a range: `at` counts on along all axes but the last. False: there is none. */
static bool next_row(const block_range *range, int64_t *at) {
    for (int32_t i = ZL_ZFP_AXES - 2; i >= 0; i--) {
        if (++at[i] < range->behind[i]) return true;
        at[i] = range->first[i];
    }
    return false;
}

/* Number in the stream of a row's block `x`. */
static uint64_t block_number(const zl_zfp *zfp, const int64_t *at, int64_t x) {
    return (uint64_t)(((at[0] * zfp->blocks[1] + at[1]) * zfp->blocks[2] + at[2]) * zfp->blocks[3] + x);
}

/* What block and box have in common, in memory. */
typedef struct patch {
    char *data;                 /* of its first element */
    ptrdiff_t first;            /* number of that in the block */
    int64_t count[ZL_ZFP_AXES]; /* along each axis; any may be 0 or less, then there is nothing */
    const int64_t *stride;
} patch;

static const ptrdiff_t pitch[ZL_ZFP_AXES] = {64, 16, 4, 1}; /* of a block's elements */

/* Can libzfp work on the box's own memory? */
static bool is_direct(const zl_zfp *zfp, const field_box *box) {
    const int64_t size = (int64_t)zfp->values.size;
    bool aligned = (uintptr_t)box->data % (size_t)size == 0;
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        aligned = aligned && box->stride[i] % size == 0;
    return aligned && zfp->values.kind == ZL_ZFP_SAME;
}

/* Adds the share of axis `axis` of a block that is number `at` along it. */
static inline void patch_axis(patch *p, const field_box *box, int32_t axis, int64_t at) {
    const int64_t begin = zl_max_i64(at * ZL_ZFP_SIDE, box->start[axis]);
    const int64_t end = zl_min_i64(at * ZL_ZFP_SIDE + ZL_ZFP_SIDE, box->end[axis]);
    p->count[axis] = end - begin;
    p->first += (begin - at * ZL_ZFP_SIDE) * pitch[axis];
    p->data += (begin - box->start[axis]) * box->stride[axis];
}

/* Moves elements between a block and memory, by rows where these are contiguous there. */
#define DEFINE_MOVE(name, size, copy)                                                                     \
    static void name##_##size(const patch *p, char *block) {                                              \
        const bool packed = p->count[3] == ZL_ZFP_SIDE && p->stride[3] == (size);                         \
        for (int64_t i = 0; i < p->count[0]; i++) {                                                       \
            for (int64_t j = 0; j < p->count[1]; j++) {                                                   \
                for (int64_t k = 0; k < p->count[2]; k++) {                                               \
                    char *memory = p->data + i * p->stride[0] + j * p->stride[1] + k * p->stride[2];      \
                    char *row = block + (p->first + i * pitch[0] + j * pitch[1] + k * pitch[2]) * (size); \
                    if (packed) {                                                                         \
                        copy(memory, row, ZL_ZFP_SIDE *(size));                                           \
                        continue;                                                                         \
                    }                                                                                     \
                    for (int64_t x = 0; x < p->count[3]; x++)                                             \
                        copy(memory + x * p->stride[3], row + x * (size), size);                          \
                }                                                                                         \
            }                                                                                             \
        }                                                                                                 \
    }
#define FROM_BLOCK(memory, block, size) memcpy(memory, block, size)
#define TO_BLOCK(memory, block, size) memcpy(block, memory, size)
DEFINE_MOVE(scatter, 1, FROM_BLOCK)
DEFINE_MOVE(scatter, 2, FROM_BLOCK)
DEFINE_MOVE(scatter, 4, FROM_BLOCK)
DEFINE_MOVE(scatter, 8, FROM_BLOCK)
DEFINE_MOVE(gather, 1, TO_BLOCK)
DEFINE_MOVE(gather, 2, TO_BLOCK)
DEFINE_MOVE(gather, 4, TO_BLOCK)
DEFINE_MOVE(gather, 8, TO_BLOCK)

typedef void (*move_fn)(const patch *p, char *block);

static move_fn scatter_of(size_t size) {
    return size == 1 ? scatter_1 : size == 2 ? scatter_2 : size == 4 ? scatter_4 : scatter_8;
}
static move_fn gather_of(size_t size) {
    return size == 1 ? gather_1 : size == 2 ? gather_2 : size == 4 ? gather_4 : gather_8;
}

/* ---- decoding */

typedef struct decoder {
    const zl_zfp *zfp;
    field_box box;
    const functions *functions;
    move_fn scatter;
    bool packed; /* blocks are contiguous in the box's memory: there is one axis */
    zfp_stream stream;
    uint8_t *buffer; /* what the stream reads, with zeros behind it */
    const zl_call *call;
    _Alignas(64) char block[BLOCK_MAX * 8];
    _Alignas(64) char elements[BLOCK_MAX * 8];
} decoder;

/* A stream over `size` bytes that the caller fills, and the tail. */
static zl_status decoder_open(decoder *d, const zl_zfp *zfp, size_t size, const zl_call *call) {
    d->zfp = zfp;
    d->functions = functions_of(zfp);
    d->scatter = scatter_of(zfp->values.size);
    d->packed = zfp->rank == 1 && d->box.stride[ZL_ZFP_AXES - 1] == (int64_t)zfp->values.size && is_direct(zfp, &d->box);
    d->stream = zfp->settings;
    d->call = call;
    d->buffer = zl_call_scratch(call, size + TAIL, 64);
    if (!d->buffer) return zl_fail_memory(call->err, size);
    memset(d->buffer + size, 0, TAIL);
    d->stream.stream = stream_open(d->buffer, size + TAIL);
    return d->stream.stream ? ZL_OK : zl_fail_memory(call->err, sizeof(void *));
}

static void decoder_close(decoder *d) {
    if (d->stream.stream) stream_close(d->stream.stream);
}

static void store_block(decoder *d, const patch *p) {
    const zl_zfp_values *values = &d->zfp->values;
    if (values->kind == ZL_ZFP_SAME) {
        d->scatter(p, d->block);
        return;
    }
    zl_zfp_demote(values, d->elements, d->block, (size_t)1 << (2 * d->zfp->rank));
    d->scatter(p, d->elements);
}

/* Decodes blocks `first` to `behind` of a row, of which those of the box are kept. False: one of them ends behind bit `end`
 * of the buffer. */
static bool decode_row(decoder *d, const int64_t *at, int64_t first, int64_t behind, uint64_t end) {
    patch row = {.data = d->box.data, .stride = d->box.stride};
    for (int32_t i = 0; i < ZL_ZFP_AXES - 1; i++)
        patch_axis(&row, &d->box, i, at[i]);
    const bool wanted = row.count[0] > 0 && row.count[1] > 0 && row.count[2] > 0;
    for (int64_t x = first; x < behind; x++) {
        patch p = row;
        patch_axis(&p, &d->box, ZL_ZFP_AXES - 1, x);
        const int64_t count = wanted ? p.count[ZL_ZFP_AXES - 1] : 0;
        const bool in_place = d->packed && count == ZL_ZFP_SIDE;
        d->functions->decode(&d->stream, in_place ? p.data : d->block);
        if (stream_rtell(d->stream.stream) > end) return false;
        if (count > 0 && !in_place) store_block(d, &p);
    }
    return true;
}

static zl_status fail_short(const zl_zfp *zfp, const int64_t *at, uint64_t size, const zl_call *call) {
    return zl_fail(call->err, ZL_ERR_CORRUPT, "zfp: %llu bytes are stored; they end in row %llu of the %llu of blocks",
                   (unsigned long long)size, (unsigned long long)(block_number(zfp, at, 0) / (uint64_t)zfp->blocks[3]),
                   (unsigned long long)(zfp->block_count / (uint64_t)zfp->blocks[3]));
}

/* A stream is as long as its blocks, but for zeros up to a whole word: other sizes are damage, or another rate. */
static zl_status check_size(uint64_t size, uint64_t bits, const zl_call *call) {
    const uint64_t least = bits / 8 + (bits % 8 != 0);
    if (size >= least && size - least < ZL_ZFP_WORD) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "zfp: %llu bytes are stored, the blocks of the chunk take %llu",
                   (unsigned long long)size, (unsigned long long)least);
}

/* Where a block starts is known only when those before it have been decoded. */
static zl_status decode_variable(decoder *d, zl_span src, uint32_t first_bit) {
    const zl_zfp *zfp = d->zfp;
    const block_range wanted = touched_blocks(&d->box), all = all_blocks(zfp);
    int64_t at[ZL_ZFP_AXES] = {0}, last[ZL_ZFP_AXES];
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        last[i] = wanted.behind[i] - 1;
    if (src.size) memcpy(d->buffer, src.data, src.size);
    stream_rseek(d->stream.stream, first_bit);
    bool done;
    do {
        done = at[0] == last[0] && at[1] == last[1] && at[2] == last[2];
        const int64_t behind = done ? wanted.behind[ZL_ZFP_AXES - 1] : zfp->blocks[ZL_ZFP_AXES - 1];
        if (!decode_row(d, at, 0, behind, 8 * (uint64_t)src.size)) return fail_short(zfp, at, src.size, d->call);
    } while (!done && next_row(&all, at));
    if (block_number(zfp, last, last[ZL_ZFP_AXES - 1]) + 1 < zfp->block_count) return ZL_OK;
    return check_size(src.size, stream_rtell(d->stream.stream), d->call);
}

/* Bytes of a row's blocks in a stream; `*bit` is where in the first of them the blocks start. */
static zl_range row_range(const zl_zfp *zfp, const block_range *wanted, const int64_t *at, uint32_t first_bit,
                          uint64_t *bit) {
    const int64_t first = wanted->first[ZL_ZFP_AXES - 1], behind = wanted->behind[ZL_ZFP_AXES - 1];
    const uint64_t begin = first_bit + block_number(zfp, at, first) * zfp->block_bits;
    const uint64_t end = begin + (uint64_t)(behind - first) * zfp->block_bits;
    *bit = begin % 8;
    return (zl_range){begin / 8, end / 8 + (end % 8 != 0) - begin / 8};
}

/* Row by row, each from the bytes `parts` has for it, or from its place in `src` where there are no parts. */
static zl_status decode_fixed(decoder *d, zl_span src, uint32_t first_bit, const zl_span *parts) {
    const zl_zfp *zfp = d->zfp;
    const block_range wanted = touched_blocks(&d->box);
    const int64_t first = wanted.first[ZL_ZFP_AXES - 1], behind = wanted.behind[ZL_ZFP_AXES - 1];
    int64_t at[ZL_ZFP_AXES];
    memcpy(at, wanted.first, sizeof at);
    do {
        uint64_t bit;
        const zl_range range = row_range(zfp, &wanted, at, first_bit, &bit);
        memcpy(d->buffer, parts ? (parts++)->data : src.data + range.offset, (size_t)range.length);
        stream_rseek(d->stream.stream, bit);
        if (!decode_row(d, at, first, behind, 8 * range.length)) return fail_short(zfp, at, src.size, d->call);
    } while (next_row(&wanted, at));
    return ZL_OK;
}

/* The most bytes that row_range gives. */
static uint64_t row_size(const zl_zfp *zfp, const field_box *box) {
    const block_range wanted = touched_blocks(box);
    return (uint64_t)(wanted.behind[ZL_ZFP_AXES - 1] - wanted.first[ZL_ZFP_AXES - 1]) * zfp->block_bits / 8 + 2;
}

static zl_status decode_with(const zl_zfp *zfp, zl_span src, uint32_t first_bit, const zl_span *parts, const zl_box *dst,
                             const zl_call *call) {
    decoder d = {.box = field_box_of(dst)};
    if (is_empty(&d.box)) return ZL_OK;
    const uint64_t size = zfp->fixed ? row_size(zfp, &d.box) : src.size;
    if (size > SIZE_MAX / 2) return zl_fail_memory(call->err, size);
    zl_status status = decoder_open(&d, zfp, (size_t)size, call);
    if (status == ZL_OK) {
        status = zfp->fixed ? decode_fixed(&d, src, first_bit, parts) : decode_variable(&d, src, first_bit);
    }
    decoder_close(&d);
    return status;
}

zl_status zl_zfp_decode(const zl_zfp *zfp, zl_span src, uint32_t first_bit, const zl_box *dst, const zl_call *call) {
    if (zfp->fixed) ZL_TRY(check_size(src.size, first_bit + zfp->block_count * zfp->block_bits, call));
    return decode_with(zfp, src, first_bit, NULL, dst, call);
}

/* ---- parts of a stream */

size_t zl_zfp_ranges(const zl_zfp *zfp, const zl_box *dst, zl_range *out, size_t cap) {
    const field_box box = field_box_of(dst);
    if (!zfp->fixed || is_empty(&box)) return 0;
    const block_range wanted = touched_blocks(&box);
    size_t count = 1; /* of rows: a chunk of more blocks than SIZE_MAX cannot be decoded */
    for (int32_t i = 0; i < ZL_ZFP_AXES - 1; i++)
        count *= (size_t)(wanted.behind[i] - wanted.first[i]);
    int64_t at[ZL_ZFP_AXES];
    memcpy(at, wanted.first, sizeof at);
    for (size_t i = 0; i < count && i < cap; i++, next_row(&wanted, at)) {
        uint64_t bit;
        out[i] = row_range(zfp, &wanted, at, 0, &bit);
    }
    return count;
}

zl_status zl_zfp_decode_ranges(const zl_zfp *zfp, uint64_t size, const zl_span *parts, const zl_box *dst,
                               const zl_call *call) {
    ZL_TRY(check_size(size, zfp->block_count * zfp->block_bits, call));
    return decode_with(zfp, (zl_span){NULL, 0}, 0, parts, dst, call);
}

/* ---- encoding */

typedef struct encoder {
    const zl_zfp *zfp;
    field_box box; /* of the whole chunk */
    const functions *functions;
    move_fn gather;
    bool direct;                   /* libzfp may read the box's own memory */
    ptrdiff_t stride[ZL_ZFP_AXES]; /* of that, in elements */
    zfp_stream stream;
    const zl_call *call;
    _Alignas(64) char block[BLOCK_MAX * 8];
    _Alignas(64) char elements[BLOCK_MAX * 8];
} encoder;

/* Extents of a block that ends where the chunk or the array does. */
static void block_extent(const int64_t *limit, const int64_t *at, size_t *n) {
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        n[i] = (size_t)zl_min_i64(zl_max_i64(limit[i] - at[i] * ZL_ZFP_SIDE, 0), ZL_ZFP_SIDE);
}

static bool is_full(const zl_zfp *zfp, const size_t *n) {
    bool full = true;
    for (int32_t i = ZL_ZFP_AXES - zfp->rank; i < ZL_ZFP_AXES; i++)
        full = full && n[i] == ZL_ZFP_SIDE;
    return full;
}

static const char *block_memory(const encoder *e, const int64_t *at) {
    const char *memory = e->box.data;
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        memory += at[i] * ZL_ZFP_SIDE * e->box.stride[i];
    return memory;
}

/* The values of the block's first `n` elements along each axis, with zeros for others. Returns the number of the first
 * value that cannot be encoded; the block's size when there is none. */
static size_t load_block(encoder *e, const int64_t *at, const size_t *n) {
    const zl_zfp *zfp = e->zfp;
    const size_t size = (size_t)1 << (2 * zfp->rank);
    const bool same = zfp->values.kind == ZL_ZFP_SAME;
    char *elements = same ? e->block : e->elements;
    patch p = {.data = (char *)block_memory(e, at), .stride = e->box.stride};
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        p.count[i] = (int64_t)n[i];
    if (!is_full(zfp, n)) memset(elements, 0, size * zfp->values.size);
    e->gather(&p, elements);
    if (!same) zl_zfp_promote(&zfp->values, e->block, elements, size);
    return zl_zfp_find_refused(&zfp->values, e->block, size);
}

static zl_status fail_refused(const encoder *e, const int64_t *at, size_t refused) {
    char text[ZL_ZFP_AXES * 22] = "";
    size_t used = 0;
    for (int32_t i = ZL_ZFP_AXES - e->zfp->rank; i < ZL_ZFP_AXES; i++) {
        const long long coordinate =
            (long long)(at[i] * ZL_ZFP_SIDE) + (long long)(refused / (size_t)pitch[i] % ZL_ZFP_SIDE);
        used += (size_t)snprintf(text + used, sizeof text - used, used ? ", %lld" : "%lld", coordinate);
    }
    return zl_fail(e->call->err, ZL_ERR_INVALID_ARGUMENT, "zfp: element (%s) of the chunk %s", text,
                   zl_zfp_why_refused(&e->zfp->values));
}

/* libzfp forgets the padding of a block of zeros that is coded losslessly, but not to skip it. */
static inline void pad_block(encoder *e, size_t bits) {
    const size_t least = e->zfp->settings.minbits;
    if (bits < least) stream_pad(e->stream.stream, least - bits);
}

/* A block by way of our own memory: for elements that are promoted, for any strides, and where an element is refused. */
static zl_status encode_block(encoder *e, const int64_t *at) {
    const size_t size = (size_t)1 << (2 * e->zfp->rank);
    size_t n[ZL_ZFP_AXES];
    block_extent(e->box.end, at, n);
    size_t refused = load_block(e, at, n);
    if (refused < size) {
        /* It may be padding beyond the array's edge, such as a fill value NaN. That need not come back: the block is
         * encoded without it, as libzfp encodes blocks at the end of a chunk. */
        block_extent(e->box.edge, at, n);
        refused = load_block(e, at, n);
        if (refused < size) return fail_refused(e, at, refused);
    }
    const bool empty = n[0] == 0 || n[1] == 0 || n[2] == 0 || n[3] == 0;
    if (empty || is_full(e->zfp, n))
        pad_block(e, e->functions->encode(&e->stream, e->block));
    else
        pad_block(e, e->functions->encode_part(&e->stream, e->block, n, pitch));
    return ZL_OK;
}

/* Can libzfp have all elements of a row of blocks as they are? */
static bool row_is_direct(const encoder *e, const int64_t *at) {
    const zl_zfp *zfp = e->zfp;
    if (!e->direct) return false;
    if (zfp->values.refused_bits == 0) return true;
    if (e->stride[ZL_ZFP_AXES - 1] != 1) return false; /* elements are looked at one by one, for which a block is best */
    const size_t count = (size_t)zfp->dim[ZL_ZFP_AXES - 1];
    const int64_t *stride = e->box.stride;
    const char *memory = block_memory(e, (int64_t[]){at[0], at[1], at[2], 0});
    size_t n[ZL_ZFP_AXES];
    block_extent(e->box.end, at, n);
    for (size_t i = 0; i < n[0]; i++) {
        for (size_t j = 0; j < n[1]; j++) {
            for (size_t k = 0; k < n[2]; k++) {
                const char *line = memory + (int64_t)i * stride[0] + (int64_t)j * stride[1] + (int64_t)k * stride[2];
                if (zl_zfp_find_refused(&zfp->values, line, count) < count) return false;
            }
        }
    }
    return true;
}

static void encode_direct_row(encoder *e, int64_t *at) {
    const zl_zfp *zfp = e->zfp;
    const int64_t pace = ZL_ZFP_SIDE * e->box.stride[3];
    const char *memory = block_memory(e, at);
    size_t n[ZL_ZFP_AXES];
    block_extent(e->box.end, at, n);
    n[3] = ZL_ZFP_SIDE;
    const bool packed = zfp->rank == 1 && e->stride[3] == 1;
    for (int64_t count = is_full(zfp, n) ? zfp->dim[3] / ZL_ZFP_SIDE : 0; at[3] < count; at[3]++, memory += pace) {
        pad_block(e, packed ? e->functions->encode(&e->stream, memory)
                            : e->functions->encode_strided(&e->stream, memory, e->stride));
    }
    for (; at[3] < zfp->blocks[3]; at[3]++, memory += pace) {
        n[3] = (size_t)zl_min_i64(zfp->dim[3] - at[3] * ZL_ZFP_SIDE, ZL_ZFP_SIDE);
        pad_block(e, e->functions->encode_part(&e->stream, memory, n, e->stride));
    }
}

static zl_status encode_blocks(encoder *e) {
    const block_range all = all_blocks(e->zfp);
    int64_t at[ZL_ZFP_AXES] = {0};
    do {
        at[3] = 0;
        if (row_is_direct(e, at)) encode_direct_row(e, at);
        for (; at[3] < all.behind[3]; at[3]++)
            ZL_TRY(encode_block(e, at));
    } while (next_row(&all, at));
    return ZL_OK;
}

static zl_status write_header(const encoder *e) {
    const zl_zfp *zfp = e->zfp;
    size_t extent[ZL_ZFP_AXES]; /* 0: no such axis */
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        extent[i] = i < ZL_ZFP_AXES - zfp->rank ? 0 : (size_t)zfp->dim[i];
    const zfp_field field = {.type = zfp->values.type, .nx = extent[3], .ny = extent[2], .nz = extent[1], .nw = extent[0]};
    zfp_stream stream = e->stream;
    if (zfp_write_header(&stream, &field, ZFP_HEADER_FULL)) return ZL_OK;
    return zl_fail(e->call->err, ZL_ERR_LIMIT, "zfp: the chunk's extents are too large for the header of a stream");
}

zl_status zl_zfp_encode(const zl_zfp *zfp, const zl_box *src, zl_sink *out, const zl_call *call) {
    const uint64_t bound = zl_zfp_bound(zfp);
    if (bound > SIZE_MAX / 2) return zl_fail_memory(call->err, bound);
    ZL_TRY(zl_sink_reserve(out, (size_t)bound, call->err));
    uint8_t *to = out->data + out->size;
    encoder e = {
        .zfp = zfp, .box = field_box_of(src), .functions = functions_of(zfp), .stream = zfp->settings, .call = call};
    e.gather = gather_of(zfp->values.size);
    e.direct = is_direct(zfp, &e.box);
    for (int32_t i = 0; i < ZL_ZFP_AXES; i++)
        e.stride[i] = (ptrdiff_t)(e.box.stride[i] / (int64_t)zfp->values.size);
    e.stream.stream = stream_open(to, (size_t)bound);
    if (!e.stream.stream) return zl_fail_memory(call->err, sizeof(void *));
    zl_status status = zfp->has_header ? write_header(&e) : ZL_OK;
    if (status == ZL_OK) status = encode_blocks(&e);
    if (status == ZL_OK) {
        zfp_stream_flush(&e.stream);
        const size_t size = zfp_stream_compressed_size(&e.stream);
        const size_t padded = (size + ZL_ZFP_WORD - 1) / ZL_ZFP_WORD * ZL_ZFP_WORD;
        memset(to + size, 0, padded - size);
        out->size += padded;
    }
    stream_close(e.stream.stream);
    return status;
}
