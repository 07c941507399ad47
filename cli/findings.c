/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[CLI_FINDING_KINDS] = {"error", "stray", "note"};

void cli_findings_start(cli_findings *findings) {
    *findings = (cli_findings){0};
    pthread_mutex_init(&findings->lock, NULL);
}

void cli_findings_clear(cli_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].where);
        free(findings->items[i].text);
    }
    free(findings->items);
    pthread_mutex_destroy(&findings->lock);
}

void cli_findings_add(cli_findings *findings, cli_finding_kind kind, const char *where, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&findings->lock);
    if (findings->count == findings->cap) {
        findings->cap = findings->cap * 2 + 16;
        findings->items = cli_realloc(findings->items, findings->cap * sizeof *findings->items);
    }
    const char *name = *where ? where : "/";
    findings->items[findings->count++] = (cli_finding){kind, cli_copy(name, strlen(name)), cli_copy(text, strlen(text))};
    findings->of_kind[kind]++;
    pthread_mutex_unlock(&findings->lock);
}

static int by_place(const void *a, const void *b) {
    const cli_finding *left = a, *right = b;
    const int order = strcmp(left->where, right->where);
    return order ? order : strcmp(left->text, right->text);
}

void cli_findings_sort(cli_findings *findings) {
    const size_t more = findings->count - findings->sorted;
    if (more) qsort(findings->items + findings->sorted, more, sizeof *findings->items, by_place);
    findings->sorted = findings->count;
}

bool cli_findings_are_good(const cli_findings *findings) {
    return findings->of_kind[CLI_FINDING_ERROR] == 0 && findings->of_kind[CLI_FINDING_STRAY] == 0;
}

void cli_findings_print(const cli_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *finding = &findings->items[i];
        printf("%s: %s: %s\n", kind_names[finding->kind], finding->where, finding->text);
    }
}

/* "1 error", "2 errors" behind what is there already. */
static char *add_count(char *text, size_t count, const char *one, const char *several) {
    if (!count) return text;
    char *longer = cli_format("%s%s%zu %s", text, *text ? ", " : "", count, count == 1 ? one : several);
    free(text);
    return longer;
}

char *cli_findings_summary(const cli_findings *findings) {
    const char *start = cli_findings_are_good(findings) ? "valid" : "";
    char *text = cli_copy(start, strlen(start));
    text = add_count(text, findings->of_kind[CLI_FINDING_ERROR], "error", "errors");
    text = add_count(text, findings->of_kind[CLI_FINDING_STRAY], "stray key", "stray keys");
    return add_count(text, findings->of_kind[CLI_FINDING_NOTE], "note", "notes");
}

void cli_findings_write(const cli_findings *findings, cli_json *json) {
    cli_json_open(json, '[');
    for (size_t i = 0; i < findings->count; i++) {
        const cli_finding *finding = &findings->items[i];
        cli_json_open(json, '{');
        cli_json_key(json, "kind"), cli_json_string(json, kind_names[finding->kind]);
        cli_json_key(json, "where"), cli_json_string(json, finding->where);
        cli_json_key(json, "message"), cli_json_string(json, finding->text);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
