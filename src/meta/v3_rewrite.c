/* SPDX-License-Identifier: MIT */
/*
 * A metadata document with other attributes or another shape. Everything else comes back out as it was read: the order of
 * members, the text of numbers, aliases, and members that zarrlite does not know; only white space may change.
 */
#include "meta/emit.h"

zl_status zl_metadata_rewrite_v3(const zl_metadata *metadata, const zl_json *attributes, const int64_t *shape,
                                 zl_json_writer *writer, zl_error *err) {
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(metadata->root); member != NULL; member = zl_json_next(member)) {
        zl_json_write_key_of(writer, member);
        if (attributes != NULL && member == metadata->attributes) {
            zl_json_write_value(writer, attributes);
        } else if (shape != NULL && member == zl_json_member(metadata->root, "shape")) {
            zl_emit_extents(writer, shape, metadata->shape.rank);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    if (attributes != NULL && metadata->attributes == NULL) {
        zl_json_write_key(writer, "attributes");
        zl_json_write_value(writer, attributes);
    }
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}
