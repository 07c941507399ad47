/* SPDX-License-Identifier: MIT */
/* An array of int32 with one or two axes in a spied store, for tests of the engine. */
#ifndef ZT_ENGINE_H
#define ZT_ENGINE_H

#include "spy_store.h"
#include "zt_model.h"

#define ZT_MEMORY_CAPS (ZL_STORE_WRITE | ZL_STORE_RANGE | ZL_STORE_LEND)

typedef struct zt_engine {
    zt_memory memory; /* of the context */
    zl_allocator allocator;
    zl_context *context;
    spy_store spy;
    zl_store *store;
    zl_array *array;
    zl_error err;
} zt_engine;

typedef struct zt_engine_options {
    uint32_t caps;         /* [ZT_MEMORY_CAPS] */
    int32_t threads;       /* [1] */
    uint64_t memory_limit; /* [the context's default] */
    size_t fail_at;        /* allocation that fails [none] */
} zt_engine_options;

/* Context and store, with the codecs of zt_model.h; no array yet. After a failure zt_engine_end all the same. */
zl_status zt_engine_try_begin(zt_engine *engine, const zt_engine_options *options);
void zt_engine_begin(zt_engine *engine, const zt_engine_options *options);
/* Closes everything and checks that nothing leaked. */
void zt_engine_end(zt_engine *engine);

/* The metadata document of an array; `dtype`, `fill` and `codecs` are JSON. In a static buffer. */
const char *zt_engine_document(int32_t rank, const int64_t *shape, const int64_t *chunk, const char *dtype,
                               const char *fill, const char *codecs);
/* Creates the array "a" as engine->array; an older one of that name is replaced, its chunks are erased. */
zl_status zt_engine_try_create(zt_engine *engine, const char *document);
void zt_engine_create(zt_engine *engine, const char *document);
/* An array of int32 with one axis. */
void zt_engine_line(zt_engine *engine, int64_t shape, int64_t chunk, const char *fill, const char *codecs);

/* Elements `start` ... of an array of int32 with one axis. */
zl_status zt_engine_try_write(zl_array *array, int64_t start, int64_t count, const int32_t *values, int32_t threads,
                              zl_error *err);
void zt_engine_write(zt_engine *engine, int64_t start, int64_t count, const int32_t *values);
void zt_engine_write_all_equal(zt_engine *engine, int64_t start, int64_t count, int32_t value);
zl_status zt_engine_try_read(zl_array *array, int64_t start, int64_t count, int32_t *values, const zl_read_options *options,
                             zl_error *err);
void zt_engine_read(zt_engine *engine, int64_t start, int64_t count, int32_t *values);
/* Reads, and checks each element. */
void zt_engine_expect(zt_engine *engine, int64_t start, int64_t count, const int32_t *values);
void zt_engine_expect_equal(zt_engine *engine, int64_t start, int64_t count, int32_t value);

/* A list of codecs: shards of inner chunks of `inner` elements with a list of codecs. */
#define ZT_SHARD(inner, codecs)                                                                          \
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[" #inner "],\"codecs\":" codecs \
    ",\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"]}}]"
#define ZT_BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define ZT_ROW(name, k) "{\"name\":\"test." name "\",\"configuration\":{\"k\":" #k "}}"

/* For tests that need a compressor: skips them in a build without one. */
#define ZT_NEED_GZIP()                                          \
    do {                                                        \
        if (zl_codec_available("gzip") != ZL_AVAILABLE) skip(); \
    } while (0)
#define ZT_GZIP "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"

/* A test that hangs says so: aborts after that many seconds, 0 = no more. */
void zt_watchdog(unsigned seconds);

#endif
