/* SPDX-License-Identifier: MIT */
/* The registry's names, the tables of docs/codecs.md and what the code knows are the same, and all of it has a fixture. */
#include "zt_codec.h"

#include "dtype/family.h"
#include "grid/grid.h"
#include "key/key.h"

#define NAMES_MAX 256

typedef enum kind { CODEC, DATA_TYPE, CHUNK_GRID, CHUNK_KEY_ENCODING, KIND_COUNT } kind;
static const char *const kind_names[] = {"codec", "data_type", "chunk_grid", "chunk_key_encoding"};
static const char *const headings[] = {"## Codecs", "## Data types", "## Chunk grids", "## Chunk key encodings"};

typedef struct name_list {
    size_t count;
    struct {
        kind kind;
        char name[60];
    } at[NAMES_MAX];
} name_list;

static void add(name_list *list, kind of, const char *name, size_t size) {
    assert_true(list->count < NAMES_MAX && size < sizeof list->at[0].name);
    list->at[list->count].kind = of;
    memcpy(list->at[list->count].name, name, size);
    list->at[list->count++].name[size] = '\0';
}

static bool has(const name_list *list, kind of, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].kind == of && strcmp(list->at[i].name, name) == 0) return true;
    }
    return false;
}

static FILE *open_source(const char *path) {
    char full[512];
    snprintf(full, sizeof full, "%s/%s", ZT_SOURCE_DIR, path);
    FILE *file = fopen(full, "r");
    if (!file) fail_msg("no %s", full);
    return file;
}

static void read_registry(name_list *out) {
    FILE *file = open_source("tests/unit/registry_names.txt");
    char line[256], of[30], name[60];
    out->count = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%29s %59s", of, name), 2);
        kind k = CODEC;
        while (k < KIND_COUNT && strcmp(kind_names[k], of) != 0) {
            k++;
        }
        assert_true(k < KIND_COUNT);
        add(out, k, name, strlen(name));
    }
    fclose(file);
    assert_true(out->count > 50);
}

/* Names in backquotes in the first cell of a table's row. */
static void read_cell(const char *cell, kind of, name_list *out) {
    const char *end = strchr(cell, '|');
    for (const char *open = strchr(cell, '`'); end && open && open < end;) {
        const char *close = strchr(open + 1, '`');
        assert_non_null(close);
        add(out, of, open + 1, (size_t)(close - open - 1));
        open = strchr(close + 1, '`');
    }
}

static void read_docs(name_list *out) {
    FILE *file = open_source("docs/codecs.md");
    char line[1024];
    kind section = KIND_COUNT;
    out->count = 0;
    while (fgets(line, sizeof line, file)) {
        for (kind k = CODEC; k < KIND_COUNT; k++) {
            if (strncmp(line, headings[k], strlen(headings[k])) == 0) section = k;
        }
        if (strncmp(line, "| `", 3) == 0 && section < KIND_COUNT) read_cell(line + 2, section, out);
    }
    fclose(file);
    assert_true(out->count > 50);
}

/* Does the code know the name? Whether it needs a configuration is another matter. */
static bool is_known(zt_codec *kit, kind of, const char *name) {
    char text[80];
    const zl_json *json;
    const zl_dtype *dtype;
    const zl_grid_class *grid;
    const zl_key_class *key;
    const void *self;
    const zl_shape shape = {.rank = 1, .dim = {4}};
    snprintf(text, sizeof text, "\"%s\"", strcmp(name, "r") == 0 ? "r8" : name);
    if (of == CODEC) return zl_codec_available(name) != ZL_UNKNOWN;
    kit->doc_count = 0;
    zt_assert_ok(zt_codec_json(kit, text, &json), &kit->err);
    zl_status status = ZL_ERR_UNSUPPORTED;
    if (of == DATA_TYPE) status = zl_dtype_parse(json, &kit->env, &dtype, &kit->err);
    if (of == CHUNK_GRID) status = zl_grid_parse(json, &shape, &kit->env, &grid, &self, &kit->err);
    if (of == CHUNK_KEY_ENCODING) status = zl_key_parse(json, &kit->env, &key, &self, &kit->err);
    zl_json_doc_free(kit->docs[0]);
    kit->doc_count = 0;
    return status != ZL_ERR_UNSUPPORTED;
}

static void check_known(const name_list *list) {
    zt_codec kit;
    zt_assert_ok(zt_codec_init(&kit, NULL), &kit.err);
    for (size_t i = 0; i < list->count; i++) {
        if (!is_known(&kit, list->at[i].kind, list->at[i].name))
            fail_msg("%s %s is unknown to the code", kind_names[list->at[i].kind], list->at[i].name);
    }
    zt_codec_close(&kit);
}

static void the_code_knows_the_registry(void **state) {
    (void)state;
    static name_list registry;
    read_registry(&registry);
    check_known(&registry);
}

static void the_code_knows_what_is_documented(void **state) {
    (void)state;
    static name_list docs;
    read_docs(&docs);
    check_known(&docs);
}

static void the_registry_is_documented(void **state) {
    (void)state;
    static name_list registry, docs;
    read_registry(&registry);
    read_docs(&docs);
    for (size_t i = 0; i < registry.count; i++) {
        const char *name = strcmp(registry.at[i].name, "r") == 0 ? "r8" : registry.at[i].name;
        if (!has(&docs, registry.at[i].kind, name)) fail_msg("docs/codecs.md has no row for %s", name);
    }
}

static void check_documented(const name_list *docs, kind of, const char *name, const char *const *aliases) {
    if (!has(docs, of, name)) fail_msg("docs/codecs.md has no row for %s", name);
    for (; aliases && *aliases; aliases++) {
        if (!has(docs, of, *aliases)) fail_msg("docs/codecs.md has no row for %s", *aliases);
    }
}

static void the_code_is_documented(void **state) {
    (void)state;
    static name_list docs;
    read_docs(&docs);
    for (size_t i = 0; i < zl_codec_table_count; i++) {
        const zl_codec_row *row = &zl_codec_table[i];
        check_documented(&docs, CODEC, row->name, row->cls ? row->cls->aliases : NULL);
    }
    for (int id = ZL_DTYPE_NONE + 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype) check_documented(&docs, DATA_TYPE, dtype->name, dtype->cls->match ? NULL : dtype->cls->aliases);
    }
}

/* Is there a fixture whose name begins so, in that folder or, for codecs of numcodecs, with v2? */
static bool has_fixture(const char *index, const char *folder, const char *name) {
    char store[100];
    snprintf(store, sizeof store, "\n%s/%s", folder, name);
    if (strstr(index, store)) return true;
    snprintf(store, sizeof store, "\nv2/%s", strncmp(name, "numcodecs.", 10) == 0 ? name + 10 : name);
    return strstr(index, store) != NULL;
}

static void everything_has_a_fixture(void **state) {
    (void)state;
    static char index[1 << 16];
    static name_list docs;
    FILE *file = open_source("tests/conformance/fixtures/index.tsv");
    index[fread(index, 1, sizeof index - 1, file)] = '\0';
    fclose(file);
    read_docs(&docs);
    for (size_t i = 0; i < docs.count; i++) {
        const char *name = docs.at[i].name;
        if (strncmp(name, "numpy.", 6) == 0) name += 6;
        /* No fixture: what is not built, and other spellings. */
        if (strcmp(name, "numcodecs.pcodec") == 0 || strcmp(name, "variable_length_bytes") == 0) continue;
        if (strcmp(name, "r8") == 0 || strcmp(name, "r16") == 0) name = "r24";
        if (docs.at[i].kind == CODEC && !has_fixture(index, "codec", name)) fail_msg("codec %s has no fixture", name);
        if (docs.at[i].kind == DATA_TYPE && !has_fixture(index, "type", name)) fail_msg("type %s has no fixture", name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_knows_the_registry), cmocka_unit_test(the_code_knows_what_is_documented),
        cmocka_unit_test(the_registry_is_documented),  cmocka_unit_test(the_code_is_documented),
        cmocka_unit_test(everything_has_a_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
