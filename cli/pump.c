/* SPDX-License-Identifier: MIT */
#include "pump.h"

#include "memory.h"
#include "output.h"
#include "slab_writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 2

typedef struct slot {
    bool full;
    int64_t start[CLI_MAX_RANK];
    int64_t count[CLI_MAX_RANK];
    void *buffer;
    zl_const_view view;
} slot;

typedef struct pump {
    const cli_source *source;
    cli_slabs slabs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot slots[SLOTS]; /* used in turn by both sides */
    bool ended;        /* nothing will be filled any more; under the lock, like what follows */
    bool stopped;      /* nothing will be emptied any more */
    zl_error err;      /* of the source, when it failed */
} pump;

/* Waits until the slot has the state, or the other side has left. Returns false in that case. */
static bool wait_for(pump *p, const slot *s, bool full) {
    pthread_mutex_lock(&p->lock);
    while (s->full != full && !(full ? p->ended : p->stopped))
        pthread_cond_wait(&p->changed, &p->lock);
    const bool good = s->full == full && !p->stopped;
    pthread_mutex_unlock(&p->lock);
    return good;
}

static void set_full(pump *p, slot *s, bool full) {
    pthread_mutex_lock(&p->lock);
    s->full = full;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void set_flag(pump *p, bool *flag) {
    pthread_mutex_lock(&p->lock);
    *flag = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *fill_slots(void *user) {
    pump *p = user;
    zl_error err = {0};
    for (int turn = 0; cli_slabs_next(&p->slabs); turn = (turn + 1) % SLOTS) {
        slot *s = &p->slots[turn];
        if (!wait_for(p, s, false)) break;
        memcpy(s->start, p->slabs.start, sizeof s->start);
        memcpy(s->count, p->slabs.count, sizeof s->count);
        if (p->source->fetch(p->source->user, turn, s->start, s->count, s->buffer, &s->view, &err)) break;
        set_full(p, s, true);
    }
    p->err = err; /* the lock below hands it over */
    set_flag(p, &p->ended);
    return NULL;
}

static zl_status empty_slots(pump *p, const cli_sink *sink, zl_error *err) {
    for (int turn = 0;; turn = (turn + 1) % SLOTS) {
        slot *s = &p->slots[turn];
        if (!wait_for(p, s, true)) return ZL_OK;
        if (cli_interrupted()) return cli_error(err, ZL_ERR_CANCELLED, "interrupted");
        const zl_status status = sink->take(sink->user, s->start, s->count, s->view, err);
        if (status) return status;
        set_full(p, s, false);
    }
}

zl_status cli_pump(const cli_slabs *slabs, size_t element_size, const cli_source *source, const cli_sink *sink,
                   zl_error *err) {
    pump p = {.source = source, .slabs = *slabs};
    const size_t size = (size_t)cli_slabs_most(slabs) * element_size;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    for (int i = 0; i < SLOTS; i++)
        p.slots[i].buffer = cli_malloc(size);

    zl_status status;
    pthread_t reader;
    if (pthread_create(&reader, NULL, fill_slots, &p) != 0) {
        status = cli_error(err, ZL_ERR_NO_MEMORY, "no thread can be made for reading");
    } else {
        status = empty_slots(&p, sink, err);
        set_flag(&p, &p.stopped);
        pthread_join(reader, NULL);
        if (!status && p.err.status) {
            *err = p.err;
            status = err->status;
        }
    }
    for (int i = 0; i < SLOTS; i++)
        free(p.slots[i].buffer);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.lock);
    return status;
}

/* ---- arrays */

typedef struct array_sink {
    cli_slab_writer writer;
    zl_cancel *cancel;
    zl_progress_fn on_progress;
    void *progress_user;
    uint64_t elements_done;
} array_sink;

/* Counts on from the blocks that are done. */
static bool on_progress(void *user, const zl_progress *progress) {
    const array_sink *sink = user;
    zl_progress all = *progress;
    all.elements_done += sink->elements_done;
    all.elements_total = (uint64_t)zl_array_element_count(sink->writer.array);
    return sink->on_progress(sink->progress_user, &all);
}

static zl_status write_to_array(void *user, const int64_t *start, const int64_t *count, zl_const_view view, zl_error *err) {
    array_sink *sink = user;
    zl_write_options write = ZL_WRITE_OPTIONS_INIT;
    write.cancel = sink->cancel;
    write.on_progress = sink->on_progress ? on_progress : NULL;
    write.progress_user = sink;
    const zl_status status = cli_slab_write(&sink->writer, start, count, view, &write, err);
    uint64_t elements = 1;
    for (int32_t axis = 0; axis < zl_array_rank(sink->writer.array); axis++)
        elements *= (uint64_t)count[axis];
    sink->elements_done += elements;
    return status;
}

zl_status cli_pump_to_array(zl_array *array, const cli_slabs *slabs, const cli_source *source, zl_cancel *cancel,
                            zl_progress_fn progress, void *progress_user, zl_error *err) {
    array_sink user = {.cancel = cancel, .on_progress = progress, .progress_user = progress_user};
    cli_slab_writer_start(&user.writer, array, slabs);
    const cli_sink sink = {write_to_array, &user};
    const zl_status status = cli_pump(slabs, zl_dtype_size(zl_array_dtype(array)), source, &sink, err);
    return cli_slab_writer_end(&user.writer, status, err);
}
