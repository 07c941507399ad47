/* SPDX-License-Identifier: MIT */
/* What all stores have: references, the check of keys, whole objects, removal by list and erase. */
#include "store/store.h"

zl_store *zl_store_retain(zl_store *store) {
    atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
    return store;
}

static zl_store_call make_call(const zl_store *store, zl_error *err) {
    return (zl_store_call){.size = sizeof(zl_store_call), .allocator = store->allocator, .err = err};
}

/* ---- keys */

zl_status zl_store_check_key(const char *key, zl_error *err) {
    if (key == NULL || key[0] == '\0') return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "the key is empty");
    if (!zl_utf8_valid(key, strlen(key))) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "the key is not valid UTF-8");
    if (key[0] == '/') return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "key \"%s\" starts with a slash", key);
    for (const char *part = key;; part++) {
        const size_t size = strcspn(part, "/");
        if (size == 0) return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "key \"%s\" has an empty part", key);
        if ((size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "key \"%s\" has a part \"%.*s\"", key, (int)size, part);
        part += size;
        if (*part == '\0') return ZL_OK;
    }
}

/* ---- whole objects */

zl_status zl_store_get_all(zl_store *store, const char *key, uint64_t limit, zl_bytes *out, zl_object_info *info,
                           zl_error *err) {
    const zl_store_call call = make_call(store, err);
    /* A `cap` of 0 would be no bound. */
    zl_request request = {.length = ZL_TO_END, .cap = limit == 0 ? 1 : limit < SIZE_MAX ? (size_t)limit : SIZE_MAX};
    ZL_TRY(store->cls->get(store->self, key, &request, 1, NULL, info, &call));
    if (request.bytes.size <= limit) {
        *out = request.bytes;
        return ZL_OK;
    }
    const size_t size = request.bytes.size;
    zl_bytes_release(&request.bytes);
    return zl_fail(err, ZL_ERR_LIMIT, "%s: %zu bytes are stored, at most %llu are expected", key, size,
                   (unsigned long long)limit);
}

zl_status zl_store_set_all(zl_store *store, const char *key, const void *data, size_t size, zl_error *err) {
    const zl_store_call call = make_call(store, err);
    const zl_span span = {data, size};
    if (store->cls->set == NULL)
        return zl_fail(err, ZL_ERR_READ_ONLY, "cannot set %s: a %s store is read-only", key, store->cls->name);
    return store->cls->set(store->self, key, &span, 1, NULL, &call);
}

/* ---- removal by list and erase */

/* A key or prefix to remove. They wait in a stack: an object is erased when it is on top, a prefix gives way to the names
 * below it. Nothing is erased while a listing runs. */
typedef struct doomed {
    struct doomed *below;
    size_t size; /* of the allocation */
    bool is_prefix;
    char key[];
} doomed;

typedef struct removal {
    const zl_allocator *allocator;
    doomed *top;
    const char *prefix; /* what is being listed */
    zl_status status;
    zl_error *err;
} removal;

static bool push_name(void *user, const char *name, bool is_prefix) {
    removal *all = user;
    const size_t prefix_size = strlen(all->prefix);
    const size_t name_size = strlen(name) + 1;
    const size_t size = sizeof(doomed) + prefix_size + 1 + name_size;
    doomed *top = zl_alloc(all->allocator, size, _Alignof(doomed));
    if (top == NULL) {
        all->status = zl_fail_memory(all->err, size);
        return false;
    }
    *top = (doomed){.below = all->top, .size = size, .is_prefix = is_prefix};
    char *end = top->key;
    if (prefix_size != 0) {
        memcpy(end, all->prefix, prefix_size);
        end += prefix_size;
        *end++ = '/';
    }
    memcpy(end, name, name_size);
    all->top = top;
    return true;
}

static zl_status push_below(zl_store *store, const char *prefix, removal *all, const zl_store_call *call) {
    all->prefix = prefix;
    const zl_status status = store->cls->list(store->self, prefix, push_name, all, call);
    if (status != ZL_OK && status != ZL_ERR_NOT_FOUND) return status;
    return all->status;
}

static zl_status erase_by_list(zl_store *store, const char *prefix, const zl_store_call *call) {
    removal all = {.allocator = store->allocator, .err = call->err};
    zl_status status = push_below(store, prefix, &all, call);
    while (all.top != NULL) {
        doomed *top = all.top;
        all.top = top->below;
        if (status == ZL_OK && top->is_prefix) {
            status = push_below(store, top->key, &all, call);
        } else if (status == ZL_OK) {
            status = store->cls->erase(store->self, top->key, NULL, call);
            if (status == ZL_ERR_NOT_FOUND) status = ZL_OK; /* somebody else was faster */
        }
        zl_free(all.allocator, top, top->size);
    }
    return status;
}

zl_status zl_store_erase_prefix(zl_store *store, const char *prefix, zl_error *err) {
    const zl_store_call call = make_call(store, err);
    const zl_store_class *cls = store->cls;
    if (cls->erase_prefix != NULL) {
        const zl_status status = cls->erase_prefix(store->self, prefix, &call);
        return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
    }
    if (cls->erase == NULL)
        return zl_fail(err, ZL_ERR_READ_ONLY, "cannot erase below %s: a %s store is read-only", prefix, cls->name);
    if (cls->list == NULL)
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "cannot erase below %s: a %s store has no listing", prefix, cls->name);
    return erase_by_list(store, prefix, &call);
}
