/* SPDX-License-Identifier: MIT */
/* Short texts for what Zarr metadata says in JSON: codecs ("zstd:level=5"), data types, fill values, chunk key encodings.
 */
#ifndef ZARRLITE_CLI_CODEC_TEXT_H
#define ZARRLITE_CLI_CODEC_TEXT_H

#include "args.h"

/* JSON list of codecs from --codec options, each a short text, a JSON object or (alone) a JSON list. The codec that turns
 * an array into bytes is added where none of the given ones does: bytes, or vlen-utf8 and vlen-bytes for the data types
 * string and bytes. `element_size` is for blosc's typesize. NULL when nothing was given. Free with free(). */
char *cli_codecs_json(const cli_list *given, const char *dtype, size_t element_size);

/* "float32" -> "\"float32\""; JSON stays as it is. Free with free(). */
char *cli_name_json(const char *text);
/* Fill values: numbers, true, false, JSON as they are; NaN, Infinity, 0x... and other words as JSON strings. */
char *cli_fill_json(const char *text);
/* "v2", "default:." or JSON. */
char *cli_key_encoding_json(const char *text);

#endif
