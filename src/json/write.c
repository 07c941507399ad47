/* SPDX-License-Identifier: MIT */
/*
 * The writer. Text is compact while it is written; layout.c indents it at the end, when it can look ahead. The first
 * failure sticks and later calls do nothing: emit functions need no error handling.
 */
#include <stdio.h>

#include "json/value.h"

/* ---- text */

static bool is_failed(const zl_json_writer *writer) {
    return writer->err.status != ZL_OK;
}

static void put(zl_json_writer *writer, const char *text, size_t size) {
    if (is_failed(writer)) return;
    const zl_status status = zl_sink_append(&writer->sink, text, size, &writer->err);
    (void)status; /* it is in writer->err */
}

static void refuse(zl_json_writer *writer, zl_status status, const char *why) {
    if (!is_failed(writer)) zl_fail(&writer->err, status, "JSON writer: %s", why);
}

static void put_string(zl_json_writer *writer, const char *text, size_t size) {
    static const char hex[] = "0123456789abcdef";
    if (!zl_utf8_valid(text, size)) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a string is not UTF-8");
    put(writer, "\"", 1);
    size_t done = 0;
    for (size_t at = 0; at < size; at++) {
        const unsigned char c = (unsigned char)text[at];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        put(writer, text + done, at - done);
        done = at + 1;
        const char *name = c != '\0' ? strchr("\"\\\bb\ff\nn\rr\tt", c) : NULL;
        if (name != NULL) {
            const char escape[2] = {'\\', c == '"' || c == '\\' ? (char)c : name[1]};
            put(writer, escape, 2);
        } else {
            const char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            put(writer, escape, 6);
        }
    }
    put(writer, text + done, size - done);
    put(writer, "\"", 1);
}

/* ---- structure */

static bool in_object(const zl_json_writer *writer) {
    return writer->depth > 0 && !writer->is_array[writer->depth];
}

/* Before any value: the comma, and whether a value may stand here. */
static void begin_value(zl_json_writer *writer) {
    if (in_object(writer) && !writer->after_key) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a value where a key belongs");
    if (writer->depth == 0 && writer->need_comma) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a second document");
    if (writer->need_comma && !writer->after_key) put(writer, ",", 1);
    writer->after_key = false;
    writer->need_comma = true;
}

static void put_value(zl_json_writer *writer, const char *text, size_t size) {
    begin_value(writer);
    put(writer, text, size);
}

static void begin_container(zl_json_writer *writer, bool is_array) {
    begin_value(writer);
    if (writer->depth + 1 >= (int32_t)ZL_COUNT_OF(writer->is_array)) {
        refuse(writer, ZL_ERR_LIMIT, "values are nested too deep");
    }
    if (is_failed(writer)) return;
    put(writer, is_array ? "[" : "{", 1);
    writer->is_array[++writer->depth] = is_array;
    writer->need_comma = false;
}

void zl_json_write_object(zl_json_writer *writer) {
    begin_container(writer, false);
}

void zl_json_write_array(zl_json_writer *writer) {
    begin_container(writer, true);
}

void zl_json_write_end(zl_json_writer *writer) {
    if (writer->depth == 0) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "an end without a beginning");
    if (writer->after_key) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a key without a value");
    if (is_failed(writer)) return;
    put(writer, writer->is_array[writer->depth--] ? "]" : "}", 1);
    writer->need_comma = true;
}

static void put_key(zl_json_writer *writer, const char *key, size_t size) {
    if (!in_object(writer)) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a key outside of an object");
    if (writer->after_key) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a key behind a key");
    if (writer->need_comma) put(writer, ",", 1);
    put_string(writer, key, size);
    put(writer, ":", 1);
    writer->after_key = true;
}

void zl_json_write_key(zl_json_writer *writer, const char *key) {
    put_key(writer, key, strlen(key));
}

void zl_json_write_key_of(zl_json_writer *writer, const zl_json *member) {
    put_key(writer, member->key, member->key_size);
}

/* ---- scalars */

void zl_json_write_null(zl_json_writer *writer) {
    put_value(writer, "null", 4);
}

void zl_json_write_bool(zl_json_writer *writer, bool value) {
    put_value(writer, value ? "true" : "false", value ? 4 : 5);
}

void zl_json_write_i64(zl_json_writer *writer, int64_t value) {
    char text[24];
    put_value(writer, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)value));
}

void zl_json_write_u64(zl_json_writer *writer, uint64_t value) {
    char text[24];
    put_value(writer, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)value));
}

void zl_json_write_double(zl_json_writer *writer, double value) {
    char text[32];
    const size_t size = zl_format_double(value, text);
    if (zl_scan_number(text, size) != size) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a number that is not finite");
    put_value(writer, text, size);
}

void zl_json_write_text(zl_json_writer *writer, const char *text) {
    zl_json_write_string(writer, text, strlen(text));
}

void zl_json_write_string(zl_json_writer *writer, const char *text, size_t size) {
    begin_value(writer);
    put_string(writer, text, size);
}

void zl_json_write_number(zl_json_writer *writer, const char *text, size_t size) {
    if (size == 0 || zl_scan_number(text, size) != size) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "a malformed number");
    put_value(writer, text, size);
}

/* Scalars are copied as they stand in the source, with their escapes, exact numbers and NaN literals. */
void zl_json_write_value(zl_json_writer *writer, const zl_json *value) {
    const char *source = zl_json_doc_of(value)->source;
    const zl_json *it = value;
    for (;;) {
        if (it != value && it->key != NULL) put_key(writer, it->key, it->key_size);
        if (zl_json_is_container(it)) {
            begin_container(writer, it->type == ZL_JSON_ARRAY);
            if (it->first != NULL) {
                it = it->first;
                continue;
            }
            zl_json_write_end(writer);
        } else {
            put_value(writer, source + it->start, it->length);
        }
        for (; it != value && it->next == NULL; it = it->parent) {
            zl_json_write_end(writer);
        }
        if (it == value || is_failed(writer)) return;
        it = it->next;
    }
}

/* ---- named configurations */

static void begin_name(zl_json_writer *writer, const char *name) {
    zl_json_write_object(writer);
    zl_json_write_key(writer, "name");
    zl_json_write_text(writer, name);
}

void zl_json_begin_named(zl_json_writer *writer, const char *name) {
    begin_name(writer, name);
    zl_json_write_key(writer, "configuration");
    zl_json_write_object(writer);
}

void zl_json_end_named(zl_json_writer *writer) {
    zl_json_write_end(writer);
    zl_json_write_end(writer);
}

void zl_json_write_named(zl_json_writer *writer, const char *name, zl_json_emit_fn emit, const void *self) {
    begin_name(writer, name);
    if (emit != NULL) {
        zl_json_write_key(writer, "configuration");
        emit(self, writer);
    }
    zl_json_write_end(writer);
}

/* ---- documents */

void zl_json_writer_init(zl_json_writer *writer, const zl_allocator *allocator, int32_t indent) {
    *writer = (zl_json_writer){.indent = indent, .sink = {.max = SIZE_MAX, .allocator = allocator}};
}

void zl_json_writer_clear(zl_json_writer *writer) {
    zl_sink_free(&writer->sink);
}

/* Replaces the compact text by an indented one. */
static zl_status indent_text(zl_json_writer *writer) {
    zl_sink indented = {.max = SIZE_MAX, .allocator = writer->sink.allocator};
    const zl_status status =
        zl_json_layout(&indented, (const char *)writer->sink.data, writer->sink.size, writer->indent, &writer->err);
    if (status != ZL_OK) {
        zl_sink_free(&indented);
        return status;
    }
    zl_sink_free(&writer->sink);
    writer->sink = indented;
    writer->indent = 0; /* done */
    return ZL_OK;
}

zl_status zl_json_writer_finish(zl_json_writer *writer, zl_error *err) {
    if (writer->depth > 0 || !writer->need_comma) refuse(writer, ZL_ERR_INVALID_ARGUMENT, "an incomplete document");
    zl_status status = writer->err.status;
    if (status == ZL_OK && writer->indent > 0) status = indent_text(writer);
    if (status == ZL_OK) status = zl_sink_reserve(&writer->sink, 1, &writer->err);
    if (status == ZL_OK) {
        writer->sink.data[writer->sink.size] = '\0';
    } else if (err != NULL) {
        *err = writer->err;
    }
    return status;
}
