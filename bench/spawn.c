/* SPDX-License-Identifier: MIT */
/*
 * Runs a program TURNS times: prints "seconds 0 peak_MiB", the median from its start to its end, and the most memory that
 * one of them had. This is a small program of its own because a process's peak memory includes that of its parent.
 *
 *   spawn TURNS PROGRAM [ARGUMENT...]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* What it prints is thrown away; error messages are not. */
static void become(char **command) {
    const int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(127);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv) {
    double times[1000];
    struct rusage usage = {0};
    long peak = 0;
    const int wanted = argc > 2 ? atoi(argv[1]) : 0;
    if (wanted < 1 || wanted > 1000) return 2;
    for (int i = 0; i < wanted; i++) {
        int status;
        const double start = now();
        const pid_t child = fork();
        if (child == 0) become(argv + 2);
        if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
        times[i] = now() - start;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
        if (usage.ru_maxrss > peak) peak = usage.ru_maxrss;
    }
    qsort(times, (size_t)wanted, sizeof times[0], compare_times);
    printf("%.6f 0 %ld\n", times[wanted / 2], peak / 1024);
    return 0;
}
