/* SPDX-License-Identifier: MIT */
/* Store handles: a class and its state, bound to a context. */
#include "engine/context.h"
#include "engine/shared.h"
#include "store/store.h"

zl_status zl_store_new(zl_store **out, zl_context *context, const zl_store_class *cls, void *self, zl_error *err) {
    zl_store *store = ZL_NEW(&context->allocator, zl_store);
    zl_status status = store ? ZL_OK : zl_fail_memory(err, sizeof *store);
    if (store) {
        store->cls = cls;
        store->self = self;
        store->context = context;
        store->allocator = &context->allocator;
        atomic_init(&store->references, 1);
        status = zl_shared_new(store, err);
    }
    if (status != ZL_OK) {
        if (cls->close) (void)cls->close(self, NULL);
        if (store) ZL_DELETE(&context->allocator, store);
        return status;
    }
    *out = store;
    return ZL_OK;
}

zl_status zl_store_close(zl_store *store, zl_error *err) {
    if (!store || atomic_fetch_sub(&store->references, 1) != 1) return ZL_OK;
    const zl_status status = store->cls->close ? store->cls->close(store->self, err) : ZL_OK;
    if (store->shared_free) store->shared_free(store->shared);
    ZL_DELETE(store->allocator, store);
    return status;
}

zl_status zl_store_open_file(zl_store **out, zl_context *context, const char *path, const zl_file_store_options *options,
                             zl_error *err) {
    zl_file_store_options o;
    ZL_TRY(zl_options_copy(&o, sizeof o, options, "zl_file_store_options", err));
    void *self;
    ZL_TRY(zl_store_file_new(&self, path, &o, &context->allocator, err));
    return zl_store_new(out, context, &zl_store_file, self, err);
}

zl_status zl_store_open_zip(zl_store **out, zl_context *context, const char *path, const zl_zip_store_options *options,
                            zl_error *err) {
    zl_zip_store_options known;
    ZL_TRY(zl_options_copy(&known, sizeof known, options, "zl_zip_store_options", err));
#if ZL_HAVE_ZIP
    const zl_store_class *cls = NULL;
    void *self = NULL;
    ZL_TRY(zl_store_zip_new(&self, &cls, path, known.create, &context->allocator, err));
    ZL_TRY(zl_store_new(out, context, cls, self, err));
    (*out)->moves_puts = true;
    return ZL_OK;
#else
    (void)out, (void)context, (void)path;
    return zl_fail(err, ZL_ERR_UNSUPPORTED, "ZIP archives are not built; the build option ZL_WITH_ZIP brings them");
#endif
}

zl_status zl_store_open_memory(zl_store **out, zl_context *context, zl_error *err) {
    void *self;
    ZL_TRY(zl_store_memory_new(&self, &context->allocator, err));
    return zl_store_new(out, context, &zl_store_memory, self, err);
}
