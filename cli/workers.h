/* SPDX-License-Identifier: MIT */
/* Independent pieces of work for several threads. The library has threads of its own inside each call; these are for many
 * calls that it would make one after the other. */
#ifndef ZARRLITE_CLI_WORKERS_H
#define ZARRLITE_CLI_WORKERS_H

#include "cli.h"

typedef zl_status (*cli_work_fn)(void *user, size_t index, zl_error *err);

/* Calls `work` once for each index below `count`, by up to `threads` threads (0: one per CPU), the caller among them. After
 * a failure, or Ctrl-C, no further index is begun; the failure of the lowest index among those that ran is returned. */
zl_status cli_work(int threads, size_t count, cli_work_fn work, void *user, zl_error *err);

#endif
