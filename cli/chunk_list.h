/* SPDX-License-Identifier: MIT */
/* The stored chunks of an array, collected. */
#ifndef ZARRLITE_CLI_CHUNK_LIST_H
#define ZARRLITE_CLI_CHUNK_LIST_H

#include "cli.h"

typedef struct cli_chunk_list {
    int32_t rank;
    int64_t *records; /* for each chunk: rank, coordinates, stored bytes */
    size_t count;
    size_t cap;
    uint64_t size; /* stored bytes of all */
} cli_chunk_list;

/* Fills an empty list, in C order of the coordinates. */
zl_status cli_chunk_list_fill(cli_chunk_list *list, const zl_array *array, zl_error *err);
void cli_chunk_list_clear(cli_chunk_list *list);

const int64_t *cli_chunk_coords(const cli_chunk_list *list, size_t index);
uint64_t cli_chunk_size(const cli_chunk_list *list, size_t index);

#endif
