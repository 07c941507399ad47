/* SPDX-License-Identifier: MIT */
/* Decimal text and binary floats, against the C library's own conversions, in several locales and rounding modes. */
#include <fenv.h>
#include <locale.h>
#include <math.h>

#include "zt.h"

static const uint64_t infinity_bits = UINT64_C(0x7ff) << 52;

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_reads(const char *text, double expected) {
    double value = 12345;
    if (!zl_read_double(text, strlen(text), &value)) fail_msg("\"%s\" was refused", text);
    if (bits_of(value) != bits_of(expected)) fail_msg("\"%s\" gave %a, expected %a", text, value, expected);
}

static void assert_writes(double value, const char *expected) {
    char text[32];
    assert_int_equal(zl_format_double(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

/* ---- texts */

static void test_format(void **state) {
    (void)state;
    assert_writes(0, "0.0");
    assert_writes(-0.0, "-0.0");
    assert_writes(1, "1.0");
    assert_writes(-1.5, "-1.5");
    assert_writes(0.1, "0.1");
    assert_writes(1234567890123456, "1234567890123456.0");
    assert_writes(1e16, "1e+16");
    assert_writes(1e22, "1e+22");
    assert_writes(1e23, "1e+23");
    assert_writes(9007199254740992, "9007199254740992.0");
    assert_writes(0.0001, "0.0001");
    assert_writes(0.00001, "1e-05");
    assert_writes(5e-324, "5e-324");
    assert_writes(-1.7976931348623157e308, "-1.7976931348623157e+308");
    assert_writes(2.2250738585072014e-308, "2.2250738585072014e-308");
    assert_writes(double_of(infinity_bits), "Infinity");
    assert_writes(-double_of(infinity_bits), "-Infinity");
    assert_writes(double_of(infinity_bits + 1), "NaN");
    assert_writes(double_of(UINT64_MAX), "NaN");
    char text[32];
    assert_int_equal(zl_format_float(0.1f, text), 3);
    assert_string_equal(text, "0.1");
    zl_format_float(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e+38");
    zl_format_float(-1e-45f, text);
    assert_string_equal(text, "-1e-45");
    zl_format_float(float_of(0x7fc00001), text);
    assert_string_equal(text, "NaN");
    zl_format_float(float_of(0xff800000), text);
    assert_string_equal(text, "-Infinity");
}

static void test_grammar(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"0", 1},   {"-0", 2},   {"10", 2},  {"1.50", 4},  {"1e5", 3},      {"1E+05", 5}, {"-1.2e-3", 7}, {"01", 1},
        {"1.", 1},  {"1.e5", 1}, {"1e", 1},  {"1e+", 1},   {"1x", 1},       {"1.5.2", 3}, {"", 0},        {"-", 0},
        {".5", 0},  {"+1", 0},   {"e5", 0},  {"NaN", 0},   {"Infinity", 0}, {"0x10", 1},  {" 1", 0},      {"1 ", 1},
        {"--1", 0}, {"1,5", 1},  {"-.5", 0}, {"1e5.0", 3}, {"-01", 2},      {"1e5e5", 3},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        const size_t size = strlen(cases[i].text);
        double value;
        assert_int_equal(zl_scan_number(cases[i].text, size), cases[i].length);
        assert_int_equal(zl_read_double(cases[i].text, size, &value), size > 0 && cases[i].length == size);
    }
}

static void test_read_edges(void **state) {
    (void)state;
    const double infinity = double_of(infinity_bits), most = 1.7976931348623157e308;
    assert_reads("0", 0);
    assert_reads("-0", -0.0);
    assert_reads("0e999999999999999999999999", 0);
    assert_reads("1e999999999999999999999999", infinity);
    assert_reads("-1e999999999999999999999999", -infinity);
    assert_reads("1e-999999999999999999999999", 0);
    assert_reads("-1e-400", -0.0);
    assert_reads("1.7976931348623157e308", most);
    assert_reads("1.7976931348623158079e308", most);     /* just below the middle to 2^1024 */
    assert_reads("1.7976931348623158080e308", infinity); /* just above */
    assert_reads("2.4703282292062327208e-324", 0);       /* half of the smallest, rounded down */
    assert_reads("2.4703282292062327209e-324", 5e-324);
    assert_reads("9007199254740993", 9007199254740992); /* ties to even */
    assert_reads("9007199254740995", 9007199254740996);
    assert_reads("9007199254740993.0000000000000000000000000000001", 9007199254740994);
    assert_reads("0.000000000000000000000000000001e30", 1);
}

/* Digits far beyond what a double needs, and exponents that take them back. */
static void test_read_long(void **state) {
    (void)state;
    enum { SIZE = 5000 };
    char *text = malloc(SIZE + 64);
    text[0] = '0';
    text[1] = '.';
    memset(text + 2, '0', SIZE);
    snprintf(text + 2 + SIZE, 32, "25e%d", SIZE + 1);
    assert_reads(text, 2.5);
    memset(text, '0', SIZE);
    text[0] = '1';
    snprintf(text + SIZE, 32, "e-%d", SIZE - 1);
    assert_reads(text, 1);
    memset(text, '0', SIZE); /* a tie, but for one digit at the end */
    memcpy(text, "9007199254740993.", 17);
    text[SIZE - 1] = '1';
    text[SIZE] = '\0';
    assert_reads(text, 9007199254740994);
    text[SIZE - 1] = '0';
    assert_reads(text, 9007199254740992);
    free(text);
}

/* ---- round trips */

static int significant_digits(const char *text) {
    int count = 0, trailing_zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        count++;
        trailing_zeros = *text == '0' ? trailing_zeros + 1 : 0;
    }
    return count - trailing_zeros;
}

static void check_double(double value) {
    char text[32], shorter[32];
    const size_t size = zl_format_double(value, text);
    assert_int_equal(size, strlen(text));
    assert_reads(text, value);
    if (bits_of(strtod(text, NULL)) != bits_of(value)) fail_msg("%a was written as \"%s\"", value, text);
    const int digits = significant_digits(text);
    if (digits <= 1) return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    if (strtod(shorter, NULL) == value) fail_msg("\"%s\" is not as short as \"%s\"", text, shorter);
    snprintf(shorter, sizeof shorter, "%.*e", digits - 1, value); /* if it reads back, it is the nearest */
    if (strtod(shorter, NULL) == value) assert_int_equal(significant_digits(shorter), digits);
}

static void check_float(float value) {
    char text[32], shorter[32];
    zl_format_float(value, text);
    const float back = strtof(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0) fail_msg("%a was written as \"%s\"", (double)value, text);
    const int digits = significant_digits(text);
    if (digits <= 1) return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, (double)value);
    if (strtof(shorter, NULL) == value) fail_msg("\"%s\" is not as short as \"%s\"", text, shorter);
}

static void test_round_trips(void **state) {
    (void)state;
    zt_random random = zt_random_seed(4);
    for (int i = 0; i < 100000; i++) {
        const uint64_t word = zt_random_next(&random);
        const double value = double_of(word);
        if (isfinite(value)) check_double(value);
        const float narrow = float_of((uint32_t)word);
        if (isfinite(narrow)) check_float(narrow);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) { /* where the gap below is narrower */
        const double power = ldexp(1, exponent);
        check_double(power);
        check_double(nextafter(power, 0));
        check_double(nextafter(power, 2 * power));
        if (exponent >= -149 && exponent < 128) check_float((float)power);
    }
}

static void test_random_texts(void **state) {
    (void)state;
    zt_random random = zt_random_seed(5);
    for (int i = 0; i < 30000; i++) {
        char text[64];
        const int64_t exponent = zt_random_between(&random, -345, 310);
        snprintf(text, sizeof text, "%llu.%0*llue%lld",
                 (unsigned long long)(zt_random_next(&random) >> zt_random_below(&random, 64)),
                 (int)zt_random_between(&random, 1, 20),
                 (unsigned long long)(zt_random_next(&random) >> zt_random_below(&random, 64)), (long long)exponent);
        assert_reads(text, strtod(text, NULL));
    }
}

/* ---- narrower formats */

static void test_rounding_to_odd(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1.00000005960464477539062500000000000000000001", /* a tie of floats, and a little more than a double can say */
        "1.000000059604644775390625",
        "1.00000005960464477539062499999999999999999999",
        "7.006492321624085e-46",
        "7.0064923216240853e-46",
        "3.4028235677973366e38",
        "1e-400",
        "1e400",
        "0",
    };
    for (size_t i = 0; i < ZL_COUNT_OF(texts); i++) {
        double odd;
        assert_true(zl_read_double_odd(texts[i], strlen(texts[i]), &odd));
        assert_true((float)odd == strtof(texts[i], NULL));
    }
    zt_random random = zt_random_seed(6);
    for (int i = 0; i < 30000; i++) {
        char text[64];
        const int digits = (int)zt_random_between(&random, 0, 25);
        const float narrow = float_of((uint32_t)zt_random_next(&random) & 0x7f7fffff);
        const double tie = ((double)narrow + (double)nextafterf(narrow, INFINITY)) / 2; /* exact */
        snprintf(text, sizeof text, "%.*e", digits, tie);
        double odd;
        assert_true(zl_read_double_odd(text, strlen(text), &odd));
        assert_true((float)odd == strtof(text, NULL));
    }
}

/* Every value of a 16-bit format: the text is nearer to it than to its neighbours, and no longer than it can be. */
static void check_narrow(int32_t bits, int32_t min_exponent, int32_t max_exponent, int most_digits) {
    for (int32_t exponent = min_exponent; exponent <= max_exponent; exponent++) {
        const int64_t hidden = INT64_C(1) << (bits - 1);
        for (int64_t m = exponent == min_exponent ? 1 : hidden; m < 2 * hidden; m++) {
            const double value = ldexp((double)m, exponent), half = ldexp(0.5, exponent);
            const bool narrow_below = m == hidden && exponent > min_exponent;
            char text[32];
            double back;
            const size_t size = zl_format_narrow(value, bits, min_exponent, text);
            assert_int_equal(size, strlen(text));
            assert_true(zl_read_double(text, size, &back));
            assert_true(back - value <= half && value - back <= (narrow_below ? half / 2 : half));
            assert_true(significant_digits(text) <= most_digits);
        }
    }
}

static void test_narrow_formats(void **state) {
    (void)state;
    check_narrow(11, -24, 5, 5);   /* float16 */
    check_narrow(8, -133, 120, 4); /* bfloat16 */
    check_narrow(4, -9, 5, 3);     /* float8_e4m3 */
    char text[32];
    zl_format_narrow(0.0999755859375, 11, -24, text); /* float16 nearest to 0.1 */
    assert_string_equal(text, "0.1");
    zl_format_narrow(-448, 4, -9, text);
    assert_string_equal(text, "-450.0");
}

/* ---- surroundings */

static void check_some(void) {
    assert_writes(1234.5, "1234.5");
    assert_writes(0.1, "0.1");
    assert_writes(1e23, "1e+23");
    assert_writes(5e-324, "5e-324");
    assert_reads("1234.5", 1234.5);
    assert_reads("0.1", 0.1);
    assert_reads("1e23", 1e23);
    assert_reads("2.4703282292062327209e-324", 5e-324);
    assert_reads("-1.7976931348623158080e308", -double_of(infinity_bits));
}

static void test_locales(void **state) {
    (void)state;
    /* Decimal comma, and a decimal separator of two bytes. */
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "pt_BR.UTF-8", "ps_AF.UTF-8"};
    int tried = 0;
    for (size_t i = 0; i < ZL_COUNT_OF(names); i++) {
        if (setlocale(LC_ALL, names[i]) == NULL) continue;
        assert_string_not_equal(localeconv()->decimal_point, ".");
        check_some();
        tried++;
    }
    setlocale(LC_ALL, "C");
    if (tried > 0) return;
    print_message("SKIPPED: no locale with a decimal comma is installed (tried de_DE.UTF-8 and others)\n");
    skip();
}

static void test_rounding_modes(void **state) {
    (void)state;
    static const int modes[] = {
        FE_TONEAREST,
#ifdef FE_UPWARD
        FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
        FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
        FE_TOWARDZERO,
#endif
    };
    for (size_t i = 0; i < ZL_COUNT_OF(modes); i++) {
        if (fesetround(modes[i]) == 0) check_some();
    }
    fesetround(FE_TONEAREST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),          cmocka_unit_test(test_grammar),        cmocka_unit_test(test_read_edges),
        cmocka_unit_test(test_read_long),       cmocka_unit_test(test_round_trips),    cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_rounding_to_odd), cmocka_unit_test(test_narrow_formats), cmocka_unit_test(test_locales),
        cmocka_unit_test(test_rounding_modes),
    };
    return cmocka_run_group_tests_name("base number", tests, NULL, NULL);
}
