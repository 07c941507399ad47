/* SPDX-License-Identifier: MIT */
/* JSON values to C values, and members of configurations. Messages say what was expected and what is there. */
#include <stdio.h>

#include "json/value.h"

/* ---- values */

static zl_status fail_type(const zl_json *value, const char *expected, zl_error *err) {
    char buffer[ZL_JSON_DESCRIPTION];
    return zl_json_fail(value, err, ZL_ERR_METADATA, "must be %s, not %s", expected, zl_json_describe(value, buffer));
}

static zl_status expect(const zl_json *value, zl_json_type type, const char *expected, zl_error *err) {
    return value->type == type ? ZL_OK : fail_type(value, expected, err);
}

zl_status zl_json_to_bool(const zl_json *value, bool *out, zl_error *err) {
    ZL_TRY(expect(value, ZL_JSON_BOOL, "true or false", err));
    *out = value->size != 0;
    return ZL_OK;
}

/* Sign and magnitude; what is larger than `most` is refused as out of `range`. */
static zl_status read_integer(const zl_json *value, uint64_t most, uint64_t most_negative, const char *range,
                              uint64_t *magnitude, bool *negative, zl_error *err) {
    ZL_TRY(expect(value, ZL_JSON_NUMBER, "an integer", err));
    *negative = value->text[0] == '-';
    *magnitude = 0;
    bool fits = true;
    for (const char *c = value->text + *negative; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') return fail_type(value, "an integer without fraction or exponent", err);
        fits = fits && zl_mul_u64(*magnitude, 10, magnitude) && zl_add_u64(*magnitude, (uint64_t)(*c - '0'), magnitude);
    }
    if (!fits || *magnitude > (*negative ? most_negative : most)) return fail_type(value, range, err);
    return ZL_OK;
}

zl_status zl_json_to_i64(const zl_json *value, int64_t *out, zl_error *err) {
    const uint64_t most_negative = UINT64_C(1) << 63;
    uint64_t magnitude;
    bool negative;
    ZL_TRY(read_integer(value, most_negative - 1, most_negative,
                        "an integer from -9223372036854775808 to 9223372036854775807", &magnitude, &negative, err));
    *out = !negative ? (int64_t)magnitude : magnitude == most_negative ? INT64_MIN : -(int64_t)magnitude;
    return ZL_OK;
}

zl_status zl_json_to_u64(const zl_json *value, uint64_t *out, zl_error *err) {
    uint64_t magnitude;
    bool negative;
    ZL_TRY(read_integer(value, UINT64_MAX, 0, "an integer from 0 to 18446744073709551615", &magnitude, &negative, err));
    *out = magnitude;
    return ZL_OK;
}

static double double_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

zl_status zl_json_to_double(const zl_json *value, double *out, zl_error *err) {
    static const uint64_t nan = UINT64_C(0x7ff8) << 48, infinity = UINT64_C(0x7ff0) << 48, sign = UINT64_C(1) << 63;
    ZL_TRY(expect(value, ZL_JSON_NUMBER, "a number", err));
    double number;
    if (zl_read_double(value->text, value->size, &number)) {
        if (number == double_of_bits(infinity) || number == double_of_bits(infinity | sign)) {
            return fail_type(value, "a number in the range of doubles", err);
        }
    } else { /* the parser lets only three other words through */
        number = double_of_bits(value->text[0] == 'N' ? nan : value->text[0] == 'I' ? infinity : infinity | sign);
    }
    *out = number;
    return ZL_OK;
}

/* ---- members */

zl_status zl_json_to_within(const zl_json *value, int64_t low, int64_t high, int64_t *out, zl_error *err) {
    int64_t number;
    if (value == NULL) return ZL_OK;
    ZL_TRY(zl_json_to_i64(value, &number, err));
    if (number < low || number > high) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "%s %lld is not within %lld to %lld", zl_json_key(value, NULL),
                            (long long)number, (long long)low, (long long)high);
    }
    *out = number;
    return ZL_OK;
}

zl_status zl_json_require(const zl_json *object, const char *key, const zl_json **out, zl_error *err) {
    if (object != NULL) ZL_TRY(expect(object, ZL_JSON_OBJECT, "an object", err));
    const zl_json *member = zl_json_member(object, key);
    if (member == NULL) return zl_json_fail(object, err, ZL_ERR_METADATA, "the member \"%s\" is missing", key);
    *out = member;
    return ZL_OK;
}

zl_status zl_json_get_bool(const zl_json *object, const char *key, bool *out, zl_error *err) {
    const zl_json *member;
    ZL_TRY(zl_json_require(object, key, &member, err));
    return zl_json_to_bool(member, out, err);
}

zl_status zl_json_get_i64(const zl_json *object, const char *key, int64_t *out, zl_error *err) {
    const zl_json *member;
    ZL_TRY(zl_json_require(object, key, &member, err));
    return zl_json_to_i64(member, out, err);
}

zl_status zl_json_get_u64(const zl_json *object, const char *key, uint64_t *out, zl_error *err) {
    const zl_json *member;
    ZL_TRY(zl_json_require(object, key, &member, err));
    return zl_json_to_u64(member, out, err);
}

zl_status zl_json_get_double(const zl_json *object, const char *key, double *out, zl_error *err) {
    const zl_json *member;
    ZL_TRY(zl_json_require(object, key, &member, err));
    return zl_json_to_double(member, out, err);
}

/* `"a", "b" or "c"`, as far as the buffer goes. */
static const char *list_choices(const char *const *choices, char *buffer, size_t cap) {
    size_t size = 0;
    buffer[0] = '\0';
    for (size_t i = 0; choices[i] != NULL && size < cap; i++) {
        const char *between = i == 0 ? "" : choices[i + 1] != NULL ? ", " : " or ";
        size += (size_t)snprintf(buffer + size, cap - size, "%s\"%s\"", between, choices[i]);
    }
    return buffer;
}

zl_status zl_json_get_choice(const zl_json *object, const char *key, const char *const *choices, int *out, zl_error *err) {
    const zl_json *member;
    ZL_TRY(zl_json_require(object, key, &member, err));
    for (int i = 0; choices[i] != NULL; i++) {
        if (zl_json_is(member, choices[i])) {
            *out = i;
            return ZL_OK;
        }
    }
    char buffer[256];
    return fail_type(member, list_choices(choices, buffer, sizeof buffer), err);
}

static bool is_among(const zl_json *member, const char *const *keys) {
    for (; *keys != NULL; keys++) {
        if (zl_json_same_text(member->key, member->key_size, *keys, strlen(*keys))) return true;
    }
    return false;
}

zl_status zl_json_only(const zl_json *object, const char *const *keys, zl_error *err) {
    if (object == NULL) return ZL_OK;
    ZL_TRY(expect(object, ZL_JSON_OBJECT, "an object", err));
    for (const zl_json *it = object->first; it != NULL; it = it->next) {
        if (!is_among(it, keys)) return zl_json_fail(it, err, ZL_ERR_METADATA, "unknown member");
    }
    return ZL_OK;
}

/* ---- named configurations */

static zl_status read_name(const zl_json *value, zl_named *out, zl_error *err) {
    ZL_TRY(expect(value, ZL_JSON_STRING, "a string", err));
    if (strlen(value->text) != value->size) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a name has no NUL character");
    }
    out->name = value->text;
    return ZL_OK;
}

static zl_status read_named(const zl_json *value, zl_named *out, zl_error *err) {
    static const char *const keys[] = {"name", "configuration", "must_understand", NULL};
    if (value->type == ZL_JSON_STRING) return read_name(value, out, err);
    ZL_TRY(expect(value, ZL_JSON_OBJECT, "a string or an object", err));
    ZL_TRY(zl_json_unique(value, true, err));
    ZL_TRY(zl_json_only(value, keys, err));
    const zl_json *name;
    ZL_TRY(zl_json_require(value, "name", &name, err));
    ZL_TRY(read_name(name, out, err));
    out->configuration = zl_json_member(value, "configuration");
    if (out->configuration != NULL) ZL_TRY(expect(out->configuration, ZL_JSON_OBJECT, "an object", err));
    const zl_json *must_understand = zl_json_member(value, "must_understand");
    if (must_understand == NULL) return ZL_OK;
    bool must = true;
    ZL_TRY(zl_json_to_bool(must_understand, &must, err));
    out->optional = !must;
    return ZL_OK;
}

zl_status zl_json_to_named(const zl_json *value, const char *what, zl_named *out, zl_error *err) {
    zl_named named = {NULL, NULL, false};
    const zl_status status = read_named(value, &named, err);
    if (status != ZL_OK) return zl_error_wrap(err, status, "%s: ", what);
    *out = named;
    return ZL_OK;
}
