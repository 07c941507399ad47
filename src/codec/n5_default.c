/* SPDX-License-Identifier: MIT */
/*
 * n5_default: a block of N5 in its default mode. A header with the block's own shape, then the elements, first axis
 * fastest and big-endian, through at most one bytes -> bytes codec.
 * Spec: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default
 *
 * A block may be smaller than its chunk (Java cuts blocks at the end of an array) or larger: what lies outside of it is
 * fill, what lies outside of the chunk is dropped. Blocks are written in the shape of the chunk. The header lists extents
 * in the order of the axes of the decoded array, as all writers of N5 do.
 */
#include "codec/nested.h"
#include "simd/kernels.h"

#define HEADER_SIZE(rank) (4 + 4 * (size_t)(rank))
enum mode { MODE_DEFAULT, MODE_VARLENGTH, MODE_OBJECT };

/* For one data type, then for one chunk shape. */
struct bound {
    const zl_chain *chain;
    zl_level level;
    bool swap; /* the machine is little-endian, and elements have more than one byte */
    zl_nested nested;
    zl_shape shape;
    uint64_t size; /* of all elements of the chunk */
};

/* ---- configuration */

/* Is it the built-in codec of that name? */
static bool is_builtin(const zl_codec *codec, const char *name) {
    const zl_codec_class *cls = NULL;
    return zl_codec_find(NULL, name, &cls, NULL) == ZL_OK && codec->cls == cls;
}

static zl_status parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    static const char *const keys[] = {"codecs", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    const zl_json *codecs;
    const zl_chain *chain = NULL;
    ZL_TRY(zl_json_require(configuration, "codecs", &codecs, err));
    ZL_TRY(zl_chain_parse(codecs, env, &chain, err));
    if (chain->ab_index != 1 || chain->count > 3 || !is_builtin(&chain->codec[0], "transpose") ||
        !is_builtin(&chain->codec[1], "bytes")) {
        return zl_json_fail(codecs, err, ZL_ERR_METADATA, "must be transpose, bytes, and at most one bytes -> bytes codec");
    }
    *self = chain;
    return ZL_OK;
}

static void emit(const void *self, zl_json_writer *writer) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "codecs");
    zl_chain_emit(self, true, writer);
    zl_json_write_end(writer);
}

/* ---- for one data type and chunk shape */

static bool n5_has(zl_dtype_id id) {
    switch (id) {
    case ZL_DTYPE_INT8:
    case ZL_DTYPE_INT16:
    case ZL_DTYPE_INT32:
    case ZL_DTYPE_INT64:
    case ZL_DTYPE_UINT8:
    case ZL_DTYPE_UINT16:
    case ZL_DTYPE_UINT32:
    case ZL_DTYPE_UINT64:
    case ZL_DTYPE_FLOAT32:
    case ZL_DTYPE_FLOAT64: return true;
    default: return false;
    }
}

/* Elements of one byte may leave `endian` out. */
static zl_status check_bytes(const zl_chain *chain, const zl_level *in, const zl_env *env, bool *swap, zl_error *err) {
    const uint16_t one = 1;
    const bool little = *(const uint8_t *)&one == 1;
    const zl_codec *bytes = &chain->codec[1];
    zl_level unused;
    const void *resolved;
    ZL_TRY(bytes->cls->resolve(bytes->self, in, &unused, env, &resolved, err));
    bytes->cls->ab->raw(resolved, swap);
    if (in->dtype->size == 1) *swap = false;
    if (in->dtype->size == 1 || *swap == little) return ZL_OK;
    return zl_json_fail(bytes->json, err, ZL_ERR_METADATA, "endian must be \"big\" in a block of N5");
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    *out = *in;
    if (!n5_has(in->dtype->id)) {
        return zl_fail(err, ZL_ERR_METADATA, "n5_default: N5 has no data type for \"%s\"", in->dtype->name);
    }
    struct bound *bound = ZL_ARENA_NEW(env->arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    bound->chain = self;
    bound->level = *in;
    ZL_TRY(check_bytes(self, in, env, &bound->swap, err));
    *resolved = bound;
    return zl_nested_resolve(self, 2, in, env, &bound->nested, err);
}

/* Does the transpose codec reverse all axes? Asked with a box that says which axis is which. */
static zl_status check_transpose(const zl_chain *chain, const zl_level *level, const zl_shape *shape, zl_arena *arena,
                                 zl_error *err) {
    const zl_codec *transpose = &chain->codec[0];
    zl_shape unused = *shape;
    const void *bound;
    zl_box box = {.rank = shape->rank};
    ZL_TRY(transpose->cls->bind(transpose->self, level, shape, &unused, arena, &bound, err));
    for (int32_t i = 0; i < shape->rank; i++) {
        box.start[i] = i;
    }
    transpose->cls->aa->remap(bound, &box, &box);
    for (int32_t i = 0; i < shape->rank; i++) {
        if (box.start[i] == shape->rank - 1 - i) continue;
        return zl_json_fail(transpose->json, err, ZL_ERR_METADATA, "order must reverse all axes in a block of N5");
    }
    return ZL_OK;
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **result, zl_error *err) {
    (void)out;
    struct bound *bound = ZL_ARENA_NEW(arena, struct bound);
    if (!bound) return zl_fail_memory(err, sizeof *bound);
    *bound = *(const struct bound *)resolved;
    int64_t count, size;
    if (!zl_shape_count(in, &count) || !zl_mul_i64(count, level->dtype->size, &size)) {
        return zl_fail(err, ZL_ERR_LIMIT, "n5_default: a chunk takes more than 2^63-1 bytes");
    }
    for (int32_t i = 0; i < in->rank; i++) {
        if (in->dim[i] <= UINT32_MAX) continue;
        return zl_fail(err, ZL_ERR_LIMIT, "n5_default: %lld elements along dimension %d, N5 allows %lld",
                       (long long)in->dim[i], (int)i, (long long)UINT32_MAX);
    }
    bound->shape = *in;
    bound->size = (uint64_t)size;
    ZL_TRY(check_transpose(bound->chain, level, in, arena, err));
    *result = bound;
    return zl_nested_bind(&((const struct bound *)resolved)->nested, level, in, arena, &bound->nested, err);
}

static uint64_t encoded_bound(const void *self) {
    const struct bound *bound = self;
    return zl_sat_add(zl_nested_bound(&bound->nested, bound->size), HEADER_SIZE(bound->shape.rank));
}

/* Strides of a block with its first axis fastest. */
static void fortran_strides(const zl_shape *shape, size_t element_size, int64_t *strides) {
    int64_t stride = (int64_t)element_size;
    for (int32_t i = 0; i < shape->rank; i++) {
        strides[i] = stride;
        stride *= shape->dim[i];
    }
}

/* ---- decoding */

static uint32_t load_big(const uint8_t *from, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | from[i];
    }
    return value;
}

/* The shape of a block, and the size of its elements. */
static zl_status read_header(const struct bound *bound, zl_span src, zl_shape *shape, uint64_t *size, zl_error *err) {
    static const char *const mode_name[] = {"default", "varlength", "object"};
    const int32_t rank = bound->shape.rank;
    if (src.size < HEADER_SIZE(rank)) {
        return zl_fail(err, ZL_ERR_CORRUPT, "n5_default: %zu bytes are stored, the header alone has %zu", src.size,
                       HEADER_SIZE(rank));
    }
    const uint32_t mode = load_big(src.data, 2), dims = load_big(src.data + 2, 2);
    if (mode == MODE_VARLENGTH || mode == MODE_OBJECT) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "n5_default: a block in mode %s, only %s blocks are read", mode_name[mode],
                       mode_name[MODE_DEFAULT]);
    }
    if (mode != MODE_DEFAULT) return zl_fail(err, ZL_ERR_CORRUPT, "n5_default: no block has mode 0x%04x", (unsigned)mode);
    if (dims != (uint32_t)rank) {
        return zl_fail(err, ZL_ERR_CORRUPT, "n5_default: a block of %u dimensions in a chunk of %d", (unsigned)dims,
                       (int)rank);
    }
    *size = bound->level.dtype->size;
    shape->rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        const uint32_t extent = load_big(src.data + 4 + 4 * (size_t)i, 4);
        shape->dim[i] = extent;
        *size = zl_sat_mul(*size, extent);
    }
    if (*size <= SIZE_MAX / 4) return ZL_OK;
    return zl_fail(err, ZL_ERR_CORRUPT, "n5_default: the header tells of a block of %llu bytes", (unsigned long long)*size);
}

/* Elements of a block as they are stored. Memory for those of a larger block than the chunk is taken as they come, for the
 * header may lie. */
static zl_status decode_elements(const struct bound *bound, zl_span src, uint64_t size, zl_sink *out, const zl_call *call) {
    *out = (zl_sink){.allocator = call->allocator, .max = (size_t)size};
    if (size <= bound->size) {
        out->fixed = true;
        out->cap = (size_t)size;
        out->data = zl_call_scratch(call, out->cap + 1, 64);
        if (!out->data) return zl_fail_memory(call->err, size);
    }
    ZL_TRY(zl_nested_decode(&bound->nested, ZL_NESTED_ALL, src, out, call));
    if (out->size == size) return ZL_OK;
    return zl_fail(call->err, ZL_ERR_CORRUPT, "n5_default: %zu bytes of elements are stored, the block needs %llu",
                   out->size, (unsigned long long)size);
}

/* Copies what the block has of the box, and fills the rest. */
static void scatter(const struct bound *bound, const zl_shape *block, char *elements, const zl_box *dst) {
    const size_t size = bound->level.dtype->size;
    zl_box part = *dst;
    int64_t strides[ZL_MAX_RANK];
    bool whole = true, none = false;
    fortran_strides(block, size, strides);
    for (int32_t i = 0; i < dst->rank; i++) {
        part.shape[i] = zl_max_i64(0, zl_min_i64(dst->shape[i], block->dim[i] - dst->start[i]));
        whole = whole && part.shape[i] == dst->shape[i];
        none = none || part.shape[i] == 0;
        if (!none) elements += dst->start[i] * strides[i];
    }
    if (!whole) zl_fill_nd(dst->rank, dst->shape, dst->data, dst->stride, bound->level.fill, size);
    if (none) return;
    zl_copy_nd_swap(part.rank, part.shape, part.data, part.stride, elements, strides, size, bound->swap ? size : 1);
}

static zl_status decode(const void *self, zl_span src, const zl_box *dst, const zl_call *call) {
    const struct bound *bound = self;
    const size_t header = HEADER_SIZE(bound->shape.rank);
    zl_shape block = {0};
    uint64_t size = 0;
    ZL_TRY(read_header(bound, src, &block, &size, call->err));
    zl_sink elements;
    const zl_span body = {src.data + header, src.size - header};
    const zl_status status = decode_elements(bound, body, size, &elements, call);
    if (status == ZL_OK) scatter(bound, &block, (char *)elements.data, dst);
    if (!elements.fixed) zl_sink_free(&elements);
    return status;
}

/* ---- encoding */

static void store_big(uint8_t *to, size_t size, uint32_t value) {
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
    }
}

static zl_status encode(const void *self, const zl_box *src, zl_sink *out, const zl_call *call) {
    const struct bound *bound = self;
    const size_t header = HEADER_SIZE(bound->shape.rank), width = bound->level.dtype->size;
    int64_t strides[ZL_MAX_RANK];
    char *elements = zl_call_scratch(call, (size_t)bound->size + 1, 64);
    if (!elements) return zl_fail_memory(call->err, bound->size);
    fortran_strides(&bound->shape, width, strides);
    zl_copy_nd_swap(src->rank, src->shape, elements, strides, src->data, src->stride, width, bound->swap ? width : 1);
    ZL_TRY(zl_sink_reserve(out, header, call->err));
    uint8_t *at = out->data + out->size;
    store_big(at, 2, MODE_DEFAULT);
    store_big(at + 2, 2, (uint32_t)bound->shape.rank);
    for (int32_t i = 0; i < bound->shape.rank; i++) {
        store_big(at + 4 + 4 * (size_t)i, 4, (uint32_t)bound->shape.dim[i]);
    }
    out->size += header;
    const zl_span content = {(const uint8_t *)elements, (size_t)bound->size};
    return zl_nested_encode(&bound->nested, ZL_NESTED_ALL, content, out, call);
}

static const zl_ab_ops ab = {.decode = decode, .encode = encode, .bound = encoded_bound};

const zl_codec_class zl_codec_n5_default = {
    .size = sizeof(zl_codec_class),
    .name = "n5_default",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default",
    .parse = parse,
    .emit = emit,
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
