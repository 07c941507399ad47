/* SPDX-License-Identifier: MIT */
/* Values of the time types: conversion between all units, and text. The expected values are worked out by hand, or are what
 * NumPy says where it can count that far. */
#include "dtype/dtype.h"
#include "zt.h"
#include "zt_codec.h"

/* ---- conversion */

static void converts(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        const char *from;
        int32_t from_scale;
        const char *to;
        int32_t to_scale;
        int64_t result;
    } cases[] = {
        {3, "Y", 1, "M", 1, 36},
        {36, "M", 1, "Y", 1, 3},
        {-5, "Y", 2, "M", 5, -24},
        {1, "W", 1, "D", 1, 7},
        {1, "D", 1, "h", 1, 24},
        {1, "h", 1, "m", 1, 60},
        {1, "m", 1, "s", 1, 60},
        {1, "s", 1, "ms", 1, 1000},
        {1, "ms", 1, "us", 1, 1000},
        {1, "us", 1, "ns", 1, 1000},
        {1, "ns", 1, "ps", 1, 1000},
        {1, "ps", 1, "fs", 1, 1000},
        {1, "fs", 1, "as", 1, 1000},
        {-1, "W", 1, "s", 1, -604800},
        {15250, "W", 1, "ns", 1, 9223200000000000000},
        {9223200000000000000, "ns", 1, "W", 1, 15250},
        {9, "s", 1, "as", 1, 9000000000000000000},
        {-9000000000000000000, "as", 1, "s", 1, -9},
        {1, "W", 1, "as", 604800000, 1000000000000000}, /* the ratio alone takes 79 bits */
        {1000000000000000, "as", 604800000, "W", 1, 1},
        {7, "us", 10, "us", 1, 70},
        {70, "us", 1, "us", 10, 7},
        {10, "s", 3, "s", 6, 5},
        {INT64_MAX, "s", INT32_MAX, "s", INT32_MAX, INT64_MAX},
        {-INT64_MAX, "as", 1, "as", 1, -INT64_MAX},
        {4, "generic", 3, "generic", 2, 6},
        {0, "W", INT32_MAX, "as", 1, 0},
        {0, "as", 1, "W", INT32_MAX, 0},
        {ZL_TIME_NAT, "W", INT32_MAX, "as", 1, ZL_TIME_NAT},
        {ZL_TIME_NAT, "as", 1, "W", 5, ZL_TIME_NAT},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_error err;
        int64_t result = 0;
        zt_assert_ok(zl_time_convert(cases[i].value, cases[i].from, cases[i].from_scale, cases[i].to, cases[i].to_scale,
                                     &result, &err),
                     &err);
        assert_int_equal(result, cases[i].result);
    }
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        const char *from;
        int32_t from_scale;
        const char *to;
        int32_t to_scale;
        zl_status status;
        const char *text;
    } cases[] = {
        {1500, "ms", 1, "s", 1, ZL_ERR_INVALID_ARGUMENT, "1500 times 1 ms is no whole number of 1 s"},
        {-7, "M", 1, "Y", 1, ZL_ERR_INVALID_ARGUMENT, "no whole number of 1 Y"},
        {INT64_MAX, "as", 1, "W", 1, ZL_ERR_INVALID_ARGUMENT, "no whole number of 1 W"},
        {10, "s", 1, "s", 3, ZL_ERR_INVALID_ARGUMENT, "no whole number of 3 s"},
        {10, "s", 1, "as", 1, ZL_ERR_LIMIT, "10 times 1 s is more than 2^63-1 times 1 as"},
        {1, "W", 1, "as", 1, ZL_ERR_LIMIT, "more than 2^63-1"},
        {-1, "W", INT32_MAX, "as", 1, ZL_ERR_LIMIT, "more than 2^63-1"},
        {15251, "W", 1, "ns", 1, ZL_ERR_LIMIT, "more than 2^63-1"},
        {-(INT64_C(1) << 62), "s", 2, "s", 1, ZL_ERR_LIMIT, "more than 2^63-1"}, /* would be NaT */
        {1, "Y", 1, "D", 1, ZL_ERR_INVALID_ARGUMENT, "months and years have no fixed length"},
        {31, "D", 1, "M", 1, ZL_ERR_INVALID_ARGUMENT, "months and years have no fixed length"},
        {1, "generic", 1, "s", 1, ZL_ERR_INVALID_ARGUMENT, "generic time has no known length"},
        {1, "Y", 1, "generic", 1, ZL_ERR_INVALID_ARGUMENT, "generic time has no known length"},
        {ZL_TIME_NAT, "Y", 1, "s", 1, ZL_ERR_INVALID_ARGUMENT, "no fixed length"},
        {1, "min", 1, "s", 1, ZL_ERR_INVALID_ARGUMENT, "time unit \"min\" is none of Y, M"},
        {1, "s", 1, NULL, 1, ZL_ERR_INVALID_ARGUMENT, "time unit \"NULL\""},
        {1, "s", 0, "s", 1, ZL_ERR_INVALID_ARGUMENT, "time scale 0"},
        {1, "s", 1, "s", -1, ZL_ERR_INVALID_ARGUMENT, "time scale -1"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_error err;
        int64_t result = 42;
        zt_assert_fails(zl_time_convert(cases[i].value, cases[i].from, cases[i].from_scale, cases[i].to, cases[i].to_scale,
                                        &result, &err),
                        &err, cases[i].status, cases[i].text);
        assert_int_equal(result, 42);
    }
}

static void knows_nat(void **state) {
    (void)state;
    assert_true(zl_time_is_nat(INT64_MIN));
    assert_false(zl_time_is_nat(INT64_MIN + 1));
    assert_false(zl_time_is_nat(0));
}

/* ---- text */

typedef struct format_case {
    int64_t value;
    const char *unit;
    int32_t scale;
    const char *text;
} format_case;

static void check_formats(const char *name, const format_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        zt_codec env;
        zt_assert_ok(zt_codec_init(&env, NULL), NULL);
        char json[160], text[ZL_TIME_TEXT];
        const zl_json *value;
        const zl_dtype *dtype;
        snprintf(json, sizeof json, "{\"name\":\"%s\",\"configuration\":{\"unit\":\"%s\",\"scale_factor\":%d}}", name,
                 cases[i].unit, (int)cases[i].scale);
        zt_assert_ok(zt_codec_json(&env, json, &value), &env.err);
        zt_assert_ok(zl_dtype_parse(value, &env.env, &dtype, &env.err), &env.err);
        assert_int_equal(zl_time_format(dtype, cases[i].value, text, sizeof text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
        zt_codec_close(&env);
    }
}

static void formats_timedelta(void **state) {
    (void)state;
    static const format_case cases[] = {
        {15, "us", 1, "15 us"},
        {-15, "us", 10, "-150 us"},
        {0, "Y", 1, "0 Y"},
        {7, "M", 1, "7 M"},
        {7, "W", 1, "7 W"},
        {7, "D", 1, "7 D"},
        {7, "h", 1, "7 h"},
        {7, "m", 1, "7 m"},
        {1000, "s", 1, "1000 s"},
        {1000007, "ms", 1, "1000007 ms"},
        {1000, "ns", 1000, "1000000 ns"},
        {7, "ps", 1, "7 ps"},
        {7, "fs", 1, "7 fs"},
        {7, "as", 1, "7 as"},
        {7, "generic", 2, "14"},
        {ZL_TIME_NAT, "us", 10, "NaT"},
        {ZL_TIME_NAT, "generic", 1, "NaT"},
        {INT64_MAX, "s", 1, "9223372036854775807 s"},
        {-INT64_MAX, "generic", INT32_MAX, "-19807040619342712359383728129"},
    };
    check_formats("numpy.timedelta64", cases, ZL_COUNT_OF(cases));
}

static void formats_datetime(void **state) {
    (void)state;
    static const format_case cases[] = {
        {54, "Y", 1, "2024"},
        {650, "M", 1, "2024-03"},
        {-1, "M", 1, "1969-12"},
        {2826, "W", 1, "2024-02-29"},
        {-1, "W", 1, "1969-12-25"},
        {19783, "D", 1, "2024-03-01"},
        {19782, "D", 1, "2024-02-29"},
        {11016, "D", 1, "2000-02-29"},
        {-25509, "D", 1, "1900-02-28"},
        {-25508, "D", 1, "1900-03-01"},
        {-1, "D", 1, "1969-12-31"},
        {474804, "h", 1, "2024-03-01T12:00"},
        {-1, "m", 1, "1969-12-31T23:59"},
        {1709294400, "s", 1, "2024-03-01T12:00:00"},
        {170929440, "s", 10, "2024-03-01T12:00:00"},
        {1709294400250, "ms", 1, "2024-03-01T12:00:00.250"},
        {-1, "ms", 1, "1969-12-31T23:59:59.999"},
        {-1000, "ms", 1, "1969-12-31T23:59:59.000"},
        {1709294400000250, "us", 1, "2024-03-01T12:00:00.000250"},
        {1709294400000000001, "ns", 1, "2024-03-01T12:00:00.000000001"},
        {-1000000, "ns", 1, "1969-12-31T23:59:59.999000000"},
        {1, "ps", 1, "1970-01-01T00:00:00.000000000001"},
        {-1, "fs", 1, "1969-12-31T23:59:59.999999999999999"},
        {1, "as", 1, "1970-01-01T00:00:00.000000000000000001"},
        {-INT64_MAX, "as", 1, "1969-12-31T23:59:50.776627963145224193"},
        {ZL_TIME_NAT, "ns", 1, "NaT"},
        {12, "generic", 1, "12"},
        /* Scales that do not fit int64_t when they are multiplied: ticks of 100 ns in the year 9999, and a longer one. */
        {2534023007999999999, "us", 1, "82269-12-28T23:59:59.999999"},
        {2534023007990000000, "ns", 100, "9999-12-31T23:59:59.000000000"},
        {-719528, "D", 1, "0000-01-01"},
        {-719529, "D", 1, "-0001-12-31"},
        {-1971, "Y", 1, "-0001"},
        {2932897, "D", 1, "10000-01-01"},
        {INT64_C(6) << 56, "D", 1, "1183721949741027-04-01"},
        {INT64_MAX, "D", 1, "9223372036854775807 D since 1970"},
        {-INT64_MAX, "Y", INT32_MAX, "-19807040619342712359383728129 Y since 1970"},
    };
    check_formats("numpy.datetime64", cases, ZL_COUNT_OF(cases));
}

static void cuts_text_and_takes_times_only(void **state) {
    (void)state;
    char text[4] = "xyz";
    assert_int_equal(zl_time_format(zl_dtype_builtin(ZL_DTYPE_INT64), 5, text, sizeof text), 0);
    assert_string_equal(text, "");
    zt_codec env;
    zt_assert_ok(zt_codec_init(&env, NULL), NULL);
    const zl_json *value;
    const zl_dtype *dtype;
    zt_assert_ok(zt_codec_json(&env,
                               "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":1}}",
                               &value),
                 &env.err);
    zt_assert_ok(zl_dtype_parse(value, &env.env, &dtype, &env.err), &env.err);
    assert_int_equal(zl_time_format(dtype, 15, text, sizeof text), 5);
    assert_string_equal(text, "15 ");
    assert_int_equal(zl_time_format(dtype, 15, NULL, 0), 5);
    zt_codec_close(&env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converts),         cmocka_unit_test(refuses),
        cmocka_unit_test(knows_nat),        cmocka_unit_test(formats_timedelta),
        cmocka_unit_test(formats_datetime), cmocka_unit_test(cuts_text_and_takes_times_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
