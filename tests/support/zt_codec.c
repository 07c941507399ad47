/* SPDX-License-Identifier: MIT */
#include "zt_codec.h"

static void on_warning(void *user, const char *message) {
    zt_codec *codec = user;
    snprintf(codec->warning, sizeof codec->warning, "%s", message);
}

zl_status zt_codec_init(zt_codec *codec, const zl_allocator *allocator) {
    *codec = (zt_codec){.allocator = allocator ? *allocator : zt_allocator(&codec->memory, 0)};
    codec->limits = (zl_limits){
        .size = sizeof(zl_limits),
        .rank = 32,
        .codecs = 64,
        .sharding_depth = 4,
        .json_depth = 512,
        .json_document = 1 << 28,
        .element_size = 1 << 20,
        .decoded_chunk = (uint64_t)1 << 36,
    };
    codec->arena = zl_arena_new(&codec->allocator);
    codec->worker = zl_worker_new(&codec->allocator);
    if (!codec->arena || !codec->worker) return zl_fail_memory(&codec->err, 0);
    codec->env = (zl_env){
        .size = sizeof(zl_env),
        .arena = codec->arena,
        .limits = &codec->limits,
        .zarr_format = 3,
        .on_warning = on_warning,
        .warning_user = codec,
    };
    codec->call = (zl_call){
        .size = sizeof(zl_call),
        .allocator = &codec->allocator,
        .worker = codec->worker,
        .verify = true,
        .err = &codec->err,
    };
    return ZL_OK;
}

zl_status zt_codec_json(zt_codec *codec, const char *json, const zl_json **out) {
    assert_true((size_t)codec->doc_count < ZL_COUNT_OF(codec->docs));
    zl_json_doc **doc = &codec->docs[codec->doc_count];
    ZL_TRY(zl_json_parse(doc, json, strlen(json), NULL, &codec->allocator, &codec->err));
    codec->doc_count++;
    *out = zl_json_root(*doc);
    return ZL_OK;
}

static zl_status make_level(zt_codec *codec, const char *data_type, const char *fill) {
    const zl_json *json;
    ZL_TRY(zt_codec_json(codec, data_type, &json));
    ZL_TRY(zl_dtype_parse(json, &codec->env, &codec->in.dtype, &codec->err));
    const zl_dtype *dtype = codec->in.dtype;
    void *element = zl_arena_zero(codec->arena, dtype->size, dtype->align);
    if (!element) return zl_fail_memory(&codec->err, dtype->size);
    json = NULL;
    if (fill) ZL_TRY(zt_codec_json(codec, fill, &json));
    ZL_TRY(dtype->cls->parse_fill(dtype, json, &codec->env, element, &codec->err));
    codec->in.fill = element;
    return ZL_OK;
}

zl_status zt_codec_open(zt_codec *codec, const char *json, const char *data_type, const char *fill, int32_t rank,
                        const int64_t *dim) {
    const zl_json *root;
    zl_named named;
    ZL_TRY(zt_codec_json(codec, json, &root));
    ZL_TRY(zl_json_to_named(root, "codec", &named, &codec->err));
    ZL_TRY(zl_codec_find(NULL, named.name, &codec->cls, &codec->err));
    const zl_codec_class *cls = codec->cls;
    if (cls->parse) ZL_TRY(cls->parse(named.configuration, &codec->env, &codec->self, &codec->err));
    codec->bound = codec->self;
    if (!data_type) return ZL_OK;
    ZL_TRY(make_level(codec, data_type, fill));
    codec->out = codec->in;
    const void *resolved = codec->self;
    if (cls->resolve) ZL_TRY(cls->resolve(codec->self, &codec->in, &codec->out, &codec->env, &resolved, &codec->err));
    codec->shape.rank = rank;
    if (rank > 0) memcpy(codec->shape.dim, dim, (size_t)rank * sizeof *dim);
    codec->inner = codec->shape;
    codec->bound = resolved;
    if (!cls->bind) return ZL_OK;
    return cls->bind(resolved, &codec->in, &codec->shape, &codec->inner, codec->arena, &codec->bound, &codec->err);
}

zl_status zt_codec_begin(zt_codec *codec, const char *json, const char *data_type, const char *fill, int32_t rank,
                         const int64_t *dim) {
    ZL_TRY(zt_codec_init(codec, NULL));
    return zt_codec_open(codec, json, data_type, fill, rank, dim);
}

void zt_codec_close(zt_codec *codec) {
    for (int i = 0; i < codec->doc_count; i++) {
        zl_json_doc_free(codec->docs[i]);
    }
    zl_arena_free(codec->arena);
    zl_worker_free(codec->worker);
    zt_assert_no_leak(&codec->memory);
    const zl_error err = codec->err; /* tests look at it afterwards */
    *codec = (zt_codec){.err = err};
}

void zt_check_codec_refused(const char *json, const char *data_type, int32_t rank, const int64_t *dim, zl_status status,
                            const char *text, const char *file, int line) {
    zt_codec codec;
    const zl_status found = zt_codec_begin(&codec, json, data_type, NULL, rank, dim);
    zt_check_status(found, status, text, &codec.err, json, file, line);
    zt_codec_close(&codec);
}

void zt_check_emit(zl_json_emit_fn emit, const void *self, const char *expected) {
    zl_error err = {0};
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    emit(self, &writer);
    zt_assert_ok(zl_json_writer_finish(&writer, &err), &err);
    assert_string_equal((const char *)writer.sink.data, expected);
    zl_json_writer_clear(&writer);
}

zl_status zt_codec_encode(zt_codec *codec, const zl_box *box, zl_sink *out) {
    const zl_ab_ops *ab = codec->cls->ab;
    const uint64_t bound = ab->bound(codec->bound);
    *out = (zl_sink){.max = bound == UINT64_MAX ? ZL_MIB : (size_t)bound, .allocator = &codec->allocator};
    const zl_status status = ab->encode(codec->bound, box, out, &codec->call);
    if (status != ZL_OK) zl_sink_free(out);
    return status;
}

zl_status zt_codec_decode(zt_codec *codec, const void *stored, size_t size, const zl_box *box) {
    return codec->cls->ab->decode(codec->bound, (zl_span){stored, size}, box, &codec->call);
}

void zt_check_slot(const zl_slot *found, const char *text) {
    assert_int_equal(found->size, strlen(text));
    assert_memory_equal(found->size ? found->data : "", text, found->size);
}

zl_box zt_codec_box(const zl_shape *shape, size_t element_size, void *data) {
    zl_box box = {.rank = shape->rank, .data = data};
    int64_t stride = (int64_t)element_size;
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        box.shape[i] = box.edge[i] = shape->dim[i];
        box.step[i] = 1;
        box.stride[i] = stride;
        stride *= shape->dim[i];
    }
    return box;
}
