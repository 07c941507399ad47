/* SPDX-License-Identifier: MIT */
/*
 * One row in one process, within bounds of time and memory. The verdict comes back through a pipe; a process that dies
 * before it has sent one has failed. Memory is the peak resident size that wait4 reports, which under a sanitizer says
 * nothing and is not looked at; a bound on the address space keeps a runaway row from harming the machine.
 */
#include "conformance.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADDRESS_SPACE_MAX ((rlim_t)16 << 30)
#define SANITIZED_SLOWDOWN 10

/* What a process of this program takes before it does anything; measured once. */
static int64_t idle_rss_kb;

static int64_t peak_kb(const struct rusage *usage) {
#if defined(__APPLE__)
    return usage->ru_maxrss / 1024;
#else
    return usage->ru_maxrss;
#endif
}

static void limit(int resource, rlim_t most) {
    const struct rlimit bound = {most, most};
    (void)setrlimit(resource, &bound);
}

static void run_child(int out, ct_row_fn fn, const void *row) {
    ct_verdict verdict = {.outcome = CT_PASS, .pending = -1};
    limit(RLIMIT_CORE, 0);
    if (!CT_SANITIZED) limit(RLIMIT_AS, ADDRESS_SPACE_MAX);
    fn(row, &verdict);
    /* A verdict fits into a pipe's buffer, so one write sends it or the process fails. */
    _exit(write(out, &verdict, sizeof verdict) == (ssize_t)sizeof verdict ? 0 : 3);
}

/* Such a failure replaces whatever the row itself said. */
static void fail_process(ct_verdict *verdict, const char *what, int64_t value) {
    *verdict = (ct_verdict){.outcome = CT_PASS, .crashed = true, .pending = -1};
    (void)ct_fail(verdict, "%s %lld", what, (long long)value);
}

/* True when the other end was closed in time. */
static bool wait_for_end(int in, int64_t seconds, ct_verdict *verdict) {
    const int64_t patience = seconds * 1000 * (CT_SANITIZED ? SANITIZED_SLOWDOWN : 1);
    struct pollfd end = {.fd = in, .events = POLLIN};
    int ready;
    do {
        ready = poll(&end, 1, (int)patience);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) return false;
    if (read(in, verdict, sizeof *verdict) != (ssize_t)sizeof *verdict)
        fail_process(verdict, "ended without a verdict, bytes sent: fewer than", (int64_t)sizeof *verdict);
    return true;
}

static void judge_end(int status, const struct rusage *usage, const ct_bounds *bounds, ct_verdict *verdict) {
    const int64_t used_mb = (peak_kb(usage) - idle_rss_kb) / 1024;
    if (WIFSIGNALED(status)) {
        fail_process(verdict, "killed by signal", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        fail_process(verdict, "exit status", WEXITSTATUS(status));
    } else if (!CT_SANITIZED && bounds->rss_mb > 0 && used_mb > bounds->rss_mb) {
        fail_process(verdict, "used more memory than allowed, MB:", used_mb);
    }
}

static void run_process(ct_row_fn fn, const void *row, const ct_bounds *bounds, struct rusage *usage, ct_verdict *verdict) {
    int ends[2];
    int status = 0;
    (void)fflush(NULL);
    if (pipe(ends) != 0) abort();
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        (void)close(ends[0]);
        run_child(ends[1], fn, row);
    }
    (void)close(ends[1]);
    *verdict = (ct_verdict){.outcome = CT_PASS, .pending = -1};
    const bool in_time = wait_for_end(ends[0], bounds->seconds, verdict);
    if (!in_time) (void)kill(child, SIGKILL);
    (void)close(ends[0]);
    while (wait4(child, &status, 0, usage) < 0 && errno == EINTR) {
    }
    if (in_time) {
        judge_end(status, usage, bounds, verdict);
    } else {
        fail_process(verdict, "still running after seconds:", bounds->seconds);
    }
}

static void idle(const void *row, ct_verdict *verdict) {
    (void)row;
    (void)verdict;
}

void ct_run(ct_row_fn fn, const void *row, const ct_bounds *bounds, ct_verdict *verdict) {
    struct rusage usage;
    if (idle_rss_kb == 0) {
        const ct_bounds none = {60, 0};
        run_process(idle, NULL, &none, &usage, verdict);
        idle_rss_kb = peak_kb(&usage);
    }
    run_process(fn, row, bounds, &usage, verdict);
}
