/* SPDX-License-Identifier: MIT */
/* zarrlite cast: what a cast between two data types does to values, as the codec cast_value and views of arrays do it. */
#include "cli.h"
#include "codec_text.h"
#include "json_out.h"
#include "memory.h"
#include "output.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cast_options {
    const char *rounding, *out_of_range;
    cli_list map, map_back;
    bool json;
} cast_options;

static const cli_option options[] = {
    {"rounding", 'r', CLI_TEXT, offsetof(cast_options, rounding), "RULE",
     "nearest-even, towards-zero, towards-positive, towards-negative, nearest-away [nearest-even]"},
    {"out-of-range", 'o', CLI_TEXT, offsetof(cast_options, out_of_range), "RULE", "error, clamp, wrap [error]"},
    {"map", 'm', CLI_LIST, offsetof(cast_options, map), "VALUE=BECOMES", "cast VALUE to BECOMES; may be repeated"},
    {"map-back", 'b', CLI_LIST, offsetof(cast_options, map_back), "VALUE=BECOMES", "the same for the way back"},
    {"json", 0, CLI_FLAG, offsetof(cast_options, json), NULL, "print a JSON list"},
    CLI_OPTIONS_END,
};

static const char *const roundings[] = {"nearest-even",     "towards-zero", "towards-positive",
                                        "towards-negative", "nearest-away", NULL};
static const char *const ranges[] = {"error", "clamp", "wrap", NULL};

/* ---- arguments */

static const zl_dtype *find_type(const char *name) {
    for (int id = 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (dtype && strcmp(zl_dtype_name(dtype), name) == 0) return dtype;
    }
    return NULL;
}

static bool find_choice(const char *name, const char *const *choices, int *out) {
    *out = 0;
    if (!name) return true;
    while (choices[*out] && strcmp(choices[*out], name) != 0)
        ++*out;
    return choices[*out] != NULL;
}

/* ["NaN=0"] -> [["NaN",0]]; NULL for an empty list, and where an item has no "=". */
static char *map_json(const cli_list *list) {
    cli_json json = {0};
    cli_json_open(&json, '[');
    for (size_t i = 0; i < list->count; i++) {
        const char *item = list->items[i], *equals = strchr(item, '=');
        if (!equals) {
            free(json.text);
            return NULL;
        }
        char *key = cli_copy(item, (size_t)(equals - item));
        char *from = cli_fill_json(key), *to = cli_fill_json(equals + 1);
        cli_json_open(&json, '[');
        cli_json_raw(&json, from, strlen(from));
        cli_json_raw(&json, to, strlen(to));
        cli_json_close(&json, ']');
        free(key);
        free(from);
        free(to);
    }
    cli_json_close(&json, ']');
    return json.text;
}

/* A cast there and back. */
typedef struct cast_pair {
    const zl_dtype *from, *to;
    zl_cast_options there, back;
    char *map, *map_back;
} cast_pair;

static int read_pair(const cli *run, const cli_args *args, const cast_options *given, cast_pair *out) {
    int rounding, range;
    out->from = find_type(args->positional[0]);
    out->to = find_type(args->positional[1]);
    if (!out->from || !out->to)
        return cli_usage(run, "'%s' is no data type that can be cast", args->positional[out->from ? 1 : 0]);
    if (!find_choice(given->rounding, roundings, &rounding))
        return cli_usage(run, "no rounding is called '%s'", given->rounding);
    if (!find_choice(given->out_of_range, ranges, &range))
        return cli_usage(run, "--out-of-range is error, clamp or wrap, not '%s'", given->out_of_range);
    out->map = map_json(&given->map);
    out->map_back = map_json(&given->map_back);
    if (!out->map || !out->map_back) return cli_usage(run, "--map and --map-back need VALUE=BECOMES");
    out->there = (zl_cast_options){sizeof out->there, (zl_rounding)rounding, (zl_out_of_range)range, out->map};
    out->back = out->there;
    out->back.map_json = out->map_back;
    /* The codec casts back to floating point without "wrap" as well. */
    if (range == ZL_RANGE_WRAP && strstr(zl_dtype_name(out->from), "float")) out->back.out_of_range = ZL_RANGE_ERROR;
    return CLI_OK;
}

/* ---- results */

static const char *outcome_text(zl_cast_outcome outcome) {
    switch (outcome) {
    case ZL_CAST_EXACT: return "exact";
    case ZL_CAST_MAPPED: return "mapped";
    case ZL_CAST_ROUNDED: return "rounded";
    case ZL_CAST_CLAMPED: return "clamped";
    case ZL_CAST_WRAPPED: return "wrapped";
    default: return "refused";
    }
}

/* JSON text as people read it. */
static void add_plain(cli_table *table, const zl_buffer *json) {
    const bool quoted = json->size >= 2 && json->data[0] == '"';
    char *text = cli_copy(json->data + quoted, json->size - 2 * quoted);
    cli_table_add(table, text);
    free(text);
}

typedef struct results {
    bool json;
    cli_table table;
    cli_json list;
    zl_error first; /* refusal */
} results;

static void add_result(results *out, const char *value, const char *what, const zl_buffer *result, const zl_buffer *back) {
    if (!out->json) {
        cli_table_add(&out->table, value);
        result->data ? add_plain(&out->table, result) : cli_table_add(&out->table, "-");
        cli_table_add(&out->table, what);
        back->data ? add_plain(&out->table, back) : cli_table_add(&out->table, "-");
        return;
    }
    static const char null[] = "null";
    cli_json_open(&out->list, '{');
    cli_json_key(&out->list, "value"), cli_json_string(&out->list, value);
    cli_json_key(&out->list, "result");
    cli_json_raw(&out->list, result->data ? result->data : null, result->data ? result->size : strlen(null));
    cli_json_key(&out->list, "rule"), cli_json_string(&out->list, what);
    cli_json_key(&out->list, "back");
    cli_json_raw(&out->list, back->data ? back->data : null, back->data ? back->size : strlen(null));
    cli_json_close(&out->list, '}');
}

static int cast_value(const cli *run, const cast_pair *pair, const char *value, results *out) {
    zl_error err = {0};
    zl_buffer result = {0}, back = {0};
    zl_cast_outcome outcome = ZL_CAST_EXACT;
    char *json = cli_fill_json(value);
    const zl_status status = zl_cast_json(run->context, pair->from, pair->to, json, &pair->there, &result, &outcome, &err);
    free(json);
    if (status && outcome < ZL_CAST_NO_NAN) return cli_fail(run, value, &err);
    if (status && !out->first.status) out->first = err;
    /* A way back that is refused is shown by its absence. */
    if (!status && zl_cast_json(run->context, pair->to, pair->from, result.data, &pair->back, &back, NULL, NULL))
        back = (zl_buffer){0};
    add_result(out, value, outcome_text(outcome), &result, &back);
    zl_buffer_free(&result);
    zl_buffer_free(&back);
    return CLI_OK;
}

static int cast_all(const cli *run, const cli_args *args, const cast_pair *pair, bool json) {
    results out = {.json = json, .table = {.align = "rrlr"}};
    int status = CLI_OK;
    cli_json_open(&out.list, '[');
    cli_table_add(&out.table, zl_dtype_name(pair->from));
    cli_table_add(&out.table, zl_dtype_name(pair->to));
    cli_table_add(&out.table, "rule");
    cli_table_add(&out.table, "back");
    for (int i = 2; i < args->count && !status; i++)
        status = cast_value(run, pair, args->positional[i], &out);
    cli_json_close(&out.list, ']');
    if (!status && json)
        cli_json_print(&out.list);
    else if (!status)
        cli_table_print(&out.table, stdout, "");
    if (status || !json) free(out.list.text);
    cli_table_clear(&out.table);
    return !status && out.first.status ? cli_fail(run, NULL, &out.first) : status;
}

static int run_cast(cli *run, const cli_args *args, const void *values) {
    const cast_options *given = values;
    cast_pair pair = {0};
    int status = read_pair(run, args, given, &pair);
    if (!status) status = cli_start(run, 1);
    if (!status) status = cast_all(run, args, &pair, given->json);
    free(pair.map);
    free(pair.map_back);
    return status;
}

const cli_command cli_command_cast = {
    .name = "cast",
    .summary = "Show what a cast between data types does to values",
    .usage =
        "[--rounding RULE] [--out-of-range RULE] [--map VALUE=BECOMES]... [--map-back VALUE=BECOMES]... [--json] FROM TO "
        "VALUE...",
    .details =
        "FROM and TO are data types, such as float32 and int16. For each value: what it becomes, by which rule (exact, "
        "mapped,\n"
        "rounded, clamped, wrapped, refused), and what the way back makes of that. These are the rules of the codec\n"
        "cast_value. Values are written as fill values are: 1.5, NaN, -Infinity, 0x7fc0. A refused value makes the exit\n"
        "status 1. '--' comes before values that start with '-' and are no number.",
    .options = options,
    .options_size = sizeof(cast_options),
    .positional_min = 3,
    .positional_max = 1000000,
    .run = run_cast,
};
