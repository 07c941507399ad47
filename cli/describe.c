/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include "codec_modern.h"
#include "json_out.h"
#include "memory.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

/* Text that grows at its end. */
typedef struct text {
    char *data;
    size_t size;
} text;

static void add(text *out, const char *data, size_t size) {
    out->data = cli_realloc(out->data, out->size + size + 1);
    memcpy(out->data + out->size, data, size);
    out->size += size;
    out->data[out->size] = '\0';
}

static void add_text(text *out, const char *data) {
    add(out, data, strlen(data));
}

/* Strings without their quotes, everything else as it stands. */
static void add_value(text *out, cli_value value) {
    char *string = cli_value_string(value, NULL);
    if (string) {
        add_text(out, string);
    } else {
        add(out, value.text, value.size);
    }
    free(string);
}

zl_status cli_document_open(cli_document *document, const zl_array *array, zl_error *err) {
    *document = (cli_document){0};
    const zl_status status = zl_array_metadata_json(array, &document->text, err);
    if (status) return status;
    document->root = cli_value_of(document->text.data, document->text.size);
    document->is_v2 = zl_array_zarr_format(array) == 2;
    return ZL_OK;
}

void cli_document_close(cli_document *document) {
    zl_buffer_free(&document->text);
}

static cli_value member_or_null(cli_value object, const char *key) {
    cli_value value;
    return cli_value_member(object, key, &value) ? value : (cli_value){"null", 4};
}

cli_value cli_dtype_value(const cli_document *document) {
    return member_or_null(document->root, document->is_v2 ? "dtype" : "data_type");
}

cli_value cli_fill_value(const cli_document *document) {
    return member_or_null(document->root, "fill_value");
}

/* "name(key=value, ...)" of an extension: `parameters` is its object of parameters, whose member `skip` is not shown. */
static void add_extension(text *out, cli_value name, cli_value parameters, const char *skip) {
    add_value(out, name);
    bool any = false;
    for (cli_value_iter iter = {0}; cli_value_next(parameters, &iter);) {
        char *key = cli_value_string(iter.key, NULL);
        if (key && (!skip || strcmp(key, skip) != 0)) {
            add_text(out, any ? ", " : "(");
            add_text(out, key);
            add_text(out, "=");
            add_value(out, iter.value);
            any = true;
        }
        free(key);
    }
    if (any) add_text(out, ")");
}

/* A version 3 extension: {"name", "configuration"} or the name alone. */
static void add_v3_extension(text *out, cli_value extension) {
    cli_value name = extension, configuration = {0};
    cli_value_member(extension, "name", &name);
    cli_value_member(extension, "configuration", &configuration);
    add_extension(out, name, configuration, NULL);
}

char *cli_dtype_text(const cli_document *document) {
    text out = {0};
    const cli_value value = cli_dtype_value(document);
    if (document->is_v2) {
        add_value(&out, value);
    } else {
        add_v3_extension(&out, value);
    }
    return out.data;
}

static void add_arrow(text *out) {
    if (out->size) add_text(out, cli_is_utf8() ? " \xe2\x86\x92 " : " -> "); /* U+2192 */
}

/* The codecs of a shard's inner chunks. False for other codecs than shards. */
static bool inner_codecs(cli_value codec, cli_value *out) {
    cli_value configuration, chunk_shape;
    return cli_value_member(codec, "configuration", &configuration) &&
           cli_value_member(configuration, "chunk_shape", &chunk_shape) && cli_value_member(configuration, "codecs", out);
}

/* The codecs that chunks pass: those in front of shards, then the shards' inner ones. */
static void add_v3_codecs(text *out, cli_value list) {
    for (cli_value_iter iter = {0}; cli_value_next(list, &iter);) {
        cli_value inner;
        if (inner_codecs(iter.value, &inner)) {
            add_v3_codecs(out, inner);
        } else {
            add_arrow(out);
            add_v3_extension(out, iter.value);
        }
    }
}

static void write_v3_codecs(cli_json *json, cli_value list, size_t element_size) {
    for (cli_value_iter iter = {0}; cli_value_next(list, &iter);) {
        cli_value inner;
        if (inner_codecs(iter.value, &inner)) {
            write_v3_codecs(json, inner, element_size);
        } else {
            cli_codec_write_modern(json, iter.value, element_size);
        }
    }
}

zl_status cli_codecs_without_shards(char **out, const zl_array *array, zl_error *err) {
    zl_buffer list = {0};
    cli_json json = {0};
    const zl_status status = zl_array_codecs_json(array, &list, err);
    if (status) return status;
    cli_json_open(&json, '[');
    write_v3_codecs(&json, cli_value_of(list.data, list.size), zl_dtype_size(zl_array_dtype(array)));
    cli_json_close(&json, ']');
    zl_buffer_free(&list);
    *out = json.text;
    return ZL_OK;
}

static void add_v2_codec(text *out, cli_value codec) {
    cli_value id;
    if (!cli_value_member(codec, "id", &id)) return;
    add_arrow(out);
    add_extension(out, id, codec, "id");
}

char *cli_codecs_text(const cli_document *document) {
    text out = {0};
    if (document->is_v2) {
        const cli_value filters = member_or_null(document->root, "filters");
        for (cli_value_iter iter = {0}; cli_value_next(filters, &iter);)
            add_v2_codec(&out, iter.value);
        add_v2_codec(&out, member_or_null(document->root, "compressor"));
    } else {
        add_v3_codecs(&out, member_or_null(document->root, "codecs"));
    }
    if (!out.size) add_text(&out, "none");
    return out.data;
}

/* ---- zfp */

/* Where zfp stands in a chain, if it does. */
typedef struct zfp_place {
    cli_value configuration;
    bool found, in_shard;
    bool hidden; /* behind a compressor or checksum */
} zfp_place;

static bool has_name(cli_value codec, const char *name) {
    cli_value value = codec;
    cli_value_member(codec, "name", &value);
    char *found = cli_value_string(value, NULL);
    const bool same = found && strcmp(found, name) == 0;
    free(found);
    return same;
}

static void find_zfp(cli_value list, zfp_place *place) {
    for (cli_value_iter iter = {0}; cli_value_next(list, &iter);) {
        cli_value inner;
        if (inner_codecs(iter.value, &inner)) {
            place->in_shard = true;
            find_zfp(inner, place);
            return;
        }
        place->hidden = place->found;
        if (has_name(iter.value, "zfp"))
            place->found = cli_value_member(iter.value, "configuration", &place->configuration);
    }
}

char *cli_zfp_text(const cli_document *document) {
    zfp_place place = {0};
    cli_value rate;
    if (!document->is_v2) find_zfp(member_or_null(document->root, "codecs"), &place);
    if (!place.found) return NULL;
    const char *whole = place.in_shard ? "whole inner chunks" : "whole chunks";
    if (!cli_value_member(place.configuration, "rate", &rate)) {
        return cli_format("size by the values; a region fetches %s and decodes up to its last block", whole);
    }
    const bool partial = !place.in_shard && !place.hidden;
    return cli_format("%.*s bits an element; a region fetches %s%s its blocks of 4 per axis", (int)rate.size, rate.text,
                      partial ? "" : whole, partial ? "and decodes only" : " and decodes only");
}

char *cli_codecs_value(const cli_document *document) {
    cli_json json = {0};
    if (document->is_v2) {
        cli_json_open(&json, '{');
        for (int i = 0; i < 2; i++) {
            const char *key = i ? "compressor" : "filters";
            const cli_value value = member_or_null(document->root, key);
            cli_json_key(&json, key);
            cli_json_raw(&json, value.text, value.size);
        }
        cli_json_close(&json, '}');
    } else {
        const cli_value value = member_or_null(document->root, "codecs");
        cli_json_raw(&json, value.text, value.size);
    }
    return json.text;
}

static void write_dtype(cli_json *json, const zl_dtype *dtype);

static void write_fields(cli_json *json, const zl_dtype *dtype) {
    cli_json_key(json, "fields"), cli_json_open(json, '[');
    for (size_t i = 0; i < zl_dtype_field_count(dtype); i++) {
        const zl_field *field = zl_dtype_field(dtype, i);
        cli_json_open(json, '{');
        cli_json_key(json, "name"), cli_json_string(json, field->name);
        cli_json_key(json, "data_type"), write_dtype(json, field->dtype);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_dtype(cli_json *json, const zl_dtype *dtype) {
    const char *name = zl_dtype_name(dtype);
    const bool is_plain = zl_dtype_get_id(dtype) != ZL_DTYPE_NONE || (name[0] == 'r' && name[1] >= '0' && name[1] <= '9');
    if (is_plain) {
        cli_json_string(json, name);
        return;
    }
    cli_json_open(json, '{');
    cli_json_key(json, "name"), cli_json_string(json, name);
    cli_json_key(json, "configuration"), cli_json_open(json, '{');
    if (zl_dtype_time_unit(dtype)) {
        cli_json_key(json, "unit"), cli_json_string(json, zl_dtype_time_unit(dtype));
        cli_json_key(json, "scale_factor"), cli_json_int(json, zl_dtype_time_scale(dtype));
    } else if (zl_dtype_field_count(dtype)) {
        write_fields(json, dtype);
    } else {
        cli_json_key(json, "length_bytes"), cli_json_uint(json, zl_dtype_size(dtype));
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

char *cli_dtype_json(const zl_dtype *dtype) {
    cli_json json = {0};
    write_dtype(&json, dtype);
    return json.text;
}
