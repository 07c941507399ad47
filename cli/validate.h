/* SPDX-License-Identifier: MIT */
/* The parts of `zarrlite validate`. Each adds what it finds; a status is a failure to look, not a finding. */
#ifndef ZARRLITE_CLI_VALIDATE_H
#define ZARRLITE_CLI_VALIDATE_H

#include "chunk_list.h"
#include "findings.h"
#include "node_list.h"
#include "progress.h"
#include "store_path.h"

typedef struct cli_validation {
    const cli *run;
    int threads;
    cli_place place;
    cli_findings findings;
    bool quiet;
    cli_progress progress; /* of one array; under the lock of findings, like `decoded_size` */
    uint64_t done_before;  /* bytes that were decoded of the arrays before it */
    size_t arrays;
    size_t groups;
    uint64_t chunks;
    uint64_t stored_size;
    uint64_t decoded_size; /* bytes of elements */
} cli_validation;

/* Members of a node's metadata documents that the specification does not know. Groups of archives are not looked at: the
 * library shows the documents of arrays only. */
zl_status cli_validate_array_keys(cli_validation *v, const zl_array *array, zl_error *err);
void cli_validate_group_keys(cli_validation *v, const cli_node *node);

/* Consolidated metadata of a group against the nodes below it. */
zl_status cli_validate_copies(cli_validation *v, const cli_node *node, zl_error *err);

/* Decodes all stored chunks, and looks whether inner chunks of a shard share bytes. */
zl_status cli_validate_chunks(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks, zl_error *err);

/* Files, or entries of an archive, below an array that are none of its chunks; files and folders beside the members of a
 * group. */
void cli_validate_array_files(cli_validation *v, const zl_array *array, const cli_chunk_list *chunks);
void cli_validate_group_files(cli_validation *v, const cli_node *node, const cli_node_list *nodes);

#endif
