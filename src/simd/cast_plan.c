/* SPDX-License-Identifier: MIT */
/*
 * Which loops make up a conversion, and their parameters. Values pass through float32 or float64 where no loop leads from
 * one type to the other: exactly, or rounded to odd, so that the last step rounds as if it were the only one.
 */
#include <float.h>
#include <math.h>

#include "simd/cast.h"

static int log_width(const zl_number *number) {
    return __builtin_ctz(number->width);
}

static int int_index(const zl_number *number) {
    return log_width(number) + (number->kind == ZL_NUMBER_UNSIGNED ? 4 : 0);
}

static bool is_int(const zl_number *number) {
    return number->kind != ZL_NUMBER_FLOAT;
}

static bool is_ieee(const zl_number *number, int bits, int mantissa_bits) {
    return number->kind == ZL_NUMBER_FLOAT && number->bits == bits && number->mantissa_bits == mantissa_bits;
}

static bool is_float64(const zl_number *number) {
    return is_ieee(number, 64, 52);
}
static bool is_float32(const zl_number *number) {
    return is_ieee(number, 32, 23);
}
static bool is_float16(const zl_number *number) {
    return is_ieee(number, 16, 10);
}
static bool is_bfloat16(const zl_number *number) {
    return is_ieee(number, 16, 7);
}

static void add(zl_cast_plan *cast, zl_cast_loop run, int to_width, bool strict) {
    cast->steps[cast->step_count++] = (zl_cast_step){run, (uint8_t)to_width, strict};
}

/* ---- ranges */

static int64_t int_low(const zl_number *number) {
    if (number->kind == ZL_NUMBER_UNSIGNED) return 0;
    return INT64_MIN / (INT64_C(1) << (64 - number->bits)) + number->is_time;
}

static uint64_t int_high(const zl_number *number) {
    return UINT64_MAX >> (64 - number->bits + (number->kind == ZL_NUMBER_SIGNED));
}

static bool int_contains(const zl_number *outer, const zl_number *inner) {
    return int_low(outer) <= int_low(inner) && int_high(outer) >= int_high(inner);
}

/* The largest float32 or float64 in the range; its ends are powers of two, or one less. */
static double float_high(const zl_number *to, int digits) {
    const uint64_t high = int_high(to);
    const int bits = 64 - __builtin_clzll(high);
    if (bits <= digits) return (double)high;
    return ldexp(1, bits) - ldexp(1, bits - digits);
}

/* ---- integer -> integer */

static void keep_bits(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    if (to->bits >= 8) return;
    cast->params.keep_mask = (uint8_t)((1u << to->bits) - 1);
    cast->params.keep_sign = (uint8_t)(to->kind == ZL_NUMBER_SIGNED ? 1u << (to->bits - 1) : 0);
    add(cast, cast->loops->int_keep, 1, false);
}

/* Clamps to what both types hold, since loops compare in the source's. */
static void clamp_to(zl_cast_plan *cast, int64_t low, uint64_t high, int to_log_width, bool strict) {
    const int64_t from_low = int_low(&cast->from);
    const uint64_t from_high = int_high(&cast->from);
    cast->params.int_low = low > from_low ? low : from_low;
    cast->params.int_high = high < from_high ? high : from_high;
    add(cast, cast->loops->int_clamp[int_index(&cast->from)][to_log_width], 1 << to_log_width, strict);
}

static void int_to_int(zl_cast_plan *cast) {
    const zl_number *from = &cast->from, *to = &cast->to;
    const bool wraps = cast->rule.out_of_range == ZL_RANGE_WRAP;
    if (wraps || int_contains(to, from)) {
        add(cast, cast->loops->int_convert[int_index(from)][log_width(to)], to->width, false);
        keep_bits(cast);
    } else {
        clamp_to(cast, int_low(to), int_high(to), log_width(to), cast->rule.out_of_range == ZL_RANGE_ERROR);
    }
}

/* ---- to float32 and float64 */

static int is_unsigned(const zl_number *number) {
    return number->kind == ZL_NUMBER_UNSIGNED;
}

static void to_float64(zl_cast_plan *cast) {
    const zl_number *from = &cast->from;
    const zl_cast_loops *loops = cast->loops;
    if (is_int(from)) {
        add(cast,
            from->width < 8 ? loops->int_float64[int_index(from)]
                            : loops->int64_float64[is_unsigned(from)][cast->rule.rounding],
            8, false);
        return;
    }
    if (is_float16(from)) add(cast, loops->float16_float32, 4, false);
    if (is_bfloat16(from)) add(cast, loops->bfloat16_float32, 4, false);
    if (!is_float64(from)) add(cast, loops->float32_float64, 8, false);
}

/* Index of a source of 32 or 64 bits among the loops that go through float64. */
static int wide_index(const zl_number *number) {
    return is_int(number) ? 2 * is_unsigned(number) + number->width / 4 : 0;
}

/* float64 numbers beyond the range of float32 and bfloat16 cannot be done, or become infinite. */
static void add_wide(zl_cast_plan *cast, zl_cast_loop run, int to_width) {
    cast->params.finite_end = cast->rule.out_of_range == ZL_RANGE_CLAMP ? -1 : DBL_MAX;
    add(cast, run, to_width, true);
}

/* Rounding is to odd where another step follows: then what float32 holds exactly, and what it does not, can still be told
 * apart. */
static void to_float32(zl_cast_plan *cast, int rounding) {
    const zl_number *from = &cast->from;
    const zl_cast_loops *loops = cast->loops;
    if (is_int(from) && (from->width < 4 || (from->width == 4 && rounding == ZL_ROUND_NEAREST_EVEN)))
        add(cast, loops->int_float32[int_index(from)], 4, false);
    else if (is_int(from) || is_float64(from))
        add_wide(cast, loops->wide_float32[wide_index(from)][rounding], 4);
    else if (is_float16(from))
        add(cast, loops->float16_float32, 4, false);
    else if (is_bfloat16(from))
        add(cast, loops->bfloat16_float32, 4, false);
}

/* ---- to narrower floating point */

static uint32_t float32_bits(double value) {
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* First magnitude bits, by sign, that the float16 instructions must not see: they would round them to infinity, or towards
 * zero to the largest number, which both is out of range. */
static void find_float16_end(zl_small_float *small, zl_rounding rounding) {
    const uint32_t next = float32_bits(65536), after_largest = float32_bits(65504) + 1;
    const bool nearest = rounding == ZL_ROUND_NEAREST_EVEN || rounding == ZL_ROUND_NEAREST_AWAY;
    small->float16_end[0] = small->float16_end[1] = nearest ? float32_bits(65520) : next;
    if (rounding == ZL_ROUND_TOWARDS_POSITIVE) small->float16_end[0] = after_largest;
    if (rounding == ZL_ROUND_TOWARDS_NEGATIVE) small->float16_end[1] = after_largest;
}

static void find_small(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    zl_small_float *small = &cast->params.small;
    const uint32_t infinity = float32_bits((double)INFINITY);
    const int lowest = 1 - to->bias;
    small->shift = 23u - to->mantissa_bits;
    small->rebias = (uint32_t)(127 - to->bias) << to->mantissa_bits;
    if (to->has_zero && to->bias < 127) {
        small->min_normal = float32_bits(ldexp(1, lowest));
        small->grid = (float)ldexp(1, lowest - to->mantissa_bits + 23);
        small->half = (float)ldexp(1, lowest - to->mantissa_bits - 1);
    }
    small->largest = (uint32_t)to->largest;
    small->overflow = (uint32_t)to->largest + to->has_infinity;
    small->nan = (uint32_t)to->nan;
    small->sign = to->has_sign ? 1u << (to->bits - 1) : 0;
    small->sign_from = !to->has_negative_zero;
    small->over_below = cast->rule.out_of_range == ZL_RANGE_CLAMP ? 0 : infinity;
    /* Infinities or NaN without a counterpart; otherwise bits that no magnitude has. */
    small->stop_first = to->has_infinity ? UINT32_MAX : infinity;
    small->stop_span = to->has_infinity || to->has_nan ? 0 : 0x7fffffff - infinity;
    /* float8_e8m0fnu has neither sign nor zero, and a smallest number that is subnormal in float32. */
    small->accept_first = to->has_zero ? 0 : 0x00800000;
    small->accept_span = to->has_zero ? UINT32_MAX : 0x7fffffff - 0x00800000;
    find_float16_end(small, cast->rule.rounding);
}

static void to_bfloat16(zl_cast_plan *cast) {
    const zl_number *from = &cast->from;
    const zl_cast_loops *loops = cast->loops;
    const zl_rounding rounding = cast->rule.rounding;
    const bool is_wide = is_float64(from) || (is_int(from) && from->width >= 4);
    const zl_cast_loop wide = is_wide ? loops->wide_bfloat16[wide_index(from)][rounding] : NULL;
    if (wide) {
        add_wide(cast, wide, 2);
        return;
    }
    to_float32(cast, is_wide ? ZL_ROUND_ODD : rounding);
    find_small(cast);
    if (from->width == 1)
        add(cast, loops->float32_bfloat16_exact, 2, false);
    else
        add(cast, loops->float32_bfloat16[rounding], 2, true);
}

static void to_small_float(zl_cast_plan *cast) {
    const zl_number *from = &cast->from, *to = &cast->to;
    const zl_cast_loops *loops = cast->loops;
    zl_rounding rounding = cast->rule.rounding;
    const int64_t beyond = INT64_C(1) << 24; /* more than any of them holds, and exact in float32 */
    if (is_int(from) && from->width >= 4 && to->bias < 127) {
        clamp_to(cast, -beyond, (uint64_t)beyond, 2, false);
        add(cast, loops->int_float32[2], 4, false);
    } else {
        to_float32(cast, ZL_ROUND_ODD);
    }
    find_small(cast);
    if (is_int(from) && from->width == 1 && is_float16(to)) rounding = ZL_ROUND_TOWARDS_ZERO; /* all are exact */
    if (to->mantissa_bits == 0 && rounding == ZL_ROUND_NEAREST_EVEN) rounding = ZL_ROUND_NEAREST_AWAY;
    if (is_float16(to))
        add(cast, loops->float32_float16[rounding], 2, true);
    else
        add(cast, loops->float32_small[rounding], 1, true);
}

/* ---- floating point -> integer */

/* The range, for comparisons in a type with so many digits. */
static void find_range(zl_cast_plan *cast, int digits) {
    const zl_number *to = &cast->to;
    zl_cast_params *params = &cast->params;
    params->low = (double)int_low(to);
    params->high = float_high(to, digits);
    params->top = int_high(to);
    const bool clamps = cast->rule.out_of_range == ZL_RANGE_CLAMP && !to->is_time;
    const double finite = digits == FLT_MANT_DIG ? (double)FLT_MAX : DBL_MAX;
    params->pass_low = clamps ? -finite : params->low;
    params->pass_high = clamps ? finite : params->high;
    if (to->is_time) params->pass_low = -params->high; /* the number behind it is "not a time" */
}

static void float32_to_int(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    const zl_cast_loops *loops = cast->loops;
    const zl_rounding rounding = cast->rule.rounding;
    find_range(cast, FLT_MANT_DIG);
    to_float32(cast, rounding);
    if (to->width == 4 && to->kind == ZL_NUMBER_UNSIGNED)
        add(cast, loops->float32_uint32[rounding], 4, true);
    else
        add(cast, loops->float32_int[rounding][log_width(to)], to->width, true);
}

/* float16 ends far inside int32: all integers that it can give, as those of another width. */
static void float16_by_int32(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    const bool wraps = cast->rule.out_of_range == ZL_RANGE_WRAP;
    zl_cast_params *params = &cast->params;
    find_range(cast, FLT_MANT_DIG);
    params->low = wraps || to->kind == ZL_NUMBER_SIGNED ? -0x1p16 : 0;
    params->high = 0x1p16;
    if (wraps) {
        params->pass_low = params->low;
        params->pass_high = params->high;
    }
    const int width = to->width < 4 ? to->width : 4;
    add(cast, cast->loops->float16_float32, 4, false);
    add(cast, cast->loops->float32_int[cast->rule.rounding][__builtin_ctz((unsigned)width)], width, true);
    if (to->width == 8) add(cast, cast->loops->int_convert[2][3], 8, false);
    keep_bits(cast);
}

static void float64_to_int(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    const zl_rounding rounding = cast->rule.rounding;
    find_range(cast, DBL_MANT_DIG);
    to_float64(cast);
    add(cast, to->width < 8 ? cast->loops->float64_int[rounding][log_width(to)] : cast->loops->float64_int64[rounding],
        to->width, true);
}

static void float_wrap(zl_cast_plan *cast) {
    const zl_number *to = &cast->to;
    const zl_rounding rounding = cast->rule.rounding;
    if (is_float64(&cast->from) || to->width == 8) {
        to_float64(cast);
        add(cast, cast->loops->float64_wrap[rounding][log_width(to)], to->width, true);
    } else {
        to_float32(cast, rounding);
        add(cast, cast->loops->float32_wrap[rounding][log_width(to)], to->width, true);
    }
    keep_bits(cast);
}

static void float_to_int(zl_cast_plan *cast) {
    const zl_number *from = &cast->from, *to = &cast->to;
    const bool wraps = cast->rule.out_of_range == ZL_RANGE_WRAP;
    if (is_float16(from) && (wraps || to->width == 8))
        float16_by_int32(cast);
    else if (wraps)
        float_wrap(cast);
    else if (is_float64(from) || to->width == 8)
        float64_to_int(cast);
    else
        float32_to_int(cast);
}

/* ---- tables of 8-bit elements */

static void store_table(zl_cast_plan *cast, unsigned index, uint64_t code) {
    const uint64_t bits = zl_number_element(&cast->to, code);
    for (int i = 0; i < 4; i++) {
        cast->table.plane[i][index] = (uint8_t)(bits >> 8 * i);
    }
    switch (cast->to.width) {
    case 1: cast->table.value.u8[index] = (uint8_t)bits; break;
    case 2: cast->table.value.u16[index] = (uint16_t)bits; break;
    case 4: cast->table.value.u32[index] = (uint32_t)bits; break;
    default: cast->table.value.u64[index] = bits; break;
    }
}

/* The rows of one half. `plane` has its first entry, below which lies 0. */
static int make_half(zl_table_rows *rows, int half, const uint8_t plane[128], unsigned end) {
    int count = 0;
    for (unsigned start = 0; start < end; start += 16) {
        uint8_t *const change = rows->change[half][count];
        unsigned any = 0;
        for (unsigned i = start; i < start + 16; i++) {
            change[i - start] = plane[i] ^ (start ? plane[i - 16] : 0);
            any |= change[i - start];
        }
        rows->first[half][count] = start * 0x01010101u;
        count += any != 0;
    }
    return count;
}

static void make_rows(zl_table_rows *rows, const uint8_t plane[256], unsigned mask) {
    const unsigned end = mask < 127 ? mask + 1 : 128, second = mask < 128 ? 0 : 128;
    uint8_t difference[128];
    for (unsigned i = 0; i < 128; i++) {
        difference[i] = plane[i] ^ plane[i + 128];
    }
    rows->count[0] = make_half(rows, 0, plane, end);
    rows->count[1] = make_half(rows, 1, plane + 128, second);
    rows->first_mask = UINT8_MAX;
    const int mirrored = make_half(rows, 1, difference, second);
    if (mirrored < rows->count[1]) {
        rows->count[1] = mirrored;
        rows->first_mask = INT8_MAX;
    } else {
        make_half(rows, 1, plane + 128, second);
    }
}

static void make_table(zl_cast_plan *cast) {
    zl_cast_table *table = &cast->table;
    table->mask = (uint8_t)(UINT8_MAX >> (8 - cast->from.bits));
    for (unsigned i = 0; i < 256; i++) {
        const uint8_t element = (uint8_t)i;
        uint64_t code = 0;
        if (zl_cast_refuses(zl_cast_one(cast, zl_number_load(&cast->from, &element), &code))) {
            table->any_refused = true;
            table->refused[(i & 15) | (i >> 7 << 4)] |= (uint8_t)(1u << (i >> 4 & 7));
            code = 0;
        }
        store_table(cast, i, code);
    }
    for (int i = 0; i < 2; i++) {
        make_rows(&table->rows[i], table->plane[i], table->mask);
    }
    cast->params.table = table;
    add(cast, cast->loops->lookup[log_width(&cast->to)], cast->to.width, false);
}

/* ---- the map, and what needs a look */

static zl_cast_match match_of(const zl_number *from, uint64_t key, uint64_t value) {
    const uint64_t all = UINT64_MAX >> (64 - from->bits);
    zl_cast_match match = {all, key, 0, value};
    if (from->kind != ZL_NUMBER_FLOAT) return match;
    if (key == 0) match.mask = all >> 1; /* of either sign */
    if (zl_number_is_nan(from, key)) {
        match.mask = all >> 1;
        match.first = from->largest + from->has_infinity + 1;
        match.span = match.mask - match.first;
    }
    return match;
}

static void plan_map(zl_cast_plan *cast) {
    for (size_t i = 0; i < cast->entry_count; i++) {
        const uint64_t value = zl_number_element(&cast->to, cast->entries[i].value);
        cast->matches[i] = match_of(&cast->from, cast->entries[i].key, value);
    }
    cast->match_count = (int)cast->entry_count;
}

static uint64_t code_of_one(const zl_number *number) {
    return is_int(number) ? 1 : (uint64_t)number->bias << number->mantissa_bits;
}

/* ---- */

static const zl_cast_fusion *find_fusion(const zl_cast_loops *loops, zl_cast_loop first, zl_cast_loop second) {
    for (size_t i = 0; i < loops->fusion_count; i++) {
        if (loops->fusions[i].first == first && loops->fusions[i].second == second) return &loops->fusions[i];
    }
    return NULL;
}

/* Two steps become one where the level has a loop that does both. */
static void fuse(zl_cast_plan *cast) {
    int count = 0;
    for (int i = 0; i < cast->step_count; i++) {
        const zl_cast_step next = cast->steps[i];
        zl_cast_step *last = count > 0 ? &cast->steps[count - 1] : NULL;
        const zl_cast_fusion *fusion = last ? find_fusion(cast->loops, last->run, next.run) : NULL;
        if (fusion)
            *last = (zl_cast_step){fusion->both, next.to_width, last->strict || next.strict};
        else
            cast->steps[count++] = next;
    }
    cast->step_count = count;
}

static void plan(zl_cast_plan *cast) {
    const zl_number *from = &cast->from, *to = &cast->to;
    const bool narrow_from = from->bits < 8 || (from->bits == 8 && !is_int(from));
    const bool narrow_to = to->bits <= 8 && !is_int(to);
    if (narrow_from || (from->bits == 8 && narrow_to)) {
        make_table(cast);
        return;
    }
    if (cast->entry_count > ZL_CAST_MATCHES) return;
    plan_map(cast);
    if (from->is_time && !to->is_time) {
        cast->has_stop = true;
        cast->stop = (zl_cast_match){UINT64_MAX, (uint64_t)INT64_MIN, 0, 0};
    }
    if (zl_number_same(from, to))
        cast->is_copy = true;
    else if (is_int(from) && is_int(to))
        int_to_int(cast);
    else if (is_int(to))
        float_to_int(cast);
    else if (is_float64(to))
        to_float64(cast);
    else if (is_float32(to))
        to_float32(cast, cast->rule.rounding);
    else if (is_bfloat16(to))
        to_bfloat16(cast);
    else
        to_small_float(cast);
}

void zl_cast_init(zl_cast_plan *cast, const zl_number *from, const zl_number *to, zl_cast_rule rule, zl_cast_entry *entries,
                  size_t entry_count, const zl_cast_loops *loops) {
    *cast = (zl_cast_plan){.from = *from, .to = *to, .rule = rule, .entries = entries, .loops = loops};
    cast->entry_count = zl_cast_sort(from, entries, entry_count);
    cast->one = code_of_one(from);
    if (loops) plan(cast);
    fuse(cast);
}
