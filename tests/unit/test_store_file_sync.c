/* SPDX-License-Identifier: MIT */
/* The file store's option `sync`. This program has an fsync of its own, which takes down what is synced and may fail. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "zt.h"

/* 'f' for a file, 'd' for a folder. */
static char synced[64];
static size_t synced_count;
static int fail_code;

int fsync(int file) {
    struct stat st;
    if (fail_code != 0 || fstat(file, &st) != 0) {
        errno = fail_code;
        return -1;
    }
    if (synced_count + 1 < sizeof synced) synced[synced_count++] = S_ISDIR(st.st_mode) ? 'd' : 'f';
    return 0;
}

/* What was synced since the last call. */
#define expect_synced(expected)                  \
    do {                                         \
        synced[synced_count] = '\0';             \
        synced_count = 0;                        \
        assert_string_equal(synced, (expected)); \
    } while (0)

typedef struct bench {
    char folder[ZT_PATH_MAX];
    void *self;
    zl_error err;
    zl_store_call call;
} bench;

static void open_store(bench *b, const char *below, bool sync) {
    char path[ZT_PATH_MAX + 16];
    const zl_file_store_options options = {.size = sizeof options, .create = true, .sync = sync};
    b->call = (zl_store_call){.size = sizeof b->call, .allocator = &zl_default_allocator, .err = &b->err};
    zt_temp_make(b->folder);
    (void)snprintf(path, sizeof path, "%s%s", b->folder, below);
    zt_assert_ok(zl_store_file_new(&b->self, path, &options, b->call.allocator, &b->err), &b->err);
}

static void close_store(bench *b) {
    zt_assert_ok(zl_store_file.close(b->self, &b->err), &b->err);
    zt_temp_remove(b->folder);
}

static zl_status set_text(bench *b, const char *key, const char *text) {
    const zl_span span = {(const uint8_t *)text, strlen(text)};
    return zl_store_file.set(b->self, key, &span, 1, NULL, &b->call);
}

static void expect_text(bench *b, const char *key, const char *text) {
    zl_request request = {.length = ZL_TO_END};
    zt_assert_ok(zl_store_file.get(b->self, key, &request, 1, NULL, NULL, &b->call), &b->err);
    assert_int_equal(request.bytes.size, strlen(text));
    assert_memory_equal(request.bytes.data, text, strlen(text));
    zl_bytes_release(&request.bytes);
}

static void put_text(bench *b, const char *key, const char *text) {
    const zl_span span = {(const uint8_t *)text, strlen(text)};
    zl_put *put;
    zt_assert_ok(zl_store_file.put_begin(b->self, key, &put, &b->call), &b->err);
    zt_assert_ok(zl_store_file.put_append(put, &span, 1, &b->call), &b->err);
    zt_assert_ok(zl_store_file.put_commit(put, NULL, &b->call), &b->err);
}

static void test_changes(void **state) {
    bench b;
    (void)state;
    open_store(&b, "", true);
    expect_synced("");
    zt_assert_ok(set_text(&b, "a/b/key", "1"), &b.err);
    expect_synced("ddfd"); /* two folders in the ones above them, the file, its name */
    zt_assert_ok(set_text(&b, "a/b/key", "2"), &b.err);
    expect_synced("fd");
    put_text(&b, "key", "3");
    expect_synced("fd");
    expect_text(&b, "a/b/key", "2");
    expect_synced("");
    zt_assert_ok(zl_store_file.erase(b.self, "a/b/key", NULL, &b.call), &b.err);
    expect_synced("d");
    zt_assert_ok(zl_store_file.erase_prefix(b.self, "a", &b.call), &b.err);
    expect_synced("d");
    zt_assert_ok(zl_store_file.erase_prefix(b.self, "", &b.call), &b.err);
    expect_synced("d");
    close_store(&b);
}

static void test_made_root(void **state) {
    bench b;
    (void)state;
    open_store(&b, "/x/y", true);
    expect_synced("dd");
    close_store(&b);
}

static void test_off(void **state) {
    bench b;
    (void)state;
    open_store(&b, "/x/y", false);
    zt_assert_ok(set_text(&b, "a/key", "1"), &b.err);
    zt_assert_ok(zl_store_file.erase(b.self, "a/key", NULL, &b.call), &b.err);
    zt_assert_ok(zl_store_file.erase_prefix(b.self, "a", &b.call), &b.err);
    expect_synced("");
    close_store(&b);
}

/* The old object stays where the new one does not reach the disk. */
static void test_fails(void **state) {
    bench b;
    (void)state;
    open_store(&b, "", true);
    zt_assert_ok(set_text(&b, "key", "old"), &b.err);
    fail_code = EIO;
    const zl_status status = set_text(&b, "key", "new");
    fail_code = 0;
    zt_assert_fails(status, &b.err, ZL_ERR_IO, "key");
    assert_int_equal(b.err.os_code, EIO);
    expect_text(&b, "key", "old");
    expect_synced("fd");
    close_store(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_made_root),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_fails),
    };
    return cmocka_run_group_tests_name("store_file.sync", tests, NULL, NULL);
}
