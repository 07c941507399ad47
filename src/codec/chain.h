/* SPDX-License-Identifier: MIT */
/* A parsed list of codecs, and the tables codecs and data types are found in. */
#ifndef ZL_CODEC_CHAIN_H
#define ZL_CODEC_CHAIN_H

#include "base/base.h"
#include "dtype/dtype.h"

typedef struct zl_codec {
    const zl_codec_class *cls;
    const void *self;
    const zl_json *json; /* as it stands in the metadata; NULL for codecs made by the library */
} zl_codec;

struct zl_chain {
    int32_t count;
    int32_t ab_index; /* codecs before it are array -> array, behind it bytes -> bytes */
    const zl_codec *codec;
};

/* Writes the list as it stands in v3 metadata: codecs as they were read, or made anew from what was understood (`verbatim`
 * false, and codecs made by the library). */
void zl_chain_emit(const zl_chain *chain, bool verbatim, zl_json_writer *writer);

/* As zl_chain_parse, for lists of nothing but bytes -> bytes codecs; the list may be empty. ab_index is -1. */
zl_status zl_chain_parse_bytes(const zl_json *list, const zl_env *env, const zl_chain **out, zl_error *err);
/* A built-in codec: `cls` is NULL when it is known but left out of this build. */
typedef struct zl_codec_row {
    const char *name;
    const zl_codec_class *cls;
    const char *needs; /* the build option that brings it, or what else is missing */
} zl_codec_row;
extern const zl_codec_row zl_codec_table[];
extern const size_t zl_codec_table_count;

/* By name or alias; the registry's classes first. UNSUPPORTED: unknown, or known but not in this build (the message says
 * which, and what it needs). */
zl_status zl_codec_find(const zl_registry *registry, const char *name, const zl_codec_class **out, zl_error *err);

#endif
