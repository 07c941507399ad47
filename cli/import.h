/* SPDX-License-Identifier: MIT */
/* What importers share, whatever the source: options, one new array filled block by block, and the report. */
#ifndef ZARRLITE_CLI_IMPORT_H
#define ZARRLITE_CLI_IMPORT_H

#include "cli.h"
#include "json_out.h"
#include "progress.h"
#include "pump.h"
#include "report.h"
#include "store_path.h"

typedef struct cli_import_options {
    const char *chunks;
    const char *shards;
    bool no_shards;
    cli_list codecs;
    cli_list variables;
    bool overwrite;
    const char *format;
    int threads;
    bool quiet;
    bool json;
} cli_import_options;

/* Everything about the command but its function, which differs between the tool and its helper. */
extern const cli_option cli_import_option_table[];
extern const char cli_import_details[];
#define CLI_IMPORT_COMMAND(function)                                                                                      \
    {                                                                                                                     \
        .name = "import", .summary = "Make a store from a NetCDF or .npy file", .usage = "[OPTIONS] SOURCE STORE[/PATH]", \
        .details = cli_import_details, .options = cli_import_option_table, .options_size = sizeof(cli_import_options),    \
        .positional_min = 2, .positional_max = 2, .run = (function),                                                      \
    }

/* What a new array is. Pointers are borrowed. */
typedef struct cli_import_array {
    const char *path; /* in the store */
    const char *name; /* for people */
    zl_dtype_id dtype;
    int32_t rank;
    const int64_t *shape;
    const int64_t *source_chunk;        /* the source's own chunks, or NULL */
    const char *const *dimension_names; /* or NULL */
    const char *attributes_json;        /* or NULL */
    const char *fill_value_json;        /* or NULL */
    bool must_fit;                      /* --chunks and --shards are for this array: another rank is an error */
} cli_import_array;

/* One import. Start with cli_import_start. */
typedef struct cli_import {
    const cli *run;
    const cli_import_options *given;
    int32_t zarr_format; /* 0: the default */
    cli_place place;
    cli_progress progress;
    uint64_t done; /* bytes of earlier arrays */
    cli_report report;
    cli_json skipped; /* a JSON list under construction */
    bool chunks_used; /* some array had the rank of --chunks or --shards */
} cli_import;

/* Refuses options that no source has a use for. An exit status. */
int cli_import_check(const cli *run, const cli_import_options *given);
/* Opens the destination. An exit status. */
int cli_import_start(cli_import *import, const cli *run, const cli_import_options *given, const char *store);
/* Creates the array and writes all of it from the source. */
zl_status cli_import_array_write(cli_import *import, const cli_import_array *array, const cli_source *source,
                                 zl_error *err);
/* Records and reports a part of the source that cannot be imported. */
void cli_import_skip(cli_import *import, const char *name, const char *reason);
/* Reports, closes the destination and frees everything. Returns `status` or a worse one. */
int cli_import_finish(cli_import *import, const char *source, int status);

#endif
