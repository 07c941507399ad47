/* SPDX-License-Identifier: MIT */
/* Several threads in the engine: claims, tickets, lanes, cancellation. ctest label: threads */
#include <fenv.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/op.h"
#include "zt_engine.h"

#define SECONDS 100 /* until a test counts as hanging */

static void sleep_ms(unsigned ms) {
    usleep(ms * 1000);
}

static void *or_die(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

/* ---- writers of one chunk */

/* Writes the values first, first + 1, ..., each to all of its elements, and looks at them in between. */
typedef struct writer {
    pthread_t thread;
    zl_array *array;
    int64_t start, count, step;
    int32_t first, rounds;
    int32_t threads;
    zl_cancel *cancel;
    zl_status status;
    atomic_bool done;
} writer;

static zl_status check_written(const writer *self, const zl_region *region, int32_t value) {
    int32_t got[64];
    zl_error err = {0};
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.threads = self->threads;
    ZL_TRY(zl_array_read(self->array, region, (zl_view){got, NULL, NULL}, &options, &err));
    for (int64_t i = 0; i < self->count; i++) {
        if (got[i] != value) return ZL_ERR_INTERNAL;
    }
    return ZL_OK;
}

static void *run_writer(void *argument) {
    writer *self = argument;
    zl_error err = {0};
    const zl_region region = {1, &self->start, &self->count, self->step ? &self->step : NULL};
    zl_write_options options = ZL_WRITE_OPTIONS_INIT;
    options.threads = self->threads;
    options.cancel = self->cancel;
    for (int32_t r = 0; r < self->rounds && self->status == ZL_OK; r++) {
        const int32_t value = self->first + r;
        const int64_t stride = 0;
        self->status = zl_array_write(self->array, &region, (zl_const_view){&value, &stride, NULL}, &options, &err);
        if (self->status == ZL_OK && self->rounds > 1) self->status = check_written(self, &region, value);
    }
    atomic_store(&self->done, true);
    return NULL;
}

static void start(writer *self) {
    assert_int_equal(pthread_create(&self->thread, NULL, run_writer, self), 0);
}

static void finish(writer *self, zl_status expected) {
    assert_int_equal(pthread_join(self->thread, NULL), 0);
    assert_int_equal(self->status, expected);
}

static zl_array *open_again(zt_engine *engine) {
    zl_array *array;
    zt_assert_ok(zl_array_open(&array, engine->store, "a", &engine->err), &engine->err);
    return array;
}

/* A covered write comes while another one has read the chunk and not yet stored it. */
static void start_between(spy_store *spy, spy_moment moment, const char *key) {
    (void)key;
    writer *other = spy->user;
    if (moment != SPY_AFTER_GET) return;
    spy->hook = NULL;
    start(other);
    sleep_ms(50);
}

static void rule_claim_always(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, NULL);
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 4, 1);
    writer other = {.array = open_again(&engine), .count = 4, .first = 7, .rounds = 1};
    engine.spy.user = &other;
    engine.spy.hook = start_between;
    zt_engine_write_all_equal(&engine, 0, 1, 2);
    finish(&other, ZL_OK);
    zt_engine_expect_equal(&engine, 0, 4, 7); /* in whatever order: all that was covered later is there */
    zl_array_close(other.array);
    zt_engine_end(&engine);
}

#define WRITERS 4
#define ROUNDS 60

/* Each has its own elements, in both chunks, and its own handle. Nothing gets lost, nobody waits for ever. */
static void nothing_is_lost(const char *codecs, uint64_t memory_limit, int32_t threads) {
    zt_engine engine;
    writer writers[WRITERS] = {{0}};
    zt_watchdog(SECONDS);
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 3, .memory_limit = memory_limit});
    zt_engine_line(&engine, 2 * 8 * WRITERS, 8 * WRITERS, "-1", codecs);
    for (int32_t i = 0; i < WRITERS; i++) {
        writers[i] = (writer){.array = open_again(&engine),
                              .start = i,
                              .count = 16,
                              .step = WRITERS,
                              .first = 1000 * i,
                              .rounds = ROUNDS,
                              .threads = threads};
        start(&writers[i]);
    }
    for (int32_t i = 0; i < WRITERS; i++) {
        finish(&writers[i], ZL_OK);
        zl_array_close(writers[i].array);
    }
    int32_t got[2 * 8 * WRITERS];
    zt_engine_read(&engine, 0, 2 * 8 * WRITERS, got);
    for (int32_t k = 0; k < 2 * 8 * WRITERS; k++)
        assert_int_equal(got[k], 1000 * (k % WRITERS) + ROUNDS - 1);
    zt_engine_end(&engine);
    zt_watchdog(0);
}

static void rule_claim_first(void **state) {
    (void)state;
    nothing_is_lost("[" ZT_BYTES "]", 0, 1);
    nothing_is_lost("[" ZT_BYTES "]", 1, 1);
    nothing_is_lost("[" ZT_BYTES "]", 1, 3);
}

static void rule_never_block(void **state) {
    (void)state;
    nothing_is_lost(ZT_SHARD(2, "[" ZT_BYTES "]"), 1, 3);
    nothing_is_lost(ZT_SHARD(4, "[" ZT_BYTES ",\"crc32c\"]"), 3000, 3);
    nothing_is_lost(ZT_SHARD(2, "[" ZT_BYTES "]"), 0, 3);
}

/* ---- the budget */

typedef struct watch {
    zl_engine *engine;
    atomic_int most_jobs;
    atomic_int violations;
    atomic_int most_holders;
} watch;

static void watch_budget(spy_store *spy, spy_moment moment, const char *key) {
    (void)moment, (void)key;
    watch *self = spy->user;
    zl_engine *engine = self->engine;
    int holders = 0;
    uint64_t sum = 0;
    zl_mutex_lock(&engine->mutex);
    for (const zl_op *op = engine->ops; op != NULL; op = op->next) {
        if (op->job_count > self->most_jobs) self->most_jobs = op->job_count;
        for (const zl_job *job = op->all; job != NULL; job = job->all_next) {
            sum += job->ticket;
            holders += job->ticket > 0;
        }
    }
    /* More than the limit is in use only where one job alone needs it. */
    if (sum != engine->used || (sum > engine->context->memory_limit && holders > 1)) self->violations++;
    if (holders > self->most_holders) self->most_holders = holders;
    zl_mutex_unlock(&engine->mutex);
}

static void write_watched(int64_t chunks, int64_t chunk, const char *codecs, uint64_t memory_limit, watch *result) {
    zt_engine engine;
    zt_watchdog(SECONDS);
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4, .memory_limit = memory_limit});
    zt_engine_line(&engine, chunks * chunk, chunk, "0", codecs);
    memset(result, 0, sizeof *result);
    result->engine = engine.context->engine;
    engine.spy.user = result;
    engine.spy.hook = watch_budget;
    int32_t *values = or_die(malloc((size_t)(chunks * chunk) * sizeof *values));
    for (int64_t i = 0; i < chunks * chunk; i++)
        values[i] = (int32_t)i + 1;
    zt_engine_write(&engine, 0, chunks * chunk, values);
    zt_engine_write(&engine, 1, chunks * chunk - 1, values + 1); /* the first chunk is read and modified */
    zt_engine_expect(&engine, 0, chunks * chunk, values);
    free(values);
    assert_int_equal(result->violations, 0);
    assert_int_equal(result->engine->used, 0);
    assert_int_equal(result->engine->standing, 0);
    zt_engine_end(&engine);
    zt_watchdog(0);
}

static void rule_reserve_parts(void **state) {
    (void)state;
    watch seen;
    write_watched(40, 256, ZT_SHARD(8, "[" ZT_BYTES "]"), 1, &seen);
    assert_int_equal(seen.most_holders, 1);
    write_watched(40, 256, ZT_SHARD(8, "[" ZT_BYTES "]"), 200000, &seen);
    write_watched(40, 256, ZT_SHARD(8, "[" ZT_BYTES "]"), 0, &seen);
}

/* A row codec that counts the threads that are in it at once. */
static atomic_int in_crowd, most_in_crowd;

static size_t crowd_row(const void *bound, void *dst, const void *src, size_t n) {
    (void)bound;
    const int now = atomic_fetch_add(&in_crowd, 1) + 1;
    for (int most = most_in_crowd; now > most && !atomic_compare_exchange_weak(&most_in_crowd, &most, now);) {
    }
    sleep_ms(1);
    memcpy(dst, src, n * sizeof(int32_t));
    atomic_fetch_sub(&in_crowd, 1);
    return n;
}

static const zl_aa_ops crowd_ops = {.decode_row = crowd_row, .encode_row = crowd_row};
static const zl_codec_class crowd = {.size = sizeof crowd, .name = "test.crowd", .aa = &crowd_ops};

static int encode_in_lanes(uint64_t memory_limit) {
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4, .memory_limit = memory_limit});
    zt_assert_ok(zl_context_add_codec(engine.context, &crowd, &engine.err), &engine.err);
    zt_engine_line(&engine, 128, 64, "0", ZT_SHARD(2, "[\"test.crowd\"," ZT_BYTES "]"));
    most_in_crowd = 0;
    zt_engine_write_all_equal(&engine, 0, 128, 5);
    zt_engine_end(&engine);
    return most_in_crowd;
}

/* Parts of a shard are encoded by several threads, where there is memory for it; otherwise a shard gets what it needs, and
 * a single lane. */
static void rule_lane(void **state) {
    (void)state;
    assert_in_range(encode_in_lanes(0), 2, 4);
    assert_int_equal(encode_in_lanes(1), 1);
}

static void rule_bounded_park(void **state) {
    (void)state;
    watch seen;
    write_watched(3000, 4, "[" ZT_BYTES "]", 1, &seen);
    assert_in_range(seen.most_jobs, 1, 3 * 4);
}

/* ---- failures */

/* Chunk 1 is encoded when chunk 0 has failed: it is not stored any more. */
static void late_second(spy_store *spy, spy_moment moment, const char *key) {
    atomic_bool *second_began = spy->user;
    if (moment != SPY_AFTER_GET) return;
    if (strcmp(key, "a/c/1") == 0) {
        *second_began = true;
        sleep_ms(100);
    }
    for (int ms = 0; ms < 2000 && !*second_began; ms++)
        sleep_ms(1);
}

static void rule_drain(void **state) {
    (void)state;
    static const int32_t values[] = {1, 41, 3, 4};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_line(&engine, 8, 4, "0", "[" ZT_ROW("picky", 41) "," ZT_BYTES "]");
    zt_engine_write_all_equal(&engine, 0, 8, 9);
    atomic_bool second_began = false;
    engine.spy.user = &second_began;
    engine.spy.hook = late_second;
    spy_store_reset(&engine.spy);
    zt_assert_fails(zt_engine_try_write(engine.array, 1, 4, values, 2, &engine.err), &engine.err, ZL_ERR_INVALID_ARGUMENT,
                    "chunk a/c/0: element (2): test.picky refuses 41");
    assert_int_equal(engine.spy.sets, 0);
    zt_engine_expect_equal(&engine, 0, 8, 9);
    zt_engine_end(&engine);
}

/* ---- order */

static void rule_part_order(void **state) {
    (void)state;
    ZT_NEED_GZIP();
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    int32_t values[1024];
    for (int k = 0; k < 1024; k++)
        values[k] = k % 7 == 0 ? 0 : k * k;
    for (int round = 0; round < 20; round++) {
        uint8_t *stored[2];
        size_t size[2];
        for (int i = 0; i < 2; i++) {
            zt_engine_line(&engine, 1024, 1024, "0", ZT_SHARD(8, "[" ZT_BYTES "," ZT_GZIP "]"));
            zt_assert_ok(zt_engine_try_write(engine.array, 0, 1024, values, i == 0 ? 1 : 4, &engine.err), &engine.err);
            zt_assert_ok(zt_engine_try_write(engine.array, 100, 500, values, i == 0 ? 1 : 4, &engine.err), &engine.err);
            stored[i] = spy_store_copy(&engine.spy, "a/c/0", &size[i]);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(stored[0], stored[1], size[0]);
        free(stored[0]);
        free(stored[1]);
    }
    zt_engine_end(&engine);
}

/* Chunk 2 is found damaged after chunk 5: its damage is reported all the same. */
typedef struct two_failures {
    atomic_bool second_failed;
} two_failures;

static void late_damage(spy_store *spy, spy_moment moment, const char *key) {
    two_failures *self = spy->user;
    if (moment == SPY_AFTER_GET && strcmp(key, "a/c/1") == 0) {
        for (int ms = 0; ms < 2000 && !self->second_failed; ms++)
            sleep_ms(1);
        sleep_ms(20);
    }
    if (moment == SPY_AFTER_GET && strcmp(key, "a/c/5") == 0) self->second_failed = true;
}

static void the_first_of_several_failures_is_reported(void **state) {
    (void)state;
    static const char bad[44] = "bad";
    int32_t got[60];
    two_failures order = {0};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_line(&engine, 60, 10, "0", "[" ZT_BYTES ",\"crc32c\"]");
    zt_engine_write_all_equal(&engine, 0, 60, 4);
    spy_store_put(&engine.spy, "a/c/1", bad, sizeof bad);
    spy_store_put(&engine.spy, "a/c/5", bad, sizeof bad);
    engine.spy.user = &order;
    engine.spy.hook = late_damage;
    zt_assert_fails(zt_engine_try_read(engine.array, 0, 60, got, NULL, &engine.err), &engine.err, ZL_ERR_CORRUPT,
                    "chunk a/c/1: crc32c: ");
    zt_engine_end(&engine);
}

/* ---- progress and cancellation */

typedef struct progress {
    uint64_t last, total, calls, stop_at;
    atomic_int inside;
    bool overlaps;
} progress;

static bool on_progress(void *user, const zl_progress *now) {
    progress *self = user;
    if (atomic_fetch_add(&self->inside, 1) != 0) self->overlaps = true;
    self->calls++;
    self->total = now->elements_total;
    if (now->elements_done > self->last) self->last = now->elements_done;
    atomic_fetch_sub(&self->inside, 1);
    return self->stop_at == 0 || self->calls < self->stop_at;
}

static void progress_is_told(void **state) {
    (void)state;
    static const char *const chains[] = {"[" ZT_BYTES "]", ZT_SHARD(5, "[" ZT_BYTES "]")};
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    for (size_t i = 0; i < ZL_COUNT_OF(chains); i++) {
        progress seen = {0};
        int32_t values[1000] = {1};
        zt_engine_line(&engine, 1000, 50, "0", chains[i]);
        zl_write_options writing = ZL_WRITE_OPTIONS_INIT;
        writing.on_progress = on_progress;
        writing.progress_user = &seen;
        zt_assert_ok(zl_array_write(engine.array, NULL, (zl_const_view){values, NULL, NULL}, &writing, &engine.err),
                     &engine.err);
        assert_int_equal(seen.last, 1000);
        assert_int_equal(seen.total, 1000);
        assert_false(seen.overlaps);
        seen = (progress){0};
        zl_read_options reading = ZL_READ_OPTIONS_INIT;
        reading.on_progress = on_progress;
        reading.progress_user = &seen;
        zt_assert_ok(zl_array_read(engine.array, NULL, (zl_view){values, NULL, NULL}, &reading, &engine.err), &engine.err);
        assert_int_equal(seen.last, 1000);
        assert_false(seen.overlaps);
    }
    zt_engine_end(&engine);
}

static void progress_may_cancel(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        progress seen = {.stop_at = 3};
        int32_t values[1000];
        for (int k = 0; k < 1000; k++)
            values[k] = 5;
        zt_engine_line(&engine, 1000, 10, "0", "[" ZT_BYTES "]");
        zl_write_options options = ZL_WRITE_OPTIONS_INIT;
        options.threads = threads;
        options.on_progress = on_progress;
        options.progress_user = &seen;
        zt_assert_fails(zl_array_write(engine.array, NULL, (zl_const_view){values, NULL, NULL}, &options, &engine.err),
                        &engine.err, ZL_ERR_CANCELLED, "cancelled by the progress callback");
        assert_in_range(engine.spy.sets, 3, 3 + (unsigned)threads - 1); /* and what was under way */
        assert_int_equal(seen.calls, 3);
    }
    zt_engine_end(&engine);
}

static void cancel_at_third_set(spy_store *spy, spy_moment moment, const char *key) {
    (void)key;
    if (moment == SPY_BEFORE_SET && spy->sets == 3) zl_cancel_now(spy->user);
}

static void a_flag_cancels(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    zl_cancel *cancel;
    zt_assert_ok(zl_cancel_new(&cancel, engine.context, &engine.err), &engine.err);
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        int32_t values[1000];
        for (int k = 0; k < 1000; k++)
            values[k] = 5;
        zt_engine_line(&engine, 1000, 10, "0", "[" ZT_BYTES "]");
        zl_write_options options = ZL_WRITE_OPTIONS_INIT;
        options.threads = threads;
        options.cancel = cancel;
        engine.spy.user = cancel;
        engine.spy.hook = cancel_at_third_set;
        zt_assert_fails(zl_array_write(engine.array, NULL, (zl_const_view){values, NULL, NULL}, &options, &engine.err),
                        &engine.err, ZL_ERR_CANCELLED, "cancelled");
        assert_in_range(engine.spy.sets, 3, 3 + 2 * (unsigned)threads);
        engine.spy.hook = NULL;
        zl_cancel_reset(cancel);
    }
    zl_cancel_free(cancel);
    zt_engine_end(&engine);
}

/* Who waits for another op's claim is cancelled without waiting for that op. */
typedef struct stand_off {
    writer waiting;
    zl_cancel *cancel;
    bool was_done;
} stand_off;

static void hold_the_claim(spy_store *spy, spy_moment moment, const char *key) {
    (void)key;
    stand_off *self = spy->user;
    if (moment != SPY_BEFORE_SET) return;
    spy->hook = NULL;
    start(&self->waiting);
    sleep_ms(30);
    zl_cancel_now(self->cancel);
    for (int ms = 0; ms < 5000 && !self->waiting.done; ms++)
        sleep_ms(1);
    self->was_done = self->waiting.done;
}

static void parked_jobs_are_cancelled(void **state) {
    (void)state;
    zt_engine engine;
    stand_off self = {.waiting = {.count = 4, .first = 9, .rounds = 1}};
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 2});
    zt_engine_line(&engine, 4, 4, "0", "[" ZT_BYTES "]");
    zt_assert_ok(zl_cancel_new(&self.cancel, engine.context, &engine.err), &engine.err);
    self.waiting.cancel = self.cancel;
    self.waiting.array = open_again(&engine);
    engine.spy.user = &self;
    engine.spy.hook = hold_the_claim;
    zt_engine_write_all_equal(&engine, 0, 4, 1);
    finish(&self.waiting, ZL_ERR_CANCELLED);
    assert_true(self.was_done);
    zt_engine_expect_equal(&engine, 0, 4, 1);
    zl_array_close(self.waiting.array);
    zl_cancel_free(self.cancel);
    zt_engine_end(&engine);
}

/* ---- which threads work */

static void one_thread_starts_none(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    int32_t values[100] = {3};
    zt_engine_line(&engine, 100, 10, "0", ZT_SHARD(5, "[" ZT_BYTES "]"));
    zt_assert_ok(zt_engine_try_write(engine.array, 0, 100, values, 1, &engine.err), &engine.err);
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.threads = 1;
    zt_assert_ok(zt_engine_try_read(engine.array, 0, 100, values, &options, &engine.err), &engine.err);
    assert_int_equal(engine.context->engine->worker_count, 0);
    options.threads = 3;
    zt_assert_ok(zt_engine_try_read(engine.array, 0, 100, values, &options, &engine.err), &engine.err);
    assert_int_equal(engine.context->engine->worker_count, 2);
    options.threads = 1000000000; /* more than the context has */
    zt_assert_ok(zt_engine_try_read(engine.array, 0, 100, values, &options, &engine.err), &engine.err);
    zt_assert_ok(zt_engine_try_write(engine.array, 0, 100, values, 1000000000, &engine.err), &engine.err);
    assert_int_equal(engine.context->engine->worker_count, 3);
    zt_engine_end(&engine);
}

/* With threads = 1 no other thread works on a call, also when it had to wait. */
typedef struct alone {
    writer other;
    pthread_t caller;
    atomic_bool waits;
    atomic_int strangers;
} alone;

static void who_is_it(spy_store *spy, spy_moment moment, const char *key) {
    alone *self = spy->user;
    if (moment != SPY_BEFORE_SET || strcmp(key, "a/c/0") != 0) return;
    if (!atomic_exchange(&self->waits, true)) {
        start(&self->other); /* it finds the claim taken */
        sleep_ms(5);
    } else if (!pthread_equal(pthread_self(), self->other.thread)) {
        self->strangers++;
    }
}

static void one_thread_is_the_caller(void **state) {
    (void)state;
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    int32_t values[100];
    zt_engine_line(&engine, 100, 10, "0", "[" ZT_BYTES "]");
    zt_engine_read(&engine, 0, 100, values); /* makes workers */
    values[0] = 3;
    for (int round = 0; round < 20; round++) {
        alone self = {.other = {.array = open_again(&engine), .count = 4, .first = 9, .rounds = 1, .threads = 1}};
        engine.spy.user = &self;
        engine.spy.hook = who_is_it;
        zt_assert_ok(zt_engine_try_write(engine.array, 0, 10, values, 1, &engine.err), &engine.err);
        finish(&self.other, ZL_OK);
        engine.spy.hook = NULL;
        zl_array_close(self.other.array);
        assert_int_equal(self.strangers, 0);
    }
    zt_engine_end(&engine);
}

/* ---- the environment */

/* Creates an array, writes a part of a missing chunk, and other chunks, and reads all: with that rounding. */
static zl_status compute(zt_engine *engine, const char *document, const float *values, int32_t threads, float *got) {
    const int64_t start = 9, count = 40;
    const zl_region region = {1, &start, &count, NULL};
    zl_write_options writing = ZL_WRITE_OPTIONS_INIT;
    zl_read_options reading = ZL_READ_OPTIONS_INIT;
    writing.threads = reading.threads = threads;
    ZL_TRY(zt_engine_try_create(engine, document));
    ZL_TRY(zl_array_write(engine->array, &region, (zl_const_view){values, NULL, NULL}, &writing, &engine->err));
    return zl_array_read(engine->array, NULL, (zl_view){got, NULL, NULL}, &reading, &engine->err);
}

/* Rounding is to the nearest, whatever the caller has set, and the caller's setting stays. */
static void numbers_do_not_depend_on_the_caller(void **state) {
    (void)state;
    static const int64_t shape = 64, chunk = 8;
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    float values[40], want[64], got[64];
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 3});
    const char *document =
        zt_engine_document(1, &shape, &chunk, "\"float32\"", "0.37",
                           "[{\"name\":\"scale_offset\",\"configuration\":{\"offset\":0.1,\"scale\":0.7}}," ZT_BYTES "]");
    for (int i = 0; i < 40; i++)
        values[i] = (float)i * 0.37f;
    zt_assert_ok(compute(&engine, document, values, 1, want), &engine.err);
    for (size_t i = 0; i < ZL_COUNT_OF(rounding) * 2; i++) {
        const int mode = rounding[i / 2];
        assert_int_equal(fesetround(mode), 0);
        const zl_status status = compute(&engine, document, values, i % 2 ? 3 : 1, got);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        zt_assert_ok(status, &engine.err);
        assert_int_equal(after, mode);
        assert_memory_equal(got, want, sizeof want);
    }
    zt_engine_end(&engine);
}

#if defined(__SANITIZE_THREAD__)
#define CAN_FORK 0 /* the sanitizer does not follow threads of a forked child */
#else
#define CAN_FORK 1
#endif

/* A child of a process that has used threads starts its own. */
static void a_forked_child_goes_on(void **state) {
    (void)state;
    if (!CAN_FORK) skip();
    zt_engine engine;
    zt_engine_begin(&engine, &(zt_engine_options){.threads = 4});
    int32_t values[100], got[100];
    for (int k = 0; k < 100; k++)
        values[k] = k;
    zt_engine_line(&engine, 100, 10, "0", ZT_SHARD(5, "[" ZT_BYTES "]"));
    zt_engine_write(&engine, 0, 100, values);
    zt_engine_read(&engine, 0, 100, got);
    for (int work = 0; work < 2; work++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(20);
            bool ok = true;
            for (int n = 0; n < 20 * work; n++) {
                ok = ok && zt_engine_try_write(engine.array, 0, 100, values, 0, NULL) == ZL_OK;
                ok = ok && zt_engine_try_read(engine.array, 0, 100, got, NULL, NULL) == ZL_OK;
            }
            zl_array_close(engine.array);
            ok = ok && zl_store_close(engine.store, NULL) == ZL_OK;
            zl_context_free(engine.context);
            _exit(ok && memcmp(values, got, sizeof got) == 0 ? 0 : 1);
        }
        int result = 0;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), 0);
        zt_engine_expect(&engine, 0, 100, values);
    }
    zt_engine_end(&engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_claim_always),
        cmocka_unit_test(rule_claim_first),
        cmocka_unit_test(rule_never_block),
        cmocka_unit_test(rule_reserve_parts),
        cmocka_unit_test(rule_lane),
        cmocka_unit_test(rule_bounded_park),
        cmocka_unit_test(rule_drain),
        cmocka_unit_test(rule_part_order),
        cmocka_unit_test(the_first_of_several_failures_is_reported),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(progress_may_cancel),
        cmocka_unit_test(a_flag_cancels),
        cmocka_unit_test(parked_jobs_are_cancelled),
        cmocka_unit_test(one_thread_starts_none),
        cmocka_unit_test(one_thread_is_the_caller),
        cmocka_unit_test(numbers_do_not_depend_on_the_caller),
        cmocka_unit_test(a_forked_child_goes_on),
    };
    return cmocka_run_group_tests_name("engine: threads", tests, NULL, NULL);
}
