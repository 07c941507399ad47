/* SPDX-License-Identifier: MIT */
#include "nc_variable.h"

#include "memory.h"
#include "nc_tree.h"
#include "output.h"
#include "pump.h"

#include <stdlib.h>
#include <string.h>

/* What an element of variable length is taken for when memory is counted. */
#define VARIABLE_ELEMENT_SIZE 128

/* ---- types */

/* Types that NetCDF lacks, and what stands in for them. Those of 8 bits and less are a byte each in memory, and stay it. */
static const struct {
    zl_dtype_id dtype;
    nc_type type;
    zl_dtype_id read_as;
} stand_ins[] = {
    {ZL_DTYPE_BOOL, NC_BYTE, ZL_DTYPE_NONE},
    {ZL_DTYPE_INT2, NC_BYTE, ZL_DTYPE_NONE},
    {ZL_DTYPE_INT4, NC_BYTE, ZL_DTYPE_NONE},
    {ZL_DTYPE_UINT2, NC_UBYTE, ZL_DTYPE_NONE},
    {ZL_DTYPE_UINT4, NC_UBYTE, ZL_DTYPE_NONE},
    {ZL_DTYPE_UINT8, NC_UBYTE, ZL_DTYPE_NONE}, /* the table of types has char first */
    {ZL_DTYPE_FLOAT16, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_BFLOAT16, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT4_E2M1FN, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT6_E2M3FN, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT6_E3M2FN, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E3M4, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E4M3, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E4M3FN, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E4M3B11FNUZ, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E4M3FNUZ, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E5M2, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E5M2FNUZ, NC_FLOAT, ZL_DTYPE_FLOAT32},
    {ZL_DTYPE_FLOAT8_E8M0FNU, NC_FLOAT, ZL_DTYPE_FLOAT32},
};

static bool choose_type(nc_new_variable *out, const zl_dtype *dtype, const char *type_name) {
    const zl_dtype_id id = zl_dtype_get_id(dtype);
    const nc_type_facts *recorded = type_name ? nc_type_named(type_name) : NULL;
    out->read_as = ZL_DTYPE_NONE;
    out->type = recorded && recorded->dtype == id ? recorded : NULL;
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0] && !out->type; i++) {
        if (stand_ins[i].dtype != id) continue;
        out->type = nc_type_find(stand_ins[i].type);
        out->read_as = stand_ins[i].read_as;
    }
    if (!out->type && zl_dtype_time_unit(dtype)) out->type = nc_type_find(NC_INT64);
    if (!out->type) out->type = nc_type_of(id);
    return out->type != NULL;
}

static void put_text(const nc_new_variable *variable, const char *name, const char *text) {
    int id;
    if (nc_inq_attid(variable->group, variable->id, name, &id) == NC_NOERR) return;
    (void)nc_put_att_text(variable->group, variable->id, name, strlen(text), text); /* a help for readers, no more */
}

/* CF and xarray: times count units since a moment, bools are bytes with a note. */
static void add_time_units(const nc_new_variable *variable, const zl_dtype *dtype) {
    static const char *const units[][2] = {{"D", "days"},        {"h", "hours"},         {"m", "minutes"},
                                           {"s", "seconds"},     {"ms", "milliseconds"}, {"us", "microseconds"},
                                           {"ns", "nanoseconds"}};
    const bool is_moment = strcmp(zl_dtype_name(dtype), "numpy.datetime64") == 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && zl_dtype_time_scale(dtype) == 1; i++) {
        if (strcmp(units[i][0], zl_dtype_time_unit(dtype)) != 0) continue;
        char *text = cli_format("%s%s", units[i][1], is_moment ? " since 1970-01-01" : "");
        put_text(variable, "units", text);
        free(text);
    }
}

void nc_variable_add_conventions(const nc_new_variable *variable, const zl_array *array) {
    const zl_dtype *dtype = zl_array_dtype(array);
    if (zl_dtype_time_unit(dtype)) add_time_units(variable, dtype);
    if (zl_dtype_get_id(dtype) == ZL_DTYPE_BOOL) put_text(variable, "dtype", "bool");
}

/* ---- definition */

/* Storage of netCDF-4: the array's chunks, where HDF5 needs some. */
static int define_storage(const nc_target *target, const nc_new_variable *variable, const zl_array *array,
                          bool has_unlimited) {
    const bool deflate = target->given->deflate && variable->type->type != NC_STRING; /* filters see no strings */
    if (!target->is_netcdf4 || variable->rank == 0 || (!deflate && !has_unlimited)) return NC_NOERR;
    const int64_t *inner = zl_array_inner_chunk_shape(array);
    const int64_t *shape = inner ? inner : zl_array_chunk_shape(array);
    int64_t usual[CLI_MAX_RANK];
    size_t chunk[CLI_MAX_RANK];
    if (!shape) {
        zl_default_chunk_shape(variable->rank, variable->shape, variable->type->size, 0, usual);
        shape = usual;
    }
    for (int32_t axis = 0; axis < variable->rank; axis++) {
        const int64_t extent = variable->shape[axis] ? variable->shape[axis] : 1;
        chunk[axis] = (size_t)(shape[axis] < extent ? shape[axis] : extent);
    }
    const int nc = nc_def_var_chunking(variable->group, variable->id, NC_CHUNKED, chunk);
    return nc || !deflate ? nc : nc_def_var_deflate(variable->group, variable->id, 1, 1, target->given->deflate);
}

const char *nc_variable_define(nc_target *target, int group, const char *name, const zl_array *array, const char *type_name,
                               nc_new_variable *out) {
    int dimensions[CLI_MAX_RANK];
    bool has_unlimited = false;
    if (!choose_type(out, zl_array_dtype(array), type_name)) return "NetCDF has no type for its elements";
    out->group = group;
    out->rank = zl_array_rank(array);
    out->size = (uint64_t)zl_array_element_count(array) * out->type->size;
    int nc = NC_NOERR;
    for (int32_t axis = 0; axis < out->rank && !nc; axis++) {
        size_t extent = 1;
        out->shape[axis] = zl_array_shape(array)[axis];
        nc = nc_target_find_dimension(target, group, zl_array_dimension_name(array, axis), out->shape[axis],
                                      &dimensions[axis]);
        if (!nc) nc = nc_inq_dimlen(group, dimensions[axis], &extent);
        has_unlimited = has_unlimited || extent == 0; /* before anything is written */
    }
    if (!nc) nc = nc_def_var(group, name, out->type->type, out->rank, dimensions, &out->id);
    if (!nc) nc = define_storage(target, out, array, has_unlimited);
    return nc ? nc_target_reason(nc) : NULL;
}

/* ---- elements */

typedef struct transfer {
    const nc_target *target;
    const nc_new_variable *variable;
    zl_array *array;
    zl_result *results[2]; /* of the block in each slot */
    void *unconverted;     /* a block of the array's own type, where that is converted; else NULL */
    cli_progress *progress;
    uint64_t *done;
} transfer;

static zl_status convert(const transfer *t, const int64_t *count, void *buffer, zl_error *err) {
    const zl_view to = {buffer, NULL, zl_dtype_builtin(t->variable->read_as)};
    const zl_const_view from = {t->unconverted, NULL, zl_array_dtype(t->array)};
    return zl_cast(to, from, t->variable->rank, count, NULL, err);
}

static zl_status fetch(void *user, int slot, const int64_t *start, const int64_t *count, void *buffer, zl_const_view *out,
                       zl_error *err) {
    transfer *t = user;
    const zl_region region = {t->variable->rank, start, count, NULL};
    zl_read_options read = ZL_READ_OPTIONS_INIT;
    const zl_view view = {t->unconverted ? t->unconverted : buffer, NULL, NULL};
    if (zl_dtype_is_variable(zl_array_dtype(t->array))) {
        zl_result_free(t->results[slot]);
        t->results[slot] = NULL;
        const zl_status made = zl_result_new(&t->results[slot], t->target->run->context, err);
        if (made) return made;
    }
    read.cancel = t->target->run->cancel;
    read.result = t->results[slot];
    *out = (zl_const_view){buffer, NULL, NULL};
    const zl_status status = zl_array_read(t->array, &region, view, &read, err);
    return status || !t->unconverted ? status : convert(t, count, buffer, err);
}

/* libnetcdf wants strings with a NUL byte behind them. */
static zl_status put_strings(const nc_new_variable *variable, const size_t *start, const size_t *count, size_t elements,
                             const zl_slot *slots, zl_error *err) {
    zl_status status = ZL_OK;
    int nc = NC_NOERR;
    char **strings = cli_calloc(elements, sizeof *strings);
    for (size_t i = 0; i < elements && !status; i++) {
        strings[i] = cli_copy(slots[i].size ? slots[i].data : "", (size_t)slots[i].size);
        if (strlen(strings[i]) != slots[i].size)
            status = cli_error(err, ZL_ERR_UNSUPPORTED, "an element holds a NUL byte, which ends a NetCDF string");
    }
    if (!status) nc = nc_put_vara_string(variable->group, variable->id, start, count, (const char **)(void *)strings);
    for (size_t i = 0; i < elements; i++)
        free(strings[i]);
    free(strings);
    return nc ? nc_fail(err, nc, variable->name) : status;
}

static zl_status take(void *user, const int64_t *start, const int64_t *count, zl_const_view view, zl_error *err) {
    transfer *t = user;
    const nc_new_variable *variable = t->variable;
    size_t first[CLI_MAX_RANK] = {0}, extent[CLI_MAX_RANK] = {0}, elements = 1;
    for (int32_t axis = 0; axis < variable->rank; axis++) {
        first[axis] = (size_t)start[axis];
        extent[axis] = (size_t)count[axis];
        elements *= extent[axis];
    }
    zl_status status = ZL_OK;
    if (variable->type->type == NC_STRING) {
        status = put_strings(variable, first, extent, elements, view.data, err);
    } else {
        const int nc = nc_put_vara(variable->group, variable->id, first, extent, view.data);
        if (nc) status = nc_fail(err, nc, variable->name);
    }
    *t->done += elements * variable->type->size;
    cli_progress_update(t->progress, *t->done);
    return status;
}

static zl_status move_elements(transfer *t, zl_error *err) {
    static const int64_t ones[CLI_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const zl_dtype *dtype = t->variable->read_as ? zl_dtype_builtin(t->variable->read_as) : zl_array_dtype(t->array);
    const int64_t *inner = zl_array_inner_chunk_shape(t->array);
    const int64_t *unit = inner ? inner : zl_array_chunk_shape(t->array);
    const cli_source source = {fetch, t};
    const cli_sink sink = {take, t};
    cli_blocks blocks;
    cli_blocks_grid(&blocks, t->variable->rank, t->variable->shape, unit ? unit : ones, NULL,
                    zl_dtype_is_variable(dtype) ? VARIABLE_ELEMENT_SIZE : zl_dtype_size(dtype), CLI_BLOCK_SIZE);
    if (t->variable->read_as)
        t->unconverted = cli_malloc((size_t)cli_blocks_most(&blocks) * zl_dtype_size(zl_array_dtype(t->array)));
    cli_slabs slabs;
    cli_slabs_of_blocks(&slabs, &blocks);
    const zl_status status = cli_pump(&slabs, zl_dtype_size(dtype), &source, &sink, err);
    free(t->unconverted);
    return status;
}

zl_status nc_variable_write(const nc_target *target, const nc_new_variable *variable, cli_progress *progress,
                            uint64_t *done, zl_error *err) {
    transfer t = {.target = target, .variable = variable, .progress = progress, .done = done};
    zl_status status = zl_array_open(&t.array, target->store, variable->path, err);
    progress->label = variable->name;
    if (!status) status = move_elements(&t, err);
    zl_result_free(t.results[0]);
    zl_result_free(t.results[1]);
    zl_array_close(t.array);
    return status;
}
