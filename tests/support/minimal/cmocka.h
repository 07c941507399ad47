/* SPDX-License-Identifier: MIT */
/*
 * As much of cmocka's interface as the tests of kernels use, for machines that have a compiler and an emulator, but no
 * cmocka (script/check). The first check that fails ends the program.
 */
#ifndef ZT_MINIMAL_CMOCKA_H
#define ZT_MINIMAL_CMOCKA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};
#define cmocka_unit_test(function) \
    { #function, function }

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)

static inline _Noreturn void _fail(const char *file, int line) {
    print_error("%s:%d: failed\n", file, line);
    exit(1);
}
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), fail())

static inline void zt_check_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line) {
    if (a == b) return;
    print_error("%s: %#llx and %#llx\n", what, (unsigned long long)a, (unsigned long long)b);
    _fail(file, line);
}
#define assert_true(condition) zt_check_equal(!(condition), 0, #condition, __FILE__, __LINE__)
#define assert_false(condition) zt_check_equal(!(condition), 1, #condition, __FILE__, __LINE__)
#define assert_int_equal(a, b) zt_check_equal((uint64_t)(a), (uint64_t)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_false((const void *)(a) == (const void *)(b))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_memory_equal(a, b, size) assert_int_equal(memcmp((a), (b), (size)), 0)

static inline int zt_run_tests(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                               int (*teardown)(void **)) {
    void *state = NULL;
    if (setup && setup(&state) != 0) return 1;
    for (size_t i = 0; i < count; i++) {
        tests[i].run(&state);
        print_message("passed   %s\n", tests[i].name);
        fflush(stdout);
    }
    return teardown ? teardown(&state) : 0;
}
#define cmocka_run_group_tests(tests, setup, teardown) \
    zt_run_tests(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#endif
