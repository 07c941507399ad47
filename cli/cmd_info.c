/* SPDX-License-Identifier: MIT */
/* zarrlite info: everything about one node. */
#include "cli.h"
#include "describe.h"
#include "element.h"
#include "grid_text.h"
#include "json_out.h"
#include "memory.h"
#include "node_list.h"
#include "output.h"
#include "store_path.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct info_options {
    bool json;
    bool no_count;
} info_options;

/* Metadata of version 2 that stands beside that of version 3 and does not count. */
static const char besides_text[] = " (metadata of version 2 is there, too, and is not used)";

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, offsetof(info_options, json), NULL, "print one JSON object"},
    {"no-count", 0, CLI_FLAG, offsetof(info_options, no_count), NULL, "do not look how much is stored"},
    CLI_OPTIONS_END,
};

static bool has_dimension_names(const zl_array *array) {
    for (int32_t axis = 0; axis < zl_array_rank(array); axis++) {
        if (zl_array_dimension_name(array, axis)) return true;
    }
    return false;
}

static void add_row(cli_table *table, const char *name, char *value) {
    cli_table_add(table, name);
    cli_table_add(table, value);
    free(value);
}

static char *extents_text(const zl_array *array, const cli_document *document, const int64_t *extents) {
    return extents ? cli_shape_text(zl_array_rank(array), extents) : cli_grid_text(document);
}

/* Chunks are the inner ones of shards; where there are none, they are the grid's. */
static void add_chunks(cli_table *table, const zl_array *array, const cli_document *document) {
    const int64_t *inner = zl_array_inner_chunk_shape(array), *outer = zl_array_chunk_shape(array);
    add_row(table, "chunks", extents_text(array, document, inner ? inner : outer));
    if (inner) add_row(table, "shards", extents_text(array, document, outer));
}

static void write_extents(cli_json *json, const zl_array *array, const cli_document *document, const int64_t *extents) {
    cli_value edges;
    if (!extents && cli_grid_value(document, &edges)) {
        cli_json_one_line(json, edges.text, edges.size);
    } else {
        cli_json_extents(json, zl_array_rank(array), extents);
    }
}

static void write_chunks(cli_json *json, const zl_array *array, const cli_document *document) {
    const int64_t *inner = zl_array_inner_chunk_shape(array), *outer = zl_array_chunk_shape(array);
    cli_json_key(json, "chunks"), write_extents(json, array, document, inner ? inner : outer);
    cli_json_key(json, "shards");
    if (inner) {
        write_extents(json, array, document, outer);
    } else {
        cli_json_extents(json, 0, NULL);
    }
}

static char *dimensions_text(const zl_array *array) {
    char *text = cli_copy("", 0);
    for (int32_t axis = 0; axis < zl_array_rank(array); axis++) {
        const char *name = zl_array_dimension_name(array, axis);
        char *longer = cli_format("%s%s%s", text, axis ? ", " : "", name ? name : "-");
        free(text);
        text = longer;
    }
    return text;
}

/* ---- what is stored: the only part that takes time, where there are many chunks */

typedef struct stored {
    uint64_t count, size;
} stored;

static bool count_chunk(void *user, const zl_stored_chunk *chunk) {
    stored *sum = user;
    sum->count++;
    sum->size += chunk->size;
    return !cli_interrupted();
}

static zl_status count_stored(const zl_array *array, stored *out, zl_error *err) {
    *out = (stored){0};
    const zl_status status = zl_array_list_chunks(array, count_chunk, out, err);
    return !status && cli_interrupted() ? cli_error(err, ZL_ERR_CANCELLED, "interrupted") : status;
}

/* Chunks of the grid in all, or UINT64_MAX. */
static uint64_t grid_count(const zl_array *array) {
    int64_t counts[CLI_MAX_RANK];
    uint64_t count = 1, most = UINT64_MAX;
    zl_array_grid_shape(array, counts);
    for (int32_t axis = 0; axis < zl_array_rank(array); axis++) {
        if (counts[axis] == 0) return 0;
        most /= (uint64_t)counts[axis];
        count *= (uint64_t)counts[axis];
    }
    return most ? count : UINT64_MAX;
}

static const char *objects_name(const zl_array *array) {
    return zl_array_inner_chunk_shape(array) ? "shards" : "chunks";
}

static char *stored_text(const zl_array *array, const stored *sum) {
    const uint64_t size = (uint64_t)zl_array_decoded_size(array);
    return cli_format("%s of %s (%s), %" PRIu64 " of %" PRIu64 " %s", cli_size_text(sum->size).data,
                      cli_size_text(size).data, cli_ratio_text(size, sum->size).data, sum->count, grid_count(array),
                      objects_name(array));
}

static char *uncounted_text(const zl_array *array) {
    return cli_format("%s in %" PRIu64 " %s", cli_size_text((uint64_t)zl_array_decoded_size(array)).data, grid_count(array),
                      objects_name(array));
}

/* ---- arrays */

/* As it stands in the document, but times as people write them. */
static char *fill_text(const zl_array *array, const cli_document *document) {
    const cli_value fill = cli_fill_value(document);
    const bool is_null = fill.size == 4 && memcmp(fill.text, "null", 4) == 0;
    if (is_null || !zl_dtype_time_unit(zl_array_dtype(array))) return cli_copy(fill.text, fill.size);
    char text[ZL_TIME_TEXT];
    cli_time_text(zl_array_dtype(array), zl_array_fill_value(array), text);
    return cli_copy(text, strlen(text));
}

static void add_metadata(cli_table *table, zl_array *array, const cli_document *document, bool besides) {
    add_row(table, "path", cli_format("/%s", zl_array_path(array)));
    add_row(table, "node",
            cli_format("array, Zarr version %" PRId32 "%s", zl_array_zarr_format(array), besides ? besides_text : ""));
    add_row(table, "type", cli_dtype_text(document));
    add_row(table, "shape", cli_shape_text(zl_array_rank(array), zl_array_shape(array)));
    if (has_dimension_names(array)) add_row(table, "dimensions", dimensions_text(array));
    add_chunks(table, array, document);
    add_row(table, "codecs", cli_codecs_text(document));
    char *zfp = cli_zfp_text(document);
    if (zfp) add_row(table, "zfp", zfp);
    add_row(table, "fill value", fill_text(array, document));
    add_row(table, "attributes", cli_format("%zu", zl_attributes_count(zl_array_attributes(array))));
}

/* What needs no listing is there at once. */
static zl_status print_array(zl_array *array, const cli_document *document, bool besides, bool no_count, zl_error *err) {
    cli_table table = {.align = "ll"};
    zl_status status = ZL_OK;
    add_metadata(&table, array, document, besides);
    if (no_count) {
        add_row(&table, "size", uncounted_text(array));
    } else {
        stored sum;
        cli_table_print(&table, stdout, "");
        fflush(stdout);
        status = count_stored(array, &sum, err);
        if (!status) add_row(&table, "stored", stored_text(array, &sum));
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
    return status;
}

static void write_dimension_names(cli_json *json, const zl_array *array) {
    if (!has_dimension_names(array)) {
        cli_json_string(json, NULL);
        return;
    }
    cli_json_open(json, '[');
    for (int32_t axis = 0; axis < zl_array_rank(array); axis++)
        cli_json_string(json, zl_array_dimension_name(array, axis));
    cli_json_close(json, ']');
}

static void write_count(cli_json *json, const uint64_t *count) {
    if (count) {
        cli_json_uint(json, *count);
    } else {
        cli_json_string(json, NULL);
    }
}

/* `sum`: NULL where nothing was counted. */
static void print_array_json(zl_array *array, const cli_document *document, const stored *sum, bool besides) {
    cli_json json = {0};
    const int32_t rank = zl_array_rank(array);
    const cli_value dtype = cli_dtype_value(document);
    const cli_value fill = cli_fill_value(document);
    char *codecs = cli_codecs_value(document);
    cli_json_open(&json, '{');
    cli_json_key(&json, "path"), cli_json_string(&json, zl_array_path(array));
    cli_json_key(&json, "node_type"), cli_json_string(&json, "array");
    cli_json_key(&json, "zarr_format"), cli_json_int(&json, zl_array_zarr_format(array));
    cli_json_key(&json, "unused_v2_metadata"), cli_json_bool(&json, besides);
    cli_json_key(&json, "data_type"), cli_json_one_line(&json, dtype.text, dtype.size);
    cli_json_key(&json, "shape"), cli_json_extents(&json, rank, zl_array_shape(array));
    cli_json_key(&json, "dimension_names"), write_dimension_names(&json, array);
    write_chunks(&json, array, document);
    cli_json_key(&json, "codecs"), cli_json_one_line(&json, codecs, strlen(codecs));
    cli_json_key(&json, "fill_value"), cli_json_one_line(&json, fill.text, fill.size);
    cli_json_key(&json, "attribute_count"), cli_json_uint(&json, zl_attributes_count(zl_array_attributes(array)));
    cli_json_key(&json, "size"), cli_json_int(&json, zl_array_decoded_size(array));
    cli_json_key(&json, "stored_size"), write_count(&json, sum ? &sum->size : NULL);
    cli_json_key(&json, "stored_objects"), write_count(&json, sum ? &sum->count : NULL);
    cli_json_key(&json, "grid_objects"), cli_json_uint(&json, grid_count(array));
    cli_json_close(&json, '}');
    cli_json_print(&json);
    free(codecs);
}

static zl_status show_array(zl_array *array, zl_store *store, const info_options *given, zl_error *err) {
    stored sum;
    cli_document document;
    bool has_v2 = false;
    zl_status status = zl_node_has_v2(store, zl_array_path(array), &has_v2, err);
    if (!status) status = cli_document_open(&document, array, err);
    if (status) return status;
    const bool besides = has_v2 && zl_array_zarr_format(array) == 3;
    if (given->json) {
        if (!given->no_count) status = count_stored(array, &sum, err);
        if (!status) print_array_json(array, &document, given->no_count ? NULL : &sum, besides);
    } else {
        status = print_array(array, &document, besides, given->no_count, err);
    }
    cli_document_close(&document);
    return status;
}

/* ---- groups */

static void print_group(zl_group *group, const cli_node_list *members) {
    cli_table table = {.align = "ll"};
    size_t arrays = 0;
    for (size_t i = 0; i < members->count; i++)
        arrays += members->items[i].kind == ZL_NODE_ARRAY;
    add_row(&table, "path", cli_format("/%s", zl_group_path(group)));
    add_row(&table, "node", cli_copy("group", 5));
    add_row(&table, "members", cli_format("%zu arrays, %zu groups", arrays, members->count - arrays));
    add_row(&table, "attributes", cli_format("%zu", zl_attributes_count(zl_group_attributes(group))));
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
}

static void print_group_json(zl_group *group, const cli_node_list *members) {
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "path"), cli_json_string(&json, zl_group_path(group));
    cli_json_key(&json, "node_type"), cli_json_string(&json, "group");
    cli_json_key(&json, "members"), cli_json_open(&json, '[');
    for (size_t i = 0; i < members->count; i++)
        cli_json_string(&json, cli_node_name(members->items[i].path));
    cli_json_close(&json, ']');
    cli_json_key(&json, "attribute_count"), cli_json_uint(&json, zl_attributes_count(zl_group_attributes(group)));
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static zl_status show_group(zl_group *group, zl_store *store, bool as_json, zl_error *err) {
    cli_node_list members;
    const zl_status status = cli_node_list_fill(&members, store, zl_group_path(group), false, err);
    if (status) return status;
    if (as_json) {
        print_group_json(group, &members);
    } else {
        print_group(group, &members);
    }
    cli_node_list_clear(&members);
    return ZL_OK;
}

static int show(const cli *run, const cli_place *place, const char *path, const info_options *given) {
    zl_error err = {0};
    zl_node_kind kind;
    zl_array *array = NULL;
    zl_group *group = NULL;
    zl_status status = zl_node_probe(place->store, place->node, &kind, &err);
    if (!status && kind == ZL_NODE_NONE) {
        return cli_fail_text(run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array or group is here",
                             path);
    }
    if (!status && kind == ZL_NODE_ARRAY) {
        status = zl_array_open(&array, place->store, place->node, &err);
        if (!status) status = show_array(array, place->store, given, &err);
    } else if (!status) {
        status = zl_group_open(&group, place->store, place->node, &err);
        if (!status) status = show_group(group, place->store, given->json, &err);
    }
    zl_array_close(array);
    zl_group_close(group);
    return status ? cli_fail(run, path, &err) : CLI_OK;
}

static int run_info(cli *run, const cli_args *args, const void *values) {
    const info_options *given = values;
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], CLI_READ);
    if (!status) status = show(run, &place, args->positional[0], given);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_info = {
    .name = "info",
    .summary = "Show what an array or a group is",
    .usage = "[--json] [--no-count] STORE[/PATH]",
    .details = "For an array: type, shape, chunks, shards, codecs, fill value, dimension names, and how much is stored,\n"
               "which takes a look at each stored chunk.",
    .options = options,
    .options_size = sizeof(info_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_info,
};
