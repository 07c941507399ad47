/* SPDX-License-Identifier: MIT */
#include "grid_text.h"

#include "json_out.h"
#include "memory.h"
#include "region.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 16 /* edges and runs of one axis that a text shows */

int32_t cli_grid_axes(const char *text) {
    int32_t axes = 1;
    bool inside = false;
    for (const char *at = text; *at; at++) {
        if (*at == '[' || *at == ']') inside = *at == '[';
        axes += *at == ',' && !inside && axes < INT32_MAX;
    }
    return axes;
}

bool cli_grid_has_edges(const char *text) {
    return strchr(text, '[') != NULL;
}

/* ---- reading */

static bool read_extent(const char **at, int64_t *out) {
    return cli_number_parse(at, out) && *out >= 1;
}

/* "10" or "10*3" */
static bool read_run(const char **at, cli_json *json, int64_t *largest) {
    int64_t edge, count = 1;
    if (!read_extent(at, &edge)) return false;
    if (**at == '*') {
        (*at)++;
        if (!read_extent(at, &count)) return false;
    }
    if (count > 1) cli_json_open(json, '[');
    cli_json_int(json, edge);
    if (count > 1) cli_json_int(json, count), cli_json_close(json, ']');
    if (*largest < edge) *largest = edge;
    return true;
}

static bool read_axis(const char **at, int64_t extent, cli_json *json, int64_t *largest) {
    *largest = 0;
    if (**at == '[') {
        cli_json_open(json, '[');
        do {
            (*at)++;
            if (!read_run(at, json, largest)) return false;
        } while (**at == ',');
        cli_json_close(json, ']');
        return *(*at)++ == ']';
    }
    if (**at == ':') {
        (*at)++;
        *largest = extent ? extent : 1;
    } else if (!read_extent(at, largest)) {
        return false;
    }
    cli_json_int(json, *largest);
    return true;
}

static bool read_axes(const char *text, int32_t rank, const int64_t *shape, cli_json *json, int64_t *largest) {
    for (int32_t axis = 0; axis < rank; axis++) {
        if (axis && *text++ != ',') return false;
        if (!read_axis(&text, shape[axis], json, &largest[axis])) return false;
    }
    return !*text;
}

char *cli_grid_parse(const char *text, int32_t rank, const int64_t *shape, int64_t *largest, char *error,
                     size_t error_size) {
    cli_json json = {0};
    const int32_t axes = cli_grid_axes(text);
    if (axes != rank) {
        snprintf(error, error_size, "'%s' has %" PRId32 " axes, the array has %" PRId32 " dimensions", text, axes, rank);
        return NULL;
    }
    cli_json_open(&json, '{');
    cli_json_key(&json, "name"), cli_json_string(&json, "rectilinear");
    cli_json_key(&json, "configuration"), cli_json_open(&json, '{');
    cli_json_key(&json, "kind"), cli_json_string(&json, "inline");
    cli_json_key(&json, "chunk_shapes"), cli_json_open(&json, '[');
    if (!read_axes(text, rank, shape, &json, largest)) {
        snprintf(error, error_size, "'%s' is not a list of extents and of edges, such as 90,[100,50],[10*3,5]", text);
        free(json.text);
        return NULL;
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
    return json.text;
}

/* ---- showing */

bool cli_grid_value(const cli_document *document, cli_value *out) {
    cli_value grid, configuration;
    return !document->is_v2 && cli_value_member(document->root, "chunk_grid", &grid) &&
           cli_value_member(grid, "configuration", &configuration) && cli_value_member(configuration, "chunk_shapes", out);
}

static char *joined(char *text, const char *between, const char *more, size_t size) {
    char *longer = cli_format("%s%s%.*s", text, between, (int)size, more);
    free(text);
    return longer;
}

static char *add_run(char *text, const char *between, cli_value run) {
    cli_value_iter part = {0};
    if (!cli_value_next(run, &part)) return joined(text, between, run.text, run.size);
    text = joined(text, between, part.value.text, part.value.size);
    return cli_value_next(run, &part) ? joined(text, "*", part.value.text, part.value.size) : text;
}

static char *add_axis(char *text, const char *between, cli_value axis) {
    if (axis.text[0] != '[') return joined(text, between, axis.text, axis.size);
    int shown = 0;
    text = joined(text, between, "[", 1);
    for (cli_value_iter run = {0}; cli_value_next(axis, &run);) {
        if (shown++ == SHOWN_MAX) {
            text = joined(text, ",", "...", 3);
            break;
        }
        text = add_run(text, shown > 1 ? "," : "", run.value);
    }
    return joined(text, "", "]", 1);
}

char *cli_grid_text(const cli_document *document) {
    cli_value axes;
    if (!cli_grid_value(document, &axes)) return NULL;
    char *text = cli_copy("", 0);
    for (cli_value_iter axis = {0}; cli_value_next(axes, &axis);)
        text = add_axis(text, *text ? "," : "", axis.value);
    return text;
}
