/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

void cli_table_add(cli_table *table, const char *text) {
    if (table->count == table->cap) {
        table->cap = table->cap * 2 + 16;
        table->cells = cli_realloc(table->cells, table->cap * sizeof *table->cells);
    }
    table->cells[table->count++] = cli_copy(text, strlen(text));
}

/* Characters, not bytes: names may be in any script. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(FILE *file, const char *text, size_t width, char align, int is_last) {
    const int padding = (int)(width - width_of(text));
    if (align == 'r') fprintf(file, "%*s", padding, "");
    fputs(text, file);
    if (is_last) {
        fputc('\n', file);
    } else {
        fprintf(file, "%*s", align == 'r' ? 2 : padding + 2, "");
    }
}

void cli_table_print(cli_table *table, FILE *file, const char *indent) {
    const size_t columns = strlen(table->align);
    if (!table->widths) table->widths = cli_calloc(columns, sizeof *table->widths);
    for (size_t i = table->printed; i < table->count; i++) {
        const size_t width = width_of(table->cells[i]);
        if (width > table->widths[i % columns]) table->widths[i % columns] = width;
    }
    for (; table->printed < table->count; table->printed++) {
        const size_t column = table->printed % columns;
        if (column == 0) fputs(indent, file);
        print_cell(file, table->cells[table->printed], table->widths[column], table->align[column], column + 1 == columns);
    }
}

void cli_table_clear(cli_table *table) {
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->widths);
    *table = (cli_table){.align = table->align};
}
