/* SPDX-License-Identifier: MIT */
/* The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef ZARRLITE_CLI_NPY_H
#define ZARRLITE_CLI_NPY_H

#include "cli.h"

typedef struct cli_npy {
    zl_dtype_id dtype;
    size_t element_size;
    bool swapped; /* elements have the other byte order than this machine */
    bool fortran; /* the first axis varies fastest */
    int32_t rank;
    int64_t shape[CLI_MAX_RANK];
    size_t data_offset; /* bytes of magic and header */
    uint64_t data_size;
} cli_npy;

/* Does a file that starts with these bytes claim to be .npy? */
bool cli_npy_is_magic(const void *data, size_t size);

/* Bytes of magic and header, from the first 12 bytes of a file. 0 with a message for what cannot be one. */
size_t cli_npy_header_size(const void *data, size_t size, char *error, size_t error_size);
/* Reads the header from the first cli_npy_header_size() bytes. False with a message. */
bool cli_npy_parse(cli_npy *out, const void *data, size_t size, char *error, size_t error_size);

/* Header for little-endian C-order data of a type, or NULL: no such type in .npy. Free with free(). */
char *cli_npy_header(const zl_dtype *dtype, int32_t rank, const int64_t *shape, size_t *size);

#endif
