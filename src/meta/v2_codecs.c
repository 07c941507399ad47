/* SPDX-License-Identifier: MIT */
/*
 * Order, filters and compressor of a .zarray as a chain of codecs.
 * Spec: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#filters
 *
 * v2 codecs have no kinds, they turn any buffer into another. Here a transpose stands for order F, then come filters that
 * see elements, then whatever makes bytes of these (the `bytes` codec in the byte order of the data type, unless a filter
 * does it), then what sees bytes alone. A filter that wants elements behind one that has made bytes is refused.
 */
#include <stdio.h>

#include "meta/v2.h"

typedef struct builder {
    zl_v2_array *array;
    zl_codec *codec;
    int32_t count, cap;
    int32_t ab_index; /* -1: elements are still elements */
} builder;

/* ---- codecs that the document does not name */

/* `configuration` is the text of an object. */
static zl_status add_own(builder *self, const char *name, const char *configuration, zl_error *err) {
    const zl_v2_array *array = self->array;
    zl_codec *codec = &self->codec[self->count];
    zl_json_doc *doc = NULL;
    ZL_TRY(zl_codec_find(NULL, name, &codec->cls, err));
    ZL_TRY(zl_json_parse(&doc, configuration, strlen(configuration), NULL, array->allocator, err));
    const zl_status status = codec->cls->parse(zl_json_root(doc), array->env, &codec->self, err);
    zl_json_doc_free(doc);
    if (status != ZL_OK) return status;
    if (codec->cls->ab != NULL) self->ab_index = self->count;
    self->count++;
    return ZL_OK;
}

static zl_status add_transpose(builder *self, zl_error *err) {
    char text[16 + 4 * ZL_MAX_RANK];
    size_t size = (size_t)snprintf(text, sizeof text, "{\"order\":[");
    for (int32_t axis = self->array->meta->shape.rank - 1; axis >= 0; axis--) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%d%s", (int)axis, axis > 0 ? "," : "]}");
    }
    return add_own(self, "transpose", text, err);
}

static zl_status add_bytes(builder *self, zl_error *err) {
    const zl_byte_order order = self->array->order;
    return add_own(self, "bytes",
                   order == ZL_ORDER_BIG      ? "{\"endian\":\"big\"}"
                   : order == ZL_ORDER_LITTLE ? "{\"endian\":\"little\"}"
                                              : "{}",
                   err);
}

/* ---- codecs of the document */

/* Ids whose codec has a registered name. What vlen-array stores is what vlen-bytes stores. */
static const char *registered_name(const char *id) {
    static const char *const names[][2] = {
        {"vlen-utf8", "vlen-utf8"}, {"vlen-bytes", "vlen-bytes"}, {"vlen-array", "vlen-bytes"}};
    for (size_t i = 0; i < ZL_COUNT_OF(names); i++) {
        if (strcmp(names[i][0], id) == 0) return names[i][1];
    }
    return NULL;
}

static const zl_codec_class *find_added(const zl_registry *registry, const char *id) {
    for (size_t i = 0; registry != NULL && i < registry->codec_count; i++) {
        if (strcmp(registry->codecs[i]->name, id) == 0) return registry->codecs[i];
    }
    return NULL;
}

/* Names of v2 are those of numcodecs, which v3 knows with a prefix. */
static zl_status find_class(const builder *self, const zl_json *id, const zl_codec_class **out, bool *configured,
                            zl_error *err) {
    const char *text = zl_json_text(id, NULL);
    const char *registered = registered_name(text);
    char name[80];
    *configured = registered == NULL;
    (void)snprintf(name, sizeof name, "numcodecs.%s", text);
    if (registered == NULL && zl_codec_available(name) == ZL_UNKNOWN) {
        *out = find_added(self->array->env->registry, text);
        if (*out != NULL) return ZL_OK;
        return zl_json_fail(id, err, ZL_ERR_UNSUPPORTED,
                            strcmp(text, "pickle") == 0 ? "codec \"%s\" is refused: reading its data may run any program"
                                                        : "codec \"%s\" is not known",
                            text);
    }
    const zl_status status = zl_codec_find(self->array->env->registry, registered != NULL ? registered : name, out, err);
    char path[200];
    return status == ZL_OK ? ZL_OK : zl_error_wrap(err, status, "%s: ", zl_json_path(id, path, sizeof path));
}

static zl_status parse_codec(const builder *self, const zl_json *json, zl_codec *out, zl_error *err) {
    const zl_json *id;
    bool configured = false;
    ZL_TRY(zl_json_require(json, "id", &id, err));
    if (zl_json_get_type(id) != ZL_JSON_STRING) return zl_json_fail(id, err, ZL_ERR_METADATA, "must be a string");
    ZL_TRY(zl_json_unique(json, true, err));
    ZL_TRY(find_class(self, id, &out->cls, &configured, err));
    const zl_json *configuration = NULL;
    if (configured) {
        configuration = zl_json_without(json, "id", self->array->meta->arena);
        if (configuration == NULL) return zl_fail_memory(err, sizeof(void *));
    }
    out->json = json;
    return out->cls->parse != NULL ? out->cls->parse(configuration, self->array->env, &out->self, err) : ZL_OK;
}

static bool read_order_of(const zl_json *type, zl_byte_order *out) {
    size_t size;
    const char *text = zl_json_get_type(type) == ZL_JSON_STRING ? zl_json_text(type, &size) : NULL;
    zl_typestr read;
    if (text == NULL || !zl_typestr_read(text, size, &read)) return false;
    *out = read.order;
    return true;
}

/* Filters that change the type name what they see and what they make of it. NumPy would take one byte order for the other
 * where these differ; nobody means that. */
static zl_status follow_order(builder *self, const zl_json *json, zl_error *err) {
    static const char *const seen[] = {"dtype", "decode_dtype"}, *const made[] = {"astype", "encode_dtype"};
    zl_byte_order *order = &self->array->order, named;
    for (size_t i = 0; i < ZL_COUNT_OF(seen); i++) {
        const zl_json *type = zl_json_member(json, seen[i]);
        if (!read_order_of(type, &named)) continue;
        if (named != ZL_ORDER_NONE && *order != ZL_ORDER_NONE && named != *order) {
            return zl_json_fail(type, err, ZL_ERR_UNSUPPORTED, "\"%s\", but what the filter gets has the other byte order",
                                zl_json_text(type, NULL));
        }
        *order = named;
    }
    for (size_t i = 0; i < ZL_COUNT_OF(made); i++) {
        if (read_order_of(zl_json_member(json, made[i]), &named)) *order = named;
    }
    return ZL_OK;
}

static zl_status add(builder *self, const zl_json *json, zl_error *err) {
    zl_codec codec = {0};
    ZL_TRY(parse_codec(self, json, &codec, err));
    const bool wants_bytes = codec.cls->bb != NULL;
    if (!wants_bytes && self->ab_index >= 0) {
        const zl_json *before = self->codec[self->count - 1].json;
        return zl_json_fail(
            json, err, ZL_ERR_UNSUPPORTED, "codec \"%s\" needs elements, but \"%s\" in front of it makes bytes of them",
            zl_json_text(zl_json_member(json, "id"), NULL), zl_json_text(zl_json_member(before, "id"), NULL));
    }
    if (wants_bytes && self->ab_index < 0) ZL_TRY(add_bytes(self, err));
    if (codec.cls->ab != NULL) self->ab_index = self->count;
    if (codec.cls->aa != NULL) ZL_TRY(follow_order(self, json, err));
    self->codec[self->count++] = codec;
    return ZL_OK;
}

/* ---- all together */

static zl_status read_chunk_order(zl_v2_array *array, zl_error *err) {
    const zl_json *root = array->meta->root;
    static const char *const orders[] = {"C", "F", NULL};
    int order = 0;
    if (!zl_v2_is_null(zl_json_member(root, "order"))) ZL_TRY(zl_json_get_choice(root, "order", orders, &order, err));
    array->fortran = order == 1;
    return ZL_OK;
}

/* Filters that store the shape with the elements keep them in C order whatever the array's is. */
static bool stores_shape(const zl_json *filters) {
    const zl_json *id = zl_json_member(zl_json_first(filters), "id");
    return zl_json_is(id, "json2") || zl_json_is(id, "msgpack2");
}

static zl_status build(builder *self, const zl_json *filters, const zl_json *compressor, zl_error *err) {
    const bool is_transposed = self->array->fortran && self->array->meta->shape.rank > 1 && !stores_shape(filters);
    if (is_transposed) ZL_TRY(add_transpose(self, err));
    for (const zl_json *filter = zl_json_first(filters); filter != NULL; filter = zl_json_next(filter)) {
        ZL_TRY(add(self, filter, err));
    }
    if (!zl_v2_is_null(compressor)) ZL_TRY(add(self, compressor, err));
    return self->ab_index < 0 ? add_bytes(self, err) : ZL_OK;
}

zl_status zl_v2_parse_codecs(zl_v2_array *array, zl_error *err) {
    const zl_json *filters = zl_json_member(array->meta->root, "filters");
    const zl_json *compressor = zl_json_member(array->meta->root, "compressor");
    const zl_limits *limits = array->env->limits;
    if (!zl_v2_is_null(filters) && zl_json_get_type(filters) != ZL_JSON_ARRAY) {
        return zl_json_fail(filters, err, ZL_ERR_METADATA, "must be an array of codecs, or null");
    }
    if (zl_json_count(filters) >= (size_t)limits->codecs) {
        return zl_json_fail(filters, err, ZL_ERR_LIMIT, "%zu filters, the limit is %d", zl_json_count(filters),
                            (int)limits->codecs - 1);
    }
    ZL_TRY(read_chunk_order(array, err));
    const int32_t cap = (int32_t)zl_json_count(filters) + 3; /* transpose, bytes and the compressor */
    zl_chain *chain = ZL_ARENA_NEW(array->meta->arena, zl_chain);
    zl_codec *codec = zl_arena_zero(array->meta->arena, (size_t)cap * sizeof *codec, _Alignof(zl_codec));
    if (chain == NULL || codec == NULL) return zl_fail_memory(err, (size_t)cap * sizeof *codec);
    builder self = {.array = array, .codec = codec, .cap = cap, .ab_index = -1};
    ZL_TRY(build(&self, filters, compressor, err));
    *chain = (zl_chain){.count = self.count, .ab_index = self.ab_index, .codec = codec};
    array->meta->chain = chain;
    return ZL_OK;
}
