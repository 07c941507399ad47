/* SPDX-License-Identifier: MIT */
/* Reads a box of an array, then every tenth element of one row. */
#include <stdio.h>
#include <zarrlite/zarrlite.h>

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "example.zarr";
    const char *path = argc > 2 ? argv[2] : "model/temperature";
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    float block[2][3][3], row[18];
    const zl_region box = {3, (const int64_t[]){0, 44, 100}, (const int64_t[]){2, 3, 3}, NULL};
    const zl_region sparse = {3, (const int64_t[]){0, 45, 0}, (const int64_t[]){1, 1, 18}, (const int64_t[]){1, 1, 10}};

    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_file(&store, context, folder, NULL, &err);
    if (!status) status = zl_array_open(&array, store, path, &err);
    if (!status && (zl_array_rank(array) != 3 || zl_array_dtype(array) != zl_dtype_builtin(ZL_DTYPE_FLOAT32))) {
        fprintf(stderr, "%s is not an array of float32 with three dimensions\n", path);
        status = ZL_ERR_INVALID_ARGUMENT;
    }
    if (!status) status = zl_array_read(array, &box, (zl_view){.data = block}, NULL, &err);
    if (!status) status = zl_array_read(array, &sparse, (zl_view){.data = row}, NULL, &err);
    if (!status)
        printf("%s: %g ... %g; every tenth: %g %g %g ...\n", path, block[0][0][0], block[1][2][2], row[0], row[1], row[2]);
    else
        fprintf(stderr, "%s\n", err.message);

    zl_array_close(array);
    (void)zl_store_close(store, NULL);
    zl_context_free(context);
    return status != ZL_OK;
}
