/* SPDX-License-Identifier: MIT */
/*
 * What the library does not do yet, by name, and how many rows of each set need it. A row is pending only if opening it
 * was refused as unsupported and its metadata holds a name of this list; everything else that is refused has failed. The
 * counts are exact: when a name leaves the list they go down, and they must not go up.
 */
#include "conformance.h"

typedef struct pending_name {
    const char *name; /* a string of the metadata (a "*" at its end stands for any ending), or a feature */
    const char *reason;
} pending_name;

static const pending_name pending_names[] = {
    {"s3 store", "no store for object services yet"},
};

static const struct {
    const char *set;
    int32_t rows;
} pending_rows[] = {
    {"stores", 0},
    {"bugs", 1},
    {"hostile", 0},
    {"fixtures", 0},
};

size_t ct_pending_count(void) {
    return ZL_COUNT_OF(pending_names);
}
const char *ct_pending_name(size_t index) {
    return pending_names[index].name;
}
const char *ct_pending_reason(size_t index) {
    return pending_names[index].reason;
}

int32_t ct_pending_rows(const char *set) {
    for (size_t i = 0; i < ZL_COUNT_OF(pending_rows); i++) {
        if (strcmp(pending_rows[i].set, set) == 0) return pending_rows[i].rows;
    }
    return 0;
}

static bool name_matches(const char *name, const char *text) {
    const size_t length = strlen(name);
    if (name[length - 1] == '*') return strncmp(name, text, length - 1) == 0;
    return strcmp(name, text) == 0;
}

static int32_t find_name(const char *text) {
    for (size_t i = 0; i < ZL_COUNT_OF(pending_names); i++) {
        if (name_matches(pending_names[i].name, text)) return (int32_t)i;
    }
    return -1;
}

static bool record(ct_verdict *verdict, int32_t index) {
    if (index < 0) return false;
    verdict->outcome = CT_PENDING;
    verdict->pending = index;
    return true;
}

bool ct_feature_is_pending(ct_verdict *verdict, const char *feature) {
    return record(verdict, find_name(feature));
}

/* Codecs of version 2 have names of numcodecs. */
static const char *name_of(const char *key, const char *text) {
    return key != NULL && strcmp(key, "id") == 0 ? ct_text("numcodecs.%s", text) : text;
}

/* Looks at every string of a metadata document that names something: attributes and fill values name nothing. */
static void search(const zl_json *value, int32_t *pending, const char **not_built) {
    const char *key = zl_json_key(value, NULL);
    const char *text = zl_json_get_type(value) == ZL_JSON_STRING ? zl_json_text(value, NULL) : NULL;
    if (key != NULL && (strcmp(key, "attributes") == 0 || strcmp(key, "fill_value") == 0)) return;
    if (text != NULL) text = name_of(key, text);
    if (text != NULL && *pending < 0) *pending = find_name(text);
    if (text != NULL && zl_codec_available(text) == ZL_KNOWN_NOT_BUILT) *not_built = text;
    for (const zl_json *child = zl_json_first(value); child != NULL; child = zl_json_next(child))
        search(child, pending, not_built);
}

void ct_judge_unsupported(ct_verdict *verdict, const char *store, const char *node, const zl_error *err) {
    const char *v3 = ct_text("%s/%s/zarr.json", store, node);
    const char *v2 = ct_text("%s/%s/.zarray", store, node);
    const bool is_v3 = ct_exists(v3);
    const char *not_built = NULL;
    int32_t pending = -1;
    if (!ZL_HAVE_ZIP && strstr(store, ".zip") != NULL) {
        verdict->outcome = CT_NOT_BUILT;
        return;
    }
    search(ct_parse_file(is_v3 ? v3 : v2), &pending, &not_built);
    if (record(verdict, pending)) return;
    if (not_built != NULL) {
        verdict->outcome = CT_NOT_BUILT;
    } else {
        (void)ct_fail_error(verdict, "refused, but nothing in its metadata is listed in pending.c", err);
    }
}
