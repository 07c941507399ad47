/* SPDX-License-Identifier: MIT */
/*
 * Objects in memory. An object never changes: a set puts another one in its place, and who reads the old one holds a
 * reference to it, so a get lends without copying and what it lends survives the store.
 *
 * One mutex guards the map of keys. Bytes are copied and memory is taken and given back outside of it. A key may be an
 * object and a prefix of others at once, which a file system cannot have; listings then show its name as both.
 */
#include "base/thread.h"
#include "store/names.h"
#include "store/store.h"
#include "store/support.h"

/* Bytes with a count of references; they lie OBJECT_OFFSET behind its start. */
typedef struct memory_object {
    atomic_int references;
    zl_allocator allocator;
    zl_object_info info;
    size_t cap; /* bytes there is room for */
} memory_object;
#define OBJECT_OFFSET ((size_t)128)
_Static_assert(sizeof(memory_object) <= OBJECT_OFFSET, "the head lies before the bytes");

typedef struct memory_store {
    zl_allocator allocator;
    zl_mutex mutex;
    zl_skiplist objects;
    atomic_uint_fast64_t counter; /* of generations */
} memory_store;

/* ---- objects */

static uint8_t *object_data(memory_object *object) {
    return (uint8_t *)object + OBJECT_OFFSET;
}

static void object_release(void *owner) {
    memory_object *object = owner;
    if (object == NULL || atomic_fetch_sub(&object->references, 1) != 1) return;
    const zl_allocator allocator = object->allocator;
    zl_free(&allocator, object, OBJECT_OFFSET + object->cap);
}

static memory_object *object_retain(memory_object *object) {
    atomic_fetch_add(&object->references, 1);
    return object;
}

/* An object without bytes and room for `cap`. */
static memory_object *object_new(memory_store *store, size_t cap, zl_error *err) {
    size_t total;
    memory_object *object =
        zl_add_size(cap, OBJECT_OFFSET, &total) ? zl_alloc(&store->allocator, total, OBJECT_OFFSET) : NULL;
    if (object == NULL) {
        (void)zl_fail_memory(err, cap);
        return NULL;
    }
    *object = (memory_object){.allocator = store->allocator, .cap = cap};
    atomic_init(&object->references, 1);
    return object;
}

static void object_append(memory_object *object, const zl_span *spans, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (spans[i].size != 0) memcpy(object_data(object) + object->info.size, spans[i].data, spans[i].size);
        object->info.size += spans[i].size;
    }
}

static zl_status total_size(const zl_span *spans, size_t count, size_t *out, zl_error *err) {
    *out = 0;
    for (size_t i = 0; i < count; i++)
        if (!zl_add_size(*out, spans[i].size, out)) return zl_fail_memory(err, UINT64_MAX);
    return ZL_OK;
}

/* ---- reading */

/* A reference to the object of a key, or NULL. */
static memory_object *find_object(memory_store *store, const char *key) {
    zl_mutex_lock(&store->mutex);
    const zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    memory_object *object = node != NULL ? object_retain(node->value) : NULL;
    zl_mutex_unlock(&store->mutex);
    return object;
}

static zl_status read_range(memory_object *object, const char *key, zl_request *request, zl_error *err) {
    zl_range range;
    ZL_TRY(zl_request_resolve(request, object->info.size, key, &range, err));
    const uint8_t *data = object_data(object) + range.offset;
    const size_t length = (size_t)range.length;
    if (request->into == NULL) {
        request->bytes = (zl_bytes){data, length, object_release, object_retain(object)};
    } else {
        memcpy(request->into, data, length);
        request->bytes = (zl_bytes){request->into, length, NULL, NULL};
    }
    return ZL_OK;
}

static zl_status memory_get(void *self, const char *key, zl_request *requests, size_t count, const zl_condition *condition,
                            zl_object_info *info, const zl_store_call *call) {
    zl_requests_init(requests, count);
    memory_object *object = find_object(self, key);
    if (object == NULL) return zl_condition_missing(condition, key, call->err);
    if (info != NULL) *info = object->info;
    zl_status status = zl_condition_check(condition, &object->info.generation, key, call->err);
    for (size_t i = 0; i < count && status == ZL_OK; i++)
        status = read_range(object, key, &requests[i], call->err);
    if (status != ZL_OK) zl_requests_release(requests, count);
    object_release(object);
    return status;
}

static zl_status memory_info(void *self, const char *key, zl_object_info *info, const zl_store_call *call) {
    (void)call;
    memory_object *object = find_object(self, key);
    if (object == NULL) return ZL_ERR_NOT_FOUND;
    *info = object->info;
    object_release(object);
    return ZL_OK;
}

/* ---- writing */

/* Takes `object` in any case. */
static zl_status place_object(memory_store *store, const char *key, memory_object *object, const zl_condition *condition,
                              zl_error *err) {
    const uint64_t number = atomic_fetch_add(&store->counter, 1) + 1;
    object->info.generation = (zl_generation){{number, 0}};
    zl_skipnode *spare = zl_skipnode_new(key, number, &store->allocator); /* beforehand: we do not know if it is needed */
    if (spare == NULL) {
        object_release(object);
        return zl_fail_memory(err, strlen(key));
    }
    zl_mutex_lock(&store->mutex);
    zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    memory_object *old = node != NULL ? node->value : NULL;
    const zl_status status = zl_condition_check(condition, old != NULL ? &old->info.generation : NULL, key, err);
    if (status == ZL_OK && node == NULL) {
        node = spare;
        spare = NULL;
        zl_skiplist_insert(&store->objects, node);
    }
    if (status == ZL_OK) node->value = object;
    zl_mutex_unlock(&store->mutex);
    zl_skipnode_free(spare, &store->allocator);
    object_release(status == ZL_OK ? old : object);
    return status;
}

static zl_status memory_set(void *self, const char *key, const zl_span *spans, size_t count, const zl_condition *condition,
                            const zl_store_call *call) {
    size_t size;
    ZL_TRY(total_size(spans, count, &size, call->err));
    memory_object *object = object_new(self, size, call->err);
    if (object == NULL) return ZL_ERR_NO_MEMORY;
    object_append(object, spans, count);
    return place_object(self, key, object, condition, call->err);
}

/* An object on its way: a zl_put. */
typedef struct memory_put {
    memory_store *store;
    memory_object *object;
    size_t size; /* of the allocation */
    char key[];
} memory_put;

/* All but the object. */
static void put_free(memory_put *put) {
    zl_free(&put->store->allocator, put, put->size);
}

static zl_status memory_put_begin(void *self, const char *key, zl_put **out, const zl_store_call *call) {
    memory_store *store = self;
    const size_t key_size = strlen(key) + 1;
    memory_put *put = zl_alloc_zero(&store->allocator, sizeof *put + key_size, _Alignof(memory_put));
    if (put == NULL) return zl_fail_memory(call->err, sizeof *put + key_size);
    put->store = store;
    put->size = sizeof *put + key_size;
    memcpy(put->key, key, key_size);
    put->object = object_new(store, 0, call->err);
    if (put->object == NULL) {
        put_free(put);
        return ZL_ERR_NO_MEMORY;
    }
    *out = (zl_put *)put;
    return ZL_OK;
}

/* Nobody else sees the object yet, so it may move. */
static zl_status reserve(memory_put *put, size_t more, zl_error *err) {
    memory_object *object = put->object;
    size_t needed, cap, total;
    if (!zl_add_size((size_t)object->info.size, more, &needed)) return zl_fail_memory(err, UINT64_MAX);
    if (needed <= object->cap) return ZL_OK;
    if (!zl_add_size(needed, needed / 2, &cap) || !zl_add_size(cap, OBJECT_OFFSET, &total))
        return zl_fail_memory(err, needed);
    object = zl_resize(&put->store->allocator, object, OBJECT_OFFSET + object->cap, total, OBJECT_OFFSET);
    if (object == NULL) return zl_fail_memory(err, total);
    object->cap = cap;
    put->object = object;
    return ZL_OK;
}

static zl_status memory_put_append(zl_put *handle, const zl_span *spans, size_t count, const zl_store_call *call) {
    memory_put *put = (memory_put *)handle;
    size_t size;
    ZL_TRY(total_size(spans, count, &size, call->err));
    ZL_TRY(reserve(put, size, call->err));
    object_append(put->object, spans, count);
    return ZL_OK;
}

static zl_status memory_put_commit(zl_put *handle, const zl_condition *condition, const zl_store_call *call) {
    memory_put *put = (memory_put *)handle;
    const zl_status status = place_object(put->store, put->key, put->object, condition, call->err);
    put_free(put);
    return status;
}

static void memory_put_abort(zl_put *handle) {
    memory_put *put = (memory_put *)handle;
    object_release(put->object);
    put_free(put);
}

/* ---- erasing */

static void node_release(memory_store *store, zl_skipnode *node) {
    object_release(node->value);
    zl_skipnode_free(node, &store->allocator);
}

static zl_status memory_erase(void *self, const char *key, const zl_condition *condition, const zl_store_call *call) {
    memory_store *store = self;
    zl_skipnode *removed = NULL;
    zl_mutex_lock(&store->mutex);
    zl_skipnode *node = zl_skiplist_find(&store->objects, key);
    const memory_object *object = node != NULL ? node->value : NULL;
    const zl_status status = object == NULL ? zl_condition_missing(condition, key, call->err)
                                            : zl_condition_check(condition, &object->info.generation, key, call->err);
    if (object != NULL && status == ZL_OK) {
        zl_skiplist_remove(&store->objects, node);
        removed = node;
    }
    zl_mutex_unlock(&store->mutex);
    if (removed != NULL) node_release(store, removed);
    return status;
}

/* ---- below a prefix */

static zl_status memory_erase_prefix(void *self, const char *prefix, const zl_store_call *call) {
    memory_store *store = self;
    zl_sink text = {.max = SIZE_MAX, .allocator = call->allocator};
    const zl_status status = zl_names_prefix(&text, prefix, call->err);
    if (status == ZL_OK) {
        const char *start = (const char *)text.data;
        zl_skipnode *removed = NULL, *node;
        zl_mutex_lock(&store->mutex);
        while ((node = zl_names_seek(&store->objects, start, text.size)) != NULL) {
            zl_skiplist_remove(&store->objects, node);
            node->next[0] = removed;
            removed = node;
        }
        zl_mutex_unlock(&store->mutex);
        while ((node = removed) != NULL) {
            removed = node->next[0];
            node_release(store, node);
        }
    }
    zl_sink_free(&text);
    return status;
}

static zl_status memory_list(void *self, const char *prefix, zl_list_fn each, void *user, const zl_store_call *call) {
    memory_store *store = self;
    return zl_names_list(&store->objects, &store->mutex, prefix, each, user, call);
}

/* ---- opening and closing */

static zl_status memory_close(void *self, zl_error *err) {
    (void)err;
    memory_store *store = self;
    for (zl_skipnode *node = store->objects.first[0], *next; node != NULL; node = next) {
        next = node->next[0];
        node_release(store, node);
    }
    zl_mutex_clear(&store->mutex);
    const zl_allocator allocator = store->allocator;
    ZL_DELETE(&allocator, store);
    return ZL_OK;
}

zl_status zl_store_memory_new(void **self, const zl_allocator *allocator, zl_error *err) {
    memory_store *store = ZL_NEW(allocator, memory_store);
    if (store == NULL) return zl_fail_memory(err, sizeof *store);
    store->allocator = *allocator;
    atomic_init(&store->counter, 0);
    const zl_status status = zl_mutex_init(&store->mutex, err);
    if (status != ZL_OK) {
        ZL_DELETE(allocator, store);
        return status;
    }
    *self = store;
    return ZL_OK;
}

const zl_store_class zl_store_memory = {
    .size = sizeof(zl_store_class),
    .name = "memory",
    .caps = ZL_STORE_WRITE | ZL_STORE_RANGE | ZL_STORE_LEND | ZL_STORE_CONDITIONAL | ZL_STORE_CONDITIONAL_ERASE,
    .get = memory_get,
    .set = memory_set,
    .erase = memory_erase,
    .info = memory_info,
    .list = memory_list,
    .erase_prefix = memory_erase_prefix,
    .put_begin = memory_put_begin,
    .put_append = memory_put_append,
    .put_commit = memory_put_commit,
    .put_abort = memory_put_abort,
    .close = memory_close,
};
