/* SPDX-License-Identifier: MIT */
/*
 * From a parsed chain to a pipeline: types and fill values are followed level by level (resolve), then shapes (bind), each
 * codec is sorted, and all sizes are worked out and checked once, so that nothing is derived while data moves.
 */
#include "codec/cast.h"
#include "codec/field.h"
#include "dtype/dtype.h"
#include "pipeline/pipeline.h"

typedef struct compiler {
    const zl_env *env;
    zl_error *err;
} compiler;

static zl_status compile(const compiler *c, const zl_chain *chain, const zl_level *level, const zl_shape *shape,
                         int32_t depth, const zl_pipeline **out);

static zl_status no_memory(const compiler *c) {
    return zl_fail(c->err, ZL_ERR_NO_MEMORY, "out of memory: pipeline");
}

static zl_status in_codec(const compiler *c, const zl_codec *codec, zl_status status) {
    char path[256];
    if (status == ZL_OK || status == ZL_ERR_NO_MEMORY || !codec->json) return status;
    return zl_error_wrap(c->err, status, "%s (%s): ", zl_json_path(codec->json, path, sizeof path), codec->cls->name);
}

/* Resolves and binds one codec; `level` and `shape` become what the next one sees. */
static zl_status step(const compiler *c, const zl_codec *codec, zl_level *level, zl_shape *shape, zl_bound_codec *out) {
    const zl_codec_class *cls = codec->cls;
    const zl_level in = *level;
    const zl_shape in_shape = *shape;
    const void *resolved = codec->self;
    out->cls = cls;
    if (cls->resolve) ZL_TRY(in_codec(c, codec, cls->resolve(codec->self, &in, level, c->env, &resolved, c->err)));
    out->bound = resolved;
    if (cls->bind) {
        ZL_TRY(in_codec(c, codec, cls->bind(resolved, &in, &in_shape, shape, c->env->arena, &out->bound, c->err)));
    }
    return ZL_OK;
}

static zl_status shape_size(const compiler *c, const zl_shape *shape, size_t element_size, uint64_t *out) {
    int64_t count, size;
    if (!zl_shape_count(shape, &count) || !zl_mul_i64(count, (int64_t)element_size, &size)) {
        return zl_fail(c->err, ZL_ERR_LIMIT, "the elements of one chunk take more than 2^63-1 bytes");
    }
    *out = (uint64_t)size;
    return ZL_OK;
}

static zl_status check_block(const compiler *c, const zl_pipeline *p) {
    const uint64_t limit = zl_min_u64(c->env->limits->decoded_chunk, SIZE_MAX / 4);
    if (p->block_size <= limit && p->behind_size <= limit) return ZL_OK;
    return zl_fail(c->err, ZL_ERR_LIMIT, "a decoded chunk takes %llu bytes, the limit is %llu",
                   (unsigned long long)(p->block_size > limit ? p->block_size : p->behind_size), (unsigned long long)limit);
}

/* Does the fill value survive encode and decode of the rows? Only then may absence stand for it one level down, whoever
 * looks at the array, and through which view. */
static zl_status find_closed(const compiler *c, zl_pipeline *p) {
    p->closed = true;
    const void *value = p->end.fill;
    for (int32_t i = p->row_count - 1; i >= p->view_count; i--) {
        const zl_row *row = &p->rows[i];
        void *decoded = zl_arena_alloc(c->env->arena, row->decoded->size, 16);
        if (!decoded) return no_memory(c);
        if (row->codec.cls->aa->decode_row(row->codec.bound, decoded, value, 1) != 1) {
            p->closed = false;
            return ZL_OK;
        }
        value = decoded;
    }
    p->closed = zl_dtype_same(p->own.dtype, value, p->own.fill);
    return ZL_OK;
}

/* ---- ends */

static zl_status end_raw(const compiler *c, zl_pipeline *p) {
    const zl_dtype *dtype = p->end.dtype;
    p->kind = ZL_END_RAW;
    p->end_codec.cls->ab->raw(p->end_codec.bound, &p->swap);
    p->fix = zl_dtype_needs_fix(dtype, p->swap);
    p->swap_width = p->fix ? zl_dtype_plain_width(dtype) : 0;
    void *stored_fill = zl_arena_alloc(c->env->arena, dtype->size, 16);
    if (!stored_fill) return no_memory(c);
    memcpy(stored_fill, p->end.fill, dtype->size);
    zl_dtype_fix(dtype, p->swap, stored_fill, 1);
    p->stored_fill = stored_fill;
    p->content_size = p->block_size;
    return check_block(c, p);
}

static zl_status compile_index(const compiler *c, zl_pipeline *p, const zl_split *split, int32_t depth) {
    static const uint64_t absent = UINT64_MAX;
    const zl_level level = {zl_dtype_builtin(ZL_DTYPE_UINT64), &absent};
    zl_shape shape = {.rank = p->end_shape.rank + 1};
    uint64_t size = 0;
    if (shape.rank > ZL_MAX_RANK)
        return zl_fail(c->err, ZL_ERR_LIMIT, "shards have at most %d dimensions", ZL_MAX_RANK - 1);
    for (int32_t i = 0; i < p->end_shape.rank; i++)
        shape.dim[i] = p->end_shape.dim[i] / split->part_shape.dim[i];
    shape.dim[p->end_shape.rank] = 2;
    ZL_TRY(shape_size(c, &shape, sizeof(uint64_t), &size));
    if (size > c->env->limits->decoded_chunk) {
        return zl_fail(c->err, ZL_ERR_LIMIT, "the index of a shard takes %llu bytes, the limit is %llu",
                       (unsigned long long)size, (unsigned long long)c->env->limits->decoded_chunk);
    }
    p->part_count = (int64_t)(size / sizeof(zl_range));
    ZL_TRY(compile(c, split->index_chain, &level, &shape, depth, &p->index));
    if (p->index->encoded_size == UINT64_MAX) {
        return zl_fail(c->err, ZL_ERR_METADATA,
                       "sharding_indexed: index_codecs must give a size that does not depend on the "
                       "values; compressors and variable-length codecs do not");
    }
    p->index_size = p->index->encoded_size;
    return ZL_OK;
}

static zl_status end_split(const compiler *c, zl_pipeline *p, int32_t depth, uint64_t *content_bound) {
    zl_split split;
    p->kind = ZL_END_SPLIT;
    p->end_codec.cls->ab->split(p->end_codec.bound, &split);
    p->index_at_end = split.index_at_end;
    ZL_TRY(compile(c, split.part_chain, &p->end, &split.part_shape, depth + 1, &p->inner));
    ZL_TRY(compile_index(c, p, &split, depth + 1));
    const uint64_t part_bound = p->inner->bounds[p->inner->bb_count];
    *content_bound = zl_sat_add(zl_sat_mul((uint64_t)p->part_count, part_bound), p->index_size);
    p->content_limit = zl_sat_add(zl_sat_mul((uint64_t)p->part_count, p->inner->content_limit), p->index_size);
    return ZL_OK;
}

static zl_status end_ab(const compiler *c, zl_pipeline *p, int32_t depth, uint64_t *content_bound) {
    const zl_ab_ops *ops = p->end_codec.cls->ab;
    if (ops->split) return end_split(c, p, depth, content_bound);
    *content_bound = p->block_size;
    if (ops->raw) return end_raw(c, p);
    p->kind = ZL_END_OPAQUE;
    *content_bound = ops->bound ? ops->bound(p->end_codec.bound) : UINT64_MAX;
    return check_block(c, p);
}

/* ---- bytes -> bytes codecs */

static zl_status compile_bytes(const compiler *c, const zl_chain *chain, zl_pipeline *p, uint64_t content_bound) {
    const int32_t first = chain->ab_index + 1, count = chain->count - first;
    zl_bound_codec *bb = zl_arena_alloc(c->env->arena, (size_t)(count + 1) * sizeof *bb, _Alignof(zl_bound_codec));
    uint64_t *bounds = zl_arena_alloc(c->env->arena, (size_t)(count + 1) * sizeof *bounds, _Alignof(uint64_t));
    if (!bb || !bounds) return no_memory(c);
    p->bb = bb;
    p->bounds = bounds;
    bounds[0] = content_bound;
    p->encoded_size = p->content_size;
    for (int32_t i = 0; i < count; i++) {
        zl_level level = p->end;
        zl_shape shape = p->end_shape;
        ZL_TRY(step(c, &chain->codec[first + i], &level, &shape, &bb[i]));
        const zl_bb_ops *ops = bb[i].cls->bb;
        if (ops->decode) {
            p->stream_count++;
            p->encoded_size = UINT64_MAX;
            bounds[i + 1] = bounds[i] == UINT64_MAX ? UINT64_MAX : ops->bound(bb[i].bound, bounds[i]);
        } else {
            uint32_t head, tail;
            ops->extent(bb[i].bound, &head, &tail);
            bounds[i + 1] = zl_sat_add(bounds[i], (uint64_t)head + tail);
            if (p->encoded_size != UINT64_MAX) p->encoded_size += (uint64_t)head + tail;
            if (!p->stream_count) {
                p->head += head;
                p->tail += tail;
            }
        }
        p->bb_count++;
    }
    return ZL_OK;
}

/* Everything behind a barrier, its bytes codecs too, belongs to the inner pipeline. */
static zl_status end_barrier(const compiler *c, const zl_chain *rest, const zl_level *level, const zl_shape *shape,
                             zl_pipeline *p, int32_t depth) {
    uint64_t *bounds = zl_arena_alloc(c->env->arena, sizeof *bounds, _Alignof(uint64_t));
    if (!bounds) return no_memory(c);
    p->kind = ZL_END_BARRIER;
    if (p->end_codec.cls->aa->decode) ZL_TRY(shape_size(c, shape, level->dtype->size, &p->behind_size));
    ZL_TRY(check_block(c, p));
    ZL_TRY(compile(c, rest, level, shape, depth, &p->inner));
    bounds[0] = p->inner->bounds[p->inner->bb_count];
    p->bounds = bounds;
    p->encoded_size = p->inner->encoded_size;
    p->content_limit = p->inner->content_limit;
    return ZL_OK;
}

/* ---- the chain */

static zl_status finish(const compiler *c, const zl_chain *chain, const zl_level *level, const zl_shape *shape,
                        zl_pipeline *p, int32_t depth, const zl_codec *end) {
    zl_level behind = *level;
    zl_shape behind_shape = *shape;
    p->end = *level;
    p->end_shape = *shape;
    ZL_TRY(shape_size(c, shape, level->dtype->size, &p->block_size));
    if (!zl_c_strides(shape, level->dtype->size, p->end_stride)) return zl_fail(c->err, ZL_ERR_LIMIT, "strides overflow");
    p->content_size = UINT64_MAX;
    p->content_limit = c->env->limits->decoded_chunk;
    ZL_TRY(find_closed(c, p));
    ZL_TRY(step(c, end, &behind, &behind_shape, &p->end_codec));
    if (end->cls->aa) {
        const int32_t used = (int32_t)(end - chain->codec) + 1;
        const zl_chain rest = {chain->count - used, chain->ab_index - used, chain->codec + used};
        return end_barrier(c, &rest, &behind, &behind_shape, p, depth);
    }
    uint64_t content_bound = 0;
    ZL_TRY(in_codec(c, end, end_ab(c, p, depth, &content_bound)));
    return compile_bytes(c, chain, p, content_bound);
}

static void note_view(zl_pipeline *p, const zl_codec *codec, const zl_level *behind) {
    if (codec->cls == &zl_codec_view) p->cast_fill = behind->fill;
    if (codec->cls != &zl_codec_view && codec->cls != &zl_codec_field) return;
    p->own = *behind;
    p->view_count++;
}

static zl_status compile(const compiler *c, const zl_chain *chain, const zl_level *level, const zl_shape *shape,
                         int32_t depth, const zl_pipeline **out) {
    if (depth > c->env->limits->sharding_depth) {
        return zl_fail(c->err, ZL_ERR_LIMIT, "shards are nested more than %d deep", (int)c->env->limits->sharding_depth);
    }
    zl_pipeline *p = ZL_ARENA_NEW(c->env->arena, zl_pipeline);
    const size_t aa_count = (size_t)chain->ab_index + 1;
    zl_bound_codec *remaps = zl_arena_alloc(c->env->arena, aa_count * sizeof *remaps, _Alignof(zl_bound_codec));
    zl_row *rows = zl_arena_alloc(c->env->arena, aa_count * sizeof *rows, _Alignof(zl_row));
    if (!p || !remaps || !rows) return no_memory(c);
    p->top = p->own = *level;
    p->top_shape = *shape;
    p->remaps = remaps;
    p->rows = rows;
    zl_level now = *level;
    zl_shape now_shape = *shape;
    const zl_codec *codec = chain->codec;
    for (; codec->cls->aa; codec++) {
        const zl_aa_ops *ops = codec->cls->aa;
        if (ops->decode || ops->cover) break; /* may need whole blocks: a barrier */
        const zl_dtype *decoded = now.dtype;
        zl_bound_codec bound;
        ZL_TRY(step(c, codec, &now, &now_shape, &bound));
        note_view(p, codec, &now);
        if (ops->decode_row)
            rows[p->row_count++] = (zl_row){bound, decoded, now.dtype};
        else
            remaps[p->remap_count++] = bound;
    }
    ZL_TRY(finish(c, chain, &now, &now_shape, p, depth, codec));
    *out = p;
    return ZL_OK;
}

zl_status zl_pipeline_compile(const zl_chain *chain, const zl_level *level, const zl_shape *shape, const zl_env *env,
                              const zl_pipeline **out, zl_error *err) {
    const compiler c = {env, err};
    return compile(&c, chain, level, shape, 0, out);
}

/* ---- views */

const zl_aspect zl_aspect_own = {NULL, 0, NULL};

bool zl_aspect_differs(const zl_aspect *aspect) {
    return aspect->field || aspect->dtype;
}

/* Puts the codec in front of a chain whose first level is `*level`, which becomes what the caller sees. */
static zl_status view_field(const zl_aspect *aspect, const zl_env *env, zl_level *level, zl_codec *out, zl_error *err) {
    const size_t size = aspect->field->size;
    zl_field_view *field = ZL_ARENA_NEW(env->arena, zl_field_view);
    void *fill = zl_arena_alloc(env->arena, size, 16);
    if (!field || !fill) return zl_fail_memory(err, sizeof *field + size);
    memcpy(fill, (const char *)level->fill + aspect->offset, size);
    *field = (zl_field_view){*level, aspect->offset, size};
    *out = (zl_codec){&zl_codec_field, field, NULL};
    *level = (zl_level){aspect->field, fill};
    return ZL_OK;
}

static zl_status view_cast(const zl_aspect *aspect, const zl_env *env, zl_level *level, zl_codec *out, zl_error *err) {
    const zl_cast_rule rule = {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_ERROR};
    zl_view_cast *cast = ZL_ARENA_NEW(env->arena, zl_view_cast);
    void *fill = zl_arena_alloc(env->arena, aspect->dtype->size, 16);
    zl_cast_pair *pair;
    if (!cast || !fill) return zl_fail_memory(err, sizeof *cast);
    ZL_TRY(zl_cast_pair_make(aspect->dtype, level->dtype, rule, NULL, NULL, env, &pair, err));
    *cast = (zl_view_cast){*level, pair};
    *out = (zl_codec){&zl_codec_view, cast, NULL};
    *level = (zl_level){aspect->dtype, zl_cast_element(pair->decode, level->fill, fill) ? fill : NULL};
    return ZL_OK;
}

zl_status zl_pipeline_compile_view(const zl_chain *chain, const zl_level *level, const zl_aspect *aspect,
                                   const zl_shape *shape, const zl_env *env, const zl_pipeline **out, zl_error *err) {
    const int32_t added = (aspect->field != NULL) + (aspect->dtype != NULL);
    const size_t size = (size_t)(chain->count + added) * sizeof(zl_codec);
    zl_codec *codecs = zl_arena_alloc(env->arena, size, _Alignof(zl_codec));
    if (!codecs) return zl_fail_memory(err, size);
    const zl_chain viewed = {chain->count + added, chain->ab_index + added, codecs};
    zl_codec *first = codecs + added;
    zl_level top = *level;
    memcpy(first, chain->codec, (size_t)chain->count * sizeof *first);
    if (aspect->field) ZL_TRY(view_field(aspect, env, &top, --first, err));
    if (aspect->dtype) ZL_TRY(view_cast(aspect, env, &top, --first, err));
    return zl_pipeline_compile(&viewed, &top, shape, env, out, err);
}

uint64_t zl_pipeline_scratch(const zl_pipeline *p) {
    uint64_t sum = 64 * ZL_KIB; /* row buffers and lists */
    for (int32_t i = 0; i < p->bb_count; i++) {
        if (p->bb[i].cls->bb->decode && p->bounds[i] != UINT64_MAX) sum = zl_sat_add(sum, p->bounds[i]);
    }
    switch (p->kind) {
    case ZL_END_RAW: break;
    case ZL_END_OPAQUE: sum = zl_sat_add(sum, p->block_size); break;
    case ZL_END_SPLIT:
        sum = zl_sat_add(sum, zl_sat_mul((uint64_t)p->part_count, 2 * sizeof(zl_range) + sizeof(zl_encoded)));
        sum = zl_sat_add(sum, zl_pipeline_scratch(p->inner));
        break;
    case ZL_END_BARRIER:
        sum = zl_sat_add(sum, zl_sat_add(p->block_size, p->behind_size));
        sum = zl_sat_add(sum, zl_pipeline_scratch(p->inner));
        break;
    }
    return sum;
}
