/* SPDX-License-Identifier: MIT */
/* What an array is, in words: from its metadata document, of either version of the format. */
#ifndef ZARRLITE_CLI_DESCRIBE_H
#define ZARRLITE_CLI_DESCRIBE_H

#include "cli.h"
#include "json_scan.h"

/* The metadata document of an array, kept while its values are used. */
typedef struct cli_document {
    zl_buffer text;
    cli_value root;
    bool is_v2;
} cli_document;

zl_status cli_document_open(cli_document *document, const zl_array *array, zl_error *err);
void cli_document_close(cli_document *document);

/* "float32", "numpy.datetime64(unit=us, scale_factor=1)". Free with free(). */
char *cli_dtype_text(const cli_document *document);
/* "bytes(endian=little) -> zstd(level=3)", with the inner codecs of shards instead of the shards. Free with free(). */
char *cli_codecs_text(const cli_document *document);
/* How large chunks of zfp become, and what of them is read for a region: "8 bits to an element; ...". NULL: no zfp. Free
 * with free(). */
char *cli_zfp_text(const cli_document *document);
/* JSON text of the data type, the codecs and the fill value as they stand in the document; null where absent. */
cli_value cli_dtype_value(const cli_document *document);
cli_value cli_fill_value(const cli_document *document);
/* JSON of the codecs: version 3's list, or an object of filters and compressor. Free with free(). */
char *cli_codecs_value(const cli_document *document);
/* JSON list of an array's codecs, in version 3's words, with the inner codecs of shards instead of the shards: what the
 * array would have without them. Free with free(). */
zl_status cli_codecs_without_shards(char **out, const zl_array *array, zl_error *err);
/* A data type as it stands in version 3's metadata. Free with free(). */
char *cli_dtype_json(const zl_dtype *dtype);

#endif
