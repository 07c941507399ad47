/* SPDX-License-Identifier: MIT */
#ifndef ZL_API_TRIM_H
#define ZL_API_TRIM_H

#include "api/array.h"

/* Takes away what an array of shape `from` has beyond `to`: chunks wholly outside are erased, in those that reach across
 * elements beyond become the fill value. Nobody else may write there. */
zl_status zl_array_trim(zl_array *array, const zl_shape *from, const zl_shape *to, zl_error *err);

#endif
