/* SPDX-License-Identifier: MIT */
#include "nc_target.h"

#include "memory.h"
#include "nc_tree.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *option, *recorded;
    int format, mode;
} formats[] = {
    {"netcdf4", "netCDF-4", NC_FORMAT_NETCDF4, NC_NETCDF4},
    {"netcdf4-classic", "netCDF-4 classic model", NC_FORMAT_NETCDF4_CLASSIC, NC_NETCDF4 | NC_CLASSIC_MODEL},
    {"classic", "classic", NC_FORMAT_CLASSIC, 0},
    {"64bit-offset", "64-bit offset", NC_FORMAT_64BIT_OFFSET, NC_64BIT_OFFSET},
    {"cdf5", "cdf5", NC_FORMAT_CDF5, NC_CDF5},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

int nc_format_named(const char *name) {
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i].option, name) == 0 || strcmp(formats[i].recorded, name) == 0) return formats[i].format;
    }
    return 0;
}

zl_status nc_target_create(nc_target *target, const char *path, int format, zl_error *err) {
    int mode = target->given->overwrite ? NC_CLOBBER : NC_NOCLOBBER;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].format == format) mode |= formats[i].mode;
    }
    const int nc = nc_create(path, mode, &target->file);
    if (nc == NC_EEXIST) return cli_error(err, ZL_ERR_EXISTS, "the file is there already");
    if (nc) return nc_fail(err, nc, "cannot be created");
    target->is_open = true;
    target->is_netcdf4 = (mode & NC_NETCDF4) != 0;
    cli_json_open(&target->skipped, '[');
    return ZL_OK;
}

zl_status nc_target_end_definitions(nc_target *target, zl_error *err) {
    int old;
    int nc = NC_NOERR;
    /* All elements are written, so what classic files have in their place before need not be. */
    if (!target->is_netcdf4) nc = nc_set_fill(target->file, NC_NOFILL, &old);
    if (!nc) nc = nc_enddef(target->file);
    return nc ? nc_fail(err, nc, "definitions") : ZL_OK;
}

zl_status nc_target_close(nc_target *target, zl_error *err) {
    if (!target->is_open) return ZL_OK;
    target->is_open = false;
    const int nc = nc_close(target->file);
    return nc ? nc_fail(err, nc, "cannot be written") : ZL_OK;
}

void nc_target_clear(nc_target *target) {
    for (size_t i = 0; i < target->variable_count; i++) {
        free(target->variables[i].path);
        free(target->variables[i].name);
    }
    free(target->variables);
    free(target->extents);
    free(target->skipped.text);
    *target = (nc_target){0};
}

const char *nc_target_reason(int nc) {
    switch (nc) {
    case NC_EBADTYPE: return "the file's format has no such type (--format netcdf4 has)";
    case NC_ENOTNC4:
    case NC_ESTRICTNC3: return "the file's format has no groups (--format netcdf4 has)";
    case NC_EUNLIMPOS: return "in the file's format only the first dimension can be unlimited, or empty";
    case NC_EUNLIMIT: return "in the file's format only one dimension can be unlimited, or empty";
    case NC_EDIMSIZE: return "its dimension names stand for other extents";
    default: return nc_strerror(nc);
    }
}

void nc_target_skip(nc_target *target, const char *name, const char *reason) {
    cli_warn(target->run, "%s is skipped: %s", name, reason);
    cli_json_open(&target->skipped, '{');
    cli_json_key(&target->skipped, "name"), cli_json_string(&target->skipped, name);
    cli_json_key(&target->skipped, "reason"), cli_json_string(&target->skipped, reason);
    cli_json_close(&target->skipped, '}');
    target->skipped_count++;
}

/* ---- dimensions */

int nc_target_define_dimension(nc_target *target, int group, const char *name, int64_t extent, bool is_unlimited, int *id) {
    const int nc = nc_def_dim(group, name, is_unlimited || extent == 0 ? NC_UNLIMITED : (size_t)extent, id);
    if (nc) return nc;
    if (*id >= target->extent_count) {
        target->extents = cli_realloc(target->extents, ((size_t)*id + 1) * sizeof *target->extents);
        target->extent_count = *id + 1;
    }
    target->extents[*id] = extent;
    return NC_NOERR;
}

static bool is_own_dimension(int group, int id) {
    int count = 0;
    bool found = false;
    if (nc_inq_dimids(group, &count, NULL, 0)) return false;
    int *ids = cli_calloc((size_t)count, sizeof *ids);
    if (nc_inq_dimids(group, NULL, ids, 0) == NC_NOERR) {
        for (int i = 0; i < count; i++)
            found = found || ids[i] == id;
    }
    free(ids);
    return found;
}

int nc_target_find_dimension(nc_target *target, int group, const char *name, int64_t extent, int *id) {
    char *with_extent = cli_format("%s_%" PRId64, name ? name : "dim", extent);
    const char *const names[] = {name ? name : with_extent, with_extent};
    int nc = NC_EDIMSIZE;
    for (int i = 0; i < 2; i++) {
        nc = NC_NOERR;
        const bool is_known = nc_inq_dimid(group, names[i], id) == NC_NOERR;
        if (is_known && target->extents[*id] == extent) break;
        if (!is_known || !is_own_dimension(group, *id)) {
            nc = nc_target_define_dimension(target, group, names[i], extent, false, id);
            break;
        }
        nc = NC_EDIMSIZE; /* the name stands for another extent here */
    }
    free(with_extent);
    return nc;
}
