/* SPDX-License-Identifier: MIT */
/* reshape: its rules, its boxes against the order of elements, and arrays with it through the api. */
#include "zt_api.h"
#include "zt_codec.h"

#define RESHAPE(shape) "{\"name\":\"reshape\",\"configuration\":{\"shape\":" shape "}}"

/* ---- configuration and shapes */

static const struct shape_case {
    const char *json;
    int32_t rank;
    int64_t dim[4];
    int32_t out_rank;
    int64_t out[5];
} shape_cases[] = {
    {RESHAPE("[[0,1],[2],3]"), 4, {100, 50, 64, 3}, 3, {5000, 64, 3}}, /* of the page */
    {RESHAPE("[-1]"), 3, {2, 3, 4}, 1, {24}},
    {RESHAPE("[2,-1,2]"), 1, {12}, 3, {2, 3, 2}},
    {RESHAPE("[[0],1,[1,2]]"), 3, {2, 3, 4}, 3, {2, 1, 12}},
    {RESHAPE("[[],-1,[]]"), 2, {2, 3}, 3, {1, 6, 1}},
    {RESHAPE("[6,4]"), 2, {3, 8}, 2, {6, 4}},
    {RESHAPE("[[0,2]]"), 3, {2, 1, 3}, 1, {6}}, /* what is left out has one element */
    {RESHAPE("[]"), 2, {1, 1}, 0, {0}},
    {RESHAPE("[1,-1]"), 0, {0}, 2, {1, 1}},
};

static void finds_the_shape(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(shape_cases); i++) {
        const struct shape_case *it = &shape_cases[i];
        zt_codec codec;
        zt_assert_ok(zt_codec_begin(&codec, it->json, "\"int8\"", NULL, it->rank, it->dim), &codec.err);
        assert_int_equal(codec.inner.rank, it->out_rank);
        for (int32_t k = 0; k < it->out_rank; k++) {
            assert_int_equal(codec.inner.dim[k], it->out[k]);
        }
        zl_json_writer writer;
        zl_json_writer_init(&writer, &codec.allocator, 0);
        codec.cls->emit(codec.self, &writer);
        zt_assert_ok(zl_json_writer_finish(&writer, &codec.err), &codec.err);
        assert_non_null(strstr(it->json, (const char *)writer.sink.data));
        zl_json_writer_clear(&writer);
        zt_codec_close(&codec);
    }
}

static void refuses_what_the_page_forbids(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"\"reshape\"", "\"shape\""},
        {RESHAPE("6"), "/configuration/shape: must be an array"},
        {RESHAPE("[6],\"order\":\"C\""), "order"},
        {RESHAPE("[0,6]"), "/configuration/shape/0: an extent is at least 1"},
        {RESHAPE("[-2]"), "not -2"},
        {RESHAPE("[6.0]"), "/configuration/shape/0"},
        {RESHAPE("[-1,-1]"), "/configuration/shape/1: -1 occurs twice"},
        {RESHAPE("[[1],[0]]"), "/configuration/shape/1/0: dimension 0 comes behind 1"},
        {RESHAPE("[[1,0]]"), "dimension 0 comes behind 1"},
        {RESHAPE("[[0,0]]"), "dimension 0 comes behind 0"},
        {RESHAPE("[[0,2]]"), "dimension 2 of a chunk with 2 dimensions"},
        {RESHAPE("[[-1]]"), "no array has a dimension -1"},
        {RESHAPE("[[32]]"), "no array has a dimension 32"},
        {RESHAPE("[5]"), "6 elements of a chunk with 2 dimensions do not fill"},
        {RESHAPE("[4,-1]"), "do not fill"},
        {RESHAPE("[7,-1]"), "do not fill"},
        {RESHAPE("[[0]]"), "do not fill"},
        {RESHAPE("[9223372036854775807,9223372036854775807,-1]"), "do not fill"},
        {RESHAPE("[3,[0]]"), "dimension 1 is not made of the dimensions 0 to 0"},
        {RESHAPE("[[1],2]"), "dimension 0 is not made of the dimensions 1 to 1"},
    };
    static const int64_t dim[] = {2, 3};
    for (size_t i = 0; i < ZL_COUNT_OF(cases); i++) {
        zt_assert_codec_refused(cases[i].json, "\"int8\"", 2, dim, ZL_ERR_METADATA, cases[i].text);
    }
}

static zl_status open_scenario(const zl_allocator *allocator, void *arg) {
    const struct shape_case *it = arg;
    zt_codec codec;
    zl_status status = zt_codec_init(&codec, allocator);
    if (status == ZL_OK) status = zt_codec_open(&codec, it->json, "\"int8\"", NULL, it->rank, it->dim);
    zt_codec_close(&codec);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    struct shape_case it = shape_cases[0];
    zt_run_out_of_memory(open_scenario, &it);
}

/* ---- boxes */

static int64_t number_of(const zl_shape *shape, const int64_t *at) {
    int64_t number = 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        number = number * shape->dim[i] + at[i];
    }
    return number;
}

#define COUNT_MAX 512

/* For each element of the chunk, where a box has it; NULL: the box does not. Returns how many it has. */
static int64_t list_elements(const zl_shape *shape, const zl_box *box, const char **places) {
    int64_t at[ZL_MAX_RANK] = {0}, count = 0;
    memset(places, 0, COUNT_MAX * sizeof *places);
    do {
        int64_t coords[ZL_MAX_RANK];
        const char *place = box->data;
        for (int32_t i = 0; i < box->rank; i++) {
            coords[i] = box->start[i] + at[i] * box->step[i];
            assert_in_range(coords[i], 0, shape->dim[i] - 1);
            place += at[i] * box->stride[i];
        }
        const int64_t number = number_of(shape, coords);
        assert_null(places[number]);
        places[number] = place;
        count++;
    } while (zl_coords_next(box->rank, box->shape, at));
    return count;
}

static zl_box random_box(zt_random *random, const zl_shape *shape, char *data) {
    zl_box box = zt_codec_box(shape, 1, data);
    int64_t stride = 1;
    const bool fortran = zt_random_below(random, 4) == 0;
    for (int32_t k = 0; k < shape->rank; k++) {
        const int32_t i = fortran ? k : shape->rank - 1 - k;
        const bool whole = zt_random_below(random, 2) == 0;
        box.step[i] = whole ? 1 : zt_random_between(random, 1, 3);
        box.start[i] = whole ? 0 : zt_random_between(random, 0, shape->dim[i] - 1);
        const int64_t most = (shape->dim[i] - 1 - box.start[i]) / box.step[i] + 1;
        box.shape[i] = whole ? shape->dim[i] : zt_random_between(random, 1, most);
        box.stride[i] = stride;
        stride *= box.shape[i];
    }
    return box;
}

static void check_box(const zt_codec *codec, const zl_box *box, bool *mapped) {
    const char *expected[COUNT_MAX], *got[COUNT_MAX];
    const zl_aa_ops *aa = codec->cls->aa;
    const int64_t count = list_elements(&codec->shape, box, expected);
    zl_box out;
    *mapped = aa->remap(codec->bound, box, &out);
    if (*mapped) {
        assert_int_equal(out.rank, codec->inner.rank);
        assert_int_equal(list_elements(&codec->inner, &out, got), count);
        assert_memory_equal(got, expected, sizeof got);
    }
    out = zt_codec_box(&codec->inner, 1, NULL);
    aa->cover(codec->bound, box, &out);
    char memory[COUNT_MAX];
    out.data = memory;
    (void)list_elements(&codec->inner, &out, got);
    for (size_t i = 0; i < COUNT_MAX; i++) {
        if (expected[i]) assert_non_null(got[i]);
    }
}

/* Splits `count` into random factors. */
static void random_shape(zt_random *random, int64_t count, zl_shape *out) {
    out->rank = 0;
    while (count > 1 || zt_random_below(random, 3) == 0) {
        int64_t factor = zt_random_between(random, 1, count);
        while (count % factor) {
            factor--;
        }
        out->dim[out->rank++] = factor;
        count /= factor;
        if (out->rank == 6) {
            out->dim[5] *= count;
            break;
        }
    }
}

static void maps_boxes(void **state) {
    (void)state;
    static const int64_t counts[] = {1, 2, 12, 24, 30, 36, 48, 120, 360};
    static char data[COUNT_MAX];
    zt_random random = zt_random_seed(1);
    int64_t mapped_count = 0;
    for (int round = 0; round < 400; round++) {
        zl_shape in = {0}, out = {0};
        const int64_t count = counts[zt_random_below(&random, ZL_COUNT_OF(counts))];
        random_shape(&random, count, &in);
        random_shape(&random, count, &out);
        char json[256] = "{\"name\":\"reshape\",\"configuration\":{\"shape\":[";
        for (int32_t i = 0; i < out.rank; i++) {
            snprintf(json + strlen(json), 32, "%s%lld", i ? "," : "", (long long)out.dim[i]);
        }
        strcat(json, "]}}");
        zt_codec codec;
        zt_assert_ok(zt_codec_begin(&codec, json, "\"int8\"", NULL, in.rank, in.dim), &codec.err);
        bool mapped;
        zl_box box = zt_codec_box(&in, 1, data);
        check_box(&codec, &box, &mapped);
        assert_true(mapped); /* whole and in C order */
        for (int k = 0; k < 20; k++) {
            box = random_box(&random, &in, data);
            check_box(&codec, &box, &mapped);
            mapped_count += mapped;
        }
        zt_codec_close(&codec);
    }
    assert_in_range(mapped_count, 2000, 7999); /* many are boxes, and some are not */
}

/* ---- through the api */

enum { ROWS = 7, COLUMNS = 12, EXTENT = ROWS * COLUMNS };

/* Chunks of 4 x 6. */
static const char *const chains[] = {
    "[" RESHAPE("[-1]") ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},\"crc32c\"]",
    "[" RESHAPE("[[0],2,-1]") ",{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}},"
                              "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]",
    "[" RESHAPE("[8,3]") ",{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],\"codecs\":"
                         "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}],\"index_codecs\":"
                         "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}}]",
    "[{\"name\":\"scale_offset\",\"configuration\":{\"offset\":3,\"scale\":2}}," RESHAPE(
        "[1,24,1]") ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]",
    "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," RESHAPE("[-1,2]") "," RESHAPE(
        "[4,6]") ",{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]",
};

static zl_status create(zt_api *api, const char *codecs, zl_array **out) {
    char json[1024];
    snprintf(json, sizeof json,
             "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[7,12],\"data_type\":\"int16\",\"chunk_grid\":{\"name\":"
             "\"regular\",\"configuration\":{\"chunk_shape\":[4,6]}},\"chunk_key_encoding\":\"default\",\"fill_value\":-1,"
             "\"codecs\":%s}",
             codecs);
    return zl_array_create_from_metadata(out, api->store, "a", ZL_CREATE_REPLACE, json, strlen(json), &api->err);
}

typedef struct part {
    int64_t start[2], shape[2], step[2];
} part;

static part random_part(zt_random *random) {
    static const int64_t extent[] = {ROWS, COLUMNS};
    part it;
    for (int i = 0; i < 2; i++) {
        it.start[i] = zt_random_between(random, 0, extent[i] - 1);
        it.step[i] = zt_random_between(random, 1, 2);
        it.shape[i] = zt_random_between(random, 1, (extent[i] - 1 - it.start[i]) / it.step[i] + 1);
    }
    return it;
}

static int16_t *element(int16_t *values, const part *it, int64_t i, int64_t k) {
    return &values[(it->start[0] + i * it->step[0]) * COLUMNS + it->start[1] + k * it->step[1]];
}

/* Writes or reads a part, in C order or in Fortran order, and does the same to `values`, or compares. */
static zl_status move_part(zt_api *api, zl_array *array, zt_random *random, int16_t *values, bool writing) {
    const part it = random_part(random);
    const bool fortran = zt_random_below(random, 2) == 0;
    const int64_t strides[] = {fortran ? 2 : 2 * it.shape[1], fortran ? 2 * it.shape[0] : 2};
    const zl_region region = {2, it.start, it.shape, it.step};
    int16_t memory[EXTENT];
    for (int64_t i = 0; i < it.shape[0]; i++) {
        for (int64_t k = 0; writing && k < it.shape[1]; k++) {
            int16_t *value = &memory[(i * strides[0] + k * strides[1]) / 2];
            *value = zt_random_below(random, 4) ? (int16_t)zt_random_between(random, 0, 99) : -1;
            *element(values, &it, i, k) = *value;
        }
    }
    if (writing) return zl_array_write(array, &region, (zl_const_view){memory, strides, NULL}, NULL, &api->err);
    ZL_TRY(zl_array_read(array, &region, (zl_view){memory, strides, NULL}, NULL, &api->err));
    for (int64_t i = 0; i < it.shape[0]; i++) {
        for (int64_t k = 0; k < it.shape[1]; k++) {
            assert_int_equal(memory[(i * strides[0] + k * strides[1]) / 2], *element(values, &it, i, k));
        }
    }
    return ZL_OK;
}

static void reads_what_was_written(void **state) {
    (void)state;
    zt_random random = zt_random_seed(2);
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        zt_memory memory;
        zt_api api;
        zl_array *array;
        int16_t values[EXTENT];
        for (int k = 0; k < EXTENT; k++) {
            values[k] = -1;
        }
        zt_api_begin(&api, &memory);
        zt_assert_ok(create(&api, chains[i], &array), &api.err);
        for (int round = 0; round < 60; round++) {
            zt_assert_ok(move_part(&api, array, &random, values, true), &api.err);
            zt_assert_ok(move_part(&api, array, &random, values, false), &api.err);
        }
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

/* A chunk of nothing but the fill value is not stored, and a part of a shard behind the codec neither. */
static void omits_fill(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zl_array *array;
    zl_stored_info info;
    int16_t values[EXTENT];
    for (int k = 0; k < EXTENT; k++) {
        values[k] = -1;
    }
    zt_api_begin(&api, &memory);
    zt_assert_ok(create(&api, chains[2], &array), &api.err);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, 0);
    values[0] = 5;
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){values, NULL, NULL}, NULL, &api.err), &api.err);
    zt_assert_ok(zl_array_stored_info(array, &info, &api.err), &api.err);
    assert_int_equal(info.chunk_count, 1);
    assert_int_equal(info.size, 4 * 16 + 12); /* an index of four parts and one part of six elements */
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static zl_status api_scenario(const zl_allocator *allocator, void *arg) {
    zt_api api;
    zl_array *array = NULL;
    zt_random random = zt_random_seed(3);
    int16_t values[EXTENT];
    for (int k = 0; k < EXTENT; k++) {
        values[k] = -1;
    }
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_status status = create(&api, arg, &array);
    for (int round = 0; status == ZL_OK && round < 3; round++) {
        status = move_part(&api, array, &random, values, true);
        if (status == ZL_OK) status = move_part(&api, array, &random, values, false);
    }
    zl_array_close(array);
    zt_api_close(&api);
    return status;
}

static void survives_running_out_of_memory_in_the_api(void **state) {
    (void)state;
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        zt_run_out_of_memory(api_scenario, (void *)chains[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_shape),
        cmocka_unit_test(refuses_what_the_page_forbids),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(maps_boxes),
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(omits_fill),
        cmocka_unit_test(survives_running_out_of_memory_in_the_api),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
