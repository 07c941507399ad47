/* SPDX-License-Identifier: MIT */
#include "codec_modern.h"

#include <stdlib.h>

static cli_value member_or(cli_value object, const char *key, const char *otherwise, size_t size) {
    cli_value value;
    return cli_value_member(object, key, &value) ? value : (cli_value){otherwise, size};
}

static void write_member(cli_json *json, const char *key, cli_value value) {
    cli_json_key(json, key);
    cli_json_raw(json, value.text, value.size);
}

static void write_zstd(cli_json *json, cli_value configuration, size_t element_size) {
    (void)element_size;
    write_member(json, "level", member_or(configuration, "level", "0", 1));
    write_member(json, "checksum", member_or(configuration, "checksum", "false", 5));
}

static void write_gzip(cli_json *json, cli_value configuration, size_t element_size) {
    (void)element_size;
    write_member(json, "level", member_or(configuration, "level", "1", 1));
}

/* numcodecs counts the kinds of shuffling: -1 means bits for elements of one byte, bytes for larger ones. */
static const char *shuffle_name(cli_value number, size_t element_size) {
    if (cli_value_is(number, "0")) return "noshuffle";
    if (cli_value_is(number, "2")) return "bitshuffle";
    return cli_value_is(number, "-1") && element_size == 1 ? "bitshuffle" : "shuffle";
}

static void write_blosc(cli_json *json, cli_value configuration, size_t element_size) {
    write_member(json, "cname", member_or(configuration, "cname", "\"lz4\"", 5));
    write_member(json, "clevel", member_or(configuration, "clevel", "5", 1));
    cli_json_key(json, "shuffle");
    cli_json_string(json, shuffle_name(member_or(configuration, "shuffle", "1", 1), element_size));
    cli_json_key(json, "typesize"), cli_json_uint(json, element_size);
    write_member(json, "blocksize", member_or(configuration, "blocksize", "0", 1));
}

static const struct {
    const char *json, *name;
    void (*write)(cli_json *json, cli_value configuration, size_t element_size);
} renamed[] = {
    {"\"numcodecs.zstd\"", "zstd", write_zstd},
    {"\"numcodecs.gzip\"", "gzip", write_gzip},
    {"\"numcodecs.blosc\"", "blosc", write_blosc},
};

void cli_codec_write_modern(cli_json *json, cli_value codec, size_t element_size) {
    cli_value name = codec, configuration = {0};
    (void)cli_value_member(codec, "name", &name);
    (void)cli_value_member(codec, "configuration", &configuration);
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (!cli_value_is(name, renamed[i].json)) continue;
        cli_json_open(json, '{');
        cli_json_key(json, "name"), cli_json_string(json, renamed[i].name);
        cli_json_key(json, "configuration"), cli_json_open(json, '{');
        renamed[i].write(json, configuration, element_size);
        cli_json_close(json, '}');
        cli_json_close(json, '}');
        return;
    }
    cli_json_raw(json, codec.text, codec.size);
}
