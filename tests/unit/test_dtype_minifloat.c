/* SPDX-License-Identifier: MIT */
/* Every code of every narrow floating-point format, against its definition, and rounding between all neighbours. */
#include <math.h>

#include "dtype/float_text.h"
#include "dtype/minifloat.h"
#include "zt.h"

/* The value by the definition of the formats, written independently: sign, exponent and mantissa one by one. */
static double define(const zl_minifloat *format, uint64_t code) {
    const bool is_signed = format->kind != ZL_MINIFLOAT_FNU;
    const int exponent_bits = format->bits - format->mantissa_bits - is_signed;
    const uint64_t mantissa = code & ((1u << format->mantissa_bits) - 1);
    const uint64_t exponent = code >> format->mantissa_bits & ((1u << exponent_bits) - 1);
    const bool negative = is_signed && (code >> (format->bits - 1) & 1) != 0;
    const bool last = exponent == (1u << exponent_bits) - 1;
    const bool all_mantissa = mantissa == (1u << format->mantissa_bits) - 1;
    switch (format->kind) {
    case ZL_MINIFLOAT_IEEE:
        if (last && mantissa == 0) return negative ? -(double)INFINITY : (double)INFINITY;
        if (last) return (double)NAN;
        break;
    case ZL_MINIFLOAT_FN:
        if (last && all_mantissa) return (double)NAN;
        break;
    case ZL_MINIFLOAT_FNUZ:
        if (negative && exponent == 0 && mantissa == 0) return (double)NAN;
        break;
    case ZL_MINIFLOAT_FNU: return last ? (double)NAN : pow(2, (double)exponent - format->bias);
    case ZL_MINIFLOAT_FINITE: break;
    }
    const double fraction = (double)mantissa / (double)(1u << format->mantissa_bits);
    const double value =
        exponent == 0 ? fraction * pow(2, 1 - format->bias) : (1 + fraction) * pow(2, (double)exponent - format->bias);
    return negative ? -value : value;
}

static bool same_double(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void test_every_code(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_MINIFLOAT_COUNT; i++) {
        const zl_minifloat *format = &zl_minifloats[i];
        if (format->bits > 16) continue;
        for (uint64_t code = 0; code < UINT64_C(1) << format->bits; code++) {
            const double value = zl_minifloat_to_double(format, code);
            assert_true(same_double(value, define(format, code)));
            assert_int_equal(zl_minifloat_is_nan(format, code), isnan(value) != 0);
            assert_int_equal(zl_minifloat_is_infinite(format, code), isinf(value) != 0);
            uint64_t back = UINT64_MAX;
            assert_true(zl_minifloat_from_double(format, value, &back));
            assert_int_equal(back, isnan(value) ? format->nan : code);
        }
        assert_int_equal(zl_minifloat_has_nan(format), zl_minifloat_is_nan(format, format->nan));
    }
}

/* Between two neighbours: the middle goes to the even code, everything else to the nearer one. */
static void check_between(const zl_minifloat *format, uint64_t low, uint64_t high) {
    const double a = zl_minifloat_to_double(format, low), b = zl_minifloat_to_double(format, high);
    const double middle = a + (b - a) / 2;
    const uint64_t even = format->kind == ZL_MINIFLOAT_FNU ? high : low % 2 == 0 ? low : high;
    uint64_t code;
    assert_true(zl_minifloat_from_double(format, middle, &code));
    assert_int_equal(code, even);
    assert_true(zl_minifloat_from_double(format, nextafter(middle, a), &code));
    assert_int_equal(code, low);
    assert_true(zl_minifloat_from_double(format, nextafter(middle, b), &code));
    assert_int_equal(code, high);
}

static void test_rounding(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_MINIFLOAT_COUNT; i++) {
        const zl_minifloat *format = &zl_minifloats[i];
        if (format->bits > 16) continue;
        const bool is_signed = format->kind != ZL_MINIFLOAT_FNU;
        const uint64_t end = UINT64_C(1) << (format->bits - is_signed);
        for (uint64_t code = 0; code + 1 < end; code++) {
            if (!isfinite(zl_minifloat_to_double(format, code + 1))) break;
            check_between(format, code, code + 1);
        }
    }
}

typedef struct end_case {
    zl_minifloat_index index;
    double largest;
    double overflow; /* the first value that is too large */
    double smallest; /* the least one above 0 */
} end_case;

static const end_case end_cases[] = {
    {ZL_MINIFLOAT_FLOAT4_E2M1FN, 6, 7, 0.5},
    {ZL_MINIFLOAT_FLOAT6_E2M3FN, 7.5, 7.75, 0.125},
    {ZL_MINIFLOAT_FLOAT6_E3M2FN, 28, 30, 0.0625},
    {ZL_MINIFLOAT_FLOAT8_E3M4, 15.5, 15.75, 0x1p-6},
    {ZL_MINIFLOAT_FLOAT8_E4M3, 240, 248, 0x1p-9},
    {ZL_MINIFLOAT_FLOAT8_E4M3FN, 448, 464.00000000000006, 0x1p-9}, /* 464 is a tie, and 448 is even */
    {ZL_MINIFLOAT_FLOAT8_E4M3B11FNUZ, 30, 31, 0x1p-13},
    {ZL_MINIFLOAT_FLOAT8_E4M3FNUZ, 240, 248, 0x1p-10},
    {ZL_MINIFLOAT_FLOAT8_E5M2, 57344, 61440, 0x1p-16},
    {ZL_MINIFLOAT_FLOAT8_E5M2FNUZ, 57344, 61440, 0x1p-17},
    {ZL_MINIFLOAT_FLOAT8_E8M0FNU, 0x1p127, 0x1.8p127, 0x1p-127},
    {ZL_MINIFLOAT_BFLOAT16, 0x1.fep127, 0x1.ffp127, 0x1p-133},
    {ZL_MINIFLOAT_FLOAT16, 65504, 65520, 0x1p-24},
    {ZL_MINIFLOAT_FLOAT32, 0x1.fffffep127, 0x1.ffffffp127, 0x1p-149},
};

static void test_ends_of_ranges(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(end_cases); i++) {
        const end_case *c = &end_cases[i];
        const zl_minifloat *format = &zl_minifloats[c->index];
        uint64_t code;
        assert_true(zl_minifloat_from_double(format, c->largest, &code));
        assert_true(zl_minifloat_to_double(format, code) == c->largest);
        assert_true(zl_minifloat_from_double(format, nextafter(c->overflow, 0), &code));
        assert_true(zl_minifloat_to_double(format, code) == c->largest);
        const bool has_infinity = zl_minifloat_has_infinity(format);
        assert_int_equal(zl_minifloat_from_double(format, c->overflow, &code), has_infinity);
        assert_int_equal(zl_minifloat_from_double(format, 1e308, &code), has_infinity);
        assert_int_equal(zl_minifloat_from_double(format, (double)INFINITY, &code), has_infinity);
        if (has_infinity) assert_true(zl_minifloat_is_infinite(format, code));
        assert_int_equal(zl_minifloat_from_double(format, (double)NAN, &code), zl_minifloat_has_nan(format));
        assert_true(zl_minifloat_from_double(format, c->smallest, &code));
        assert_true(zl_minifloat_to_double(format, code) == c->smallest);
        const bool has_zero = format->kind != ZL_MINIFLOAT_FNU;
        assert_int_equal(zl_minifloat_from_double(format, c->smallest / 2, &code), has_zero);
        assert_int_equal(zl_minifloat_from_double(format, 5e-324, &code), has_zero);
        assert_int_equal(zl_minifloat_from_double(format, -5e-324, &code), has_zero);
        if (has_zero) assert_true(zl_minifloat_to_double(format, code) == 0);
    }
}

/* float32 and float64 as the compiler has them. */
static void test_wide_formats(void **state) {
    (void)state;
    const zl_minifloat *f32 = &zl_minifloats[ZL_MINIFLOAT_FLOAT32];
    const zl_minifloat *f64 = &zl_minifloats[ZL_MINIFLOAT_FLOAT64];
    zt_random random = zt_random_seed(32);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = zt_random_next(&random), code;
        if (i % 3 == 0) bits = (bits & UINT64_C(0x8fffffffffffffff)) | UINT64_C(0x3000000000000000); /* within float */
        if (i % 7 == 0) bits &= UINT64_C(0x800fffffffffffff);                                        /* subnormal */
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) continue;
        assert_true(zl_minifloat_from_double(f64, value, &code));
        assert_true(code == bits);
        assert_true(same_double(zl_minifloat_to_double(f64, code), value));
        const float narrow = (float)value;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        assert_true(zl_minifloat_from_double(f32, value, &code));
        assert_true(code == narrow_bits);
        assert_true(same_double(zl_minifloat_to_double(f32, code), (double)narrow));
    }
}

/* ---- text */

static void test_text_of_every_code(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_MINIFLOAT_COUNT; i++) {
        const zl_minifloat *format = &zl_minifloats[i];
        if (format->bits > 16) continue;
        for (uint64_t code = 0; code < UINT64_C(1) << format->bits; code += format->bits == 16 ? 7 : 1) {
            if (!isfinite(zl_minifloat_to_double(format, code))) continue;
            char text[32];
            const size_t size = zl_float_to_text(format, code, text);
            uint64_t back = UINT64_MAX;
            double value;
            assert_true(zl_float_from_text(format, text, size, &back));
            assert_int_equal(back, code);
            /* other readers take the long way */
            assert_true(zl_read_double(text, size, &value) && zl_minifloat_from_double(format, value, &back));
            assert_int_equal(back, code);
        }
    }
}

/* 1 + 2^-11 is half-way between 1 and the next float16: 0x3c00 is even. Digits far behind the last one of a double decide.
 */
static void test_text_is_rounded_once(void **state) {
    (void)state;
    static const struct {
        zl_minifloat_index index;
        const char *text;
        uint64_t code;
    } cases[] = {
        {ZL_MINIFLOAT_FLOAT16, "1.00048828125", 0x3c00},
        {ZL_MINIFLOAT_FLOAT16, "1.000488281250000000000000000000000000000000001", 0x3c01},
        {ZL_MINIFLOAT_FLOAT16, "100048828125000000000000000000000000000000001e-44", 0x3c01},
        {ZL_MINIFLOAT_FLOAT16, "0.00000100048828125000000000000000000000000001E+6", 0x3c01},
        {ZL_MINIFLOAT_FLOAT16, "1.0014648437499999999999999999999999999999999999", 0x3c01},
        {ZL_MINIFLOAT_FLOAT16, "1.00146484375", 0x3c02},
        {ZL_MINIFLOAT_FLOAT16, "-1.000488281250000000000000000000000000000000001", 0xbc01},
        {ZL_MINIFLOAT_FLOAT16, "2.98023223876953125e-8", 0x0000},
        {ZL_MINIFLOAT_FLOAT16, "2.980232238769531250000000000000000000000000001e-8", 0x0001},
        {ZL_MINIFLOAT_FLOAT16, "65519.999999999999999999999999999999999999999999", 0x7bff},
        {ZL_MINIFLOAT_FLOAT16, "1e-400", 0x0000},
        {ZL_MINIFLOAT_FLOAT16, "-1e-400", 0x8000},
        {ZL_MINIFLOAT_BFLOAT16, "1.0039062500000000000000000000000000000001", 0x3f81},
        {ZL_MINIFLOAT_BFLOAT16, "1.00390625", 0x3f80},
        {ZL_MINIFLOAT_FLOAT32, "1.000000059604644775390625", 0x3f800000},
        {ZL_MINIFLOAT_FLOAT32, "1.0000000596046447753906250000000000000000001", 0x3f800001},
        {ZL_MINIFLOAT_FLOAT32, "7.006492321624085354618e-46", 0x00000000},
        {ZL_MINIFLOAT_FLOAT32, "7.0064923216240853547e-46", 0x00000001},
        {ZL_MINIFLOAT_FLOAT4_E2M1FN, "6.9999999999999999999999999999999", 0x7},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        uint64_t code = UINT64_MAX;
        assert_true(zl_float_from_text(&zl_minifloats[cases[i].index], cases[i].text, strlen(cases[i].text), &code));
        assert_int_equal(code, cases[i].code);
    }
}

static void test_text_out_of_range(void **state) {
    (void)state;
    static const struct {
        zl_minifloat_index index;
        const char *text;
    } cases[] = {
        {ZL_MINIFLOAT_FLOAT16, "65520"},      {ZL_MINIFLOAT_FLOAT16, "1e999999999999999999999"},
        {ZL_MINIFLOAT_FLOAT64, "1.8e308"},    {ZL_MINIFLOAT_FLOAT4_E2M1FN, "7.0"},
        {ZL_MINIFLOAT_FLOAT8_E8M0FNU, "0.0"}, {ZL_MINIFLOAT_FLOAT8_E8M0FNU, "1e-400"},
        {ZL_MINIFLOAT_FLOAT32, "1x"},         {ZL_MINIFLOAT_FLOAT32, ""},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        uint64_t code;
        assert_false(zl_float_from_text(&zl_minifloats[cases[i].index], cases[i].text, strlen(cases[i].text), &code));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code),         cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_ends_of_ranges),     cmocka_unit_test(test_wide_formats),
        cmocka_unit_test(test_text_of_every_code), cmocka_unit_test(test_text_is_rounded_once),
        cmocka_unit_test(test_text_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
