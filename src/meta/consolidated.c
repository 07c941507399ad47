/* SPDX-License-Identifier: MIT */
#include "meta/consolidated.h"

#include <stdlib.h>

#define INLINE_MEMBER "consolidated_metadata"
#define COPIES_MEMBER "metadata"

static bool has_key(const zl_json *member, const char *key) {
    size_t size;
    const char *text = zl_json_key(member, &size);
    return size == strlen(key) && memcmp(text, key, size) == 0;
}

const zl_json *zl_consolidated_copies(const zl_json *root, int32_t zarr_format) {
    const zl_json *holder = zarr_format == 2 ? root : zl_json_member(root, INLINE_MEMBER);
    const zl_json *copies = zl_json_member(holder, COPIES_MEMBER);
    return zl_json_get_type(copies) == ZL_JSON_OBJECT ? copies : NULL;
}

/* ---- nodes */

/* A copy in v2 is one of a document; v3 has one for each node. */
static bool split_v2(const char *key, size_t size, size_t *path_size, zl_node_kind *kind) {
    static const struct {
        const char *name;
        zl_node_kind kind;
    } rows[] = {{".zarray", ZL_NODE_ARRAY}, {".zgroup", ZL_NODE_GROUP}};
    for (size_t i = 0; i < ZL_COUNT_OF(rows); i++) {
        const size_t name_size = strlen(rows[i].name);
        if (size <= name_size + 1 || key[size - name_size - 1] != '/') continue; /* the group itself is not below it */
        if (memcmp(key + size - name_size, rows[i].name, name_size) != 0) continue;
        *path_size = size - name_size - 1;
        *kind = rows[i].kind;
        return true;
    }
    return false;
}

static zl_node_kind kind_v3(const zl_json *copy) {
    const zl_json *type = zl_json_member(copy, "node_type");
    if (type == NULL) return ZL_NODE_NONE;
    return zl_json_is(type, "array") ? ZL_NODE_ARRAY : zl_json_is(type, "group") ? ZL_NODE_GROUP : ZL_NODE_NONE;
}

zl_status zl_consolidated_nodes(const zl_json *copies, int32_t zarr_format, zl_consolidated_node_fn each, void *user,
                                zl_error *err) {
    for (const zl_json *copy = zl_json_first(copies); copy != NULL; copy = zl_json_next(copy)) {
        size_t size;
        const char *key = zl_json_key(copy, &size);
        zl_node_kind kind = zarr_format == 3 ? kind_v3(copy) : ZL_NODE_NONE;
        if (zarr_format == 2 && !split_v2(key, size, &size, &kind)) continue;
        ZL_TRY(each(user, key, size, kind, err));
    }
    return ZL_OK;
}

/* ---- writing */

static void write_document(zl_json_writer *writer, const zl_json *document) {
    if (zl_json_member(document, INLINE_MEMBER) == NULL) {
        zl_json_write_value(writer, document);
        return;
    }
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(document); member != NULL; member = zl_json_next(member)) {
        if (has_key(member, INLINE_MEMBER)) continue;
        zl_json_write_key_of(writer, member);
        zl_json_write_value(writer, member);
    }
    zl_json_write_end(writer);
}

void zl_consolidated_write_copy(zl_json_writer *writer, const char *key, const zl_json *document) {
    zl_json_write_key(writer, key);
    write_document(writer, document);
}

/* "a" and "a/b", and in v2 "a/.zarray", are at or below "a". */
static bool is_removed(const zl_json *member, const char *path) {
    size_t size;
    const char *key = zl_json_key(member, &size);
    const size_t path_size = strlen(path);
    return path_size == 0 ||
           (size >= path_size && memcmp(key, path, path_size) == 0 && (size == path_size || key[path_size] == '/'));
}

static bool are_siblings(const zl_json *member, const char *key) {
    size_t size;
    const char *other = zl_json_key(member, &size);
    const char *slash = strrchr(key, '/'), *other_slash = strrchr(other, '/');
    const size_t parent = slash != NULL ? (size_t)(slash - key) : 0;
    return (slash == NULL) == (other_slash == NULL) &&
           parent == (other_slash != NULL ? (size_t)(other_slash - other) : 0) && memcmp(key, other, parent) == 0;
}

/* Behind which member a new one belongs: some readers want the members of one group side by side. NULL: at the end. */
static const zl_json *find_place(const zl_json *copies, const char *key) {
    const zl_json *place = NULL;
    for (const zl_json *member = zl_json_first(copies); member != NULL; member = zl_json_next(member)) {
        if (has_key(member, key)) return NULL; /* it is no new one */
        if (are_siblings(member, key)) place = member;
    }
    return place;
}

static void write_edited(zl_json_writer *writer, const zl_json *copies, const zl_consolidated_edit *edit) {
    bool pending = edit->document != NULL;
    const zl_json *place = pending ? find_place(copies, edit->key) : NULL;
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(copies); member != NULL; member = zl_json_next(member)) {
        const bool is_it = edit->key != NULL && has_key(member, edit->key);
        if (edit->removed != NULL && is_removed(member, edit->removed)) continue;
        if (is_it && !pending) continue;
        zl_json_write_key_of(writer, member);
        if (is_it) {
            write_document(writer, edit->document);
            pending = false;
        } else {
            zl_json_write_value(writer, member);
        }
        if (member == place) {
            zl_consolidated_write_copy(writer, edit->key, edit->document);
            pending = false;
        }
    }
    if (pending) zl_consolidated_write_copy(writer, edit->key, edit->document);
    zl_json_write_end(writer);
}

/* One of the two ways to write the copies. */
typedef struct source {
    const zl_consolidated_edit *edit;
    const zl_json *copies;
} source;

static void write_copies(zl_json_writer *writer, const source *from, const zl_json *old) {
    if (from->edit != NULL) {
        write_edited(writer, old, from->edit);
    } else {
        zl_json_write_value(writer, from->copies);
    }
}

/* The object that holds the copies; its other members stay. */
static void write_holder(zl_json_writer *writer, const zl_json *holder, const source *from) {
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(holder); member != NULL; member = zl_json_next(member)) {
        zl_json_write_key_of(writer, member);
        if (has_key(member, COPIES_MEMBER)) {
            write_copies(writer, from, member);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    zl_json_write_end(writer);
}

static void write_new_inline(zl_json_writer *writer, const source *from) {
    zl_json_write_key(writer, INLINE_MEMBER);
    zl_json_write_object(writer);
    zl_json_write_key(writer, "kind");
    zl_json_write_text(writer, "inline");
    zl_json_write_key(writer, "must_understand");
    zl_json_write_bool(writer, false);
    zl_json_write_key(writer, COPIES_MEMBER);
    write_copies(writer, from, NULL);
    zl_json_write_end(writer);
}

static void write_v3(zl_json_writer *writer, const zl_json *root, const source *from) {
    const bool has_copies = zl_consolidated_copies(root, 3) != NULL;
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(root); member != NULL; member = zl_json_next(member)) {
        const bool is_it = has_key(member, INLINE_MEMBER);
        if (is_it && !has_copies) continue; /* not what it should be */
        zl_json_write_key_of(writer, member);
        if (is_it) {
            write_holder(writer, member, from);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    if (!has_copies) write_new_inline(writer, from);
    zl_json_write_end(writer);
}

static void write_v2(zl_json_writer *writer, const zl_json *root, const source *from) {
    if (zl_consolidated_copies(root, 2) != NULL) {
        write_holder(writer, root, from);
        return;
    }
    zl_json_write_object(writer);
    zl_json_write_key(writer, "zarr_consolidated_format");
    zl_json_write_i64(writer, 1);
    zl_json_write_key(writer, COPIES_MEMBER);
    write_copies(writer, from, NULL);
    zl_json_write_end(writer);
}

void zl_consolidated_rewrite(zl_json_writer *writer, const zl_json *root, int32_t zarr_format,
                             const zl_consolidated_edit *edit) {
    const source from = {.edit = edit};
    if (zarr_format == 2) {
        write_v2(writer, root, &from);
    } else {
        write_v3(writer, root, &from);
    }
}

void zl_consolidated_replace(zl_json_writer *writer, const zl_json *root, int32_t zarr_format, const zl_json *copies) {
    const source from = {.copies = copies};
    if (zarr_format == 2) {
        write_v2(writer, root, &from);
    } else {
        write_v3(writer, root, &from);
    }
}

/* ---- comparing */

static int by_key(const void *a, const void *b) {
    return strcmp(zl_json_key(*(const zl_json *const *)a, NULL), zl_json_key(*(const zl_json *const *)b, NULL));
}

static void sort_members(const zl_json *object, const zl_json **out) {
    size_t count = 0;
    for (const zl_json *member = zl_json_first(object); member != NULL; member = zl_json_next(member)) {
        out[count++] = member;
    }
    qsort(out, count, sizeof *out, by_key);
}

static void compare_sorted(const zl_json *const *old, size_t old_count, const zl_json *const *now, size_t now_count,
                           zl_consolidated_fn each, void *user) {
    bool more = true;
    for (size_t i = 0, k = 0; more && (i < old_count || k < now_count);) {
        const int order = i == old_count ? 1 : k == now_count ? -1 : by_key(&old[i], &now[k]);
        const zl_json *before = order <= 0 ? old[i++] : NULL, *after = order >= 0 ? now[k++] : NULL;
        if (before != NULL && after != NULL && zl_json_equal(before, after)) continue;
        more = each(user, zl_json_key(before != NULL ? before : after, NULL), before, after);
    }
}

zl_status zl_consolidated_compare(const zl_json *old, const zl_json *now, const zl_allocator *allocator,
                                  zl_consolidated_fn each, void *user, zl_error *err) {
    ZL_TRY(zl_json_unique(old, true, err));
    ZL_TRY(zl_json_unique(now, true, err));
    const size_t old_count = zl_json_count(old), now_count = zl_json_count(now);
    const size_t size = (old_count + now_count + 1) * sizeof(const zl_json *);
    const zl_json **sorted = zl_alloc(allocator, size, _Alignof(const zl_json *));
    if (sorted == NULL) return zl_fail_memory(err, size);
    sort_members(old, sorted);
    sort_members(now, sorted + old_count);
    compare_sorted(sorted, old_count, sorted + old_count, now_count, each, user);
    zl_free(allocator, sorted, size);
    return ZL_OK;
}
