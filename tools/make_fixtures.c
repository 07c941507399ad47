/* SPDX-License-Identifier: MIT */
/*
 * make_fixtures FOLDER
 *
 * Writes the small stores of tests/conformance/fixtures, one for each codec, data type, chunk grid and chunk key encoding,
 * with their contents and the index; tests/conformance/README.md describes the format. What is written is read back and
 * compared, unless the codec is lossy. Lines of the index by other writers stay. Compressors of other versions may give
 * other bytes, so the stores are kept, not made anew by each build.
 *
 * To add one: a line in the table below, `ninja make_fixtures`, run it, and look at what changed. Little-endian machines
 * only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "zarrlite/zarrlite.h"

enum { ROWS = 5, COLUMNS = 6, COUNT = ROWS * COLUMNS, ELEMENT_MAX = 64, DOCUMENT_MAX = 4096, INDEX_MAX = 1 << 16 };
#define WRITER "zarrlite"

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define CODEC(name, configuration) "{\"name\":\"" name "\",\"configuration\":{" configuration "}}"
#define TRANSPOSE CODEC("transpose", "\"order\":[1,0]")
#define REGULAR CODEC("regular", "\"chunk_shape\":[4,6]")
#define TIME(name, unit, scale) CODEC(name, "\"unit\":\"" unit "\",\"scale_factor\":" scale)

/* ------------------------------------------------------------------------------------------------ what there is */

/* Elements of a fixture. */
typedef enum kind {
    BITS,   /* any bits that the type allows */
    RAMP,   /* numbers 0, 1, 2, ... */
    WAVE,   /* numbers with fractions, for lossy codecs */
    TEXT,   /* strings */
    LETTERS /* bytes and characters of fixed length */
} kind;

typedef struct fixture {
    const char *name; /* folder and name */
    const char *data_type, *fill;
    const char *codecs;
    kind values;
    bool lossy;
    const char *grid, *keys; /* NULL: 4 x 6, default */
} fixture;

#define TYPE(name, fill, values) \
    { "type/" name, "\"" name "\"", fill, LITTLE, values, false, NULL, NULL }
#define TYPE_OF(file, json, fill, values) \
    { "type/" file, json, fill, LITTLE, values, false, NULL, NULL }
#define BYTES_CODEC(file, json) \
    { "codec/" file, "\"int16\"", "7", LITTLE "," json, RAMP, false, NULL, NULL }
#define ARRAY_CODEC(file, type, json, values, lossy) \
    { "codec/" file, "\"" type "\"", "0", json "," LITTLE, values, lossy, NULL, NULL }

static const fixture fixtures[] = {
    TYPE("bool", "true", BITS),
    TYPE("int2", "-2", BITS),
    TYPE("int4", "-8", BITS),
    TYPE("int8", "-128", BITS),
    TYPE("int16", "-32768", BITS),
    TYPE("int32", "-2147483648", BITS),
    TYPE("int64", "-9223372036854775808", BITS),
    TYPE("uint2", "3", BITS),
    TYPE("uint4", "15", BITS),
    TYPE("uint8", "255", BITS),
    TYPE("uint16", "65535", BITS),
    TYPE("uint32", "4294967295", BITS),
    TYPE("uint64", "18446744073709551615", BITS),
    TYPE("float4_e2m1fn", "1.5", BITS),
    TYPE("float6_e2m3fn", "-1.125", BITS),
    TYPE("float6_e3m2fn", "28.0", BITS),
    TYPE("float8_e3m4", "\"NaN\"", BITS),
    TYPE("float8_e4m3", "\"-Infinity\"", BITS),
    TYPE("float8_e4m3b11fnuz", "\"NaN\"", BITS),
    TYPE("float8_e4m3fn", "448.0", BITS),
    TYPE("float8_e4m3fnuz", "240.0", BITS),
    TYPE("float8_e5m2", "\"Infinity\"", BITS),
    TYPE("float8_e5m2fnuz", "-1.0", BITS),
    TYPE("float8_e8m0fnu", "1.0", BITS),
    TYPE("bfloat16", "\"0x7fc1\"", BITS),
    TYPE("float16", "\"0xfc01\"", BITS),
    TYPE("float32", "\"0x7fc00001\"", BITS),
    TYPE("float64", "-0.0", BITS),
    TYPE("complex_float4_e2m1fn", "[0.5,-0.5]", BITS),
    TYPE("complex_float6_e2m3fn", "[0.5,-0.5]", BITS),
    TYPE("complex_float6_e3m2fn", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e3m4", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e4m3", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e4m3b11fnuz", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e4m3fnuz", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e5m2", "[0.5,\"NaN\"]", BITS),
    TYPE("complex_float8_e5m2fnuz", "[0.5,-0.5]", BITS),
    TYPE("complex_float8_e8m0fnu", "[0.5,2.0]", BITS),
    TYPE("complex_bfloat16", "[0.5,-0.5]", BITS),
    TYPE("complex_float16", "[0.5,-0.5]", BITS),
    TYPE("complex_float32", "[0.5,-0.5]", BITS),
    TYPE("complex_float64", "[0.5,-0.5]", BITS),
    TYPE("complex64", "[\"NaN\",0.0]", BITS),
    TYPE("complex128", "[\"0x7ff8000000000001\",0.0]", BITS),
    TYPE_OF("datetime64", TIME("numpy.datetime64", "ns", "1"), "\"NaT\"", BITS),
    TYPE_OF("timedelta64", TIME("numpy.timedelta64", "us", "25"), "-1", BITS),
    TYPE_OF("r24", "\"r24\"", "[1,2,3]", BITS),
    TYPE_OF("fixed_length_utf32", CODEC("fixed_length_utf32", "\"length_bytes\":12"), "\"ab\"", LETTERS),
    TYPE_OF("null_terminated_bytes", CODEC("null_terminated_bytes", "\"length_bytes\":3"), "\"YQ==\"", LETTERS),
    TYPE_OF("raw_bytes", CODEC("raw_bytes", "\"length_bytes\":3"), "\"AQID\"", BITS),
    TYPE_OF(
        "struct",
        CODEC("struct", "\"fields\":[{\"name\":\"x\",\"data_type\":\"int8\"},{\"name\":\"y\",\"data_type\":\"float64\"}]"),
        "{\"x\":1,\"y\":2.5}", BITS),
    TYPE_OF("structured", CODEC("structured", "\"fields\":[[\"x\",\"uint16\"],[\"y\",\"float32\"]]"), "\"AQACAAAA\"", BITS),
    {"type/string", "\"string\"", "\"\xc3\xa9\"", CODEC("vlen-utf8", ""), TEXT, false, NULL, NULL},
    {"type/bytes", "\"bytes\"", "[255]", CODEC("vlen-bytes", ""), TEXT, false, NULL, NULL},

    {"codec/bytes_big", "\"float32\"", "0.0", BIG, BITS, false, NULL, NULL},
    ARRAY_CODEC("transpose", "int32", TRANSPOSE, RAMP, false),
    ARRAY_CODEC("reshape", "int16", CODEC("reshape", "\"shape\":[2,-1,2]"), RAMP, false),
    ARRAY_CODEC("reshape_dims", "int16", TRANSPOSE "," CODEC("reshape", "\"shape\":[[0,1]]"), RAMP, false),
    ARRAY_CODEC("cast_value", "float64",
                CODEC("cast_value", "\"data_type\":\"uint8\",\"rounding\":\"towards-zero\",\"out_of_range\":\"clamp\","
                                    "\"scalar_map\":{\"encode\":[[\"NaN\",255]],\"decode\":[[255,\"NaN\"]]}"),
                WAVE, true),
    ARRAY_CODEC("scale_offset", "int16", CODEC("scale_offset", "\"offset\":-5,\"scale\":3"), RAMP, false),
    ARRAY_CODEC("bitround", "float32", CODEC("bitround", "\"keepbits\":4"), WAVE, true),
    {"codec/sharding_indexed", "\"int16\"", "0",
     CODEC("sharding_indexed", "\"chunk_shape\":[1,2],\"codecs\":[" LITTLE "],\"index_codecs\":[" LITTLE
                               "," CODEC("crc32c", "") "],\"index_location\":\"end\""),
     RAMP, false, NULL, NULL},
    {"codec/sharding_start", "\"int16\"", "0",
     CODEC("sharding_indexed",
           "\"chunk_shape\":[2,2],\"codecs\":[" CODEC("sharding_indexed",
                                                      "\"chunk_shape\":[2,1],\"codecs\":[" BIG "],\"index_codecs\":[" LITTLE
                                                      "],\"index_location\":\"start\"") "],\"index_codecs\":[" BIG
                                                                                        "],\"index_location\":\"start\""),
     RAMP, false, NULL, NULL},
    {"codec/packbits", "\"bool\"", "false", CODEC("packbits", "\"padding_encoding\":\"first_byte\""), BITS, false, NULL,
     NULL},
    {"codec/packbits_some", "\"int16\"", "0", CODEC("packbits", "\"first_bit\":1,\"last_bit\":5"), RAMP, true, NULL, NULL},
    {"codec/zfp_reversible", "\"float64\"", "0.0", CODEC("zfp", "\"mode\":\"reversible\""), WAVE, false, NULL, NULL},
    {"codec/zfp_rate", "\"float32\"", "0.0", CODEC("zfp", "\"mode\":\"fixed_rate\",\"rate\":12"), WAVE, true, NULL, NULL},
    {"codec/zfp_precision", "\"int32\"", "0", CODEC("zfp", "\"mode\":\"fixed_precision\",\"precision\":20"), RAMP, true,
     NULL, NULL},
    {"codec/zfp_accuracy", "\"float32\"", "0.0", CODEC("zfp", "\"mode\":\"fixed_accuracy\",\"tolerance\":0.05"), WAVE, true,
     NULL, NULL},
    {"codec/vlen-utf8", "\"string\"", "\"\"", CODEC("vlen-utf8", ""), TEXT, false, NULL, NULL},
    {"codec/vlen-bytes", "\"bytes\"", "\"\"", CODEC("vlen-bytes", ""), TEXT, false, NULL, NULL},
    {"codec/n5_default", "\"int16\"", "0", CODEC("n5_default", "\"codecs\":[" TRANSPOSE "," BIG "]"), RAMP, false, NULL,
     "{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}}"},
    {"codec/n5_default_gzip", "\"float64\"", "0",
     CODEC("n5_default", "\"codecs\":[" TRANSPOSE "," BIG "," CODEC("gzip", "\"level\":6") "]"), WAVE, false, NULL,
     "{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}}"},
    BYTES_CODEC("crc32c", CODEC("crc32c", "")),
    BYTES_CODEC("gzip", CODEC("gzip", "\"level\":5")),
    BYTES_CODEC("zstd", CODEC("zstd", "\"level\":3,\"checksum\":true")),
    BYTES_CODEC("blosc",
                CODEC("blosc", "\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\",\"typesize\":2,\"blocksize\":0")),
    BYTES_CODEC("conditional",
                CODEC("conditional", "\"codecs\":[" CODEC("numcodecs.shuffle", "\"elementsize\":2") "," CODEC(
                                         "crc32c", "") "]"
                                                       ",\"header_bits\":16")),
    BYTES_CODEC("numcodecs.gzip", CODEC("numcodecs.gzip", "")),
    BYTES_CODEC("numcodecs.zlib", CODEC("numcodecs.zlib", "")),
    BYTES_CODEC("numcodecs.zstd", CODEC("numcodecs.zstd", "")),
    BYTES_CODEC("numcodecs.blosc",
                CODEC("numcodecs.blosc", "\"cname\":\"zlib\",\"clevel\":5,\"shuffle\":2,\"blocksize\":0")),
    BYTES_CODEC("numcodecs.lz4", CODEC("numcodecs.lz4", "")),
    BYTES_CODEC("numcodecs.bz2", CODEC("numcodecs.bz2", "")),
    BYTES_CODEC("numcodecs.lzma", CODEC("numcodecs.lzma", "")),
    BYTES_CODEC("numcodecs.shuffle", CODEC("numcodecs.shuffle", "\"elementsize\":2")),
    BYTES_CODEC("numcodecs.adler32", CODEC("numcodecs.adler32", "")),
    BYTES_CODEC("numcodecs.crc32", CODEC("numcodecs.crc32", "\"location\":\"end\"")),
    BYTES_CODEC("numcodecs.crc32c", CODEC("numcodecs.crc32c", "")),
    BYTES_CODEC("numcodecs.fletcher32", CODEC("numcodecs.fletcher32", "")),
    BYTES_CODEC("numcodecs.jenkins_lookup3", CODEC("numcodecs.jenkins_lookup3", "\"initval\":3,\"prefix\":null")),
    ARRAY_CODEC("numcodecs.astype", "float64",
                CODEC("numcodecs.astype", "\"encode_dtype\":\"<f4\",\"decode_dtype\":\"<f8\""), WAVE, true),
    ARRAY_CODEC("numcodecs.delta", "int32", CODEC("numcodecs.delta", "\"dtype\":\"<i4\",\"astype\":\"<i2\""), RAMP, false),
    ARRAY_CODEC("numcodecs.fixedscaleoffset", "float32",
                CODEC("numcodecs.fixedscaleoffset", "\"offset\":1,\"scale\":4,\"dtype\":\"<f4\",\"astype\":\"|i1\""), WAVE,
                true),
    ARRAY_CODEC("numcodecs.quantize", "float64", CODEC("numcodecs.quantize", "\"digits\":1,\"dtype\":\"<f8\""), WAVE, true),
    ARRAY_CODEC("numcodecs.bitround", "float64", CODEC("numcodecs.bitround", "\"keepbits\":5"), WAVE, true),
    {"codec/numcodecs.packbits", "\"bool\"", "false", CODEC("numcodecs.packbits", "") "," LITTLE, BITS, false, NULL, NULL},
    {"codec/numcodecs.zfpy", "\"float32\"", "0.0",
     CODEC("numcodecs.zfpy",
           "\"mode\":2,\"tolerance\":-1,\"rate\":16,\"precision\":-1,\"compression_kwargs\":{\"rate\":16}"),
     WAVE, true, NULL, NULL},

    {"grid/rectilinear", "\"uint8\"", "0", LITTLE, RAMP, false,
     CODEC("rectilinear", "\"kind\":\"inline\",\"chunk_shapes\":[[2,3],[[2,2],3]]"), NULL},
    {"grid/rectilinear_integer", "\"uint8\"", "0", LITTLE, RAMP, false,
     CODEC("rectilinear", "\"kind\":\"inline\",\"chunk_shapes\":[4,[[1,6]]]"), NULL},
    {"key/default_dot", "\"uint8\"", "0", LITTLE, RAMP, false, NULL, CODEC("default", "\"separator\":\".\"")},
    {"key/v2", "\"uint8\"", "0", LITTLE, RAMP, false, NULL, CODEC("v2", "\"separator\":\".\"")},
    {"key/v2_slash", "\"uint8\"", "0", LITTLE, RAMP, false, NULL, CODEC("v2", "\"separator\":\"/\"")},
};

/* Stores of Zarr v2 whose chunks are written by hand. */
static const struct handmade {
    const char *name, *type, *shape, *document, *chunk;
    size_t chunk_size;
    const char *expected;
    size_t expected_size;
} handmade[] = {
#define V2(type, shape, order, filters)                                             \
    "{\"zarr_format\":2,\"shape\":" shape ",\"chunks\":" shape ",\"dtype\":\"" type \
    "\",\"compressor\":null,\"fill_value\":null,"                                   \
    "\"order\":\"" order "\",\"filters\":" filters "}"
#define DATA(text) text, sizeof(text) - 1
    {"v2/order_f", ">i2", "2x3", V2(">i2", "[2,3]", "F", "null"), DATA("\0\1\0\4\0\2\0\5\0\3\0\6"),
     DATA("\1\0\2\0\3\0\4\0\5\0\6\0")},
    {"v2/categorize", "string", "4",
     V2("|O", "[4]", "C", "[{\"id\":\"categorize\",\"labels\":[\"no\",\"yes\"],\"dtype\":\"|O\",\"astype\":\"|u1\"}]"),
     DATA("\2\1\0\2"), DATA("\3\0\0\0yes\2\0\0\0no\0\0\0\0\3\0\0\0yes")},
    {"v2/json2", "string", "3", V2("|O", "[3]", "C", "[{\"id\":\"json2\"}]"), DATA("[\"a\",\"\",\"bc\",\"|O\",[3]]"),
     DATA("\1\0\0\0a\0\0\0\0\2\0\0\0bc")},
    {"v2/msgpack2", "string", "3", V2("|O", "[3]", "C", "[{\"id\":\"msgpack2\"}]"),
     DATA("\x95\xa1"
          "a\xa0\xa2"
          "bc\xa2|O\x91\3"),
     DATA("\1\0\0\0a\0\0\0\0\2\0\0\0bc")},
    {"v2/vlen-utf8", "string", "2", V2("|O", "[2]", "C", "[{\"id\":\"vlen-utf8\"}]"), DATA("\2\0\0\0\1\0\0\0a\2\0\0\0bc"),
     DATA("\1\0\0\0a\2\0\0\0bc")},
};

/* ------------------------------------------------------------------------------------------------ elements */

static void die(const char *name, const zl_error *err) {
    fprintf(stderr, "make_fixtures: %s: %s\n", name, err->message);
    exit(1);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size);
    if (memory == NULL) abort();
    return memory;
}

static uint32_t next_bits(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Bits of one component below one byte, as they stand in memory; 0: all bits count. */
static unsigned small_bits(const char *name) {
    static const char *const names[] = {"bool", "int2", "uint2", "int4", "uint4", "float4", "float6"};
    static const unsigned bits[] = {1, 2, 2, 4, 4, 4, 6};
    if (strncmp(name, "complex_", 8) == 0) name += 8;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0 &&
            (name[strlen(names[i])] < '0' || name[strlen(names[i])] > '9'))
            return bits[i];
    }
    return 0;
}

static void make_bits(const zl_dtype *dtype, uint8_t *out, uint32_t *state) {
    const unsigned bits = small_bits(zl_dtype_name(dtype));
    const bool is_signed = strncmp(zl_dtype_name(dtype), "int", 3) == 0;
    for (size_t i = 0; i < zl_dtype_size(dtype); i++) {
        unsigned byte = next_bits(state) & 0xff;
        if (bits > 0) byte &= (1u << bits) - 1;
        if (bits > 0 && is_signed && byte >> (bits - 1)) byte |= 0xffu << bits;
        out[i] = (uint8_t)byte;
    }
}

/* A number in the array's type. */
static void make_number(const zl_dtype *dtype, double value, void *out) {
    const float single = (float)value;
    const int64_t whole = (int64_t)value;
    switch (zl_dtype_get_id(dtype)) {
    case ZL_DTYPE_FLOAT32: memcpy(out, &single, sizeof single); break;
    case ZL_DTYPE_FLOAT64: memcpy(out, &value, sizeof value); break;
    default: memcpy(out, &whole, zl_dtype_size(dtype)); break;
    }
}

static const char *const words[] = {"", "a", "h\xc3\xa9llo", "zarr", "\xe6\x97\xa5\xe6\x9c\xac"};

static void make_elements(const zl_dtype *dtype, kind values, uint8_t *out) {
    const size_t size = zl_dtype_size(dtype);
    uint32_t state = 1;
    for (int i = 0; i < COUNT; i++, out += size) {
        const char *word = words[i * 7 % 5];
        const zl_slot slot = {.data = word, .size = strlen(word)};
        switch (values) {
        case BITS: make_bits(dtype, out, &state); break;
        case RAMP: make_number(dtype, i, out); break;
        case WAVE: make_number(dtype, (double)(i % 7) * 1.37 + (double)(i / 7) * 0.25, out); break;
        case TEXT: memcpy(out, &slot, sizeof slot); break;
        case LETTERS:
            for (size_t k = 0; k < size; k++)
                out[k] = (uint8_t)(size % 4 == 0 && k % 4 != 0 ? 0 : 'a' + (i + (int)k) % 26);
            break;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ files */

static void make_folder(const char *path) {
    char part[512];
    for (size_t i = 1; path[i] != '\0' && i < sizeof part; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        (void)mkdir(part, 0777); /* which may be there */
    }
}

static void write_file(const char *path, const void *data, size_t size) {
    make_folder(path);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* The contents as README.md describes them. */
static void write_expected(const char *path, const zl_dtype *dtype, const uint8_t *elements) {
    const size_t size = zl_dtype_size(dtype);
    if (!zl_dtype_is_variable(dtype)) {
        write_file(path, elements, COUNT * size);
        return;
    }
    uint8_t *bytes = allocate(COUNT * ELEMENT_MAX);
    size_t at = 0;
    for (int i = 0; i < COUNT; i++) {
        zl_slot slot;
        memcpy(&slot, elements + (size_t)i * size, sizeof slot);
        const uint32_t length = (uint32_t)slot.size;
        memcpy(bytes + at, &length, sizeof length);
        if (length > 0) memcpy(bytes + at + sizeof length, slot.data, length);
        at += sizeof length + length;
    }
    write_file(path, bytes, at);
    free(bytes);
}

static bool same(const zl_dtype *dtype, const uint8_t *a, const uint8_t *b) {
    if (!zl_dtype_is_variable(dtype)) return memcmp(a, b, COUNT * zl_dtype_size(dtype)) == 0;
    for (int i = 0; i < COUNT; i++) {
        zl_slot x, y;
        memcpy(&x, a + (size_t)i * sizeof x, sizeof x);
        memcpy(&y, b + (size_t)i * sizeof y, sizeof y);
        if (x.size != y.size || (x.size > 0 && memcmp(x.data, y.data, (size_t)x.size) != 0)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ fixtures */

/* The last row and the last column are not written: there the fill value shows, once in a chunk that is not stored. */
static void write_elements(const fixture *it, zl_array *array, const uint8_t *elements) {
    static const int64_t start[] = {0, 0}, shape[] = {ROWS - 1, COLUMNS - 1};
    const int64_t size = (int64_t)zl_dtype_size(zl_array_dtype(array)), strides[] = {COLUMNS * size, size};
    const zl_region region = {2, start, shape, NULL};
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    zl_error err = {0};
    options.conditional = ZL_CONDITIONAL_ALWAYS;
    const zl_const_view view = {elements, strides, NULL};
    if (zl_array_write(array, &region, view, &options, &err) != ZL_OK) die(it->name, &err);
}

static void make_fixture(zl_context *context, const char *folder, const fixture *it, FILE *index) {
    char path[512], json[DOCUMENT_MAX];
    zl_store *store = NULL;
    zl_array *array = NULL;
    zl_result *result = NULL;
    zl_error err = {0};
    const zl_file_store_options create = {.size = sizeof create, .create = true};
    (void)snprintf(json, sizeof json,
                   "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[%d,%d],\"data_type\":%s,\"chunk_grid\":%s,"
                   "\"chunk_key_encoding\":%s,\"fill_value\":%s,\"codecs\":[%s]}",
                   ROWS, COLUMNS, it->data_type, it->grid != NULL ? it->grid : REGULAR,
                   it->keys != NULL ? it->keys : CODEC("default", "\"separator\":\"/\""), it->fill, it->codecs);
    (void)snprintf(path, sizeof path, "%s/%s.zarr", folder, it->name);
    make_folder(path);
    if (zl_store_open_file(&store, context, path, &create, &err) != ZL_OK ||
        zl_array_create_from_metadata(&array, store, NULL, ZL_CREATE_REPLACE, json, strlen(json), &err) != ZL_OK ||
        zl_result_new(&result, context, &err) != ZL_OK)
        die(it->name, &err);
    const zl_dtype *dtype = zl_array_dtype(array);
    const size_t size = zl_dtype_size(dtype);
    uint8_t *elements = allocate(COUNT * size), *got = allocate(COUNT * size);
    const zl_read_options read = {.size = sizeof read, .result = result};
    make_elements(dtype, it->values, elements);
    write_elements(it, array, elements);
    for (size_t i = 0; i < COUNT; i++) {
        const bool written = i / COLUMNS < ROWS - 1 && i % COLUMNS < COLUMNS - 1;
        if (!written) memcpy(elements + i * size, zl_array_fill_value(array), size);
    }
    if (zl_array_read(array, NULL, (zl_view){got, NULL, NULL}, &read, &err) != ZL_OK) die(it->name, &err);
    if (!it->lossy && !same(dtype, got, elements)) {
        fprintf(stderr, "make_fixtures: %s: other elements were read than written\n", it->name);
        exit(1);
    }
    (void)snprintf(path, sizeof path, "%s/%s.bin", folder, it->name);
    write_expected(path, dtype, got);
    fprintf(index, "%s.zarr\t/\t%s\t%dx%d\t%s.bin\t" WRITER "\t0\t-\t-\n", it->name, zl_dtype_name(dtype), ROWS, COLUMNS,
            it->name);
    zl_array_close(array);
    zl_result_free(result);
    if (zl_store_close(store, &err) != ZL_OK) die(it->name, &err);
    free(elements);
    free(got);
}

static void make_by_hand(const char *folder, const struct handmade *it, FILE *index) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.zarr/.zarray", folder, it->name);
    write_file(path, it->document, strlen(it->document));
    (void)snprintf(path, sizeof path, "%s/%s.zarr/%s", folder, it->name, strchr(it->shape, 'x') != NULL ? "0.0" : "0");
    write_file(path, it->chunk, it->chunk_size);
    (void)snprintf(path, sizeof path, "%s/%s.bin", folder, it->name);
    write_file(path, it->expected, it->expected_size);
    fprintf(index, "%s.zarr\t/\t%s\t%s\t%s.bin\thand\t0\t-\t-\n", it->name, it->type, it->shape, it->name);
}

/* Lines of the index that are not ours, each with its end of line. */
static char *keep_lines(const char *path) {
    FILE *file = fopen(path, "r");
    char *kept = allocate(INDEX_MAX);
    char line[1024];
    size_t size = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const bool ours = line[0] == '#' || strstr(line, "\t" WRITER "\t") != NULL || strstr(line, "\thand\t") != NULL;
        const size_t length = strlen(line);
        if (ours || size + length >= INDEX_MAX) continue;
        memcpy(kept + size, line, length);
        size += length;
    }
    if (file != NULL) (void)fclose(file);
    return kept;
}

int main(int argc, char **argv) {
    char path[512];
    zl_context *context;
    zl_error err = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: make_fixtures FOLDER\n");
        return 2;
    }
    if (zl_context_new(&context, NULL, &err) != ZL_OK) die("context", &err);
    (void)snprintf(path, sizeof path, "%s/index.tsv", argv[1]);
    make_folder(path);
    char *others = keep_lines(path);
    FILE *index = fopen(path, "w");
    if (index == NULL) {
        perror(path);
        return 1;
    }
    fprintf(index, "#store\tarray\tdata_type\tshape\texpected\twriter\ttolerance\tnotes\tinput\n");
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++)
        make_fixture(context, argv[1], &fixtures[i], index);
    for (size_t i = 0; i < sizeof handmade / sizeof handmade[0]; i++)
        make_by_hand(argv[1], &handmade[i], index);
    fputs(others, index);
    free(others);
    zl_context_free(context);
    return fclose(index) == 0 ? 0 : 1;
}
