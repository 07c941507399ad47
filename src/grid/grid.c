/* SPDX-License-Identifier: MIT */
#include "grid/grid.h"

static const zl_grid_class *const grid_table[] = {&zl_grid_regular, &zl_grid_rectilinear};

static bool has_name(const zl_grid_class *cls, const char *name) {
    if (strcmp(cls->name, name) == 0) return true;
    for (const char *const *alias = cls->aliases; alias != NULL && *alias != NULL; alias++) {
        if (strcmp(*alias, name) == 0) return true;
    }
    return false;
}

static const zl_grid_class *find_grid(const char *name) {
    for (size_t i = 0; i < ZL_COUNT_OF(grid_table); i++) {
        if (has_name(grid_table[i], name)) return grid_table[i];
    }
    return NULL;
}

zl_status zl_grid_parse(const zl_json *value, const zl_shape *shape, const zl_env *env, const zl_grid_class **cls,
                        const void **self, zl_error *err) {
    zl_named named;
    ZL_TRY(zl_json_to_named(value, "chunk grid", &named, err));
    const zl_grid_class *grid = find_grid(named.name);
    if (grid == NULL) return zl_json_fail(value, err, ZL_ERR_UNSUPPORTED, "chunk grid \"%s\" is not known", named.name);
    const zl_status status = grid->parse(named.configuration, shape, env, self, err);
    if (status != ZL_OK && named.configuration == NULL) {
        char path[200];
        zl_json_path(value, path, sizeof path);
        return zl_error_wrap(err, status, "%s%schunk grid \"%s\": ", path, path[0] != '\0' ? ": " : "", named.name);
    }
    ZL_TRY(status);
    *cls = grid;
    return ZL_OK;
}

void zl_grid_write_grown(const zl_json *value, const int64_t *shape, int32_t rank, zl_json_writer *writer) {
    zl_named named;
    const zl_grid_class *grid = zl_json_to_named(value, "chunk grid", &named, NULL) == ZL_OK ? find_grid(named.name) : NULL;
    if (grid == NULL || grid->grow == NULL || named.configuration == NULL) {
        zl_json_write_value(writer, value);
        return;
    }
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(value); member != NULL; member = zl_json_next(member)) {
        zl_json_write_key_of(writer, member);
        if (member == named.configuration) {
            grid->grow(member, shape, rank, writer);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    zl_json_write_end(writer);
}
