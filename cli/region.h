/* SPDX-License-Identifier: MIT */
/* Regions, extents and sizes as people write them: "0:5,:,3", "10,90,180", "512M". */
#ifndef ZARRLITE_CLI_REGION_H
#define ZARRLITE_CLI_REGION_H

#include "cli.h"

typedef struct cli_region {
    int32_t rank;
    int64_t start[CLI_MAX_RANK];
    int64_t shape[CLI_MAX_RANK];
    int64_t step[CLI_MAX_RANK];
    /* The shape that is left when axes with a single index are dropped. */
    int32_t out_rank;
    int64_t out_shape[CLI_MAX_RANK];
} cli_region;

/* Reads `text` for an array of that shape: for each axis start:stop[:step], or one index, which drops the axis; "..." is as
 * many whole axes as fit; missing axes at the end are whole. Negative numbers count from the end, slices are clipped to the
 * array. NULL is everything. False with a message in `error`. */
bool cli_region_parse(cli_region *out, const char *text, int32_t rank, const int64_t *shape, char *error,
                      size_t error_size);

/* Elements in the region. */
int64_t cli_region_count(const cli_region *region);

/* Reads a decimal number at *at, which moves behind it. */
bool cli_number_parse(const char **at, int64_t *out);

/* Reads a comma-separated list of extents of at least 1; ":" stands for the axis of `shape` (NULL: not allowed). Returns
 * their number, or -1 with a message. `rank_max` of them fit `out`. */
int32_t cli_extents_parse(int64_t *out, int32_t rank_max, const char *text, const int64_t *shape, int64_t least,
                          char *error, size_t error_size);

/* Reads "65536", "512K", "1.5G", "4GiB": bytes, at least 1, in units of 1024. */
bool cli_parse_size(uint64_t *out, const char *text);
/* Reads the version of the Zarr format: "2" or "3"; NULL leaves 0, the default. */
bool cli_parse_format(int32_t *out, const char *text);

#endif
