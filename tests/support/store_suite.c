/* SPDX-License-Identifier: MIT */
#include "store_suite.h"

#include "base/thread.h"

/* ---- the bench */

void store_bench_open(store_bench *bench, const store_fixture *fixture) {
    *bench = (store_bench){.fixture = fixture, .cls = fixture->cls};
    bench->allocator = zt_allocator(&bench->memory, 0);
    bench->call = (zl_store_call){.size = sizeof(zl_store_call), .allocator = &bench->allocator, .err = &bench->err};
    zt_assert_ok(fixture->open(fixture, &bench->self, &bench->allocator, &bench->err), &bench->err);
}

void store_bench_close(store_bench *bench) {
    zt_assert_ok(bench->cls->close(bench->self, &bench->err), &bench->err);
    zt_assert_no_leak(&bench->memory);
    if (bench->fixture->discard != NULL) bench->fixture->discard(bench->fixture);
}

void store_bench_set(store_bench *bench, const char *key, const char *text) {
    const zl_span span = {(const uint8_t *)text, strlen(text)};
    zt_assert_ok(bench->cls->set(bench->self, key, &span, 1, NULL, &bench->call), &bench->err);
}

void store_bench_expect(store_bench *bench, const char *key, const char *text) {
    zl_request whole = {.length = ZL_TO_END};
    zt_assert_ok(bench->cls->get(bench->self, key, &whole, 1, NULL, NULL, &bench->call), &bench->err);
    assert_int_equal(whole.bytes.size, strlen(text));
    assert_memory_equal(whole.bytes.data, text, strlen(text));
    zl_bytes_release(&whole.bytes);
}

typedef struct name_list {
    size_t count;
    size_t stop_at;
    char *name[64];
} name_list;

static bool collect_name(void *user, const char *name, bool is_prefix) {
    name_list *list = user;
    char *copy = malloc(strlen(name) + 2);
    if (copy == NULL || list->count == ZL_COUNT_OF(list->name)) abort();
    strcpy(copy, name);
    if (is_prefix) strcat(copy, "/");
    list->name[list->count++] = copy;
    return list->count != list->stop_at;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void store_bench_names(store_bench *bench, const char *prefix, char names[STORE_NAMES_MAX]) {
    name_list list = {0};
    const zl_status status = bench->cls->list(bench->self, prefix, collect_name, &list, &bench->call);
    if (status != ZL_ERR_NOT_FOUND) zt_assert_ok(status, &bench->err);
    assert_true((status == ZL_ERR_NOT_FOUND) == (list.count == 0));
    qsort(list.name, list.count, sizeof list.name[0], compare_names);
    names[0] = '\0';
    for (size_t i = 0; i < list.count; i++) {
        assert_true(strlen(names) + strlen(list.name[i]) + 2 <= STORE_NAMES_MAX);
        strcat(strcat(names, list.name[i]), " ");
        free(list.name[i]);
    }
}

zl_store *store_bench_handle(store_bench *bench, zl_store *out) {
    *out = (zl_store){.cls = bench->cls, .self = bench->self, .allocator = &bench->allocator};
    atomic_init(&out->references, 1);
    return out;
}

static void expect_missing(store_bench *bench, const char *key) {
    zl_request whole = {.length = ZL_TO_END};
    zl_object_info info;
    zl_error_clear(&bench->err);
    assert_int_equal(bench->cls->get(bench->self, key, &whole, 1, NULL, &info, &bench->call), ZL_ERR_NOT_FOUND);
    assert_int_equal(bench->cls->info(bench->self, key, &info, &bench->call), ZL_ERR_NOT_FOUND);
    assert_int_equal(bench->cls->erase(bench->self, key, NULL, &bench->call), ZL_ERR_NOT_FOUND);
    assert_string_equal(bench->err.message, "");
}

static zl_generation generation_of(store_bench *bench, const char *key) {
    zl_object_info info = {0};
    zt_assert_ok(bench->cls->info(bench->self, key, &info, &bench->call), &bench->err);
    return info.generation;
}

static bool same_generation(zl_generation a, zl_generation b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- objects */

static void test_set_and_get(store_bench *bench) {
    const zl_span spans[] = {{(const uint8_t *)"whole ", 6}, {NULL, 0}, {(const uint8_t *)"object", 6}};
    zt_assert_ok(bench->cls->set(bench->self, "a/b/c", spans, 3, NULL, &bench->call), &bench->err);
    store_bench_expect(bench, "a/b/c", "whole object");
    zl_object_info info, got;
    zt_assert_ok(bench->cls->info(bench->self, "a/b/c", &info, &bench->call), &bench->err);
    assert_int_equal(info.size, 12);
    assert_false(same_generation(info.generation, (zl_generation){{0, 0}}));
    zt_assert_ok(bench->cls->get(bench->self, "a/b/c", NULL, 0, NULL, &got, &bench->call), &bench->err);
    assert_int_equal(got.size, 12);
    assert_true(same_generation(info.generation, got.generation));

    store_bench_set(bench, "a/b/c", "other object");
    store_bench_expect(bench, "a/b/c", "other object");
    assert_false(same_generation(info.generation, generation_of(bench, "a/b/c")));
    zt_assert_ok(bench->cls->erase(bench->self, "a/b/c", NULL, &bench->call), &bench->err);
    expect_missing(bench, "a/b/c");
}

/* Versions of one size, written as fast as it goes. */
static void test_generations(store_bench *bench) {
    enum { COUNT = 200 };
    zl_generation seen[COUNT];
    for (int i = 0; i < COUNT; i++) {
        store_bench_set(bench, "key", i % 2 ? "old" : "new");
        seen[i] = generation_of(bench, "key");
        for (int k = 0; k < i; k++)
            assert_false(same_generation(seen[i], seen[k]));
    }
}

static void test_missing(store_bench *bench) {
    expect_missing(bench, "nothing");
    expect_missing(bench, "no/such/key");
    store_bench_set(bench, "a/b", "x");
    expect_missing(bench, "a/c");
    expect_missing(bench, "b/a/b");
    char names[STORE_NAMES_MAX];
    store_bench_names(bench, "none", names);
    assert_string_equal(names, "");
}

static void test_empty_object(store_bench *bench) {
    zt_assert_ok(bench->cls->set(bench->self, "empty", NULL, 0, NULL, &bench->call), &bench->err);
    store_bench_expect(bench, "empty", "");
    uint8_t byte = 7;
    zl_request requests[] = {{.length = ZL_TO_END, .into = &byte, .cap = 1}, {.suffix = true, .length = 0}};
    zl_object_info info = {.size = 99};
    zt_assert_ok(bench->cls->get(bench->self, "empty", requests, 2, NULL, &info, &bench->call), &bench->err);
    assert_int_equal(info.size, 0);
    assert_int_equal(requests[0].bytes.size, 0);
    assert_int_equal(byte, 7);
    zl_bytes_release(&requests[1].bytes);
    requests[0] = (zl_request){.length = 1};
    zt_assert_fails(bench->cls->get(bench->self, "empty", requests, 1, NULL, NULL, &bench->call), &bench->err,
                    ZL_ERR_CORRUPT, "empty");
}

static void test_keys(store_bench *bench) {
    static const char *const keys[] = {"a",
                                       "with space/b c",
                                       "\xc3\xa9t\xc3\xa9/\xe6\x97\xa5/\xf0\x9f\x8c\x8d",
                                       "...",
                                       ".hidden",
                                       "a..b/..c/d..",
                                       "c/0/1/2/3/4",
                                       "zarr.json",
                                       "tab\tnewline\n",
                                       "100%25?#&=",
                                       "-rf",
                                       "back\\slash"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++) {
        zt_assert_ok(zl_store_check_key(keys[i], &bench->err), &bench->err);
        store_bench_set(bench, keys[i], keys[i]);
    }
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++)
        store_bench_expect(bench, keys[i], keys[i]);
    char longest[256] = {0};
    memset(longest, 'n', sizeof longest - 1);
    store_bench_set(bench, longest, "255 bytes");
    store_bench_expect(bench, longest, "255 bytes");
}

/* More spans than one system call takes, and a large one. */
static void test_many_spans(store_bench *bench) {
    enum { COUNT = 3000, LARGE = 1 << 20 };
    uint8_t *large = malloc(LARGE);
    zl_span *spans = calloc(COUNT + 1, sizeof *spans);
    assert_true(large != NULL && spans != NULL);
    zt_random random = zt_random_seed(1);
    zt_random_fill(&random, large, LARGE);
    size_t size = 0;
    for (size_t i = 0; i < COUNT; i++) {
        spans[i] = (zl_span){large + size, i % 7};
        size += i % 7;
    }
    spans[COUNT] = (zl_span){large + size, LARGE - size};
    zt_assert_ok(bench->cls->set(bench->self, "key", spans, COUNT + 1, NULL, &bench->call), &bench->err);
    zl_request whole = {.length = ZL_TO_END};
    zt_assert_ok(bench->cls->get(bench->self, "key", &whole, 1, NULL, NULL, &bench->call), &bench->err);
    assert_int_equal(whole.bytes.size, LARGE);
    assert_memory_equal(whole.bytes.data, large, LARGE);
    zl_bytes_release(&whole.bytes);
    free(spans);
    free(large);
}

/* ---- ranges */

static void expect_range(store_bench *bench, zl_request request, const char *text) {
    char into[16];
    memset(into, '?', sizeof into);
    for (int i = 0; i < 2; i++) {
        zt_assert_ok(bench->cls->get(bench->self, "key", &request, 1, NULL, NULL, &bench->call), &bench->err);
        assert_int_equal(request.bytes.size, strlen(text));
        assert_memory_equal(request.bytes.data, text, strlen(text));
        if (request.into != NULL) assert_ptr_equal(request.bytes.data, into);
        zl_bytes_release(&request.bytes);
        request.into = into;
        request.cap = strlen(text);
    }
    assert_int_equal(into[strlen(text)], '?');
}

static void test_ranges(store_bench *bench) {
    store_bench_set(bench, "key", "0123456789");
    expect_range(bench, (zl_request){.length = ZL_TO_END}, "0123456789");
    expect_range(bench, (zl_request){.offset = 3, .length = 4}, "3456");
    expect_range(bench, (zl_request){.offset = 9, .length = ZL_TO_END}, "9");
    expect_range(bench, (zl_request){.offset = 10, .length = ZL_TO_END}, "");
    expect_range(bench, (zl_request){.offset = 10, .length = 0}, "");
    expect_range(bench, (zl_request){.offset = 4, .length = ZL_TO_END, .suffix = true}, "6789");
    expect_range(bench, (zl_request){.offset = 4, .length = 2, .suffix = true}, "67");
    expect_range(bench, (zl_request){.offset = 10, .length = 10, .suffix = true}, "0123456789");
    expect_range(bench, (zl_request){.offset = 5, .length = ZL_TO_END, .cap = 5}, "56789");
}

static void test_several_ranges(store_bench *bench) {
    store_bench_set(bench, "key", "0123456789");
    char into[4];
    zl_request requests[] = {{.offset = 1, .length = 2},
                             {.offset = 3, .length = 4, .into = into, .cap = sizeof into},
                             {.offset = 1, .length = ZL_TO_END, .suffix = true}};
    zl_object_info info = {0};
    zt_assert_ok(bench->cls->get(bench->self, "key", requests, 3, NULL, &info, &bench->call), &bench->err);
    assert_int_equal(info.size, 10);
    assert_memory_equal(requests[0].bytes.data, "12", 2);
    assert_memory_equal(into, "3456", 4);
    assert_memory_equal(requests[2].bytes.data, "9", 1);
    for (size_t i = 0; i < ZL_COUNT_OF(requests); i++)
        zl_bytes_release(&requests[i].bytes);
}

static void expect_bad_range(store_bench *bench, zl_request request, zl_status expected) {
    zl_request requests[] = {{.length = 2}, request}; /* the first one is given back */
    zl_object_info info = {0};
    zt_assert_fails(bench->cls->get(bench->self, "key", requests, 2, NULL, &info, &bench->call), &bench->err, expected,
                    "key");
    assert_int_equal(info.size, 10);
    assert_null(requests[0].bytes.data);
    assert_null(requests[1].bytes.data);
}

static void test_bad_ranges(store_bench *bench) {
    store_bench_set(bench, "key", "0123456789");
    char into[4];
    expect_bad_range(bench, (zl_request){.offset = 11, .length = 0}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = 11, .length = ZL_TO_END}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = 5, .length = 6}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = 5, .length = UINT64_MAX - 1}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = UINT64_MAX, .length = 1}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = 11, .length = ZL_TO_END, .suffix = true}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.offset = 4, .length = 5, .suffix = true}, ZL_ERR_CORRUPT);
    expect_bad_range(bench, (zl_request){.length = ZL_TO_END, .into = into, .cap = sizeof into}, ZL_ERR_LIMIT);
    expect_bad_range(bench, (zl_request){.length = 5, .into = into, .cap = sizeof into}, ZL_ERR_LIMIT);
    expect_bad_range(bench, (zl_request){.length = ZL_TO_END, .cap = 9}, ZL_ERR_LIMIT);
}

/* What a get gave stays as it was, whatever becomes of the key. */
static void test_bytes_outlive_object(store_bench *bench) {
    store_bench_set(bench, "key", "first");
    zl_request whole = {.length = ZL_TO_END};
    zt_assert_ok(bench->cls->get(bench->self, "key", &whole, 1, NULL, NULL, &bench->call), &bench->err);
    store_bench_set(bench, "key", "other");
    assert_memory_equal(whole.bytes.data, "first", 5);
    zt_assert_ok(bench->cls->erase(bench->self, "key", NULL, &bench->call), &bench->err);
    assert_memory_equal(whole.bytes.data, "first", 5);
    zl_bytes_release(&whole.bytes);
}

/* ---- conditions */

static zl_status set_if(store_bench *bench, const char *key, zl_generation generation) {
    const zl_condition condition = {ZL_IF_GENERATION, generation};
    const zl_span span = {(const uint8_t *)"x", 1};
    return bench->cls->set(bench->self, key, &span, 1, &condition, &bench->call);
}

static zl_status get_if(store_bench *bench, const char *key, zl_generation generation) {
    const zl_condition condition = {ZL_IF_GENERATION, generation};
    return bench->cls->get(bench->self, key, NULL, 0, &condition, NULL, &bench->call);
}

static zl_status erase_if(store_bench *bench, const char *key, zl_generation generation) {
    const zl_condition condition = {ZL_IF_GENERATION, generation};
    return bench->cls->erase(bench->self, key, &condition, &bench->call);
}

/* Where nobody else writes, all stores keep them. */
static void test_conditions(store_bench *bench) {
    const zl_generation none = {{0, 0}};
    zt_assert_ok(set_if(bench, "key", none), &bench->err);
    zt_assert_fails(set_if(bench, "key", none), &bench->err, ZL_ERR_CONFLICT, "key");
    const zl_generation first = generation_of(bench, "key");
    zt_assert_ok(get_if(bench, "key", first), &bench->err);
    zt_assert_ok(set_if(bench, "key", first), &bench->err);
    zt_assert_fails(set_if(bench, "key", first), &bench->err, ZL_ERR_CONFLICT, "key");
    zt_assert_fails(get_if(bench, "key", first), &bench->err, ZL_ERR_CONFLICT, "key");
    zt_assert_fails(get_if(bench, "key", none), &bench->err, ZL_ERR_CONFLICT, "key");
    zt_assert_fails(erase_if(bench, "key", first), &bench->err, ZL_ERR_CONFLICT, "key");
    const zl_generation second = generation_of(bench, "key");
    zt_assert_ok(erase_if(bench, "key", second), &bench->err);
    expect_missing(bench, "key");
    zt_assert_fails(get_if(bench, "key", second), &bench->err, ZL_ERR_CONFLICT, "key");
    zt_assert_fails(set_if(bench, "key", second), &bench->err, ZL_ERR_CONFLICT, "key");
    zt_assert_fails(erase_if(bench, "key", second), &bench->err, ZL_ERR_CONFLICT, "key");
    assert_int_equal(get_if(bench, "key", none), ZL_ERR_NOT_FOUND);
    assert_int_equal(erase_if(bench, "key", none), ZL_ERR_NOT_FOUND);
    expect_missing(bench, "key");
}

/* ---- listing and removing */

static void fill_tree(store_bench *bench) {
    static const char *const keys[] = {"zarr.json", "g/zarr.json", "g/a/c/0", "g/a/c/1/0", "g/a-1/x",
                                       "g/a.b",     "g/a0",        "g2/x",    "g-2"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++)
        store_bench_set(bench, keys[i], keys[i]);
}

static void test_list(store_bench *bench) {
    char names[STORE_NAMES_MAX];
    store_bench_names(bench, "", names);
    assert_string_equal(names, "");
    fill_tree(bench);
    store_bench_names(bench, "", names);
    assert_string_equal(names, "g-2 g/ g2/ zarr.json ");
    store_bench_names(bench, "g", names);
    assert_string_equal(names, "a-1/ a.b a/ a0 zarr.json ");
    store_bench_names(bench, "g/a/c", names);
    assert_string_equal(names, "0 1/ ");
    store_bench_names(bench, "g/a/c/0", names);
    assert_string_equal(names, "");
    store_bench_names(bench, "g/b", names);
    assert_string_equal(names, "");
}

static void test_list_stops(store_bench *bench) {
    fill_tree(bench);
    name_list list = {.stop_at = 2};
    zt_assert_ok(bench->cls->list(bench->self, "g", collect_name, &list, &bench->call), &bench->err);
    assert_int_equal(list.count, 2);
    free(list.name[0]);
    free(list.name[1]);
}

static bool rewrite_object(void *user, const char *name, bool is_prefix) {
    store_bench *bench = user;
    if (!is_prefix && strcmp(name, "g-2") == 0) store_bench_set(bench, "g-2", "from the listing");
    return true;
}

static void test_list_callback_uses_store(store_bench *bench) {
    fill_tree(bench);
    zt_assert_ok(bench->cls->list(bench->self, "", rewrite_object, bench, &bench->call), &bench->err);
    store_bench_expect(bench, "g-2", "from the listing");
}

static void check_erase_prefix(store_bench *bench, zl_store *store) {
    fill_tree(bench);
    zt_assert_ok(zl_store_erase_prefix(store, "none/at/all", &bench->err), &bench->err);
    zt_assert_ok(zl_store_erase_prefix(store, "g-2", &bench->err), &bench->err);
    zt_assert_ok(zl_store_erase_prefix(store, "g/a", &bench->err), &bench->err);
    expect_missing(bench, "g/a/c/0");
    expect_missing(bench, "g/a/c/1/0");
    store_bench_expect(bench, "g/a-1/x", "g/a-1/x");
    store_bench_expect(bench, "g/a.b", "g/a.b");
    store_bench_expect(bench, "g/a0", "g/a0");
    zt_assert_ok(zl_store_erase_prefix(store, "g", &bench->err), &bench->err);
    expect_missing(bench, "g/a0");
    expect_missing(bench, "g/a-1/x");
    store_bench_expect(bench, "g2/x", "g2/x");
    store_bench_expect(bench, "g-2", "g-2");
    zt_assert_ok(zl_store_erase_prefix(store, "", &bench->err), &bench->err);
    expect_missing(bench, "g2/x");
    expect_missing(bench, "g-2");
    expect_missing(bench, "zarr.json");
    store_bench_set(bench, "g/a/new", "usable again");
}

static void test_erase_prefix(store_bench *bench) {
    zl_store store;
    check_erase_prefix(bench, store_bench_handle(bench, &store));
}

static void test_erase_prefix_by_list(store_bench *bench) {
    zl_store store;
    zl_store_class plain = *bench->cls;
    plain.erase_prefix = NULL;
    store_bench_handle(bench, &store)->cls = &plain;
    check_erase_prefix(bench, &store);
}

/* ---- puts */

static zl_status append_text(store_bench *bench, zl_put *put, const char *text) {
    const zl_span spans[] = {{(const uint8_t *)text, strlen(text)}, {NULL, 0}};
    return bench->cls->put_append(put, spans, 2, &bench->call);
}

static void test_puts(store_bench *bench) {
    if (bench->cls->put_begin == NULL) return;
    zl_put *put;
    zt_assert_ok(bench->cls->put_begin(bench->self, "p/key", &put, &bench->call), &bench->err);
    zt_assert_ok(append_text(bench, put, "piece "), &bench->err);
    expect_missing(bench, "p/key");
    char names[STORE_NAMES_MAX];
    store_bench_names(bench, "p", names);
    assert_string_equal(names, "");
    zt_assert_ok(append_text(bench, put, "by piece"), &bench->err);
    zt_assert_ok(bench->cls->put_commit(put, NULL, &bench->call), &bench->err);
    store_bench_expect(bench, "p/key", "piece by piece");

    zt_assert_ok(bench->cls->put_begin(bench->self, "p/key", &put, &bench->call), &bench->err);
    zt_assert_ok(append_text(bench, put, "lost"), &bench->err);
    bench->cls->put_abort(put);
    store_bench_expect(bench, "p/key", "piece by piece");

    zt_assert_ok(bench->cls->put_begin(bench->self, "p/key", &put, &bench->call), &bench->err);
    const zl_condition none = {.kind = ZL_IF_GENERATION};
    zt_assert_fails(bench->cls->put_commit(put, &none, &bench->call), &bench->err, ZL_ERR_CONFLICT, "p/key");
    store_bench_expect(bench, "p/key", "piece by piece");

    zt_assert_ok(bench->cls->put_begin(bench->self, "p/empty", &put, &bench->call), &bench->err);
    zt_assert_ok(bench->cls->put_commit(put, NULL, &bench->call), &bench->err);
    store_bench_expect(bench, "p/empty", "");
}

/* ---- threads */

typedef struct crew {
    store_bench *bench;
    atomic_int number;
    atomic_int failures;
    atomic_bool stop;
} crew;

enum { CREW_SIZE = 4, ROUNDS = 150, OBJECT_MAX = 20000 };

static void run_crew(crew *all, void *(*run)(void *)) {
    zl_thread threads[CREW_SIZE];
    for (int i = 0; i < CREW_SIZE; i++)
        zt_assert_ok(zl_thread_start(&threads[i], run, all, &all->bench->err), &all->bench->err);
    for (int i = 0; i < CREW_SIZE; i++)
        zl_thread_join(threads[i]);
    assert_int_equal(atomic_load(&all->failures), 0);
}

/* Objects are one byte value, as often as a number that only depends on it. */
static size_t size_of_value(uint8_t value) {
    return 1 + (size_t)value * 7919 % OBJECT_MAX;
}

static bool is_whole(const zl_bytes *bytes, const zl_object_info *info) {
    if (bytes->size == 0 || bytes->size != size_of_value(bytes->data[0]) || info->size != bytes->size) return false;
    return memcmp(bytes->data, bytes->data + 1, bytes->size - 1) == 0;
}

static void *set_and_get(void *user) {
    crew *all = user;
    const store_bench *bench = all->bench;
    zl_error err;
    zl_store_call call = bench->call;
    call.err = &err;
    const int me = atomic_fetch_add(&all->number, 1);
    uint8_t data[OBJECT_MAX];
    for (int i = 0; i < ROUNDS; i++) {
        const uint8_t value = (uint8_t)(me * ROUNDS + i);
        memset(data, value, sizeof data);
        const zl_span halves[] = {{data, size_of_value(value) / 2},
                                  {data, size_of_value(value) - size_of_value(value) / 2}};
        if (bench->cls->set(bench->self, "c/0", halves, 2, NULL, &call) != ZL_OK) atomic_fetch_add(&all->failures, 1);
        zl_request whole = {.length = ZL_TO_END};
        zl_object_info info;
        if (bench->cls->get(bench->self, "c/0", &whole, 1, NULL, &info, &call) != ZL_OK || !is_whole(&whole.bytes, &info))
            atomic_fetch_add(&all->failures, 1);
        zl_bytes_release(&whole.bytes);
    }
    return NULL;
}

static void test_threads_see_whole_objects(store_bench *bench) {
    crew all = {.bench = bench};
    run_crew(&all, set_and_get);
}

/* One removes everything again and again while the others write: no set fails for it. */
static void *set_or_remove(void *user) {
    crew *all = user;
    const store_bench *bench = all->bench;
    zl_error err = {0};
    zl_store_call call = bench->call;
    call.err = &err;
    const int me = atomic_fetch_add(&all->number, 1);
    const zl_span span = {(const uint8_t *)"x", 1};
    char key[64];
    for (int i = 0; i < ROUNDS; i++) {
        (void)snprintf(key, sizeof key, "d%d/%d/x", i % 3, me);
        const zl_status status = me == 0 ? bench->cls->erase_prefix(bench->self, i % 2 ? "d1" : "", &call)
                                         : bench->cls->set(bench->self, key, &span, 1, NULL, &call);
        if (status == ZL_OK) continue;
        fprintf(stderr, "%s: %s\n", key, err.message);
        atomic_fetch_add(&all->failures, 1);
    }
    return NULL;
}

static void test_threads_set_and_remove(store_bench *bench) {
    if (bench->cls->erase_prefix == NULL) return;
    crew all = {.bench = bench};
    run_crew(&all, set_or_remove);
}

/* ---- memory */

static zl_status use_everything(zl_store *store, const zl_store_call *call) {
    const zl_store_class *cls = store->cls;
    zl_error *err = call->err;
    const zl_span span = {(const uint8_t *)"0123456789", 10};
    zl_put *put = NULL;
    ZL_TRY(cls->set(store->self, "a/b", &span, 1, NULL, call));
    if (cls->put_begin != NULL) {
        ZL_TRY(cls->put_begin(store->self, "a/c", &put, call));
        const zl_status status = cls->put_append(put, &span, 1, call);
        if (status != ZL_OK) {
            cls->put_abort(put);
            return status;
        }
        ZL_TRY(cls->put_commit(put, NULL, call));
    }
    zl_request requests[] = {{.length = 2}, {.offset = 2, .length = 2}};
    ZL_TRY(cls->get(store->self, "a/b", requests, 2, NULL, NULL, call));
    zl_bytes_release(&requests[0].bytes);
    zl_bytes_release(&requests[1].bytes);
    name_list list = {0};
    const zl_status status = cls->list(store->self, "a", collect_name, &list, call);
    for (size_t i = 0; i < list.count; i++)
        free(list.name[i]);
    ZL_TRY(status);
    ZL_TRY(zl_store_erase_prefix(store, "a", err));
    zl_store_class plain = *cls;
    plain.erase_prefix = NULL;
    store->cls = &plain;
    ZL_TRY(cls->set(store->self, "d/e/f", &span, 1, NULL, call));
    ZL_TRY(zl_store_erase_prefix(store, "d", err));
    return ZL_OK;
}

static zl_status use_a_store(const zl_allocator *allocator, void *arg) {
    const store_fixture *fixture = arg;
    zl_error err;
    zl_store store = {.cls = fixture->cls, .allocator = allocator};
    const zl_store_call call = {.size = sizeof call, .allocator = allocator, .err = &err};
    zl_status status = fixture->open(fixture, &store.self, allocator, &err);
    if (status == ZL_OK) {
        status = use_everything(&store, &call);
        const zl_status closed = fixture->cls->close(store.self, &err);
        if (status == ZL_OK) status = closed;
    }
    if (fixture->discard != NULL) fixture->discard(fixture);
    return status;
}

/* ---- the group */

typedef struct suite_test {
    const char *name;
    void (*run)(store_bench *bench);
} suite_test;

#define SUITE_TEST(function) \
    { #function, function }
static const suite_test suite_tests[] = {
    SUITE_TEST(test_set_and_get),
    SUITE_TEST(test_generations),
    SUITE_TEST(test_missing),
    SUITE_TEST(test_empty_object),
    SUITE_TEST(test_keys),
    SUITE_TEST(test_many_spans),
    SUITE_TEST(test_ranges),
    SUITE_TEST(test_several_ranges),
    SUITE_TEST(test_bad_ranges),
    SUITE_TEST(test_bytes_outlive_object),
    SUITE_TEST(test_conditions),
    SUITE_TEST(test_list),
    SUITE_TEST(test_list_stops),
    SUITE_TEST(test_list_callback_uses_store),
    SUITE_TEST(test_erase_prefix),
    SUITE_TEST(test_erase_prefix_by_list),
    SUITE_TEST(test_puts),
    SUITE_TEST(test_threads_see_whole_objects),
    SUITE_TEST(test_threads_set_and_remove),
};

typedef struct suite_run {
    const store_fixture *fixture;
    const suite_test *test;
} suite_run;

static void run_one(void **state) {
    const suite_run *run = *state;
    store_bench bench;
    store_bench_open(&bench, run->fixture);
    run->test->run(&bench);
    store_bench_close(&bench);
}

static void run_out_of_memory(void **state) {
    const suite_run *run = *state;
    zt_run_out_of_memory(use_a_store, (void *)(uintptr_t)run->fixture);
}

int store_suite_run(const store_fixture *fixture) {
    enum { COUNT = ZL_COUNT_OF(suite_tests) };
    suite_run runs[COUNT + 1];
    struct CMUnitTest tests[COUNT + 1];
    for (size_t i = 0; i <= COUNT; i++) {
        runs[i] = (suite_run){fixture, i < COUNT ? &suite_tests[i] : NULL};
        tests[i] = (struct CMUnitTest){.name = i < COUNT ? suite_tests[i].name : "test_out_of_memory",
                                       .test_func = i < COUNT ? run_one : run_out_of_memory,
                                       .initial_state = &runs[i]};
    }
    return cmocka_run_group_tests_name(fixture->name, tests, NULL, NULL);
}
