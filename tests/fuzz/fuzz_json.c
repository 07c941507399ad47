/* SPDX-License-Identifier: MIT */
/* A JSON document from a stranger: what is accepted is written and parsed again, and means the same. */
#include <stdlib.h>

#include "json/json.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zl_error err = {0};
    zl_json_doc *doc, *again;
    if (zl_json_parse(&doc, (const char *)data, size, NULL, &zl_default_allocator, &err) != ZL_OK) return 0;
    zl_json_writer writer;
    zl_json_writer_init(&writer, &zl_default_allocator, (int32_t)(size % 3));
    zl_json_write_value(&writer, zl_json_root(doc));
    if (zl_json_writer_finish(&writer, &err) != ZL_OK) abort();
    if (zl_json_parse(&again, (const char *)writer.sink.data, writer.sink.size, NULL, &zl_default_allocator, &err) != ZL_OK)
        abort();
    const bool has_unique_keys = zl_json_unique(zl_json_root(doc), true, &err) == ZL_OK;
    if (has_unique_keys && !zl_json_equal(zl_json_root(doc), zl_json_root(again))) abort();
    zl_json_doc_free(again);
    zl_json_writer_clear(&writer);
    zl_json_doc_free(doc);
    return 0;
}
