/* SPDX-License-Identifier: MIT */
/*
 * A metadata document with other attributes or another shape. Everything else comes back out as it was read: the order of
 * members, the text of numbers, aliases, and members that zarrlite does not know; only white space may change. A chunk grid
 * that ends before the new shape does goes on (zl_grid_class.grow).
 */
#include "meta/emit.h"

zl_status zl_metadata_rewrite(const zl_json *root, const zl_json *attributes, const int64_t *shape, int32_t rank,
                              zl_json_writer *writer, zl_error *err) {
    const zl_json *old_attributes = zl_json_member(root, "attributes"), *old_shape = zl_json_member(root, "shape");
    const zl_json *grid = zl_json_member(root, "chunk_grid");
    zl_json_write_object(writer);
    for (const zl_json *member = zl_json_first(root); member != NULL; member = zl_json_next(member)) {
        zl_json_write_key_of(writer, member);
        if (attributes != NULL && member == old_attributes) {
            zl_json_write_value(writer, attributes);
        } else if (shape != NULL && member == old_shape) {
            zl_emit_extents(writer, shape, rank);
        } else if (shape != NULL && member == grid) {
            zl_grid_write_grown(member, shape, rank, writer);
        } else {
            zl_json_write_value(writer, member);
        }
    }
    if (attributes != NULL && old_attributes == NULL) {
        zl_json_write_key(writer, "attributes");
        zl_json_write_value(writer, attributes);
    }
    zl_json_write_end(writer);
    return zl_json_writer_finish(writer, err);
}
