/* SPDX-License-Identifier: MIT */
/*
 * conformance SET FOLDER [--known FILE] [--only TEXT]
 *
 * Runs one set: "stores" and "fixtures" (arrays and their content), "bugs" and "hostile" (cases). Exit status: 0 all is
 * well, 1 something failed, 77 FOLDER is not there, which ctest shows as skipped.
 */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

#define SKIPPED 77

static int skip(const char *set, const char *folder) {
    printf("SKIPPED: the conformance set \"%s\" was not run: there is no %s/index.tsv.\n"
           "Its stores are not part of this repository; the CMake variable ZL_CORPUS says where they are.\n",
           set, folder);
    return SKIPPED;
}

int main(int argc, char **argv) {
    const char *known = NULL;
    const char *only = NULL;
    if (argc < 3) {
        fprintf(stderr, "usage: conformance SET FOLDER [--known FILE] [--only TEXT]\n");
        return 2;
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--known") == 0) known = argv[i + 1];
        if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
    }
    char *folder = realpath(argv[2], NULL);
    if (folder == NULL || !ct_exists(ct_text("%s/index.tsv", folder))) return skip(argv[1], argv[2]);
    ct_report *report = ct_report_new(argv[1], known);
    if (strcmp(argv[1], "stores") == 0 || strcmp(argv[1], "fixtures") == 0) {
        ct_run_rows(folder, only, report);
    } else {
        ct_run_cases(folder, only, report);
    }
    return ct_report_finish(report, only == NULL) ? 0 : 1;
}
