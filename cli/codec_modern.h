/* SPDX-License-Identifier: MIT */
/* Codecs of numcodecs, which version 2 of Zarr has, in the words of version 3 where it has the same ones: files that more
 * programs can read, with the same bytes. */
#ifndef ZARRLITE_CLI_CODEC_MODERN_H
#define ZARRLITE_CLI_CODEC_MODERN_H

#include "json_out.h"
#include "json_scan.h"

/* Writes a codec of version 3: numcodecs.zstd, gzip and blosc become zstd, gzip and blosc, all others stay as they are. */
void cli_codec_write_modern(cli_json *json, cli_value codec, size_t element_size);

#endif
