/* SPDX-License-Identifier: MIT */
#include "json_scan.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* `at` is on the opening quote. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\') at++;
    }
    return end;
}

static const char *skip_value(const char *at, const char *end) {
    if (at < end && *at == '"') return skip_string(at, end);
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (*at == '[' || *at == '{') depth++;
        if (*at == ']' || *at == '}') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        }
        if (depth == 0 && (*at == ',' || is_space(*at))) return at;
        at++;
    }
    return end;
}

cli_value cli_value_of(const char *text, size_t size) {
    const char *end = text + size;
    const char *start = skip_space(text, end);
    return (cli_value){start, (size_t)(skip_value(start, end) - start)};
}

static bool is_container(cli_value value) {
    return value.size && (*value.text == '{' || *value.text == '[');
}

bool cli_value_next(cli_value container, cli_value_iter *iter) {
    if (!is_container(container)) return false;
    const char *end = container.text + container.size;
    const char *at = skip_space(iter->at ? iter->at : container.text + 1, end);
    if (at < end && *at == ',') at = skip_space(at + 1, end);
    if (at >= end || *at == ']' || *at == '}') return false;
    iter->key = (cli_value){0};
    if (*container.text == '{') {
        const char *key_end = skip_value(at, end);
        iter->key = (cli_value){at, (size_t)(key_end - at)};
        at = skip_space(key_end, end);
        if (at < end && *at == ':') at = skip_space(at + 1, end);
    }
    const char *value_end = skip_value(at, end);
    iter->value = (cli_value){at, (size_t)(value_end - at)};
    if (value_end == at) return false;
    iter->at = value_end;
    return true;
}

static bool key_is(cli_value key, const char *text, size_t size) {
    if (!memchr(key.text, '\\', key.size)) return key.size == size + 2 && memcmp(key.text + 1, text, size) == 0;
    size_t decoded_size = 0;
    char *decoded = cli_value_string(key, &decoded_size);
    const bool same = decoded && decoded_size == size && memcmp(decoded, text, size) == 0;
    free(decoded);
    return same;
}

bool cli_value_member(cli_value object, const char *key, cli_value *out) {
    if (!object.size || *object.text != '{') return false;
    for (cli_value_iter iter = {0}; cli_value_next(object, &iter);) {
        if (!key_is(iter.key, key, strlen(key))) continue;
        *out = iter.value;
        return true;
    }
    return false;
}

bool cli_value_is(cli_value value, const char *text) {
    return value.size == strlen(text) && memcmp(value.text, text, value.size) == 0;
}

/* Four hexadecimal digits at `at`, or 0xffffffff. */
static unsigned long hex4(const char *at, const char *end) {
    char digits[5] = {0};
    if (end - at < 4) return 0xffffffffUL;
    memcpy(digits, at, 4);
    return strtoul(digits, NULL, 16);
}

static size_t put_utf8(char *out, unsigned long code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (code >> 18 & 0x07));
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Decodes the escape at `*at`, which is behind the backslash, and moves past it. An escape is never shorter than its text.
 */
static size_t put_escape(char *out, const char **at, const char *end) {
    static const char shorts[] = "b\bf\fn\nr\rt\t";
    const char letter = *(*at)++;
    if (letter != 'u') {
        for (const char *pair = shorts; *pair; pair += 2) {
            if (pair[0] != letter) continue;
            out[0] = pair[1];
            return 1;
        }
        out[0] = letter;
        return 1;
    }
    unsigned long code = hex4(*at, end);
    *at += end - *at < 4 ? end - *at : 4;
    if (code >= 0xd800 && code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        const unsigned long low = hex4(*at + 2, end);
        code = 0x10000 + ((code - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff);
        *at += 6;
    }
    return put_utf8(out, code);
}

char *cli_value_string(cli_value value, size_t *size) {
    if (value.size < 2 || *value.text != '"') return NULL;
    const char *at = value.text + 1;
    const char *end = value.text + value.size - 1;
    char *text = cli_malloc(value.size);
    size_t used = 0;
    while (at < end) {
        if (*at == '\\' && at + 1 < end) {
            at++;
            used += put_escape(text + used, &at, end);
        } else {
            text[used++] = *at++;
        }
    }
    text[used] = '\0';
    if (size) *size = used;
    return text;
}

bool cli_value_equal(cli_value a, cli_value b) {
    if (!is_container(a) || !is_container(b)) {
        return a.size == b.size && (a.size == 0 || memcmp(a.text, b.text, a.size) == 0);
    }
    if (*a.text != *b.text) return false;
    cli_value_iter left = {0}, right = {0};
    while (cli_value_next(a, &left)) {
        if (!cli_value_next(b, &right) || !cli_value_equal(left.key, right.key)) return false;
        if (!cli_value_equal(left.value, right.value)) return false;
    }
    return !cli_value_next(b, &right);
}
