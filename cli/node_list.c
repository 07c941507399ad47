/* SPDX-License-Identifier: MIT */
#include "node_list.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void reserve(cli_node_list *list) {
    if (list->count < list->cap) return;
    list->cap = list->cap * 2 + 16;
    list->items = cli_realloc(list->items, list->cap * sizeof *list->items);
}

static bool add(void *user, const zl_node_info *info) {
    cli_node_list *list = user;
    reserve(list);
    list->items[list->count++] = (cli_node){cli_copy(info->path, strlen(info->path)), info->kind, info->zarr_format};
    return !cli_interrupted();
}

zl_status cli_node_list_fill(cli_node_list *list, zl_store *store, const char *path, bool recursive, zl_error *err) {
    *list = (cli_node_list){0};
    const zl_status status = zl_node_list(store, path, recursive, add, list, err);
    if (status) cli_node_list_clear(list);
    return status;
}

void cli_node_list_prepend(cli_node_list *list, const char *path, zl_node_kind kind) {
    reserve(list);
    memmove(list->items + 1, list->items, list->count++ * sizeof *list->items);
    list->items[0] = (cli_node){cli_copy(path, strlen(path)), kind, 0};
}

void cli_node_list_clear(cli_node_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (cli_node_list){0};
}

const char *cli_node_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *cli_node_kind_text(zl_node_kind kind) {
    return kind == ZL_NODE_ARRAY ? "array" : "group";
}
