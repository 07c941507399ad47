/* SPDX-License-Identifier: MIT */
/* Short text of a codec: NAME[:VALUE][:KEY=VALUE,...], such as gzip:5, zstd:level=5,checksum=true or
 * transpose:order=[1,0]. Values that are JSON (numbers, true, false, null, lists, objects) stay as they are, other words
 * become strings. A lone value is the codec's most used parameter. Required parameters that were not named get a usual
 * value. What is wrong in a configuration is found by the library, whose messages name the place. */
#include "codec_text.h"

#include "json_out.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct codec_facts {
    const char *name;
    const char *lone; /* the parameter that a lone value sets */
    struct {
        const char *key, *value;
    } required[6]; /* with usual values; "%" is the element size */
} codec_facts;

static const codec_facts known_codecs[] = {
    {"gzip", "level", {{"level", "6"}}},
    {"zstd", "level", {{"level", "3"}, {"checksum", "false"}}},
    {"blosc",
     "cname",
     {{"cname", "\"lz4\""}, {"clevel", "5"}, {"shuffle", "\"shuffle\""}, {"typesize", "%"}, {"blocksize", "0"}}},
    {"bytes", "endian", {{"endian", "\"little\""}}},
    {"transpose", "order", {{NULL, NULL}}},
    {"bitround", "keepbits", {{NULL, NULL}}},
    {"reshape", "shape", {{NULL, NULL}}},
};

/* Codecs that turn an array into an array; bytes goes behind the last of them. */
static const char *const array_codecs[] = {"transpose", "bitround", "cast_value", "scale_offset", "reshape"};
/* Codecs that turn an array into bytes. */
static const char *const byte_makers[] = {"bytes", "sharding_indexed", "vlen-utf8", "vlen-bytes", "packbits",
                                          "zfp",   "n5_default"};

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
    return (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) && (strtod(text, &end), end == text + size) &&
           !memchr(text, 'x', size);
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

static bool mentions(const char *parameters, const char *key) {
    for (const char *at = parameters; *at;) {
        const size_t size = item_length(at);
        if (strncmp(at, key, strlen(key)) == 0 && at[strlen(key)] == '=') return true;
        at += size + (at[size] == ',');
    }
    return false;
}

static void write_parameters(cli_json *json, const codec_facts *facts, const char *parameters, size_t element_size) {
    bool lone_given = false;
    for (const char *at = parameters; *at;) {
        const size_t size = item_length(at);
        const char *equals = memchr(at, '=', size);
        if (equals) {
            cli_json_key_n(json, at, (size_t)(equals - at));
            write_value(json, equals + 1, size - (size_t)(equals + 1 - at));
        } else {
            lone_given = true;
            cli_json_key(json, facts && facts->lone ? facts->lone : "level");
            write_value(json, at, size);
        }
        at += size + (at[size] == ',');
    }
    for (size_t i = 0; facts && i < 6 && facts->required[i].key; i++) {
        const char *key = facts->required[i].key;
        const char *value = facts->required[i].value;
        if (mentions(parameters, key) || (lone_given && strcmp(key, facts->lone) == 0)) continue;
        cli_json_key(json, key);
        if (*value == '%') {
            cli_json_uint(json, element_size);
        } else {
            cli_json_raw(json, value, strlen(value));
        }
    }
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
