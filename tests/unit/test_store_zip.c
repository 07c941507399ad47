/* SPDX-License-Identifier: MIT */
/* ctest label: threads */
/* The ZIP store: the suite for archives that are made, what is read of others' archives, and damaged ones. */
#include "store_suite.h"

#if ZL_HAVE_ZIP

#include <time.h>
#include <unistd.h>

#include "base/thread.h"

#include "store/zip_format.h"

/* ---- an archive that is made is a store like others */

static char folder[ZT_PATH_MAX];
static char archive[ZT_PATH_MAX + 8];

static zl_status open_new(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    (void)fixture;
    const zl_store_class *cls;
    (void)unlink(archive);
    return zl_store_zip_new(self, &cls, archive, true, allocator, err);
}

static const store_fixture new_fixture = {.name = "store_zip.suite", .cls = &zl_store_zip_writing, .open = open_new};

/* ---- archives by hand */

typedef struct builder {
    zl_sink file;
    zl_sink directory;
    uint64_t count;
} builder;

static void append(zl_sink *sink, const void *data, size_t size) {
    zt_assert_ok(zl_sink_append(sink, data, size, NULL), NULL);
}

static builder builder_new(void) {
    return (builder){.file = {.max = SIZE_MAX, .allocator = &zl_default_allocator},
                     .directory = {.max = SIZE_MAX, .allocator = &zl_default_allocator}};
}

static void add_entry(builder *b, const char *name, zl_zip_entry entry, const void *data) {
    uint8_t header[ZL_ZIP_LOCAL_MAX];
    size_t fixed;
    entry.header = b->file.size;
    const size_t size = zl_zip_write_local(header, &entry, strlen(name), &fixed);
    append(&b->file, header, fixed);
    append(&b->file, name, strlen(name));
    append(&b->file, header + fixed, size - fixed);
    append(&b->file, data, (size_t)entry.stored);
    zt_assert_ok(zl_zip_append_entry(&b->directory, &entry, name, strlen(name), NULL), NULL);
    b->count++;
}

static void add(builder *b, const char *name, const char *text) {
    const size_t size = strlen(text);
    add_entry(b, name, (zl_zip_entry){.stored = size, .size = size, .crc = zl_zip_crc32(0, text, size)}, text);
}

/* "abc" twenty times. */
static const char deflated[] = "KLJN$\x17\x01\x00";
static zl_zip_entry deflated_entry(void) {
    char text[61];
    for (int i = 0; i < 20; i++)
        memcpy(text + 3 * i, "abc", 4);
    return (zl_zip_entry){
        .stored = sizeof deflated - 1, .size = 60, .crc = zl_zip_crc32(0, text, 60), .method = ZL_ZIP_DEFLATED};
}

static void save(const void *data, size_t size) {
    FILE *file = fopen(archive, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Directory, end and file; the builder ends. */
static void finish(builder *b) {
    const uint64_t offset = b->file.size;
    append(&b->file, b->directory.data, b->directory.size);
    zt_assert_ok(zl_zip_append_end(&b->file, b->count, offset, b->directory.size, NULL), NULL);
    save(b->file.data, b->file.size);
    zl_sink_free(&b->file);
    zl_sink_free(&b->directory);
}

/* ---- an opened archive */

static zl_status open_archive(const store_fixture *fixture, void **self, const zl_allocator *allocator, zl_error *err) {
    const zl_store_class *cls = NULL;
    ZL_TRY(zl_store_zip_new(self, &cls, archive, false, allocator, err));
    const bool ranges = (cls->caps & ZL_STORE_RANGE) != 0;
    assert_ptr_equal(cls, fixture->cls);
    assert_int_equal(ranges, cls == &zl_store_zip);
    return ZL_OK;
}

static const store_fixture open_fixture = {.name = "store_zip.open", .cls = &zl_store_zip, .open = open_archive};

static void check_open_fails(zl_status status, const char *words) {
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    zl_error err = {0};
    void *self;
    const zl_store_class *cls;
    zt_assert_fails(zl_store_zip_new(&self, &cls, archive, false, &allocator, &err), &err, status, words);
    zt_assert_no_leak(&memory);
}

static void test_made_archives_are_read(void **state) {
    (void)state;
    store_bench bench;
    char names[STORE_NAMES_MAX];
    (void)unlink(archive);
    store_bench_open(&bench, &new_fixture);
    store_bench_set(&bench, "zarr.json", "old");
    store_bench_set(&bench, "a/b/c", "0123456789");
    store_bench_set(&bench, "gone", "x");
    store_bench_set(&bench, "zarr.json", "new");
    store_bench_set(&bench, "empty", "");
    zt_assert_ok(bench.cls->erase(bench.self, "gone", NULL, &bench.call), &bench.err);
    assert_int_not_equal(access(archive, F_OK), 0);
    store_bench_close(&bench);
    store_bench_open(&bench, &open_fixture);
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "a/ empty zarr.json ");
    store_bench_expect(&bench, "zarr.json", "new");
    store_bench_expect(&bench, "empty", "");
    zl_request requests[] = {{.offset = 2, .length = 3}, {.offset = 4, .suffix = true, .length = ZL_TO_END}};
    zt_assert_ok(bench.cls->get(bench.self, "a/b/c", requests, 2, NULL, NULL, &bench.call), &bench.err);
    assert_memory_equal(requests[0].bytes.data, "234", 3);
    assert_memory_equal(requests[1].bytes.data, "6789", 4);
    zl_bytes_release(&requests[0].bytes);
    zl_bytes_release(&requests[1].bytes);
    assert_null(bench.cls->set);
    store_bench_close(&bench);
}

static void append_text(store_bench *bench, zl_put *put, const char *text, size_t size) {
    const zl_span span = {(const uint8_t *)text, size};
    zt_assert_ok(bench->cls->put_append(put, &span, 1, &bench->call), &bench->err);
}

/* Several at a time, with other objects between them, one of which is given up. */
static void test_puts_move(void **state) {
    (void)state;
    enum { PIECE = 100000, ROUNDS = 30, PUTS = 3 };
    static char text[PIECE * ROUNDS + 1];
    static const char *const keys[PUTS] = {"a/0", "a/1", "a/2"};
    zt_random random = zt_random_seed(3);
    store_bench bench;
    zl_put *puts[PUTS];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('a' + zt_random_below(&random, 26));
    (void)unlink(archive);
    store_bench_open(&bench, &new_fixture);
    store_bench_set(&bench, "first", "1");
    for (int i = 0; i < PUTS; i++)
        zt_assert_ok(bench.cls->put_begin(bench.self, keys[i], &puts[i], &bench.call), &bench.err);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < PUTS; i++)
            append_text(&bench, puts[i], text + round * PIECE, PIECE - i);
        store_bench_set(&bench, "between", "2");
    }
    bench.cls->put_abort(puts[1]);
    zt_assert_ok(bench.cls->put_commit(puts[0], NULL, &bench.call), &bench.err);
    zt_assert_ok(bench.cls->put_commit(puts[2], NULL, &bench.call), &bench.err);
    store_bench_expect(&bench, "a/0", text);
    store_bench_close(&bench);
    store_bench_open(&bench, &open_fixture);
    char names[STORE_NAMES_MAX];
    store_bench_names(&bench, "a", names);
    assert_string_equal(names, "0 2 ");
    store_bench_expect(&bench, "a/0", text);
    for (size_t round = 0; round < ROUNDS; round++)
        memmove(text + round * (PIECE - 2), text + round * PIECE, PIECE - 2);
    text[ROUNDS * (PIECE - 2)] = '\0';
    store_bench_expect(&bench, "a/2", text);
    store_bench_expect(&bench, "between", "2");
    store_bench_close(&bench);
}

/* One put at a time wastes nothing. */
static void test_a_put_grows_at_the_end(void **state) {
    (void)state;
    enum { PIECE = 5000, ROUNDS = 20 };
    static char text[PIECE];
    store_bench bench;
    zl_put *put;
    uint8_t header[ZL_ZIP_LOCAL_MAX];
    memset(text, 'x', sizeof text);
    (void)unlink(archive);
    store_bench_open(&bench, &new_fixture);
    store_bench_set(&bench, "first", "1");
    zt_assert_ok(bench.cls->put_begin(bench.self, "key", &put, &bench.call), &bench.err);
    for (int i = 0; i < ROUNDS; i++)
        append_text(&bench, put, text, sizeof text);
    zt_assert_ok(bench.cls->put_commit(put, NULL, &bench.call), &bench.err);
    store_bench_set(&bench, "last", "2");
    store_bench_close(&bench);
    FILE *file = fopen(archive, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(ftell(file), (30 + 5 + 1) + (50 + 3 + PIECE * ROUNDS) + (30 + 4 + 1) + 3 * 46 + 5 + 3 + 4 + 22);
    assert_int_equal(fseek(file, 30 + 5 + 1, SEEK_SET), 0);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(header, "PK\3\4\x2d", 5);
    assert_memory_equal(header + 18, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* sizes are in the 64-bit field */
}

static zl_status two_puts(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_error err;
    void *self;
    const zl_span span = {(const uint8_t *)"0123456789", 10};
    const zl_store_call call = {.size = sizeof call, .allocator = allocator, .err = &err};
    const zl_store_class *cls = &zl_store_zip_writing;
    zl_put *first = NULL, *second = NULL;
    ZL_TRY(open_new(NULL, &self, allocator, &err));
    zl_status status = cls->put_begin(self, "a", &first, &call);
    if (status == ZL_OK) status = cls->put_append(first, &span, 1, &call);
    if (status == ZL_OK) status = cls->put_begin(self, "b", &second, &call);
    for (int i = 0; i < 100 && status == ZL_OK; i++)
        status = cls->put_append(first, &span, 1, &call);
    if (status == ZL_OK)
        status = cls->put_commit(first, NULL, &call);
    else if (first)
        cls->put_abort(first);
    if (second) cls->put_abort(second);
    const zl_status closed = cls->close(self, &err);
    return status == ZL_OK ? closed : status;
}

static void test_puts_out_of_memory(void **state) {
    (void)state;
    zt_run_out_of_memory(two_puts, NULL);
}

static void test_names_are_not_taken_twice(void **state) {
    (void)state;
    zl_error err = {0};
    void *self;
    const zl_store_class *cls;
    builder b = builder_new();
    finish(&b);
    zt_assert_fails(zl_store_zip_new(&self, &cls, archive, true, &zl_default_allocator, &err), &err, ZL_ERR_EXISTS,
                    archive);
    (void)unlink(archive);
    zt_assert_ok(zl_store_zip_new(&self, &cls, archive, true, &zl_default_allocator, &err), &err);
    void *second;
    zt_assert_fails(zl_store_zip_new(&second, &cls, archive, true, &zl_default_allocator, &err), &err, ZL_ERR_EXISTS,
                    ".partial");
    save("x", 1); /* somebody else was faster */
    zt_assert_fails(cls->close(self, &err), &err, ZL_ERR_IO, "cannot complete");
    check_open_fails(ZL_ERR_CORRUPT, "not a ZIP archive");
    (void)unlink(archive);
    check_open_fails(ZL_ERR_NOT_FOUND, "cannot open the archive");
}

static void test_other_archives(void **state) {
    (void)state;
    builder b = builder_new();
    store_bench bench;
    char names[STORE_NAMES_MAX];
    append(&b.file, "#!/bin/sh in front of it\n", 25);
    add(&b, "twice", "old");
    add(&b, "folder/", "");
    add(&b, "./folder//name", "plain");
    add(&b, "../evil", "x");
    add(&b, "a/../../evil", "x");
    add(&b, "/absolute", "x");
    add(&b, "..", "x");
    add(&b, "\xff", "x");
    b.directory.data[b.directory.size - 47 + 9] = 0; /* flags: of no known encoding */
    add(&b, "twice", "new");
    add_entry(&b, "deflated", deflated_entry(), deflated);
    const uint64_t offset = b.file.size;
    append(&b.file, b.directory.data, b.directory.size);
    zt_assert_ok(zl_zip_append_end(&b.file, b.count, offset, b.directory.size, NULL), NULL);
    b.file.data[b.file.size - 2] = 7;
    append(&b.file, "comment", 7);
    save(b.file.data, b.file.size);
    store_bench_open(&bench, &open_fixture);
    store_bench_names(&bench, "", names);
    assert_string_equal(names, "deflated folder/ twice ");
    store_bench_expect(&bench, "twice", "new");
    store_bench_expect(&bench, "folder/name", "plain");
    store_bench_close(&bench);
    zl_sink_free(&b.file);
    zl_sink_free(&b.directory);
}

static void test_deflated_objects(void **state) {
    (void)state;
    builder b = builder_new();
    store_bench bench;
    add_entry(&b, "d", deflated_entry(), deflated);
    finish(&b);
    store_bench_open(&bench, &open_fixture);
    char into[60];
    zl_request requests[] = {{.length = ZL_TO_END, .into = into, .cap = sizeof into}, {.offset = 4, .length = 5}};
    zt_assert_ok(bench.cls->get(bench.self, "d", requests, 1, NULL, NULL, &bench.call), &bench.err);
    assert_memory_equal(into, "abcabc", 6);
    zt_assert_ok(bench.cls->get(bench.self, "d", requests, 2, NULL, NULL, &bench.call), &bench.err);
    assert_memory_equal(requests[1].bytes.data, "bcabc", 5);
    zl_bytes_release(&requests[1].bytes);
    requests[0] = (zl_request){.length = ZL_TO_END, .cap = 59};
    zt_assert_fails(bench.cls->get(bench.self, "d", requests, 1, NULL, NULL, &bench.call), &bench.err, ZL_ERR_LIMIT,
                    "60 bytes");
    store_bench_close(&bench);
}

static void check_get_fails(zl_status status, const char *words) {
    store_bench bench;
    zl_request request = {.length = ZL_TO_END};
    store_bench_open(&bench, &open_fixture);
    zt_assert_fails(bench.cls->get(bench.self, "k", &request, 1, NULL, NULL, &bench.call), &bench.err, status, words);
    store_bench_close(&bench);
}

static void test_damaged_entries(void **state) {
    (void)state;
    const zl_zip_entry good = {.stored = 4, .size = 4, .crc = zl_zip_crc32(0, "data", 4)};
    static const struct {
        zl_status status;
        const char *words;
    } expected[] = {{ZL_ERR_CORRUPT, "k: CRC error"},
                    {ZL_ERR_CORRUPT, "4 bytes of an archive cannot hold 5"},
                    {ZL_ERR_CORRUPT, "cannot hold 209715200"},
                    {ZL_ERR_UNSUPPORTED, "compression method 12"},
                    {ZL_ERR_CORRUPT, "k: "},
                    {ZL_ERR_CORRUPT, "k: "}};
    for (size_t i = 0; i < ZL_COUNT_OF(expected); i++) {
        zl_zip_entry entry = good;
        if (i == 0) entry.crc++;
        if (i == 1) entry.size = 5;
        if (i == 2) entry.size = 209715200;
        if (i == 3) entry.method = 12;
        builder b = builder_new();
        add_entry(&b, "k", entry, "data");
        if (i == 4) b.file.data[26]++;           /* length of the name: the data begin elsewhere */
        if (i == 5) b.directory.data[45] = 0x7f; /* highest byte of where it is */
        finish(&b);
        check_get_fails(expected[i].status, expected[i].words);
    }
}

static void test_sizes_that_lie(void **state) {
    (void)state;
    for (int more = -1; more <= 1; more += 2) {
        zl_zip_entry entry = deflated_entry();
        entry.size = (uint64_t)(60 + more);
        builder b = builder_new();
        add_entry(&b, "k", entry, deflated);
        finish(&b);
        check_get_fails(ZL_ERR_CORRUPT, more < 0 ? "do not end after the 59 bytes" : "k: ");
    }
    builder b = builder_new();
    add_entry(&b, "k", deflated_entry(), deflated);
    b.directory.data[23] = 0x10; /* highest byte of the stored size: no memory is taken for what that might inflate to */
    finish(&b);
    check_get_fails(ZL_ERR_CORRUPT, "bytes are not in an archive of");
}

static void test_encrypted_entries(void **state) {
    (void)state;
    builder b = builder_new();
    add(&b, "k", "data");
    b.file.data[6] |= 1;
    b.directory.data[8] |= 1;
    finish(&b);
    check_get_fails(ZL_ERR_UNSUPPORTED, "k: encrypted");
}

/* ---- many threads */

typedef struct reader {
    store_bench *bench;
    const char *key, *text;
    bool as_expected;
} reader;

static void *read_often(void *arg) {
    reader *r = arg;
    const size_t size = strlen(r->text);
    zl_store_call call = r->bench->call;
    zl_error err = {0};
    call.err = &err;
    r->as_expected = true;
    for (int i = 0; i < 200 && r->as_expected; i++) {
        zl_request requests[] = {{.length = ZL_TO_END}, {.offset = 1, .length = 2}, {.length = ZL_TO_END}};
        r->as_expected = r->bench->cls->get(r->bench->self, r->key, requests, 3, NULL, NULL, &call) == ZL_OK &&
                         requests[0].bytes.size == size && memcmp(requests[0].bytes.data, r->text, size) == 0 &&
                         memcmp(requests[1].bytes.data, r->text + 1, 2) == 0 &&
                         memcmp(requests[2].bytes.data, r->text, size) == 0;
        for (size_t k = 0; k < ZL_COUNT_OF(requests); k++)
            zl_bytes_release(&requests[k].bytes);
    }
    return NULL;
}

static void test_many_readers(void **state) {
    (void)state;
    enum { READERS = 8 };
    static const char *const texts[] = {"first", "the second", "third one"};
    static const char *const keys[] = {"a", "b/c", "d"};
    builder b = builder_new();
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++)
        add(&b, keys[i], texts[i]);
    finish(&b);
    store_bench bench;
    store_bench_open(&bench, &open_fixture);
    (void)unlink(archive); /* handles of libzip that are opened later read the same file */
    /* libzip asks for local time in each thread. Without TZ the C library makes its zone anew each time, under a lock that
       the thread sanitizer does not see; with it, the zone stays as it is. */
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    tzset();
    reader readers[READERS];
    zl_thread threads[READERS];
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (reader){&bench, keys[i % ZL_COUNT_OF(keys)], texts[i % ZL_COUNT_OF(keys)], false};
        zt_assert_ok(zl_thread_start(&threads[i], read_often, &readers[i], &bench.err), &bench.err);
    }
    for (size_t i = 0; i < READERS; i++) {
        zl_thread_join(threads[i]);
        assert_true(readers[i].as_expected);
    }
    store_bench_close(&bench);
}

/* Every cut and every changed byte: an error, or an archive that can be used without harm. */
static void use_damaged(const zl_allocator *allocator) {
    zl_error err = {0};
    void *self;
    const zl_store_class *cls;
    if (zl_store_zip_new(&self, &cls, archive, false, allocator, &err) != ZL_OK) return;
    const zl_store_call call = {.size = sizeof call, .allocator = allocator, .err = &err};
    static const char *const keys[] = {"a/b", "c"};
    for (size_t i = 0; i < ZL_COUNT_OF(keys); i++) {
        zl_request request = {.length = ZL_TO_END, .cap = 1000};
        if (cls->get(self, keys[i], &request, 1, NULL, NULL, &call) == ZL_OK) zl_bytes_release(&request.bytes);
    }
    zt_assert_ok(cls->close(self, &err), &err);
}

static void test_damaged_archives(void **state) {
    (void)state;
    zt_memory memory;
    const zl_allocator allocator = zt_allocator(&memory, 0);
    builder b = builder_new();
    add(&b, "a/b", "object");
    add_entry(&b, "c", deflated_entry(), deflated);
    const uint64_t offset = b.file.size;
    append(&b.file, b.directory.data, b.directory.size);
    zt_assert_ok(zl_zip_append_end(&b.file, b.count, offset, b.directory.size, NULL), NULL);
    for (size_t size = 0; size < b.file.size; size++) {
        save(b.file.data, size);
        check_open_fails(ZL_ERR_CORRUPT, archive);
    }
    for (size_t i = 0; i < b.file.size; i++) {
        static const uint8_t changes[] = {0x01, 0x80, 0xff};
        for (size_t k = 0; k < ZL_COUNT_OF(changes); k++) {
            b.file.data[i] ^= changes[k];
            save(b.file.data, b.file.size);
            use_damaged(&allocator);
            b.file.data[i] ^= changes[k];
        }
    }
    zl_sink_free(&b.file);
    zl_sink_free(&b.directory);
    zt_assert_no_leak(&memory);
}

/* ---- 64-bit records */

/* A file of more than 4 GiB, most of it a hole: entries behind 4 GiB, and one that is larger than that. */
static void test_wide_numbers(void **state) {
    (void)state;
    const uint64_t size = UINT64_C(5) << 30;
    builder b = builder_new();
    zl_zip_entry wide = {.stored = size, .size = size};
    uint8_t header[ZL_ZIP_LOCAL_MAX];
    size_t fixed;
    const size_t header_size = zl_zip_write_local(header, &wide, 1, &fixed);
    assert_int_equal(header_size, 50);
    append(&b.file, header, fixed);
    append(&b.file, "w", 1);
    append(&b.file, header + fixed, header_size - fixed);
    zt_assert_ok(zl_zip_append_entry(&b.directory, &wide, "w", 1, NULL), NULL);
    FILE *file = fopen(archive, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b.file.data, 1, b.file.size, file), b.file.size);
    assert_int_equal(fseeko(file, (off_t)(b.file.size + size), SEEK_SET), 0);
    zl_zip_entry far = {.header = b.file.size + size, .stored = 4, .size = 4, .crc = zl_zip_crc32(0, "text", 4)};
    b.file.size = 0;
    append(&b.file, header, zl_zip_write_local(header, &far, 3, &fixed));
    append(&b.file, "fartext", 7);
    zt_assert_ok(zl_zip_append_entry(&b.directory, &far, "far", 3, NULL), NULL);
    const uint64_t offset = far.header + b.file.size;
    append(&b.file, b.directory.data, b.directory.size);
    zt_assert_ok(zl_zip_append_end(&b.file, 2, offset, b.directory.size, NULL), NULL);
    assert_int_equal(fwrite(b.file.data, 1, b.file.size, file), b.file.size);
    assert_int_equal(fclose(file), 0);
    zl_sink_free(&b.file);
    zl_sink_free(&b.directory);
    store_bench bench;
    store_bench_open(&bench, &open_fixture);
    store_bench_expect(&bench, "far", "text");
    zl_object_info info;
    zl_request request = {.offset = size - 3, .length = 3};
    zt_assert_ok(bench.cls->get(bench.self, "w", &request, 1, NULL, &info, &bench.call), &bench.err);
    assert_int_equal(info.size, size);
    assert_memory_equal(request.bytes.data, "\0\0\0", 3);
    zl_bytes_release(&request.bytes);
    store_bench_close(&bench);
}

/* Small archives may have 64-bit records, too, and more than 65535 objects need them. */
static void test_many_objects(void **state) {
    (void)state;
    enum { COUNT = 66000 };
    builder b = builder_new();
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(name, sizeof name, "c/%d", i);
        add(&b, name, "");
    }
    add(&b, "last", "text");
    finish(&b);
    store_bench bench;
    store_bench_open(&bench, &open_fixture);
    store_bench_expect(&bench, "last", "text");
    store_bench_expect(&bench, "c/65999", "");
    store_bench_close(&bench);
}

/* ---- large deflated objects make ranges expensive */

static void test_class_follows_content(void **state) {
    (void)state;
    static const store_fixture deflated_fixture = {.name = "", .cls = &zl_store_zip_deflated, .open = open_archive};
    builder b = builder_new();
    zl_zip_entry entry = deflated_entry();
    entry.size = 100000;
    add_entry(&b, "k", entry, deflated);
    finish(&b);
    store_bench bench;
    store_bench_open(&bench, &deflated_fixture);
    store_bench_close(&bench);
}

static zl_status open_and_read(const zl_allocator *allocator, void *arg) {
    (void)arg;
    zl_error err = {0};
    void *self;
    const zl_store_class *cls;
    ZL_TRY(zl_store_zip_new(&self, &cls, archive, false, allocator, &err));
    const zl_store_call call = {.size = sizeof call, .allocator = allocator, .err = &err};
    zl_request requests[] = {{.length = ZL_TO_END}, {.length = 1}};
    const zl_status status = cls->get(self, "d", requests, 2, NULL, NULL, &call);
    zl_bytes_release(&requests[0].bytes);
    zl_bytes_release(&requests[1].bytes);
    (void)cls->close(self, NULL);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    builder b = builder_new();
    add(&b, "a/b", "object");
    add_entry(&b, "d", deflated_entry(), deflated);
    finish(&b);
    zt_run_out_of_memory(open_and_read, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_puts_move),
        cmocka_unit_test(test_a_put_grows_at_the_end),
        cmocka_unit_test(test_puts_out_of_memory),
        cmocka_unit_test(test_made_archives_are_read),
        cmocka_unit_test(test_names_are_not_taken_twice),
        cmocka_unit_test(test_other_archives),
        cmocka_unit_test(test_deflated_objects),
        cmocka_unit_test(test_damaged_entries),
        cmocka_unit_test(test_damaged_archives),
        cmocka_unit_test(test_wide_numbers),
        cmocka_unit_test(test_many_objects),
        cmocka_unit_test(test_class_follows_content),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_sizes_that_lie),
        cmocka_unit_test(test_encrypted_entries),
        cmocka_unit_test(test_many_readers),
    };
    zt_temp_make(folder);
    (void)snprintf(archive, sizeof archive, "%s/a.zip", folder);
    const int failed = store_suite_run(&new_fixture) + cmocka_run_group_tests(tests, NULL, NULL);
    zt_temp_remove(folder);
    return failed;
}

#else

int main(void) {
    return 77; /* built without libzip */
}

#endif
