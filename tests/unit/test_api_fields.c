/* SPDX-License-Identifier: MIT */
/* Reading one field of a structure: nested ones, every kind of pipeline, fill values, views of another data type. */
#include "zt_api.h"

/* 15 bytes: a uint8, position {x float32, y float64}, an int16 whose name has a dot. */
#define NUMBER(name, type) "{\"name\":\"" name "\",\"data_type\":\"" type "\"}"
#define POSITION                                                                                        \
    "{\"name\":\"position\",\"data_type\":{\"name\":\"struct\",\"configuration\":{\"fields\":[" NUMBER( \
        "x", "float32") "," NUMBER("y", "float64") "]}}}"
#define TYPE                                                                                  \
    "{\"name\":\"struct\",\"configuration\":{\"fields\":[" NUMBER("id", "uint8") "," POSITION \
                                                                                 "," NUMBER("a.b", "int16") "]}}"
#define FILL "{\"id\":7,\"position\":{\"x\":1.5,\"y\":300.25},\"a.b\":-2}"
#define DOCUMENT(codecs)                                                                                 \
    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[6,5],\"data_type\":" TYPE                     \
    ",\"chunk_grid\":{\"name\":\"regular\","                                                             \
    "\"configuration\":{\"chunk_shape\":[4,4]}},\"chunk_key_encoding\":\"default\",\"fill_value\":" FILL \
    ",\"codecs\":[" codecs "]}"

enum { ROWS = 6, COLUMNS = 5, COUNT = ROWS * COLUMNS, SIZE = 15 };

static const char *const documents[] = {
    DOCUMENT("{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"),
    DOCUMENT("{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\""),
    DOCUMENT("{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\",\"configuration\":{"
             "\"endian\":\"big\"}}"),
    DOCUMENT("{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,2],\"codecs\":[{\"name\":\"bytes\","
             "\"configuration\":{\"endian\":\"big\"}}],\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":"
             "\"little\"}},\"crc32c\"]}}"),
};

static void put_record(char *record, int i) {
    const uint8_t id = (uint8_t)i;
    const float x = (float)i / 2;
    const double y = 1000.0 + i;
    const int16_t ab = (int16_t)(-i);
    memcpy(record, &id, sizeof id);
    memcpy(record + 1, &x, sizeof x);
    memcpy(record + 5, &y, sizeof y);
    memcpy(record + 13, &ab, sizeof ab);
}

static zl_status read_field(const zl_array *array, const char *field, zl_view view, zl_error *err) {
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.field = field;
    options.threads = 1;
    return zl_array_read(array, NULL, view, &options, err);
}

static zl_array *open_array(zt_api *api, const char *document) {
    zl_array *array;
    zt_api_put(api, "zarr.json", document);
    zt_assert_ok(zl_array_open(&array, api->store, "", &api->err), &api->err);
    return array;
}

static void write_all(zt_api *api, zl_array *array) {
    char records[COUNT * SIZE];
    for (int i = 0; i < COUNT; i++)
        put_record(records + i * SIZE, i);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){records, NULL, NULL}, NULL, &api->err), &api->err);
}

static void check_fields(zt_api *api, const zl_array *array) {
    zl_error *err = &api->err;
    uint8_t id[COUNT];
    float x[COUNT];
    double y[COUNT];
    int16_t ab[COUNT];
    char position[COUNT * 12];
    zt_assert_ok(read_field(array, "id", (zl_view){id, NULL, NULL}, err), err);
    zt_assert_ok(read_field(array, "position.x", (zl_view){x, NULL, NULL}, err), err);
    zt_assert_ok(read_field(array, "position.y", (zl_view){y, NULL, NULL}, err), err);
    zt_assert_ok(read_field(array, "a.b", (zl_view){ab, NULL, NULL}, err), err);
    zt_assert_ok(read_field(array, "position", (zl_view){position, NULL, NULL}, err), err);
    for (int i = 0; i < COUNT; i++) {
        char record[SIZE];
        put_record(record, i);
        assert_int_equal(id[i], i);
        assert_memory_equal(&x[i], record + 1, sizeof x[i]);
        assert_memory_equal(&y[i], record + 5, sizeof y[i]);
        assert_int_equal(ab[i], -i);
        assert_memory_equal(position + i * 12, record + 1, 12);
    }
}

static void reads_fields(void **state) {
    (void)state;
    for (size_t d = 0; d < ZL_COUNT_OF(documents); d++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        zl_array *array = open_array(&api, documents[d]);
        write_all(&api, array);
        check_fields(&api, array);
        check_fields(&api, array); /* by the pipelines that are there now */
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

/* Columns of a table of another layout, backwards and with gaps. */
static void reads_into_strides(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = open_array(&api, documents[1]);
    write_all(&api, array);
    float x[2 * COUNT] = {0};
    const int64_t start[] = {1, 0}, shape[] = {3, 2}, step[] = {2, 3}, strides[] = {-8, 64};
    const zl_region region = {2, start, shape, step};
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.field = "position.x";
    zt_assert_ok(zl_array_read(array, &region, (zl_view){x + 4, strides, NULL}, &options, &api.err), &api.err);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            const int element = (1 + 2 * i) * COLUMNS + 3 * k;
            assert_true(x[4 - 2 * i + 16 * k] == (float)element / 2);
        }
    }
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void reads_fill_values(void **state) {
    (void)state;
    for (size_t d = 0; d < ZL_COUNT_OF(documents); d++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        zl_array *array = open_array(&api, documents[d]);
        double y[COUNT];
        int16_t ab[COUNT];
        zt_assert_ok(read_field(array, "position.y", (zl_view){y, NULL, NULL}, &api.err), &api.err);
        zt_assert_ok(read_field(array, "a.b", (zl_view){ab, NULL, NULL}, &api.err), &api.err);
        for (int i = 0; i < COUNT; i++) {
            assert_true(y[i] == 300.25);
            assert_int_equal(ab[i], -2);
        }
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

static void casts_fields(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    const zl_dtype *int32 = zl_dtype_builtin(ZL_DTYPE_INT32), *uint8 = zl_dtype_builtin(ZL_DTYPE_UINT8);
    int32_t values[COUNT];
    uint8_t bytes[COUNT];
    for (size_t d = 0; d < ZL_COUNT_OF(documents); d++) {
        zl_array *array = open_array(&api, documents[d]);
        zt_assert_ok(read_field(array, "position.y", (zl_view){values, NULL, int32}, err), err);
        assert_int_equal(values[0], 300);
        zt_assert_fails(read_field(array, "position.y", (zl_view){bytes, NULL, uint8}, err), err, ZL_ERR_INVALID_ARGUMENT,
                        "the fill value does not fit: 300.25 is outside the range of data type \"uint8\"");
        write_all(&api, array);
        zt_assert_ok(read_field(array, "position.y", (zl_view){values, NULL, int32}, err), err);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(values[i], 1000 + i);
        zt_assert_fails(read_field(array, "position.y", (zl_view){bytes, NULL, uint8}, err), err, ZL_ERR_INVALID_ARGUMENT,
                        "element (0, 0): 1000");
        zt_assert_fails(read_field(array, "position", (zl_view){bytes, NULL, uint8}, err), err, ZL_ERR_INVALID_ARGUMENT,
                        "no cast between \"struct\" and \"uint8\"");
        for (int c = 0; c < 4; c++) {
            static const int64_t coords[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
            zt_assert_ok(zl_array_erase_chunk(array, coords[c], err), err);
        }
        zl_array_close(array);
    }
    zt_api_end(&api, &memory);
}

static void finds_fields(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_array *array = open_array(&api, documents[0]);
    zl_field field;
    char unused[COUNT * SIZE];
    assert_true(zl_dtype_find_field(zl_array_dtype(array), "position.y", &field));
    assert_string_equal(field.name, "y");
    assert_int_equal(field.offset, 5);
    assert_string_equal(zl_dtype_name(field.dtype), "float64");
    static const char *const wrong[] = {"", ".", "z", "position.", "position.z", "position.x.x", "positio", "a", "id.id"};
    for (size_t i = 0; i < ZL_COUNT_OF(wrong); i++) {
        assert_false(zl_dtype_find_field(zl_array_dtype(array), wrong[i], &field));
        zt_assert_fails(read_field(array, wrong[i], (zl_view){unused, NULL, NULL}, err), err, ZL_ERR_INVALID_ARGUMENT,
                        "\" is none of id, position, position.x, position.y, a.b");
    }
    zl_array_close(array);
    zt_api_put(&api, "n/zarr.json", ZT_ARRAY);
    zt_assert_ok(zl_array_open(&array, api.store, "n", err), err);
    zt_assert_fails(read_field(array, "x", (zl_view){unused, NULL, NULL}, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "field \"x\": elements of type \"uint8\" have no fields");
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static zl_status read_once(const zl_allocator *allocator, void *arg) {
    const char *document = arg;
    zt_api api;
    zl_array *array = NULL;
    int32_t values[COUNT];
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = zt_api_try_put(&api, "zarr.json", document);
    if (status == ZL_OK) status = zl_array_open(&array, api.store, "", &api.err);
    if (status == ZL_OK) {
        status = read_field(array, "position.y", (zl_view){values, NULL, zl_dtype_builtin(ZL_DTYPE_INT32)}, &api.err);
    }
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void runs_out_of_memory(void **state) {
    (void)state;
    char document[2048];
    snprintf(document, sizeof document, "%s", documents[3]);
    zt_run_out_of_memory(read_once, document);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fields), cmocka_unit_test(reads_into_strides), cmocka_unit_test(reads_fill_values),
        cmocka_unit_test(casts_fields), cmocka_unit_test(finds_fields),       cmocka_unit_test(runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
