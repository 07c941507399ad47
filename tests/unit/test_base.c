/* SPDX-License-Identifier: MIT */
/* Errors, UTF-8, checked arithmetic, allocators, arenas and sinks. */
#include <errno.h>

#include "zt.h"

/* ---- errors */

static void test_status_names(void **state) {
    (void)state;
    assert_string_equal(zl_status_name(ZL_OK), "OK");
    assert_string_equal(zl_status_name(ZL_ERR_CORRUPT), "ERR_CORRUPT");
    assert_string_equal(zl_status_text(ZL_ERR_INTERNAL), "internal error");
    assert_string_equal(zl_status_name((zl_status)99), "unknown");
    assert_string_equal(zl_status_text((zl_status)99), "unknown status");
    assert_string_equal(zl_version(), ZL_VERSION_STRING);
}

static void test_fail(void **state) {
    (void)state;
    zl_error err = {.os_code = 7};
    assert_int_equal(zl_fail(&err, ZL_ERR_LIMIT, "%d of %s", 3, "four"), ZL_ERR_LIMIT);
    assert_int_equal(err.status, ZL_ERR_LIMIT);
    assert_int_equal(err.os_code, 0);
    assert_string_equal(err.message, "3 of four");
    assert_int_equal(zl_fail(&err, ZL_ERR_IO, "again: %s", err.message), ZL_ERR_IO); /* its own message as argument */
    assert_string_equal(err.message, "again: 3 of four");
    assert_int_equal(zl_fail(NULL, ZL_ERR_IO, "nobody listens"), ZL_ERR_IO);
    zl_error_clear(&err);
    assert_int_equal(err.status, ZL_OK);
    assert_string_equal(err.message, "");
    zl_error_clear(NULL);
}

static void test_message_is_printable(void **state) {
    (void)state;
    zl_error err;
    zl_fail(&err, ZL_ERR_IO, "key \"%s\"", "a\x1b[2J\nb\x7f");
    assert_string_equal(err.message, "key \"a?[2J?b?\"");
}

static void test_message_is_cut_at_a_character(void **state) {
    (void)state;
    const size_t cap = sizeof((zl_error){0}.message);
    for (size_t prefix = cap - 8; prefix < cap + 2; prefix++) {
        char text[600];
        memset(text, 'x', prefix);
        strcpy(text + prefix, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
        zl_error err;
        zl_fail(&err, ZL_ERR_IO, "%s", text);
        const size_t size = strlen(err.message);
        assert_true(zl_utf8_valid(err.message, size));
        assert_true(size <= cap - 1 && (size > cap - 5 || size == strlen(text)));
        assert_memory_equal(err.message, text, size);
    }
}

static void test_wrap(void **state) {
    (void)state;
    zl_error err;
    zl_fail(&err, ZL_ERR_CORRUPT, "bad frame");
    assert_int_equal(zl_error_wrap(&err, ZL_ERR_CORRUPT, "chunk %s: ", "c/0"), ZL_ERR_CORRUPT);
    assert_string_equal(err.message, "chunk c/0: bad frame");
    assert_int_equal(zl_error_wrap(&err, ZL_OK, "never: "), ZL_OK);
    assert_string_equal(err.message, "chunk c/0: bad frame");
    assert_int_equal(zl_error_wrap(NULL, ZL_ERR_IO, "x"), ZL_ERR_IO);
    for (int i = 0; i < 100; i++) { /* past the end of the message */
        zl_error_wrap(&err, ZL_ERR_CORRUPT, "level \xc3\xa9: ");
    }
    assert_true(zl_utf8_valid(err.message, strlen(err.message)));
    assert_true(strlen(err.message) > sizeof err.message - 4);
}

static void test_os_errors(void **state) {
    (void)state;
    zl_error err;
    assert_int_equal(zl_fail_os(&err, ZL_ERR_IO, ENOENT, "cannot open %s", "x"), ZL_ERR_IO);
    assert_int_equal(err.os_code, ENOENT);
    assert_memory_equal(err.message, "cannot open x: ", 15);
    assert_true(strlen(err.message) > 15);
    assert_int_equal(zl_fail_os(NULL, ZL_ERR_IO, ENOENT, "x"), ZL_ERR_IO);
    assert_int_equal(zl_fail_memory(&err, 12), ZL_ERR_NO_MEMORY);
    assert_string_equal(err.message, "out of memory (12 bytes)");
}

/* ---- UTF-8 */

static void test_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t valid; /* bytes before the first fault; SIZE_MAX = all */
    } cases[] = {
        {"", SIZE_MAX},
        {"plain ascii, more than eight bytes", SIZE_MAX},
        {"\xc2\x80\xdf\xbf", SIZE_MAX},
        {"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", SIZE_MAX},
        {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", SIZE_MAX},
        {"a\x80", 1},
        {"\xc1\xbf", 0},             /* overlong */
        {"\xe0\x9f\xbf", 0},         /* overlong */
        {"\xf0\x8f\xbf\xbf", 0},     /* overlong */
        {"ab\xed\xa0\x80", 2},       /* surrogate */
        {"\xf4\x90\x80\x80", 0},     /* beyond U+10FFFF */
        {"\xf5\x80\x80\x80", 0},     /* no lead */
        {"12345678\xe2\x82", 8},     /* ends too early */
        {"12345678\xe2\x82x", 8},    /* continuation missing */
        {"\xf0\x9f\x98\x80\xff", 4}, /* no byte of UTF-8 */
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        const size_t size = strlen(cases[i].text);
        const size_t valid = cases[i].valid == SIZE_MAX ? size : cases[i].valid;
        assert_int_equal(zl_utf8_check(cases[i].text, size), valid);
        assert_int_equal(zl_utf8_valid(cases[i].text, size), valid == size);
    }
}

static void test_utf8_cut(void **state) {
    (void)state;
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    static const size_t cut[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
    for (size_t size = 0; size < ZL_COUNT_OF(cut); size++) {
        assert_int_equal(zl_utf8_cut(text, size), cut[size]);
    }
}

/* ---- arithmetic */

static void test_arithmetic(void **state) {
    (void)state;
    size_t size;
    int64_t i64;
    uint64_t u64;
    assert_true(zl_mul_size(SIZE_MAX / 2, 2, &size) && size == SIZE_MAX - 1);
    assert_false(zl_mul_size(SIZE_MAX / 2 + 1, 2, &size));
    assert_true(zl_add_size(SIZE_MAX - 1, 1, &size));
    assert_false(zl_add_size(SIZE_MAX, 1, &size));
    assert_false(zl_mul_i64(INT64_MIN, -1, &i64));
    assert_false(zl_add_i64(INT64_MAX, 1, &i64));
    assert_false(zl_mul_u64(UINT64_MAX, 2, &u64));
    assert_false(zl_add_u64(UINT64_MAX, 1, &u64));
    assert_true(zl_sat_add(UINT64_MAX, 1) == UINT64_MAX && zl_sat_add(1, 2) == 3);
    assert_true(zl_sat_mul(UINT64_MAX, 2) == UINT64_MAX && zl_sat_mul(UINT64_MAX, 0) == 0);
    assert_true(zl_ceil_div(7, 3) == 3 && zl_ceil_div(6, 3) == 2 && zl_ceil_div(0, 3) == 0);
}

static void test_shape_count(void **state) {
    (void)state;
    int64_t count;
    assert_true(zl_shape_count(&(zl_shape){.rank = 0}, &count) && count == 1);
    assert_true(zl_shape_count(&(zl_shape){3, {2, 3, 4}}, &count) && count == 24);
    assert_true(zl_shape_count(&(zl_shape){1, {INT64_MAX}}, &count) && count == INT64_MAX);
    assert_false(zl_shape_count(&(zl_shape){2, {INT64_MAX, 2}}, &count));
    assert_false(zl_shape_count(&(zl_shape){3, {INT64_MAX, 2, INT64_MAX}}, &count));
    assert_true(zl_shape_count(&(zl_shape){3, {INT64_MAX, 2, 0}}, &count) && count == 0);
}

/* ---- memory */

static void use_allocator(const zl_allocator *allocator) {
    for (size_t align = 1; align <= 4096; align *= 2) {
        char *ptr = zl_alloc_zero(allocator, 100, align);
        assert_non_null(ptr);
        assert_int_equal((uintptr_t)ptr % align, 0);
        assert_int_equal(ptr[99], 0);
        memset(ptr, 'x', 100);
        ptr = zl_resize(allocator, ptr, 100, 5000, align);
        assert_int_equal((uintptr_t)ptr % align, 0);
        assert_int_equal(ptr[99], 'x');
        ptr = zl_resize(allocator, ptr, 5000, 0, align);
        assert_non_null(ptr);
        zl_free(allocator, ptr, 0);
    }
    void *from_null = zl_resize(allocator, NULL, 0, 10, 8);
    assert_non_null(from_null);
    zl_free(allocator, from_null, 10);
    zl_free(allocator, NULL, 10);
}

static void test_allocators(void **state) {
    (void)state;
    use_allocator(&zl_default_allocator);
    zt_memory memory;
    const zl_allocator counting = zt_allocator(&memory, 0);
    use_allocator(&counting);
    zt_assert_no_leak(&memory);
    zl_default_allocator.free(NULL, NULL, 0);
    void *ptr = zl_default_allocator.resize(NULL, NULL, 0, 8, 64);
    assert_non_null(ptr);
    zl_default_allocator.free(NULL, ptr, 8);
}

static zl_status arena_scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_arena *arena = zl_arena_new(allocator);
    if (arena == NULL) return ZL_ERR_NO_MEMORY;
    zt_random random = zt_random_seed(1);
    zl_status status = ZL_OK;
    for (int i = 0; i < 500 && status == ZL_OK; i++) {
        const size_t size = (size_t)zt_random_below(&random, i % 50 == 0 ? 100000 : 200);
        const size_t align = (size_t)1 << zt_random_below(&random, 8);
        char *ptr = zl_arena_alloc(arena, size, align);
        if (ptr == NULL) {
            status = ZL_ERR_NO_MEMORY;
        } else {
            assert_int_equal((uintptr_t)ptr % align, 0);
            memset(ptr, 0xff, size); /* the sanitizer sees what is outside of a block */
        }
    }
    zl_arena_free(arena);
    return status;
}

static void test_arena(void **state) {
    (void)state;
    zt_run_out_of_memory(arena_scenario, NULL);
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zl_arena *arena = zl_arena_new(&allocator);
    char *a = zl_arena_text(arena, "text\0with NUL", 13);
    assert_memory_equal(a, "text\0with NUL", 14);
    assert_string_equal(zl_arena_text(arena, NULL, 0), "");
    const uint64_t *zero = zl_arena_zero(arena, 64, 8);
    assert_true(zero[0] == 0 && zero[7] == 0);
    assert_non_null(zl_arena_alloc(arena, 0, 1));
    assert_null(zl_arena_alloc(arena, SIZE_MAX - 8, 16));
    assert_null(zl_arena_text(arena, "x", SIZE_MAX));
    assert_string_equal(a, "text");
    zl_arena_free(arena);
    zl_arena_free(NULL);
    zt_assert_no_leak(&memory);
}

/* ---- sinks and bytes */

static zl_status sink_scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_sink sink = {.max = 100000, .allocator = allocator};
    zl_error err;
    zl_status status = ZL_OK;
    for (uint32_t i = 0; i < 25000 && status == ZL_OK; i++) {
        status = zl_sink_append(&sink, &i, sizeof i, &err);
    }
    if (status == ZL_OK) {
        for (uint32_t i = 0; i < 25000; i++) {
            assert_memory_equal(sink.data + i * sizeof i, &i, sizeof i);
        }
        assert_int_equal(sink.size, 100000);
        zt_assert_fails(zl_sink_append(&sink, "x", 1, &err), &err, ZL_ERR_LIMIT, "100000 bytes");
        zt_assert_fails(zl_sink_reserve(&sink, SIZE_MAX, &err), &err, ZL_ERR_LIMIT, "100000 bytes");
        assert_int_equal(sink.size, 100000);
    }
    zl_sink_free(&sink);
    assert_null(sink.data);
    return status;
}

static void test_sinks(void **state) {
    (void)state;
    zt_run_out_of_memory(sink_scenario, NULL);
    uint8_t memory[4];
    zl_error err;
    zl_sink fixed = {.data = memory, .cap = sizeof memory, .max = sizeof memory, .fixed = true};
    zt_assert_ok(zl_sink_append(&fixed, "abc", 3, &err), &err);
    zt_assert_ok(zl_sink_append(&fixed, NULL, 0, &err), &err);
    zt_assert_fails(zl_sink_append(&fixed, "de", 2, &err), &err, ZL_ERR_LIMIT, "4 bytes");
    zt_assert_ok(zl_sink_append(&fixed, "d", 1, &err), &err);
    assert_memory_equal(memory, "abcd", 4);
    zl_sink_free(&fixed); /* the memory is not its own */
    assert_ptr_equal(fixed.data, memory);
}

static void count_release(void *owner) {
    ++*(int *)owner;
}

static void test_bytes(void **state) {
    (void)state;
    int released = 0;
    zl_bytes bytes = {(const uint8_t *)"x", 1, count_release, &released};
    zl_bytes_release(&bytes);
    zl_bytes_release(&bytes);
    assert_int_equal(released, 1);
    assert_null(bytes.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_names),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_message_is_printable),
        cmocka_unit_test(test_message_is_cut_at_a_character),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_os_errors),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_utf8_cut),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_shape_count),
        cmocka_unit_test(test_allocators),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_sinks),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
