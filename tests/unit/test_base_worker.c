/* SPDX-License-Identifier: MIT */
/* Workers, results and threads. */
#include <signal.h>

#include "base/thread.h"
#include "base/worker.h"
#include "zt.h"

/* ---- scratch */

static bool fill(void *ptr, int byte, size_t size) {
    if (ptr != NULL) memset(ptr, byte, size);
    return ptr != NULL;
}

static zl_status scratch_scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_worker *worker = zl_worker_new(allocator);
    if (worker == NULL) return ZL_ERR_NO_MEMORY;
    unsigned char *outer = zl_worker_alloc(worker, 1000, 8);
    unsigned char *job = zl_worker_job_alloc(worker, 300, 16);
    bool ok = fill(outer, 1, 1000) && fill(job, 2, 300);
    for (size_t round = 0; round < 20 && ok; round++) {
        const zl_worker_mark mark = zl_worker_get_mark(worker);
        for (size_t i = 0; i < 8 && ok; i++) {
            const size_t align = (size_t)1 << (i + round % 5);
            void *ptr = zl_worker_alloc(worker, i * round * 1500, align);
            ok = fill(ptr, 3, i * round * 1500);
            assert_int_equal((uintptr_t)ptr % align, 0);
        }
        zl_worker_reset(worker, mark);
    }
    if (ok) {
        for (size_t i = 0; i < 1000; i++) {
            assert_int_equal(outer[i], 1);
            assert_int_equal(job[i % 300], 2);
        }
    }
    zl_worker_free(worker);
    return ok ? ZL_OK : ZL_ERR_NO_MEMORY;
}

static void test_scratch(void **state) {
    (void)state;
    zt_run_out_of_memory(scratch_scenario, NULL);
    zl_worker_free(NULL);
}

static void test_scratch_is_reused_and_trimmed(void **state) {
    (void)state;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zl_worker *worker = zl_worker_new(&allocator);
    const size_t bare = memory.size;
    const zl_worker_mark empty = zl_worker_get_mark(worker);
    size_t count = 0;
    for (int round = 0; round < 10; round++) {
        assert_non_null(zl_worker_alloc(worker, 2 * ZL_MIB, 64));
        assert_non_null(zl_worker_alloc(worker, 10, 1));
        assert_non_null(zl_worker_alloc(worker, ZL_MIB, 4096));
        assert_non_null(zl_worker_job_alloc(worker, ZL_MIB, 8));
        zl_worker_reset(worker, empty);
        zl_worker_end_job(worker);
        if (round == 0) count = memory.count;
    }
    assert_int_equal(memory.count, count);
    zl_worker_trim(worker, 2 * ZL_MIB);
    assert_true(memory.size > 3 * ZL_MIB && memory.size < 4 * ZL_MIB);
    assert_non_null(zl_worker_alloc(worker, 2 * ZL_MIB, 64)); /* a kept block is used again */
    assert_int_equal(memory.count, count);
    assert_non_null(zl_worker_alloc(worker, ZL_MIB, 64)); /* one that was trimmed away comes back */
    zl_worker_reset(worker, empty);
    zl_worker_trim(worker, 0);
    assert_int_equal(memory.size, bare);
    assert_non_null(zl_worker_alloc(worker, 0, 1));
    assert_null(zl_worker_alloc(worker, SIZE_MAX - 100, 4096));
    zl_worker_free(worker);
    zt_assert_no_leak(&memory);
}

/* ---- objects */

static int live_objects;

static void *create_object(void) {
    live_objects++;
    return &live_objects;
}
static void *create_nothing(void) {
    return NULL;
}
static void destroy_object(void *object) {
    assert_ptr_equal(object, &live_objects);
    live_objects--;
}

static zl_status object_scenario(const zl_allocator *allocator, void *arg) {
    static const char tag_a, tag_b;
    (void)arg;
    zl_worker *worker = zl_worker_new(allocator);
    if (worker == NULL) return ZL_ERR_NO_MEMORY;
    zl_call call = {.size = sizeof call, .allocator = allocator, .worker = worker};
    const bool ok = zl_call_object(&call, &tag_a, create_object, destroy_object) != NULL &&
                    zl_call_object(&call, &tag_b, create_object, destroy_object) != NULL;
    if (ok) {
        assert_non_null(zl_call_object(&call, &tag_a, create_object, destroy_object));
        assert_int_equal(live_objects, 2);
    }
    zl_worker_free(worker);
    assert_int_equal(live_objects, 0);
    return ok ? ZL_OK : ZL_ERR_NO_MEMORY;
}

static void test_objects(void **state) {
    (void)state;
    zt_run_out_of_memory(object_scenario, NULL);
    zl_worker *worker = zl_worker_new(&zl_default_allocator);
    assert_null(zl_worker_object(worker, &worker, create_nothing, destroy_object));
    assert_non_null(zl_worker_object(worker, &worker, create_object, destroy_object)); /* asked again */
    zl_worker_free(worker);
    assert_int_equal(live_objects, 0);
}

static zl_status call_scenario(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_error err;
    zl_result *result = zl_result_make(allocator, &err);
    if (result == NULL) return err.status;
    zl_worker *worker = zl_worker_new(allocator);
    bool ok = worker != NULL;
    if (ok) {
        const zl_call with = {.size = sizeof with, .worker = worker, .result = result};
        const zl_call without = {.size = sizeof without, .worker = worker};
        ok = fill(zl_call_scratch(&with, 100, 8), 1, 100) && fill(zl_call_result_alloc(&with, 100), 2, 100) &&
             fill(zl_call_result_alloc(&without, 100), 3, 100);
    }
    zl_worker_free(worker);
    zl_result_free(result);
    return ok ? ZL_OK : ZL_ERR_NO_MEMORY;
}

static void test_calls(void **state) {
    (void)state;
    zt_run_out_of_memory(call_scenario, NULL);
    zl_result_free(NULL);
}

/* ---- threads */

typedef struct shared {
    zl_mutex mutex;
    zl_cond cond;
    zl_result *result;
    int started;
    bool go;
    bool interrupt_is_blocked;
    bool ok;
} shared;

static void *run(void *argument) {
    shared *s = argument;
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    zl_mutex_lock(&s->mutex);
    s->interrupt_is_blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGSEGV) == 0;
    s->started++;
    zl_cond_broadcast(&s->cond);
    while (!s->go) {
        zl_cond_wait(&s->cond, &s->mutex);
    }
    zl_mutex_unlock(&s->mutex);
    bool ok = true;
    for (size_t i = 1; i < 500; i++) {
        ok = fill(zl_result_alloc(s->result, i), 1, i) && ok;
    }
    zl_mutex_lock(&s->mutex);
    s->ok = s->ok && ok;
    zl_mutex_unlock(&s->mutex);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    zl_error err;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    shared s = {.ok = true, .result = zl_result_make(&allocator, &err)};
    zt_assert_ok(zl_mutex_init(&s.mutex, &err), &err);
    zt_assert_ok(zl_cond_init(&s.cond, &err), &err);
    zl_thread threads[4];
    for (size_t i = 0; i < ZL_COUNT_OF(threads); i++) {
        zt_assert_ok(zl_thread_start(&threads[i], run, &s, &err), &err);
    }
    zl_mutex_lock(&s.mutex);
    while (s.started < (int)ZL_COUNT_OF(threads)) {
        zl_cond_wait(&s.cond, &s.mutex);
    }
    s.go = true;
    zl_cond_broadcast(&s.cond);
    zl_mutex_unlock(&s.mutex);
    for (size_t i = 0; i < ZL_COUNT_OF(threads); i++) {
        zl_thread_join(threads[i]);
    }
    assert_true(s.ok && s.interrupt_is_blocked);
    zl_result_free(s.result);
    zl_cond_clear(&s.cond);
    zl_mutex_clear(&s.mutex);
    zt_assert_no_leak(&memory);
}

static void test_timed_wait(void **state) {
    (void)state;
    zl_error err;
    zl_mutex mutex;
    zl_cond cond;
    zt_assert_ok(zl_mutex_init(&mutex, &err), &err);
    zt_assert_ok(zl_cond_init(&cond, &err), &err);
    zl_mutex_lock(&mutex);
    zl_cond_wait_ms(&cond, &mutex, 1); /* nobody signals: it comes back */
    zl_cond_signal(&cond);
    zl_mutex_unlock(&mutex);
    zl_cond_clear(&cond);
    zl_mutex_clear(&mutex);
}

static void test_machine(void **state) {
    (void)state;
    assert_in_range(zl_cpu_count(), 1, 65536);
    assert_true(zl_process_id() > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scratch), cmocka_unit_test(test_scratch_is_reused_and_trimmed),
        cmocka_unit_test(test_objects), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_timed_wait),
        cmocka_unit_test(test_machine),
    };
    return cmocka_run_group_tests_name("base worker", tests, NULL, NULL);
}
