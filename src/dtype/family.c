/* SPDX-License-Identifier: MIT */
#include "dtype/family.h"

#include "dtype/base64.h"

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

zl_status zl_family_check_size(uint64_t size, const zl_json *where, const zl_env *env, zl_error *err) {
    const uint64_t limit = zl_min_u64(env->limits->element_size, UINT32_MAX);
    if (size <= limit) return ZL_OK;
    return zl_json_fail(where, err, ZL_ERR_LIMIT, "elements of %llu bytes, the limit is %llu", (unsigned long long)size,
                        (unsigned long long)limit);
}

/* A type and its only unit, in one piece of memory. */
typedef struct unit_type {
    zl_dtype dtype;
    zl_unit unit;
} unit_type;

zl_status zl_family_make(const zl_dtype_class *cls, const char *name, const zl_json *configuration, uint8_t width,
                         uint64_t count, const zl_env *env, const zl_dtype **out, zl_error *err) {
    const uint64_t size = zl_sat_mul(width, count);
    ZL_TRY(zl_family_check_size(size, configuration, env, err));
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
                             .units = &type->unit};
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

zl_status zl_family_base64_size(const zl_json *value, size_t *out, zl_error *err) {
    size_t size = 0;
    const bool is_string = zl_json_get_type(value) == ZL_JSON_STRING;
    const char *text = zl_json_text(value, &size);
    if (is_string && zl_base64_decoded_size(text, size, out)) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "not a string in base64");
}

zl_status zl_family_base64(const zl_json *value, uint8_t *out, zl_error *err) {
    size_t size = 0;
    const char *text = zl_json_text(value, &size);
    if (zl_base64_decode(text, size, out)) return ZL_OK;
    return zl_json_fail(value, err, ZL_ERR_METADATA, "not a string in base64");
}

zl_status zl_family_packed(const zl_dtype *dtype, const zl_json *value, void *out, zl_error *err) {
    size_t size;
    ZL_TRY(zl_family_base64_size(value, &size, err));
    if (size == dtype->size) return zl_family_base64(value, out, err);
    return zl_json_fail(value, err, ZL_ERR_METADATA, "%zu bytes for elements of %u", size, (unsigned)dtype->size);
}

void zl_family_emit_base64(const uint8_t *bytes, size_t size, zl_json_writer *writer) {
    const size_t length = zl_base64_encoded_size(size);
    char *text = zl_family_scratch(writer, length + 1);
    if (text == NULL) return;
    zl_base64_encode(bytes, size, text);
    zl_json_write_string(writer, text, length);
    zl_free(writer->sink.allocator, text, length + 1);
}

/* A number with a fraction or an exponent in metadata of Zarr v2? */
static bool is_v2_real(const zl_json *value, int32_t zarr_format) {
    return zarr_format == 2 && zl_json_get_type(value) == ZL_JSON_NUMBER &&
           strpbrk(zl_json_text(value, NULL), ".eE") != NULL;
}

static zl_status fail_no_integer(const zl_json *value, zl_error *err) {
    return zl_json_fail(value, err, ZL_ERR_METADATA, "%s is not an integer in range", zl_json_text(value, NULL));
}

zl_status zl_family_read_i64(const zl_json *value, int32_t zarr_format, int64_t *out, zl_error *err) {
    if (!is_v2_real(value, zarr_format)) return zl_json_to_i64(value, out, err);
    double real;
    ZL_TRY(zl_json_to_double(value, &real, err));
    if (!(real >= -0x1p63 && real < 0x1p63) || real != (double)(int64_t)real) return fail_no_integer(value, err);
    *out = (int64_t)real;
    return ZL_OK;
}

zl_status zl_family_read_u64(const zl_json *value, int32_t zarr_format, uint64_t *out, zl_error *err) {
    if (!is_v2_real(value, zarr_format)) return zl_json_to_u64(value, out, err);
    double real;
    ZL_TRY(zl_json_to_double(value, &real, err));
    if (!(real >= 0 && real < 0x1p64) || real != (double)(uint64_t)real) return fail_no_integer(value, err);
    *out = (uint64_t)real;
    return ZL_OK;
}

zl_status zl_family_length_bytes(const zl_json *configuration, uint64_t *out, zl_error *err) {
    static const char *const keys[] = {"length_bytes", NULL};
    ZL_TRY(zl_json_only(configuration, keys, err));
    ZL_TRY(zl_json_get_u64(configuration, "length_bytes", out, err));
    if (*out > 0) return ZL_OK;
    return zl_json_fail(zl_json_member(configuration, "length_bytes"), err, ZL_ERR_METADATA, "0 is not a positive integer");
}

void zl_dtype_emit_sized(const char *name, uint64_t size, zl_json_writer *writer) {
    zl_json_begin_named(writer, name);
    zl_json_write_key(writer, "length_bytes");
    zl_json_write_u64(writer, size);
    zl_json_end_named(writer);
}

void zl_family_emit_length_bytes(const zl_dtype *dtype, zl_json_writer *writer) {
    zl_dtype_emit_sized(dtype->name, dtype->size, writer);
}

void *zl_family_scratch(zl_json_writer *writer, size_t size) {
    void *memory = zl_alloc(writer->sink.allocator, size, 1);
    if (memory == NULL && writer->err.status == ZL_OK) (void)zl_fail_memory(&writer->err, size);
    return memory;
}
