/* SPDX-License-Identifier: MIT */
#include "store_suite.h"

static zl_status open_memory(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    (void)fixture;
    return zl_store_memory_new(self, allocator, err);
}

static const store_fixture memory_fixture = {.name = "store_memory.suite", .cls = &zl_store_memory, .open = open_memory};

/* A key that is an object and a prefix at once. */
static void test_object_and_prefix(void **state) {
    (void)state;
    store_bench bench;
    store_bench_open(&bench, &memory_fixture);
    store_bench_set(&bench, "a", "object");
    store_bench_set(&bench, "a-b", "between them in byte order");
    store_bench_set(&bench, "a/b", "below");
    char names[STORE_NAMES_MAX];
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "a a-b a/ ");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "a", &bench.call), &bench.err);
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "a a-b ");
    store_bench_expect(&bench, "a", "object");
    store_bench_close(&bench);
}

/* A get gives the stored bytes themselves, and they survive the store. */
static void test_lends(void **state) {
    (void)state;
    store_bench bench;
    store_bench_open(&bench, &memory_fixture);
    store_bench_set(&bench, "key", "0123456789");
    zl_request requests[] = {{.length = ZL_TO_END}, {.offset = 4, .length = 3}};
    const size_t allocations = bench.memory.count;
    zt_assert_ok(bench.cls->get(bench.self, "key", requests, 2, NULL, NULL, &bench.call), &bench.err);
    assert_int_equal(bench.memory.count, allocations);
    assert_ptr_equal(requests[0].bytes.data + 4, requests[1].bytes.data);
    assert_int_equal((uintptr_t)requests[0].bytes.data % 64, 0);
    zt_assert_ok(bench.cls->close(bench.self, &bench.err), &bench.err);
    assert_memory_equal(requests[0].bytes.data, "0123456789", 10);
    zl_bytes_release(&requests[0].bytes);
    assert_memory_equal(requests[1].bytes.data, "456", 3);
    zl_bytes_release(&requests[1].bytes);
    zt_assert_no_leak(&bench.memory);
}

static void key_of(uint64_t number, char key[32]) {
    (void)snprintf(key, 32, "g/%u/c/%u", (unsigned)(number % 10), (unsigned)number);
}

/* Takes minutes where an operation looks at all keys. */
static void test_many_keys(void **state) {
    (void)state;
    enum { COUNT = 100003, STEP = 37 };
    store_bench bench;
    void *self;
    bench.err = (zl_error){0};
    bench.call = (zl_store_call){.size = sizeof(zl_store_call), .allocator = &zl_default_allocator, .err = &bench.err};
    zt_assert_ok(zl_store_memory_new(&self, &zl_default_allocator, &bench.err), &bench.err);
    char key[32];
    for (uint64_t i = 0; i < COUNT; i++) {
        key_of(i * STEP % COUNT, key);
        const zl_span span = {(const uint8_t *)key, strlen(key)};
        zt_assert_ok(zl_store_memory.set(self, key, &span, 1, NULL, &bench.call), &bench.err);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        key_of(i, key);
        zl_request whole = {.length = ZL_TO_END};
        zt_assert_ok(zl_store_memory.get(self, key, &whole, 1, NULL, NULL, &bench.call), &bench.err);
        assert_int_equal(whole.bytes.size, strlen(key));
        assert_memory_equal(whole.bytes.data, key, strlen(key));
        zl_bytes_release(&whole.bytes);
    }
    bench.cls = &zl_store_memory;
    bench.self = self;
    char names[STORE_NAMES_MAX];
    store_bench_names(&bench, "g", names); /* ten seeks, not COUNT steps */
    assert_string_equal(names, "0/ 1/ 2/ 3/ 4/ 5/ 6/ 7/ 8/ 9/ ");
    for (uint64_t i = 0; i < COUNT; i += 2) {
        key_of(i, key);
        zt_assert_ok(zl_store_memory.erase(self, key, NULL, &bench.call), &bench.err);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        zl_object_info info;
        key_of(i, key);
        assert_int_equal(zl_store_memory.info(self, key, &info, &bench.call), i % 2 ? ZL_OK : ZL_ERR_NOT_FOUND);
    }
    zt_assert_ok(zl_store_memory.close(self, &bench.err), &bench.err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_and_prefix),
        cmocka_unit_test(test_lends),
        cmocka_unit_test(test_many_keys),
    };
    return store_suite_run(&memory_fixture) + cmocka_run_group_tests_name("store_memory", tests, NULL, NULL);
}
