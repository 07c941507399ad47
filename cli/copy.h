/* SPDX-License-Identifier: MIT */
/* One array becomes another: its metadata with the changes that were asked for, then its elements in slabs. */
#ifndef ZARRLITE_CLI_COPY_H
#define ZARRLITE_CLI_COPY_H

#include "cli.h"

/* What is to be different. NULL and zero: as in the source. */
typedef struct cli_copy_wish {
    const char *chunks;
    const char *shards;
    bool no_shards;
    const cli_list *codecs;
    int32_t zarr_format; /* [3] */
    zl_create_mode mode;
    bool must_fit; /* lists of extents are for this array: another rank is an error */
} cli_copy_wish;

/* What became of the wish for one array. */
typedef struct cli_copy_made {
    bool extents_used; /* a list of extents was for this array */
    bool is_verbatim;  /* the metadata is the source's, so that encoded chunks may stay as they are */
} cli_copy_made;

/* Creates the array that `source` is to be copied to: data type, shape, dimension names, fill value and attributes are the
 * source's. */
zl_status cli_copy_create(zl_array **out, const zl_array *source, zl_store *store, const char *path,
                          const cli_copy_wish *wish, cli_copy_made *made, zl_error *err);

/* Attributes as a JSON object, without the ones by which version 2 names dimensions. Free with free(). */
zl_status cli_copy_attributes(char **out, const zl_attributes *attributes, zl_error *err);

/* Called with the bytes of elements that were read and written since the last time, halved. By any thread, one at a time.
 */
typedef void (*cli_copy_progress_fn)(void *user, uint64_t size);

typedef struct cli_copy_run {
    const cli *run;
    int threads;        /* 0: one per CPU */
    uint64_t slab_size; /* bytes of elements that are in memory at a time, as far as one chunk is not more */
    cli_copy_progress_fn on_progress;
    void *progress_user;
} cli_copy_run;

/* Copies the stored chunks as they are, between arrays of the same metadata. */
zl_status cli_copy_chunks(const cli_copy_run *copy, const zl_array *source, zl_array *target, zl_error *err);
/* Decodes and encodes all elements. */
zl_status cli_copy_elements(const cli_copy_run *copy, const zl_array *source, zl_array *target, zl_error *err);
/* Reads both again; the number of elements that differ in a bit, and where the first of them is (free with free()). */
zl_status cli_copy_verify(const cli_copy_run *copy, const zl_array *source, const zl_array *target, uint64_t *different,
                          char **first, zl_error *err);

#endif
