/* SPDX-License-Identifier: MIT */
#include "api/listing.h"

#include "api/path.h"

static bool add_name(void *user, const char *text, bool is_prefix) {
    zl_listing *listing = user;
    const size_t size = strlen(text) + 1;
    zl_name *name = zl_arena_alloc(listing->arena, sizeof *name + size, _Alignof(zl_name));
    listing->out_of_memory = name == NULL;
    if (name == NULL) return false;
    name->next = listing->first;
    name->is_prefix = is_prefix;
    memcpy(name->text, text, size);
    listing->first = name;
    return true;
}

zl_status zl_listing_read(zl_listing *out, zl_store *store, const char *prefix, zl_error *err) {
    *out = (zl_listing){.arena = zl_arena_new(store->allocator)};
    if (out->arena == NULL) return zl_fail_memory(err, sizeof *out);
    if (store->cls->list == NULL) {
        return zl_fail(err, ZL_ERR_UNSUPPORTED, "the %s store has no listing", store->cls->name);
    }
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = err};
    const zl_status status = store->cls->list(store->self, prefix, add_name, out, &call);
    if (out->out_of_memory) return zl_fail_memory(err, sizeof(zl_name));
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

void zl_listing_clear(zl_listing *listing) {
    zl_arena_free(listing->arena);
    *listing = (zl_listing){0};
}

bool zl_name_may_be_node(const zl_name *name) {
    return name->is_prefix && strncmp(name->text, "._", 2) != 0 && zl_name_problem(name->text, strlen(name->text)) == NULL;
}

zl_status zl_store_list(zl_store *store, const char *prefix, zl_key_fn each, void *user, zl_error *err) {
    if (prefix == NULL) prefix = "";
    if (prefix[0] != '\0') ZL_TRY(zl_store_check_key(prefix, err));
    zl_listing listing;
    zl_status status = zl_listing_read(&listing, store, prefix, err);
    bool more = true;
    for (const zl_name *name = listing.first; status == ZL_OK && more && name != NULL; name = name->next) {
        char *key = zl_path_join(prefix, name->text, store->allocator);
        if (key == NULL)
            status = zl_fail_memory(err, strlen(prefix));
        else
            more = each(user, key, name->is_prefix);
        zl_text_free(key, store->allocator);
    }
    zl_listing_clear(&listing);
    return status;
}
