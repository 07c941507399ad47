/* SPDX-License-Identifier: MIT */
/* STORE[/PATH]: where the store ends and the path inside it begins. */
#ifndef ZARRLITE_CLI_STORE_PATH_H
#define ZARRLITE_CLI_STORE_PATH_H

#include "cli.h"

/* A node named on the command line, and the store around it. Start from zero bytes. */
typedef struct cli_place {
    char *root; /* folder or archive of the store */
    char *node; /* path inside it, "" for the root */
    zl_store *store;
    bool is_archive;
    bool is_new; /* it was made for this run */
} cli_place;

/* Splits a path. A part of it that is a ZIP archive, or would be one by its name, is the store. Otherwise: from the folder
 * that is named or the nearest one above it that holds Zarr metadata (zarr.json, .zarray, .zgroup), upwards as long as the
 * folder above holds metadata too; the topmost one is the store's root. Where no folder holds metadata, the path itself is.
 * Looks at names only: links are not resolved and ".." is never crossed. */
void cli_place_split(cli_place *place, const char *path);

typedef enum cli_access { CLI_READ, CLI_CHANGE, CLI_CREATE } cli_access;

/* Splits `path` and opens the store; CLI_CREATE makes the folder or archive where it is missing, and
 * refuses a folder with other content and an archive that is there. An exit status, with its message. */
int cli_place_open(const cli *run, cli_place *place, const char *path, cli_access access);
/* The same, and opens the array there; says so where a group is there. */
int cli_open_array(const cli *run, cli_place *place, zl_array **array, const char *path, cli_access access);
/* The node's path in the file system, without links and "..", of an opened place. Free with free(). */
char *cli_place_real_path(const cli_place *place);
/* Closes the store and frees the texts. Returns `status`, or CLI_FAILED with a message where closing fails. */
int cli_place_close(const cli *run, cli_place *place, int status);

#endif
