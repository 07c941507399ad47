/* SPDX-License-Identifier: MIT */
/* Options in the usual GNU manner: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, grouped short flags, "--". No
 * abbreviations: a script written today must not change its meaning when an option is added. Negative numbers are no
 * options. */
#include "args.h"

#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const cli_option *options;
    int argc;
    char **argv;
    int next; /* first argument that was not looked at */
    char *values;
    cli_args_error *error;
} parser;

static const cli_option *find_long(const cli_option *options, const char *name, size_t size) {
    for (const cli_option *option = options; option->name; option++) {
        if (strlen(option->name) == size && memcmp(option->name, name, size) == 0) return option;
    }
    return NULL;
}

static const cli_option *find_short(const cli_option *options, char letter) {
    for (const cli_option *option = options; option->name; option++) {
        if (option->letter == letter) return option;
    }
    return NULL;
}

static bool store_count(parser *p, const cli_option *option, const char *value) {
    char *end = NULL;
    errno = 0;
    const long count = strtol(value, &end, 10);
    if (errno || end == value || *end || count < 1 || count > INT_MAX) {
        snprintf(p->error->message, sizeof p->error->message, "--%s needs a number of 1 or more, not '%s'", option->name,
                 value);
        return false;
    }
    *(int *)(void *)(p->values + option->offset) = (int)count;
    return true;
}

static bool store(parser *p, const cli_option *option, const char *value) {
    void *member = p->values + option->offset;
    switch (option->kind) {
    case CLI_FLAG: *(bool *)member = true; return true;
    case CLI_TEXT: *(const char **)member = value; return true;
    case CLI_COUNT: return store_count(p, option, value);
    case CLI_LIST: break;
    }
    cli_list *list = member;
    if (!list->items) list->items = cli_calloc((size_t)p->argc, sizeof *list->items);
    list->items[list->count++] = value;
    return true;
}

/* The value of an option that has one: behind "=" or in its own argument. */
static bool take_value(parser *p, const cli_option *option, const char *attached) {
    if (attached) return store(p, option, attached);
    if (p->next >= p->argc) {
        snprintf(p->error->message, sizeof p->error->message, "--%s needs a value: %s", option->name, option->value);
        return false;
    }
    return store(p, option, p->argv[p->next++]);
}

static bool parse_long(parser *p, const char *argument) {
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    const cli_option *option = find_long(p->options, name, equals ? (size_t)(equals - name) : strlen(name));
    if (!option) {
        snprintf(p->error->message, sizeof p->error->message, "unknown option '%s'", argument);
        return false;
    }
    if (option->kind != CLI_FLAG) return take_value(p, option, equals ? equals + 1 : NULL);
    if (equals) {
        snprintf(p->error->message, sizeof p->error->message, "--%s takes no value", option->name);
        return false;
    }
    return store(p, option, NULL);
}

static bool parse_short(parser *p, const char *letters) {
    for (; *letters; letters++) {
        const cli_option *option = find_short(p->options, *letters);
        if (!option) {
            snprintf(p->error->message, sizeof p->error->message, "unknown option '-%c'", *letters);
            return false;
        }
        if (option->kind != CLI_FLAG) return take_value(p, option, letters[1] ? letters + 1 : NULL);
        if (!store(p, option, NULL)) return false;
    }
    return true;
}

cli_args_result cli_args_parse(const cli_option *options, int argc, char **argv, void *values, cli_args *args,
                               cli_args_error *error) {
    parser p = {options, argc, argv, 1, values, error};
    bool only_positional = false;
    args->positional = argv + 1;
    args->count = 0;
    while (p.next < argc) {
        char *argument = argv[p.next++];
        const bool is_number = argument[0] == '-' && argument[1] >= '0' && argument[1] <= '9';
        if (only_positional || is_number || argument[0] != '-' || !argument[1]) {
            args->positional[args->count++] = argument; /* never ahead of p.next */
        } else if (strcmp(argument, "--") == 0) {
            only_positional = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            return CLI_ARGS_HELP;
        } else if (!(argument[1] == '-' ? parse_long(&p, argument) : parse_short(&p, argument + 1))) {
            return CLI_ARGS_BAD;
        }
    }
    return CLI_ARGS_OK;
}

void cli_args_free(const cli_option *options, void *values) {
    for (const cli_option *option = options; option->name; option++) {
        if (option->kind != CLI_LIST) continue;
        cli_list *list = (void *)((char *)values + option->offset);
        free(list->items);
        list->items = NULL;
    }
}

void cli_args_print(const cli_option *options) {
    for (const cli_option *option = options; option->name; option++) {
        char left[64];
        snprintf(left, sizeof left, "%c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                 option->letter ? "," : " ", option->name, option->value ? " " : "", option->value ? option->value : "");
        printf("  %-26s", left);
        if (strlen(left) > 26) printf("\n%28s", "");
        for (const char *c = option->help; *c; c++) {
            putchar(*c);
            if (*c == '\n') printf("%28s", "");
        }
        putchar('\n');
    }
    printf("  %-26sshow this help\n", "-h, --help");
}
