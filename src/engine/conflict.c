/* SPDX-License-Identifier: MIT */
/*
 * Writers of other processes that change the same chunk. A job that was overtaken fetches, encodes and tries again. Every
 * conflict means that somebody else has made a change, so together they get on; but were they to run side by side, each
 * success would cost all others an attempt, and one that takes longer than theirs would never come to its turn. So a job
 * pauses first. Its memory goes back meanwhile; the claim stays, as other jobs of this process would only add to the
 * conflict.
 */
#include "engine/write.h"

/* With some tens of writers about 20 are seen; a store whose generations change by themselves must end. */
#define CONFLICTS_MAX 200

bool zl_conflict_again(zl_write_job *job, zl_error *err) {
    zl_engine *engine = job->job.op->engine;
    if (++job->conflicts == CONFLICTS_MAX) {
        zl_error_wrap(err, ZL_ERR_CONFLICT, "changed by other writers %d times in a row: ", CONFLICTS_MAX);
        return false;
    }
    zl_mutex_lock(&engine->mutex);
    zl_ticket_give(&job->job);
    zl_mutex_unlock(&engine->mutex);
    zl_thread_pause(job->began);
    return true;
}
