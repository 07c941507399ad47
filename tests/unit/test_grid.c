/* SPDX-License-Identifier: MIT */
#include "grid/grid.h"
#include "zt.h"
#include "zt_codec.h"

static const zl_shape shape_3d = {3, {10, 0, INT64_MAX}};

static zl_status parse_grid(zt_codec *env, const char *json, const zl_shape *shape, const zl_grid_class **cls,
                            const void **self) {
    const zl_json *value;
    ZL_TRY(zt_codec_json(env, json, &value));
    return zl_grid_parse(value, shape, &env->env, cls, self, &env->err);
}

#define REGULAR(shape) "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":" shape "}}"

static void test_regular(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_grid_class *cls;
    const void *self;
    zt_assert_ok(parse_grid(&env, REGULAR("[4, 7, 1]"), &shape_3d, &cls, &self), &env.err);
    assert_ptr_equal(cls, &zl_grid_regular);
    assert_int_equal(cls->count(self, 0, 10), 3);
    assert_int_equal(cls->count(self, 0, 8), 2);
    assert_int_equal(cls->count(self, 1, 0), 0);
    assert_true(cls->count(self, 2, INT64_MAX) == INT64_MAX);
    assert_true(cls->count(self, 0, INT64_MAX) == INT64_MAX / 4 + 1);
    assert_int_equal(cls->locate(self, 0, 7), 1);
    assert_int_equal(cls->locate(self, 0, 8), 2);
    int64_t start, length;
    cls->span(self, 0, 2, &start, &length);
    assert_int_equal(start, 8);
    assert_int_equal(length, 4);
    const int64_t *uniform = cls->uniform(self);
    assert_true(uniform[0] == 4 && uniform[1] == 7 && uniform[2] == 1);
    zt_check_emit(cls->emit, self, "{\"chunk_shape\":[4,7,1]}");
    zt_codec_close(&env);
}

static void test_scalar_arrays(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_grid_class *cls;
    const void *self;
    const zl_shape scalar = {.rank = 0};
    zt_assert_ok(parse_grid(&env, REGULAR("[]"), &scalar, &cls, &self), &env.err);
    assert_non_null(cls->uniform(self));
    zt_codec_close(&env);
}

static void test_made_without_metadata(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const void *self;
    zt_assert_ok(zl_grid_regular_make(&(const zl_shape){2, {3, 5}}, env.arena, &self, &env.err), &env.err);
    assert_int_equal(zl_grid_regular.count(self, 1, 11), 3);
    zt_codec_close(&env);
}

static void test_invalid(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *message;
    } cases[] = {
        {"\"regular\"", ZL_ERR_METADATA, "chunk_shape"},
        {"{\"name\":\"regular\"}", ZL_ERR_METADATA, "chunk_shape"},
        {"{\"name\":\"regular\",\"configuration\":{}}", ZL_ERR_METADATA, "chunk_shape"},
        {"{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[1,1,1],\"origin\":0}}", ZL_ERR_METADATA, "origin"},
        {REGULAR("4"), ZL_ERR_METADATA, "array of integers"},
        {REGULAR("[4,4]"), ZL_ERR_METADATA, "2 extents for an array of 3 dimensions"},
        {REGULAR("[1,1,1,1]"), ZL_ERR_METADATA, "4 extents"},
        {REGULAR("[4,0,4]"), ZL_ERR_METADATA, "/configuration/chunk_shape/1"},
        {REGULAR("[4,-1,4]"), ZL_ERR_METADATA, "not greater than 0"},
        {REGULAR("[4,1.0,4]"), ZL_ERR_METADATA, ""},
        {REGULAR("[4,9223372036854775808,4]"), ZL_ERR_METADATA, ""},
        {REGULAR("[4,null,4]"), ZL_ERR_METADATA, ""},
        {"\"hexagonal\"", ZL_ERR_UNSUPPORTED, "chunk grid \"hexagonal\" is not known"},
        {"{\"name\":\"hexagonal\",\"must_understand\":false}", ZL_ERR_UNSUPPORTED, "is not known"},
        {"3", ZL_ERR_METADATA, ""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        const zl_grid_class *cls = NULL;
        const void *self;
        zt_assert_fails(parse_grid(&env, cases[i].json, &shape_3d, &cls, &self), &env.err, cases[i].status,
                        cases[i].message);
        assert_null(cls);
        zt_codec_close(&env);
    }
}

#define RECTILINEAR "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":%s}}"

/* Two lists have the same chunks where one goes on as the last edge of the other. */
static void test_same_rectilinear(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"[[2,3,5]]", "[[2,3,5]]", true},
        {"[[2,3,5]]", "[[2,3,[5,7]]]", true},
        {"[[2,3,5]]", "[[2,3,5,5,[5,2]]]", true},
        {"[[[2,2],6]]", "[[2,2,6,6]]", true},
        {"[10]", "[[10]]", true},
        {"[[2,3,5]]", "[[2,3,5,4]]", false},
        {"[[2,3,5]]", "[[2,5,3]]", false},
        {"[[2,[4,2]]]", "[[[2,2],6]]", false},
        {"[[[2,2],6]]", "[[[2,3],6]]", false},
        {"[10]", "[11]", false},
    };
    const zl_shape shape = {.rank = 1, .dim = {10}};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec env;
        char text[2][200];
        const zl_grid_class *cls = NULL;
        const void *a, *b;
        snprintf(text[0], sizeof text[0], RECTILINEAR, cases[i].a);
        snprintf(text[1], sizeof text[1], RECTILINEAR, cases[i].b);
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        zt_assert_ok(parse_grid(&env, text[0], &shape, &cls, &a), &env.err);
        zt_assert_ok(parse_grid(&env, text[1], &shape, &cls, &b), &env.err);
        assert_int_equal(cls->same(a, b), cases[i].same);
        assert_int_equal(cls->same(b, a), cases[i].same);
        zt_codec_close(&env);
    }
}

static zl_status parse_once(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_codec env;
    zl_status status = zt_codec_init(&env, allocator);
    const zl_grid_class *cls;
    const void *self;
    if (status == ZL_OK) status = parse_grid(&env, REGULAR("[4, 7, 1]"), &shape_3d, &cls, &self);
    zt_codec_close(&env);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(parse_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular),
        cmocka_unit_test(test_scalar_arrays),
        cmocka_unit_test(test_made_without_metadata),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_same_rectilinear),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
