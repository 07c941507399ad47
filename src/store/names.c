/* SPDX-License-Identifier: MIT */
#include "store/names.h"

zl_status zl_names_prefix(zl_sink *text, const char *prefix, zl_error *err) {
    if (prefix[0] != '\0') {
        ZL_TRY(zl_sink_append(text, prefix, strlen(prefix), err));
        ZL_TRY(zl_sink_append(text, "/", 1, err));
    }
    ZL_TRY(zl_sink_append(text, "", 1, err));
    text->size--;
    return ZL_OK;
}

zl_skipnode *zl_names_seek(const zl_skiplist *list, const char *from, size_t base) {
    zl_skipnode *node = zl_skiplist_seek(list, from);
    return node != NULL && strncmp(node->key, from, base) == 0 ? node : NULL;
}

/* Puts the next name at or behind `text` after the first `base` bytes of it: NUL-terminated, with room for one more byte.
 * NOT_FOUND at the end. */
static zl_status next_name(const zl_skiplist *list, zl_mutex *mutex, zl_sink *text, size_t base, bool *is_prefix,
                           zl_error *err) {
    zl_mutex_lock(mutex);
    const zl_skipnode *node = zl_names_seek(list, (const char *)text->data, base);
    zl_status status = ZL_ERR_NOT_FOUND;
    if (node != NULL) {
        const char *name = node->key + base;
        const size_t size = strcspn(name, "/");
        *is_prefix = name[size] == '/';
        text->size = base;
        status = zl_sink_append(text, name, size, err);
        if (status == ZL_OK) status = zl_sink_append(text, "\0", 2, err);
    }
    zl_mutex_unlock(mutex);
    return status;
}

/* Each name is sought anew, behind the one before: the callback may have changed the list. */
zl_status zl_names_list(const zl_skiplist *list, zl_mutex *mutex, const char *prefix, zl_list_fn each, void *user,
                        const zl_store_call *call) {
    zl_sink text = {.max = SIZE_MAX, .allocator = call->allocator};
    zl_status status = zl_names_prefix(&text, prefix, call->err);
    const size_t base = text.size;
    bool any = false, is_prefix = false;
    while (status == ZL_OK) {
        status = next_name(list, mutex, &text, base, &is_prefix, call->err);
        if (status != ZL_OK) break;
        any = true;
        if (!each(user, (const char *)text.data + base, is_prefix)) break;
        /* The least text behind all keys "name/...", or behind "name" alone. */
        text.data[text.size - 2] = is_prefix ? '/' + 1 : 1;
    }
    zl_sink_free(&text);
    return status == ZL_ERR_NOT_FOUND && any ? ZL_OK : status;
}
