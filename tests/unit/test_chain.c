/* SPDX-License-Identifier: MIT */
/* Lists of codecs: their forms and order, and how a codec is found by its name. */
#include "zt_codec.h"

static zl_status parse(zt_codec *kit, const char *json, const zl_chain **out) {
    ZL_TRY(zt_codec_init(kit, NULL));
    const zl_json *list;
    ZL_TRY(zt_codec_json(kit, json, &list));
    return zl_chain_parse(list, &kit->env, out, &kit->err);
}

static void test_forms(void **state) {
    (void)state;
    zt_codec kit;
    const zl_chain *chain = NULL;
    zt_assert_ok(parse(&kit,
                       "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},\"bytes\","
                       "{\"name\":\"crc32c\",\"must_understand\":false},{\"name\":\"crc32c\",\"configuration\":{}}]",
                       &chain),
                 &kit.err);
    assert_int_equal(chain->count, 4);
    assert_int_equal(chain->ab_index, 1);
    assert_string_equal(chain->codec[0].cls->name, "transpose");
    assert_string_equal(chain->codec[1].cls->name, "bytes");
    assert_string_equal(chain->codec[3].cls->name, "crc32c");
    assert_int_equal(zl_json_get_type(chain->codec[1].json), ZL_JSON_STRING);
    zt_codec_close(&kit);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *text;
    } cases[] = {
        {"{}", ZL_ERR_METADATA, "must be an array"},
        {"[]", ZL_ERR_METADATA, "no array -> bytes codec"},
        {"[\"crc32c\"]", ZL_ERR_METADATA, "/0: codec \"crc32c\" is bytes -> bytes and needs"},
        {"[\"bytes\",\"bytes\"]", ZL_ERR_METADATA, "/1: codec \"bytes\" is array -> bytes but stands behind"},
        {"[\"bytes\",{\"name\":\"transpose\",\"configuration\":{\"order\":[]}}]", ZL_ERR_METADATA,
         "/1: codec \"transpose\" is array -> array but stands behind the array -> bytes codec \"bytes\""},
        {"[{\"name\":\"transpose\",\"configuration\":{\"order\":[]}}]", ZL_ERR_METADATA, "no array -> bytes codec"},
        {"[\"bytes\",\"nope\"]", ZL_ERR_UNSUPPORTED, "/1: codec \"nope\" is unknown"},
        {"[\"bytes\",{\"name\":\"nope\",\"must_understand\":false}]", ZL_ERR_UNSUPPORTED, "cannot be left out"},
        {"[\"bytes\",7]", ZL_ERR_METADATA, "/1"},
        {"[\"bytes\",{\"configuration\":{}}]", ZL_ERR_METADATA, "name"},
        {"[\"bytes\",{\"name\":\"crc32c\",\"config\":{}}]", ZL_ERR_METADATA, "config"},
        {"[\"transpose\",\"bytes\"]", ZL_ERR_METADATA, "/0: codec \"transpose\" has no configuration"},
        {"[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"middle\"}}]", ZL_ERR_METADATA, "/0/configuration/endian"},
        {"[{\"name\":\"bytes\",\"configuration\":{\"indian\":1}}]", ZL_ERR_METADATA, "indian"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_codec kit;
        const zl_chain *chain = NULL;
        zt_assert_fails(parse(&kit, cases[i].json, &chain), &kit.err, cases[i].status, cases[i].text);
        assert_null(chain);
        zt_codec_close(&kit);
    }
}

static void test_limit(void **state) {
    (void)state;
    zt_codec kit;
    char json[1024] = "[\"bytes\"";
    for (int i = 0; i < 63; i++) {
        strcat(json, ",\"crc32c\"");
    }
    const size_t end = strlen(json);
    const zl_chain *chain = NULL;
    strcpy(json + end, "]");
    zt_assert_ok(parse(&kit, json, &chain), &kit.err);
    assert_int_equal(chain->count, 64);
    zt_codec_close(&kit);
    strcpy(json + end, ",\"crc32c\"]");
    zt_assert_fails(parse(&kit, json, &chain), &kit.err, ZL_ERR_LIMIT, "65 codecs in one list, the limit is 64");
    zt_codec_close(&kit);
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    zt_codec kit;
    const zl_json *list;
    const zl_chain *chain;
    zl_status status = zt_codec_init(&kit, allocator);
    if (status == ZL_OK) status = zt_codec_json(&kit, arg, &list);
    if (status == ZL_OK) status = zl_chain_parse(list, &kit.env, &chain, &kit.err);
    zt_codec_close(&kit);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static char json[] = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[0]}},{\"name\":\"sharding_indexed\","
                         "\"configuration\":{\"chunk_shape\":[2],\"codecs\":[\"bytes\"],\"index_codecs\":[\"bytes\"]}}]";
    zt_run_out_of_memory(scenario, json);
}

/* ---- names */

static const char *const own_aliases[] = {"test.double", NULL};
static const zl_bb_ops own_bb = {0};
static const zl_codec_class own_bytes = {.size = sizeof own_bytes, .name = "bytes", .bb = &own_bb};
static const zl_codec_class own_twice = {
    .size = sizeof own_twice, .name = "test.twice", .aliases = own_aliases, .bb = &own_bb};

static void test_registry(void **state) {
    (void)state;
    const zl_codec_class *classes[] = {&own_bytes, &own_twice};
    const zl_registry registry = {.codecs = classes, .codec_count = 2};
    const zl_codec_class *cls = NULL;
    zl_error err;
    zt_assert_ok(zl_codec_find(&registry, "bytes", &cls, &err), &err);
    assert_ptr_equal(cls, &own_bytes); /* wins over the built-in one */
    zt_assert_ok(zl_codec_find(&registry, "test.double", &cls, &err), &err);
    assert_ptr_equal(cls, &own_twice);
    zt_assert_ok(zl_codec_find(&registry, "transpose", &cls, &err), &err);
    assert_string_equal(cls->name, "transpose");
    zt_assert_fails(zl_codec_find(NULL, "test.twice", &cls, &err), &err, ZL_ERR_UNSUPPORTED, "unknown");
}

static void test_table(void **state) {
    (void)state;
    size_t count = 0;
    for (const char *name = zl_codec_name(0); name; name = zl_codec_name(++count)) {
        const zl_codec_row *row = &zl_codec_table[count];
        const zl_codec_class *found = NULL;
        zl_error err;
        assert_string_equal(row->name, name);
        if (!row->cls) {
            assert_int_equal(zl_codec_available(name), ZL_KNOWN_NOT_BUILT);
            zt_assert_fails(zl_codec_find(NULL, name, &found, &err), &err, ZL_ERR_UNSUPPORTED, row->needs);
            continue;
        }
        assert_int_equal(zl_codec_available(name), ZL_AVAILABLE);
        zt_assert_ok(zl_codec_find(NULL, name, &found, &err), &err);
        assert_ptr_equal(found, row->cls);
        assert_string_equal(row->cls->name, name);
        assert_int_equal(row->cls->size, sizeof(zl_codec_class));
        assert_non_null(row->cls->spec);
        assert_int_equal((row->cls->aa != NULL) + (row->cls->ab != NULL) + (row->cls->bb != NULL), 1);
    }
    assert_int_equal(count, zl_codec_table_count);
    assert_int_equal(zl_codec_available("nope"), ZL_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),         cmocka_unit_test(test_refused),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_registry), cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
