/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_number_parse(const char **at, int64_t *out) {
    char *end = NULL;
    if (strchr(" \t\n+", **at)) return false; /* what strtoll would let pass; the NUL byte too */
    errno = 0;
    const long long value = strtoll(*at, &end, 10);
    if (errno || end == *at) return false;
    *at = end;
    *out = value;
    return true;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* A bound of a slice: counted from the end when negative, then clipped. */
static int64_t resolve_bound(int64_t bound, int64_t extent) {
    if (bound < 0) bound = bound < -extent ? 0 : bound + extent;
    return clamp(bound, 0, extent);
}

static bool parse_slice(cli_region *out, int32_t axis, const char *at, int64_t extent, char *error, size_t error_size) {
    int64_t start = 0, stop = extent, step = 1;
    bool good = true;
    const char *text = at;
    if (*at != ':') good = cli_number_parse(&at, &start);
    good = good && *at == ':';
    if (good && at[1] && at[1] != ':') {
        at++;
        good = cli_number_parse(&at, &stop);
    } else if (good) {
        at++;
    }
    if (good && *at == ':') {
        at++;
        if (*at) good = cli_number_parse(&at, &step);
    }
    if (!good || *at) {
        snprintf(error, error_size, "'%s' is not start:stop[:step], an index or '...'", text);
        return false;
    }
    if (step < 1) {
        snprintf(error, error_size, "step %" PRId64 " in '%s': steps are 1 or more", step, text);
        return false;
    }
    start = resolve_bound(start, extent);
    stop = resolve_bound(stop, extent);
    out->start[axis] = start;
    out->step[axis] = step;
    out->shape[axis] = stop > start ? (stop - start - 1) / step + 1 : 0;
    out->out_shape[out->out_rank++] = out->shape[axis];
    return true;
}

static bool parse_axis(cli_region *out, int32_t axis, const char *at, int64_t extent, char *error, size_t error_size) {
    const char *text = at;
    int64_t index;
    if (strchr(at, ':') || !cli_number_parse(&at, &index) || *at) {
        return parse_slice(out, axis, text, extent, error, error_size);
    }
    if (index < -extent || index >= extent) {
        snprintf(error, error_size, "index %" PRId64 " is outside axis %" PRId32 " of extent %" PRId64, index, axis,
                 extent);
        return false;
    }
    out->start[axis] = index < 0 ? index + extent : index;
    out->shape[axis] = 1;
    out->step[axis] = 1;
    return true;
}

static void whole_axes(cli_region *out, int32_t from, int32_t to, const int64_t *shape) {
    for (int32_t axis = from; axis < to; axis++) {
        out->start[axis] = 0;
        out->shape[axis] = shape[axis];
        out->step[axis] = 1;
        out->out_shape[out->out_rank++] = shape[axis];
    }
}

static int32_t count_parts(const char *text) {
    int32_t parts = *text != 0;
    for (; *text; text++)
        parts += *text == ',';
    return parts;
}

bool cli_region_parse(cli_region *out, const char *text, int32_t rank, const int64_t *shape, char *error,
                      size_t error_size) {
    *out = (cli_region){0};
    out->rank = rank;
    if (!text) text = "";
    const int32_t parts = count_parts(text);
    int32_t axis = 0;
    bool seen_ellipsis = false;
    for (const char *at = text; *at;) {
        char part[96];
        const size_t size = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)(size < sizeof part ? size : sizeof part - 1), at);
        at += size + (at[size] == ',');
        if (strcmp(part, "...") == 0 && !seen_ellipsis) {
            const int32_t others = parts - 1;
            const int32_t stop = axis + (rank > others ? rank - others : 0);
            seen_ellipsis = true;
            whole_axes(out, axis, stop, shape);
            axis = stop;
        } else if (axis >= rank) {
            snprintf(error, error_size, "'%s' names more axes than the %" PRId32 " of the array", text, rank);
            return false;
        } else {
            if (!parse_axis(out, axis, part, shape[axis], error, error_size)) return false;
            axis++;
        }
    }
    whole_axes(out, axis, rank, shape);
    return true;
}

int64_t cli_region_count(const cli_region *region) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < region->rank; axis++) {
        if (region->shape[axis] == 0) return 0;
    }
    for (int32_t axis = 0; axis < region->rank; axis++)
        count *= region->shape[axis]; /* at most the array's element count, which fits */
    return count;
}

int32_t cli_extents_parse(int64_t *out, int32_t rank_max, const char *text, const int64_t *shape, int64_t least,
                          char *error, size_t error_size) {
    int32_t rank = 0;
    for (const char *at = text; *at;) {
        if (rank == rank_max) {
            snprintf(error, error_size, "'%s' has more than %" PRId32 " extents", text, rank_max);
            return -1;
        }
        if (*at == ':' && shape) {
            out[rank] = shape[rank] ? shape[rank] : 1;
            at++;
        } else if (!cli_number_parse(&at, &out[rank]) || out[rank] < least) {
            snprintf(error, error_size, "'%s' is not a list of extents of %" PRId64 " or more, such as 10,90,180", text,
                     least);
            return -1;
        }
        rank++;
        if (*at && (*at != ',' || !at[1])) {
            snprintf(error, error_size, "'%s' is not a comma-separated list of extents", text);
            return -1;
        }
        at += *at == ',';
    }
    return rank;
}

bool cli_parse_size(uint64_t *out, const char *text) {
    static const char units[] = "KMGTP";
    char *end = NULL;
    double size = strtod(text, &end);
    if (end == text || end != text + strspn(text, "0123456789.")) return false; /* no signs, exponents, "nan" */
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++)
            size *= 1024;
        end++;
        if (*end == 'i') end++;
    }
    if (*end == 'B') end++;
    if (*end || !(size >= 1 && size < 9e18)) return false;
    *out = (uint64_t)size;
    return true;
}

bool cli_parse_format(int32_t *out, const char *text) {
    *out = 0;
    if (!text) return true;
    if (text[0] && !text[1]) *out = text[0] - '0';
    return *out == 2 || *out == 3;
}
