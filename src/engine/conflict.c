/* SPDX-License-Identifier: MIT */
/*
 * Writers of other processes that change the same chunk. A job that was overtaken fetches, encodes and tries again. Every
 * conflict means that somebody else has made a change, so together they get on; but were they to run side by side, each
 * success would cost all others an attempt, and one that takes longer than theirs would never come to its turn. So a job
 * pauses first: for a random time, at most as long as it has been trying. The more writers there are the longer they pause,
 * and in the end about one is at work at a time. Memory goes back meanwhile; the claim stays, as other jobs of this process
 * would only add to the conflict.
 */
#include "engine/write.h"

#define CONFLICTS_MAX \
    200 /* with some tens of writers about 20 are seen; a store whose generations change by themselves must end */
#define PAUSE_MAX_US UINT64_C(20000)

static uint64_t random_below(uint64_t limit, const void *salt) {
    uint64_t x = zl_clock_us() ^ (uint64_t)(uintptr_t)salt ^ (uint64_t)zl_process_id() << 32;
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 32) % limit;
}

bool zl_conflict_again(zl_write_job *job, zl_error *err) {
    zl_engine *engine = job->job.op->engine;
    if (++job->conflicts == CONFLICTS_MAX) {
        zl_error_wrap(err, ZL_ERR_CONFLICT, "changed by other writers %d times in a row: ", CONFLICTS_MAX);
        return false;
    }
    zl_mutex_lock(&engine->mutex);
    zl_ticket_give(&job->job);
    zl_mutex_unlock(&engine->mutex);
    zl_thread_sleep_us(random_below(zl_min_u64(zl_clock_us() - job->began + 1, PAUSE_MAX_US), job));
    return true;
}
