/* SPDX-License-Identifier: MIT */
#include "nc_source.h"

#include "memory.h"
#include "nc_attribute.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

static void free_strings(nc_source *source, int slot) {
    if (source->string_count[slot]) (void)nc_free_string(source->string_count[slot], source->strings[slot]);
    free(source->strings[slot]);
    source->strings[slot] = NULL;
    source->string_count[slot] = 0;
}

void nc_source_clear(nc_source *source) {
    free_strings(source, 0);
    free_strings(source, 1);
}

/* libnetcdf's strings, and slots that point to them. */
static int fetch_strings(nc_source *source, int slot, const size_t *start, const size_t *count, size_t elements,
                         zl_slot *slots) {
    free_strings(source, slot);
    char **strings = cli_calloc(elements, sizeof *strings);
    source->strings[slot] = strings;
    const int nc = nc_get_vara_string(source->variable->group, source->variable->id, start, count, strings);
    if (nc) return nc;
    source->string_count[slot] = elements;
    for (size_t i = 0; i < elements; i++)
        slots[i] = (zl_slot){.data = strings[i], .size = strings[i] ? strlen(strings[i]) : 0};
    return NC_NOERR;
}

zl_status nc_source_fetch(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer,
                          zl_const_view *out, zl_error *err) {
    nc_source *source = user;
    const nc_variable *variable = source->variable;
    size_t first[CLI_MAX_RANK] = {0}, extent[CLI_MAX_RANK] = {0}, elements = 1;
    for (int32_t axis = 0; axis < variable->rank; axis++) {
        first[axis] = (size_t)start[axis];
        extent[axis] = (size_t)count[axis];
        elements *= extent[axis];
    }
    *out = (zl_const_view){buffer, NULL, NULL};
    const int nc = variable->type->type == NC_STRING ? fetch_strings(source, slot, first, extent, elements, buffer)
                                                     : nc_get_vara(variable->group, variable->id, first, extent, buffer);
    return nc ? nc_fail(err, nc, variable->path) : ZL_OK;
}

zl_status nc_attribute_count(int *out, int group, int variable, zl_error *err) {
    const int nc = variable == NC_GLOBAL ? nc_inq_natts(group, out) : nc_inq_varnatts(group, variable, out);
    return nc ? nc_fail(err, nc, "attributes") : ZL_OK;
}

static const char *reason_against(const nc_attribute *attribute) {
    if (!attribute->type) return "its type is user-defined";
    if (strcmp(attribute->name, NC_RECORD) == 0) return "zarrlite uses this name itself";
    return NULL;
}

/* Members of the object that is open in `values`, and an object of type names in `types`. */
static zl_status write_attributes(cli_json *values, cli_json *types, int group, int variable, nc_place place,
                                  nc_skip_fn skip, void *user, zl_error *err) {
    int count = 0;
    zl_status status = nc_attribute_count(&count, group, variable, err);
    cli_json_open(types, '{');
    for (int i = 0; i < count && !status; i++) {
        nc_attribute attribute;
        status = nc_attribute_read(&attribute, group, variable, i, err);
        if (status) break;
        const char *reason = reason_against(&attribute);
        if (reason) {
            skip(user, attribute.name, reason);
        } else {
            cli_json_key(values, attribute.name), nc_attribute_write(values, &attribute, place);
            cli_json_key(types, attribute.name), cli_json_string(types, nc_attribute_type_name(&attribute));
        }
        nc_attribute_clear(&attribute);
    }
    cli_json_close(types, '}');
    return status;
}

zl_status nc_variable_attributes(cli_json *out, const nc_variable *variable, nc_skip_fn skip, void *user, zl_error *err) {
    cli_json types = {0};
    cli_json_open(out, '{');
    const zl_status status =
        write_attributes(out, &types, variable->group, variable->id, nc_place_of(variable->type), skip, user, err);
    cli_json_key(out, NC_RECORD), cli_json_open(out, '{');
    cli_json_key(out, "type"), cli_json_string(out, variable->type->name);
    cli_json_key(out, "attributes"), cli_json_raw(out, types.text, types.size);
    cli_json_close(out, '}');
    cli_json_close(out, '}');
    free(types.text);
    return status;
}

static const char *format_name(int format) {
    switch (format) {
    case NC_FORMAT_CLASSIC: return "classic";
    case NC_FORMAT_64BIT_OFFSET: return "64-bit offset";
    case NC_FORMAT_CDF5: return "cdf5";
    case NC_FORMAT_NETCDF4_CLASSIC: return "netCDF-4 classic model";
    default: return "netCDF-4";
    }
}

/* "dimensions": {name: extent} and "unlimited": [name] of a group. */
static int write_dimensions(cli_json *out, int group) {
    int count = 0, unlimited_count = 0;
    int nc = nc_inq_dimids(group, &count, NULL, 0);
    if (!nc) nc = nc_inq_unlimdims(group, &unlimited_count, NULL);
    if (nc) return nc;
    int *ids = cli_calloc((size_t)count, sizeof *ids);
    int *unlimited_ids = cli_calloc((size_t)unlimited_count, sizeof *unlimited_ids);
    char name[NC_MAX_NAME + 1];
    size_t extent;
    nc = nc_inq_dimids(group, NULL, ids, 0);
    if (!nc) nc = nc_inq_unlimdims(group, NULL, unlimited_ids);
    cli_json_key(out, "dimensions"), cli_json_open(out, '{');
    for (int i = 0; i < count && !nc; i++) {
        nc = nc_inq_dim(group, ids[i], name, &extent);
        if (!nc) cli_json_key(out, name), cli_json_uint(out, extent);
    }
    cli_json_close(out, '}');
    cli_json_key(out, "unlimited"), cli_json_open(out, '[');
    for (int i = 0; i < unlimited_count && !nc; i++) {
        nc = nc_inq_dimname(group, unlimited_ids[i], name);
        if (!nc) cli_json_string(out, name);
    }
    cli_json_close(out, ']');
    free(ids);
    free(unlimited_ids);
    return nc;
}

/* "variables" and "groups": the names of both, in the file's order. */
static int write_order(cli_json *out, int group) {
    char name[NC_MAX_NAME + 1];
    int count = 0, group_count = 0;
    int nc = nc_inq_nvars(group, &count);
    if (!nc) nc = nc_inq_grps(group, &group_count, NULL);
    if (nc) return nc;
    int *ids = cli_calloc((size_t)group_count, sizeof *ids);
    nc = nc_inq_grps(group, NULL, ids);
    cli_json_key(out, "variables"), cli_json_open(out, '[');
    for (int i = 0; i < count && !nc; i++) {
        nc = nc_inq_varname(group, i, name);
        if (!nc) cli_json_string(out, name);
    }
    cli_json_close(out, ']');
    cli_json_key(out, "groups"), cli_json_open(out, '[');
    for (int i = 0; i < group_count && !nc; i++) {
        nc = nc_inq_grpname(ids[i], name);
        if (!nc) cli_json_string(out, name);
    }
    cli_json_close(out, ']');
    free(ids);
    return nc;
}

static int write_group_record(cli_json *out, const nc_group *group) {
    int nc = NC_NOERR;
    if (!*group->path) {
        int format;
        nc = nc_inq_format(group->id, &format);
        if (nc) return nc;
        cli_json_key(out, "format"), cli_json_string(out, format_name(format));
    }
    nc = write_dimensions(out, group->id);
    return nc ? nc : write_order(out, group->id);
}

zl_status nc_group_record(cli_json *out, const nc_group *group, zl_error *err) {
    cli_json_open(out, '{');
    const int nc = write_group_record(out, group);
    cli_json_close(out, '}');
    return nc ? nc_fail(err, nc, "dimensions") : ZL_OK;
}

zl_status nc_group_attributes(cli_json *out, const nc_group *group, nc_skip_fn skip, void *user, zl_error *err) {
    cli_json types = {0};
    cli_json_open(out, '{');
    const zl_status status = write_attributes(out, &types, group->id, NC_GLOBAL, NC_ON_GROUP, skip, user, err);
    cli_json_key(out, NC_RECORD), cli_json_open(out, '{');
    const int nc = write_group_record(out, group);
    cli_json_key(out, "attributes"), cli_json_raw(out, types.text, types.size);
    cli_json_close(out, '}');
    cli_json_close(out, '}');
    free(types.text);
    if (status) return status;
    return nc ? nc_fail(err, nc, "dimensions") : ZL_OK;
}

zl_status nc_variable_fill(cli_json *out, const nc_variable *variable, zl_error *err) {
    int index;
    nc_attribute attribute;
    if (nc_inq_attid(variable->group, variable->id, "_FillValue", &index)) return ZL_OK;
    const zl_status status = nc_attribute_read(&attribute, variable->group, variable->id, index, err);
    if (status) return status;
    if (attribute.type) (void)nc_attribute_write_fill(out, &attribute, variable->type);
    nc_attribute_clear(&attribute);
    return ZL_OK;
}
