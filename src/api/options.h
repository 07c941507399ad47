/* SPDX-License-Identifier: MIT */
/* Option structs of callers that may be older or newer than the library. */
#ifndef ZL_API_OPTIONS_H
#define ZL_API_OPTIONS_H

#include "base/base.h"

/* Fills the `known` bytes of an option struct from the caller's: members that the caller does not know of are zero, which
 * is their default, and so is everything when `given` is NULL. `what` names the struct. INVALID_ARGUMENT: size not set. */
zl_status zl_options_copy(void *options, size_t known, const void *given, const char *what, zl_error *err);

#endif
