/* SPDX-License-Identifier: MIT */
/* What all stores have, and the test support around stores. */
#include "fault_store.h"
#include "store_suite.h"

static zl_status open_memory(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    (void)fixture;
    return zl_store_memory_new(self, allocator, err);
}

static const store_fixture memory_fixture = {.name = "memory", .cls = &zl_store_memory, .open = open_memory};

static void test_check_key(void **state) {
    (void)state;
    static const char *const good[] = {"a", "a/b", "...", ".a", "a.", "..a/b..", " ", "\xc3\xa9", "a\\b", "c:/x"};
    static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "a/.", "./a", "a/../b", "../a", "a/.."};
    zl_error err;
    for (size_t i = 0; i < ZL_COUNT_OF(good); i++)
        zt_assert_ok(zl_store_check_key(good[i], &err), &err);
    for (size_t i = 0; i < ZL_COUNT_OF(bad); i++)
        zt_assert_fails(zl_store_check_key(bad[i], &err), &err, ZL_ERR_INVALID_ARGUMENT, bad[i]);
    zt_assert_fails(zl_store_check_key("a/\xff", &err), &err, ZL_ERR_INVALID_ARGUMENT, "UTF-8");
    zt_assert_fails(zl_store_check_key("a/\xed\xa0\x80", &err), &err, ZL_ERR_INVALID_ARGUMENT, "UTF-8");
    zt_assert_fails(zl_store_check_key(NULL, &err), &err, ZL_ERR_INVALID_ARGUMENT, "empty");
    assert_int_equal(zl_store_check_key("a//b", NULL), ZL_ERR_INVALID_ARGUMENT);
}

static void test_whole_objects(void **state) {
    (void)state;
    store_bench bench;
    zl_store store;
    zl_bytes bytes;
    zl_object_info info;
    store_bench_open(&bench, &memory_fixture);
    store_bench_handle(&bench, &store);
    assert_int_equal(zl_store_get_all(&store, "key", 5, &bytes, NULL, &bench.err), ZL_ERR_NOT_FOUND);
    zt_assert_ok(zl_store_set_all(&store, "key", "hello", 5, &bench.err), &bench.err);
    zt_assert_ok(zl_store_get_all(&store, "key", 5, &bytes, &info, &bench.err), &bench.err);
    assert_int_equal(bytes.size, 5);
    assert_int_equal(info.size, 5);
    assert_memory_equal(bytes.data, "hello", 5);
    zl_bytes_release(&bytes);
    zt_assert_fails(zl_store_get_all(&store, "key", 4, &bytes, NULL, &bench.err), &bench.err, ZL_ERR_LIMIT, "key");
    zt_assert_fails(zl_store_get_all(&store, "key", 0, &bytes, NULL, &bench.err), &bench.err, ZL_ERR_LIMIT, "key");
    zt_assert_ok(zl_store_set_all(&store, "key", "x", 1, &bench.err), &bench.err);
    zt_assert_fails(zl_store_get_all(&store, "key", 0, &bytes, NULL, &bench.err), &bench.err, ZL_ERR_LIMIT, "key");
    zt_assert_ok(zl_store_set_all(&store, "key", NULL, 0, &bench.err), &bench.err);
    zt_assert_ok(zl_store_get_all(&store, "key", 0, &bytes, NULL, &bench.err), &bench.err);
    assert_int_equal(bytes.size, 0);
    zl_bytes_release(&bytes);
    assert_ptr_equal(zl_store_retain(&store), &store);
    assert_int_equal(atomic_load(&store.references), 2);
    store_bench_close(&bench);
}

static void test_read_only_class(void **state) {
    (void)state;
    store_bench bench;
    zl_store store;
    store_bench_open(&bench, &memory_fixture);
    zl_store_class plain = zl_store_memory;
    plain.set = NULL;
    plain.erase = NULL;
    plain.erase_prefix = NULL;
    store_bench_handle(&bench, &store)->cls = &plain;
    zt_assert_fails(zl_store_set_all(&store, "key", "x", 1, &bench.err), &bench.err, ZL_ERR_READ_ONLY, "key");
    zt_assert_fails(zl_store_erase_prefix(&store, "pre", &bench.err), &bench.err, ZL_ERR_READ_ONLY, "pre");
    store_bench_close(&bench);
}

/* ---- a failure in the middle of a removal by list and erase is reported, and leaves no memory behind */

static void test_erase_prefix_fails(void **state) {
    (void)state;
    static const uint32_t operations[] = {FAULT_LIST, FAULT_ERASE};
    for (uint32_t nth = 1; nth <= 3; nth++) {
        for (size_t i = 0; i < ZL_COUNT_OF(operations); i++) {
            store_bench bench;
            zl_store store;
            fault_store fault;
            store_bench_open(&bench, &memory_fixture);
            store_bench_set(&bench, "p/a/x", "1");
            store_bench_set(&bench, "p/b/y", "2");
            store_bench_set(&bench, "p/z", "3");
            fault_store_init(&fault, bench.cls, bench.self);
            fault.cls.erase_prefix = NULL;
            store_bench_handle(&bench, &store)->cls = &fault.cls;
            store.self = &fault;
            fault_store_arm(&fault, operations[i], nth, FAULT_FAIL, ZL_ERR_IO);
            zt_assert_fails(zl_store_erase_prefix(&store, "p", &bench.err), &bench.err, ZL_ERR_IO, "injected");
            fault_store_arm(&fault, FAULT_ANY, 0, FAULT_FAIL, ZL_OK);
            zt_assert_ok(zl_store_erase_prefix(&store, "p", &bench.err), &bench.err);
            store_bench_close(&bench);
        }
    }
}

/* ---- the fault store itself */

static zl_status open_fault(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    fault_store *fault = fixture->user;
    void *inner;
    ZL_TRY(zl_store_memory_new(&inner, allocator, err));
    fault_store_init(fault, &zl_store_memory, inner);
    *self = fault;
    return ZL_OK;
}

static void test_faults(void **state) {
    (void)state;
    fault_store fault;
    fault_store_init(&fault, &zl_store_memory, NULL);
    const store_fixture fixture = {.name = "fault", .cls = &fault.cls, .open = open_fault, .user = &fault};
    store_bench bench;
    store_bench_open(&bench, &fixture);
    zl_store store;
    zl_bytes bytes;
    store_bench_handle(&bench, &store);

    fault_store_arm(&fault, FAULT_SET, 2, FAULT_FAIL, ZL_ERR_IO);
    store_bench_set(&bench, "key", "0123456789");
    zt_assert_fails(zl_store_set_all(&store, "key", "new", 3, &bench.err), &bench.err, ZL_ERR_IO, "key");
    store_bench_expect(&bench, "key", "0123456789");
    fault_store_arm(&fault, FAULT_SET, 1, FAULT_FAIL_LATE, ZL_ERR_IO);
    zt_assert_fails(zl_store_set_all(&store, "key", "late", 4, &bench.err), &bench.err, ZL_ERR_IO, "key");
    store_bench_expect(&bench, "key", "late");
    fault_store_arm(&fault, FAULT_SET, 1, FAULT_TRUNCATE, ZL_OK);
    store_bench_set(&bench, "key", "0123456789");
    store_bench_expect(&bench, "key", "01234");
    fault_store_arm(&fault, FAULT_GET | FAULT_SET, 2, FAULT_TRUNCATE, ZL_OK);
    store_bench_set(&bench, "key", "01234567");
    zt_assert_ok(zl_store_get_all(&store, "key", 100, &bytes, NULL, &bench.err), &bench.err);
    assert_int_equal(bytes.size, 4);
    zl_bytes_release(&bytes);
    fault_store_arm(&fault, FAULT_GET, 1, FAULT_FAIL_LATE, ZL_ERR_NOT_FOUND);
    assert_int_equal(zl_store_get_all(&store, "key", 100, &bytes, NULL, &bench.err), ZL_ERR_NOT_FOUND);
    store_bench_expect(&bench, "key", "01234567");
    assert_int_equal(atomic_load(&fault.calls), 2);
    store_bench_close(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_key),       cmocka_unit_test(test_whole_objects),
        cmocka_unit_test(test_read_only_class), cmocka_unit_test(test_erase_prefix_fails),
        cmocka_unit_test(test_faults),
    };
    fault_store fault; /* without a fault it is a store like others */
    fault_store_init(&fault, &zl_store_memory, NULL);
    const store_fixture fixture = {.name = "store_fault.suite", .cls = &fault.cls, .open = open_fault, .user = &fault};
    return cmocka_run_group_tests_name("store", tests, NULL, NULL) + store_suite_run(&fixture);
}
