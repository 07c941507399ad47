/* SPDX-License-Identifier: MIT */
#include "store/zip_format.h"

#define LOCAL_SIGNATURE 0x04034b50u
#define ENTRY_SIGNATURE 0x02014b50u
#define END_SIGNATURE 0x06054b50u
#define END64_SIGNATURE 0x06064b50u
#define LOCATOR_SIGNATURE 0x07064b50u
#define ENTRY_SIZE 46
#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define EXTRA64 1 /* tag of the field with 64-bit sizes */

#define FLAG_UTF8 0x0800u

#define VERSION 20
#define VERSION64 45
#define MADE_BY_UNIX (3u << 8)
#define MODE (0100644u << 16)
#define DATE ((1u << 5) | 1u) /* 1980-01-01: the same objects make the same archive */

#define NONE16 0xffffu
#define NONE32 0xffffffffu

static uint8_t *put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}
static uint8_t *put32(uint8_t *at, uint32_t value) {
    return put16(put16(at, value & NONE16), value >> 16);
}
static uint8_t *put64(uint8_t *at, uint64_t value) {
    return put32(put32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint32_t clamp32(uint64_t value) {
    return value < NONE32 ? (uint32_t)value : NONE32;
}

/* From the version to the length of the name, which local header and entry have in common. */
static uint8_t *put_common(uint8_t *at, const zl_zip_entry *entry, size_t name_size, bool is_64) {
    at = put16(at, is_64 ? VERSION64 : VERSION);
    at = put16(at, FLAG_UTF8);
    at = put16(at, entry->method);
    at = put16(at, 0); /* midnight */
    at = put16(at, DATE);
    at = put32(at, entry->crc);
    at = put32(at, clamp32(entry->stored));
    at = put32(at, clamp32(entry->size));
    return put16(at, (uint32_t)name_size);
}

/* Both sizes stand in the 64-bit field if one of them needs it. */
size_t zl_zip_write_local(uint8_t bytes[ZL_ZIP_LOCAL_MAX], const zl_zip_entry *entry, size_t name_size, size_t *fixed) {
    const bool is_64 = entry->wide || entry->size >= NONE32 || entry->stored >= NONE32;
    const zl_zip_entry shown = {.stored = is_64 ? NONE32 : entry->stored,
                                .size = is_64 ? NONE32 : entry->size,
                                .crc = entry->crc,
                                .method = entry->method};
    uint8_t *at = put32(bytes, LOCAL_SIGNATURE);
    at = put_common(at, &shown, name_size, is_64);
    at = put16(at, is_64 ? 20 : 0);
    *fixed = (size_t)(at - bytes);
    if (is_64) {
        at = put16(put16(at, EXTRA64), 16);
        at = put64(put64(at, entry->size), entry->stored);
    }
    return (size_t)(at - bytes);
}

zl_status zl_zip_append_entry(zl_sink *out, const zl_zip_entry *entry, const char *name, size_t name_size, zl_error *err) {
    uint8_t extra[4 + 3 * 8], *end = extra + 4;
    if (entry->size >= NONE32) end = put64(end, entry->size);
    if (entry->stored >= NONE32) end = put64(end, entry->stored);
    if (entry->header >= NONE32) end = put64(end, entry->header);
    const size_t field_size = (size_t)(end - extra) - 4;
    const size_t extra_size = field_size > 0 ? field_size + 4 : 0;
    (void)put16(put16(extra, EXTRA64), (uint32_t)field_size);

    uint8_t head[ENTRY_SIZE], *at = put32(head, ENTRY_SIGNATURE);
    at = put16(at, MADE_BY_UNIX | VERSION64);
    at = put_common(at, entry, name_size, extra_size > 0 || entry->wide);
    at = put16(at, (uint32_t)extra_size);
    at = put16(at, 0); /* comment */
    at = put16(at, 0); /* file of the archive */
    at = put16(at, 0); /* not text */
    at = put32(at, MODE);
    (void)put32(at, clamp32(entry->header));
    ZL_TRY(zl_sink_append(out, head, sizeof head, err));
    ZL_TRY(zl_sink_append(out, name, name_size, err));
    return zl_sink_append(out, extra, extra_size, err);
}

static zl_status append_end64(zl_sink *out, uint64_t count, uint64_t offset, uint64_t size, zl_error *err) {
    uint8_t bytes[END64_SIZE + LOCATOR_SIZE], *at = put32(bytes, END64_SIGNATURE);
    at = put64(at, END64_SIZE - 12);
    at = put16(at, MADE_BY_UNIX | VERSION64);
    at = put16(at, VERSION64);
    at = put64(at, 0); /* number of this file, and of the one with the directory */
    at = put64(put64(at, count), count);
    at = put64(put64(at, size), offset);
    at = put32(at, LOCATOR_SIGNATURE);
    at = put32(at, 0);
    at = put64(at, offset + size);
    (void)put32(at, 1); /* files in all */
    return zl_sink_append(out, bytes, sizeof bytes, err);
}

zl_status zl_zip_append_end(zl_sink *out, uint64_t count, uint64_t offset, uint64_t size, zl_error *err) {
    const bool is_64 = count >= NONE16 || offset >= NONE32 || size >= NONE32;
    if (is_64) ZL_TRY(append_end64(out, count, offset, size, err));
    const uint32_t shown = count < NONE16 ? (uint32_t)count : NONE16;
    uint8_t bytes[END_SIZE], *at = put32(bytes, END_SIGNATURE);
    at = put32(at, 0); /* number of this file, and of the one with the directory */
    at = put16(put16(at, shown), shown);
    at = put32(put32(at, clamp32(size)), clamp32(offset));
    (void)put16(at, 0); /* comment */
    return zl_sink_append(out, bytes, sizeof bytes, err);
}
