/* SPDX-License-Identifier: MIT */
#include "codec/scalar.h"

#include "dtype/family.h"

bool zl_scalar_of(const zl_dtype *dtype, zl_scalar *out) {
    const zl_dtype_class *cls = dtype->cls;
    *out = (zl_scalar){0};
    if (cls == &zl_dtype_class_bool) {
        out->kind = ZL_SCALAR_BOOL;
    } else if (cls == &zl_dtype_class_int) {
        out->kind = dtype->name[0] == 'u' ? ZL_SCALAR_UNSIGNED : ZL_SCALAR_SIGNED;
    } else if (cls == &zl_dtype_class_time) {
        out->kind = ZL_SCALAR_SIGNED;
        out->is_time = true;
    } else if (cls == &zl_dtype_class_float || cls == &zl_dtype_class_complex) {
        out->kind = ZL_SCALAR_FLOAT;
        out->format = dtype->params;
    } else {
        return false;
    }
    const zl_unit *unit = &dtype->units[0];
    out->bits = out->kind == ZL_SCALAR_BOOL ? 1 : unit->bits;
    out->width = unit->width;
    out->count = (uint8_t)unit->count;
    return true;
}
