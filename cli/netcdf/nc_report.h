/* SPDX-License-Identifier: MIT */
/* What `zarrlite compare` found. */
#ifndef ZARRLITE_CLI_NC_REPORT_H
#define ZARRLITE_CLI_NC_REPORT_H

#include "compare.h"
#include "nc_tree.h"
#include "output.h"

typedef struct nc_difference {
    char *name; /* path of the variable or group */
    char *text;
} nc_difference;

typedef struct nc_row {
    const nc_variable *variable;
    int attributes;
    uint64_t values;
    bool differs;
} nc_row;

/* Start from zero bytes. */
typedef struct nc_report {
    nc_difference *differences;
    size_t difference_count;
    nc_row *rows;
    size_t row_count;
    uint64_t attributes; /* compared, those of groups included */
    uint64_t values;
    uint64_t size; /* bytes of the values */
} nc_report;

void nc_report_differ(nc_report *report, const char *name, const char *format, ...) CLI_PRINTF(3, 4);
/* Ends one variable; `differences_before` is the count when it began. */
void nc_report_variable(nc_report *report, const nc_variable *variable, int attributes, size_t differences_before);
void nc_report_print(const nc_report *report, const cli_compare_options *given);
void nc_report_clear(nc_report *report);

#endif
