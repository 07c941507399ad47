/* SPDX-License-Identifier: MIT */
/* Fields are read only: one field makes no record. */
#include "codec/field.h"

#include "simd/kernels.h"

static size_t decode_row(const void *bound, void *dst, const void *src, size_t n) {
    const zl_field_view *field = bound;
    const int64_t count = (int64_t)n, packed = (int64_t)field->size, apart = field->record.dtype->size;
    zl_copy_nd(1, &count, dst, &packed, (const char *)src + field->offset, &apart, field->size);
    return n;
}

static zl_status resolve(const void *self, const zl_level *in, zl_level *out, const zl_env *env, const void **resolved,
                         zl_error *err) {
    const zl_field_view *field = self;
    (void)in;
    (void)env;
    (void)err;
    *out = field->record;
    *resolved = field;
    return ZL_OK;
}

static const zl_aa_ops ops = {.decode_row = decode_row};

const zl_codec_class zl_codec_field = {
    .size = sizeof(zl_codec_class),
    .name = "field",
    .spec = "https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/struct",
    .resolve = resolve,
    .aa = &ops,
};
