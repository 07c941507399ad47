/* SPDX-License-Identifier: MIT */
/* Creates a compressed, sharded array with names and attributes, and writes it: the folder example.zarr. */
#include <stdio.h>
#include <zarrlite/zarrlite.h>

enum { DAYS = 12, LAT = 90, LON = 180 };
static float temperature[DAYS][LAT][LON];

static zl_status create(zl_store *store, zl_array **array, zl_error *err) {
    static const int64_t shape[] = {DAYS, LAT, LON};
    static const int64_t chunk_shape[] = {1, 45, 90};  /* what a reader fetches and decodes */
    static const int64_t shard_shape[] = {6, 90, 180}; /* what is one file */
    static const char *const names[] = {"time", "lat", "lon"};
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.mode = ZL_CREATE_REPLACE;
    options.rank = 3;
    options.shape = shape;
    options.chunk_shape = chunk_shape;
    options.shard_shape = shard_shape;
    options.dtype = ZL_DTYPE_FLOAT32;
    options.fill_value_json = "\"NaN\"";
    options.dimension_names = names;
    options.attributes_json = "{\"units\": \"K\", \"long_name\": \"air temperature\"}";
    return zl_array_create(array, store, "model/temperature", &options, err);
}

int main(void) {
    for (int t = 0; t < DAYS; t++)
        for (int y = 0; y < LAT; y++)
            for (int x = 0; x < LON; x++)
                temperature[t][y][x] = 300.0f - 0.5f * (float)(y > 45 ? y - 45 : 45 - y) + 0.1f * (float)t;

    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    zl_file_store_options folder = ZL_FILE_STORE_OPTIONS_INIT;
    folder.create = true;
    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_file(&store, context, "example.zarr", &folder, &err);
    if (!status) status = create(store, &array, &err);
    if (!status) status = zl_array_write(array, NULL, (zl_const_view){.data = temperature}, NULL, &err);
    zl_stored_info info;
    if (!status) status = zl_array_stored_info(array, &info, &err);
    if (!status) {
        printf("%s: %lld elements in %llu shards of %llu bytes in all\n", zl_array_path(array),
               (long long)zl_array_element_count(array), (unsigned long long)info.chunk_count,
               (unsigned long long)info.size);
    } else {
        fprintf(stderr, "%s: %s\n", zl_status_text(status), err.message);
    }
    zl_array_close(array);
    if (zl_store_close(store, &err) != ZL_OK) fprintf(stderr, "%s\n", err.message);
    zl_context_free(context);
    return status != ZL_OK;
}
