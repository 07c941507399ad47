/* SPDX-License-Identifier: MIT */
/*
 * Status names and the text of errors. Messages name keys and values from files, so what goes into one is cut at a whole
 * UTF-8 character and cannot move a terminal's cursor: control characters become '?'.
 */
#include <stdio.h>

#include "base/base.h"

#define MESSAGE_SIZE sizeof((zl_error){0}.message)

const char *zl_version(void) {
    return ZL_VERSION_STRING;
}

const char *zl_status_name(zl_status status) {
    switch (status) {
#define ZL_STATUS_NAME(name, value, text) \
    case ZL_##name: return #name;
        ZL_STATUS_MAP(ZL_STATUS_NAME)
#undef ZL_STATUS_NAME
    }
    return "unknown";
}

const char *zl_status_text(zl_status status) {
    switch (status) {
#define ZL_STATUS_TEXT(name, value, text) \
    case ZL_##name: return text;
        ZL_STATUS_MAP(ZL_STATUS_TEXT)
#undef ZL_STATUS_TEXT
    }
    return "unknown status";
}

void zl_error_clear(zl_error *err) {
    if (err != NULL) *err = (zl_error){.status = ZL_OK};
}

/* Formats into `buffer`, cut to MESSAGE_SIZE with the NUL byte; returns the length. */
static size_t format_text(char *buffer, const char *format, va_list args) {
    const int wanted = vsnprintf(buffer, MESSAGE_SIZE, format, args);
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length >= MESSAGE_SIZE) length = zl_utf8_cut(buffer, MESSAGE_SIZE - 1);
    buffer[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)buffer[i];
        if (c < 0x20 || c == 0x7f) buffer[i] = '?';
    }
    return length;
}

/* Puts `size` bytes of `text` behind the first `at` bytes of the message. */
static void put_text(zl_error *err, size_t at, const char *text, size_t size) {
    const size_t room = MESSAGE_SIZE - 1 - at;
    if (size > room) size = zl_utf8_cut(text, room);
    memcpy(err->message + at, text, size);
    err->message[at + size] = '\0';
}

zl_status zl_vfail(zl_error *err, zl_status status, const char *format, va_list args) {
    if (err == NULL) return status;
    char text[MESSAGE_SIZE]; /* the arguments may point into err->message */
    const size_t size = format_text(text, format, args);
    err->status = status;
    err->os_code = 0;
    put_text(err, 0, text, size);
    return status;
}

zl_status zl_fail(zl_error *err, zl_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    zl_vfail(err, status, format, args);
    va_end(args);
    return status;
}

zl_status zl_error_wrap(zl_error *err, zl_status status, const char *format, ...) {
    if (err == NULL || status == ZL_OK) return status;
    char old[MESSAGE_SIZE];
    memcpy(old, err->message, MESSAGE_SIZE);
    char prefix[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    const size_t size = format_text(prefix, format, args);
    va_end(args);
    err->status = status;
    put_text(err, 0, prefix, size);
    put_text(err, size, old, strlen(old));
    return status;
}

zl_status zl_fail_os(zl_error *err, zl_status status, int os_code, const char *format, ...) {
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    zl_vfail(err, status, format, args);
    va_end(args);
    char reason[128];
    if (strerror_r(os_code, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", os_code);
    err->os_code = os_code;
    const size_t size = strlen(err->message);
    put_text(err, size, ": ", 2);
    put_text(err, strlen(err->message), reason, strlen(reason));
    return status;
}

zl_status zl_fail_memory(zl_error *err, uint64_t size) {
    return zl_fail(err, ZL_ERR_NO_MEMORY, "out of memory (%llu bytes)", (unsigned long long)size);
}
