/* SPDX-License-Identifier: MIT */
/*
 * Names of dimensions in Zarr v2, which has none of its own: the attribute _ARRAY_DIMENSIONS of Xarray, or the references
 * that NetCDF-C stores as paths of its dimensions.
 * https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
 * https://docs.unidata.ucar.edu/nug/current/nczarr_head.html
 *
 * Both are somebody's convention: what does not fit is no error, the array has no names then.
 */
#include "meta/v2.h"

static bool are_names(const zl_json *list, int32_t rank) {
    if (zl_json_get_type(list) != ZL_JSON_ARRAY || zl_json_count(list) != (size_t)rank || rank == 0) return false;
    for (const zl_json *name = zl_json_first(list); name != NULL; name = zl_json_next(name)) {
        if (zl_json_get_type(name) != ZL_JSON_STRING) return false;
    }
    return true;
}

static const zl_json *nczarr_references(const zl_json *object) {
    static const char *const keys[] = {"_nczarr_array", "_NCZARR_ARRAY"};
    static const char *const members[] = {"dimension_references", "dimrefs"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++) {
        const zl_json *extra = zl_json_member(object, keys[i]);
        for (size_t k = 0; k < ZL_COUNT_OF(members); k++) {
            const zl_json *list = zl_json_member(extra, members[k]);
            if (list != NULL) return list;
        }
    }
    return NULL;
}

/* "x" of "/group/x". */
static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

zl_status zl_v2_parse_dimension_names(zl_v2_array *array, zl_error *err) {
    zl_metadata *meta = array->meta;
    const int32_t rank = meta->shape.rank;
    bool is_path = false;
    const zl_json *list = zl_json_member(meta->attributes, ZL_V2_DIMENSIONS);
    if (!are_names(list, rank)) {
        is_path = true;
        list = nczarr_references(meta->root);
        if (list == NULL) list = nczarr_references(meta->attributes);
    }
    if (!are_names(list, rank)) return ZL_OK;
    const char **names = zl_arena_zero(meta->arena, (size_t)rank * sizeof *names, _Alignof(const char *));
    if (names == NULL) return zl_fail_memory(err, (size_t)rank * sizeof *names);
    meta->dimension_names = names;
    for (const zl_json *name = zl_json_first(list); name != NULL; name = zl_json_next(name)) {
        const char *text = zl_json_text(name, NULL);
        *names++ = is_path ? last_part(text) : text;
    }
    return ZL_OK;
}
