/* SPDX-License-Identifier: MIT */
#include "zt_engine.h"

#include <unistd.h>

zl_status zt_engine_try_begin(zt_engine *engine, const zt_engine_options *options) {
    static const zt_engine_options none;
    if (options == NULL) options = &none;
    memset(engine, 0, sizeof *engine);
    engine->allocator = zt_allocator(&engine->memory, options->fail_at);
    zl_context_options context = ZL_CONTEXT_OPTIONS_INIT;
    context.allocator = &engine->allocator;
    context.threads = options->threads ? options->threads : 1;
    context.memory_limit = options->memory_limit;
    ZL_TRY(zl_context_new(&engine->context, &context, &engine->err));
    ZL_TRY(zt_model_add(engine->context, &engine->err));
    const uint32_t caps = options->caps ? options->caps : ZT_MEMORY_CAPS;
    return spy_store_open(&engine->store, &engine->spy, engine->context, caps, &engine->err);
}

void zt_engine_begin(zt_engine *engine, const zt_engine_options *options) {
    zt_assert_ok(zt_engine_try_begin(engine, options), &engine->err);
}

void zt_engine_end(zt_engine *engine) {
    zl_array_close(engine->array);
    (void)zl_store_close(engine->store, NULL);
    zl_context_free(engine->context);
    zt_assert_no_leak(&engine->memory);
}

/* ---- arrays */

static size_t print_dims(char *text, size_t room, int32_t rank, const int64_t *dim) {
    size_t used = 0;
    for (int32_t i = 0; i < rank; i++)
        used += (size_t)snprintf(text + used, room - used, i ? ",%lld" : "%lld", (long long)dim[i]);
    return used;
}

const char *zt_engine_document(int32_t rank, const int64_t *shape, const int64_t *chunk, const char *dtype,
                               const char *fill, const char *codecs) {
    static char text[8192];
    char shape_text[256] = "", chunk_text[256] = "";
    print_dims(shape_text, sizeof shape_text, rank, shape);
    print_dims(chunk_text, sizeof chunk_text, rank, chunk);
    const int size = snprintf(text, sizeof text,
                              "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%s],\"data_type\":%s,\"chunk_grid\":"
                              "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[%s]}},\"chunk_key_encoding\":"
                              "\"default\",\"fill_value\":%s,\"codecs\":%s}",
                              shape_text, dtype, chunk_text, fill, codecs);
    assert_in_range(size, 1, sizeof text - 1);
    return text;
}

zl_status zt_engine_try_create(zt_engine *engine, const char *document) {
    zl_array_close(engine->array);
    engine->array = NULL;
    return zl_array_create_from_metadata(&engine->array, engine->store, "a", ZL_CREATE_REPLACE, document, strlen(document),
                                         &engine->err);
}

void zt_engine_create(zt_engine *engine, const char *document) {
    zt_assert_ok(zt_engine_try_create(engine, document), &engine->err);
    spy_store_reset(&engine->spy);
}

void zt_engine_line(zt_engine *engine, int64_t shape, int64_t chunk, const char *fill, const char *codecs) {
    zt_engine_create(engine, zt_engine_document(1, &shape, &chunk, "\"int32\"", fill, codecs));
}

/* ---- reading and writing */

zl_status zt_engine_try_write(zl_array *array, int64_t start, int64_t count, const int32_t *values, int32_t threads,
                              zl_error *err) {
    const zl_region region = {1, &start, &count, NULL};
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.threads = threads;
    return zl_array_write(array, &region, (zl_const_view){values, NULL, NULL}, &options, err);
}

void zt_engine_write(zt_engine *engine, int64_t start, int64_t count, const int32_t *values) {
    zt_assert_ok(zt_engine_try_write(engine->array, start, count, values, 0, &engine->err), &engine->err);
}

void zt_engine_write_all_equal(zt_engine *engine, int64_t start, int64_t count, int32_t value) {
    const zl_region region = {1, &start, &count, NULL};
    const int64_t stride = 0;
    const zl_const_view view = {&value, &stride, NULL};
    zt_assert_ok(zl_array_write(engine->array, &region, view, NULL, &engine->err), &engine->err);
}

zl_status zt_engine_try_read(zl_array *array, int64_t start, int64_t count, int32_t *values, const zl_read_options *options,
                             zl_error *err) {
    const zl_region region = {1, &start, &count, NULL};
    return zl_array_read(array, &region, (zl_view){values, NULL, NULL}, options, err);
}

void zt_engine_read(zt_engine *engine, int64_t start, int64_t count, int32_t *values) {
    zt_assert_ok(zt_engine_try_read(engine->array, start, count, values, NULL, &engine->err), &engine->err);
}

static int32_t *read_new(zt_engine *engine, int64_t start, int64_t count) {
    int32_t *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    zt_engine_read(engine, start, count, values);
    return values;
}

void zt_engine_expect(zt_engine *engine, int64_t start, int64_t count, const int32_t *values) {
    int32_t *got = read_new(engine, start, count);
    for (int64_t i = 0; i < count; i++) {
        if (got[i] != values[i]) fail_msg("element %d is %d, not %d", (int)(start + i), got[i], values[i]);
    }
    free(got);
}

void zt_engine_expect_equal(zt_engine *engine, int64_t start, int64_t count, int32_t value) {
    int32_t *got = read_new(engine, start, count);
    for (int64_t i = 0; i < count; i++) {
        if (got[i] != value) fail_msg("element %d is %d, not %d", (int)(start + i), got[i], value);
    }
    free(got);
}

void zt_watchdog(unsigned seconds) {
    alarm(seconds);
}
