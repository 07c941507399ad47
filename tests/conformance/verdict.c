/* SPDX-License-Identifier: MIT */
/* Verdicts of rows, and the report: failures as they come, then one line per kind of row. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

#define KINDS_MAX 128

typedef struct tally {
    char kind[64];
    int32_t counts[CT_OUTCOME_COUNT];
} tally;

typedef struct dispute {
    const char *row;
    const char *reason;
} dispute;

struct ct_report {
    const char *set;
    size_t tally_count;
    tally tallies[KINDS_MAX];
    size_t dispute_count;
    dispute *disputes;
    int32_t *pending_hits; /* by index of the pending name */
};

bool ct_fail(ct_verdict *verdict, const char *format, ...) {
    va_list args;
    if (verdict->outcome == CT_FAIL) return false;
    verdict->outcome = CT_FAIL;
    va_start(args, format);
    (void)vsnprintf(verdict->message, sizeof verdict->message, format, args);
    va_end(args);
    return false;
}

bool ct_fail_error(ct_verdict *verdict, const char *what, const zl_error *err) {
    return ct_fail(verdict, "%s: %s: %s", what, zl_status_name(err->status), err->message);
}

static void load_disputes(ct_report *report, const char *path) {
    char *text = ct_read_file(path, NULL);
    char *line;
    report->disputes = ct_alloc(sizeof(dispute) * strlen(text) + 1);
    while ((line = ct_next_line(&text)) != NULL) {
        char *fields[3];
        if (ct_split(line, fields, 3) == 3 && strcmp(fields[0], report->set) == 0)
            report->disputes[report->dispute_count++] = (dispute){fields[1], fields[2]};
    }
}

ct_report *ct_report_new(const char *set, const char *known) {
    ct_report *report = ct_alloc(sizeof *report);
    report->set = set;
    report->pending_hits = ct_alloc(sizeof(int32_t) * (ct_pending_count() + 1));
    if (known != NULL) load_disputes(report, known);
    return report;
}

static tally *tally_of(ct_report *report, const char *kind) {
    for (size_t i = 0; i < report->tally_count; i++) {
        if (strcmp(report->tallies[i].kind, kind) == 0) return &report->tallies[i];
    }
    if (report->tally_count == KINDS_MAX) {
        fprintf(stderr, "more than %d kinds of rows\n", KINDS_MAX);
        exit(2);
    }
    tally *made = &report->tallies[report->tally_count++];
    (void)snprintf(made->kind, sizeof made->kind, "%s", kind);
    return made;
}

static void apply_dispute(const ct_report *report, const char *row, ct_verdict *verdict) {
    for (size_t i = 0; i < report->dispute_count; i++) {
        if (strcmp(report->disputes[i].row, row) != 0) continue;
        if (verdict->outcome == CT_FAIL) {
            verdict->outcome = CT_DISPUTED;
            (void)snprintf(verdict->message, sizeof verdict->message, "%s", report->disputes[i].reason);
        } else if (verdict->outcome == CT_PASS) {
            (void)ct_fail(verdict, "passes now: take it out of the list of known disagreements");
        }
    }
}

void ct_report_add(ct_report *report, const char *kind, const char *row, ct_verdict *verdict) {
    apply_dispute(report, row, verdict);
    tally_of(report, kind)->counts[verdict->outcome]++;
    if (verdict->outcome == CT_PENDING) report->pending_hits[verdict->pending]++;
    if (verdict->outcome == CT_FAIL) printf("FAIL  %s/%s: %s\n", report->set, row, verdict->message);
    if (verdict->outcome == CT_DISPUTED) printf("disputed  %s/%s: %s\n", report->set, row, verdict->message);
    (void)fflush(stdout);
}

static void print_tallies(const ct_report *report, int32_t *totals) {
    printf("\n%-22s %6s %6s %8s %9s %6s %9s\n", report->set, "pass", "FAIL", "pending", "not built", "quirk", "disputed");
    for (size_t i = 0; i < report->tally_count; i++) {
        const int32_t *n = report->tallies[i].counts;
        printf("  %-20s %6d %6d %8d %9d %6d %9d\n", report->tallies[i].kind, n[CT_PASS], n[CT_FAIL], n[CT_PENDING],
               n[CT_NOT_BUILT], n[CT_QUIRK], n[CT_DISPUTED]);
        for (int32_t k = 0; k < CT_OUTCOME_COUNT; k++)
            totals[k] += n[k];
    }
    printf("  %-20s %6d %6d %8d %9d %6d %9d\n", "all", totals[CT_PASS], totals[CT_FAIL], totals[CT_PENDING],
           totals[CT_NOT_BUILT], totals[CT_QUIRK], totals[CT_DISPUTED]);
}

static void print_pending(const ct_report *report) {
    for (size_t i = 0; i < ct_pending_count(); i++) {
        if (report->pending_hits[i] > 0)
            printf("  not yet supported: %-24s %4d rows (%s)\n", ct_pending_name(i), report->pending_hits[i],
                   ct_pending_reason(i));
    }
}

bool ct_report_finish(ct_report *report, bool complete) {
    int32_t totals[CT_OUTCOME_COUNT] = {0};
    const int32_t recorded = ct_pending_rows(report->set);
    print_tallies(report, totals);
    print_pending(report);
    if (complete && totals[CT_PENDING] != recorded) {
        printf("FAIL  %s: %d rows are not yet supported, %d are recorded in pending.c%s\n", report->set, totals[CT_PENDING],
               recorded, totals[CT_PENDING] < recorded ? ": lower the number" : "");
        return false;
    }
    return totals[CT_FAIL] == 0;
}
