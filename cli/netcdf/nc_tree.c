/* SPDX-License-Identifier: MIT */
#include "nc_tree.h"

#include "memory.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Cache of decoded chunks for one variable; blocks cover the source's chunks, so that only those on a border are met twice.
 */
#define CHUNK_CACHE_SIZE ((size_t)64 << 20)
#define CHUNK_CACHE_SLOTS 4133 /* a prime above the number of chunks that fit, as HDF5 asks for */
#define CHUNK_CACHE_PREEMPTION 0.75f

zl_status nc_fail(zl_error *err, int nc_status, const char *what) {
    const zl_status status = nc_status == NC_ENOMEM ? ZL_ERR_NO_MEMORY : ZL_ERR_IO;
    return cli_error(err, status, "%s: %s", what, nc_strerror(nc_status));
}

static char *join(const char *group, const char *name) {
    return cli_format("%s%s%s", group, *group ? "/" : "", name);
}

/* Why a variable stays out, or NULL. */
static char *reason_against(const nc_variable *variable, const char *name, int rank) {
    if (!variable->type) return cli_format("its type is user-defined (enum, compound, opaque or vlen)");
    if (rank > CLI_MAX_RANK)
        return cli_format("it has %d dimensions, Zarr arrays here have at most %d", rank, CLI_MAX_RANK);
    if (strncmp(name, "__", 2) == 0) return cli_format("names that start with '__' are reserved in Zarr");
    if (strspn(name, ".") == strlen(name)) return cli_format("a name of dots is no Zarr name");
    return NULL;
}

static int read_dimensions(nc_variable *variable) {
    int ids[CLI_MAX_RANK];
    int nc = nc_inq_vardimid(variable->group, variable->id, ids);
    for (int32_t axis = 0; axis < variable->rank && !nc; axis++) {
        char name[NC_MAX_NAME + 1];
        size_t extent;
        nc = nc_inq_dim(variable->group, ids[axis], name, &extent);
        if (nc) break;
        variable->shape[axis] = (int64_t)extent;
        variable->dimensions[axis] = cli_copy(name, strlen(name));
    }
    return nc;
}

/* The file's own chunks; without any, blocks are chosen freely. */
static void read_chunks(nc_variable *variable) {
    int storage;
    size_t chunk[CLI_MAX_RANK];
    if (variable->rank == 0 || nc_inq_var_chunking(variable->group, variable->id, &storage, chunk)) return;
    variable->chunked = storage == NC_CHUNKED;
    for (int32_t axis = 0; axis < variable->rank && variable->chunked; axis++)
        variable->chunk[axis] = (int64_t)chunk[axis];
    if (variable->chunked) {
        (void)nc_set_var_chunk_cache(variable->group, variable->id, CHUNK_CACHE_SIZE, CHUNK_CACHE_SLOTS,
                                     CHUNK_CACHE_PREEMPTION);
    }
}

static int add_variable(nc_tree *tree, const nc_group *group, int id) {
    char name[NC_MAX_NAME + 1];
    nc_type type;
    int rank;
    int nc = nc_inq_var(group->id, id, name, &type, &rank, NULL, NULL);
    if (nc) return nc;
    tree->variables = cli_realloc(tree->variables, (tree->variable_count + 1) * sizeof *tree->variables);
    nc_variable *variable = &tree->variables[tree->variable_count++];
    *variable = (nc_variable){.group = group->id, .id = id, .path = join(group->path, name), .type = nc_type_find(type)};
    variable->reason = reason_against(variable, name, rank);
    if (variable->reason) return NC_NOERR;
    variable->rank = rank;
    nc = read_dimensions(variable);
    if (!nc) read_chunks(variable);
    return nc;
}

static int add_group(nc_tree *tree, int id, char *path) {
    tree->groups = cli_realloc(tree->groups, (tree->group_count + 1) * sizeof *tree->groups);
    const nc_group group = tree->groups[tree->group_count++] = (nc_group){id, path, false};
    int count;
    int nc = nc_inq_nvars(id, &count);
    for (int i = 0; i < count && !nc; i++)
        nc = add_variable(tree, &group, i); /* ids of variables are 0 to count - 1 */
    int group_count = 0;
    if (!nc) nc = nc_inq_grps(id, &group_count, NULL);
    int *ids = cli_calloc((size_t)group_count, sizeof *ids);
    if (!nc) nc = nc_inq_grps(id, NULL, ids);
    for (int i = 0; i < group_count && !nc; i++) {
        char name[NC_MAX_NAME + 1];
        nc = nc_inq_grpname(ids[i], name);
        if (!nc) nc = add_group(tree, ids[i], join(path, name));
    }
    free(ids);
    return nc;
}

zl_status nc_tree_open(nc_tree *tree, const char *path, zl_error *err) {
    int nc = nc_open(path, NC_NOWRITE, &tree->file);
    if (nc) return nc_fail(err, nc, "cannot be opened");
    tree->is_open = true;
    nc = add_group(tree, tree->file, cli_copy("", 0));
    return nc ? nc_fail(err, nc, "cannot be read") : ZL_OK;
}

static bool is_below(const char *path, const char *group) {
    const size_t size = strlen(group);
    return size == 0 || (strncmp(path, group, size) == 0 && (path[size] == '/' || path[size] == '\0'));
}

static bool select_one(nc_tree *tree, const char *name) {
    if (*name == '/') name++;
    for (size_t i = 0; i < tree->variable_count; i++) {
        if (strcmp(tree->variables[i].path, name) != 0) continue;
        tree->variables[i].wanted = true;
        for (size_t g = 0; g < tree->group_count; g++)
            tree->groups[g].wanted = tree->groups[g].wanted || is_below(name, tree->groups[g].path);
        return true;
    }
    return false;
}

zl_status nc_tree_select(nc_tree *tree, const cli_list *names, zl_error *err) {
    for (size_t i = 0; i < names->count; i++) {
        if (select_one(tree, names->items[i])) continue;
        return cli_error(err, ZL_ERR_INVALID_ARGUMENT, "there is no variable '%s'", names->items[i]);
    }
    if (names->count) return ZL_OK;
    for (size_t i = 0; i < tree->variable_count; i++)
        tree->variables[i].wanted = true;
    for (size_t i = 0; i < tree->group_count; i++)
        tree->groups[i].wanted = true;
    return ZL_OK;
}

uint64_t nc_tree_size(const nc_tree *tree) {
    uint64_t total = 0;
    for (size_t i = 0; i < tree->variable_count; i++) {
        const nc_variable *variable = &tree->variables[i];
        if (variable->reason || !variable->wanted) continue;
        uint64_t size = zl_dtype_size(zl_dtype_builtin(variable->type->dtype));
        for (int32_t axis = 0; axis < variable->rank; axis++)
            size *= (uint64_t)variable->shape[axis];
        total += size;
    }
    return total;
}

void nc_tree_close(nc_tree *tree) {
    for (size_t i = 0; i < tree->group_count; i++)
        free(tree->groups[i].path);
    for (size_t i = 0; i < tree->variable_count; i++) {
        free(tree->variables[i].path);
        free(tree->variables[i].reason);
        for (int32_t axis = 0; axis < CLI_MAX_RANK; axis++)
            free(tree->variables[i].dimensions[axis]);
    }
    free(tree->groups);
    free(tree->variables);
    if (tree->is_open) (void)nc_close(tree->file);
    *tree = (nc_tree){0};
}
