/* SPDX-License-Identifier: MIT */
/* Threads, locks and conditions of the operating system; the whole platform is in thread_posix.c. */
#ifndef ZL_BASE_THREAD_H
#define ZL_BASE_THREAD_H

#include <pthread.h>

#include "base/base.h"

typedef pthread_mutex_t zl_mutex;
typedef pthread_cond_t zl_cond;
typedef pthread_t zl_thread;

zl_status zl_mutex_init(zl_mutex *mutex, zl_error *err);
void zl_mutex_clear(zl_mutex *mutex);
void zl_mutex_lock(zl_mutex *mutex);
void zl_mutex_unlock(zl_mutex *mutex);
zl_status zl_cond_init(zl_cond *cond, zl_error *err);
void zl_cond_clear(zl_cond *cond);
void zl_cond_wait(zl_cond *cond, zl_mutex *mutex);
/* Waits at most about that long. */
void zl_cond_wait_ms(zl_cond *cond, zl_mutex *mutex, int32_t timeout_ms);
void zl_cond_signal(zl_cond *cond);
void zl_cond_broadcast(zl_cond *cond);
/* Signals other than those of faults are blocked in the new thread, so that the program's handlers run in its own threads.
 */
zl_status zl_thread_start(zl_thread *out, void *(*run)(void *), void *argument, zl_error *err);
void zl_thread_join(zl_thread thread);
/* Time that passes, from any start; for durations. */
uint64_t zl_clock_us(void);
/* Sleeps for a random time, at most as long as it is since `began` (of zl_clock_us) and at most 20 ms. For who is overtaken
 * by other processes and tries again: the more they are the longer they pause, and in the end about one is at work at a
 * time. */
void zl_thread_pause(uint64_t began);
/* CPUs this process may use (affinity and cgroup aware where the system says), at least 1. */
int32_t zl_cpu_count(void);
/* Identifies the process, to notice a fork. */
int64_t zl_process_id(void);

#endif
