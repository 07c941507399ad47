/* SPDX-License-Identifier: MIT */
/* Reads into memory in Fortran order, and into every second column of a wider matrix: strides say where each element
 * goes, and nothing is transposed or copied on the way. */
#include <stdio.h>
#include <zarrlite/zarrlite.h>

enum { ROWS = 90, COLUMNS = 180 };
static float fortran[COLUMNS][ROWS];
static float wide[ROWS][2 * COLUMNS];

int main(void) {
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    const zl_region day = {3, (const int64_t[]){3, 0, 0}, (const int64_t[]){1, ROWS, COLUMNS}, NULL};
    /* Bytes from one element to the next along time, lat, lon. */
    const int64_t by_columns[] = {0, sizeof(float), ROWS * sizeof(float)};
    const int64_t every_second[] = {0, 2 * COLUMNS * sizeof(float), 2 * sizeof(float)};

    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_file(&store, context, "example.zarr", NULL, &err);
    if (!status) status = zl_array_open(&array, store, "model/temperature", &err);
    if (!status) status = zl_array_read(array, &day, (zl_view){.data = fortran, .strides = by_columns}, NULL, &err);
    if (!status) status = zl_array_read(array, &day, (zl_view){.data = wide, .strides = every_second}, NULL, &err);
    for (int y = 0; !status && y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            if (fortran[x][y] != wide[y][2 * x]) status = ZL_ERR_INTERNAL;
        }
    }
    if (status)
        fprintf(stderr, "%s %s\n", zl_status_text(status), err.message);
    else
        printf("both views hold the same day, %g at the first point\n", fortran[0][0]);
    zl_array_close(array);
    (void)zl_store_close(store, NULL);
    zl_context_free(context);
    return status != ZL_OK;
}
