/* SPDX-License-Identifier: MIT */
/* Gives files to a fuzz target, one after the other: for builds without libFuzzer, and to see a finding again. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

/* With nothing behind its last byte, so that sanitizers see what is read there. */
static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    const long end = ftell(file);
    uint8_t *data = end >= 0 ? malloc(end ? (size_t)end : 1) : NULL;
    rewind(file);
    *size = data ? fread(data, 1, (size_t)end, file) : 0;
    fclose(file);
    return data;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *data = read_file(argv[i], &size);
        if (!data) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
