/* SPDX-License-Identifier: MIT */
#include "base/base.h"

bool zl_shape_count(const zl_shape *shape, int64_t *out) {
    int64_t count = 1;
    bool fits = true;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->dim[axis] == 0) {
            *out = 0; /* also where the other extents overflow */
            return true;
        }
        fits = fits && zl_mul_i64(count, shape->dim[axis], &count);
    }
    *out = count;
    return fits;
}
