/* SPDX-License-Identifier: MIT */
/*
 * How fast casts are: for each pair of data types, rounding and rule for what is out of range, the time of zl_cast against
 * that of a memcpy of half the bytes that a cast reads and writes. Both are measured in turns, and the medians compared:
 * 1.00 is as fast as copying.
 *
 *   cast [--from TYPE] [--to TYPE] [--count N] [--turns N] [--worst]
 *
 * All elements are in range, so that every check is made and none stops the cast. --worst prints one line for each pair,
 * the slowest; the summary at the end has geometric means by class of types.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zarrlite/zarrlite.h"

static const zl_dtype_id types[] = {
    ZL_DTYPE_INT2,
    ZL_DTYPE_INT4,
    ZL_DTYPE_INT8,
    ZL_DTYPE_INT16,
    ZL_DTYPE_INT32,
    ZL_DTYPE_INT64,
    ZL_DTYPE_UINT2,
    ZL_DTYPE_UINT4,
    ZL_DTYPE_UINT8,
    ZL_DTYPE_UINT16,
    ZL_DTYPE_UINT32,
    ZL_DTYPE_UINT64,
    ZL_DTYPE_FLOAT4_E2M1FN,
    ZL_DTYPE_FLOAT6_E2M3FN,
    ZL_DTYPE_FLOAT6_E3M2FN,
    ZL_DTYPE_FLOAT8_E3M4,
    ZL_DTYPE_FLOAT8_E4M3,
    ZL_DTYPE_FLOAT8_E4M3B11FNUZ,
    ZL_DTYPE_FLOAT8_E4M3FNUZ,
    ZL_DTYPE_FLOAT8_E5M2,
    ZL_DTYPE_FLOAT8_E5M2FNUZ,
    ZL_DTYPE_FLOAT8_E8M0FNU,
    ZL_DTYPE_BFLOAT16,
    ZL_DTYPE_FLOAT16,
    ZL_DTYPE_FLOAT32,
    ZL_DTYPE_FLOAT64,
};
#define TYPE_COUNT (sizeof types / sizeof types[0])
#define TURNS_MAX 99

static const char *const roundings[] = {"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                        "nearest-away"};
static const char *const ranges[] = {"error", "clamp", "wrap"};

typedef struct settings {
    const char *from, *to;
    size_t count;
    int turns;
    bool worst_only;
} settings;

typedef struct buffers {
    double *values;
    char *src, *dst, *copy_src, *copy_dst;
} buffers;

/* Results by class: both types have 8 bits or more and are no small floats; the others. */
typedef struct summary {
    double log_sum, worst;
    int count;
} summary;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* others may use the machine */
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

static void fail(const zl_error *err) {
    fprintf(stderr, "cast: %s\n", err->message);
    exit(1);
}

static void cast(const zl_dtype *to, void *dst, const zl_dtype *from, const void *src, size_t count, zl_rounding rounding,
                 zl_out_of_range range) {
    const int64_t shape = (int64_t)count;
    const zl_cast_options options = {.size = sizeof options, .rounding = rounding, .out_of_range = range};
    zl_error err = {0};
    if (zl_cast((zl_view){dst, NULL, to}, (zl_const_view){src, NULL, from}, 1, &shape, &options, &err) != ZL_OK) fail(&err);
}

/* A value near `value` that the type has; half of it, and so on, where the type's end is nearer to 0. */
static double end_of(const zl_dtype *type, double value) {
    const zl_dtype *float64 = zl_dtype_builtin(ZL_DTYPE_FLOAT64);
    double result;
    do {
        char element[8] = {0};
        cast(type, element, float64, &value, 1, ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_CLAMP);
        cast(float64, &result, type, element, 1, ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_CLAMP);
        value /= 2;
    } while (isinf(result));
    return result;
}

/* Elements with fractions that both types have room for. float8_e8m0fnu has no zero. */
static void fill(const buffers *b, const zl_dtype *from, const zl_dtype *to, size_t count) {
    const double high = fmin(fmin(end_of(from, 100), end_of(to, 100)), 100);
    const double low = fmax(fmax(end_of(from, -100), end_of(to, -100)), -high);
    const bool positive = low > 0;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const double first = positive ? 1 : low;
        b->values[i] = first + (high - first) * ((double)(state >> 11) * 0x1p-53);
    }
    cast(from, b->src, zl_dtype_builtin(ZL_DTYPE_FLOAT64), b->values, count, ZL_ROUND_TOWARDS_ZERO, ZL_RANGE_CLAMP);
}

/* Speed relative to a copy; `*nanoseconds` for one element. */
static double measure(const buffers *b, const zl_dtype *from, const zl_dtype *to, zl_rounding rounding,
                      zl_out_of_range range, const settings *set, double *nanoseconds) {
    double casts[TURNS_MAX], copies[TURNS_MAX];
    const size_t bytes = set->count * (zl_dtype_size(from) + zl_dtype_size(to)) / 2;
    for (int i = 0; i < set->turns; i++) {
        double start = now();
        memcpy(b->copy_dst, b->copy_src, bytes);
        copies[i] = now() - start;
        start = now();
        cast(to, b->dst, from, b->src, set->count, rounding, range);
        casts[i] = now() - start;
    }
    *nanoseconds = median(casts, set->turns) * 1e9 / (double)set->count;
    return median(copies, set->turns) * 1e9 / (double)set->count / *nanoseconds;
}

static void add(summary *sum, double ratio) {
    sum->log_sum += log(ratio);
    if (sum->count++ == 0 || ratio < sum->worst) sum->worst = ratio;
}

static bool is_integer(zl_dtype_id id) {
    return (id >= ZL_DTYPE_INT8 && id <= ZL_DTYPE_UINT64) || (id >= ZL_DTYPE_INT2 && id <= ZL_DTYPE_UINT4);
}

static bool is_narrow(zl_dtype_id id) {
    return (id >= ZL_DTYPE_INT2 && id <= ZL_DTYPE_FLOAT8_E8M0FNU);
}

static void run_pair(const buffers *b, zl_dtype_id from_id, zl_dtype_id to_id, const settings *set, summary sums[3]) {
    const zl_dtype *from = zl_dtype_builtin(from_id), *to = zl_dtype_builtin(to_id);
    double worst = 0;
    char worst_name[64] = "";
    fill(b, from, to, set->count);
    for (int rounding = 0; rounding < 5; rounding++) {
        for (int range = 0; range < (is_integer(to_id) ? 3 : 2); range++) {
            double nanoseconds;
            const double ratio = measure(b, from, to, (zl_rounding)rounding, (zl_out_of_range)range, set, &nanoseconds);
            const int class = is_narrow(from_id) || is_narrow(to_id) ? 2 : rounding > 1;
            add(&sums[class], ratio);
            if (!set->worst_only) {
                printf("%-18s %-18s %-16s %-6s %6.3f ns  %5.2f\n", zl_dtype_name(from), zl_dtype_name(to),
                       roundings[rounding], ranges[range], nanoseconds, ratio);
            }
            if (!*worst_name || ratio < worst) {
                worst = ratio;
                snprintf(worst_name, sizeof worst_name, "%s %s", roundings[rounding], ranges[range]);
            }
        }
    }
    if (set->worst_only) printf("%-18s %-18s %-24s %5.2f\n", zl_dtype_name(from), zl_dtype_name(to), worst_name, worst);
    fflush(stdout);
}

static bool wanted(const char *given, zl_dtype_id id) {
    return !given || strcmp(given, zl_dtype_name(zl_dtype_builtin(id))) == 0;
}

static void *memory(size_t size) {
    void *data = malloc(size);
    if (!data) {
        fputs("cast: out of memory\n", stderr);
        exit(1);
    }
    memset(data, 1, size);
    return data;
}

static settings parse(int argc, char **argv) {
    settings set = {.count = (size_t)1 << 23, .turns = 5};
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--worst") == 0)
            set.worst_only = true;
        else if (strcmp(argv[i], "--from") == 0 && has_value)
            set.from = argv[++i];
        else if (strcmp(argv[i], "--to") == 0 && has_value)
            set.to = argv[++i];
        else if (strcmp(argv[i], "--count") == 0 && has_value)
            set.count = (size_t)strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--turns") == 0 && has_value)
            set.turns = atoi(argv[++i]);
        else {
            fprintf(stderr, "usage: %s [--from TYPE] [--to TYPE] [--count N] [--turns N] [--worst]\n", argv[0]);
            exit(2);
        }
    }
    if (set.turns < 1 || set.turns > TURNS_MAX) set.turns = 5;
    return set;
}

int main(int argc, char **argv) {
    const settings set = parse(argc, argv);
    const size_t size = 8 * set.count;
    const buffers b = {memory(size), memory(size), memory(size), memory(size), memory(size)};
    summary sums[3] = {{0}};
    static const char *const classes[] = {"8-64 bit, nearest-even and towards-zero", "8-64 bit, other roundings",
                                          "sub-byte and small floats"};
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        for (size_t j = 0; j < TYPE_COUNT; j++) {
            if (wanted(set.from, types[i]) && wanted(set.to, types[j])) run_pair(&b, types[i], types[j], &set, sums);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!sums[i].count) continue;
        printf("%-42s %5d casts, geometric mean %.2f, worst %.2f\n", classes[i], sums[i].count,
               exp(sums[i].log_sum / sums[i].count), sums[i].worst);
    }
    free(b.values);
    free(b.src);
    free(b.dst);
    free(b.copy_src);
    free(b.copy_dst);
    return 0;
}
