/* SPDX-License-Identifier: MIT */
/* How many requests opening and listing take, and listing by consolidated metadata. (ctest label: threads) */
#include "zt_api.h"

#include <pthread.h>

#include "api/node.h"
#include "engine/context.h"

static void reset_count(zt_fault_api *it, uint32_t operations) {
    fault_store_arm(&it->fault, operations, 0, FAULT_FAIL, ZL_ERR_IO);
}

/* ---- opening */

static void opens_with_one_request(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zl_array *array;
    zl_group *group;
    zt_api_put(&it.api, "zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "a/b/c/d/e/zarr.json", ZT_ARRAY);
    zt_api_put(&it.api, "a/b/c/d/zarr.json", ZT_GROUP);
    for (int round = 0; round < 2; round++) {
        reset_count(&it, FAULT_ANY);
        zt_assert_ok(zl_array_open(&array, it.api.store, "a/b/c/d/e", err), err);
        assert_int_equal(it.fault.calls, 1);
        zl_array_close(array);
        reset_count(&it, FAULT_ANY);
        zt_assert_ok(zl_group_open(&group, it.api.store, "a/b/c/d", err), err);
        assert_int_equal(it.fault.calls, 1);
        zl_group_close(group);
        zt_assert_ok(zl_consolidate(it.api.store, "", err), err);
    }
    /* v2: no zarr.json, the array, its attributes. */
    zt_api_put(&it.api, "two/a/b/.zarray", "{\"zarr_format\":2,\"shape\":[1],\"chunks\":[1],\"dtype\":\"|u1\"}");
    reset_count(&it, FAULT_ANY);
    const zl_status status = zl_array_open(&array, it.api.store, "two/a/b", err);
    if (status == ZL_OK) zl_array_close(array);
    assert_true(it.fault.calls <= 3);
    zt_api_close(&it.api);
}

/* ---- listing by copies */

typedef struct seen {
    char text[64 * 1024];
    size_t size;
    size_t count;
    int32_t warnings;
} seen;

static bool add_node(void *user, const zl_node_info *info) {
    seen *self = user;
    static const char marks[] = "?gia";
    self->count++;
    const int n = snprintf(self->text + self->size, sizeof self->text - self->size, "%c%d%s ", marks[info->kind],
                           (int)info->zarr_format, info->path);
    if ((size_t)n < sizeof self->text - self->size) self->size += (size_t)n;
    return true;
}

static bool stop(void *user, const zl_node_info *info) {
    (void)info;
    ++*(int *)user;
    return false;
}

static void count_warning(void *user, const char *message) {
    assert_non_null(strstr(message, "consolidated metadata is out of date"));
    ((seen *)user)->warnings++;
}

/* The same by copies and one by one. Returns the number of warnings. */
static int32_t check_listing(zt_fault_api *it, const char *path, bool recursive) {
    static seen by_copies, stored;
    zl_error *err = &it->api.err;
    memset(&by_copies, 0, sizeof by_copies);
    memset(&stored, 0, sizeof stored);
    it->api.context->on_warning = count_warning;
    it->api.context->warning_user = &by_copies;
    zt_assert_ok(zl_node_list(it->api.store, path, recursive, add_node, &by_copies, err), err);
    zt_assert_ok(zl_node_list_stored(it->api.store, path, recursive, add_node, &stored, err), err);
    assert_string_equal(by_copies.text, stored.text);
    assert_int_equal(by_copies.count, stored.count);
    return by_copies.warnings;
}

static void put_hierarchy(zt_fault_api *it, int groups, int arrays) {
    zt_api_put(&it->api, "zarr.json", ZT_GROUP);
    for (int i = 0; i < groups; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, "g%d/zarr.json", i);
        if (i != 1) zt_api_put(&it->api, key, ZT_GROUP); /* g1 is implicit */
        for (int k = 0; k < arrays; k++) {
            (void)snprintf(key, sizeof key, "g%d/a%d/zarr.json", i, k);
            zt_api_put(&it->api, key, ZT_ARRAY);
        }
    }
}

static void lists_ten_thousand_nodes_from_one_document(void **state) {
    (void)state;
    zt_fault_api it;
    seen *all = calloc(1, sizeof *all);
    assert_non_null(all);
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    put_hierarchy(&it, 100, 100);
    zt_assert_ok(zl_consolidate(it.api.store, "", err), err);
    reset_count(&it, FAULT_ANY);
    zt_assert_ok(zl_node_list(it.api.store, "", true, add_node, all, err), err);
    assert_int_equal(all->count, 10100);
    assert_int_equal(it.fault.calls, 2); /* the document, and one listing to see whether it is up to date */
    int stopped = 0;
    zt_assert_ok(zl_node_list(it.api.store, "", true, stop, &stopped, err), err);
    assert_int_equal(stopped, 1);
    zt_api_close(&it.api);
    free(all);
}

/* Names that no node can have, and groups that are there by their members alone. */
static void copies_tell_of_any_hierarchy(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    put_hierarchy(&it, 4, 3);
    zt_api_put(&it.api, "g2/deep/er/zarr.json", ZT_ARRAY);
    zt_api_put(&it.api, "g2-/zarr.json", ZT_GROUP);
    zt_assert_ok(zl_consolidate(it.api.store, "", &it.api.err), &it.api.err);
    zt_api_put(&it.api, "junk/readme.txt", "no node");
    zt_api_put(&it.api, "._g/zarr.json", ZT_GROUP);
    assert_int_equal(check_listing(&it, "", true), 0);
    assert_int_equal(check_listing(&it, "", false), 0);
    assert_int_equal(check_listing(&it, "g2", true), 0);
    zt_api_close(&it.api);
}

#define HOLDER(copies)                                                                                               \
    "{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"kind\":\"inline\",\"must_understand\":" \
    "false,\"metadata\":{" copies "}}}"

static void ignores_paths_that_no_node_has(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zt_api_put(&it.api, "a/zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "zarr.json",
               HOLDER("\"..\":" ZT_GROUP ",\"\":" ZT_GROUP ",\"a//b\":" ZT_GROUP ",\"/a\":" ZT_GROUP ",\"a/../b\":" ZT_GROUP
                      ",\"__x\":" ZT_GROUP ",\"a\\u0000b\":" ZT_GROUP ",\"a\":{\"node_type\":\"group\"}"));
    assert_int_equal(check_listing(&it, "", true), 0);
    zt_api_close(&it.api);
}

static void notices_what_others_changed(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    const zl_store_call call = {.size = sizeof call, .allocator = it.api.store->allocator};
    zl_error *err = &it.api.err;
    put_hierarchy(&it, 3, 2);
    zt_assert_ok(zl_consolidate(it.api.store, "", err), err);
    assert_int_equal(check_listing(&it, "", true), 0);
    zt_api_put(&it.api, "new/zarr.json", ZT_ARRAY);
    assert_int_equal(check_listing(&it, "", true), 1);
    assert_int_equal(check_listing(&it, "", false), 1);
    zt_assert_ok(zl_consolidate(it.api.store, "", err), err);
    assert_int_equal(check_listing(&it, "", true), 0);
    zt_assert_ok(it.api.store->cls->erase_prefix(it.api.store->self, "g0", &call), err);
    assert_int_equal(check_listing(&it, "", true), 1);
    zt_api_put(&it.api, "zarr.json", "{");
    zt_assert_fails(zl_node_list(it.api.store, "", true, stop, NULL, err), NULL, ZL_ERR_METADATA, NULL);
    zt_api_close(&it.api);
}

static void believes_copies_where_nothing_can_be_listed(void **state) {
    (void)state;
    zt_fault_api it;
    seen *all = calloc(1, sizeof *all);
    assert_non_null(all);
    zt_fault_api_begin(&it, NULL);
    it.fault.cls.list = NULL;
    zt_api_put(&it.api, "zarr.json", HOLDER("\"x/y\":" ZT_ARRAY ",\"z\":" ZT_GROUP));
    zt_assert_ok(zl_node_list(it.api.store, "", true, add_node, all, &it.api.err), &it.api.err);
    assert_string_equal(all->text, "i0x a3x/y g3z ");
    zt_api_close(&it.api);
    free(all);
}

/* ---- copies that follow */

/* A reader that groups neighbours finds all members of a group side by side. */
static void new_copies_stand_beside_their_siblings(void **state) {
    (void)state;
    zt_fault_api it;
    zl_group *group;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zt_api_put(&it.api, "a/b/zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "a/zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "z/y/zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "z/zarr.json", ZT_GROUP);
    zt_api_put(&it.api, "zarr.json",
               HOLDER("\"a\":" ZT_GROUP ",\"z\":" ZT_GROUP ",\"a/b\":" ZT_GROUP ",\"z/y\":" ZT_GROUP));
    zt_assert_ok(zl_group_create(&group, it.api.store, "a/c", NULL, err), err);
    zl_group_close(group);
    zt_assert_ok(zl_group_create(&group, it.api.store, "m", NULL, err), err);
    zl_group_close(group);
    zl_bytes bytes;
    zt_assert_ok(zl_store_get_all(it.api.store, "zarr.json", 1 << 20, &bytes, NULL, err), err);
    static const char *const order[] = {"\"a\"", "\"z\"", "\"m\"", "\"a/b\"", "\"a/c\"", "\"z/y\""};
    const char *at = (const char *)bytes.data;
    for (size_t i = 0; i < ZL_COUNT_OF(order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    zl_bytes_release(&bytes);
    zt_api_close(&it.api);
}

typedef struct changer {
    pthread_t thread;
    zl_store *store;
    int number;
    zl_error err;
} changer;

static zl_status change_all(changer *self) {
    static const int64_t one = 1;
    char path[32];
    (void)snprintf(path, sizeof path, "g/a%d", self->number);
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 1;
    options.shape = &one;
    options.dtype = ZL_DTYPE_UINT8;
    for (int i = 0; i < 12; i++) {
        zl_array *array;
        ZL_TRY(zl_array_create(&array, self->store, path, &options, &self->err));
        zl_status status = zl_attributes_set_i64(zl_array_attributes(array), "n", i, &self->err);
        if (status == ZL_OK) {
            status = zl_array_append(array, 0, 1, (zl_const_view){.data = "x"}, NULL, NULL, &self->err);
        }
        zl_array_close(array);
        if (status == ZL_OK && i < 11) status = zl_node_delete(self->store, path, &self->err);
        ZL_TRY(status);
    }
    return ZL_OK;
}

static void *change_in_thread(void *user) {
    (void)change_all(user);
    return NULL;
}

static bool count_stale(void *user, const zl_stale_info *info) {
    print_error("stale: %s %d\n", info->key, (int)info->kind);
    ++*(int *)user;
    return true;
}

static void copies_follow_all_threads(void **state) {
    (void)state;
    changer all[4];
    zt_fault_api it;
    zl_group *group;
    zt_fault_api_begin(&it, NULL);
    it.fault.cls.caps &= ~(ZL_STORE_CONDITIONAL | ZL_STORE_CONDITIONAL_ERASE); /* nothing but our own lock helps */
    zl_error *err = &it.api.err;
    zt_assert_ok(zl_group_create(&group, it.api.store, "g", NULL, err), err);
    zl_group_close(group);
    zt_assert_ok(zl_consolidate(it.api.store, "", err), err);
    for (int i = 0; i < 4; i++) {
        all[i] = (changer){.store = it.api.store, .number = i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, change_in_thread, &all[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        zt_assert_ok(all[i].err.status, &all[i].err);
    }
    int stale = 0;
    bool found = false;
    zt_assert_ok(zl_consolidated_check(it.api.store, "", count_stale, &stale, &found, err), err);
    assert_true(found);
    assert_int_equal(stale, 0);
    zt_api_close(&it.api);
}

/* ---- out of memory */

static bool go_on(void *user, const zl_node_info *info) {
    (void)user;
    (void)info;
    return true;
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = zt_api_try_put(&api, "zarr.json", HOLDER("\"x/y\":" ZT_ARRAY ",\"z\":" ZT_GROUP));
    if (status == ZL_OK) status = zt_api_try_put(&api, "x/y/zarr.json", ZT_ARRAY);
    if (status == ZL_OK) status = zt_api_try_put(&api, "z/zarr.json", ZT_GROUP);
    if (status == ZL_OK) status = zt_api_try_put(&api, "junk/file", "");
    if (status == ZL_OK) status = zl_node_list(api.store, "", true, go_on, NULL, &api.err);
    if (status == ZL_OK) status = zl_consolidate(api.store, "", &api.err);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_with_one_request),
        cmocka_unit_test(lists_ten_thousand_nodes_from_one_document),
        cmocka_unit_test(copies_tell_of_any_hierarchy),
        cmocka_unit_test(ignores_paths_that_no_node_has),
        cmocka_unit_test(notices_what_others_changed),
        cmocka_unit_test(believes_copies_where_nothing_can_be_listed),
        cmocka_unit_test(new_copies_stand_beside_their_siblings),
        cmocka_unit_test(copies_follow_all_threads),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_requests", tests, NULL, NULL);
}
