/* SPDX-License-Identifier: MIT */
/* Tests in several processes, and systems that lack a call. */
#ifndef ZT_PROCESS_H
#define ZT_PROCESS_H

#include "zt.h"

/* Runs `run` with 0 .. count-1 in a forked process each and waits for all. One that returns false, having said why on
 * stderr, or that dies fails the test: cmocka's own checks do not work in there. */
typedef bool (*zt_process_fn)(int number, void *arg);
void zt_run_processes(int count, zt_process_fn run, void *arg);
/* For processes: prints the error; true for ZL_OK. */
bool zt_process_ok(zl_status status, const char *what, const zl_error *err);
/* `size` zero bytes that all processes share, until zt_unshare. */
void *zt_share(size_t size);
void zt_unshare(void *memory, size_t size);

/* Makes the system call of that number fail with `code` in this process, for good; false where that cannot be had. */
bool zt_forbid_call(long number, int code);

#endif
