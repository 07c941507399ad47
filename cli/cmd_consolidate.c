/* SPDX-License-Identifier: MIT */
/* zarrlite consolidate: copies of the metadata of all nodes, in the group above them. */
#include "cli.h"
#include "json_out.h"
#include "output.h"
#include "store_path.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct consolidate_options {
    bool check;
    bool json;
} consolidate_options;

static const cli_option options[] = {
    {"check", 0, CLI_FLAG, offsetof(consolidate_options, check), NULL, "compare the copies with the nodes, change nothing"},
    {"json", 0, CLI_FLAG, offsetof(consolidate_options, json), NULL, "with --check: print a JSON object"},
    CLI_OPTIONS_END,
};

typedef struct listing {
    bool as_json;
    cli_json json;
    size_t count;
} listing;

static bool add_stale(void *user, const zl_stale_info *info) {
    listing *list = user;
    const char *kind = info->kind == ZL_STALE_CHANGED ? "changed" : info->kind == ZL_STALE_GONE ? "gone" : "missing";
    list->count++;
    if (list->as_json) {
        cli_json_open(&list->json, '{');
        cli_json_key(&list->json, "key"), cli_json_string(&list->json, info->key);
        cli_json_key(&list->json, "kind"), cli_json_string(&list->json, kind);
        cli_json_close(&list->json, '}');
    } else {
        printf("%-7s  %s\n", kind, info->key);
    }
    return true;
}

static void print_json(listing *list, bool found) {
    cli_json json = {0};
    cli_json_close(&list->json, ']');
    cli_json_open(&json, '{');
    cli_json_key(&json, "consolidated"), cli_json_bool(&json, found);
    cli_json_key(&json, "stale"), cli_json_raw(&json, list->json.text, list->json.size);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int check(const cli *run, const cli_place *place, const char *path, bool as_json) {
    zl_error err = {0};
    listing list = {.as_json = as_json};
    bool found = false;
    cli_json_open(&list.json, '[');
    const zl_status status = zl_consolidated_check(place->store, place->node, add_stale, &list, &found, &err);
    if (!status && as_json) print_json(&list, found);
    free(list.json.text);
    if (status) return cli_fail(run, path, &err);
    if (!found) return cli_fail_text(run, "'zarrlite consolidate' makes it", "%s has no consolidated metadata", path);
    if (!list.count) return CLI_OK;
    return cli_fail_text(run, "'zarrlite consolidate' makes it anew", "%s: %zu copies are not as their nodes are", path,
                         list.count);
}

static int run_consolidate(cli *run, const cli_args *args, const void *values) {
    const consolidate_options *given = values;
    const char *path = args->positional[0];
    zl_error err = {0};
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, path, given->check ? CLI_READ : CLI_CHANGE);
    if (!status && given->check) {
        status = check(run, &place, path, given->json);
    } else if (!status && zl_consolidate(place.store, place.node, &err)) {
        status = cli_fail(run, path, &err);
    }
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_consolidate = {
    .name = "consolidate",
    .summary = "Copy the metadata of all nodes into the group above them",
    .usage = "[--check [--json]] STORE[/GROUP]",
    .details =
        "Readers that cannot list, or for whom each request takes long, find all metadata in one place then: .zmetadata\n"
        "in version 2, zarr.json of the group in version 3. zarrlite itself opens nodes by their own metadata, and its\n"
        "changes change the copies too. --check names copies that are out of date and fails where there are any.",
    .options = options,
    .options_size = sizeof(consolidate_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_consolidate,
};
