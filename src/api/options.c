/* SPDX-License-Identifier: MIT */
/* Zero is the default of every option, so that all option structs are initialised and copied in the same way. */
#include "api/options.h"

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

void zl_context_options_init(zl_context_options *options) {
    *options = (zl_context_options){.size = sizeof *options};
}
void zl_file_store_options_init(zl_file_store_options *options) {
    *options = (zl_file_store_options){.size = sizeof *options};
}
void zl_group_options_init(zl_group_options *options) {
    *options = (zl_group_options){.size = sizeof *options};
}
void zl_array_options_init(zl_array_options *options) {
    *options = (zl_array_options){.size = sizeof *options};
}
void zl_read_options_init(zl_read_options *options) {
    *options = (zl_read_options){.size = sizeof *options};
}
void zl_write_options_init(zl_write_options *options) {
    *options = (zl_write_options){.size = sizeof *options};
}
