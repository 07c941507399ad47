/* SPDX-License-Identifier: MIT */
/* Encoded chunks and inner chunks: looked at, read, written and erased as they are stored. (ctest label: threads) */
#include "zt_api.h"

#include <pthread.h>

static const int64_t array_shape[] = {8, 9}, chunk_shape[] = {4, 3}, inner_shape[] = {2, 3}, shard_shape[] = {4, 6};

/* Element (i, k) is 10 i + k. */
static void fill(zl_array *array, zl_error *err) {
    uint8_t values[8 * 9];
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)(10 * (i / 9) + i % 9);
    zt_assert_ok(zl_array_write(array, NULL, (zl_const_view){.data = values}, NULL, err), err);
}

static uint8_t element(const zl_array *array, int64_t i, int64_t k, zl_error *err) {
    const int64_t start[] = {i, k}, count[] = {1, 1};
    const zl_region region = {2, start, count, NULL};
    uint8_t value = 0;
    zt_assert_ok(zl_array_read(array, &region, (zl_view){.data = &value}, NULL, err), err);
    return value;
}

static zl_array *create(zt_api *api, const zl_array_options *changes) {
    zl_array_options options = *changes;
    options.size = sizeof options;
    options.rank = 2;
    options.shape = array_shape;
    options.dtype = ZL_DTYPE_UINT8;
    options.fill_value_json = "255";
    zl_array *array;
    zt_assert_ok(zl_array_create(&array, api->store, "g/a", &options, &api->err), &api->err);
    return array;
}

static zl_array *create_plain(zt_api *api) {
    const zl_array_options options = {.chunk_shape = chunk_shape, .codecs_json = "[]"};
    return create(api, &options);
}

static zl_array *create_sharded(zt_api *api) {
    const zl_array_options options = {.chunk_shape = inner_shape, .shard_shape = shard_shape, .codecs_json = "[]"};
    return create(api, &options);
}

static void check_bytes(zl_status status, zl_buffer *buffer, zl_error *err, const char *expected, size_t size) {
    zt_assert_ok(status, err);
    assert_int_equal(buffer->size, size);
    assert_memory_equal(buffer->data, expected, size);
    zl_buffer_free(buffer);
}

/* ---- chunks of the grid */

static bool add_chunk(void *user, const zl_stored_chunk *chunk) {
    int *seen = user;
    const size_t cell = (size_t)(chunk->coords[0] * 3 + chunk->coords[1]);
    char key[32];
    (void)snprintf(key, sizeof key, "g/a/c/%d/%d", (int)chunk->coords[0], (int)chunk->coords[1]);
    assert_string_equal(chunk->key, key);
    assert_int_equal(chunk->size, 12);
    seen[cell]++;
    return true;
}

static bool stop_at_first(void *user, const zl_stored_chunk *chunk) {
    (void)chunk;
    ++*(int *)user;
    return false;
}

static void lists_what_is_stored(void **state) {
    (void)state;
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_array *array = create_plain(&api);
    fill(array, &api.err);
    zt_api_put(&api, "g/a/c/2/0", "outside");
    zt_api_put(&api, "g/a/c/01/0", "no canonical key");
    static const int64_t erased[] = {0, 1};
    zt_assert_ok(zl_array_erase_chunk(array, erased, &api.err), &api.err);
    int seen[6] = {0}, count = 0;
    zt_assert_ok(zl_array_list_chunks(array, add_chunk, seen, &api.err), &api.err);
    for (int i = 0; i < 6; i++)
        assert_int_equal(seen[i], i != 1);
    zt_assert_ok(zl_array_list_chunks(array, stop_at_first, &count, &api.err), &api.err);
    assert_int_equal(count, 1);
    int64_t grid[2];
    zl_array_grid_shape(array, grid);
    assert_int_equal(grid[0], 2);
    assert_int_equal(grid[1], 3);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void reads_and_writes_encoded_chunks(void **state) {
    (void)state;
    static const int64_t at[] = {1, 0}, to[] = {0, 2};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_array *array = create_plain(&api);
    zl_chunk_info info;
    zl_buffer buffer;
    zt_assert_ok(zl_array_chunk_info(array, at, &info, err), err);
    assert_false(info.exists);
    assert_int_equal(info.size, 0);
    zt_assert_fails(zl_array_read_encoded_chunk(array, at, 0, UINT64_MAX, &buffer, err), err, ZL_ERR_NOT_FOUND,
                    "g/a/c/1/0 is not stored");
    fill(array, err);
    zt_assert_ok(zl_array_chunk_info(array, at, &info, err), err);
    assert_true(info.exists);
    assert_int_equal(info.offset, 0);
    assert_int_equal(info.size, 12);
    check_bytes(zl_array_chunk_key(array, at, &buffer, err), &buffer, err, "g/a/c/1/0", 9);
    check_bytes(zl_array_read_encoded_chunk(array, at, 0, UINT64_MAX, &buffer, err), &buffer, err, "()*234<=>FGH", 12);
    check_bytes(zl_array_read_encoded_chunk(array, at, 3, 2, &buffer, err), &buffer, err, "23", 2);
    check_bytes(zl_array_read_encoded_chunk(array, at, 12, UINT64_MAX, &buffer, err), &buffer, err, "", 0);
    zt_assert_fails(zl_array_read_encoded_chunk(array, at, 11, 2, &buffer, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "offset 11 and length 2 of a chunk with 12");

    zt_assert_ok(zl_array_write_encoded_chunk(array, to, "abcdefghijkl", 12, err), err);
    assert_int_equal(element(array, 1, 6, err), 'd');
    const zl_chunk_info before = info;
    zt_assert_ok(zl_array_write_encoded_chunk(array, at, "abcdefghijkl", 12, err), err);
    zt_assert_ok(zl_array_chunk_info(array, at, &info, err), err);
    assert_memory_not_equal(info.generation, before.generation, sizeof info.generation);
    zt_assert_ok(zl_array_erase_chunk(array, at, err), err);
    zt_assert_ok(zl_array_erase_chunk(array, at, err), err);
    assert_int_equal(element(array, 4, 0, err), 255);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

static void refuses_what_is_outside(void **state) {
    (void)state;
    static const int64_t beyond[] = {0, 3}, before[] = {-1, 0}, inside[] = {1, 2}, three[] = {3, 9};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_array *array = create_plain(&api), *other;
    zl_chunk_info info;
    int64_t grid[2];
    zt_assert_fails(zl_array_chunk_info(array, beyond, &info, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "coords[1] is 3, there are 3 chunks");
    zt_assert_fails(zl_array_erase_chunk(array, before, err), err, ZL_ERR_INVALID_ARGUMENT, "coords[0] is -1");
    zt_assert_fails(zl_array_write_encoded_chunk(array, inside, NULL, 1, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "data is NULL");
    zt_assert_fails(zl_array_inner_chunk_info(array, inside, &info, err), err, ZL_ERR_UNSUPPORTED, "not shards");
    assert_false(zl_array_inner_grid_shape(array, grid));
    /* Another handle has shrunk the array. */
    zt_assert_ok(zl_array_open(&other, api.store, "g/a", err), err);
    zt_assert_ok(zl_array_resize(array, three, NULL, err), err);
    zt_assert_fails(zl_array_write_encoded_chunk(other, inside, "x", 1, err), err, ZL_ERR_CONFLICT, "shrunk along axis 0");
    zl_array_close(other);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- inner chunks */

/* The bytes of inner chunk (i, k): of 2 x 3 elements, those outside the array being the fill value. */
static void expected_inner(int64_t i, int64_t k, char out[6]) {
    for (int64_t r = 0; r < 6; r++)
        out[r] = (char)(10 * (2 * i + r / 3) + 3 * k + r % 3);
}

static void check_all_inner(const zl_array *array, bool transposed, zl_error *err) {
    int64_t grid[2];
    assert_true(zl_array_inner_grid_shape(array, grid));
    assert_int_equal(grid[0], 4);
    assert_int_equal(grid[1], 3);
    for (int64_t i = 0; i < 4; i++) {
        for (int64_t k = 0; k < 3; k++) {
            const int64_t coords[] = {i, k};
            zl_chunk_info info;
            zl_buffer buffer;
            char expected[6], turned[6];
            expected_inner(i, k, expected);
            for (int n = 0; n < 6; n++)
                turned[n] = expected[n % 2 * 3 + n / 2];
            zt_assert_ok(zl_array_inner_chunk_info(array, coords, &info, err), err);
            assert_true(info.exists);
            assert_int_equal(info.size, 6);
            const char *wanted = transposed ? turned : expected;
            check_bytes(zl_array_read_encoded_inner_chunk(array, coords, 0, UINT64_MAX, &buffer, err), &buffer, err, wanted,
                        6);
            check_bytes(zl_array_read_encoded_inner_chunk(array, coords, 4, 1, &buffer, err), &buffer, err, wanted + 4, 1);
            /* It lies where it is said to lie. */
            const int64_t shard[] = {i / 2, k / 2};
            check_bytes(zl_array_read_encoded_chunk(array, shard, info.offset, info.size, &buffer, err), &buffer, err,
                        wanted, 6);
        }
    }
}

static void finds_inner_chunks(void **state) {
    (void)state;
#define SHARDS(shape, more)                                                                                                \
    "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":" shape ",\"codecs\":[\"bytes\"],\"index_codecs\":" \
    "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"]" more "}}"
    static const zl_array_options kinds[] = {
        {.chunk_shape = inner_shape, .shard_shape = shard_shape, .codecs_json = "[]"},
        {.chunk_shape = shard_shape, .codecs_json = "[" SHARDS("[2,3]", ",\"index_location\":\"start\"") "]"},
        {.chunk_shape = shard_shape, .codecs_json = "[" SHARDS("[2,3]", "") ",\"crc32c\"]"},
        {.chunk_shape = shard_shape,
         .codecs_json = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," SHARDS("[3,2]", "") "]"},
    };
    for (size_t kind = 0; kind < ZL_COUNT_OF(kinds); kind++) {
        zt_memory memory;
        zt_api api;
        zt_api_begin(&api, &memory);
        zl_array *array = create(&api, &kinds[kind]);
        fill(array, &api.err);
        check_all_inner(array, kind == 3, &api.err);
        zl_array_close(array);
        zt_api_end(&api, &memory);
    }
}

static void replaces_inner_chunks(void **state) {
    (void)state;
    static const int64_t at[] = {3, 1}, neighbour[] = {3, 0}, last[] = {2, 2};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_array *array = create_sharded(&api), *other;
    zl_buffer buffer;
    zl_chunk_info info;
    zt_assert_ok(zl_array_open(&other, api.store, "g/a", err), err);
    zt_assert_ok(zl_array_inner_chunk_info(other, at, &info, err), err);
    assert_false(info.exists);
    zt_assert_fails(zl_array_read_encoded_inner_chunk(other, at, 0, 1, &buffer, err), err, ZL_ERR_NOT_FOUND, "not stored");
    fill(array, err);
    zt_assert_ok(zl_array_write_encoded_inner_chunk(array, at, "abcdef", 6, err), err);
    assert_int_equal(element(array, 6, 3, err), 'a');
    assert_int_equal(element(array, 7, 5, err), 'f');
    assert_int_equal(element(array, 7, 2, err), 72);
    check_bytes(zl_array_read_encoded_inner_chunk(other, at, 0, UINT64_MAX, &buffer, err), &buffer, err, "abcdef", 6);
    /* The handle has the old index in its cache. */
    zt_assert_ok(zl_array_erase_inner_chunk(array, at, err), err);
    zt_assert_ok(zl_array_inner_chunk_info(other, at, &info, err), err);
    assert_false(info.exists);
    assert_int_equal(element(other, 6, 3, err), 255);
    zt_assert_ok(zl_array_inner_chunk_info(other, neighbour, &info, err), err);
    assert_true(info.exists);
    zt_assert_fails(zl_array_read_encoded_inner_chunk(other, neighbour, 5, 2, &buffer, err), err, ZL_ERR_INVALID_ARGUMENT,
                    "offset 5 and length 2");
    /* A shard whose last inner chunk goes, goes. */
    static const int64_t shard[] = {1, 1};
    int64_t coords[] = {2, 2};
    zt_assert_ok(zl_array_erase_inner_chunk(array, coords, err), err);
    coords[0] = 3;
    zt_assert_ok(zl_array_erase_inner_chunk(array, coords, err), err);
    zt_assert_ok(zl_array_chunk_info(array, shard, &info, err), err);
    assert_false(info.exists);
    zt_assert_ok(zl_array_inner_chunk_info(other, last, &info, err), err);
    assert_false(info.exists);
    zl_array_close(other);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* Compressed as a whole, a shard has its inner chunks nowhere; but they can be replaced. */
static void knows_what_hides_inner_chunks(void **state) {
    (void)state;
    static const int64_t at[] = {0, 0};
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    if (zl_codec_available("gzip") == ZL_AVAILABLE) {
        const zl_array_options options = {
            .chunk_shape = shard_shape,
            .codecs_json = "[" SHARDS("[2,3]", "") ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]"};
        zl_array *array = create(&api, &options);
        zl_chunk_info info;
        fill(array, err);
        zt_assert_fails(zl_array_inner_chunk_info(array, at, &info, err), err, ZL_ERR_UNSUPPORTED, "hides where they lie");
        zt_assert_ok(zl_array_write_encoded_inner_chunk(array, at, "abcdef", 6, err), err);
        assert_int_equal(element(array, 0, 0, err), 'a');
        assert_int_equal(element(array, 0, 3, err), 3);
        zl_array_close(array);
    }
    zt_api_end(&api, &memory);
}

typedef struct replacer {
    pthread_t thread;
    zl_array *array;
    int64_t column;
    zl_error err;
} replacer;

static void *replace_column(void *user) {
    replacer *self = user;
    for (int i = 0; i < 200; i++) {
        const int64_t coords[] = {i % 2, self->column};
        char data[6];
        memset(data, 'a' + (int)self->column, sizeof data);
        if (zl_array_write_encoded_inner_chunk(self->array, coords, data, sizeof data, &self->err) != ZL_OK) break;
    }
    return NULL;
}

static void threads_replace_parts_of_one_shard(void **state) {
    (void)state;
    zt_fault_api it;
    zt_fault_api_begin(&it, NULL);
    zl_error *err = &it.api.err;
    zl_array *array = create_sharded(&it.api);
    replacer all[2];
    for (int64_t i = 0; i < 2; i++) {
        all[i] = (replacer){.array = array, .column = i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, replace_column, &all[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        zt_assert_ok(all[i].err.status, &all[i].err);
    }
    for (int64_t i = 0; i < 4; i++) {
        assert_int_equal(element(array, i, 0, err), 'a');
        assert_int_equal(element(array, i, 5, err), 'b');
    }
    zl_array_close(array);
    zt_api_close(&it.api);
}

/* ---- codecs */

static void tells_its_codecs(void **state) {
    (void)state;
    static const char list[] =
        "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\"},{\"name\":\"crc32c\"}]";
    zt_memory memory;
    zt_api api;
    zt_api_begin(&api, &memory);
    zl_error *err = &api.err;
    zl_buffer buffer;
    zl_array_options options = {.chunk_shape = chunk_shape, .codecs_json = list};
    zl_array *array = create(&api, &options);
    assert_int_equal(zl_array_codec_count(array), 3);
    assert_string_equal(zl_array_codec_name(array, 0), "transpose");
    assert_string_equal(zl_array_codec_name(array, 2), "crc32c");
    assert_null(zl_array_codec_name(array, 3));
    check_bytes(zl_array_codecs_json(array, &buffer, err), &buffer, err, list, sizeof list - 1);
    zl_array_close(array);
    zt_assert_ok(zl_node_delete(api.store, "", err), err);

    options = (zl_array_options){.chunk_shape = chunk_shape, .codecs_json = "[]", .zarr_format = 2};
    array = create(&api, &options);
    zt_assert_ok(zl_array_codecs_json(array, &buffer, err), err);
    assert_non_null(strstr(buffer.data, "\"name\":\"bytes\""));
    zl_buffer_free(&buffer);
    zl_array_close(array);
    zt_api_end(&api, &memory);
}

/* ---- out of memory */

static zl_status use_chunks(zl_array *array, zl_error *err) {
    static const int64_t at[] = {1, 1};
    zl_chunk_info info;
    zl_buffer buffer = {0};
    zl_stored_info stored;
    ZL_TRY(zl_array_write_encoded_inner_chunk(array, at, "abcdef", 6, err));
    ZL_TRY(zl_array_inner_chunk_info(array, at, &info, err));
    ZL_TRY(zl_array_read_encoded_inner_chunk(array, at, 1, 2, &buffer, err));
    zl_buffer_free(&buffer);
    ZL_TRY(zl_array_write_encoded_chunk(array, at, "abc", 3, err));
    ZL_TRY(zl_array_read_encoded_chunk(array, at, 0, 3, &buffer, err));
    zl_buffer_free(&buffer);
    ZL_TRY(zl_array_codecs_json(array, &buffer, err));
    zl_buffer_free(&buffer);
    ZL_TRY(zl_array_stored_info(array, &stored, err));
    return zl_array_erase_chunk(array, at, err);
}

static zl_status scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zt_api api;
    ZL_TRY(zt_api_try_open(&api, allocator));
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = array_shape;
    options.chunk_shape = inner_shape;
    options.shard_shape = shard_shape;
    options.dtype = ZL_DTYPE_UINT8;
    options.codecs_json = "[]";
    zl_array *array;
    zl_status status = zl_array_create(&array, api.store, "a", &options, &api.err);
    if (status == ZL_OK) {
        status = use_chunks(array, &api.err);
        zl_array_close(array);
    }
    zt_api_close(&api);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_is_stored),
        cmocka_unit_test(reads_and_writes_encoded_chunks),
        cmocka_unit_test(refuses_what_is_outside),
        cmocka_unit_test(finds_inner_chunks),
        cmocka_unit_test(replaces_inner_chunks),
        cmocka_unit_test(knows_what_hides_inner_chunks),
        cmocka_unit_test(threads_replace_parts_of_one_shard),
        cmocka_unit_test(tells_its_codecs),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("api_chunks", tests, NULL, NULL);
}
