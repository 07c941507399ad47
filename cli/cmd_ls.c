/* SPDX-License-Identifier: MIT */
/* zarrlite ls: paths of nodes, one a line, for scripts. */
#include "cli.h"
#include "json_out.h"
#include "node_list.h"
#include "output.h"
#include "store_path.h"

#include <stdio.h>

typedef struct ls_options {
    bool json;
    bool recursive;
} ls_options;

static const cli_option options[] = {
    {"recursive", 'r', CLI_FLAG, offsetof(ls_options, recursive), NULL, "list everything below, parents first"},
    {"json", 0, CLI_FLAG, offsetof(ls_options, json), NULL, "print a JSON list with the kind of each node"},
    CLI_OPTIONS_END,
};

static void print_json(const cli_node_list *list) {
    cli_json json = {0};
    cli_json_open(&json, '[');
    for (size_t i = 0; i < list->count; i++) {
        const cli_node *node = &list->items[i];
        cli_json_open(&json, '{');
        cli_json_key(&json, "path"), cli_json_string(&json, node->path);
        cli_json_key(&json, "node_type"), cli_json_string(&json, cli_node_kind_text(node->kind));
        cli_json_key(&json, "zarr_format");
        if (node->zarr_format) {
            cli_json_int(&json, node->zarr_format);
        } else {
            cli_json_string(&json, NULL);
        }
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_print(&json);
}

static int list_nodes(const cli *run, const cli_place *place, const char *path, const ls_options *given) {
    zl_error err = {0};
    zl_node_kind kind;
    if (zl_node_probe(place->store, place->node, &kind, &err)) return cli_fail(run, path, &err);
    if (kind == ZL_NODE_NONE) return cli_fail_text(run, NULL, "%s: no Zarr array or group is here", path);
    cli_node_list list = {0};
    if (kind != ZL_NODE_ARRAY && cli_node_list_fill(&list, place->store, place->node, given->recursive, &err)) {
        return cli_fail(run, path, &err);
    }
    if (given->json) {
        print_json(&list);
    } else {
        for (size_t i = 0; i < list.count; i++)
            puts(list.items[i].path);
    }
    cli_node_list_clear(&list);
    return CLI_OK;
}

static int run_ls(cli *run, const cli_args *args, const void *values) {
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], CLI_READ);
    if (!status) status = list_nodes(run, &place, args->positional[0], values);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_ls = {
    .name = "ls",
    .summary = "List the members of a group",
    .usage = "[-r] [--json] STORE[/PATH]",
    .details = "Prints one path a line, from the store's root. An array has no members.",
    .options = options,
    .options_size = sizeof(ls_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_ls,
};
