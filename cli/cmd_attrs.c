/* SPDX-License-Identifier: MIT */
/* zarrlite attrs: read and change the attributes of one node. */
#include "cli.h"
#include "output.h"
#include "store_path.h"

#include <stdio.h>
#include <string.h>

typedef struct attrs_options {
    bool json;
} attrs_options;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, offsetof(attrs_options, json), NULL, "print all attributes as one JSON object"},
    CLI_OPTIONS_END,
};

static zl_status print_one(const zl_attributes *attributes, const char *name, zl_error *err) {
    zl_buffer json = {0};
    const zl_status status = zl_attributes_get_json(attributes, name, &json, err);
    if (status) return status;
    fwrite(json.data, 1, json.size, stdout);
    putchar('\n');
    zl_buffer_free(&json);
    return ZL_OK;
}

static zl_status print_all(const zl_attributes *attributes, zl_error *err) {
    for (size_t i = 0; i < zl_attributes_count(attributes); i++) {
        const char *name = zl_attributes_name(attributes, i);
        printf("%s: ", name);
        const zl_status status = print_one(attributes, name, err);
        if (status) return status;
    }
    return ZL_OK;
}

typedef enum action { SHOW_ALL, GET, SET, DELETE, UNKNOWN } action;

static action action_of(const cli_args *args) {
    if (args->count == 1) return SHOW_ALL;
    const char *verb = args->positional[1];
    if (strcmp(verb, "get") == 0 && args->count == 3) return GET;
    if (strcmp(verb, "set") == 0 && args->count == 4) return SET;
    if (strcmp(verb, "delete") == 0 && args->count == 3) return DELETE;
    return UNKNOWN;
}

static zl_status act(zl_attributes *attributes, action what, const cli_args *args, bool as_json, zl_error *err) {
    switch (what) {
    case GET: return print_one(attributes, args->positional[2], err);
    case SET: return zl_attributes_set_json(attributes, args->positional[2], args->positional[3], err);
    case DELETE: return zl_attributes_delete(attributes, args->positional[2], err);
    default: return as_json ? print_one(attributes, NULL, err) : print_all(attributes, err);
    }
}

static int open_and_act(const cli *run, const cli_place *place, action what, const cli_args *args, bool as_json) {
    const char *path = args->positional[0];
    zl_error err = {0};
    zl_node_kind kind;
    zl_array *array = NULL;
    zl_group *group = NULL;
    zl_attributes *attributes = NULL;
    zl_status status = zl_node_probe(place->store, place->node, &kind, &err);
    if (!status && kind == ZL_NODE_NONE) return cli_fail_text(run, NULL, "%s: no Zarr array or group is here", path);
    if (!status && kind == ZL_NODE_ARRAY) {
        status = zl_array_open(&array, place->store, place->node, &err);
        if (!status) attributes = zl_array_attributes(array);
    } else if (!status) {
        status = zl_group_open(&group, place->store, place->node, &err);
        if (!status) attributes = zl_group_attributes(group);
    }
    if (!status) status = act(attributes, what, args, as_json, &err);
    zl_array_close(array);
    zl_group_close(group);
    if (!status) return CLI_OK;
    if (what == SET && status == ZL_ERR_INVALID_ARGUMENT) {
        return cli_fail_text(run, "values are JSON; text needs its quotes: '\"metres\"'", "%s: %s", path, err.message);
    }
    if (status == ZL_ERR_NOT_FOUND)
        return cli_fail_text(run, "'zarrlite attrs STORE' lists the names", "%s: %s", path, err.message);
    return cli_fail(run, path, &err);
}

static int run_attrs(cli *run, const cli_args *args, const void *values) {
    const attrs_options *given = values;
    const action what = action_of(args);
    if (what == UNKNOWN) return cli_usage(run, "after the path: get NAME, set NAME JSON, delete NAME, or nothing");
    cli_place place = {0};
    int status = cli_start(run, 0);
    const cli_access access = what == SET || what == DELETE ? CLI_CHANGE : CLI_READ;
    if (!status) status = cli_place_open(run, &place, args->positional[0], access);
    if (!status) status = open_and_act(run, &place, what, args, given->json);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_attrs = {
    .name = "attrs",
    .summary = "Show, set or delete attributes",
    .usage = "[--json] STORE[/PATH]\nSTORE[/PATH] get NAME\nSTORE[/PATH] set NAME JSON\nSTORE[/PATH] delete NAME",
    .details =
        "Values are JSON: numbers, \"text\" with its quotes, lists, objects. A change is written at once and atomically.",
    .options = options,
    .options_size = sizeof(attrs_options),
    .positional_min = 1,
    .positional_max = 4,
    .run = run_attrs,
};
