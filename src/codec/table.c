/* SPDX-License-Identifier: MIT */
/* The table of built-in codecs, made from codec_list.h, and how a name finds its class. */
#include "codec/chain.h"

/* A class is declared only where it is built; the row stays in any case. `have` is 0 or 1 once it is expanded. */
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define DECLARE_0(symbol)
#define DECLARE_1(symbol) extern const zl_codec_class zl_codec_##symbol;
#define ZL_CODEC(symbol, have, name, needs) CAT(DECLARE_, have)(symbol)
#include "codec/codec_list.h"
#undef ZL_CODEC

#define CLASS_0(symbol) NULL
#define CLASS_1(symbol) &zl_codec_##symbol
#define ZL_CODEC(symbol, have, name, needs) {name, CAT(CLASS_, have)(symbol), needs},
const zl_codec_row zl_codec_table[] = {
#include "codec/codec_list.h"
};
#undef ZL_CODEC
const size_t zl_codec_table_count = ZL_COUNT_OF(zl_codec_table);

static bool has_name(const zl_codec_class *cls, const char *name) {
    if (strcmp(cls->name, name) == 0) return true;
    for (const char *const *alias = cls->aliases; alias && *alias; alias++) {
        if (strcmp(*alias, name) == 0) return true;
    }
    return false;
}

/* The row of a registered name first: an alias must not hide a name. */
static const zl_codec_row *find_row(const char *name) {
    for (size_t i = 0; i < zl_codec_table_count; i++) {
        if (strcmp(zl_codec_table[i].name, name) == 0) return &zl_codec_table[i];
    }
    for (size_t i = 0; i < zl_codec_table_count; i++) {
        if (zl_codec_table[i].cls && has_name(zl_codec_table[i].cls, name)) return &zl_codec_table[i];
    }
    return NULL;
}

zl_status zl_codec_find(const zl_registry *registry, const char *name, const zl_codec_class **out, zl_error *err) {
    for (size_t i = 0; registry && i < registry->codec_count; i++) {
        if (has_name(registry->codecs[i], name)) {
            *out = registry->codecs[i];
            return ZL_OK;
        }
    }
    const zl_codec_row *row = find_row(name);
    if (!row) return zl_fail(err, ZL_ERR_UNSUPPORTED, "codec \"%s\" is unknown", name);
    if (!row->cls) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "codec \"%s\" is known but not in this build: it needs %s", name,
                       row->needs);
    }
    *out = row->cls;
    return ZL_OK;
}

zl_availability zl_codec_available(const char *name) {
    const zl_codec_row *row = find_row(name);
    if (!row) return ZL_UNKNOWN;
    return row->cls ? ZL_AVAILABLE : ZL_KNOWN_NOT_BUILT;
}

const char *zl_codec_name(size_t index) {
    return index < zl_codec_table_count ? zl_codec_table[index].name : NULL;
}
