/* SPDX-License-Identifier: MIT */
/* zarrlite copy: an array or a hierarchy becomes another one, with other chunks, shards or codecs where they are asked
 * for. */
#include "cli.h"
#include "copy.h"
#include "json_out.h"
#include "json_scan.h"
#include "memory.h"
#include "node_list.h"
#include "output.h"
#include "progress.h"
#include "region.h"
#include "report.h"
#include "store_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MEMORY (UINT64_C(1) << 30)

typedef struct copy_options {
    const char *chunks;
    const char *shards;
    bool no_shards;
    cli_list codecs;
    const char *format;
    const char *memory;
    bool overwrite;
    bool verify;
    int threads;
    bool quiet;
    bool json;
} copy_options;

static const cli_option options[] = {
    {"chunks", 0, CLI_TEXT, offsetof(copy_options, chunks), "N,N,...",
     "chunk shape of the arrays with that many dimensions,\n':' for a whole axis [the source's]"},
    {"shards", 0, CLI_TEXT, offsetof(copy_options, shards), "N,N,...",
     "shard shape, multiples of the chunks [the source's]"},
    {"no-shards", 0, CLI_FLAG, offsetof(copy_options, no_shards), NULL, "store each chunk as an object of its own"},
    {"codec", 0, CLI_LIST, offsetof(copy_options, codecs), "CODEC", "as for create; repeat for a chain [the source's]"},
    {"format", 0, CLI_TEXT, offsetof(copy_options, format), "N", "version of the Zarr format: 2 or 3 [3]"},
    {"memory", 0, CLI_TEXT, offsetof(copy_options, memory), "SIZE",
     "memory to work in, such as 512M or 4G [1G]: three\neighths for elements, half for encoding and decoding"},
    {"overwrite", 0, CLI_FLAG, offsetof(copy_options, overwrite), NULL, "delete what is at DST first"},
    {"verify", 0, CLI_FLAG, offsetof(copy_options, verify), NULL, "read both again, and compare every bit"},
    {"threads", 0, CLI_COUNT, offsetof(copy_options, threads), "N", "threads that decode and encode [one per CPU]"},
    {"quiet", 'q', CLI_FLAG, offsetof(copy_options, quiet), NULL, "no progress bar, no table"},
    {"json", 0, CLI_FLAG, offsetof(copy_options, json), NULL, "print the summary as a JSON object"},
    CLI_OPTIONS_END,
};

typedef struct copier {
    const cli *run;
    const copy_options *given;
    cli_place from;
    cli_place to;
    cli_copy_wish wish;
    cli_copy_run elements;
    cli_progress progress;
    uint64_t done; /* bytes */
    cli_report report;
    bool extents_used;
    uint64_t differences; /* what --verify found */
} copier;

static void on_progress(void *user, uint64_t size) {
    copier *c = user;
    c->done += size;
    cli_progress_update(&c->progress, c->done);
}

/* The path in the destination of a path in the source. Free with free(). */
static char *target_path(const copier *c, const char *path) {
    const char *below = path + strlen(c->from.node);
    if (*below == '/') below++;
    return cli_format("%s%s%s", c->to.node, *c->to.node && *below ? "/" : "", below);
}

/* ---- nodes */

static zl_status copy_group(copier *c, const cli_node *node, const char *path, zl_error *err) {
    zl_group *source = NULL, *target = NULL;
    char *attributes = NULL;
    zl_group_options group_options = ZL_GROUP_OPTIONS_INIT;
    zl_status status = zl_group_open(&source, c->from.store, node->path, err);
    if (!status) status = cli_copy_attributes(&attributes, zl_group_attributes(source), err);
    if (!status) {
        group_options.mode = c->wish.mode;
        group_options.zarr_format = c->wish.zarr_format;
        group_options.attributes_json = attributes;
        status = zl_group_create(&target, c->to.store, path, &group_options, err);
    }
    free(attributes);
    zl_group_close(source);
    zl_group_close(target);
    return status;
}

static FILE *difference_file(copier *c) {
    cli_progress_clear(&c->progress);
    return c->given->json ? stderr : stdout;
}

static zl_status verify_attributes(copier *c, const char *name, zl_array *source, zl_array *target, zl_error *err) {
    char *was = NULL, *is = NULL;
    zl_status status = cli_copy_attributes(&was, zl_array_attributes(source), err);
    if (!status) status = cli_copy_attributes(&is, zl_array_attributes(target), err);
    if (!status && !cli_value_equal(cli_value_of(was, strlen(was)), cli_value_of(is, strlen(is)))) {
        c->differences++;
        fprintf(difference_file(c), "%s: the attributes differ\n", name);
    }
    free(was);
    free(is);
    return status;
}

static zl_status verify(copier *c, const char *name, zl_array *source, zl_array *target, zl_error *err) {
    uint64_t different = 0;
    char *first = NULL;
    zl_status status = verify_attributes(c, name, source, target, err);
    if (!status) status = cli_copy_verify(&c->elements, source, target, &different, &first, err);
    if (!status && different) {
        c->differences += different;
        fprintf(difference_file(c), "%s: %s (%" PRIu64 " of %" PRId64 " values differ)\n", name, first, different,
                zl_array_element_count(source));
    }
    free(first);
    return status;
}

static zl_status copy_array(copier *c, const cli_node *node, const char *path, zl_error *err) {
    zl_array *source = NULL, *target = NULL;
    zl_stored_info stored = {0};
    cli_copy_made made = {0};
    const char *name = *path ? path : "/";
    const double started = cli_now();
    c->progress.label = name;
    zl_status status = zl_array_open(&source, c->from.store, node->path, err);
    if (!status) status = zl_array_stored_info(source, &stored, err);
    if (!status) status = cli_copy_create(&target, source, c->to.store, path, &c->wish, &made, err);
    if (!status) {
        status = made.is_verbatim ? cli_copy_chunks(&c->elements, source, target, err)
                                  : cli_copy_elements(&c->elements, source, target, err);
    }
    if (!status) status = cli_report_add(&c->report, name, target, stored.size, cli_now() - started, err);
    if (!status && c->given->verify) status = verify(c, name, source, target, err);
    c->extents_used = c->extents_used || made.extents_used;
    zl_array_close(source);
    zl_array_close(target);
    return status;
}

/* ---- everything */

/* Bytes of the elements of all arrays, twice where they are read twice; opens them all, so that what cannot be copied is
 * found before anything is written. */
static zl_status measure(const copier *c, const cli_node_list *nodes, uint64_t *size, const char **where, zl_error *err) {
    *size = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        zl_array *array = NULL;
        *where = nodes->items[i].path;
        if (nodes->items[i].kind == ZL_NODE_GROUP || nodes->items[i].kind == ZL_NODE_IMPLICIT_GROUP) continue;
        const zl_status status = zl_array_open(&array, c->from.store, nodes->items[i].path, err);
        if (status) return status;
        *size += (uint64_t)zl_array_decoded_size(array) * (c->given->verify ? 2 : 1);
        zl_array_close(array);
    }
    return ZL_OK;
}

static int copy_nodes(copier *c, const cli_node_list *nodes) {
    zl_error err = {0};
    uint64_t size;
    const char *where = "";
    if (measure(c, nodes, &size, &where, &err)) return cli_fail(c->run, where, &err);
    cli_progress_start(&c->progress, "", size, !c->given->quiet);
    for (size_t i = 0; i < nodes->count; i++) {
        const cli_node *node = &nodes->items[i];
        char *path = target_path(c, node->path);
        const zl_status status =
            node->kind == ZL_NODE_ARRAY ? copy_array(c, node, path, &err) : copy_group(c, node, path, &err);
        c->wish.mode = ZL_CREATE_NEW; /* what was to be deleted was so with the first node */
        free(path);
        if (!status) continue;
        cli_progress_clear(&c->progress);
        cli_fail(c->run, *node->path ? node->path : c->from.root, &err);
        if (i == 0 && !c->report.count) return CLI_FAILED;
        return cli_fail_text(c->run, "the copy is incomplete; run the command again with --overwrite",
                             "stopped at node %zu of %zu", i + 1, nodes->count);
    }
    cli_progress_clear(&c->progress);
    return CLI_OK;
}

static int copy_tree(copier *c, const char *path) {
    zl_error err = {0};
    zl_node_kind kind;
    cli_node_list nodes = {0};
    if (zl_node_probe(c->from.store, c->from.node, &kind, &err)) return cli_fail(c->run, path, &err);
    if (kind == ZL_NODE_NONE) {
        return cli_fail_text(c->run, "'zarrlite tree STORE' shows what a store holds", "%s: no Zarr array or group is here",
                             path);
    }
    if (kind != ZL_NODE_ARRAY && cli_node_list_fill(&nodes, c->from.store, c->from.node, true, &err)) {
        return cli_fail(c->run, path, &err);
    }
    cli_node_list_prepend(&nodes, c->from.node, kind);
    c->wish.must_fit = kind == ZL_NODE_ARRAY;
    const int status = copy_nodes(c, &nodes);
    cli_node_list_clear(&nodes);
    return status;
}

static void print_json(const copier *c) {
    cli_json json = {0};
    cli_json_open(&json, '{');
    cli_json_key(&json, "store"), cli_json_string(&json, c->to.root);
    cli_json_key(&json, "path"), cli_json_string(&json, c->to.node);
    cli_json_key(&json, "variables"), cli_report_write(&c->report, &json);
    if (c->given->verify) cli_json_key(&json, "identical"), cli_json_bool(&json, c->differences == 0);
    cli_json_key(&json, "seconds"), cli_json_rounded(&json, cli_now() - c->report.started, 6);
    cli_json_close(&json, '}');
    cli_json_print(&json);
}

static int report(const copier *c) {
    if ((c->given->chunks || c->given->shards) && !c->extents_used)
        cli_warn(c->run, "no array has as many dimensions as --chunks or --shards name");
    if (c->given->json) {
        print_json(c);
    } else if (!c->given->quiet) {
        cli_report_print(&c->report);
        if (c->given->verify && !c->differences) puts("identical, bit for bit");
    }
    return c->differences ? CLI_FAILED : CLI_OK;
}

/* Neither may be a part of the other: the copy would read what it writes, or delete what it reads. */
static bool overlap(const cli_place *from, const cli_place *to) {
    char *a = cli_place_real_path(from), *b = cli_place_real_path(to);
    const size_t shorter = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    const char *longer = strlen(a) < strlen(b) ? b : a;
    const bool found = strncmp(a, b, shorter) == 0 && (longer[shorter] == '/' || !longer[shorter]);
    free(a);
    free(b);
    return found;
}

static int copy(copier *c, const cli_args *args) {
    int status = cli_place_open(c->run, &c->from, args->positional[0], CLI_READ);
    if (!status) status = cli_place_open(c->run, &c->to, args->positional[1], CLI_CREATE);
    if (!status && overlap(&c->from, &c->to)) {
        status = cli_fail_text(c->run, "copy to a place outside the source",
                               "%s and %s are the same node, or one is inside the other", args->positional[0],
                               args->positional[1]);
    }
    if (!status) status = copy_tree(c, args->positional[0]);
    if (!status) status = report(c);
    cli_progress_clear(&c->progress);
    cli_report_clear(&c->report);
    status = cli_place_close(c->run, &c->to, status);
    return cli_place_close(c->run, &c->from, status);
}

static int run_copy(cli *run, const cli_args *args, const void *values) {
    const copy_options *given = values;
    uint64_t memory = DEFAULT_MEMORY;
    copier c = {.run = run, .given = given, .report = {.started = cli_now(), .has_sources = true}};
    if (given->memory && !cli_parse_size(&memory, given->memory)) {
        return cli_usage(run, "--memory: '%s' is no size such as 512M, 4G or 65536", given->memory);
    }
    if (given->shards && given->no_shards) return cli_usage(run, "--shards and --no-shards exclude each other");
    if (!cli_parse_format(&c.wish.zarr_format, given->format))
        return cli_usage(run, "--format %s: versions 2 and 3 can be written", given->format);
    if (given->shards && c.wish.zarr_format == 2) return cli_usage(run, "Zarr version 2 has no shards");
    c.wish.chunks = given->chunks;
    c.wish.shards = given->shards;
    c.wish.no_shards = given->no_shards;
    c.wish.codecs = &given->codecs;
    c.wish.mode = given->overwrite ? ZL_CREATE_REPLACE : ZL_CREATE_NEW;
    /* Encoded shards may take as much as their elements; what is left is for the program. */
    c.elements = (cli_copy_run){run, given->threads, memory / 8 * 3, on_progress, &c};
    const int status = cli_start_bounded(run, given->threads, memory / 2);
    return status ? status : copy(&c, args);
}

const cli_command cli_command_copy = {
    .name = "copy",
    .summary = "Copy an array or a hierarchy, with other chunks or codecs",
    .usage = "[OPTIONS] SRC[/PATH] DST[/PATH]",
    .details =
        "DST names the copy itself. Attributes, dimension names, fill values and groups are kept; so are chunks, shards\n"
        "and codecs that no option changes. --chunks and --shards are for the arrays with as many dimensions as they\n"
        "list. A shard of more than three eighths of --memory is written piece by piece.",
    .options = options,
    .options_size = sizeof(copy_options),
    .positional_min = 2,
    .positional_max = 2,
    .run = run_copy,
};
