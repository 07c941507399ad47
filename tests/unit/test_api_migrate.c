/* SPDX-License-Identifier: MIT */
/* Migration of hierarchies of Zarr v2: what becomes of each document, dry runs, interrupted runs, and what must be copied.
 */
#include "zt_api.h"

#include "fault_store.h"

#define ARRAY_WITH(more) "{\"zarr_format\":2,\"shape\":[3,2],\"chunks\":[2,2],\"dtype\":\">i2\",\"fill_value\":7" more "}"

/* "a/b: g problem\n" */
static bool add_node(void *user, const zl_migrate_info *info) {
    char *text = user;
    (void)snprintf(text + strlen(text), 800 - strlen(text), "%s %c %s\n", info->path,
                   info->kind == ZL_NODE_ARRAY ? 'a' : 'g', info->problem != NULL ? info->problem : "");
    return true;
}

static zl_status migrate(zt_api *api, const char *path, bool dry_run, bool remove_v2, char text[800]) {
    const zl_migrate_options options = {sizeof options, dry_run, remove_v2};
    text[0] = '\0';
    return zl_migrate(api->store, path, &options, add_node, text, &api->err);
}

static void put_hierarchy(zt_api *api) {
    zt_api_put(api, ".zgroup", "{\"zarr_format\":2}");
    zt_api_put(api, ".zattrs", "{\"title\":\"t\",\"n\":1.50}");
    zt_api_put(api, "g/.zgroup", "{\"zarr_format\":2}");
    zt_api_put(api, "g/a/.zarray", ARRAY_WITH(",\"order\":\"F\",\"compressor\":null"));
    zt_api_put(api, "g/a/.zattrs", "{\"_ARRAY_DIMENSIONS\":[\"y\",\"x\"],\"units\":\"m\"}");
}

static void write_elements(zt_api *api, const char *path) {
    const int16_t elements[] = {1, 2, 3, 4, 5, 6};
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api->store, path, &api->err), &api->err);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){elements, NULL, NULL}, NULL, &api->err), &api->err);
    zl_array_close(array);
}

static void check_elements(zt_api *api, const char *path) {
    const int16_t elements[] = {1, 2, 3, 4, 5, 6};
    int16_t read[6] = {0};
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api->store, path, &api->err), &api->err);
    assert_int_equal(zl_array_zarr_format(array), 3);
    zt_assert_ok(zl_array_read(array, NULL, (zl_view){read, NULL, NULL}, NULL, &api->err), &api->err);
    assert_memory_equal(read, elements, sizeof read);
    zl_array_close(array);
}

static void migrates_a_hierarchy(void **state) {
    (void)state;
    char text[800];
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    put_hierarchy(&api);
    write_elements(&api, "g/a");
    zt_assert_ok(zl_consolidate(api.store, "", &api.err), &api.err);
    zt_assert_ok(migrate(&api, "", true, false, text), &api.err);
    assert_string_equal(text, " g \ng g \ng/a a \n");
    assert_false(zt_api_has(&api, "zarr.json"));

    zt_assert_ok(migrate(&api, "", false, false, text), &api.err);
    zt_api_check_part(&api, "zarr.json", "\"node_type\": \"group\"");
    zt_api_check_part(&api, "zarr.json", "\"n\": 1.50");
    zt_api_check_part(&api, "zarr.json", "\"consolidated_metadata\"");
    zt_api_check_part(&api, "g/a/zarr.json", "\"name\": \"v2\"");
    zt_api_check_part(&api, "g/a/zarr.json", "\"endian\": \"big\"");
    zt_api_check_part(&api, "g/a/zarr.json", "\"order\": [1, 0]");
    zt_api_check_part(&api, "g/a/zarr.json", "\"dimension_names\": [\"y\", \"x\"]");
    zt_api_check_part(&api, "g/a/zarr.json", "\"units\": \"m\"");
    assert_true(zt_api_has(&api, "g/a/.zarray"));
    check_elements(&api, "g/a");

    zt_assert_ok(migrate(&api, "", false, true, text), &api.err);
    assert_string_equal(text, "");
    static const char *const gone[] = {".zgroup", ".zattrs", ".zmetadata", "g/.zgroup", "g/a/.zarray", "g/a/.zattrs"};
    for (size_t i = 0; i < ZL_COUNT_OF(gone); i++) {
        assert_false(zt_api_has(&api, gone[i]));
    }
    check_elements(&api, "g/a");
    zt_api_end(&api, &memory);
}

static void names_codecs(void **state) {
    (void)state;
    static const struct {
        const char *rest;
        const char *part;
    } cases[] = {
        {",\"compressor\":{\"id\":\"zlib\",\"level\":\"3\"}",
         "\"name\": \"numcodecs.zlib\",\n      \"configuration\": {\n        \"level\": 3"},
        {",\"compressor\":{\"id\":\"gzip\",\"level\":3}", "\"name\": \"gzip\""},
        {",\"compressor\":{\"id\":\"zstd\",\"level\":3}",
         "\"name\": \"zstd\",\n      \"configuration\": {\n        \"level\": 3,\n        \"checksum\": false"},
        {",\"compressor\":{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":-1}",
         "\"shuffle\": \"shuffle\",\n        \"typesize\": 2"},
        {",\"filters\":[{\"id\":\"shuffle\",\"elementsize\":2}]", "\"name\": \"numcodecs.shuffle\""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        static const char *const needs[] = {"numcodecs.zlib", "gzip", "zstd", "blosc", "numcodecs.shuffle"};
        if (zl_codec_available(needs[i]) != ZL_AVAILABLE) continue;
        char json[400], text[800];
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        (void)snprintf(json, sizeof json, "{\"shape\":[3,2],\"chunks\":[2,2],\"dtype\":\">i2\"%s}", cases[i].rest);
        zt_api_put(&api, "a/.zarray", json);
        write_elements(&api, "a");
        zt_assert_ok(migrate(&api, "a", false, true, text), &api.err);
        zt_api_check_part(&api, "a/zarr.json", cases[i].part);
        check_elements(&api, "a");
        zt_api_end(&api, &memory);
    }
}

static void says_what_must_be_copied(void **state) {
    (void)state;
    char text[800];
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, ".zgroup", "{}");
    zt_api_put(&api, "a/.zarray", ARRAY_WITH(""));
    zt_api_put(&api, "json/.zarray", "{\"shape\":[1],\"chunks\":[1],\"dtype\":\"|O\",\"filters\":[{\"id\":\"json2\"}]}");
    zt_api_put(&api, "sub/.zarray", "{\"shape\":[1],\"chunks\":[1],\"dtype\":[[\"a\",\"|u1\",[2]]]}");
    zt_api_put(&api, "unknown/.zarray", "{\"shape\":[1],\"chunks\":[1],\"dtype\":\"|u1\",\"compressor\":{\"id\":\"x\"}}");
    zt_assert_fails(migrate(&api, "", false, true, text), &api.err, ZL_ERR_UNSUPPORTED,
                    "nothing was changed, because 3 of the nodes cannot be migrated");
    assert_non_null(strstr(text, "a a \njson a /filters/0: codec \"json2\" has no name in Zarr v3\n"));
    assert_non_null(strstr(text, "sub a /dtype: Zarr v3 has no fields that are arrays\n"));
    assert_non_null(strstr(text, "unknown a unknown/.zarray: /compressor/id: codec \"x\" is not known\n"));
    assert_false(zt_api_has(&api, "zarr.json"));
    assert_true(zt_api_has(&api, "a/.zarray"));
    zt_assert_fails(migrate(&api, "x", false, false, text), &api.err, ZL_ERR_NOT_FOUND, "x: no node here");
    zt_api_end(&api, &memory);
}

/* Documents of v2 beside an array of v3 with chunks of its own are not leftovers. */
static void keeps_what_it_did_not_make(void **state) {
    (void)state;
    char text[800];
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zt_api_put(&api, "a/zarr.json", ZT_ARRAY);
    zt_api_put(&api, "a/.zarray", ARRAY_WITH(""));
    zt_assert_ok(migrate(&api, "", false, true, text), &api.err);
    assert_true(zt_api_has(&api, "a/.zarray"));
    zt_api_check_text(&api, "a/zarr.json", ZT_ARRAY);
    zt_api_end(&api, &memory);
}

/* Whatever fails, and whenever: the hierarchy can be read, and another run completes it. */
static void goes_on_after_a_failure(void **state) {
    (void)state;
    for (uint32_t nth = 1;; nth++) {
        char text[800];
        zt_fault_api it;
        zt_api *api = &it.api;
        zt_fault_api_begin(&it, NULL);
        put_hierarchy(api);
        write_elements(api, "g/a");
        fault_store_arm(&it.fault, FAULT_ANY, nth, FAULT_FAIL, ZL_ERR_IO);
        const zl_status status = migrate(api, "", false, true, text);
        fault_store_arm(&it.fault, FAULT_ANY, 0, FAULT_FAIL, ZL_ERR_IO);
        zl_array *array;
        zt_assert_ok(zl_array_open(&array, api->store, "g/a", &api->err), &api->err);
        zl_array_close(array);
        zt_assert_ok(migrate(api, "", false, true, text), &api->err);
        check_elements(api, "g/a");
        assert_false(zt_api_has(api, "g/a/.zarray"));
        zt_api_close(api);
        if (status == ZL_OK) return;
        assert_int_equal(status, ZL_ERR_IO);
    }
}

static zl_status migrate_everything(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    const zl_migrate_options options = {sizeof options, false, true};
    zl_status status = zt_api_try_put(&api, ".zgroup", "{}");
    if (status == ZL_OK) status = zt_api_try_put(&api, ".zmetadata", "{\"metadata\":{}}");
    if (status == ZL_OK) status = zt_api_try_put(&api, "a/.zarray", ARRAY_WITH(",\"filters\":[{\"id\":\"shuffle\"}]"));
    if (status == ZL_OK) status = zl_migrate(api.store, "", &options, NULL, NULL, &api.err);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(migrate_everything, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(migrates_a_hierarchy),     cmocka_unit_test(names_codecs),
        cmocka_unit_test(says_what_must_be_copied), cmocka_unit_test(keeps_what_it_did_not_make),
        cmocka_unit_test(goes_on_after_a_failure),  cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
