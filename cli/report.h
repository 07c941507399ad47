/* SPDX-License-Identifier: MIT */
/* What a command that writes arrays says at its end: a table for people, a list for programs. */
#ifndef ZARRLITE_CLI_REPORT_H
#define ZARRLITE_CLI_REPORT_H

#include "cli.h"
#include "json_out.h"

/* One array. */
typedef struct cli_report_row {
    char *name;
    char *dtype;
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    int64_t chunk[CLI_MAX_RANK];
    int64_t shard[CLI_MAX_RANK];
    bool has_shards;
    char *grid; /* chunks, or shards where there are any, of several shapes; NULL: they have one */
    uint64_t size;
    uint64_t source_size; /* stored bytes of the array it was made from */
    uint64_t stored_size;
    double seconds;
} cli_report_row;

/* Start from zero bytes, with `started` set. */
typedef struct cli_report {
    double started;
    bool has_sources; /* source_size is shown */
    cli_report_row *rows;
    size_t count;
    size_t cap;
} cli_report;

/* Adds a row about an array that was written: what the array knows of itself, and its stored size. */
zl_status cli_report_add(cli_report *report, const char *name, const zl_array *array, uint64_t source_size, double seconds,
                         zl_error *err);
/* Prints the table; with a total where there are several rows. */
void cli_report_print(const cli_report *report);
/* Writes the rows as a JSON list. */
void cli_report_write(const cli_report *report, cli_json *json);
void cli_report_clear(cli_report *report);

#endif
