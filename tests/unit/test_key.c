/* SPDX-License-Identifier: MIT */
#include "key/key.h"
#include "zt.h"
#include "zt_codec.h"

static zl_status parse_key(zt_codec *env, const char *json, const zl_key_class **cls, const void **self) {
    const zl_json *value;
    ZL_TRY(zt_codec_json(env, json, &value));
    return zl_key_parse(value, &env->env, cls, self, &env->err);
}

#define WITH(name, separator) "{\"name\":\"" name "\",\"configuration\":{\"separator\":" separator "}}"

/* Every encoding: keys of scalars, and of 1, 23, 0. */
static void test_formats(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *scalar;
        const char *key;
        const char *emitted;
    } cases[] = {
        {"\"default\"", "c", "c/1/23/0", "{\"separator\":\"/\"}"},
        {"{\"name\":\"default\"}", "c", "c/1/23/0", "{\"separator\":\"/\"}"},
        {"{\"name\":\"default\",\"configuration\":{}}", "c", "c/1/23/0", "{\"separator\":\"/\"}"},
        {WITH("default", "\"/\""), "c", "c/1/23/0", "{\"separator\":\"/\"}"},
        {WITH("default", "\".\""), "c", "c.1.23.0", "{\"separator\":\".\"}"},
        {"\"v2\"", "0", "1.23.0", "{\"separator\":\".\"}"},
        {WITH("v2", "\".\""), "0", "1.23.0", "{\"separator\":\".\"}"},
        {WITH("v2", "\"/\""), "0", "1/23/0", "{\"separator\":\"/\"}"},
    };
    const int64_t coords[] = {1, 23, 0};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        const zl_key_class *cls;
        const void *self;
        zt_assert_ok(parse_key(&env, cases[i].json, &cls, &self), &env.err);
        char key[ZL_KEY_MAX];
        int64_t back[3] = {-1, -1, -1};
        assert_int_equal(cls->format(self, 3, coords, key, sizeof key), strlen(cases[i].key));
        assert_string_equal(key, cases[i].key);
        assert_true(cls->read(self, 3, key, back));
        assert_memory_equal(back, coords, sizeof coords);
        assert_int_equal(cls->format(self, 0, NULL, key, sizeof key), strlen(cases[i].scalar));
        assert_string_equal(key, cases[i].scalar);
        assert_true(cls->read(self, 0, key, NULL));
        zt_check_emit(cls->emit, self, cases[i].emitted);
        zt_codec_close(&env);
    }
}

static void test_longest_key(void **state) {
    (void)state;
    int64_t coords[ZL_MAX_RANK], back[ZL_MAX_RANK];
    for (int axis = 0; axis < ZL_MAX_RANK; axis++) {
        coords[axis] = INT64_MAX;
    }
    const void *self = zl_key_v2_self('/');
    char key[ZL_KEY_MAX];
    const size_t size = zl_key_v2.format(self, ZL_MAX_RANK, coords, key, sizeof key);
    assert_int_equal(size, ZL_MAX_RANK * 20 - 1);
    assert_true(zl_key_v2.read(self, ZL_MAX_RANK, key, back));
    assert_memory_equal(back, coords, sizeof coords);
    assert_int_equal(zl_key_v2.format(self, ZL_MAX_RANK, coords, key, size + 1), size);
    assert_int_equal(zl_key_v2.format(self, ZL_MAX_RANK, coords, key, size), 0);
}

/* Nothing but what format writes is a key. */
static void test_foreign_keys(void **state) {
    (void)state;
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_key_class *cls;
    const void *self;
    int64_t coords[2];
    zt_assert_ok(parse_key(&env, "\"default\"", &cls, &self), &env.err);
    static const char *const foreign[] = {
        "",
        "c",
        "c/",
        "c/0",
        "c/0/",
        "c/0/1/",
        "c/0/1/2",
        "c/00/1",
        "c/01/1",
        "c/+1/1",
        "c/-1/1",
        "c/ 1/1",
        "c.0.1",
        "c/0.1",
        "c//1",
        "d/0/1",
        "0/1",
        "c0/1",
        "C/0/1",
        "c/0/1x",
        "c/0x1/1",
        "c/9223372036854775808/0",
        "c/99999999999999999999999999/0",
        "zarr.json",
    };
    for (size_t i = 0; i < ZL_COUNT_OF(foreign); i++) {
        assert_false(cls->read(self, 2, foreign[i], coords));
    }
    assert_true(cls->read(self, 2, "c/9223372036854775807/0", coords));
    assert_false(cls->read(self, 0, "c/", coords));
    assert_false(cls->read(self, 0, "0", coords));
    const void *v2 = zl_key_v2_self('.');
    static const char *const foreign_v2[] = {"", ".", "0", "0.", ".0", "0.1.", "0/1", "c.0.1", "00.1", ".zarray", "0..1"};
    for (size_t i = 0; i < ZL_COUNT_OF(foreign_v2); i++) {
        assert_false(zl_key_v2.read(v2, 2, foreign_v2[i], coords));
    }
    assert_false(zl_key_v2.read(v2, 0, "", coords));
    assert_false(zl_key_v2.read(v2, 0, "00", coords));
    zt_codec_close(&env);
}

static void test_invalid(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *message;
    } cases[] = {
        {WITH("default", "\"-\""), ZL_ERR_METADATA, "separator"},
        {WITH("default", "null"), ZL_ERR_METADATA, "separator"},
        {WITH("v2", "\"\""), ZL_ERR_METADATA, "separator"},
        {"{\"name\":\"v2\",\"configuration\":{\"sep\":\".\"}}", ZL_ERR_METADATA, "sep"},
        {"\"suffix\"", ZL_ERR_UNSUPPORTED, "chunk key encoding \"suffix\" is not known"},
        {"null", ZL_ERR_METADATA, ""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        const zl_key_class *cls = NULL;
        const void *self;
        zt_assert_fails(parse_key(&env, cases[i].json, &cls, &self), &env.err, cases[i].status, cases[i].message);
        assert_null(cls);
        zt_codec_close(&env);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_longest_key),
        cmocka_unit_test(test_foreign_keys),
        cmocka_unit_test(test_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
