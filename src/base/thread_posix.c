/* SPDX-License-Identifier: MIT */
/* Threads of POSIX, and how many CPUs Linux lets us use (cgroup v2, sched_getaffinity). */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

zl_status zl_mutex_init(zl_mutex *mutex, zl_error *err) {
    const int code = pthread_mutex_init(mutex, NULL);
    if (code != 0) return zl_fail_os(err, ZL_ERR_NO_MEMORY, code, "cannot make a lock");
    return ZL_OK;
}

void zl_mutex_clear(zl_mutex *mutex) {
    pthread_mutex_destroy(mutex);
}
/* Locking a live, non-recursive mutex cannot fail, nor can the calls below that ignore their result. */
void zl_mutex_lock(zl_mutex *mutex) {
    pthread_mutex_lock(mutex);
}
void zl_mutex_unlock(zl_mutex *mutex) {
    pthread_mutex_unlock(mutex);
}

zl_status zl_cond_init(zl_cond *cond, zl_error *err) {
    const int code = pthread_cond_init(cond, NULL);
    if (code != 0) return zl_fail_os(err, ZL_ERR_NO_MEMORY, code, "cannot make a condition variable");
    return ZL_OK;
}

void zl_cond_clear(zl_cond *cond) {
    pthread_cond_destroy(cond);
}
void zl_cond_wait(zl_cond *cond, zl_mutex *mutex) {
    pthread_cond_wait(cond, mutex);
}
void zl_cond_wait_ms(zl_cond *cond, zl_mutex *mutex, int32_t timeout_ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until); /* a clock that jumps makes one wait shorter or longer, no more */
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000L;
    until.tv_sec += timeout_ms / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(cond, mutex, &until);
}
void zl_cond_signal(zl_cond *cond) {
    pthread_cond_signal(cond);
}
void zl_cond_broadcast(zl_cond *cond) {
    pthread_cond_broadcast(cond);
}

zl_status zl_thread_start(zl_thread *out, void *(*run)(void *), void *argument, zl_error *err) {
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < ZL_COUNT_OF(faults); i++) {
        sigdelset(&blocked, faults[i]);
    }
    const int masked = pthread_sigmask(SIG_SETMASK, &blocked, &before);
    if (masked != 0) return zl_fail_os(err, ZL_ERR_INTERNAL, masked, "cannot block signals");
    zl_thread thread;
    const int code = pthread_create(&thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) return zl_fail_os(err, ZL_ERR_NO_MEMORY, code, "cannot start a thread");
    *out = thread;
    return ZL_OK;
}

void zl_thread_join(zl_thread thread) {
    pthread_join(thread, NULL);
}

uint64_t zl_clock_us(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t random_below(uint64_t limit, const void *salt) {
    uint64_t x = zl_clock_us() ^ (uint64_t)(uintptr_t)salt ^ (uint64_t)zl_process_id() << 32;
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 32) % limit;
}

void zl_thread_pause(uint64_t began) {
    enum { MOST_US = 20000 };
    struct timespec time = {0};
    time.tv_nsec =
        1000 * (long)random_below(zl_min_u64(zl_clock_us() - began, MOST_US) + 1, &time); /* threads differ in it */
    (void)nanosleep(&time, NULL);                                                         /* a signal makes it shorter */
}

int64_t zl_process_id(void) {
    return (int64_t)getpid();
}

/* ---- CPUs */

/* First bytes of a file as text; false when it cannot be read. */
static bool read_text(const char *path, char *text, size_t cap) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    const size_t size = fread(text, 1, cap - 1, file);
    text[size] = '\0';
    fclose(file);
    return size > 0;
}

/* CPUs that one cgroup's quota pays for, rounded up; INT32_MAX without a quota ("max 100000"). */
static int32_t cgroup_cpus(const char *folder) {
    char path[1100], text[64];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    if (!read_text(path, text, sizeof text)) return INT32_MAX;
    char *behind;
    const long long quota = strtoll(text, &behind, 10);
    const long long period = strtoll(behind, NULL, 10);
    if (quota <= 0 || period <= 0) return INT32_MAX;
    const int64_t cpus = zl_ceil_div(quota, period);
    return cpus < INT32_MAX ? (int32_t)cpus : INT32_MAX;
}

/* The tightest quota among this process's cgroup and those above it. */
static int32_t cgroups_cpus(void) {
    char text[1024];
    if (!read_text("/proc/self/cgroup", text, sizeof text)) return INT32_MAX;
    char *folder = strstr(text, "0::/"); /* the line of the unified hierarchy */
    if (folder == NULL) return INT32_MAX;
    folder += 3;
    folder[strcspn(folder, "\n")] = '\0';
    int32_t least = cgroup_cpus("");
    for (char *slash; (slash = strrchr(folder, '/')) != NULL; *slash = '\0') {
        const int32_t cpus = cgroup_cpus(folder);
        if (cpus < least) least = cpus;
    }
    return least;
}

int32_t zl_cpu_count(void) {
    long count = 0;
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
    if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
    const int32_t quota = cgroups_cpus();
    if (count > quota) count = quota;
    return count < 1 ? 1 : (int32_t)count;
}
