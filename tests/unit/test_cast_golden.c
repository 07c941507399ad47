/* SPDX-License-Identifier: MIT */
/*
 * The golden matrix of the corpus: what each element of 26 types becomes in each other one, by rounding and by rule for
 * what is out of range. Its README says how the files are made. Elements on which the specification is silent are marked
 * there with our reading; they have to agree as well.
 */
#include <dirent.h>

#include "codec/number.h"
#include "simd/cast.h"
#include "zt_kernels.h"

enum { LINE_MAX_SIZE = 1 << 16, CODES_MAX = 4096 };

static const char folder[] = ZT_CORPUS "/stores/cast_value";

/* Exact arithmetic, and the loops of each level. */
enum { PLANS_MAX = 1 + ZT_LEVELS_MAX };
static const zl_cast_loops *loops[PLANS_MAX];
static size_t plan_count;

static int find_loops(void **state) {
    (void)state;
    zl_kernels levels[ZT_LEVELS_MAX];
    unsigned names[ZT_LEVELS_MAX];
    const size_t count = zt_kernel_levels(levels, names);
    plan_count = 1;
    for (size_t i = 0; i < count; i++) {
        if (levels[i].cast != loops[plan_count - 1]) loops[plan_count++] = levels[i].cast;
    }
    return 0;
}

typedef struct golden {
    zl_number from, to;
    uint64_t code[CODES_MAX];
    size_t count;
    size_t elements, wrong;
} golden;

static void find_number(const char *name, zl_number *out) {
    for (int id = 1; id < ZL_DTYPE_COUNT; id++) {
        const zl_dtype *dtype = zl_dtype_builtin((zl_dtype_id)id);
        if (strcmp(zl_dtype_name(dtype), name) == 0 && zl_number_of(dtype, out)) return;
    }
    fail_msg("%s is no type", name);
}

static int find_choice(const char *name, const char *const *choices) {
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], name) == 0) return i;
    }
    fail_msg("%s is no rule", name);
    return 0;
}

/* "I" <source> <destination> <codes> */
static void take_input(golden *it, char *fields[3]) {
    char *rest;
    find_number(fields[0], &it->from);
    find_number(fields[1], &it->to);
    it->count = 0;
    for (char *word = strtok_r(fields[2], " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(it->count < CODES_MAX);
        it->code[it->count++] = strtoull(word, NULL, 16);
    }
}

/* One element alone: others must not decide what happens to it. */
static bool agrees(const zl_cast_plan *plan, uint64_t code, const char *token) {
    uint64_t src = 0, dst = 0;
    zl_number_store(&plan->from, &src, code);
    const bool accepted = zl_cast_run(plan, &dst, &src, 1) == 1;
    const uint64_t result = zl_number_load(&plan->to, &dst);
    if (strcmp(token, "E") == 0) return !accepted;
    if (strcmp(token, "NAN") == 0) return accepted && zl_number_is_nan(&plan->to, result);
    return accepted && result == strtoull(token, NULL, 16);
}

static bool all_agree(const zl_cast_plan plans[PLANS_MAX], uint64_t code, const char *token) {
    for (size_t k = 0; k < plan_count; k++) {
        if (!agrees(&plans[k], code, token)) return false;
    }
    return true;
}

/* "O" <rounding> <out of range> <tokens> */
static void check_output(golden *it, char *fields[3]) {
    static const char *const roundings[] = {"nearest-even",     "towards-zero", "towards-positive",
                                            "towards-negative", "nearest-away", NULL};
    static const char *const ranges[] = {"none", "clamp", "wrap", NULL};
    static zl_cast_plan plans[PLANS_MAX];
    const zl_cast_rule rule = {(zl_rounding)find_choice(fields[0], roundings),
                               (zl_out_of_range)find_choice(fields[1], ranges)};
    char *rest;
    size_t i = 0;
    for (size_t k = 0; k < plan_count; k++) {
        zl_cast_init(&plans[k], &it->from, &it->to, rule, NULL, 0, loops[k]);
    }
    for (char *word = strtok_r(fields[2], " ", &rest); word; word = strtok_r(NULL, " ", &rest), i++) {
        const char *token = word + (*word == '~');
        assert_true(i < it->count);
        it->elements++;
        if (all_agree(plans, it->code[i], token)) continue;
        if (it->wrong++ < 10)
            print_error("%s %s: %llx should give %s\n", fields[0], fields[1], (unsigned long long)it->code[i], word);
    }
    assert_int_equal(i, it->count);
}

static void check_file(golden *it, const char *path) {
    static char line[LINE_MAX_SIZE];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *rest, *fields[3], *kind = strtok_r(line, "\t\n", &rest);
        if (!kind || (strcmp(kind, "I") != 0 && strcmp(kind, "O") != 0)) continue;
        for (int i = 0; i < 3; i++) {
            fields[i] = strtok_r(NULL, "\t\n", &rest);
            assert_non_null(fields[i]);
        }
        if (*kind == 'I')
            take_input(it, fields);
        else
            check_output(it, fields);
    }
    fclose(file);
}

static void test_golden(void **state) {
    (void)state;
    static golden it;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    size_t files = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        if (!strstr(entry->d_name, ".tsv")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(&it, path);
        files++;
    }
    closedir(directory);
    print_message("%zu files, %zu elements\n", files, it.elements);
    assert_int_equal(files, 26);
    assert_int_equal(it.wrong, 0);
}

int main(void) {
    DIR *directory = opendir(folder);
    if (!directory) {
        print_message("SKIPPED: there is no corpus at %s\n", ZT_CORPUS);
        return 77;
    }
    closedir(directory);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, find_loops, NULL);
}
