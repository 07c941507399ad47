/* SPDX-License-Identifier: MIT */
/* The JSON reader: what it takes, what it refuses and where, and what random damage does to it. */
#include <time.h>

#include "zt.h"
#include "json/json.h"

static zl_status parse(zl_json_doc **doc, const char *text, const zl_json_options *options, zl_error *err) {
    return zl_json_parse(doc, text, strlen(text), options, &zl_default_allocator, err);
}

/* ---- valid and invalid texts */

static void test_valid(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        " \t\r\n[ ] \n",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-1.5e+10",
        "1E5",
        "\"\"",
        "[[],{}]",
        "[1,2 , 3]",
        "{\"a\":1,\"a\":2}",
        "{\"\":{\"\":[]}}",
        "\"\\u0000\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\uD83D\\uDE00\"",
        "\"\xf0\x9f\x98\x80\x7f\"",
        "1e999",
        "123456789012345678901234567890",
    };
    for (size_t i = 0; i < ZL_COUNT_OF(texts); i++) {
        zl_error err;
        zl_json_doc *doc;
        zt_assert_ok(parse(&doc, texts[i], NULL, &err), &err);
        size_t size;
        assert_string_equal(zl_json_source(doc, &size), texts[i]);
        assert_int_equal(size, strlen(texts[i]));
        zl_json_doc_free(doc);
    }
    zl_json_doc_free(NULL);
}

static void test_invalid(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1 (byte 0): expected a value, found the end of the text"},
        {" \n ", "line 2, column 2 (byte 3): expected a value"},
        {"[1,]", "(byte 3): expected a value, found ']'"},
        {"[,1]", "(byte 1): expected a value, found ','"},
        {"[1 2]", "(byte 3): expected ',' or ']', found '2'"},
        {"[1", "(byte 2): expected ',' or ']', found the end of the text"},
        {"[1}", "(byte 2): expected ',' or ']', found '}'"},
        {"{\"a\":1,}", "(byte 7): expected a key in double quotes, found '}'"},
        {"{\"a\" 1}", "(byte 5): expected ':', found '1'"},
        {"{\"a\":}", "(byte 5): expected a value"},
        {"{\"a\":1", "(byte 6): expected ',' or '}'"},
        {"{a:1}", "expected a key in double quotes, found 'a'"},
        {"{'a':1}", "expected a key in double quotes, found '''"},
        {"['a']", "expected a value, found '''"},
        {"{1:2}", "expected a key"},
        {"1 1", "(byte 2): expected the end of the text, found '1'"},
        {"{}]", "expected the end of the text, found ']'"},
        {"// x\n1", "expected a value, found '/'"},
        {"[1/**/]", "found '/'"},
        {"01", "malformed number"},
        {"-", "malformed number"},
        {"-01", "malformed number"},
        {"1.", "malformed number"},
        {"1.e5", "malformed number"},
        {"1e", "malformed number"},
        {"0x10", "malformed number"},
        {".5", "expected a value, found '.'"},
        {"+1", "expected a value, found '+'"},
        {"1_000", "expected the end of the text, found '_'"},
        {"tru", "expected a value, found 't'"},
        {"truex", "expected a value, found 't'"},
        {"True", "expected a value, found 'T'"},
        {"nul", "expected a value"},
        {"undefined", "expected a value"},
        {"NaN", "NaN is no JSON"},
        {"[Infinity]", "Infinity is no JSON"},
        {"-Infinity", "-Infinity is no JSON"},
        {"nan", "expected a value"},
        {"-NaN", "malformed number"},
        {"-Inf", "malformed number"},
        {"\"abc", "(byte 0): the string that starts here has no end"},
        {"\"abc\\", "unknown escape"},
        {"\"a\nb\"", "(byte 2): raw control character 0x0a in a string"},
        {"\"\x1f\"", "raw control character 0x1f"},
        {"\"\\x\"", "(byte 1): unknown escape in a string"},
        {"\"\\u12g4\"", "four hexadecimal digits"},
        {"\"\\u12", "four hexadecimal digits"},
        {"\"\\ud800\"", "\\ud800 is one half of a surrogate pair"},
        {"\"\\udc00\"", "\\udc00 is one half"},
        {"\"\\ud800\\ud800\"", "\\ud800 is one half"},
        {"\"\\ud800\\u0041\"", "\\ud800 is one half"},
        {"\"\\ud800x\"", "\\ud800 is one half"},
        {"\"\xff\"", "(byte 1): byte 0xff is no UTF-8 here"},
        {"[\"\xc3\xa9\xe2\x82\xac\", \"\xed\xa0\x80\"]", "column 9 (byte 11): byte 0xed"},
        {"\xef\xbb\xbf{}", "byte order mark"},
        {"\xff\xfe{", "UTF-16"},
        {"\xfe\xff", "UTF-16"},
        {"{\"a/b\":[1,{\"~\":\n x", "line 2, column 2 (byte 17, in /a~1b/1): expected a value, found 'x'"},
        {"\v1", "found byte 0x0b"},
        {"\xc2\xa0"
         "1",
         "found byte 0xc2"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_error err = {0};
        zl_json_doc *doc = NULL;
        zt_assert_fails(parse(&doc, cases[i].text, NULL, &err), &err, ZL_ERR_METADATA, cases[i].message);
        assert_null(doc);
        assert_int_equal(parse(&doc, cases[i].text, NULL, NULL), ZL_ERR_METADATA);
    }
}

static void test_embedded_nul(void **state) {
    (void)state;
    zl_error err;
    zl_json_doc *doc;
    static const char text[] = "[1, \0 2]", string[] = "[1,\"\0\"]", utf16[] = "{\0}\0";
    zt_assert_fails(zl_json_parse(&doc, text, sizeof text - 1, NULL, &zl_default_allocator, &err), &err, ZL_ERR_METADATA,
                    "found byte 0x00");
    zt_assert_fails(zl_json_parse(&doc, string, sizeof string - 1, NULL, &zl_default_allocator, &err), &err,
                    ZL_ERR_METADATA, "raw control character 0x00");
    zt_assert_fails(zl_json_parse(&doc, utf16, sizeof utf16 - 1, NULL, &zl_default_allocator, &err), &err, ZL_ERR_METADATA,
                    "UTF-16");
}

static void test_document_is_named(void **state) {
    (void)state;
    zl_error err;
    zl_json_doc *doc;
    const zl_json_options options = {.what = "a/zarr.json"};
    zt_assert_fails(parse(&doc, "[x]", &options, &err), &err, ZL_ERR_METADATA, "a/zarr.json: line 1, column 2 (byte 1): ");
}

/* ---- limits */

static void test_limits(void **state) {
    (void)state;
    zl_error err;
    zl_json_doc *doc;
    zl_json_options options = {.max_depth = 3, .what = "x"};
    zt_assert_ok(parse(&doc, "[[[1]],{\"a\":[]}]", &options, &err), &err);
    zl_json_doc_free(doc);
    zt_assert_fails(parse(&doc, "[[[1]],{\"a\":[[]]}]", &options, &err), &err, ZL_ERR_LIMIT,
                    "x: line 1, column 14 (byte 13, in /1/a): values are nested deeper than the limit of 3");
    options = (zl_json_options){.max_size = 4, .what = "x"};
    zt_assert_ok(parse(&doc, "[10]", &options, &err), &err);
    zl_json_doc_free(doc);
    zt_assert_fails(parse(&doc, "[100]", &options, &err), &err, ZL_ERR_LIMIT,
                    "x: 5 bytes of JSON are more than the limit of 4");
    options = (zl_json_options){.max_size = UINT64_MAX}; /* offsets have 32 bits; the text is not looked at */
    assert_int_equal(zl_json_parse(&doc, "", SIZE_MAX, &options, &zl_default_allocator, &err), ZL_ERR_LIMIT);
    assert_int_equal(zl_json_parse(&doc, "", UINT32_MAX, &options, &zl_default_allocator, &err), ZL_ERR_LIMIT);
}

static void test_depth_costs_no_stack(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 1);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = '\0';
    zl_error err;
    zl_json_doc *doc;
    zt_assert_fails(parse(&doc, text, NULL, &err), &err, ZL_ERR_LIMIT, "limit of 512");
    const zl_json_options options = {.max_depth = DEPTH};
    zt_assert_ok(parse(&doc, text, &options, &err), &err);
    zt_assert_ok(zl_json_unique(zl_json_root(doc), true, &err), &err);
    assert_true(zl_json_equal(zl_json_root(doc), zl_json_root(doc)));
    zl_json_doc_free(doc);
    text[DEPTH] = 'x';
    zt_assert_fails(parse(&doc, text, &options, &err), &err, ZL_ERR_METADATA, "in /0/0/0");
    free(text);
}

/* ---- NaN */

static void test_nan_literals(void **state) {
    (void)state;
    zl_error err;
    zl_json_doc *doc;
    zl_json_options options = {.allow_nan = true};
    zt_assert_ok(parse(&doc, "[NaN,Infinity,-Infinity]", &options, &err), &err);
    const zl_json *value = zl_json_first(zl_json_root(doc));
    double number;
    zt_assert_ok(zl_json_to_double(value, &number, &err), &err);
    assert_true(number != number);
    value = zl_json_next(value);
    assert_string_equal(zl_json_text(value, NULL), "Infinity");
    zt_assert_ok(zl_json_to_double(value, &number, &err), &err);
    assert_true(number > 1e308);
    zt_assert_ok(zl_json_to_double(zl_json_next(value), &number, &err), &err);
    assert_true(number < -1e308);
    int64_t integer;
    zt_assert_fails(zl_json_to_i64(value, &integer, &err), &err, ZL_ERR_METADATA, "/1: must be an integer");
    zl_json_doc_free(doc);
    zt_assert_fails(parse(&doc, "[NaNs]", &options, &err), &err, ZL_ERR_METADATA, "malformed number");
    zt_assert_ok(parse(&doc, "NaN", &options, &err), &err); /* the tightest fit of the text */
    assert_string_equal(zl_json_text(zl_json_root(doc), NULL), "NaN");
    zl_json_doc_free(doc);
}

static void test_nan_below(void **state) {
    (void)state;
    static const struct {
        const char *below, *text;
        bool allowed;
    } cases[] = {
        {"/a", "{\"a\":NaN}", true},
        {"/a", "{\"a\":[1,{\"b\":-Infinity}]}", true},
        {"/a", "{\"b\":1,\"a\":{},\"c\":NaN}", false},
        {"/a", "{\"ab\":NaN}", false},
        {"/ab", "{\"a\":NaN}", false},
        {"/a", "{\"b\":{\"a\":NaN}}", false},
        {"/a", "[NaN]", false},
        {"/a", "NaN", false},
        {"/0", "[NaN]", false}, /* tokens are keys */
        {"/a/b", "{\"a\":{\"b\":{\"c\":[NaN]}}}", true},
        {"/a/b", "{\"a\":{\"c\":NaN}}", false},
        {"/a/b", "{\"c\":{\"b\":NaN}}", false},
        {"/a/b", "{\"a\":NaN}", false},
        {"/x~1y/~0", "{\"x/y\":{\"~\":NaN}}", true},
        {"/x~1y", "{\"x~1y\":NaN}", false},
        {"/", "{\"\":NaN}", true},
        {"", "{\"a\":NaN}", true},
        {"a", "{\"a\":NaN}", false}, /* no pointer */
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_error err;
        zl_json_doc *doc = NULL;
        const char *const places[] = {"/never/here", cases[i].below, NULL};
        const zl_json_options options = {.nan_below = places};
        const zl_status status = parse(&doc, cases[i].text, &options, &err);
        assert_int_equal(status, cases[i].allowed ? ZL_OK : ZL_ERR_METADATA);
        zl_json_doc_free(doc);
    }
}

/* ---- memory */

static zl_status parse_scenario(const zl_allocator *allocator, void *arg) {
    const char *text = arg;
    zl_json_doc *doc;
    ZL_TRY(zl_json_parse(&doc, text, strlen(text), &(zl_json_options){.what = "x"}, allocator, NULL));
    const zl_status status = zl_json_unique(zl_json_root(doc), true, NULL);
    zl_json_doc_free(doc);
    return status;
}

/* {"k0": {"value": 0}, "k1": ...} */
static char *make_object(int members) {
    char *text = malloc((size_t)members * 48 + 3);
    int at = sprintf(text, "{");
    for (int i = 0; i < members; i++) {
        at += sprintf(text + at, "%s\"k%d\": {\"value\": %d}", i > 0 ? ", " : "", i, i);
    }
    sprintf(text + at, "}");
    return text;
}

static void test_out_of_memory(void **state) {
    (void)state;
    char *text = make_object(300);
    zt_run_out_of_memory(parse_scenario, text);
    free(text);
}

/* Twice as many members may not take four times as long; the bound leaves room for slow machines and sanitizers. */
static void test_large_objects(void **state) {
    (void)state;
    char *text = make_object(100000);
    const clock_t start = clock();
    assert_int_equal(parse_scenario(&zl_default_allocator, text), ZL_OK);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    free(text);
}

/* ---- damage */

static const char *const seeds[] = {
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [10000, 1000], \"data_type\": \"float64\","
    "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, \"crc32c\"],"
    "\"fill_value\": \"NaN\", \"attributes\": {\"foo\": 42, \"bar\": -1.5e-10, \"baz\": [NaN, null, true]}}",
    "[\"\\u00e9\\ud83d\\ude00\xc3\xa9\xf0\x9f\x98\x80\\n\", {\"\": [[[], {}]]}, 0, -0, 1e5, false, -Infinity]",
    "[[[[[[[[1]]]]]]], \"\\\\\\\"\", {\"a\": {\"b\": {\"c\": {}}}}]",
};

/* Reads a value in every way there is; only memory errors can fail here. */
static void touch(const zl_json *value) {
    char path[24];
    int64_t i64;
    double number;
    zl_error err;
    zl_named named;
    assert_true(strlen(zl_json_path(value, path, sizeof path)) < sizeof path);
    (void)(zl_json_to_i64(value, &i64, &err) + zl_json_to_double(value, &number, &err));
    (void)zl_json_to_named(value, "x", &named, &err);
    for (const zl_json *it = zl_json_first(value); it != NULL; it = zl_json_next(it)) {
        touch(it);
    }
}

/* What is accepted is written and read again: it is the same. */
static void check_accepted(const zl_json *root, int32_t indent) {
    zl_error err;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, indent);
    zl_json_write_value(&writer, root);
    zt_assert_ok(zl_json_writer_finish(&writer, &err), &err);
    zl_json_doc *again;
    const zl_json_options options = {.allow_nan = true};
    zt_assert_ok(parse(&again, (const char *)writer.sink.data, &options, &err), &err);
    if (zl_json_unique(root, true, NULL) == ZL_OK) assert_true(zl_json_equal(root, zl_json_root(again)));
    zl_json_doc_free(again);
    zl_json_writer_clear(&writer);
}

static size_t mutate(zt_random *random, char *text, size_t size) {
    static const char pieces[] = "{}[]:,\"\\u0019-+.eE \ntfnNI/\x80\xc3\xed\xf0\xff";
    const size_t at = (size_t)zt_random_below(random, size);
    switch (zt_random_below(random, 4)) {
    case 0: text[at] = (char)zt_random_next(random); return size;
    case 1: text[at] = pieces[zt_random_below(random, sizeof pieces)]; return size;
    case 2: memmove(text + at, text + at + 1, size - at - 1); return size - 1;
    default: /* doubles a stretch; there is room for it */
        memmove(text + at + (size - at) / 2, text + at, size - at);
        return size + (size - at) / 2;
    }
}

static void test_mutations(void **state) {
    (void)state;
    static const char *const nan_places[] = {"/attributes", NULL};
    zt_random random = zt_random_seed(20);
    int accepted = 0;
    for (int round = 0; round < 20000; round++) {
        const char *seed = seeds[round % (int)ZL_COUNT_OF(seeds)];
        char text[16 * 512];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        for (uint64_t changes = zt_random_below(&random, 4); changes > 0 && size > 1; changes--) {
            size = mutate(&random, text, size);
        }
        char *exact = malloc(size); /* the sanitizer sees reads behind it */
        memcpy(exact, text, size);
        zl_error err = {0};
        zl_json_doc *doc;
        const zl_json_options options = {.max_depth = 40, .nan_below = nan_places, .allow_nan = round % 2 == 0};
        const zl_status status = zl_json_parse(&doc, exact, size, &options, &zl_default_allocator, &err);
        free(exact);
        if (status == ZL_OK) {
            accepted++;
            touch(zl_json_root(doc));
            check_accepted(zl_json_root(doc), round % 3);
            zl_json_doc_free(doc);
        } else {
            assert_true(status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT);
            assert_true(err.status == status && zl_utf8_valid(err.message, strlen(err.message)));
        }
    }
    assert_in_range(accepted, 2000, 18000); /* both sides are tested */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),         cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_embedded_nul),  cmocka_unit_test(test_document_is_named),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_depth_costs_no_stack),
        cmocka_unit_test(test_nan_literals),  cmocka_unit_test(test_nan_below),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_large_objects),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests_name("json parse", tests, NULL, NULL);
}
