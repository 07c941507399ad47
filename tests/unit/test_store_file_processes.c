/* SPDX-License-Identifier: MIT */
/*
 * The file store used by several processes at once: conditions and blind changes exclude each other. All of it runs twice,
 * the second time on a system without an exclusive rename.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "store/file_os.h"
#include "store/store.h"
#include "zt_process.h"

enum { PROCESSES = 4 };

/* ---- one process's view of the store */

typedef struct seat {
    void *self;
    zl_error err;
    zl_store_call call;
} seat;

static bool take_seat(seat *at, const char *path) {
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    at->call = (zl_store_call){.size = sizeof at->call, .allocator = &zl_default_allocator, .err = &at->err};
    return zt_process_ok(zl_store_file_new(&at->self, path, &options, at->call.allocator, &at->err), "open", &at->err);
}

static void leave_seat(seat *at) {
    (void)zl_store_file.close(at->self, NULL);
}

/* An object of a few numbers. */
typedef struct numbers {
    uint64_t at[2];
} numbers;

static zl_status set_numbers(seat *at, const char *key, const numbers *value, const zl_condition *condition) {
    const zl_span span = {(const uint8_t *)value, sizeof *value};
    return zl_store_file.set(at->self, key, &span, 1, condition, &at->call);
}

/* The same in pieces. */
static zl_status put_numbers(seat *at, const char *key, const numbers *value, const zl_condition *condition) {
    zl_put *put;
    ZL_TRY(zl_store_file.put_begin(at->self, key, &put, &at->call));
    for (size_t i = 0; i < ZL_COUNT_OF(value->at); i++) {
        const zl_span span = {(const uint8_t *)&value->at[i], sizeof value->at[i]};
        const zl_status status = zl_store_file.put_append(put, &span, 1, &at->call);
        if (status == ZL_OK) continue;
        zl_store_file.put_abort(put);
        return status;
    }
    return zl_store_file.put_commit(put, condition, &at->call);
}

/* Zeros where there is no object; its generation is in *condition. */
static zl_status get_numbers(seat *at, const char *key, numbers *value, zl_condition *condition) {
    zl_request request = {.length = sizeof *value, .into = value, .cap = sizeof *value};
    zl_object_info info = {0};
    *value = (numbers){0};
    const zl_status status = zl_store_file.get(at->self, key, &request, 1, NULL, &info, &at->call);
    *condition = (zl_condition){ZL_IF_GENERATION, info.generation};
    return status == ZL_ERR_NOT_FOUND ? ZL_OK : status;
}

typedef zl_status (*set_fn)(seat *at, const char *key, const numbers *value, const zl_condition *condition);

/* Adds one to the first number, again until nobody was in between. */
static bool count_one(seat *at, const char *key, set_fn set) {
    zl_status status = ZL_ERR_CONFLICT;
    while (status == ZL_ERR_CONFLICT) {
        numbers value;
        zl_condition condition;
        if (!zt_process_ok(get_numbers(at, key, &value, &condition), "get", &at->err)) return false;
        value.at[0]++;
        status = set(at, key, &value, &condition);
    }
    return zt_process_ok(status, "set", &at->err);
}

static void expect_count(const char *path, const char *key, uint64_t count) {
    seat at;
    numbers value;
    zl_condition condition;
    assert_true(take_seat(&at, path));
    zt_assert_ok(get_numbers(&at, key, &value, &condition), &at.err);
    assert_int_equal(value.at[0], count);
    leave_seat(&at);
}

/* ---- a counter: no change is lost */

enum { COUNTED = 150 };

static bool count_up(int number, void *path) {
    seat at;
    bool ok = take_seat(&at, path);
    for (int i = 0; ok && i < COUNTED; i++)
        ok = count_one(&at, "a/counter", (number + i) % 3 ? set_numbers : put_numbers);
    leave_seat(&at);
    return ok;
}

static void test_counter(void **state) {
    char path[ZT_PATH_MAX];
    (void)state;
    zt_temp_make(path);
    zt_run_processes(PROCESSES, count_up, path);
    expect_count(path, "a/counter", PROCESSES * COUNTED);
    zt_temp_remove(path);
}

/* ---- an object that is made and erased on a condition: only one process has it at a time */

enum { TURNS = 60 };

typedef struct hall {
    char path[ZT_PATH_MAX];
    atomic_int inside;
    atomic_int turns;
} hall;

/* Has the object on success. */
static zl_status enter(seat *at, hall *shared, int number) {
    const zl_condition none = {.kind = ZL_IF_GENERATION};
    const numbers mine = {{(uint64_t)number, 0}};
    ZL_TRY(set_numbers(at, "door", &mine, &none));
    if (atomic_fetch_add(&shared->inside, 1) != 0) return zl_fail(&at->err, ZL_ERR_INTERNAL, "two are inside");
    return ZL_OK;
}

static zl_status leave(seat *at, hall *shared, int number) {
    numbers there;
    zl_condition condition;
    ZL_TRY(get_numbers(at, "door", &there, &condition));
    if (there.at[0] != (uint64_t)number) return zl_fail(&at->err, ZL_ERR_INTERNAL, "another's object is there");
    atomic_fetch_add(&shared->turns, 1);
    atomic_fetch_sub(&shared->inside, 1);
    return zl_store_file.erase(at->self, "door", &condition, &at->call);
}

static bool go_through(int number, void *arg) {
    hall *shared = arg;
    seat at;
    bool ok = take_seat(&at, shared->path);
    for (int i = 0; ok && i < TURNS;) {
        const zl_status status = enter(&at, shared, number);
        if (status == ZL_ERR_CONFLICT) continue;
        ok = zt_process_ok(status, "enter", &at.err) && zt_process_ok(leave(&at, shared, number), "leave", &at.err);
        i++;
    }
    leave_seat(&at);
    return ok;
}

static void test_make_and_erase(void **state) {
    (void)state;
    hall *shared = zt_share(sizeof *shared);
    zt_temp_make(shared->path);
    zt_run_processes(PROCESSES, go_through, shared);
    assert_int_equal(atomic_load(&shared->turns), PROCESSES * TURNS);
    zt_temp_remove(shared->path);
    zt_unshare(shared, sizeof *shared);
}

/* ---- blind changes: a set on a condition never undoes one */

enum { EPOCHS = 100, KEYS = 3 };

static const char *const blind_keys[KEYS] = {"x", "y", "z"};

/* Only this process makes epochs, so what it reads after a set is not older than that. */
static bool make_epochs(seat *at) {
    for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++) {
        const char *key = blind_keys[epoch % KEYS];
        const numbers value = {{0, epoch}};
        numbers there;
        zl_condition condition;
        if (epoch % 5 == 0) {
            const zl_status erased = zl_store_file.erase(at->self, key, NULL, &at->call);
            if (erased != ZL_ERR_NOT_FOUND && !zt_process_ok(erased, "erase", &at->err)) return false;
        }
        if (!zt_process_ok(set_numbers(at, key, &value, NULL), "set", &at->err)) return false;
        if (!zt_process_ok(get_numbers(at, key, &there, &condition), "get", &at->err)) return false;
        if (there.at[1] == epoch) continue;
        fprintf(stderr, "epoch %d was undone\n", (int)epoch);
        return false;
    }
    return true;
}

static bool set_blindly(int number, void *path) {
    seat at;
    bool ok = take_seat(&at, path);
    if (number == 0) ok = ok && make_epochs(&at);
    for (int i = 0; ok && number != 0 && i < EPOCHS; i++)
        ok = count_one(&at, blind_keys[(number + i) % KEYS], set_numbers);
    leave_seat(&at);
    return ok;
}

static void test_blind_changes(void **state) {
    char path[ZT_PATH_MAX];
    (void)state;
    zt_temp_make(path);
    zt_run_processes(PROCESSES, set_blindly, path);
    zt_temp_remove(path);
}

/* Nothing but whole objects, and no set fails, with everybody at one key. */
static bool set_and_erase(int number, void *path) {
    seat at;
    bool ok = take_seat(&at, path);
    for (uint64_t i = 0; ok && i < EPOCHS; i++) {
        const numbers value = {{i, i}};
        numbers there;
        zl_condition condition;
        zl_status status = number % 2 && i % 2 ? zl_store_file.erase(at.self, "key", NULL, &at.call)
                                               : set_numbers(&at, "key", &value, NULL);
        ok = status == ZL_ERR_NOT_FOUND || zt_process_ok(status, "change", &at.err);
        ok = ok && zt_process_ok(get_numbers(&at, "key", &there, &condition), "get", &at.err) && there.at[0] == there.at[1];
    }
    leave_seat(&at);
    return ok;
}

static void test_one_key(void **state) {
    char path[ZT_PATH_MAX];
    (void)state;
    zt_temp_make(path);
    zt_run_processes(2 * PROCESSES, set_and_erase, path);
    zt_temp_remove(path);
}

/* ---- the lock */

typedef struct meeting {
    char path[ZT_PATH_MAX];
    atomic_bool held, waiting, taken;
} meeting;

static void wait_until(const atomic_bool *flag) {
    while (!atomic_load(flag))
        (void)usleep(1000);
}

static bool is_locked(const char *root, const char *key) {
    char path[ZT_PATH_MAX + 8];
    (void)snprintf(path, sizeof path, "%s/%s", root, key);
    const int file = open(path, O_RDONLY);
    const bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    return locked;
}

/* Replaces the file while the other process waits for its lock. */
static bool replace_locked(meeting *shared, zl_fs *fs, const zl_fs_place *place) {
    const zl_span text = {(const uint8_t *)"new", 3};
    zl_fs_temporary temporary;
    zl_fs_lock lock;
    if (zl_fs_lock_take(fs, place, &lock) != 0) return false;
    atomic_store(&shared->held, true);
    wait_until(&shared->waiting);
    (void)usleep(20000); /* it is in the system call now, or else has no part in this */
    const bool ok = !atomic_load(&shared->taken) && zl_fs_temporary_new(fs, place, NULL, &temporary) == 0 &&
                    zl_fs_write(temporary.file, &text, 1) == 0 && zl_fs_temporary_finish(fs, &temporary) == 0 &&
                    zl_fs_temporary_replace(place, &temporary) == 0;
    zl_fs_lock_give(&lock);
    return ok;
}

/* Gets the lock of the new file. */
static bool wait_for_lock(meeting *shared, const zl_fs *fs, const zl_fs_place *place) {
    zl_fs_lock lock;
    wait_until(&shared->held);
    atomic_store(&shared->waiting, true);
    if (zl_fs_lock_take(fs, place, &lock) != 0) return false;
    atomic_store(&shared->taken, true);
    const bool ok = lock.stat.info.size == 3 && is_locked(shared->path, "key");
    zl_fs_lock_give(&lock);
    return ok && !is_locked(shared->path, "key");
}

static bool meet(int number, void *arg) {
    meeting *shared = arg;
    const zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    zl_fs fs;
    zl_fs_place place;
    if (zl_fs_open(&fs, shared->path, &options) != 0 || zl_fs_find(&fs, "key", false, &place) != 0) return false;
    return number == 0 ? replace_locked(shared, &fs, &place) : wait_for_lock(shared, &fs, &place);
}

static void test_lock_of_replaced_file(void **state) {
    (void)state;
    seat at;
    const numbers old = {{0, 0}};
    meeting *shared = zt_share(sizeof *shared);
    zt_temp_make(shared->path);
    assert_true(take_seat(&at, shared->path));
    zt_assert_ok(set_numbers(&at, "key", &old, NULL), &at.err);
    leave_seat(&at);
    zt_run_processes(2, meet, shared);
    zt_temp_remove(shared->path);
    zt_unshare(shared, sizeof *shared);
}

/* ---- a process that dies: its temporary file stays, its lock does not */

static bool die_at_work(int number, void *path) {
    seat at;
    zl_put *put;
    zl_fs fs;
    zl_fs_place place;
    zl_fs_lock lock;
    const zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    const zl_span half = {(const uint8_t *)"half", 4};
    (void)number;
    if (!take_seat(&at, path)) return false;
    return zl_store_file.put_begin(at.self, "key", &put, &at.call) == ZL_OK &&
           zl_store_file.put_append(put, &half, 1, &at.call) == ZL_OK && zl_fs_open(&fs, path, &options) == 0 &&
           zl_fs_find(&fs, "key", false, &place) == 0 && zl_fs_lock_take(&fs, &place, &lock) == 0;
}

static bool count_name(void *user, const char *name, bool is_prefix) {
    (void)is_prefix;
    int *count = user;
    count[zl_fs_is_temporary(name)]++;
    return true;
}

static void test_dead_process(void **state) {
    (void)state;
    char path[ZT_PATH_MAX];
    seat at;
    const numbers value = {{1, 0}};
    int stored[2] = {0}, listed[2] = {0};
    zl_fs fs;
    const zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    zt_temp_make(path);
    assert_true(take_seat(&at, path));
    zt_assert_ok(set_numbers(&at, "key", &value, NULL), &at.err);
    zt_run_processes(1, die_at_work, path);
    expect_count(path, "key", 1);
    assert_true(count_one(&at, "key", set_numbers));
    expect_count(path, "key", 2);
    zt_assert_ok(zl_store_file.list(at.self, "", count_name, listed, &at.call), &at.err);
    assert_int_equal(listed[0], 1);
    assert_int_equal(listed[1], 0);
    assert_int_equal(zl_fs_open(&fs, path, &options), 0);
    assert_int_equal(zl_fs_list(&fs, "", count_name, stored), 0);
    assert_int_equal(stored[1], 1);
    zl_fs_close(&fs);
    zt_assert_ok(zl_store_file.erase_prefix(at.self, "", &at.call), &at.err);
    leave_seat(&at);
    zt_temp_remove(path);
}

static int run_all(const char *name) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter), cmocka_unit_test(test_make_and_erase),        cmocka_unit_test(test_blind_changes),
        cmocka_unit_test(test_one_key), cmocka_unit_test(test_lock_of_replaced_file), cmocka_unit_test(test_dead_process),
    };
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) {
    int failures = run_all("store_file.processes");
#if defined(SYS_renameat2)
    if (zt_forbid_call(SYS_renameat2, EINVAL)) return failures + run_all("store_file.processes, by hard links");
#endif
    print_message("renameat2 cannot be forbidden here: its replacement is not tested\n");
    return failures;
}
