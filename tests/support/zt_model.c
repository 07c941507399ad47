/* SPDX-License-Identifier: MIT */
#include "zt_model.h"

/* ---- one element */

static int64_t wrap(size_t width, uint64_t value) {
    return width == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

static const uint64_t widen_by = UINT64_C(1) << 33;

int64_t zt_row_encode(zt_row_kind kind, int64_t k, size_t width, int64_t element) {
    const uint64_t x = (uint64_t)element;
    switch (kind) {
    case ZT_ADD: return wrap(width, x + (uint64_t)k);
    case ZT_XOR: return wrap(width, x ^ (uint64_t)k);
    case ZT_WIDEN: return (int64_t)(x + widen_by);
    case ZT_THIRD: return floor_div(element, 3);
    case ZT_DRIFT: return floor_div(element, 2);
    default: return element;
    }
}

int64_t zt_row_decode(zt_row_kind kind, int64_t k, size_t width, int64_t element) {
    const uint64_t e = (uint64_t)element;
    switch (kind) {
    case ZT_ADD: return wrap(width, e - (uint64_t)k);
    case ZT_XOR: return wrap(width, e ^ (uint64_t)k);
    case ZT_WIDEN: return wrap(4, e - widen_by);
    case ZT_THIRD: return wrap(width, 3 * e + 1);
    case ZT_DRIFT: return wrap(width, 2 * e - 1);
    default: return element;
    }
}

/* ---- rows */

const char *const zt_row_name[ZT_ROW_COUNT] = {"test.add",   "test.xor",   "test.widen",
                                               "test.third", "test.drift", "test.picky"};

typedef struct row {
    zt_row_kind kind;
    int64_t k;
    size_t decoded, encoded; /* bytes of an element on each side */
} row;

static int64_t load(const void *from, size_t width) {
    int32_t narrow;
    int64_t wide;
    memcpy(width == 4 ? (void *)&narrow : (void *)&wide, from, width);
    return width == 4 ? narrow : wide;
}

static void store(void *to, size_t width, int64_t value) {
    const int32_t narrow = (int32_t)value;
    memcpy(to, width == 4 ? (const void *)&narrow : (const void *)&value, width);
}

static size_t encode_row(const void *bound, void *dst, const void *src, size_t n) {
    const row *self = bound;
    for (size_t i = 0; i < n; i++) {
        const int64_t x = load((const char *)src + i * self->decoded, self->decoded);
        if (self->kind == ZT_PICKY && x == self->k) return i;
        store((char *)dst + i * self->encoded, self->encoded, zt_row_encode(self->kind, self->k, self->decoded, x));
    }
    return n;
}

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    const row *self = bound;
    for (size_t i = 0; i < n; i++) {
        const int64_t e = load((const char *)src + i * self->encoded, self->encoded);
        if (self->kind == ZT_PICKY && e == self->k) return i;
        store((char *)dst + i * self->decoded, self->decoded, zt_row_decode(self->kind, self->k, self->encoded, e));
    }
    return n;
}

static zl_status refuse(const void *bound, bool encoding, const void *element, zl_error *err) {
    const row *self = bound;
    const long long value = load(element, encoding ? self->decoded : self->encoded);
    return zl_fail(err, encoding ? ZL_ERR_INVALID_ARGUMENT : ZL_ERR_CORRUPT, "test.picky refuses %lld", value);
}

static zl_status row_parse(zt_row_kind kind, const zl_json *configuration, const zl_env *env, const void **self,
                           zl_error *err) {
    row *made = zl_arena_zero(env->arena, sizeof *made, _Alignof(row));
    if (made == NULL) return zl_fail_memory(err, sizeof *made);
    made->kind = kind;
    *self = made;
    return zl_json_member(configuration, "k") != NULL ? zl_json_get_i64(configuration, "k", &made->k, err) : ZL_OK;
}

static bool is_int(const zl_dtype *dtype) {
    return dtype->id == ZL_DTYPE_INT32 || dtype->id == ZL_DTYPE_INT64;
}

static zl_status row_resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                             zl_error *err) {
    row *made = zl_arena_alloc(env->arena, sizeof *made, _Alignof(row));
    void *fill = zl_arena_alloc(env->arena, 8, 8);
    if (made == NULL || fill == NULL) return zl_fail_memory(err, sizeof *made);
    *made = *(const row *)self;
    if (!is_int(in->dtype) || (made->kind == ZT_WIDEN && in->dtype->size != 4))
        return zl_fail(err, ZL_ERR_METADATA, "%s does not take %s", zt_row_name[made->kind], in->dtype->name);
    out->dtype = made->kind == ZT_WIDEN ? zl_dtype_builtin(ZL_DTYPE_INT64) : in->dtype;
    made->decoded = in->dtype->size;
    made->encoded = out->dtype->size;
    if (encode_row(made, fill, in->fill, 1) != 1) return refuse(made, true, in->fill, err);
    out->fill = fill;
    *resolved = made;
    return ZL_OK;
}

static const zl_aa_ops row_ops = {.decode_row = decode_row, .encode_row = encode_row, .refuse = refuse};

#define ROW(kind, label)                                                                                      \
    static zl_status parse_##kind(const zl_json *json, const zl_env *env, const void **self, zl_error *err) { \
        return row_parse(kind, json, env, self, err);                                                         \
    }                                                                                                         \
    static const zl_codec_class class_##kind = {                                                              \
        .size = sizeof(zl_codec_class), .name = label, .parse = parse_##kind, .resolve = row_resolve, .aa = &row_ops}
ROW(ZT_ADD, "test.add");
ROW(ZT_XOR, "test.xor");
ROW(ZT_WIDEN, "test.widen");
ROW(ZT_THIRD, "test.third");
ROW(ZT_DRIFT, "test.drift");
ROW(ZT_PICKY, "test.picky");

/* ---- whole chunks */

typedef struct block {
    zl_shape decoded, encoded;
    size_t size; /* of an element */
    int64_t count;
} block;

static zl_status block_bind(const zl_level *level, const zl_shape *in, const zl_shape *out, zl_arena *arena,
                            const void **bound, zl_error *err) {
    block *made = zl_arena_alloc(arena, sizeof *made, _Alignof(block));
    int64_t count;
    if (made == NULL) return zl_fail_memory(err, sizeof *made);
    *made = (block){*in, *out, level->dtype->size, 0};
    if (!zl_shape_count(in, &made->count) || !zl_shape_count(out, &count) || count != made->count)
        return zl_fail(err, ZL_ERR_METADATA, "the shapes hold different numbers of elements");
    *bound = made;
    return ZL_OK;
}

static zl_status delta_bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                            const void **bound, zl_error *err) {
    (void)resolved;
    if (!is_int(level->dtype)) return zl_fail(err, ZL_ERR_METADATA, "test.delta does not take %s", level->dtype->name);
    return block_bind(level, in, out, arena, bound, err);
}

static zl_status delta_encode(const void *bound, const void *src, void *dst, const zl_call *call) {
    (void)call;
    const block *self = bound;
    uint64_t before = 0;
    for (int64_t i = 0; i < self->count; i++) {
        const uint64_t x = (uint64_t)load((const char *)src + i * (int64_t)self->size, self->size);
        store((char *)dst + i * (int64_t)self->size, self->size, (int64_t)(x - before));
        before = x;
    }
    return ZL_OK;
}

static zl_status delta_decode(const void *bound, const void *src, void *dst, const zl_call *call) {
    (void)call;
    const block *self = bound;
    uint64_t x = 0;
    for (int64_t i = 0; i < self->count; i++) {
        x += (uint64_t)load((const char *)src + i * (int64_t)self->size, self->size);
        store((char *)dst + i * (int64_t)self->size, self->size, (int64_t)x);
    }
    return ZL_OK;
}

static zl_status fold_parse(const zl_json *configuration, const zl_env *env, const void **self, zl_error *err) {
    zl_shape *shape = zl_arena_zero(env->arena, sizeof *shape, _Alignof(zl_shape));
    const zl_json *list;
    if (shape == NULL) return zl_fail_memory(err, sizeof *shape);
    ZL_TRY(zl_json_require(configuration, "shape", &list, err));
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item))
        ZL_TRY(zl_json_to_i64(item, &shape->dim[shape->rank++], err));
    *self = shape;
    return ZL_OK;
}

static zl_status fold_bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                           const void **bound, zl_error *err) {
    *out = *(const zl_shape *)resolved;
    return block_bind(level, in, out, arena, bound, err);
}

static bool fold_remap(const void *bound, const zl_box *in, zl_box *out) {
    const block *self = bound;
    int64_t base = (int64_t)self->size, stride = 0; /* that the next axis must have, once one is known */
    bool known = false;
    for (int32_t i = in->rank - 1; i >= 0; i--) {
        if (in->start[i] != 0 || in->step[i] != 1 || in->shape[i] != self->decoded.dim[i]) return false;
        if (in->shape[i] == 1) continue;
        if (!known) base = stride = in->stride[i];
        known = true;
        if (in->stride[i] != stride) return false;
        stride *= in->shape[i];
    }
    const zl_shape *shape = &self->encoded;
    *out = (zl_box){.rank = shape->rank, .data = in->data};
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        out->shape[i] = out->edge[i] = shape->dim[i];
        out->step[i] = 1;
        out->stride[i] = base;
        base *= shape->dim[i];
    }
    return true;
}

/* Without a closer look all elements are needed, which `out` is set to before. */
static void fold_cover(const void *bound, const zl_box *in, zl_box *out) {
    (void)bound, (void)in, (void)out;
}

/* ---- remap */

static zl_status flip_bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                           const void **bound, zl_error *err) {
    (void)resolved;
    return block_bind(level, in, out, arena, bound, err);
}

/* Padding is in front afterwards, so everything counts as inside the array. */
static bool flip_remap(const void *bound, const zl_box *in, zl_box *out) {
    const block *self = bound;
    const zl_box from = *in;
    *out = from;
    for (int32_t i = 0; i < from.rank; i++) {
        const int64_t last = from.shape[i] - 1;
        out->start[i] = self->decoded.dim[i] - 1 - (from.start[i] + last * from.step[i]);
        out->data += last * from.stride[i];
        out->stride[i] = -from.stride[i];
        out->edge[i] = self->decoded.dim[i];
    }
    return true;
}

static zl_status lift_bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                           const void **bound, zl_error *err) {
    (void)resolved, (void)level, (void)arena;
    if (in->rank == ZL_MAX_RANK) return zl_fail(err, ZL_ERR_LIMIT, "test.lift: too many axes");
    *bound = NULL;
    out->rank = in->rank + 1;
    out->dim[0] = 1;
    memcpy(&out->dim[1], in->dim, (size_t)in->rank * sizeof in->dim[0]);
    return ZL_OK;
}

static bool lift_remap(const void *bound, const zl_box *in, zl_box *out) {
    (void)bound;
    const zl_box from = *in;
    *out = (zl_box){.rank = from.rank + 1, .data = from.data, .shape = {1}, .step = {1}, .edge = {1}};
    for (int32_t i = 0; i < from.rank; i++) {
        out->start[i + 1] = from.start[i];
        out->shape[i + 1] = from.shape[i];
        out->stride[i + 1] = from.stride[i];
        out->step[i + 1] = from.step[i];
        out->edge[i + 1] = from.edge[i];
    }
    return true;
}

/* ---- all */

static const zl_aa_ops delta_ops = {.decode = delta_decode, .encode = delta_encode};
static const zl_aa_ops fold_ops = {.remap = fold_remap, .cover = fold_cover};
static const zl_aa_ops flip_ops = {.remap = flip_remap};
static const zl_codec_class class_delta = {
    .size = sizeof(zl_codec_class), .name = "test.delta", .bind = delta_bind, .aa = &delta_ops};
static const zl_codec_class class_fold = {
    .size = sizeof(zl_codec_class), .name = "test.fold", .parse = fold_parse, .bind = fold_bind, .aa = &fold_ops};
static const zl_codec_class class_flip = {
    .size = sizeof(zl_codec_class), .name = "test.flip", .bind = flip_bind, .aa = &flip_ops};

static const zl_aa_ops lift_ops = {.remap = lift_remap};
static const zl_codec_class class_lift = {
    .size = sizeof(zl_codec_class), .name = "test.lift", .bind = lift_bind, .aa = &lift_ops};

zl_status zt_model_add(zl_context *context, zl_error *err) {
    static const zl_codec_class *const all[] = {&class_ZT_ADD,   &class_ZT_XOR,   &class_ZT_WIDEN, &class_ZT_THIRD,
                                                &class_ZT_DRIFT, &class_ZT_PICKY, &class_delta,    &class_fold,
                                                &class_flip,     &class_lift};
    for (size_t i = 0; i < ZL_COUNT_OF(all); i++)
        ZL_TRY(zl_context_add_codec(context, all[i], err));
    return ZL_OK;
}
