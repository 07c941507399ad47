/* SPDX-License-Identifier: MIT */
/* zarrlite migrate: metadata of Zarr v2 becomes metadata of v3, in place. */
#include "cli.h"
#include "json_out.h"
#include "output.h"
#include "store_path.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct migrate_options {
    bool dry_run;
    bool remove_v2;
    bool json;
} migrate_options;

static const cli_option options[] = {
    {"dry-run", 'n', CLI_FLAG, offsetof(migrate_options, dry_run), NULL, "say what would be done, change nothing"},
    {"remove-v2", 0, CLI_FLAG, offsetof(migrate_options, remove_v2), NULL, "remove the metadata of version 2 in the end"},
    {"json", 0, CLI_FLAG, offsetof(migrate_options, json), NULL, "print what was done as a JSON object"},
    CLI_OPTIONS_END,
};

typedef struct listing {
    const migrate_options *given;
    cli_json json;
    size_t count, problems;
} listing;

static bool add_node(void *user, const zl_migrate_info *info) {
    listing *list = user;
    const char *kind = info->kind == ZL_NODE_ARRAY ? "array" : "group";
    list->count++;
    list->problems += info->problem != NULL;
    if (list->given->json) {
        cli_json_open(&list->json, '{');
        cli_json_key(&list->json, "path"), cli_json_string(&list->json, info->path);
        cli_json_key(&list->json, "kind"), cli_json_string(&list->json, kind);
        cli_json_key(&list->json, "problem"), cli_json_string(&list->json, info->problem);
        cli_json_close(&list->json, '}');
    } else if (info->problem) {
        printf("%s  %s  must be copied: %s\n", *info->path ? info->path : "/", kind, info->problem);
    } else {
        printf("%s  %s\n", *info->path ? info->path : "/", kind);
    }
    return true;
}

static void print_json(listing *list, bool migrated) {
    cli_json json = {0};
    cli_json_close(&list->json, ']');
    cli_json_open(&json, '{');
    cli_json_key(&json, "nodes"), cli_json_raw(&json, list->json.text, list->json.size);
    cli_json_key(&json, "problems"), cli_json_uint(&json, list->problems);
    cli_json_key(&json, "migrated"), cli_json_bool(&json, migrated);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int migrate(const cli *run, const cli_place *place, const char *path, const migrate_options *given) {
    zl_error err = {0};
    listing list = {.given = given};
    zl_migrate_options how = ZL_MIGRATE_OPTIONS_INIT;
    how.dry_run = given->dry_run;
    how.remove_v2 = given->remove_v2;
    cli_json_open(&list.json, '[');
    const zl_status status = zl_migrate(place->store, place->node, &how, add_node, &list, &err);
    if (given->json && (!status || list.problems)) {
        print_json(&list, !status && !given->dry_run);
    } else if (!status && !list.count) {
        printf("no metadata of version 2\n");
    }
    free(list.json.text);
    if (list.problems) {
        return cli_fail_text(run, "'zarrlite copy' writes what cannot be migrated", "%s: %s", path, err.message);
    }
    return status ? cli_fail(run, path, &err) : CLI_OK;
}

static int run_migrate(cli *run, const cli_args *args, const void *values) {
    const migrate_options *given = values;
    cli_place place = {0};
    if (given->dry_run && given->remove_v2) return cli_usage(run, "--dry-run and --remove-v2 exclude each other");
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], given->dry_run ? CLI_READ : CLI_CHANGE);
    if (!status) status = migrate(run, &place, args->positional[0], given);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_migrate = {
    .name = "migrate",
    .summary = "Turn metadata of Zarr v2 into metadata of v3",
    .usage = "[--dry-run | --remove-v2] [--json] STORE[/PATH]",
    .details =
        "Chunks stay as they are: each array and group gets a zarr.json for them. Either all nodes can be migrated or "
        "none\n"
        "is changed, and those that must be copied are named. The metadata of version 2 stays beside the new unless\n"
        "--remove-v2 is given, also in a later run. A run that was interrupted can be run again.",
    .options = options,
    .options_size = sizeof(migrate_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_migrate,
};
