/* SPDX-License-Identifier: MIT */
/* What Zarr has no words for comes from the record that `import` leaves in each node's attributes, as far as it still fits
 * what is there. Everything else gets the nearest thing that NetCDF has. */
#include "nc_define.h"

#include "json_scan.h"
#include "memory.h"
#include "nc_attribute.h"
#include "nc_tree.h"
#include "nc_variable.h"
#include "node_list.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* A node's record; empty where it has none. */
typedef struct record {
    zl_buffer text;
    cli_value value;
} record;

static zl_status open_record(record *out, const zl_attributes *attributes, zl_error *err) {
    zl_error local = {0};
    *out = (record){0};
    const zl_status status = zl_attributes_get_json(attributes, NC_RECORD, &out->text, &local);
    if (status == ZL_ERR_NOT_FOUND) return ZL_OK;
    if (status) *err = local;
    if (!status) out->value = cli_value_of(out->text.data, out->text.size);
    return status;
}

static cli_value record_member(const record *r, const char *key) {
    cli_value value = {0};
    (void)cli_value_member(r->value, key, &value);
    return value;
}

/* Text of a member, or NULL. Free with free(). */
static char *record_text(const record *r, const char *key) {
    return cli_value_string(record_member(r, key), NULL);
}

/* ---- attributes */

static bool read_attribute(nc_attribute *out, const char *name, cli_value value, cli_value types,
                           const nc_type_facts *variable_type) {
    cli_value type;
    const nc_place place = variable_type ? nc_place_of(variable_type) : NC_ON_GROUP;
    char *type_name = cli_value_member(types, name, &type) ? cli_value_string(type, NULL) : NULL;
    bool good = type_name && nc_attribute_parse(out, name, type_name, place, value);
    free(type_name);
    if (good) return true;
    if (variable_type && strcmp(name, "_FillValue") == 0) { /* only the variable's type will do */
        return nc_attribute_parse(out, name, variable_type->name, place, value);
    }
    return nc_attribute_infer(out, name, value);
}

static int put_attribute(int group, int variable, const nc_attribute *attribute) {
    if (attribute->type->type == NC_STRING)
        return nc_put_att_string(group, variable, attribute->name, attribute->count, attribute->data);
    return nc_put_att(group, variable, attribute->name, attribute->type->type, attribute->count, attribute->data);
}

/* All attributes of a variable, or of a group with NC_GLOBAL and no type; `owner` is its name in messages. */
static zl_status put_attributes(nc_target *target, int group, int variable, const char *owner,
                                const zl_attributes *attributes, cli_value types, const nc_type_facts *variable_type,
                                zl_error *err) {
    for (size_t i = 0; i < zl_attributes_count(attributes); i++) {
        const char *name = zl_attributes_name(attributes, i);
        if (strcmp(name, NC_RECORD) == 0 || strcmp(name, NC_V2_DIMENSIONS) == 0) continue;
        zl_buffer text = {0};
        const zl_status status = zl_attributes_get_json(attributes, name, &text, err);
        if (status) return status;
        nc_attribute attribute;
        const char *reason = NULL;
        if (!read_attribute(&attribute, name, cli_value_of(text.data, text.size), types, variable_type)) {
            reason = "no value of NetCDF's types stands for it";
        } else {
            const int nc = put_attribute(group, variable, &attribute);
            reason = nc ? nc_target_reason(nc) : NULL;
            nc_attribute_clear(&attribute);
        }
        if (reason) {
            char *full = cli_format("%s:%s", owner, name); /* as CDL writes it */
            nc_target_skip(target, full, reason);
            free(full);
        }
        zl_buffer_free(&text);
    }
    return ZL_OK;
}

/* ---- variables */

static zl_status define_open_array(nc_target *target, int group, const char *name, zl_array *array,
                                   nc_new_variable *variable, zl_error *err) {
    record r;
    zl_status status = open_record(&r, zl_array_attributes(array), err);
    if (status) return status;
    char *type_name = record_text(&r, "type");
    const char *reason = nc_variable_define(target, group, name, array, type_name, variable);
    if (reason) {
        nc_target_skip(target, variable->name, reason);
    } else {
        status = put_attributes(target, group, variable->id, variable->name, zl_array_attributes(array),
                                record_member(&r, "attributes"), variable->type, err);
        if (!status) nc_variable_add_conventions(variable, array);
        target->variable_count++;
    }
    free(type_name);
    zl_buffer_free(&r.text);
    return status;
}

static zl_status define_array(nc_target *target, int group, const char *path, const char *name, zl_error *err) {
    zl_array *array = NULL;
    zl_status status = zl_array_open(&array, target->store, path, err);
    if (status) return status;
    target->variables = cli_realloc(target->variables, (target->variable_count + 1) * sizeof *target->variables);
    nc_new_variable *variable = &target->variables[target->variable_count];
    *variable = (nc_new_variable){.path = cli_copy(path, strlen(path)), .name = cli_copy(path, strlen(path))};
    if (!*path) {
        free(variable->name);
        variable->name = cli_copy(name, strlen(name));
    }
    const size_t count = target->variable_count;
    status = define_open_array(target, group, name, array, variable, err);
    if (target->variable_count == count) {
        free(variable->path);
        free(variable->name);
    }
    zl_array_close(array);
    return status;
}

zl_status nc_define_single(nc_target *target, const char *path, const char *name, zl_error *err) {
    return define_array(target, target->file, path, name, err);
}

/* ---- groups */

static bool is_listed(cli_value list, const char *name) {
    bool found = false;
    for (cli_value_iter iter = {0}; !found && cli_value_next(list, &iter);) {
        char *item = cli_value_string(iter.value, NULL);
        found = item && strcmp(item, name) == 0;
        free(item);
    }
    return found;
}

static zl_status define_dimensions(nc_target *target, int group, const record *r, zl_error *err) {
    const cli_value unlimited = record_member(r, "unlimited");
    int nc = NC_NOERR;
    for (cli_value_iter iter = {0}; !nc && cli_value_next(record_member(r, "dimensions"), &iter);) {
        int id;
        char *name = cli_value_string(iter.key, NULL);
        char *extent = cli_copy(iter.value.text, iter.value.size);
        nc = nc_target_define_dimension(target, group, name, strtoll(extent, NULL, 10), is_listed(unlimited, name), &id);
        free(extent);
        free(name);
    }
    return nc ? nc_fail(err, nc, "dimensions") : ZL_OK;
}

/* Where a member stands among the recorded names; behind all of them when it is not there. */
static size_t place_in(cli_value order, const char *name) {
    size_t place = 0;
    for (cli_value_iter iter = {0}; cli_value_next(order, &iter); place++) {
        char *item = cli_value_string(iter.value, NULL);
        const bool found = item && strcmp(item, name) == 0;
        free(item);
        if (found) return place;
    }
    return place;
}

/* Puts members in the recorded order; stable, so that others stay in the order of their names. */
static void sort_members(cli_node_list *members, const record *r) {
    const cli_value variables = record_member(r, "variables"), groups = record_member(r, "groups");
    size_t *places = cli_calloc(members->count, sizeof *places);
    for (size_t i = 0; i < members->count; i++) {
        const cli_node node = members->items[i];
        const size_t place = place_in(node.kind == ZL_NODE_ARRAY ? variables : groups, cli_node_name(node.path));
        size_t to = i;
        for (; to > 0 && places[to - 1] > place; to--) {
            members->items[to] = members->items[to - 1];
            places[to] = places[to - 1];
        }
        members->items[to] = node;
        places[to] = place;
    }
    free(places);
}

static zl_status define_group(nc_target *target, int id, const char *path, zl_error *err);

static zl_status define_subgroup(nc_target *target, int parent, const char *path, zl_error *err) {
    int id;
    const int nc = nc_def_grp(parent, cli_node_name(path), &id);
    if (!nc) return define_group(target, id, path, err);
    nc_target_skip(target, path, nc_target_reason(nc));
    return ZL_OK;
}

/* Variables first: groups below see this group's dimensions. */
static zl_status define_members(nc_target *target, int id, const char *path, const record *r, zl_error *err) {
    cli_node_list members;
    zl_status status = cli_node_list_fill(&members, target->store, path, false, err);
    if (status) return status;
    sort_members(&members, r);
    for (int arrays = 1; arrays >= 0; arrays--) {
        for (size_t i = 0; i < members.count && !status; i++) {
            const cli_node *node = &members.items[i];
            const bool is_array = node->kind == ZL_NODE_ARRAY || node->kind == ZL_NODE_NONE; /* NONE: opening says why */
            if (is_array != (arrays == 1)) continue;
            status = is_array ? define_array(target, id, node->path, cli_node_name(node->path), err)
                              : define_subgroup(target, id, node->path, err);
        }
    }
    cli_node_list_clear(&members);
    return status;
}

static zl_status define_group(nc_target *target, int id, const char *path, zl_error *err) {
    zl_group *group = NULL;
    record r = {0};
    zl_status status = zl_group_open(&group, target->store, path, err);
    if (!status) status = open_record(&r, zl_group_attributes(group), err);
    if (!status) status = define_dimensions(target, id, &r, err);
    if (!status) {
        status = put_attributes(target, id, NC_GLOBAL, path, zl_group_attributes(group), record_member(&r, "attributes"),
                                NULL, err);
    }
    zl_group_close(group);
    if (!status) status = define_members(target, id, path, &r, err);
    zl_buffer_free(&r.text);
    return status;
}

zl_status nc_define_group(nc_target *target, const char *path, zl_error *err) {
    return define_group(target, target->file, path, err);
}

zl_status nc_recorded_format(zl_store *store, const char *path, int *out, zl_error *err) {
    zl_group *group = NULL;
    record r = {0};
    zl_status status = zl_group_open(&group, store, path, err);
    if (!status) status = open_record(&r, zl_group_attributes(group), err);
    char *name = record_text(&r, "format");
    *out = name ? nc_format_named(name) : 0;
    free(name);
    zl_buffer_free(&r.text);
    zl_group_close(group);
    return status;
}
