/* SPDX-License-Identifier: MIT */
#include "workers.h"

#include "memory.h"
#include "output.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct crew {
    pthread_mutex_t lock; /* of what follows */
    size_t next;
    size_t count;
    bool stopped;
    size_t failed; /* index of `err` */
    zl_error err;
    cli_work_fn work;
    void *user;
} crew;

static bool take_index(crew *c, size_t *out) {
    pthread_mutex_lock(&c->lock);
    const bool more = !c->stopped && c->next < c->count && !cli_interrupted();
    if (more) *out = c->next++;
    pthread_mutex_unlock(&c->lock);
    return more;
}

static void fail(crew *c, size_t index, const zl_error *err) {
    pthread_mutex_lock(&c->lock);
    if (!c->stopped || index < c->failed) {
        c->failed = index;
        c->err = *err;
    }
    c->stopped = true;
    pthread_mutex_unlock(&c->lock);
}

static void *run_worker(void *user) {
    crew *c = user;
    size_t index;
    while (take_index(c, &index)) {
        zl_error err = {0};
        if (c->work(c->user, index, &err)) fail(c, index, &err);
    }
    return NULL;
}

static size_t thread_count(int threads, size_t count) {
    const long cpus = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    const size_t wanted = cpus > 0 ? (size_t)cpus : 1;
    return wanted < count ? wanted : count;
}

zl_status cli_work(int threads, size_t count, cli_work_fn work, void *user, zl_error *err) {
    crew c = {.count = count, .work = work, .user = user};
    size_t started = 0;
    const size_t others = count ? thread_count(threads, count) - 1 : 0;
    pthread_t *ids = cli_calloc(others, sizeof *ids);
    pthread_mutex_init(&c.lock, NULL);
    while (started < others && pthread_create(&ids[started], NULL, run_worker, &c) == 0)
        started++; /* fewer threads do the same work */
    run_worker(&c);
    for (size_t i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&c.lock);
    free(ids);
    if (c.stopped) *err = c.err;
    if (!c.stopped && c.next < c.count) return cli_error(err, ZL_ERR_CANCELLED, "interrupted");
    return c.stopped ? c.err.status : ZL_OK;
}
