/* SPDX-License-Identifier: MIT */
/* Chunks of several shapes as people write them: for each axis the edges of its chunks in brackets, with repetitions, or
 * one number for all of them: "[100,50],[10*3,5],90". In metadata that is the rectilinear grid. */
#ifndef ZARRLITE_CLI_GRID_TEXT_H
#define ZARRLITE_CLI_GRID_TEXT_H

#include "cli.h"
#include "describe.h"

/* How many axes does the text name? A plain list of extents is such a text as well. */
int32_t cli_grid_axes(const char *text);
/* Are there edges in brackets? */
bool cli_grid_has_edges(const char *text);

/* The chunk_grid of metadata; ":" stands for the axis of `shape`. `largest` gets the longest edge of each axis. Free with
 * free(); NULL with a message. */
char *cli_grid_parse(const char *text, int32_t rank, const int64_t *shape, int64_t *largest, char *error,
                     size_t error_size);

/* The text of an array's grid, long lists cut short. NULL: all its chunks have one shape. Free with free(). */
char *cli_grid_text(const cli_document *document);
/* The chunk_shapes of such a grid as they stand in the document. False: all its chunks have one shape. */
bool cli_grid_value(const cli_document *document, cli_value *out);

#endif
