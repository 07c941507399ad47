/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (memory) return memory;
    fputs("zarrlite: out of memory\n", stderr);
    exit(1);
}

void *cli_malloc(size_t size) {
    return checked(malloc(size ? size : 1));
}

void *cli_calloc(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *cli_realloc(void *old, size_t size) {
    return checked(realloc(old, size ? size : 1));
}

char *cli_copy(const char *text, size_t size) {
    if (size == SIZE_MAX) checked(NULL);
    char *copy = cli_malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *cli_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = cli_malloc(size < 0 ? 1 : (size_t)size + 1);
    text[0] = '\0';
    va_start(arguments, format);
    if (size > 0) vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return text;
}
