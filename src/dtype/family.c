/* SPDX-License-Identifier: MIT */
#include "dtype/family.h"

const zl_dtype *zl_family_find(const zl_dtype *types, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (types[i].name != NULL && strcmp(types[i].name, name) == 0) return &types[i];
    }
    return NULL;
}

zl_status zl_family_no_configuration(const zl_json *configuration, zl_error *err) {
    if (configuration == NULL || zl_json_count(configuration) == 0) return ZL_OK;
    return zl_json_fail(configuration, err, ZL_ERR_METADATA, "no configuration is allowed");
}

zl_status zl_family_check_size(uint64_t size, const zl_env *env, zl_error *err) {
    const uint64_t limit = zl_min_u64(env->limits->element_size, UINT32_MAX);
    if (size <= limit) return ZL_OK;
    return zl_fail(err, ZL_ERR_LIMIT, "elements of %llu bytes, the limit is %llu", (unsigned long long)size,
                   (unsigned long long)limit);
}

/* A type and its only unit, in one piece of memory. */
typedef struct unit_type {
    zl_dtype dtype;
    zl_unit unit;
} unit_type;

zl_status zl_family_make(const zl_dtype_class *cls, const char *name, uint8_t width, uint64_t count, const void *params,
                         const zl_env *env, const zl_dtype **out, zl_error *err) {
    const uint64_t size = zl_sat_mul(width, count);
    ZL_TRY(zl_family_check_size(size, env, err));
    unit_type *type = ZL_ARENA_NEW(env->arena, unit_type);
    const char *name_copy = zl_arena_text(env->arena, name, strlen(name));
    if (type == NULL || name_copy == NULL) return zl_fail_memory(err, sizeof *type);
    type->unit = (zl_unit){.count = (uint32_t)count, .width = width, .rule = ZL_UNIT_PLAIN, .bits = (uint8_t)(8 * width)};
    type->dtype = (zl_dtype){.cls = cls,
                             .id = ZL_DTYPE_NONE,
                             .name = name_copy,
                             .size = (uint32_t)size,
                             .align = width,
                             .unit_count = 1,
                             .units = &type->unit,
                             .params = params};
    *out = &type->dtype;
    return ZL_OK;
}

zl_status zl_family_byte_list(const zl_json *list, uint8_t *out, zl_error *err) {
    for (const zl_json *item = zl_json_first(list); item != NULL; item = zl_json_next(item)) {
        uint64_t byte;
        ZL_TRY(zl_json_to_u64(item, &byte, err));
        if (byte > UINT8_MAX) {
            return zl_json_fail(item, err, ZL_ERR_METADATA, "%llu is not a byte: 0..255", (unsigned long long)byte);
        }
        *out++ = (uint8_t)byte;
    }
    return ZL_OK;
}

void *zl_family_scratch(zl_json_writer *writer, size_t size) {
    void *memory = zl_alloc(writer->sink.allocator, size, 1);
    if (memory == NULL && writer->err.status == ZL_OK) (void)zl_fail_memory(&writer->err, size);
    return memory;
}
