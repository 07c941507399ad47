/* SPDX-License-Identifier: MIT */
/* Paths, probing, listing and deleting. */
#include "zt_api.h"

#include <sys/stat.h>
#include <unistd.h>

#include "api/path.h"

/* ---- paths */

static void checks_paths(void **state) {
    (void)state;
    static const char *const good[] = {"a",  "a/b",         "a b",    "\xc3\xa9/\xe6\xb0\xb4", "a\\..\\b", "...a",
                                       "_a", "zarr.json.d", ".hidden"};
    static const char *const bad[] = {"..",  "a/..",    "../secret", "a/./b",     "a//b",          "/a",         "a/",
                                      "__a", "a/__b/c", "a/....",    "zarr.json", "a/zarr.json/b", "a/\xff\xfe", "//"};
    for (size_t i = 0; i < ZL_COUNT_OF(good); i++) {
        zl_error err = {0};
        char *path = NULL;
        zt_assert_ok(zl_path_copy(&path, good[i], &zl_default_allocator, &err), &err);
        assert_string_equal(path, good[i]);
        zl_text_free(path, &zl_default_allocator);
    }
    for (size_t i = 0; i < ZL_COUNT_OF(bad); i++) {
        zl_error err = {0};
        char *path = NULL;
        zt_assert_fails(zl_path_copy(&path, bad[i], &zl_default_allocator, &err), &err, ZL_ERR_INVALID_ARGUMENT, "path \"");
    }
    char name[ZL_NAME_MAX + 2];
    memset(name, 'x', sizeof name);
    assert_null(zl_name_problem(name, ZL_NAME_MAX));
    assert_non_null(zl_name_problem(name, ZL_NAME_MAX + 1));
}

static void knows_all_names_of_the_root(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "", "/"};
    for (size_t i = 0; i < ZL_COUNT_OF(names); i++) {
        zl_error err = {0};
        char *path = NULL;
        zt_assert_ok(zl_path_copy(&path, names[i], &zl_default_allocator, &err), &err);
        assert_string_equal(path, "");
        zl_text_free(path, &zl_default_allocator);
    }
}

/* ---- a hierarchy with everything in it */

static const char *const hierarchy[][2] = {
    {"zarr.json", ZT_GROUP},
    {"a/zarr.json", ZT_ARRAY},
    {"a/c/0", "xx"},
    {"a/c/zarr.json", ZT_GROUP}, /* below an array: no node */
    {"g/zarr.json", ZT_GROUP},
    {"g/sub/zarr.json", ZT_GROUP},
    {"g-1/zarr.json", ZT_GROUP},
    {"implicit/deep/er/array/zarr.json", ZT_ARRAY},
    {"implicit/empty/readme.txt", "?"},
    {"nothing/readme.txt", "?"},
    {"v2/.zgroup", "{\"zarr_format\":2}"},
    {"v2/array/.zarray", "{\"zarr_format\":2}"},
    {"both/.zarray", "{\"zarr_format\":2}"},
    {"both/zarr.json", ZT_GROUP},
    {"broken/zarr.json", "{"},
    {"broken/below/zarr.json", ZT_GROUP},
    {"__hidden/zarr.json", ZT_GROUP},
    {"._apple/zarr.json", ZT_GROUP},
    {".../zarr.json", ZT_GROUP},
    {".DS_Store", "?"},
};

static zl_status fill(zt_api *api) {
    for (size_t i = 0; i < ZL_COUNT_OF(hierarchy); i++) {
        ZL_TRY(zt_api_try_put(api, hierarchy[i][0], hierarchy[i][1]));
    }
    return ZL_OK;
}

static void begin(zt_api *api, zt_memory *memory) {
    zt_api_begin(api, memory);
    zt_assert_ok(fill(api), &api->err);
}

static void probes(void **state) {
    (void)state;
    static const struct {
        const char *path;
        zl_node_kind kind;
    } cases[] = {
        {NULL, ZL_NODE_GROUP},
        {"a", ZL_NODE_ARRAY},
        {"a/c", ZL_NODE_GROUP}, /* metadata is believed where it is asked for */
        {"a/d", ZL_NODE_NONE},
        {"g", ZL_NODE_GROUP},
        {"implicit", ZL_NODE_IMPLICIT_GROUP},
        {"implicit/deep", ZL_NODE_IMPLICIT_GROUP},
        {"implicit/empty", ZL_NODE_NONE},
        {"nothing", ZL_NODE_NONE},
        {"nowhere/at/all", ZL_NODE_NONE},
        {"v2", ZL_NODE_GROUP},
        {"v2/array", ZL_NODE_ARRAY},
        {"both", ZL_NODE_GROUP},
    };
    zt_memory memory;
    zt_api api;
    begin(&api, &memory);
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_node_kind kind = ZL_NODE_NONE;
        zt_assert_ok(zl_node_probe(api.store, cases[i].path, &kind, &api.err), &api.err);
        if (kind != cases[i].kind) fail_msg("%s is %d", cases[i].path, (int)kind);
    }
    zl_node_kind kind;
    zt_assert_fails(zl_node_probe(api.store, "broken", &kind, &api.err), &api.err, ZL_ERR_METADATA,
                    "broken/zarr.json: line 1");
    zt_assert_fails(zl_node_probe(api.store, "../secret", &kind, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "../secret");
    zt_api_end(&api, &memory);
}

/* ---- listing */

typedef struct log {
    char text[2048];
    size_t size;
    size_t left; /* calls until it says stop; 0: never */
} log;

static bool add_node(void *user, const zl_node_info *info) {
    static const char kinds[] = "?gia";
    log *all = user;
    all->size += (size_t)snprintf(all->text + all->size, sizeof all->text - all->size, "%s %c%d\n", info->path,
                                  kinds[info->kind], (int)info->zarr_format);
    return --all->left != 0;
}

static void check_list(zt_api *api, const char *path, bool recursive, const char *expected) {
    log all = {.size = 0};
    zt_assert_ok(zl_node_list(api->store, path, recursive, add_node, &all, &api->err), &api->err);
    assert_string_equal(all.text, expected);
}

static void lists(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    begin(&api, &memory);
    check_list(&api, NULL, false, "a a3\nboth g3\nbroken ?3\ng g3\ng-1 g3\nimplicit i0\nv2 g2\n");
    check_list(&api, "", true,
               "a a3\nboth g3\nbroken ?3\ng g3\ng-1 g3\ng/sub g3\nimplicit i0\nimplicit/deep i0\nimplicit/deep/er i0\n"
               "implicit/deep/er/array a3\nv2 g2\nv2/array a2\n");
    check_list(&api, "g", true, "g/sub g3\n");
    check_list(&api, "g/sub", true, "");
    check_list(&api, "implicit", false, "implicit/deep i0\n");
    check_list(&api, "implicit/deep/er", true, "implicit/deep/er/array a3\n");

    log all = {.left = 2};
    zt_assert_ok(zl_node_list(api.store, "", true, add_node, &all, &api.err), &api.err);
    assert_string_equal(all.text, "a a3\nboth g3\n");

    zt_assert_fails(zl_node_list(api.store, "a", false, add_node, &all, &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "is an array");
    zt_assert_fails(zl_node_list(api.store, "a/d", false, add_node, &all, &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "below an array");
    zt_assert_fails(zl_node_list(api.store, "nothing", true, add_node, &all, &api.err), &api.err, ZL_ERR_NOT_FOUND,
                    "no group here");
    zt_api_end(&api, &memory);
}

typedef struct keys {
    size_t objects, prefixes;
    bool found; /* `wanted` was among them */
    const char *wanted;
    size_t left; /* calls until it says stop; 0: never */
} keys;

static bool add_key(void *user, const char *key, bool is_prefix) {
    keys *all = user;
    if (is_prefix)
        all->prefixes++;
    else
        all->objects++;
    all->found = all->found || strcmp(key, all->wanted) == 0;
    return --all->left != 0;
}

static void check_keys(zt_api *api, const char *prefix, size_t objects, size_t prefixes, const char *wanted) {
    keys all = {.wanted = wanted};
    zt_assert_ok(zl_store_list(api->store, prefix, add_key, &all, &api->err), &api->err);
    assert_int_equal(all.objects, objects);
    assert_int_equal(all.prefixes, prefixes);
    assert_int_equal(all.found, wanted[0] != '\0');
}

static void lists_all_keys(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    begin(&api, &memory);
    check_keys(&api, NULL, 2, 11, ".DS_Store");
    check_keys(&api, "", 2, 11, "__hidden");
    check_keys(&api, "a", 1, 1, "a/c");
    check_keys(&api, "a/c", 2, 0, "a/c/0");
    check_keys(&api, "a/c/0", 0, 0, "");
    check_keys(&api, "not/there", 0, 0, "");
    keys all = {.wanted = "", .left = 3};
    zt_assert_ok(zl_store_list(api.store, "", add_key, &all, &api.err), &api.err);
    assert_int_equal(all.objects + all.prefixes, 3);
    zt_assert_fails(zl_store_list(api.store, "a/../b", add_key, &all, &api.err), &api.err, ZL_ERR_INVALID_ARGUMENT, "..");
    zt_api_end(&api, &memory);
}

static void lists_an_empty_store(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    check_list(&api, NULL, true, "");
    zt_api_end(&api, &memory);
}

/* Two links that lead back would have more paths than anyone can visit. */
static void does_not_run_in_circles(void **state) {
    (void)state;
    char folder[ZT_PATH_MAX], path[ZT_PATH_MAX + 16];
    zt_temp_make(folder);
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/a/loop%d", folder, i);
        assert_int_equal(symlink("../a", path), 0);
    }
    zl_error err = {0};
    zl_context *context;
    zl_store *store;
    log all = {.size = 0};
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.follow_symlinks = true;
    zt_assert_ok(zl_context_new(&context, NULL, &err), &err);
    zt_assert_ok(zl_store_open_file(&store, context, folder, &options, &err), &err);
    const zl_status status = zl_node_list(store, "", true, add_node, &all, &err);
    assert_true(status == ZL_ERR_LIMIT || status == ZL_ERR_IO); /* the system may give up first */
    zt_assert_ok(zl_store_close(store, &err), &err);
    zl_context_free(context);
    zt_temp_remove(folder);
}

static void stops_at_the_deepest_level(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    char key[512] = "";
    log all = {.size = 0};
    zt_api_begin(&api, &memory);
    for (int i = 0; i < 200; i++) {
        strcat(key, "a/");
    }
    strcat(key, "zarr.json");
    zt_api_put(&api, key, ZT_GROUP);
    zt_assert_fails(zl_node_list(api.store, "", true, add_node, &all, &api.err), &api.err, ZL_ERR_LIMIT, "128 levels");
    zt_api_end(&api, &memory);
}

/* ---- deleting */

static void deletes(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    begin(&api, &memory);
    zt_assert_fails(zl_node_delete(api.store, "nothing", &api.err), &api.err, ZL_ERR_NOT_FOUND, "nothing: no node here");
    assert_true(zt_api_has(&api, "nothing/readme.txt"));
    zt_assert_ok(zl_node_delete(api.store, "g", &api.err), &api.err);
    assert_false(zt_api_has(&api, "g/zarr.json"));
    assert_false(zt_api_has(&api, "g/sub/zarr.json"));
    assert_true(zt_api_has(&api, "g-1/zarr.json"));
    zt_assert_ok(zl_node_delete(api.store, "v2/array", &api.err), &api.err);
    assert_false(zt_api_has(&api, "v2/array/.zarray"));
    assert_true(zt_api_has(&api, "v2/.zgroup"));
    zt_assert_ok(zl_node_delete(api.store, "implicit", &api.err), &api.err);
    zt_assert_ok(zl_node_delete(api.store, "broken", &api.err), &api.err);
    assert_false(zt_api_has(&api, "broken/zarr.json"));
    zt_assert_ok(zl_node_delete(api.store, NULL, &api.err), &api.err);
    zt_api_check_empty(&api);
    zt_api_end(&api, &memory);
}

/* ---- out of memory */

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_node_kind kind;
    log all = {.size = 0};
    zl_status status = fill(&api);
    if (status == ZL_OK) status = zl_node_probe(api.store, "implicit", &kind, &api.err);
    if (status == ZL_OK) status = zl_node_list(api.store, NULL, true, add_node, &all, &api.err);
    keys found = {.wanted = ""};
    if (status == ZL_OK) status = zl_store_list(api.store, "a", add_key, &found, &api.err);
    if (status == ZL_OK) status = zl_node_delete(api.store, "g", &api.err);
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_paths),
        cmocka_unit_test(knows_all_names_of_the_root),
        cmocka_unit_test(probes),
        cmocka_unit_test(lists),
        cmocka_unit_test(lists_all_keys),
        cmocka_unit_test(lists_an_empty_store),
        cmocka_unit_test(does_not_run_in_circles),
        cmocka_unit_test(stops_at_the_deepest_level),
        cmocka_unit_test(deletes),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_node", tests, NULL, NULL);
}
