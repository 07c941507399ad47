/* SPDX-License-Identifier: MIT */
/* Metadata beyond what opening a node reads. Version 3 lets a document have more members than the specification names, as
 * objects that say "must_understand": false; others the library refuses. Version 2 lets readers ignore whatever they do not
 * know. Both are notes. */
#include "validate.h"

#include "json_scan.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const v3_array[] = {"zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
                                       "chunk_key_encoding", "fill_value", "codecs", "attributes", "storage_transformers",
                                       "dimension_names",    NULL};
static const char *const v3_group[] = {"zarr_format", "node_type", "attributes", "consolidated_metadata", NULL};
static const char *const v2_array[] = {
    "zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator", NULL};
static const char *const v2_group[] = {"zarr_format", NULL};

static bool is_known(const char *key, const char *const *known) {
    bool found = false;
    for (; *known && !found; known++)
        found = strcmp(key, *known) == 0;
    return found;
}

static void find_unknown(cli_validation *v, const char *path, cli_value document, const char *const *known) {
    for (cli_value_iter iter = {0}; cli_value_next(document, &iter);) {
        char *key = cli_value_string(iter.key, NULL);
        if (key && !is_known(key, known)) {
            cli_findings_add(&v->findings, CLI_FINDING_NOTE, path, "the metadata has a member '%s' that Zarr does not know",
                             key);
        }
        free(key);
    }
}

zl_status cli_validate_array_keys(cli_validation *v, const zl_array *array, zl_error *err) {
    zl_buffer text = {0};
    const zl_status status = zl_array_metadata_json(array, &text, err);
    if (status) return status;
    find_unknown(v, zl_array_path(array), cli_value_of(text.data, text.size),
                 zl_array_zarr_format(array) == 2 ? v2_array : v3_array);
    zl_buffer_free(&text);
    return ZL_OK;
}

/* The whole file, or NULL. Free with free(). */
static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t piece;
    *size = 0;
    do {
        text = cli_realloc(text, *size + 65536);
        piece = fread(text + *size, 1, 65536, file);
        *size += piece;
    } while (piece);
    fclose(file);
    return text;
}

typedef struct copies {
    cli_validation *v;
    const char *group;
} copies;

static bool report_stale(void *user, const zl_stale_info *info) {
    const copies *c = user;
    char *where = cli_format("%s%s%s", c->group, *c->group && *info->key ? "/" : "", info->key);
    const char *text = info->kind == ZL_STALE_GONE      ? "is gone, but for its consolidated copy"
                       : info->kind == ZL_STALE_MISSING ? "has no copy in the consolidated metadata above"
                                                        : "the consolidated copy of the metadata is another one";
    cli_findings_add(&c->v->findings, CLI_FINDING_ERROR, where, "%s", text);
    free(where);
    return true;
}

zl_status cli_validate_copies(cli_validation *v, const cli_node *node, zl_error *err) {
    bool found;
    copies c = {v, node->path};
    const zl_status status = zl_consolidated_check(v->place.store, node->path, report_stale, &c, &found, err);
    if (status != ZL_ERR_METADATA) return status;
    cli_findings_add(&v->findings, CLI_FINDING_ERROR, node->path, "%s", err->message);
    return ZL_OK;
}

/* A folder may hold the documents of both versions. */
void cli_validate_group_keys(cli_validation *v, const cli_node *node) {
    static const struct {
        const char *name;
        const char *const *known;
    } documents[] = {{"zarr.json", v3_group}, {".zgroup", v2_group}};
    for (size_t i = 0; i < 2 && !v->place.is_archive; i++) {
        size_t size = 0;
        char *path = cli_format("%s/%s/%s", v->place.root, node->path, documents[i].name);
        char *text = read_file(path, &size);
        if (text) find_unknown(v, node->path, cli_value_of(text, size), documents[i].known);
        free(text);
        free(path);
    }
}
