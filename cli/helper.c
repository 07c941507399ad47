/* SPDX-License-Identifier: MIT */
/* The helper is looked for beside the tool, where a build tree has it, then where `make install` puts it, relative to the
 * tool, so that an installation can be moved as a whole. */
#include "helper.h"

#include "memory.h"
#include "npy.h"
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELPER "zarrlite-netcdf"

/* ZL_HELPER_FOLDER: where the helper is installed, as a path from the folder of the tool (set by CMake). */
static const char *const folders[] = {".", ZL_HELPER_FOLDER};

cli_source_kind cli_source_sniff(const char *path) {
    static const unsigned char hdf5[] = {0x89, 'H', 'D', 'F'};
    unsigned char head[8] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return CLI_SOURCE_UNREADABLE;
    errno = EISDIR; /* what a folder makes of fread on most systems */
    const size_t size = fread(head, 1, sizeof head, file);
    const bool failed = ferror(file);
    fclose(file);
    if (failed) return CLI_SOURCE_UNREADABLE;
    if (cli_npy_is_magic(head, size)) return CLI_SOURCE_NPY;
    const bool is_classic = memcmp(head, "CDF", 3) == 0 && (head[3] == 1 || head[3] == 2 || head[3] == 5);
    return is_classic || memcmp(head, hdf5, sizeof hdf5) == 0 ? CLI_SOURCE_NETCDF : CLI_SOURCE_UNKNOWN;
}

/* The folder of the running executable, or NULL. Free with free(). */
static char *own_folder(void) {
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0) return NULL;
    path[size] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return cli_copy(path, strlen(path));
}

int cli_exec_netcdf(const cli *run) {
    char *folder = own_folder();
    fflush(stdout);
    for (size_t i = 0; folder && i < sizeof folders / sizeof folders[0]; i++) {
        char *path = cli_format("%s/%s/" HELPER, folder, folders[i]);
        execv(path, run->argv);
        free(path);
    }
    free(folder);
    execvp(HELPER, run->argv); /* no /proc here: PATH may know it */
    return cli_fail_text(run, "install the NetCDF library, build zarrlite again, or copy " HELPER " beside zarrlite",
                         "this build knows no NetCDF: cannot start " HELPER ": %s", strerror(errno));
}
