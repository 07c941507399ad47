/* SPDX-License-Identifier: MIT */
/* Option structs: both ways to initialise one agree, and callers may be older or newer than the library. */
#include "zt.h"

#include "base/base.h"

#define CHECK_INIT(type, init_macro, init_function)                                             \
    do {                                                                                        \
        type by_macro, by_function;                                                             \
        memset(&by_macro, 0, sizeof by_macro);                                                  \
        memset(&by_function, 0xff, sizeof by_function);                                         \
        const type initial = init_macro;                                                        \
        by_macro = initial;                                                                     \
        init_function(&by_function);                                                            \
        assert_int_equal(by_macro.size, sizeof(type));                                          \
        assert_memory_equal(&by_macro, &by_function, sizeof(size_t));                           \
        type copied;                                                                            \
        zl_error err = {0};                                                                     \
        zt_assert_ok(zl_options_copy(&copied, sizeof copied, &by_function, #type, &err), &err); \
        assert_int_equal(copied.size, sizeof copied);                                           \
    } while (0)

static void initialises_all_structs(void **state) {
    (void)state;
    CHECK_INIT(zl_context_options, ZL_CONTEXT_OPTIONS_INIT, zl_context_options_init);
    CHECK_INIT(zl_file_store_options, ZL_FILE_STORE_OPTIONS_INIT, zl_file_store_options_init);
    CHECK_INIT(zl_zip_store_options, ZL_ZIP_STORE_OPTIONS_INIT, zl_zip_store_options_init);
    CHECK_INIT(zl_migrate_options, ZL_MIGRATE_OPTIONS_INIT, zl_migrate_options_init);
    CHECK_INIT(zl_group_options, ZL_GROUP_OPTIONS_INIT, zl_group_options_init);
    CHECK_INIT(zl_array_options, ZL_ARRAY_OPTIONS_INIT, zl_array_options_init);
    CHECK_INIT(zl_read_options, ZL_READ_OPTIONS_INIT, zl_read_options_init);
    CHECK_INIT(zl_write_options, ZL_WRITE_OPTIONS_INIT, zl_write_options_init);
}

typedef struct older {
    size_t size;
    int32_t a;
} older;
typedef struct newer {
    size_t size;
    int32_t a;
    int32_t b;
    const char *c;
} newer;

static void copies_what_both_know(void **state) {
    (void)state;
    zl_error err = {0};
    newer out;
    const older given = {sizeof given, 7};
    memset(&out, 0xff, sizeof out);
    zt_assert_ok(zl_options_copy(&out, sizeof out, &given, "newer", &err), &err);
    assert_int_equal(out.size, sizeof out);
    assert_int_equal(out.a, 7);
    assert_null(out.c);

    older shorter = {0};
    const newer more = {sizeof more, 8, 9, "c"};
    zt_assert_ok(zl_options_copy(&shorter, sizeof shorter, &more, "older", &err), &err);
    assert_int_equal(shorter.size, sizeof shorter);
    assert_int_equal(shorter.a, 8);

    memset(&out, 0xff, sizeof out);
    zt_assert_ok(zl_options_copy(&out, sizeof out, NULL, "newer", &err), &err);
    assert_int_equal(out.size, sizeof out);
    assert_int_equal(out.a, 0);
    assert_null(out.c);

    const newer unset = {0};
    zt_assert_fails(zl_options_copy(&out, sizeof out, &unset, "newer", &err), &err, ZL_ERR_INVALID_ARGUMENT,
                    "newer: size is 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialises_all_structs),
        cmocka_unit_test(copies_what_both_know),
    };
    return cmocka_run_group_tests_name("api_options", tests, NULL, NULL);
}
