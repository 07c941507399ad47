/* SPDX-License-Identifier: MIT */
/* zarrlite rm: deletes a node with everything below it. A single array goes at a word; groups and whole stores need -r,
 * since much more may hang on them than their name shows. On a terminal it asks, and says what will be gone. */
#include "cli.h"
#include "memory.h"
#include "node_list.h"
#include "output.h"
#include "store_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct rm_options {
    bool recursive;
    bool yes;
} rm_options;

static const cli_option options[] = {
    {"recursive", 'r', CLI_FLAG, offsetof(rm_options, recursive), NULL, "delete groups, and whole stores"},
    {"yes", 'f', CLI_FLAG, offsetof(rm_options, yes), NULL, "do not ask"},
    CLI_OPTIONS_END,
};

/* "array t2m (289.1 MiB)", as far as it can be opened. Free with free(). */
static char *describe_array(const cli_place *place) {
    zl_error err = {0};
    zl_array *array = NULL;
    zl_stored_info stored;
    char *text = NULL;
    if (!zl_array_open(&array, place->store, place->node, &err) && !zl_array_stored_info(array, &stored, &err)) {
        text = cli_format("the array (%s stored)", cli_size_text(stored.size).data);
    }
    zl_array_close(array);
    return text ? text : cli_format("the array");
}

/* "the group with 3 arrays and 1 group". Free with free(). */
static char *describe_group(const cli_place *place) {
    zl_error err = {0};
    cli_node_list list;
    if (cli_node_list_fill(&list, place->store, place->node, true, &err)) return cli_format("the group");
    size_t arrays = 0;
    for (size_t i = 0; i < list.count; i++)
        arrays += list.items[i].kind == ZL_NODE_ARRAY;
    char *text = cli_format("the group with %zu arrays and %zu other nodes", arrays, list.count - arrays);
    cli_node_list_clear(&list);
    return text;
}

static bool confirmed(const cli_place *place, zl_node_kind kind, const char *path) {
    char *what = kind == ZL_NODE_ARRAY ? describe_array(place) : describe_group(place);
    char answer[16] = "";
    fprintf(stderr, "delete %s%s, %s? [y/N] ", path, *place->node ? "" : ", a whole store", what);
    free(what);
    if (!fgets(answer, sizeof answer, stdin)) return false;
    return answer[0] == 'y' || answer[0] == 'Y';
}

static int delete_node(const cli *run, const cli_place *place, const char *path, const rm_options *given) {
    zl_error err = {0};
    zl_node_kind kind = ZL_NODE_NONE;
    const zl_status probed = zl_node_probe(place->store, place->node, &kind, &err);
    const bool is_damaged = probed == ZL_ERR_METADATA || probed == ZL_ERR_LIMIT; /* that is no reason to keep it */
    if (probed && !is_damaged) return cli_fail(run, path, &err);
    if (!is_damaged && kind == ZL_NODE_NONE) {
        return cli_fail_text(run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array or group is here",
                             path);
    }
    if (!given->recursive && (kind != ZL_NODE_ARRAY || !*place->node)) {
        const char *what = !*place->node ? "a whole store" : is_damaged ? "damaged" : "a group";
        return cli_fail_text(run, "-r deletes it with everything below", "%s is %s", path, what);
    }
    if (!given->yes && isatty(STDIN_FILENO) && !confirmed(place, kind, path)) {
        return cli_fail_text(run, NULL, "%s: nothing was deleted", path);
    }
    if (zl_node_delete(place->store, place->node, &err)) return cli_fail(run, path, &err);
    if (!*place->node) (void)rmdir(place->root);
    return CLI_OK;
}

static int run_rm(cli *run, const cli_args *args, const void *values) {
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], CLI_CHANGE);
    if (!status) status = delete_node(run, &place, args->positional[0], values);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_rm = {
    .name = "rm",
    .summary = "Delete an array, a group or a store",
    .usage = "[-r] [--yes] STORE[/PATH]",
    .details = "Groups, and whatever is a store's root, need -r. On a terminal it asks first; -f and --yes answer for you.",
    .options = options,
    .options_size = sizeof(rm_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_rm,
};
