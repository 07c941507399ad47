/* SPDX-License-Identifier: MIT */
#include "engine/context.h"

#include "base/worker.h"
#include "engine/op.h"

#define DEFAULT_MEMORY_LIMIT (1024 * (uint64_t)ZL_MIB)
#define MOST_THREADS 1024

static zl_status set_limits(zl_limits *limits, const zl_limits *given, zl_error *err) {
    *limits = (zl_limits){.size = sizeof *limits,
                          .rank = ZL_MAX_RANK,
                          .codecs = 64,
                          .sharding_depth = 4,
                          .json_depth = 512,
                          .json_document = 256 * (uint64_t)ZL_MIB,
                          .element_size = ZL_MIB,
                          .decoded_chunk = 64 * 1024 * (uint64_t)ZL_MIB};
    zl_limits wanted;
    ZL_TRY(zl_options_copy(&wanted, sizeof wanted, given, "zl_limits", err));
    if (wanted.rank > 0 && wanted.rank < ZL_MAX_RANK) limits->rank = wanted.rank;
    if (wanted.codecs > 0) limits->codecs = wanted.codecs;
    if (wanted.sharding_depth > 0) limits->sharding_depth = wanted.sharding_depth;
    if (wanted.json_depth > 0) limits->json_depth = wanted.json_depth;
    if (wanted.json_document) limits->json_document = wanted.json_document;
    if (wanted.element_size) limits->element_size = wanted.element_size;
    if (wanted.decoded_chunk) limits->decoded_chunk = wanted.decoded_chunk;
    return ZL_OK;
}

zl_status zl_context_new(zl_context **out, const zl_context_options *options, zl_error *err) {
    zl_context_options o;
    ZL_TRY(zl_options_copy(&o, sizeof o, options, "zl_context_options", err));
    if (o.threads < 0 || o.threads > MOST_THREADS) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "threads is %d, not in 0..%d", o.threads, MOST_THREADS);
    }
    zl_limits limits;
    ZL_TRY(set_limits(&limits, o.limits, err));
    const zl_allocator *allocator = o.allocator ? o.allocator : &zl_default_allocator;
    zl_context *context = ZL_NEW(allocator, zl_context);
    if (!context) return zl_fail_memory(err, sizeof *context);
    context->allocator = *allocator;
    context->limits = limits;
    context->on_warning = o.on_warning;
    context->warning_user = o.warning_user;
    context->threads = o.threads ? o.threads : zl_cpu_count();
    context->memory_limit = o.memory_limit ? o.memory_limit : DEFAULT_MEMORY_LIMIT;
    zl_status status = zl_mutex_init(&context->warning_mutex, err);
    if (status == ZL_OK && (status = zl_engine_new(&context->engine, context, err)) != ZL_OK) {
        zl_mutex_clear(&context->warning_mutex);
    }
    if (status != ZL_OK)
        ZL_DELETE(allocator, context);
    else
        *out = context;
    return status;
}

void zl_context_free(zl_context *context) {
    if (!context) return;
    const zl_allocator allocator = context->allocator;
    zl_engine_free(context->engine);
    zl_mutex_clear(&context->warning_mutex);
    zl_registry *registry = &context->registry;
    zl_free(&allocator, registry->codecs, registry->codec_count * sizeof *registry->codecs);
    zl_free(&allocator, registry->dtypes, registry->dtype_count * sizeof *registry->dtypes);
    ZL_DELETE(&allocator, context);
}

/* ---- warnings */

static void warn(void *user, const char *message) {
    zl_context *context = user;
    zl_mutex_lock(&context->warning_mutex);
    context->on_warning(context->warning_user, message);
    zl_mutex_unlock(&context->warning_mutex);
}

void zl_context_warn(zl_context *context, const char *format, ...) {
    if (!context->on_warning) return;
    zl_error text;
    va_list args;
    va_start(args, format);
    (void)zl_vfail(&text, ZL_OK, format, args);
    va_end(args);
    warn(context, text.message);
}

void zl_context_env(const zl_context *context, zl_env *env) {
    *env = (zl_env){.size = sizeof *env,
                    .limits = &context->limits,
                    .registry = &context->registry,
                    .zarr_format = 3,
                    .on_warning = context->on_warning ? warn : NULL,
                    .warning_user = (void *)context};
}

zl_status zl_context_add_codec(zl_context *context, const zl_codec_class *cls, zl_error *err) {
    zl_registry *registry = &context->registry;
    const size_t size = registry->codec_count * sizeof cls;
    const zl_codec_class **grown =
        zl_resize(&context->allocator, registry->codecs, size, size + sizeof cls, _Alignof(void *));
    if (!grown) return zl_fail_memory(err, size + sizeof cls);
    grown[registry->codec_count++] = cls;
    registry->codecs = grown;
    return ZL_OK;
}

zl_status zl_context_add_dtype(zl_context *context, const zl_dtype_class *cls, zl_error *err) {
    zl_registry *registry = &context->registry;
    const size_t size = registry->dtype_count * sizeof cls;
    const zl_dtype_class **grown =
        zl_resize(&context->allocator, registry->dtypes, size, size + sizeof cls, _Alignof(void *));
    if (!grown) return zl_fail_memory(err, size + sizeof cls);
    grown[registry->dtype_count++] = cls;
    registry->dtypes = grown;
    return ZL_OK;
}

/* ---- memory handed to the caller */

void zl_buffer_free(zl_buffer *buffer) {
    if (!buffer || !buffer->data) return;
    zl_free(&buffer->context->allocator, buffer->data, buffer->size + 1);
    *buffer = (zl_buffer){0};
}

zl_status zl_result_new(zl_result **out, zl_context *context, zl_error *err) {
    zl_result *result = zl_result_make(&context->allocator, err);
    if (!result) return ZL_ERR_NO_MEMORY;
    *out = result;
    return ZL_OK;
}

/* ---- cancellation */

struct zl_cancel {
    atomic_bool now;
    zl_allocator allocator;
};

zl_status zl_cancel_new(zl_cancel **out, zl_context *context, zl_error *err) {
    zl_cancel *cancel = ZL_NEW(&context->allocator, zl_cancel);
    if (!cancel) return zl_fail_memory(err, sizeof *cancel);
    cancel->allocator = context->allocator;
    *out = cancel;
    return ZL_OK;
}

void zl_cancel_free(zl_cancel *cancel) {
    if (!cancel) return;
    const zl_allocator allocator = cancel->allocator;
    ZL_DELETE(&allocator, cancel);
}

void zl_cancel_now(zl_cancel *cancel) {
    atomic_store(&cancel->now, true);
}
void zl_cancel_reset(zl_cancel *cancel) {
    atomic_store(&cancel->now, false);
}
bool zl_cancelled(const zl_cancel *cancel) {
    return cancel && atomic_load_explicit(&cancel->now, memory_order_relaxed);
}
