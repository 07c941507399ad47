/* SPDX-License-Identifier: MIT */
/* What `zarrlite validate` found. */
#ifndef ZARRLITE_CLI_FINDINGS_H
#define ZARRLITE_CLI_FINDINGS_H

#include "json_out.h"
#include "output.h"

#include <pthread.h>

typedef enum cli_finding_kind {
    CLI_FINDING_ERROR, /* metadata or data that is not as it should be */
    CLI_FINDING_STRAY, /* stored among the chunks of an array, and none of them */
    CLI_FINDING_NOTE   /* worth knowing; nothing is wrong */
} cli_finding_kind;
#define CLI_FINDING_KINDS 3

typedef struct cli_finding {
    cli_finding_kind kind;
    char *where; /* key, or the path of a node */
    char *text;
} cli_finding;

/* Start with cli_findings_start. Findings may be added by any thread. */
typedef struct cli_findings {
    pthread_mutex_t lock;
    cli_finding *items;
    size_t count;
    size_t cap;
    size_t of_kind[CLI_FINDING_KINDS];
    size_t sorted; /* items in front that were sorted already */
} cli_findings;

void cli_findings_start(cli_findings *findings);
void cli_findings_clear(cli_findings *findings);

void cli_findings_add(cli_findings *findings, cli_finding_kind kind, const char *where, const char *format, ...)
    CLI_PRINTF(4, 5);
/* Puts what was added since the last time in the order of its keys: threads find things in any order. */
void cli_findings_sort(cli_findings *findings);
bool cli_findings_are_good(const cli_findings *findings);

/* One line for each. */
void cli_findings_print(const cli_findings *findings);
/* "valid", or "2 errors, 1 stray key"; with notes counted behind it. Free with free(). */
char *cli_findings_summary(const cli_findings *findings);
void cli_findings_write(const cli_findings *findings, cli_json *json);

#endif
