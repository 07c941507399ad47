/* SPDX-License-Identifier: MIT */
#ifndef ZL_KEY_KEY_H
#define ZL_KEY_KEY_H

#include "json/json.h"

/* A chunk_key_encoding as it stands in v3 metadata. METADATA, UNSUPPORTED. */
zl_status zl_key_parse(const zl_json *value, const zl_env *env, const zl_key_class **cls, const void **self, zl_error *err);
extern const zl_key_class zl_key_default;
extern const zl_key_class zl_key_v2;
/* The v2 encoding with a separator, for metadata of Zarr v2. */
const void *zl_key_v2_self(char separator);

#endif
