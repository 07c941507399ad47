/* SPDX-License-Identifier: MIT */
/*
 * numpy.datetime64 and numpy.timedelta64: an int64_t that counts `scale_factor` units; the smallest one is "not a time".
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/numpy.datetime64
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/numpy.timedelta64
 *
 * Microseconds have three spellings: us, and with either of Unicode's two mu. All are read, "us" is what the type says and
 * new metadata has. The pages want an integer as scale factor; 1.0 is read as well, for writers without integers.
 */
#include "dtype/family.h"

typedef struct time_type {
    zl_dtype dtype;
    const char *unit;
    int32_t scale;
} time_type;

static const zl_unit time_unit = {.count = 1, .width = 8, .rule = ZL_UNIT_PLAIN, .bits = 64};

static const char *const time_names[] = {"numpy.datetime64", "numpy.timedelta64"};

static const char *find_time_name(const char *name) {
    for (size_t i = 0; i < ZL_COUNT_OF(time_names); i++) {
        if (strcmp(time_names[i], name) == 0) return time_names[i];
    }
    return NULL;
}

static bool time_match(const char *name) {
    return find_time_name(name) != NULL;
}

static zl_status parse_time_unit(const zl_json *configuration, const char **out, zl_error *err) {
    static const char *const units[] = {"Y",  "M",  "W",  "D",  "h",       "m",       "s",       "ms", "us",
                                        "ns", "ps", "fs", "as", "generic", "\u03bcs", "\u00b5s", NULL};
    int choice;
    ZL_TRY(zl_json_get_choice(configuration, "unit", units, &choice, err));
    const char *unit = units[choice];
    const bool is_mu = (unsigned char)unit[0] >= 0x80;
    *out = is_mu ? "us" : unit;
    return ZL_OK;
}

static zl_status parse_time_scale(const zl_json *configuration, int32_t *out, zl_error *err) {
    const zl_json *value;
    double scale;
    ZL_TRY(zl_json_require(configuration, "scale_factor", &value, err));
    ZL_TRY(zl_json_to_double(value, &scale, err));
    if (!(scale >= 1 && scale <= INT32_MAX) || scale != (double)(int32_t)scale) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "scale_factor %s is not an integer from 1 to 2147483647",
                            zl_json_text(value, NULL));
    }
    *out = (int32_t)scale;
    return ZL_OK;
}

static zl_status time_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                            zl_error *err) {
    static const char *const keys[] = {"unit", "scale_factor", NULL};
    const char *unit;
    int32_t scale = 0;
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(parse_time_unit(configuration, &unit, err));
    ZL_TRY(parse_time_scale(configuration, &scale, err));
    time_type *type = ZL_ARENA_NEW(env->arena, time_type);
    if (type == NULL) return zl_fail_memory(err, sizeof *type);
    type->unit = unit;
    type->scale = scale;
    type->dtype = (zl_dtype){.cls = &zl_dtype_class_time,
                             .name = find_time_name(name),
                             .size = 8,
                             .align = 8,
                             .unit_count = 1,
                             .units = &time_unit,
                             .params = type};
    *out = &type->dtype;
    return ZL_OK;
}

void zl_dtype_emit_time(const char *name, const char *unit, int32_t scale, zl_json_writer *writer) {
    zl_json_begin_named(writer, name);
    zl_json_write_key(writer, "unit");
    zl_json_write_text(writer, unit);
    zl_json_write_key(writer, "scale_factor");
    zl_json_write_i64(writer, scale);
    zl_json_end_named(writer);
}

static void time_emit(const zl_dtype *dtype, zl_json_writer *writer) {
    const time_type *type = dtype->params;
    zl_dtype_emit_time(dtype->name, type->unit, type->scale, writer);
}

static zl_status time_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out, zl_error *err) {
    (void)dtype;
    int64_t ticks = 0;
    if (value != NULL && zl_json_is(value, "NaT")) {
        ticks = INT64_MIN;
    } else if (value != NULL) {
        ZL_TRY(zl_family_read_i64(value, env->zarr_format, &ticks, err));
    }
    zl_store_unit(out, 8, (uint64_t)ticks);
    return ZL_OK;
}

static void time_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    (void)dtype;
    const int64_t ticks = (int64_t)zl_load_unit(element, 8);
    if (ticks == INT64_MIN) {
        zl_json_write_text(writer, "NaT");
    } else {
        zl_json_write_i64(writer, ticks);
    }
}

const zl_dtype_class zl_dtype_class_time = {
    .size = sizeof(zl_dtype_class),
    .name = "numpy.timedelta64",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/numpy.timedelta64",
    .match = time_match,
    .parse = time_parse,
    .emit = time_emit,
    .parse_fill = time_parse_fill,
    .emit_fill = time_emit_fill,
};

const char *zl_dtype_time_unit(const zl_dtype *dtype) {
    if (dtype->cls != &zl_dtype_class_time) return NULL;
    const time_type *type = dtype->params;
    return type->unit;
}

int32_t zl_dtype_time_scale(const zl_dtype *dtype) {
    if (dtype->cls != &zl_dtype_class_time) return 0;
    const time_type *type = dtype->params;
    return type->scale;
}
