/* SPDX-License-Identifier: MIT */
/* Text in aligned columns. */
#ifndef ZARRLITE_CLI_TABLE_H
#define ZARRLITE_CLI_TABLE_H

#include <stddef.h>
#include <stdio.h>

/* Start with the number of columns and their alignment: "llr" is left, left, right. */
typedef struct cli_table {
    const char *align;
    char **cells;
    size_t count;
    size_t cap;
    size_t printed; /* cells */
    size_t *widths; /* of the columns, once something is printed */
} cli_table;

/* Adds the next cell, left to right; copies the text. */
void cli_table_add(cli_table *table, const char *text);
/* Prints the rows that were not printed before, with `indent` in front and two spaces between columns, which are not
 * narrower than before. */
void cli_table_print(cli_table *table, FILE *file, const char *indent);
void cli_table_clear(cli_table *table);

#endif
