/* SPDX-License-Identifier: MIT */
/*
 * Values of the time types: conversion between units, and text for people. Conversions are exact or refused; the calendar
 * is the proleptic Gregorian one without leap seconds, as NumPy has it.
 * https://numpy.org/doc/stable/reference/arrays.datetime.html
 *
 * A value counts `scale` units, so up to 94 bits of them: texts are made from digits in base 1000, of which the lowest are
 * the fraction of a second.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dtype/family.h"

typedef enum family { CALENDAR, CLOCK, GENERIC } family;

/* From coarse to fine. `next` is how many of the following unit one has. */
typedef struct time_unit {
    const char *name;
    family family;
    uint32_t next;
    uint32_t whole;  /* of how many seconds the part in front of the fraction counts; 0: no part of a clock */
    uint32_t digits; /* of the fraction, in threes */
} time_unit;

static const time_unit units[] = {
    {"Y", CALENDAR, 12, 0, 0}, {"M", CALENDAR, 0, 0, 0},      {"W", CLOCK, 7, 7 * 86400, 0}, {"D", CLOCK, 24, 86400, 0},
    {"h", CLOCK, 60, 3600, 0}, {"m", CLOCK, 60, 60, 0},       {"s", CLOCK, 1000, 1, 0},      {"ms", CLOCK, 1000, 1, 1},
    {"us", CLOCK, 1000, 1, 2}, {"ns", CLOCK, 1000, 1, 3},     {"ps", CLOCK, 1000, 1, 4},     {"fs", CLOCK, 1000, 1, 5},
    {"as", CLOCK, 0, 1, 6},    {"generic", GENERIC, 0, 0, 0},
};

static const time_unit *find_unit(const char *name) {
    for (size_t i = 0; i < ZL_COUNT_OF(units); i++) {
        if (name && strcmp(units[i].name, name) == 0) return &units[i];
    }
    return NULL;
}

bool zl_time_is_nat(int64_t value) {
    return value == ZL_TIME_NAT;
}

static uint64_t magnitude_of(int64_t value) {
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* ---- conversion */

static zl_status check_unit(const char *name, int32_t scale, const time_unit **out, zl_error *err) {
    *out = find_unit(name);
    if (!*out) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT,
                       "time unit \"%s\" is none of Y, M, W, D, h, m, s, ms, us, ns, ps, fs, as, generic",
                       name ? name : "NULL");
    }
    if (scale >= 1) return ZL_OK;
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "time scale %d is not from 1 to 2147483647", (int)scale);
}

static zl_status check_family(const time_unit *from, const time_unit *to, zl_error *err) {
    if (from->family == to->family) return ZL_OK;
    const char *why = from->family == GENERIC || to->family == GENERIC ? "generic time has no known length"
                                                                       : "months and years have no fixed length";
    return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "time in \"%s\" has no equal in \"%s\": %s", from->name, to->name, why);
}

/* Both without what divides both. */
static void reduce(uint64_t *a, uint64_t *b) {
    uint64_t divisor = *a, rest = *b;
    while (rest) {
        const uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    *a /= divisor;
    *b /= divisor;
}

/* The ratio of two lengths, reduced: `scale` of the coarser unit to `*fine_scale` of the finer one. A numerator beyond 64
 * bits becomes UINT64_MAX: more than any value is a multiple of, or may be multiplied by. */
static uint64_t ratio(const time_unit *coarse, int32_t scale, const time_unit *fine, uint64_t *fine_scale) {
    uint64_t product = (uint64_t)scale;
    reduce(&product, fine_scale);
    for (const time_unit *unit = coarse; unit < fine; unit++) {
        uint64_t factor = unit->next;
        reduce(&factor, fine_scale);
        product = zl_sat_mul(product, factor);
    }
    return product;
}

zl_status zl_time_convert(int64_t value, const char *from_unit, int32_t from_scale, const char *to_unit, int32_t to_scale,
                          int64_t *out, zl_error *err) {
    const time_unit *from, *to;
    ZL_TRY(check_unit(from_unit, from_scale, &from, err));
    ZL_TRY(check_unit(to_unit, to_scale, &to, err));
    ZL_TRY(check_family(from, to, err));
    if (value == ZL_TIME_NAT || value == 0) {
        *out = value;
        return ZL_OK;
    }
    uint64_t multiplier, divisor;
    if (from <= to) {
        divisor = (uint64_t)to_scale;
        multiplier = ratio(from, from_scale, to, &divisor);
    } else {
        multiplier = (uint64_t)from_scale;
        divisor = ratio(to, to_scale, from, &multiplier);
    }
    const uint64_t magnitude = magnitude_of(value);
    if (magnitude % divisor != 0) {
        return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%" PRId64 " times %d %s is no whole number of %d %s", value,
                       (int)from_scale, from->name, (int)to_scale, to->name);
    }
    const uint64_t result = zl_sat_mul(magnitude / divisor, multiplier);
    if (result > INT64_MAX) {
        return zl_fail(err, ZL_ERR_LIMIT, "%" PRId64 " times %d %s is more than 2^63-1 times %d %s", value, (int)from_scale,
                       from->name, (int)to_scale, to->name);
    }
    *out = value < 0 ? -(int64_t)result : (int64_t)result;
    return ZL_OK;
}

/* ---- text */

#define LIMBS 12 /* 36 digits; 2^94 has 29 */
typedef struct ticks {
    bool negative;
    uint32_t limb[LIMBS]; /* base 1000, lowest first */
} ticks;

/* How many units a value is. */
static void multiply(int64_t value, int32_t scale, ticks *out) {
    uint64_t rest = magnitude_of(value), carry = 0;
    out->negative = value < 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += rest % 1000 * (uint64_t)scale;
        out->limb[i] = (uint32_t)(carry % 1000);
        carry /= 1000;
        rest /= 1000;
    }
}

/* A text that grows; 128 bytes hold the longest. */
typedef struct text {
    char data[128];
    size_t size;
} text;

static void ZL_PRINTF(2, 3) add(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->data + t->size, sizeof t->data - t->size, format, list);
    va_end(list);
}

static void add_ticks(text *t, const ticks *n) {
    int top = LIMBS - 1;
    while (top > 0 && n->limb[top] == 0)
        top--;
    add(t, "%s%" PRIu32, n->negative ? "-" : "", n->limb[top]);
    while (top-- > 0)
        add(t, "%03" PRIu32, n->limb[top]);
}

/* Splits off the lowest limbs as a fraction that is not negative, and gives the whole part, rounded down. False where that
 * is not small enough to compute with. */
static bool split(ticks *n, uint32_t digits, int64_t *whole) {
    uint64_t sum = 0, carry = 0;
    for (int i = LIMBS - 1; i >= (int)digits; i--) {
        sum = zl_sat_mul(sum, 1000);
        if (sum > (uint64_t)1 << 62) return false;
        sum += n->limb[i];
    }
    if (n->negative) { /* 1000 to the power of `digits`, minus the fraction */
        for (uint32_t i = 0; i < digits; i++) {
            const uint32_t taken = n->limb[i] + (uint32_t)carry;
            carry = taken > 0;
            n->limb[i] = carry ? 1000 - taken : 0;
        }
        sum += carry;
    }
    *whole = n->negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

/* Quotient, rounded down; `*value` becomes the remainder. */
static int64_t divide(int64_t *value, int64_t by) {
    int64_t quotient = *value / by;
    *value %= by;
    if (*value < 0) {
        *value += by;
        quotient--;
    }
    return quotient;
}

static void add_year(text *t, int64_t year) {
    add(t, "%s%04" PRId64, year < 0 ? "-" : "", year < 0 ? -year : year);
}

/* The date `days` after 1970-01-01. Years are taken from March on, so that leap days come last, in eras of 400 years. */
static void add_date(text *t, int64_t days) {
    enum { ERA = 146097, TO_1970 = 719468 }; /* days of an era; from 0000-03-01 to 1970-01-01 */
    int64_t era = divide(&days, ERA);
    days += TO_1970;
    era += divide(&days, ERA);
    const int64_t year = (days - days / 1460 + days / 36524 - days / (ERA - 1)) / 365;
    const int64_t day_of_year = days - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * day_of_year + 2) / 153; /* 0 is March: months of 31, 30, 31, 30, 31 days, again and again */
    const int day = (int)(day_of_year - (153 * month + 2) / 5) + 1;
    add_year(t, era * 400 + year + (month >= 10));
    add(t, "-%02d-%02d", (int)(month < 10 ? month + 3 : month - 9), day);
}

static void add_month(text *t, int64_t months) {
    const int64_t years = divide(&months, 12);
    add_year(t, 1970 + years);
    add(t, "-%02d", (int)months + 1);
}

static void add_moment(text *t, const time_unit *unit, int64_t whole, const ticks *fraction) {
    if (unit->whole > 86400) {
        add_date(t, whole * (unit->whole / 86400));
        return;
    }
    const int64_t days = divide(&whole, 86400 / unit->whole);
    add_date(t, days);
    if (unit->whole == 86400) return;
    const int second = (int)(whole * unit->whole);
    add(t, "T%02d:%02d", second / 3600, second / 60 % 60);
    if (unit->whole == 1) add(t, ":%02d", second % 60);
    for (uint32_t i = unit->digits; i > 0; i--)
        add(t, i == unit->digits ? ".%03" PRIu32 : "%03" PRIu32, fraction->limb[i - 1]);
}

static void add_datetime(text *t, const time_unit *unit, const ticks *n) {
    ticks fraction = *n;
    int64_t whole;
    const int64_t most = INT64_MAX / 14; /* room for 7 days a week and 1970 years */
    if (!split(&fraction, unit->digits, &whole) || whole > most || whole < -most) {
        add_ticks(t, n);
        add(t, " %s since 1970", unit->name);
    } else if (unit->family == CLOCK) {
        add_moment(t, unit, whole, &fraction);
    } else if (unit->next == 12) {
        add_year(t, 1970 + whole);
    } else {
        add_month(t, whole);
    }
}

size_t zl_time_format(const zl_dtype *dtype, int64_t value, char *buffer, size_t cap) {
    text t = {.size = 0};
    const time_unit *unit = find_unit(zl_dtype_time_unit(dtype));
    ticks n;
    if (unit && value == ZL_TIME_NAT) {
        add(&t, "NaT");
    } else if (unit) {
        multiply(value, zl_dtype_time_scale(dtype), &n);
        const bool is_point = strcmp(dtype->name, "numpy.datetime64") == 0;
        if (is_point && unit->family != GENERIC) {
            add_datetime(&t, unit, &n);
        } else {
            add_ticks(&t, &n);
            if (unit->family != GENERIC) add(&t, " %s", unit->name);
        }
    }
    if (cap > 0) {
        const size_t kept = t.size < cap ? t.size : cap - 1;
        memcpy(buffer, t.data, kept);
        buffer[kept] = '\0';
    }
    return t.size;
}
