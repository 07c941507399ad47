/* SPDX-License-Identifier: MIT */
/* Modules of the tool that have more cases than a shell script can try. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "blocks.h"
#include "codec_text.h"
#include "json_out.h"
#include "json_scan.h"
#include "layout.h"
#include "region.h"
#include "slabs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next_random(uint32_t *state) {
    return *state = *state * 1664525u + 1013904223u;
}

static int64_t random_extent(uint32_t *state, uint32_t most) {
    return (int64_t)(next_random(state) >> 8) % most;
}

/* Marks every element of every block; each must be met once. Returns the number of blocks. */
static int check_cover(cli_blocks *blocks, bool in_order) {
    unsigned char seen[16 * 16 * 16] = {0};
    int64_t expected = 0;
    int count = 0;
    for (; cli_blocks_next(blocks); count++) {
        assert_true(cli_blocks_count(blocks) <= cli_blocks_most(blocks));
        for (int64_t i = 0; i < cli_blocks_count(blocks); i++) {
            int64_t rest = i, flat = 0, scale = 1;
            for (int32_t axis = blocks->rank - 1; axis >= 0; axis--) {
                flat += scale * (blocks->start[axis] + rest % blocks->count[axis]);
                rest /= blocks->count[axis];
                scale *= blocks->shape[axis];
            }
            if (in_order) assert_int_equal(flat, expected);
            assert_int_equal(seen[flat]++, 0);
            expected++;
        }
    }
    int64_t total = 1;
    for (int32_t axis = 0; axis < blocks->rank; axis++)
        total *= blocks->shape[axis];
    assert_int_equal(expected, total);
    return count;
}

static void blocks_meet_every_element_once(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        int64_t shape[3], unit[3], origin[3], wish[3];
        const int32_t rank = (int32_t)random_extent(&seed, 4);
        for (int axis = 0; axis < 3; axis++) {
            shape[axis] = random_extent(&seed, 13);
            unit[axis] = 1 + random_extent(&seed, 9);
            origin[axis] = random_extent(&seed, 9);
            wish[axis] = 1 + random_extent(&seed, 9);
        }
        cli_blocks blocks;
        const uint64_t budget = (uint64_t)random_extent(&seed, 400);
        cli_blocks_sequential(&blocks, rank, shape, unit, origin, 2, budget);
        check_cover(&blocks, true);
        cli_blocks_grid(&blocks, rank, shape, unit, round % 2 ? wish : NULL, 2, budget);
        for (int32_t axis = 0; axis < rank; axis++) {
            assert_true(blocks.block[axis] % unit[axis] == 0 || blocks.block[axis] >= shape[axis]);
        }
        check_cover(&blocks, false);
    }
}

static void blocks_keep_to_the_budget_and_to_chunks(void **state) {
    (void)state;
    cli_blocks blocks;
    const int64_t shape[] = {100, 10}, chunk[] = {8, 10}, origin[] = {3, 0};
    cli_blocks_sequential(&blocks, 2, shape, chunk, origin, 1, 250);
    assert_int_equal(blocks.block[0], 24); /* three chunks; the first block ends at a border */
    assert_true(cli_blocks_next(&blocks));
    assert_int_equal(blocks.count[0], 21);
    cli_blocks_grid(&blocks, 2, shape, chunk, NULL, 1, 250);
    assert_int_equal(blocks.block[0], 24);
    cli_blocks_grid(&blocks, 2, shape, chunk, NULL, 1, 1); /* never less than a unit */
    assert_int_equal(blocks.block[0], 8);
}

/* `grid` is JSON, or NULL for shards of one shape. */
static zl_array *make_array(zl_store *store, const char *path, const int64_t *shape, const int64_t *chunk,
                            const int64_t *shard, const char *grid) {
    zl_array *array = NULL;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.shard_shape = shard;
    options.chunk_grid_json = grid;
    options.dtype = ZL_DTYPE_INT16;
    assert_int_equal(zl_array_create(&array, store, path, &options, NULL), ZL_OK);
    return array;
}

/* The array of several shapes of shards, `edges` times the chunk along both axes. */
static zl_array *make_uneven_array(zl_store *store, const char *path, const int64_t *shape, const int64_t *chunk,
                                   const int64_t edges[2][3]) {
    char grid[256];
    snprintf(grid, sizeof grid,
             "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":[[%d,[%d,2],%d],[%d,[%d,2],"
             "%d]]}}",
             (int)(edges[0][0] * chunk[0]), (int)(edges[0][1] * chunk[0]), (int)(edges[0][2] * chunk[0]),
             (int)(edges[1][0] * chunk[1]), (int)(edges[1][1] * chunk[1]), (int)(edges[1][2] * chunk[1]));
    return make_array(store, path, shape, chunk, NULL, grid);
}

/* Index of the shard along an axis. */
static int64_t shard_of(const zl_array *array, int axis, int64_t at) {
    int64_t coords[2] = {0}, start[2], count[2];
    for (;; coords[axis]++) {
        assert_int_equal(zl_array_chunk_region(array, coords, start, count, NULL), ZL_OK);
        if (at < start[axis] + count[axis]) return coords[axis];
    }
}

/* Every element of the region is in one slab; slabs keep to the budget, end at borders of inner chunks and never hold parts
 * of two shards; those of one shard come one after the other. */
static void check_slabs(const zl_array *target, const zl_region *region, const int64_t *wish, uint64_t budget) {
    unsigned char seen[64 * 64] = {0};
    int64_t last_shard = -1, covered = 0;
    const int64_t *inner = zl_array_inner_chunk_shape(target);
    if (!inner) inner = zl_array_chunk_shape(target);
    cli_slabs slabs;
    cli_slabs_start(&slabs, target, region, wish, 2, budget);
    while (cli_slabs_next(&slabs)) {
        int64_t chunks = 1, shards = 1, first[2];
        assert_true(cli_slabs_count(&slabs) <= cli_slabs_most(&slabs));
        for (int axis = 0; axis < 2; axis++) {
            const int64_t end = slabs.start[axis] + slabs.count[axis], most = region->start[axis] + region->shape[axis];
            assert_true(slabs.start[axis] >= region->start[axis] && end <= most);
            assert_int_equal(slabs.start[axis] % inner[axis], 0);
            assert_true(end % inner[axis] == 0 || end == most);
            first[axis] = shard_of(target, axis, slabs.start[axis]);
            chunks *= (slabs.count[axis] + inner[axis] - 1) / inner[axis];
            shards *= shard_of(target, axis, end - 1) - first[axis] + 1;
        }
        assert_true((uint64_t)cli_slabs_count(&slabs) * 2 <= budget || chunks == 1);
        assert_true(first[0] * 64 + first[1] >= last_shard);
        last_shard = first[0] * 64 + first[1];
        if (slabs.is_cut) assert_int_equal(shards, 1);
        for (int64_t y = 0; y < slabs.count[0]; y++) {
            for (int64_t x = 0; x < slabs.count[1]; x++)
                assert_int_equal(seen[(slabs.start[0] + y) * 64 + slabs.start[1] + x]++, 0);
        }
        covered += cli_slabs_count(&slabs);
    }
    assert_int_equal(covered, region->shape[0] * region->shape[1]);
}

/* All of the array, then some of its whole chunks. */
static void check_regions(uint32_t *seed, const zl_array *target, const int64_t *wish, uint64_t budget) {
    int64_t grid[2], start[2] = {0}, shape[2], first[2], last[2], count[2];
    zl_region region = {2, start, shape, NULL};
    cli_shards shards;
    zl_array_grid_shape(target, grid);
    memcpy(shape, zl_array_shape(target), sizeof shape);
    check_slabs(target, &region, wish, budget);
    if (!shape[0] || !shape[1]) return;
    for (int axis = 0; axis < 2; axis++) {
        first[axis] = random_extent(seed, (uint32_t)grid[axis]);
        last[axis] = first[axis] + random_extent(seed, (uint32_t)(grid[axis] - first[axis]));
    }
    assert_int_equal(zl_array_chunk_region(target, first, start, count, NULL), ZL_OK);
    assert_int_equal(zl_array_chunk_region(target, last, shape, count, NULL), ZL_OK);
    for (int axis = 0; axis < 2; axis++)
        shape[axis] += count[axis] - start[axis];
    check_slabs(target, &region, wish, budget);
    cli_shards_start(&shards, target, &region);
    assert_true(cli_shards_fit(&shards, &region));
    if (count[0] == 1) return;
    shape[0]--;
    cli_shards_start(&shards, target, &region);
    assert_false(cli_shards_fit(&shards, &region));
}

static void slabs_write_shards_one_after_the_other(void **state) {
    (void)state;
    uint32_t seed = 5;
    zl_context *context = NULL;
    zl_store *store = NULL;
    assert_int_equal(zl_context_new(&context, NULL, NULL), ZL_OK);
    assert_int_equal(zl_store_open_memory(&store, context, NULL), ZL_OK);
    for (int round = 0; round < 400; round++) {
        int64_t shape[2], chunk[2], shard[2], edges[2][3], wish[2];
        for (int axis = 0; axis < 2; axis++) {
            chunk[axis] = 1 + random_extent(&seed, 3);
            shard[axis] = chunk[axis] * (1 + random_extent(&seed, 5));
            wish[axis] = 1 + random_extent(&seed, 9);
            int64_t most = 0;
            for (int k = 0; k < 3; k++)
                most += (edges[axis][k] = 1 + random_extent(&seed, 3)) * chunk[axis] * (k == 1 ? 2 : 1);
            shape[axis] = random_extent(&seed, (uint32_t)(most < 64 ? most : 64));
        }
        zl_array *target = round % 4 == 0   ? make_uneven_array(store, "target", shape, chunk, edges)
                           : round % 4 == 1 ? make_array(store, "target", shape, chunk, NULL, NULL)
                                            : make_array(store, "target", shape, chunk, shard, NULL);
        check_regions(&seed, target, wish, 1 + (uint64_t)random_extent(&seed, 600));
        zl_array_close(target);
    }
    assert_int_equal(zl_store_close(store, NULL), ZL_OK);
    zl_context_free(context);
}

static void sizes_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t size;
    } good[] = {{"1", 1}, {"65536", 65536}, {"2K", 2048}, {"1.5M", 1572864}, {"4GiB", UINT64_C(4) << 30}, {"10B", 10}};
    static const char *const bad[] = {"", "0", "-1", "K", "1X", "1GG", "1 G", "0x10", "nan", "1e30", " 1", "99999999P"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t size = 0;
        assert_true(cli_parse_size(&size, good[i].text));
        assert_int_equal(size, good[i].size);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t size = 0;
        assert_false(cli_parse_size(&size, bad[i]));
    }
}

static void regions_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t start, count, step; /* of the first axis */
        int32_t out_rank;
    } good[] = {
        {NULL, 0, 10, 1, 2},     {"", 0, 10, 1, 2},        {":", 0, 10, 1, 2},    {"2:5", 2, 3, 1, 2},
        {"-3:", 7, 3, 1, 2},     {":-8", 0, 2, 1, 2},      {"::3", 0, 4, 3, 2},   {"1:10:4", 1, 3, 4, 2},
        {"9", 9, 1, 1, 1},       {"-10", 0, 1, 1, 1},      {"5:2", 5, 0, 1, 2},   {"-99:99", 0, 10, 1, 2},
        {"...", 0, 10, 1, 2},    {"...,1", 0, 10, 1, 1},   {"3,...", 3, 1, 1, 1}, {"3,4", 3, 1, 1, 0},
        {"3,4,...", 3, 1, 1, 0}, {"9:10:99", 9, 1, 99, 2}, {":,::", 0, 10, 1, 2}, {"1:2:", 1, 1, 1, 2},
    };
    static const char *const bad[] = {"10",    "-11",      "a",    "1:2:3:4", "::0",
                                      "::-1",  ",",        "1,,2", "1, 2",    "+1",
                                      "0,0,0", "..., ...", "0x3",  "1.5",     "99999999999999999999"};
    const int64_t shape[] = {10, 20};
    char error[256];
    cli_region region;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(cli_region_parse(&region, good[i].text, 2, shape, error, sizeof error));
        assert_int_equal(region.start[0], good[i].start);
        assert_int_equal(region.shape[0], good[i].count);
        assert_int_equal(region.step[0], good[i].step);
        assert_int_equal(region.out_rank, good[i].out_rank);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        error[0] = '\0';
        assert_false(cli_region_parse(&region, bad[i], 2, shape, error, sizeof error));
        assert_true(error[0] != '\0');
    }
}

static void layouts_are_whole_chunks(void **state) {
    (void)state;
    char error[256];
    cli_layout layout;
    const cli_layout_wish none = {NULL, NULL, false};
    const int64_t small[] = {100, 100}, two[] = {400, 400}, big[] = {1000, 721, 1440}, empty[] = {0, 5};
    assert_true(cli_layout_choose(&layout, &none, 2, small, 8, error, sizeof error));
    assert_false(layout.has_shards);
    assert_true(cli_layout_choose(&layout, &none, 2, empty, 8, error, sizeof error));
    assert_false(layout.has_shards);
    assert_true(cli_layout_choose(&layout, &none, 2, two, 8, error, sizeof error));
    assert_true(layout.has_shards); /* as soon as there is more than one chunk */
    assert_int_equal(layout.chunk[0], 200);
    assert_int_equal(layout.shard[0], 400);
    assert_true(cli_layout_choose(&layout, &none, 3, big, 4, error, sizeof error));
    assert_true(layout.has_shards);
    int64_t size = 4;
    for (int axis = 0; axis < 3; axis++) {
        assert_int_equal(layout.shard[axis] % layout.chunk[axis], 0);
        size *= layout.shard[axis];
    }
    assert_in_range(size, INT64_C(32) << 20, INT64_C(64) << 20);
    for (int64_t extent = 1; extent < 5000; extent += 7) { /* inner chunks divide any shard */
        char shards[32];
        const int64_t shape[] = {100000, 1000};
        snprintf(shards, sizeof shards, "%d,1000", (int)extent);
        const cli_layout_wish wish = {NULL, shards, false};
        assert_true(cli_layout_choose(&layout, &wish, 2, shape, 8, error, sizeof error));
    }
    const cli_layout_wish crooked = {"2,2", "3,2", false};
    assert_false(cli_layout_choose(&layout, &crooked, 2, small, 8, error, sizeof error));
}

#define BYTES "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"

static void codecs_become_json(void **state) {
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"zstd:5", "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, "
                   "{\"name\": \"zstd\", \"configuration\": {\"level\": 5, \"checksum\": false}}]"},
        {"bytes:big", "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]"},
        {"transpose:order=[1,0]", "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0]}}, "
                                  "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]"},
        {"blosc:cname=zstd,clevel=1",
         "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"blosc\", \"configuration\": "
         "{\"cname\": \"zstd\", \"clevel\": 1, \"shuffle\": \"shuffle\", \"typesize\": 4, \"blocksize\": 0}}]"},
        {"transpose:2,1,0", "[{\"name\": \"transpose\", \"configuration\": {\"order\": [2, 1, 0]}}, " BYTES "]"},
        {"transpose:[1,0]", "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,0]}}, " BYTES "]"},
        {"reshape:[[0,1],2]", "[{\"name\": \"reshape\", \"configuration\": {\"shape\": [[0,1],2]}}, " BYTES "]"},
        {"reshape:[0,1],-1", "[{\"name\": \"reshape\", \"configuration\": {\"shape\": [[0,1], -1]}}, " BYTES "]"},
        {"cast_value:int16,clamp", "[{\"name\": \"cast_value\", \"configuration\": {\"data_type\": \"int16\", "
                                   "\"out_of_range\": \"clamp\"}}, " BYTES "]"},
        {"cast_value:int16,rounding=towards-zero", "[{\"name\": \"cast_value\", \"configuration\": {\"data_type\": "
                                                   "\"int16\", \"rounding\": \"towards-zero\"}}, " BYTES "]"},
        {"scale_offset:0.01,273.15",
         "[{\"name\": \"scale_offset\", \"configuration\": {\"scale\": 0.01, \"offset\": 273.15}}, " BYTES "]"},
        {"bitround:10", "[{\"name\": \"bitround\", \"configuration\": {\"keepbits\": 10}}, " BYTES "]"},
        {"numcodecs.delta:<i4", "[{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": \"<i4\"}}, " BYTES "]"},
        {"packbits", "[{\"name\": \"packbits\"}]"},
        {"zfp:accuracy=1e-3",
         "[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_accuracy\", \"tolerance\": 1e-3}}]"},
        {"zfp:rate=8", "[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_rate\", \"rate\": 8}}]"},
        {"zfp:precision=16",
         "[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_precision\", \"precision\": 16}}]"},
        {"zfp:reversible", "[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"reversible\"}}]"},
        {"zfp:mode=fixed_rate,rate=8", "[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_rate\", \"rate\": 8}}]"},
        {"{\"name\":\"vlen-utf8\"}", "[{\"name\":\"vlen-utf8\"}]"},
        {"[1]", "[1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *item = cases[i].text;
        const cli_list list = {&item, 1};
        char *json = cli_codecs_json(&list, "float32", 4);
        assert_string_equal(json, cases[i].json);
        free(json);
    }
    const cli_list nothing = {NULL, 0};
    assert_null(cli_codecs_json(&nothing, "float32", 4));
}

/* Any bytes at all: the reader ends, and stays inside (a sanitizer watches). */
static void scanning_survives_anything(void **state) {
    (void)state;
    static const char alphabet[] = "{}[]\",:\\u0041 \t\xc3";
    uint32_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        const size_t size = (size_t)random_extent(&seed, 24);
        char *text = malloc(size + 1); /* exact, so that a byte too far is seen */
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[random_extent(&seed, sizeof alphabet - 1)];
        char *exact = realloc(text, size ? size : 1);
        const cli_value value = cli_value_of(exact, size);
        cli_value member;
        (void)cli_value_member(value, "A", &member);
        (void)cli_value_equal(value, value);
        for (cli_value_iter iter = {0}; cli_value_next(value, &iter);)
            free(cli_value_string(iter.value, NULL));
        free(cli_value_string(value, NULL));
        free(exact);
    }
}

static void scanning_finds_values(void **state) {
    (void)state;
    static const char text[] = " { \"a\" : [1, {\"b\": \"x,]\\\"\"}] , \"\\u0062c\":null, \"d\": \"\\ud83d\\ude00\\n\" } ";
    const cli_value root = cli_value_of(text, sizeof text - 1);
    cli_value value;
    assert_true(cli_value_member(root, "bc", &value));
    assert_true(cli_value_is(value, "null"));
    assert_false(cli_value_member(root, "b", &value));
    assert_true(cli_value_member(root, "d", &value));
    char *string = cli_value_string(value, NULL);
    assert_string_equal(string, "\xf0\x9f\x98\x80\n");
    free(string);
    assert_true(cli_value_member(root, "a", &value));
    cli_value_iter iter = {0};
    assert_true(cli_value_next(value, &iter));
    assert_true(cli_value_is(iter.value, "1"));
    assert_true(cli_value_next(value, &iter));
    assert_true(cli_value_member(iter.value, "b", &value));
    string = cli_value_string(value, NULL);
    assert_string_equal(string, "x,]\"");
    free(string);
    assert_false(cli_value_next(cli_value_of("3", 1), &(cli_value_iter){0}));
}

static void numbers_read_back_bit_for_bit(void **state) {
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 100000; round++) {
        const uint32_t bits = next_random(&seed) ^ next_random(&seed) >> 16;
        float value;
        cli_json json = {0};
        memcpy(&value, &bits, sizeof value);
        cli_json_float(&json, value);
        const bool is_text = json.text[0] == '"';
        const float back = is_text ? 0 : strtof(json.text, NULL);
        if (!is_text) assert_memory_equal(&back, &value, sizeof value);
        if (is_text && strncmp(json.text, "\"0x", 3) == 0) assert_int_equal(strtoul(json.text + 1, NULL, 16), bits);
        free(json.text);
    }
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1, "1.0"},        {0.1, "0.1"},       {-0.0, "-0.0"},
                 {1e300, "1e+300"}, {5e-324, "5e-324"}, {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cli_json json = {0};
        cli_json_double(&json, cases[i].value);
        assert_memory_equal(&(double){strtod(json.text, NULL)}, &cases[i].value, sizeof(double));
        if (i != 4) assert_string_equal(json.text, cases[i].text); /* "%.15g" says more of a denormal than it needs */
        free(json.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_meet_every_element_once),
        cmocka_unit_test(blocks_keep_to_the_budget_and_to_chunks),
        cmocka_unit_test(slabs_write_shards_one_after_the_other),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(regions_are_read),
        cmocka_unit_test(layouts_are_whole_chunks),
        cmocka_unit_test(codecs_become_json),
        cmocka_unit_test(scanning_finds_values),
        cmocka_unit_test(scanning_survives_anything),
        cmocka_unit_test(numbers_read_back_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
