/* SPDX-License-Identifier: MIT */
/* Consolidated metadata of both versions: made, compared, and kept as the nodes are. */
#include "zt_api.h"

#include "fault_store.h"

#define ARRAY_2 "{\"shape\":[1],\"chunks\":[1],\"dtype\":\"|u1\"}"

/* "~a/.zarray -b +c ": what is changed, gone and missing; "none": there are no copies. */
static bool add_stale(void *user, const zl_stale_info *info) {
    char *text = user;
    const char mark = info->kind == ZL_STALE_CHANGED ? '~' : info->kind == ZL_STALE_GONE ? '-' : '+';
    (void)snprintf(text + strlen(text), 400 - strlen(text), "%c%s ", mark, info->key);
    return true;
}

static void check_stale(zt_api *api, const char *path, const char *expected) {
    char text[400] = "";
    bool found = false;
    zt_assert_ok(zl_consolidated_check(api->store, path, add_stale, text, &found, &api->err), &api->err);
    assert_string_equal(found ? text : "none", expected);
}

static void put_v2(zt_api *api) {
    zt_api_put(api, ".zgroup", "{\"zarr_format\":2}");
    zt_api_put(api, "g/.zgroup", "{\"zarr_format\":2}");
    zt_api_put(api, "g/.zattrs", "{\"nan\":NaN,\"n\":1.50}");
    zt_api_put(api, "g/a/.zarray", ARRAY_2);
    zt_api_put(api, "implicit/a/.zarray", ARRAY_2);
}

static void put_v3(zt_api *api) {
    zt_api_put(api, "zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\",\"mine\":{\"must_understand\":false}}");
    zt_api_put(api, "g/zarr.json", ZT_GROUP);
    zt_api_put(api, "g/a/zarr.json", ZT_ARRAY);
}

static void copies_of_v2(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    put_v2(&api);
    check_stale(&api, "", "none");
    zt_assert_ok(zl_consolidate(api.store, "", &api.err), &api.err);
    zt_api_check_part(&api, ".zmetadata", "\"zarr_consolidated_format\": 1");
    zt_api_check_part(&api, ".zmetadata", "\"nan\": NaN");
    zt_api_check_part(&api, ".zmetadata", "\"n\": 1.50");
    zt_api_check_part(&api, ".zmetadata", "\"implicit/a/.zarray\"");
    check_stale(&api, "", "");
    check_stale(&api, "g", "none");

    zt_api_put(&api, "g/.zattrs", "{\"n\":2}");
    zt_api_put(&api, "z/.zgroup", "{}");
    const zl_store_call call = {.size = sizeof call, .allocator = api.store->allocator};
    zt_assert_ok(api.store->cls->erase(api.store->self, "g/a/.zarray", NULL, &call), &api.err);
    check_stale(&api, "", "~g/.zattrs -g/a/.zarray +z/.zgroup ");
    zt_assert_ok(zl_consolidate(api.store, "/", &api.err), &api.err);
    check_stale(&api, "", "");
    zt_api_put(&api, "z/.zattrs", "{}"); /* as good as none */
    check_stale(&api, "", "");
    zt_assert_fails(zl_consolidate(api.store, "implicit/a", &api.err), &api.err, ZL_ERR_NOT_FOUND, "no group here");
    zt_assert_fails(zl_consolidate(api.store, "x", &api.err), &api.err, ZL_ERR_NOT_FOUND, "x: no group here");
    zt_api_end(&api, &memory);
}

static void copies_of_v3(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    put_v3(&api);
    check_stale(&api, "", "none");
    zt_assert_ok(zl_consolidate(api.store, "", &api.err), &api.err);
    zt_assert_ok(zl_consolidate(api.store, "g", &api.err), &api.err);
    zt_api_check_part(&api, "zarr.json", "\"mine\"");
    zt_api_check_part(&api, "zarr.json", "\"kind\": \"inline\"");
    zt_api_check_part(&api, "zarr.json", "\"g/a\": {");
    check_stale(&api, "", "");
    check_stale(&api, "g", "");
    zt_api_put(&api, "g/a/zarr.json", ZT_ARRAY_WITH(",\"attributes\":{\"k\":1}"));
    check_stale(&api, "", "~g/a ");
    check_stale(&api, "g", "~a ");

    /* Other writers store what copies of groups hold themselves. */
    zt_api_put(
        &api, "zarr.json",
        "{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"kind\":\"inline\",\"must_understand\":"
        "false,\"metadata\":{\"g\":{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"metadata\":"
        "{}}},\"old\":{}}}}");
    check_stale(&api, "", "+g/a -old ");
    zt_api_end(&api, &memory);
}

/* ---- changes */

static void follow_changes(zt_api *api, int32_t zarr_format) {
    static const int64_t shape[] = {4};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.zarr_format = zarr_format;
    options.rank = 1;
    options.shape = shape;
    options.dtype = ZL_DTYPE_INT8;
    options.attributes_json = "{\"a\":1}";
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api->store, "g/new/b", &options, &api->err), &api->err);
    check_stale(api, "", "");
    zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "k", "2", &api->err), &api->err);
    check_stale(api, "", "");
    check_stale(api, "g", "");
    zl_array_close(array);
    zl_group *group;
    zt_assert_ok(zl_group_open(&group, api->store, "g", &api->err), &api->err);
    zt_assert_ok(zl_attributes_set_json(zl_group_attributes(group), "k", "2", &api->err), &api->err);
    zl_group_close(group);
    check_stale(api, "", "");
    zt_assert_ok(zl_group_open(&group, api->store, "", &api->err), &api->err);
    zt_assert_ok(zl_attributes_set_json(zl_group_attributes(group), "k", "2", &api->err), &api->err);
    zl_group_close(group);
    check_stale(api, "", "");
    check_stale(api, "g", "");
    options.mode = ZL_CREATE_REPLACE;
    options.attributes_json = NULL;
    zt_assert_ok(zl_array_create(&array, api->store, "g/new/b", &options, &api->err), &api->err);
    zl_array_close(array);
    check_stale(api, "", "");
    zt_assert_ok(zl_node_delete(api->store, "g/a", &api->err), &api->err);
    check_stale(api, "", "");
    check_stale(api, "g", "");
    zt_assert_ok(zl_node_delete(api->store, "g", &api->err), &api->err);
    check_stale(api, "", "");
}

static void changes_of_v2_are_followed(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    put_v2(&api);
    zt_assert_ok(zl_consolidate(api.store, "", &api.err), &api.err);
    zt_assert_ok(zl_consolidate(api.store, "g", &api.err), &api.err);
    follow_changes(&api, 2);
    zt_api_end(&api, &memory);
}

static void changes_of_v3_are_followed(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    put_v3(&api);
    zt_assert_ok(zl_consolidate(api.store, "", &api.err), &api.err);
    zt_assert_ok(zl_consolidate(api.store, "g", &api.err), &api.err);
    follow_changes(&api, 3);
    zt_api_check_part(&api, "zarr.json", "\"mine\"");
    zt_api_end(&api, &memory);
}

/* What a group says that is no copies is left alone, and does not stop changes below. */
static void leaves_alone_what_is_no_copy(void **state) {
    (void)state;
    static const char *const documents[] = {"not json", "[]", "{\"metadata\":[]}", "{}"};
    for (size_t i = 0; i < ZL_COUNT_OF(documents); i++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        put_v2(&api);
        zt_api_put(&api, ".zmetadata", documents[i]);
        zl_array *array;
        zt_assert_ok(zl_array_open(&array, api.store, "g/a", &api.err), &api.err);
        zt_assert_ok(zl_attributes_set_json(zl_array_attributes(array), "k", "2", &api.err), &api.err);
        zl_array_close(array);
        zt_api_check_text(&api, ".zmetadata", documents[i]);
        zt_api_end(&api, &memory);
    }
}

/* ---- failures */

static zl_status use_everything(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    char text[400] = "";
    bool found;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = zt_api_try_put(&api, ".zgroup", "{}");
    if (status == ZL_OK) status = zt_api_try_put(&api, "a/.zarray", ARRAY_2);
    if (status == ZL_OK) status = zt_api_try_put(&api, "a/.zattrs", "{\"k\":1}");
    if (status == ZL_OK) status = zl_consolidate(api.store, "", &api.err);
    zl_array *array = NULL;
    if (status == ZL_OK) status = zl_array_open(&array, api.store, "a", &api.err);
    if (status == ZL_OK) status = zl_attributes_set_json(zl_array_attributes(array), "k", "2", &api.err);
    zl_array_close(array);
    if (status == ZL_OK) status = zl_consolidated_check(api.store, "", add_stale, text, &found, &api.err);
    if (status == ZL_OK) assert_string_equal(text, "");
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(use_everything, NULL);
}

/* The change itself is done then, and the message says so. */
static void says_when_copies_could_not_follow(void **state) {
    (void)state;
    zt_fault_api it;
    zt_api *api = &it.api;
    zt_fault_api_begin(&it, NULL);
    put_v2(api);
    zt_assert_ok(zl_consolidate(api->store, "", &api->err), &api->err);
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, api->store, "g/a", &api->err), &api->err);
    fault_store_arm(&it.fault, FAULT_SET, 2, FAULT_FAIL, ZL_ERR_IO);
    zt_assert_fails(zl_attributes_set_json(zl_array_attributes(array), "k", "2", &api->err), &api->err, ZL_ERR_IO,
                    "changed, but not the copy in the consolidated metadata of /: ");
    zl_array_close(array);
    check_stale(api, "", "+g/a/.zattrs ");
    zt_api_close(api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_v2),
        cmocka_unit_test(copies_of_v3),
        cmocka_unit_test(changes_of_v2_are_followed),
        cmocka_unit_test(changes_of_v3_are_followed),
        cmocka_unit_test(leaves_alone_what_is_no_copy),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(says_when_copies_could_not_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
