/* SPDX-License-Identifier: MIT */
/* zarrlite tree: the hierarchy, drawn. An array that cannot be opened is shown with the reason, and the exit status is 1.
 */
#include "cli.h"
#include "describe.h"
#include "json_out.h"
#include "memory.h"
#include "node_list.h"
#include "output.h"
#include "store_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree_options {
    bool json;
} tree_options;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, offsetof(tree_options, json), NULL, "print nested JSON objects"},
    CLI_OPTIONS_END,
};

typedef struct drawer {
    const cli *run;
    zl_store *store;
    const char *const *lines; /* branch, last branch, bar, space */
    cli_json *json;           /* NULL: draw */
    bool failed;
} drawer;

static const char *const utf8_lines[] = {"\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 ", "\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80 ",
                                         "\xe2\x94\x82   ", "    "};
static const char *const ascii_lines[] = {"|-- ", "`-- ", "|   ", "    "};

static void show_open_array(const drawer *d, const zl_array *array, const cli_document *document) {
    if (d->json) {
        const cli_value dtype = cli_dtype_value(document);
        cli_json_key(d->json, "data_type"), cli_json_one_line(d->json, dtype.text, dtype.size);
        cli_json_key(d->json, "shape"), cli_json_extents(d->json, zl_array_rank(array), zl_array_shape(array));
        return;
    }
    char *dtype = cli_dtype_text(document);
    char *shape = cli_shape_text(zl_array_rank(array), zl_array_shape(array));
    printf("  %s  %s", dtype, shape);
    free(dtype);
    free(shape);
}

static void show_array(drawer *d, const char *path) {
    zl_error err = {0};
    zl_array *array = NULL;
    cli_document document = {0};
    zl_status status = zl_array_open(&array, d->store, path, &err);
    if (!status) status = cli_document_open(&document, array, &err);
    if (!status) {
        show_open_array(d, array, &document);
    } else {
        d->failed = true;
        if (d->json) {
            cli_json_key(d->json, "error"), cli_json_string(d->json, err.message);
        } else {
            printf("  cannot be opened: %s", err.message);
        }
    }
    cli_document_close(&document);
    zl_array_close(array);
}

static void show_members(drawer *d, const char *path, const char *lead);

static void draw_member(drawer *d, const cli_node *node, const char *lead, bool is_last) {
    printf("%s%s%s%s", lead, d->lines[is_last], cli_node_name(node->path), node->kind == ZL_NODE_ARRAY ? "" : "/");
    if (node->kind == ZL_NODE_ARRAY) show_array(d, node->path);
    putchar('\n');
    if (node->kind == ZL_NODE_ARRAY) return;
    char *deeper = cli_format("%s%s", lead, d->lines[2 + is_last]);
    show_members(d, node->path, deeper);
    free(deeper);
}

static void write_node(drawer *d, const char *path, zl_node_kind kind) {
    cli_json_open(d->json, '{');
    cli_json_key(d->json, "name"), cli_json_string(d->json, cli_node_name(path));
    cli_json_key(d->json, "path"), cli_json_string(d->json, path);
    cli_json_key(d->json, "node_type"), cli_json_string(d->json, cli_node_kind_text(kind));
    if (kind == ZL_NODE_ARRAY) {
        show_array(d, path);
    } else {
        cli_json_key(d->json, "members"), cli_json_open(d->json, '[');
        show_members(d, path, NULL);
        cli_json_close(d->json, ']');
    }
    cli_json_close(d->json, '}');
}

static void show_members(drawer *d, const char *path, const char *lead) {
    zl_error err = {0};
    cli_node_list members;
    if (cli_node_list_fill(&members, d->store, path, false, &err)) {
        d->failed = true;
        cli_fail(d->run, path, &err);
        return;
    }
    for (size_t i = 0; i < members.count && !cli_interrupted(); i++) {
        if (d->json) {
            write_node(d, members.items[i].path, members.items[i].kind);
        } else {
            draw_member(d, &members.items[i], lead, i + 1 == members.count);
        }
    }
    cli_node_list_clear(&members);
}

static int show(const cli *run, const cli_place *place, const char *path, bool as_json) {
    zl_error err = {0};
    zl_node_kind kind;
    if (zl_node_probe(place->store, place->node, &kind, &err)) return cli_fail(run, path, &err);
    if (kind == ZL_NODE_NONE) return cli_fail_text(run, NULL, "%s: no Zarr array or group is here", path);
    cli_json json = {0};
    drawer d = {run, place->store, cli_is_utf8() ? utf8_lines : ascii_lines, as_json ? &json : NULL, false};
    if (as_json) {
        write_node(&d, place->node, kind);
        cli_json_print(&json);
    } else {
        fputs(path, stdout);
        if (kind == ZL_NODE_ARRAY) show_array(&d, place->node);
        putchar('\n');
        if (kind != ZL_NODE_ARRAY) show_members(&d, place->node, "");
    }
    return d.failed || cli_interrupted() ? CLI_FAILED : CLI_OK;
}

static int run_tree(cli *run, const cli_args *args, const void *values) {
    const tree_options *given = values;
    cli_place place = {0};
    int status = cli_start(run, 0);
    if (!status) status = cli_place_open(run, &place, args->positional[0], CLI_READ);
    if (!status) status = show(run, &place, args->positional[0], given->json);
    return cli_place_close(run, &place, status);
}

const cli_command cli_command_tree = {
    .name = "tree",
    .summary = "Draw a hierarchy with types and shapes",
    .usage = "[--json] STORE[/PATH]",
    .details = NULL,
    .options = options,
    .options_size = sizeof(tree_options),
    .positional_min = 1,
    .positional_max = 1,
    .run = run_tree,
};
