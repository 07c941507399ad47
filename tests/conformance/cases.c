/* SPDX-License-Identifier: MIT */
/* Sets whose rows are cases: a folder with a store and expected.json, as FORMAT.md of the corpus describes it. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct case_row {
    const char *folder;      /* absolute */
    const char *working;     /* where its process works */
    const zl_json *expected; /* of expected.json */
} case_row;

static const char *text_of(const zl_json *object, const char *key, const char *otherwise) {
    const zl_json *value = zl_json_member(object, key);
    return value != NULL && zl_json_text(value, NULL) != NULL ? zl_json_text(value, NULL) : otherwise;
}

static int64_t number_of(const zl_json *object, const char *key, int64_t otherwise) {
    int64_t number = otherwise;
    if (zl_json_member(object, key) != NULL && zl_json_get_i64(object, key, &number, NULL) != ZL_OK) return otherwise;
    return number;
}

static bool is_true(const zl_json *object, const char *key) {
    bool value = false;
    return zl_json_member(object, key) != NULL && zl_json_get_bool(object, key, &value, NULL) == ZL_OK && value;
}

/* ------------------------------------------------------------------------------------------------ value and error */

/* The part of the array that the case reads. */
static ct_box selected_box(const zl_array *array, const zl_json *expected) {
    ct_box box = ct_box_of_array(array);
    int32_t d = 0;
    for (const zl_json *pair = zl_json_first(zl_json_member(expected, "selection")); pair != NULL;
         pair = zl_json_next(pair)) {
        int64_t start = 0, stop = 0;
        const zl_json *first = zl_json_first(pair);
        if (d == box.rank || zl_json_to_i64(first, &start, NULL) != ZL_OK ||
            zl_json_to_i64(zl_json_next(first), &stop, NULL) != ZL_OK)
            break;
        box.start[d] = start;
        box.shape[d++] = stop - start;
    }
    return box;
}

/* `what` has data_file and shape: the case itself, or its also_accept. */
static bool load_content(ct_content *out, const zl_array *array, const ct_box *box, const char *folder, const zl_json *what,
                         ct_verdict *verdict) {
    const char *file = ct_text("%s/%s", folder, text_of(what, "data_file", "?"));
    int32_t d = 0;
    for (const zl_json *extent = zl_json_first(zl_json_member(what, "shape")); extent != NULL;
         extent = zl_json_next(extent)) {
        int64_t n = -1;
        if (zl_json_to_i64(extent, &n, NULL) != ZL_OK || d == box->rank || box->shape[d] != n)
            return ct_fail(verdict, "dimension %d does not have the expected extent of %lld", d, (long long)n);
        d++;
    }
    if (d != box->rank) return ct_fail(verdict, "%d dimensions, %d are expected", box->rank, d);
    if (strstr(file, ".json") != NULL) return ct_content_from_json(out, array, box, ct_parse_file(file), verdict);
    size_t size = 0;
    const char *bytes = ct_read_file(file, &size);
    return ct_content_from_bytes(out, array, box, bytes, size, verdict);
}

/* A refusal is clean when it says what is wrong, and does not only say that the machine or the library gave up. */
static bool check_clean(const zl_error *err, ct_verdict *verdict) {
    if (err->status == ZL_ERR_INTERNAL || err->status == ZL_ERR_NO_MEMORY || err->message[0] == '\0')
        return ct_fail_error(verdict, "not a clean refusal", err);
    return true;
}

static void judge_open_failure(const case_row *row, const zl_error *err, ct_verdict *verdict) {
    const char *store = ct_text("%s/%s", row->folder, text_of(row->expected, "input", "store"));
    const bool refusal_is_right = strcmp(text_of(row->expected, "expect", ""), "error") == 0
                                      ? strcmp(text_of(row->expected, "stage", ""), "read") != 0
                                      : is_true(row->expected, "also_error");
    const bool refusal_is_fine = refusal_is_right || strcmp(text_of(row->expected, "expect", ""), "error") == 0;
    if (err->status == ZL_ERR_UNSUPPORTED && !refusal_is_right) {
        ct_judge_unsupported(verdict, store, text_of(row->expected, "node", ""), err);
    } else if (refusal_is_fine) {
        (void)check_clean(err, verdict);
    } else {
        (void)ct_fail_error(verdict, "open", err);
    }
}

static void judge_value(const ct_session *session, const zl_array *array, const case_row *row, ct_verdict *verdict) {
    const ct_box box = selected_box(array, row->expected);
    const ct_read read = {"read", box, false, 1};
    ct_content expected;
    zl_error err = {0};
    if (!load_content(&expected, array, &box, row->folder, row->expected, verdict)) return;
    if (ct_read_and_compare(session, array, &read, NULL, verdict, &err) == ZL_OK) {
        (void)ct_compare_all(session, array, &expected, verdict);
    } else if (is_true(row->expected, "also_error")) {
        (void)check_clean(&err, verdict);
    } else {
        (void)ct_fail_error(verdict, "read", &err);
    }
}

static void judge_error(const ct_session *session, const zl_array *array, const case_row *row, ct_verdict *verdict) {
    const ct_box box = selected_box(array, row->expected);
    const ct_read read = {"read", box, false, 0};
    const zl_json *also_accept = zl_json_member(row->expected, "also_accept");
    ct_content accepted;
    zl_error err = {0};
    if (ct_read_and_compare(session, array, &read, NULL, verdict, &err) != ZL_OK) {
        (void)check_clean(&err, verdict);
    } else if (also_accept == NULL) {
        (void)ct_fail(verdict, "was read without an error, which is due because: %s", text_of(row->expected, "about", "?"));
    } else if (load_content(&accepted, array, &box, row->folder, also_accept, verdict)) {
        (void)ct_compare_all(session, array, &accepted, verdict);
    }
}

static void run_read(const case_row *row, const char *store, ct_verdict *verdict) {
    ct_session session;
    zl_array *array = NULL;
    zl_error err = {0};
    if (ct_session_open(&session, store, false, &err) != ZL_OK ||
        zl_array_open(&array, session.store, text_of(row->expected, "node", ""), &err) != ZL_OK) {
        judge_open_failure(row, &err, verdict);
    } else if (strcmp(text_of(row->expected, "expect", ""), "error") == 0) {
        judge_error(&session, array, row, verdict);
    } else {
        judge_value(&session, array, row, verdict);
    }
    zl_array_close(array);
    ct_session_close(&session, verdict);
}

/* ------------------------------------------------------------------------------------------------ list */

typedef struct listing {
    const zl_json *next; /* the member that has to come now */
    ct_verdict *verdict;
} listing;

static bool check_member(void *user, const zl_node_info *info) {
    listing *state = user;
    if (state->next == NULL || !zl_json_is(state->next, info->path))
        return ct_fail(state->verdict, "member \"%s\", expected \"%s\"", info->path,
                       state->next != NULL ? zl_json_text(state->next, NULL) : "the end");
    state->next = zl_json_next(state->next);
    return true;
}

static void run_list(const case_row *row, const char *store, ct_verdict *verdict) {
    listing state = {zl_json_first(zl_json_member(row->expected, "members")), verdict};
    ct_session session;
    zl_error err = {0};
    if (ct_session_open(&session, store, false, &err) != ZL_OK ||
        zl_node_list(session.store, text_of(row->expected, "node", ""), true, check_member, &state, &err) != ZL_OK) {
        if (!is_true(row->expected, "also_error")) (void)ct_fail_error(verdict, "list", &err);
    } else if (state.next != NULL) {
        (void)ct_fail(verdict, "member \"%s\" is not listed", zl_json_text(state.next, NULL));
    }
    ct_session_close(&session, verdict);
}

/* ------------------------------------------------------------------------------------------------ rows */

static void run_case(const void *data, ct_verdict *verdict) {
    const case_row *row = data;
    const char *expect = text_of(row->expected, "expect", "");
    const char *store = ct_text("%s/%s", row->folder, text_of(row->expected, "input", "store"));
    const char *forbidden = text_of(row->expected, "must_not_create", NULL);
    if (chdir(row->working) != 0) abort();
    if (strcmp(expect, "steps") == 0) {
        ct_run_steps(row->folder, verdict);
    } else if (strcmp(expect, "list") == 0) {
        run_list(row, store, verdict);
    } else {
        run_read(row, store, verdict);
    }
    if (forbidden != NULL && ct_exists(forbidden)) (void)ct_fail(verdict, "\"%s\" was created", forbidden);
}

void ct_run_cases(const char *folder, const char *only, ct_report *report) {
    char *text = ct_read_file(ct_text("%s/index.tsv", folder), NULL);
    char *line = ct_next_line(&text); /* names of the columns */
    while ((line = ct_next_line(&text)) != NULL) {
        char *name;
        if (ct_split(line, &name, 1) < 1 || (only != NULL && strstr(name, only) == NULL)) continue;
        const char *path = ct_text("%s/%s", folder, name);
        const char *working = ct_temporary_new();
        const case_row row = {path, working, ct_parse_file(ct_text("%s/expected.json", path))};
        const bool steps = zl_json_is(zl_json_member(row.expected, "expect"), "steps");
        const ct_bounds bounds = {number_of(row.expected, "max_seconds", steps ? 60 : 20),
                                  number_of(row.expected, "max_rss_mb", 0)};
        ct_verdict verdict;
        ct_run(run_case, &row, &bounds, &verdict);
        ct_temporary_remove(working);
        ct_report_add(report, text_of(row.expected, "basis", "?"), name, &verdict);
    }
}
