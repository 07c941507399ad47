/* SPDX-License-Identifier: MIT */
/* zarrlite validate: is a store what the specification says, and can all of it be read? */
#include "cli.h"
#include "json_out.h"
#include "memory.h"
#include "output.h"
#include "validate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct validate_options {
    bool metadata_only;
    int threads;
    bool quiet;
    bool json;
} validate_options;

static const cli_option options[] = {
    {"metadata-only", 0, CLI_FLAG, offsetof(validate_options, metadata_only), NULL, "decode no chunks"},
    {"threads", 0, CLI_COUNT, offsetof(validate_options, threads), "N", "threads that decode [one per CPU]"},
    {"quiet", 'q', CLI_FLAG, offsetof(validate_options, quiet), NULL, "print what is wrong only"},
    {"json", 0, CLI_FLAG, offsetof(validate_options, json), NULL, "print one JSON object"},
    CLI_OPTIONS_END,
};

static zl_status check_data(cli_validation *v, const zl_array *array, bool metadata_only, zl_error *err) {
    cli_chunk_list chunks;
    zl_status status = cli_chunk_list_fill(&chunks, array, err);
    if (status) return status;
    v->chunks += chunks.count;
    v->stored_size += chunks.size;
    cli_validate_array_files(v, array, &chunks);
    if (!metadata_only) status = cli_validate_chunks(v, array, &chunks, err);
    cli_progress_clear(&v->progress);
    cli_chunk_list_clear(&chunks);
    return status;
}

/* Metadata that the library refuses is a finding; so is what it does not know, since nobody could say that it is right. */
static zl_status check_array(cli_validation *v, const cli_node *node, bool metadata_only, zl_error *err) {
    zl_array *array = NULL;
    zl_status status = zl_array_open(&array, v->place.store, node->path, err);
    if (status == ZL_ERR_NO_MEMORY || status == ZL_ERR_IO) return status;
    if (status) {
        cli_findings_add(&v->findings, CLI_FINDING_ERROR, node->path, "%s", err->message);
        return ZL_OK;
    }
    v->arrays++;
    status = cli_validate_array_keys(v, array, err);
    if (!status) status = check_data(v, array, metadata_only, err);
    zl_array_close(array);
    return status;
}

static zl_status check_group(cli_validation *v, const cli_node *node, const cli_node_list *nodes, zl_error *err) {
    zl_group *group = NULL;
    const zl_status status = zl_group_open(&group, v->place.store, node->path, err);
    if (status == ZL_ERR_NO_MEMORY || status == ZL_ERR_IO) return status;
    if (status) {
        cli_findings_add(&v->findings, CLI_FINDING_ERROR, node->path, "%s", err->message);
        return ZL_OK;
    }
    v->groups++;
    zl_group_close(group);
    cli_validate_group_keys(v, node);
    cli_validate_group_files(v, node, nodes);
    return node->kind == ZL_NODE_GROUP ? cli_validate_copies(v, node, err) : ZL_OK;
}

static void print_json(const cli_validation *v) {
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "valid"), cli_json_bool(&json, cli_findings_are_good(&v->findings));
    cli_json_key(&json, "arrays"), cli_json_uint(&json, v->arrays);
    cli_json_key(&json, "groups"), cli_json_uint(&json, v->groups);
    cli_json_key(&json, "stored_objects"), cli_json_uint(&json, v->chunks);
    cli_json_key(&json, "stored_size"), cli_json_uint(&json, v->stored_size);
    cli_json_key(&json, "decoded_size"), cli_json_uint(&json, v->decoded_size);
    cli_json_key(&json, "findings"), cli_findings_write(&v->findings, &json);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int report(const cli_validation *v, const validate_options *given) {
    const bool good = cli_findings_are_good(&v->findings);
    if (given->json) {
        print_json(v);
        return good ? CLI_OK : CLI_FAILED;
    }
    cli_findings_print(&v->findings);
    if (!given->quiet) {
        char *summary = cli_findings_summary(&v->findings);
        printf("arrays %zu, groups %zu, stored objects %" PRIu64 " (%s", v->arrays, v->groups, v->chunks,
               cli_size_text(v->stored_size).data);
        if (!given->metadata_only) printf(", %s decoded", cli_size_text(v->decoded_size).data);
        printf("): %s\n", summary);
        free(summary);
    }
    return good ? CLI_OK : CLI_FAILED;
}

static int check_nodes(cli_validation *v, const cli_node_list *nodes, const validate_options *given) {
    zl_error err = {0};
    for (size_t i = 0; i < nodes->count; i++) {
        const cli_node *node = &nodes->items[i];
        const bool is_group = node->kind == ZL_NODE_GROUP || node->kind == ZL_NODE_IMPLICIT_GROUP;
        const zl_status status =
            is_group ? check_group(v, node, nodes, &err) : check_array(v, node, given->metadata_only, &err);
        cli_findings_sort(&v->findings);
        if (!status) continue;
        cli_findings_print(&v->findings);
        return cli_fail(v->run, *node->path ? node->path : v->place.root, &err);
    }
    return report(v, given);
}

static int validate(cli_validation *v, const char *path, const validate_options *given) {
    zl_error err = {0};
    zl_node_kind kind = ZL_NODE_NONE;
    cli_node_list nodes = {0};
    const zl_status status = zl_node_probe(v->place.store, v->place.node, &kind, &err);
    const bool is_damaged = status == ZL_ERR_METADATA || status == ZL_ERR_LIMIT; /* opening it says why */
    if (status && !is_damaged) return cli_fail(v->run, path, &err);
    if (!status && kind == ZL_NODE_NONE) {
        return cli_fail_text(v->run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array or group is here",
                             path);
    }
    const bool is_group = kind == ZL_NODE_GROUP || kind == ZL_NODE_IMPLICIT_GROUP;
    if (is_group && cli_node_list_fill(&nodes, v->place.store, v->place.node, true, &err)) {
        return cli_fail(v->run, path, &err);
    }
    cli_node_list_prepend(&nodes, v->place.node, kind);
    const int checked = check_nodes(v, &nodes, given);
    cli_node_list_clear(&nodes);
    return checked;
}

static int run_validate(cli *run, const cli_args *args, const void *values) {
    const validate_options *given = values;
    cli_validation v = {.run = run, .threads = given->threads, .quiet = given->quiet};
    cli_findings_start(&v.findings);
    int status = cli_start(run, given->threads);
    if (!status) status = cli_place_open(run, &v.place, args->positional[0], CLI_READ);
    if (!status) status = validate(&v, args->positional[0], given);
    cli_findings_clear(&v.findings);
    return cli_place_close(run, &v.place, status);
}

const cli_command cli_command_validate = {
    .name = "validate",
    .summary = "Check metadata, chunks and keys of a store",
    .usage = "[OPTIONS] STORE[/PATH]",
    .details =
        "Reads the metadata of every node, decodes every stored chunk, looks for files that are no chunk of an array and\n"
        "for inner chunks that share bytes of a shard. Exit status 1 when anything is wrong; notes are not.",
    .options = options,
    .options_size = sizeof(validate_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_validate,
};
