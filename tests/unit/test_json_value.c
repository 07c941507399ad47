/* SPDX-License-Identifier: MIT */
/* JSON values: access, paths, conversions with their messages, named configurations, duplicates and equality. */
#include "zt.h"
#include "json/json.h"

/* A document with the name "doc", or a failed test. */
static zl_json_doc *parse(const char *text) {
    zl_error err;
    zl_json_doc *doc;
    zt_assert_ok(zl_json_parse(&doc, text, strlen(text), &(zl_json_options){.what = "doc", .allow_nan = true},
                               &zl_default_allocator, &err),
                 &err);
    return doc;
}

/* ---- access */

static void test_access(void **state) {
    (void)state;
    zl_json_doc *doc = parse("{\"a\": [true, -1.50e3, \"x\\u0000\\u00e9\"], \"k\\u0000\": {}, \"n\": null}");
    const zl_json *root = zl_json_root(doc);
    assert_int_equal(zl_json_get_type(root), ZL_JSON_OBJECT);
    assert_int_equal(zl_json_count(root), 3);
    assert_null(zl_json_key(root, NULL));
    assert_null(zl_json_text(root, NULL));
    const zl_json *a = zl_json_member(root, "a");
    assert_ptr_equal(a, zl_json_first(root));
    assert_string_equal(zl_json_key(a, NULL), "a");
    assert_int_equal(zl_json_count(a), 3);
    const zl_json *item = zl_json_first(a);
    assert_int_equal(zl_json_get_type(item), ZL_JSON_BOOL);
    assert_null(zl_json_first(item));
    assert_null(zl_json_key(item, NULL));
    item = zl_json_next(item);
    size_t size;
    assert_string_equal(zl_json_text(item, &size), "-1.50e3");
    assert_int_equal(size, 7);
    assert_int_equal(zl_json_count(item), 0);
    item = zl_json_next(item);
    assert_memory_equal(zl_json_text(item, &size), "x\0\xc3\xa9", 5);
    assert_int_equal(size, 4);
    assert_false(zl_json_is(item, "x"));
    const zl_span slice = zl_json_slice(item);
    assert_int_equal(slice.size, 15);
    assert_memory_equal(slice.data, "\"x\\u0000\\u00e9\"", slice.size);
    assert_null(zl_json_next(item));
    const zl_json *k = zl_json_next(a);
    assert_memory_equal(zl_json_key(k, &size), "k\0", 3);
    assert_int_equal(size, 2);
    assert_null(zl_json_member(root, "k"));
    assert_null(zl_json_member(a, "k"));
    assert_null(zl_json_member(NULL, "k"));
    assert_int_equal(zl_json_count(NULL), 0);
    assert_null(zl_json_first(NULL));
    assert_null(zl_json_text(NULL, NULL));
    assert_false(zl_json_is(NULL, "x"));
    zl_json_doc_free(doc);
}

static const zl_json *at(const zl_json *value, size_t index) {
    value = zl_json_first(value);
    for (; index > 0; index--) {
        value = zl_json_next(value);
    }
    return value;
}

static void test_paths(void **state) {
    (void)state;
    zl_json_doc *doc = parse("{\"a/b~\": [0, [1, {\"\": {\"k\\u0000\\u00e9\": 7}}]]}");
    const zl_json *deepest = at(at(at(at(at(zl_json_root(doc), 0), 1), 1), 0), 0);
    char path[64];
    assert_string_equal(zl_json_path(zl_json_root(doc), path, sizeof path), "");
    assert_string_equal(zl_json_path(deepest, path, sizeof path), "/a~1b~0/1/1//k?\xc3\xa9");
    for (size_t cap = 1; cap < 24; cap++) {
        char whole[64], cut[64];
        zl_json_path(deepest, whole, sizeof whole);
        memset(cut, 'x', sizeof cut);
        zl_json_path(deepest, cut, cap);
        assert_true(strlen(cut) < cap && strncmp(cut, whole, strlen(cut)) == 0);
        assert_true(zl_utf8_valid(cut, strlen(cut)));
    }
    zl_error err;
    zl_json_fail(deepest, &err, ZL_ERR_LIMIT, "too %s", "big");
    assert_string_equal(err.message, "doc: /a~1b~0/1/1//k?\xc3\xa9: too big");
    zl_json_fail(zl_json_root(doc), &err, ZL_ERR_LIMIT, "bad");
    assert_string_equal(err.message, "doc: bad");
    zl_json_fail(NULL, &err, ZL_ERR_LIMIT, "bad");
    assert_string_equal(err.message, "bad");
    assert_int_equal(zl_json_fail(deepest, NULL, ZL_ERR_LIMIT, "bad"), ZL_ERR_LIMIT);
    zl_json_doc_free(doc);
}

/* ---- conversions */

typedef struct conversion {
    const char *text;
    const char *i64, *u64; /* the message, or "" for success */
    int64_t value;
} conversion;

static void check_integer(zl_status status, const zl_error *err, const char *message) {
    assert_int_equal(status, message[0] == '\0' ? ZL_OK : ZL_ERR_METADATA);
    if (status != ZL_OK) assert_string_equal(err->message, message);
}

static void test_integers(void **state) {
    (void)state;
#define SIGNED_RANGE "an integer from -9223372036854775808 to 9223372036854775807, not "
#define UNSIGNED_RANGE "an integer from 0 to 18446744073709551615, not "
    static const conversion cases[] = {
        {"0", "", "", 0},
        {"-0", "", "", 0},
        {"42", "", "", 42},
        {"-1", "", "doc: must be " UNSIGNED_RANGE "the number -1", -1},
        {"9223372036854775807", "", "", INT64_MAX},
        {"-9223372036854775808", "", "doc: must be " UNSIGNED_RANGE "the number -9223372036854775808", INT64_MIN},
        {"9223372036854775808", "doc: must be " SIGNED_RANGE "the number 9223372036854775808", "", INT64_MIN},
        {"18446744073709551615", "doc: must be " SIGNED_RANGE "the number 18446744073709551615", "", -1},
        {"18446744073709551616", "doc: must be " SIGNED_RANGE "the number 18446744073709551616",
         "doc: must be " UNSIGNED_RANGE "the number 18446744073709551616", 0},
        {"-9223372036854775809", "doc: must be " SIGNED_RANGE "the number -9223372036854775809",
         "doc: must be " UNSIGNED_RANGE "the number -9223372036854775809", 0},
        {"1.0", "doc: must be an integer without fraction or exponent, not the number 1.0",
         "doc: must be an integer without fraction or exponent, not the number 1.0", 0},
        {"1e2", "doc: must be an integer without fraction or exponent, not the number 1e2",
         "doc: must be an integer without fraction or exponent, not the number 1e2", 0},
        {"\"1\"", "doc: must be an integer, not the string \"1\"", "doc: must be an integer, not the string \"1\"", 0},
        {"null", "doc: must be an integer, not null", "doc: must be an integer, not null", 0},
        {"{}", "doc: must be an integer, not an object", "doc: must be an integer, not an object", 0},
        {"[]", "doc: must be an integer, not an array", "doc: must be an integer, not an array", 0},
        {"true", "doc: must be an integer, not true", "doc: must be an integer, not true", 0},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_json_doc *doc = parse(cases[i].text);
        zl_error err;
        int64_t i64 = 77;
        uint64_t u64 = 77;
        check_integer(zl_json_to_i64(zl_json_root(doc), &i64, &err), &err, cases[i].i64);
        assert_true(i64 == (cases[i].i64[0] == '\0' ? cases[i].value : 77));
        check_integer(zl_json_to_u64(zl_json_root(doc), &u64, &err), &err, cases[i].u64);
        assert_true(u64 == (cases[i].u64[0] == '\0' ? (uint64_t)cases[i].value : 77));
        zl_json_doc_free(doc);
    }
}

static void test_long_values_are_cut_in_messages(void **state) {
    (void)state;
    zl_json_doc *doc = parse("[\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                             "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"]");
    zl_error err;
    bool flag;
    zt_assert_fails(zl_json_to_bool(at(zl_json_root(doc), 0), &flag, &err), &err, ZL_ERR_METADATA, "\xc3\xa9...");
    assert_true(zl_utf8_valid(err.message, strlen(err.message)));
    zl_json_doc_free(doc);
}

/* ---- members */

static void test_members(void **state) {
    (void)state;
    static const char *const colors[] = {"red", "green", "blue", NULL}, *const one[] = {"red", NULL};
    zl_json_doc *doc = parse("{\"b\": true, \"i\": -5, \"u\": 5, \"d\": 0.1, \"c\": \"green\", \"x\": \"pink\"}");
    const zl_json *root = zl_json_root(doc);
    zl_error err;
    bool flag = false;
    int64_t i64 = 0;
    uint64_t u64 = 0;
    double number = 0;
    int choice = -1;
    zt_assert_ok(zl_json_get_bool(root, "b", &flag, &err), &err);
    zt_assert_ok(zl_json_get_i64(root, "i", &i64, &err), &err);
    zt_assert_ok(zl_json_get_u64(root, "u", &u64, &err), &err);
    zt_assert_ok(zl_json_get_double(root, "d", &number, &err), &err);
    zt_assert_ok(zl_json_get_choice(root, "c", colors, &choice, &err), &err);
    assert_true(flag && i64 == -5 && u64 == 5 && number == 0.1 && choice == 1);
    zt_assert_fails(zl_json_get_bool(root, "i", &flag, &err), &err, ZL_ERR_METADATA,
                    "doc: /i: must be true or false, not the number -5");
    zt_assert_fails(zl_json_get_i64(root, "b", &i64, &err), &err, ZL_ERR_METADATA, "doc: /b: must be an integer");
    zt_assert_fails(zl_json_get_u64(root, "i", &u64, &err), &err, ZL_ERR_METADATA, "doc: /i: must be an integer from 0");
    zt_assert_fails(zl_json_get_double(root, "c", &number, &err), &err, ZL_ERR_METADATA,
                    "doc: /c: must be a number, not the string \"green\"");
    zt_assert_fails(zl_json_get_choice(root, "x", colors, &choice, &err), &err, ZL_ERR_METADATA,
                    "doc: /x: must be \"red\", \"green\" or \"blue\", not the string \"pink\"");
    zt_assert_fails(zl_json_get_choice(root, "u", one, &choice, &err), &err, ZL_ERR_METADATA,
                    "doc: /u: must be \"red\", not the number 5");
    zt_assert_fails(zl_json_get_u64(root, "level", &u64, &err), &err, ZL_ERR_METADATA,
                    "doc: the member \"level\" is missing");
    zt_assert_fails(zl_json_get_u64(NULL, "level", &u64, &err), &err, ZL_ERR_METADATA, "the member \"level\" is missing");
    zt_assert_fails(zl_json_get_u64(at(root, 0), "level", &u64, &err), &err, ZL_ERR_METADATA,
                    "doc: /b: must be an object, not true");
    zl_json_doc_free(doc);
    doc = parse("[1e999, -1e999, 1e-999]");
    zt_assert_fails(zl_json_to_double(at(zl_json_root(doc), 0), &number, &err), &err, ZL_ERR_METADATA,
                    "doc: /0: must be a number in the range of doubles, not the number 1e999");
    zt_assert_fails(zl_json_to_double(at(zl_json_root(doc), 1), &number, &err), &err, ZL_ERR_METADATA, "range");
    zt_assert_ok(zl_json_to_double(at(zl_json_root(doc), 2), &number, &err), &err);
    assert_true(number == 0);
    zl_json_doc_free(doc);
}

static void test_choices_beyond_the_message(void **state) {
    (void)state;
    static const char *const many[] = {"a choice with a long name, number 1", "a choice with a long name, number 2",
                                       "a choice with a long name, number 3", "a choice with a long name, number 4",
                                       "a choice with a long name, number 5", "a choice with a long name, number 6",
                                       "a choice with a long name, number 7", "a choice with a long name, number 8",
                                       "a choice with a long name, number 9", NULL};
    zl_json_doc *doc = parse("{\"c\": 1}");
    zl_error err;
    int choice;
    zt_assert_fails(zl_json_get_choice(zl_json_root(doc), "c", many, &choice, &err), &err, ZL_ERR_METADATA, "number 3");
    zl_json_doc_free(doc);
}

static void test_only(void **state) {
    (void)state;
    static const char *const keys[] = {"a", "b", NULL};
    zl_json_doc *doc = parse("[{\"a\": 1}, {}, {\"b\": 1, \"c\\u0000\": 2}, 7]");
    const zl_json *root = zl_json_root(doc);
    zl_error err;
    zt_assert_ok(zl_json_only(at(root, 0), keys, &err), &err);
    zt_assert_ok(zl_json_only(at(root, 1), keys, &err), &err);
    zt_assert_ok(zl_json_only(NULL, keys, &err), &err);
    zt_assert_fails(zl_json_only(at(root, 2), keys, &err), &err, ZL_ERR_METADATA, "doc: /2/c?: unknown member");
    zt_assert_fails(zl_json_only(at(root, 3), keys, &err), &err, ZL_ERR_METADATA, "doc: /3: must be an object");
    zl_json_doc_free(doc);
}

/* ---- named configurations */

static void test_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        bool configured, optional;
    } valid[] = {
        {"\"zstd\"", "zstd", false, false},
        {"{\"name\": \"zstd\"}", "zstd", false, false},
        {"{\"name\": \"zstd\", \"configuration\": {\"level\": 1}}", "zstd", true, false},
        {"{\"configuration\": {}, \"must_understand\": false, \"name\": \"x\"}", "x", true, true},
        {"{\"name\": \"x\", \"must_understand\": true}", "x", false, false},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(valid); i++) {
        zl_json_doc *doc = parse(valid[i].text);
        zl_error err;
        zl_named named;
        zt_assert_ok(zl_json_to_named(zl_json_root(doc), "codec", &named, &err), &err);
        assert_string_equal(named.name, valid[i].name);
        assert_int_equal(named.configuration != NULL, valid[i].configured);
        assert_int_equal(named.optional, valid[i].optional);
        zl_json_doc_free(doc);
    }
    static const struct {
        const char *text, *message;
    } invalid[] = {
        {"1", "codec: doc: must be a string or an object, not the number 1"},
        {"\"a\\u0000b\"", "a name has no NUL character"},
        {"{}", "codec: doc: the member \"name\" is missing"},
        {"{\"name\": 5}", "codec: doc: /name: must be a string, not the number 5"},
        {"{\"name\": \"x\", \"configuration\": null}", "codec: doc: /configuration: must be an object, not null"},
        {"{\"name\": \"x\", \"must_understand\": 0}", "codec: doc: /must_understand: must be true or false"},
        {"{\"name\": \"x\", \"id\": 1}", "codec: doc: /id: unknown member"},
        {"{\"name\": \"x\", \"name\": \"y\"}", "codec: doc: the key \"name\" is there twice"},
        {"{\"name\": \"x\", \"configuration\": {\"a\": [{\"b\": 1, \"b\": 1}]}}",
         "codec: doc: /configuration/a/0: the key \"b\" is there twice"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(invalid); i++) {
        zl_json_doc *doc = parse(invalid[i].text);
        zl_error err;
        zl_named named;
        zt_assert_fails(zl_json_to_named(zl_json_root(doc), "codec", &named, &err), &err, ZL_ERR_METADATA,
                        invalid[i].message);
        zl_json_doc_free(doc);
    }
}

/* ---- duplicates and equality */

static void test_unique(void **state) {
    (void)state;
    static const struct {
        const char *text, *shallow, *deep; /* messages, NULL = unique */
    } cases[] = {
        {"{\"a\": 1, \"b\": 2, \"\": 3}", NULL, NULL},
        {"[1, 1]", NULL, NULL},
        {"7", NULL, NULL},
        {"{\"a\": 1, \"\\u0061\": 2}", "doc: the key \"a\" is there twice", "doc: the key \"a\" is there twice"},
        {"{\"\": 1, \"\": 2}", "doc: the key \"\" is there twice", "doc: the key \"\" is there twice"},
        {"{\"a\": {\"a\": {\"b\": 1, \"b\": 2}}}", NULL, "doc: /a/a: the key \"b\" is there twice"},
        {"[[], [{\"x\": 1}, {\"x\": 1, \"y\": 2, \"x\": 3}]]", NULL, "doc: /1/1: the key \"x\" is there twice"},
        {"{\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": 1, \"f\": 1, \"g\": 1, \"h\": 1, \"i\": 1, \"j\": 1, \"k\": 1,"
         "\"l\": 1, \"m\": 1, \"n\": 1, \"o\": 1, \"p\": 1, \"c\": 1}",
         "doc: the key \"c\" is there twice", "doc: the key \"c\" is there twice"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_json_doc *doc = parse(cases[i].text);
        for (int deep = 0; deep < 2; deep++) {
            zl_error err;
            const char *message = deep ? cases[i].deep : cases[i].shallow;
            const zl_status status = zl_json_unique(zl_json_root(doc), deep, &err);
            assert_int_equal(status, message == NULL ? ZL_OK : ZL_ERR_METADATA);
            if (message != NULL) assert_string_equal(err.message, message);
        }
        zl_json_doc_free(doc);
    }
    zl_json_doc *doc = parse("[{\"a\": 1}, {\"a\": 1, \"a\": 2}]"); /* siblings of the value are not below it */
    zl_error err;
    zt_assert_ok(zl_json_unique(at(zl_json_root(doc), 0), true, &err), &err);
    zl_json_doc_free(doc);
}

static void test_equal(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "false", false},
        {"1", "1.0", false}, /* numbers are texts */
        {"1", "1", true},
        {"\"\\u0061\"", "\"a\"", true},
        {"\"a\"", "\"ab\"", false},
        {"\"1\"", "1", false},
        {"[]", "{}", false},
        {"[1, [2, {}]]", "[1,[2,{}]]", true},
        {"[1, [2, {}], 3]", "[1, [2, {}], 4]", false},
        {"[1]", "[1, 2]", false},
        {"{\"a\": 1, \"b\": [2], \"c\": {\"x\": 1, \"y\": 2}}", "{\"c\": {\"y\": 2, \"x\": 1}, \"a\": 1, \"b\": [2]}",
         true},
        {"{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"c\": 2}", false},
        {"{\"a\": 1, \"b\": 2}", "{\"b\": 1, \"a\": 2}", false},
        {"{\"a\": {\"b\": 1}, \"c\": 2}", "{\"a\": {\"b\": 1}, \"c\": 3}", false},
        {"{\"a\": {}}", "{\"a\": []}", false},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_json_doc *a = parse(cases[i].a), *b = parse(cases[i].b);
        assert_int_equal(zl_json_equal(zl_json_root(a), zl_json_root(b)), cases[i].equal);
        assert_int_equal(zl_json_equal(zl_json_root(b), zl_json_root(a)), cases[i].equal);
        zl_json_doc_free(a);
        zl_json_doc_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access),   cmocka_unit_test(test_paths),
        cmocka_unit_test(test_integers), cmocka_unit_test(test_long_values_are_cut_in_messages),
        cmocka_unit_test(test_members),  cmocka_unit_test(test_choices_beyond_the_message),
        cmocka_unit_test(test_only),     cmocka_unit_test(test_named),
        cmocka_unit_test(test_unique),   cmocka_unit_test(test_equal),
    };
    return cmocka_run_group_tests_name("json value", tests, NULL, NULL);
}
