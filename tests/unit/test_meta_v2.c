/* SPDX-License-Identifier: MIT */
/* Metadata documents of Zarr v2: what becomes of data types, fill values and filters, and what is refused. */
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

static zl_status parse_both(zl_metadata **out, const char *json, const char *attributes, const zl_allocator *allocator,
                            zl_error *err) {
    const zl_document_text node = {json, strlen(json), "a/.zarray"};
    const zl_document_text beside = {attributes, attributes != NULL ? strlen(attributes) : 0, "a/.zattrs"};
    return zl_metadata_parse_v2(out, ZL_NODE_ARRAY, &node, attributes != NULL ? &beside : NULL, &env, allocator, err);
}

static zl_metadata *parse(const char *json) {
    zl_error err = {0};
    zl_metadata *metadata = NULL;
    zt_assert_ok(parse_both(&metadata, json, NULL, &zl_default_allocator, &err), &err);
    return metadata;
}

static void end(zl_metadata *metadata) {
    zl_metadata_free(metadata, &zl_default_allocator);
}

static void check_refused(const char *json, zl_status status, const char *words) {
    zl_error err = {0};
    zl_metadata *metadata = NULL;
    zt_assert_fails(parse_both(&metadata, json, NULL, &zl_default_allocator, &err), &err, status, words);
    zt_assert_fails(err.status, &err, status, "a/.zarray: ");
    assert_null(metadata);
}

#define HEAD "{\"zarr_format\":2,\"shape\":[5,4],\"chunks\":[2,3],"

/* "transpose bytes numcodecs.zlib" */
static void check_chain(const zl_metadata *metadata, const char *names) {
    char text[300] = "";
    for (int32_t i = 0; i < metadata->chain->count; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "",
                       metadata->chain->codec[i].cls->name);
    }
    assert_string_equal(text, names);
}

static const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* Elements are stored in the order that a type string names: '<', '>' or '|'. */
static void check_order(const zl_metadata *metadata, char order) {
    const zl_codec *codec = &metadata->chain->codec[metadata->chain->ab_index];
    bool swap = false;
    codec->cls->ab->raw(codec->self, &swap);
    assert_int_equal(swap, order != '|' && (order == '>') != is_big_endian);
}

/* ---- arrays */

static void reads_an_array(void **state) {
    (void)state;
    zl_metadata *m =
        parse(HEAD "\"dtype\":\">i4\",\"fill_value\":7,\"order\":\"F\",\"filters\":null,\"compressor\":{\"id\":"
                   "\"shuffle\",\"elementsize\":\"4\"},\"dimension_separator\":\"/\","
                   "\"_nczarr_array\":{\"dimrefs\":[\"/g/y\",\"/x\"]}}");
    assert_int_equal(m->kind, ZL_NODE_ARRAY);
    assert_int_equal(m->zarr_format, 2);
    assert_int_equal(m->shape.dim[1], 4);
    assert_int_equal(m->grid->uniform(m->grid_self)[1], 3);
    assert_ptr_equal(m->dtype, zl_dtype_builtin(ZL_DTYPE_INT32));
    int32_t fill;
    memcpy(&fill, m->fill, sizeof fill);
    assert_int_equal(fill, 7);
    check_chain(m, "transpose bytes numcodecs.shuffle");
    check_order(m, '>');
    char key[ZL_KEY_MAX];
    const int64_t at[] = {1, 2};
    m->key->format(m->key_self, 2, at, key, sizeof key);
    assert_string_equal(key, "1/2");
    assert_string_equal(m->dimension_names[0], "y");
    assert_string_equal(m->dimension_names[1], "x");
    end(m);
}

static void reads_what_writers_leave_out(void **state) {
    (void)state;
    zl_metadata *m = parse("{\"shape\":[\"0\",4],\"chunks\":[0,4],\"dtype\":\"|u1\"}");
    assert_int_equal(m->shape.dim[0], 0);
    assert_int_equal(m->grid->uniform(m->grid_self)[0], 1);
    check_chain(m, "bytes");
    assert_null(m->dimension_names);
    assert_int_equal(*(const uint8_t *)m->fill, 0);
    end(m);
}

static void takes_names_from_attributes(void **state) {
    (void)state;
    zl_error err = {0};
    zl_metadata *m;
    static const char array[] = HEAD "\"dtype\":\"<f4\"}";
    zt_assert_ok(parse_both(&m, array, "{\"nan\":NaN,\"_ARRAY_DIMENSIONS\":[\"y\",\"x\"]}", &zl_default_allocator, &err),
                 &err);
    assert_string_equal(m->dimension_names[1], "x");
    assert_int_equal(zl_json_count(m->attributes), 2);
    end(m);
    zt_assert_ok(parse_both(&m, array, "{\"_ARRAY_DIMENSIONS\":[\"y\"]}", &zl_default_allocator, &err), &err);
    assert_null(m->dimension_names);
    end(m);
    zt_assert_fails(parse_both(&m, array, "[]", &zl_default_allocator, &err), &err, ZL_ERR_METADATA,
                    "a/.zattrs: must be an object");
    zt_assert_fails(parse_both(&m, array, "{", &zl_default_allocator, &err), &err, ZL_ERR_METADATA, "a/.zattrs: ");
}

/* ---- data types */

static void reads_data_types(void **state) {
    (void)state;
    static const struct {
        const char *dtype;
        const char *name;
        uint32_t size;
        char order;
    } cases[] = {
        {"\"|b1\"", "bool", 1, '|'},
        {"\"<f2\"", "float16", 2, '<'},
        {"\">c16\"", "complex128", 16, '>'},
        {"\"|S5\"", "null_terminated_bytes", 5, '|'},
        {"\">S5\"", "null_terminated_bytes", 5, '|'},
        {"\">U3\"", "fixed_length_utf32", 12, '>'},
        {"\"|V7\"", "raw_bytes", 7, '|'},
        {"\"<M8[25us]\"", "numpy.datetime64", 8, '<'},
        {"\">m8\"", "numpy.timedelta64", 8, '>'},
        {"\"bfloat16\"", "bfloat16", 2, '<'},
        {"\"u1\"", "uint8", 1, '|'},
        {"[[\"a\",\">i2\"],[\"b\",\"|u1\",[2,3]],[\"c\",[[\"d\",\">f8\"]]],[\"e\",\">i2\",2]]", "struct", 20, '>'},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[300];
        (void)snprintf(json, sizeof json, HEAD "\"dtype\":%s}", cases[i].dtype);
        zl_metadata *m = parse(json);
        assert_string_equal(m->dtype->name, cases[i].name);
        assert_int_equal(m->dtype->size, cases[i].size);
        check_order(m, cases[i].order);
        end(m);
    }
    zl_metadata *m = parse(HEAD "\"dtype\":\"<M8[25us]\"}");
    assert_string_equal(zl_dtype_time_unit(m->dtype), "us");
    assert_int_equal(zl_dtype_time_scale(m->dtype), 25);
    end(m);
    m = parse(HEAD "\"dtype\":[[\"b\",\"<u2\",[2,3]]]}");
    const zl_dtype *element;
    zl_shape shape;
    assert_true(zl_dtype_subarray(zl_dtype_field(m->dtype, 0)->dtype, &element, &shape));
    assert_ptr_equal(element, zl_dtype_builtin(ZL_DTYPE_UINT16));
    assert_int_equal(shape.rank, 2);
    end(m);
}

static void refuses_data_types(void **state) {
    (void)state;
    static const struct {
        const char *dtype;
        zl_status status;
        const char *words;
    } cases[] = {
        {"\"<f3\"", ZL_ERR_UNSUPPORTED, "/dtype: data type \"<f3\" is not known"},
        {"\"<f16\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"\"<M8[fortnight]\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"\"<M8[0s]\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"\"|S0\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"\"|S99999999\"", ZL_ERR_LIMIT, "/dtype: "},
        {"\"<\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"\"\"", ZL_ERR_UNSUPPORTED, "is not known"},
        {"7", ZL_ERR_METADATA, "/dtype: a dtype is"},
        {"[]", ZL_ERR_METADATA, "/dtype: a dtype is"},
        {"[[\"a\"]]", ZL_ERR_METADATA, "/dtype/0: a field is"},
        {"[[7,\"<i4\"]]", ZL_ERR_METADATA, "/dtype/0/0: the name"},
        {"[[\"a\",\"<i4\"],[\"a\",\"<i4\"]]", ZL_ERR_METADATA, "two fields have the name \"a\""},
        {"[[\"a\",\"<i4\"],[\"b\",\">i4\"]]", ZL_ERR_UNSUPPORTED, "different byte orders"},
        {"[[\"a\",\"<i4\",[0]]]", ZL_ERR_METADATA, "not greater than 0"},
        {"[[\"a\",\"|O\"]]", ZL_ERR_UNSUPPORTED, "objects as fields"},
        {"\"|O\"", ZL_ERR_METADATA, "objects need a first filter"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[300];
        (void)snprintf(json, sizeof json, HEAD "\"dtype\":%s}", cases[i].dtype);
        check_refused(json, cases[i].status, cases[i].words);
    }
}

/* ---- fill values */

static void check_fill(const char *dtype, const char *fill, const void *expected, size_t size) {
    char json[300];
    (void)snprintf(json, sizeof json, HEAD "\"dtype\":%s,\"fill_value\":%s}", dtype, fill);
    zl_metadata *m = parse(json);
    assert_int_equal(m->dtype->size, size);
    assert_memory_equal(m->fill, expected, size);
    end(m);
}

static void reads_fill_values(void **state) {
    (void)state;
    static const char zeros[32];
    check_fill("\"<i4\"", "null", zeros, 4);
    check_fill("\"<i4\"", "[-1]", &(int32_t){-1}, 4);
    check_fill("\"<i4\"", "\"-5\"", &(int32_t){-5}, 4);
    check_fill("\"|u1\"", "3.0", "\3", 1);
    check_fill("\"|b1\"", "true", "\1", 1);
    check_fill("\"|b1\"", "1", "\1", 1);
    check_fill("\"|b1\"", "0.0", "\0", 1);
    check_fill("\"<f4\"", "\"NaN\"", &(uint32_t){0x7fc00000}, 4);
    check_fill("\"<f4\"", "NaN", &(uint32_t){0x7fc00000}, 4);
    check_fill("\"<f4\"", "-Infinity", &(uint32_t){0xff800000}, 4);
    check_fill("\"<f4\"", "-0.0", &(uint32_t){0x80000000}, 4);
    check_fill("\"<f4\"", "\"1.5\"", &(float){1.5F}, 4);
    check_fill("\"<c8\"", "[1.0, \"NaN\"]", &(uint32_t[2]){0x3f800000, 0x7fc00000}, 8);
    check_fill("\"<c8\"", "0", zeros, 8);
    check_fill("\"|S4\"", "\"WAAAAA==\"", "X\0\0", 4);
    check_fill("\"|S4\"", "\"a b\"", "a b", 4); /* no base64 */
    check_fill("\"|S4\"", "\"\"", zeros, 4);
    check_fill("\"|S4\"", "0", zeros, 4);
    check_fill("\">U1\"", "\"x\"", &(uint32_t){'x'}, 4);
    check_fill("\"<U1\"", "0", zeros, 4);
    check_fill("\">M8[s]\"", "-9223372036854775808", &(int64_t){INT64_MIN}, 8);
    check_fill("\"<M8[s]\"", "\"NaT\"", &(int64_t){INT64_MIN}, 8);
    check_fill("[[\"a\",\"<i2\"],[\"b\",\"|u1\"]]", "\"AQID\"", is_big_endian ? "\2\1\3" : "\1\2\3", 3);
    check_fill("[[\"a\",\">i2\"],[\"b\",\"|u1\"]]", "\"AQID\"", is_big_endian ? "\1\2\3" : "\2\1\3", 3);
    check_fill("[[\"a\",\">i2\"],[\"b\",\"|u1\"]]", "0", zeros, 3);
    check_refused(HEAD "\"dtype\":\"<i4\",\"fill_value\":1.5}", ZL_ERR_METADATA, "/fill_value: 1.5");
    check_refused(HEAD "\"dtype\":\"<i4\",\"fill_value\":\"x\"}", ZL_ERR_METADATA, "/fill_value: ");
    check_refused(HEAD "\"dtype\":\"|S2\",\"fill_value\":\"AAAA\"}", ZL_ERR_METADATA, "neither base64 nor text");
    check_refused(HEAD "\"dtype\":[[\"a\",\"|u1\"]],\"fill_value\":\"AAAA\"}", ZL_ERR_METADATA,
                  "3 bytes for elements of 1");
}

static void check_object_fill(const char *filter, const char *fill, const char *expected) {
    char json[300];
    (void)snprintf(json, sizeof json, HEAD "\"dtype\":\"|O\",\"filters\":[{\"id\":\"%s\"}],\"fill_value\":%s}", filter,
                   fill);
    zl_metadata *m = parse(json);
    zl_slot slot;
    memcpy(&slot, m->fill, sizeof slot);
    assert_int_equal(slot.size, strlen(expected));
    if (slot.size > 0) assert_memory_equal(slot.data, expected, slot.size);
    end(m);
}

static void reads_fill_values_of_objects(void **state) {
    (void)state;
    check_object_fill("vlen-utf8", "0", "");
    check_object_fill("vlen-utf8", "\"\\u00e9\"", "\xc3\xa9");
    check_object_fill("vlen-bytes", "null", "");
    check_object_fill("vlen-bytes", "\"AQID\"", "\1\2\3");
    check_object_fill("vlen-bytes", "\"a b\"", "a b");
    check_object_fill("json2", "[1, 2]", "[1, 2]");
}

/* ---- codecs */

static void makes_chains(void **state) {
    (void)state;
    static const struct {
        const char *dtype, *filters, *compressor, *names;
    } cases[] = {
        {"<f8", "[{\"id\":\"shuffle\",\"elementsize\":\"8\"},{\"id\":\"adler32\"}]", "null",
         "bytes numcodecs.shuffle numcodecs.adler32"},
        {">i4", "[{\"id\":\"delta\",\"dtype\":\">i4\",\"astype\":\"<i2\"}]", "null", "numcodecs.delta bytes"},
        {"<f8", "[]", "{\"id\":\"crc32\"}", "bytes numcodecs.crc32"},
        {"|O", "[{\"id\":\"vlen-utf8\"}]", "{\"id\":\"crc32\"}", "vlen-utf8 numcodecs.crc32"},
        {"|O", "[{\"id\":\"vlen-array\",\"dtype\":\"<i4\"}]", "null", "vlen-bytes"},
        {"|O", "[{\"id\":\"json2\",\"encoding\":\"utf-8\"}]", "null", "numcodecs.json2"},
        {"<f4", "[{\"id\":\"crc32c\"}]", "{\"id\":\"adler32\"}", "bytes numcodecs.crc32c numcodecs.adler32"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[400];
        (void)snprintf(json, sizeof json, HEAD "\"dtype\":\"%s\",\"filters\":%s,\"compressor\":%s}", cases[i].dtype,
                       cases[i].filters, cases[i].compressor);
        zl_metadata *m = parse(json);
        check_chain(m, cases[i].names);
        end(m);
    }
}

static void refuses_codecs(void **state) {
    (void)state;
    static const struct {
        const char *rest;
        zl_status status;
        const char *words;
    } cases[] = {
        {"\"dtype\":\"|O\",\"filters\":[{\"id\":\"pickle\"}]", ZL_ERR_UNSUPPORTED,
         "/filters/0/id: objects in pickles are refused"},
        {"\"dtype\":\"<i4\",\"filters\":[{\"id\":\"pickle\"}]", ZL_ERR_UNSUPPORTED, "may run any program"},
        {"\"dtype\":\"|O\",\"filters\":[{\"id\":\"mine\"}]", ZL_ERR_UNSUPPORTED, "filter \"mine\""},
        {"\"dtype\":\"<i4\",\"compressor\":{\"id\":\"mine\"}", ZL_ERR_UNSUPPORTED,
         "/compressor/id: codec \"mine\" is not known"},
        {"\"dtype\":\"<i4\",\"compressor\":{\"id\":7}", ZL_ERR_METADATA, "/compressor/id: must be a string"},
        {"\"dtype\":\"<i4\",\"compressor\":{}", ZL_ERR_METADATA, "\"id\" is missing"},
        {"\"dtype\":\"<i4\",\"compressor\":\"zlib\"", ZL_ERR_METADATA, "/compressor"},
        {"\"dtype\":\">i4\",\"filters\":[{\"id\":\"delta\",\"dtype\":\"<i4\"}]", ZL_ERR_UNSUPPORTED,
         "/filters/0/dtype: \"<i4\", but what the filter gets has the other byte order"},
        {"\"dtype\":\"<i4\",\"filters\":{}", ZL_ERR_METADATA, "/filters: must be an array"},
        {"\"dtype\":\"<i4\",\"compressor\":{\"id\":\"crc32\",\"location\":7}", ZL_ERR_METADATA, "/compressor/location: "},
        {"\"dtype\":\"<i4\",\"filters\":[{\"id\":\"shuffle\",\"elementsize\":-7}]", ZL_ERR_METADATA,
         "/filters/0/elementsize: "},
        {"\"dtype\":\"|O\",\"filters\":[{\"id\":\"vlen-utf8\"},{\"id\":\"vlen-utf8\"}]", ZL_ERR_UNSUPPORTED,
         "/filters/1: codec \"vlen-utf8\" needs elements, but \"vlen-utf8\" in front of it makes bytes"},
        {"\"dtype\":\"<i4\",\"filters\":[{\"id\":\"shuffle\"},{\"id\":\"bitround\",\"keepbits\":3}]", ZL_ERR_UNSUPPORTED,
         "/filters/1"},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        char json[400];
        (void)snprintf(json, sizeof json, HEAD "%s}", cases[i].rest);
        check_refused(json, cases[i].status, cases[i].words);
    }
}

/* ---- documents */

static void refuses_documents(void **state) {
    (void)state;
    static const struct {
        const char *json;
        zl_status status;
        const char *words;
    } cases[] = {
        {"", ZL_ERR_METADATA, ""},
        {"[]", ZL_ERR_METADATA, "must be an object"},
        {"{\"zarr_format\":3}", ZL_ERR_METADATA, "/zarr_format: 3"},
        {"{\"zarr_format\":2,\"zarr_format\":2}", ZL_ERR_METADATA, "there twice"},
        {"{\"shape\":[1],\"chunks\":[1],\"dtype\":\"<i4\",\"compressor\":{\"id\":\"zlib\",\"id\":\"zlib\"}}",
         ZL_ERR_METADATA, "/compressor: the key \"id\" is there twice"},
        {"{}", ZL_ERR_METADATA, "\"shape\" is missing"},
        {"{\"shape\":[1]}", ZL_ERR_METADATA, "\"dtype\" is missing"},
        {"{\"shape\":[1],\"dtype\":\"<i4\"}", ZL_ERR_METADATA, "\"chunks\" is missing"},
        {"{\"shape\":[-1],\"dtype\":\"<i4\"}", ZL_ERR_METADATA, "/shape/0: -1"},
        {"{\"shape\":7,\"dtype\":\"<i4\"}", ZL_ERR_METADATA, "/shape: must be an array"},
        {"{\"shape\":[1],\"chunks\":[1,1],\"dtype\":\"<i4\"}", ZL_ERR_METADATA, "/chunks: 2 extents for 1 dimensions"},
        {"{\"shape\":[1],\"chunks\":[0],\"dtype\":\"<i4\"}", ZL_ERR_METADATA, "/chunks: the chunk extent of axis 0 is 0"},
        {"{\"shape\":[9223372036854775807],\"chunks\":[1],\"dtype\":\"<i4\"}", ZL_ERR_LIMIT, "/shape: "},
        {HEAD "\"dtype\":\"<i4\",\"order\":\"K\"}", ZL_ERR_METADATA, "/order: "},
        {HEAD "\"dtype\":\"<i4\",\"dimension_separator\":\"-\"}", ZL_ERR_METADATA, "/dimension_separator: "},
    };
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        check_refused(cases[i].json, cases[i].status, cases[i].words);
    }
}

static void reads_groups(void **state) {
    (void)state;
    zl_error err = {0};
    zl_metadata *m;
    const zl_document_text node = {"{\"zarr_format\":2,\"_nczarr_group\":{}}", 36, "g/.zgroup"};
    const zl_document_text attributes = {"{\"a\":1}", 7, "g/.zattrs"};
    zt_assert_ok(zl_metadata_parse_v2(&m, ZL_NODE_GROUP, &node, &attributes, &env, &zl_default_allocator, &err), &err);
    assert_int_equal(m->kind, ZL_NODE_GROUP);
    assert_int_equal(zl_json_count(m->attributes), 1);
    end(m);
}

static zl_status parse_everything(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_error err = {0};
    zl_metadata *m;
    ZL_TRY(parse_both(&m,
                      HEAD
                      "\"dtype\":[[\"a\",\">i2\"],[\"b\",\">U2\",[2]]],\"fill_value\":null,\"order\":\"F\",\"filters\":["
                      "{\"id\":\"shuffle\",\"elementsize\":\"2\"}],\"compressor\":{\"id\":\"adler32\"}}",
                      "{\"_ARRAY_DIMENSIONS\":[\"y\",\"x\"]}", allocator, &err));
    zl_metadata_free(m, allocator);
    return ZL_OK;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(parse_everything, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_an_array),
        cmocka_unit_test(reads_what_writers_leave_out),
        cmocka_unit_test(takes_names_from_attributes),
        cmocka_unit_test(reads_data_types),
        cmocka_unit_test(refuses_data_types),
        cmocka_unit_test(reads_fill_values),
        cmocka_unit_test(reads_fill_values_of_objects),
        cmocka_unit_test(makes_chains),
        cmocka_unit_test(refuses_codecs),
        cmocka_unit_test(refuses_documents),
        cmocka_unit_test(reads_groups),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
