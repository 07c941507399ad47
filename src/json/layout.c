/* SPDX-License-Identifier: MIT */
/*
 * Line breaks and indentation for compact JSON text: one member or element on a line, but arrays of a few scalars, such as
 * shapes, on one. The text is the writer's own, so it is well-formed.
 */
#include "json/value.h"

#define SHORT_ARRAY 72 /* compact bytes */

typedef struct layout {
    zl_sink *out;
    int32_t indent;
    int32_t depth;
    zl_error *err;
} layout;

static zl_status put(layout *l, const char *text, size_t size) {
    return zl_sink_append(l->out, text, size, l->err);
}

static zl_status new_line(layout *l) {
    static const char spaces[] = "                ";
    ZL_TRY(put(l, "\n", 1));
    for (size_t left = (size_t)l->depth * (size_t)l->indent; left > 0;) {
        const size_t step = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        ZL_TRY(put(l, spaces, step));
        left -= step;
    }
    return ZL_OK;
}

/* Length of the token at `text`: a string, a word or number, or one of {}[],: */
static size_t token_size(const char *text, size_t size) {
    size_t at = 1;
    if (text[0] == '"') {
        while (text[at] != '"') {
            at += text[at] == '\\' ? 2 : 1;
        }
        return at + 1;
    }
    if (strchr("{}[],:", text[0]) != NULL) return 1;
    while (at < size && strchr("}],", text[at]) == NULL) {
        at++;
    }
    return at;
}

/* Length of the array at `text` if it is short and has only scalars, otherwise 0. */
static size_t short_array_size(const char *text, size_t size) {
    for (size_t at = 1; at < size && at < SHORT_ARRAY; at += token_size(text + at, size - at)) {
        if (text[at] == ']') return at + 1;
        if (text[at] == '[' || text[at] == '{') return 0;
    }
    return 0;
}

/* An empty object or a short array. */
static zl_status put_flat(layout *l, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const size_t step = token_size(text + at, size - at);
        ZL_TRY(put(l, text + at, step));
        if (text[at] == ',') ZL_TRY(put(l, " ", 1));
        at += step;
    }
    return ZL_OK;
}

static zl_status put_token(layout *l, const char *text, size_t size) {
    switch (text[0]) {
    case '{':
    case '[':
        l->depth++;
        ZL_TRY(put(l, text, 1));
        return new_line(l);
    case '}':
    case ']':
        l->depth--;
        ZL_TRY(new_line(l));
        return put(l, text, 1);
    case ',': ZL_TRY(put(l, text, 1)); return new_line(l);
    case ':': return put(l, ": ", 2);
    default: return put(l, text, size);
    }
}

zl_status zl_json_layout(zl_sink *out, const char *text, size_t size, int32_t indent, zl_error *err) {
    layout l = {out, indent, 0, err};
    for (size_t at = 0; at < size;) {
        const bool empty_object = text[at] == '{' && text[at + 1] == '}';
        size_t step = empty_object ? 2 : text[at] == '[' ? short_array_size(text + at, size - at) : 0;
        if (step > 0) {
            ZL_TRY(put_flat(&l, text + at, step));
        } else {
            step = token_size(text + at, size - at);
            ZL_TRY(put_token(&l, text + at, step));
        }
        at += step;
    }
    return ZL_OK;
}
