/* SPDX-License-Identifier: MIT */
/* Metadata documents of Zarr v3: what is understood, what is refused and with which words, and that nothing is lost. */
#include "zt.h"

#include "meta/metadata.h"

static const zl_registry no_classes = {0};
static const zl_limits limits = {.size = sizeof limits,
                                 .rank = ZL_MAX_RANK,
                                 .codecs = 64,
                                 .sharding_depth = 4,
                                 .json_depth = 512,
                                 .json_document = 1 << 20,
                                 .element_size = 1 << 20,
                                 .decoded_chunk = 1 << 30};
static const zl_env env = {.size = sizeof env, .limits = &limits, .registry = &no_classes, .zarr_format = 3};

/* ---- documents made of members */

typedef struct member {
    const char *key;
    const char *value;
} member;

static const member array_members[] = {
    {"zarr_format", "3"},
    {"node_type", "\"array\""},
    {"shape", "[4]"},
    {"data_type", "\"uint8\""},
    {"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[4]}}"},
    {"chunk_key_encoding", "{\"name\":\"default\",\"configuration\":{\"separator\":\"/\"}}"},
    {"fill_value", "0"},
    {"codecs", "[{\"name\":\"bytes\"}]"},
};
static const member group_members[] = {{"zarr_format", "3"}, {"node_type", "\"group\""}};

#define TEXT_MAX (512 * 1024)
static char text[TEXT_MAX];

/* A document with changed members: a known key is replaced, with NULL left out; another one is added. */
static const char *make(const member *base, size_t base_count, const member *changes, size_t change_count) {
    size_t size = (size_t)snprintf(text, sizeof text, "{");
    bool used[8] = {false};
    for (size_t i = 0; i < base_count; i++) {
        const char *value = base[i].value;
        for (size_t c = 0; c < change_count; c++) {
            if (changes[c].key == NULL || strcmp(changes[c].key, base[i].key) != 0) continue;
            value = changes[c].value;
            used[c] = true;
        }
        if (value == NULL) continue;
        size += (size_t)snprintf(text + size, sizeof text - size, "%s\"%s\":%s", size > 1 ? "," : "", base[i].key, value);
    }
    for (size_t c = 0; c < change_count; c++) {
        if (used[c] || changes[c].key == NULL) continue;
        size += (size_t)snprintf(text + size, sizeof text - size, ",\"%s\":%s", changes[c].key, changes[c].value);
    }
    assert_true(size + 2 < sizeof text);
    memcpy(text + size, "}", 2);
    return text;
}

#define MAKE_ARRAY(changes) make(array_members, ZL_COUNT_OF(array_members), changes, ZL_COUNT_OF(changes))
#define MAKE_GROUP(changes) make(group_members, ZL_COUNT_OF(group_members), changes, ZL_COUNT_OF(changes))

/* ---- reading */

static zl_status parse(zl_metadata **out, const char *json, zl_error *err) {
    return zl_metadata_parse_v3(out, json, strlen(json), "a/zarr.json", &env, &zl_default_allocator, err);
}

static void check_parses(const char *json) {
    zl_error err = {0};
    zl_metadata *metadata = NULL;
    zt_assert_ok(parse(&metadata, json, &err), &err);
    zl_metadata_free(metadata, &zl_default_allocator);
}

/* Every message names the document. */
static void check_refused(const char *json, zl_status status, const char *words) {
    zl_error err = {0};
    zl_metadata *metadata = NULL;
    zt_assert_fails(parse(&metadata, json, &err), &err, status, words);
    zt_assert_fails(err.status, &err, status, "a/zarr.json: ");
    assert_null(metadata);
}

static void reads_an_array(void **state) {
    (void)state;
    static const member changes[] = {
        {"shape", "[5,0,7]"},
        {"data_type", "\"float32\""},
        {"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2,3,4]}}"},
        {"fill_value", "1.5"},
        {"codecs", "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\"]"},
        {"dimension_names", "[\"z\",null,\"x\"]"},
        {"attributes", "{\"a\":1}"},
    };
    zl_error err = {0};
    zl_metadata *m;
    zt_assert_ok(parse(&m, MAKE_ARRAY(changes), &err), &err);
    assert_int_equal(m->kind, ZL_NODE_ARRAY);
    assert_int_equal(m->zarr_format, 3);
    assert_int_equal(m->shape.rank, 3);
    assert_int_equal(m->shape.dim[0], 5);
    assert_int_equal(m->shape.dim[1], 0);
    assert_int_equal(m->shape.dim[2], 7);
    assert_ptr_equal(m->dtype, zl_dtype_builtin(ZL_DTYPE_FLOAT32));
    float fill;
    memcpy(&fill, m->fill, sizeof fill);
    assert_true(fill == 1.5F);
    assert_int_equal(m->grid->uniform(m->grid_self)[2], 4);
    assert_int_equal(m->chain->count, 2);
    assert_int_equal(m->chain->ab_index, 0);
    assert_string_equal(m->dimension_names[0], "z");
    assert_null(m->dimension_names[1]);
    assert_string_equal(m->dimension_names[2], "x");
    assert_int_equal(zl_json_count(m->attributes), 1);
    zl_metadata_free(m, &zl_default_allocator);
}

static void accepts_all_legal_forms(void **state) {
    (void)state;
    static const member cases[][2] = {
        {{"storage_transformers", "[]"}},
        {{"shape", "[]"}, {"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[]}}"}},
        {{"shape", "[0]"}},
        {{"data_type", "{\"name\":\"uint8\"}"}},
        {{"chunk_key_encoding", "\"default\""}},
        {{"codecs", "[\"bytes\"]"}},
        {{"codecs", "[{\"name\":\"bytes\",\"must_understand\":false}]"}},
        {{"dimension_names", "[null]"}},
        {{"dimension_names", "[\"\"]"}},
        {{"extra", "{\"must_understand\":false}"}},
        {{"extra", "{\"name\":\"x\",\"must_understand\":false,\"other\":[1,2]}"}},
        {{"consolidated_metadata", "{\"must_understand\":false}"}},
        {{"attributes", "{}"}},
        {{"attributes",
          "{\"nan\":NaN,\"deep\":[{\"a\":-Infinity}],\"twice\":1,\"twice\":{\"x\":1,\"x\":2},\"big\":1e999}"}},
        {{"shape", "[9223372036854775807]"}},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        check_parses(MAKE_ARRAY(cases[i]));
    }
}

/* The names of hostile documents are those of the conformance corpus. */
/* Base64 of the legacy type is in the byte order of the codec, inside shards too. */
static void orders_packed_fill_by_the_codec(void **state) {
    (void)state;
    static const char dtype[] =
        "{\"name\":\"structured\",\"configuration\":{\"fields\":[[\"a\",\"uint16\"],[\"b\",\"uint8\"]]}}";
#define BYTES(endian) "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"" endian "\"}}"
#define SHARD(inner)                                                                                 \
    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2],\"codecs\":[" inner "]," \
    "\"index_codecs\":[" BYTES("little") "]}}]"
    static const struct {
        const char *codecs;
        uint16_t value;
    } cases[] = {{"[" BYTES("little") "]", 0x0201},
                 {"[" BYTES("big") "]", 0x0102},
                 {SHARD(BYTES("big")), 0x0102},
                 {SHARD(BYTES("little")), 0x0201},
                 {"[\"bytes\"]", 0x0201}};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        const member changes[] = {{"data_type", dtype}, {"fill_value", "\"AQID\""}, {"codecs", cases[i].codecs}};
        zl_error err = {0};
        zl_metadata *metadata = NULL;
        zt_assert_ok(parse(&metadata, MAKE_ARRAY(changes), &err), &err);
        uint16_t value;
        memcpy(&value, metadata->fill, sizeof value);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(((const uint8_t *)metadata->fill)[2], 3);
        zl_metadata_free(metadata, &zl_default_allocator);
    }
}

static void refuses_invalid_arrays(void **state) {
    (void)state;
    static const struct {
        member change[2];
        zl_status status;
        const char *words;
    } cases[] = {
        /* d01 */ {{{"shape", "[4611686018427387904]"}, {"data_type", "\"float64\""}}, ZL_ERR_LIMIT, "/shape: "},
        /* d02 */ {{{"shape", "[4294967296,4294967296]"}}, ZL_ERR_LIMIT, "/shape: more than 2^63-1 elements"},
        /* d03 */ {{{"shape", "[18446744073709551620]"}}, ZL_ERR_METADATA, "/shape/0: "},
        /* d04 */ {{{"shape", "[-4]"}}, ZL_ERR_METADATA, "/shape/0: -4"},
        /* d05 */ {{{"shape", "[4.5]"}}, ZL_ERR_METADATA, "/shape/0: "},
        {{{"shape", "[4.0]"}}, ZL_ERR_METADATA, "/shape/0: "},
        /* d06 */ {{{"shape", "[\"4\"]"}}, ZL_ERR_METADATA, "/shape/0: "},
        {{{"shape", "4"}}, ZL_ERR_METADATA, "/shape: must be an array"},
        {{{"shape", "null"}}, ZL_ERR_METADATA, "/shape: must be an array"},
        {{{"shape", NULL}}, ZL_ERR_METADATA, "\"shape\" is missing"},
        /* d07 */
        {{{"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[0]}}"}},
         ZL_ERR_METADATA,
         "/chunk_grid"},
        /* d08 */
        {{{"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[-4]}}"}},
         ZL_ERR_METADATA,
         "/chunk_grid"},
        /* d12 */
        {{{"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[4,4]}}"}},
         ZL_ERR_METADATA,
         "/chunk_grid"},
        /* d13 */
        {{{"chunk_grid", "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[]}}"}}, ZL_ERR_METADATA, "/chunk_grid"},
        {{{"chunk_grid", "\"regular\""}}, ZL_ERR_METADATA, "chunk_shape"},
        {{{"chunk_grid", "\"hexagonal\""}}, ZL_ERR_UNSUPPORTED, "hexagonal"},
        {{{"chunk_grid", NULL}}, ZL_ERR_METADATA, "\"chunk_grid\" is missing"},
        /* d29 */ {{{"zarr_format", "4"}}, ZL_ERR_UNSUPPORTED, "/zarr_format: 4"},
        {{{"zarr_format", "2"}}, ZL_ERR_METADATA, "/zarr_format: 2"},
        {{{"zarr_format", "3.0"}}, ZL_ERR_METADATA, "/zarr_format: "},
        /* d30 */ {{{"zarr_format", "\"3\""}}, ZL_ERR_METADATA, "/zarr_format: "},
        {{{"zarr_format", NULL}}, ZL_ERR_METADATA, "\"zarr_format\" is missing"},
        /* d31 */ {{{"node_type", NULL}}, ZL_ERR_METADATA, "\"node_type\" is missing"},
        {{{"node_type", "\"Array\""}}, ZL_ERR_METADATA, "/node_type: must be \"array\" or \"group\""},
        /* d32 */ {{{"extra", "{\"name\":\"x\"}"}}, ZL_ERR_METADATA, "/extra: unknown member"},
        {{{"extra", "{\"must_understand\":true}"}}, ZL_ERR_METADATA, "/extra: unknown member"},
        {{{"extra", "{\"must_understand\":0}"}}, ZL_ERR_METADATA, "/extra/must_understand: "},
        {{{"extra", "{\"must_understand\":false,\"must_understand\":false}"}}, ZL_ERR_METADATA, "must_understand"},
        {{{"extra", "[]"}}, ZL_ERR_METADATA, "/extra: unknown member"},
        {{{"extra", "false"}}, ZL_ERR_METADATA, "/extra: unknown member"},
        /* d33 */ {{{"extra", "null"}}, ZL_ERR_METADATA, "/extra: unknown member"},
        {{{"shape\\u0000", "[4]"}}, ZL_ERR_METADATA, "unknown member"},
        {{{"consolidated_metadata", "{}"}}, ZL_ERR_METADATA, "/consolidated_metadata: unknown member"},
        /* d34 */ {{{"data_type", "\"int128\""}}, ZL_ERR_UNSUPPORTED, "int128"},
        {{{"data_type", "7"}}, ZL_ERR_METADATA, "/data_type"},
        {{{"data_type", NULL}}, ZL_ERR_METADATA, "\"data_type\" is missing"},
        {{{"data_type", "{\"name\":\"uint8\",\"name\":\"uint8\"}"}}, ZL_ERR_METADATA, "/data_type"},
        /* d36 */ {{{"data_type", "\"r34359738368\""}, {"fill_value", "[0]"}}, ZL_ERR_LIMIT, "r34359738368"},
        /* d37 */ {{{"fill_value", NULL}}, ZL_ERR_METADATA, "\"fill_value\" is missing"},
        {{{"fill_value", "null"}}, ZL_ERR_METADATA, "/fill_value"},
        /* d38 */ {{{"fill_value", "256"}}, ZL_ERR_METADATA, "/fill_value"},
        {{{"fill_value", "NaN"}, {"data_type", "\"float64\""}}, ZL_ERR_METADATA, "NaN is no JSON"},
        /* d39 */ {{{"fill_value", "\"0x7fc0\""}, {"data_type", "\"float32\""}}, ZL_ERR_METADATA, "/fill_value"},
        /* d40 */ {{{"fill_value", "[0,0,0]"}, {"data_type", "\"r16\""}}, ZL_ERR_METADATA, "/fill_value"},
        /* d41 */ {{{"dimension_names", "[\"x\",\"y\"]"}}, ZL_ERR_METADATA, "/dimension_names: 2 names for 1 dimensions"},
        {{{"dimension_names", "[7]"}}, ZL_ERR_METADATA, "/dimension_names/0: must be a string or null"},
        {{{"dimension_names", "null"}}, ZL_ERR_METADATA, "/dimension_names: must be an array"},
        /* d42 */
        {{{"chunk_key_encoding", "{\"name\":\"default\",\"configuration\":{\"separator\":\"%\"}}"}},
         ZL_ERR_METADATA,
         "separator"},
        {{{"chunk_key_encoding", NULL}}, ZL_ERR_METADATA, "\"chunk_key_encoding\" is missing"},
        {{{"chunk_key_encoding", "\"spiral\""}}, ZL_ERR_UNSUPPORTED, "spiral"},
        /* d43 */ {{{"codecs", "[]"}}, ZL_ERR_METADATA, "/codecs: "},
        {{{"codecs", "{}"}}, ZL_ERR_METADATA, "/codecs: "},
        {{{"codecs", NULL}}, ZL_ERR_METADATA, "\"codecs\" is missing"},
        /* d44 */ {{{"codecs", "[\"crc32c\"]"}}, ZL_ERR_METADATA, "/codecs"},
        /* d45 */ {{{"codecs", "[\"bytes\",\"bytes\"]"}}, ZL_ERR_METADATA, "/codecs/1"},
        /* d46 */ {{{"codecs", "[\"crc32c\",\"bytes\"]"}}, ZL_ERR_METADATA, "/codecs/0"},
        {{{"codecs", "[{\"name\":\"bytes\",\"extra\":1}]"}}, ZL_ERR_METADATA, "/codecs/0/extra"},
        {{{"codecs", "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\",\"endian\":\"little\"}}]"}},
         ZL_ERR_METADATA,
         "endian"},
        {{{"codecs", "[\"bytes\",\"lzma9\"]"}}, ZL_ERR_UNSUPPORTED, "lzma9"},
        {{{"attributes", "[]"}}, ZL_ERR_METADATA, "/attributes: must be an object"},
        {{{"attributes", "null"}}, ZL_ERR_METADATA, "/attributes: must be an object"},
        {{{"storage_transformers", "[{\"name\":\"x\"}]"}}, ZL_ERR_UNSUPPORTED, "/storage_transformers: "},
        {{{"storage_transformers", "{}"}}, ZL_ERR_METADATA, "/storage_transformers: "},
        /* d20 */ {{{"attributes", "{},\"shape\":[2]"}}, ZL_ERR_METADATA, "shape"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        check_refused(MAKE_ARRAY(cases[i].change), cases[i].status, cases[i].words);
    }
}

/* The same value `count` times, as a JSON array. */
static char *repeat(const char *value, size_t count) {
    char *list = malloc(count * (strlen(value) + 1) + 3);
    assert_non_null(list);
    char *at = list;
    *at++ = '[';
    for (size_t i = 0; i < count; i++) {
        at += sprintf(at, "%s%s", i > 0 ? "," : "", value);
    }
    memcpy(at, "]", 2);
    return list;
}

/* d14, d15, d21, d22, d50 */
static void refuses_what_is_too_much(void **state) {
    (void)state;
    static const size_t ranks[] = {64, 20000};
    for (size_t i = 0; i < ZL_COUNT_OF(ranks); i++) {
        char *shape = repeat("1", ranks[i]);
        const member change[] = {{"shape", shape}};
        check_refused(MAKE_ARRAY(change), ZL_ERR_LIMIT, "the limit is 32");
        free(shape);
    }
    char *codecs = repeat("\"crc32c\"", 20000);
    const member change[] = {{"codecs", codecs}};
    check_refused(MAKE_ARRAY(change), ZL_ERR_LIMIT, "the limit is 64");
    free(codecs);

    static const struct {
        size_t depth;
        zl_status status;
    } nested[] = {{300, ZL_OK}, {200000, ZL_ERR_LIMIT}};
    for (size_t i = 0; i < ZL_COUNT_OF(nested); i++) {
        char *deep = malloc(2 * nested[i].depth + 1);
        assert_non_null(deep);
        memset(deep, '[', nested[i].depth);
        memset(deep + nested[i].depth, ']', nested[i].depth);
        deep[2 * nested[i].depth] = '\0';
        char *attributes = malloc(2 * nested[i].depth + 16);
        assert_non_null(attributes);
        sprintf(attributes, "{\"a\":%s}", deep);
        const member changes[] = {{"attributes", attributes}};
        if (nested[i].status == ZL_OK) {
            check_parses(MAKE_ARRAY(changes));
        } else {
            check_refused(MAKE_ARRAY(changes), nested[i].status, "512");
        }
        free(deep);
        free(attributes);
    }
}

/* d16 to d19, d23, d24, d26, d27 */
static void refuses_what_is_no_json_object(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *words;
    } cases[] = {
        {"", "line 1"},
        {"{\"zarr_format\": 3, \"node_type\": \"arr", "line 1"},
        {"[]", "must be an object"},
        {"null", "must be an object"},
        {"{\"zarr_format\":3,\"node_type\":\"group\"} x", "line 1"},
        {"{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":\"\xff\"}}", "UTF-8"},
        {"{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":\"\\ud800\"}}", "surrogate"},
        {"{\"zarr_format\":03,\"node_type\":\"group\"}", "line 1"},
        {"{\"zarr_format\":3,/* */\"node_type\":\"group\"}", "line 1"},
        {"{'zarr_format':3}", "line 1"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        check_refused(cases[i].json, ZL_ERR_METADATA, cases[i].words);
    }
}

static void reads_groups(void **state) {
    (void)state;
    static const member valid[][1] = {
        {{NULL, NULL}},
        {{"attributes", "{\"a\":NaN}"}},
        {{"extra", "{\"must_understand\":false}"}},
        {{"consolidated_metadata", "{\"kind\":\"inline\",\"must_understand\":false,\"metadata\":{}}"}},
        {{"consolidated_metadata", "{\"metadata\":{\"a\":{\"attributes\":{\"a\":NaN}}}}"}},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(valid); i++) {
        zl_error err = {0};
        zl_metadata *m;
        zt_assert_ok(parse(&m, MAKE_GROUP(valid[i]), &err), &err);
        assert_int_equal(m->kind, ZL_NODE_GROUP);
        zl_metadata_free(m, &zl_default_allocator);
    }
    static const struct {
        member change[1];
        const char *words;
    } invalid[] = {
        {{{"shape", "[4]"}}, "/shape: unknown member"},
        {{{"consolidated_metadata", "[]"}}, "/consolidated_metadata: must be an object"},
        {{{"attributes", "7"}}, "/attributes: must be an object"},
        {{{"extra", "null"}}, "/extra: unknown member"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(invalid); i++) {
        check_refused(MAKE_GROUP(invalid[i].change), ZL_ERR_METADATA, invalid[i].words);
    }
}

/* ---- writing */

static zl_array_options small_array(void) {
    static const int64_t shape[] = {10, 20}, chunk_shape[] = {5, 20};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = shape;
    options.chunk_shape = chunk_shape;
    options.dtype = ZL_DTYPE_UINT16;
    options.codecs_json = "[]";
    return options;
}

/* The value of one member of the document that `options` make, as compact JSON. */
static void check_member(const zl_array_options *options, const char *key, const char *expected) {
    zl_error err = {0};
    zl_json_writer document, member_text;
    zl_metadata *metadata;
    zl_json_writer_init(&document, &zl_default_allocator, 2);
    zl_json_writer_init(&member_text, &zl_default_allocator, 0);
    zt_assert_ok(zl_metadata_emit_array_v3(options, &env, &zl_default_allocator, &document, &err), &err);
    zt_assert_ok(parse(&metadata, (const char *)document.sink.data, &err), &err);
    const zl_json *value = zl_json_member(metadata->root, key);
    if (expected != NULL) {
        zl_json_write_value(&member_text, value);
        zt_assert_ok(zl_json_writer_finish(&member_text, &err), &err);
        assert_string_equal((const char *)member_text.sink.data, expected);
    } else {
        assert_null(value);
    }
    zl_metadata_free(metadata, &zl_default_allocator);
    zl_json_writer_clear(&member_text);
    zl_json_writer_clear(&document);
}

static void writes_members_in_order(void **state) {
    (void)state;
    static const char *const keys[] = {"zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
                                       "chunk_key_encoding", "fill_value", "codecs", "attributes", "dimension_names"};
    static const char *const names[] = {"y", NULL};
    zl_array_options options = small_array();
    options.dimension_names = names;
    zl_error err = {0};
    zl_json_writer writer;
    zl_metadata *metadata;
    zl_json_writer_init(&writer, &zl_default_allocator, 2);
    zt_assert_ok(zl_metadata_emit_array_v3(&options, &env, &zl_default_allocator, &writer, &err), &err);
    zt_assert_ok(parse(&metadata, (const char *)writer.sink.data, &err), &err);
    size_t i = 0;
    for (const zl_json *it = zl_json_first(metadata->root); it != NULL; it = zl_json_next(it)) {
        assert_string_equal(zl_json_key(it, NULL), keys[i++]);
    }
    assert_int_equal(i, ZL_COUNT_OF(keys));
    zl_metadata_free(metadata, &zl_default_allocator);
    zl_json_writer_clear(&writer);
}

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define REGULAR(shape) "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":" shape "}}"
#define RECTILINEAR(shapes) "{\"name\":\"rectilinear\",\"configuration\":{\"kind\":\"inline\",\"chunk_shapes\":" shapes "}}"

static void writes_the_options(void **state) {
    (void)state;
    static const char *const names[] = {"y", NULL};
    zl_array_options options = small_array();
    check_member(&options, "shape", "[10,20]");
    check_member(&options, "data_type", "\"uint16\"");
    check_member(&options, "chunk_grid", REGULAR("[5,20]"));
    check_member(&options, "chunk_key_encoding", "{\"name\":\"default\",\"configuration\":{\"separator\":\"/\"}}");
    check_member(&options, "fill_value", "0");
    check_member(&options, "attributes", "{}");
    check_member(&options, "dimension_names", NULL);

    options.dimension_names = names;
    options.fill_value_json = " 7 ";
    options.attributes_json = "{\"b\":1e400,\"a\":[ ]}";
    options.chunk_key_encoding_json = "\"v2\"";
    options.chunk_shape = NULL;
    check_member(&options, "dimension_names", "[\"y\",null]");
    check_member(&options, "fill_value", "7");
    check_member(&options, "attributes", "{\"b\":1e400,\"a\":[]}");
    check_member(&options, "chunk_key_encoding", "{\"name\":\"v2\"}");
    check_member(&options, "chunk_grid", REGULAR("[10,20]"));

    options.chunk_grid_json = RECTILINEAR("[[3, [7,1]],20]");
    check_member(&options, "chunk_grid", RECTILINEAR("[[3,[7,1]],20]"));
    options.chunk_grid_json = NULL;

    options.dtype = ZL_DTYPE_NONE;
    options.dtype_json = "{\"name\":\"float64\"}";
    options.fill_value_json = "\"0x7ff8000000000000\"";
    check_member(&options, "data_type", "\"float64\"");
    check_member(&options, "fill_value", "\"NaN\"");
}

static void completes_codecs(void **state) {
    (void)state;
    static const struct {
        zl_dtype_id dtype;
        const char *given;
        const char *written;
    } cases[] = {
        {ZL_DTYPE_UINT16, "[]", "[" LITTLE "]"},
        {ZL_DTYPE_UINT8, "[]", "[{\"name\":\"bytes\"}]"},
        {ZL_DTYPE_UINT16, "[\"crc32c\"]", "[" LITTLE ",{\"name\":\"crc32c\"}]"},
        {ZL_DTYPE_UINT8, "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},\"crc32c\"]",
         "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," LITTLE ",{\"name\":\"crc32c\"}]"},
        {ZL_DTYPE_UINT8, "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}]",
         "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," LITTLE "]"},
        {ZL_DTYPE_UINT16, "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]",
         "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]"},
#if ZL_HAVE_ZSTD
        {ZL_DTYPE_UINT8, NULL,
         "[{\"name\":\"bytes\"},{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}]"},
#elif ZL_HAVE_LIBDEFLATE
        {ZL_DTYPE_UINT8, NULL, "[{\"name\":\"bytes\"},{\"name\":\"gzip\",\"configuration\":{\"level\":5}}]"},
#else
        {ZL_DTYPE_UINT8, NULL, "[{\"name\":\"bytes\"}]"},
#endif
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zl_array_options options = small_array();
        options.dtype = cases[i].dtype;
        options.codecs_json = cases[i].given;
        check_member(&options, "codecs", cases[i].written);
    }
}

static void wraps_codecs_in_shards(void **state) {
    (void)state;
    static const int64_t shard_shape[] = {10, 40};
    zl_array_options options = small_array();
    options.shard_shape = shard_shape;
    options.codecs_json = "[\"crc32c\"]";
    check_member(&options, "chunk_grid", REGULAR("[10,40]"));
    check_member(&options, "codecs",
                 "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[5,20],\"codecs\":[" LITTLE
                 ",{\"name\":\"crc32c\"}],\"index_codecs\":[" LITTLE
                 ",{\"name\":\"crc32c\"}],\"index_location\":\"end\"}}]");
    options.chunk_shape = NULL;
    options.codecs_json = "[]";
    check_member(&options, "codecs",
                 "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[10,40],\"codecs\":[" LITTLE
                 "],\"index_codecs\":[" LITTLE ",{\"name\":\"crc32c\"}],\"index_location\":\"end\"}}]");
}

static void check_option_refused(const zl_array_options *options, zl_status status, const char *words) {
    zl_error err = {0};
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 2);
    zt_assert_fails(zl_metadata_emit_array_v3(options, &env, &zl_default_allocator, &writer, &err), &err, status, words);
    zl_json_writer_clear(&writer);
}

#define REFUSED(change, status, words)             \
    do {                                           \
        zl_array_options o = small_array();        \
        change;                                    \
        check_option_refused(&o, (status), words); \
    } while (0)

static void refuses_bad_options(void **state) {
    (void)state;
    static const int64_t zeros[] = {5, 0}, negative[] = {10, -1}, odd[] = {12, 20};
    static const char *const bad_names[] = {"\xff", NULL};
    const zl_status invalid = ZL_ERR_INVALID_ARGUMENT;
    REFUSED(o.rank = -1, invalid, "rank is -1");
    REFUSED(o.rank = 33, ZL_ERR_LIMIT, "the limit is 32");
    REFUSED(o.shape = NULL, invalid, "shape is NULL");
    REFUSED(o.shape = negative, invalid, "shape[1] is -1");
    REFUSED(o.chunk_shape = zeros, invalid, "chunk_shape[1] is 0");
    REFUSED(o.shard_shape = zeros, invalid, "shard_shape[1] is 0");
    REFUSED(o.shard_shape = odd, invalid, "shard_shape[0] is 12, no multiple of the chunk shape's 5");
    REFUSED(o.dtype = ZL_DTYPE_NONE, invalid, "none of dtype and dtype_json");
    REFUSED(o.dtype_json = "\"int8\"", invalid, "each of dtype and dtype_json");
    REFUSED(o.dtype = ZL_DTYPE_COUNT, invalid, "names no data type");
    REFUSED((o.dtype = ZL_DTYPE_NONE, o.dtype_json = "int8"), invalid, "dtype_json: line 1");
    REFUSED((o.dtype = ZL_DTYPE_NONE, o.dtype_json = "7"), invalid, "dtype_json: ");
    REFUSED((o.dtype = ZL_DTYPE_NONE, o.dtype_json = "\"int128\""), ZL_ERR_UNSUPPORTED, "dtype_json: ");
    REFUSED(o.fill_value_json = "70000", invalid, "fill_value_json: ");
    REFUSED(o.fill_value_json = "NaN", invalid, "fill_value_json: line 1");
    REFUSED(o.codecs_json = "[", invalid, "codecs_json: line 1");
    REFUSED(o.codecs_json = "\"bytes\"", invalid, "codecs_json: must be an array");
    REFUSED(o.codecs_json = "[7]", invalid, "codecs_json: ");
    REFUSED(o.codecs_json = "[{\"name\":\"bytes\",\"name\":\"bytes\"}]", invalid, "codecs_json: ");
    REFUSED(o.codecs_json = "[\"lzma9\"]", ZL_ERR_UNSUPPORTED, "codecs_json: ");
    REFUSED((o.shard_shape = o.chunk_shape, o.codecs_json = "[\"sharding_indexed\"]"), invalid,
            "codecs_json: /0: \"sharding_indexed\" and shard_shape are both given");
    REFUSED(o.chunk_grid_json = "[", invalid, "chunk_grid_json: line 1");
    REFUSED(o.chunk_grid_json = "7", invalid, "chunk_grid_json: ");
    REFUSED((o.shard_shape = o.chunk_shape, o.chunk_grid_json = REGULAR("[5,20]")), invalid,
            "chunk_grid_json and shard_shape are both given");
    REFUSED((o.chunk_shape = zeros, o.chunk_grid_json = REGULAR("[5,20]")), invalid, "chunk_shape[1] is 0");
    REFUSED(o.attributes_json = "[]", invalid, "attributes_json: must be an object");
    REFUSED(o.attributes_json = "{\"a\":NaN}", invalid, "attributes_json: line 1");
    REFUSED(o.chunk_key_encoding_json = "[]", invalid, "chunk_key_encoding_json: ");
    REFUSED(o.dimension_names = bad_names, invalid, "dimension_names[0] is not valid UTF-8");
}

static void writes_groups(void **state) {
    (void)state;
    zl_error err = {0};
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zt_assert_ok(zl_metadata_emit_group_v3("{\"a\": 1.50}", &limits, &zl_default_allocator, &writer, &err), &err);
    assert_string_equal((const char *)writer.sink.data,
                        "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":1.50}}");
    zl_json_writer_clear(&writer);

    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zt_assert_fails(zl_metadata_emit_group_v3("7", &limits, &zl_default_allocator, &writer, &err), &err,
                    ZL_ERR_INVALID_ARGUMENT, "attributes_json: must be an object");
    zl_json_writer_clear(&writer);
}

/* ---- rewriting */

static void check_rewrite(const char *json, const char *attributes, const int64_t *shape, const char *expected) {
    zl_error err = {0};
    zl_metadata *metadata;
    zl_json_doc *doc = NULL;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, 0);
    zt_assert_ok(parse(&metadata, json, &err), &err);
    if (attributes != NULL) {
        zt_assert_ok(zl_json_parse(&doc, attributes, strlen(attributes), NULL, &zl_default_allocator, &err), &err);
    }
    const zl_json *value = doc != NULL ? zl_json_root(doc) : NULL;
    zt_assert_ok(zl_metadata_rewrite(metadata->root, value, shape, metadata->shape.rank, &writer, &err), &err);
    assert_string_equal((const char *)writer.sink.data, expected);
    zl_json_writer_clear(&writer);
    zl_json_doc_free(doc);
    zl_metadata_free(metadata, &zl_default_allocator);
}

#define HEAD "{\"attributes\":{\"nan\":NaN,\"big\":123456789012345678901234567890,\"x\":1.50e+01},"
#define ARRAY_BEHIND                                                                                \
    "\"data_type\":{\"name\":\"uint8\"},\"chunk_grid\":" REGULAR(                                   \
        "[4]") ",\"chunk_key_encoding\":\"v2\","                                                    \
               "\"fill_value\":0,\"codecs\":[\"bytes\"],\"node_type\":\"array\",\"zarr_format\":3," \
               "\"mine\\u0000\\\"\":{\"must_understand\":false,\"n\":1e999,\"twice\":1},\"dimension_names\":[null]}"

static void rewrites_verbatim(void **state) {
    (void)state;
    static const int64_t shape[] = {9};
    check_rewrite(HEAD "\"shape\":[4]," ARRAY_BEHIND, NULL, NULL, HEAD "\"shape\":[4]," ARRAY_BEHIND);
    check_rewrite(HEAD "\"shape\":[4]," ARRAY_BEHIND, NULL, shape, HEAD "\"shape\":[9]," ARRAY_BEHIND);
    check_rewrite(HEAD "\"shape\":[4]," ARRAY_BEHIND, "{\"a\" : 1.0}", NULL,
                  "{\"attributes\":{\"a\":1.0},\"shape\":[4]," ARRAY_BEHIND);
    check_rewrite("{\"node_type\":\"group\",\"zarr_format\":3}", "{}", NULL,
                  "{\"node_type\":\"group\",\"zarr_format\":3,\"attributes\":{}}");
}

#define RECTILINEAR_ARRAY(shape, shapes)                                                                                  \
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":" shape ",\"data_type\":\"uint8\",\"chunk_grid\":" RECTILINEAR( \
        shapes) ",\"chunk_key_encoding\":\"default\",\"fill_value\":0,\"codecs\":[\"bytes\"]}"

/* Edges that suffice, runs and integers stay as they are written; the last run of a list that is too short gets longer. */
static void lets_grids_grow(void **state) {
    (void)state;
    static const int64_t shape[] = {13, 30, 4};
    check_rewrite(RECTILINEAR_ARRAY("[9,9,9]", "[[[3,3]],8,[[1,2],7]]"), NULL, shape,
                  RECTILINEAR_ARRAY("[13,30,4]", "[[[3,5]],8,[[1,2],7]]"));
    check_rewrite(RECTILINEAR_ARRAY("[9,9,9]", "[[4,[1,1],4],[9],[9]]"), NULL, shape,
                  RECTILINEAR_ARRAY("[13,30,4]", "[[4,[1,1],[4,2]],[[9,4]],[9]]"));
}

/* ---- default chunks */

static void chooses_chunk_shapes(void **state) {
    (void)state;
    static const struct {
        int32_t rank;
        int64_t shape[3];
        size_t element_size;
        uint64_t target;
        int64_t chunk[3];
    } cases[] = {
        {1, {100}, 8, 0, {100}},
        {1, {0}, 8, 0, {1}},
        {1, {131072}, 8, 0, {131072}},
        {1, {131073}, 8, 0, {65537}},
        {2, {4096, 4096}, 8, 0, {32, 4096}},
        {3, {10, 1000, 1000}, 4, 0, {1, 250, 1000}},
        {3, {INT64_MAX, 1, 1}, 1, 0, {1048576, 1, 1}},
        {2, {3, INT64_MAX}, 1, 100, {1, 100}},
        {2, {5, 5}, 1 << 20, 1, {1, 1}},
        {2, {5, 5}, 0, 0, {5, 5}},
        {1, {7}, 1, UINT64_MAX, {7}},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        int64_t chunk[3] = {0};
        zl_default_chunk_shape(cases[i].rank, cases[i].shape, cases[i].element_size, cases[i].target, chunk);
        for (int32_t axis = 0; axis < cases[i].rank; axis++) {
            assert_int_equal(chunk[axis], cases[i].chunk[axis]);
        }
    }
    zl_default_chunk_shape(0, NULL, 8, 0, NULL);
}

/* ---- out of memory */

static zl_status parse_scenario(const zl_allocator *allocator, void *arg) {
    zl_metadata *metadata = NULL;
    const char *json = arg;
    zl_error err = {0};
    const zl_status status = zl_metadata_parse_v3(&metadata, json, strlen(json), "a/zarr.json", &env, allocator, &err);
    zl_metadata_free(metadata, allocator);
    return status;
}

static zl_status emit_scenario(const zl_allocator *allocator, void *arg) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, allocator, 2);
    const zl_status status = zl_metadata_emit_array_v3(arg, &env, allocator, &writer, NULL);
    zl_json_writer_clear(&writer);
    return status;
}

static zl_status rewrite_scenario(const zl_allocator *allocator, void *arg) {
    zl_json_writer writer;
    zl_json_writer_init(&writer, allocator, 2);
    const zl_status status = zl_metadata_rewrite(((const zl_metadata *)arg)->root, NULL, NULL, 0, &writer, NULL);
    zl_json_writer_clear(&writer);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    static const member changes[] = {{"dimension_names", "[\"x\"]"}, {"attributes", "{\"a\":[1,2,{\"b\":null}]}"}};
    static const int64_t shard_shape[] = {10, 40};
    zt_run_out_of_memory(parse_scenario, (void *)MAKE_ARRAY(changes));

    zl_array_options options = small_array();
    options.shard_shape = shard_shape;
    options.dtype = ZL_DTYPE_NONE;
    options.dtype_json = "\"r24\"";
    options.fill_value_json = "[1,2,3]";
    options.codecs_json = "[\"crc32c\"]";
    options.attributes_json = "{\"a\":1}";
    options.chunk_key_encoding_json = "\"v2\"";
    zt_run_out_of_memory(emit_scenario, &options);

    zl_error err = {0};
    zl_metadata *metadata;
    zt_assert_ok(parse(&metadata, MAKE_ARRAY(changes), &err), &err);
    zt_run_out_of_memory(rewrite_scenario, metadata);
    zl_metadata_free(metadata, &zl_default_allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_an_array),
        cmocka_unit_test(accepts_all_legal_forms),
        cmocka_unit_test(orders_packed_fill_by_the_codec),
        cmocka_unit_test(refuses_invalid_arrays),
        cmocka_unit_test(refuses_what_is_too_much),
        cmocka_unit_test(refuses_what_is_no_json_object),
        cmocka_unit_test(reads_groups),
        cmocka_unit_test(writes_members_in_order),
        cmocka_unit_test(writes_the_options),
        cmocka_unit_test(completes_codecs),
        cmocka_unit_test(wraps_codecs_in_shards),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(writes_groups),
        cmocka_unit_test(rewrites_verbatim),
        cmocka_unit_test(lets_grids_grow),
        cmocka_unit_test(chooses_chunk_shapes),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("meta_v3", tests, NULL, NULL);
}
