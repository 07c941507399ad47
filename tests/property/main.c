/* SPDX-License-Identifier: MIT */
/*
 * property [--seed N] [--cases N] [--case K]
 *
 * Runs cases 0, 1, 2, ... of a seed, or case K alone with all that it does printed.
 */
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "property.h"

#define SECONDS_PER_CASE 120

static volatile sig_atomic_t stuck_case;

/* A case that hangs says which one it is. */
static void on_alarm(int number) {
    (void)number;
    char text[] = "case 0000000000 hangs\n";
    long left = stuck_case;
    for (int i = 14; i > 4; i--, left /= 10)
        text[i] = (char)('0' + left % 10);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(3);
    abort();
}

static bool run_case(uint64_t seed, uint64_t number, bool verbose) {
    stuck_case = (sig_atomic_t)number;
    alarm(SECONDS_PER_CASE);
    const bool ok = prop_run(seed * UINT64_C(1000003) + number, verbose);
    alarm(0);
    if (!ok) printf("reproduce: property --seed %" PRIu64 " --case %" PRIu64 "\n", seed, number);
    return ok;
}

int main(int count, char **arguments) {
    uint64_t seed = 1, cases = 20000, only = UINT64_MAX;
    for (int i = 1; i < count; i += 2) {
        uint64_t *number = strcmp(arguments[i], "--seed") == 0    ? &seed
                           : strcmp(arguments[i], "--cases") == 0 ? &cases
                           : strcmp(arguments[i], "--case") == 0  ? &only
                                                                  : NULL;
        if (number == NULL || i + 1 == count) {
            fprintf(stderr, "usage: property [--seed N] [--cases N] [--case K]\n");
            return 2;
        }
        *number = strtoull(arguments[i + 1], NULL, 10);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGALRM, on_alarm);
    if (only != UINT64_MAX) return run_case(seed, only, true) ? 0 : 1;
    prop_table_check();
    printf("seed %" PRIu64 ", %" PRIu64 " cases\n", seed, cases);
    for (uint64_t i = 0; i < cases; i++) {
        if (run_case(seed, i, false)) continue;
        printf("%" PRIu64 " passed, 1 failed\n", i);
        return 1;
    }
    printf("%" PRIu64 " passed, 0 failed\n", cases);
    return 0;
}
