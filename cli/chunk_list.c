/* SPDX-License-Identifier: MIT */
#include "chunk_list.h"

#include "memory.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Rank, coordinates, size: qsort's comparison gets nothing else to know the rank from. */
static size_t record_length(int32_t rank) {
    return (size_t)rank + 2;
}

static bool add(void *user, const zl_stored_chunk *chunk) {
    cli_chunk_list *list = user;
    const size_t length = record_length(list->rank);
    if (list->count == list->cap) {
        list->cap = list->cap * 2 + 64;
        list->records = cli_realloc(list->records, list->cap * length * sizeof *list->records);
    }
    int64_t *record = list->records + list->count++ * length;
    record[0] = list->rank;
    if (list->rank) memcpy(record + 1, chunk->coords, (size_t)list->rank * sizeof *record);
    record[length - 1] = (int64_t)chunk->size;
    list->size += chunk->size;
    return !cli_interrupted();
}

static int by_coords(const void *a, const void *b) {
    const int64_t *left = a, *right = b;
    for (int64_t i = 1; i <= left[0]; i++) {
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

zl_status cli_chunk_list_fill(cli_chunk_list *list, const zl_array *array, zl_error *err) {
    *list = (cli_chunk_list){.rank = zl_array_rank(array)};
    zl_status status = zl_array_list_chunks(array, add, list, err);
    if (!status && cli_interrupted()) status = cli_error(err, ZL_ERR_CANCELLED, "interrupted");
    if (status) {
        cli_chunk_list_clear(list);
    } else if (list->count) {
        qsort(list->records, list->count, record_length(list->rank) * sizeof *list->records, by_coords);
    }
    return status;
}

void cli_chunk_list_clear(cli_chunk_list *list) {
    free(list->records);
    *list = (cli_chunk_list){0};
}

const int64_t *cli_chunk_coords(const cli_chunk_list *list, size_t index) {
    return list->records + index * record_length(list->rank) + 1;
}

uint64_t cli_chunk_size(const cli_chunk_list *list, size_t index) {
    return (uint64_t)list->records[(index + 1) * record_length(list->rank) - 1];
}
