/* SPDX-License-Identifier: MIT */
/* Option structs of callers that may be older or newer than the library. Zero is the default of every option. */
#include "base/base.h"

zl_status zl_options_copy(void *options, size_t known, const void *given, const char *what, zl_error *err) {
    size_t size = 0;
    if (given != NULL) {
        memcpy(&size, given, sizeof size);
        if (size < sizeof size) {
            return zl_fail(err, ZL_ERR_INVALID_ARGUMENT, "%s: size is %zu; start from the struct's _INIT macro", what,
                           size);
        }
        if (size > known) size = known;
        memcpy(options, given, size);
    }
    memset((char *)options + size, 0, known - size);
    memcpy(options, &known, sizeof known);
    return ZL_OK;
}
