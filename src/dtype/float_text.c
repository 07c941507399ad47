/* SPDX-License-Identifier: MIT */
/*
 * Decimal <-> binary for formats narrower than double.
 * https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#permitted-fill-values
 *
 * Reading a decimal as a double and narrowing that rounds twice: the first step may land exactly half-way between two
 * narrow values and hide on which side the decimal was. So where the neighbours of the double narrow to different codes,
 * the decimal is compared with the double exactly, digit by digit.
 */
#include "dtype/float_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- exact comparison of a decimal text and a double */

#define LIMB_BASE 1000000000u
#define LIMB_DIGITS 9
/* 2^53 * 5^1074 has 767 digits, 2^1024 has 309. */
#define MAX_LIMBS 86

/* Digits of a number: 0.d1d2d3... * 10^point, d1 not 0. */
typedef struct decimal {
    int64_t point;
    size_t count;
    char digit[MAX_LIMBS * LIMB_DIGITS];
} decimal;

static void multiply(uint32_t *limb, size_t *count, uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < *count; i++) {
        carry += (uint64_t)limb[i] * factor;
        limb[i] = (uint32_t)(carry % LIMB_BASE);
        carry /= LIMB_BASE;
    }
    if (carry != 0) limb[(*count)++] = (uint32_t)carry;
}

/* All digits of a finite value > 0: with m * 2^e, these are the digits of the integer m * 2^e or m * 5^-e. */
static void exact_decimal(double value, decimal *out) {
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    exponent -= 53;
    while ((mantissa & 1) == 0) {
        mantissa >>= 1;
        exponent++;
    }
    uint32_t limb[MAX_LIMBS] = {(uint32_t)(mantissa % LIMB_BASE), (uint32_t)(mantissa / LIMB_BASE)};
    size_t count = limb[1] != 0 ? 2 : 1;
    for (int i = 0; i < abs(exponent); i++) {
        multiply(limb, &count, exponent < 0 ? 5 : 2);
    }
    char *digit = out->digit;
    for (size_t i = count; i-- > 0;) {
        uint32_t rest = limb[i];
        for (size_t k = LIMB_DIGITS; k-- > 0; rest /= 10) {
            digit[k] = (char)('0' + rest % 10);
        }
        digit += LIMB_DIGITS;
    }
    out->count = count * LIMB_DIGITS;
    size_t zeros = 0;
    while (out->digit[zeros] == '0') {
        zeros++;
    }
    out->count -= zeros;
    memmove(out->digit, out->digit + zeros, out->count);
    out->point = (int64_t)out->count + (exponent < 0 ? exponent : 0);
}

/* A decimal text, without sign, in the same form: `first` is its first digit that is not 0, NULL when all are. */
typedef struct decimal_text {
    int64_t point;
    const char *first;
    const char *end; /* of the digits */
} decimal_text;

/* Exponents stop here: far outside of what a double reaches, far from overflow when digits are counted. */
#define EXPONENT_END (INT64_C(1) << 60)

static decimal_text scan_decimal(const char *text, const char *end) {
    decimal_text scan = {.first = NULL};
    bool behind_dot = false;
    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            behind_dot = true;
            continue;
        }
        if (scan.first == NULL && *text != '0') scan.first = text;
        if (scan.first != NULL && !behind_dot) scan.point++;
        if (scan.first == NULL && behind_dot) scan.point--;
    }
    scan.end = text;
    if (text == end) return scan;
    text++;
    const bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    int64_t exponent = 0;
    for (; text < end; text++) {
        if (exponent < EXPONENT_END / 10) exponent = 10 * exponent + (*text - '0');
    }
    scan.point += negative ? -exponent : exponent;
    return scan;
}

/* Sign of |text| - value, for a JSON number and a finite value > 0. */
static int compare_magnitude(const char *text, size_t size, double value) {
    const char *const end = text + size;
    if (*text == '-') text++;
    const decimal_text left = scan_decimal(text, end);
    if (left.first == NULL) return -1;
    decimal right;
    exact_decimal(value, &right);
    if (left.point != right.point) return left.point < right.point ? -1 : 1;
    size_t i = 0;
    for (const char *digit = left.first; digit < left.end; digit++) {
        if (*digit == '.') continue;
        const char other = i < right.count ? right.digit[i] : '0';
        if (*digit != other) return *digit < other ? -1 : 1;
        i++;
    }
    for (; i < right.count; i++) {
        if (right.digit[i] != '0') return -1;
    }
    return 0;
}

/* ---- text -> code */

bool zl_float_from_text(const zl_minifloat *format, const char *text, size_t size, uint64_t *code) {
    double value;
    if (!zl_read_double(text, size, &value) || !isfinite(value)) return false;
    if (value != 0 && format->bits < 64) {
        const double smaller = nextafter(value, 0);
        const double larger = nextafter(value, copysign((double)INFINITY, value));
        uint64_t low = 0, high = 0;
        const bool has_low = zl_minifloat_from_double(format, smaller, &low);
        const bool has_high = zl_minifloat_from_double(format, larger, &high);
        if (has_low != has_high || low != high) {
            const int order = compare_magnitude(text, size, fabs(value));
            if (order != 0) value = order < 0 ? smaller : larger;
        }
    }
    return zl_minifloat_from_double(format, value, code) && !zl_minifloat_is_infinite(format, *code);
}

/* ---- code -> text */

/* Integers up to here keep all their digits: 65504.0 says more than 65500.0, which reads back as well. */
#define EXACT_INTEGERS 1e6

/* Has `digits` * 10^exponent the code of `value`? Then writes it. */
static size_t try_digits(const zl_minifloat *format, uint64_t code, double digits, int exponent, char *buffer) {
    char text[48];
    const int size = snprintf(text, sizeof text, "%llde%d", (long long)digits, exponent);
    uint64_t back;
    double value;
    if (!zl_float_from_text(format, text, (size_t)size, &back) || back != code) return 0;
    if (!zl_read_double(text, (size_t)size, &value)) return 0;
    return zl_format_double(value, buffer);
}

/* The shortest decimal of a number of 16 bits, not 0: at most five digits tell such numbers apart. */
static size_t shortest_text(const zl_minifloat *format, uint64_t code, double value, char *buffer) {
    const int leading = (int)floor(log10(fabs(value)));
    for (int count = 1; count <= 5; count++) {
        const int exponent = leading - count + 1;
        const double digits = value * pow(10, -exponent);
        const double near = rint(digits);
        const double far = near > digits ? near - 1 : near + 1;
        size_t size = try_digits(format, code, near, exponent, buffer);
        if (size == 0) size = try_digits(format, code, far, exponent, buffer);
        if (size != 0) return size;
    }
    return zl_format_double(value, buffer);
}

size_t zl_float_to_text(const zl_minifloat *format, uint64_t code, char *buffer) {
    const double value = zl_minifloat_to_double(format, code);
    const double magnitude = fabs(value);
    if (format->bits == 32) return zl_format_float((float)value, buffer);
    const bool exact = format->bits != 16 || (magnitude < EXACT_INTEGERS && magnitude == floor(magnitude));
    return exact ? zl_format_double(value, buffer) : shortest_text(format, code, value, buffer);
}

/* ---- JSON */

/* "0x" and hexadecimal digits: as many as the code has; formats of less than a byte may be written as a whole byte. */
static bool read_hex(const zl_minifloat *format, const char *text, size_t size, uint64_t *code) {
    const size_t digits = (format->bits + 3u) / 4;
    if (size != 2 + digits && !(format->bits < 8 && size == 2 + 2)) return false;
    uint64_t bits = 0;
    for (const char *at = text + 2; at < text + size; at++) {
        static const char hex[] = "0123456789abcdefABCDEF";
        const char *found = *at != '\0' ? strchr(hex, *at) : NULL;
        if (found == NULL) return false;
        const unsigned digit = (unsigned)(found - hex);
        bits = bits << 4 | (digit < 16 ? digit : digit - 6);
    }
    if (bits > (UINT64_MAX >> (64 - format->bits))) return false;
    *code = bits;
    return true;
}

/* The words for what is no number; "+Infinity" is in old metadata, never written. */
static bool read_word(const zl_minifloat *format, const char *text, uint64_t *code) {
    if (strcmp(text, "NaN") == 0) return zl_minifloat_from_double(format, (double)NAN, code);
    if (strcmp(text, "Infinity") == 0 || strcmp(text, "+Infinity") == 0) {
        return zl_minifloat_from_double(format, (double)INFINITY, code);
    }
    if (strcmp(text, "-Infinity") == 0) return zl_minifloat_from_double(format, -(double)INFINITY, code);
    return false;
}

zl_status zl_float_parse_json(const zl_minifloat *format, const zl_json *value, uint64_t *code, zl_error *err) {
    const zl_json_type type = zl_json_get_type(value);
    size_t size = 0;
    const char *text = zl_json_text(value, &size);
    if (text == NULL) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of %s is a number or a string", format->name);
    }
    if (read_word(format, text, code)) return ZL_OK; /* v2 documents have them as numbers, too */
    if (type == ZL_JSON_NUMBER) {
        if (zl_float_from_text(format, text, size, code)) return ZL_OK;
        return zl_json_fail(value, err, ZL_ERR_METADATA, "%s is outside the range of %s", text, format->name);
    }
    if (strncmp(text, "0x", 2) == 0) {
        if (read_hex(format, text, size, code)) return ZL_OK;
        return zl_json_fail(value, err, ZL_ERR_METADATA, "\"%s\" does not have the %u hexadecimal digits of %u bits", text,
                            (format->bits + 3u) / 4, (unsigned)format->bits);
    }
    return zl_json_fail(value, err, ZL_ERR_METADATA, "\"%s\" is not a value of %s", text, format->name);
}

void zl_float_emit_json(const zl_minifloat *format, uint64_t code, zl_json_writer *writer) {
    char buffer[32];
    if (zl_minifloat_is_nan(format, code) && code != format->nan) {
        const int size = snprintf(buffer, sizeof buffer, "0x%0*llx", (format->bits + 3) / 4, (unsigned long long)code);
        zl_json_write_string(writer, buffer, (size_t)size);
    } else if (zl_minifloat_is_nan(format, code)) {
        zl_json_write_text(writer, "NaN");
    } else if (zl_minifloat_is_infinite(format, code)) {
        zl_json_write_text(writer, zl_minifloat_to_double(format, code) < 0 ? "-Infinity" : "Infinity");
    } else {
        zl_json_write_number(writer, buffer, zl_float_to_text(format, code, buffer));
    }
}
