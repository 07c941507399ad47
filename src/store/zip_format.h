/* SPDX-License-Identifier: MIT */
/*
 * The format of ZIP archives, apart from files and threads.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 *
 * What is read: the directory at the end, in its 64-bit form too, whatever stands in front of the archive or behind it as a
 * comment; entries stored as they are or deflated. What is not: encryption, other methods, archives in several files.
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
    bool encrypted;
} zl_zip_entry;

/* ---- reading: from memory that the caller has filled */

/* The record at the end: from how many of the last bytes of the file it can be found, and what it says. */
#define ZL_ZIP_END_SIZE 22
#define ZL_ZIP_END_SEARCH ((size_t)65535 + 22)
#define ZL_ZIP_END64_LOCATOR_SIZE 20
#define ZL_ZIP_END64_SIZE 56
typedef struct zl_zip_end {
    uint64_t at;     /* where the record is in the file */
    uint64_t count;  /* entries */
    uint64_t size;   /* of the directory */
    uint64_t offset; /* of the directory, from where the archive begins */
    bool is_64;      /* some of it stands in the 64-bit record alone */
} zl_zip_end;
/* `tail` are the last bytes of a file of `file_size`. False: no archive. */
bool zl_zip_find_end(zl_span tail, uint64_t file_size, zl_zip_end *out);
/* Where the 64-bit record is, by its locator. False: it is no locator. */
bool zl_zip_read_locator(const uint8_t *bytes, uint64_t *at);
/* Replaces what `out` says by what the 64-bit record says. False: it is none. */
bool zl_zip_read_end64(const uint8_t *bytes, zl_zip_end *out);

/* The entry at the start of `*directory`, which moves behind it; `name` points into it. False: damaged. */
bool zl_zip_next_entry(zl_span *directory, zl_zip_entry *out, zl_span *name);

/* A local header: where the data of its entry begin, from the header on. False: it is none. */
#define ZL_ZIP_LOCAL_SIZE 30
bool zl_zip_read_local(const uint8_t *bytes, uint64_t *data);

/* ---- writing */

#define ZL_ZIP_LOCAL_MAX (30 + 20)
/* A local header without its name, which goes between `*fixed` bytes of it and the rest. Returns its size. */
size_t zl_zip_write_local(uint8_t bytes[ZL_ZIP_LOCAL_MAX], const zl_zip_entry *entry, size_t name_size, size_t *fixed);
zl_status zl_zip_append_entry(zl_sink *out, const zl_zip_entry *entry, const char *name, size_t name_size, zl_error *err);
/* The records behind a directory of `count` entries and `size` bytes at `offset`. */
zl_status zl_zip_append_end(zl_sink *out, uint64_t count, uint64_t offset, uint64_t size, zl_error *err);

/* ---- data */

uint32_t zl_zip_crc32(uint32_t crc, const void *data, size_t size);
/* Inflates exactly `size` bytes. CORRUPT, NO_MEMORY, UNSUPPORTED in builds without libdeflate; `what` names the object. */
zl_status zl_zip_inflate(zl_span from, void *to, size_t size, const char *what, zl_error *err);

#endif
