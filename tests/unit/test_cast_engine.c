/* SPDX-License-Identifier: MIT */
/*
 * The cast engine: exact arithmetic against the machine's own, and the loops of every CPU level against exact arithmetic,
 * for all elements of up to 16 bits, for wide ones where ranges and digits end, and over odd lengths between guards.
 */
#include <fenv.h>
#include <math.h>

#include "codec/number.h"
#include "simd/cast.h"
#include "zt_kernels.h"

/* ---- types and rules */

static const zl_dtype_id ids[] = {
    ZL_DTYPE_INT2,
    ZL_DTYPE_INT4,
    ZL_DTYPE_INT8,
    ZL_DTYPE_INT16,
    ZL_DTYPE_INT32,
    ZL_DTYPE_INT64,
    ZL_DTYPE_UINT2,
    ZL_DTYPE_UINT4,
    ZL_DTYPE_UINT8,
    ZL_DTYPE_UINT16,
    ZL_DTYPE_UINT32,
    ZL_DTYPE_UINT64,
    ZL_DTYPE_FLOAT4_E2M1FN,
    ZL_DTYPE_FLOAT6_E2M3FN,
    ZL_DTYPE_FLOAT6_E3M2FN,
    ZL_DTYPE_FLOAT8_E3M4,
    ZL_DTYPE_FLOAT8_E4M3,
    ZL_DTYPE_FLOAT8_E4M3FN,
    ZL_DTYPE_FLOAT8_E4M3FNUZ,
    ZL_DTYPE_FLOAT8_E4M3B11FNUZ,
    ZL_DTYPE_FLOAT8_E5M2,
    ZL_DTYPE_FLOAT8_E5M2FNUZ,
    ZL_DTYPE_FLOAT8_E8M0FNU,
    ZL_DTYPE_BFLOAT16,
    ZL_DTYPE_FLOAT16,
    ZL_DTYPE_FLOAT32,
    ZL_DTYPE_FLOAT64,
};
#define TYPE_COUNT ZL_COUNT_OF(ids)
/* And a time type at the end of the list of numbers. */
static zl_number numbers[TYPE_COUNT + 1];

static const zl_cast_loops *levels[ZT_LEVELS_MAX]; /* different ones */
static size_t level_count;

static int make_numbers(void **state) {
    (void)state;
    zl_kernels kernels[ZT_LEVELS_MAX];
    unsigned names[ZT_LEVELS_MAX];
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        assert_true(zl_number_of(zl_dtype_builtin(ids[i]), &numbers[i]));
    }
    numbers[TYPE_COUNT] = numbers[5];
    numbers[TYPE_COUNT].is_time = true;
    const size_t count = zt_kernel_levels(kernels, names);
    for (size_t i = 0; i < count; i++) {
        if (level_count == 0 || levels[level_count - 1] != kernels[i].cast) levels[level_count++] = kernels[i].cast;
    }
    return 0;
}

static const zl_number *number_of(zl_dtype_id id) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (ids[i] == id) return &numbers[i];
    }
    fail();
    return NULL;
}

static bool wraps(const zl_number *to) {
    return to->kind != ZL_NUMBER_FLOAT && !to->is_time;
}

static void init(zl_cast_plan *plan, const zl_number *from, const zl_number *to, zl_rounding rounding,
                 zl_out_of_range range, const zl_cast_loops *loops) {
    zl_cast_init(plan, from, to, (zl_cast_rule){rounding, range}, NULL, 0, loops);
}

/* ---- loops against exact arithmetic */

enum { CODES_MAX = 65536 };

/* Elements of one type, what becomes of them when they are clamped or wrapped, and room for results. */
typedef struct sample {
    size_t count;
    uint64_t code[CODES_MAX], result[CODES_MAX];
    zl_cast_outcome outcome[CODES_MAX];
    uint64_t src[CODES_MAX], expected[CODES_MAX], dst[CODES_MAX]; /* memory of elements */
} sample;
static sample s;

static void evaluate(const zl_number *from, const zl_number *to, zl_rounding rounding, zl_out_of_range range) {
    static zl_cast_plan plan;
    init(&plan, from, to, rounding, range, NULL);
    for (size_t i = 0; i < s.count; i++) {
        s.outcome[i] = zl_cast_one(&plan, s.code[i], &s.result[i]);
    }
}

static bool is_refused(size_t i, zl_out_of_range range) {
    return zl_cast_refuses(s.outcome[i]) || (range == ZL_RANGE_ERROR && s.outcome[i] == ZL_CAST_CLAMPED);
}

enum { REFUSED_MAX = 8 };

/* All that is not refused, at once; then a few that are, the last one too, each alone among others. */
static void check_level(const zl_number *from, const zl_number *to, zl_rounding rounding, zl_out_of_range range,
                        const zl_cast_loops *loops) {
    static zl_cast_plan plan;
    char *src = (char *)s.src, *expected = (char *)s.expected;
    size_t accepted = 0, refused = 0;
    init(&plan, from, to, rounding, range, loops);
    for (size_t i = 0; i < s.count; i++) {
        if (is_refused(i, range)) {
            refused++;
            continue;
        }
        zl_number_store(from, src + accepted * from->width, s.code[i]);
        zl_number_store(to, expected + accepted * to->width, s.result[i]);
        accepted++;
    }
    if (accepted == 0) return;
    assert_int_equal(zl_cast_run(&plan, s.dst, src, accepted), accepted);
    assert_memory_equal(s.dst, expected, accepted * to->width);
    const size_t step = refused / REFUSED_MAX + 1;
    for (size_t i = 0; i < s.count && refused > 0; i++) {
        if (!is_refused(i, range) || --refused % step != 0) continue;
        const size_t place = (i * 7 + refused) % accepted % 1000;
        zl_number_store(from, src + place * from->width, s.code[i]);
        assert_int_equal(zl_cast_run(&plan, s.dst, src, accepted), place);
        /* The next one stands among others. */
        memmove(src, src + (place + 1) * from->width, (accepted - place - 1) * from->width);
        accepted -= place + 1;
        if (accepted == 0) return;
    }
}

static void check_pair(const zl_number *from, const zl_number *to, zl_rounding rounding) {
    evaluate(from, to, rounding, ZL_RANGE_CLAMP);
    for (size_t level = 0; level < level_count; level++) {
        check_level(from, to, rounding, ZL_RANGE_ERROR, levels[level]);
        check_level(from, to, rounding, ZL_RANGE_CLAMP, levels[level]);
    }
    if (!wraps(to)) return;
    evaluate(from, to, rounding, ZL_RANGE_WRAP);
    for (size_t level = 0; level < level_count; level++) {
        check_level(from, to, rounding, ZL_RANGE_WRAP, levels[level]);
    }
}

static void check_from(const zl_number *from) {
    for (size_t t = 0; t <= TYPE_COUNT; t++) {
        for (int rounding = 0; rounding < 5; rounding++) {
            check_pair(from, &numbers[t], (zl_rounding)rounding);
        }
    }
}

static void test_narrow(void **state) {
    (void)state;
    for (size_t f = 0; f < TYPE_COUNT; f++) {
        if (numbers[f].bits > 8) continue;
        s.count = (size_t)1 << numbers[f].bits;
        for (size_t i = 0; i < s.count; i++) {
            s.code[i] = i;
        }
        check_from(&numbers[f]);
    }
}

static void test_16_bits(void **state) {
    (void)state;
    s.count = 65536;
    for (size_t i = 0; i < s.count; i++) {
        s.code[i] = (i * 40503) & 65535; /* all of them, mixed */
    }
    for (size_t f = 0; f < TYPE_COUNT; f++) {
        if (numbers[f].bits == 16) check_from(&numbers[f]);
    }
}

/* ---- wide elements: where something changes */

static void add_code(const zl_number *from, uint64_t code) {
    assert_true(s.count < CODES_MAX);
    s.code[s.count++] = code & (UINT64_MAX >> (64 - from->bits));
}

static void add_around(const zl_number *from, uint64_t code) {
    for (int i = -2; i <= 2; i++) {
        add_code(from, code + (uint64_t)i);
    }
}

/* Powers of two and what lies between them, with a few digits set far down; random bits. */
static void add_integers(const zl_number *from, zt_random *random) {
    for (unsigned bit = 0; bit < from->bits; bit++) {
        const uint64_t power = UINT64_C(1) << bit;
        add_around(from, power);
        add_around(from, -power);
        for (int i = 0; i < 8; i++) {
            const uint64_t digits = zt_random_next(random) & (power - 1) & zt_random_next(random);
            add_code(from, power | digits);
            add_code(from, -(power | digits));
            add_around(from, power | (power >> zt_random_below(random, 60)));
        }
    }
}

/* Every exponent with few digits, and values near those of another format and near the middle between two of them. */
static void add_floats(const zl_number *from, const zl_number *to, zt_random *random) {
    static zl_cast_plan back;
    const uint64_t hidden = UINT64_C(1) << from->mantissa_bits, sign = UINT64_C(1) << (from->bits - 1);
    for (uint64_t exponent = 0; exponent < sign / hidden; exponent += 1 + (from->bits == 64) * zt_random_below(random, 5)) {
        const uint64_t digits = zt_random_next(random) & zt_random_next(random) & (hidden - 1);
        add_around(from, exponent * hidden + (hidden >> zt_random_below(random, from->mantissa_bits)));
        add_around(from, sign | (exponent * hidden));
        add_code(from, (zt_random_next(random) & sign) | (exponent * hidden) | digits);
    }
    init(&back, to, from, ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_CLAMP, NULL);
    for (int i = 0; i < 700; i++) {
        uint64_t code = zt_random_next(random) & (UINT64_MAX >> (64 - to->bits)), a, b;
        if (i % 3 == 0) code >>= zt_random_below(random, to->bits);
        if (zl_cast_refuses(zl_cast_one(&back, code, &a)) || zl_cast_refuses(zl_cast_one(&back, code ^ 1, &b))) continue;
        add_around(from, a);
        add_around(from, a + (b - a) / 2); /* codes of one sign count values */
    }
}

static void test_wide(void **state) {
    (void)state;
    zt_random random = zt_random_seed(7);
    for (size_t f = 0; f <= TYPE_COUNT; f++) {
        const zl_number *from = &numbers[f];
        for (size_t t = 0; t <= TYPE_COUNT && from->bits > 16; t++) {
            const zl_number *to = &numbers[t];
            s.count = 0;
            if (from->kind == ZL_NUMBER_FLOAT)
                add_floats(from, to, &random);
            else
                add_integers(from, &random);
            for (int rounding = 0; rounding < 5; rounding++) {
                check_pair(from, to, (zl_rounding)rounding);
            }
        }
    }
}

/* ---- one element among others that are 1: loops ask whether all of some are small */

static void add_ends(const zl_number *from) {
    static const int exponents[] = {-150, -149, -127, -126, -25, -24, 15,  16,  23, 24,
                                    30,   31,   32,   62,   63,  64,  126, 127, 128};
    if (from->kind != ZL_NUMBER_FLOAT) {
        for (unsigned bit = 0; bit < from->bits; bit++) {
            add_around(from, UINT64_C(1) << bit);
            add_around(from, -(UINT64_C(1) << bit));
        }
        return;
    }
    for (size_t i = 0; i < ZL_COUNT_OF(exponents); i++) {
        if (exponents[i] + from->bias <= 0) continue;
        const uint64_t code = (uint64_t)(exponents[i] + from->bias) << from->mantissa_bits;
        add_around(from, code);
        add_around(from, code | UINT64_C(1) << (from->bits - 1));
    }
    add_code(from, 0);
    add_code(from, 1);
    add_code(from, from->largest + 1);
    add_code(from, from->largest + 2); /* NaN of one bit, and of all */
    add_code(from, UINT64_MAX);
    add_code(from, UINT64_MAX >> 1 >> (64 - from->bits));
}

static void check_alone(const zl_number *from, const zl_number *to, zl_rounding rounding, zl_out_of_range range,
                        const zl_cast_loops *loops) {
    enum { COUNT = 128 };
    static zl_cast_plan plan;
    char *src = (char *)s.src, *expected = (char *)s.expected;
    uint64_t one;
    init(&plan, from, to, rounding, range, loops);
    assert_false(zl_cast_refuses(zl_cast_one(&plan, plan.one, &one)));
    for (size_t i = 0; i < COUNT; i++) {
        zl_number_store(from, src + i * from->width, plan.one);
        zl_number_store(to, expected + i * to->width, one);
    }
    for (size_t i = 0; i < s.count; i++) {
        const size_t place = i * 7 % COUNT;
        if (is_refused(i, range)) continue;
        zl_number_store(from, src + place * from->width, s.code[i]);
        zl_number_store(to, expected + place * to->width, s.result[i]);
        assert_int_equal(zl_cast_run(&plan, s.dst, src, COUNT), COUNT);
        assert_memory_equal(s.dst, expected, COUNT * to->width);
        zl_number_store(from, src + place * from->width, plan.one);
        zl_number_store(to, expected + place * to->width, one);
    }
}

static void test_alone(void **state) {
    (void)state;
    for (size_t pair = 0; pair < TYPE_COUNT * TYPE_COUNT; pair++) {
        const zl_number *from = &numbers[pair / TYPE_COUNT], *to = &numbers[pair % TYPE_COUNT];
        if (from->bits <= 16) continue;
        s.count = 0;
        add_ends(from);
        for (int rounding = 0; rounding < 5; rounding++) {
            const zl_out_of_range range = wraps(to) && rounding % 2 ? ZL_RANGE_WRAP : ZL_RANGE_CLAMP;
            evaluate(from, to, (zl_rounding)rounding, range);
            for (size_t level = 0; level < level_count; level++) {
                check_alone(from, to, (zl_rounding)rounding, range, levels[level]);
            }
        }
    }
}

/* ---- exact arithmetic against the machine's */

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

static uint64_t exact(zl_dtype_id from, zl_dtype_id to, zl_rounding rounding, zl_out_of_range range, uint64_t code) {
    zl_cast_plan plan;
    uint64_t out = 0;
    init(&plan, number_of(from), number_of(to), rounding, range, NULL);
    assert_false(zl_cast_refuses(zl_cast_one(&plan, code, &out)));
    return out;
}

static uint64_t bits_of(const void *value, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, value, size); /* little-endian; on others the value stands in front */
    uint32_t half;
    memcpy(&half, value, 4);
    return size == 4 ? half : bits;
}

static void check_machine(uint64_t random_bits, int k) {
    const int64_t integer = (int64_t)random_bits >> (k * 7 % 64);
    double number;
    memcpy(&number, &random_bits, sizeof number);
    number = ldexp(frexp(number, &(int){0}), k % 300 - 160);
    if (!isfinite(number)) return;
    for (int rounding = 0; rounding < 4; rounding++) {
        const zl_rounding r = (zl_rounding)rounding;
        fesetround(modes[rounding]);
        const volatile double wide = number;
        const volatile int64_t whole = integer;
        const volatile float narrow = (float)wide, from_integer = (float)whole;
        const volatile double double_from_integer = (double)whole;
        const double rounded = nearbyint(wide);
        fesetround(FE_TONEAREST);
        const float a = narrow, b = from_integer;
        const double c = double_from_integer;
        const uint64_t code = bits_of(&number, 8);
        if (isfinite(a) && fabsf(a) < 0x1p127f)
            assert_int_equal(exact(ZL_DTYPE_FLOAT64, ZL_DTYPE_FLOAT32, r, ZL_RANGE_ERROR, code), bits_of(&a, 4));
        assert_int_equal(exact(ZL_DTYPE_INT64, ZL_DTYPE_FLOAT32, r, ZL_RANGE_ERROR, (uint64_t)integer), bits_of(&b, 4));
        assert_int_equal(exact(ZL_DTYPE_INT64, ZL_DTYPE_FLOAT64, r, ZL_RANGE_ERROR, (uint64_t)integer), bits_of(&c, 8));
        if (fabs(rounded) < 0x1p62) {
            const int64_t expected = (int64_t)rounded;
            assert_int_equal(exact(ZL_DTYPE_FLOAT64, ZL_DTYPE_INT64, r, ZL_RANGE_ERROR, code), (uint64_t)expected);
            assert_int_equal(exact(ZL_DTYPE_FLOAT64, ZL_DTYPE_INT16, r, ZL_RANGE_WRAP, code), (uint64_t)expected & 65535);
        }
    }
    if (fabs(number) < 0x1p62) {
        const int64_t away = (int64_t)round(number);
        assert_int_equal(
            exact(ZL_DTYPE_FLOAT64, ZL_DTYPE_INT64, ZL_ROUND_NEAREST_AWAY, ZL_RANGE_ERROR, bits_of(&number, 8)),
            (uint64_t)away);
    }
}

static void test_machine(void **state) {
    (void)state;
    zt_random random = zt_random_seed(3);
    for (int k = 0; k < 20000; k++) {
        check_machine(zt_random_next(&random), k);
    }
}

/* The example of the specification: what numpy does with float64 -> uint8. */
static void test_numpy(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    static double src[COUNT];
    static uint8_t dst[COUNT];
    const zl_number *from = number_of(ZL_DTYPE_FLOAT64);
    const double infinity = (double)INFINITY, nan = (double)NAN;
    zl_cast_entry map[] = {{bits_of(&nan, 8), 0, 0}, {bits_of(&infinity, 8), 0, 1}, {0, 0, 2}};
    const double minus = -infinity;
    map[2].key = bits_of(&minus, 8);
    zt_random random = zt_random_seed(11);
    for (size_t i = 0; i < COUNT; i++) {
        src[i] = (double)zt_random_between(&random, -(INT64_C(1) << 62), INT64_C(1) << 62) * 0x1p-31;
        if (i % 97 == 0) src[i] = i % 2 ? nan : i % 4 ? infinity : -infinity;
    }
    static zl_cast_plan plan;
    zl_cast_init(&plan, from, number_of(ZL_DTYPE_UINT8), (zl_cast_rule){ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_WRAP}, map, 3,
                 zl_kernels_get()->cast);
    assert_int_equal(zl_cast_run(&plan, dst, src, COUNT), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const uint8_t expected = isfinite(src[i]) ? (uint8_t)(int64_t)src[i] : 0;
        assert_int_equal(dst[i], expected);
    }
}

/* ---- memory */

/* Values that every type has: 1, and what the map makes of it in some rounds. */
static void check_length(const zl_cast_plan *plan, size_t n, int place, const zt_guarded *src, const zt_guarded *dst,
                         uint64_t expected) {
    const zl_number *from = &plan->from, *to = &plan->to;
    char *x = zt_guarded_at(src, n * from->width, place), *y = zt_guarded_at(dst, n * to->width, place / 2);
    for (size_t i = 0; i < n; i++) {
        zl_number_store(from, x + i * from->width, plan->one);
    }
    assert_int_equal(zl_cast_run(plan, y, x, n), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(zl_number_load(to, y + i * to->width), expected);
    }
}

static void test_lengths(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 3, 63, 64, 65, 127, 511, 512, 513, 700};
    zt_guarded src = zt_guarded_new(8192), dst = zt_guarded_new(8192);
    static zl_cast_plan plan;
    for (size_t f = 0; f < TYPE_COUNT; f++) {
        for (size_t t = 0; t < TYPE_COUNT; t++) {
            const zl_cast_loops *loops = levels[(f + t) % level_count];
            zl_cast_entry map = {numbers[f].kind == ZL_NUMBER_FLOAT ? numbers[f].largest : 1, 0, 0};
            const bool mapped = (f + t) % 3 == 0 && map.key == 1;
            zl_cast_init(&plan, &numbers[f], &numbers[t], (zl_cast_rule){ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_ERROR}, &map, 1,
                         loops);
            uint64_t expected = 0;
            assert_false(zl_cast_refuses(zl_cast_one(&plan, plan.one, &expected)));
            if (mapped) assert_int_equal(expected, 0);
            for (size_t i = 0; i < ZL_COUNT_OF(lengths); i++) {
                check_length(&plan, lengths[i], (int)(i + f), &src, &dst, expected);
            }
        }
    }
    zt_guarded_free(&src);
    zt_guarded_free(&dst);
}

/* ---- results that no cache holds */

static void check_large(const zl_cast_loops *loops, char *dst, const int16_t *src, size_t n, size_t refused) {
    static zl_cast_plan plan;
    init(&plan, number_of(ZL_DTYPE_INT16), number_of(ZL_DTYPE_UINT64), ZL_ROUND_NEAREST_EVEN, ZL_RANGE_ERROR, loops);
    assert_int_equal(zl_cast_run(&plan, dst, src, n), refused);
    for (size_t i = 0; i < refused; i++) {
        uint64_t value;
        memcpy(&value, dst + i * sizeof value, sizeof value);
        if (value != (uint64_t)src[i]) fail_msg("element %zu", i);
    }
}

static void test_large(void **state) {
    (void)state;
    const size_t n = ((size_t)4 << 20) + 77;
    int16_t *src = malloc(n * sizeof *src);
    char *dst = aligned_alloc(64, (n + 64) / 64 * 64 * sizeof(uint64_t) + 64);
    assert_non_null(src);
    assert_non_null(dst);
    for (size_t i = 0; i < n; i++) {
        src[i] = (int16_t)(i * 40503 & 0x7fff);
    }
    for (size_t level = 0; level < level_count; level++) {
        if (!levels[level]) continue;
        check_large(levels[level], dst + 16 * (level % 3), src, n, n);
        check_large(levels[level], dst + 8, src, n, n);
        src[n - 1000] = -1;
        check_large(levels[level], dst, src, n, n - 1000);
        src[n - 1000] = 1;
    }
    free(src);
    free(dst);
}

/* ---- maps */

static void check_map(zl_cast_plan *plan, const double *values, const int *expected, size_t n) {
    int16_t out[200];
    assert_int_equal(zl_cast_run(plan, out, values, n), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(out[i], expected[i]);
    }
}

static void test_maps(void **state) {
    (void)state;
    const double nan = (double)NAN;
    static const uint64_t payload = 0xfff8000000001234;
    double other_nan;
    memcpy(&other_nan, &payload, sizeof other_nan);
    const zl_number *from = number_of(ZL_DTYPE_FLOAT64), *to = number_of(ZL_DTYPE_INT16);
    const zl_cast_rule rule = {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_CLAMP};
    const double one = 1, minus_zero = -0.0, large = 1e300;
    const zl_cast_entry entries[] = {{bits_of(&nan, 8), (uint64_t)-99 & 65535, 0},
                                     {bits_of(&minus_zero, 8), 7, 1},
                                     {bits_of(&one, 8), 11, 2},
                                     {payload, 1, 3},
                                     {0, 8, 4},
                                     {bits_of(&one, 8), 12, 5},
                                     {bits_of(&large, 8), 3, 6}};
    const double values[] = {nan, other_nan, 0.0, -0.0, 1, 2.5, 1e300, 1e299, 3};
    const int expected[] = {-99, -99, 7, 7, 11, 2, 3, 32767, 3};
    for (size_t level = 0; level <= level_count; level++) {
        const zl_cast_loops *loops = level < level_count ? levels[level] : NULL;
        static zl_cast_plan plan;
        zl_cast_entry copy[ZL_COUNT_OF(entries) + 100];
        memcpy(copy, entries, sizeof entries);
        zl_cast_init(&plan, from, to, rule, copy, ZL_COUNT_OF(entries), loops);
        assert_int_equal(plan.entry_count, 4); /* the first one of a key counts */
        check_map(&plan, values, expected, ZL_COUNT_OF(values));
        /* More entries than are looked for in all elements. */
        memcpy(copy, entries, sizeof entries);
        for (size_t i = 0; i < 100; i++) {
            const double key = 1000 + (double)i;
            copy[ZL_COUNT_OF(entries) + i] = (zl_cast_entry){bits_of(&key, 8), 5, ZL_COUNT_OF(entries) + i};
        }
        zl_cast_init(&plan, from, to, rule, copy, ZL_COUNT_OF(copy), loops);
        check_map(&plan, values, expected, ZL_COUNT_OF(values));
        const double many[] = {1000, 1099, 1100};
        check_map(&plan, many, (const int[]){5, 5, 1100}, 3);
    }
}

/* A type to itself copies bits, but for the map; and a table holds the map. */
static void test_maps_elsewhere(void **state) {
    (void)state;
    static zl_cast_plan plan;
    const zl_cast_rule rule = {ZL_ROUND_NEAREST_EVEN, ZL_RANGE_ERROR};
    uint32_t src[70], dst[70];
    for (size_t i = 0; i < 70; i++) {
        src[i] = 0xffc00000u + (uint32_t)i;
    }
    src[3] = 0x80000000;
    zl_cast_entry zero = {0, 0x3f800000, 0};
    zl_cast_init(&plan, number_of(ZL_DTYPE_FLOAT32), number_of(ZL_DTYPE_FLOAT32), rule, &zero, 1, zl_kernels_get()->cast);
    assert_int_equal(zl_cast_run(&plan, dst, src, 70), 70);
    src[3] = 0x3f800000;
    assert_memory_equal(dst, src, sizeof src);
    const uint8_t codes[] = {0x7f, 0xff, 0x00, 0x80, 0x08};
    int8_t out[5];
    zl_cast_entry nan = {0xff, 0x80, 0};
    zl_cast_init(&plan, number_of(ZL_DTYPE_FLOAT8_E4M3FN), number_of(ZL_DTYPE_INT8), rule, &nan, 1, zl_kernels_get()->cast);
    assert_int_equal(zl_cast_run(&plan, out, codes, 5), 5);
    assert_int_equal(out[0], -128);
    assert_int_equal(out[1], -128);
    assert_int_equal(out[3], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow),  cmocka_unit_test(test_16_bits), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_machine), cmocka_unit_test(test_numpy),   cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_alone),   cmocka_unit_test(test_maps),    cmocka_unit_test(test_maps_elsewhere),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, make_numbers, NULL);
}
