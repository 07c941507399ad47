/* SPDX-License-Identifier: MIT */
/*
 * Copies of values for readers that are stricter than the writers of a document were. A copy has the place and the parent
 * of what it was made from, so that messages name the same path; it is no element of its parent.
 */
#include "json/value.h"

const zl_json *zl_json_as_number(const zl_json *value, zl_arena *arena) {
    if (zl_json_get_type(value) != ZL_JSON_STRING || value->size == 0) return value;
    if (zl_scan_number(value->text, value->size) != value->size) return value;
    zl_json *copy = ZL_ARENA_NEW(arena, zl_json);
    if (copy == NULL) return NULL;
    *copy = *value;
    copy->type = ZL_JSON_NUMBER;
    return copy;
}

const zl_json *zl_json_without(const zl_json *object, const char *key, zl_arena *arena) {
    zl_json *copy = ZL_ARENA_NEW(arena, zl_json);
    zl_json *members = zl_arena_zero(arena, object->size * sizeof *members, _Alignof(zl_json));
    if (copy == NULL || members == NULL) return NULL;
    *copy = *object;
    copy->first = NULL;
    copy->size = 0;
    zl_json *last = NULL;
    for (const zl_json *it = object->first; it != NULL; it = it->next) {
        if (zl_json_same_text(it->key, it->key_size, key, strlen(key))) continue;
        const zl_json *value = zl_json_as_number(it, arena);
        if (value == NULL) return NULL;
        zl_json *member = &members[copy->size++];
        *member = *value;
        member->next = NULL;
        if (last != NULL) {
            last->next = member;
        } else {
            copy->first = member;
        }
        last = member;
    }
    return copy;
}
