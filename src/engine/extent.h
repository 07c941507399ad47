/* SPDX-License-Identifier: MIT */
/*
 * How far an array reaches, for all its handles in this process. An array has two ends: its shape, which is stored and
 * which readers see, and the edge that writers must respect. A growing array has its edge raised before the first byte of
 * the growth is written, and its shape afterwards; writers read the edge under the claim of a chunk. So whoever replaces a
 * chunk keeps what lies between the two.
 */
#ifndef ZL_ENGINE_EXTENT_H
#define ZL_ENGINE_EXTENT_H

#include "engine/shared.h"

/* An append under way; in its caller's memory. */
typedef struct zl_append {
    struct zl_append *next; /* the one behind */
    int32_t axis;
    int64_t count;
    int64_t base[ZL_MAX_RANK]; /* out: the edge before it. Its elements are base[axis] ... base[axis] + count - 1 */
    enum { ZL_APPEND_WRITES, ZL_APPEND_WRITTEN, ZL_APPEND_FAILED, ZL_APPEND_ENDED } state;
    zl_status status; /* of its publication, which another may have done */
    zl_error error;
} zl_append;

typedef struct zl_extent zl_extent;
struct zl_extent {
    zl_extent *next; /* in the store's list */
    zl_shared *shared;
    char *path;
    int32_t references; /* under the store's lock */
    int32_t rank;
    zl_mutex mutex; /* guards what follows */
    zl_cond changed;
    int64_t edge[ZL_MAX_RANK];
    bool alone;     /* somebody changes the shape, or finds it out */
    int32_t wanted; /* by how many that wait; appends let them pass */
    zl_append *first, *last;
    int32_t epoch;      /* 0 or 1 */
    int64_t writing[2]; /* writes that began in each epoch */
};

/* The extent of the array at `path`, whose edge is then at least `shape`. Retained: give it back with close. */
zl_status zl_extent_open(zl_extent **out, zl_store *store, const char *path, const zl_shape *shape, zl_error *err);
void zl_extent_close(zl_extent *extent); /* NULL is fine */
/* The edge is at least `shape` from now on. */
void zl_extent_raise(zl_extent *extent, const zl_shape *shape);
void zl_extent_get_edge(zl_extent *extent, int64_t *edge);

/* Around each write: what began before the edge was lowered can be waited for. */
int32_t zl_extent_enter(zl_extent *extent);
void zl_extent_leave(zl_extent *extent, int32_t epoch);

/* ---- one change of the shape at a time: waits until nobody else appends or resizes */
void zl_extent_lock(zl_extent *extent);
void zl_extent_unlock(zl_extent *extent);
void zl_extent_set_edge(zl_extent *extent, const int64_t *edge);
/* Waits for the writes that began before; they may not know of a lowered edge. */
void zl_extent_drain(zl_extent *extent);

/* ---- appends: ranges are given out in order, and become part of the shape in order */

/* Waits for a change of the shape and for appends along another axis. True: the caller holds the lock, finds out the
 * array's shape, sets the edge and calls zl_append_start, or unlocks. False: others append, and it has started. */
bool zl_append_join(zl_extent *extent, zl_append *append);
/* Unlocks; others may join. */
void zl_append_start(zl_extent *extent, zl_append *append);
/* Its elements are written, or failed. Waits for those in front. True: it is its turn to end itself. False: the one in
 * front has ended it as well, with `status`. */
bool zl_append_turn(zl_extent *extent, zl_append *append, bool written);
/* In its turn: the last of the appends that are written without a gap from this one on. */
zl_append *zl_append_group(zl_extent *extent, zl_append *append);
/* In its turn: is it the last of all? Then nobody joins until it ends. */
bool zl_append_is_last(zl_extent *extent, const zl_append *append);
/* Ends all up to `last` with a status. `give_back`: their elements are gone, and the edge is as it was before. */
void zl_append_end(zl_extent *extent, zl_append *append, zl_append *last, bool give_back, zl_status status,
                   const zl_error *error);

#endif
