/* SPDX-License-Identifier: MIT */
#include "nc_report.h"

#include "json_out.h"
#include "memory.h"
#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nc_report_differ(nc_report *report, const char *name, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report->differences = cli_realloc(report->differences, (report->difference_count + 1) * sizeof *report->differences);
    nc_difference *difference = &report->differences[report->difference_count++];
    difference->name = *name ? cli_copy(name, strlen(name)) : cli_copy("/", 1);
    difference->text = cli_copy(text, strlen(text));
}

void nc_report_variable(nc_report *report, const nc_variable *variable, int attributes, size_t differences_before) {
    report->rows = cli_realloc(report->rows, (report->row_count + 1) * sizeof *report->rows);
    nc_row *row = &report->rows[report->row_count++];
    *row = (nc_row){variable, attributes, 1, report->difference_count > differences_before};
    for (int32_t axis = 0; axis < variable->rank; axis++)
        row->values *= (uint64_t)variable->shape[axis];
}

static void add_cell(cli_table *table, char *text) {
    cli_table_add(table, text);
    free(text);
}

static void print_rows(const nc_report *report) {
    static const char *const heads[] = {"variable", "type", "shape", "attributes", "values", "result"};
    cli_table table = {.align = "lllrrl"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_add(&table, heads[i]);
    for (size_t i = 0; i < report->row_count; i++) {
        const nc_row *row = &report->rows[i];
        cli_table_add(&table, row->variable->path);
        cli_table_add(&table, row->variable->type ? row->variable->type->name : "user-defined");
        add_cell(&table, cli_shape_text(row->variable->rank, row->variable->reason ? NULL : row->variable->shape));
        add_cell(&table, cli_format("%d", row->attributes));
        add_cell(&table, cli_format("%" PRIu64, row->variable->reason ? 0 : row->values));
        cli_table_add(&table, row->differs ? "DIFFERS" : "identical");
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

static void write_rows(cli_json *json, const nc_report *report) {
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->row_count; i++) {
        const nc_row *row = &report->rows[i];
        cli_json_open(json, '{');
        cli_json_key(json, "name"), cli_json_string(json, row->variable->path);
        cli_json_key(json, "type"), cli_json_string(json, row->variable->type ? row->variable->type->name : NULL);
        cli_json_key(json, "shape"),
            cli_json_extents(json, row->variable->rank, row->variable->reason ? NULL : row->variable->shape);
        cli_json_key(json, "attributes"), cli_json_int(json, row->attributes);
        cli_json_key(json, "identical"), cli_json_bool(json, !row->differs);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void print_json(const nc_report *report) {
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "identical"), cli_json_bool(&json, report->difference_count == 0);
    cli_json_key(&json, "attributes"), cli_json_uint(&json, report->attributes);
    cli_json_key(&json, "values"), cli_json_uint(&json, report->values);
    cli_json_key(&json, "size"), cli_json_uint(&json, report->size);
    cli_json_key(&json, "variables"), write_rows(&json, report);
    cli_json_key(&json, "differences"), cli_json_open(&json, '[');
    for (size_t i = 0; i < report->difference_count; i++) {
        cli_json_open(&json, '{');
        cli_json_key(&json, "name"), cli_json_string(&json, report->differences[i].name);
        cli_json_key(&json, "difference"), cli_json_string(&json, report->differences[i].text);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

void nc_report_print(const nc_report *report, const cli_compare_options *given) {
    if (given->json) {
        print_json(report);
        return;
    }
    if (!given->quiet) print_rows(report);
    for (size_t i = 0; i < report->difference_count; i++)
        printf("%s: %s\n", report->differences[i].name, report->differences[i].text);
    if (given->quiet) return;
    printf("%zu variables, %" PRIu64 " attributes, %" PRIu64 " values (%s): ", report->row_count, report->attributes,
           report->values, cli_size_text(report->size).data);
    if (report->difference_count) {
        printf("%zu differences\n", report->difference_count);
    } else {
        puts("identical, bit for bit");
    }
}

void nc_report_clear(nc_report *report) {
    for (size_t i = 0; i < report->difference_count; i++) {
        free(report->differences[i].name);
        free(report->differences[i].text);
    }
    free(report->differences);
    free(report->rows);
    *report = (nc_report){0};
}
