/* SPDX-License-Identifier: MIT */
/* The context: settings, and the engine that all its stores and arrays share. */
#ifndef ZL_ENGINE_CONTEXT_H
#define ZL_ENGINE_CONTEXT_H

#include "base/thread.h"
#include "dtype/dtype.h"

typedef struct zl_engine zl_engine;

struct zl_context {
    zl_allocator allocator;
    zl_limits limits; /* all members set */
    zl_registry registry;
    zl_warning_fn on_warning;
    void *warning_user;
    zl_mutex warning_mutex; /* held while on_warning runs: one at a time */
    int32_t threads;
    uint64_t memory_limit;
    zl_engine *engine;
};

/* Fills everything but the arena. */
void zl_context_env(const zl_context *context, zl_env *env);

/* Calls the warning callback, if there is one, with a message. */
void zl_context_warn(zl_context *context, const char *format, ...) ZL_PRINTF(2, 3);

#endif
