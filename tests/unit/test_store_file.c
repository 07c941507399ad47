/* SPDX-License-Identifier: MIT */
/* The file store: the suite, and what only files have. All of it runs again without system calls that not all systems have.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "store/file_os.h"
#include "store_suite.h"
#include "zt_process.h"

/* ---- the fixture: a folder of its own, and no file handle left at the end */

typedef struct file_place {
    char path[ZT_PATH_MAX];
    zl_file_store_options options;
    int handles;
} file_place;

static int count_handles(void) {
    int count = 0;
    for (int i = 0; i < 1024; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

static zl_status open_file(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    file_place *place = fixture->user;
    zt_temp_make(place->path);
    place->handles = count_handles();
    return zl_store_file_new(self, place->path, &place->options, allocator, err);
}

static void discard_file(const store_fixture *fixture) {
    const file_place *place = fixture->user;
    assert_int_equal(count_handles(), place->handles);
    zt_temp_remove(place->path);
}

static file_place plain_place = {.options = ZL_FILE_STORE_OPTIONS_INIT};
static file_place following_place = {.options = {.size = sizeof(zl_file_store_options), .follow_symlinks = true}};
static const store_fixture plain = {"store_file.suite", &zl_store_file, open_file, discard_file, &plain_place};
static const store_fixture following = {"store_file.suite, links followed", &zl_store_file, open_file, discard_file,
                                        &following_place};

/* ---- the folder seen from outside */

#define OUTSIDE_PATH_MAX (2 * ZT_PATH_MAX)

static const char *path_of(const store_bench *bench, const char *key, char path[OUTSIDE_PATH_MAX]) {
    const file_place *place = bench->fixture->user;
    (void)snprintf(path, OUTSIDE_PATH_MAX, "%s/%s", place->path, key);
    return path;
}

static void make_folder(const store_bench *bench, const char *key) {
    char path[OUTSIDE_PATH_MAX];
    assert_int_equal(mkdir(path_of(bench, key, path), 0777), 0);
}

static void make_link(const store_bench *bench, const char *target, const char *key) {
    char path[OUTSIDE_PATH_MAX];
    assert_int_equal(symlink(target, path_of(bench, key, path)), 0);
}

static void make_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void expect_file(const char *path, const char *text) {
    char read[64];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(read, 1, sizeof read, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(read, text, size);
}

static mode_t mode_of(const store_bench *bench, const char *key) {
    char path[OUTSIDE_PATH_MAX];
    struct stat st;
    assert_int_equal(lstat(path_of(bench, key, path), &st), 0);
    return st.st_mode;
}

/* ---- every operation on a key */

static zl_status get_key(store_bench *bench, const char *key) {
    zl_request whole = {.length = ZL_TO_END};
    const zl_status status = bench->cls->get(bench->self, key, &whole, 1, NULL, NULL, &bench->call);
    zl_bytes_release(&whole.bytes);
    return status;
}

static zl_status set_key(store_bench *bench, const char *key) {
    const zl_span span = {(const uint8_t *)"new", 3};
    return bench->cls->set(bench->self, key, &span, 1, NULL, &bench->call);
}

static zl_status info_key(store_bench *bench, const char *key) {
    zl_object_info info;
    return bench->cls->info(bench->self, key, &info, &bench->call);
}

static zl_status erase_key(store_bench *bench, const char *key) {
    return bench->cls->erase(bench->self, key, NULL, &bench->call);
}

static zl_status put_key(store_bench *bench, const char *key) {
    zl_put *put;
    const zl_status status = bench->cls->put_begin(bench->self, key, &put, &bench->call);
    if (status == ZL_OK) bench->cls->put_abort(put);
    return status;
}

static void expect_refused(store_bench *bench, const char *key, zl_status status, const char *text) {
    zt_assert_fails(get_key(bench, key), &bench->err, status, text);
    zt_assert_fails(info_key(bench, key), &bench->err, status, text);
    zt_assert_fails(set_key(bench, key), &bench->err, status, text);
    zt_assert_fails(put_key(bench, key), &bench->err, status, text);
    zt_assert_fails(erase_key(bench, key), &bench->err, status, text);
}

/* ---- opening */

static void test_open_fails(void **state) {
    (void)state;
    char root[ZT_PATH_MAX], path[OUTSIDE_PATH_MAX];
    void *self;
    zl_error err;
    const zl_allocator *allocator = &zl_default_allocator;
    zt_temp_make(root);
    zt_assert_fails(zl_store_file_new(&self, "", NULL, allocator, &err), &err, ZL_ERR_INVALID_ARGUMENT, "empty");
    zt_assert_fails(zl_store_file_new(&self, NULL, NULL, allocator, &err), &err, ZL_ERR_INVALID_ARGUMENT, "empty");
    (void)snprintf(path, sizeof path, "%s/none", root);
    zt_assert_fails(zl_store_file_new(&self, path, NULL, allocator, &err), &err, ZL_ERR_NOT_FOUND, path);
    (void)snprintf(path, sizeof path, "%s/file", root);
    make_file(path, "x");
    zt_assert_fails(zl_store_file_new(&self, path, NULL, allocator, &err), &err, ZL_ERR_IO, "is not a directory");
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = true;
    zt_assert_fails(zl_store_file_new(&self, path, &options, allocator, &err), &err, ZL_ERR_IO, "is not a directory");
    (void)snprintf(path, sizeof path, "%s/file/below", root);
    zt_assert_fails(zl_store_file_new(&self, path, &options, allocator, &err), &err, ZL_ERR_IO, "is not a directory");
    (void)snprintf(path, sizeof path, "%s/none", root);
    options.read_only = true;
    zt_assert_fails(zl_store_file_new(&self, path, &options, allocator, &err), &err, ZL_ERR_NOT_FOUND, path);
    zt_temp_remove(root);
}

static void test_create(void **state) {
    (void)state;
    char root[ZT_PATH_MAX], path[OUTSIDE_PATH_MAX];
    zl_error err;
    zl_file_store_options options = ZL_FILE_STORE_OPTIONS_INIT;
    options.create = true;
    zt_temp_make(root);
    (void)snprintf(path, sizeof path, "%s/a//b/c/", root);
    for (int i = 0; i < 2; i++) { /* the second time it is there */
        void *self;
        zt_assert_ok(zl_store_file_new(&self, path, &options, &zl_default_allocator, &err), &err);
        zt_assert_ok(zl_store_file.close(self, &err), &err);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_true(S_ISDIR(st.st_mode));
    }
    zt_temp_remove(root);
}

/* The store stays on the folder it opened. */
static void test_root_replaced(void **state) {
    (void)state;
    store_bench bench;
    char moved[OUTSIDE_PATH_MAX];
    store_bench_open(&bench, &plain);
    (void)snprintf(moved, sizeof moved, "%s-moved", plain_place.path);
    store_bench_set(&bench, "a/key", "old root");
    assert_int_equal(rename(plain_place.path, moved), 0);
    assert_int_equal(mkdir(plain_place.path, 0777), 0);
    store_bench_expect(&bench, "a/key", "old root");
    store_bench_set(&bench, "b/key", "old root");
    char names[STORE_NAMES_MAX];
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "a/ b/ ");
    zt_temp_remove(moved);
    assert_int_equal(get_key(&bench, "a/key"), ZL_ERR_NOT_FOUND);
    zt_assert_fails(set_key(&bench, "a/key"), &bench.err, ZL_ERR_CONFLICT, "a/key");
    store_bench_close(&bench);
}

static void test_read_only(void **state) {
    (void)state;
    store_bench bench;
    char path[OUTSIDE_PATH_MAX];
    file_place place = {.options = {.size = sizeof(zl_file_store_options), .read_only = true}};
    const store_fixture fixture = {"read only", &zl_store_file, open_file, discard_file, &place};
    store_bench_open(&bench, &fixture);
    make_file(path_of(&bench, "key", path), "text");
    store_bench_expect(&bench, "key", "text");
    zt_assert_fails(set_key(&bench, "key"), &bench.err, ZL_ERR_READ_ONLY, "key");
    zt_assert_fails(set_key(&bench, "new/key"), &bench.err, ZL_ERR_READ_ONLY, "new/key");
    zt_assert_fails(put_key(&bench, "key"), &bench.err, ZL_ERR_READ_ONLY, "key");
    zt_assert_fails(erase_key(&bench, "key"), &bench.err, ZL_ERR_READ_ONLY, "key");
    zt_assert_fails(bench.cls->erase_prefix(bench.self, "", &bench.call), &bench.err, ZL_ERR_READ_ONLY, "all");
    char names[STORE_NAMES_MAX];
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "key ");
    store_bench_close(&bench);
}

/* ---- permissions and temporary files */

static void test_modes(void **state) {
    (void)state;
    store_bench bench;
    char path[OUTSIDE_PATH_MAX];
    const mode_t old = umask(027);
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, "a/b/key", "1");
    assert_int_equal(mode_of(&bench, "a") & 0777, 0750);
    assert_int_equal(mode_of(&bench, "a/b") & 0777, 0750);
    assert_int_equal(mode_of(&bench, "a/b/key") & 0777, 0640);
    static const mode_t modes[] = {0600, 0666, 0444};
    /* A mode that somebody chose stays, whether the set before found an object in its place or a free one. */
    static const char *const before[] = {"a/b/key", "a/b/new", "a/b/newer"};
    for (size_t i = 0; i < ZL_COUNT_OF(modes); i++) {
        store_bench_set(&bench, before[i], "2");
        assert_int_equal(chmod(path_of(&bench, "a/b/key", path), modes[i]), 0);
        store_bench_set(&bench, "a/b/key", "3");
        assert_int_equal(mode_of(&bench, "a/b/key") & 0777, modes[i]);
        store_bench_expect(&bench, "a/b/key", "3");
    }
    store_bench_close(&bench);
    umask(old);
}

typedef struct entry_count {
    int all;
    int temporary;
} entry_count;

static bool count_entry(void *user, const char *name, bool is_prefix) {
    (void)is_prefix;
    entry_count *count = user;
    count->all++;
    count->temporary += zl_fs_is_temporary(name);
    return true;
}

/* What really is in a folder. */
static entry_count entries_of(const store_bench *bench, const char *key) {
    const file_place *place = bench->fixture->user;
    entry_count count = {0};
    zl_fs fs;
    assert_int_equal(zl_fs_open(&fs, place->path, &place->options), 0);
    assert_int_equal(zl_fs_list(&fs, key, count_entry, &count), 0);
    zl_fs_close(&fs);
    return count;
}

static void test_temporary_files(void **state) {
    (void)state;
    store_bench bench;
    char path[OUTSIDE_PATH_MAX], names[STORE_NAMES_MAX];
    zl_put *put;
    assert_true(zl_fs_is_temporary(".zarrlite-0123456789abcdef.tmp"));
    assert_false(zl_fs_is_temporary(".zarrlite-x"));
    assert_false(zl_fs_is_temporary("x.tmp"));
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, "a/key", "text");
    zt_assert_ok(bench.cls->put_begin(bench.self, "a/key", &put, &bench.call), &bench.err);
    assert_int_equal(entries_of(&bench, "a").all, 2);
    assert_int_equal(entries_of(&bench, "a").temporary, 1);
    store_bench_names(&bench, "a", names);
    assert_string_equal(names, "key ");
    bench.cls->put_abort(put);
    assert_int_equal(entries_of(&bench, "a").all, 1);
    make_file(path_of(&bench, "a/.zarrlite-left.tmp", path), "by a process that was killed");
    store_bench_names(&bench, "a", names);
    assert_string_equal(names, "key ");
    store_bench_expect(&bench, "a/.zarrlite-left.tmp", "by a process that was killed");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "a", &bench.call), &bench.err);
    assert_int_equal(entries_of(&bench, "").all, 0);
    store_bench_close(&bench);
}

/* A place that was free when the writer looked. */
static void test_create_is_exclusive(void **state) {
    (void)state;
    store_bench bench;
    zl_fs fs;
    zl_fs_place place;
    zl_fs_lock lock;
    zl_fs_temporary temporary;
    store_bench_open(&bench, &plain);
    assert_int_equal(zl_fs_open(&fs, plain_place.path, &plain_place.options), 0);
    assert_int_equal(zl_fs_find(&fs, "key", false, &place), 0);
    assert_int_equal(zl_fs_lock_take(&fs, &place, &lock), ENOENT);
    assert_int_equal(zl_fs_temporary_new(&fs, &place, NULL, &temporary), 0);
    assert_int_equal(zl_fs_temporary_finish(&fs, &temporary), 0);
    store_bench_set(&bench, "key", "faster");
    assert_int_equal(zl_fs_temporary_create(&fs, &place, &temporary), EEXIST);
    store_bench_expect(&bench, "key", "faster");
    zt_assert_ok(erase_key(&bench, "key"), &bench.err);
    assert_int_equal(zl_fs_temporary_create(&fs, &place, &temporary), 0);
    store_bench_expect(&bench, "key", "");
    assert_int_equal(entries_of(&bench, "").all, 1);
    zl_fs_leave(&fs, &place);
    zl_fs_close(&fs);
    store_bench_close(&bench);
}

/* A disk that is full, in the form of a limit on the size of files. */
static void test_write_fails(void **state) {
    (void)state;
    store_bench bench;
    struct rlimit limit;
    static uint8_t large[100000];
    const zl_span spans[] = {{large, 10}, {large, sizeof large}};
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, "a/key", "old");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {4096, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const zl_status set = bench.cls->set(bench.self, "a/key", spans, 2, NULL, &bench.call);
    const zl_error set_err = bench.err;
    zl_put *put;
    const zl_status begun = bench.cls->put_begin(bench.self, "a/put", &put, &bench.call);
    const zl_status appended = begun == ZL_OK ? bench.cls->put_append(put, spans, 2, &bench.call) : ZL_OK;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    (void)signal(SIGXFSZ, handler);
    zt_assert_fails(set, &set_err, ZL_ERR_IO, "a/key");
    assert_int_equal(set_err.os_code, EFBIG);
    zt_assert_ok(begun, &bench.err);
    zt_assert_fails(appended, &bench.err, ZL_ERR_IO, "a/put");
    bench.cls->put_abort(put);
    store_bench_expect(&bench, "a/key", "old");
    assert_int_equal(entries_of(&bench, "a").all, 1);
    store_bench_close(&bench);
}

/* The folder goes away between the pieces: an error, and nothing written elsewhere. */
static void test_folder_removed_under_put(void **state) {
    (void)state;
    store_bench bench;
    zl_put *put;
    store_bench_open(&bench, &plain);
    zt_assert_ok(bench.cls->put_begin(bench.self, "a/b/key", &put, &bench.call), &bench.err);
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "a", &bench.call), &bench.err);
    zt_assert_fails(bench.cls->put_commit(put, NULL, &bench.call), &bench.err, ZL_ERR_CONFLICT, "a/b/key");
    assert_int_equal(entries_of(&bench, "").all, 0);
    store_bench_close(&bench);
}

/* ---- links */

/* Beside the root: "<root>-outside" with a file in it. */
static void make_outside(const store_bench *bench, char path[OUTSIDE_PATH_MAX]) {
    const file_place *place = bench->fixture->user;
    char file[OUTSIDE_PATH_MAX + 8];
    (void)snprintf(path, OUTSIDE_PATH_MAX, "%s-outside", place->path);
    assert_int_equal(mkdir(path, 0777), 0);
    (void)snprintf(file, sizeof file, "%s/file", path);
    make_file(file, "outside");
    make_link(bench, path, "folder");
    make_link(bench, file, "file");
    make_link(bench, "nowhere", "dangling");
    make_link(bench, "loop", "loop");
    make_link(bench, "/dev/zero", "zero");
    store_bench_set((store_bench *)(uintptr_t)bench, "real/key", "inside");
    make_link(bench, "real", "inner");
    make_link(bench, "key", "real/same");
}

static void remove_outside(const char *path) {
    char file[OUTSIDE_PATH_MAX + 8];
    (void)snprintf(file, sizeof file, "%s/file", path);
    expect_file(file, "outside");
    zt_temp_remove(path);
}

static void test_links_refused(void **state) {
    (void)state;
    store_bench bench;
    char outside[OUTSIDE_PATH_MAX], names[STORE_NAMES_MAX];
    store_bench_open(&bench, &plain);
    make_outside(&bench, outside);
    static const char *const keys[] = {"file",       "folder", "dangling",  "loop",         "zero",      "folder/file",
                                       "folder/new", "loop/x", "inner/key", "folder/a/b/c", "real/same", "dangling/x"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++)
        expect_refused(&bench, keys[i], ZL_ERR_IO, "link");
    zt_assert_fails(bench.cls->list(bench.self, "folder", count_entry, NULL, &bench.call), &bench.err, ZL_ERR_IO, "link");
    zt_assert_fails(bench.cls->list(bench.self, "inner", count_entry, NULL, &bench.call), &bench.err, ZL_ERR_IO, "link");
    zt_assert_fails(bench.cls->erase_prefix(bench.self, "folder/x", &bench.call), &bench.err, ZL_ERR_IO, "link");
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "real/ ");
    store_bench_names(&bench, "real", names);
    assert_string_equal(names, "key ");
    store_bench_expect(&bench, "real/key", "inside");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "folder", &bench.call), &bench.err); /* the link itself */
    assert_int_equal(get_key(&bench, "folder/file"), ZL_ERR_NOT_FOUND);
    remove_outside(outside);
    store_bench_close(&bench);
}

static void test_links_followed(void **state) {
    (void)state;
    store_bench bench;
    char outside[OUTSIDE_PATH_MAX], path[OUTSIDE_PATH_MAX + 16], names[STORE_NAMES_MAX];
    store_bench_open(&bench, &following);
    make_outside(&bench, outside);
    store_bench_expect(&bench, "file", "outside");
    store_bench_expect(&bench, "folder/file", "outside");
    store_bench_expect(&bench, "inner/same", "inside");
    assert_int_equal(get_key(&bench, "dangling"), ZL_ERR_NOT_FOUND);
    assert_int_equal(info_key(&bench, "dangling/x"), ZL_ERR_NOT_FOUND);
    zt_assert_fails(set_key(&bench, "dangling/x"), &bench.err, ZL_ERR_IO, "dangling/x");
    zt_assert_fails(get_key(&bench, "loop"), &bench.err, ZL_ERR_IO, "loop");
    zt_assert_fails(get_key(&bench, "zero"), &bench.err, ZL_ERR_IO, "neither");
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "file folder/ inner/ real/ ");
    store_bench_set(&bench, "folder/new", "written outside");
    (void)snprintf(path, sizeof path, "%s/new", outside);
    expect_file(path, "written outside");
    store_bench_set(&bench, "file", "a file in place of the link");
    assert_true(S_ISREG(mode_of(&bench, "file")));
    store_bench_set(&bench, "dangling", "a file in place of the link");
    store_bench_expect(&bench, "dangling", "a file in place of the link");
    zt_assert_ok(erase_key(&bench, "real/same"), &bench.err);
    store_bench_expect(&bench, "real/key", "inside");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "folder", &bench.call), &bench.err);
    remove_outside(outside);
    store_bench_close(&bench);
}

/* Links are removed, what they lead to is not. */
static void test_links_removed(void **state) {
    (void)state;
    const store_fixture *const fixtures[] = {&plain, &following};
    for (size_t i = 0; i < ZL_COUNT_OF(fixtures); i++) {
        store_bench bench;
        char outside[OUTSIDE_PATH_MAX];
        store_bench_open(&bench, fixtures[i]);
        make_outside(&bench, outside);
        zt_assert_ok(bench.cls->erase_prefix(bench.self, "", &bench.call), &bench.err);
        remove_outside(outside);
        store_bench_close(&bench);
    }
}

/* ---- what is no file */

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    const int socket_handle = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(socket_handle, (const struct sockaddr *)&address, sizeof address), 0);
    close(socket_handle);
}

static void test_kinds(void **state) {
    (void)state;
    store_bench bench;
    char path[OUTSIDE_PATH_MAX], names[STORE_NAMES_MAX];
    store_bench_open(&bench, &plain);
    make_folder(&bench, "c");
    make_folder(&bench, "c/0");
    assert_int_equal(mkfifo(path_of(&bench, "c/pipe", path), 0666), 0);
    make_socket(path_of(&bench, "c/socket", path));
    expect_refused(&bench, "c/0", ZL_ERR_IO, "c/0 is a directory, not an object");
    expect_refused(&bench, "c", ZL_ERR_IO, "c is a directory, not an object");
    expect_refused(&bench, "c/pipe", ZL_ERR_IO, "c/pipe is neither");
    expect_refused(&bench, "c/socket", ZL_ERR_IO, "c/socket");
    assert_int_equal(entries_of(&bench, "c").temporary, 0);
    store_bench_names(&bench, "c", names);
    assert_string_equal(names, "0/ ");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "c", &bench.call), &bench.err);
    store_bench_close(&bench);
}

static void test_file_as_folder(void **state) {
    (void)state;
    store_bench bench;
    char names[STORE_NAMES_MAX];
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, "file", "text");
    static const char *const keys[] = {"file/x", "file/x/y"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++) {
        assert_int_equal(get_key(&bench, keys[i]), ZL_ERR_NOT_FOUND);
        assert_int_equal(info_key(&bench, keys[i]), ZL_ERR_NOT_FOUND);
        assert_int_equal(erase_key(&bench, keys[i]), ZL_ERR_NOT_FOUND);
        zt_assert_fails(set_key(&bench, keys[i]), &bench.err, ZL_ERR_IO, keys[i]);
        zt_assert_fails(put_key(&bench, keys[i]), &bench.err, ZL_ERR_IO, keys[i]);
        zt_assert_ok(bench.cls->erase_prefix(bench.self, keys[i], &bench.call), &bench.err);
    }
    store_bench_names(&bench, "file", names);
    assert_string_equal(names, "");
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "file", &bench.call), &bench.err);
    store_bench_expect(&bench, "file", "text");
    store_bench_close(&bench);
}

/* ---- names and depth */

static void test_names(void **state) {
    (void)state;
    store_bench bench;
    char path[OUTSIDE_PATH_MAX], names[STORE_NAMES_MAX];
    store_bench_open(&bench, &plain);
    make_file(path_of(&bench, "no-utf8-\xff\xfe", path), "x");
    store_bench_set(&bench, "\xc3\xa9", "x");
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "\xc3\xa9 ");

    static char key[10000];
    memset(key, 'n', 256); /* one byte more than file systems take */
    expect_refused(&bench, key, ZL_ERR_IO, "nnn");
    assert_int_equal(bench.err.os_code, ENAMETOOLONG);
    for (size_t i = 0; i < sizeof key - 1; i++)
        key[i] = i % 2 ? '/' : 'n';
    key[sizeof key - 2] = 'n';
    expect_refused(&bench, key, ZL_ERR_IO, "n/n/n");
    assert_int_equal(bench.err.os_code, ENAMETOOLONG);
    store_bench_close(&bench);
}

/* Far deeper than folders are open at a time, and than a path of the system. */
static void make_deep_folder(const store_bench *bench, int levels) {
    const file_place *place = bench->fixture->user;
    int folder = open(place->path, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; i++) {
        const int outer = folder;
        assert_int_equal(mkdirat(outer, "deep", 0777), 0);
        if (i % 50 == 49) assert_int_equal(mkdirat(outer, "beside", 0777), 0);
        folder = openat(outer, "deep", O_RDONLY | O_DIRECTORY);
        assert_true(folder >= 0);
        close(outer);
    }
    close(folder);
}

static void test_deep_folders(void **state) {
    (void)state;
    store_bench bench;
    char key[2 * 300 + 1];
    for (size_t i = 0; i < sizeof key - 1; i++)
        key[i] = i % 2 ? '/' : 'd';
    key[sizeof key - 2] = '\0';
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, key, "deep");
    store_bench_expect(&bench, key, "deep");
    key[2 * 250 - 1] = '\0';
    zt_assert_ok(bench.cls->erase_prefix(bench.self, key, &bench.call), &bench.err);
    key[2 * 249 - 1] = '\0';
    assert_int_equal(entries_of(&bench, key).all, 0);
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "d", &bench.call), &bench.err);
    assert_int_equal(entries_of(&bench, "").all, 0);
    make_deep_folder(&bench, 3000);
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "deep", &bench.call), &bench.err);
    assert_int_equal(entries_of(&bench, "").all, 0);
    make_deep_folder(&bench, 1000);
    zt_assert_ok(bench.cls->erase_prefix(bench.self, "", &bench.call), &bench.err);
    assert_int_equal(entries_of(&bench, "").all, 0);
    store_bench_close(&bench);
}

/* ---- reading */

static void test_read_stops_at_end(void **state) {
    (void)state;
    store_bench bench;
    zl_fs fs;
    zl_fs_stat stat;
    int file;
    char into[8];
    size_t done;
    store_bench_open(&bench, &plain);
    store_bench_set(&bench, "key", "01234");
    assert_int_equal(zl_fs_open(&fs, plain_place.path, &plain_place.options), 0);
    assert_int_equal(zl_fs_open_file(&fs, "key", &file, &stat), 0);
    assert_int_equal(zl_fs_read(file, into, sizeof into, 2, &done), 0);
    assert_int_equal(done, 3);
    assert_memory_equal(into, "234", 3);
    zl_fs_close_file(file);
    zl_fs_close(&fs);
    store_bench_close(&bench);
}

/* Nothing that a store opens is handed to a program that is started. */
static void test_close_on_exec(void **state) {
    (void)state;
    store_bench bench;
    zl_put *put;
    store_bench_open(&bench, &plain);
    zt_assert_ok(bench.cls->put_begin(bench.self, "a/key", &put, &bench.call), &bench.err);
    int kept = 0;
    for (int i = 3; i < 1024; i++) {
        struct stat st;
        const int flags = fcntl(i, F_GETFD);
        if (flags < 0 || (flags & FD_CLOEXEC) != 0 || fstat(i, &st) != 0) continue;
        kept += S_ISDIR(st.st_mode);
    }
    assert_int_equal(kept, 0);
    bench.cls->put_abort(put);
    store_bench_close(&bench);
}

/* ---- on other systems */

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_fails),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_root_replaced),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_temporary_files),
        cmocka_unit_test(test_create_is_exclusive),
        cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_folder_removed_under_put),
        cmocka_unit_test(test_links_refused),
        cmocka_unit_test(test_links_followed),
        cmocka_unit_test(test_links_removed),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_file_as_folder),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_deep_folders),
        cmocka_unit_test(test_read_stops_at_end),
        cmocka_unit_test(test_close_on_exec),
    };
    return store_suite_run(&plain) + cmocka_run_group_tests_name("store_file", tests, NULL, NULL);
}

static bool forbid(const char *name, long number, int code) {
    if (zt_forbid_call(number, code)) return true;
    print_message("%s cannot be forbidden here: what replaces it is not tested\n", name);
    return false;
}

int main(void) {
    int failures = run_all() + store_suite_run(&following);
#if defined(SYS_openat2)
    if (forbid("openat2", SYS_openat2, ENOSYS)) failures += run_all();
#endif
#if defined(SYS_renameat2)
    if (forbid("renameat2", SYS_renameat2, EINVAL)) failures += run_all() + store_suite_run(&following);
#endif
#if defined(SYS_flock)
    if (forbid("flock", SYS_flock, EBADF)) failures += run_all();
#endif
    return failures;
}
