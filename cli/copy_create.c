/* SPDX-License-Identifier: MIT */
/* Metadata of the copy. Where nothing is to change, and the source is of version 3, it is the source's document as it
 * stands, so that extensions and grids that the options below have no words for are kept. */
#include "copy.h"

#include "codec_text.h"
#include "describe.h"
#include "grid_text.h"
#include "json_out.h"
#include "layout.h"
#include "memory.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

#define V2_DIMENSIONS "_ARRAY_DIMENSIONS"

zl_status cli_copy_attributes(char **out, const zl_attributes *attributes, zl_error *err) {
    cli_json json = {0};
    zl_status status = ZL_OK;
    cli_json_open(&json, '{');
    for (size_t i = 0; i < zl_attributes_count(attributes) && !status; i++) {
        zl_buffer value = {0};
        const char *name = zl_attributes_name(attributes, i);
        if (strcmp(name, V2_DIMENSIONS) == 0) continue;
        status = zl_attributes_get_json(attributes, name, &value, err);
        cli_json_key(&json, name);
        if (!status) cli_json_raw(&json, value.data, value.size);
        zl_buffer_free(&value);
    }
    cli_json_close(&json, '}');
    *out = json.text;
    return status;
}

/* Lists of extents are for arrays of the rank they have, unless there is one array only. */
static const char *for_rank(const char *list, int32_t rank, bool must_fit) {
    if (!list || must_fit) return list;
    return cli_grid_axes(list) == rank ? list : NULL;
}

static bool divides(int32_t rank, const int64_t *shard, const int64_t *chunk) {
    bool good = true;
    for (int32_t axis = 0; axis < rank; axis++)
        good = good && shard[axis] % chunk[axis] == 0;
    return good;
}

/* Chunks, or shards, of several shapes stay where nothing was asked for. */
static bool keep_grid(cli_layout *out, const zl_array *source, const cli_document *document, const cli_copy_wish *wish) {
    cli_value grid;
    const int64_t *inner = zl_array_inner_chunk_shape(source);
    if (zl_array_chunk_shape(source) || wish->chunks || wish->shards || wish->zarr_format == 2) return false;
    if ((inner && wish->no_shards) || !cli_value_member(document->root, "chunk_grid", &grid)) return false;
    *out = (cli_layout){.has_shards = inner != NULL, .grid = cli_copy(grid.text, grid.size)};
    if (inner) memcpy(out->chunk, inner, (size_t)zl_array_rank(source) * sizeof *inner);
    return true;
}

/* What was not asked for stays as it is, as far as the new shapes allow. */
static zl_status choose_layout(cli_layout *out, const zl_array *source, const cli_document *document,
                               const cli_copy_wish *wish, zl_error *err) {
    char error[256];
    const int32_t rank = zl_array_rank(source);
    const size_t extents = (size_t)rank * sizeof(int64_t);
    const int64_t *inner = zl_array_inner_chunk_shape(source);
    const int64_t *shard = inner ? zl_array_chunk_shape(source) : NULL;
    const int64_t *chunk = inner ? inner : zl_array_chunk_shape(source);
    const bool no_shards = wish->no_shards || wish->zarr_format == 2 || (!shard && !wish->shards);
    const cli_layout_wish chosen = {wish->chunks, wish->shards, no_shards};
    if (rank == 0) {
        *out = (cli_layout){0};
        return ZL_OK;
    }
    if (keep_grid(out, source, document, wish)) return ZL_OK;
    if (!cli_layout_choose(out, &chosen, rank, zl_array_shape(source), zl_dtype_size(zl_array_dtype(source)), error,
                           sizeof error)) {
        return cli_error(err, ZL_ERR_INVALID_ARGUMENT, "%s", error);
    }
    if (out->grid) return ZL_OK;
    if (!wish->chunks && chunk && (!wish->shards || divides(rank, out->shard, chunk))) memcpy(out->chunk, chunk, extents);
    const bool keep_shards = shard && !no_shards && !wish->shards && divides(rank, shard, out->chunk);
    if (keep_shards) memcpy(out->shard, shard, extents);
    out->has_shards = out->has_shards || keep_shards;
    return ZL_OK;
}

static zl_status choose_codecs(char **out, const zl_array *source, const cli_copy_wish *wish, zl_error *err) {
    const zl_dtype *dtype = zl_array_dtype(source);
    if (!wish->codecs->count) return cli_codecs_without_shards(out, source, err);
    *out = cli_codecs_json(wish->codecs, zl_dtype_name(dtype), zl_dtype_size(dtype));
    return ZL_OK;
}

/* The texts that the options of a new array point to. */
typedef struct texts {
    char *dtype, *codecs, *attributes, *key_encoding;
    zl_buffer fill;
} texts;

static zl_status make_texts(texts *t, const zl_array *source, const cli_document *document, const cli_copy_wish *wish,
                            zl_error *err) {
    cli_value encoding;
    const cli_value dtype = cli_dtype_value(document);
    const zl_attributes *attributes = zl_array_attributes((zl_array *)(uintptr_t)source);
    t->dtype = document->is_v2 ? cli_dtype_json(zl_array_dtype(source)) : cli_copy(dtype.text, dtype.size);
    if (wish->zarr_format != 2 && cli_value_member(document->root, "chunk_key_encoding", &encoding))
        t->key_encoding = cli_copy(encoding.text, encoding.size);
    zl_status status = choose_codecs(&t->codecs, source, wish, err);
    if (!status) status = zl_array_element_json(source, zl_array_fill_value(source), &t->fill, err);
    if (!status) status = cli_copy_attributes(&t->attributes, attributes, err);
    return status;
}

static void free_texts(texts *t) {
    free(t->dtype);
    free(t->codecs);
    free(t->attributes);
    free(t->key_encoding);
    zl_buffer_free(&t->fill);
}

static zl_status create_changed(zl_array **out, const zl_array *source, const cli_document *document, zl_store *store,
                                const char *path, const cli_copy_wish *wish, zl_error *err) {
    texts t = {0};
    cli_layout layout = {0};
    const char *names[CLI_MAX_RANK] = {NULL};
    const int32_t rank = zl_array_rank(source);
    bool has_names = false;
    for (int32_t axis = 0; axis < rank; axis++) {
        names[axis] = zl_array_dimension_name(source, axis);
        has_names = has_names || names[axis];
    }
    zl_status status = choose_layout(&layout, source, document, wish, err);
    if (!status) status = make_texts(&t, source, document, wish, err);
    if (!status) {
        zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
        options.mode = wish->mode;
        options.zarr_format = wish->zarr_format;
        options.rank = rank;
        options.shape = zl_array_shape(source);
        cli_layout_lend(&layout, &options);
        options.dtype_json = t.dtype;
        options.fill_value_json = t.fill.data;
        options.codecs_json = t.codecs;
        options.dimension_names = has_names ? names : NULL;
        options.attributes_json = t.attributes;
        options.chunk_key_encoding_json = t.key_encoding;
        status = zl_array_create(out, store, path, &options, err);
    }
    cli_layout_clear(&layout);
    free_texts(&t);
    return status;
}

zl_status cli_copy_create(zl_array **out, const zl_array *source, zl_store *store, const char *path,
                          const cli_copy_wish *wish, cli_copy_made *made, zl_error *err) {
    cli_document document;
    cli_copy_wish own = *wish;
    own.chunks = for_rank(wish->chunks, zl_array_rank(source), wish->must_fit);
    own.shards = for_rank(wish->shards, zl_array_rank(source), wish->must_fit);
    made->extents_used = own.chunks || own.shards;
    zl_status status = cli_document_open(&document, source, err);
    if (status) return status;
    const bool has_shards = zl_array_inner_chunk_shape(source) != NULL;
    const bool changes = made->extents_used || (own.no_shards && has_shards) || own.codecs->count || own.zarr_format == 2;
    made->is_verbatim = !changes && !document.is_v2;
    status = made->is_verbatim
                 ? zl_array_create_from_metadata(out, store, path, own.mode, document.text.data, document.text.size, err)
                 : create_changed(out, source, &document, store, path, &own, err);
    cli_document_close(&document);
    return status;
}
