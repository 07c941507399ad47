/* SPDX-License-Identifier: MIT */
/* Duplicate keys and equality. Both walk trees by their parent pointers: the depth of a document costs no stack. */
#include <stdlib.h>

#include "json/value.h"

/* ---- duplicate keys */

/* By key, then by place in the document. */
static int compare_members(const void *left, const void *right) {
    const zl_json *a = *(const zl_json *const *)left, *b = *(const zl_json *const *)right;
    if (a->key_size != b->key_size) return a->key_size < b->key_size ? -1 : 1;
    const int order = memcmp(a->key, b->key, a->key_size);
    if (order != 0) return order;
    return a->start < b->start ? -1 : a->start > b->start;
}

static zl_status check_sorted(const zl_json *object, const zl_json **members, zl_error *err) {
    size_t count = 0;
    for (const zl_json *it = object->first; it != NULL; it = it->next) {
        members[count++] = it;
    }
    qsort(members, count, sizeof members[0], compare_members);
    for (size_t i = 1; i < count; i++) {
        const zl_json *a = members[i - 1], *b = members[i];
        if (zl_json_same_text(a->key, a->key_size, b->key, b->key_size)) {
            return zl_json_fail(object, err, ZL_ERR_METADATA, "the key \"%.*s\" is there twice",
                                (int)zl_utf8_cut(b->key, b->key_size < 60 ? b->key_size : 60), b->key);
        }
    }
    return ZL_OK;
}

static zl_status check_object(const zl_json *object, zl_error *err) {
    const zl_json *few[16];
    if (object->size <= ZL_COUNT_OF(few)) return check_sorted(object, few, err);
    const zl_allocator *allocator = &zl_json_doc_of(object)->allocator;
    const size_t size = object->size * sizeof(const zl_json *); /* less than the nodes themselves */
    const zl_json **members = zl_alloc(allocator, size, _Alignof(const zl_json *));
    if (members == NULL) return zl_fail_memory(err, size);
    const zl_status status = check_sorted(object, members, err);
    zl_free(allocator, members, size);
    return status;
}

/* The value behind `value` in document order, parents first, below `top`; NULL at the end. */
static const zl_json *walk(const zl_json *value, const zl_json *top) {
    const zl_json *first = zl_json_first(value);
    if (first != NULL) return first;
    while (value != top && value->next == NULL) {
        value = value->parent;
    }
    return value != top ? value->next : NULL;
}

zl_status zl_json_unique(const zl_json *value, bool deep, zl_error *err) {
    for (const zl_json *it = value; it != NULL; it = deep ? walk(it, value) : NULL) {
        if (it->type == ZL_JSON_OBJECT) ZL_TRY(check_object(it, err));
    }
    return ZL_OK;
}

/* ---- equality */

static bool same_value(const zl_json *a, const zl_json *b) {
    if (a->type != b->type || a->size != b->size) return false;
    return zl_json_is_container(a) || a->size == 0 || a->type == ZL_JSON_BOOL || memcmp(a->text, b->text, a->size) == 0;
}

/* The child of `parent` that `child` of another tree is compared with. `likely` stands at the same place: as long as two
 * objects have the same order, nothing is searched. */
static const zl_json *counterpart(const zl_json *child, const zl_json *parent, const zl_json *likely) {
    if (child->key == NULL) return likely;
    if (likely != NULL && zl_json_same_text(child->key, child->key_size, likely->key, likely->key_size)) return likely;
    for (const zl_json *it = parent->first; it != NULL; it = it->next) {
        if (zl_json_same_text(child->key, child->key_size, it->key, it->key_size)) return it;
    }
    return NULL;
}

/* Objects with unique keys are equal when they have as many members and each of one is found in the other. */
bool zl_json_equal(const zl_json *a, const zl_json *b) {
    const zl_json *x = a, *y = b;
    while (y != NULL && same_value(x, y)) {
        const zl_json *first = zl_json_first(x);
        if (first != NULL) {
            x = first;
            y = counterpart(x, y, y->first);
            continue;
        }
        while (x != a && x->next == NULL) {
            x = x->parent;
            y = y->parent;
        }
        if (x == a) return true;
        x = x->next;
        y = counterpart(x, y->parent, y->next);
    }
    return false;
}
