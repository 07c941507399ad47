/* SPDX-License-Identifier: MIT */
/* Short text of a codec: NAME[:PARAMETER,...], each parameter KEY=VALUE or a value alone, such as gzip:5,
 * zstd:level=5,checksum=true or transpose:2,1,0. Values that are JSON (numbers, true, false, null, lists, objects) stay as
 * they are, other words become strings. Values alone are the codec's most used parameters, in a fixed order. Required
 * parameters that were not named get a usual value. What is wrong in a configuration is found by the library, whose
 * messages name the place. */
#include "codec_text.h"

#include "json_out.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct codec_facts {
    const char *name;
    const char *places[3]; /* the parameters that values alone set, one after the other */
    bool is_list;          /* they are together the list that is the first one's value */
    struct {
        const char *key, *value;
    } required[6]; /* with usual values; "%" is the element size */
} codec_facts;

static const codec_facts known_codecs[] = {
    {"gzip", {"level"}, false, {{"level", "6"}}},
    {"zstd", {"level"}, false, {{"level", "3"}, {"checksum", "false"}}},
    {"blosc",
     {"cname", "clevel", "shuffle"},
     false,
     {{"cname", "\"lz4\""}, {"clevel", "5"}, {"shuffle", "\"shuffle\""}, {"typesize", "%"}, {"blocksize", "0"}}},
    {"bytes", {"endian"}, false, {{"endian", "\"little\""}}},
    {"transpose", {"order"}, true, {{NULL, NULL}}},
    {"reshape", {"shape"}, true, {{NULL, NULL}}},
    {"bitround", {"keepbits"}, false, {{NULL, NULL}}},
    {"cast_value", {"data_type", "out_of_range", "rounding"}, false, {{NULL, NULL}}},
    {"scale_offset", {"scale", "offset"}, false, {{NULL, NULL}}},
    {"packbits", {"padding_encoding", "first_bit", "last_bit"}, false, {{NULL, NULL}}},
    {"zfp", {"mode"}, false, {{NULL, NULL}}},
    {"numcodecs.delta", {"dtype", "astype"}, false, {{NULL, NULL}}},
    {"numcodecs.astype", {"encode_dtype", "decode_dtype"}, false, {{NULL, NULL}}},
    {"numcodecs.quantize", {"digits", "dtype"}, false, {{NULL, NULL}}},
    {"numcodecs.fixedscaleoffset", {"scale", "offset", "dtype"}, false, {{NULL, NULL}}},
    {"numcodecs.shuffle", {"elementsize"}, false, {{"elementsize", "%"}}},
    {"numcodecs.lz4", {"acceleration"}, false, {{NULL, NULL}}},
    {"numcodecs.lzma", {"preset"}, false, {{NULL, NULL}}},
};

/* zfp's modes go by the name of the parameter that each of them has: zfp:rate=8. */
static const struct {
    const char *key, *mode, *parameter;
} zfp_modes[] = {
    {"accuracy", "fixed_accuracy", "tolerance"},
    {"rate", "fixed_rate", "rate"},
    {"precision", "fixed_precision", "precision"},
};

/* Codecs that turn an array into an array; bytes goes behind the last of them. */
static const char *const array_codecs[] = {
    "transpose",         "bitround",           "cast_value",      "scale_offset",       "reshape",
    "numcodecs.astype",  "numcodecs.bitround", "numcodecs.delta", "numcodecs.packbits", "numcodecs.fixedscaleoffset",
    "numcodecs.quantize"};
/* Codecs that turn an array into bytes. */
static const char *const byte_makers[] = {
    "bytes",      "sharding_indexed",     "vlen-utf8",       "vlen-bytes",         "packbits",         "zfp",
    "n5_default", "numcodecs.categorize", "numcodecs.json2", "numcodecs.msgpack2", "numcodecs.pcodec", "numcodecs.zfpy"};

static bool is_one_of(const char *name, size_t size, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) return true;
    }
    return false;
}

#define IS_ONE_OF(name, size, names) is_one_of(name, size, names, sizeof(names) / sizeof *(names))

static bool is_json_scalar(const char *text, size_t size) {
    static const char *const words[] = {"true", "false", "null"};
    if (strchr("[{\"", text[0])) return true;
    if (IS_ONE_OF(text, size, words)) return true;
    char *end = NULL;
    const char first = text[text[0] == '-']; /* strtod reads -Infinity as well */
    return first >= '0' && first <= '9' && (strtod(text, &end), end == text + size) && !memchr(text, 'x', size);
}

static void write_value(cli_json *json, const char *text, size_t size) {
    char *value = cli_copy(text, size);
    if (size && is_json_scalar(value, size)) {
        cli_json_raw(json, value, size);
    } else {
        cli_json_string_n(json, value, size);
    }
    free(value);
}

/* Length of the text up to the next comma that is not inside brackets or a string. */
static size_t item_length(const char *text) {
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; text[i]; i++) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted) continue;
        if (text[i] == '[' || text[i] == '{') depth++;
        if (text[i] == ']' || text[i] == '}') depth--;
        if (text[i] == ',' && depth <= 0) break;
    }
    return i;
}

static const codec_facts *find_facts(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof known_codecs / sizeof known_codecs[0]; i++) {
        if (strlen(known_codecs[i].name) == size && memcmp(known_codecs[i].name, name, size) == 0) return &known_codecs[i];
    }
    return NULL;
}

/* Length of the name in "name=value", or 0 for a value alone. */
static size_t key_length(const char *item, size_t size) {
    const char *equals = strchr("[{\"", item[0]) ? NULL : memchr(item, '=', size);
    return equals ? (size_t)(equals - item) : 0;
}

static bool mentions(const char *parameters, const char *key) {
    for (const char *at = parameters; *at;) {
        const size_t size = item_length(at);
        if (key_length(at, size) == strlen(key) && strncmp(at, key, strlen(key)) == 0) return true;
        at += size + (at[size] == ',');
    }
    return false;
}

static void write_member(cli_json *json, const char *key, size_t key_size, const char *value, size_t size) {
    cli_json_key_n(json, key, key_size);
    write_value(json, value, size);
}

/* The parameter that stands for one of zfp's modes. False for every other one. */
static bool write_zfp_mode(cli_json *json, const char *item, size_t key_size, size_t size) {
    for (size_t i = 0; i < sizeof zfp_modes / sizeof zfp_modes[0]; i++) {
        if (strlen(zfp_modes[i].key) != key_size || memcmp(zfp_modes[i].key, item, key_size) != 0) continue;
        cli_json_key(json, "mode"), cli_json_string(json, zfp_modes[i].mode);
        write_member(json, zfp_modes[i].parameter, strlen(zfp_modes[i].parameter), item + key_size + 1,
                     size - key_size - 1);
        return true;
    }
    return false;
}

/* Required parameters that were given neither by name nor as one of the first `places` values. */
static void write_required(cli_json *json, const codec_facts *facts, const char *parameters, size_t places,
                           size_t element_size) {
    for (size_t i = 0; i < 6 && facts->required[i].key; i++) {
        const char *key = facts->required[i].key;
        const char *value = facts->required[i].value;
        bool given = mentions(parameters, key);
        for (size_t k = 0; k < places && k < 3 && facts->places[k]; k++)
            given = given || strcmp(facts->places[k], key) == 0;
        if (given) continue;
        cli_json_key(json, key);
        if (*value == '%') {
            cli_json_uint(json, element_size);
        } else {
            cli_json_raw(json, value, strlen(value));
        }
    }
}

/* 2,1,0 as one list; a value that is a list already stays as it is. */
static void write_list(cli_json *json, const char *key, const char *items) {
    cli_json_key(json, key);
    const bool is_list = *items == '[' && !items[item_length(items)];
    if (is_list) {
        cli_json_raw(json, items, strlen(items));
        return;
    }
    cli_json_open(json, '[');
    for (const char *at = items; *at;) {
        const size_t size = item_length(at);
        write_value(json, at, size);
        at += size + (at[size] == ',');
    }
    cli_json_close(json, ']');
}

static void write_parameters(cli_json *json, const codec_facts *facts, const char *parameters, size_t element_size) {
    const bool is_zfp = facts && strcmp(facts->name, "zfp") == 0 && !mentions(parameters, "mode");
    size_t places = 0;
    if (facts && facts->is_list && !key_length(parameters, item_length(parameters))) {
        write_list(json, facts->places[0], parameters);
        return;
    }
    for (const char *at = parameters; *at;) {
        const size_t size = item_length(at);
        const size_t key_size = key_length(at, size);
        if (key_size == 0) {
            const char *key = facts && places < 3 && facts->places[places] ? facts->places[places] : "level";
            places++;
            write_member(json, key, strlen(key), at, size);
        } else if (!is_zfp || !write_zfp_mode(json, at, key_size, size)) {
            write_member(json, at, key_size, at + key_size + 1, size - key_size - 1);
        }
        at += size + (at[size] == ',');
    }
    if (facts) write_required(json, facts, parameters, places, element_size);
}

static void write_codec(cli_json *json, const char *text, size_t element_size) {
    if (*text == '{' || *text == '"') {
        cli_json_raw(json, text, strlen(text));
        return;
    }
    const size_t name_size = strcspn(text, ":");
    const codec_facts *facts = find_facts(text, name_size);
    const char *parameters = text[name_size] ? text + name_size + 1 : "";
    cli_json_open(json, '{');
    cli_json_key(json, "name");
    cli_json_string_n(json, text, name_size);
    if (*parameters || (facts && facts->required[0].key)) {
        cli_json_key(json, "configuration");
        cli_json_open(json, '{');
        write_parameters(json, facts, parameters, element_size);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

/* The codec's name in a short text or in JSON; in JSON the first string behind "name" will do, since a wrong guess only
 * leads to a message of the library. */
static const char *codec_name(const char *text, size_t *size) {
    if (*text == '{') {
        const char *key = strstr(text, "\"name\"");
        const char *quote = key ? strchr(key + 6, '"') : NULL;
        text = quote ? quote : "\"\"";
    }
    if (*text == '"') {
        *size = strcspn(text + 1, "\"");
        return text + 1;
    }
    *size = strcspn(text, ":");
    return text;
}

static const char *byte_maker_for(const char *dtype) {
    if (strcmp(dtype, "string") == 0) return "vlen-utf8";
    if (strcmp(dtype, "bytes") == 0) return "vlen-bytes";
    return "bytes";
}

char *cli_codecs_json(const cli_list *given, const char *dtype, size_t element_size) {
    if (!given->count) return NULL;
    if (given->count == 1 && given->items[0][0] == '[') return cli_copy(given->items[0], strlen(given->items[0]));
    bool makes_bytes = false;
    size_t behind = 0;
    for (size_t i = 0; i < given->count; i++) {
        size_t size;
        const char *name = codec_name(given->items[i], &size);
        makes_bytes = makes_bytes || IS_ONE_OF(name, size, byte_makers);
        if (IS_ONE_OF(name, size, array_codecs)) behind = i + 1;
    }
    cli_json json = {0};
    cli_json_open(&json, '[');
    for (size_t i = 0; i <= given->count; i++) {
        if (!makes_bytes && i == behind) write_codec(&json, byte_maker_for(dtype), element_size);
        if (i < given->count) write_codec(&json, given->items[i], element_size);
    }
    cli_json_close(&json, ']');
    return json.text;
}

static char *quoted(const char *text) {
    cli_json json = {0};
    cli_json_string(&json, text);
    return json.text;
}

char *cli_name_json(const char *text) {
    return *text == '{' || *text == '"' ? cli_copy(text, strlen(text)) : quoted(text);
}

char *cli_fill_json(const char *text) {
    return *text && is_json_scalar(text, strlen(text)) ? cli_copy(text, strlen(text)) : quoted(text);
}

char *cli_key_encoding_json(const char *text) {
    if (*text == '{' || *text == '"') return cli_copy(text, strlen(text));
    const size_t name_size = strcspn(text, ":");
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "name");
    cli_json_string_n(&json, text, name_size);
    if (text[name_size]) {
        cli_json_key(&json, "configuration");
        cli_json_open(&json, '{');
        cli_json_key(&json, "separator");
        cli_json_string(&json, text + name_size + 1);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, '}');
    return json.text;
}
