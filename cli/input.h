/* SPDX-License-Identifier: MIT */
/* Bytes from a file or a pipe. Regular files are mapped, so that elements go from the page cache to the codecs without a
 * copy, and any part can be reached; pipes are read from front to back. */
#ifndef ZARRLITE_CLI_INPUT_H
#define ZARRLITE_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Start from zero bytes. */
typedef struct cli_input {
    const unsigned char *map; /* the whole file, or NULL: a pipe, or an empty file */
    uint64_t map_size;
    uint64_t position; /* of the next byte */
    FILE *pipe;        /* NULL when mapped */
} cli_input;

/* Opens a file, or "-": standard input. False with errno. */
bool cli_input_open(cli_input *input, const char *path);
void cli_input_close(cli_input *input);

/* The next `size` bytes inside the map; NULL, and nothing is taken, where they are not there or not aligned to 16. */
const void *cli_input_take_mapped(cli_input *input, uint64_t size);
/* The next `size` bytes: inside the map where there is one and the bytes are aligned to 16 there, else copied to `buffer`.
 * NULL when there are fewer. */
const void *cli_input_take(cli_input *input, void *buffer, size_t size);
/* Copies up to `size` next bytes to `buffer`; returns how many. */
size_t cli_input_read(cli_input *input, void *buffer, size_t size);
/* Gives the pages of the map back to the page cache; what is still used comes back by itself. Without it a long run would
 * seem to use as much memory as the file is large. */
void cli_input_relax(const cli_input *input);
/* True when nothing is left. */
bool cli_input_at_end(cli_input *input);

#endif
