/* SPDX-License-Identifier: MIT */
/* Prints every node of a hierarchy, with shape and attributes of the arrays. */
#include <stdio.h>
#include <zarrlite/zarrlite.h>

static void print_array(zl_store *store, const char *path) {
    zl_error err = {0};
    zl_array *array;
    if (zl_array_open(&array, store, path, &err) != ZL_OK) {
        printf("  cannot be opened: %s\n", err.message);
        return;
    }
    printf("  %s", zl_dtype_name(zl_array_dtype(array)));
    for (int32_t i = 0; i < zl_array_rank(array); i++) {
        const char *name = zl_array_dimension_name(array, i);
        printf(" %s=%lld", name ? name : "?", (long long)zl_array_shape(array)[i]);
    }
    printf("\n");
    const zl_attributes *attributes = zl_array_attributes(array);
    for (size_t i = 0; i < zl_attributes_count(attributes); i++) {
        const char *name = zl_attributes_name(attributes, i);
        zl_buffer json = {0};
        if (zl_attributes_get_json(attributes, name, &json, &err) == ZL_OK) printf("  %s: %s\n", name, json.data);
        zl_buffer_free(&json);
    }
    zl_array_close(array);
}

static bool print_node(void *user, const zl_node_info *info) {
    printf("%s%s\n", info->path, info->kind == ZL_NODE_ARRAY ? "" : "/");
    if (info->kind == ZL_NODE_ARRAY) print_array(user, info->path);
    return true; /* go on */
}

int main(int argc, char **argv) {
    zl_error err = {0};
    zl_context *context = NULL;
    zl_store *store = NULL;
    zl_status status = zl_context_new(&context, NULL, &err);
    if (!status) status = zl_store_open_file(&store, context, argc > 1 ? argv[1] : "example.zarr", NULL, &err);
    if (!status) status = zl_node_list(store, "", true, print_node, store, &err);
    if (status) fprintf(stderr, "%s\n", err.message);
    (void)zl_store_close(store, NULL);
    zl_context_free(context);
    return status != ZL_OK;
}
