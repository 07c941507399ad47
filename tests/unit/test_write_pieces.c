/* SPDX-License-Identifier: MIT */
/* Large uncompressed chunks, gathered and stored piece by piece: the same bytes as in one go, all or nothing. */
#include <stdlib.h>
#include <string.h>

#include "zt_engine.h"

#define BIG_ENDIAN_BYTES "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"

typedef struct layout {
    int32_t rank;
    int64_t shape[3];
} layout;

/* More than 4 MiB of int32 each; cut along the only axis, the first one, the second one. */
static const layout layouts[] = {{1, {1200003}}, {2, {1031, 1101}}, {3, {3, 613, 701}}, {3, {701, 41, 43}}};

static int64_t count_of(const layout *l) {
    int64_t count = 1;
    for (int32_t i = 0; i < l->rank; i++)
        count *= l->shape[i];
    return count;
}

/* Every second element of twice as many. */
static int32_t *make_values(const layout *l, int64_t *strides) {
    const int64_t count = count_of(l);
    int32_t *values = malloc((size_t)count * 2 * sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < 2 * count; k++)
        values[k] = (int32_t)(k * 7 + 1);
    int64_t stride = 2 * sizeof *values;
    for (int32_t i = l->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= l->shape[i];
    }
    return values;
}

static void create(zt_engine *engine, const layout *l, const char *codecs) {
    zt_engine_create(engine, zt_engine_document(l->rank, l->shape, l->shape, "\"int32\"", "0", codecs));
}

static zl_status write_all(zt_engine *engine, const int32_t *values, const int64_t *strides, bool keep_fill) {
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.keep_fill = keep_fill;
    return zl_array_write(engine->array, NULL, (zl_const_view){values, strides, NULL}, &options, &engine->err);
}

static const char *key_of(const layout *l) {
    static const char *const keys[] = {"", "a/c/0", "a/c/0/0", "a/c/0/0/0"};
    return keys[l->rank];
}

static void the_bytes_are_those_of_one_go(void **state) {
    (void)state;
    static const char *const chains[] = {"[" BIG_ENDIAN_BYTES "]", "[" ZT_ROW("add", 5) "," ZT_BYTES "]",
                                         "[{\"name\":\"test.flip\",\"configuration\":{}}," ZT_BYTES "]"};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zl_status (*const put_begin)(void *, const char *, zl_put **, const zl_store_call *) = engine.spy.cls.put_begin;
    for (size_t i = 0; i < ZL_COUNT_OF(layouts) * ZL_COUNT_OF(chains); i++) {
        const layout *l = &layouts[i / ZL_COUNT_OF(chains)];
        int64_t strides[3];
        size_t sizes[2];
        uint8_t *stored[2];
        int32_t *values = make_values(l, strides);
        for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
            engine.spy.cls.put_begin = in_pieces ? put_begin : NULL;
            create(&engine, l, chains[i % ZL_COUNT_OF(chains)]);
            zt_assert_ok(write_all(&engine, values, strides, false), &engine.err);
            assert_int_equal(engine.spy.sets, in_pieces ? 0 : 1);
            stored[in_pieces] = spy_store_copy(&engine.spy, key_of(l), &sizes[in_pieces]);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(stored[0], stored[1], sizes[0]);
        free(stored[0]);
        free(stored[1]);
        free(values);
    }
    zt_engine_end(&engine);
}

static void fill_values_are_left_out(void **state) {
    (void)state;
    const layout *l = &layouts[1];
    int64_t strides[3];
    int32_t *values = make_values(l, strides);
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){0});
    create(&engine, l, "[" BIG_ENDIAN_BYTES "]");
    zt_assert_ok(write_all(&engine, values, strides, false), &engine.err);
    assert_true(spy_store_has(&engine.spy, key_of(l)));
    memset(values, 0, (size_t)count_of(l) * 2 * sizeof *values);
    zt_assert_ok(write_all(&engine, values, strides, false), &engine.err);
    assert_false(spy_store_has(&engine.spy, key_of(l)));
    zt_assert_ok(write_all(&engine, values, strides, true), &engine.err);
    assert_true(spy_store_has(&engine.spy, key_of(l)));
    values[2 * (count_of(l) - 1)] = 1; /* the last one alone is none */
    zt_assert_ok(write_all(&engine, values, strides, false), &engine.err);
    const int64_t start[] = {l->shape[0] - 1, l->shape[1] - 2}, shape[] = {1, 2};
    const zl_region region = {2, start, shape, NULL};
    int32_t got[2];
    zt_assert_ok(zl_array_read(engine.array, &region, (zl_view){got, NULL, NULL}, NULL, &engine.err), &engine.err);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 1);
    zt_engine_end(&engine);
    free(values);
}

static void a_refused_element_leaves_the_old_chunk(void **state) {
    (void)state;
    const layout *l = &layouts[1];
    int64_t strides[3];
    size_t before, after;
    int32_t *values = make_values(l, strides);
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){0});
    create(&engine, l, "[" ZT_ROW("picky", 13) "," ZT_BYTES "]");
    zt_assert_ok(write_all(&engine, values, strides, false), &engine.err);
    uint8_t *old = spy_store_copy(&engine.spy, key_of(l), &before);
    values[2 * (900 * l->shape[1] + 17)] = 13;
    zt_assert_fails(write_all(&engine, values, strides, false), &engine.err, ZL_ERR_INVALID_ARGUMENT,
                    "element (900, 17): ");
    uint8_t *now = spy_store_copy(&engine.spy, key_of(l), &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
    zt_engine_end(&engine);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_one_go),
        cmocka_unit_test(fill_values_are_left_out),
        cmocka_unit_test(a_refused_element_leaves_the_old_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
