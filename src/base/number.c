/* SPDX-License-Identifier: MIT */
/*
 * Decimal text <-> binary floating point, exactly and in integer arithmetic: neither the locale nor the rounding mode of
 * the processor has a say, and the shortest text does not depend on the C library.
 *
 * Writing is the free-format algorithm of Steele and White with the fixed-up estimate of Burger and Dybvig; reading is long
 * division with one remainder. Both are meant for metadata and printing, not for gigabytes of text.
 */
#include "base/base.h"
#include "base/bignum.h"

/* A binary format: `bits` of significand, the hidden one included; the smallest value is 2^min_exponent. */
typedef struct float_format {
    int32_t bits;
    int32_t min_exponent;
} float_format;
static const float_format float32 = {24, -149};
static const float_format float64 = {53, -1074};

/* ---- writing */

typedef struct decimal {
    char digit[20]; /* '0' .. '9' */
    int32_t count;
    int32_t point; /* value = 0.digits * 10^point */
} decimal;

/* v = r / s; what reads back as v reaches from v - low / s to v + high / s. */
typedef struct ratio {
    zl_big r, s, low, high;
} ratio;

static void ratio_set(ratio *x, uint64_t significand, int32_t exponent, bool narrow_below) {
    zl_big_set(&x->r, significand);
    zl_big_set(&x->s, 1);
    zl_big_set(&x->low, 1);
    /* One more factor of 2 gives halves of a unit; another one, quarters: the gap below a power of two is half as wide. */
    const uint32_t halves = narrow_below ? 2 : 1;
    const uint32_t up = exponent > 0 ? (uint32_t)exponent : 0;
    const uint32_t down = exponent < 0 ? (uint32_t)-exponent : 0;
    zl_big_shift_left(&x->r, up + halves);
    zl_big_shift_left(&x->s, down + halves);
    zl_big_shift_left(&x->low, up);
    x->high = x->low;
    if (narrow_below) zl_big_shift_left(&x->high, 1);
}

static void ratio_mul10(ratio *x) {
    zl_big_mul_add(&x->r, 10, 0);
    zl_big_mul_add(&x->low, 10, 0);
    zl_big_mul_add(&x->high, 10, 0);
}

static void big_mul_pow10(zl_big *a, uint32_t exponent) {
    zl_big_mul_pow5(a, exponent);
    zl_big_shift_left(a, exponent);
}

/* Does v + high / s reach 1? `closed`: the end itself reads back as v. */
static bool reaches_one(const ratio *x, bool closed) {
    zl_big end = x->r;
    zl_big_add(&end, &x->high);
    return zl_big_compare(&end, &x->s) >= (closed ? 0 : 1);
}

/* Scales by the power of ten after which v + high / s is in [0.1, 1), and returns it. */
static int32_t ratio_scale(ratio *x, int32_t top_bit, bool closed) {
    /* 10^point > v >= 2^top_bit gives a lower bound of it; log10(2) is between 1233/4096 and 1234/4096. */
    int32_t point = 1 + (top_bit >= 0 ? top_bit * 1233 / 4096 : -((-top_bit * 1234 + 4095) / 4096));
    if (point > 0) {
        big_mul_pow10(&x->s, (uint32_t)point);
    } else {
        big_mul_pow10(&x->r, (uint32_t)-point);
        big_mul_pow10(&x->low, (uint32_t)-point);
        big_mul_pow10(&x->high, (uint32_t)-point);
    }
    while (reaches_one(x, closed)) {
        zl_big_mul_add(&x->s, 10, 0);
        point++;
    }
    return point;
}

/* Shortest digits that read back as significand * 2^exponent, the nearest of them. */
static decimal shortest(uint64_t significand, int32_t exponent, const float_format *format) {
    const bool even = significand % 2 == 0; /* then both ends of the interval round to it */
    const bool narrow_below = significand == UINT64_C(1) << (format->bits - 1) && exponent > format->min_exponent;
    const int32_t top_bit = exponent + 63 - __builtin_clzll(significand);
    ratio x;
    ratio_set(&x, significand, exponent, narrow_below);
    decimal out = {.count = 0, .point = ratio_scale(&x, top_bit, even)};
    for (;;) {
        ratio_mul10(&x);
        char digit = '0';
        for (; zl_big_compare(&x.r, &x.s) >= 0; digit++) {
            zl_big_sub(&x.r, &x.s);
        }
        const bool low = zl_big_compare(&x.r, &x.low) < (even ? 1 : 0);
        const bool high = reaches_one(&x, even);
        if (!low && !high) {
            out.digit[out.count++] = digit;
            continue;
        }
        zl_big_shift_left(&x.r, 1); /* which of the two neighbours is nearer? */
        const int order = zl_big_compare(&x.r, &x.s);
        const bool nearer_above = order > 0 || (order == 0 && digit % 2 != 0);
        out.digit[out.count++] = (char)(digit + (high && (!low || nearer_above)));
        return out;
    }
}

static char *put(char *at, const char *text, int32_t count) {
    memcpy(at, text, (size_t)count);
    return at + count;
}

static char *put_zeros(char *at, int32_t count) {
    memset(at, '0', (size_t)count);
    return at + count;
}

static char *put_exponent(char *at, int32_t exponent) {
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    if (size >= 100) *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

/* Plain from 1e-4 up to below 1e16, as Python writes it; with an exponent elsewhere. */
static char *put_decimal(char *at, const decimal *x) {
    const int32_t point = x->point;
    if (point > 16 || point < -3) {
        at = put(at, x->digit, 1);
        if (x->count > 1) *at++ = '.';
        at = put(at, x->digit + 1, x->count - 1);
        return put_exponent(at, point - 1);
    }
    if (point <= 0) {
        at = put_zeros(put(at, "0.", 2), -point);
        return put(at, x->digit, x->count);
    }
    if (point >= x->count) {
        at = put_zeros(put(at, x->digit, x->count), point - x->count);
        return put(at, ".0", 2);
    }
    at = put(at, x->digit, point);
    *at++ = '.';
    return put(at, x->digit + point, x->count - point);
}

/* `value` is one of the format's. */
static size_t format_value(double value, const float_format *format, char *buffer) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t hidden = UINT64_C(1) << (float64.bits - 1);
    const uint64_t fraction = bits & (hidden - 1);
    const int32_t biased = (int32_t)(bits >> (float64.bits - 1) & 0x7ff);
    const bool special = biased == 0x7ff;
    char *at = buffer;
    if (bits >> 63 != 0 && !(special && fraction != 0)) *at++ = '-';
    if (special) {
        at = fraction != 0 ? put(at, "NaN", 3) : put(at, "Infinity", 8);
    } else if (biased == 0 && fraction == 0) {
        at = put(at, "0.0", 3);
    } else {
        const uint64_t significand = biased == 0 ? fraction : fraction | hidden;
        const int32_t exponent = float64.min_exponent + (biased == 0 ? 0 : biased - 1);
        /* In units of the format's last place; the bits below it are 0. */
        int32_t drop = float64.bits - format->bits;
        if (exponent + drop < format->min_exponent) drop = format->min_exponent - exponent;
        const decimal digits = shortest(significand >> drop, exponent + drop, format);
        at = put_decimal(at, &digits);
    }
    *at = '\0';
    return (size_t)(at - buffer);
}

size_t zl_format_double(double value, char *buffer) {
    return format_value(value, &float64, buffer);
}

size_t zl_format_float(float value, char *buffer) {
    return format_value((double)value, &float32, buffer);
}

size_t zl_format_narrow(double value, int32_t bits, int32_t min_exponent, char *buffer) {
    const float_format format = {bits, min_exponent};
    return format_value(value, &format, buffer);
}

/* ---- reading */

static size_t scan_digits(const char *text, size_t size, size_t at) {
    while (at < size && text[at] >= '0' && text[at] <= '9') {
        at++;
    }
    return at;
}

size_t zl_scan_number(const char *text, size_t size) {
    size_t at = size > 0 && text[0] == '-';
    size_t end = scan_digits(text, size, at);
    if (end == at) return 0;
    if (text[at] == '0') end = at + 1;
    if (end < size && text[end] == '.') {
        const size_t behind = scan_digits(text, size, end + 1);
        if (behind == end + 1) return end;
        end = behind;
    }
    if (end < size && (text[end] == 'e' || text[end] == 'E')) {
        at = end + 1;
        if (at < size && (text[at] == '+' || text[at] == '-')) at++;
        const size_t behind = scan_digits(text, size, at);
        if (behind > at) end = behind;
    }
    return end;
}

/* A double is told from its neighbours by at most 767 digits (the longest tie); what follows matters only by not being 0.
 */
#define MAX_DIGITS 768
/* 0.d * 10^point with a first digit that is not 0: infinity from here on, and 0 up to there. */
#define POINT_OF_INFINITY 310
#define POINT_OF_ZERO (-324)

typedef struct decimal_text {
    zl_big digits; /* value = digits * 10^exponent */
    int64_t exponent;
    int64_t point; /* number of digits in front of the decimal point, as above */
} decimal_text;

/* `at` is behind 'e'; saturates far outside of what digits can balance. */
static int64_t read_exponent(const char *text, size_t size, size_t at) {
    const bool negative = text[at] == '-';
    if (text[at] == '-' || text[at] == '+') at++;
    int64_t value = 0;
    for (; at < size; at++) {
        if (value < INT64_MAX / 100) value = value * 10 + (text[at] - '0');
    }
    return negative ? -value : value;
}

/* `text` is a number without its sign. False: it is 0. */
static bool read_decimal(const char *text, size_t size, decimal_text *out) {
    zl_big_set(&out->digits, 0);
    int64_t used = 0, significant = 0, behind_point = 0;
    bool behind = false, sticky = false;
    size_t at = 0;
    for (; at < size && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            behind = true;
            continue;
        }
        behind_point += behind;
        if (significant == 0 && text[at] == '0') continue;
        significant++;
        if (used < MAX_DIGITS) {
            zl_big_mul_add(&out->digits, 10, (uint32_t)(text[at] - '0'));
            used++;
        } else {
            sticky = sticky || text[at] != '0';
        }
    }
    if (significant == 0) return false;
    const int64_t written = at < size ? read_exponent(text, size, at + 1) : 0;
    out->point = written + significant - behind_point;
    if (sticky) {
        zl_big_mul_add(&out->digits, 10, 1);
        used++;
    }
    out->exponent = out->point - used;
    return true;
}

/* Bits of the double nearest to digits * 10^exponent, ties to even; or, with `odd`, of the one below with its last bit set
 * when it is not exact. The magnitude is between the two POINT_OF. */
static uint64_t round_decimal(zl_big *digits, int32_t exponent, bool odd) {
    zl_big *n = digits;
    zl_big d;
    zl_big_set(&d, 1);
    zl_big_mul_pow5(exponent > 0 ? n : &d, (uint32_t)(exponent > 0 ? exponent : -exponent));
    /* Shifted so that 1 <= n / d < 2; the value is n / d * 2^top. */
    int32_t shift = zl_big_bit_length(n) - zl_big_bit_length(&d);
    zl_big_shift_left(shift < 0 ? n : &d, (uint32_t)(shift < 0 ? -shift : shift));
    if (zl_big_compare(n, &d) < 0) {
        zl_big_shift_left(n, 1);
        shift--;
    }
    const int32_t top = shift + exponent;
    int32_t bits = top - float64.min_exponent + 1; /* fewer for subnormals */
    if (bits < 0) return odd;
    if (bits > float64.bits) bits = float64.bits;
    uint64_t significand = 0;
    for (int32_t i = 0; i < bits; i++) {
        const bool one = zl_big_compare(n, &d) >= 0;
        significand = significand << 1 | one;
        if (one) zl_big_sub(n, &d);
        zl_big_shift_left(n, 1);
    }
    const int order = zl_big_compare(n, &d); /* the rest against half a unit */
    if (odd) {
        significand |= zl_big_bit_length(n) != 0;
    } else if (order > 0 || (order == 0 && significand % 2 != 0)) {
        significand++;
    }
    /* Adding the significand with its hidden bit carries into the exponent by itself, here and when it was rounded up. */
    const int32_t biased = top - bits + 1 - float64.min_exponent;
    const uint64_t result = ((uint64_t)biased << 52) + significand;
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    return result < infinity ? result : infinity;
}

static bool read_double(const char *text, size_t size, bool odd, double *out) {
    if (size == 0 || zl_scan_number(text, size) != size) return false;
    const size_t sign = text[0] == '-';
    decimal_text number;
    uint64_t bits = 0;
    if (read_decimal(text + sign, size - sign, &number)) {
        if (number.point >= POINT_OF_INFINITY) {
            bits = UINT64_C(0x7ff) << 52;
        } else if (number.point > POINT_OF_ZERO) {
            bits = round_decimal(&number.digits, (int32_t)number.exponent, odd);
        } else {
            bits = odd;
        }
    }
    bits |= (uint64_t)sign << 63;
    memcpy(out, &bits, sizeof *out);
    return true;
}

bool zl_read_double(const char *text, size_t size, double *out) {
    return read_double(text, size, false, out);
}

bool zl_read_double_odd(const char *text, size_t size, double *out) {
    return read_double(text, size, true, out);
}
