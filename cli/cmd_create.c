/* SPDX-License-Identifier: MIT */
/* zarrlite create: a new array or group. */
#include "cli.h"
#include "codec_text.h"
#include "input.h"
#include "layout.h"
#include "memory.h"
#include "output.h"
#include "region.h"
#include "store_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct create_options {
    bool group;
    const char *metadata;
    const char *shape;
    const char *dtype;
    const char *chunks;
    const char *shards;
    cli_list codecs;
    const char *fill;
    const char *dims;
    const char *attrs;
    const char *key_encoding;
    const char *format;
    bool overwrite;
} create_options;

static const cli_option options[] = {
    {"shape", 0, CLI_TEXT, offsetof(create_options, shape), "N,N,...", "extents of the array; \"\" for a single element"},
    {"dtype", 0, CLI_TEXT, offsetof(create_options, dtype), "TYPE", "data type: a name, or its JSON"},
    {"chunks", 0, CLI_TEXT, offsetof(create_options, chunks), "N,N,...",
     "chunk shape, ':' for a whole axis, [5*3,2] for edges\nof several lengths [about 1 MiB]"},
    {"shards", 0, CLI_TEXT, offsetof(create_options, shards), "N,N,...",
     "shard shape, multiples of the chunks [no shards]"},
    {"codec", 0, CLI_LIST, offsetof(create_options, codecs), "CODEC",
     "zstd:level=5, gzip:6, ... or JSON; repeat for a chain\n[zstd where it is built in]"},
    {"fill", 0, CLI_TEXT, offsetof(create_options, fill), "VALUE",
     "fill value: number, true, NaN, 0x7fc0, text or JSON [0]"},
    {"dims", 0, CLI_TEXT, offsetof(create_options, dims), "NAME,...", "dimension names; an empty one is none"},
    {"attrs", 0, CLI_TEXT, offsetof(create_options, attrs), "JSON", "attributes: a JSON object"},
    {"key-encoding", 0, CLI_TEXT, offsetof(create_options, key_encoding), "ENCODING",
     "chunk keys: default, v2, default:. or JSON"},
    {"format", 0, CLI_TEXT, offsetof(create_options, format), "N", "version of the Zarr format: 2 or 3 [3]"},
    {"metadata", 0, CLI_TEXT, offsetof(create_options, metadata), "FILE",
     "a complete zarr.json ('-': standard input) instead"},
    {"group", 0, CLI_FLAG, offsetof(create_options, group), NULL, "create a group"},
    {"overwrite", 0, CLI_FLAG, offsetof(create_options, overwrite), NULL, "delete what is there first"},
    CLI_OPTIONS_END,
};

static zl_create_mode mode_of(const create_options *given) {
    return given->overwrite ? ZL_CREATE_REPLACE : ZL_CREATE_NEW;
}

static int32_t format_of(const create_options *given) {
    int32_t format;
    (void)cli_parse_format(&format, given->format); /* checked before */
    return format;
}

static int create_group(const cli *run, const cli_place *place, const char *path, const create_options *given) {
    zl_error err = {0};
    zl_group *group = NULL;
    zl_group_options group_options = ZL_GROUP_OPTIONS_INIT;
    group_options.mode = mode_of(given);
    group_options.zarr_format = format_of(given);
    group_options.attributes_json = given->attrs;
    if (zl_group_create(&group, place->store, place->node, &group_options, &err)) return cli_fail(run, path, &err);
    zl_group_close(group);
    return CLI_OK;
}

/* Reads a file of any size into memory; *size is its size. NULL with errno. */
static char *read_whole(const char *path, size_t *size) {
    cli_input input;
    if (!cli_input_open(&input, path)) return NULL;
    char *text = NULL;
    size_t used = 0, piece;
    do {
        text = cli_realloc(text, used + 65536);
        piece = cli_input_read(&input, text + used, 65536);
        used += piece;
    } while (piece);
    cli_input_close(&input);
    *size = used;
    return text;
}

static int create_from_metadata(const cli *run, const cli_place *place, const char *path, const create_options *given) {
    zl_error err = {0};
    zl_array *array = NULL;
    size_t size;
    char *text = read_whole(given->metadata, &size);
    if (!text) return cli_fail_text(run, NULL, "cannot read %s: %s", given->metadata, strerror(errno));
    const zl_status status =
        zl_array_create_from_metadata(&array, place->store, place->node, mode_of(given), text, size, &err);
    free(text);
    zl_array_close(array);
    return status ? cli_fail(run, path, &err) : CLI_OK;
}

/* Splits comma-separated names in place; returns their number, at most CLI_MAX_RANK + 1. */
static int32_t split_names(char *text, const char **names) {
    int32_t count = 0;
    for (char *at = text; count <= CLI_MAX_RANK; at++) {
        const size_t size = strcspn(at, ",");
        const bool more = at[size] == ',';
        at[size] = '\0';
        names[count++] = size ? at : NULL;
        at += size;
        if (!more) break;
    }
    return count;
}

/* The size of elements of a type that is named; types given as JSON, and unknown names, count as 8 bytes when shapes are
 * chosen. */
static size_t element_size_of(const char *dtype) {
    for (int id = ZL_DTYPE_NONE + 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *type = zl_dtype_builtin((zl_dtype_id)id);
        if (type && strcmp(zl_dtype_name(type), dtype) == 0) return zl_dtype_size(type);
    }
    return 8;
}

typedef struct texts {
    char *dtype, *fill, *codecs, *key_encoding, *dims;
} texts;

static void free_texts(const texts *t) {
    free(t->dtype);
    free(t->fill);
    free(t->codecs);
    free(t->key_encoding);
    free(t->dims);
}

static void make_texts(texts *t, const create_options *given, size_t element_size) {
    const bool is_text = strcmp(given->dtype, "string") == 0;
    t->dtype = cli_name_json(given->dtype);
    t->codecs = cli_codecs_json(&given->codecs, given->dtype, element_size);
    if (given->fill) t->fill = is_text ? cli_name_json(given->fill) : cli_fill_json(given->fill);
    if (given->key_encoding) t->key_encoding = cli_key_encoding_json(given->key_encoding);
    if (given->dims) t->dims = cli_copy(given->dims, strlen(given->dims));
}

static int create_array(const cli *run, const cli_place *place, const char *path, const create_options *given) {
    char error[256];
    int64_t shape[CLI_MAX_RANK];
    cli_layout layout;
    if (!given->shape || !given->dtype) return cli_usage(run, "--shape and --dtype are needed, or --metadata, or --group");
    const int32_t rank = cli_extents_parse(shape, CLI_MAX_RANK, given->shape, NULL, 0, error, sizeof error);
    if (rank < 0) return cli_usage(run, "--shape: %s", error);
    const size_t element_size = element_size_of(given->dtype);
    const cli_layout_wish wish = {given->chunks, given->shards, true};
    if (!cli_layout_choose(&layout, &wish, rank, shape, element_size, error, sizeof error))
        return cli_usage(run, "%s", error);

    texts t = {0};
    const char *names[CLI_MAX_RANK + 1];
    make_texts(&t, given, element_size);
    const int32_t name_count = !t.dims ? 0 : rank == 0 && !*t.dims ? 0 : split_names(t.dims, names);
    if (t.dims && name_count != rank) {
        cli_layout_clear(&layout);
        free_texts(&t);
        return cli_usage(run, "--dims: '%s' is not %" PRId32 " names", given->dims, rank);
    }
    zl_array_options array_options = ZL_ARRAY_OPTIONS_INIT;
    array_options.mode = mode_of(given);
    array_options.zarr_format = format_of(given);
    array_options.rank = rank;
    array_options.shape = shape;
    cli_layout_lend(&layout, &array_options);
    array_options.dtype_json = t.dtype;
    array_options.fill_value_json = t.fill;
    array_options.codecs_json = t.codecs;
    array_options.dimension_names = t.dims && rank ? names : NULL;
    array_options.attributes_json = given->attrs;
    array_options.chunk_key_encoding_json = t.key_encoding;
    zl_error err = {0};
    zl_array *array = NULL;
    const zl_status status = zl_array_create(&array, place->store, place->node, &array_options, &err);
    zl_array_close(array);
    cli_layout_clear(&layout);
    free_texts(&t);
    return status ? cli_fail(run, path, &err) : CLI_OK;
}

static int create(const cli *run, const cli_place *place, const char *path, const create_options *given) {
    if (given->group) return create_group(run, place, path, given);
    if (given->metadata) return create_from_metadata(run, place, path, given);
    return create_array(run, place, path, given);
}

static int run_create(cli *run, const cli_args *args, const void *values) {
    const create_options *given = values;
    int32_t format;
    const bool has_array_options = given->shape || given->dtype || given->chunks || given->shards || given->codecs.count ||
                                   given->fill || given->dims || given->key_encoding;
    if (given->group && has_array_options) return cli_usage(run, "--group leaves no room for options of arrays");
    if (!cli_parse_format(&format, given->format))
        return cli_usage(run, "--format %s: versions 2 and 3 can be written", given->format);
    if (given->metadata && (has_array_options || given->attrs || given->group || given->format)) {
        return cli_usage(run, "--metadata says everything: no other option but --overwrite goes with it");
    }
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], CLI_CREATE);
    if (!status) status = create(run, &place, args->positional[0], given);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_create = {
    .name = "create",
    .summary = "Create an array or a group",
    .usage = "--shape N,N,... --dtype TYPE [OPTIONS] STORE[/PATH]\n--metadata FILE [--overwrite] STORE[/PATH]\n"
             "--group [--attrs JSON] [--overwrite] STORE[/PATH]",
    .details = "The store's folder is made where it is missing, and groups between it and the new node too. A codec that\n"
               "turns elements into bytes is added where none is named.",
    .options = options,
    .options_size = sizeof(create_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_create,
};
