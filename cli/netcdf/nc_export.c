/* SPDX-License-Identifier: MIT */
/* zarrlite export, for NetCDF. */
#include "nc_commands.h"

#include "memory.h"
#include "nc_define.h"
#include "nc_variable.h"
#include "output.h"
#include "store_path.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Name of a variable whose array is the root of its store. */
#define NAMELESS "data"

typedef struct exporter {
    cli_place place;
    nc_target target;
    cli_progress progress;
    double started;
} exporter;

/* The last name of the path, or what a root is called here. */
static const char *single_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return !*path ? NAMELESS : slash ? slash + 1 : path;
}

static zl_status choose_format(const exporter *e, zl_node_kind kind, int *format, zl_error *err) {
    const char *given = e->target.given->format;
    *format = given ? nc_format_named(given) : 0;
    if (!given && kind != ZL_NODE_ARRAY) {
        const zl_status status = nc_recorded_format(e->place.store, e->place.node, format, err);
        if (status) return status;
    }
    if (!*format) *format = NC_FORMAT_NETCDF4;
    const bool is_netcdf4 = *format == NC_FORMAT_NETCDF4 || *format == NC_FORMAT_NETCDF4_CLASSIC;
    if (!given && e->target.given->deflate && !is_netcdf4) /* the nearest one that compresses */
        *format = *format == NC_FORMAT_CDF5 ? NC_FORMAT_NETCDF4 : NC_FORMAT_NETCDF4_CLASSIC;
    if (!e->target.given->deflate || !given || is_netcdf4) return ZL_OK;
    return cli_error(err, ZL_ERR_INVALID_ARGUMENT, "--deflate needs --format netcdf4 or netcdf4-classic");
}

static zl_status define(exporter *e, zl_node_kind kind, zl_error *err) {
    const char *node = e->place.node;
    const zl_status status = kind == ZL_NODE_ARRAY ? nc_define_single(&e->target, node, single_name(node), err)
                                                   : nc_define_group(&e->target, node, err);
    return status ? status : nc_target_end_definitions(&e->target, err);
}

static zl_status write_elements(exporter *e, zl_error *err) {
    uint64_t size = 0, done = 0;
    zl_status status = ZL_OK;
    for (size_t i = 0; i < e->target.variable_count; i++)
        size += e->target.variables[i].size;
    cli_progress_start(&e->progress, "", size, !e->target.given->quiet);
    for (size_t i = 0; i < e->target.variable_count && !status; i++)
        status = nc_variable_write(&e->target, &e->target.variables[i], &e->progress, &done, err);
    cli_progress_clear(&e->progress);
    return status;
}

/* A file that could not be completed is removed. */
static zl_status make_file(exporter *e, const char *file, zl_node_kind kind, int format, zl_error *err) {
    zl_status status = nc_target_create(&e->target, file, format, err);
    if (status) return status;
    status = define(e, kind, err);
    if (!status) status = write_elements(e, err);
    zl_error ignored = {0};
    const zl_status closed = nc_target_close(&e->target, status ? &ignored : err);
    if (!status) status = closed;
    if (status) remove(file);
    return status;
}

static uint64_t file_size(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

static void print_table(const exporter *e, const char *file) {
    static const char *const heads[] = {"variable", "type", "shape", "raw"};
    cli_table table = {.align = "lllr"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_add(&table, heads[i]);
    for (size_t i = 0; i < e->target.variable_count; i++) {
        const nc_new_variable *variable = &e->target.variables[i];
        char *shape = cli_shape_text(variable->rank, variable->shape);
        cli_table_add(&table, variable->name);
        cli_table_add(&table, variable->type->name);
        cli_table_add(&table, shape);
        cli_table_add(&table, cli_size_text(variable->size).data);
        free(shape);
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
    printf("%s: %s in %.2f seconds\n", file, cli_size_text(file_size(file)).data, cli_now() - e->started);
}

static void print_json(exporter *e, const char *file) {
    cli_json json = {0};
    cli_json_close(&e->target.skipped, ']');
    cli_json_open(&json, '{');
    cli_json_key(&json, "file"), cli_json_string(&json, file);
    cli_json_key(&json, "variables"), cli_json_open(&json, '[');
    for (size_t i = 0; i < e->target.variable_count; i++) {
        const nc_new_variable *variable = &e->target.variables[i];
        cli_json_open(&json, '{');
        cli_json_key(&json, "name"), cli_json_string(&json, variable->name);
        cli_json_key(&json, "type"), cli_json_string(&json, variable->type->name);
        cli_json_key(&json, "shape"), cli_json_extents(&json, variable->rank, variable->shape);
        cli_json_key(&json, "size"), cli_json_uint(&json, variable->size);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_key(&json, "skipped"), cli_json_raw(&json, e->target.skipped.text, e->target.skipped.size);
    cli_json_key(&json, "file_size"), cli_json_uint(&json, file_size(file));
    cli_json_key(&json, "seconds"), cli_json_rounded(&json, cli_now() - e->started, 6);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int export_node(exporter *e, const char *path, const char *file) {
    const cli *run = e->target.run;
    zl_error err = {0};
    zl_node_kind kind;
    int format;
    if (zl_node_probe(e->place.store, e->place.node, &kind, &err)) return cli_fail(run, path, &err);
    if (kind == ZL_NODE_NONE) {
        return cli_fail_text(run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array or group is here",
                             path);
    }
    e->target.store = e->place.store;
    if (choose_format(e, kind, &format, &err)) return cli_fail(run, path, &err);
    if (make_file(e, file, kind, format, &err)) return cli_fail(run, file, &err);
    if (e->target.given->json) {
        print_json(e, file);
    } else if (!e->target.given->quiet) {
        print_table(e, file);
    }
    return CLI_OK;
}

static int run_export(cli *run, const cli_args *args, const void *values) {
    const cli_export_options *given = values;
    exporter e = {.target = {.run = run, .given = given}, .started = cli_now()};
    if (given->format && !nc_format_named(given->format)) {
        return cli_usage(run, "--format %s: it is netcdf4, netcdf4-classic, classic, 64bit-offset or cdf5", given->format);
    }
    if (given->deflate > 9) return cli_usage(run, "--deflate %d: levels are 1 to 9", given->deflate);
    int status = cli_start(run, given->threads);
    if (!status) status = cli_place_open(run, &e.place, args->positional[0], CLI_READ);
    if (!status) status = export_node(&e, args->positional[0], args->positional[1]);
    nc_target_clear(&e.target);
    return cli_place_close(run, &e.place, status);
}

const cli_command nc_command_export = CLI_EXPORT_COMMAND(run_export);
