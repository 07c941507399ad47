/* SPDX-License-Identifier: MIT */
/*
 * fixed_length_utf32: text of at most length_bytes / 4 code points, one uint32_t each, padded with U+0000.
 * https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/fixed_length_utf32
 *
 * Elements are not checked: an array may hold what is no code point. JSON cannot, so it shows U+FFFD for it.
 */
#include "dtype/family.h"

static zl_status utf32_parse(const char *name, const zl_json *configuration, const zl_env *env, const zl_dtype **out,
                             zl_error *err) {
    uint64_t length;
    ZL_TRY(zl_family_length_bytes(configuration, &length, err));
    if (length % 4 != 0) {
        return zl_json_fail(zl_json_member(configuration, "length_bytes"), err, ZL_ERR_METADATA, "%llu is no multiple of 4",
                            (unsigned long long)length);
    }
    return zl_family_make(&zl_dtype_class_utf32, name, configuration, 4, length / 4, env, out, err);
}

/* The code point at *at, which is moved behind it. `at` is in well-formed UTF-8: JSON text is. */
static uint32_t read_utf8(const uint8_t **at) {
    const uint8_t *byte = *at;
    const int more = byte[0] < 0x80 ? 0 : byte[0] < 0xe0 ? 1 : byte[0] < 0xf0 ? 2 : 3;
    uint32_t point = more == 0 ? byte[0] : byte[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        point = point << 6 | (byte[i] & 0x3fu);
    }
    *at += 1 + more;
    return point;
}

static uint8_t *write_utf8(uint8_t *at, uint32_t point) {
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) point = 0xfffd;
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    *at++ = (uint8_t)(lead[more] | point >> (6 * more));
    for (int i = more; i-- > 0;) {
        *at++ = (uint8_t)(0x80 | (point >> (6 * i) & 0x3f));
    }
    return at;
}

static zl_status utf32_parse_fill(const zl_dtype *dtype, const zl_json *value, const zl_env *env, void *out,
                                  zl_error *err) {
    (void)env;
    memset(out, 0, dtype->size);
    if (value == NULL) return ZL_OK;
    if (zl_json_get_type(value) != ZL_JSON_STRING) {
        return zl_json_fail(value, err, ZL_ERR_METADATA, "a fill value of fixed_length_utf32 is a string");
    }
    size_t size;
    const uint8_t *at = (const uint8_t *)zl_json_text(value, &size);
    const uint8_t *const end = at + size;
    uint8_t *to = out;
    for (uint32_t left = dtype->size; at < end; left -= 4, to += 4) {
        if (left == 0) {
            return zl_json_fail(value, err, ZL_ERR_METADATA, "more than %u code points", (unsigned)(dtype->size / 4));
        }
        zl_store_unit(to, 4, read_utf8(&at));
    }
    return ZL_OK;
}

static void utf32_emit_fill(const zl_dtype *dtype, const void *element, zl_json_writer *writer) {
    const uint8_t *const units = element;
    uint32_t size = dtype->size;
    while (size > 0 && zl_load_unit(units + size - 4, 4) == 0) {
        size -= 4;
    }
    uint8_t *text = zl_family_scratch(writer, dtype->size); /* UTF-8 needs no more than UTF-32 */
    if (text == NULL) return;
    uint8_t *end = text;
    for (uint32_t at = 0; at < size; at += 4) {
        end = write_utf8(end, (uint32_t)zl_load_unit(units + at, 4));
    }
    zl_json_write_string(writer, (const char *)text, (size_t)(end - text));
    zl_free(writer->sink.allocator, text, dtype->size);
}

const zl_dtype_class zl_dtype_class_utf32 = {
    .size = sizeof(zl_dtype_class),
    .name = "fixed_length_utf32",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/fixed_length_utf32",
    .parse = utf32_parse,
    .emit = zl_family_emit_length_bytes,
    .parse_fill = utf32_parse_fill,
    .emit_fill = utf32_emit_fill,
};
