/* SPDX-License-Identifier: MIT */
/*
 * numcodecs.json2: a chunk of objects as one JSON document.
 * https://numcodecs.readthedocs.io/en/stable/other/json.html
 *
 * For reading old arrays. Elements are strings here: those of the document as they are, other values as their JSON text.
 * That does not tell the string "1" from the number 1, so nothing is written.
 */
#include "codec/objects.h"
#include "codec/run.h"
#include "json/json.h"

static const char json2_name[] = "numcodecs.json2";

/* ---- what documents of objects share */

zl_status zl_objects_resolve(const char *name, const zl_level *in, zl_error *err) {
    if (in->dtype->id == ZL_DTYPE_STRING) return ZL_OK;
    return zl_fail(err, ZL_ERR_UNSUPPORTED, "%s: is read as data type \"string\" alone, not \"%s\"", name, in->dtype->name);
}

zl_status zl_objects_bind(const char *name, const zl_shape *shape, zl_arena *arena, const void **bound, zl_error *err) {
    int64_t count;
    if (!zl_shape_count(shape, &count) || (uint64_t)count > SIZE_MAX / sizeof(void *)) {
        return zl_fail(err, ZL_ERR_LIMIT, "%s: a chunk with too many elements", name);
    }
    zl_objects *objects = ZL_ARENA_NEW(arena, zl_objects);
    if (!objects) return zl_fail_memory(err, sizeof *objects);
    *objects = (zl_objects){name, *shape, (size_t)count};
    *bound = objects;
    return ZL_OK;
}

zl_status zl_objects_encode(const void *bound, const zl_box *src, zl_sink *out, const zl_call *call) {
    (void)src, (void)out;
    const zl_objects *self = bound;
    return zl_fail(call->err, ZL_ERR_UNSUPPORTED, "%s: can be read, not written", self->name);
}

uint64_t zl_objects_bound(const void *bound) {
    (void)bound;
    return UINT64_MAX;
}

/* ---- decoding */

typedef struct elements {
    const zl_objects *self;
    const zl_json **element; /* in C order */
    size_t count;
    zl_error *err;
} elements;

/* `extra` members of `list` are no elements. */
static zl_status collect(elements *out, const zl_json *list, int32_t axis, size_t extra) {
    const zl_shape *shape = &out->self->shape;
    const size_t extent = axis < shape->rank ? (size_t)shape->dim[axis] : 1;
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) != extent + extra) {
        return zl_json_fail(list, out->err, ZL_ERR_CORRUPT, "%s: must be an array of %zu elements", out->self->name,
                            extent);
    }
    const zl_json *item = zl_json_first(list);
    for (size_t i = 0; i < extent; i++, item = zl_json_next(item)) {
        if (axis + 1 < shape->rank) {
            ZL_TRY(collect(out, item, axis + 1, 0));
        } else {
            out->element[out->count++] = item;
        }
    }
    return ZL_OK;
}

static zl_span text_of(const zl_json *value) {
    size_t size;
    const char *text = zl_json_text(value, &size);
    if (zl_json_get_type(value) == ZL_JSON_STRING) return (zl_span){(const uint8_t *)text, size};
    return zl_json_slice(value);
}

/* Everything wanted goes to one block that lives as long as the result. */
static zl_status scatter(const elements *all, const zl_box *dst, const zl_call *call) {
    zl_runs runs;
    size_t total = 0;
    zl_runs_begin(&runs, dst, &all->self->shape);
    while (zl_runs_next(&runs)) {
        for (int64_t i = 0; i < runs.count; i++) {
            total += text_of(all->element[runs.first + i]).size;
        }
    }
    char *block = zl_call_result_alloc(call, total);
    if (!block) return zl_fail_memory(call->err, total);
    zl_runs_begin(&runs, dst, &all->self->shape);
    while (zl_runs_next(&runs)) {
        for (int64_t i = 0; i < runs.count; i++) {
            const zl_span text = text_of(all->element[runs.first + i]);
            const zl_slot slot = {.data = block, .size = text.size};
            if (text.size > 0) memcpy(block, text.data, text.size);
            memcpy(runs.data + i * runs.stride, &slot, sizeof slot);
            block += text.size;
        }
    }
    return ZL_OK;
}

zl_status zl_objects_decode(const zl_objects *self, zl_span json, const zl_box *dst, const zl_call *call) {
    const zl_json_options options = {.allow_nan = true, .what = "the chunk"};
    zl_json_doc *doc = NULL;
    zl_status status =
        zl_json_parse(&doc, json.size > 0 ? (const char *)json.data : "", json.size, &options, call->allocator, call->err);
    if (status == ZL_ERR_METADATA) return zl_error_wrap(call->err, ZL_ERR_CORRUPT, "%s: ", self->name);
    if (status != ZL_OK) return status;
    elements all = {.self = self, .err = call->err};
    all.element = zl_call_scratch(call, self->count * sizeof *all.element, _Alignof(const zl_json *));
    status = all.element ? collect(&all, zl_json_root(doc), 0, 2) : zl_fail_memory(call->err, self->count);
    if (status == ZL_OK) status = scatter(&all, dst, call);
    zl_json_doc_free(doc);
    return status;
}

/* ---- the codec */

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    (void)env;
    *out = *in;
    *resolved = self;
    return zl_objects_resolve(json2_name, in, err);
}

static zl_status bind(const void *resolved, const zl_level *level, const zl_shape *in, zl_shape *out, zl_arena *arena,
                      const void **bound, zl_error *err) {
    (void)resolved, (void)level, (void)out;
    return zl_objects_bind(json2_name, in, arena, bound, err);
}

static zl_status decode(const void *bound, zl_span src, const zl_box *dst, const zl_call *call) {
    return zl_objects_decode(bound, src, dst, call);
}

static const zl_ab_ops ab = {.decode = decode, .encode = zl_objects_encode, .bound = zl_objects_bound};

const zl_codec_class zl_codec_numcodecs_json2 = {
    .size = sizeof(zl_codec_class),
    .name = json2_name,
    .spec = "https://numcodecs.readthedocs.io/en/stable/other/json.html",
    .resolve = resolve,
    .bind = bind,
    .ab = &ab,
};
