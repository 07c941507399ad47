/* SPDX-License-Identifier: MIT */
#include "zt_process.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

void zt_run_processes(int count, zt_process_fn run, void *arg) {
    enum { MOST = 32 };
    pid_t children[MOST];
    int failures = 0;
    assert_true(count <= MOST);
    (void)fflush(NULL);
    for (int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(run(i, arg) ? 0 : 1);
        if (children[i] < 0) abort();
    }
    for (int i = 0; i < count; i++) {
        int status = 0;
        while (waitpid(children[i], &status, 0) < 0 && errno == EINTR) {
        }
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    assert_int_equal(failures, 0);
}

bool zt_process_ok(zl_status status, const char *what, const zl_error *err) {
    if (status != ZL_OK) fprintf(stderr, "%s: %s (%s)\n", what, zl_status_name(status), err->message);
    return status == ZL_OK;
}

void *zt_share(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

void zt_unshare(void *memory, size_t size) {
    assert_int_equal(munmap(memory, size), 0);
}

bool zt_forbid_call(long number, int code) {
#if defined(PR_SET_SECCOMP) && defined(SECCOMP_RET_DATA)
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)code & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {ZL_COUNT_OF(rules), rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return false;
    return syscall(number, -1, NULL, -1, NULL, 0) < 0 && errno == code;
#else
    (void)number, (void)code;
    return false;
#endif
}
