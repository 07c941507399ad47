/* SPDX-License-Identifier: MIT */
/* Chains compiled for a chunk: which end, which sizes, what is refused; boxes, cells, outputs; damaged bytes. */
#include "zt_model.h"

#include "base/worker.h"
#include "engine/context.h"
#include "pipeline/rows.h"
#include "json/json.h"

#define BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define GZIP "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"
static bool in_this_build(const char *codecs) {
    return strstr(codecs, "gzip") == NULL || zl_codec_available("gzip") == ZL_AVAILABLE;
}
#define SHARD(inner, codecs, location)                                                                  \
    "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[" inner "],\"codecs\":[" codecs \
    "],\"index_codecs\":[" BYTES ",\"crc32c\"],\"index_location\":\"" location "\"}}"

/* A compiled chain with all that it needs. */
typedef struct bench {
    zt_memory memory;
    zl_allocator allocator;
    zl_context *context;
    zl_arena *arena;
    zl_worker *worker;
    zl_json_doc *doc;
    zl_env env;
    zl_call call;
    zl_error err;
    const zl_pipeline *p;
    _Alignas(8) char fill[16];
} bench;

static void begin(bench *b) {
    memset(b, 0, sizeof *b);
    b->allocator = zt_allocator(&b->memory, 0);
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = &b->allocator;
    zt_assert_ok(zl_context_new(&b->context, &options, &b->err), &b->err);
    zt_assert_ok(zt_model_add(b->context, &b->err), &b->err);
    b->arena = zl_arena_new(&b->allocator);
    b->worker = zl_worker_new(&b->allocator);
    assert_true(b->arena != NULL && b->worker != NULL);
    zl_context_env(b->context, &b->env);
    b->env.arena = b->arena;
    b->call =
        (zl_call){.size = sizeof b->call, .allocator = &b->allocator, .worker = b->worker, .verify = true, .err = &b->err};
}

static void end(bench *b) {
    zl_json_doc_free(b->doc);
    zl_worker_free(b->worker);
    zl_arena_free(b->arena);
    zl_context_free(b->context);
    zt_assert_no_leak(&b->memory);
}

/* Compiles for chunks of int32 with fill value `fill`. */
static zl_status compile(bench *b, const char *codecs, int32_t fill, int32_t rank, const int64_t *dim) {
    const zl_chain *chain;
    zl_json_doc_free(b->doc);
    b->doc = NULL;
    ZL_TRY(zl_json_parse(&b->doc, codecs, strlen(codecs), NULL, &b->allocator, &b->err));
    ZL_TRY(zl_chain_parse(zl_json_root(b->doc), &b->env, &chain, &b->err));
    memcpy(b->fill, &fill, sizeof fill);
    const zl_level level = {zl_dtype_builtin(ZL_DTYPE_INT32), b->fill};
    zl_shape shape = {.rank = rank};
    memcpy(shape.dim, dim, (size_t)rank * sizeof *dim);
    return zl_pipeline_compile(chain, &level, &shape, &b->env, &b->p, &b->err);
}

static const int64_t twelve[] = {12};
static const int64_t four_by_six[] = {4, 6};

static void make(bench *b, const char *codecs) {
    zt_assert_ok(compile(b, codecs, 0, 1, twelve), &b->err);
}

/* ---- compiling */

static void codecs_are_sorted(void **state) {
    (void)state;
    bench b;
    begin(&b);
    make(&b, "[" BYTES "]");
    assert_int_equal(b.p->kind, ZL_END_RAW);
    assert_int_equal(b.p->remap_count + b.p->row_count + b.p->bb_count, 0);
    assert_false(b.p->fix);
    make(&b, "[" BIG "]");
    assert_true(b.p->fix);
    assert_int_equal(b.p->swap_width, 4);
    make(&b, "[\"test.flip\",{\"name\":\"test.add\",\"configuration\":{\"k\":1}},\"test.flip\"," BYTES ",\"crc32c\"]");
    assert_int_equal(b.p->remap_count, 2);
    assert_int_equal(b.p->row_count, 1);
    assert_int_equal(b.p->bb_count, 1);
    assert_int_equal(b.p->stream_count, 0);
    assert_int_equal(b.p->tail, 4);
    make(&b, "[\"test.delta\",\"test.flip\"," BYTES ",\"crc32c\"]");
    assert_int_equal(b.p->kind, ZL_END_BARRIER);
    assert_int_equal(b.p->bb_count, 0); /* all behind it belongs to the inner pipeline */
    assert_int_equal(b.p->inner->remap_count, 1);
    assert_int_equal(b.p->inner->bb_count, 1);
    make(&b, "[{\"name\":\"packbits\"}]");
    assert_int_equal(b.p->kind, ZL_END_OPAQUE);
    make(&b, "[" SHARD("3", BYTES, "end") "]");
    assert_int_equal(b.p->kind, ZL_END_SPLIT);
    assert_int_equal(b.p->part_count, 4);
    assert_int_equal(b.p->inner->kind, ZL_END_RAW);
    end(&b);
}

static void sizes_are_known(void **state) {
    (void)state;
    static const struct {
        const char *codecs;
        uint64_t encoded; /* UINT64_MAX: depends on the elements */
        uint64_t bound;   /* 0: not looked at */
    } cases[] = {
        {"[" BYTES "]", 48, 48},
        {"[" BYTES ",\"crc32c\",\"crc32c\"]", 56, 56},
        {"[{\"name\":\"test.widen\"}," BYTES "]", 96, 96},
        {"[\"test.delta\"," BYTES ",\"crc32c\"]", 52, 52},
        {"[" BYTES "," GZIP "]", UINT64_MAX, 0},
        {"[" SHARD("3", BYTES, "end") "]", UINT64_MAX, 48 + 4 * 16 + 4},
        {"[" SHARD("3", BYTES ",\"crc32c\"", "start") ",\"crc32c\"]", UINT64_MAX, 48 + 4 * 4 + 4 * 16 + 4 + 4},
        {"[" SHARD("6", SHARD("2", BYTES, "end"), "end") "]", UINT64_MAX, 48 + 2 * (3 * 16 + 4) + 2 * 16 + 4},
    };
    bench b;
    begin(&b);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        if (!in_this_build(cases[i].codecs)) continue;
        make(&b, cases[i].codecs);
        assert_true(b.p->encoded_size == cases[i].encoded);
        const uint64_t bound = b.p->bounds[b.p->bb_count];
        assert_true(cases[i].bound == 0 ? bound > 48 && bound < 1000 : bound == cases[i].bound);
    }
    end(&b);
}

static void closed_is_found(void **state) {
    (void)state;
    static const struct {
        const char *codecs;
        int32_t fill;
        bool closed;
    } cases[] = {
        {"[" BYTES "]", 3, true},
        {"[{\"name\":\"test.add\",\"configuration\":{\"k\":7}},{\"name\":\"test.widen\"}," BYTES "]", 3, true},
        {"[{\"name\":\"test.third\"}," BYTES "]", 3, false},
        {"[{\"name\":\"test.third\"}," BYTES "]", 4, true},
        {"[{\"name\":\"test.add\",\"configuration\":{\"k\":1}},{\"name\":\"test.third\"}," BYTES "]", 3, true},
        {"[{\"name\":\"test.drift\"}," BYTES "]", 3, false},
        {"[{\"name\":\"test.third\"},\"test.delta\"," BYTES "]", 3, false},
    };
    bench b;
    begin(&b);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_ok(compile(&b, cases[i].codecs, cases[i].fill, 1, twelve), &b.err);
        assert_int_equal(b.p->closed, cases[i].closed);
    }
    end(&b);
}

static void impossible_chains_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *codecs;
        zl_status status;
        const char *message;
    } cases[] = {
        {"[\"test.widen\",\"test.widen\"," BYTES "]", ZL_ERR_METADATA, "/1 (test.widen): test.widen does not take int64"},
        {"[" SHARD("5", BYTES, "end") "]", ZL_ERR_METADATA, "inner chunks of 5 do not divide the shard of 12"},
        {"[" SHARD("6", SHARD("4", BYTES, "end"), "end") "]", ZL_ERR_METADATA,
         "inner chunks of 4 do not divide the shard of 6"},
        {"[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," BYTES "]", ZL_ERR_METADATA,
         "order has 2 axes, the chunk has 1"},
        {"[{\"name\":\"test.fold\",\"configuration\":{\"shape\":[5]}}," BYTES "]", ZL_ERR_METADATA, "(test.fold)"},
        {"[{\"name\":\"test.picky\",\"configuration\":{\"k\":0}}," BYTES "]", ZL_ERR_INVALID_ARGUMENT, "refuses 0"},
        {"[\"vlen-utf8\"]", ZL_ERR_METADATA, "(vlen-utf8)"},
    };
    bench b;
    begin(&b);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++)
        zt_assert_fails(compile(&b, cases[i].codecs, 0, 1, twelve), &b.err, cases[i].status, cases[i].message);
    end(&b);
}

/* ---- decoding */

/* Encodes 0, 1, 2, ... and gives the stored bytes. */
static uint8_t *encode_numbers(bench *b, zl_shape shape, size_t *size) {
    int32_t numbers[48];
    for (int32_t k = 0; k < 48; k++)
        numbers[k] = k + 1;
    zl_box box;
    zl_encoded encoded;
    zl_output output;
    zl_output_init(&output, &b->allocator);
    zl_box_whole(&box, &shape, sizeof numbers[0], numbers);
    const zl_encode how = {.may_omit = true, .output = &output, .call = &b->call};
    zt_assert_ok(zl_encode_chunk(b->p, &box, NULL, &how, &encoded), &b->err);
    assert_false(encoded.missing);
    uint8_t *bytes = malloc((size_t)encoded.size);
    assert_non_null(bytes);
    size_t at = 0;
    for (size_t i = 0; i < encoded.count; i++) {
        memcpy(bytes + at, encoded.spans[i].data, encoded.spans[i].size);
        at += encoded.spans[i].size;
    }
    assert_int_equal(at, encoded.size);
    zl_output_clear(&output);
    *size = at;
    return bytes;
}

static const char *const all_ends[] = {
    "[" BIG ",\"crc32c\"]",
    "[" BYTES ",\"crc32c\"," GZIP "]",
    "[{\"name\":\"packbits\"},\"crc32c\"]",
    "[\"test.delta\"," BYTES ",\"crc32c\"]",
    "[{\"name\":\"test.fold\",\"configuration\":{\"shape\":[24]}}," BYTES ",\"crc32c\"]",
    "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," SHARD("3,2", BYTES ",\"crc32c\"", "end") "]",
    "[" SHARD("2,2", BYTES, "start") "," GZIP "]",
};

/* Bytes cut short or damaged are an error or, where nothing checks them, other elements; never more than that. */
static void damaged_bytes_are_noticed(void **state) {
    (void)state;
    const zl_shape shape = {2, {4, 6}};
    bench b;
    begin(&b);
    for (size_t i = 0; i < ZL_COUNT_OF(all_ends); i++) {
        size_t size;
        int32_t got[24];
        zl_box box;
        if (!in_this_build(all_ends[i])) continue;
        zt_assert_ok(compile(&b, all_ends[i], 0, 2, four_by_six), &b.err);
        uint8_t *stored = encode_numbers(&b, shape, &size);
        zl_box_whole(&box, &shape, sizeof got[0], got);
        zt_assert_ok(zl_decode_chunk(b.p, (zl_span){stored, size}, &box, NULL, &b.call), &b.err);
        for (int32_t k = 0; k < 24; k++)
            assert_int_equal(got[k], k + 1);
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *part = malloc(cut + 1); /* of its own, so that reading beyond it is noticed */
            assert_non_null(part);
            memcpy(part, stored, cut);
            assert_int_equal(zl_decode_chunk(b.p, (zl_span){part, cut}, &box, NULL, &b.call), ZL_ERR_CORRUPT);
            free(part);
            stored[cut] ^= 0x10;
            const zl_status status = zl_decode_chunk(b.p, (zl_span){stored, size}, &box, NULL, &b.call);
            assert_true(status == ZL_ERR_CORRUPT || (status == ZL_OK && strstr(all_ends[i], "gzip") != NULL));
            stored[cut] ^= 0x10;
        }
        free(stored);
    }
    end(&b);
}

/* ---- boxes */

static void boxes_are_cut(void **state) {
    (void)state;
    static const int64_t origin[] = {10}, length[] = {5};
    char memory[400];
    zl_box part;
    /* Elements 7, 10, 13, ... 25 of an array that ends at 14. */
    const zl_box box = {.rank = 1, .data = memory, .start = {7}, .shape = {7}, .stride = {16}, .step = {3}, .edge = {100}};
    assert_true(zl_box_cut(&box, origin, length, &part));
    assert_int_equal(part.start[0], 0);
    assert_int_equal(part.shape[0], 2); /* 10 and 13 */
    assert_int_equal(part.step[0], 3);
    assert_int_equal(part.edge[0], 5);
    assert_ptr_equal(part.data, memory + 16);
    zl_box cut_off = box;
    cut_off.edge[0] = 13;
    assert_true(zl_box_cut(&cut_off, origin, length, &part));
    assert_int_equal(part.shape[0], 1);
    assert_int_equal(part.edge[0], 3);
    cut_off.edge[0] = 10;
    assert_false(zl_box_cut(&cut_off, origin, length, &part));
    static const int64_t between[] = {11}, two[] = {2};
    assert_false(zl_box_cut(&box, between, two, &part)); /* the step passes over it */
    static const int64_t far[] = {INT64_MAX - 2};
    const zl_box last = {
        .rank = 1, .data = memory, .start = {INT64_MAX - 1}, .shape = {1}, .step = {1}, .edge = {INT64_MAX}};
    assert_true(zl_box_cut(&last, far, length, &part));
    assert_int_equal(part.start[0], 1);
}

static void covering_is_up_to_the_edge(void **state) {
    (void)state;
    const zl_shape shape = {1, {8}};
    zl_box box = {.rank = 1, .start = {0}, .shape = {5}, .step = {1}, .edge = {5}};
    assert_true(zl_box_covers(&box));
    assert_false(zl_box_is_whole(&box, &shape));
    box.edge[0] = 6;
    assert_false(zl_box_covers(&box));
    box.edge[0] = 5;
    box.step[0] = 2;
    assert_false(zl_box_covers(&box));
    const zl_box nothing = {.rank = 0};
    assert_true(zl_box_covers(&nothing)); /* the one element of rank 0 */
}

/* Cells that a box with steps touches, each once and no other. */
static void cells_are_visited(void **state) {
    (void)state;
    zt_random random = zt_random_seed(11);
    for (int round = 0; round < 2000; round++) {
        const int64_t length[] = {zt_random_between(&random, 1, 5), zt_random_between(&random, 1, 5)};
        zl_box box = {.rank = 2};
        bool wanted[41][41] = {{false}};
        for (int i = 0; i < 2; i++) {
            box.start[i] = zt_random_between(&random, 0, 9);
            box.step[i] = zt_random_between(&random, 1, 6);
            box.shape[i] = zt_random_between(&random, 0, 5);
            box.edge[i] = 1000;
        }
        for (int64_t y = 0; y < box.shape[0]; y++) {
            for (int64_t x = 0; x < box.shape[1]; x++)
                wanted[(box.start[0] + y * box.step[0]) / length[0]][(box.start[1] + x * box.step[1]) / length[1]] = true;
        }
        zl_cells cells;
        for (zl_cells_begin(&cells, &box, NULL, NULL, length); !cells.done; zl_cells_next(&cells)) {
            bool *cell = &wanted[cells.index[0]][cells.index[1]];
            assert_true(*cell);
            assert_int_equal(cells.origin[0], cells.index[0] * length[0]);
            *cell = false;
        }
        for (size_t i = 0; i < sizeof wanted; i++)
            assert_false(((const bool *)wanted)[i]);
    }
}

/* ---- outputs */

static void reservations_do_not_move(void **state) {
    (void)state;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zl_output output;
    uint8_t *kept[50];
    zl_output_init(&output, &allocator);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < ZL_COUNT_OF(kept); i++) {
            const size_t size = i * i * 7;
            kept[i] = zl_output_reserve(&output, size + 100);
            assert_non_null(kept[i]);
            assert_int_equal((uintptr_t)kept[i] % 16, 0);
            memset(kept[i], (int)i, size);
            zl_output_commit(&output, size);
        }
        for (size_t i = 0; i < ZL_COUNT_OF(kept); i++) {
            for (size_t k = 0; k < i * i * 7; k++)
                assert_int_equal(kept[i][k], i);
        }
        zl_output_reset(&output);
        assert_int_equal(memory.blocks, 1); /* one is kept for the next job */
    }
    assert_null(zl_output_reserve(&output, SIZE_MAX));
    zl_output_clear(&output);
    zt_assert_no_leak(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_are_sorted),
        cmocka_unit_test(sizes_are_known),
        cmocka_unit_test(closed_is_found),
        cmocka_unit_test(impossible_chains_are_refused),
        cmocka_unit_test(damaged_bytes_are_noticed),
        cmocka_unit_test(boxes_are_cut),
        cmocka_unit_test(covering_is_up_to_the_edge),
        cmocka_unit_test(cells_are_visited),
        cmocka_unit_test(reservations_do_not_move),
    };
    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
