/* SPDX-License-Identifier: MIT */
#include "import.h"

#include "codec_text.h"
#include "grid_text.h"
#include "layout.h"
#include "memory.h"
#include "output.h"
#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room that an element of variable length takes while it is on its way: slot, pointer and a short text. */
#define VARIABLE_ELEMENT_SIZE 128

const cli_option cli_import_option_table[] = {
    {"chunks", 0, CLI_TEXT, offsetof(cli_import_options, chunks), "N,N,...",
     "chunk shape of the variables with that many dimensions,\n':' for a whole axis [about 1 MiB]"},
    {"shards", 0, CLI_TEXT, offsetof(cli_import_options, shards), "N,N,...",
     "shard shape, multiples of the chunks [about 64 MiB]"},
    {"no-shards", 0, CLI_FLAG, offsetof(cli_import_options, no_shards), NULL, "store each chunk as an object of its own"},
    {"codec", 0, CLI_LIST, offsetof(cli_import_options, codecs), "CODEC", "as for create; repeat for a chain"},
    {"var", 0, CLI_LIST, offsetof(cli_import_options, variables), "NAME",
     "import this variable only (group/name); repeat for more"},
    {"overwrite", 0, CLI_FLAG, offsetof(cli_import_options, overwrite), NULL, "delete what is at STORE first"},
    {"format", 0, CLI_TEXT, offsetof(cli_import_options, format), "N", "version of the Zarr format: 2 or 3 [3]"},
    {"threads", 0, CLI_COUNT, offsetof(cli_import_options, threads), "N", "threads that encode [one per CPU]"},
    {"quiet", 'q', CLI_FLAG, offsetof(cli_import_options, quiet), NULL, "no progress bar, no table"},
    {"json", 0, CLI_FLAG, offsetof(cli_import_options, json), NULL, "print the summary as a JSON object"},
    CLI_OPTIONS_END,
};

const char cli_import_details[] =
    "SOURCE is a NetCDF file (classic or NetCDF-4: groups become groups, variables arrays) or a NumPy .npy file.\n"
    "Chunks and shards follow one rule, in docs/chunks.md. 'zarrlite compare' checks the result bit for bit.";

int cli_import_check(const cli *run, const cli_import_options *given) {
    int32_t format;
    if (!cli_parse_format(&format, given->format)) {
        return cli_usage(run, "--format %s: versions 2 and 3 can be written", given->format);
    }
    if (given->shards && format == 2) return cli_usage(run, "Zarr version 2 has no shards");
    if (given->shards && given->no_shards) return cli_usage(run, "--shards and --no-shards exclude each other");
    return CLI_OK;
}

int cli_import_start(cli_import *import, const cli *run, const cli_import_options *given, const char *store) {
    *import = (cli_import){.run = run, .given = given, .report.started = cli_now()};
    (void)cli_parse_format(&import->zarr_format, given->format); /* checked before */
    cli_json_open(&import->skipped, '[');
    return cli_place_open(run, &import->place, store, CLI_CREATE);
}

/* --chunks and --shards are for arrays of the rank they have, unless there is one array only. */
static const char *for_rank(const char *list, const cli_import_array *array) {
    if (!list || array->must_fit) return list;
    return cli_grid_axes(list) == array->rank ? list : NULL;
}

static zl_status choose_layout(cli_import *import, const cli_import_array *array, cli_layout *out, zl_error *err) {
    char error[256];
    const size_t element_size = zl_dtype_size(zl_dtype_builtin(array->dtype));
    const cli_layout_wish wish = {for_rank(import->given->chunks, array), for_rank(import->given->shards, array),
                                  import->given->no_shards || import->zarr_format == 2};
    import->chunks_used = import->chunks_used || wish.chunks || wish.shards;
    if (cli_layout_choose(out, &wish, array->rank, array->shape, element_size, error, sizeof error)) return ZL_OK;
    return cli_error(err, ZL_ERR_INVALID_ARGUMENT, "%s", error);
}

static zl_status create_array(const cli_import *import, const cli_import_array *array, const cli_layout *layout,
                              zl_array **out, zl_error *err) {
    zl_array_options options = ZL_ARRAY_OPTIONS_INIT;
    const zl_dtype *dtype = zl_dtype_builtin(array->dtype);
    char *codecs = cli_codecs_json(&import->given->codecs, zl_dtype_name(dtype), zl_dtype_size(dtype));
    options.mode = import->given->overwrite ? ZL_CREATE_REPLACE : ZL_CREATE_NEW;
    options.zarr_format = import->zarr_format;
    options.rank = array->rank;
    options.shape = array->shape;
    cli_layout_lend(layout, &options);
    options.dtype = array->dtype;
    options.fill_value_json = array->fill_value_json;
    options.codecs_json = codecs;
    options.dimension_names = array->dimension_names;
    options.attributes_json = array->attributes_json;
    const zl_status status = zl_array_create(out, import->place.store, array->path, &options, err);
    free(codecs);
    return status;
}

typedef struct progress_user {
    cli_import *import;
    size_t element_size;
} progress_user;

static bool on_progress(void *user, const zl_progress *progress) {
    const progress_user *p = user;
    cli_progress_update(&p->import->progress, p->import->done + progress->elements_done * p->element_size);
    return !cli_interrupted();
}

static zl_status fill_array(cli_import *import, const cli_import_array *array, zl_array *zarr, const cli_source *source,
                            zl_error *err) {
    cli_slabs slabs;
    const size_t size = zl_dtype_size(zl_array_dtype(zarr));
    const size_t working_size = zl_dtype_is_variable(zl_array_dtype(zarr)) ? VARIABLE_ELEMENT_SIZE : size;
    cli_slabs_start(&slabs, zarr, NULL, array->source_chunk, working_size, CLI_BLOCK_SIZE);
    progress_user user = {import, size};
    import->progress.label = array->name;
    const zl_status status = cli_pump_to_array(zarr, &slabs, source, import->run->cancel, on_progress, &user, err);
    import->done += (uint64_t)zl_array_decoded_size(zarr);
    return status;
}

zl_status cli_import_array_write(cli_import *import, const cli_import_array *array, const cli_source *source,
                                 zl_error *err) {
    const double started = cli_now();
    cli_layout layout = {0};
    zl_array *zarr = NULL;
    zl_status status = choose_layout(import, array, &layout, err);
    if (!status) status = create_array(import, array, &layout, &zarr, err);
    if (!status) status = fill_array(import, array, zarr, source, err);
    if (!status) status = cli_report_add(&import->report, array->name, zarr, 0, cli_now() - started, err);
    zl_array_close(zarr);
    cli_layout_clear(&layout);
    return status;
}

void cli_import_skip(cli_import *import, const char *name, const char *reason) {
    cli_warn(import->run, "%s is skipped: %s", name, reason);
    cli_json_open(&import->skipped, '{');
    cli_json_key(&import->skipped, "name"), cli_json_string(&import->skipped, name);
    cli_json_key(&import->skipped, "reason"), cli_json_string(&import->skipped, reason);
    cli_json_close(&import->skipped, '}');
}

static void print_json(cli_import *import, const char *source) {
    cli_json json = {0};
    cli_json_close(&import->skipped, ']');
    cli_json_open(&json, '{');
    cli_json_key(&json, "source"), cli_json_string(&json, source);
    cli_json_key(&json, "store"), cli_json_string(&json, import->place.root);
    cli_json_key(&json, "path"), cli_json_string(&json, import->place.node);
    cli_json_key(&json, "variables"), cli_report_write(&import->report, &json);
    cli_json_key(&json, "skipped"), cli_json_raw(&json, import->skipped.text, import->skipped.size);
    cli_json_key(&json, "seconds"), cli_json_rounded(&json, cli_now() - import->report.started, 6);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

int cli_import_finish(cli_import *import, const char *source, int status) {
    cli_progress_clear(&import->progress);
    const cli_import_options *given = import->given;
    if (!status && (given->chunks || given->shards) && !import->chunks_used) {
        cli_warn(import->run, "no variable has as many dimensions as --chunks or --shards name");
    }
    if (!status && given->json) {
        print_json(import, source);
    } else if (!status && !given->quiet) {
        cli_report_print(&import->report);
    }
    cli_report_clear(&import->report);
    free(import->skipped.text);
    return cli_place_close(import->run, &import->place, status);
}
