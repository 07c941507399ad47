/* SPDX-License-Identifier: MIT */
/*
 * The format of ZIP archives, apart from files and threads.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 *
 * Writing alone; libzip reads. Numbers that need it are written in the format's 64-bit form, and only those,
 * but for the local headers of objects whose size was not known beforehand.
 */
#ifndef ZL_STORE_ZIP_FORMAT_H
#define ZL_STORE_ZIP_FORMAT_H

#include "base/base.h"

enum { ZL_ZIP_STORED = 0, ZL_ZIP_DEFLATED = 8 };

typedef struct zl_zip_entry {
    uint64_t header; /* where its local header is in the file */
    uint64_t stored; /* bytes in the archive */
    uint64_t size;   /* bytes of the object */
    uint32_t crc;
    uint16_t method;
    bool wide; /* the local header is of the 64-bit form, whatever the sizes are */
} zl_zip_entry;

#define ZL_ZIP_LOCAL_MAX (30 + 20)
/* A local header without its name, which goes between `*fixed` bytes of it and the rest. Returns its size. */
size_t zl_zip_write_local(uint8_t bytes[ZL_ZIP_LOCAL_MAX], const zl_zip_entry *entry, size_t name_size, size_t *fixed);
zl_status zl_zip_append_entry(zl_sink *out, const zl_zip_entry *entry, const char *name, size_t name_size, zl_error *err);
/* The records behind a directory of `count` entries and `size` bytes at `offset`. */
zl_status zl_zip_append_end(zl_sink *out, uint64_t count, uint64_t offset, uint64_t size, zl_error *err);

uint32_t zl_zip_crc32(uint32_t crc, const void *data, size_t size);

#endif
