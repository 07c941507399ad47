/* SPDX-License-Identifier: MIT */
/* What a program that uses the installed library looks like: writes an array in memory and reads it back. */
#include <stdio.h>
#include <string.h>

#include <zarrlite/extend.h>
#include <zarrlite/zarrlite.h>

int main(void) {
    const int64_t shape[] = {5, 7};
    int32_t values[5][7], back[5][7];
    for (int i = 0; i < 35; i++)
        values[i / 7][i % 7] = i * i;
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_array *array = NULL;
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    options.rank = 2;
    options.shape = shape;
    options.dtype = ZL_DTYPE_INT32;
    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_memory(&store, context, &err);
    if (!status) status = zl_array_create(&array, store, "a", &options, &err);
    if (!status) status = zl_array_write(array, NULL, (zl_const_view){.data = values}, NULL, &err);
    if (!status) status = zl_array_read(array, NULL, (zl_view){.data = back}, NULL, &err);
    const int equal = !status && memcmp(values, back, sizeof values) == 0;
    printf("zarrlite %s: %s\n", zl_version(), equal ? "ok" : err.message);
    zl_array_close(array);
    if (zl_store_close(store, NULL) != ZL_OK) return 1;
    zl_context_free(context);
    return !equal;
}
