/* SPDX-License-Identifier: MIT */
/* zarrlite compare: everything that can be known of a NetCDF file against what its store holds. */
#include "nc_commands.h"

#include "compare.h"
#include "json_scan.h"
#include "memory.h"
#include "nc_attribute.h"
#include "nc_report.h"
#include "nc_source.h"
#include "nc_values.h"
#include "node_list.h"
#include "store_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    const cli *run;
    const cli_compare_options *given;
    cli_place place;
    nc_tree tree;
    nc_report report;
    cli_progress progress;
} comparison;

static char *node_path(const comparison *c, const char *path) {
    const char *base = c->place.node;
    return cli_format("%s%s%s", base, *base && *path ? "/" : "", path);
}

/* The record of a node's attributes: an empty value, and a difference, where there is none. */
static zl_status open_record(comparison *c, const char *name, const zl_attributes *attributes, zl_buffer *text,
                             cli_value *out, zl_error *err) {
    *out = (cli_value){0};
    const zl_status status = zl_attributes_get_json(attributes, NC_RECORD, text, err);
    if (status == ZL_ERR_NOT_FOUND) {
        nc_report_differ(&c->report, name, "has no attribute " NC_RECORD ", which keeps the NetCDF types");
        return ZL_OK;
    }
    if (!status) *out = cli_value_of(text->data, text->size);
    return status;
}

static bool stands_for(cli_value value, const nc_attribute *source, nc_place place, const char *type_name) {
    nc_attribute stored;
    if (!nc_attribute_parse(&stored, source->name, type_name, place, value)) return false;
    const bool same = nc_attribute_equals(&stored, source);
    nc_attribute_clear(&stored);
    return same;
}

static zl_status compare_attribute(comparison *c, const char *name, const nc_attribute *source, nc_place place,
                                   const zl_attributes *attributes, cli_value types, zl_error *err) {
    zl_buffer text = {0};
    const zl_status status = zl_attributes_get_json(attributes, source->name, &text, err);
    if (status == ZL_ERR_NOT_FOUND) {
        nc_report_differ(&c->report, name, "attribute '%s' is missing in the store", source->name);
        return ZL_OK;
    }
    if (status) return status;
    cli_value type = {0};
    const bool has_type = cli_value_member(types, source->name, &type);
    char *type_name = has_type ? cli_value_string(type, NULL) : NULL;
    const cli_value value = cli_value_of(text.data, text.size);
    if (!type_name || !source->type || strcmp(type_name, nc_attribute_type_name(source)) != 0) {
        nc_report_differ(&c->report, name, "attribute '%s' has the type %s in the file and %s in the store", source->name,
                         source->type ? nc_attribute_type_name(source) : "user-defined", type_name ? type_name : "none");
    } else if (!stands_for(value, source, place, type_name)) {
        cli_json wanted = {0};
        nc_attribute_write(&wanted, source, place);
        nc_report_differ(&c->report, name, "attribute '%s' is %.200s in the file and %.*s in the store", source->name,
                         wanted.text, (int)(value.size < 200 ? value.size : 200), value.text);
        free(wanted.text);
    }
    free(type_name);
    zl_buffer_free(&text);
    return ZL_OK;
}

static void find_added_attributes(comparison *c, const char *name, int group, int variable,
                                  const zl_attributes *attributes) {
    for (size_t i = 0; i < zl_attributes_count(attributes); i++) {
        int index;
        const char *attribute = zl_attributes_name(attributes, i);
        const bool is_own = strcmp(attribute, NC_RECORD) == 0 || strcmp(attribute, NC_V2_DIMENSIONS) == 0;
        if (is_own || nc_inq_attid(group, variable, attribute, &index) == NC_NOERR) continue;
        nc_report_differ(&c->report, name, "attribute '%s' is only in the store", attribute);
    }
}

/* All attributes of a variable, or of a group with NC_GLOBAL; *count is their number. */
static zl_status compare_attributes(comparison *c, const char *name, int group, int variable, nc_place place,
                                    const zl_attributes *attributes, cli_value record, int *count, zl_error *err) {
    cli_value types = {0};
    cli_value_member(record, "attributes", &types);
    zl_status status = nc_attribute_count(count, group, variable, err);
    for (int i = 0; i < *count && !status; i++) {
        nc_attribute source;
        status = nc_attribute_read(&source, group, variable, i, err);
        if (!status) status = compare_attribute(c, name, &source, place, attributes, types, err);
        nc_attribute_clear(&source);
    }
    find_added_attributes(c, name, group, variable, attributes);
    c->report.attributes += (uint64_t)*count;
    return status;
}

static zl_status compare_group_record(comparison *c, const nc_group *group, cli_value record, zl_error *err) {
    cli_json text = {0};
    const zl_status status = nc_group_record(&text, group, err);
    const cli_value wanted = cli_value_of(text.text, text.size);
    for (cli_value_iter iter = {0}; !status && cli_value_next(wanted, &iter);) {
        cli_value is = {"missing", 7};
        char *key = cli_value_string(iter.key, NULL);
        (void)cli_value_member(record, key, &is);
        if (!cli_value_equal(is, iter.value)) {
            nc_report_differ(&c->report, group->path, "%s: %.*s in the file and %.*s in the store", key,
                             (int)(iter.value.size < 300 ? iter.value.size : 300), iter.value.text,
                             (int)(is.size < 300 ? is.size : 300), is.text);
        }
        free(key);
    }
    free(text.text);
    return status;
}

static zl_status compare_group(comparison *c, const nc_group *group, zl_error *err) {
    zl_group *opened = NULL;
    zl_buffer text = {0};
    cli_value record;
    int count = 0;
    char *path = node_path(c, group->path);
    zl_status status = zl_group_open(&opened, c->place.store, path, err);
    free(path);
    if (status == ZL_ERR_NOT_FOUND) {
        nc_report_differ(&c->report, group->path, "the group is missing in the store");
        return ZL_OK;
    }
    if (status) return status;
    const zl_attributes *attributes = zl_group_attributes(opened);
    status = open_record(c, group->path, attributes, &text, &record, err);
    if (!status && record.size) status = compare_group_record(c, group, record, err);
    if (!status) {
        status = compare_attributes(c, group->path, group->id, NC_GLOBAL, NC_ON_GROUP, attributes, record, &count, err);
    }
    zl_buffer_free(&text);
    zl_group_close(opened);
    return status;
}

static bool same_shape(const nc_variable *variable, const zl_array *array) {
    return zl_array_rank(array) == variable->rank &&
           (variable->rank == 0 ||
            memcmp(zl_array_shape(array), variable->shape, (size_t)variable->rank * sizeof variable->shape[0]) == 0);
}

static void compare_dimensions(comparison *c, const nc_variable *variable, const zl_array *array) {
    for (int32_t axis = 0; axis < variable->rank; axis++) {
        const char *name = zl_array_dimension_name(array, axis);
        if (name && strcmp(name, variable->dimensions[axis]) == 0) continue;
        nc_report_differ(&c->report, variable->path, "dimension %" PRId32 " is '%s' in the file and %s in the store", axis,
                         variable->dimensions[axis], name ? name : "nameless");
    }
}

static void compare_type_name(comparison *c, const nc_variable *variable, cli_value record) {
    cli_value type = {0};
    char *name = cli_value_member(record, "type", &type) ? cli_value_string(type, NULL) : NULL;
    if (record.size && (!name || strcmp(name, variable->type->name) != 0)) {
        nc_report_differ(&c->report, variable->path, "the NetCDF type is %s in the file and %s in the store",
                         variable->type->name, name ? name : "none");
    }
    free(name);
}

static zl_status compare_array(comparison *c, const nc_variable *variable, zl_array *array, int *count, zl_error *err) {
    zl_buffer text = {0};
    cli_value record;
    const zl_attributes *attributes = zl_array_attributes(array);
    const zl_dtype *dtype = zl_array_dtype(array);
    zl_status status = open_record(c, variable->path, attributes, &text, &record, err);
    if (!status) {
        compare_type_name(c, variable, record);
        status = compare_attributes(c, variable->path, variable->group, variable->id, nc_place_of(variable->type),
                                    attributes, record, count, err);
    }
    zl_buffer_free(&text);
    if (status) return status;
    if (!same_shape(variable, array)) {
        char *is = cli_shape_text(zl_array_rank(array), zl_array_shape(array));
        char *wanted = cli_shape_text(variable->rank, variable->shape);
        nc_report_differ(&c->report, variable->path, "the shape is %s in the file and %s in the store", wanted, is);
        free(is);
        free(wanted);
        return ZL_OK;
    }
    compare_dimensions(c, variable, array);
    if (zl_dtype_get_id(dtype) != variable->type->dtype) {
        nc_report_differ(&c->report, variable->path, "the type is %s in the file and %s in the store", variable->type->name,
                         zl_dtype_name(dtype));
        return ZL_OK;
    }
    return nc_values_compare(&c->report, c->run, variable, array, &c->progress, err);
}

static zl_status compare_variable(comparison *c, const nc_variable *variable, zl_error *err) {
    const size_t before = c->report.difference_count;
    zl_array *array = NULL;
    int count = 0;
    zl_status status = ZL_OK;
    c->progress.label = variable->path;
    if (variable->reason) {
        nc_report_differ(&c->report, variable->path, "is not in the store: %s", variable->reason);
    } else {
        char *path = node_path(c, variable->path);
        status = zl_array_open(&array, c->place.store, path, err);
        free(path);
        if (status == ZL_ERR_NOT_FOUND) {
            nc_report_differ(&c->report, variable->path, "is missing in the store");
            status = ZL_OK;
        } else if (!status) {
            status = compare_array(c, variable, array, &count, err);
        }
    }
    zl_array_close(array);
    nc_report_variable(&c->report, variable, count, before);
    return status;
}

static bool in_file(const nc_tree *tree, const cli_node *node, const char *path) {
    bool found = false;
    for (size_t i = 0; i < tree->variable_count && node->kind == ZL_NODE_ARRAY && !found; i++)
        found = strcmp(tree->variables[i].path, path) == 0;
    for (size_t i = 0; i < tree->group_count && node->kind != ZL_NODE_ARRAY && !found; i++)
        found = strcmp(tree->groups[i].path, path) == 0;
    return found;
}

static zl_status find_added_nodes(comparison *c, zl_error *err) {
    cli_node_list list;
    const size_t base = strlen(c->place.node) + (*c->place.node != 0);
    const zl_status status = cli_node_list_fill(&list, c->place.store, c->place.node, true, err);
    if (status) return status;
    for (size_t i = 0; i < list.count; i++) {
        const char *path = list.items[i].path + base;
        if (!in_file(&c->tree, &list.items[i], path)) {
            nc_report_differ(&c->report, path, "the %s is only in the store", cli_node_kind_text(list.items[i].kind));
        }
    }
    cli_node_list_clear(&list);
    return ZL_OK;
}

static int compare_tree(comparison *c, const char *source) {
    zl_error err = {0};
    zl_status status = ZL_OK;
    const char *where = source;
    cli_progress_start(&c->progress, source, nc_tree_size(&c->tree), !c->given->quiet);
    for (size_t i = 0; i < c->tree.group_count && !status; i++) {
        if (c->tree.groups[i].wanted) status = compare_group(c, &c->tree.groups[i], &err);
    }
    for (size_t i = 0; i < c->tree.variable_count && !status; i++) {
        if (!c->tree.variables[i].wanted) continue;
        status = compare_variable(c, &c->tree.variables[i], &err);
        where = c->tree.variables[i].path;
    }
    if (!status && !c->given->variables.count) status = find_added_nodes(c, &err);
    cli_progress_clear(&c->progress);
    if (status) return cli_fail(c->run, where, &err);
    nc_report_print(&c->report, c->given);
    return c->report.difference_count ? CLI_FAILED : CLI_OK;
}

static int run_compare(cli *run, const cli_args *args, const void *values) {
    comparison c = {.run = run, .given = values};
    const char *source = args->positional[0];
    zl_error err = {0};
    int status = cli_start(run, c.given->threads);
    if (!status && (nc_tree_open(&c.tree, source, &err) || nc_tree_select(&c.tree, &c.given->variables, &err))) {
        status = cli_fail(run, source, &err);
    }
    if (!status) status = cli_place_open(run, &c.place, args->positional[1], CLI_READ);
    if (!status) status = compare_tree(&c, source);
    nc_report_clear(&c.report);
    nc_tree_close(&c.tree);
    return cli_place_close(run, &c.place, status);
}

const cli_command nc_command_compare = CLI_COMPARE_COMMAND(run_compare);
