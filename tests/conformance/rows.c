/* SPDX-License-Identifier: MIT */
/* Sets whose rows are arrays with their content: index.tsv as README.md of the corpus describes it. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN_STORE, COLUMN_ARRAY, COLUMN_DTYPE, COLUMN_SHAPE, COLUMN_EXPECTED, COLUMN_COUNT };

typedef struct row {
    const char *folder;
    char *fields[COLUMN_COUNT];
} row;

static const ct_bounds row_bounds = {.seconds = 20, .rss_mb = 512};

/* Spellings of one data type; the second is the one of the library. */
static const char *const dtype_aliases[][2] = {
    {"variable_length_bytes", "bytes"},
    {"complex_float32", "complex64"},
    {"complex_float64", "complex128"},
};

/* The name under which the library must report the row's data type, or NULL: a type with parameters, or of version 2. */
static const char *builtin_name(const char *name) {
    for (size_t i = 0; i < ZL_COUNT_OF(dtype_aliases); i++) {
        if (strcmp(name, dtype_aliases[i][0]) == 0) return dtype_aliases[i][1];
    }
    for (int id = ZL_DTYPE_NONE + 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype != NULL && strcmp(name, zl_dtype_name(dtype)) == 0) return zl_dtype_name(dtype);
    }
    return NULL;
}

/* The shape as the index writes it: "3x4", "-" without dimensions. */
static const char *shape_text(const zl_array *array) {
    char *text = ct_alloc(32 * CT_MAX_RANK);
    for (int32_t d = 0; d < zl_array_rank(array); d++)
        (void)snprintf(text + strlen(text), 32, "%s%lld", d > 0 ? "x" : "", (long long)zl_array_shape(array)[d]);
    return text[0] != '\0' ? text : "-";
}

static bool check_array(const ct_session *session, const zl_array *array, const row *r, ct_verdict *verdict) {
    const char *name = builtin_name(r->fields[COLUMN_DTYPE]);
    const ct_box box = ct_box_of_array(array);
    ct_content expected;
    size_t size = 0;
    if (name != NULL && strcmp(name, zl_dtype_name(zl_array_dtype(array))) != 0)
        return ct_fail(verdict, "data type is %s, expected %s", zl_dtype_name(zl_array_dtype(array)), name);
    if (strcmp(shape_text(array), r->fields[COLUMN_SHAPE]) != 0)
        return ct_fail(verdict, "shape is %s, expected %s", shape_text(array), r->fields[COLUMN_SHAPE]);
    const char *bytes = ct_read_file(ct_text("%s/%s", r->folder, r->fields[COLUMN_EXPECTED]), &size);
    return ct_content_from_bytes(&expected, array, &box, bytes, size, verdict) &&
           ct_compare_all(session, array, &expected, verdict);
}

static void run_row(const void *data, ct_verdict *verdict) {
    const row *r = data;
    const char *store = ct_text("%s/%s", r->folder, r->fields[COLUMN_STORE]);
    const char *node = r->fields[COLUMN_ARRAY] + 1; /* behind the leading slash */
    zl_array *array = NULL;
    ct_session session;
    zl_error err = {0};
    if (ct_session_open(&session, store, false, &err) == ZL_ERR_UNSUPPORTED) {
        ct_judge_unsupported(verdict, store, node, &err);
    } else if (session.store == NULL) {
        (void)ct_fail_error(verdict, "store", &err);
    } else if (zl_array_open(&array, session.store, node, &err) == ZL_ERR_UNSUPPORTED) {
        ct_judge_unsupported(verdict, store, node, &err);
    } else if (array == NULL) {
        (void)ct_fail_error(verdict, "open", &err);
    } else {
        (void)check_array(&session, array, r, verdict);
    }
    zl_array_close(array);
    ct_session_close(&session, verdict);
}

/* "v3/codec" of "v3/codec/gzip_0.zp.zarr". */
static const char *kind_of(const char *store) {
    const char *slash = strrchr(store, '/');
    return ct_text("%.*s", slash != NULL ? (int)(slash - store) : 0, store);
}

void ct_run_rows(const char *folder, const char *only, ct_report *report) {
    char *text = ct_read_file(ct_text("%s/index.tsv", folder), NULL);
    char *line;
    while ((line = ct_next_line(&text)) != NULL) {
        row r = {.folder = folder};
        ct_verdict verdict;
        if (ct_split(line, r.fields, COLUMN_COUNT) < COLUMN_COUNT) continue;
        const char *name = ct_text("%s%s", r.fields[COLUMN_STORE], r.fields[COLUMN_ARRAY]);
        const char *kind = kind_of(r.fields[COLUMN_STORE]);
        if (only != NULL && strstr(name, only) == NULL) continue;
        ct_run(run_row, &r, &row_bounds, &verdict);
        if (strstr(kind, "quirk") != NULL && !verdict.crashed) verdict.outcome = CT_QUIRK;
        ct_report_add(report, kind, name, &verdict);
    }
}
