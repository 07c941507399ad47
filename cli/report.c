/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "describe.h"
#include "grid_text.h"
#include "memory.h"
#include "output.h"
#include "progress.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static void copy_extents(int64_t *out, const int64_t *extents, int32_t rank) {
    if (extents && rank) memcpy(out, extents, (size_t)rank * sizeof *out);
}

zl_status cli_report_add(cli_report *report, const char *name, const zl_array *array, uint64_t source_size, double seconds,
                         zl_error *err) {
    zl_stored_info stored;
    cli_document document;
    zl_status status = zl_array_stored_info(array, &stored, err);
    if (!status) status = cli_document_open(&document, array, err);
    if (status) return status;
    if (report->count == report->cap) {
        report->cap = report->cap * 2 + 16;
        report->rows = cli_realloc(report->rows, report->cap * sizeof *report->rows);
    }
    const int64_t *inner = zl_array_inner_chunk_shape(array);
    cli_report_row *row = &report->rows[report->count++];
    *row = (cli_report_row){.rank = zl_array_rank(array), .has_shards = inner != NULL, .source_size = source_size};
    row->name = cli_copy(name, strlen(name));
    row->dtype = cli_dtype_text(&document);
    row->grid = cli_grid_text(&document);
    copy_extents(row->shape, zl_array_shape(array), row->rank);
    copy_extents(row->chunk, inner ? inner : zl_array_chunk_shape(array), row->rank);
    copy_extents(row->shard, inner ? zl_array_chunk_shape(array) : NULL, row->rank);
    row->size = (uint64_t)zl_array_decoded_size(array);
    row->stored_size = stored.size;
    row->seconds = seconds;
    cli_document_close(&document);
    return ZL_OK;
}

static void add_cell(cli_table *table, char *text) {
    cli_table_add(table, text);
    free(text);
}

static void add_sizes(cli_table *table, const cli_report *report, const cli_report_row *row) {
    cli_table_add(table, cli_size_text(row->size).data);
    if (report->has_sources) cli_table_add(table, cli_size_text(row->source_size).data);
    cli_table_add(table, cli_size_text(row->stored_size).data);
    cli_table_add(table, cli_ratio_text(row->size, row->stored_size).data);
    add_cell(table, cli_format("%.2f", row->seconds));
}

static const int64_t *chunk_of(const cli_report_row *row) {
    return row->rank && row->chunk[0] ? row->chunk : NULL;
}

static const int64_t *shard_of(const cli_report_row *row) {
    return row->has_shards && !row->grid ? row->shard : NULL;
}

static void add_extents(cli_table *table, const cli_report_row *row, const int64_t *extents, bool is_outer) {
    if (is_outer && row->grid) {
        cli_table_add(table, row->grid);
    } else {
        add_cell(table, cli_shape_text(row->rank, extents));
    }
}

static void add_heads(cli_table *table, bool has_sources) {
    static const char *const heads[] = {"variable", "type",   "shape",  "chunks", "shards",
                                        "raw",      "source", "stored", "ratio",  "seconds"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (has_sources || strcmp(heads[i], "source") != 0) cli_table_add(table, heads[i]);
    }
}

void cli_report_print(const cli_report *report) {
    cli_table table = {.align = report->has_sources ? "lllllrrrrr" : "lllllrrrr"};
    cli_report_row total = {0};
    add_heads(&table, report->has_sources);
    for (size_t i = 0; i < report->count; i++) {
        const cli_report_row *row = &report->rows[i];
        cli_table_add(&table, row->name);
        cli_table_add(&table, row->dtype);
        add_cell(&table, cli_shape_text(row->rank, row->shape));
        add_extents(&table, row, chunk_of(row), !row->has_shards);
        add_extents(&table, row, shard_of(row), row->has_shards);
        add_sizes(&table, report, row);
        total.size += row->size;
        total.source_size += row->source_size;
        total.stored_size += row->stored_size;
    }
    if (report->count > 1) {
        cli_table_add(&table, "total");
        for (int i = 0; i < 4; i++)
            cli_table_add(&table, "");
        total.seconds = cli_now() - report->started;
        add_sizes(&table, report, &total);
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

void cli_report_write(const cli_report *report, cli_json *json) {
    cli_json_open(json, '[');
    for (size_t i = 0; i < report->count; i++) {
        const cli_report_row *row = &report->rows[i];
        cli_json_open(json, '{');
        cli_json_key(json, "name"), cli_json_string(json, row->name);
        cli_json_key(json, "data_type"), cli_json_string(json, row->dtype);
        cli_json_key(json, "shape"), cli_json_extents(json, row->rank, row->shape);
        cli_json_key(json, "chunks"), cli_json_extents(json, row->rank, row->rank ? chunk_of(row) : row->chunk);
        cli_json_key(json, "shards"), cli_json_extents(json, row->rank, shard_of(row));
        cli_json_key(json, "size"), cli_json_uint(json, row->size);
        if (report->has_sources) cli_json_key(json, "source_size"), cli_json_uint(json, row->source_size);
        cli_json_key(json, "stored_size"), cli_json_uint(json, row->stored_size);
        cli_json_key(json, "seconds"), cli_json_rounded(json, row->seconds, 6);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_report_clear(cli_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        free(report->rows[i].name);
        free(report->rows[i].dtype);
        free(report->rows[i].grid);
    }
    free(report->rows);
    *report = (cli_report){0};
}
