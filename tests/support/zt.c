/* SPDX-License-Identifier: MIT */
#include "zt.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- checks */

void zt_check_status(zl_status status, zl_status expected, const char *text, const zl_error *err, const char *what,
                     const char *file, int line) {
    const bool as_told = text == NULL || (err != NULL && err->status == expected && strstr(err->message, text) != NULL);
    if (status == expected && as_told) return;
    print_error("%s\n  gave %s, expected %s%s%s%s\n  message: %s (%s)\n", what, zl_status_name(status),
                zl_status_name(expected), text != NULL ? " with \"" : "", text != NULL ? text : "",
                text != NULL ? "\"" : "", err != NULL ? err->message : "none asked for",
                zl_status_name(err != NULL ? err->status : ZL_OK));
    _fail(file, line);
}

/* ---- memory */

/* In front of each block, directly before its first byte. */
typedef struct block_head {
    uint64_t magic;
    size_t size;
    size_t align;
    void *base;
} block_head;

#define LIVE UINT64_C(0x6c6976652d626c6b)
#define NEW_BYTE 0xa5
#define OLD_BYTE 0x5a

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

static void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "zt_allocator: %s\n", what);
    abort();
}

static bool count_and_pass(zt_memory *memory) {
    pthread_mutex_lock(&memory_lock);
    const bool pass = ++memory->count != memory->fail_at;
    pthread_mutex_unlock(&memory_lock);
    return pass;
}

static void count_blocks(zt_memory *memory, int blocks, size_t size) {
    pthread_mutex_lock(&memory_lock);
    memory->blocks += blocks;
    memory->size += blocks > 0 ? size : 0 - size;
    if (memory->size > memory->peak) memory->peak = memory->size;
    pthread_mutex_unlock(&memory_lock);
}

static block_head *head_of(void *ptr, size_t size) {
    require(ptr != NULL, "NULL was passed");
    block_head *head = (block_head *)((char *)ptr - sizeof(block_head));
    require(head->magic == LIVE, "not a live block, or bytes in front of it were overwritten");
    require(head->size == size, "the size is not the one that was asked for");
    return head;
}

static void *make_block(zt_memory *memory, size_t size, size_t align) {
    require(size > 0, "size 0 was asked for");
    require(align > 0 && (align & (align - 1)) == 0, "the alignment is no power of two");
    const size_t real_align = align < _Alignof(block_head) ? _Alignof(block_head) : align;
    const size_t front = real_align < sizeof(block_head) ? sizeof(block_head) : real_align;
    void *base = NULL;
    if (size > SIZE_MAX - front || posix_memalign(&base, real_align, front + size) != 0) return NULL;
    char *ptr = (char *)base + front;
    const block_head head = {LIVE, size, align, base};
    memcpy(ptr - sizeof head, &head, sizeof head);
    memset(ptr, NEW_BYTE, size);
    count_blocks(memory, 1, size);
    return ptr;
}

static void zt_free(void *user, void *ptr, size_t size) {
    block_head *head = head_of(ptr, size);
    void *base = head->base;
    head->magic = 0;
    memset(ptr, OLD_BYTE, size);
    free(base);
    count_blocks(user, -1, size);
}

static void *zt_alloc(void *user, size_t size, size_t align) {
    return count_and_pass(user) ? make_block(user, size, align) : NULL;
}

static void *zt_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align) {
    require(head_of(ptr, old_size)->align == align, "resized with another alignment");
    if (!count_and_pass(user)) return NULL;
    void *moved = make_block(user, new_size, align);
    if (moved == NULL) return NULL;
    memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    zt_free(user, ptr, old_size);
    return moved;
}

zl_allocator zt_allocator(zt_memory *memory, size_t fail_at) {
    *memory = (zt_memory){.fail_at = fail_at};
    return (zl_allocator){zt_alloc, zt_resize, zt_free, memory};
}

void zt_check_leak(const zt_memory *memory, const char *file, int line) {
    if (memory->blocks == 0) return;
    print_error("%zu blocks with %zu bytes were not freed\n", memory->blocks, memory->size);
    _fail(file, line);
}

void zt_check_out_of_memory(zt_scenario_fn scenario, void *arg, const char *what, const char *file, int line) {
    for (size_t fail_at = 1;; fail_at++) {
        zt_memory memory;
        const zl_allocator allocator = zt_allocator(&memory, fail_at);
        const zl_status status = scenario(&allocator, arg);
        const bool failed = memory.count >= fail_at;
        const zl_status expected = failed ? ZL_ERR_NO_MEMORY : ZL_OK;
        if (status != expected || memory.blocks != 0) {
            print_error("%s with allocation %zu failing: gave %s, expected %s; %zu blocks with %zu bytes left\n", what,
                        fail_at, zl_status_name(status), zl_status_name(expected), memory.blocks, memory.size);
            _fail(file, line);
        }
        if (!failed) return;
    }
}

/* ---- folders */

void zt_temp_make(char path[ZT_PATH_MAX]) {
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(path, ZT_PATH_MAX, "%s/zarrlite-XXXXXX", parent != NULL ? parent : "/tmp");
    if (length < 0 || length >= ZT_PATH_MAX || mkdtemp(path) == NULL) fail_msg("cannot make a folder like %s", path);
}

static void remove_at(int parent, const char *name) {
    if (unlinkat(parent, name, 0) == 0) return;
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0) fail_msg("cannot remove %s", name);
    if (fchmod(fd, S_IRWXU) != 0) fail_msg("cannot make %s writable", name);
    DIR *folder = fdopendir(fd);
    if (folder == NULL) fail_msg("cannot list %s", name);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove_at(fd, entry->d_name);
    }
    closedir(folder);
    if (unlinkat(parent, name, AT_REMOVEDIR) != 0) fail_msg("cannot remove the folder %s", name);
}

void zt_temp_remove(const char *path) {
    remove_at(AT_FDCWD, path);
}

/* ---- random numbers: splitmix64 */

zt_random zt_random_seed(uint64_t seed) {
    return (zt_random){seed};
}

uint64_t zt_random_next(zt_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The bias of the remainder does not matter to tests. */
uint64_t zt_random_below(zt_random *random, uint64_t n) {
    return zt_random_next(random) % n;
}

int64_t zt_random_between(zt_random *random, int64_t low, int64_t high) {
    const uint64_t n = (uint64_t)high - (uint64_t)low + 1;
    return (int64_t)((uint64_t)low + (n != 0 ? zt_random_below(random, n) : zt_random_next(random)));
}

void zt_random_fill(zt_random *random, void *out, size_t size) {
    unsigned char *bytes = out;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(zt_random_next(random) >> 56);
    }
}
