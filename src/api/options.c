/* SPDX-License-Identifier: MIT */
/* Zero is the default of every option, so that all option structs are initialised in the same way. */
#include "zarrlite/zarrlite.h"

void zl_context_options_init(zl_context_options *options) {
    *options = (zl_context_options){.size = sizeof *options};
}
void zl_file_store_options_init(zl_file_store_options *options) {
    *options = (zl_file_store_options){.size = sizeof *options};
}
void zl_zip_store_options_init(zl_zip_store_options *options) {
    *options = (zl_zip_store_options){.size = sizeof *options};
}
void zl_migrate_options_init(zl_migrate_options *options) {
    *options = (zl_migrate_options){.size = sizeof *options};
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
void zl_resize_options_init(zl_resize_options *options) {
    *options = (zl_resize_options){.size = sizeof *options};
}
