/* SPDX-License-Identifier: MIT */
/* zarrlite import, for NetCDF. */
#include "nc_commands.h"

#include "import.h"
#include "memory.h"
#include "nc_source.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

typedef struct skip_user {
    cli_import *import;
    const char *owner;
} skip_user;

static void skip_attribute(void *user, const char *attribute, const char *reason) {
    const skip_user *s = user;
    char *name = cli_format("%s:%s", s->owner, attribute); /* as CDL writes it */
    cli_import_skip(s->import, name, reason);
    free(name);
}

/* Path in the store of a path in the file. */
static char *node_path(const cli_import *import, const char *path) {
    const char *base = import->place.node;
    return cli_format("%s%s%s", base, *base && *path ? "/" : "", path);
}

static zl_status import_group(cli_import *import, const nc_group *group, zl_error *err) {
    cli_json attributes = {0};
    skip_user user = {import, group->path};
    zl_status status = nc_group_attributes(&attributes, group, skip_attribute, &user, err);
    if (!status) {
        zl_group *made = NULL;
        zl_group_options options = ZL_GROUP_OPTIONS_INIT;
        char *path = node_path(import, group->path);
        options.mode = import->given->overwrite ? ZL_CREATE_REPLACE : ZL_CREATE_NEW;
        options.zarr_format = import->zarr_format;
        options.attributes_json = attributes.text;
        status = zl_group_create(&made, import->place.store, path, &options, err);
        zl_group_close(made);
        free(path);
    }
    free(attributes.text);
    return status;
}

static zl_status write_array(cli_import *import, const nc_variable *variable, const cli_json *attributes,
                             const cli_json *fill, zl_error *err) {
    char *path = node_path(import, variable->path);
    nc_source blocks = {.variable = variable};
    const cli_source source = {nc_source_fetch, &blocks};
    const cli_import_array array = {
        .path = path,
        .name = variable->path,
        .dtype = variable->type->dtype,
        .rank = variable->rank,
        .shape = variable->shape,
        .source_chunk = variable->chunked ? variable->chunk : NULL,
        .dimension_names = variable->rank ? (const char *const *)variable->dimensions : NULL,
        .attributes_json = attributes->text,
        .fill_value_json = fill->text,
    };
    const zl_status status = cli_import_array_write(import, &array, &source, err);
    nc_source_clear(&blocks);
    free(path);
    return status;
}

static zl_status import_variable(cli_import *import, const nc_variable *variable, zl_error *err) {
    if (variable->reason) {
        cli_import_skip(import, variable->path, variable->reason);
        return ZL_OK;
    }
    cli_json attributes = {0}, fill = {0};
    skip_user user = {import, variable->path};
    zl_status status = nc_variable_attributes(&attributes, variable, skip_attribute, &user, err);
    if (!status) status = nc_variable_fill(&fill, variable, err);
    if (!status) status = write_array(import, variable, &attributes, &fill, err);
    free(attributes.text);
    free(fill.text);
    return status;
}

static int import_tree(cli_import *import, const nc_tree *tree, const char *source) {
    zl_error err = {0};
    cli_progress_start(&import->progress, source, nc_tree_size(tree), !import->given->quiet);
    for (size_t i = 0; i < tree->group_count; i++) {
        const nc_group *group = &tree->groups[i];
        if (!group->wanted || !import_group(import, group, &err)) continue;
        return cli_fail(import->run, *group->path ? group->path : source, &err);
    }
    for (size_t i = 0; i < tree->variable_count; i++) {
        const nc_variable *variable = &tree->variables[i];
        if (!variable->wanted || !import_variable(import, variable, &err)) continue;
        cli_progress_clear(&import->progress);
        cli_fail(import->run, variable->path, &err);
        return cli_fail_text(import->run, "the store is incomplete; run the command again with --overwrite",
                             "stopped at %zu of %zu variables", i, tree->variable_count);
    }
    return CLI_OK;
}

static int run_import(cli *run, const cli_args *args, const void *values) {
    const cli_import_options *given = values;
    const char *source = args->positional[0];
    nc_tree tree = {0};
    zl_error err = {0};
    int status = cli_start(run, given->threads);
    if (status) return status;
    if (nc_tree_open(&tree, source, &err) || nc_tree_select(&tree, &given->variables, &err)) {
        status = cli_fail(run, source, &err);
    } else {
        cli_import import;
        status = cli_import_start(&import, run, given, args->positional[1]);
        if (!status) status = import_tree(&import, &tree, source);
        status = cli_import_finish(&import, source, status);
    }
    nc_tree_close(&tree);
    return status;
}

const cli_command nc_command_import = CLI_IMPORT_COMMAND(run_import);
